/*
 * gnd/image_filters.h: filters of pictures and fields of any number of dimensions (scipy.ndimage).
 *
 *     gnd_array *smooth = gnd_gaussian_filter(image, 3, NULL);
 *     gnd_array *edges = gnd_sobel(image, -1, &(gnd_image_options){.mode = GND_IMAGE_NEAREST});
 *     gnd_array *peaks = gnd_maximum_filter(image, GND_SHAPE(15), NULL, NULL);
 *
 * A filter gives a new array of the input's shape, on its device, in C order. Its dtype is `output`, or the input's:
 * integers are computed in float64 and cut to their whole part, each pass of a separable filter anew, as SciPy does;
 * float32, float16 and bfloat16 are computed in float32 unless the output is wider, and all others in float64
 * (int64 and uint64 too). Linear filters take complex input, whose parts are filtered alike; others raise
 * GND_ERROR_DTYPE for it.
 * Where SciPy's name is NumPy's or scipy.signal's, too, it has `image_` before it. Filters do not wait, unless they say
 * so. Errors: GND_ERROR_SHAPE for lists of as many numbers as nothing has, GND_ERROR_AXIS for axes, GND_ERROR_VALUE for
 * sizes below 1 and origins that shift a window off its element.
 */
#ifndef GND_IMAGE_FILTERS_H
#define GND_IMAGE_FILTERS_H

#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/** What an array is taken to be beyond its ends, by the line a b c d. */
typedef enum gnd_image_mode {
    GND_IMAGE_DEFAULT = 0,   /**< SciPy's: reflect for filters, constant for interpolation */
    GND_IMAGE_REFLECT,       /**< c b a | a b c d | d c b; "grid-mirror" */
    GND_IMAGE_CONSTANT,      /**< k k k | a b c d | k k k, `cval`; interpolation: nothing in between */
    GND_IMAGE_NEAREST,       /**< a a a | a b c d | d d d */
    GND_IMAGE_MIRROR,        /**< d c b | a b c d | c b a */
    GND_IMAGE_WRAP,          /**< b c d | a b c d | a b c; interpolation: with d and a at one point */
    GND_IMAGE_GRID_CONSTANT, /**< constant, and interpolated between the array and the constant */
    GND_IMAGE_GRID_WRAP,     /**< wrap, with a after d */
} gnd_image_mode;

/** Options of filters; NULL or all zero: SciPy's defaults. Lists have a number for each axis that is filtered. */
typedef struct gnd_image_options {
    gnd_image_mode mode;         /**< of all axes */
    const gnd_image_mode *modes; /**< of each axis, instead; NULL: `mode` */
    double cval;                 /**< the value of the mode constant; of complex input its real part */
    gnd_shape origin;            /**< how far a window lies before its element: none (0), one number, or a list */
    gnd_axes axes;               /**< the axes that are filtered; GND_ALL: all. Other members do not count */
    gnd_dtype output;            /**< of the result; 0: the input's */
    /* Of Gaussian filters alone: */
    const double *sigmas; /**< standard deviations of each axis, instead of `sigma` */
    double truncate;      /**< where the Gaussian is cut, in standard deviations; 0: 4 */
    gnd_shape order;      /**< the derivative that is taken: none (0), one number, or a list */
    gnd_shape radius;     /**< how far the Gaussian goes, instead of `truncate`: none, one number, or a list */
} gnd_image_options;

/* ---- linear filters ------------------------------------------------------------------------- */

/**
 * The correlation along one axis (scipy.ndimage.correlate1d): out[i] = sum over j of x[i + j - n / 2 - origin]
 * weights[j], of n real weights on the input's device. One pass over the data. GND_ERROR_SHAPE unless the weights are
 * a vector with an element, GND_ERROR_DTYPE for complex ones.
 */
GND_API gnd_array *gnd_correlate1d(const gnd_array *input, const gnd_array *weights, int axis,
                                   const gnd_image_options *options);
