/*
 * run_launch.h: work of several launches that needs memory. All of its memory is one buffer, allocated before
 * the first launch, so that running out of memory leaves no result half-written. The work runs twice: first to
 * measure, with addresses that are not used and without launches, then with the buffer.
 */
#ifndef GNDI_RUN_LAUNCH_H
#define GNDI_RUN_LAUNCH_H

#include "runtime/runtime.h"

typedef struct gndi_cuda_run {
    gnd_stream *stream;
    const char *fn;
    bool measures;
    char *memory; /* while measuring: any address but NULL */
    size_t used;  /* reset by code that took memory, once its launches no longer need it */
    size_t most;
} gndi_cuda_run;

/* Runs the work twice, the second time with its memory. */
gnd_status gndi_cuda_carry_out(gnd_stream *s, const char *fn, gnd_status (*work)(gndi_cuda_run *run, const void *plan),
                               const void *plan);

/* Takes memory, aligned to 256 bytes. */
void *gndi_cuda_take(gndi_cuda_run *run, int64_t bytes);

/* gndi_cuda_launch, gndi_cuda_launch_early, and setting memory to zero; they do nothing while measuring. */
gnd_status gndi_cuda_run_launch(const gndi_cuda_run *run, const void *kernel, int64_t blocks, int threads,
                                size_t shared_bytes, void *params);
gnd_status gndi_cuda_run_launch_early(const gndi_cuda_run *run, const void *kernel, int64_t blocks, int threads,
                                      size_t shared_bytes, void *params);
gnd_status gndi_cuda_run_clear(const gndi_cuda_run *run, void *memory, size_t bytes);

#endif
