/*
 * gnd/dist/histogram.h: histograms of split arrays, by value or by bins.
 *
 *     gnd_dist_bincount(labels, NULL, 0)
 *     gnd_dist_histogram(x, 100, NULL, &edges)
 *
 * Each rank counts its block, and the counts are added in the order of the blocks; every rank has the result
 * (GND_COPIES) and the edges. Counts are the same for any number of ranks; sums of floating-point weights differ in
 * rounding. All functions are collective.
 */
#ifndef GND_DIST_HISTOGRAM_H
#define GND_DIST_HISTOGRAM_H

#include <gnd/arg.h>
#include <gnd/dist/array.h>
#include <gnd/histogram.h>

GND_BEGIN

/**
 * How often each of 0, 1, 2, ... occurs in x, or the sums of their weights, as gnd_bincount(): int64, with weights
 * float64. `weights` has x's shape and is split like it, or is NULL. Waits for the smallest and the largest element; an
 * error of one rank is the error of all. GND_ERROR_VALUE for negative elements.
 */
GND_API gnd_dist *gnd_dist_bincount(const gnd_dist *x, const gnd_dist *weights, int64_t minlength);

/** Options of gnd_dist_histogram(). Zero is always the default. */
typedef struct gnd_dist_histogram_options {
    const double *range;     /**< the lowest and the highest edge; NULL: the smallest and the largest element */
    const gnd_dist *weights; /**< what each element adds to its bin: of x's shape, split like it; NULL: 1 */
    bool density;            /**< divide by the sum and by the widths of the bins */
    void *reserved[4];
} gnd_dist_histogram_options;

/**
 * The number of elements of x in each bin, or the sums of their weights, as gnd_histogram(). `bins` is the number of
 * bins, edges that are the same on all ranks, or GND_NONE: 10 bins; rules for the number of bins are not supported.
 * *edges, unless `edges` is NULL, is an array of this rank; NULL after an error. Without a range or edges, reads x
 * twice and waits for the smallest and the largest element, which must be finite (GND_ERROR_VALUE).
 */
GND_API gnd_dist *gnd_dist_histogram(const gnd_dist *x, gnd_arg bins, const gnd_dist_histogram_options *options,
                                     gnd_array **edges);

GND_END

#define gnd_dist_histogram(x, bins, options, ...) (gnd_dist_histogram)(x, GND_ARG(bins), options, __VA_ARGS__)

#endif
