/*
 * operator_fold.h: an operator over a run of elements, whatever their dtype and stride: what the
 * CPU's reductions with an operator and its reduceat are made of.
 */
#ifndef GNDI_CPU_OPERATOR_FOLD_H
#define GNDI_CPU_OPERATOR_FOLD_H

#include "elementwise/cpu/cpu_kernels.h"
#include "reduce/cpu/reduce_loops.h"
#include "reduce/cpu/operator_loops.h"
#include "kernels/ops/ops.h"
#include "runtime/runtime.h"

/* Bytes of an index into axes, the last fastest. */
static inline int64_t gndi_fold_offset(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int a = ndim - 1; a >= 0; a--) {
        offset += (a ? index % shape[a] : index) * stride[a];
        if (a) index /= shape[a];
    }
    return offset;
}

enum {
    FOLD_TILE = 1024,    /* elements that are gathered or cast at a time, outputs of a tile of rows */
    FOLD_BLOCK = 512,    /* accumulators side by side where elements may be regrouped; a power of 2 */
    FOLD_BUFFER = 16384, /* bytes of a transposed block */
};

/* What a reduction's loops have to do with the operator. */
typedef enum fold_relation {
    FOLD_SAME,       /* it is the operator */
    FOLD_NO_NAN,     /* it is the operator if its result is not NaN: fmax and fmin are maximum and minimum */
    FOLD_SUBTRACTED, /* a - b - c is a - (b + c), modulo any power of two */
} fold_relation;

typedef struct fold_job {
    gndi_op op;
    gnd_dtype work; /* what is accumulated: the loop, float32 for halves that may be regrouped */
    bool associative;
    uint8_t in_dtype;
    int in_size, in_log2, work_size, work_log2;
    gndi_cpu_cast cast_in, cast_out; /* NULL: the dtypes are the same */
    gndi_cpu_kernel dense;           /* over neighbours */
    int (*fold)(char *acc, const char *x, int64_t step, int64_t n);
    void (*numbers)(const char *x, int64_t n, void *acc); /* of fmax and fmin over neighbours; NULL: no such loop */
    const gndi_cpu_reduction *loops;                      /* a reduction that computes the same; NULL: there is none */
    fold_relation relation;
    const gndi_cpu_kernels *kernels;
    atomic_int fault;
} fold_job;

/* Elements of `in_dtype`, computed in `loop`, which is the result's dtype. bool elements may be any bytes, unless
   gndi_fold_tight says that they are 0 or 1. */
void gndi_fold_begin(fold_job *job, gndi_op op, gnd_dtype loop, int in_dtype);
void gndi_fold_tight(fold_job *job);
/* n elements into *acc, `started` if it holds one already; only where the mask is true, if there is
   one. */
void gndi_fold_line(fold_job *job, char *acc, bool *started, const char *x, int64_t step, int64_t n, const char *mask,
                    int64_t mask_step);
/* One accumulator into another. */
void gndi_fold_join(fold_job *job, char *acc, bool *started, const char *with);
/* n neighbouring accumulators into as many others; `first`: these hold nothing yet. */
void gndi_fold_join_row(fold_job *job, char *acc, bool first, const char *with, int64_t n);
/* Whether gndi_fold_rows takes several rows at once, of up to FOLD_TILE elements. */
bool gndi_fold_rows_by_loop(const fold_job *job);
/* n neighbouring accumulators take a row of elements each, `step` bytes apart; `first`: they hold
   nothing yet. Then `rows` rows, `apart` bytes from each other. */
void gndi_fold_row(fold_job *job, char *acc, bool first, const char *x, int64_t step, int64_t n);
void gndi_fold_rows(fold_job *job, char *acc, bool first, const char *x, int64_t apart, int64_t rows, int64_t step,
                    int64_t n);
/* `count` neighbouring accumulators take a run of n elements each, one after the other. The runs are
   `across` bytes apart, their elements `step` bytes; `first` as above. */
void gndi_fold_runs(fold_job *job, char *acc, bool first, const char *x, int64_t across, int64_t step, int64_t n,
                    int64_t count);
/* n neighbouring accumulators to n elements, `step` bytes apart. */
void gndi_fold_store(const fold_job *job, const char *acc, char *out, int64_t step, int64_t n);
/* Reports what a CHECKED operator met. */
void gndi_fold_end(gnd_stream *s, fold_job *job);

#endif
