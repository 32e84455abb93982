/*
 * gnd/fft.h: discrete Fourier transforms, of complex and of real arrays, along any axes; the frequencies
 * that belong to them; plans.
 *
 * A transform along an axis of n elements is
 *
 *     X[k] = factor * sum over j of x[j] exp(-2 pi i j k / n),
 *
 * an inverse one has exp(+2 pi i j k / n). The factor is, by the `norm`: GND_FFT_BACKWARD (NumPy's default)
 * 1, and 1 / n for inverses; GND_FFT_FORWARD the other way round; GND_FFT_ORTHO 1 / sqrt(n) for both.
 *
 * What holds for all of them:
 *
 * - `n` is how many elements of the axis are transformed: -1 for all; if it is less, the first n; if it is
 *   more, zeros follow. `s` is the same for several axes, one n each; GND_SCALAR for all of each.
 * - `axes`: GND_ALL is all axes, or with `s` the last so many; for the functions of two dimensions the last
 *   two. The transforms go from the last axis named to the first. An axis may be named several times.
 * - float32 and complex64 are computed in single precision; float64, complex128, integers and bool in
 *   double. float16 and bfloat16 are computed in single precision and give complex64; the real result of
 *   gnd_irfft and gnd_hfft of them, along one axis, has their own dtype. (cuFFT's own half precision gives
 *   complex numbers of half precision, of which neither NumPy nor gnd has a dtype.)
 * - Any strides of the input are taken as they are, if the library's plans describe them, else it is copied
 *   first. FFTW's describe all, but for elements that are not aligned to their size. cuFFT's describe up to
 *   three axes at a time with positive strides, each a multiple of the next smaller one, at least as many
 *   times as that axis has elements, and a batch along one axis or several that follow each other; further
 *   axes of a batch are run one by one, if there are few runs or each is long. Real numbers must begin where
 *   complex ones may. The input of gnd_irfft and gnd_hfft is always copied on a GPU: cuFFT overwrites it.
 * - New results lie in memory as their inputs do (K order); but on a GPU, where there are axes of a batch on
 *   both sides of those that are transformed, with these behind the others, if that saves a copy.
 * - Real input of gnd_fft and its kin is transformed as real, and the second half of the result is the
 *   conjugate of the first.
 * - The `_into` forms write into an existing array or view of the result's shape, whose dtype the result
 *   can be cast to within its kind (complex128 to complex64, not to float64). `out` may be the input
 *   itself: then the transform is done in place, with no memory for a copy, where both have one dtype;
 *   if it overlaps the input otherwise, that is copied first.
 * - Without FFTW (CPU: packages libfftw3-double3 and libfftw3-single3) or cuFFT (GPU) they fail with
 *   GND_ERROR_UNAVAILABLE. Errors further: an axis that is not there (GND_ERROR_AXIS), as many as `s`
 *   has sizes for (GND_ERROR_SHAPE), no elements to transform (GND_ERROR_VALUE).
 * - None waits, but where a plan must be made, or an old one leaves the cache (see plans, below). On a GPU a
 *   stream that is captured into a CUDA graph must have run the same transform before.
 */
#ifndef GND_FFT_H
#define GND_FFT_H

#include <gnd/base.h>
#include <gnd/device.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/** Which of a transform and its inverse carries the factor 1 / n. */
typedef enum gnd_fft_norm {
    GND_FFT_BACKWARD = 0, /**< the inverse */
    GND_FFT_ORTHO,        /**< both, 1 / sqrt(n) each */
    GND_FFT_FORWARD,      /**< the transform */
} gnd_fft_norm;

/* ---- one axis ------------------------------------------------------------------------------- */

/** The transform along an axis (numpy.fft.fft). Complex. FFTW's dft, cuFFT's C2C; real input: R2C. */
GND_API gnd_array *gnd_fft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_fft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/** The inverse transform along an axis (numpy.fft.ifft). */
GND_API gnd_array *gnd_ifft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ifft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/**
 * The transform of a real array (numpy.fft.rfft): its first n / 2 + 1 elements, of which the others are
 * the conjugates. A complex array is GND_ERROR_DTYPE. FFTW's dft_r2c, cuFFT's R2C.
 */
GND_API gnd_array *gnd_rfft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_rfft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/**
 * The inverse of gnd_rfft (numpy.fft.irfft): n real numbers from the first n / 2 + 1 elements of the axis;
 * -1: of m elements, 2 (m - 1) numbers. The imaginary part of the first element does not count, nor for
 * even n that of the last. FFTW's dft_c2r, cuFFT's C2R.
 */
GND_API gnd_array *gnd_irfft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_irfft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/**
 * The transform of a hermitian sequence (numpy.fft.hfft): n real numbers from its first n / 2 + 1 elements;
 * -1: of m elements, 2 (m - 1) numbers. It is gnd_irfft of the conjugate, with the other factor.
 */
GND_API gnd_array *gnd_hfft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_hfft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/** The inverse of gnd_hfft (numpy.fft.ihfft), of a real array: the conjugate of gnd_rfft, with the other
    factor. A complex array is GND_ERROR_DTYPE. */
