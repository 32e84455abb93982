/*
 * gnd/filter_design.h: design of filters: coefficients, conversions, responses (scipy.signal).
 *
 *     gnd_array *taps = gnd_firwin(101, GND_NUMBERS(0.1, 0.3), &(gnd_firwin_options){.pass_zero = GND_PASS_BANDPASS});
 *     gnd_filter_design f;
 *     gnd_butter(&f, 4, GND_NUMBERS(1000), &(gnd_iir_options){.output = GND_SOS, .fs = 48000});
 *
 * Everything here but a long gnd_firwin is computed on the host in double: a filter has few coefficients. Results are
 * small arrays on the current device, float64 or complex128. Functions that take arrays read them first: they wait if
 * these are on a GPU. Other functions do not wait.
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
#include <gnd/windows.h>

GND_BEGIN

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
 * and lie between 0 and fs / 2. A filter that passes fs / 2 has an odd number of taps. From 65536 taps on the current
 * device computes it, by elementwise operators, in float64.
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

/** A FIR filter of an odd number of taps with the least squares error (scipy.signal.firls): `count` edges of bands, two
    for each, the desired gain at each edge (linear between), and a weight of each band (NULL: 1). fs: 0 is 2. */
GND_API gnd_array *gnd_firls(int64_t numtaps, int count, const double *bands, const double *desired,
                             const double *weight, double fs);

/** What gnd_remez makes. */
typedef enum gnd_remez_type {
    GND_REMEZ_BANDPASS = 0,
    GND_REMEZ_DIFFERENTIATOR, /**< the gain grows with the frequency */
    GND_REMEZ_HILBERT,        /**< antisymmetric, of odd symmetry */
} gnd_remez_type;

/** Options of gnd_remez; NULL or all zero: SciPy's defaults. */
typedef struct gnd_remez_options {
    const double *weight; /**< of each band; NULL: 1 */
    gnd_remez_type type;  /**< "bandpass" */
    int maxiter;          /**< exchanges; 0: 25 */
    int grid_density;     /**< points of the grid; 0: 16 */
    double fs;            /**< the sampling rate; 0: 1 */
} gnd_remez_options;

/**
 * The FIR filter with the least maximum error (scipy.signal.remez; J. H. McClellan, T. W. Parks and L. R. Rabiner, IEEE
 * Trans. Audio Electroacoust. 21, 1973): `count` edges of bands, two for each, that increase from 0 to fs / 2, and the
 * desired gain of each band, count / 2 of them.
 */
GND_API gnd_array *gnd_remez(int64_t numtaps, int count, const double *bands, const double *desired,
                             const gnd_remez_options *options);

/** Options of gnd_minimum_phase; NULL or all zero: SciPy's defaults. */
typedef struct gnd_minimum_phase_options {
    bool hilbert;  /**< the method "hilbert", for equiripple filters; else "homomorphic" */
    bool whole;    /**< the gain of h itself, as many taps (half=False); homomorphic only */
    int64_t n_fft; /**< the length of the transforms, at least that of h; 0: SciPy's choice */
} gnd_minimum_phase_options;

/** A minimum-phase FIR filter of a symmetric one with at least 3 taps, with the square root of its gain and half its
    length (scipy.signal.minimum_phase; Oppenheim and Schafer, 13; Selesnick and Burrus 1998 for "hilbert"). */
GND_API gnd_array *gnd_minimum_phase(const gnd_array *h, const gnd_minimum_phase_options *options);

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

/** The least order of a Butterworth filter, and its critical frequencies (as many as `count`, 1 or 2), that loses
    `gpass` dB at most in the passband and `gstop` at least in the stopband, with edges wp and ws; wp inside ws is a
    bandpass, ws inside wp a bandstop (scipy.signal.buttord). fs: 0 is 2. */
GND_API gnd_status gnd_buttord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                               double gstop, bool analog, double fs);
/** The same for gnd_cheby1 (scipy.signal.cheb1ord). */
GND_API gnd_status gnd_cheb1ord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                                double gstop, bool analog, double fs);
/** The same for gnd_cheby2 (scipy.signal.cheb2ord). */
GND_API gnd_status gnd_cheb2ord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                                double gstop, bool analog, double fs);
/** The same for gnd_ellip (scipy.signal.ellipord). */
GND_API gnd_status gnd_ellipord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                                double gstop, bool analog, double fs);
/** The filter of least order with these edges and losses (scipy.signal.iirdesign, whose default family is the elliptic
    one). Bessel filters have no order that fits: GND_ERROR_INVALID. */
GND_API gnd_status gnd_iirdesign(gnd_filter_design *f, int count, const double *wp, const double *ws, double gpass,
                                 double gstop, gnd_filter_family family, const gnd_iir_options *options);

