/*
 * gnd/dist/fft.h: Fourier transforms of split arrays, along any axes, split ones too.
 *
 * Parameters, dtypes, lengths and norms are those of gnd/fft.h. `result` is the layout of the result. All functions are
 * collective where something moves; they do not wait on a GPU.
 *
 * Axes that are whole on each rank are transformed there. Then an axis with no transform left to do is split in place
 * of one that is still to be transformed, preferably the one along which the result is to be split, and so on. An array
 * of two axes moves once, and once more if the result is to have x's layout; an array of three axes on a grid moves
 * along one axis of the mesh at a time (pencils); an array of two axes on a grid is split into blocks of rows
 * meanwhile. Large blocks are transformed in pieces, and on a GPU a piece is sent while the next one is transformed;
 * the last transforms, if the result is where they are, begin while the last piece comes.
 *
 * A split line, with no other axes, is treated as a matrix of n1 x n2 elements and transformed in six steps (Bailey,
 * "FFTs in external or hierarchical memory", 1990), three of which move it, if it is longer than 256 KiB and neither n1
 * nor n2 is below the number of ranks. Else (if n is prime, for example) every rank gets the whole line. Real
 * transforms of such a line take the time and memory of complex ones.
 *
 * Errors are those of gnd/fft.h, the same on all ranks; GND_ERROR_UNAVAILABLE without FFTW or cuFFT.
 */
#ifndef GND_DIST_FFT_H
#define GND_DIST_FFT_H

#include <gnd/dist/array.h>
#include <gnd/fft.h>

GND_BEGIN

/** gnd_fft(): the transform along an axis, of n elements, or all of them (-1). */
GND_API gnd_dist *gnd_dist_fft(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
/** gnd_ifft(): the inverse. */
GND_API gnd_dist *gnd_dist_ifft(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
/** gnd_rfft(): the first n / 2 + 1 elements of the transform of a real array. */
GND_API gnd_dist *gnd_dist_rfft(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
/** gnd_irfft(): n real numbers from the first n / 2 + 1 elements of their transform. */
GND_API gnd_dist *gnd_dist_irfft(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
/** gnd_fftn(): the transform along several axes; `s` their lengths, GND_SCALAR: those of x. */
GND_API gnd_dist *gnd_dist_fftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_ifftn(): the inverse. */
GND_API gnd_dist *gnd_dist_ifftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_rfftn(): of a real array, with the first n / 2 + 1 elements along the last of the axes. */
GND_API gnd_dist *gnd_dist_rfftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_irfftn(): its inverse, real. */
GND_API gnd_dist *gnd_dist_irfftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);

GND_END

#endif
