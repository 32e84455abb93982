/*
 * histogram_plan.h: the interface between the front ends and the backends: counting elements by bins:
 *
 *     out[bin of x[i]] += weight[i]      (1 without weights)
 *
 * or the bin of each element, or the range. The edges always decide. Those of EVEN bins are given by a formula
 * (histogram_ops.h) that every kernel can evaluate.
 */
#ifndef GNDI_HISTOGRAM_PLAN_H
#define GNDI_HISTOGRAM_PLAN_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum gndi_histogram_kind {
    GNDI_HISTOGRAM_INTEGERS, /* the bin is the element - origin, modulo 2^64 (bincount) */
    GNDI_HISTOGRAM_EVEN,     /* bins of one width, as numpy.linspace makes their edges */
    GNDI_HISTOGRAM_EDGES,    /* edges[0] <= ... <= edges[bins], else GNDI_FAULT_BINS */
    GNDI_HISTOGRAM_EXTENT,   /* the smallest and the largest of integers, at least one, to out: two
                                int64 (uint64: modulo 2^64). No weights, no numbers */
} gndi_histogram_kind;

/* The edges of EVEN bins. */
typedef struct gndi_histogram_range {
    bool from_data;     /* first and last are the smallest and the largest element, and half a unit
                           farther out if they are the same; one that is not finite is
                           GNDI_FAULT_RANGE */
    double first, last; /* otherwise; finite, first < last */
    uint8_t step_dtype; /* what each step of the formula is rounded to: float16, float32, float64 */
    uint8_t dtype;      /* what edges are rounded to in the end: floating */
    char *edges;        /* where they are stored, dense, bins + 1 of them; NULL: nowhere. Two that are
                           the same are GNDI_FAULT_TOO_MANY */
} gndi_histogram_range;

/*
 * Elements are at x + i * x_step (bytes), real, and so are weights. Elements outside the bins, and
 * NaN, count nowhere; the last bin has both its ends. `out` and `numbers` are dense; the kernels set
 * all of them, whatever they held. Sums of weights come out the same on every run.
 */
typedef struct gndi_histogram_plan {
    uint8_t kind;    /* gndi_histogram_kind */
    uint8_t x_dtype; /* not bool; INTEGERS: an integer's */
    bool quiet;      /* INTEGERS: elements outside the bins are no GNDI_FAULT_INDEX */
    int64_t bins;    /* at least 1; EVEN: at most 2^30; EXTENT: of `few` */
    int64_t origin;  /* of INTEGERS */
    int64_t points;  /* may be 0 */
    const char *x;
    int64_t x_step;

    gndi_histogram_range range; /* of EVEN */
    const char *edges;          /* of EDGES: dense */
    uint8_t edges_dtype;        /* EDGES: what the edges have and elements are compared in: float64, int64 or
                            uint64 */

    /* EXTENT: room for the counts of 0 .. bins - 1 (a power of two). A backend may fill it in the same pass,
       if all elements are among them, and then sets *counted before it comes back. NULL: no counts. */
    int64_t *few;
    bool *counted;

    char *out;          /* int64 without weights, else the dtype of the sums; with weights it has room for one
                  more than `bins`, which the kernels may use. NULL: no counts */
    const char *weight; /* NULL: none */
    int64_t weight_step;
    uint8_t weight_dtype; /* and out's: int64, float64 or complex128 */

    /* numbers[i] = the bin of element i, -1 if it is outside; if `folds`, what is there already
       counts as the number in more bins before these: numbers[i] * bins + bin. NULL: none. */
    char *numbers;
    uint8_t number_dtype; /* int32 or int64 */
    bool folds;
} gndi_histogram_plan;

#endif
