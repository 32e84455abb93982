/*
 * products_cpu.c: products of complex numbers that are not finite, again in the order of the elements.
 */
#include "reduce/cpu/products_cpu.h"
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"
#include <math.h>

enum {
    GRAIN = GNDI_FACTORS_GRAIN,
    AT_ONCE = 512,  /* results that are looked at together, factors that are cast */
    LEAST = 9,      /* neighbours from which on vectors are filled */
    COLUMNS = 64,   /* results of a task, or more: */
    FACTORS = 8192, /* so many factors, in order */
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

/* Where factor i lies, in bytes from the first; `index_stride` says which axes run backwards. */
static int64_t factor_offset(const gndi_reduce_plan *p, int64_t i, const int64_t *stride) {
    int64_t offset = 0;
    for (int a = p->reduced_ndim - 1; a >= 0; a--) {
        int64_t digit = a ? i % p->reduced_shape[a] : i;
        if (a) i /= p->reduced_shape[a];
        if (p->index_stride[a] < 0) digit = p->reduced_shape[a] - 1 - digit;
        offset += digit * stride[a];
    }
    return offset;
}

static const char *start_of(const gndi_reduce_plan *p) {
    return p->start_data ? p->start_data : (const char *)&p->start;
}

/* Whether both parts are NaN: then they stay it, whatever the other factors are. */
static bool is_nan(const gndi_factors *f, const char *x) {
    return isnan(part(f, x, 0)) && isnan(part(f, x, 1));
}

/* Multiplies n factors, `step` bytes apart, into the product, until that is NaN. */
#define MULTIPLY_LINE(name, T)                                                                                         \
    static void name(const char *x, int64_t step, int64_t n, bool skip_nan, char *to) {                                \
        T *product = (T *)(void *)to, re = product[0], im = product[1];                                                \
        for (int64_t i = 0; i < n && !(isnan(re) && isnan(im)); i++, x += step) {                                      \
            const T *factor = (const T *)(const void *)x;                                                              \
            const bool skipped = skip_nan && (isnan(factor[0]) || isnan(factor[1]));                                   \
            const T a = skipped ? 1 : factor[0], b = skipped ? 0 : factor[1];                                          \
            const T real = re * a - im * b;                                                                            \
            im = re * b + im * a, re = real;                                                                           \
        }                                                                                                              \
        product[0] = re, product[1] = im;                                                                              \
    }
MULTIPLY_LINE(multiply_line_of_singles, float)
MULTIPLY_LINE(multiply_line_of_doubles, double)

static void multiply_output(const gndi_factors *f, const char *in, const char *mask, char *out) {
    const gndi_reduce_plan *p = f->plan;
    const int last = p->reduced_ndim - 1;
    char product[16] __attribute__((aligned(16)));
    memcpy(product, start_of(p), f->size);
    if (!mask && last >= 0 && f->in_dtype == (int)f->loop) {
        const int64_t n = p->reduced_shape[last], stride = p->in.reduced_stride[last];
        for (int64_t i = 0; i < p->length && !is_nan(f, product); i += n)
            (f->loop == GND_COMPLEX64 ? multiply_line_of_singles : multiply_line_of_doubles)(
                in + factor_offset(p, i, p->in.reduced_stride), p->index_stride[last] < 0 ? -stride : stride, n,
                f->skip_nan, product);
        memcpy(out, product, f->size);
        return;
    }
    for (int64_t i = 0; i < p->length && !is_nan(f, product); i++) {
        if (mask && !mask[factor_offset(p, i, p->mask.reduced_stride)]) continue;
        gndi_factors_multiply(f, product, product, in + factor_offset(p, i, p->in.reduced_stride));
    }
    memcpy(out, product, f->size);
}

/* Results `first` .. `first` + n of one row of them, n at most AT_ONCE, the first at `out`. */
static void mend_row(const gndi_factors *f, int64_t first, int64_t n, char *out) {
    const gndi_reduce_plan *p = f->plan;
    const int ndim = p->kept_ndim;
    const int64_t step = ndim ? p->out.kept_stride[ndim - 1] : 0, size = (int64_t)f->size;
    bool open[AT_ONCE];
    int64_t left = 0;
    if (step == size && are_finite(f, out, n)) return;
    for (int64_t k = 0; k < n; k++) left += open[k] = !gndi_factors_is_settled(f, out + k * step, p->length);
    if (!left) return;
    const char *in = p->in.data + gndi_fold_offset(first, ndim, p->kept_shape, p->in.kept_stride);
    const char *mask =
        p->masked ? p->mask.data + gndi_fold_offset(first, ndim, p->kept_shape, p->mask.kept_stride) : NULL;
    for (int64_t k = 0; k < n; k++) {
        const int64_t across = ndim ? k * p->in.kept_stride[ndim - 1] : 0;
        if (open[k])
            multiply_output(f, in + across, mask ? mask + (ndim ? k * p->mask.kept_stride[ndim - 1] : 0) : NULL,
                            out + k * step);
    }
}

static void mend_outputs(void *context, int64_t first, int64_t end) {
    const gndi_factors *f = context;
    const gndi_reduce_plan *p = f->plan;
    const int64_t width = p->kept_ndim ? p->kept_shape[p->kept_ndim - 1] : 1;
    while (first < end) {
        int64_t row_end = first - first % width + width;
        if (row_end > end) row_end = end;
        if (row_end > first + AT_ONCE) row_end = first + AT_ONCE;
        mend_row(f, first, row_end - first,
                 p->out.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->out.kept_stride));
        first = row_end;
    }
}

