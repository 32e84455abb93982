/*
 * gnd/filter.h: recursive and FIR filters along an axis, with their state.
 *
 * A filter is given as in SciPy: b and a, the coefficients of the numerator and the denominator of its transfer
 * function in descending powers of z (b[0] first), or sos, a row of six coefficients {b0, b1, b2, 1, a1, a2} for
 * each second-order section. Coefficients are read by the host, so arrays of coefficients may also lie on the CPU
 * while the signal lies on a GPU; those on a GPU are waited for. Nothing else waits.
 *
 * The dtype of the result is that of the coefficients, the signal and zi promoted together; integers and bool give
 * float64. So float32 stays float32 if the coefficients are float32 too. The recursion itself is computed in float64
 * (complex128) for every dtype; FIR filters, len(a) == 1, add up in the dtype of the result, 16-bit ones in float32.
 *
 * State has SciPy's layout, transposed direct form II. For lfilter zi has x's shape with max(len(a), len(b)) - 1 in
 * place of the size of `axis`; other axes may have size 1, which is broadcast. For sosfilt it is (sections, ...)
 * and x's shape with 2 in place of the size of `axis`. A signal filtered in chunks, each begun with the zf of the one
 * before, equals the whole to rounding (zf is rounded to the dtype of the result); a
 * gnd_filter_stream gives the same bits.
 */
#ifndef GND_FILTER_H
#define GND_FILTER_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/* ---- filters -------------------------------------------------------------------------------- */

/**
 * Filters x along `axis` by the transfer function b / a (scipy.signal.lfilter), both divided by a[0]. `zi`: the
 * state before the first sample; NULL: zeros. `zf`: where the state after the last sample goes, a new array in zi's
 * full shape; NULL: it is not wanted. A filter whose len(a) is 1 is a sliding sum of products. Errors:
 * GND_ERROR_SHAPE for b or a that are not 1-d or empty, for a 0-d x, and for a zi that does not fit; GND_ERROR_VALUE
 * if a[0] is 0. Waits only for b and a.
 */
GND_API gnd_array *gnd_lfilter(const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                               const gnd_array *zi, gnd_array **zf);

/**
 * Filters x along `axis` by a cascade of second-order sections, sos of shape (sections, 6)
 * (scipy.signal.sosfilt). `zi`, `zf`: as in gnd_lfilter, of shape (sections, ..., 2, ...). GND_ERROR_SHAPE for
 * another sos or zi; GND_ERROR_VALUE if a section's a0 is not 1; GND_ERROR_DTYPE for complex sections. Waits only
 * for sos.
 */
GND_API gnd_array *gnd_sosfilt(const gnd_array *sos, const gnd_array *x, int axis, const gnd_array *zi, gnd_array **zf);

/* ---- states --------------------------------------------------------------------------------- */

/**
 * The state of gnd_lfilter that a constant input of 1 settles to (scipy.signal.lfilter_zi): max(len(a), len(b)) - 1
 * elements, on b's device. Leading zeros of a are dropped. GND_ERROR_VALUE if no coefficient of a is left, or if the
 * filter has a pole at 1 and settles nowhere. Waits for b and a.
 */
GND_API gnd_array *gnd_lfilter_zi(const gnd_array *b, const gnd_array *a);

/** The same for gnd_sosfilt, of shape (sections, 2) (scipy.signal.sosfilt_zi). Waits for sos. */
GND_API gnd_array *gnd_sosfilt_zi(const gnd_array *sos);

/**
 * The state of gnd_lfilter after outputs y and inputs x (scipy.signal.lfiltic): y[0] is the latest output, y[1] the
 * one before it. What is missing of either counts as zeros; x may be NULL. 1-d arrays. GND_ERROR_VALUE if a[0] is 0.
 * Waits for all of them.
 */
GND_API gnd_array *gnd_lfiltic(const gnd_array *b, const gnd_array *a, const gnd_array *y, const gnd_array *x);

/* ---- forward and backward ------------------------------------------------------------------- */

/** How gnd_filtfilt extends a signal at both ends. */
typedef enum gnd_filter_pad {
    GND_FILTER_PAD_ODD = 0,  /**< turned about the end: 2 x[0] - x[k] */
    GND_FILTER_PAD_EVEN,     /**< mirrored: x[k] */
    GND_FILTER_PAD_CONSTANT, /**< the first and the last sample */
    GND_FILTER_PAD_NONE,     /**< not at all */
} gnd_filter_pad;

/** How gnd_filtfilt treats the ends. */
typedef enum gnd_filter_method {
    GND_FILTER_METHOD_PAD = 0, /**< extends the signal, and begins with the state of a constant input */
    GND_FILTER_METHOD_GUST,    /**< Gustafsson's method: states for which both orders of filtering agree */
} gnd_filter_method;