/** The same with the weights backwards (scipy.ndimage.convolve1d). */
GND_API gnd_array *gnd_convolve1d(const gnd_array *input, const gnd_array *weights, int axis,
                                  const gnd_image_options *options);

/**
 * The correlation with weights of the input's number of dimensions (scipy.ndimage.correlate), by gnd_correlate_nd's
 * kernels: the mode is one for all axes, and axes are all. A weight of 0 takes part: it gives NaN beside an infinite
 * element, where SciPy leaves it out.
 */
GND_API gnd_array *gnd_image_correlate(const gnd_array *input, const gnd_array *weights,
                                       const gnd_image_options *options);
/** The same with the weights backwards along all axes (scipy.ndimage.convolve). */
GND_API gnd_array *gnd_image_convolve(const gnd_array *input, const gnd_array *weights,
                                      const gnd_image_options *options);

/**
 * A Gaussian filter along one axis (scipy.ndimage.gaussian_filter1d), or a derivative of one: of `order` 0, 1, 2, ...
 * The weights go as far as truncate * sigma + 1/2, or `radius`, and add up to 1. GND_ERROR_VALUE for a negative sigma,
 * order or radius.
 */
GND_API gnd_array *gnd_gaussian_filter1d(const gnd_array *input, double sigma, int axis,
                                         const gnd_image_options *options);
/**
 * The same along the axes, one after the other (scipy.ndimage.gaussian_filter). Axes of sigma up to 1e-15 are left out.
 * The last two axes are filtered in one launch, which reads and writes each element once; other axes take one
 * each.
 */
GND_API gnd_array *gnd_gaussian_filter(const gnd_array *input, double sigma, const gnd_image_options *options);
/** The sum of the second derivatives of a Gaussian filter (scipy.ndimage.gaussian_laplace). */
GND_API gnd_array *gnd_gaussian_laplace(const gnd_array *input, double sigma, const gnd_image_options *options);
/** The square root of the sum of the squares of its first derivatives (scipy.ndimage.gaussian_gradient_magnitude). */
GND_API gnd_array *gnd_gaussian_gradient_magnitude(const gnd_array *input, double sigma,
                                                   const gnd_image_options *options);

/** The sum of the second differences (1, -2, 1) along the axes (scipy.ndimage.laplace). */
GND_API gnd_array *gnd_laplace(const gnd_array *input, const gnd_image_options *options);
/** The Prewitt filter: (-1, 0, 1) along an axis, and (1, 1, 1) along the others (scipy.ndimage.prewitt). */
GND_API gnd_array *gnd_prewitt(const gnd_array *input, int axis, const gnd_image_options *options);
/** The Sobel filter: (-1, 0, 1) along an axis, and (1, 2, 1) along the others (scipy.ndimage.sobel). */
GND_API gnd_array *gnd_sobel(const gnd_array *input, int axis, const gnd_image_options *options);

/** A derivative along an axis, a new array of the input's shape; NULL, after an error, ends the filter. */
typedef gnd_array *gnd_image_derivative_function(const gnd_array *input, int axis, const gnd_image_options *options,
                                                 void *context);
/** The sum of second derivatives that a function computes (scipy.ndimage.generic_laplace). */
GND_API gnd_array *gnd_generic_laplace(const gnd_array *input, gnd_image_derivative_function *derivative2,
                                       void *context, const gnd_image_options *options);
/** The root of the sum of squares of first derivatives (scipy.ndimage.generic_gradient_magnitude). */
GND_API gnd_array *gnd_generic_gradient_magnitude(const gnd_array *input, gnd_image_derivative_function *derivative,
                                                  void *context, const gnd_image_options *options);

/** The mean of `size` neighbours along an axis (scipy.ndimage.uniform_filter1d). The size hardly shows in the time. */
GND_API gnd_array *gnd_uniform_filter1d(const gnd_array *input, int64_t size, int axis,
                                        const gnd_image_options *options);
