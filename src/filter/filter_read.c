/*
 * filter_read.c: what a filter is made of before it runs: coefficients read by the host, the lines of its signal,
 * and how a plan is handed over.
 */
#include "core/axes.h"
#include "filter/filter.h"
#include "array/view.h"
#include "core/loose.h"
#include "elementwise/item.h"
#include <inttypes.h>

/* ---- coefficients --------------------------------------------------------------------------- */

bool gndi_coefficients_read(const char *fn, const gnd_array *a, gndi_coefficients *to) {
    to->is_complex = gndi_dtype_is_complex(a->dtype), to->count = a->size;
    to->re = gndi_calloc(fn, (size_t)(a->size + 1) * 4 * sizeof(double));
    if (!to->re) return false;
    to->im = to->re + a->size + 1;
    double *pairs = to->im + a->size + 1;
    gnd_array *dense = gndi_copy_as(fn, a, to->is_complex ? GND_COMPLEX128 : GND_FLOAT64, 'C');
    const bool done = dense && gndi_read(fn, dense, pairs) == GND_OK;
    gnd_release(dense);
    for (int64_t i = 0; done && i < a->size; i++) {
        to->re[i] = to->is_complex ? pairs[2 * i] : pairs[i];
        to->im[i] = to->is_complex ? pairs[2 * i + 1] : 0;
    }
    if (!done) gndi_coefficients_drop(to);
    return done;
}

void gndi_coefficients_drop(gndi_coefficients *c) {
    gndi_free(c->re);
    c->re = c->im = NULL;
}

bool gndi_filter_check_line(const char *fn, const gnd_array *a, const char *name) {
    if (gndi_missing(a)) return gndi_raise_null(fn, name), false;
    if (a->ndim <= 1 && a->size > 0) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s must be 1-dimensional and not empty; its shape is %s", name,
               gndi_text_shape(a->ndim, a->shape));
    return false;
}

bool gndi_filter_check_sos(const char *fn, const gnd_array *sos) {
    if (gndi_missing(sos)) return gndi_raise_null(fn, "sos"), false;
    if (gndi_dtype_is_complex(sos->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "sos has dtype %s; sections must be real",
                   gnd_dtype_name((gnd_dtype)sos->dtype));
        return false;
    }
    if (sos->ndim == 2 && sos->shape[1] == 6 && sos->shape[0] > 0) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "sos must have the shape (sections, 6); its shape is %s",
               gndi_text_shape(sos->ndim, sos->shape));
    return false;
}

bool gndi_filter_check_axis(const char *fn, const gnd_array *x, int axis, int *normal) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    if (x->ndim == 0) {
        gndi_raise(GND_ERROR_SHAPE, fn, "x is 0-d; it must have at least one dimension");
        return false;
    }
    return gndi_normalize_axis(fn, axis, x->ndim, normal);
}

/* (re + i im) / (by_re + i by_im), without the rounding of a complex division where the divisor is real. */
static void divide(double *re, double *im, double by_re, double by_im) {
    const double r = *re, i = *im, size = by_re * by_re + by_im * by_im;
    if (by_im == 0) {
        *re = r / by_re, *im = i / by_re;
        return;
    }
    *re = (r * by_re + i * by_im) / size;
    *im = (i * by_re - r * by_im) / size;
}

/* Coefficients divided by a[0], as many as there are, the rest zeros. */
static void normalise(const gndi_coefficients *c, double re, double im, bool is_complex, double *to) {
    for (int64_t i = 0; i < c->count; i++) {
        double parts[2] = {c->re[i], c->im[i]};
        divide(&parts[0], &parts[1], re, im);
        if (is_complex)
            to[2 * i] = parts[0], to[2 * i + 1] = parts[1];
        else
            to[i] = parts[0];
    }
}

