/*
 * both_params.h: the parameter block of the kernels that filter forward and backward at once (both_kernels.cu).
 */
#ifndef GNDI_BOTH_PARAMS_H
#define GNDI_BOTH_PARAMS_H

#include "filter/cuda/filter_params.h"
#include "filter/filter_both.h"

enum { GNDI_BOTH_PAIRS = GNDI_FILTER_PAIRS, GNDI_BOTH_STATES = 2 * GNDI_BOTH_PAIRS };

typedef struct gndi_both_params {
    gndi_filter_layout at; /* y_every of it counts */
    int64_t results;       /* of a line */
    uint32_t tiles;        /* of a line */
    int32_t edge;
    uint8_t *spoilt; /* of each tile: something in it is not finite */
    double a1[GNDI_BOTH_PAIRS], a2[GNDI_BOTH_PAIRS], c0[GNDI_BOTH_PAIRS], c1[GNDI_BOTH_PAIRS], direct;
    double back[GNDI_BOTH_STATES][GNDI_BOTH_STATES + 1];
    double steps[5][GNDI_BOTH_PAIRS][4]; /* what 1, 2, 4, 8, 16 runs make of a pair's state, 2 x 2 */
    /* What a pair's state before (behind) a run adds to its results. */
    double before[GNDI_FILTER_BOTH_RESULTS][GNDI_BOTH_PAIRS][2], behind[GNDI_FILTER_BOTH_RESULTS][GNDI_BOTH_PAIRS][2];
} gndi_both_params;

#endif
