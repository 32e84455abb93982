/*
 * gnd/windows.h: windows of filters and spectra (scipy.signal.windows).
 *
 *     gnd_array *w = gnd_hann(1024, false, GND_FLOAT32);
 *     gnd_array *k = gnd_get_window(&(gnd_window){"kaiser", 1, {8.6}}, 1024, true, GND_DTYPE_NONE);
 *
 * A window has `m` values, 1-d and dense, on the current device. `sym`: a symmetric one, for filters; else a periodic
 * one, for spectra: the symmetric one of m + 1 points without its last. One point is 1, none gives an empty array. The
 * dtype is float64, which GND_DTYPE_NONE stands for, or float32: values are computed in double and rounded once.
 * Formulas are SciPy's; a symmetric window's halves have the same bits.
 *
 * Each is one launch, but gnd_chebwin (a transform, its maximum, two launches more), gnd_kaiser_bessel_derived of up to
 * 8192 points or a beta above 46 (sums, and two launches more) and gnd_dpss, which is computed on the host. Inside
 * GND_FUSE the others are part of the launches that use them, equal to rounding. Nothing here waits.
 *
 * Errors: GND_ERROR_VALUE for a negative m and parameters that SciPy refuses, GND_ERROR_DTYPE for other dtypes.
 */
#ifndef GND_WINDOWS_H
#define GND_WINDOWS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>
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

/**
 * A window by its name (scipy.signal.get_window), of n >= 1 points, periodic if `fftbins`. The names are those of the
 * functions below, without gnd_, and SciPy's other ones; parameters are those between m and sym. Parameters that
 * SciPy has defaults for may be left out at the end. A window with one parameter and no name is Kaiser's.
 */
GND_API gnd_array *gnd_get_window(const gnd_window *window, int64_t n, bool fftbins, gnd_dtype dtype);

/* ---- windows without parameters ------------------------------------------------------------- */

/** 1 everywhere (scipy.signal.windows.boxcar). */
GND_API gnd_array *gnd_boxcar(int64_t m, bool sym, gnd_dtype dtype);
/** A triangle whose ends are not 0 (scipy.signal.windows.triang). */
GND_API gnd_array *gnd_triang(int64_t m, bool sym, gnd_dtype dtype);
/** A triangle from 0 to 1 to 0 (scipy.signal.windows.bartlett; symmetric: numpy.bartlett). */
GND_API gnd_array *gnd_bartlett(int64_t m, bool sym, gnd_dtype dtype);
/** Piecewise cubic (scipy.signal.windows.parzen). */
GND_API gnd_array *gnd_parzen(int64_t m, bool sym, gnd_dtype dtype);
/** The convolution of two half periods of a cosine (scipy.signal.windows.bohman). */
GND_API gnd_array *gnd_bohman(int64_t m, bool sym, gnd_dtype dtype);
/** Bartlett and Hann mixed (scipy.signal.windows.barthann). */
GND_API gnd_array *gnd_barthann(int64_t m, bool sym, gnd_dtype dtype);
/** Half a period of a sine (scipy.signal.windows.cosine). */
GND_API gnd_array *gnd_cosine(int64_t m, bool sym, gnd_dtype dtype);
/** The middle of sinc, between its first zeros (scipy.signal.windows.lanczos). */
GND_API gnd_array *gnd_lanczos(int64_t m, bool sym, gnd_dtype dtype);
/** 0.5 + 0.5 cos (scipy.signal.windows.hann). */
GND_API gnd_array *gnd_hann(int64_t m, bool sym, gnd_dtype dtype);
/** 0.54 + 0.46 cos (scipy.signal.windows.hamming; symmetric: numpy.hamming). */
GND_API gnd_array *gnd_hamming(int64_t m, bool sym, gnd_dtype dtype);
/** Three terms (scipy.signal.windows.blackman; symmetric: numpy.blackman). */
GND_API gnd_array *gnd_blackman(int64_t m, bool sym, gnd_dtype dtype);
/** Four terms, after Nuttall (scipy.signal.windows.nuttall). */
GND_API gnd_array *gnd_nuttall(int64_t m, bool sym, gnd_dtype dtype);
/** Four terms, after Blackman and Harris (scipy.signal.windows.blackmanharris). */
GND_API gnd_array *gnd_blackmanharris(int64_t m, bool sym, gnd_dtype dtype);
/** Five terms, flat about the maximum of its spectrum (scipy.signal.windows.flattop). */
GND_API gnd_array *gnd_flattop(int64_t m, bool sym, gnd_dtype dtype);
/** The symmetric gnd_hann by NumPy's name (numpy.hanning): a negative m gives an empty array. */
GND_API gnd_array *gnd_hanning(int64_t m, gnd_dtype dtype);

/* ---- windows with parameters ---------------------------------------------------------------- */

