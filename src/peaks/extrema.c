/*
 * extrema.c: relative extrema (scipy.signal.argrelextrema, argrelmax, argrelmin): a mask in one launch, and the indices
 * of what is true in it.
 */
#include "array/view.h"
#include "index/compact.h"
#include "peaks/peaks.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"

void gndi_extrema_run(gndi_temporaries *s, struct gndi_extrema_plan *p, const gnd_array *x, const gnd_array *out) {
    if (s->failed || x->size == 0) return;
    p->x = gndi_data(x), p->out = (bool *)gndi_data(out);
    p->total = x->size, p->dtype = x->dtype;
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &x, 1, &out);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->extrema(stream, p, s->fn), s->fn);
}

/* What elements are compared in, all exactly. */
static gnd_dtype compared_dtype(int dtype) {
    if (dtype == GND_FLOAT64 || dtype == GND_UINT64) return (gnd_dtype)dtype;
    return gndi_dtype_is_float(dtype) ? GND_FLOAT32 : GND_INT64;
}

/* The indices of what is true, at most `most` of the n elements of a line: of neighbours one is not greater, and memory
   for as many indices as there can be is what the result keeps. */
static gnd_status find_true(const char *fn, const gnd_array *mask, int64_t most, int64_t n, gnd_array **indices) {
    gndi_packing p;
    GNDI_PARTS_OF(fn);
    gndi_packing_begin(&p, fn, mask);
    return gndi_indices_split(fn, gndi_packing_run_most(&p, n ? mask->size / n * most : 0), indices);
}

static gnd_status find(const char *fn, const gnd_array *x, gndi_comparison comparison, int axis, int64_t order,
                       bool wrap, gnd_array **indices) {
    if (gndi_missing(x) || !indices) return gndi_raise_null(fn, gndi_missing(x) ? "data" : "indices");
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "data must be real, and has dtype %s",
                          gnd_dtype_name((gnd_dtype)x->dtype));
    if (!gndi_normalize_axis(fn, axis, x->ndim, &axis)) return gndi_ew_pending();
    if (order < 1) return gndi_raise(GND_ERROR_VALUE, fn, "the order must be at least 1, not %lld", (long long)order);
    gndi_temporaries s = {.fn = fn};
    struct gndi_extrema_plan p = {.n = x->shape[axis], .inner = 1, .comparison = (uint8_t)comparison, .wrap = wrap};
    /* With the ends repeated nothing is new beyond them; around the ends all is seen after n steps. */
    p.order = gndi_min(order, gndi_max(p.n, 1));
    for (int k = axis + 1; k < x->ndim; k++) p.inner *= x->shape[k];
    const gnd_dtype dtype = compared_dtype(x->dtype);
    const gnd_array *dense = x;
    if ((gnd_dtype)x->dtype != dtype || !gndi_is_c_contiguous(x))
        dense = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, dtype, 'C'));
    gnd_array *mask = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, x, x->ndim, x->shape, GND_BOOL));
    gndi_extrema_run(&s, &p, dense, mask);
    if (!s.failed) {
        const bool strict = comparison == GNDI_IS_GREATER || comparison == GNDI_IS_LESS;
        s.failed = find_true(fn, mask, strict ? (p.n + 1) / 2 : p.n, p.n, indices) != GND_OK;
    }
    return gndi_temporaries_status(&s);
}

gnd_status gnd_argrelextrema(const gnd_array *data, gnd_relation relation, int axis, int64_t order, bool wrap,
                             gnd_array **indices) {
    static const char fn[] = "gnd_argrelextrema";
    if ((unsigned)relation > GND_LESS_EQUAL)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no relation number %d", (int)relation);
    return find(fn, data, (gndi_comparison)relation, axis, order, wrap, indices);
}

gnd_status gnd_argrelmax(const gnd_array *data, int axis, int64_t order, bool wrap, gnd_array **indices) {
    return find("gnd_argrelmax", data, GNDI_IS_GREATER, axis, order, wrap, indices);
}

gnd_status gnd_argrelmin(const gnd_array *data, int axis, int64_t order, bool wrap, gnd_array **indices) {
    return find("gnd_argrelmin", data, GNDI_IS_LESS, axis, order, wrap, indices);
}
