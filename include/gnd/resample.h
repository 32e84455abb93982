/*
 * gnd/resample.h: changes of the sampling rate, channels, analytic signals, trends.
 *
 * All work along one axis, which may be any, and on any number of channels: the other axes. float32 and complex64
 * stay what they are; integers and bool become float64 where SciPy's do. A result whose axis is not the last has
 * that axis densest in memory.
 */
#ifndef GND_RESAMPLE_H
#define GND_RESAMPLE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/fft.h>
#include <gnd/filter_design.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/* ---- polyphase filters ---------------------------------------------------------------------- */

/** What a signal is taken to be beyond its ends, by the example of a b c d. */
typedef enum gnd_upfirdn_mode {
    GND_UPFIRDN_CONSTANT = 0,  /**< k k k | a b c d | k k k, the number `cval` */
    GND_UPFIRDN_WRAP,          /**< b c d | a b c d | a b c */
    GND_UPFIRDN_EDGE,          /**< a a a | a b c d | d d d */
    GND_UPFIRDN_SMOOTH,        /**< on by the difference of the last two elements */
    GND_UPFIRDN_SYMMETRIC,     /**< c b a | a b c d | d c b */
    GND_UPFIRDN_REFLECT,       /**< d c b | a b c d | c b a */
    GND_UPFIRDN_ANTISYMMETRIC, /**< -c -b -a | a b c d | -d -c -b */
    GND_UPFIRDN_ANTIREFLECT,   /**< 2a-c 2a-b | a b c d | 2d-c 2d-b */
    GND_UPFIRDN_LINE,          /**< on by the straight line through the first and the last element */
    GND_UPFIRDN_MEAN,          /**< gnd_resample_poly only: the mean of the line */
    GND_UPFIRDN_MEDIAN,        /**< the same with its median */
    GND_UPFIRDN_MINIMUM,       /**< the same with its smallest element */
    GND_UPFIRDN_MAXIMUM,       /**< the same with its largest element */
} gnd_upfirdn_mode;

/** Options of gnd_upfirdn; NULL or all zero: SciPy's defaults. */
typedef struct gnd_upfirdn_options {
    gnd_upfirdn_mode mode; /**< the signal beyond its ends */
    gnd_arg cval;          /**< the value of GND_UPFIRDN_CONSTANT, a number; GND_NONE: 0 */
} gnd_upfirdn_options;

/**
 * Upsampling by `up` (zeros between elements), the FIR filter h, and downsampling by `down`, along an axis
 * (scipy.signal.upfirdn): y[i] = sum over j of h[j] x[(i down - j) / up], where up divides. For n elements and m
 * taps there are ((n - 1) up + m - 1) / down + 1 results, rounded down. The dtype is that of h, x and float32
 * together; sums are added up in it. Only products with elements are computed, and nothing is padded in memory: an
 * axis that is not dense in memory is copied first.
 *
 * One element is continued as numpy.pad does, where SciPy fails. An axis without elements gives zeros for the
 * constant 0, and is GND_ERROR_VALUE otherwise. Further errors: h is not 1-d or empty (GND_ERROR_SHAPE), up or
 * down is not between 1 and 2^31 - 1 (GND_ERROR_VALUE), a complex cval of a real result (GND_ERROR_DTYPE). The
 * same bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_upfirdn(const gnd_array *h, const gnd_array *x, int64_t up, int64_t down, int axis,
                               const gnd_upfirdn_options *options);

/** Options of gnd_resample_poly; NULL or all zero: SciPy's defaults. */
typedef struct gnd_resample_poly_options {
    const gnd_array *taps;    /**< the filter itself, 1-d, of an odd number of taps; NULL: it is designed */
    gnd_window window;        /**< of the design; {"kaiser", 1, {5}} without a name */
    gnd_upfirdn_mode padtype; /**< the signal beyond its ends */
    gnd_arg cval;             /**< the value of GND_UPFIRDN_CONSTANT, a number; GND_NONE: 0 */
} gnd_resample_poly_options;

