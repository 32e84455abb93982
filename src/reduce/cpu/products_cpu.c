/*
 * products_cpu.c: products of complex numbers that are not finite, again in the order of the elements.
 */
#include "reduce/cpu/products_cpu.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"
#include <math.h>

enum {
    GRAIN = 1 << 14, /* results that are worth a thread */
    AT_ONCE = 1024,  /* results that are looked at together */
};

/* What is multiplied, and how. */
typedef struct factors {
    const gndi_cpu_kernels *kernels;
    gnd_dtype loop;
    int in_dtype;
    bool skip_nan; /* NaN count as 1 */
    size_t size;   /* of an element of `loop` */
    const void *plan;
} factors;

static bool begin(factors *f, gnd_dtype loop, int in_dtype, bool skip_nan, const void *plan) {
    *f = (factors){.loop = loop, .in_dtype = in_dtype, .skip_nan = skip_nan, .plan = plan};
    if (!gndi_dtype_is_complex((int)loop)) return false;
    f->kernels = gndi_cpu_kernels_get(), f->size = (size_t)gndi_dtype_sizes[loop];
    return true;
}

static double part(const factors *f, const char *x, int i) {
    return f->loop == GND_COMPLEX64 ? (double)((const float *)(const void *)x)[i]
                                    : ((const double *)(const void *)x)[i];
}
static void set(const factors *f, char *x, double real, double imaginary) {
    if (f->loop == GND_COMPLEX64)
        ((float *)(void *)x)[0] = (float)real, ((float *)(void *)x)[1] = (float)imaginary;
    else
        ((double *)(void *)x)[0] = real, ((double *)(void *)x)[1] = imaginary;
}
static bool is_finite(const factors *f, const char *x) {
    return isfinite(part(f, x, 0)) && isfinite(part(f, x, 1));
}

/* The same of n neighbours: no exponent is all ones. */
static bool are_finite(const factors *f, const char *x, int64_t n) {
    uint64_t found = 0;
    if (f->loop == GND_COMPLEX64) {
        const uint32_t *bits = (const uint32_t *)(const void *)x, all = 0x7f800000u;
        uint32_t any = 0;
        for (int64_t i = 0; i < 2 * n; i++) any |= (bits[i] & all) == all;
        found = any;
    } else {
        const uint64_t *bits = (const uint64_t *)(const void *)x, all = 0x7ff0000000000000u;
        for (int64_t i = 0; i < 2 * n; i++) found |= (bits[i] & all) == all;
    }
    return !found;
}

/* An element, as it is multiplied. */
static void load(const factors *f, const char *from, char *to) {
    if (f->in_dtype == (int)f->loop)
        memcpy(to, from, f->size);
    else
        f->kernels->cast[f->in_dtype][f->loop](from, to, 1);
    if (f->skip_nan && (isnan(part(f, to, 0)) || isnan(part(f, to, 1)))) set(f, to, 1, 0);
}

/* to = product * x; `to` may be `product`. */
static void multiply(const factors *f, char *to, const char *product, const char *x) {
    char element[16] __attribute__((aligned(16)));
    char *operands[3] = {to, (char *)(uintptr_t)product, element};
    load(f, x, element);
    f->kernels->op[GNDI_OP_multiply][f->loop](operands, 1, NULL);
}

/* Whether the result of so many factors is to stay. One that is not finite, and of too many, becomes NaN. */
static bool is_settled(const factors *f, char *result, int64_t count) {
    if (is_finite(f, result)) return true;
    if (count <= GNDI_PRODUCT_IN_ORDER) return false;
    set(f, result, NAN, NAN);
    return true;
}

/* ---- reductions ----------------------------------------------------------------------------- */

static void multiply_output(const factors *f, const char *in, const char *mask, char *out) {
    const gndi_reduce_plan *p = f->plan;
    char product[16] __attribute__((aligned(16)));
    memcpy(product, p->start_data ? p->start_data : (const char *)&p->start, f->size);
    for (int64_t i = 0; i < p->length; i++) {
        int64_t rest = i, in_offset = 0, mask_offset = 0;
        for (int a = p->reduced_ndim - 1; a >= 0; a--) {
            int64_t digit = rest % p->reduced_shape[a];
            rest /= p->reduced_shape[a];
            if (p->index_stride[a] < 0) digit = p->reduced_shape[a] - 1 - digit;
            in_offset += digit * p->in.reduced_stride[a];
            mask_offset += digit * p->mask.reduced_stride[a];
        }
        if (!mask || mask[mask_offset]) multiply(f, product, product, in + in_offset);
    }
    memcpy(out, product, f->size);
}

