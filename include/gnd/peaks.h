/*
 * gnd/peaks.h: extrema and peaks (scipy.signal).
 *
 *     gnd_peaks found;
 *     gnd_find_peaks(&found, x, &(gnd_find_peaks_options){.height = GND_PEAKS_AT_LEAST(0.5), .distance = 150});
 *     gnd_print(found.peaks), gnd_print(found.peak_heights);
 *     gnd_peaks_release(&found);
 *
 * x is 1-d and real. float32 and 16-bit numbers are compared as float32, all others as float64, integers too; heights
 * and other properties are float64, indices int64. Functions here wait, since how many results there are depends
 * on the data. Results are new arrays on the device of x; after a failure there are none. Errors: GND_ERROR_SHAPE and
 * GND_ERROR_DTYPE for another x, GND_ERROR_VALUE for numbers that SciPy refuses.
 */
#ifndef GND_PEAKS_H
#define GND_PEAKS_H

#include <gnd/arg.h>
#include <gnd/base.h>

GND_BEGIN

/* ---- relative extrema ----------------------------------------------------------------------- */

/** How an extremum compares with its neighbours. */
typedef enum gnd_relation {
    GND_GREATER = 0,
    GND_LESS,
    GND_GREATER_EQUAL,
    GND_LESS_EQUAL,
} gnd_relation;

/**
 * The indices of the elements that compare so with each of the `order` >= 1 elements on both sides along an axis
 * (scipy.signal.argrelextrema, whose axis is 0 and order 1): indices[k] becomes an int64 vector of those along axis k,
 * for each axis of the data, as gnd_nonzero has it. Beyond an end lies the end itself (mode "clip"), which is
 * neither greater nor less than itself; with `wrap` the other end. Any real dtype, compared exactly, and any shape.
 * One launch makes the mask, and then gnd_nonzero its indices.
 */
GND_API gnd_status gnd_argrelextrema(const gnd_array *data, gnd_relation relation, int axis, int64_t order, bool wrap,
                                     gnd_array *indices[]);
/** The same for GND_GREATER (scipy.signal.argrelmax). */
GND_API gnd_status gnd_argrelmax(const gnd_array *data, int axis, int64_t order, bool wrap, gnd_array *indices[]);
/** The same for GND_LESS (scipy.signal.argrelmin). */
GND_API gnd_status gnd_argrelmin(const gnd_array *data, int axis, int64_t order, bool wrap, gnd_array *indices[]);

/* ---- peaks ---------------------------------------------------------------------------------- */

/** What peaks must have. A bound is a number, an array as long as x (of which that at the peak counts), or left out;
    NaN is within no bounds. */
typedef struct gnd_peak_condition {
    bool wanted;         /**< computes the properties also without a bound */
    gnd_arg least, most; /**< both included */
} gnd_peak_condition;

/** A condition without bounds: its properties are computed. */
#define GND_PEAKS_ANY                                                                                                  \
    { true, GND_NONE, GND_NONE }
/** A condition with a lower bound. */
#define GND_PEAKS_AT_LEAST(value)                                                                                      \
    { true, GND_ARG(value), GND_NONE }
/** A condition with an upper bound. */
#define GND_PEAKS_AT_MOST(value)                                                                                       \
    { true, GND_NONE, GND_ARG(value) }
/** A condition with both. */
#define GND_PEAKS_BETWEEN(low, high)                                                                                   \
    { true, GND_ARG(low), GND_ARG(high) }

/** The conditions of gnd_find_peaks, in the order in which they are applied; NULL or all zero: none. */
typedef struct gnd_find_peaks_options {
    gnd_peak_condition plateau_size; /**< the number of equal elements that are the peak */
    gnd_peak_condition height;       /**< the peak's element */
    gnd_peak_condition threshold;    /**< how far it is above its neighbours: `least` for both, `most` for both */
    double distance;                 /**< between peaks, at least 1: of nearer ones the highest stay; 0: any */
    gnd_peak_condition prominence;   /**< as gnd_peak_prominences has it */
    gnd_peak_condition width;        /**< as gnd_peak_widths has it */
    double wlen;                     /**< of gnd_peak_prominences; 0: all of x */
    double rel_height;               /**< of gnd_peak_widths; 0: 0.5 */
} gnd_find_peaks_options;

