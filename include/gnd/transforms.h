/*
 * gnd/transforms.h: periods of uneven samples and events, chirp z-transforms, cepstra (scipy.signal, cupyx.signal).
 *
 *     gnd_array *power = gnd_lombscargle(times, values, freqs, &(gnd_lombscargle_options){.floating_mean = true});
 *
 * Results are new arrays in C order on the device of their input. Nothing here waits; what is wrong with the elements
 * of an array is reported by the next call that does.
 */
#ifndef GND_TRANSFORMS_H
#define GND_TRANSFORMS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/* ---- periods -------------------------------------------------------------------------------- */

/** What a Lomb-Scargle periodogram is of a signal of amplitude A and n samples. */
typedef enum gnd_lombscargle_normalize {
    GND_LOMBSCARGLE_POWER = 0, /**< about A^2 n / 4 */
    GND_LOMBSCARGLE_NORMALIZE, /**< the part of the signal's power, 0 to 1 */
    GND_LOMBSCARGLE_AMPLITUDE, /**< a complex number: amplitude and phase of the sinusoid that fits best */
} gnd_lombscargle_normalize;

/** Options of gnd_lombscargle; NULL or all zero: SciPy's defaults. */
typedef struct gnd_lombscargle_options {
    gnd_lombscargle_normalize normalize;
    bool precenter;           /**< the mean of y is subtracted first */
    bool floating_mean;       /**< a constant is fitted besides, for each frequency */
    const gnd_array *weights; /**< of the samples, not negative; NULL: all the same */
} gnd_lombscargle_options;

/**
 * The Lomb-Scargle periodogram of values y at times x, at angular frequencies `freqs` (scipy.signal.lombscargle;
 * Zechmeister and Kuerster, 2009): real 1-d arrays, not empty, x and y of one length. float32 if all of them, weights
 * too, are float32 or 16-bit, else float64; of GND_LOMBSCARGLE_AMPLITUDE complex. Phases are float64 in any case. Sums
 * of variances below half of the dtype's resolution count as that. Two launches.
 *
 * Errors: GND_ERROR_SHAPE, GND_ERROR_DTYPE; late: GND_ERROR_VALUE for a weight that is negative or NaN, or weights that
 * add up to 0.
 */
GND_API gnd_array *gnd_lombscargle(const gnd_array *x, const gnd_array *y, const gnd_array *freqs,
                                   const gnd_lombscargle_options *options);

/**
 * How well events keep to a period, 0 to 1: the magnitude of the mean of exp(2 pi i event / period); `phase`, unless
 * NULL, becomes its angle in radians (scipy.signal.vectorstrength). `events`: real, of one dimension at most.
 * `periods`: a number, or an array of one dimension at most, for each of whose elements there is a result. float32 if
 * the period is an array of float32 or 16-bit, to which events are then rounded, as in SciPy; else float64. Reads the
 * events once for each period. NaN of no events. GND_ERROR_VALUE for a period that is not above 0, late if it is in an
 * array.
 */
GND_API gnd_array *gnd_vectorstrength(const gnd_array *events, gnd_arg periods, gnd_array **phase);
#define gnd_vectorstrength(events, periods, phase) (gnd_vectorstrength)((events), GND_ARG(periods), (phase))

/* ---- chirp z-transforms --------------------------------------------------------------------- */

/**
 * The z-transform of x along an axis at the m points a w^-k of a spiral (scipy.signal.czt): the sums over j of x[j] (a
 * w^-k)^-j. m is -1 for as many as there are samples. w and a are numbers, real or complex, or GND_NONE: exp(-2 pi i /
 * m) and 1, with which this is the Fourier transform. float32, complex64 and 16-bit are computed in single precision
 * and give complex64, where SciPy gives complex128; others give complex128. By three Fourier transforms (Bluestein).
 * Errors: GND_ERROR_VALUE for no samples, m < 1, or a number of 0; those of gnd_fft.
 */
