/*
 * gnd/morphology.h: shapes in pictures and fields (scipy.ndimage): erosion and dilation, of truths and of grey values.
 *
 *     gnd_array *clean = gnd_binary_opening(gnd_greater(image, 5 * sigma), NULL, 1, NULL, NULL);
 *     gnd_array *whole = gnd_binary_fill_holes(clean, NULL, NULL);
 *
 * Options are those of filters (gnd/image_filters.h). For truths `mode` does not count: what lies beyond the ends is
 * true if `cval` is not 0 ("border_value"); the result is bool, or `output`. A structure has as many dimensions as axes
 * are filtered; NULL is the element with its neighbours along the axes. What is not 0 is true. Grey values are as in
 * gnd_maximum_filter. Errors are those of filters.
 */
#ifndef GND_MORPHOLOGY_H
#define GND_MORPHOLOGY_H

#include <gnd/base.h>
#include <gnd/image_filters.h>

GND_BEGIN

/* ---- structures ----------------------------------------------------------------------------- */

/**
 * The neighbours that are at most `connectivity` steps away, of 3 elements along each of `rank` axes
 * (scipy.ndimage.generate_binary_structure): bool, on the current device. A connectivity below 1 counts as 1; rank 0
 * gives a 0-d truth. GND_ERROR_VALUE for ranks below 0 and above 16.
 */
GND_API gnd_array *gnd_generate_binary_structure(int rank, int connectivity);
/** A structure, dilated by itself iterations - 1 times (scipy.ndimage.iterate_structure); below 2: its truths. */
GND_API gnd_array *gnd_iterate_structure(const gnd_array *structure, int64_t iterations);

/* ---- truths --------------------------------------------------------------------------------- */

/**
 * Where all elements that the structure has around an element are true (scipy.ndimage.binary_erosion), `iterations`
 * times; below 1: until nothing changes, which is waited for. Elements that are false in `mask`, of the input's shape,
 * stay as they are; NULL: none. A launch for each iteration. GND_ERROR_SHAPE for other structures and masks.
 */
GND_API gnd_array *gnd_binary_erosion(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                                      const gnd_array *mask, const gnd_image_options *options);
/** Where the structure, turned about its centre, has a true element (scipy.ndimage.binary_dilation). */
GND_API gnd_array *gnd_binary_dilation(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                                       const gnd_array *mask, const gnd_image_options *options);
/** An erosion, then a dilation (scipy.ndimage.binary_opening). */
GND_API gnd_array *gnd_binary_opening(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                                      const gnd_array *mask, const gnd_image_options *options);
/** A dilation, then an erosion (scipy.ndimage.binary_closing). */
GND_API gnd_array *gnd_binary_closing(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                                      const gnd_array *mask, const gnd_image_options *options);
/** A dilation until nothing changes, within a mask (scipy.ndimage.binary_propagation). */
GND_API gnd_array *gnd_binary_propagation(const gnd_array *input, const gnd_array *structure, const gnd_array *mask,
                                          const gnd_image_options *options);
/**
 * The input, with what is false and not connected with the outside (scipy.ndimage.binary_fill_holes). With NULL as
 * structure and without axes or origins, what is false is labelled (gnd_label) and not waited for; else it is dilated
 * from outside until nothing changes.
 */
GND_API gnd_array *gnd_binary_fill_holes(const gnd_array *input, const gnd_array *structure,
                                         const gnd_image_options *options);
/**
 * Where all elements of structure1 are true and all of structure2 false (scipy.ndimage.binary_hit_or_miss); NULL as
 * structure2: what structure1 lacks. `origin` is that of both, unless origin2 has numbers.
 */
GND_API gnd_array *gnd_binary_hit_or_miss(const gnd_array *input, const gnd_array *structure1,
                                          const gnd_array *structure2, gnd_shape origin2,
                                          const gnd_image_options *options);

/* ---- grey values ---------------------------------------------------------------------------- */

/**
 * The smallest element of a window (scipy.ndimage.grey_erosion): a box of `size`, or the elements of a footprint; less
 * the values of `structure`, unless it is NULL, whose shape is the window's. Boxes without a structure cost as
 * little as gnd_minimum_filter, whatever their size. Waits for a footprint.
 */
GND_API gnd_array *gnd_grey_erosion(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                    const gnd_array *structure, const gnd_image_options *options);
/** The largest element of the window turned about its centre, plus values (scipy.ndimage.grey_dilation). */
GND_API gnd_array *gnd_grey_dilation(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                     const gnd_array *structure, const gnd_image_options *options);
/** An erosion, then a dilation (scipy.ndimage.grey_opening). */
GND_API gnd_array *gnd_grey_opening(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                    const gnd_array *structure, const gnd_image_options *options);
/** A dilation, then an erosion (scipy.ndimage.grey_closing). */
GND_API gnd_array *gnd_grey_closing(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                    const gnd_array *structure, const gnd_image_options *options);
/** A dilation less an erosion (scipy.ndimage.morphological_gradient); of bool where they differ. */
GND_API gnd_array *gnd_morphological_gradient(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                              const gnd_array *structure, const gnd_image_options *options);
/** Dilation plus erosion less twice the input (scipy.ndimage.morphological_laplace). GND_ERROR_DTYPE for bool. */
GND_API gnd_array *gnd_morphological_laplace(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                             const gnd_array *structure, const gnd_image_options *options);
/** The input less its opening (scipy.ndimage.white_tophat); of bool where they differ. */
GND_API gnd_array *gnd_white_tophat(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                    const gnd_array *structure, const gnd_image_options *options);
/** The closing less the input (scipy.ndimage.black_tophat); of bool where they differ. */
GND_API gnd_array *gnd_black_tophat(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                    const gnd_array *structure, const gnd_image_options *options);

GND_END

#endif
