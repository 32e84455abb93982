/*
 * gnd/histogram.h: elements counted by value or by bin.
 *
 *     gnd_bincount(labels, GND_NONE, 0)                     how often each of 0, 1, 2, ... occurs
 *     gnd_histogram(x, 100, NULL, &edges)                   100 bins from the smallest to the largest
 *     gnd_histogram(x, edges, &(gnd_histogram_options){.weights = w}, NULL)
 *     gnd_histogram_options options = {.range = (double[]){0, 1}, .density = true};
 *     gnd_histogram(x, 50, &options, &edges)
 *     gnd_histogram(x, GND_NONE, &(gnd_histogram_options){.rule = "fd"}, &edges)
 *
 * The edges decide which bin an element belongs to: edges[i] <= x < edges[i + 1]; the last bin includes both
 * ends. NaN and elements outside are not counted. NumPy's algorithm corrects rounding by one bin; here the
 * rule holds however narrow the bins are. Bool x counts as uint8; complex x is refused (NumPy drops imaginary
 * parts).
 *
 * Counts are int64. Weights have x's shape. Their sums have the weights' dtype (bool: whether any is true),
 * computed in int64, float64 or complex128, in a fixed order: the same bits on every run.
 *
 * Only gnd_bincount (for the largest element) and calls with a rule wait for the device. The range of the
 * data, and edges computed from it, stay on the device. The following are therefore reported at the next
 * wait, as GND_ERROR_VALUE, and the counts are then meaningless: data whose minimum or maximum is NaN or
 * infinite, if no range is given; edges that do not increase; more bins than numbers in the range.
 */
#ifndef GND_HISTOGRAM_H
#define GND_HISTOGRAM_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- by value ------------------------------------------------------------------------------- */

/**
 * Counts how often each of 0, 1, 2, ... occurs in x, or adds up the weights of each (numpy.bincount): int64,
 * or float64 with weights. x is 1-d, of integers or bool (uint64 too, which NumPy refuses). `weights` has x's
 * shape and any real dtype, or is GND_NONE. The result is one longer than the largest element of x, and has
 * at least `minlength` elements.
 *
 * Waits for the largest element. Errors: x of another dimension (GND_ERROR_SHAPE) or dtype (GND_ERROR_DTYPE),
 * a negative element or `minlength` (GND_ERROR_VALUE), complex weights, weights of another shape, no memory
 * for so long a result.
 */
GND_API gnd_array *gnd_bincount(const gnd_array *x, gnd_arg weights, int64_t minlength);

/**
 * The same with a given length, at least 1, without waiting: counts 0 .. length - 1. Any other element is not
 * counted, and is GND_ERROR_INDEX at the next wait.
 */
GND_API gnd_array *gnd_bincount_fixed(const gnd_array *x, gnd_arg weights, int64_t length);

/* ---- by bin --------------------------------------------------------------------------------- */

/** Options; NULL or all zero: NumPy's defaults. */
typedef struct gnd_histogram_options {
    const double *range;      /**< two numbers for each dimension: from where to where numbers of bins
                            reach; NULL, or two NaN: from the smallest to the largest element */
    const gnd_array *weights; /**< what each element adds to its bin; NULL: 1 */
    bool density;             /**< divide by the sum and the bins' widths: the integral is 1 */
    const char *rule;         /**< how many bins: "auto", "fd", "doane", "scott", "stone", "rice",
                                 "sturges" or "sqrt"; `bins` must be GND_NONE then */
    void *reserved[4];
} gnd_histogram_options;

/**
 * The number of elements of x (taken flat) in each bin, or the sums of their weights (numpy.histogram).
 * `bins` is a number of bins, up to 2^30, of one width, or an array of edges that increase, one more than
 * there are bins; GND_NONE: 10 bins. *edges, unless `edges` is NULL, is set to the edges: a new array, or for
 * given edges a new reference to them. NULL and NULL after an error.
 *
 * Edges of bins of one width have x's dtype if that is floating, else float64, and are those of
 * numpy.linspace to the last bit (of bfloat16: computed in float32). A range of a single number is extended
 * by 0.5 on both sides; the range of no elements is [0, 1]. Given edges are compared with the elements in the
 * dtype that both promote to. `density` makes the result float64 (complex128 of complex weights).
 *
 * With a rule, as numpy.histogram_bin_edges: it waits for what the rule needs to know ("stone" counts some
 * sqrt(n) histograms). Takes no weights then; n is the number of elements within the range. For float16,
 * "doane" and "stone" may give another number of bins than NumPy, which rounds each step to float16.
 *
 * Errors: a number of bins below 1 or none at all, a range that is not finite or falls (GND_ERROR_VALUE), no
 * such rule, bins that are neither, weights of another shape, complex x.
 */
GND_API gnd_array *gnd_histogram(const gnd_array *x, gnd_arg bins, const gnd_histogram_options *options,
                                 gnd_array **edges);

/** The edges that gnd_histogram would use, and nothing else (numpy.histogram_bin_edges). */
GND_API gnd_array *gnd_histogram_bin_edges(const gnd_array *x, gnd_arg bins, const gnd_histogram_options *options);

/**
 * The same in two dimensions, for points (x[i], y[i]) (numpy.histogram2d): float64, element (i, j) for
 * bin i of x and bin j of y. x and y are 1-d and of one length; each has a number of bins or its edges
 * (GND_NONE: 10 bins), and two numbers of `range`. The rest as gnd_histogramdd.
 */
GND_API gnd_array *gnd_histogram2d(const gnd_array *x, const gnd_array *y, gnd_arg xbins, gnd_arg ybins,
                                   const gnd_histogram_options *options, gnd_array **xedges, gnd_array **yedges);

/**
 * The same in any number of dimensions (numpy.histogramdd): `sample` has the shape (points, D), or
 * (points) for one dimension; the result is float64 and has D dimensions. `bins`, written
 * GND_ARGS(...), are a number of bins or an array of edges for each dimension, or one for all.
 * edges[0 .. D - 1] are set to new references, unless `edges` is NULL.
 *
 * Edges of a range that is given are float64 here, as in NumPy; those of the data's range have the
 * sample's dtype if it is floating. Weights have one dimension and are real. Takes no rule.
 */
GND_API gnd_array *gnd_histogramdd(const gnd_array *sample, int count, const gnd_arg *bins,
                                   const gnd_histogram_options *options, gnd_array *edges[]);

GND_END

#define gnd_bincount(x, weights, ...) (gnd_bincount)(x, GND_ARG(weights), __VA_ARGS__)
#define gnd_bincount_fixed(x, weights, ...) (gnd_bincount_fixed)(x, GND_ARG(weights), __VA_ARGS__)
#define gnd_histogram(x, bins, options, ...) (gnd_histogram)(x, GND_ARG(bins), options, __VA_ARGS__)
#define gnd_histogram_bin_edges(x, bins, ...) (gnd_histogram_bin_edges)(x, GND_ARG(bins), __VA_ARGS__)
#define gnd_histogram2d(x, y, xbins, ybins, options, xedges, ...)                                                      \
    (gnd_histogram2d)(x, y, GND_ARG(xbins), GND_ARG(ybins), options, xedges, __VA_ARGS__)
#define gnd_histogramdd(sample, bins, options, ...) (gnd_histogramdd)(sample, bins, options, __VA_ARGS__)

#endif
