/*
 * gnd/fft.h: discrete Fourier transforms, of complex and of real arrays, along any axes; the frequencies that
 * belong to them; plans.
 *
 * A transform along an axis of n elements is
 *
 *     X[k] = factor * sum over j of x[j] exp(-2 pi i j k / n),
 *
 * an inverse one has exp(+2 pi i j k / n). The `norm` sets the factor. GND_FFT_BACKWARD (NumPy's default): 1,
 * and 1 / n for inverses. GND_FFT_FORWARD: the other way round. GND_FFT_ORTHO: 1 / sqrt(n) for both.
 *
 * Rules for all of them:
 *
 * - `n` is the length of the transform: -1 for the length of the axis. A shorter one takes the first n
 *   elements; a longer one pads with zeros. `s` is the same for several axes; GND_SCALAR: the whole axes.
 * - `axes`: GND_ALL is all axes, or with `s` the last so many; for the functions of two dimensions the last
 *   two. Transforms run from the last axis named to the first. An axis may be named several times.
 * - float32 and complex64 are computed in single precision; float64, complex128, integers and bool in double.
 *   float16 and bfloat16 are computed in single precision and give complex64; the real results of gnd_irfft
 *   and gnd_hfft along one axis keep the input's dtype. (cuFFT's own half precision gives complex numbers of
 *   half precision, of which neither NumPy nor gnd has a dtype.)
 * - Strided input is read in place if the library's plans can describe it, else it is copied first. FFTW's
 *   plans describe any strides of aligned elements. cuFFT's describe up to three axes at a time, with
 *   positive strides that nest (each a multiple of the next smaller one and at least as large as that axis),
 *   and a batch along one axis or several adjacent ones. Further batch axes are run one by one, if there are
 *   few runs or each is long. Real numbers must be aligned like complex ones. The input of gnd_irfft and
 *   gnd_hfft is always copied on a GPU: cuFFT overwrites it.
 * - New results have their input's order of axes in memory (K order). On a GPU, if batch axes lie on both
 *   sides of the transformed ones, the transformed axes may come last instead, if that saves a copy.
 * - Real input of gnd_fft and the like is transformed as real; the second half of the result is the conjugate
 *   of the first.
 * - The `_into` forms write into an existing array or view of the result's shape, whose dtype the result can
 *   be cast to within its kind (complex128 to complex64, not to float64). `out` may be the input itself: if
 *   both have the same dtype, the transform is then done in place without a copy. If `out` overlaps the input
 *   otherwise, the input is copied first.
 * - Without FFTW (CPU: packages libfftw3-double3 and libfftw3-single3) or cuFFT (GPU) they fail with
 *   GND_ERROR_UNAVAILABLE. Further errors: an axis that does not exist (GND_ERROR_AXIS), a number of axes
 *   other than the length of `s` (GND_ERROR_SHAPE), no elements to transform (GND_ERROR_VALUE).
 * - Nothing waits, except when a plan is made or evicted from the cache (see plans, below). On a GPU, a
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
 * The transform of a real array (numpy.fft.rfft): its first n / 2 + 1 elements. (The others are their
 * conjugates.) A complex array is GND_ERROR_DTYPE. FFTW's dft_r2c, cuFFT's R2C.
 */
GND_API gnd_array *gnd_rfft(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_rfft_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);

/**
 * The inverse of gnd_rfft (numpy.fft.irfft): n real numbers from the first n / 2 + 1 elements of the axis;
 * -1: of m elements, 2 (m - 1) numbers. The imaginary part of the first element is ignored, and for even n
 * that of the last one. FFTW's dft_c2r, cuFFT's C2R.
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
 * NumPy); with GND_SCALAR it is 2 (m - 1) for m elements. The first step needs an array of the input's size,
 * unless there is only one axis.
 */
GND_API gnd_array *gnd_irfftn(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
/** The same into `out`. */
GND_API gnd_status gnd_irfftn_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);

