/*
 * cwt_params.h: the parameter block of the kernels of wavelet transforms (cwt_kernels.cu).
 */
#ifndef GNDI_CWT_PARAMS_H
#define GNDI_CWT_PARAMS_H

#include "waveforms/cwt_plan.h"

/* Elements of a block's transform, those of a thread, and the bytes that it takes in shared memory. */
#define GNDI_CWT_LENGTH(wide) (2 * GNDI_CWT_COLUMNS(wide))
enum { GNDI_CWT_EACH = 16 };
#define GNDI_CWT_THREADS(wide) (GNDI_CWT_LENGTH(wide) / GNDI_CWT_EACH)
#define GNDI_CWT_ROOTS(wide) ((GNDI_CWT_EACH - 1) * GNDI_CWT_THREADS(wide))
#define GNDI_CWT_FRAME(wide) (GNDI_CWT_LENGTH(wide) + GNDI_CWT_THREADS(wide))

typedef struct gndi_cwt_params {
    struct gndi_cwt_plan plan;
    void *roots;   /* of unity */
    void *spectra; /* of rows, or of pairs of real rows */
    int64_t tiles; /* of the signal */
    int valid;     /* results of a tile */
    int lines;     /* spectra */
    int group;     /* that a block takes */
    int pairs;     /* a line is two rows, the real and the imaginary part */
} gndi_cwt_params;

#endif
