/*
 * traced.h: ranges for profilers (gnd/nvtx.h) around what public calls hand to a device. All work goes
 * through a backend's table, whose functions get the public function's name; so there is one more
 * table, of the same functions with a range around each, and devices hold that one.
 */
#ifndef GNDI_TRACED_H
#define GNDI_TRACED_H

#include "runtime/runtime.h"

/* Looks for GND_NVTX in the environment. */
void gndi_nvtx_start(void);

/* cuda/nvtx_cuda.c; in nvtx_missing.c, where there were no headers of NVTX, they do nothing. */
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
    gndi_nvtx_push(fn ? fn : "gnd"); /* no name: an attempt that need not succeed */
    return true;
}
static inline void gndi_range_close(bool *begun) {
    if (*begun) gndi_nvtx_pop();
}
/* From `GNDI_RANGE(fn);` to the end of the enclosing block; also for work that goes past the table, which
   users' own kernels are. */
#define GNDI_RANGE(fn) bool gndi_range __attribute__((cleanup(gndi_range_close))) = gndi_range_begun(fn)

#endif
