/*
 * operator_fold.h: an operator over a run of elements, whatever their dtype and stride: what the
 * CPU's reductions with an operator and its reduceat are made of.
 */
#ifndef GNDI_CPU_OPERATOR_FOLD_H
#define GNDI_CPU_OPERATOR_FOLD_H

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/operator_loops.h"
#include "kernels/ops.h"
#include "runtime/runtime.h"

/* Bytes of an index into axes, the last fastest. */
static inline int64_t gndi_fold_offset(int64_t index, int ndim, const int64_t *shape,
                                       const int64_t *stride) {
    int64_t offset = 0;
    for (int a = ndim - 1; a >= 0; a--) {
        offset += index % shape[a] * stride[a];
        index /= shape[a];
    }
    return offset;
}

enum {
    FOLD_TILE = 1024, /* elements that are gathered or cast at a time, outputs of a tile of rows */
    FOLD_BLOCK = 512, /* accumulators side by side where elements may be regrouped; a power of 2 */
};

typedef struct fold_job {
    gndi_op op;
    gnd_dtype work; /* what is accumulated: the loop, float32 for halves that may be regrouped */
    bool associative;
    uint8_t in_dtype;
    int in_size, in_log2, work_size, work_log2;
    gndi_cpu_cast cast_in, cast_out; /* NULL: the dtypes are the same */
    gndi_cpu_kernel dense;           /* over neighbours */
    int (*fold)(char *acc, const char *x, int64_t step, int64_t n);
    void (*numbers)(const char *x, int64_t n,
                    void *acc); /* of fmax and fmin over neighbours; NULL: no such loop */
    const gndi_cpu_kernels *kernels;
    atomic_int fault;
} fold_job;

/* Elements of `in_dtype`, computed in `loop`, which is the result's dtype. */
void gndi_fold_begin(fold_job *job, gndi_op op, gnd_dtype loop, int in_dtype);
/* n elements into *acc, `started` if it holds one already; only where the mask is true, if there is
   one. */
void gndi_fold_line(fold_job *job, char *acc, bool *started, const char *x, int64_t step, int64_t n,
                    const char *mask, int64_t mask_step);
/* One accumulator into another. */
void gndi_fold_join(fold_job *job, char *acc, bool *started, const char *with);
/* n neighbouring accumulators take a row of elements each, `step` bytes apart; `first`: they hold
   nothing yet. */
void gndi_fold_row(fold_job *job, char *acc, bool first, const char *x, int64_t step, int64_t n);
/* n neighbouring accumulators to n places. */
void gndi_fold_store(const fold_job *job, const char *acc, char *out, int64_t step, int64_t n);
/* Reports what a CHECKED operator met. */
void gndi_fold_end(gnd_stream *s, fold_job *job);

#endif
