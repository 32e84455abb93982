/*
 * fuse_compiled.h: fused programs by kernels of their own, which NVRTC compiles while the program runs.
 */
#ifndef GNDI_FUSE_COMPILED_H
#define GNDI_FUSE_COMPILED_H

#include "fuse/fuse_plan.h"
#include "runtime/runtime.h"

/* Runs a plan if its kernel is ready, and then sets *done. If it is not, counts the run: programs that are worth it are
   compiled in the background, under GND_FUSE_COMPILE immediately. Never does anything without NVRTC, under
   GND_FUSE_INTERPRET, for rows that are too long for the lanes that share one, and for plans of shape REDUCE whose
   rows are not along the fastest axis. */
gnd_status gndi_cuda_compiled_run(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn, bool *done);
/* Whether it would run the plan. Compiles nothing, counts nothing. */
bool gndi_cuda_compiled_ready(gnd_stream *s, const gndi_fuse_plan *plan);

#endif