/**
 * The transform of a hermitian array along several axes (scipy.fft.hfftn), real: gnd_irfftn of the conjugate,
 * with the other factor. Sizes and `s` are as there. Further errors: no axis, or one named twice
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
/** The inverse of gnd_fftshift (numpy.fft.ifftshift); they differ where a size is odd. */
GND_API gnd_array *gnd_ifftshift(const gnd_array *a, gnd_axes axes);
/**
 * The smallest length not below `target` for which transforms are fast (scipy.fft.next_fast_len): a product
 * of 2, 3, 5, 7 and 11; for real transforms of 2, 3 and 5. 0 for 0; a negative target, or one too large, is
 * GND_ERROR_VALUE, and gives 0.
 */
GND_API int64_t gnd_next_fast_len(int64_t target, bool real);

/* ---- plans ------------------------------------------------------------------------------------ */

/*
 * FFTW and cuFFT make a plan for each layout of a transform, which may take longer than the transform itself.
 * gnd caches plans for each device, so only the first of several equal transforms pays for planning. The size
 * of a plan is estimated from the lengths of its axes; beyond the cache's limit (256 MiB by default) the
 * least recently used plans are evicted. The work areas of cuFFT are not part of the plans: each run takes
 * one from the pool in stream order.
 *
 * To pay for planning at a time of your choice, make a gnd_fft_plan in advance.
 *
 * On a GPU the factor costs a pass over the result, unless it is fused with a copy, or gnd's own kernels do
 * the last step (complex64, powers of 2, 4 MiB and more), or a plan of GND_FFT_MEASURE includes it.
 *
 * A CUDA graph uses the tables of the plans that its transforms were captured with, and the cache may evict
 * those. Make a gnd_fft_plan of each transform right before the capture, and keep it until the last replay.
 * Other plans stay as long as the cache has space for them.
 */

/** The function that is planned: gnd_fftn, gnd_ifftn, gnd_rfftn or gnd_irfftn. */
typedef enum gnd_fft_kind {
    GND_FFT_KIND_FFT = 0,
    GND_FFT_KIND_IFFT,
    GND_FFT_KIND_RFFT,
    GND_FFT_KIND_IRFFT,
} gnd_fft_kind;

/** How long planning may take. */
typedef enum gnd_fft_effort {
    GND_FFT_ESTIMATE = 0, /**< no longer than for a transform without a plan */
    /**
     * As long as it takes to find a fast algorithm. FFTW tries several (FFTW_MEASURE), which takes seconds
     * for large arrays. On a GPU the factor (of inverses) is linked into cuFFT's kernels, which takes about a
     * second and saves a pass over the result; it is used if it is faster (CUDA 13 and nvJitLink; without
     * them nothing is gained). Results may differ in the last bits from those without such a plan. gnd_fftn
     * and the like use the plan, too, while it exists.
     */
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
/** Releases a plan. NULL is ignored. FFTW's and cuFFT's plans stay in the cache as long as there is space. */
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
 * Along axes where the smaller array is shorter, the other one is split into blocks, as by gnd_oaconvolve, if
 * the lengths suggest that this is cheaper.
 *
 * The dtype is that of both promoted together; float64 for integers and bool, float32 for float16 and
 * bfloat16. Results are close to those of gnd_convolve but not equal: each has an error of a few rounding
 * errors of the largest result.
 *
 * Errors: different numbers of dimensions, sizes that do not broadcast, in GND_VALID arrays of which neither
 * lies within the other (GND_ERROR_SHAPE), an empty array (GND_ERROR_VALUE), no axis or one named twice
 * (GND_ERROR_INVALID). Waits where the transforms do.
 */
GND_API gnd_array *gnd_fftconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes);
/**
 * The same, always in blocks where possible (scipy.signal.oaconvolve). A block has at least twice as many
 * elements as the shorter array along the axis, and fewer than a transform of everything. All blocks are in
 * memory at once. The blocks overlap and their invalid ends are discarded (overlap-save: Oppenheim and
 * Schafer, "Discrete-Time Signal Processing"). On a GPU, blocks along the last axis, or along the last one and
 * another, have fixed lengths where those suit, and are not all in memory.
 */
GND_API gnd_array *gnd_oaconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes);

GND_END

#endif
