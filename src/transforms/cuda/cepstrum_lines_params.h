/*
 * cepstrum_lines_params.h: the parameter block of the kernels of long lines' cepstra (cepstrum_lines_kernels.cu, and
 * cepstrum_million_kernels.cu for lines of 1000 rows and columns).
 */
#ifndef GNDI_CEPSTRUM_LINES_PARAMS_H
#define GNDI_CEPSTRUM_LINES_PARAMS_H

#include "transforms/cepstrum_lines_plan.h"

enum {
    GNDI_CEPSTRUM_THREADS = 512,
    GNDI_CEPSTRUM_RADICES = 11,
};

/* Of lines of 1000 rows and columns. */
enum {
    GNDI_MILLION_SIDE = 1000,
    GNDI_MILLION_PART = 100,       /* threads of a transform */
    GNDI_MILLION_FORTH_TILE = 4,   /* transforms of a block: 32 bytes of a row of x */
    GNDI_MILLION_BACK_TILE = 2,    /* 32 bytes of a row of U */
    GNDI_MILLION_ROW_PAIRS = 251,  /* of the 501 rows of U */
    GNDI_MILLION_BACK_TILES = 126, /* of the 501 columns of U, four at a time */
    GNDI_MILLION_PITCH = 504,      /* of a row of U: zeros behind its 501 elements */
    GNDI_MILLION_WORK = 1000 * 500 + 501 * 504,
    GNDI_MILLION_WHOLE_TILES = 250, /* of the 1000 columns of U, four at a time, where the spectrum is not even */
    GNDI_MILLION_WHOLE_WORK = 1000 * 500 + 501 * 1000,
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