GND_API gnd_array *gnd_ihfft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ihfft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/* ---- two axes, the last ones unless others are named ------------------------------------------ */

/** The transform along two axes (numpy.fft.fft2). */
GND_API gnd_array *gnd_fft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_fft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The inverse transform along two axes (numpy.fft.ifft2). */
GND_API gnd_array *gnd_ifft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ifft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The transform of a real array along two axes (numpy.fft.rfft2), as gnd_rfftn. */
GND_API gnd_array *gnd_rfft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_rfft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The inverse of gnd_rfft2 (numpy.fft.irfft2), as gnd_irfftn. */
GND_API gnd_array *gnd_irfft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_irfft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);

/** The transform of a hermitian array along two axes (scipy.fft.hfft2), as gnd_hfftn. */
GND_API gnd_array *gnd_hfft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_hfft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The inverse of gnd_hfft2 (scipy.fft.ihfft2), as gnd_ihfftn. */
GND_API gnd_array *gnd_ihfft2(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ihfft2_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);

/* ---- any number of axes ----------------------------------------------------------------------- */

/** The transform along several axes (numpy.fft.fftn). No axes (GND_NO_AXES): the array as it is. */
GND_API gnd_array *gnd_fftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_fftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The inverse transform along several axes (numpy.fft.ifftn). */
GND_API gnd_array *gnd_ifftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ifftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The transform of a real array along several axes (numpy.fft.rfftn): gnd_rfft along the last one named,
    gnd_fft along the others. A complex array is GND_ERROR_DTYPE, no axis GND_ERROR_INVALID. */
GND_API gnd_array *gnd_rfftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_rfftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/**
 * The inverse of gnd_rfftn (numpy.fft.irfftn): gnd_ifft along all axes named but the last, gnd_irfft along
 * that; `s` has the sizes of the result, of which -1 is that of the input even for the last axis (as in
 * NumPy); GND_SCALAR makes that 2 (m - 1) of m elements. The first step needs an array of the input's
 * size, unless there is only one axis.
 */
GND_API gnd_array *gnd_irfftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_irfftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);

/**
 * The transform of a hermitian array along several axes (scipy.fft.hfftn), real: that of gnd_irfftn of the
 * conjugate, with the other factor; sizes and `s` are as there. Errors further: no axis, or one named twice
 * (GND_ERROR_INVALID).
 */
GND_API gnd_array *gnd_hfftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_hfftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The inverse of gnd_hfftn (scipy.fft.ihfftn), of a real array: the conjugate of gnd_rfftn, with the other
    factor. A complex array is GND_ERROR_DTYPE; no axis, or one named twice, GND_ERROR_INVALID. */
GND_API gnd_array *gnd_ihfftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_ihfftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);

/* ---- frequencies ------------------------------------------------------------------------------ */

/** The frequencies of a transform's n elements, at samples d apart (numpy.fft.fftfreq): 0, 1, ... up to half
    of n, then the negative ones, each divided by n d; float64. n < 1 or d = 0 is GND_ERROR_VALUE. */
GND_API gnd_array *gnd_fftfreq(int64_t n, double d);
/** Those of gnd_rfft's n / 2 + 1 elements (numpy.fft.rfftfreq): none is negative. */
GND_API gnd_array *gnd_rfftfreq(int64_t n, double d);
/** The array with the element of frequency 0 moved from the front to the middle of each axis
    (numpy.fft.fftshift). Any dtype. GND_ALL: all axes. */
GND_API gnd_array *gnd_fftshift(const gnd_array *a, gnd_axes axes);
/** Back again (numpy.fft.ifftshift); another thing than gnd_fftshift where a size is odd. */
GND_API gnd_array *gnd_ifftshift(const gnd_array *a, gnd_axes axes);
/**
 * The least number of elements from `target` on that transforms are fast for (scipy.fft.next_fast_len): a
 * product of 2, 3, 5, 7 and 11; for real transforms of 2, 3 and 5. 0 for 0; a negative target, or one too
 * large, is GND_ERROR_VALUE, and gives 0.
 */
GND_API int64_t gnd_next_fast_len(int64_t target, bool real);

/* ---- plans ------------------------------------------------------------------------------------ */

/*
 * FFTW and cuFFT make a plan for each layout of a transform, which may take longer than the transform itself.
 * gnd keeps plans in a cache for each device, so that only the first of several equal transforms pays for
 * that. What a plan holds is counted roughly, by the lengths of its axes; beyond the cache's limit (256 MiB,
 * unless set otherwise) those go that were used longest ago. The work areas of cuFFT belong to no plan: each
 * run takes one from the pool, in the order of its stream.
 *
 * A program that cannot have that first time where it comes makes a gnd_fft_plan before.
 *
 * On a GPU a factor that no copy takes along costs a pass over the result, but where kernels of gnd's own do the
 * last step: of complex64, by powers of 2, of 4 MiB and more; or with a plan of GND_FFT_MEASURE, perhaps.
 *
 * A CUDA graph uses the tables of the plans that its transforms were captured with, which the cache may give
 * up. Make a gnd_fft_plan of each of its transforms right before the capture, and hold it until the graph
 * has been replayed for the last time. Plans of other functions stay as long as the cache has room for them.
 */

