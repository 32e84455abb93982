/*
 * gnd/dist/fft.h: Fourier transforms of split arrays, along any axes, split ones too.
 *
 * Meanings, dtypes, lengths and norms are those of gnd/fft.h. `result` is the layout of the result. All are collective
 * where something moves.
 *
 * Axes that are whole on each rank are transformed there. Then another axis is split in place of one that is still to
 * be transformed, if possible the one that the result is to be split along, and so on: an array of two axes moves once,
 * and once more if its result is to lie as it did; one of three axes on a grid moves along one axis of the mesh at a
 * time (pencils); one of two axes on a grid lies in blocks of rows meanwhile. Large blocks are transformed in pieces,
 * and on a GPU a piece is sent while the next one is transformed.
 *
 * A line that is split and has no other axis beside it is seen as a matrix of n = n1 n2 and transformed in six steps
 * (Bailey, "FFTs in external or hierarchical memory"), three of which move it: if it is longer than 256 KiB and n1, n2
 * are not below the number of ranks. Else (n is prime, for instance) every rank gets the whole line. Real transforms
 * of such a line take the time and memory of complex ones.
 *
 * Errors, alike on all ranks: those of gnd/fft.h. Without FFTW or cuFFT GND_ERROR_UNAVAILABLE.
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
/** gnd_irfft(): n real numbers of the first n / 2 + 1 elements of their transform. */
GND_API gnd_dist *gnd_dist_irfft(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
/** gnd_fftn(): the transform along several axes; GND_SCALAR for `s`: of all their elements. */
GND_API gnd_dist *gnd_dist_fftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_ifftn(): the inverse. */
GND_API gnd_dist *gnd_dist_ifftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_rfftn(): of a real array, with half of the last axis named. */
GND_API gnd_dist *gnd_dist_rfftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
/** gnd_irfftn(): its inverse, real. */
GND_API gnd_dist *gnd_dist_irfftn(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);

GND_END

#endif
