/*
 * run_launch.h: work of several launches that needs memory. All of it is one buffer, made before the
 * first launch, so that no result is left half-written for want of memory: the work is gone through
 * twice, first to measure, when memory is taken that is not there and nothing is launched.
 */
#ifndef GNDI_RUN_LAUNCH_H
#define GNDI_RUN_LAUNCH_H

#include "runtime/runtime.h"

typedef struct gndi_cuda_run {
    gnd_stream *stream;
    const char *fn;
    bool measures;
    char *memory; /* while measuring: any address but NULL */
    size_t used;  /* set back by those who took it, once what they launched needs it no more */
    size_t most;
} gndi_cuda_run;

/* Goes through the work twice, with its memory the second time. */
gnd_status gndi_cuda_carry_out(gnd_stream *s, const char *fn, gnd_status (*work)(gndi_cuda_run *run, const void *plan),
                               const void *plan);

/* Memory, at a multiple of 256 bytes. */
void *gndi_cuda_take(gndi_cuda_run *run, int64_t bytes);

/* Do nothing while it measures: gndi_cuda_launch, and setting memory to zero. */
gnd_status gndi_cuda_run_launch(const gndi_cuda_run *run, const void *kernel, int64_t blocks, int threads,
                                size_t shared_bytes, void *params);
gnd_status gndi_cuda_run_clear(const gndi_cuda_run *run, void *memory, size_t bytes);

#endif