/** What is planned: gnd_fftn, gnd_ifftn, gnd_rfftn or gnd_irfftn. */
typedef enum gnd_fft_kind {
    GND_FFT_KIND_FFT = 0,
    GND_FFT_KIND_IFFT,
    GND_FFT_KIND_RFFT,
    GND_FFT_KIND_IRFFT,
} gnd_fft_kind;

/** How long planning may take. */
typedef enum gnd_fft_effort {
    GND_FFT_ESTIMATE = 0, /**< no longer than for a transform without a plan */
    /** Until a fast way is found: FFTW tries several (FFTW_MEASURE), seconds for large arrays; on a GPU a
        factor (of inverses) is linked into cuFFT's kernels, in about a second, which spares a pass over the
        result, and is kept if that is faster (from CUDA 13 on, with nvJitLink; without it nothing is
        gained). The results may differ in the last bits from those without such a plan. gnd_fftn and its
        kin use it, too, while it is there. */
    GND_FFT_MEASURE,
} gnd_fft_effort;

/** A transform that has been planned. */
typedef struct gnd_fft_plan gnd_fft_plan;

/**
 * Plans a transform of arrays like `like`: of its shape, dtype, strides and device; its elements are not
 * looked at. The other arguments are those of gnd_fftn. Takes memory for the array and the result while it
 * plans. NULL on errors, which are those of gnd_fftn. The caller releases it with gnd_fft_plan_release.
 */
GND_API gnd_fft_plan *gnd_fft_plan_new(gnd_fft_kind kind, const gnd_array *like, gnd_shape s, gnd_axes axes,
                                       gnd_fft_norm norm, gnd_fft_effort effort);
/** Transforms an array of the plan's shape, dtype and device, else GND_ERROR_SHAPE, GND_ERROR_DTYPE or
    GND_ERROR_DEVICE. Other strides or alignment than the planned ones are allowed, but then a plan of the
    cache is used, or made. Any number of threads may run one plan at once. Does not wait, unless a plan is
    made. */
GND_API gnd_array *gnd_fft_plan_run(const gnd_fft_plan *plan, const gnd_array *a);
/** The same into `out`, which may be the array itself. */
GND_API gnd_status gnd_fft_plan_run_into(const gnd_fft_plan *plan, gnd_array *out, const gnd_array *a);
/** Gives a plan up; NULL is allowed. What it held stays in the cache as long as there is room. */
GND_API void gnd_fft_plan_release(gnd_fft_plan *plan);

/** What a device's cache of plans holds. */
typedef struct gnd_fft_cache_stats {
    int64_t plans;        /**< plans of FFTW or cuFFT */
    int64_t hits, misses; /**< how often one was found, and how often not, since the process began */
    size_t bytes, limit;  /**< an estimate of what they hold, and its bound */
} gnd_fft_cache_stats;

/** Writes what a device's cache of plans holds to *out. */
GND_API gnd_status gnd_fft_cache_stats_of(gnd_device device, gnd_fft_cache_stats *out);
/** Sets the bound of a device's cache; 0 keeps no plan that nobody uses. Plans that go wait for the GPU. */
GND_API gnd_status gnd_fft_cache_set_limit(gnd_device device, size_t bytes);
/** Empties a device's cache, but for plans in use. */
GND_API gnd_status gnd_fft_cache_clear(gnd_device device);

/* ---- convolutions ----------------------------------------------------------------------------- */

/**
 * The convolution of two arrays along axes (GND_ALL: all), by Fourier transforms (scipy.signal.fftconvolve,
 * whose default mode is GND_FULL): of as many dimensions, not empty. GND_SAME is a's shape, from the middle
 * of GND_FULL's result. Axes that are not convolved, and those where one array has one element, broadcast.
 * Along axes where the array with fewer elements is shorter, the other one is cut into blocks, as by
 * gnd_oaconvolve, if that costs less by an estimate from the lengths.
 *
 * The dtype is that of both promoted together, float64 of integers and bool, float32 of float16 and
 * bfloat16. Results are near to what gnd_convolve computes, not the same: the error of each is up to some
 * rounding errors of the largest.
 *
 * Errors: different numbers of dimensions, sizes that do not broadcast, in GND_VALID arrays of which neither
 * lies within the other (GND_ERROR_SHAPE), an empty array (GND_ERROR_VALUE), no axis or one named twice
 * (GND_ERROR_INVALID). Waits where the transforms do.
 */
GND_API gnd_array *gnd_fftconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes);
/** The same, always in blocks where there can be some (scipy.signal.oaconvolve): of at least twice as many
    elements as the shorter array has along the axis, and fewer than a transform of all has. All blocks are
    held at once. gnd_fftconvolve makes blocks itself, where it estimates that they cost less. The
    blocks overlap, and what the end of one would spoil is cut off (overlap-save: Oppenheim and Schafer,
    "Discrete-Time Signal Processing"). */
GND_API gnd_array *gnd_oaconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes);

GND_END

#endif