/**
 * x at a sampling rate of up / down times its own along an axis (scipy.signal.resample_poly, whose default axis is
 * 0): gnd_upfirdn with up and down divided by their greatest common divisor, with a low-pass filter times `up`, and
 * with the filter's delay taken off. Of n elements there are n up / down results, rounded up. The filter has
 * 20 max(up, down) + 1 taps: gnd_firwin's, cut off at the lower of the two rates. It is designed by the host, in
 * float64, and kept for later calls; it is rounded to x's precision.
 *
 * With GND_UPFIRDN_MEAN and the like that value of each line is subtracted before and added afterwards. The other
 * modes pad nothing in memory. The dtype is that of x and float32 together, float64 for integers and bool, and with
 * `taps` that of both; x itself is copied where up equals down. Errors are those of gnd_upfirdn, a cval beside
 * another mode than GND_UPFIRDN_CONSTANT (GND_ERROR_INVALID), and those of windows. The same bits on every run. Does
 * not wait.
 */
GND_API gnd_array *gnd_resample_poly(const gnd_array *x, int64_t up, int64_t down, int axis,
                                     const gnd_resample_poly_options *options);

/* ---- by Fourier transforms ------------------------------------------------------------------ */

/** What gnd_resample is given, and multiplies by its window. */
typedef enum gnd_resample_domain {
    GND_RESAMPLE_TIME = 0,  /**< a signal */
    GND_RESAMPLE_FREQUENCY, /**< its spectrum, as gnd_fft gives it */
} gnd_resample_domain;

/** Options of gnd_resample; NULL or all zero: SciPy's defaults. */
typedef struct gnd_resample_options {
    const gnd_array *window; /**< real factors of the spectrum, 1-d, frequency 0 first; NULL: none */
    gnd_resample_domain domain;
    const gnd_array *t; /**< the times of the samples, of which the first two count; NULL: not wanted */
    gnd_array **new_t;  /**< where those of the result go, float64; beside t */
    gnd_window named;   /**< a window by its name, its middle at frequency 0, in place of the array; no name: none */
} gnd_resample_options;

/**
 * `num` samples for the time of x's, along an axis, by Fourier transforms (scipy.signal.resample, whose default axis is
 * 0): the spectrum is cut off, or followed by zeros, so the signal is taken to be periodic. float32 stays float32,
 * integers and bool become float64, 16-bit numbers float32; a spectrum gives complex numbers. Errors: no samples
 * (GND_ERROR_VALUE), a window of another length (GND_ERROR_SHAPE) or a complex one (GND_ERROR_DTYPE), t without
 * new_t or two windows (GND_ERROR_INVALID), and those of gnd_fft and of windows. Waits only as transforms do.
 */
GND_API gnd_array *gnd_resample(const gnd_array *x, int64_t num, int axis, const gnd_resample_options *options);

/**
 * The analytic signal of a real one along an axis (scipy.signal.hilbert): its imaginary part is the Hilbert
 * transform. `n` elements are transformed, -1: those of the axis; a longer n pads with zeros. complex64 of float32
 * and 16-bit numbers, else complex128. Complex x is GND_ERROR_DTYPE, nothing to transform GND_ERROR_VALUE. Waits only
 * as transforms do.
 */
GND_API gnd_array *gnd_hilbert(const gnd_array *x, int64_t n, int axis);

/**
 * The analytic signal of two axes (scipy.signal.hilbert2): the quadrant of the spectrum whose frequencies are both
 * below half of the axis, of which those above 0 are doubled for each axis. `n`: two lengths, or GND_SCALAR for those
 * of the axes; GND_ALL: the last two axes. Otherwise as gnd_hilbert.
 */
GND_API gnd_array *gnd_hilbert2(const gnd_array *x, gnd_shape n, gnd_axes axes);

/** The signal beside an envelope. */
typedef enum gnd_envelope_residual {
    GND_ENVELOPE_LOWPASS = 0, /**< what lies below the band */
    GND_ENVELOPE_ALL,         /**< all but the band */
} gnd_envelope_residual;

/** Options of gnd_envelope; NULL or all zero: SciPy's defaults. */
typedef struct gnd_envelope_options {
    /**
     * Whether low and high say which frequencies count, those from `low` to `high` - 1, in multiples of one period a
     * record: -(n / 2) <= low < high <= (n + 1) / 2. Else they are those from 1 on.
     */
    bool band;
    int64_t low, high;
    int64_t n_out; /**< samples of the results; 0: as many as x has */
    bool squared;  /**< the envelope's square */
    gnd_envelope_residual residual_kind;
} gnd_envelope_options;

