/*
 * phase_lines_params.h: the parameter block of the kernels of continuous phases (phase_lines_kernels.cu).
 */
#ifndef GNDI_PHASE_LINES_PARAMS_H
#define GNDI_PHASE_LINES_PARAMS_H

#include "transforms/phase_lines_plan.h"

enum {
    GNDI_PHASE_THREADS = 256,
    GNDI_PHASE_EACH = 8,
    GNDI_PHASE_PART = GNDI_PHASE_THREADS * GNDI_PHASE_EACH, /* elements of a block */
};

typedef struct gndi_phase_lines_params {
    struct gndi_phase_lines_plan plan;
    int32_t *turns; /* of each part of a line: the whole turns by which its phase is above that of z */
    int64_t parts;  /* of a line */
} gndi_phase_lines_params;

#endif