/** Peaks and their properties, a number for each peak; NULL are those of conditions that were not wanted. */
typedef struct gnd_peaks {
    gnd_array *peaks;                              /**< their indices, increasing; of a plateau its middle */
    gnd_array *plateau_sizes;                      /**< of plateau_size */
    gnd_array *left_edges, *right_edges;           /**< of plateau_size */
    gnd_array *peak_heights;                       /**< of height */
    gnd_array *left_thresholds, *right_thresholds; /**< of threshold */
    gnd_array *prominences;                        /**< of prominence or width */
    gnd_array *left_bases, *right_bases;           /**< of prominence or width */
    gnd_array *widths, *width_heights;             /**< of width */
    gnd_array *left_ips, *right_ips;               /**< of width: where the line at that height is crossed */
} gnd_peaks;

/** Releases the arrays and sets them to NULL. */
GND_API void gnd_peaks_release(gnd_peaks *peaks);

/**
 * The peaks of x that satisfy all conditions, with their properties (scipy.signal.find_peaks): elements, or runs of
 * equal ones, whose neighbours on both sides are smaller. The ends are none. Each condition costs a launch for its
 * properties and one selection of them; `distance` is decided on the host, and of equal heights the last comes first.
 */
GND_API gnd_status gnd_find_peaks(gnd_peaks *peaks, const gnd_array *x, const gnd_find_peaks_options *options);

/**
 * How far peaks (indices into x, of an integer dtype) stand out (scipy.signal.peak_prominences): their height above
 * the higher one of their bases, which are the smallest elements on both sides before a higher element, the end of x,
 * or half of `wlen` elements; wlen: 0 for all of x, or above 1. Pointers to results may be NULL. On a GPU a warp walks
 * from each peak. GND_ERROR_VALUE for a peak that is no index.
 */
GND_API gnd_status gnd_peak_prominences(const gnd_array *x, const gnd_array *peaks, double wlen,
                                        gnd_array **prominences, gnd_array **left_bases, gnd_array **right_bases);

/** What gnd_peak_prominences gives. */
typedef struct gnd_prominence_data {
    const gnd_array *prominences, *left_bases, *right_bases;
} gnd_prominence_data;

/**
 * Widths of peaks at the height of the peak less rel_height >= 0 of its prominence (scipy.signal.peak_widths, where
 * it is 0.5): between the points where x crosses that height, interpolated, or the bases. `data`, unless NULL, has the
 * prominences; else they are computed with wlen. GND_ERROR_VALUE for bases that do not enclose their peaks.
 */
GND_API gnd_status gnd_peak_widths(const gnd_array *x, const gnd_array *peaks, double rel_height, double wlen,
                                   const gnd_prominence_data *data, gnd_array **widths, gnd_array **width_heights,
                                   gnd_array **left_ips, gnd_array **right_ips);

/* ---- peaks of a wavelet transform ----------------------------------------------------------- */

/** Options of gnd_find_peaks_cwt; NULL or all zero: SciPy's defaults. */
typedef struct gnd_find_peaks_cwt_options {
    const double *max_distances; /**< how far a ridge may move between two rows, for each width; NULL: widths / 4 */
    double gap_thresh;           /**< a ridge ends after more rows without it; 0: ceil(widths[0]); 0.5: none */
    double min_length;           /**< maxima of a ridge; 0: a quarter of the widths; 1: any */
    double min_snr;              /**< its height over the noise; 0: 1; negative: any */
    double noise_perc;           /**< the percentile of the narrowest row that is the noise; 0: 10; negative: 0 */
    int64_t window_size;         /**< of the columns that it is taken from; 0: a 20th of all */
    const gnd_array *cwt;        /**< the transform by another wavelet, a row for each width; NULL: gnd_cwt by
                                      GND_WAVELET_RICKER */
} gnd_find_peaks_cwt_options;

/**
 * The indices (int64, increasing) of peaks that are seen at several of `count` increasing widths
 * (scipy.signal.find_peaks_cwt): ridges of maxima of the wavelet transform, from the widest to the narrowest. Computed
 * in float64. The transform and its maxima are the device's work, the ridges the host's.
 */
GND_API gnd_array *gnd_find_peaks_cwt(const gnd_array *vector, int64_t count, const double *widths,
                                      const gnd_find_peaks_cwt_options *options);

GND_END

#endif
