/*
 * fuse_params.h: the interface between the launcher (C) and the interpreter of fused programs (CUDA): the
 * steps of a program, where values are stored, how elements are assigned to threads.
 *
 * A thread has GNDI_FUSE_WORDS words of each value: chunks of 16 bytes, elements of the loop's dtype that
 * are neighbours along the fastest axis. A value of a narrower dtype (a bool beside floats) is in the low
 * bytes of the elements' slots. Values are in the accumulator, which is in real registers, and in a file of
 * registers in shared memory, where a thread accesses only its own chunks.
 */
#ifndef GNDI_FUSE_PARAMS_H
#define GNDI_FUSE_PARAMS_H

#include "elementwise/cuda/elementwise_params.h"

/* Tuning parameters: threads of a block of a map; words of a value in a thread; blocks of that many threads for which a
   multiprocessor must have registers; whether exp of float32 is a light operator. */
#ifndef GNDI_TUNE_FUSE_THREADS
#    define GNDI_TUNE_FUSE_THREADS 256
#endif
#ifndef GNDI_TUNE_FUSE_WORDS
#    define GNDI_TUNE_FUSE_WORDS 16
#endif
#ifndef GNDI_TUNE_FUSE_RESIDENT
#    define GNDI_TUNE_FUSE_RESIDENT 3
#endif
#ifndef GNDI_TUNE_FUSE_EXP
#    define GNDI_TUNE_FUSE_EXP 1
#endif

enum {
    GNDI_FUSE_LOG_THREADS = 8,
    GNDI_FUSE_THREADS = 1 << GNDI_FUSE_LOG_THREADS, /* a block, at most */
    GNDI_FUSE_STEPS = 640,
    GNDI_FUSE_NUMBERS = 96, /* of sequences and draws */
    GNDI_FUSE_STRIDES = 384,
    GNDI_FUSE_AXES = 8,
    GNDI_FUSE_FETCHES = 8, /* operands whose loads start before the first step */
    GNDI_FUSE_PARAMS = 16,
    GNDI_FUSE_RESULTS = 16, /* results of reductions */
    GNDI_FUSE_ARRAYS = 64,
    GNDI_FUSE_PARTIAL = 32, /* bytes of an accumulator in memory */

    /* The reducers of reduce/reduce_plan.h. */
    GNDI_FUSE_SUMS = 0,
    GNDI_FUSE_PRODUCTS,
    GNDI_FUSE_MINIMA,
    GNDI_FUSE_MAXIMA,
    GNDI_FUSE_ANYS,
    GNDI_FUSE_ALLS,
    GNDI_FUSE_COUNTS,
    GNDI_FUSE_VARIANCES,

    /* Where a step's operand is. */
    GNDI_FUSE_REGISTERS = 128,                           /* 0 .. 127: of the file */
    GNDI_FUSE_ROW = GNDI_FUSE_REGISTERS,                 /* .. 143: the result of a reduction */
    GNDI_FUSE_SPLAT = GNDI_FUSE_ROW + GNDI_FUSE_RESULTS, /* .. 253: a constant */
    GNDI_FUSE_SPLATS = 254 - GNDI_FUSE_SPLAT,
    GNDI_FUSE_ACC = 254,     /* the accumulator: as first or second operand only */
    GNDI_FUSE_NOWHERE = 255, /* no operand; or a result that only the accumulator keeps */

    /* Operations: an operator in the kernel's loop, its second result; the same for light ones (their code is
       in the kernel itself), those in the bool loop of another loop; and: */
    GNDI_FUSE_SECONDS = 128,
    GNDI_FUSE_LIGHT = 256,
    GNDI_FUSE_BOOL = 384,
    GNDI_FUSE_STEP_NOTHING = 512, /* loads a into the accumulator */
    GNDI_FUSE_STEP_LOAD,          /* array `at`, 2^c bytes an element, packed */
    GNDI_FUSE_STEP_LOAD_LARGER,   /* array `at`, of a dtype `c` that is larger than the loop's, cast to that */
    GNDI_FUSE_STEP_STORE,         /* a, packed, to array `at`, 2^c bytes an element; out: of a row */
    GNDI_FUSE_STEP_STORE_LARGER,  /* a cast to the larger dtype `c` */
    GNDI_FUSE_STEP_STORE_ROW,     /* 8 bytes of result `out`, which no slot may hold, to array `at` */
    GNDI_FUSE_STEP_UNPACK,        /* packed elements of dtype `c`, cast to the loop's; from 16 on, 2^(c - 16) */
    GNDI_FUSE_STEP_PACK,          /* bytes, not converted. And the inverse */
    GNDI_FUSE_STEP_RANGE,         /* number[c ...]: first and step (of floating numbers re, im, re, im) */
    GNDI_FUSE_STEP_UNIFORM,       /* number[c ...]: key, position, stream; both by indices, array `at` */
    GNDI_FUSE_STEP_REDUCE,        /* a, into result `at` */
};

