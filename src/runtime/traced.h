/*
 * traced.h: ranges for profilers (gnd/nvtx.h) around work that public calls submit to a device. All work goes
 * through a backend's table, whose functions get the public function's name. A second table has the same
 * functions with a range around each, and devices hold that one.
 */
#ifndef GNDI_TRACED_H
#define GNDI_TRACED_H

#include "runtime/runtime.h"

/* Looks for GND_NVTX in the environment. */
void gndi_nvtx_start(void);

/* cuda/nvtx_cuda.c; without the headers of NVTX nvtx_missing.c, where they do nothing. */
extern const bool gndi_nvtx_built;
void gndi_nvtx_push(const char *name);
void gndi_nvtx_pop(void);
void gndi_nvtx_mark(const char *name);

extern atomic_bool gndi_ranges;
static inline bool gndi_ranges_on(void) {
    return gndi_unlikely(atomic_load_explicit(&gndi_ranges, memory_order_relaxed));
}

static inline bool gndi_range_begun(const char *fn) {
    if (!gndi_ranges_on()) return false;
    gndi_nvtx_push(fn ? fn : "gnd"); /* no name: an attempt that is allowed to fail */
    return true;
}
static inline void gndi_range_close(bool *begun) {
    if (*begun) gndi_nvtx_pop();
}
/* A range from `GNDI_RANGE(fn);` to the end of the enclosing block; also for work that does not go through the table,
   such as users' own kernels. */
#define GNDI_RANGE(fn) bool gndi_range __attribute__((cleanup(gndi_range_close))) = gndi_range_begun(fn)

#endif
