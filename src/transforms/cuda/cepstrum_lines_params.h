/*
 * cepstrum_lines_params.h: the parameter block of the kernels of long lines' cepstra (cepstrum_lines_kernels.cu).
 */
#ifndef GNDI_CEPSTRUM_LINES_PARAMS_H
#define GNDI_CEPSTRUM_LINES_PARAMS_H

#include "transforms/cepstrum_lines_plan.h"

enum {
    GNDI_CEPSTRUM_THREADS = 512,
    GNDI_CEPSTRUM_RADICES = 11,
};

/* Which of the kernels, one behind the other. */
typedef enum gndi_cepstrum_step {
    GNDI_CEPSTRUM_FORTH,  /* columns of x to rows */
    GNDI_CEPSTRUM_MIDDLE, /* rows to logarithms, and back to rows */
    GNDI_CEPSTRUM_BACK,   /* rows to columns of the result */
    GNDI_CEPSTRUM_STEPS,
} gndi_cepstrum_step;

typedef struct gndi_cepstrum_lines_params {
    struct gndi_cepstrum_lines_plan plan;
    char *work; /* complex: rows / 2 + 1 rows of a line */
    int row_radix[GNDI_CEPSTRUM_RADICES], row_radices;
    int column_radix[GNDI_CEPSTRUM_RADICES], column_radices;
} gndi_cepstrum_lines_params;

#endif
