/*
 * lapack_jacobi_plan.h: how the kernels of lapack_jacobi_kernels.cu divide matrices: whole or in slices, how
 * wide, with how many threads. Arithmetic only.
 */
#ifndef GNDI_LAPACK_JACOBI_PLAN_H
#define GNDI_LAPACK_JACOBI_PLAN_H

#include "linalg/cuda/lapack_jacobi_params.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { GNDI_JACOBI_LINE = 16 /* bytes */ };

typedef struct gndi_jacobi_shape {
    bool whole;
    int which, threads; /* WHOLE or SLICES */
    size_t shared;
    size_t notes; /* shared memory of END */
} gndi_jacobi_shape;

static inline int gndi_jacobi_lines(int64_t elements, int64_t bytes) {
    return (int)((elements * bytes + GNDI_JACOBI_LINE - 1) / GNDI_JACOBI_LINE);
}

/* As few lanes as hold a column with `each` lines in a lane, and as many threads as there are pairs of tiles. */
static inline int gndi_jacobi_threads(gndi_jacobi_params *p, int pairs, int each) {
    p->lanes = 4;
    while (p->lanes < 32 && p->lanes * each < p->lines_x) p->lanes *= 2;
    const int threads = (pairs * p->lanes + 31) / 32 * 32;
    return threads < GNDI_JACOBI_THREADS ? threads : GNDI_JACOBI_THREADS;
}

/* Lines from column to column, chosen so that the lanes of neighbouring tiles and those of a row have few bank
   conflicts. */
static inline int gndi_jacobi_distance(int lines, int lanes) {
    return lanes >= 8 ? lines | 1 : lines + (2 - lines % 8 + 8) % 8;
}

/* A matrix a block. */
static inline bool gndi_jacobi_whole(gndi_jacobi_params *p, gndi_jacobi_shape *s, int64_t bytes, int64_t real_bytes,
                                     size_t capacity) {
    p->width = (p->n + 3) / 4 * 4;
    p->lines_x = p->lines_y = gndi_jacobi_lines(p->n, bytes);
    const int each = p->lines_x <= 4 ? 1 : 2;
    s->whole = true;
    s->which = each == 1 ? GNDI_JACOBI_WHOLE_1 : GNDI_JACOBI_WHOLE_2;
    s->threads = gndi_jacobi_threads(p, p->width / 4, each);
    p->ldx = p->ldy = gndi_jacobi_distance(p->lines_x, p->lanes);
    const size_t one = (size_t)p->width * (size_t)p->ldx * GNDI_JACOBI_LINE;
    s->shared = one * (1 + (p->vectors != 0)) + (size_t)(GNDI_JACOBI_NOTES(p->n, bytes, real_bytes));
    return s->shared <= capacity;
}

/* Slices of at most `most` columns, a multiple of 4; narrower ones if there would be fewer than `blocks` pairs of
   slices, or if they do not fit. */
static inline bool gndi_jacobi_slices(gndi_jacobi_params *p, gndi_jacobi_shape *s, int64_t bytes, int64_t real_bytes,
                                      size_t capacity, int most, int64_t blocks) {
    s->whole = false;
    s->which = GNDI_JACOBI_SLICES;
    p->lines_x = gndi_jacobi_lines(p->n, bytes);
    p->ldx = p->lines_x | 1;
    for (int half = most; half >= 4; half = half / 2 / 4 * 4) {
        p->width = 2 * half;
        p->all = (p->n + p->width - 1) / p->width * p->width;
        p->lines_y = gndi_jacobi_lines(p->width, bytes);
        p->ldy = p->lines_y | 1;
        s->shared = (size_t)p->width * (size_t)(p->ldx + (p->vectors ? p->ldy : 0)) * GNDI_JACOBI_LINE;
        s->threads = gndi_jacobi_threads(p, half / 2, 2);
        if (s->shared <= capacity && (half <= 8 || p->batch * (p->all / p->width) >= blocks)) break;
    }
    s->notes = (size_t)(GNDI_JACOBI_NOTES(p->n, bytes, real_bytes));
    return s->shared <= capacity && s->notes <= capacity;
}

/* The power of two near which the largest element of a matrix is while it is rotated. */
static inline int gndi_jacobi_scale(int64_t real_bytes) {
    return real_bytes == 4 ? GNDI_JACOBI_TOP_32 : GNDI_JACOBI_TOP_64;
}

/* The cosine of two columns that count as orthogonal, as in LAPACK's gesvj, but for small matrices. */
static inline float gndi_jacobi_tolerance(int n, int64_t real_bytes) {
    const double epsilon = real_bytes == 4 ? 1.1920929e-7 : 2.220446049250313e-16;
    return (float)(epsilon * sqrt(n > 16 ? (double)n : 16.0));
}

#endif
