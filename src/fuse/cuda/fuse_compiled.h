/*
 * fuse_compiled.h: fused programs by kernels of their own, which NVRTC compiles while the program runs.
 */
#ifndef GNDI_FUSE_COMPILED_H
#define GNDI_FUSE_COMPILED_H

#include "fuse/fuse_plan.h"
#include "runtime/runtime.h"

/* Carries a plan out if its kernel is there, and says so in *done. If it is not, counts the run: programs
   that are worth it are compiled in the background. Under GND_FUSE_COMPILE it compiles now; where NVRTC is
   missing nothing is done. Under GND_FUSE_INTERPRET, and of rows that are too long for the lanes that share
   one, or do not lie along the fastest axis where there are reductions alone, nothing is done ever. */
gnd_status gndi_cuda_compiled_run(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn, bool *done);
/* Whether it would do it. Compiles nothing, counts nothing. */
bool gndi_cuda_compiled_ready(gnd_stream *s, const gndi_fuse_plan *plan);

#endif
