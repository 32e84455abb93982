/*
 * reduce_store.c: from the accumulators of a fold to the output: the start value, the division of
 * means, roots, the output's dtype.
 */
#include "reduce/cpu/reduce_cpu.h"
#include <math.h>

enum { COPIES = 64 }; /* of a start value, that join as many accumulators at once */

static const char *start_of(const gndi_reduce_plan *plan) {
    return plan->start_data ? plan->start_data : (const char *)&plan->start;
}

void gndi_reduce_store_real(int dtype, double value, char *out) {
    switch (dtype) {
    case GND_FLOAT16: *(uint16_t *)out = gnd_float_to_float16(gndi_double_to_odd_float(value)); break;
    case GND_BFLOAT16: *(uint16_t *)out = gnd_float_to_bfloat16(gndi_double_to_odd_float(value)); break;
    case GND_FLOAT32: *(float *)out = (float)value; break;
    default: *(double *)out = value; break;
    }
}

/* ---- counts --------------------------------------------------------------------------------- */

static void store_counts(const reduce_job *j, const uint64_t *acc, int64_t n, char *out, int64_t step) {
    const gndi_reduce_plan *plan = j->plan;
    if (plan->reducer == GNDI_REDUCE_COUNT) {
        for (int64_t i = 0; i < n; i++, out += step) *(uint64_t *)out = acc[i];
        return;
    }
    /* What a count must be, or must not be, for a result of true; `fixed`: a start value decides it. */
    const bool any = j->reducer == GNDI_REDUCE_ANY, fixed = plan->has_start && (*start_of(plan) != 0) == any;
    const uint64_t all = any ? 0 : (uint64_t)plan->length;
    for (int64_t i = 0; i < n && step == 1; i++) out[i] = fixed ? any : (acc[i] == all) != any;
    for (int64_t i = 0; i < n && step != 1; i++) out[i * step] = fixed ? any : (acc[i] == all) != any;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* By what the i-th output is divided; 0: by nothing. */
static double divisor_of(const reduce_job *j, const char *acc, int64_t i) {
    const gndi_reduce_plan *plan = j->plan;
    if (plan->finish == GNDI_FINISH_DIVIDE) return plan->divisor;
    if (plan->reducer != GNDI_REDUCE_MEAN) return 1;
    if (j->components == 1) return (double)plan->length;
    return (double)((const uint64_t *)(const void *)(acc + j->component[1].offset))[i];
}

static double finished(const gndi_reduce_plan *plan, double x) {
    if (plan->finish == GNDI_FINISH_SQRT) return sqrt(x);
    if (plan->finish == GNDI_FINISH_ROOT) return pow(x, 1 / plan->power);
    return x;
}

static void store_floats(const reduce_job *j, const char *acc, int64_t n, char *out, int64_t step) {
    const float *x = (const float *)(const void *)acc;
    const int dtype = j->plan->out.dtype;
    for (int64_t i = 0; i < n; i++, out += step) {
        const float value = (float)finished(j->plan, x[i] / (float)divisor_of(j, acc, i));
        if (dtype == GND_FLOAT32)
            *(float *)out = value;
        else if (dtype == GND_FLOAT16)
            *(uint16_t *)out = gnd_float_to_float16(value);
        else
            *(uint16_t *)out = gnd_float_to_bfloat16(value);
    }
}

static void store_doubles(const reduce_job *j, const char *acc, int64_t n, char *out, int64_t step) {
    const double *x = (const double *)(const void *)acc;
    for (int64_t i = 0; i < n; i++, out += step) *(double *)out = finished(j->plan, x[i] / divisor_of(j, acc, i));
}

static void store_complex(const reduce_job *j, const char *acc, int64_t n, char *out, int64_t step) {
    for (int64_t i = 0; i < n; i++, out += step) {
        const double divisor = divisor_of(j, acc, i);
        if (j->work == GND_COMPLEX64) {
            const float *x = (const float *)(const void *)acc + 2 * i;
            ((float *)out)[0] = x[0] / (float)divisor, ((float *)out)[1] = x[1] / (float)divisor;
        } else {
            const double *x = (const double *)(const void *)acc + 2 * i;
            ((double *)out)[0] = x[0] / divisor, ((double *)out)[1] = x[1] / divisor;
        }
    }
}

/* 64-bit sums and products of integers: cut to the output's size, or divided. */
static void store_integers(const reduce_job *j, const char *acc, int64_t n, char *out, int64_t step) {
    const uint64_t *x = (const uint64_t *)(const void *)acc;
    const bool is_signed = gnd_dtype_kind(j->plan->loop) == 'i';
    const bool divided = j->plan->out.dtype == GND_FLOAT64;
    const size_t bytes = gndi_dtype_sizes[j->plan->out.dtype];
    for (int64_t i = 0; i < n; i++, out += step) {
        const double value = is_signed ? (double)(int64_t)x[i] : (double)x[i];
        if (divided)
            *(double *)out = value / divisor_of(j, acc, i);
        else
            memcpy(out, &x[i], bytes); /* little-endian: the lowest bytes */
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

/* The start value goes into the accumulators. */
static void begin_from_start(const reduce_job *j, int64_t n, char *acc) {
    const gndi_reduce_plan *plan = j->plan;
    const bool real_of_complex = gndi_dtype_is_complex((int)plan->loop) && !gndi_dtype_is_complex((int)j->work);
    const gnd_dtype dtype = real_of_complex ? j->work : plan->loop;
    const gndi_cpu_reduction *loops = &gndi_cpu_reductions_get()->fold[j->component[0].fold][dtype];
    char one[16] __attribute__((aligned(16))), copies[COPIES * 16] __attribute__((aligned(64)));
    loops->clear(one, 1);
    loops->runs(start_of(plan), 0, 1, 1, one);
    const int64_t most = n < COPIES ? n : COPIES;
    for (int64_t i = 0; i < most; i++) memcpy(copies + i * loops->size, one, (size_t)loops->size);
    for (int64_t i = 0; i < n; i += COPIES) loops->join(acc + i * loops->size, copies, n - i < COPIES ? n - i : COPIES);
}

/* The largest less the smallest, in the accumulators' own type. */
static void subtract(const reduce_job *j, int64_t n, char *acc) {
    static const gnd_dtype halves_as = GND_FLOAT32;
    const bool half = j->work == GND_FLOAT16 || j->work == GND_BFLOAT16;
    const gnd_dtype dtype = half ? halves_as : j->work == GND_BOOL ? GND_UINT8 : j->work;
    char *operands[3] = {acc, acc, acc + j->component[1].offset};
    static const double no_params[4] = {0};
    j->kernels->op[GNDI_OP_subtract][dtype](operands, n, no_params);
}

void gndi_reduce_store_folds(const reduce_job *j, char *acc, int64_t n, char *out, int64_t step) {
    const gndi_reduce_plan *plan = j->plan;
    if (j->component[0].fold == GNDI_CPU_COUNT) {
        store_counts(j, (const uint64_t *)(const void *)acc, n, out, step);
        return;
    }
    if (plan->has_start) begin_from_start(j, n, acc);
    if (plan->reducer == GNDI_REDUCE_RANGE) subtract(j, n, acc);
    const bool of_elements = j->component[0].fold != GNDI_CPU_SUM && j->component[0].fold != GNDI_CPU_PRODUCT;
    if (j->work <= GND_UINT64 && of_elements) {
        for (int64_t i = 0; i < n; i++) memcpy(out + i * step, acc + i * j->size, (size_t)j->size);
    } else if (j->work <= GND_UINT64) {
        store_integers(j, acc, n, out, step);
    } else if (gndi_dtype_is_complex((int)j->work)) {
        store_complex(j, acc, n, out, step);
    } else if (j->work == GND_FLOAT64) {
        store_doubles(j, acc, n, out, step);
    } else {
        store_floats(j, acc, n, out, step);
    }
}