/** Options of gnd_filtfilt, gnd_sosfiltfilt and gnd_firfilter2; NULL or all zero: SciPy's defaults. */
typedef struct gnd_filtfilt_options {
    gnd_filter_pad pad;
    int64_t padlen;           /**< samples at each end; 0: three times the filter's length */
    gnd_filter_method method; /**< not for gnd_sosfiltfilt */
    int64_t irlen;            /**< GND_FILTER_METHOD_GUST: the length of the impulse response; 0: the signal's */
} gnd_filtfilt_options;

/**
 * Filters forward and then backward along `axis`, so that no frequency is delayed (scipy.signal.filtfilt). The
 * filter's length is max(len(a), len(b)). GND_ERROR_VALUE if the axis is not longer than the padding. Gustafsson,
 * Determining the initial states in forward-backward filtering, IEEE Trans. Signal Processing 44 (1996), 988. Waits
 * only for b and a.
 */
GND_API gnd_array *gnd_filtfilt(const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                                const gnd_filtfilt_options *options);

/**
 * The same for a cascade of sections (scipy.signal.sosfiltfilt), whose length is 2 sections + 1, less the sections
 * that are of first order.
 */
GND_API gnd_array *gnd_sosfiltfilt(const gnd_array *sos, const gnd_array *x, int axis,
                                   const gnd_filtfilt_options *options);

/* ---- FIR filters ---------------------------------------------------------------------------- */

/** gnd_lfilter with a = 1 (cusignal.firfilter). Does not wait. */
GND_API gnd_array *gnd_firfilter(const gnd_array *b, const gnd_array *x, int axis, const gnd_array *zi, gnd_array **zf);

/** gnd_lfilter_zi with a = 1 (cusignal.firfilter_zi). Waits for b. */
GND_API gnd_array *gnd_firfilter_zi(const gnd_array *b);

/** gnd_filtfilt with a = 1 (cusignal.firfilter2). Waits for b. */
GND_API gnd_array *gnd_firfilter2(const gnd_array *b, const gnd_array *x, int axis,
                                  const gnd_filtfilt_options *options);

/**
 * Polynomial division (scipy.signal.deconvolve): signal = convolve(divisor, quotient) + remainder, of 1-d arrays. A
 * divisor that is longer than the signal gives an empty quotient, and the signal as the remainder. Either pointer may
 * be NULL. Both results are float64 (complex128, if an argument is complex), as SciPy's. GND_ERROR_VALUE if divisor[0]
 * is 0. Waits for the divisor.
 */
GND_API gnd_status gnd_deconvolve(gnd_array **quotient, gnd_array **remainder, const gnd_array *signal,
                                  const gnd_array *divisor);

/* ---- smoothing ------------------------------------------------------------------------------ */

/** What gnd_savgol_filter does at the ends of the line a b c d. */
typedef enum gnd_savgol_mode {
    GND_SAVGOL_INTERP = 0, /**< values of the polynomials of the first and the last window */
    GND_SAVGOL_MIRROR,     /**< d c b | a b c d | c b a */
    GND_SAVGOL_CONSTANT,   /**< k k k | a b c d | k k k */
    GND_SAVGOL_NEAREST,    /**< a a a | a b c d | d d d */
    GND_SAVGOL_WRAP,       /**< b c d | a b c d | a b c */
} gnd_savgol_mode;

/** Options of gnd_savgol_coeffs and gnd_savgol_filter; NULL or all zero: SciPy's defaults. */
typedef struct gnd_savgol_options {
    int deriv;            /**< which derivative; 0: the polynomial itself */
    double delta;         /**< the spacing of samples, for derivatives; 0: 1 */
    gnd_arg pos;          /**< gnd_savgol_coeffs: the position in the window, a real number; GND_NONE: its middle */
    bool dot;             /**< gnd_savgol_coeffs: in the order of a dot product (use="dot"), not of a convolution */
    gnd_savgol_mode mode; /**< gnd_savgol_filter: what stands beyond the ends */
    double cval;          /**< with GND_SAVGOL_CONSTANT: its value */
} gnd_savgol_options;

/**
 * The taps of a Savitzky-Golay filter, float64 (scipy.signal.savgol_coeffs): the value, at a position of the window, of
 * the polynomial of degree `polyorder` that fits the samples best. Savitzky and Golay, Analytical Chemistry 36 (1964),
 * 1627. GND_ERROR_VALUE if polyorder is negative or not less than window_length, or the position is not in the window.
 */
GND_API gnd_array *gnd_savgol_coeffs(int64_t window_length, int polyorder, const gnd_savgol_options *options);

