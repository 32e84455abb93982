/*
 * fuse.h: the parts of fusion.
 *
 *     block.c        the public functions, a thread's settings, the runtime's hooks
 *     record.c       records operations: nodes of a program, and pending arrays that stand for them
 *     program.c      a program's tables: nodes, leaves, constants, shapes, targets
 *     flush.c        which values are wanted, and which launches compute them
 *     launch.c       the code of one launch
 *     launch_axes.c  its axes: sorted and merged for backends
 *     fallback.c     a launch that no backend takes as a whole: operator by operator
 *     explain.c      all of that as text
 *
 * A *program* is a list of nodes, operands before their users. A *leaf* is memory that nodes read. A
 * pending array stands for a node: its buffer's `bytes` is the node's number, its buffer's `context`
 * the program. A *target* is existing memory for a result. Everything here happens under one lock:
 * threads may settle each other's arrays.
 */
#ifndef GNDI_FUSE_H
#define GNDI_FUSE_H

#include "fuse/fuse_plan.h"
#include "elementwise/record.h"
#include "runtime/pending.h"
#include <gnd/fuse.h>

enum {
    FUSE_NODES = 400,
    FUSE_OPERATORS = 256,
    FUSE_LEAVES = 32,
    FUSE_TEMPORARIES = 256, /* additional leaves, made while a program is submitted */
    FUSE_SPACES = 64,
    FUSE_TARGETS = 24,
    FUSE_CONSTANTS = GNDI_FUSE_CONSTANTS / 2, /* a launch may need them for rows and for elements */
    FUSE_PARAMETERS = 8,                      /* for the same reason */
    FUSE_NOTES = 8,                           /* launches that gnd_fuse_explain remembers */
    FUSE_NOTHING = 0xFFFF,
    FUSE_LEAST_RECORDED = 32768, /* elements, on the CPU: fewer stay in its caches between operations */
};

typedef struct fuse_space {
    int ndim;
    int64_t size;
    int64_t shape[GND_MAX_DIMS];
} fuse_space;

/* One value. `kind` is a gndi_fuse_kind; LOAD stands for a leaf. */
typedef struct fuse_node {
    uint8_t kind, op, loop, dtype;
    uint16_t in[3];
    uint16_t at;      /* LOAD: its leaf; CONST RANGE UNIFORM: first constant; OP: parameters; REDUCE: reduction */
    uint16_t space;   /* its shape */
    gnd_array *array; /* the pending array that stands for it; NULL: none, or it was released */

    /* While a program is submitted (flush.c). */
    bool needed, wanted; /* a wanted node depends on it; its elements must be in memory */
    bool row;            /* has a value for each row of `group` */
    uint8_t stage;       /* of the launches that compute it */
    uint16_t group;      /* of a row's value: the reductions it is computed with */
    uint16_t memory;     /* the leaf it can be read from, or FUSE_NOTHING */
    uint16_t store;      /* a temporary leaf that the launch of its stage writes, or FUSE_NOTHING */
} fuse_node;

/* Memory that is read, under a node's space. */
typedef struct fuse_leaf {
    gndi_buffer *buffer; /* retained */
    char *data;
    uint8_t dtype;
    uint16_t space;
    int64_t strides[GND_MAX_DIMS];
} fuse_leaf;

/* Existing memory for a node's elements. */
typedef struct fuse_target {
    gndi_buffer *buffer; /* retained */
    char *data;
    uint8_t dtype;
    uint16_t space, node; /* node FUSE_NOTHING: overwritten since */
    uint32_t writer;      /* slot of the stream that wrote the buffer before this program */
    bool late;            /* it is a leaf, too: written after every launch has read that */
    int64_t strides[GND_MAX_DIMS];
} fuse_target;

/* A REDUCE, in addition to its part of the plan. */
typedef struct fuse_reduction {
    gndi_fuse_reduction how;
    uint64_t reduced; /* which axes of its input's space, a bit each */
    bool keepdims, mean;
} fuse_reduction;

/* Reductions over the same axes of the same space, in the same launches. */
typedef struct fuse_group {
    uint16_t space, result; /* of what is reduced, and of the result */
    uint64_t reduced;
    bool keepdims;
    uint8_t stage;
} fuse_group;

/* A launch as it was, for gnd_fuse_explain. */
typedef struct fuse_note {
    gndi_fuse_shape shape_of;
    const char *executor;
    int ndim, kept, count, operands;
    int64_t size, rows, bytes;
    int64_t shape[GND_MAX_DIMS];
    gndi_fuse_code code[GNDI_FUSE_CODE];
    gndi_scalar constant[GNDI_FUSE_CONSTANTS];
    gndi_fuse_reduction reduction[GNDI_FUSE_REDUCTIONS];
    uint8_t dtype[GNDI_FUSE_OPERANDS];
} fuse_note;

