/*
 * gnd/filter_design.h: design of filters: coefficients, conversions, responses (scipy.signal).
 *
 *     gnd_array *taps = gnd_firwin(101, GND_NUMBERS(0.1, 0.3), &(gnd_firwin_options){.pass_zero = GND_PASS_BANDPASS});
 *     gnd_filter_design f;
 *     gnd_butter(&f, 4, GND_NUMBERS(1000), &(gnd_iir_options){.output = GND_SOS, .fs = 48000});
 *
 * Everything here is computed on the host in double: a filter has few coefficients. Results are small arrays on the
 * current device, float64 or complex128. Functions that take arrays read them first: they wait if these are on a GPU.
 * Other functions do not wait.
 *
 * A function with one array as its result returns it. A filter of several parts goes into a gnd_filter_design, whose
 * parts that the function does not make are NULL; other results come through pointers. After a failure all of
 * them are NULL. Each array is the caller's, as any result is; gnd_filter_design_release releases all of a filter's.
 *
 * Frequencies are a count and a list: GND_NUMBERS(0.1, 0.3) writes both. Without a sampling rate (fs is 0) they
 * are parts of the Nyquist frequency, 0 to 1, of digital filters, and radians a second of analog ones.
 * Wrong orders, frequencies, attenuations and windows are GND_ERROR_VALUE, a wrong count of frequencies or a wrong
 * choice is GND_ERROR_INVALID, arrays of more than one dimension are GND_ERROR_SHAPE.
 */
#ifndef GND_FILTER_DESIGN_H
#define GND_FILTER_DESIGN_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>
#ifdef __cplusplus
#    include <initializer_list>
#endif

GND_BEGIN

/** A window by its name in scipy.signal.get_window, and its parameters: {"hann"}, {"kaiser", 1, {8.6}}. Without a
    name it is the function's default. Names that end in "_symmetric" or "_periodic" are taken too. */
typedef struct gnd_window {
    const char *name;
    int count;        /**< of the parameters */
    double params[8]; /**< in SciPy's order */
} gnd_window;

/* ---- FIR filters ---------------------------------------------------------------------------- */

/** What gnd_firwin passes. */
typedef enum gnd_pass_zero {
    GND_PASS_ZERO = 0, /**< frequency 0 passes; from there on bands pass and stop in turn */
    GND_STOP_ZERO,     /**< frequency 0 is stopped */
    GND_PASS_LOWPASS,  /**< GND_PASS_ZERO with one cutoff frequency */
    GND_PASS_HIGHPASS, /**< GND_STOP_ZERO with one */
    GND_PASS_BANDPASS, /**< GND_STOP_ZERO with two or more */
    GND_PASS_BANDSTOP, /**< GND_PASS_ZERO with two or more */
} gnd_pass_zero;

/** Options of gnd_firwin; NULL or all zero: SciPy's defaults. */
typedef struct gnd_firwin_options {
    double width;            /**< of the transition; not 0: a Kaiser window that has it, in place of `window` */
    gnd_window window;       /**< "hamming" without a name */
    gnd_pass_zero pass_zero; /**< which bands pass */
    bool unscaled;           /**< do not scale the centre of the first passing band to 1 (scale=False) */
    double fs;               /**< the sampling rate; 0: 2 */
} gnd_firwin_options;

/**
 * A FIR filter by the window method (scipy.signal.firwin): `numtaps` taps, symmetric. The cutoff frequencies increase
 * and lie between 0 and fs / 2. A filter that passes fs / 2 has an odd number of taps.
 */
GND_API gnd_array *gnd_firwin(int64_t numtaps, int count, const double *cutoff, const gnd_firwin_options *options);

/** Options of gnd_firwin2; NULL or all zero: SciPy's defaults. */
typedef struct gnd_firwin2_options {
    int64_t nfreqs;     /**< of the grid, more than numtaps; 0: the next power of 2, and 1 */
    gnd_window window;  /**< "hamming" without a name; "boxcar" for window=None */
    bool antisymmetric; /**< the taps are antisymmetric */
    double fs;          /**< the sampling rate; 0: 2 */
} gnd_firwin2_options;