/**
 * Smoothes x along `axis` with these taps (scipy.signal.savgol_filter). By default the polynomials of the first and the
 * last window give the samples at the ends; the window is then at most as long as the axis (else GND_ERROR_VALUE).
 * float32 stays float32, other real dtypes give float64; complex ones are GND_ERROR_DTYPE. Does not wait.
 */
GND_API gnd_array *gnd_savgol_filter(const gnd_array *x, int64_t window_length, int polyorder, int axis,
                                     const gnd_savgol_options *options);

/**
 * Filters by c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis, with a signal that is mirrored at its ends
 * (scipy.signal.symiirorder1). `precision`: how small the terms of the sum for the first state become; 0 or less: 1e-6
 * for float32, else 1e-11. Integers become float64. GND_ERROR_VALUE if |z1| is not below 1, or if that sum needs more
 * samples than there are. Does not wait.
 */
GND_API gnd_array *gnd_symiirorder1(const gnd_array *x, double c0, double z1, double precision);

/**
 * The same for cs^2 / ((1 - a2 / z - a3 / z^2) (1 - a2 z - a3 z^2)) with a2 = 2 r cos(omega), a3 = -r^2 and cs =
 * 1 - a2 - a3 (scipy.signal.symiirorder2). Real dtypes, at least 3 samples. GND_ERROR_VALUE if r is not below 1.
 */
GND_API gnd_array *gnd_symiirorder2(const gnd_array *x, double r, double omega, double precision);

/* ---- streams -------------------------------------------------------------------------------- */

/**
 * A filter that is fed with a signal in chunks, of any sizes, for any number of channels. The results of all chunks,
 * one behind the other, have the same bits however the signal was cut, on a given device. It lives on the device that
 * was current when it was made, and its chunks too. Its state is kept in float64.
 *
 * Nothing is allocated when a chunk comes, but for memory that the device's pool keeps ready after the first chunk of
 * a size. A feed can be captured into a CUDA graph, which goes on with the signal each time it is launched. One thread
 * at a time may use a stream.
 */
typedef struct gnd_filter_stream gnd_filter_stream;

/**
 * New streams, by sections or by b / a (len(a) == 1: a FIR filter). `channels` is the shape of a chunk without its last
 * axis, which is time; GND_SCALAR for one channel. `dtype` is that of chunks and results: float32, float64, complex64
 * or complex128, complex if the coefficients are. Errors as those of gnd_sosfilt and gnd_lfilter, GND_ERROR_DTYPE for
 * another dtype. Waits for the coefficients.
 */
GND_API gnd_filter_stream *gnd_filter_stream_sosfilt(const gnd_array *sos, gnd_shape channels, gnd_dtype dtype);
GND_API gnd_filter_stream *gnd_filter_stream_lfilter(const gnd_array *b, const gnd_array *a, gnd_shape channels,
                                                     gnd_dtype dtype);

/**
 * The next chunk, of shape channels and any number of samples; returns as many results. A chunk of another dtype is
 * cast. GND_ERROR_SHAPE for other channels. Does not wait.
 */
GND_API gnd_array *gnd_filter_stream_feed(gnd_filter_stream *stream, const gnd_array *x);

/** The same with the results in `out`, of x's shape and the stream's dtype, which may be x itself. */
GND_API gnd_status gnd_filter_stream_feed_into(gnd_filter_stream *stream, const gnd_array *x, gnd_array *out);

/**
 * Ends the signal: what a FIR filter still has to give, len(b) - 1 samples; of a recursive filter, which never ends, no
 * samples. The stream then begins anew, with zeros.
 */
GND_API gnd_array *gnd_filter_stream_flush(gnd_filter_stream *stream);

/** Begins anew, with a state of zeros. Does not wait. */
GND_API gnd_status gnd_filter_stream_reset(gnd_filter_stream *stream);

/**
 * The state: for a recursive filter zi as gnd_lfilter and gnd_sosfilt take it for chunks along their last axis, in
 * float64 or complex128; for a FIR filter the last len(b) - 1 samples, channels in front, in the stream's dtype.
 */
GND_API gnd_array *gnd_filter_stream_save(const gnd_filter_stream *stream);

/** Begins anew with a state that gnd_filter_stream_save gave: with the same bits, but of a recursive filter on a GPU,
    which goes on to rounding. GND_ERROR_SHAPE if it does not fit. */
GND_API gnd_status gnd_filter_stream_restore(gnd_filter_stream *stream, const gnd_array *state);

/** Ends a stream; its memory is given back in stream order. NULL is ignored. */
GND_API void gnd_filter_stream_release(gnd_filter_stream *stream);

GND_END

#endif
