/*
 * filter_state.c: states of filters: between SciPy's layout and the dense one of plans, and the states that
 * lfilter_zi, sosfilt_zi and lfiltic make of coefficients, on the host.
 */
#include "filter/filter.h"
#include "array/view.h"
#include "elementwise/create.h"
#include <math.h>

/* ---- layouts -------------------------------------------------------------------------------- */

/* The shape of SciPy's zi: x's, with the states in place of the axis; a cascade has the sections in front. */
static int layout(const gnd_array *x, int axis, int sections, int64_t order, int64_t *shape) {
    int ndim = 0;
    if (sections) shape[ndim++] = sections;
    for (int d = 0; d < x->ndim; d++) shape[ndim++] = d == axis ? (sections ? 2 : order) : x->shape[d];
    return ndim;
}

/* The order of the axes of zi that makes it dense states: the lines, then the states of each. */
static void lines_first(int ndim, int axis, bool cascade, int *order) {
    int n = 0;
    for (int d = 0; d < ndim; d++) {
        const int of_x = d - (cascade ? 1 : 0);
        if (of_x >= 0 && of_x != axis) order[n++] = d;
    }
    if (cascade) order[n++] = 0;
    order[n] = axis + (cascade ? 1 : 0);
}

gnd_array *gndi_filter_state_in(gndi_temporaries *s, const gnd_array *zi, const gnd_array *x, int axis, int sections,
                                int64_t order, gnd_dtype dtype) {
    gnd_shape shape;
    int permuted[GND_MAX_DIMS];
    if (s->failed) return NULL;
    if (sections && x->ndim == GND_MAX_DIMS)
        return s->failed = true,
               gndi_fail(GND_ERROR_SHAPE, s->fn, "x has %d dimensions, too many for a state", x->ndim);
    shape.ndim = layout(x, axis, sections, order, shape.dim);
    bool fits = zi->ndim == shape.ndim;
    for (int d = 0; fits && d < shape.ndim; d++)
        fits = zi->shape[d] == shape.dim[d] || (!sections && d != axis && zi->shape[d] == 1);
    if (!fits) {
        s->failed = true;
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "zi has shape %s; for x of shape %s it must be %s",
                         gndi_text_shape(zi->ndim, zi->shape), gndi_text_shape(x->ndim, x->shape),
                         gndi_text_shape(shape.ndim, shape.dim));
    }
    gnd_array *wide = gndi_temporaries_keep(s, gnd_broadcast_to(zi, shape));
    lines_first(shape.ndim, axis, sections > 0, permuted);
    gnd_array *dense = wide ? gndi_temporaries_keep(s, gndi_permuted(s->fn, wide, permuted)) : NULL;
    return dense ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, dense, dtype, 'C')) : NULL;
}

gnd_array *gndi_filter_state_new(gndi_temporaries *s, const gnd_array *x, int axis, int sections, int64_t order,
                                 gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS + 1], dense[GND_MAX_DIMS + 1];
    int permuted[GND_MAX_DIMS + 1];
    if (s->failed) return NULL;
    const int ndim = layout(x, axis, sections, order, shape);
    lines_first(ndim, axis, sections > 0, permuted);
    for (int d = 0; d < ndim; d++) dense[d] = shape[permuted[d]];
    gnd_stream *stream = gndi_ew_stream(x, s->fn);
    gnd_array *made = stream ? gndi_array_new_on(s->fn, stream, ndim, dense, dtype, GNDI_ORDER_C) : NULL;
    return gndi_temporaries_keep(s, made);
}

gnd_array *gndi_filter_state_out(gndi_temporaries *s, const gnd_array *state, int axis, int sections, gnd_dtype dtype) {
    int permuted[GND_MAX_DIMS], back[GND_MAX_DIMS];
    if (s->failed) return NULL;
    const int ndim = state->ndim;
    lines_first(ndim, axis, sections > 0, permuted);
    for (int d = 0; d < ndim; d++) back[permuted[d]] = d;
    gnd_array *view = gndi_temporaries_keep(s, gndi_permuted(s->fn, state, back));
    return view ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, view, dtype, 'C')) : NULL;
}

