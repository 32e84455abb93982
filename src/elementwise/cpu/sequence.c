/*
 * sequence.c: first + i * step, the backend's part of arange and linspace. Integers count modulo
 * 2^64, which is exact whenever the result fits; floating numbers are computed in float64 and
 * rounded once.
 */
#include "elementwise/sequence_plan.h"
#include "runtime/hooks.h"

typedef struct sequence {
    char *out;
    gnd_dtype dtype;
    uint64_t first, step; /* integer dtypes */
    gndi_parts from, by;  /* the others */
} sequence;

#define INTEGERS(type)                                                                                                 \
    for (int64_t i = begin; i < end; i++) ((type *)q->out)[i] = (type)(q->first + (uint64_t)i * q->step);              \
    break
#define REALS(type, expression)                                                                                        \
    for (int64_t i = begin; i < end; i++) {                                                                            \
        double x = q->from.re + (double)i * q->by.re;                                                                  \
        ((type *)q->out)[i] = expression;                                                                              \
    }                                                                                                                  \
    break
#define COMPLEXES(type)                                                                                                \
    for (int64_t i = begin; i < end; i++) {                                                                            \
        ((type *)q->out)[2 * i] = (type)(q->from.re + (double)i * q->by.re);                                           \
        ((type *)q->out)[2 * i + 1] = (type)(q->from.im + (double)i * q->by.im);                                       \
    }                                                                                                                  \
    break

static void run(void *context, int64_t begin, int64_t end) {
    const sequence *q = context;
    switch (q->dtype) {
    case GND_BOOL:
        for (int64_t i = begin; i < end; i++) q->out[i] = q->first + (uint64_t)i * q->step != 0;
        break;
    case GND_INT8:
    case GND_UINT8: INTEGERS(uint8_t);
    case GND_INT16:
    case GND_UINT16: INTEGERS(uint16_t);
    case GND_INT32:
    case GND_UINT32: INTEGERS(uint32_t);
    case GND_INT64:
    case GND_UINT64: INTEGERS(uint64_t);
    case GND_FLOAT16: REALS(uint16_t, gnd_float_to_float16(gndi_double_to_odd_float(x)));
    case GND_BFLOAT16: REALS(uint16_t, gnd_float_to_bfloat16(gndi_double_to_odd_float(x)));
    case GND_FLOAT32: REALS(float, (float)x);
    case GND_FLOAT64: REALS(double, x);
    case GND_COMPLEX64: COMPLEXES(float);
    case GND_COMPLEX128: COMPLEXES(double);
    default: break;
    }
}

gnd_status gndi_cpu_sequence(gnd_stream *s, const gndi_sequence_plan *plan, const char *fn) {
    (void)s;
    if (plan->n <= 0) return GND_OK;
    sequence q = {.out = plan->out, .dtype = plan->dtype};
    q.first = gndi_arg_integer(plan->first), q.step = gndi_arg_integer(plan->step);
    q.from = gndi_arg_parts(plan->first), q.by = gndi_arg_parts(plan->step);
    const bool has_last = plan->last.kind != GND_ARG_NONE;
    gndi_scalar last;
    if (has_last && !gndi_scalar_from_arg(fn, plan->last, plan->dtype, &last)) return GND_ERROR_VALUE;
    gndi_parallel_for(plan->n, 32768, run, &q);
    const size_t itemsize = gndi_dtype_sizes[plan->dtype];
    if (has_last) memcpy(q.out + (size_t)(plan->n - 1) * itemsize, &last, itemsize);
    return GND_OK;
}