bool gndi_filter_make(const char *fn, const gnd_array *b, const gnd_array *a, gndi_filter_made *made) {
    gndi_coefficients cb = {.re = NULL}, ca = {.re = NULL};
    memset(made, 0, sizeof *made);
    bool done = gndi_coefficients_read(fn, b, &cb) && gndi_coefficients_read(fn, a, &ca);
    if (done && ca.re[0] == 0 && ca.im[0] == 0) {
        gndi_raise(GND_ERROR_VALUE, fn, "a[0] is 0; the filter cannot be divided by it");
        done = false;
    }
    const int64_t most = done ? gndi_max(ca.count, cb.count) : 1;
    if (done && most > INT32_MAX / 4) {
        gndi_raise(GND_ERROR_VALUE, fn, "the filter has %" PRId64 " coefficients, too many", most);
        done = false;
    }
    if (done) done = (made->memory = gndi_calloc(fn, (size_t)most * 4 * sizeof(double))) != NULL;
    if (done) {
        const bool is_complex = ca.is_complex || cb.is_complex;
        double *taps = made->memory, *poles = made->memory + most * 2;
        normalise(&cb, ca.re[0], ca.im[0], is_complex, taps);
        normalise(&ca, ca.re[0], ca.im[0], is_complex, poles);
        made->system = (gndi_filter_system){.order = (int)most - 1, .is_complex = is_complex, .b = taps, .a = poles};
    }
    gndi_coefficients_drop(&cb);
    gndi_coefficients_drop(&ca);
    return done;
}

bool gndi_filter_make_sos(const char *fn, const gnd_array *sos, gndi_filter_made *made) {
    gndi_coefficients c = {.re = NULL};
    memset(made, 0, sizeof *made);
    const int64_t sections = sos->shape[0];
    if (sections > INT32_MAX / 8)
        return gndi_raise(GND_ERROR_VALUE, fn, "there are %" PRId64 " sections, too many", sections), false;
    bool done = gndi_coefficients_read(fn, sos, &c);
    for (int64_t i = 0; done && i < sections; i++)
        if (c.re[6 * i + 3] != 1) {
            gndi_raise(GND_ERROR_VALUE, fn, "sos[%" PRId64 ", 3] is %g; it must be 1", i, c.re[6 * i + 3]);
            done = false;
        }
    if (done) done = (made->memory = gndi_calloc(fn, (size_t)sections * 5 * sizeof(double))) != NULL;
    for (int64_t i = 0; done && i < sections; i++) {
        const double *row = c.re + 6 * i;
        const double kept[5] = {row[0], row[1], row[2], row[4], row[5]};
        memcpy(made->memory + 5 * i, kept, sizeof kept);
    }
    made->system = (gndi_filter_system){.sections = (int)sections, .order = 2 * (int)sections, .b = made->memory};
    gndi_coefficients_drop(&c);
    return done;
}

void gndi_filter_drop(gndi_filter_made *made) {
    gndi_free(made->memory);
    made->memory = NULL;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The other axes, merged; false if more than a plan holds are left. */
static bool merge_axes(const gnd_array *x, const gnd_array *y, int axis, gndi_filter_lines *lines) {
    int64_t shape[GND_MAX_DIMS], of_x[GND_MAX_DIMS], of_y[GND_MAX_DIMS], *const stride[] = {of_x, of_y};
    gndi_walk w = {.operands = 2, .shape = shape, .stride = stride};
    gndi_walk_arrays(&w, (const gnd_array *[]){x, y}, axis);
    lines->ndim = gndi_walk_merge(&w, 0, w.ndim), lines->count = gndi_walk_size(&w);
    if (lines->ndim > GNDI_FILTER_DIMS) return false;
    const size_t bytes = (size_t)lines->ndim * sizeof *shape;
    memcpy(lines->shape, shape, bytes), memcpy(lines->x_stride, of_x, bytes), memcpy(lines->y_stride, of_y, bytes);
    return true;
}

gnd_array *gndi_filter_lines_of(gndi_temporaries *s, const gnd_array *x, int axis, gnd_dtype dtype, gnd_array *y,
                                gndi_filter_lines *lines, const gnd_array **read) {
    if (s->failed) return NULL;
    memset(lines, 0, sizeof *lines);
    if ((gnd_dtype)x->dtype != dtype || gndi_is_loose(x))
        x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'C'));
    gnd_stream *stream = x ? gndi_ew_stream(x, s->fn) : NULL;
    if (!y) {
        if (stream) y = gndi_array_new_on(s->fn, stream, x->ndim, x->shape, dtype, GNDI_ORDER_C);
        if (!gndi_temporaries_keep(s, y)) return NULL;
    }
    if (!merge_axes(x, y, axis, lines)) {
        x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'C'));
        if (!x) return NULL;
        if (!merge_axes(x, y, axis, lines)) {
            s->failed = true;
            return gndi_fail(GND_ERROR_SHAPE, s->fn, "x has too many dimensions with gaps between them");
        }
    }
    lines->x = gndi_data(x), lines->y = gndi_data(y);
    lines->x_step = x->strides[axis], lines->y_step = y->strides[axis], lines->length = x->shape[axis];
    *read = x;
    return y;
}