/* ---- states from coefficients --------------------------------------------------------------- */

/* z[0] from the sum of all equations z = A z + B, the others from one after another; complex numbers. */
static bool settle(const double *b, const double *a, int order, bool is_complex, double *re, double *im) {
    const int w = is_complex ? 2 : 1;
    double sum_b[2] = {0, 0}, sum_a[2] = {0, 0};
    const double gain[2] = {b[0], is_complex ? b[1] : 0};
    for (int i = order; i >= 0; i--) {
        const double ar = a[i * w], ai = is_complex ? a[i * w + 1] : 0;
        sum_a[0] += ar, sum_a[1] += ai;
        if (i == 0) break;
        sum_b[0] += b[i * w] - (ar * gain[0] - ai * gain[1]);
        sum_b[1] += (is_complex ? b[i * w + 1] : 0) - (ar * gain[1] + ai * gain[0]);
        /* For now: the sums from i on. */
        re[i - 1] = sum_b[0], im[i - 1] = sum_b[1];
    }
    const double size = sum_a[0] * sum_a[0] + sum_a[1] * sum_a[1];
    if (size == 0) return false;
    const double first[2] = {(sum_b[0] * sum_a[0] + sum_b[1] * sum_a[1]) / size,
                             (sum_b[1] * sum_a[0] - sum_b[0] * sum_a[1]) / size};
    /* z[i] = sum over k > i of (b[k] - a[k] b[0]) - a[k] z[0], which holds for i = 0, too. */
    double tail[2] = {0, 0};
    for (int i = order; i >= 1; i--) {
        tail[0] += a[i * w], tail[1] += is_complex ? a[i * w + 1] : 0;
        re[i - 1] -= tail[0] * first[0] - tail[1] * first[1];
        im[i - 1] -= tail[0] * first[1] + tail[1] * first[0];
    }
    if (order > 0) re[0] = first[0], im[0] = first[1];
    return true;
}

bool gndi_filter_settled(const char *fn, const gndi_filter_system *system, double *re, double *im) {
    double scale = 1;
    bool found = true;
    if (!system->sections) found = settle(system->b, system->a, system->order, system->is_complex, re, im);
    for (int i = 0; found && i < system->sections; i++) {
        const double *c = system->b + 5 * i, a[3] = {1, c[3], c[4]};
        found = settle(c, a, 2, false, re + 2 * i, im + 2 * i);
        re[2 * i] *= scale, re[2 * i + 1] *= scale;
        scale *= (c[0] + c[1] + c[2]) / (a[0] + a[1] + a[2]);
    }
    if (!found) gndi_raise(GND_ERROR_VALUE, fn, "the filter has a pole at 1: it does not settle");
    return found;
}

/* A new array on x's device of numbers from the host. */
static gnd_array *upload(gndi_temporaries *s, const gnd_array *x, int ndim, const int64_t *shape, const double *re,
                         const double *im, bool is_complex, gnd_dtype dtype) {
    const int64_t n = ndim == 2 ? shape[0] * shape[1] : shape[0];
    double *pairs = s->failed ? NULL : gndi_calloc(s->fn, (size_t)(n + 1) * 2 * sizeof(double));
    gnd_stream *stream = pairs ? gndi_ew_stream(x, s->fn) : NULL;
    const bool narrow = dtype == GND_FLOAT32 && !is_complex; /* cast here, others on the device */
    const gnd_dtype sent = narrow ? GND_FLOAT32 : is_complex ? GND_COMPLEX128 : GND_FLOAT64;
    gnd_array *made = NULL;
    if (stream) made = gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, ndim, shape, sent, GNDI_ORDER_C));
    for (int64_t i = 0; made && i < n; i++) {
        if (is_complex)
            pairs[2 * i] = re[i], pairs[2 * i + 1] = im[i];
        else if (narrow)
            ((float *)(void *)pairs)[i] = (float)re[i];
        else
            pairs[i] = re[i];
    }
    if (made && n > 0) {
        gnd_status status = gndi_order_write(stream, made->buffer, s->fn);
        if (!status)
            status = stream->device->backend->copy_in(stream, gndi_data(made), pairs,
                                                      (size_t)(n * gndi_dtype_sizes[sent]), false, s->fn);
        if (!status) gndi_submitted(stream);
        s->failed |= status != GND_OK;
    }
    s->failed |= !made;
    gndi_free(pairs);
    if (s->failed || dtype == sent) return s->failed ? NULL : made;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, made, dtype, 'C'));
}

