/*
 * convolve.c: convolutions by Fourier transforms: shapes and modes as in SciPy, and how the signal is cut into blocks.
 */
#include "fft/convolve.h"
#include <math.h>

/* ---- checks ----------------------------------------------------------------------------------- */

static bool check_operands(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode) {
    if (!gndi_check_pair(fn, a, b)) return false;
    if ((unsigned)mode > GND_VALID)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
    else if (a->ndim != b->ndim)
        gndi_raise(GND_ERROR_SHAPE, fn, "both arrays must have as many dimensions; their shapes are %s and %s",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    else if (a->size == 0 || b->size == 0)
        gndi_raise(GND_ERROR_VALUE, fn, "an array is empty; their shapes are %s and %s",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    else
        return true;
    return false;
}

/* The axes to convolve along, a bit each. Where an operand has one element along an axis, it is a product. */
static bool read_axes(const char *fn, const gnd_array *a, const gnd_array *b, const gnd_axes *axes, uint64_t *along) {
    if (axes->count < 0) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no axis to convolve along; name at least one");
        return false;
    }
    if (!gndi_normalize_axes(fn, axes, a->ndim, along)) return false;
    for (int i = 0; i < a->ndim; i++) {
        const int64_t n = a->shape[i], m = b->shape[i];
        if (n == 1 || m == 1) *along &= ~(UINT64_C(1) << i);
        if ((*along >> i & 1) || n == m || n == 1 || m == 1) continue;
        gndi_raise(GND_ERROR_SHAPE, fn, "shapes %s and %s do not fit along axis %d, which is not convolved",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape), i);
        return false;
    }
    return true;
}

/* In GND_VALID one operand must be at least as long as the other along all axes. */
static bool check_valid(const char *fn, const gnd_array *a, const gnd_array *b, uint64_t along) {
    bool first = true, second = true;
    for (int i = 0; i < a->ndim; i++) {
        if (!(along >> i & 1)) continue;
        first = first && a->shape[i] >= b->shape[i];
        second = second && a->shape[i] <= b->shape[i];
    }
    if (first || second) return true;
    gndi_raise(GND_ERROR_SHAPE, fn,
               "in GND_VALID one array must be at least as large as the other along all axes; their "
               "shapes are %s and %s",
               gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    return false;
}

/* ---- lengths ---------------------------------------------------------------------------------- */

static int64_t largest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The cost of transforms of `blocks` blocks of f elements: memory traffic in proportion to the elements, arithmetic
   also to their logarithm. */
static double cost_of(double blocks, double f) {
    return blocks * f * (log2(f) + 4);
}

/* One transform of the whole signal: the circular convolution may be shorter than the full one by the results that are
   not wanted. */
static void take_whole(gndi_convolve_axis *x) {
    const int64_t full = x->n + x->m - 1, least = largest(full - x->first, x->first + x->count);
    x->f = gnd_next_fast_len(largest(largest(x->n, x->m), least), true);
    x->blocks = 1, x->step = x->count, x->shift = 0, x->at = x->first;
}

/* Cuts into blocks of the cheapest length, if that costs less than one transform. */
static void cut(gndi_convolve_axis *x, bool always) {
    double best = always ? INFINITY : cost_of(1, (double)x->f);
    const int64_t m = x->m, whole = x->f;
    for (int64_t least = 2 * m; least < whole && least <= INT64_MAX / 4; least *= 2) {
        const int64_t f = gnd_next_fast_len(least, true), step = f - m + 1;
        const int64_t blocks = (x->count + step - 1) / step;
        const double cost = cost_of((double)blocks, (double)f);
        if (f >= whole || blocks < 2 || cost >= best) continue;
        best = cost;
        x->f = f, x->step = step, x->blocks = blocks;
        x->shift = x->first - (m - 1), x->at = m - 1;
    }
}

/* The results of an axis that a mode wants: for GND_SAME the central ones, as many as the first array has. */
static void choose_results(gndi_convolve_axis *x, gnd_correlate_mode mode, int64_t same) {
    const int64_t full = x->transformed ? x->n + x->m - 1 : largest(x->n, x->m);
    x->first = 0, x->count = full;
    if (mode == GND_SAME) x->count = same, x->first = (full - same) / 2;
    if (mode == GND_VALID && x->transformed) {
        x->first = (x->n < x->m ? x->n : x->m) - 1;
        x->count = full - 2 * x->first;
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static gnd_array *convolve(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                           const gnd_axes *axes, bool blocks) {
    uint64_t along;
    if (!check_operands(fn, a, b, mode) || !read_axes(fn, a, b, axes, &along)) return NULL;
    if (mode == GND_VALID && !check_valid(fn, a, b, along)) return NULL;
    const bool wide = gndi_fft_is_wide(a->dtype) || gndi_fft_is_wide(b->dtype);
    const bool swapped = b->size > a->size;
    const bool complex_result = gndi_dtype_is_complex(a->dtype) || gndi_dtype_is_complex(b->dtype);
    gndi_convolution c = {.fn = fn, .signal = swapped ? b : a, .kernel = swapped ? a : b};
    c.real = wide ? GND_FLOAT64 : GND_FLOAT32;
    c.dtype = !complex_result ? c.real : wide ? GND_COMPLEX128 : GND_COMPLEX64;
    int cuts = 0;
    for (int i = 0; i < a->ndim; i++) {
        gndi_convolve_axis *x = &c.axis[i];
        x->transformed = along >> i & 1;
        x->n = c.signal->shape[i], x->m = c.kernel->shape[i];
        choose_results(x, mode, a->shape[i]);
        if (!x->transformed) continue;
        take_whole(x);
        if (x->f == 0) return NULL;
        if (x->m < x->n && a->ndim + cuts < GND_MAX_DIMS) cut(x, blocks);
        cuts += x->blocks > 1;
    }
    return gndi_convolve_run(&c);
}

gnd_array *gnd_fftconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes) {
    return convolve("gnd_fftconvolve", a, b, mode, &axes, false);
}

gnd_array *gnd_oaconvolve(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode, gnd_axes axes) {
    return convolve("gnd_oaconvolve", a, b, mode, &axes, true);
}
