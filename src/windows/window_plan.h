/*
 * window_plan.h: a window as the front (window_rows.c) hands it to a backend: a row of windows.def and its numbers.
 *
 * A symmetric window of m points is evaluated on its left half; each value is written twice. A periodic one is the
 * symmetric one of one more point, whose last value is not stored. The plans of composed windows are those of what
 * composed.c computes first, or of the windows from that, `from`.
 */
#ifndef GNDI_WINDOW_PLAN_H
#define GNDI_WINDOW_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

enum {
    GNDI_WINDOW_PARAMS = 8,    /* of a gnd_window */
    GNDI_WINDOW_STEP = 4,      /* Kaiser's series has a multiple of that many terms */
    GNDI_WINDOW_NUMBERS = 64,  /* of a plan that a GPU carries out, */
    GNDI_WINDOW_THREADS = 256, /* by blocks of that many threads, */
    GNDI_WINDOW_EACH = 4,      /* and that many points of a thread, */
    GNDI_WINDOW_MORE = 8,      /* or that many where they share long series; */
    GNDI_WINDOW_FEWER = 128,   /* threads of blocks for derived windows, whose warps are on their own */
};

/* The rows of the table. */
typedef enum gndi_window_row {
#define FORMULA(name, also, formula) GNDI_WINDOW_##name,
#define COSINES(name, also, ...) GNDI_WINDOW_##name,
#define PARAMETERS(name, also, least, most, formula) GNDI_WINDOW_##name,
#define SAME_AS(name, also, least, most) GNDI_WINDOW_##name,
#define COMPOSED(name, also, least, most) GNDI_WINDOW_##name,
#include "windows/windows.def"
#undef FORMULA
#undef COSINES
#undef PARAMETERS
#undef SAME_AS
#undef COMPOSED
    GNDI_WINDOW_ROWS
} gndi_window_row;

struct gndi_window_plan {
    void *out;          /* n numbers, dense */
    int64_t n, m;       /* values that are stored, points of the symmetric window */
    int64_t points;     /* that are evaluated: (m + 1) / 2, or n of a window without symmetry */
    double centre;      /* the index of the centre: (m - 1) / 2, or elsewhere without symmetry */
    double by;          /* what the formula divides by */
    double over;        /* its reciprocal; 0: it is too large or too small for one to be exact */
    const double *many; /* the numbers if they are more than GNDI_WINDOW_NUMBERS; only on the host */
    const double *from; /* what a composed window is made of: the transform or the sums, over which number; or NULL */
    const double *over_from;
    double over_sum; /* kaiser_bessel_derived without `from`: one over the sum of Kaiser's values */
    int32_t count;   /* of the numbers; or a whole power (general_gaussian), -1 if it is none */
    uint8_t row;     /* one with a formula, or a composed one */
    uint8_t dtype;   /* float32 or float64; complex128 of chebwin's spectrum */
    double a[GNDI_WINDOW_NUMBERS];
};

#endif
