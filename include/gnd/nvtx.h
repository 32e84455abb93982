/*
 * gnd/nvtx.h: ranges on the timeline of a profiler (Nsight Systems, Nsight Compute, or whatever else listens
 * to NVIDIA's Tools Extension), so that it shows which call of gnd a kernel belongs to.
 *
 *     GND_NVTX=1 nsys profile --trace=cuda,nvtx ./program
 *
 * With GND_NVTX=1 in the environment, or after gnd_nvtx(true), each launch, copy, wait and opening of a
 * device has a range named after the public function that asked for it. A call with several pieces of device
 * work has several ranges; a call that touches no elements, such as a view, has none. Fused work is
 * attributed to the function that submitted it: gnd_fuse_close at the end of a block. Ranges of your own
 * enclose these. All ranges are in the domain "gnd".
 *
 * A range costs some nanoseconds while no profiler listens, and nothing but a branch while ranges are off.
 */
#ifndef GND_NVTX_H
#define GND_NVTX_H

#include <gnd/base.h>

GND_BEGIN

/**
 * Switches ranges on or off, for all threads, from the next piece of work on. They are off when a
 * program starts, unless GND_NVTX=1 is in its environment. GND_ERROR_UNAVAILABLE if gnd was built
 * where the headers of NVTX 3 were missing. Does not wait.
 */
GND_API gnd_status gnd_nvtx(bool on);

/** Whether ranges are on. */
GND_API bool gnd_nvtx_is_on(void);

/**
 * Begins a range of your own on this thread, until the matching gnd_nvtx_pop. Ranges nest up to 64 deep; one
 * more is GND_ERROR_INVALID, and so is a NULL name. `name` is copied. Does nothing while ranges are off. Does
 * not wait: the range covers the queueing of GPU work, which executes later; profilers show both.
 */
GND_API gnd_status gnd_nvtx_push(const char *name);

/**
 * Ends this thread's innermost open range. If ranges were off when it was pushed, nothing is shown.
 * GND_ERROR_INVALID if no range is open.
 */
GND_API gnd_status gnd_nvtx_pop(void);

/** Marks a point on the timeline with a name. Otherwise as gnd_nvtx_push. */
GND_API gnd_status gnd_nvtx_mark(const char *name);

GND_END

#endif
