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
 * The centre of mass of the elements of each label (scipy.ndimage.center_of_mass): float64, of the index's shape and
 * one axis more, as long as the input has dimensions: the mean of the indices along each axis, weighted with the input.
 * Masses may be negative; where they add up to 0, the centre is infinite or NaN. Labels have the input's shape or
 * broadcast to it. Otherwise as gnd_mean_labels; without an index, or without labels, a vector. All axes up to three
 * are measured in one pass, with the sums.
 */
GND_API gnd_array *gnd_center_of_mass(const gnd_array *input, const gnd_array *labels, const gnd_array *index);

GND_END

#endif
