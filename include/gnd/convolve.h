/*
 * gnd/convolve.h: convolution and correlation in several dimensions.
 *
 * SciPy's functions. Where NumPy has the name (gnd_convolve, gnd_correlate in gnd/signal.h, lines alone), SciPy's is
 * that name and `_nd`.
 */
#ifndef GND_CONVOLVE_H
#define GND_CONVOLVE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/* ---- matrices ------------------------------------------------------------------------------- */

/** What a matrix is taken to be beyond its edges, by the row a b c d. */
typedef enum gnd_convolve_boundary {
    GND_BOUNDARY_FILL = 0, /**< k k k | a b c d | k k k, the number `fill` */
    GND_BOUNDARY_WRAP,     /**< b c d | a b c d | a b c */
    GND_BOUNDARY_SYMM,     /**< c b a | a b c d | d c b */
} gnd_convolve_boundary;

/** Options of gnd_convolve2d and gnd_correlate2d; NULL or all zero: SciPy's defaults. */
typedef struct gnd_convolve2d_options {
    gnd_convolve_boundary boundary; /**< the matrices beyond their edges */
    gnd_arg fill;                   /**< the value of GND_BOUNDARY_FILL, a number; GND_NONE: 0 */
} gnd_convolve2d_options;

/**
 * The convolution of two matrices, sum over j, l of a[i - j, m - l] b[j, l] (scipy.signal.convolve2d). GND_FULL has
 * every overlap; GND_SAME is a's shape, from the middle of it; GND_VALID is what does not reach beyond the edges:
 * there the matrices are exchanged if a lies within b. Computed directly, a product for each element and tap:
 * integers wrap around and are exact, bool is an or of ands, float16 and bfloat16 add up in float32. The dtype is
 * that of both promoted together. An empty matrix gives zeros. Beyond the edges `fill` is multiplied like any element,
 * so that an infinite tap gives NaN there, where SciPy leaves products with 0 out.
 *
 * Errors: not two dimensions, or in GND_VALID matrices of which neither lies within the other (GND_ERROR_SHAPE); a
 * complex fill of a real result (GND_ERROR_DTYPE); of an integer result a fill that is NaN or not below 2^63
 * (GND_ERROR_VALUE). The same bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_convolve2d(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                                  const gnd_convolve2d_options *options);

/**
 * The cross-correlation of two matrices, sum over j, l of a[i + j, m + l] conj(b[j, l])
 * (scipy.signal.correlate2d). Otherwise as gnd_convolve2d; where GND_VALID exchanges the matrices, the result is
 * reversed along both axes, as SciPy's is.
 */
GND_API gnd_array *gnd_correlate2d(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                                   const gnd_convolve2d_options *options);

/* ---- any number of dimensions --------------------------------------------------------------- */

/** How a convolution is computed. */
typedef enum gnd_convolve_method {
    GND_CONVOLVE_AUTO = 0, /**< what gnd_choose_conv_method says */
    GND_CONVOLVE_DIRECT,   /**< sums of products */
    GND_CONVOLVE_FFT,      /**< by Fourier transforms (gnd_fftconvolve); integers are rounded back */
} gnd_convolve_method;

/**
 * The convolution of two arrays of as many dimensions (scipy.signal.convolve). Modes are those of gnd_convolve2d.
 * Two 0-d arrays are multiplied. The dtype is that of both promoted together. Of floating numbers the methods differ
 * by a few rounding errors of the largest result. GND_ERROR_SHAPE for other numbers of dimensions, and in GND_VALID
 * for arrays of which neither lies within the other. An empty array gives zeros. Waits only where Fourier
 * transforms do.
 */
GND_API gnd_array *gnd_convolve_nd(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                                   gnd_convolve_method method);

/**
 * The cross-correlation of two arrays of as many dimensions (scipy.signal.correlate), with the conjugate of b.
 * Otherwise as gnd_convolve_nd; where GND_VALID exchanges the arrays, the result is the other one's, reversed
 * and conjugated.
 */
GND_API gnd_array *gnd_correlate_nd(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                                    gnd_convolve_method method);

/**
 * A filter of the second order, h a matrix (cusignal.convolve1d2o):
 *
 *     y[i] = sum over a, b of x[i + A - 1 - a] x[i + B - 1 - b] h[a, b],   h of shape (A, B)
 *
 * for the n - max(A, B) + 1 indices at which all elements are in the line x, cuSignal's only mode. A sum over b is
 * multiplied by x once, not each of its products. The dtype is that of both promoted together; integers, bool and
 * 16-bit floats as in gnd_convolve2d. Errors: other dimensions, or a shorter x (GND_ERROR_SHAPE); no taps
 * (GND_ERROR_VALUE). The same bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_convolve1d2o(const gnd_array *x, const gnd_array *h);

/** The same of the third order, with products of three elements and h of shape (A, B, C) (cusignal.convolve1d3o). */
GND_API gnd_array *gnd_convolve1d3o(const gnd_array *x, const gnd_array *h);

/**
 * Which method is quicker for these arrays (scipy.signal.choose_conv_method): GND_CONVOLVE_DIRECT or
 * GND_CONVOLVE_FFT, by a table for each kind of device of how many taps make both take as long. The CPU's was measured
 * with one thread; the GPU's is an estimate. Integers and bool are direct unless transforms in float64 are sure to
 * round to the right ones. After an error, GND_CONVOLVE_DIRECT.
 */
GND_API gnd_convolve_method gnd_choose_conv_method(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode);

/**
 * The lags of gnd_correlate_nd's results for lines of n and m elements (scipy.signal.correlation_lags): int64, on the
 * current device. GND_ERROR_VALUE for lengths below 1. Does not wait.
 */
GND_API gnd_array *gnd_correlation_lags(int64_t n, int64_t m, gnd_correlate_mode mode);

/**
 * A matrix filtered along its rows by `row`, and along its columns by `column`, lines of an odd number of taps, with
 * mirrored edges (b a | a b c d | d c) (scipy.signal.sepfir2d). float64 for integers and bool. GND_ERROR_SHAPE for
 * other dimensions, GND_ERROR_VALUE for an even number of taps. Does not wait.
 */
GND_API gnd_array *gnd_sepfir2d(const gnd_array *a, const gnd_array *row, const gnd_array *column);

GND_END

#endif
