/*
 * gnd/interpolation.h: pictures and fields between their elements: splines at coordinates (scipy.ndimage).
 *
 *     double factor[] = {2, 2};
 *     gnd_array *larger = gnd_zoom(image, factor, 1, NULL);
 *     gnd_array *turned = gnd_rotate(image, 30, 0, 1, true, 3, NULL);
 *
 * `order` is the spline's, 0 (the nearest element) to 5. Splines of order 2 and more go through the elements: their
 * coefficients are found first (gnd_image_spline_filter), unless the options say that the input has them. Coordinates
 * are float64 always; sums are float32 if input and output are float32, float16 or bfloat16, and float64 otherwise,
 * where SciPy's are float64 always. The result is a new array on the input's device, of the input's dtype or `output`;
 * integers are rounded, and unsigned ones kept in their range. Parts of complex input are treated alike. Functions do
 * not wait. Errors: GND_ERROR_VALUE for an order, GND_ERROR_SHAPE for inputs and outputs without dimensions or with
 * more than 8.
 */
#ifndef GND_INTERPOLATION_H
#define GND_INTERPOLATION_H

#include <gnd/base.h>
#include <gnd/image_filters.h>
#include <gnd/shape.h>

GND_BEGIN

/** Options of interpolation; NULL or all zero: SciPy's defaults. */
typedef struct gnd_interpolation_options {
    gnd_image_mode mode;    /**< beyond the ends; GND_IMAGE_DEFAULT: constant, of gnd_image_spline_filter: mirror */
    double cval;            /**< the constant; of complex input its real part */
    gnd_dtype output;       /**< of the result; 0: the input's, of gnd_image_spline_filter float64 or complex128 */
    bool filtered;          /**< the input has a spline's coefficients ("prefilter" is False) */
    bool grid_mode;         /**< of gnd_zoom: elements are areas, whose ends are at a distance of 1/2 */
    gnd_shape output_shape; /**< of gnd_affine_transform and gnd_geometric_transform; no dimension: the input's */
} gnd_interpolation_options;

/**
 * The coefficients of the spline of order 2 to 5 that goes through the elements, along one axis
 * (scipy.ndimage.spline_filter1d); of order 0 and 1 the elements. One launch for each of the spline's poles, of which
 * orders 4 and 5 have two: each reads and writes every element once. Lines of less than 64 elements, and the mode
 * GND_IMAGE_GRID_WRAP, are continued by 64 elements in memory first.
 */
GND_API gnd_array *gnd_spline_filter1d(const gnd_array *input, int order, int axis,
                                       const gnd_interpolation_options *options);
/** The same along all axes, of order 2 to 5 (scipy.ndimage.spline_filter; gnd_spline_filter is scipy.signal's). */
GND_API gnd_array *gnd_image_spline_filter(const gnd_array *input, int order, const gnd_interpolation_options *options);

/**
 * The input at coordinates (scipy.ndimage.map_coordinates): an array of shape (n, ...), with n the input's number of
 * dimensions, whose row k has the coordinates along axis k; the result has the rest of its shape. Coordinates that are
 * no number give the constant. One launch. GND_ERROR_SHAPE for other coordinates, GND_ERROR_DTYPE for complex ones.
 */
GND_API gnd_array *gnd_map_coordinates(const gnd_array *input, const gnd_array *coordinates, int order,
                                       const gnd_interpolation_options *options);

/**
 * out[o] = the input at matrix o + offset (scipy.ndimage.affine_transform): a matrix on the host, row by row, with a
 * row for each of the input's dimensions and a column for each of the output's. offset: a number for each row; NULL: 0.
 */
GND_API gnd_array *gnd_affine_transform(const gnd_array *input, const double *matrix, const double *offset, int order,
                                        const gnd_interpolation_options *options);
/** out[o] = the input at o - shift, a number for each axis (scipy.ndimage.shift). */
GND_API gnd_array *gnd_shift(const gnd_array *input, const double *shift, int order,
                             const gnd_interpolation_options *options);
/**
 * The input, larger by a factor for each axis (scipy.ndimage.zoom): axes of round(length * factor) elements, from the
 * first element to the last one. GND_ERROR_VALUE for a factor that is negative or no number.
 */
GND_API gnd_array *gnd_zoom(const gnd_array *input, const double *factor, int order,
                            const gnd_interpolation_options *options);
/**
 * The input, rotated by an angle in degrees in the plane of two axes (scipy.ndimage.rotate). With `reshape` the result
 * is as large as the rotated input is, else as the input.
 */
GND_API gnd_array *gnd_rotate(const gnd_array *input, double angle, int axis1, int axis2, bool reshape, int order,
                              const gnd_interpolation_options *options);

/** Where elements of the result lie in the input: `indices` is an int64 array of shape (m, ...), as gnd_indices gives
    it, of a result of m dimensions; its result is an array as gnd_map_coordinates takes it. NULL, after an error. */
typedef gnd_array *gnd_image_mapping_function(const gnd_array *indices, void *context);
/** The input at coordinates that a function computes, all at once (scipy.ndimage.geometric_transform). */
GND_API gnd_array *gnd_geometric_transform(const gnd_array *input, gnd_image_mapping_function *mapping, void *context,
                                           int order, const gnd_interpolation_options *options);

GND_END

#endif
