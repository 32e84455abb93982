/*
 * reduce_cpu.h: what the parts of the CPU's reductions share.
 *
 *     reduce_cpu.c         geometry: tiles of outputs, blocks of the reduced axes, threads
 *     reduce_fetch.c       elements into dense rows: gathered, cast, mapped, masked
 *     reduce_kinds.c       sums, products, extremes, counts, means, ranges
 *     reduce_variance.c    variances
 *     reduce_indices.c      where the smallest or largest element is
 *     reduce_store.c       from accumulators to the output
 *
 * A task is one tile of outputs along the fastest kept axis, and one block of what goes into each
 * of them. The driver walks through the block and hands pieces to the reducer's method: rows and
 * columns of elements, whose strides are the same in all pieces of a job. Either rows are elements
 * of the fastest reduced axis and columns are outputs ("by rows"), or the other way round ("runs").
 */
#ifndef GNDI_CPU_REDUCE_CPU_H
#define GNDI_CPU_REDUCE_CPU_H

#include "elementwise/cpu/cpu_kernels.h"
#include "reduce/cpu/reduce_loops.h"
#include "reduce/reduce_plan.h"
#include "runtime/hooks.h"
#include "runtime/runtime.h"

enum {
    REDUCE_RUN_TILE = 1024,      /* outputs, where runs are reduced */
    REDUCE_ROW_TILE = 4096,      /* outputs, where rows are added to each other */
    REDUCE_ROWS_PARTIAL = 64,    /* rows that are added before the sum goes to the total */
    REDUCE_BUFFER_BYTES = 16384, /* elements on their way through a buffer */
    REDUCE_ACC_BYTES = 32,       /* of an output, at most */
    REDUCE_MOST_COMPONENTS = 2,
    REDUCE_LEVELS = 7, /* of parts of a sum, at most */
    REDUCE_EACH = 8,   /* parts that make one of the next level */
    /* Fewer outputs than so many tasks: reduced axes are cut, into blocks of so many elements or more. */
    REDUCE_TASKS = 64,
    REDUCE_TASK_ELEMENTS = 65536,
};

/* Where an operand's rows and columns are. */
typedef struct reduce_steps {
    int64_t row, column;
} reduce_steps;

typedef struct reduce_piece {
    const char *in, *second, *mask; /* second and mask: NULL if there is none */
    int64_t rows, columns;
    int64_t output; /* of the tile: the first one */
    int64_t index;  /* of the first element, in the plan's counting */
    uint64_t tile;  /* its bit in `settled` of the job; 0: it has none */
} reduce_piece;

typedef struct reduce_job reduce_job;

/* What a reducer does with pieces. Accumulators are a tile's, `reduce_job.acc_bytes` of them. */
typedef struct reduce_method {
    void (*clear)(const reduce_job *job, char *acc, int64_t n);
    void (*take)(const reduce_job *job, const reduce_piece *piece, char *acc);
    void (*join)(const reduce_job *job, char *acc, const char *with, int64_t n);
    void (*store)(const reduce_job *job, char *acc, int64_t n, char *out, int64_t step);
} reduce_method;

/* A fold of one quantity; several may go on side by side. */
typedef struct reduce_component {
    const gndi_cpu_reduction *loops;
    int fold;       /* GNDI_CPU_SUM and so on */
    bool of_taken;  /* it counts the elements that take part */
    int64_t offset; /* of its accumulators */
} reduce_component;

/* Everything the pieces of one reduction need to know. */
struct reduce_job {
    const gndi_reduce_plan *plan;
    const reduce_method *method;
    const gndi_cpu_kernels *kernels;
    gnd_stream *stream;
    gndi_reducer reducer; /* of bool: ANY for SUM and MAXIMUM, ALL for PRODUCT and MINIMUM */

    /* elements */
    gnd_dtype loop;   /* what they are cast to */
    gnd_dtype wide;   /* what they are mapped in: float32 for halves */
    gnd_dtype work;   /* what they are then */
    int size;         /* of `work` */
    bool direct;      /* nothing to cast, map or mask: they are taken where they are */
    bool neutralises; /* elements that are left out are replaced by `neutral` */
    int64_t most;     /* elements that fit a buffer */
    char neutral[16];
    reduce_component component[REDUCE_MOST_COMPONENTS];
    int components;