/**
 * A FIR filter whose gain is linear between `count` frequencies (scipy.signal.firwin2): these begin with 0, end with
 * fs / 2, do not decrease, and one that occurs twice is a step. Where a filter of the length and symmetry has a zero,
 * at 0 or fs / 2, the gain must be 0.
 */
GND_API gnd_array *gnd_firwin2(int64_t numtaps, int count, const double *freq, const double *gain,
                               const gnd_firwin2_options *options);

/** Options of gnd_firwin_2d; NULL or all zero: SciPy's defaults. */
typedef struct gnd_firwin_2d_options {
    gnd_window window;  /**< of the rows, or of the radius if circular; "hamming" without a name */
    gnd_window window2; /**< of the columns; "hamming" without a name */
    bool circular;      /**< one filter over the distance from the centre */
    double fs;          /**< the sampling rate; 0: 2 */
} gnd_firwin_2d_options;

/**
 * A FIR filter of two dimensions, rows x columns, by the window method (scipy.signal.firwin_2d): the products of two
 * of gnd_firwin's, or of one of 8 max(rows, columns) taps by radius (columns x rows then, as SciPy has it). `fc`:
 * `count` cutoff frequencies.
 */
GND_API gnd_array *gnd_firwin_2d(int64_t rows, int64_t columns, int count, const double *fc,
                                 const gnd_firwin_2d_options *options);

/** Kaiser's beta for a window with this attenuation in dB (scipy.signal.kaiser_beta). */
GND_API double gnd_kaiser_beta(double attenuation);
/** The attenuation in dB of a Kaiser FIR filter, of a transition width in parts of the Nyquist frequency
    (scipy.signal.kaiser_atten). */
GND_API double gnd_kaiser_atten(int64_t numtaps, double width);
/** The number of taps and beta for a Kaiser FIR filter with a ripple in dB, at least 8, and a transition width
    (scipy.signal.kaiserord). */
GND_API gnd_status gnd_kaiserord(int64_t *numtaps, double *beta, double ripple, double width);

/* ---- recursive filters ---------------------------------------------------------------------- */

/** A filter's coefficients, in one form. */
typedef struct gnd_filter_design {
    gnd_array *b, *a; /**< GND_BA: numerator and denominator, highest power first; a[0] is 1 */
    gnd_array *z, *p; /**< GND_ZPK: zeros and poles, complex128 */
    gnd_array *sos;   /**< GND_SOS: second-order sections, n x 6 */
    double k;         /**< GND_ZPK: the gain */
} gnd_filter_design;

/** Releases a filter's arrays and sets them to NULL. */
GND_API void gnd_filter_design_release(gnd_filter_design *f);

/** The form of a filter's coefficients. */
typedef enum gnd_filter_output {
    GND_BA = 0, /**< numerator and denominator; they lose precision from order 5 or so on */
    GND_ZPK,    /**< zeros, poles and gain */
    GND_SOS,    /**< second-order sections, by gnd_zpk2sos's default pairing */
} gnd_filter_output;

/** The band of a filter. */
typedef enum gnd_filter_band {
    GND_LOWPASS = 0,
    GND_HIGHPASS,
    GND_BANDPASS, /**< two critical frequencies */
    GND_BANDSTOP, /**< two critical frequencies */
} gnd_filter_band;

/** Families of recursive filters. */
typedef enum gnd_filter_family {
    GND_BUTTERWORTH = 0, /**< "butter" */
    GND_CHEBYSHEV1,      /**< "cheby1" */
    GND_CHEBYSHEV2,      /**< "cheby2" */
    GND_ELLIPTIC,        /**< "ellip", "cauer" */
    GND_BESSEL,          /**< "bessel" */
} gnd_filter_family;

/** How the critical frequency of a Bessel filter is meant. */
typedef enum gnd_bessel_norm {
    GND_BESSEL_PHASE = 0, /**< the phase is at the middle of its range there */
    GND_BESSEL_DELAY,     /**< the group delay in the passband is its reciprocal */
    GND_BESSEL_MAGNITUDE, /**< "mag": the gain is -3 dB there */
} gnd_bessel_norm;

/** Options of the recursive filters; NULL or all zero: SciPy's defaults. */
typedef struct gnd_iir_options {
    gnd_filter_band band;     /**< "lowpass", in gnd_iirfilter as well; gnd_iirdesign finds its own */
    bool analog;              /**< an analog filter; it has no fs */
    gnd_filter_output output; /**< the form of the coefficients */
    double fs;                /**< the sampling rate; 0: 2 */
} gnd_iir_options;