/**
 * The envelope of a signal along an axis (scipy.signal.envelope): the magnitude of the part of it, or of the analytic
 * signal of a real one, whose frequencies lie in a band. `residual`: where the rest goes, by residual_kind, real of a
 * real signal; NULL: it is not wanted. float32 of float32, complex64 and 16-bit numbers, else float64. Errors: a
 * band that is none, no elements, a negative n_out (GND_ERROR_VALUE). Waits only as transforms do.
 */
GND_API gnd_array *gnd_envelope(const gnd_array *x, int axis, const gnd_envelope_options *options,
                                gnd_array **residual);

/**
 * A signal with all frequencies lowered by `freq`, at `fs` samples a second: x[n] exp(-2 pi i n freq / fs) along an
 * axis (cupyx.signal.freq_shift, which takes 1-d arrays). complex64 of float32, complex64 and 16-bit numbers, else
 * complex128. The phase of each element is found from its index, in float64 and reduced before it is rounded, so
 * its error does not grow along the signal. GND_ERROR_VALUE if a number is not finite or fs is 0. Does not wait.
 */
GND_API gnd_array *gnd_freq_shift(const gnd_array *x, double freq, double fs, int axis);

/* ---- every q-th element --------------------------------------------------------------------- */

/** The filter that gnd_decimate designs. */
typedef enum gnd_decimate_type {
    GND_DECIMATE_IIR = 0, /**< a Chebyshev filter of type 1 with 0.05 dB of ripple up to 0.8 of the new band */
    GND_DECIMATE_FIR,     /**< gnd_firwin's under a Hamming window */
} gnd_decimate_type;

/** Options of gnd_decimate; NULL or all zero: SciPy's defaults. */
typedef struct gnd_decimate_options {
    gnd_decimate_type type;
    int64_t n;             /**< the filter's order; 0: 8, of a GND_DECIMATE_FIR 20 q */
    bool delayed;          /**< leave the filter's delay in (zero_phase=False) */
    const gnd_array *sos;  /**< a recursive filter to take instead, as gnd_sosfilt's; NULL: none */
    const gnd_array *taps; /**< an FIR filter to take instead, 1-d; NULL: none */
} gnd_decimate_options;

/**
 * Every q-th element of x behind a low-pass filter, along an axis (scipy.signal.decimate, whose default axis is -1):
 * gnd_sosfiltfilt or gnd_sosfilt with the recursive filter; the polyphase filter of gnd_resample_poly, with zeros
 * beyond the ends, for taps, which computes no element that is left out. float32, float64 and complex numbers stay,
 * others become float64; the filter is rounded to that precision. Errors: q below 1, n negative (GND_ERROR_VALUE),
 * both sos and taps (GND_ERROR_INVALID), and those of the filters. Waits only for an sos that is on a GPU.
 */
GND_API gnd_array *gnd_decimate(const gnd_array *x, int64_t q, int axis, const gnd_decimate_options *options);

/* ---- channels ------------------------------------------------------------------------------- */

/**
 * The channels of a signal along an axis by a polyphase filter bank (cupyx.signal.channelize_poly): channel k of frame
 * i is
 *
 *     y[k, i] = sum over n of h[n] x[(i + 1) hop - 1 - n] exp(2 pi i k (n - i hop) / n_chans)
 *
 * x filtered by h shifted to k / n_chans of the sampling rate, moved to frequency 0, and taken every `hop` elements.
 * `hop`: 0 is n_chans, the critically sampled bank, which is CuPy's; less is an oversampled one. The result has
 * (n_chans, n / hop) in the place of the axis, complex of the precision of x and h; it lies in memory frame by frame.
 * Elements behind the last whole hop are not used. h may have any number of taps and may be complex.
 *
 * Up to 1024 channels are transformed in the kernel that sums, else by gnd_ifft. Errors: a number of channels or a hop
 * that is not between 1 and 2^31 - 1 (GND_ERROR_VALUE), h not 1-d or empty (GND_ERROR_SHAPE). The same bits on every
 * run. Does not wait.
 */
GND_API gnd_array *gnd_channelize_poly(const gnd_array *x, const gnd_array *h, int64_t n_chans, int64_t hop, int axis);