void gndi_cpu_mend_products(const gndi_reduce_plan *plan) {
    gndi_factors f;
    if (plan->reducer == GNDI_REDUCE_PRODUCT &&
        gndi_factors_begin(&f, plan->loop, plan->in.dtype, plan->map == GNDI_MAP_SKIP_NAN, plan))
        gndi_parallel_for(plan->outputs, GRAIN, mend_outputs, &f);
}

/* ---- reductions in order -------------------------------------------------------------------- */

/* Rows of neighbouring factors, a step apart, into as many results. */
static void multiply_rows(const gndi_factors *f, const char *x, int64_t step, int64_t rows, int64_t n, char *out) {
    char factors[AT_ONCE * 16] __attribute__((aligned(64)));
    const bool wide = f->loop == GND_COMPLEX128;
    if (f->in_dtype == (int)f->loop) {
        gndi_cpu_reductions_get()->ordered_products[wide](x, step, rows, n, f->skip_nan, out);
        return;
    }
    const size_t in_size = (size_t)gndi_dtype_sizes[f->in_dtype];
    for (int64_t r = 0; r < rows; r++, x += step)
        for (int64_t k = 0, some; k < n; k += some) {
            some = n - k <= AT_ONCE ? n - k : AT_ONCE / 2; /* the last ones fill a vector */
            f->kernels->cast[f->in_dtype][f->loop](x + (size_t)k * in_size, factors, some);
            gndi_cpu_reductions_get()->ordered_products[wide](factors, 0, 1, some, f->skip_nan,
                                                              out + (size_t)k * f->size);
        }
}

/* n neighbouring results from the `first` on. */
static void multiply_columns(const gndi_factors *f, int64_t first, int64_t n) {
    const gndi_reduce_plan *p = f->plan;
    const int last = p->reduced_ndim - 1;
    const int64_t rows = p->reduced_shape[last], stride = p->in.reduced_stride[last];
    const char *in = p->in.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->in.kept_stride);
    char *out = p->out.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->out.kept_stride);
    f->kernels->repeat[f->loop == GND_COMPLEX64 ? 3 : 4](start_of(p), out, n);
    for (int64_t i = 0; i < p->length; i += rows)
        multiply_rows(f, in + factor_offset(p, i, p->in.reduced_stride), p->index_stride[last] < 0 ? -stride : stride,
                      rows, n, out);
}

/* Results of a task; the last task of a row has up to twice as many. */
static int64_t columns_of(const gndi_reduce_plan *p) {
    const int64_t fair = FACTORS / p->length, width = p->kept_shape[p->kept_ndim - 1];
    const int64_t columns = fair > COLUMNS ? fair / COLUMNS * COLUMNS : COLUMNS;
    return columns < width ? columns : width;
}

static void multiply_tasks(void *context, int64_t begin, int64_t end) {
    const gndi_factors *f = context;
    const gndi_reduce_plan *p = f->plan;
    const int64_t width = p->kept_shape[p->kept_ndim - 1], columns = columns_of(p), across = width / columns;
    for (int64_t task = begin; task < end; task++) {
        const int64_t at = task % across * columns;
        const bool last = task % across == across - 1;
        multiply_columns(f, task / across * width + at, last ? width - at : columns);
    }
}

bool gndi_cpu_products_in_order(const gndi_reduce_plan *plan) {
    gndi_factors f;
    const int kept = plan->kept_ndim - 1;
    if (plan->reducer != GNDI_REDUCE_PRODUCT || plan->masked || kept < 0 || plan->reduced_ndim == 0) return false;
    if (plan->length > GNDI_PRODUCT_IN_ORDER || plan->kept_shape[kept] < LEAST) return false;
    if (!gndi_factors_begin(&f, plan->loop, plan->in.dtype, plan->map == GNDI_MAP_SKIP_NAN, plan)) return false;
    if (plan->out.kept_stride[kept] != (int64_t)f.size) return false;
    if (plan->in.kept_stride[kept] != gndi_dtype_sizes[plan->in.dtype]) return false;
    const int64_t width = plan->kept_shape[kept], columns = columns_of(plan);
    gndi_parallel_for(plan->outputs / width * (width / columns), GRAIN / (columns * plan->length) + 1, multiply_tasks,
                      &f);
    return true;
}
