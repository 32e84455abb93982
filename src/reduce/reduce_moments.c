/*
 * reduce_moments.c: the moments that variances are made of: the kernels of variances store what they have found,
 * number, mean and M2, behind each other.
 */
#include "reduce/reduce.h"

/* The array without its last axis: where each output's first number is. */
static gnd_array *firsts(const char *fn, const gnd_array *whole) {
    return gndi_array_view(fn, whole, whole->ndim - 1, whole->shape, whole->strides, gndi_data(whole), GND_FLOAT64);
}

gnd_array *gnd_moments(const gnd_array *x, gnd_axes axes) {
    static const char fn[] = "gnd_moments";
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, &axes, GNDI_REDUCE_VARIANCE, GNDI_OP_add, GNDI_RULE_VARIANCE,
                      GNDI_TAKES_DTYPE | GNDI_TAKES_WHERE);
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (axes.out && gndi_missing(axes.out)) return gndi_raise_null(fn, "out"), NULL;
    if (axes.out) return gndi_fail(GND_ERROR_INVALID, fn, "takes no out");
    if (!gndi_reduce_choose_axes(&r) || !gndi_reduce_choose_dtypes(&r) || !gndi_reduce_check(&r)) return NULL;
    r.finish = GNDI_FINISH_MOMENTS, r.natural = r.result = GND_FLOAT64;
    if (r.ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the result would have more than %d dimensions", GND_MAX_DIMS);
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, r.shape, (size_t)r.ndim * sizeof *shape);
    shape[r.ndim] = gndi_dtype_is_complex((int)r.loop) ? 4 : 3;
    gnd_stream *s = gndi_stream_on(x->buffer->device, fn);
    gnd_array *whole = s ? gndi_array_new_on(fn, s, r.ndim + 1, shape, GND_FLOAT64, GNDI_ORDER_C) : NULL;
    gnd_array *out = whole ? firsts(fn, whole) : NULL;
    axes.out = out;
    gnd_array *done = out ? gndi_reduce_run(&r) : NULL;
    const bool good = done != NULL;
    gnd_release(done);
    gnd_release(out);
    if (good) return whole;
    gnd_release(whole);
    return NULL;
}
