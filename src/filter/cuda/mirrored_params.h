/*
 * mirrored_params.h: how the kernels of mirrored filters cut their work. See mirrored_kernels.cu, mirrored_plane.cu.
 */
#ifndef GNDI_MIRRORED_PARAMS_H
#define GNDI_MIRRORED_PARAMS_H

#include "filter/mirrored_plan.h"

enum {
    GNDI_MIRRORED_THREADS = 128,
    GNDI_MIRRORED_FEW = 7,  /* rows that a thread reads at once */
    GNDI_MIRRORED_RUN = 35, /* rows of a thread: a multiple, and odd */
    GNDI_MIRRORED_PLANE_ROWS = 64,
};

typedef struct gndi_mirrored_params {
    struct gndi_mirrored_plan plan;
    int64_t tiles, groups; /* of a line; of the inner elements */
    int32_t lanes;         /* neighbouring inner elements that a block takes */
    int32_t span, halo;    /* samples of a tile, and those around it */
    int32_t runs, lines;   /* runs of a tile; lines of a block, more than one only if a tile is a whole line */
    int32_t terms;         /* runs behind which what came before is not noticed */
    /* The last result and the one before it, a run later and without input: {later[0], later[1]} and {later[2],
       later[3]} times the two before. */
    double later[4];
} gndi_mirrored_params;

/* Planes, whose both axes are filtered by the same numbers. A tile has a column for each thread, the halos with it. */
typedef struct gndi_mirrored_plane_params {
    const float *x;
    float *y;
    int64_t bands, segments; /* tiles along a column, along a row */
    int32_t rows, columns;
    int32_t width, halo; /* columns of a tile that are results; rows before and behind */
    float gain, gain_back, a2;
    double a2_double, first, last, last_before;
    gndi_mirrored_sum start;
    bool packs; /* rows begin at multiples of 16 bytes */
} gndi_mirrored_plane_params;

#endif