/** b and a of a filter that stops one frequency, of width w0 / q (scipy.signal.iirnotch). fs: 0 is 2. */
GND_API gnd_status gnd_iirnotch(gnd_filter_design *f, double w0, double q, double fs);
/** b and a of a filter that passes one frequency (scipy.signal.iirpeak). */
GND_API gnd_status gnd_iirpeak(gnd_filter_design *f, double w0, double q, double fs);
/** b and a of a filter that stops, or with `peak` passes, all multiples of w0, which divides fs; `pass_zero`: a notch
    passes frequency 0 and a peak has one there (scipy.signal.iircomb). */
GND_API gnd_status gnd_iircomb(gnd_filter_design *f, double w0, double q, bool peak, double fs, bool pass_zero);
/** b and a of a model of hearing at a frequency (scipy.signal.gammatone; M. Slaney, Apple technical report 35, 1993).
    `fir`: taps, with an order up to 24 (0: 4) and their number (0: SciPy's); else a recursive filter, which needs
    neither. */
GND_API gnd_status gnd_gammatone(gnd_filter_design *f, double freq, bool fir, int order, int64_t numtaps, double fs);

/* ---- transformations ------------------------------------------------------------------------ */

/** b and a of an analog lowpass filter with edge 1, moved to wo (scipy.signal.lp2lp). Coefficients are real. */
GND_API gnd_status gnd_lp2lp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo);
/** The same as a highpass filter (scipy.signal.lp2hp). */
GND_API gnd_status gnd_lp2hp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo);
/** The same as a bandpass filter about wo of width bw (scipy.signal.lp2bp). */
GND_API gnd_status gnd_lp2bp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo, double bw);
/** The same as a bandstop filter (scipy.signal.lp2bs). */
GND_API gnd_status gnd_lp2bs(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo, double bw);
/** b and a of a digital filter, of an analog one by Tustin's method (scipy.signal.bilinear). fs: 0 is 1. */
GND_API gnd_status gnd_bilinear(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double fs);
/** gnd_lp2lp of zeros, poles and gain (scipy.signal.lp2lp_zpk): no more zeros than poles, up to 1024 in all. */
GND_API gnd_status gnd_lp2lp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo);
/** gnd_lp2hp of them (scipy.signal.lp2hp_zpk). */
GND_API gnd_status gnd_lp2hp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo);
/** gnd_lp2bp of them (scipy.signal.lp2bp_zpk). */
GND_API gnd_status gnd_lp2bp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo,
                                 double bw);
/** gnd_lp2bs of them (scipy.signal.lp2bs_zpk). */
GND_API gnd_status gnd_lp2bs_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo,
                                 double bw);
/** gnd_bilinear of them (scipy.signal.bilinear_zpk). */
GND_API gnd_status gnd_bilinear_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double fs);

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

/** b and a with a[0] = 1, without leading zeros; leading coefficients of b up to 1e-14 are dropped too
    (scipy.signal.normalize). b may have rows. */
GND_API gnd_status gnd_normalize(gnd_filter_design *f, const gnd_array *b, const gnd_array *a);
/** Zeros, poles and gain of real coefficients (scipy.signal.tf2zpk), always complex128. Up to 1025 coefficients. */
GND_API gnd_status gnd_tf2zpk(gnd_filter_design *f, const gnd_array *b, const gnd_array *a);
/** b and a of zeros, poles and gain (scipy.signal.zpk2tf); float64 each where the roots are conjugate pairs exactly. */
GND_API gnd_status gnd_zpk2tf(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k);
/** Second-order sections of real coefficients (scipy.signal.tf2sos). */
GND_API gnd_array *gnd_tf2sos(const gnd_array *b, const gnd_array *a, gnd_sos_pairing pairing, bool analog);
/** b and a of second-order sections, n x 6 and real (scipy.signal.sos2tf). */
GND_API gnd_status gnd_sos2tf(gnd_filter_design *f, const gnd_array *sos);
/** Zeros, poles and gain of second-order sections, two of each for a section (scipy.signal.sos2zpk). */
GND_API gnd_status gnd_sos2zpk(gnd_filter_design *f, const gnd_array *sos);

/** The matrices of a linear system: x' = a x + b u, y = c x + d u. */
typedef struct gnd_state_space {
    gnd_array *a, *b, *c, *d;
} gnd_state_space;

/** Releases a system's arrays and sets them to NULL. */
GND_API void gnd_state_space_release(gnd_state_space *system);
/** The system of real coefficients in controller form (scipy.signal.tf2ss). num may have rows, one for each output. */
GND_API gnd_status gnd_tf2ss(gnd_state_space *system, const gnd_array *num, const gnd_array *den);
/** The same of zeros, poles and gain (scipy.signal.zpk2ss). */
GND_API gnd_status gnd_zpk2ss(gnd_state_space *system, const gnd_array *z, const gnd_array *p, double k);
/** b, a row for each output, and a of a real system, from one of its inputs (scipy.signal.ss2tf). */
GND_API gnd_status gnd_ss2tf(gnd_filter_design *f, const gnd_state_space *system, int input);
/** Zeros, poles and gain of a real system of one output (scipy.signal.ss2zpk). */
GND_API gnd_status gnd_ss2zpk(gnd_filter_design *f, const gnd_state_space *system, int input);

