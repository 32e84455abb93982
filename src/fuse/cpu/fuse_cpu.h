/*
 * fuse_cpu.h: what the parts of the CPU's fused programs share.
 *
 *     fuse_cpu.c           groups of rows, tiles, threads
 *     fuse_cpu_geometry.c  the sizes and layouts of these
 *     fuse_cpu_program.c   from a plan to steps: phases, kept values, buffers by liveness
 *     fuse_cpu_run.c       a worker runs steps over a tile
 *     fuse_cpu_tile.c      operands into and out of tiles
 *     fuse_cpu_reduce.c    reductions, by the methods of reduce_cpu.h
 *
 * A *tile* is some hundred elements of the index space, dense in buffers that stay in the caches: steps run
 * over it one after the other, with the loops of the ordinary operators. In programs with reductions, a
 * *group* is a few rows, and the element steps are divided into *phases*: a group runs one phase tile by tile,
 * finishes its reductions, computes its rows' values, and then runs the next phase. Element values that a later
 * phase needs are kept for the whole group, or loaded again.
 */
#ifndef GNDI_CPU_FUSE_CPU_H
#define GNDI_CPU_FUSE_CPU_H

#include "reduce/cpu/reduce_cpu.h"
#include "fuse/fuse_plan.h"

enum {
    FUSE_PHASES = GNDI_FUSE_REDUCTIONS + 1,
    FUSE_LONG = 256, /* elements from which a run of the fastest axis is divided into tiles of its own */
    FUSE_LEAST_TILE = 256,
    FUSE_MOST_TILE = 4096,
    FUSE_LEAST_TRANSPOSED = 4, /* rows from which a block is transposed */
    /* A kind of step: broadcasts a row's value to its elements. */
    FUSE_STEP_SPREAD = GNDI_FUSE_STORE + 1,
};

/* Where a value is stored. */
typedef enum fuse_home {
    FUSE_NOWHERE,
    FUSE_SLOT,   /* a tile buffer that it shares with others */
    FUSE_PINNED, /* a buffer of its own: a value that stays the same from tile to tile */
    FUSE_KEPT,   /* a buffer for a whole group */
    FUSE_ROW,    /* one element for each row of the group */
} fuse_home;

typedef struct fuse_value {
    uint8_t home, dtype, size_log2;
    bool row;       /* one a row */
    bool copied;    /* a load whose memory is overwritten before its last use: never used in place */
    bool rereads;   /* computed again in each phase that needs it, rather than kept */
    int16_t slot;   /* of FUSE_SLOT */
    int16_t phase;  /* in which it is computed; for a REDUCE, in which it is reduced */
    int64_t offset; /* of its buffer in a worker's memory */
} fuse_value;

/* A tile buffer that values share. */
typedef struct fuse_slot {
    int64_t offset;
    int size_log2; /* of an element of the widest of them */
} fuse_slot;

typedef struct fuse_step {
    uint8_t kind, nin, nout;
    uint16_t to, second; /* the values that it computes */
    uint16_t in[3];
    uint16_t at;       /* operand, constant or reduction */
    int16_t output[2]; /* the operand whose memory the value is computed into, or -1 */
    union {
        gndi_cpu_kernel op;
        gndi_cpu_cast cast;
    };
    const double *params;
} fuse_step;

typedef struct fuse_steps {
    fuse_step *step;
    int count;
} fuse_steps;

/* An operand's layout for tiles. */
typedef struct fuse_operand {
    uint8_t size_log2, itemsize;
    bool flat;     /* dense over the whole space */
    bool periodic; /* the same in every run of the fastest axis, which is short: copied once */
    bool aliased;  /* memory that is loaded and stored, and still needed when it could be overwritten */
} fuse_operand;

/* The layout of tiles in the space. */
typedef enum fuse_layout {
    FUSE_LINEAR,  /* neighbours in C order: within a run of the fastest axis if that is long, else several
                    adjacent runs, or whole rows */
    FUSE_BLOCKS,  /* rows x columns, if a load is contiguous along another axis than the fastest: along
                    a tile's rows. In programs with reductions these are rows of a group */
    FUSE_COLUMNS, /* reduced along rows of the tile; its columns are rows of a group */
} fuse_layout;

typedef struct fuse_reduction {
    gndi_reduce_plan plan;
    reduce_job job;
    uint16_t to; /* its value */
    int16_t phase;
    int levels;      /* of parts of a sum */
    int64_t offset;  /* of its accumulators in a worker's memory; those of its parts follow */
    int64_t partial; /* of its accumulators in a task's partials */
} fuse_reduction;

