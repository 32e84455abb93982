/*
 * reduce.h: what reductions of split arrays are made of: partial results of blocks, and how they are combined.
 */
#ifndef GNDI_DIST_REDUCE_H
#define GNDI_DIST_REDUCE_H

#include "dist/align.h"

typedef enum gndi_reduction_kind {
    GNDI_FOLD,     /* an operator of its own partial results: sum, prod, min, max, any, all */
    GNDI_COUNT,    /* count_nonzero: the partial results are added */
    GNDI_MEAN,     /* sum, number */
    GNDI_VARIANCE, /* moments; std too */
    GNDI_LOGSUM,   /* largest and sum of exponentials, as a complex number */
    GNDI_ARG,      /* index, value */
    GNDI_NORM,
} gndi_reduction_kind;

typedef gnd_array *gndi_fold(const gnd_array *x, gnd_axes axes);

typedef struct gndi_reduction {
    const char *name;
    gndi_reduction_kind kind;
    gndi_fold *fold;  /* of GNDI_FOLD and GNDI_COUNT; of GNDI_ARG the index' */
    gndi_fold *value; /* of GNDI_ARG: min or max */
} gndi_reduction;

enum { GNDI_PARTIALS = 4 };

/* One call. Partial results are flat in the end. */
typedef struct gndi_reducing {
    const gndi_reduction *how;
    const gnd_dist *x;
    gnd_axes axes; /* reduced ones; keepdims, and the dtype of the computation */
    bool reduced[GND_MAX_DIMS];
    double ddof, order;
    const gnd_array *where;         /* aligned with the block; NULL: none */
    int64_t number;                 /* of elements that a result is made of, without `where` */
    int parts;                      /* partial results */
    gnd_dtype dtype[GNDI_PARTIALS]; /* of each */
    gnd_dtype result, computed;     /* computed: in which the block is reduced */
    bool finished;                  /* the first partial result is the result */
    gnd_array *together;            /* moments of the block, (n, parts) of float64 in C order; else NULL */
} gndi_reducing;

/* The reduction of that name; NULL if there is none. */
const gndi_reduction *gndi_reduction_named(const char *name);
/* Dtypes of the partial results and of the result; raises on all ranks alike what the reduction does not take. */
bool gndi_reducing_types(gndi_reducing *r, const char *fn, gnd_dtype asked, bool masked, bool initial);
/* The partial results of this rank's block, which has elements. False if one fails. */
bool gndi_reducing_block(gndi_reducing *r, gnd_array **part);
/* The block itself, where it is its own partial result: there is one element for each. Else NULL, and no error. */
gnd_array *gndi_reducing_itself(const gndi_reducing *r);
/* The operation that combines the partial results, of any ranks in any order, with the same bits: where the transport
   may do that. `blocks`: that have elements, of `places`. False if there is none. */
bool gndi_reducing_anyhow(const gndi_reducing *r, int j, int blocks, int places, gnd_combine *how);
/* The elements along the reduced axes that a rank's partial result is made of, before stage k. */
int64_t gndi_reducing_length(const gndi_reducing *r, int rank, int k);
/* Combines `n` partial results of the ranks along axis k of the mesh: all of these have them then. Axis 1 comes first.
   With the same messages on all ranks, whether they have failed (NULL) or not. False on an error. */
bool gndi_reducing_stage(gndi_reducing *r, int k, int64_t n, gnd_array **part, bool last, const char *fn);
/* One set of partial results of several: part[i] is (blocks, n) before and (n) after. `last`: no
   others follow, so that the result may be computed at once. */
bool gndi_reducing_combine(gndi_reducing *r, gnd_array **part, int blocks, bool last);
/* The result of the partial ones, with axes.initial. */
gnd_array *gndi_reducing_finish(const gndi_reducing *r, gnd_array *const *part, const gnd_array *initial);

/* gnd_dist_reduce in the name of `fn`. `result` NULL: what is left of x's layout. */
gnd_dist *gndi_dist_reduce(const gndi_reduction *how, const char *fn, const gnd_dist *x, gnd_axes axes,
                           const gnd_layout *result, const gnd_dist_reduce_options *options);

/* These steps of GNDI_LOGSUM (logsum.c). */
bool gndi_logsum_block(const gndi_reducing *r, gnd_array **part);
bool gndi_logsum_combine(const gndi_reducing *r, gnd_array **part);
gnd_array *gndi_logsum_finish(const gndi_reducing *r, gnd_array *part);
/* Whether this rank's block has no rows that are long, and could be read once in parts. */
bool gndi_logsum_is_short(const gndi_reducing *r);

#endif