/* ---- responses ------------------------------------------------------------------------------ */

/** At which frequencies a response is computed; NULL or all zero: SciPy's defaults. */
typedef struct gnd_response_options {
    const gnd_array *w;   /**< these frequencies, real; NULL: n of them */
    int64_t n;            /**< from 0 to fs / 2, without it; 0: 512 (200 of analog filters) */
    bool whole;           /**< from 0 to fs */
    bool include_nyquist; /**< with fs / 2; gnd_freqz only, and not with `whole` */
    double fs;            /**< the sampling rate; 0: 2 pi. Not of analog filters */
} gnd_response_options;

/** The frequencies w (float64) and the response h (complex128) of a digital filter; a NULL: 1 (scipy.signal.freqz).
    Pointers to results may be NULL. */
GND_API gnd_status gnd_freqz(gnd_array **w, gnd_array **h, const gnd_array *b, const gnd_array *a,
                             const gnd_response_options *options);
/** The same of zeros, poles and gain (scipy.signal.freqz_zpk). */
GND_API gnd_status gnd_freqz_zpk(gnd_array **w, gnd_array **h, const gnd_array *z, const gnd_array *p, double k,
                                 const gnd_response_options *options);
/** The same of second-order sections (scipy.signal.freqz_sos). */
GND_API gnd_status gnd_freqz_sos(gnd_array **w, gnd_array **h, const gnd_array *sos,
                                 const gnd_response_options *options);
/** gnd_freqz_sos by its former name (scipy.signal.sosfreqz). */
GND_API gnd_status gnd_sosfreqz(gnd_array **w, gnd_array **h, const gnd_array *sos,
                                const gnd_response_options *options);
/** The same of an analog filter, at frequencies about its poles and zeros unless they are given
    (scipy.signal.freqs). */
GND_API gnd_status gnd_freqs(gnd_array **w, gnd_array **h, const gnd_array *b, const gnd_array *a,
                             const gnd_response_options *options);
/** The same of zeros, poles and gain of an analog filter (scipy.signal.freqs_zpk). */
GND_API gnd_status gnd_freqs_zpk(gnd_array **w, gnd_array **h, const gnd_array *z, const gnd_array *p, double k,
                                 const gnd_response_options *options);
/** n frequencies about the poles and zeros of an analog filter, evenly apart in their logarithm
    (scipy.signal.findfreqs). `roots`: num and den are zeros and poles (kind="zp"), not coefficients. */
GND_API gnd_array *gnd_findfreqs(const gnd_array *num, const gnd_array *den, int64_t n, bool roots);
/** The group delay in samples, float64; 0 where it is singular; a NULL: 1 (scipy.signal.group_delay). */
GND_API gnd_status gnd_group_delay(gnd_array **w, gnd_array **delay, const gnd_array *b, const gnd_array *a,
                                   const gnd_response_options *options);

/* ---- partial fractions ---------------------------------------------------------------------- */

/** What stands for roots that are nearly the same. */
typedef enum gnd_root_type {
    GND_ROOTS_MIN = 0, /**< the least one, the default of scipy.signal.unique_roots */
    GND_ROOTS_MAX,     /**< the greatest */
    GND_ROOTS_AVERAGE, /**< "avg", the default of the residues */
} gnd_root_type;

/** The different roots (as complex or real as p) and how often each occurs, int64: those within `tol` (0: 0.001) of the
    first of them are one (scipy.signal.unique_roots). */
GND_API gnd_status gnd_unique_roots(gnd_array **roots, gnd_array **multiplicity, const gnd_array *p, double tol,
                                    gnd_root_type type);
/** Residues r at poles p and the direct polynomial k of b(s) / a(s), highest power first (scipy.signal.residue). r
    and p are complex128. */
GND_API gnd_status gnd_residue(gnd_array **r, gnd_array **p, gnd_array **k, const gnd_array *b, const gnd_array *a,
                               double tol, gnd_root_type type);
/** The same of polynomials in 1 / z, lowest power first (scipy.signal.residuez). */
GND_API gnd_status gnd_residuez(gnd_array **r, gnd_array **p, gnd_array **k, const gnd_array *b, const gnd_array *a,
                                double tol, gnd_root_type type);
/** b and a of residues, poles and the direct polynomial (scipy.signal.invres). k NULL: none. complex128 if r, p or k
    is. */
GND_API gnd_status gnd_invres(gnd_filter_design *f, const gnd_array *r, const gnd_array *p, const gnd_array *k,
                              double tol, gnd_root_type type);
/** The same in 1 / z (scipy.signal.invresz). */
GND_API gnd_status gnd_invresz(gnd_filter_design *f, const gnd_array *r, const gnd_array *p, const gnd_array *k,
                               double tol, gnd_root_type type);

GND_END

#endif