typedef struct fuse_job {
    const gndi_fuse_plan *plan;
    const gndi_cpu_kernels *kernels;
    bool map, streams;
    /* the program */
    int phases;
    fuse_steps elements[FUSE_PHASES], rows[FUSE_PHASES + 1], row_stores;
    fuse_step *steps; /* all of them */
    int slots, kept_count, values;
    fuse_slot *slot;
    uint16_t *kept; /* the kept values */
    fuse_operand operand[GNDI_FUSE_OPERANDS];
    fuse_value *value;
    fuse_reduction *reduction;
    /* geometry */
    fuse_layout layout;
    int axis_a, axis_b;     /* of blocks and columns: rows and columns of a tile */
    int64_t run;            /* length of the fastest axis */
    int64_t tile;           /* elements, at most */
    int64_t tile_a, tile_b; /* rows and columns of a MAP's blocks, at most */
    int64_t cut;            /* elements of a row in a tile, at most */
    bool mixed;             /* some loads are contiguous along rows of a group, some across them */
    int64_t group, groups;  /* rows in a group, at most */
    int64_t across;         /* groups along the fastest kept axis; unused in FUSE_LINEAR */
    int64_t block, blocks;  /* elements of a row in a task, and blocks of a row */
    int levels;             /* of parts of sums */
    char *partials;         /* [group][block][reduction] */
    int64_t partial_bytes;
    int64_t memory; /* of a worker, bytes; and in it: */
    int64_t at_offset, filled_offset, jobs_offset;
    int workers;
    char *worker_memory, *allocated;
} fuse_job;

/* Some elements of the space. */
typedef struct fuse_tile {
    int ndim;      /* axes of its space: all, or the kept ones */
    bool block;    /* else linear */
    int64_t first; /* linear: index of the first element */
    int64_t n, rows, columns;
    int64_t position; /* of its first element in its group */
    int64_t inside;   /* linear: index of the first element in its run */
    int64_t offset[GNDI_FUSE_OPERANDS];
} fuse_tile;

/* The contents of a pinned buffer. */
typedef struct fuse_filled {
    const char *from; /* a load: the address of its first element */
    int64_t group;    /* a spread value: the number of its group */
    int64_t n, columns;
} fuse_filled;

/* A thread's workspace. Buffers follow it in memory. */
typedef struct fuse_worker {
    const fuse_job *job;
    atomic_int busy;
    bool ready;
    int64_t group_number; /* counts groups, which shows whether a broadcast value is outdated */
    reduce_job *reduce;   /* its own copy: the addresses of tiles' rows vary */
    char **at;            /* the address of each value */
    fuse_filled *filled;  /* by value */
    int64_t pieces[GNDI_FUSE_REDUCTIONS];
} fuse_worker;

static inline char *fuse_home_of(fuse_worker *w, int value) {
    return (char *)w + w->job->value[value].offset;
}

/* ---- fuse_cpu_program.c --------------------------------------------------------------------- */

/* Values have the numbers of the instructions that compute them; second results follow, then values of rows
   broadcast to elements. */
static inline int fuse_second(const gndi_fuse_plan *plan, int code) {
    return plan->count + code;
}
static inline int fuse_spread(const gndi_fuse_plan *plan, int value) {
    return 2 * plan->count + value;
}
/* Builds steps, phases and slots, after the layout was chosen. False (raises) if there is no memory. */
bool gndi_fuse_build(fuse_job *job, const char *fn);

/* ---- fuse_cpu_geometry.c -------------------------------------------------------------------- */

/* Chooses the layout of tiles, before the program is built; and their sizes, afterwards. */
void gndi_fuse_describe(fuse_job *job, const gndi_fuse_plan *plan);
void gndi_fuse_measure(fuse_job *job);

/* ---- fuse_cpu_tile.c ------------------------------------------------------------------------ */

/* Sets a tile's offsets in all operands to those of element `first` of the first `ndim` axes. */
void gndi_fuse_seek(const fuse_job *job, int ndim, int64_t first, fuse_tile *tile);
/* Elements of an operand, dense: in its own memory, or in `buffer`. */
char *gndi_fuse_load(fuse_worker *w, const fuse_tile *tile, const fuse_step *step, char *buffer);
/* The address of a tile of an operand if it is dense there, else NULL. */
char *gndi_fuse_in_place(const fuse_job *job, const fuse_tile *tile, int operand);
void gndi_fuse_store(const fuse_job *job, const fuse_tile *tile, int operand, const char *from);
void gndi_fuse_index(const fuse_job *job, const fuse_tile *tile, int operand, int64_t *to);
void gndi_fuse_spread(fuse_worker *w, const fuse_tile *tile, const fuse_step *step);

/* ---- fuse_cpu_run.c ------------------------------------------------------------------------- */

void gndi_fuse_run(fuse_worker *w, const fuse_steps *steps, const fuse_tile *tile);
/* Prepares a worker for its first use: pointers, and broadcast constants. */
void gndi_fuse_ready(fuse_worker *w);

/* ---- fuse_cpu_reduce.c ---------------------------------------------------------------------- */

/* Prepares the reductions of a plan, for groups of job->group rows. False (raises) if there is no memory. */
bool gndi_fuse_reductions(fuse_job *job, gnd_stream *s, const char *fn);
void gndi_fuse_reduce_begin(fuse_worker *w, int phase, int64_t rows);
void gndi_fuse_reduce_tile(fuse_worker *w, const fuse_tile *tile, int reduction, const char *x);
/* Stores the results of a phase's reductions as values of rows. */
void gndi_fuse_reduce_end(fuse_worker *w, int phase, int64_t rows);
/* The same into a task's partials; and from the partials of all blocks of a group. */
void gndi_fuse_reduce_leave(fuse_worker *w, int64_t task, int64_t rows);
void gndi_fuse_reduce_join(fuse_worker *w, int64_t group, int64_t rows);

#endif
