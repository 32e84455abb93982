/*
 * products_cpu.c: products of complex numbers that are not finite, again in the order of the elements.
 */
#include "reduce/cpu/products_cpu.h"
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"
#include <math.h>

enum {
    GRAIN = GNDI_FACTORS_GRAIN,
    AT_ONCE = 1024, /* results that are looked at together */
};

bool gndi_factors_begin(gndi_factors *f, gnd_dtype loop, int in_dtype, bool skip_nan, const void *plan) {
    *f = (gndi_factors){.loop = loop, .in_dtype = in_dtype, .skip_nan = skip_nan, .plan = plan};
    if (!gndi_dtype_is_complex((int)loop)) return false;
    f->kernels = gndi_cpu_kernels_get(), f->size = (size_t)gndi_dtype_sizes[loop];
    return true;
}

static double part(const gndi_factors *f, const char *x, int i) {
    return f->loop == GND_COMPLEX64 ? (double)((const float *)(const void *)x)[i]
                                    : ((const double *)(const void *)x)[i];
}
void gndi_factors_set(const gndi_factors *f, char *x, double real, double imaginary) {
    if (f->loop == GND_COMPLEX64)
        ((float *)(void *)x)[0] = (float)real, ((float *)(void *)x)[1] = (float)imaginary;
    else
        ((double *)(void *)x)[0] = real, ((double *)(void *)x)[1] = imaginary;
}
bool gndi_factors_is_finite(const gndi_factors *f, const char *x) {
    return isfinite(part(f, x, 0)) && isfinite(part(f, x, 1));
}

/* The same of n neighbours: no exponent is all ones. */
static bool are_finite(const gndi_factors *f, const char *x, int64_t n) {
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
void gndi_factors_load(const gndi_factors *f, const char *from, char *to) {
    if (f->in_dtype == (int)f->loop)
        memcpy(to, from, f->size);
    else
        f->kernels->cast[f->in_dtype][f->loop](from, to, 1);
    if (f->skip_nan && (isnan(part(f, to, 0)) || isnan(part(f, to, 1)))) gndi_factors_set(f, to, 1, 0);
}

/* to = product * x; `to` may be `product`. */
void gndi_factors_multiply(const gndi_factors *f, char *to, const char *product, const char *x) {
    char element[16] __attribute__((aligned(16)));
    char *operands[3] = {to, (char *)(uintptr_t)product, element};
    gndi_factors_load(f, x, element);
    f->kernels->op[GNDI_OP_multiply][f->loop](operands, 1, NULL);
}

/* Whether the result of so many factors is to stay. One that is not finite, and of too many, becomes NaN. */
bool gndi_factors_is_settled(const gndi_factors *f, char *result, int64_t count) {
    if (gndi_factors_is_finite(f, result)) return true;
    if (count <= GNDI_PRODUCT_IN_ORDER) return false;
    gndi_factors_set(f, result, NAN, NAN);
    return true;
}

/* ---- reductions ----------------------------------------------------------------------------- */

static void multiply_output(const gndi_factors *f, const char *in, const char *mask, char *out) {
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
        if (!mask || mask[mask_offset]) gndi_factors_multiply(f, product, product, in + in_offset);
    }
    memcpy(out, product, f->size);
}

static void mend_outputs(void *context, int64_t first, int64_t end) {
    const gndi_factors *f = context;
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
            if (gndi_factors_is_settled(f, out, p->length)) continue;
            const char *mask = NULL, *in = p->in.data + gndi_fold_offset(first, ndim, p->kept_shape, p->in.kept_stride);
            if (p->masked) mask = p->mask.data + gndi_fold_offset(first, ndim, p->kept_shape, p->mask.kept_stride);
            multiply_output(f, in, mask, out);
        }
    }
}

void gndi_cpu_mend_products(const gndi_reduce_plan *plan) {
    gndi_factors f;
    if (plan->reducer == GNDI_REDUCE_PRODUCT &&
        gndi_factors_begin(&f, plan->loop, plan->in.dtype, plan->map == GNDI_MAP_SKIP_NAN, plan))
        gndi_parallel_for(plan->outputs, GRAIN, mend_outputs, &f);
}