static void mend_outputs(void *context, int64_t first, int64_t end) {
    const factors *f = context;
    const gndi_reduce_plan *p = f->plan;
    const int ndim = p->kept_ndim;
    const int64_t width = ndim ? p->kept_shape[ndim - 1] : 1;
    const int64_t step = ndim ? p->out.kept_stride[ndim - 1] : 0;
    while (first < end) {
        char *out = p->out.data + gndi_fold_offset(first, ndim, p->kept_shape, p->out.kept_stride);
        int64_t row_end = first - first % width + width;
        if (row_end > end) row_end = end;
        if (row_end > first + AT_ONCE) row_end = first + AT_ONCE;
        if (step == (int64_t)f->size && are_finite(f, out, row_end - first)) first = row_end;
        for (; first < row_end; first++, out += step) {
            if (is_settled(f, out, p->length)) continue;
            const char *mask = NULL, *in = p->in.data + gndi_fold_offset(first, ndim, p->kept_shape,
                                                                         p->in.kept_stride);
            if (p->masked)
                mask = p->mask.data +
                       gndi_fold_offset(first, ndim, p->kept_shape, p->mask.kept_stride);
            multiply_output(f, in, mask, out);
        }
    }
}

void gndi_cpu_mend_products(const gndi_reduce_plan *plan) {
    factors f;
    if (plan->reducer == GNDI_REDUCE_PRODUCT &&
        begin(&f, plan->loop, plan->in.dtype, plan->map == GNDI_MAP_SKIP_NAN, plan))
        gndi_parallel_for(plan->outputs, GRAIN, mend_outputs, &f);
}

/* ---- segments ------------------------------------------------------------------------------- */

static void mend_segments(void *context, int64_t first, int64_t end) {
    const factors *f = context;
    const gndi_segment_plan *p = f->plan;
    for (; first < end; first++) {
        const int64_t segment = first / p->columns, column = first % p->columns;
        int64_t from, to;
        char *out = p->out.data + segment * p->out.step +
                    gndi_fold_offset(column, p->ndim, p->shape, p->out.stride);
        if (!gndi_segment_extent(p, segment, &from, &to) || is_settled(f, out, to - from)) continue;
        const char *in = p->in.data + gndi_fold_offset(column, p->ndim, p->shape, p->in.stride) +
                         from * p->in.step;
        load(f, in, out);
        for (int64_t i = 1; i < to - from; i++) multiply(f, out, out, in + i * p->in.step);
    }
}

void gndi_cpu_mend_segments(const gndi_segment_plan *plan) {
    factors f;
    if (plan->op == GNDI_OP_multiply && begin(&f, plan->loop, plan->in.dtype, false, plan))
        gndi_parallel_for(plan->segments * plan->columns, GRAIN, mend_segments, &f);
}

/* ---- running products ----------------------------------------------------------------------- */

/* Once a product is not finite, none behind it is; three factors later it is NaN in both parts. */
static void mend_line(const factors *f, const char *in, char *out) {
    const gndi_scan_plan *p = f->plan;
    const int64_t step = p->out.step;
    int64_t i = 0, high = p->length - 1;
    if (is_finite(f, out + high * step)) return;
    while (i < high) { /* for the first one */
        const int64_t middle = i + (high - i) / 2;
        if (is_finite(f, out + middle * step))
            i = middle + 1;
        else
            high = middle;
    }
    const int64_t all_nan = i + GNDI_PRODUCT_UNTIL_NAN;
    for (; i < p->length && i < all_nan; i++)
        if (i == 0)
            load(f, in, out);
        else
            multiply(f, out + i * step, out + (i - 1) * step, in + i * p->in.step);
    for (; i < p->length; i++) set(f, out + i * step, NAN, NAN);
}

static void mend_lines(void *context, int64_t first, int64_t end) {
    const factors *f = context;
    const gndi_scan_plan *p = f->plan;
    for (; first < end; first++)
        mend_line(f, p->in.data + gndi_fold_offset(first, p->ndim, p->shape, p->in.stride),
                  p->out.data + gndi_fold_offset(first, p->ndim, p->shape, p->out.stride));
}

void gndi_cpu_mend_running(const gndi_scan_plan *plan) {
    factors f;
    if (plan->op == GNDI_OP_multiply && begin(&f, plan->loop, plan->in.dtype, plan->skip_nan, plan))
        gndi_parallel_for(plan->lines, GRAIN / plan->length + 1, mend_lines, &f);
}