/** A Butterworth filter (scipy.signal.butter). `order` is up to 512 in all families but Bessel's; of a band it is half
    the number of poles. `wn`: one critical frequency, of a band two. */
GND_API gnd_status gnd_butter(gnd_filter_design *f, int order, int count, const double *wn,
                              const gnd_iir_options *options);
/** A Chebyshev filter of type 1, with ripple `rp` in dB below unity gain in the passband (scipy.signal.cheby1). */
GND_API gnd_status gnd_cheby1(gnd_filter_design *f, int order, double rp, int count, const double *wn,
                              const gnd_iir_options *options);
/** A Chebyshev filter of type 2, with attenuation `rs` in dB in the stopband (scipy.signal.cheby2). */
GND_API gnd_status gnd_cheby2(gnd_filter_design *f, int order, double rs, int count, const double *wn,
                              const gnd_iir_options *options);
/** An elliptic filter, with both (scipy.signal.ellip). */
GND_API gnd_status gnd_ellip(gnd_filter_design *f, int order, double rp, double rs, int count, const double *wn,
                             const gnd_iir_options *options);
/** A Bessel-Thomson filter of up to order 30 (scipy.signal.bessel). */
GND_API gnd_status gnd_bessel(gnd_filter_design *f, int order, int count, const double *wn, gnd_bessel_norm norm,
                              const gnd_iir_options *options);
/** A filter of any family (scipy.signal.iirfilter). rp and rs are read where the family needs them; a Bessel filter has
    the norm of the phase. */
GND_API gnd_status gnd_iirfilter(gnd_filter_design *f, int order, double rp, double rs, int count, const double *wn,
                                 gnd_filter_family family, const gnd_iir_options *options);

/** The lowpass filter with edge 1 that gnd_butter transforms: z, p and k (scipy.signal.buttap). */
GND_API gnd_status gnd_buttap(gnd_filter_design *f, int order);
/** The same of gnd_cheby1 (scipy.signal.cheb1ap). */
GND_API gnd_status gnd_cheb1ap(gnd_filter_design *f, int order, double rp);
/** The same of gnd_cheby2 (scipy.signal.cheb2ap). */
GND_API gnd_status gnd_cheb2ap(gnd_filter_design *f, int order, double rs);
/** The same of gnd_ellip (scipy.signal.ellipap). */
GND_API gnd_status gnd_ellipap(gnd_filter_design *f, int order, double rp, double rs);
/** The same of gnd_bessel (scipy.signal.besselap). */
GND_API gnd_status gnd_besselap(gnd_filter_design *f, int order, gnd_bessel_norm norm);

/* ---- conversions ---------------------------------------------------------------------------- */

/** How second-order sections pair poles and zeros. */
typedef enum gnd_sos_pairing {
    GND_PAIR_NEAREST = 0, /**< each with the nearest; an odd order gets a pole and a zero at 0 */
    GND_PAIR_KEEP_ODD,    /**< an odd order keeps a section of order 1 */
    GND_PAIR_MINIMAL,     /**< no more poles and zeros than there are; of analog filters this is the only one */
} gnd_sos_pairing;

/** Second-order sections, n x 6, of zeros, poles and a gain (scipy.signal.zpk2sos). Zeros and poles are real or
    conjugate pairs, up to 1024 of each. For analog filters the pairing must be GND_PAIR_MINIMAL. */
GND_API gnd_array *gnd_zpk2sos(const gnd_array *z, const gnd_array *p, double k, gnd_sos_pairing pairing, bool analog);

GND_END

/* GND_NUMBERS(a, b) is `2, (const double[]){a, b}`: the count and the list. */
#ifndef __cplusplus
#    define GND_NUMBERS(...)                                                                                           \
        (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), (const double[]) {                              \
            __VA_ARGS__                                                                                                \
        }
#else
/* The list lives to the end of the full expression. */
#    define GND_NUMBERS(...)                                                                                           \
        (int)std::initializer_list<double>{__VA_ARGS__}.size(), std::initializer_list<double>{__VA_ARGS__}.begin()
#endif

#endif
