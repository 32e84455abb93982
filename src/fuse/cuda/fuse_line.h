/*
 * fuse_line.h: the interface between the launcher (C) and the line interpreter (CUDA). The line interpreter runs
 * the most common programs faster than the general interpreter of fuse_loop.cuh: those of float32 or float64, with
 * few operators, and operands along one axis or along rows; it needs few registers and no calls.
 *
 * A block has chunks of 16 bytes of one row (in a map: of all elements), GNDI_LINE_MANY for each thread, which are a
 * block's threads apart; or, in a reduction, every parts-th such tile of a row.
 */
#ifndef GNDI_FUSE_LINE_H
#define GNDI_FUSE_LINE_H

#include "fuse/cuda/fuse_params.h"

/* Tuning parameters: threads of a block of a map; words of a value in a thread; threads of a multiprocessor
   that must have registers (Turing has at most 1024). */
#ifndef GNDI_TUNE_LINE_THREADS
#    define GNDI_TUNE_LINE_THREADS 128
#endif
#ifndef GNDI_TUNE_LINE_WORDS
#    define GNDI_TUNE_LINE_WORDS 16
#endif
#ifndef GNDI_TUNE_LINE_RESIDENT
#    define GNDI_TUNE_LINE_RESIDENT 1024
#endif

/* Operators in the loop, and those in its bool loop. */
/* clang-format off */
#define GNDI_LINE_OPERATORS(X)                                                                     \
    X(add) X(subtract) X(multiply) X(divide) X(negative) X(absolute) X(square) X(maximum)          \
    X(minimum) X(fmax) X(fmin) X(reciprocal) X(sqrt) X(rsqrt) X(exp) X(exp2) X(expm1) X(log)       \
    X(log2) X(log10) X(log1p) X(tanh) X(sin) X(cos) X(power) X(erf) X(floor) X(ceil) X(rint)       \
    X(sign) X(equal) X(not_equal) X(less) X(less_equal) X(greater) X(greater_equal) X(fma)         \
    X(where) X(clip)
/* clang-format on */
#define GNDI_LINE_BOOLS(X) X(logical_and) X(logical_or) X(logical_xor) X(logical_not)

enum {
#define X(name) GNDI_LINE_##name,
    GNDI_LINE_OPERATORS(X)
#undef X
#define X(name) GNDI_LINE_BOOL_##name,
        GNDI_LINE_BOOLS(X)
#undef X
            GNDI_LINE_SUBTRACT_FROM, /* b - a */
    GNDI_LINE_DIVIDE_INTO,           /* b / a */
    GNDI_LINE_DIVIDE_ONCE,           /* a / c, c > 0, where splat b is {c, 1 / c}: see divided */
    GNDI_LINE_DIVIDE_TWICE,
    GNDI_LINE_DIVIDE_BY_RESULT, /* b is the same for all elements */
    GNDI_LINE_NOTHING,
    GNDI_LINE_STORE,      /* to array c */
    GNDI_LINE_STORE_BOOL, /* the low bytes */
    GNDI_LINE_STORE_ROW,  /* one element */
    GNDI_LINE_LOAD_ROW,
    GNDI_LINE_REDUCE, /* into result c */

    GNDI_LINE_MANY = GNDI_TUNE_LINE_WORDS / 4,
    GNDI_LINE_MOST_THREADS = 512,
    GNDI_LINE_STEPS = 32,
    GNDI_LINE_SPLATS = 24,
    GNDI_LINE_ARRAYS = 12,
    GNDI_LINE_RESULTS = 4,
    GNDI_LINE_NOWHERE = 0xFF,

    /* The last operation on a result: gndi_reduce_finish. */
    GNDI_LINE_DIVIDED = 1,
    GNDI_LINE_ROOT,

    /* Flags added to an operation in a step's `op`. */
    GNDI_LINE_BRINGS = 1 << 8, /* loads a, which is not in the accumulator yet */
    GNDI_LINE_KEEPS = 1 << 9,  /* stores the accumulator in the register whose offset is in the upper 16 bits */
};

/* Offsets of operands: bytes from the beginning of a thread's registers, or of the block's shared memory (splats, which
   are behind the file: results first), times 2, plus 1 for registers. */
typedef struct gndi_line_step {
    uint32_t op, b;
    uint32_t a, c;
} gndi_line_step;

typedef struct gndi_line_result {
    uint8_t reducer, finish;
    double divisor, ddof;
} gndi_line_result;

typedef struct gndi_line_params {
    uint32_t length;          /* of a row */
    uint32_t parts;           /* blocks that share a row */
    gndi_cuda_divisor groups; /* of a block's number */
    uint32_t file_chunks;     /* of a block */
    uint32_t same;            /* a bit for each array that has one element for a whole row */
    uint8_t body, steps;      /* steps that every tile runs, all steps */
    uint8_t loads, splats;    /* array[0] is loaded to the accumulator, array[k] to register k - 1 */
    uint8_t last;             /* array that the accumulator goes to behind the body; NOWHERE */
    uint8_t results, at_once; /* at once: a row is one tile, and the steps behind can use results */
    char *array[GNDI_LINE_ARRAYS];
    int64_t row_stride[GNDI_LINE_ARRAYS];
    gndi_line_step step[GNDI_LINE_STEPS];
    uint32_t splat[GNDI_LINE_SPLATS][4];
    unsigned *tickets;
    void *partials; /* [row][part][result] */
    gndi_line_result result[GNDI_LINE_RESULTS];
} gndi_line_params;

#endif
