/*
 * gnd: n-dimensional arrays on the GPU, with NumPy's meaning, in C.
 *
 *     #include <gnd.h>
 *     ...
 *     GND_SCOPE {
 *         gnd_array *x = gnd_load("data.npy");
 *         gnd_array *y = gnd_sqrt(gnd_add(gnd_square(x), 1));
 *         gnd_print(gnd_mean(y, GND_AXES(0)));
 *     }
 *     gnd_check();
 *
 * This header includes every topic; each topic's header is its reference. The rules that hold
 * everywhere:
 *
 * - Functions return a new reference, which the caller releases with gnd_release(), or which the
 *   enclosing GND_SCOPE releases at its end (gnd/scope.h).
 * - A function that fails returns NULL (or a gnd_status) and leaves a sentence in gnd_error(). A
 *   NULL argument gives a NULL result and keeps the first error, so a chain is checked once, at its
 *   end (gnd/error.h).
 * - Work is queued on the calling thread's current stream and calls do not wait for it, except
 *   where their comment says so (gnd/stream.h).
 */
#ifndef GND_H
#define GND_H

#include <gnd/base.h>
#include <gnd/arg.h>
#include <gnd/dtype.h>
#include <gnd/limits.h>
#include <gnd/shape.h>
#include <gnd/error.h>
#include <gnd/device.h>
#include <gnd/stream.h>
#include <gnd/graph.h>
#include <gnd/memory.h>
#include <gnd/array.h>
#include <gnd/scope.h>
#include <gnd/create.h>
#include <gnd/transfer.h>
#include <gnd/view.h>
#include <gnd/assign.h>
#include <gnd/elementwise.h>
#include <gnd/special.h>
#include <gnd/reduce.h>
#include <gnd/statistics.h>
#include <gnd/ufunc.h>
#include <gnd/samples.h>
#include <gnd/scan.h>
#include <gnd/calculus.h>
#include <gnd/rearrange.h>
#include <gnd/index.h>
#include <gnd/mask.h>
#include <gnd/choose.h>
#include <gnd/indices.h>
#include <gnd/sort.h>
#include <gnd/sets.h>
#include <gnd/histogram.h>
#include <gnd/sigmf.h>
#include <gnd/signal.h>
#include <gnd/polynomial.h>
#include <gnd/windows.h>
#include <gnd/filter_design.h>
#include <gnd/systems.h>
#include <gnd/convolve.h>
#include <gnd/median.h>
#include <gnd/filter.h>
#include <gnd/resample.h>
#include <gnd/waveforms.h>
#include <gnd/wavelets.h>
#include <gnd/splines.h>
#include <gnd/transforms.h>
#include <gnd/short_time_fft.h>
#include <gnd/spectral.h>
#include <gnd/peaks.h>
#include <gnd/radar.h>
#include <gnd/kalman.h>
#include <gnd/audio.h>
#include <gnd/linalg.h>
#include <gnd/products.h>
#include <gnd/einsum.h>
#include <gnd/solve.h>
#include <gnd/decompose.h>
#include <gnd/dct.h>
#include <gnd/fft.h>
#include <gnd/random.h>
#include <gnd/random_distributions.h>
#include <gnd/fuse.h>
#include <gnd/compare.h>
#include <gnd/bits.h>
#include <gnd/callback.h>
#include <gnd/kernel.h>
#include <gnd/distance.h>
#include <gnd/fourier_filters.h>
#include <gnd/image_filters.h>
#include <gnd/interpolation.h>
#include <gnd/labels.h>
#include <gnd/morphology.h>
#include <gnd/module.h>
#include <gnd/print.h>
#include <gnd/io.h>
#include <gnd/image.h>
#include <gnd/sound.h>
#include <gnd/textfile.h>
#include <gnd/dlpack.h>
#include <gnd/ipc.h>
#include <gnd/library.h>
#include <gnd/benchmark.h>
#include <gnd/nvtx.h>

#endif