GND_API gnd_array *gnd_czt(const gnd_array *x, int64_t m, gnd_arg w, gnd_arg a, int axis);
#define gnd_czt(x, m, w, a, axis) (gnd_czt)((x), (m), GND_ARG(w), GND_ARG(a), (axis))

/** Options of gnd_zoom_fft; NULL or all zero: SciPy's defaults. */
typedef struct gnd_zoom_fft_options {
    double fs;     /**< samples a second; 0: 2 */
    bool endpoint; /**< f2 is the last point; else it is the one behind that */
} gnd_zoom_fft_options;

/** The Fourier transform of x along an axis at m frequencies from f1 to f2 (scipy.signal.zoom_fft). Otherwise as
    gnd_czt. */
GND_API gnd_array *gnd_zoom_fft(const gnd_array *x, double f1, double f2, int64_t m,
                                const gnd_zoom_fft_options *options, int axis);

/** The points of gnd_czt, complex128, on the current device (scipy.signal.czt_points). */
GND_API gnd_array *gnd_czt_points(int64_t m, gnd_arg w, gnd_arg a);
#define gnd_czt_points(m, w, a) (gnd_czt_points)((m), GND_ARG(w), GND_ARG(a))

/** A transform of signals of n samples whose chirps are computed once (scipy.signal.CZT and ZoomFFT): two Fourier
    transforms a run. On the device that is current when it is made. It does not change, so that several threads may use
    it. Release it with gnd_czt_plan_release. */
typedef struct gnd_czt_plan gnd_czt_plan;

/** The plan of gnd_czt, which computes in a dtype, complex64 or complex128 (GND_DTYPE_NONE). */
GND_API gnd_czt_plan *gnd_czt_plan_czt(int64_t n, int64_t m, gnd_arg w, gnd_arg a, gnd_dtype dtype);
#define gnd_czt_plan_czt(n, m, w, a, dtype) (gnd_czt_plan_czt)((n), (m), GND_ARG(w), GND_ARG(a), (dtype))
/** The plan of gnd_zoom_fft. */
GND_API gnd_czt_plan *gnd_czt_plan_zoom_fft(int64_t n, double f1, double f2, int64_t m,
                                            const gnd_zoom_fft_options *options, gnd_dtype dtype);
/** Transforms x along an axis, which must have the plan's n samples (GND_ERROR_SHAPE); of the plan's dtype. */
GND_API gnd_array *gnd_czt_plan_run(const gnd_czt_plan *plan, const gnd_array *x, int axis);
/** Its points, as gnd_czt_points. */
GND_API gnd_array *gnd_czt_plan_points(const gnd_czt_plan *plan);
/** Releases it. NULL is ignored. */
GND_API void gnd_czt_plan_release(gnd_czt_plan *plan);

/* ---- cepstra -------------------------------------------------------------------------------- */

/** The real cepstrum of a real array along an axis, the inverse transform of log|fft(x)|, of n elements, -1 for all
    (cupyx.signal.real_cepstrum). float32 for float32 and 16-bit, else float64. Two transforms and one launch. */
GND_API gnd_array *gnd_real_cepstrum(const gnd_array *x, int64_t n, int axis);
/** The complex cepstrum, with the phase unwrapped and without its part that is linear, which is a delay: `ndelay`,
    unless NULL, becomes its whole number of samples, of the result's dtype, without the axis
    (cupyx.signal.complex_cepstrum). */
GND_API gnd_array *gnd_complex_cepstrum(const gnd_array *x, int64_t n, int axis, gnd_array **ndelay);
/** The signal of a complex cepstrum and its delay (cupyx.signal.inverse_complex_cepstrum). */
GND_API gnd_array *gnd_inverse_complex_cepstrum(const gnd_array *ceps, const gnd_array *ndelay, int axis);
/** The signal of minimum phase with the magnitudes of a real array's spectrum of n elements, -1 for all, along an axis
    (cupyx.signal.minimum_phase; that of filters, scipy.signal's, is gnd_minimum_phase). */
GND_API gnd_array *gnd_minimum_phase_cepstral(const gnd_array *x, int64_t n, int axis);

GND_END

#endif