typedef struct fuse_program {
    gndi_recorder recorder;    /* first: gndi_thread.recorder points here */
    struct fuse_program *next; /* in the list of all programs */
    gnd_stream *stream;        /* it runs there */
    bool always, contract, listed;
    uint8_t executor; /* gnd_fuse_executor */
    const char *fn;   /* the public function that submits, for messages */

    int nodes, operators, leaves, temporaries, spaces, targets, constants, parameters, reductions;
    fuse_node node[FUSE_NODES];
    fuse_leaf leaf[FUSE_LEAVES + FUSE_TEMPORARIES];
    fuse_space space[FUSE_SPACES];
    fuse_target target[FUSE_TARGETS];
    gndi_scalar constant[FUSE_CONSTANTS];
    double params[FUSE_PARAMETERS][4];
    fuse_reduction reduction[GNDI_FUSE_REDUCTIONS];
    int groups;
    fuse_group group[GNDI_FUSE_REDUCTIONS];

    gndi_fuse_plan plan; /* being made */
    bool dry;            /* nothing is submitted: for gnd_fuse_explain in a block */
    int notes;
    fuse_note note[FUSE_NOTES];
} fuse_program;

/* The scope of the calling thread's innermost block; NULL: none is open. */
static inline gndi_scope *gndi_fuse_block(void) {
    gndi_scope *scope = gndi_tls.scope;
    while (scope && !scope->fuses) scope = scope->parent;
    return scope;
}

/* ---- program.c ------------------------------------------------------------------------------ */

/* Every program of every thread, under the lock; the calling thread's is gndi_tls.fuse. */
extern fuse_program *gndi_fuse_programs;
void gndi_fuse_lock(void);
void gndi_fuse_unlock(void);

/* The thread of blocks that their user's code must not close by itself: none of them is its innermost scope. */
extern gnd_fuse_thread gndi_fuse_no_thread;
/* From now on blocks of the calling thread open and close in this library: there is something to submit. */
void gndi_fuse_blocks_submit(void);

/* The tables must have space for what these add: record.c reserves it beforehand. */
uint16_t gndi_fuse_space(fuse_program *p, int ndim, const int64_t *shape);
uint16_t gndi_fuse_node(fuse_program *p, gndi_fuse_kind kind, gnd_dtype dtype, uint16_t space);
uint16_t gndi_fuse_constant(fuse_program *p, const gndi_scalar *value, gnd_dtype dtype);
/* `node` in another dtype; the node itself if it has that already. */
uint16_t gndi_fuse_cast(fuse_program *p, uint16_t node, gnd_dtype dtype);
/* The node of the elements of `x`, pending or in memory; FUSE_NOTHING and an error if x cannot be
   read. */
uint16_t gndi_fuse_value(fuse_program *p, const gnd_array *x, const char *fn);
/* The target with exactly the elements of `x`, if there is one. */
fuse_target *gndi_fuse_target_of(fuse_program *p, const gnd_array *x);
/* Empties a program after everything was submitted or failed. */
void gndi_fuse_reset(fuse_program *p);

/* ---- record.c ------------------------------------------------------------------------------- */

gndi_recorded gndi_fuse_operator(gndi_recorder *self, const gndi_record_operator *operation, gnd_array **results);
gndi_recorded gndi_fuse_source(gndi_recorder *self, const gndi_record_source *source, gnd_array **result);
gndi_recorded gndi_fuse_reduce(gndi_recorder *self, const struct gndi_reduce_request *request, gnd_array **result);

/* ---- flush.c -------------------------------------------------------------------------------- */

/* Submits what is pending and alive, and empties the program. The lock is held. */
gnd_status gndi_fuse_submit(fuse_program *p, const char *fn);

/* ---- launch.c ------------------------------------------------------------------------------- */

/* The values of a launch: of elements of `space`, and of its rows (`reduced`: the reduced axes). */
typedef struct fuse_job {
    uint16_t space;
    uint64_t reduced;
    int count;
    uint16_t node[FUSE_NODES];
    bool late; /* only targets that are late */
} fuse_job;

/* Makes p->plan from the job's nodes from `begin` on, as many as fit; returns their number (0: not even one).
   A node's elements are stored to the array that stands for it, to its targets and to its temporary leaf. */
int gndi_fuse_make_plan(fuse_program *p, const fuse_job *job, int begin);
/* The axis of a group's space for axis i of its result; -1: none, it has size 1. */
int gndi_fuse_row_axis(const fuse_program *p, const fuse_group *g, int i);
/* Sorts, flips and merges the axes of p->plan: kept ones (bits of `reduced` not set) first. */
void gndi_fuse_plan_axes(gndi_fuse_plan *plan, int ndim, const int64_t *shape, uint64_t reduced);

/* ---- fallback.c -------------------------------------------------------------------------------- */

/* Runs a plan by the ordinary hooks of the backend. */
gnd_status gndi_fuse_fallback(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn);

/* ---- note.c --------------------------------------------------------------------------------- */

void gndi_fuse_note(fuse_program *p, const gndi_fuse_plan *plan, const char *executor);

#endif
