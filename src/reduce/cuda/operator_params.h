/*
 * operator_params.h: what the launchers (C) and the kernels (CUDA) of folds agree on. A fold applies
 * an operator to one element after the other: reductions with any binary operator, reduceat and at
 * are folds that find their elements in different ways, and share one kernel an operator and loop.
 *
 * A unit of work is an item (part of a reduction, a segment, a target) and a column (of the axes
 * beside the one that is folded; the output of a reduction). Operators whose elements may be
 * regrouped fold with several threads a unit, and long ranges in tiles: launches of their own make a
 * partial result of every tile of, say, 128 elements, of 128 of those, and so on; a unit takes whole
 * tiles where it can.
 */
#ifndef GNDI_OPERATOR_PARAMS_H
#define GNDI_OPERATOR_PARAMS_H

#include "kernels/ops/op_sets.h"
#include "reduce/product_limits.h"
#include "runtime/fault.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    GNDI_FOLD_THREADS = 256, /* of a block */
    GNDI_FOLD_LEVELS = 3,    /* of tiles */
    GNDI_FOLD_AXES = 64,     /* columns' and the inner ones together */
};

/* How a unit finds its elements. */
typedef enum gndi_fold_mode {
    GNDI_FOLD_REDUCE,   /* an item is a part of a column's elements, which lie on several axes */
    GNDI_FOLD_JOIN,     /* an item is all partials of a column */
    GNDI_FOLD_SEGMENTS, /* an item is a segment of an axis, given by two indices */
    GNDI_FOLD_INDICES,  /* an item is a target, its elements are those that have its key */
    GNDI_FOLD_HEADS,    /* the same; an item is an update, and does nothing unless it is the first
                           of its target */
    GNDI_FOLD_TILES,    /* an item is a tile of elements, or of the partials one level below */
} gndi_fold_mode;

/* What a unit starts from. */
typedef enum gndi_fold_start {
    GNDI_FOLD_NOTHING, /* its first element */
    GNDI_FOLD_VALUE,   /* start_value, in the loop's dtype */
    GNDI_FOLD_DATA,    /* what start_data points to, in the loop's dtype */
    GNDI_FOLD_ELEMENT, /* what its target holds */
} gndi_fold_start;

typedef struct gndi_fold_params {
    uint8_t mode, start;
    uint8_t log_lanes;  /* threads of a unit: up to a warp, or 8, a block; targets: if it is long */
    uint8_t in_dtype;   /* of the elements */
    uint8_t out_dtype;  /* of the targets */
    bool columns_first; /* neighbouring units are neighbouring columns, else items */
    bool rounds;        /* halves are rounded at each step, not only at the end */
    bool recasts;       /* each result goes through out_dtype */
    bool swapped;       /* op(element, value) */
    bool by_element;    /* REDUCE: lanes share out elements one by one, not along runs */
    bool checks_keys;   /* TILES: only those of one key are made */
    bool to_partials;   /* out takes accumulators, [item][column] */
    bool mends;         /* products of complex numbers, with one thread a unit: the results are there,
                           and those that are not finite are computed again (GNDI_PRODUCT_IN_ORDER) */
    bool skip_nan;      /* products of complex numbers: NaN count as 1 */
    uint8_t level;      /* TILES: 0 of elements, else of partials[level - 1]; the latter's levels */
    uint8_t log_tile;   /* elements, or partials, of a tile */
    uint8_t index_dtype, key_bytes, position_bytes;
    int32_t axis; /* SEGMENTS: for the fault */

    int64_t items, columns;
    int64_t length; /* elements of a column (REDUCE), of the axis, updates; JOIN: partials */
    int64_t part;   /* REDUCE: elements of an item */
    const char *in; /* elements; NULL: `value` */
    char *out;
    const char *mask;
    int64_t in_step, out_step; /* from element to element along the axis; from item to item */
    uint64_t value[2], start_value[2];
    const char *start_data;
    const char *index; /* SEGMENTS */
    int64_t index_step;
    const void *keys;      /* targets: sorted */
    const void *positions; /* which update each key belongs to; NULL: elements are sorted too */
    int64_t targets;
    const char *partials[GNDI_FOLD_LEVELS]; /* [tile][column]; NULL: not that high */
    gndi_fault *fault;

    /* The columns' axes, then the inner ones (the reduced axes; the target's indexed ones), the last
       of each the fastest. `in`: of inner axes, the strides of what they number. */
    int32_t column_ndim, inner_ndim;
    int64_t shape[GNDI_FOLD_AXES], in_stride[GNDI_FOLD_AXES], out_stride[GNDI_FOLD_AXES], mask_stride[GNDI_FOLD_AXES];
} gndi_fold_params;

/* The kernel of an operator and loop. */
typedef struct gndi_fold_kernel {
    const void *kernel;  /* NULL: there is none */
    uint8_t accumulator; /* bytes of a partial */
    bool closed;         /* inputs and output have one dtype */
    bool associative;    /* and elements may be regrouped: several lanes, tiles */
} gndi_fold_kernel;

typedef gndi_fold_kernel gndi_fold_table[GNDI_OP_COUNT][GND_DTYPE_COUNT];

#endif