gnd_array *gndi_filter_numbers(gndi_temporaries *s, const gnd_array *x, int ndim, const int64_t *shape,
                               const double *numbers, gnd_dtype dtype) {
    return upload(s, x, ndim, shape, numbers, NULL, false, dtype);
}

/* The state that `system`, or a sliding sum of taps, settles to, as an array on x's device. */
static gnd_array *settled(gndi_temporaries *s, const gnd_array *like, const gndi_filter_system *system,
                          gnd_dtype dtype) {
    const int64_t n = system->order, shape[2] = {system->sections ? system->sections : n, 2};
    double *re = s->failed ? NULL : gndi_calloc(s->fn, (size_t)(n + 1) * 2 * sizeof(double));
    gnd_array *result = NULL;
    s->failed |= !re || !gndi_filter_settled(s->fn, system, re, re + n + 1);
    if (!s->failed)
        result = upload(s, like, system->sections ? 2 : 1, shape, re, re + n + 1, system->is_complex, dtype);
    gndi_free(re);
    return result;
}

gnd_array *gndi_filter_begin(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x0, int axis) {
    int64_t shape[GND_MAX_DIMS];
    int permuted[GND_MAX_DIMS], n = 0, m = 0;
    const gnd_dtype dtype = gndi_filter_state_dtype(f);
    gnd_array *unit = settled(s, x0, &f->made.system, dtype);
    if (s->failed) return NULL;
    for (int d = 0; d < x0->ndim; d++)
        if (d != axis) permuted[n++] = d, shape[m++] = x0->shape[d];
    permuted[n] = axis;
    if (f->sections) shape[m++] = 1;
    shape[m++] = 1;
    gnd_array *lines = gndi_temporaries_keep(s, gndi_permuted(s->fn, x0, permuted));
    lines = lines ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, lines, dtype, 'C')) : NULL;
    lines = lines ? gndi_temporaries_keep(s, gndi_reshaped(s->fn, lines, m, shape)) : NULL;
    gnd_array *state = lines ? gndi_step(s, GNDI_OP_multiply, gnd_arg_array(unit), gnd_arg_array(lines)) : NULL;
    if (!state || gndi_is_c_contiguous(state)) return state;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, state, dtype, 'C'));
}

/* The number of leading zeros of a. False and an error if it is all zeros. */
static bool leading_zeros(const char *fn, const gnd_array *a, int64_t *zeros) {
    gndi_coefficients c = {.re = NULL};
    if (!gndi_coefficients_read(fn, a, &c)) return false;
    *zeros = 0;
    while (*zeros < c.count && c.re[*zeros] == 0 && c.im[*zeros] == 0) ++*zeros;
    const bool some = *zeros < c.count;
    gndi_coefficients_drop(&c);
    if (!some) gndi_raise(GND_ERROR_VALUE, fn, "all coefficients of a are 0");
    return some;
}

