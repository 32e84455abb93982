/*
 * gnd/labels.h: connected components of a picture or field, and what is measured of each (scipy.ndimage).
 *
 *     int64_t count;
 *     gnd_array *labels = gnd_label(gnd_greater(image, 5 * sigma), NULL, &count);
 *     gnd_array *index = gnd_arange(1, count + 1, 1, GND_INT64);
 *     gnd_array *fluxes = gnd_sum_labels(image, labels, index);
 *     gnd_array *centres = gnd_center_of_mass(image, labels, index);
 */
#ifndef GND_LABELS_H
#define GND_LABELS_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/**
 * Numbers the connected components of the elements that are not zero (scipy.ndimage.label): 1, 2, ... in the C order of
 * their first elements, and 0 where the input is zero. NaN is not zero. Two elements are connected if they are
 * neighbours that `structure` has: an array with the input's number of dimensions, of length 3 each, in which what is
 * not zero says where an element's neighbours are; it must be symmetric about its centre, which does not count. NULL:
 * neighbours along the axes (4 in a picture, 6 in a volume).
 *
 * A new int32 array of the input's shape on its device, int64 for 2^31 - 2 elements or more, as in SciPy. *count
 * becomes the number of components; unless it is NULL, which avoids the wait for it. A structure is waited for, too.
 *
 * Works for any real dtype, and up to 8 axes longer than 1. The work memory is about 5 bytes for each element on a GPU,
 * 2 on the CPU, and more for rows much shorter than 32 elements. GND_ERROR_DTYPE: complex input; GND_ERROR_SHAPE: a
 * structure of another shape, too many axes; GND_ERROR_VALUE: a structure that is not symmetric. Source: union-find
 * over runs, in tiles and then across them (Komura, "GPU-based cluster-labeling algorithm without the use of
 * conventional iteration", 2015, whose atomic step this uses).
 */
GND_API gnd_array *gnd_label(const gnd_array *input, const gnd_array *structure, int64_t *count);

/**
 * Regions that grow from markers until they meet (scipy.ndimage.watershed_ift): labels of the markers' dtype. An
 * element gets the label of the marker from which the largest step between neighbours, on the best way to it, is
 * smallest. The input is uint8 or uint16; markers have its shape and are signed integers, 0 where there is none.
 * `structure` as in gnd_label, but of any neighbours; NULL: those along the axes. Up to 8 dimensions.
 *
 * Which of equally good markers wins is as in SciPy, by the order of its queues, where labels below 0 come last; and as
 * there, an element at the end of a line is a neighbour of the next line's first one. That order is sequential: input
 * and markers are copied to the host, one thread of which does the work, about 0.1 us an element, and the result is
 * copied back. Waits. GND_ERROR_DTYPE: other dtypes; GND_ERROR_SHAPE: other shapes.
 */
GND_API gnd_array *gnd_watershed_ift(const gnd_array *input, const gnd_array *markers, const gnd_array *structure);

/* ---- measurements --------------------------------------------------------------------------- */

/**
 * The sum of the input over the elements of each label of the index (scipy.ndimage.sum_labels): float64, of the
 * index's shape. A label that occurs nowhere has 0; one may be in the index more than once. Input and labels broadcast
 * together; labels and index are integers or bool, the input any real dtype.
 *
 * `index` NULL: the sum over all labels above 0; `labels` NULL: over everything (then the index does not count). These
 * are 0-d, and have the dtype of gnd_sum, also of complex input.
 *
 * Sums are made in double and in a fixed order: the same bits on every run on the same device. One pass over input and
 * labels; on a GPU, more than 2,048 labels (divided by the numbers that are summed of each) are sorted instead. Does
 * not wait. GND_ERROR_DTYPE: complex input with an index, labels that are no integers; GND_ERROR_SHAPE: shapes that do
 * not broadcast.
 */
GND_API gnd_array *gnd_sum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/** The mean instead of the sum (scipy.ndimage.mean): always float64, and real. NaN for a label that occurs nowhere. */
GND_API gnd_array *gnd_mean_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * The variance, the mean of the squares of distances from the mean (scipy.ndimage.variance), and its root
 * (scipy.ndimage.standard_deviation): float64, NaN for a label that occurs nowhere. Two passes, the means first.
 * Otherwise as gnd_mean_labels.
 */
GND_API gnd_array *gnd_variance_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_standard_deviation_labels(const gnd_array *input, const gnd_array *labels,
                                                 const gnd_array *index);

/**
 * The centre of mass of the elements of each label (scipy.ndimage.center_of_mass): float64, of the index's shape and
 * one axis more, as long as the input has dimensions: the mean of the indices along each axis, weighted with the input.
 * Masses may be negative; where they add up to 0, the centre is infinite or NaN. Labels have the input's shape or
 * broadcast to it. Otherwise as gnd_mean_labels; without an index, or without labels, a vector. All axes up to three
 * are measured in one pass, with the sums.
 */
GND_API gnd_array *gnd_center_of_mass(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/* ---- extremes ------------------------------------------------------------------------------- */

/**
 * The smallest, and the largest element of each label (scipy.ndimage.minimum, maximum): of the index's shape and the
 * input's dtype. A label that occurs nowhere has 0, as in SciPy. NaN counts as larger than all numbers; without an
 * index it is both, as in NumPy. -0 is given as 0. Input, labels and index as in gnd_sum_labels, of any number of
 * labels.
 *
 * A pass over input and labels, by atomics whose result does not depend on their order. Does not wait. GND_ERROR_DTYPE:
 * complex input, labels that are no integers; GND_ERROR_SHAPE: shapes that do not broadcast; GND_ERROR_VALUE: no
 * elements, and no index.
 */
GND_API gnd_array *gnd_minimum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_maximum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * Where these are: int64, of the index's shape and one axis more, as long as the input has dimensions
 * (scipy.ndimage.minimum_position, maximum_position). Of equal elements the first one; 0 for a label that occurs
 * nowhere. A second pass.
 */
GND_API gnd_array *gnd_minimum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_maximum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/** All four at once (scipy.ndimage.extrema), in the passes of one. Those that are NULL are not wanted. */
GND_API gnd_status gnd_extrema(gnd_array **minimum, gnd_array **maximum, gnd_array **minimum_position,
                               gnd_array **maximum_position, const gnd_array *input, const gnd_array *labels,
                               const gnd_array *index);

/**
 * The box around each label 1, 2, ..., max_label (scipy.ndimage.find_objects): int64, labels x axes x 2, the first
 * index along an axis and the one behind the last; 0 and 0 for a label that occurs nowhere. max_label below 1: the
 * largest label, which is waited for. The input has any integer dtype. A pass over the labels for each axis.
 */
GND_API gnd_array *gnd_find_objects(const gnd_array *input, int64_t max_label);

/* ---- all elements of a label ---------------------------------------------------------------- */

/**
 * The median of each label's elements (scipy.ndimage.median): float64 of integers, else the input's dtype. NaN for a
 * label that occurs nowhere (SciPy gives an element of another one). NaN counts as larger than all numbers; without an
 * index it is the result. The elements are sorted by label and value; without an index, waits.
 */
GND_API gnd_array *gnd_median_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * The histogram of each label's elements (scipy.ndimage.histogram): int64, of the index's shape and one axis more, of
 * `bins` bins of equal width from min to max, which the last one has, too. Of no elements zeros. GND_ERROR_VALUE: less
 * than one bin, min and max that are not finite or not in order.
 */
GND_API gnd_array *gnd_histogram_labels(const gnd_array *input, double min, double max, int64_t bins,
                                        const gnd_array *labels, const gnd_array *index);

/**
 * What a function of a label's elements computes: a number, as an array of one element, from these, 1-d in C order, and
 * their flat positions (int64). It is made in a scope of the caller's. NULL, after an error, ends
 * gnd_labeled_comprehension.
 */
typedef gnd_array *gnd_label_function(const gnd_array *values, const gnd_array *positions, void *context);
/**
 * A function of each label's elements (scipy.ndimage.labeled_comprehension): of the index's shape and the dtype
 * `dtype`; `missing` for a label that occurs nowhere, for which the function is not called. The input may be complex.
 * Sorts the elements by label, waits for how many each has, and calls the function once for each, on arrays on the
 * device. GND_ERROR_INVALID: an index without labels.
 */
GND_API gnd_array *gnd_labeled_comprehension(const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                                             gnd_label_function *function, void *context, gnd_dtype dtype,
                                             double missing);

/**
 * Where each value of an integer array is (scipy.ndimage.value_indices): *values, ascending; *indices, int64, a row for
 * each axis, of which value k has columns starts[k] to starts[k + 1] - 1, in C order; *starts, int64, is one longer
 * than the values. Those that are NULL are not wanted. ignored: a value that is left out, or NULL. Waits.
 * GND_ERROR_DTYPE: an array that is not of integers.
 */
GND_API gnd_status gnd_value_indices(gnd_array **values, gnd_array **starts, gnd_array **indices, const gnd_array *a,
                                     const int64_t *ignored);

GND_END

#endif