typedef struct gndi_fuse_step {
    uint16_t op, at; /* at: also which parameters */
    uint8_t a, b, c; /* operands */
    uint8_t out;     /* of the file; NOWHERE */
} gndi_fuse_step;

typedef struct gndi_fuse_fetch {
    uint8_t array, to;
} gndi_fuse_fetch;

typedef struct gndi_fuse_result {
    uint8_t reducer, finish; /* gndi_reduce_finish */
    uint8_t is_signed;       /* integers; */
    uint8_t of_bools;        /* beside another loop */
    uint32_t offset;         /* of the threads' accumulators in shared memory */
    double divisor, ddof;
} gndi_fuse_result;

/*
 * Axes are in two groups: the chunks of a thread advance along the last axis of the second. By rows the first
 * group has the kept axes, the second the reduced ones (in a map: all); `lanes` threads share a row, and a block
 * has several rows. By columns the groups are exchanged: `lanes` threads, `across` threads apart, share a chunk
 * of columns. `parts` blocks share what is reduced, tile by tile; a block of a map has one tile. At once: there
 * is one tile and one part, and the steps behind a reduction can use its result.
 */
typedef struct gndi_fuse_head {
    uint32_t steps, body; /* steps; those of them that every tile runs */
    bool columns, at_once;
    bool in_line; /* by rows; the second group is one axis, the first at most one */
    uint8_t axes, first_axes, fetches, results;
    uint8_t log_lanes, log_across;         /* powers of two; lanes * across = threads, by columns */
    uint16_t acc_bytes[GNDI_FUSE_RESULTS]; /* a thread's accumulators, of each result */
    uint32_t parts;
    uint64_t length;                /* elements of a row */
    uint32_t firsts, chunks;        /* indices of the first group, chunks of the second */
    uint32_t run;                   /* size of the last axis, */
    uint32_t whole_chunks;          /* of it, if in line */
    gndi_cuda_divisor per_run;      /* and chunks of it */
    gndi_cuda_divisor groups;       /* parts of a block's number */
    uint32_t file_bytes, row_bytes; /* shared memory: the file, results, accumulators */
    unsigned *tickets;
    char *partials;
    gndi_cuda_divisor axis[GNDI_FUSE_AXES];
    gndi_fuse_fetch fetch[GNDI_FUSE_FETCHES];
    /* Offsets of the parts of the program behind the head, in bytes; the steps come first. */
    uint16_t data, stride, vectors, result, number, params, splat;
} gndi_fuse_head;

/* The program as it is written; its used parts are packed behind the head. */
typedef struct gndi_fuse_program {
    char *data[GNDI_FUSE_ARRAYS];      /* for an index sequence: its first number */
    int64_t stride[GNDI_FUSE_STRIDES]; /* [array][axis]: bytes */
    uint8_t vectors[GNDI_FUSE_ARRAYS]; /* chunks are vectors in memory */
    gndi_fuse_result result[GNDI_FUSE_RESULTS];
    uint64_t number[GNDI_FUSE_NUMBERS];
    double params[GNDI_FUSE_PARAMS][4];
    uint32_t splat[GNDI_FUSE_SPLATS][4]; /* 16 bytes, filled with the value */
    gndi_fuse_step step[GNDI_FUSE_STEPS];
} gndi_fuse_program;

/* A launch copies all of its parameters, used or not: so there are kernels with few. */
enum { GNDI_FUSE_BRIEF = 640, GNDI_FUSE_LONG = sizeof(gndi_fuse_program) + 8 * 16 };
typedef struct gndi_fuse_params {
    gndi_fuse_head head;
    uint64_t pool[GNDI_FUSE_LONG / 8];
} gndi_fuse_params;
typedef struct gndi_fuse_brief_params {
    gndi_fuse_head head;
    uint64_t pool[GNDI_FUSE_BRIEF / 8];
} gndi_fuse_brief_params;

/* The interpreter of one loop, and bytes of shared memory that a thread needs for each reducer (0: it has none). */
enum {
    GNDI_FUSE_HAS_LIGHT = 1, /* an operator of the loop */
    GNDI_FUSE_HAS_HEAVY = 2,
    GNDI_FUSE_HAS_SECOND = 4,
    GNDI_FUSE_HAS_BOOL = 8, /* in the bool loop beside it */
};
typedef struct gndi_fuse_loop {
    const void *kernel;
    const void *brief;          /* the same with short parameters; NULL: there is none */
    uint8_t has[GNDI_OP_COUNT]; /* sums of the above */
    uint8_t words;              /* of a value, a thread */
    uint8_t acc_bytes[8];
} gndi_fuse_loop;

#endif
