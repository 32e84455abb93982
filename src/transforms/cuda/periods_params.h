/*
 * periods_params.h: what the kernels of Lomb-Scargle periodograms and vector strengths get.
 */
#ifndef GNDI_PERIODS_PARAMS_H
#define GNDI_PERIODS_PARAMS_H

#include "runtime/fault.h"
#include "transforms/periods_plan.h"

enum {
    GNDI_PERIODS_THREADS = 128,
    GNDI_PERIODS_TILE = 128,   /* samples in shared memory */
    GNDI_PERIODS_FREQS = 8,    /* of a thread, for float64; half as many for float32 */
    GNDI_EVENTS_THREADS = 256, /* of a block for events */
};

typedef struct gndi_lomb_scargle_params {
    struct gndi_lomb_scargle_plan plan;
    gndi_fault *fault;
    double *sums;           /* for each slice of the samples, sum and frequency */
    double *totals;         /* three for each slice */
    int64_t slices, length; /* slices, and samples of each */
    int64_t groups;         /* blocks of frequencies */
} gndi_lomb_scargle_params;

typedef struct gndi_vector_strength_params {
    struct gndi_vector_strength_plan plan;
    gndi_fault *fault;
    double *sums;   /* two for each period and part */
    int64_t parts;  /* of the events */
    int64_t length; /* events of a part */
} gndi_vector_strength_params;

#endif
