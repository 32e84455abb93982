/*
 * histogram.h: the parts of the histograms.
 *
 *     bincount.c         elements counted by value
 *     histogram.c        gnd_histogram: arguments and results
 *     histogram_run.c    the plan and its submission
 *     histogram_rules.c  how many bins there should be
 *     histogram_dd.c     several dimensions
 */
#ifndef GNDI_HISTOGRAM_H
#define GNDI_HISTOGRAM_H

#include "histogram/histogram_plan.h"
#include "elementwise/line.h"

/* Bins as they were given, checked. */
typedef struct gndi_bins {
    int64_t count;
    gnd_array *edges;    /* given ones, as they are compared (a reference); NULL: of one width */
    gnd_array *returned; /* what the caller gets (a reference) */
    bool from_data;
    double first, last;
    gnd_dtype step_dtype, dtype; /* see gndi_histogram_range */
} gndi_bins;

/* What `bins` means for elements of `dtype`, which are `points`. `wide`: edges of a given range are
   float64 (histogramdd). False and an error for bins that make no sense. */
bool gndi_bins_read(const char *fn, const gnd_array *x, gnd_arg given, const double *range, bool wide, gndi_bins *bins);
/* Bins of one width. */
bool gndi_bins_even(const char *fn, const gnd_array *x, int64_t count, const double *range, bool wide, gndi_bins *bins);
void gndi_bins_drop(gndi_bins *bins);

/* Elements to be counted, and what they add. */
typedef struct gndi_histogram_request {
    const char *fn;
    const gnd_array *x;       /* not bool */
    const gnd_array *weights; /* of x's shape; NULL: none */
    gnd_dtype sum_dtype;      /* of weights: int64, float64 or complex128 */
    int64_t origin;           /* of integers: the first one that is counted */
} gndi_histogram_request;

/* bool as uint8, everything else as it is: a new reference. Refuses complex numbers. */
gnd_array *gndi_histogram_elements(const char *fn, const gnd_array *x);
/* Fills in weights and the dtype of their sums; false and an error if they do not fit x. */
bool gndi_histogram_weights(gndi_histogram_request *r, const gnd_array *weights);
/* Counts or sums of x in bins, 1-d; NULL and an error on failure. Also makes bins->returned. */
gnd_array *gndi_histogram_count(const gndi_histogram_request *r, gndi_bins *bins);
/* Makes bins->returned only. */
gnd_status gndi_histogram_edges(const gndi_histogram_request *r, gndi_bins *bins);
/* numbers[i] = the bin of x[i], after the numbers that are there if `folds`; see the plan. */
gnd_status gndi_histogram_numbers(const gndi_histogram_request *r, gndi_bins *bins, gnd_array *numbers, bool folds);
/* Counts or sums of the `length` integers from r->origin on; others are a fault, unless `quiet`. */
gnd_array *gndi_histogram_integers(const gndi_histogram_request *r, int64_t length, bool quiet);
/* The smallest and the largest of integers, as the plan's EXTENT says. Waits. `few` (or NULL): becomes the
   counts of 0 .. GNDI_HISTOGRAM_FEW - 1, if all elements are among them and this cost nothing, else NULL. */
enum { GNDI_HISTOGRAM_FEW = 4096 };
gnd_status gndi_histogram_min_max(const gndi_histogram_request *r, int64_t extent[2], gnd_array **few);

/* The number of bins that a rule gives. Waits. False and an error if there is none such. */
bool gndi_histogram_rule(const char *fn, const gnd_array *x, const char *rule, const double *range, int64_t *count);
/* counts / widths along each axis / sum(counts): gnd_histogram's density. Takes `counts` over. */
gnd_array *gndi_histogram_density(const char *fn, gnd_array *counts, int ndim, gnd_array *const *edges);

#endif
