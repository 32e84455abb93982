/*
 * record.h: what a front end calls before it submits, so that an operation can be recorded instead. src/fuse
 * is the recorder inside GND_FUSE; elsewhere gndi_recorder_now() is NULL.
 *
 * A recorder is called after all checks have passed: operands, dtypes and shapes are valid, and nothing has
 * been allocated. It returns GNDI_RUN_IT for operations that it does not take, and the front end then goes
 * on as usual. On the CPU these include small ones: recording and planning them would take longer than
 * running them.
 */
#ifndef GNDI_ELEMENTWISE_RECORD_H
#define GNDI_ELEMENTWISE_RECORD_H

#include "kernels/ops/ops.h"
#include "runtime/runtime.h"

typedef enum gndi_recorded {
    GNDI_RUN_IT,
    GNDI_RECORDED,      /* results are made (pending), outputs will be written */
    GNDI_RECORD_FAILED, /* an error is raised */
} gndi_recorded;

/* An operator of ops.def, resolved: op and loop are what will run. */
typedef struct gndi_record_operator {
    const char *fn;
    gndi_device *device;
    gndi_op op;
    gnd_dtype loop;
    int nin, nout;
    const gnd_array *input[GNDI_MAX_IN];          /* of any dtype; NULL: `number` */
    gndi_scalar number[GNDI_MAX_IN];              /* in the dtype in[] */
    gnd_dtype in[GNDI_MAX_IN], out[GNDI_MAX_OUT]; /* in the loop */
    gnd_array *given[GNDI_MAX_OUT];               /* NULL: a new array of out[], with these strides: */
    int64_t stride[GNDI_MAX_OUT][GND_MAX_DIMS];
    int ndim;
    const int64_t *shape;
    const double *params;
} gndi_record_operator;

/* Elements that depend on nothing but their number. */
typedef struct gndi_record_source {
    enum { GNDI_SOURCE_VALUE, GNDI_SOURCE_RANGE, GNDI_SOURCE_UNIFORM } kind;
    const char *fn;
    gndi_device *device;
    gnd_dtype dtype;
    int ndim;
    const int64_t *shape, *strides; /* NULL strides: C order */
    gndi_scalar value;              /* VALUE: in dtype */
    gnd_arg first, step;            /* RANGE: first + i step, as the hook `sequence` */
    uint64_t key, position, stream; /* UNIFORM: fuse/fuse_plan.h */
} gndi_record_source;

struct gndi_reduce_request; /* reduce/reduce.h */

typedef struct gndi_recorder {
    gndi_recorded (*apply)(struct gndi_recorder *self, const gndi_record_operator *operation, gnd_array **results);
    gndi_recorded (*source)(struct gndi_recorder *self, const gndi_record_source *source, gnd_array **result);
    gndi_recorded (*reduce)(struct gndi_recorder *self, const struct gndi_reduce_request *request, gnd_array **result);
} gndi_recorder;

/* The calling thread's, if it records; else NULL. */
static inline gndi_recorder *gndi_recorder_now(void) {
    const gndi_thread *mine = gndi_this_thread();
    return gndi_unlikely(mine->most != UINT64_MAX) ? mine->recorder : NULL;
}

/* Whether an operation on so many elements is for the calling thread's recorder. Asked before apply and reduce. */
static inline bool gndi_is_recorded(int64_t size, int count, const gnd_array *const *inputs) {
    const uint64_t most = gndi_tls.most;
    if (gndi_likely(most == UINT64_MAX)) return false;
    bool recorded = (uint64_t)size > most;
    for (int i = 0; i < count; i++) recorded |= inputs[i] && inputs[i]->flags & GNDI_PENDING;
    return recorded;
}

#endif
