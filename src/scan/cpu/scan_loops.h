/*
 * scan_loops.h: the inner loops of the CPU's scans as their driver (scan_cpu.c) sees them: one line
 * of dense elements. (Many lines side by side are rows, which the operators' own loops combine.)
 */
#ifndef GNDI_CPU_SCAN_LOOPS_H
#define GNDI_CPU_SCAN_LOOPS_H

#include "kernels/ops/op_sets.h"
#include <stdint.h>

/* out[i] = op(out[i - 1], x[i]) for i < n, where `carry` (one element) stands for out[-1], and
   becomes the last of out; if `first`, out[0] is x[0]. `out` may be x. Nonzero if a CHECKED operator
   met values it does not take. */
typedef int (*gndi_cpu_scan_line)(const char *x, char *out, int64_t n, char *carry, bool first);

typedef struct gndi_cpu_scans {
    gndi_cpu_scan_line line[GNDI_OP_COUNT][GND_DTYPE_COUNT];
} gndi_cpu_scans;

#ifdef __cplusplus
extern "C" {
#endif

/* One element after the other, for every operator and dtype (scan_lines.cpp). float16 and bfloat16
   only where they are rounded at each step: the driver takes float32 for the others. */
void gndi_cpu_scan_lines(gndi_cpu_scan_line (*table)[GND_DTYPE_COUNT]);

/* Takes a plan that was carried out; does nothing for other operators and dtypes (scan_products.c). */
struct gndi_scan_plan;
void gndi_cpu_mend_running(const struct gndi_scan_plan *plan);

/* The loops for this CPU, chosen at the first call. Thread-safe. */
const gndi_cpu_scans *gndi_cpu_scans_get(void);

#ifdef __cplusplus
}
#endif

#endif
