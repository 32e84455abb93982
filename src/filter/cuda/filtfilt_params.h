/*
 * filtfilt_params.h: the parameter block of the kernels that filter forward and backward at once (filtfilt_kernels.cu).
 */
#ifndef GNDI_FILTFILT_PARAMS_H
#define GNDI_FILTFILT_PARAMS_H

#include "filter/cuda/filter_params.h"
#include "filter/filtfilt.h"

enum { GNDI_FILTFILT_PAIRS = GNDI_FILTER_PAIRS, GNDI_FILTFILT_STATES = 2 * GNDI_FILTFILT_PAIRS };

typedef struct gndi_filtfilt_params {
    gndi_filter_layout at; /* y_every of it counts */
    int64_t results;       /* of a line */
    uint32_t tiles;        /* of a line */
    int32_t edge;
    uint8_t *spoilt; /* of each tile: something in it is not finite */
    double a1[GNDI_FILTFILT_PAIRS], a2[GNDI_FILTFILT_PAIRS], c0[GNDI_FILTFILT_PAIRS], c1[GNDI_FILTFILT_PAIRS], direct;
    double back[GNDI_FILTFILT_STATES][GNDI_FILTFILT_STATES + 1];
    double steps[5][GNDI_FILTFILT_PAIRS][4]; /* what 1, 2, 4, 8, 16 runs make of a pair's state, 2 x 2 */
    /* What a pair's state before (behind) a run adds to its results. */
    double before[GNDI_FILTFILT_RESULTS][GNDI_FILTFILT_PAIRS][2], behind[GNDI_FILTFILT_RESULTS][GNDI_FILTFILT_PAIRS][2];
} gndi_filtfilt_params;

#endif
