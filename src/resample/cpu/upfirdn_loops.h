/*
 * upfirdn_loops.h: the inner loop of polyphase filters as the driver (upfirdn_cpu.c) sees it.
 */
#ifndef GNDI_CPU_UPFIRDN_LOOPS_H
#define GNDI_CPU_UPFIRDN_LOOPS_H

#include <stdint.h>

/* Outputs of one line. Phase q's taps are at table + q * row numbers, the last one first. */
typedef struct gndi_cpu_upfirdn_run {
    const void *x; /* where the element with number x_first would be */
    const void *table;
    void *out; /* of output number `first` */
    int64_t x_first, first, count;
    int64_t up, down, offset, phase_taps;
} gndi_cpu_upfirdn_run;

/* Real elements, complex ones with real taps (each tap twice in the table), both complex. */
enum { GNDI_UPFIRDN_REAL, GNDI_UPFIRDN_COMPLEX, GNDI_UPFIRDN_BOTH_COMPLEX, GNDI_UPFIRDN_LOOPS };

typedef void (*gndi_cpu_upfirdn_loop)(const gndi_cpu_upfirdn_run *run);

typedef struct gndi_cpu_upfirdn_loops {
    gndi_cpu_upfirdn_loop of_real[2][GNDI_UPFIRDN_LOOPS]; /* of float32, of float64 */
} gndi_cpu_upfirdn_loops;

#endif
