/*
 * labels_plan.h: connected components and sums over labels, as the fronts of src/labels hand them to a backend.
 */
#ifndef GNDI_LABELS_PLAN_H
#define GNDI_LABELS_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* ---- components ----------------------------------------------------------------------------- */

/* Rows are the elements along the last axis, in words of 32 elements, a bit each: the foreground. The axes before it
   are the outer ones, of which there are two at least (of length 1). The lines of a structure, and rows around a row,
   are numbered in C order, base 3; only those up to the middle one are kept. */
enum {
    GNDI_LABEL_OUTER = 7,                           /* most outer axes */
    GNDI_LABEL_LINES = (3 * 3 * 3 * 3 * 3 * 3 * 3), /* lines of a structure with so many */
    GNDI_LABEL_TILE = 256,                          /* words of a tile, which a block of a GPU labels in its memory */
    GNDI_LABEL_CHUNK = 1024,                        /* words that are counted together */
    GNDI_LABEL_STRIPS = 4,                          /* of a picture's tile, side by side: of 64 columns and 32 rows */
};

struct gndi_label_plan {
    const void *x;                           /* dense */
    uint64_t significant;                    /* an element is foreground if any of these bits is set */
    uint8_t size;                            /* bytes of an element */
    bool wide;                               /* labels are int64, else int32 */
    bool far;                                /* positions need 64 bits */
    int outer;                               /* outer axes */
    int64_t extent[GNDI_LABEL_OUTER];        /* their lengths; the last two are z and y */
    int64_t rows, width, words;              /* rows; elements and words of a row */
    int own;                                 /* the number of the middle line: a row's own */
    bool joined;                             /* whether neighbours in a row are connected */
    uint8_t flags[GNDI_LABEL_LINES / 2 + 1]; /* of each line: 1, 2, 4: connected with the element before, at, after */
    void *labels;                            /* dense, of x's shape */
    int64_t *count;                          /* how many components */
    uint32_t *masks;                         /* of each word; on a GPU by tiles */
    void *parent;                            /* of the runs of each word; on a GPU of the components of each tile */
    /* On a GPU alone. */
    int log_z, log_y, log_w;                   /* a tile's extent */
    uint32_t tiles_z, tiles_y, tiles_w, tiles; /* how many along each axis; of everything */
    uint16_t *ids;                             /* which of its tile's components a run belongs to */
    void *first;                               /* each tile's components' first elements: word * 32 + bit */
    int32_t *roots;                            /* how many components each tile has */
    uint32_t *firsts;                          /* of each word: which elements are the first of a whole component */
    uint16_t *prefix;                          /* of each word: how many there are before it in its chunk */
    int64_t *before;                           /* of each chunk: how many there are before it */
    uint32_t *done;                            /* chunks that are counted */
    bool cross;                                /* a picture, of which only neighbours along the axes are connected: */
    int32_t *south, *west, *east;              /* the components at tiles' borders; parents and firsts are together */
};

/* ---- sums over labels ----------------------------------------------------------------------- */

enum { GNDI_LABEL_AXES = 3 }; /* most axes along which one plan takes moments */

/* out[k, 0] = the sum of x where the label is index[k]; then, with `counts`, how many such elements there are; then for
   each axis the sum of x times the index along it. In double, in an order that depends on n and parts alone: the
   elements are cut into `parts`, whose sums are added in order. */
struct gndi_label_sums_plan {
    const void *x;         /* dense, of float32 or float64 */
    const void *labels;    /* dense, of int32 or int64; NULL: all elements are of one group */
    const int64_t *index;  /* NULL: one group, of the labels above 0 */
    const double *centres; /* of each group: x stands for the square of its distance from there, and there are no axes
                              and no counts; NULL: for itself */
    int64_t n, groups;
    int64_t inner[GNDI_LABEL_AXES], extent[GNDI_LABEL_AXES]; /* an axis: elements from one index to the next, indices */
    int axes;
    bool counts;
    uint8_t x_dtype, label_dtype;
    double *out;  /* groups x columns: 1 + counts + axes */
    double *part; /* parts x groups x columns */
    int64_t parts;
    /* On the CPU alone, in place of sums: elements by the groups of an index. `order`: the flat positions of the
       elements of each group, in C order, then of those of none; group k's are order[low[k]] to order[high[k] - 1].
       Without it, below and above: the two elements in the middle of each group, of x's dtype; 0 if it has none. */
    int64_t *order, *low, *high;
    void *below, *above;
};

/* ---- extremes over labels ------------------------------------------------------------------- */

/* out[k, 0] and out[k, 1]: the smallest and the largest x where the label is index[k], and `at` the flat positions
   where they are first; NaN is larger than all numbers. Where there is no such element: zeros, or without x 0 and
   -1. */
struct gndi_label_extremes_plan {
    const void *x;        /* dense, of x_dtype: float32, float64, int64 or uint64; NULL: the index along an axis */
    const void *labels;   /* dense, of int32 or int64; NULL: all elements are of one group */
    const int64_t *index; /* NULL: one group, of the labels above 0 */
    int64_t n, groups;
    bool propagates;       /* NaN is smaller than all numbers, too */
    int64_t inner, extent; /* the axis, without x */
    uint8_t x_dtype, label_dtype;
    void *out;   /* groups x 2, of x's dtype, without x int64 */
    int64_t *at; /* groups x 2; NULL: not wanted */
    /* On the CPU alone: boxes around labels 1, 2, ..., which are of any integers or bool. axes not 0: how many, with x,
       index and `at` NULL; out is groups x axes x 2: the first index along an axis and one past the last, 0 and 0 where
       there is no such element. */
    int axes;
    int64_t shape[GND_MAX_DIMS];
    /* On a GPU alone. */
    uint64_t *keys; /* groups x 4: what is compared in place of the elements; positions */
    int32_t *table; /* not 0 if labels do not follow each other; then a hash table of 1 << bits */
    int bits;
};

/* The most groups times columns whose sums fit a GPU's plan. */
enum { GNDI_LABEL_SUMS_MOST = 2048 };

#endif
