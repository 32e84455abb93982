/*
 * resample_lines_params.h: the parameter block of the kernels that resample long lines (resample_lines_kernels.cu).
 */
#ifndef GNDI_RESAMPLE_LINES_PARAMS_H
#define GNDI_RESAMPLE_LINES_PARAMS_H

#include "resample/resample_lines_plan.h"

enum { GNDI_RESAMPLE_TILE = 16 }; /* columns of a block */

/* Bytes of a block that transforms columns, with a gap behind each r rows of r^3. */
#define GNDI_RESAMPLE_SHARED(r) (((r) + 1) * (r) * (r)*GNDI_RESAMPLE_TILE * 4)

/* Bytes of a block that transforms rows of 10000 or 8000 numbers, with the largest of its gaps. */
#define GNDI_RESAMPLE_THOUSANDS (5300 * 16)

/* Which of the kernels, one behind the other. */
typedef enum gndi_resample_step {
    GNDI_RESAMPLE_FORTH, /* columns of x to rows */
    GNDI_RESAMPLE_ROWS,  /* rows to rows of another length */
    GNDI_RESAMPLE_BACK,  /* rows to columns of the result */
    GNDI_RESAMPLE_STEPS,
} gndi_resample_step;

/* A pass of a row's transform, of two neighbouring elements at a time: n / radix of them are `part` pairs, and the
   product of the radices before is `stride` pairs, which is 0 in the first one. Inverses: of a divisor. */
typedef struct gndi_resample_pass {
    uint32_t radix, part, part_inverse, stride, stride_inverse;
} gndi_resample_pass;

typedef struct gndi_resample_transform {
    gndi_resample_pass pass[GNDI_RESAMPLE_RADICES];
    int passes;
    int gaps; /* whether the first pass leaves one behind each 8 pairs, against conflicts of banks */
} gndi_resample_transform;

typedef struct gndi_resample_lines_params {
    struct gndi_resample_lines_plan plan;
    char *work;                 /* complex: rows / 2 + 1 rows of a line, `pitch` apart */
    char *roots;                /* complex: exp(-2 pi i k / from) for k < from, and then those of `to` */
    int pitch, group, frame;    /* group: rows of a block, `frame` pairs apart in shared memory */
    float angle_from, angle_to; /* 2 pi over the elements of a line */
    float factor;
    gndi_resample_transform forth, back;
} gndi_resample_lines_params;

#endif
