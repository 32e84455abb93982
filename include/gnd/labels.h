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
 * their first elements, and 0 where the input is zero. NaN is not zero. `structure` says which neighbours are
 * connected: it has the input's number of dimensions, each of length 3, and is nonzero at an element's neighbours. It
 * must be symmetric about its centre, whose own value is ignored. NULL: neighbours along the axes (4 in a picture, 6 in
 * a volume).
 *
 * A new int32 array of the input's shape on its device, int64 for 2^31 - 2 elements or more, as in SciPy. *count
 * becomes the number of components, which waits; NULL avoids that wait. A structure is waited for, too.
 *
 * Works for any real dtype, and up to 8 axes longer than 1. The work memory is about 5 bytes for each element on a GPU,
 * 2 on the CPU, and more for rows much shorter than 32 elements. GND_ERROR_DTYPE: complex input; GND_ERROR_SHAPE: a
 * structure of another shape, too many axes; GND_ERROR_VALUE: a structure that is not symmetric. Source: union-find
 * over runs, in tiles and then across them (Komura, "GPU-based cluster-labeling algorithm without the use of
 * conventional iteration", 2015, whose atomic step this uses).
 */
GND_API gnd_array *gnd_label(const gnd_array *input, const gnd_array *structure, int64_t *count);

/**
 * Regions that grow from markers until they meet (scipy.ndimage.watershed_ift): labels of the input's shape and the
 * markers' dtype. The cost of a path is the largest difference between neighbours on it; each element gets the label of
 * the marker with the cheapest path to it. The input is uint8 or uint16; markers have its shape and are signed
 * integers, 0 where there is none. `structure` as in gnd_label, but it need not be symmetric; NULL: neighbours along
 * the axes. Up to 8 dimensions.
 *
 * Ties between markers are broken as in SciPy, by the order of its queues, in which negative labels come last. Also as
 * in SciPy, the last element of a line is a neighbour of the next line's first one. That order is sequential: input
 * and markers are copied to the host, one thread does the work, about 0.1 us for each element, and the result is copied
 * back. Waits. GND_ERROR_DTYPE: other dtypes; GND_ERROR_SHAPE: other shapes.
 */
GND_API gnd_array *gnd_watershed_ift(const gnd_array *input, const gnd_array *markers, const gnd_array *structure);

/* ---- measurements --------------------------------------------------------------------------- */

/**
 * The sum of the input over the elements of each label in `index` (scipy.ndimage.sum_labels): float64, of the index's
 * shape. A label that occurs nowhere has the sum 0; the index may name a label more than once. Input and labels
 * broadcast together; labels and index are integers or bool, the input has any real dtype.
 *
 * `index` NULL: the sum over all elements with labels above 0. `labels` NULL: the sum over all elements, and the index
 * is ignored. Both are 0-d and have the dtype of gnd_sum; the input may be complex.
 *
 * Sums are computed in double and in a fixed order: the same bits on every run on the same device. One pass over input
 * and labels; on a GPU, elements are sorted instead if there are more than 2,048 sums (labels times sums for each).
 * Does not wait. GND_ERROR_DTYPE: complex input with an index, labels or an index that are not integers;
 * GND_ERROR_SHAPE: shapes that do not broadcast.
 */
GND_API gnd_array *gnd_sum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * The mean instead of the sum (scipy.ndimage.mean): always float64, and of real input only. NaN for a label that occurs
 * nowhere. Otherwise as gnd_sum_labels.
 */
GND_API gnd_array *gnd_mean_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * The variance, the mean of the squared deviations from the mean (scipy.ndimage.variance), and its square root
 * (scipy.ndimage.standard_deviation): float64, NaN for a label that occurs nowhere. Two passes, the means first.
 * Otherwise as gnd_mean_labels.
 */
GND_API gnd_array *gnd_variance_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_standard_deviation_labels(const gnd_array *input, const gnd_array *labels,
                                                 const gnd_array *index);

/**
 * The centre of mass of the elements of each label (scipy.ndimage.center_of_mass): float64, of the index's shape and
 * one more axis, with an element for each of the input's dimensions: the mean of the indices along it, weighted by the
 * input. Weights may be negative; where they sum to 0, the centre is infinite or NaN. Without an index, or without
 * labels, a vector. Up to three axes are measured in one pass. Otherwise as gnd_mean_labels.
 */
GND_API gnd_array *gnd_center_of_mass(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/* ---- extremes ------------------------------------------------------------------------------- */

/**
 * The smallest and the largest element of each label (scipy.ndimage.minimum, maximum): of the index's shape and the
 * input's dtype. A label that occurs nowhere has 0, as in SciPy. NaN counts as larger than all numbers; without an
 * index or without labels, the result is NaN if any element is, as in NumPy. -0 is given as 0. Input, labels and index
 * as in gnd_sum_labels; any number of labels.
 *
 * One pass over input and labels, with atomics whose result does not depend on their order. Does not wait.
 * GND_ERROR_DTYPE: complex input, labels or an index that are not integers; GND_ERROR_SHAPE: shapes that do not
 * broadcast; GND_ERROR_VALUE: an empty input without an index.
 */
GND_API gnd_array *gnd_minimum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_maximum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * Where these are (scipy.ndimage.minimum_position, maximum_position): int64, of the index's shape and one more axis,
 * with the index along each of the input's dimensions. Of equal elements the first one; 0 for a label that occurs
 * nowhere. A second pass finds them. Otherwise as gnd_minimum_labels.
 */
GND_API gnd_array *gnd_minimum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index);
GND_API gnd_array *gnd_maximum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/** All four at once (scipy.ndimage.extrema), in as many passes as one. Pass NULL for results that are not wanted; those
    that are become NULL after an error. */
GND_API gnd_status gnd_extrema(gnd_array **minimum, gnd_array **maximum, gnd_array **minimum_position,
                               gnd_array **maximum_position, const gnd_array *input, const gnd_array *labels,
                               const gnd_array *index);

/**
 * The bounding box of each label 1, 2, ..., max_label (scipy.ndimage.find_objects): int64, labels x axes x 2: the first
 * index along an axis and one past the last, like the bounds of a slice; 0 and 0 for a label that occurs nowhere.
 * max_label below 1: the largest label, which is waited for. The input has any integer dtype, or is bool;
 * else GND_ERROR_DTYPE. One pass over the labels for each axis, on the CPU for all axes together.
 */
GND_API gnd_array *gnd_find_objects(const gnd_array *input, int64_t max_label);

/* ---- all elements of a label ---------------------------------------------------------------- */

/**
 * The median of each label's elements (scipy.ndimage.median): float64 of integers, else the input's dtype. NaN for a
 * label that occurs nowhere (SciPy gives an element of another label). NaN counts as larger than all numbers; without
 * an index or without labels, the result is NaN if any element is. The elements are sorted by label and value; on the
 * CPU they are dealt out by label, and the middle is selected. Without an index, waits. Input, labels, index and errors
 * as in gnd_mean_labels.
 */
GND_API gnd_array *gnd_median_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

/**
 * The histogram of each label's elements (scipy.ndimage.histogram): int64, of the index's shape and one more axis, of
 * `bins` bins of equal width from min to max; the last bin includes max. Zeros for a label that occurs nowhere. Does
 * not wait. GND_ERROR_VALUE: fewer than one bin, min or max that is not finite, min above max. Otherwise as
 * gnd_mean_labels.
 */
GND_API gnd_array *gnd_histogram_labels(const gnd_array *input, double min, double max, int64_t bins,
                                        const gnd_array *labels, const gnd_array *index);

/**
 * A function of a label's elements: gets these, 1-d in C order, and their flat indices in the input (int64), and
 * returns a number as an array of one element. It runs in a scope of gnd_labeled_comprehension's, which releases what
 * it makes. NULL, after an error, ends gnd_labeled_comprehension.
 */
typedef gnd_array *gnd_label_function(const gnd_array *values, const gnd_array *positions, void *context);
/**
 * The results of a function of each label's elements (scipy.ndimage.labeled_comprehension): of the index's shape and
 * the dtype `dtype`; `missing` for a label that occurs nowhere, for which the function is not called. Without an index,
 * or without labels: 0-d, of all elements with labels above 0, or of all elements. The input may be complex. Orders the
 * elements by label, waits for the number of elements of each, and calls the function once for each label, with arrays
 * on the device. GND_ERROR_INVALID: an index without labels; GND_ERROR_SHAPE: a result that is not one element.
 */
GND_API gnd_array *gnd_labeled_comprehension(const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                                             gnd_label_function *function, void *context, gnd_dtype dtype,
                                             double missing);

/**
 * Where each value of an integer array occurs (scipy.ndimage.value_indices): *values, of the array's dtype, ascending;
 * *indices, int64, a row for each axis and a column for each element: value k has the columns starts[k] to
 * starts[k + 1] - 1, in C order; *starts, int64, one longer than *values. Pass NULL for results that are not wanted.
 * `ignored`: a value that is left out, or NULL. Waits. GND_ERROR_DTYPE: an array that is not of integers.
 */
GND_API gnd_status gnd_value_indices(gnd_array **values, gnd_array **starts, gnd_array **indices, const gnd_array *a,
                                     const int64_t *ignored);

GND_END

#endif