gnd_array *gnd_lfilter_zi(const gnd_array *b, const gnd_array *a) {
    static const char fn[] = "gnd_lfilter_zi";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_filter_made made = {.memory = NULL};
    int64_t zeros;
    if (!gndi_filter_check_line(fn, b, "b") || !gndi_filter_check_line(fn, a, "a")) return NULL;
    if (!leading_zeros(fn, a, &zeros)) return NULL;
    const int64_t rest = a->size - zeros;
    const gnd_array *kept = zeros == 0 ? a : gndi_step_part(&s, a, 0, zeros, rest, 1);
    const gnd_dtype dtype = gndi_filter_result(gnd_promote_types((gnd_dtype)b->dtype, (gnd_dtype)a->dtype));
    gnd_array *result = NULL;
    s.failed |= !kept || !gndi_filter_make(fn, b, kept, &made);
    if (!s.failed) result = settled(&s, b, &made.system, dtype);
    gndi_filter_drop(&made);
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_sosfilt_zi(const gnd_array *sos) {
    static const char fn[] = "gnd_sosfilt_zi";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_filter_made made = {.memory = NULL};
    if (!gndi_filter_check_sos(fn, sos) || !gndi_filter_make_sos(fn, sos, &made)) return NULL;
    gnd_array *result = settled(&s, sos, &made.system, gndi_filter_result((gnd_dtype)sos->dtype));
    gndi_filter_drop(&made);
    return gndi_temporaries_end(&s, result);
}

/* to[i] += sign * sum over k > i of c[k] past[k - 1 - i]. */
static void add_past(const gndi_coefficients *c, const gndi_coefficients *past, double sign, double *re, double *im) {
    for (int64_t i = 0; i + 1 < c->count; i++)
        for (int64_t k = i + 1; k < c->count && k - 1 - i < past->count; k++) {
            const int64_t j = k - 1 - i;
            re[i] += sign * (c->re[k] * past->re[j] - c->im[k] * past->im[j]);
            im[i] += sign * (c->re[k] * past->im[j] + c->im[k] * past->re[j]);
        }
}

gnd_array *gnd_lfiltic(const gnd_array *b, const gnd_array *a, const gnd_array *y, const gnd_array *x) {
    static const char fn[] = "gnd_lfiltic";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_coefficients cb = {.re = NULL}, ca = cb, cy = cb, cx = cb;
    if (!gndi_filter_check_line(fn, b, "b") || !gndi_filter_check_line(fn, a, "a")) return NULL;
    if (gndi_missing(y)) return gndi_raise_null(fn, "y"), NULL;
    if (gndi_optional_missing(fn, x, "x")) return NULL;
    if (y->ndim > 1 || (x && x->ndim > 1))
        return gndi_fail(GND_ERROR_SHAPE, fn, "past samples must be 1-dimensional; y has shape %s and x %s",
                         gndi_text_shape(y->ndim, y->shape), x ? gndi_text_shape(x->ndim, x->shape) : "none");
    gnd_dtype dtype = gnd_promote_types((gnd_dtype)b->dtype, (gnd_dtype)a->dtype);
    dtype = gnd_promote_types(dtype, (gnd_dtype)y->dtype);
    if (x) dtype = gnd_promote_types(dtype, (gnd_dtype)x->dtype);
    dtype = gndi_filter_result(dtype);
    bool done = gndi_coefficients_read(fn, b, &cb) && gndi_coefficients_read(fn, a, &ca);
    if (done && y->size > 0) done = gndi_coefficients_read(fn, y, &cy);
    if (done && x && x->size > 0) done = gndi_coefficients_read(fn, x, &cx);
    if (done && ca.re[0] == 0 && ca.im[0] == 0)
        done = (gndi_raise(GND_ERROR_VALUE, fn, "a[0] is 0; the state cannot be divided by it"), false);
    const int64_t n = done ? gndi_max(ca.count, cb.count) - 1 : 0;
    double *re = done ? gndi_calloc(fn, (size_t)(n + 1) * 2 * sizeof(double)) : NULL, *im = re ? re + n + 1 : NULL;
    gnd_array *result = NULL;
    if (re) {
        add_past(&cb, &cx, 1, re, im);
        add_past(&ca, &cy, -1, re, im);
        const double size = ca.re[0] * ca.re[0] + ca.im[0] * ca.im[0];
        for (int64_t i = 0; i < n; i++) {
            const double r = re[i], m = im[i];
            re[i] = ca.im[0] == 0 ? r / ca.re[0] : (r * ca.re[0] + m * ca.im[0]) / size;
            im[i] = ca.im[0] == 0 ? m / ca.re[0] : (m * ca.re[0] - r * ca.im[0]) / size;
        }
        result = upload(&s, b, 1, &n, re, im, gndi_dtype_is_complex(dtype), dtype);
    }
    gndi_free(re);
    gndi_coefficients_drop(&cb);
    gndi_coefficients_drop(&ca);
    gndi_coefficients_drop(&cy);
    gndi_coefficients_drop(&cx);
    return gndi_temporaries_end(&s, result);
}
