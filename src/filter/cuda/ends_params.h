/*
 * ends_params.h: the parameter block of the kernel of a filter's states at the ends of a signal (ends_kernels.cu).
 */
#ifndef GNDI_ENDS_PARAMS_H
#define GNDI_ENDS_PARAMS_H

#include "filter/cuda/filter_params.h"

enum {
    GNDI_ENDS_LINES = 4, /* of a block, a warp for each */
    GNDI_ENDS_EDGE = 64, /* samples of an extension, at most */
};

typedef struct gndi_ends_params {
    gndi_filter_layout at;
    double *state;
    int64_t state_line;
    int32_t sections, order, edge;
    uint8_t back, is_even, is_constant; /* extensions; neither: odd */
    double settled[GNDI_FILTER_MOST], numbers[GNDI_FILTER_NUMBERS];
} gndi_ends_params;

#endif