/** The sum of a[k] cos(k t) for `count` coefficients, t from -pi to pi (scipy.signal.windows.general_cosine):
    gnd_general_cosine(64, GND_NUMBERS(0.4, 0.5, 0.1), true, GND_FLOAT64). More than 64 of them are summed on the host,
    and the values copied. */
GND_API gnd_array *gnd_general_cosine(int64_t m, int count, const double *a, bool sym, gnd_dtype dtype);
/** alpha + (1 - alpha) cos (scipy.signal.windows.general_hamming). */
GND_API gnd_array *gnd_general_hamming(int64_t m, double alpha, bool sym, gnd_dtype dtype);
/** exp(-d^2 / (2 std^2)) at a distance of d points from the centre (scipy.signal.windows.gaussian). */
GND_API gnd_array *gnd_gaussian(int64_t m, double std, bool sym, gnd_dtype dtype);
/** exp(-|d / sig|^(2 p) / 2) (scipy.signal.windows.general_gaussian). */
GND_API gnd_array *gnd_general_gaussian(int64_t m, double p, double sig, bool sym, gnd_dtype dtype);
/** exp(-d / tau) at a distance of d points from `center` (scipy.signal.windows.exponential). NaN: the middle, where
    that of a symmetric one must be. SciPy's tau is 1. */
GND_API gnd_array *gnd_exponential(int64_t m, double center, double tau, bool sym, gnd_dtype dtype);
/** Flat in the middle, with half a period of a cosine on the outer alpha / 2 of each side
    (scipy.signal.windows.tukey, where alpha is 0.5). */
GND_API gnd_array *gnd_tukey(int64_t m, double alpha, bool sym, gnd_dtype dtype);
/** Kaiser's window by the Bessel function I0 (scipy.signal.windows.kaiser; symmetric: numpy.kaiser). */
GND_API gnd_array *gnd_kaiser(int64_t m, double beta, bool sym, gnd_dtype dtype);
/** Roots of running sums of Kaiser's window (scipy.signal.windows.kaiser_bessel_derived): m must be even and the window
    symmetric. */
GND_API gnd_array *gnd_kaiser_bessel_derived(int64_t m, double beta, bool sym, gnd_dtype dtype);
/** Dolph's and Chebyshev's window with side lobes of -|at| dB (scipy.signal.windows.chebwin, which warns below 45). */
GND_API gnd_array *gnd_chebwin(int64_t m, double at, bool sym, gnd_dtype dtype);
/** Taylor's window with `nbar` - 1 side lobes at -sll dB (scipy.signal.windows.taylor, where nbar is 4, sll 30 and norm
    true). `norm`: the centre is 1. nbar is up to 10000. */
GND_API gnd_array *gnd_taylor(int64_t m, int nbar, double sll, bool norm, bool sym, gnd_dtype dtype);

/** How gnd_dpss scales its windows. */
typedef enum gnd_dpss_norm {
    GND_DPSS_DEFAULT = 0, /**< SciPy's None: GND_DPSS_APPROXIMATE if kmax is 0, else GND_DPSS_L2 */
    GND_DPSS_L2,          /**< 2: the sum of a window's squares is 1 */
    GND_DPSS_APPROXIMATE, /**< the largest value is 1; of an even m, a little less, by a formula */
    GND_DPSS_SUBSAMPLE,   /**< the same by the first window's spectrum */
} gnd_dpss_norm;

/**
 * Discrete prolate spheroidal sequences, or Slepian windows, of half bandwidth nw / m, with 0 < nw < m / 2
 * (scipy.signal.windows.dpss; Percival and Walden, Spectral Analysis for Physical Applications, 1993, 8.3): kmax of
 * them, a row each, or with kmax 0 the first one as a vector. `ratios`, unless NULL, becomes the parts of their energy
 * within that bandwidth, a number for each. Computed on the host, by eigenvalues that keep their digits; SciPy's
 * lose more the larger m is, so that the two differ by up to 1e-11 of the largest value for 1000 points, and by 4e-7
 * for a million. m of 0 or 1 gives ones.
 */
GND_API gnd_array *gnd_dpss(int64_t m, double nw, int64_t kmax, gnd_dpss_norm norm, bool sym, gnd_array **ratios,
                            gnd_dtype dtype);

GND_END

/* GND_NUMBERS(a, b) is `2, (const double[]){a, b}`: the count and the list. */
#ifndef __cplusplus
#    define GND_NUMBERS(...)                                                                                           \
        GND_COUNT_ONCE_(__VA_ARGS__), (const double[]) {                                                               \
            __VA_ARGS__                                                                                                \
        }
#else
/* The list lives to the end of the full expression. */
#    define GND_NUMBERS(...) GND_COUNT_ONCE_(__VA_ARGS__), std::initializer_list<double>{__VA_ARGS__}.begin()
#endif

#endif