    /* geometry */
    bool by_rows;
    reduce_steps in, second, mask, index;
    int64_t run;                       /* length of the fastest reduced axis */
    int outer_ndim;                    /* reduced axes before it */
    int64_t tile, tiles_across, tiles; /* outputs a tile, tiles along the fastest kept axis, all */
    int64_t width;                     /* of that axis */
    int64_t block, blocks;             /* elements of an output's reduced axes in a block */
    int64_t acc_bytes;                 /* of a tile's accumulators */
    char *partials;                    /* [tile][block] */
    atomic_uint_least64_t settled;     /* any, all: tiles, by their bits, all of whose outputs are known */
};

static inline bool gndi_reduce_is_settled(const reduce_job *j, uint64_t tile) {
    return atomic_load_explicit(&((reduce_job *)(uintptr_t)j)->settled, memory_order_relaxed) & tile;
}
/* No further elements of the tile need be looked at, by other blocks neither. */
static inline void gndi_reduce_settle(const reduce_job *j, uint64_t tile) {
    if (tile) atomic_fetch_or_explicit(&((reduce_job *)(uintptr_t)j)->settled, tile, memory_order_relaxed);
}

extern const reduce_method gndi_reduce_folds, gndi_reduce_variances, gndi_reduce_indices;
/* Of bool: whether the best element there can be has been found, of one output. */
bool gndi_reduce_indices_settled(const reduce_job *j, char *acc);

/* ---- reduce_cpu.c --------------------------------------------------------------------------- */

/* What a plan asks for, in tiles of its own geometry. */
void gndi_reduce_describe(reduce_job *job, gnd_stream *s, const gndi_reduce_plan *plan);

/* Sums of many pieces, where rounding matters: REDUCE_EACH pieces make a part of the first level, as
   many of these one of the next, so that errors stay as small as those of a pairwise sum. */
typedef struct reduce_cascade {
    int levels;
    int64_t pieces, level_bytes;
    char *part; /* accumulators of the first level; the other levels' follow */
} reduce_cascade;

/* Whether rounding matters. */
bool gndi_reduce_cascades(const reduce_job *job);
void gndi_reduce_cascade_begin(const reduce_job *job, reduce_cascade *c, int64_t n);
/* After a piece has gone to the first level: what is full goes to the next one. */
void gndi_reduce_cascade_on(const reduce_job *job, reduce_cascade *c, int64_t n);
void gndi_reduce_cascade_end(const reduce_job *job, const reduce_cascade *c, int64_t n, char *acc);

/* ---- reduce_fetch.c ------------------------------------------------------------------------- */

typedef struct reduce_buffers {
    _Alignas(64) char x[2][REDUCE_BUFFER_BYTES], y[2][REDUCE_BUFFER_BYTES];
    _Alignas(64) uint8_t taken[REDUCE_BUFFER_BYTES], mask[REDUCE_BUFFER_BYTES];
} reduce_buffers;

/* Rows of dense columns, `pitch` bytes apart. */
typedef struct reduce_block {
    const char *values;
    int64_t pitch;
    const uint8_t *taken; /* dense; which elements take part; NULL: all, or not asked for */
    const uint8_t *mask;  /* dense; the mask alone; NULL: none */
} reduce_block;

/* Part of a piece, of at most job->most elements; of any size where job->direct. */
reduce_block gndi_reduce_fetch(const reduce_job *job, const reduce_piece *piece, int64_t row, int64_t column,
                               int64_t rows, int64_t columns, reduce_buffers *to);
/* Whether the columns of a direct job are neighbours in memory, so that nothing is copied. */
static inline bool gndi_reduce_in_place(const reduce_job *job) {
    return job->direct && job->in.column == job->size;
}

/* ---- reduce_store.c ------------------------------------------------------------------------- */

void gndi_reduce_store_folds(const reduce_job *job, char *acc, int64_t n, char *out, int64_t step);
/* One real number of float64 to the output's dtype. */
void gndi_reduce_store_real(int dtype, double value, char *out);

#endif
