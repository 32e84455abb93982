/*
 * peaks_plan.h: extrema and peaks, as the fronts of src/peaks hand them to a backend.
 */
#ifndef GNDI_PEAKS_PLAN_H
#define GNDI_PEAKS_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* How an element compares with its neighbours. */
typedef enum gndi_comparison {
    GNDI_IS_GREATER,
    GNDI_IS_LESS,
    GNDI_IS_GREATER_EQUAL,
    GNDI_IS_LESS_EQUAL,
    GNDI_IS_PEAK, /* the middle of equal elements whose neighbours are smaller; out is all false before */
} gndi_comparison;

/* out[line, i, inner] = whether the element compares so with all neighbours up to `order` along the axis in the middle.
   x is float32, float64, int64 or uint64. IS_PEAK: x is one line, and float32 or float64. */
struct gndi_extrema_plan {
    const void *x;
    bool *out;
    int64_t total, n, inner; /* elements, those along the axis, those between neighbours */
    int64_t order;
    uint8_t comparison, dtype;
    bool wrap; /* beyond an end is the other one; else the end itself */
};

enum { GNDI_EXTREMA_QUADS = 4 }; /* of a thread of a GPU, four elements each, in one line */

typedef enum gndi_peaks_kind {
    GNDI_PEAKS_EDGES,       /* left, right: the first and the last element equal to the peak beside it */
    GNDI_PEAKS_VALUES,      /* a: the peak; b, c: less its neighbour to the left, to the right */
    GNDI_PEAKS_PROMINENCES, /* a; left, right: the bases */
    GNDI_PEAKS_WIDTHS,      /* of a, left and right: b: widths, c: their heights, d, e: their ends */
} gndi_peaks_kind;

/* Properties of `count` peaks of a dense line x of n numbers, float32 or float64, computed in double. Peaks are
   indices into it; VALUES: not the first and the last. */
struct gndi_peaks_plan {
    const void *x;
    const int64_t *peaks;
    int64_t n, count;
    double *a, *b, *c, *d, *e;
    int64_t *left, *right;
    int64_t reach;     /* PROMINENCES: how far bases may be; n if anywhere */
    double rel_height; /* WIDTHS */
    uint8_t kind, dtype;
};

#endif
