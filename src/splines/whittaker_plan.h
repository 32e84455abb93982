/*
 * whittaker_plan.h: Whittaker-Henderson smoothing of lines, as the front hands it to a backend.
 */
#ifndef GNDI_WHITTAKER_PLAN_H
#define GNDI_WHITTAKER_PLAN_H

#include <gnd/dtype.h>

enum { GNDI_WHITTAKER_ORDER = 25 /* the highest */ };

/* Dense arrays of float64. */
struct gndi_whittaker_plan {
    const double *signal;  /* count lines of n samples */
    const double *weights; /* one for each sample, or for the samples of every line; NULL: all are 1 */
    double *out;           /* like signal */
    double *used;          /* the lambda of each line; NULL: not wanted */
    double *work;          /* slots * n * (order + 1): a slot is a line's factors, one line after another */
    int64_t n, count, slots;
    int64_t weights_step;                    /* from line to line: n, or 0 */
    double lamb;                             /* NaN: that of the restricted maximum likelihood */
    double log_penalty;                      /* log det D D^T of the differences D */
    double taps[GNDI_WHITTAKER_ORDER + 1];   /* of a difference: D = taps of the samples */
    double inside[GNDI_WHITTAKER_ORDER + 1]; /* D^T D of rows that are `order` away from both ends */
    int order;
};

#endif
