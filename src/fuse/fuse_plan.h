/*
 * fuse_plan.h: a fused program for a backend: one launch, straight-line code over the elements of an index
 * space. src/fuse makes it; backends run it.
 *
 * The space has `kept` leading axes and, if the code reduces, `ndim - kept` reduced axes behind them. A *row* is
 * all elements of one kept index; there are `rows` of `length` elements (length 1 and one element in a row if
 * nothing is reduced). Each instruction computes one value, which has the instruction's number: an element for
 * each index of the space or, if `row` is set, one for each row. Code is in order: the operands of an
 * instruction precede it.
 *
 *     MAP      no REDUCE
 *     REDUCE   no element is computed behind a REDUCE: a map, then reductions, then code of rows
 *     ROWS     REDUCEs and elements in any order: a softmax. A row must be kept, or computed again.
 */
#ifndef GNDI_FUSE_PLAN_H
#define GNDI_FUSE_PLAN_H

#include "kernels/ops/ops.h"
#include "reduce/reduce_plan.h"

enum {
    GNDI_FUSE_CODE = 1024,   /* instructions at most: 256 operators, for rows and for elements, with
                              their loads and stores */
    GNDI_FUSE_OPERANDS = 64, /* arrays and index sequences */
    GNDI_FUSE_CONSTANTS = 192,
    GNDI_FUSE_REDUCTIONS = 16,
    GNDI_FUSE_NONE = 0xFFFF, /* no operand: `in` of what takes fewer */
};

/* The executor that a backend names if its ordinary hooks, operator by operator, are faster. */
#define GNDI_FUSE_FALLBACK_NAME "fallback"

typedef enum gndi_fuse_shape { GNDI_FUSE_MAP, GNDI_FUSE_REDUCE_ONLY, GNDI_FUSE_ROWS } gndi_fuse_shape;

/* `dtype` is that of the value of an instruction, which is rounded to the storage type of that dtype: a
   float16 is rounded to 16 bits after each instruction, as if it had been stored to memory. */
typedef enum gndi_fuse_kind {
    GNDI_FUSE_LOAD,    /* operand[at], of its dtype */
    GNDI_FUSE_CONST,   /* constant[at] */
    GNDI_FUSE_INDEX,   /* int64: a number for each index, operand[at]'s strides times the index
                          (no memory: operand[at].data is NULL, strides count elements) */
    GNDI_FUSE_RANGE,   /* constant[at] + in[0] * constant[at + 1], in[0] an INDEX: as the hook `sequence`
                          of the backend computes: integers exactly, in 64 bits; floats in float64 */
    GNDI_FUSE_UNIFORM, /* the number in[0] (an INDEX) of a draw of uniform numbers in [0, 1), of Philox:
                          constant[at].u64 the key, [at + 1] the position, in 32-bit words, of number 0 (even
                          for float64), [at + 2] the stream (random/random_plan.h) */
    GNDI_FUSE_CAST,    /* in[0] cast to dtype as a copy would (ops::copy) */
    GNDI_FUSE_OP,      /* operator `op` in loop `loop` of in[0 .. nin-1], which have the dtypes of its
                          letters; params[at] if it takes parameters. Never one that can fault. */
    GNDI_FUSE_SECOND,  /* the second result of OP in[0] */
    GNDI_FUSE_REDUCE,  /* in[0] over the row, reduction[at]: a value of the row */
    GNDI_FUSE_STORE,   /* operand[at] = in[0], which has its dtype; has no value. For a row's value: once a row */
} gndi_fuse_kind;

typedef struct gndi_fuse_code {
    uint8_t kind;  /* gndi_fuse_kind */
    uint8_t op;    /* of OP */
    uint8_t loop;  /* of OP: a gnd_dtype */
    uint8_t dtype; /* of the value (STORE: of what is stored) */
    uint16_t row;  /* one value a row */
    uint16_t at;
    uint16_t in[3];
} gndi_fuse_code;

/* SUM PRODUCT MINIMUM MAXIMUM ANY ALL COUNT VARIANCE of reduce/reduce_plan.h, in loop `loop`, which is
   the dtype of in[0] (ANY, ALL, COUNT test it against zero). Accumulated and finished as there: 16 bits
   in float32, integers modulo 2^64, NONE, DIVIDE (a mean) or SQRT. length may be 0: SUM 0, PRODUCT 1, ANY
   false, ALL true, COUNT 0, means and variances NaN; extremes of nothing were refused. */
typedef struct gndi_fuse_reduction {
    uint8_t reducer, finish, loop;
    double divisor, ddof;
} gndi_fuse_reduction;

typedef struct gndi_fuse_operand {
    char *data; /* NULL: an index sequence */
    uint8_t dtype;
    bool store;
} gndi_fuse_operand;

/*
 * Axes of size 1 are dropped; the kept axes are sorted by the stores' strides (the first that differ; else
 * the loads'), the reduced ones by the loads', the fastest LAST in each group, and axes that are contiguous
 * in every operand are merged. Strides of stores are not negative. No store overlaps another, nor any load
 * except one that reads the same element at the same index.
 */
struct gndi_fuse_plan {
    gndi_fuse_shape shape_of;
    int ndim, kept;
    int64_t size, rows, length;
    int64_t shape[GND_MAX_DIMS];
    int count, operands, constants, reductions, parameters;
    bool contiguous;  /* ndim <= 1, a MAP, and every operand with memory is dense or of stride 0 */
    bool contract;    /* a product and a sum may round once */
    uint8_t executor; /* gnd_fuse_executor: AUTO, INTERPRET or COMPILE */
    uint64_t key;     /* of everything but addresses, sizes and strides' values: code, dtypes, constants' dtypes */
    gndi_fuse_code code[GNDI_FUSE_CODE];
    gndi_fuse_operand operand[GNDI_FUSE_OPERANDS];
    int64_t stride[GNDI_FUSE_OPERANDS][GND_MAX_DIMS]; /* bytes; 0 along axes it is broadcast over */
    gndi_scalar constant[GNDI_FUSE_CONSTANTS];
    double params[16][4];
    gndi_fuse_reduction reduction[GNDI_FUSE_REDUCTIONS];
};

/* Whether value i is needed by instructions of one kind alone. */
static inline bool gndi_fuse_is_for(const struct gndi_fuse_plan *plan, int i, gndi_fuse_kind kind) {
    for (int j = i + 1; j < plan->count; j++)
        for (int k = 0; k < 3; k++)
            if (plan->code[j].in[k] == i && plan->code[j].kind != kind) return false;
    return true;
}

/* Whether instruction i casts a load for operators alone: ordinary loops read that memory in its own dtype. */
static inline bool gndi_fuse_is_load_cast(const struct gndi_fuse_plan *plan, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    return c->kind == GNDI_FUSE_CAST && plan->code[c->in[0]].kind == GNDI_FUSE_LOAD &&
           gndi_fuse_is_for(plan, i, GNDI_FUSE_OP);
}

/* Whether instruction i casts a result that is stored so, and needed for nothing else: ordinary loops store it in the
   dtype of the cast. */
static inline bool gndi_fuse_is_store_cast(const struct gndi_fuse_plan *plan, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    if (c->kind != GNDI_FUSE_CAST || plan->code[c->in[0]].kind != GNDI_FUSE_OP) return false;
    for (int j = c->in[0] + 1; j < plan->count; j++)
        for (int k = 0; k < 3; k++)
            if (j != i && plan->code[j].in[k] == c->in[0]) return false;
    return gndi_fuse_is_for(plan, i, GNDI_FUSE_STORE);
}

#endif