/* ---- signals in chunks ---------------------------------------------------------------------- */

/**
 * A change of the sampling rate, or a filter bank, of a signal that comes in chunks: opaque. Chunks may have any
 * numbers of elements, also none; the results of all of them and of the flush, one behind the other, are those of the
 * function for the whole signal, bit for bit on a device. Chunks have the shape of `channels`, and their elements along
 * one more axis, the last. A stream lies on the device that is current when it is made, and belongs to one thread at
 * a time. After the first chunk of a size the next ones take their memory from the pool. Release it with
 * gnd_rate_stream_release.
 */
typedef struct gnd_rate_stream gnd_rate_stream;

/** A stream of gnd_upfirdn with zeros beyond the ends. `dtype`: float32, float64, complex64 or complex128, the
    chunks' and the results'; complex if h is. Errors are those of gnd_upfirdn, and GND_ERROR_DTYPE. */
GND_API gnd_rate_stream *gnd_rate_stream_upfirdn(const gnd_array *h, int64_t up, int64_t down, gnd_shape channels,
                                                 gnd_dtype dtype);
/** A stream of gnd_resample_poly with zeros beyond the ends. `window`: NULL is {"kaiser", 1, {5}}. The results come
    later than their elements by the filter's delay, and the flush has the last ones. */
GND_API gnd_rate_stream *gnd_rate_stream_resample_poly(int64_t up, int64_t down, const gnd_window *window,
                                                       gnd_shape channels, gnd_dtype dtype);
/** A stream of gnd_channelize_poly, of at most 1024 channels (else GND_ERROR_VALUE). The flush has no results. */
GND_API gnd_rate_stream *gnd_rate_stream_channelize(const gnd_array *h, int64_t n_chans, int64_t hop,
                                                    gnd_shape channels, gnd_dtype dtype);
/** Releases it. NULL is ignored. */
GND_API void gnd_rate_stream_release(gnd_rate_stream *stream);

/** The results that a chunk completes, a new array, perhaps without elements. Chunks of integers and of narrower dtypes
    are cast. A failed call leaves the stream as it was. Does not wait. */
GND_API gnd_array *gnd_rate_stream_feed(gnd_rate_stream *stream, const gnd_array *x);
/** The rest of the results, as if the signal ended here; then the stream is as new. Does not wait. */
GND_API gnd_array *gnd_rate_stream_flush(gnd_rate_stream *stream);
/** Forgets all elements. Does not wait. */
GND_API gnd_status gnd_rate_stream_reset(gnd_rate_stream *stream);
/** The elements that it keeps, a new array of the channels' shape and one more axis; `fed`: where the number of
    elements so far goes. Does not wait. */
GND_API gnd_array *gnd_rate_stream_save(const gnd_rate_stream *stream, int64_t *fed);
/** Goes on from what gnd_rate_stream_save gave, of a stream that was made alike. Does not wait. */
GND_API gnd_status gnd_rate_stream_restore(gnd_rate_stream *stream, const gnd_array *state, int64_t fed);

/* ---- trends --------------------------------------------------------------------------------- */

/** What gnd_detrend removes. */
typedef enum gnd_detrend_type {
    GND_DETREND_LINEAR = 0, /**< the straight line of least squares */
    GND_DETREND_CONSTANT,   /**< the mean */
} gnd_detrend_type;

/** Options of gnd_detrend; NULL or all zero: SciPy's defaults. */
typedef struct gnd_detrend_options {
    gnd_detrend_type type;
    const int64_t *breakpoints; /**< GND_DETREND_LINEAR: indices at which another line begins, in any order */
    int64_t count;              /**< how many there are */
} gnd_detrend_options;

/**
 * x without its trend along an axis (scipy.signal.detrend, whose default axis is -1). Sums are float64 in every
 * dtype. float32, float64, complex64 and complex128 stay; integers and bool become float64, and so do 16-bit
 * floating numbers without a straight line; without a mean they stay. Two passes over x, for each breakpoint anew.
 * Errors: a breakpoint below 0 or beyond the end (GND_ERROR_VALUE), an unknown type (GND_ERROR_INVALID). The same
 * bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_detrend(const gnd_array *x, int axis, const gnd_detrend_options *options);

GND_END

#endif