/** The same along the axes (scipy.ndimage.uniform_filter); size: none (3), one number, or a list. */
GND_API gnd_array *gnd_uniform_filter(const gnd_array *input, gnd_shape size, const gnd_image_options *options);

/* ---- extremes ------------------------------------------------------------------------------- */

/** The largest of `size` neighbours along an axis (scipy.ndimage.maximum_filter1d). NaN is no larger than anything. */
GND_API gnd_array *gnd_maximum_filter1d(const gnd_array *input, int64_t size, int axis,
                                        const gnd_image_options *options);
/** The smallest (scipy.ndimage.minimum_filter1d). */
GND_API gnd_array *gnd_minimum_filter1d(const gnd_array *input, int64_t size, int axis,
                                        const gnd_image_options *options);
/**
 * The largest element of a window (scipy.ndimage.maximum_filter): a box of `size` (none: 3; one number; a list), or,
 * unless NULL, the elements of it that are true in `footprint`, which has as many dimensions as axes are filtered.
 * A box is filtered along the axes one after the other, the last two in one launch; a footprint element by element.
 */
GND_API gnd_array *gnd_maximum_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                      const gnd_image_options *options);
/** The smallest (scipy.ndimage.minimum_filter). */
GND_API gnd_array *gnd_minimum_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                      const gnd_image_options *options);

/* ---- ranks ---------------------------------------------------------------------------------- */

/**
 * The element of a rank in a window as gnd_maximum_filter has it (scipy.ndimage.rank_filter); negative ranks count from
 * the largest. Elements are compared as they are, so that int64 is exact, and NaN is the largest. Integers, bool,
 * float32 and float64. Waits where there is a footprint. GND_ERROR_VALUE for a rank that the window lacks. Windows of
 * 3 x 3 and 5 x 5 take networks, those of up to 64 elements are sorted, larger ones searched (see gnd_order_filter).
 */
GND_API gnd_array *gnd_rank_filter(const gnd_array *input, int64_t rank, gnd_shape size, const gnd_array *footprint,
                                   const gnd_image_options *options);
/** The median, of even numbers the larger one of the middle (scipy.ndimage.median_filter). */
GND_API gnd_array *gnd_median_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                     const gnd_image_options *options);
/** The element of rank n * percentile / 100, cut to its whole part (scipy.ndimage.percentile_filter). */
GND_API gnd_array *gnd_percentile_filter(const gnd_array *input, double percentile, gnd_shape size,
                                         const gnd_array *footprint, const gnd_image_options *options);

/* ---- functions of windows ------------------------------------------------------------------- */

/**
 * What a function of windows computes: `windows` has the input's axes and one more, with the elements of each window in
 * C order; the result is of the shape without it. Any functions of gnd, and kernels of one's own (gnd/kernel.h), may
 * make it. NULL, after an error, ends the filter.
 */
typedef gnd_array *gnd_image_function(const gnd_array *windows, void *context);
/**
 * A function of each window (scipy.ndimage.generic_filter, with all windows at once instead of one after the other, in
 * float64 unless the input is float32). The windows are gathered in memory, as many times the input as a window has
 * elements, in parts along the first axis of about 256 MB, on the CPU of about 1 MB, where the elements of a window are
 * not adjacent in memory. The function is called for each part. Waits where there is a footprint.
 */
GND_API gnd_array *gnd_generic_filter(const gnd_array *input, gnd_image_function *function, void *context,
                                      gnd_shape size, const gnd_array *footprint, const gnd_image_options *options);
/**
 * A function of each line (scipy.ndimage.generic_filter1d, with all lines at once): `windows` has the lines along the
 * axis `axis` as its last one, each longer by size - 1 elements, the other axes before it; the result has those axes,
 * and lines of the input's length.
 */
GND_API gnd_array *gnd_generic_filter1d(const gnd_array *input, gnd_image_function *function, void *context,
                                        int64_t size, int axis, const gnd_image_options *options);

GND_END

#endif
