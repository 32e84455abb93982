/*
 * gnd/nvtx.h: ranges on the timeline of a profiler (Nsight Systems, Nsight Compute, or whatever else
 * listens to NVIDIA's Tools Extension), so that it shows which call of gnd a kernel belongs to.
 *
 *     GND_NVTX=1 nsys profile --trace=cuda,nvtx ./program
 *
 * With GND_NVTX=1 in the environment, or after gnd_nvtx(true), each launch, copy, wait and opening of
 * a device stands in a range that is named after the public function that asked for it. A call that
 * hands several pieces of work to the device shows as several ranges of its name; one that touches no
 * elements, a view for instance, shows as none. Work that GND_FUSE puts together stands under the
 * function that made it run: gnd_fuse_close, at the end of a block. Ranges of one's own go around
 * these. All of them are in the domain "gnd".
 *
 * A range costs some nanoseconds while no profiler listens, and nothing but a branch while ranges are
 * off.
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
 * Begins a range of the caller's own on this thread; it holds all until its gnd_nvtx_pop. Ranges
 * nest, 64 deep. `name` is copied; NULL is an error (GND_ERROR_INVALID), and so is a 65th. Does nothing
 * while ranges are off. Does not wait: around work on a GPU it holds what is queued, which is done later; profilers show both.
 */
GND_API gnd_status gnd_nvtx_push(const char *name);

/**
 * Ends this thread's last range that has not ended. A range that did not begin, since ranges were off
 * then, ends without a trace. GND_ERROR_INVALID if there is none to end.
 */
GND_API gnd_status gnd_nvtx_pop(void);

/** A mark on the timeline: a name, and when. As gnd_nvtx_push otherwise. */
GND_API gnd_status gnd_nvtx_mark(const char *name);

GND_END

#endif
