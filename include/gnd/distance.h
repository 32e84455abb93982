/*
 * gnd/distance.h: the distance of each element to the nearest one that is zero, and where that is (scipy.ndimage).
 *
 *     gnd_array *depth;
 *     gnd_distance_transform_edt(&depth, NULL, gnd_greater(image, threshold), NULL);
 *
 * distances: of the input's shape. indices: int32, one axis more in front, which has the index of the nearest zero
 * along each axis. Either may be NULL, if it is not wanted; after an error both are NULL. The input may have any dtype;
 * NaN is not zero. Nothing waits for the device, but for a structure.
 */
#ifndef GND_DISTANCE_H
#define GND_DISTANCE_H

#include <gnd/base.h>

GND_BEGIN

typedef enum gnd_distance_metric {
    GND_DISTANCE_EUCLIDEAN = 0, /**< the root of the sum of squares */
    GND_DISTANCE_TAXICAB,       /**< the sum of distances along the axes; "cityblock", "manhattan" */
    GND_DISTANCE_CHESSBOARD,    /**< the largest of them */
} gnd_distance_metric;

/**
 * Exact Euclidean distances (scipy.ndimage.distance_transform_edt): float64. `sampling`: the spacing of elements along
 * each axis, finite, whose sign does not count; NULL: 1. Of zeros that are equally near the one with the smallest index
 * along the last axis is given, of these along the axis before it, and so on, as in SciPy. If nothing is zero,
 * distances are those to index -1 along the first axis and 0 along the others, as SciPy's are. An array of no
 * dimensions is taken for one element.
 *
 * A pass along each axis: on a GPU 4096 x 4096 bytes are 290 MB, 2 x 67 MB between the passes and 134 MB of distances.
 * GND_ERROR_VALUE: a spacing that is not finite. Source: the envelopes of Meijster, Roerdink and Hesselink, "A general
 * algorithm for computing distance transforms in linear time", 2000; on a GPU by division of the lines, since where the
 * nearest element is never decreases along a line.
 */
GND_API gnd_status gnd_distance_transform_edt(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                              const double *sampling);

/**
 * Chamfer distances (scipy.ndimage.distance_transform_cdt): int32, -1 everywhere if nothing is zero; the indices are
 * then each element's own. The metric is taxicab or chessboard; both are exact, and equally near zeros are chosen among
 * as in gnd_distance_transform_edt (SciPy chooses by the order of its passes).
 *
 * `structure` unless NULL takes the metric's place: as many axes as the input, of length 3, of which the first half (in
 * C order, before the centre) says from which neighbours an element is one away: in a pass from the first element to
 * the last, and turned about the centre in one back. Then indices are SciPy's, too. On a GPU that is the work of a
 * single block, about 1 us for each diagonal of a picture: twice 12,300 of 4096 x 4096. Up to 8 dimensions.
 *
 * GND_ERROR_SHAPE: a structure of another shape, input of no dimensions; GND_ERROR_VALUE: the Euclidean metric.
 */
GND_API gnd_status gnd_distance_transform_cdt(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                              gnd_distance_metric metric, const gnd_array *structure);

/**
 * Distances by any metric (scipy.ndimage.distance_transform_bf), as exact as by trying all zeros, which SciPy does, and
 * as fast as the others: float64 of the Euclidean metric, else uint32. Of equally near zeros the last one in C order is
 * given, as in SciPy; of the chessboard metric one of them. `sampling` counts with the Euclidean metric alone. If
 * nothing is zero, distances are the root of the largest float64, or the largest uint32, and indices are 0. Results are
 * stored in Fortran's order. GND_ERROR_SHAPE: input of no dimensions.
 */
GND_API gnd_status gnd_distance_transform_bf(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                             gnd_distance_metric metric, const double *sampling);

GND_END

#endif
