/*
 * mirrored_params.h: how the kernel of mirrored filters cuts its work. See mirrored_kernels.cu.
 */
#ifndef GNDI_MIRRORED_PARAMS_H
#define GNDI_MIRRORED_PARAMS_H

#include "filter/mirrored_plan.h"

enum { GNDI_MIRRORED_THREADS = 128, GNDI_MIRRORED_RUN = 32 };

typedef struct gndi_mirrored_params {
    struct gndi_mirrored_plan plan;
    int64_t tiles, groups; /* of a line; of the inner elements */
    int32_t lanes;         /* neighbouring inner elements that a block takes */
    int32_t span, halo;    /* samples of a tile, and those around it */
    int32_t runs, lines;   /* runs of a tile; lines of a block, more than one only if a tile is a whole line */
} gndi_mirrored_params;

#endif
