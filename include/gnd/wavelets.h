/*
 * gnd/wavelets.h: wavelets, and the continuous wavelet transform (scipy.signal up to SciPy 1.14).
 *
 *     gnd_array *coefficients = gnd_cwt(x, GND_WAVELET_RICKER, GND_NUMBERS(1, 2, 4, 8, 16), 0);
 *
 * Wavelets are 1-d, on the current device, one launch each, computed in double. Their dtype is float64 or complex128,
 * which GND_DTYPE_NONE stands for, or float32 or complex64. Nothing here waits, but where Fourier transforms do.
 * Errors: GND_ERROR_VALUE for a negative number of points, GND_ERROR_DTYPE for another dtype.
 */
#ifndef GND_WAVELETS_H
#define GND_WAVELETS_H

#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/windows.h>

GND_BEGIN

/** A complex wave exp(i w x) within a Gaussian, x from -2 pi s to 2 pi s on m points (scipy.signal.morlet, where w is
    5, s 1 and complete true). `complete`: less exp(-w^2 / 2), which makes its mean 0. */
GND_API gnd_array *gnd_morlet(int64_t m, double w, double s, bool complete, gnd_dtype dtype);
/** The same with x = d / s at a distance of d points from the centre, times sqrt(1 / s), and not complete: for gnd_cwt
    (scipy.signal.morlet2, where w is 5). */
GND_API gnd_array *gnd_morlet2(int64_t m, double s, double w, gnd_dtype dtype);
/** The "Mexican hat", 2 / (sqrt(3 a) pi^(1/4)) (1 - x^2 / a^2) exp(-x^2 / (2 a^2)) (scipy.signal.ricker). */
GND_API gnd_array *gnd_ricker(int64_t points, double a, gnd_dtype dtype);
/** The highpass filter that belongs to a lowpass one: hk reversed, every other element with the other sign
    (scipy.signal.qmf). hk is 1-d; floating and complex ones keep their dtype, integers become int64. */
GND_API gnd_array *gnd_qmf(const gnd_array *hk);

/** The wavelets of gnd_cwt. */
typedef enum gnd_wavelet {
    GND_WAVELET_RICKER = 0, /**< gnd_ricker(points, width) */
    GND_WAVELET_MORLET2,    /**< gnd_morlet2(points, width, w) */
} gnd_wavelet;

/**
 * The continuous wavelet transform of 1-d data (scipy.signal.cwt): a row for each of `count` widths, the convolution
 * in mode GND_SAME with the reversed conjugate of the wavelet, of min(10 width, n) points. w: of GND_WAVELET_MORLET2;
 * 0: 5. All wavelets are made by one launch and convolved by Fourier transforms together; SciPy convolves them one by
 * one, and directly where that is quicker, which differs by rounding errors. Integers and float64 give float64, 32
 * and 16 bits float32; the Morlet wavelet and complex data complex numbers. GND_ERROR_SHAPE for data of other
 * dimensions or without elements, GND_ERROR_VALUE for a width that is not above 0.
 */
GND_API gnd_array *gnd_cwt(const gnd_array *data, gnd_wavelet wavelet, int64_t count, const double *widths, double w);

GND_END

#endif
