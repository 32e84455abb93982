/*
 * filter.c: lfilter, sosfilt, firfilter and deconvolve: checks, dtypes, and the plan of the hook `filter`, or `fir`
 * where a has one element.
 */
#include "filter/filter.h"
#include "elementwise/create.h"
#include "elementwise/item.h"

/* ---- filters -------------------------------------------------------------------------------- */

/* b / a in the dtype of the sums, dense, on x's device. */
static gnd_array *divided_taps(gndi_temporaries *s, const gnd_array *b, const gnd_array *a, const gnd_array *x,
                               gnd_dtype work) {
    const gnd_array *given[2] = {b, a};
    for (int i = 0; i < 2 && !s->failed; i++) {
        if (given[i]->buffer->device != x->buffer->device)
            given[i] = gndi_temporaries_keep(s, gndi_to_device(s->fn, given[i], x->buffer->device->id));
        if (given[i]) given[i] = gndi_temporaries_keep(s, gndi_copy_as(s->fn, given[i], work, 'C'));
    }
    const int64_t n = b->size;
    if (!s->failed) given[0] = gndi_temporaries_keep(s, gndi_reshaped(s->fn, given[0], 1, &n));
    if (s->failed) return NULL;
    return gndi_step(s, GNDI_OP_divide, gnd_arg_array(given[0]), gnd_arg_array(given[1]));
}

bool gndi_filter_open(gndi_temporaries *s, gndi_filter *f, const gnd_array *b, const gnd_array *a, const gnd_array *x,
                      const gnd_array *zi) {
    memset(f, 0, sizeof *f);
    if (gndi_optional_missing(s->fn, zi, "zi") || (zi && gndi_check_together(s->fn, x, "x", zi, "zi")))
        return s->failed = true, false;
    gnd_dtype dtype = gnd_promote_types((gnd_dtype)b->dtype, (gnd_dtype)x->dtype);
    if (a) dtype = gnd_promote_types(dtype, (gnd_dtype)a->dtype);
    if (zi) dtype = gnd_promote_types(dtype, (gnd_dtype)zi->dtype);
    f->result = gndi_filter_result(dtype), f->work = gndi_filter_work(f->result);
    if (a && a->size == 1) {
        f->taps = divided_taps(s, b, a, x, f->work);
        f->order = b->size - 1;
    } else {
        s->failed |= !(a ? gndi_filter_make(s->fn, b, a, &f->made) : gndi_filter_make_sos(s->fn, b, &f->made));
        f->sections = f->made.system.sections, f->order = f->made.system.order;
    }
    return !s->failed;
}

void gndi_filter_close(gndi_filter *f) {
    gndi_filter_drop(&f->made);
}

/* ---- plans ---------------------------------------------------------------------------------- */

static gnd_status submit(const char *fn, const gndi_filter_plan *plan, const gnd_array *x, const gnd_array *state,
                         gnd_array *y) {
    gnd_stream *s = gndi_work_begin(fn, 1, &x, 2, (const gnd_array *[]){y, state});
    return s ? gndi_work_end(s, s->device->backend->filter(s, plan, fn), fn) : gndi_ew_pending();
}

gnd_status gndi_fir_submit(const char *fn, const gndi_fir_plan *plan, const gnd_array *const *reads,
                           const gnd_array *const *writes) {
    gnd_stream *s = gndi_work_begin(fn, 4, reads, 2, writes);
    return s ? gndi_work_end(s, s->device->backend->fir(s, plan, fn), fn) : gndi_ew_pending();
}

static gnd_array *run_recursive(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x, int axis, gnd_array *y,
                                gnd_array **state) {
    gndi_filter_plan plan = {.dtype = (uint8_t)f->work, .system = f->made.system, .begins = state && *state};
    const gnd_array *read = NULL;
    y = gndi_filter_lines_of(s, x, axis, f->work, y, &plan.lines, &read);
    plan.lines.y_first = f->first, plan.lines.y_every = f->every;
    if (state && !*state) *state = gndi_filter_state_new(s, x, axis, f->sections, f->order, gndi_filter_state_dtype(f));
    if (s->failed) return NULL;
    if (state) plan.state = (double *)(void *)gndi_data(*state);
    if (y->size > 0)
        s->failed = submit(s->fn, &plan, read, state ? *state : NULL, y) != GND_OK;
    else if (state && !plan.begins)
        s->failed = gndi_assign(s->fn, *state, gnd_arg_int(0)) != GND_OK;
    return y;
}

static gnd_array *run_sums(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x, int axis, gnd_array *y,
                           gnd_array **state) {
    gndi_fir_plan plan = {.dtype = (uint8_t)f->work, .count = f->order + 1};
    const gnd_array *read = NULL;
    gnd_array *zi = state ? *state : NULL, *zf = NULL;
    y = gndi_filter_lines_of(s, x, axis, f->work, y, &plan.lines, &read);
    if (state) zf = gndi_filter_state_new(s, x, axis, 0, f->order, f->work);
    if (s->failed) return NULL;
    plan.taps = gndi_data(f->taps);
    plan.zi = zi && f->order ? gndi_data(zi) : NULL;
    plan.zf = zf && f->order ? gndi_data(zf) : NULL;
    if (y->size > 0)
        s->failed = gndi_fir_submit(s->fn, &plan, (const gnd_array *[4]){read, f->taps, zi},
                                    (const gnd_array *[2]){y, zf}) != GND_OK;
    else if (zf && zi)
        s->failed = gndi_copy_into(s->fn, zf, zi) != GND_OK;
    else if (zf)
        s->failed = gndi_assign(s->fn, zf, gnd_arg_int(0)) != GND_OK;
    if (state) *state = zf;
    return y;
}

gnd_array *gndi_filter_run(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x, int axis, gnd_array *y,
                           gnd_array **state) {
    if (s->failed) return NULL;
    return f->taps ? run_sums(s, f, x, axis, y, state) : run_recursive(s, f, x, axis, y, state);
}

/* ---- public --------------------------------------------------------------------------------- */

/* Sections if a is NULL. */
static gnd_array *filter(const char *fn, const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                         const gnd_array *zi, gnd_array **zf) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_filter f;
    gnd_array *state = NULL, *y = NULL;
    if (zf) *zf = NULL;
    if (!gndi_filter_check_axis(fn, x, axis, &axis)) return NULL;
    if (gndi_filter_open(&s, &f, b, a, x, zi) && zi)
        state = gndi_filter_state_in(&s, zi, x, axis, f.sections, f.order, gndi_filter_state_dtype(&f));
    y = gndi_filter_run(&s, &f, x, axis, NULL, zi || zf ? &state : NULL);
    if (!s.failed && f.result != f.work) y = gndi_temporaries_keep(&s, gndi_copy_as(fn, y, f.result, 'C'));
    gnd_array *after = zf ? gndi_filter_state_out(&s, state, axis, f.sections, f.result) : NULL;
    gndi_temporaries_give(&s, after, zf);
    gndi_filter_close(&f);
    return gndi_temporaries_end(&s, y);
}

gnd_array *gnd_lfilter(const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis, const gnd_array *zi,
                       gnd_array **zf) {
    static const char fn[] = "gnd_lfilter";
    if (zf) *zf = NULL;
    if (!gndi_filter_check_line(fn, b, "b") || !gndi_filter_check_line(fn, a, "a")) return NULL;
    return filter(fn, b, a, x, axis, zi, zf);
}

gnd_array *gnd_sosfilt(const gnd_array *sos, const gnd_array *x, int axis, const gnd_array *zi, gnd_array **zf) {
    static const char fn[] = "gnd_sosfilt";
    if (zf) *zf = NULL;
    if (!gndi_filter_check_sos(fn, sos)) return NULL;
    return filter(fn, sos, NULL, x, axis, zi, zf);
}

/* A FIR filter's a: a one on b's device, in b's dtype. */
static gnd_array *one_like(const char *fn, const gnd_array *b) {
    const int64_t shape = 1;
    gnd_stream *s = gndi_ew_stream(b, fn);
    gnd_array *one = s ? gndi_array_new_on(fn, s, 1, &shape, (gnd_dtype)b->dtype, GNDI_ORDER_C) : NULL;
    return gndi_filled(fn, one, gnd_arg_int(1));
}

gnd_array *gnd_firfilter(const gnd_array *b, const gnd_array *x, int axis, const gnd_array *zi, gnd_array **zf) {
    static const char fn[] = "gnd_firfilter";
    if (zf) *zf = NULL;
    if (!gndi_filter_check_line(fn, b, "b")) return NULL;
    gnd_array *one = one_like(fn, b), *y = one ? filter(fn, b, one, x, axis, zi, zf) : NULL;
    gnd_release(one);
    return y;
}

gnd_array *gnd_firfilter_zi(const gnd_array *b) {
    static const char fn[] = "gnd_firfilter_zi";
    GNDI_PARTS_OF(fn);
    if (!gndi_filter_check_line(fn, b, "b")) return NULL;
    gnd_array *one = one_like(fn, b), *zi = one ? gnd_lfilter_zi(b, one) : NULL;
    gnd_release(one);
    return zi;
}

gnd_array *gnd_firfilter2(const gnd_array *b, const gnd_array *x, int axis, const gnd_filtfilt_options *options) {
    static const char fn[] = "gnd_firfilter2";
    GNDI_PARTS_OF(fn);
    if (!gndi_filter_check_line(fn, b, "b")) return NULL;
    gnd_array *one = one_like(fn, b), *y = one ? gnd_filtfilt(b, one, x, axis, options) : NULL;
    gnd_release(one);
    return y;
}

/* The quotient is what the filter signal / divisor answers to a one. */
static gnd_array *divided(gndi_temporaries *s, const gnd_array *signal, const gnd_array *divisor, gnd_dtype dtype) {
    const int64_t n = signal->size - divisor->size + 1;
    gnd_stream *stream = gndi_ew_stream(signal, s->fn);
    gnd_array *impulse = stream ? gndi_array_new_on(s->fn, stream, 1, &n, dtype, GNDI_ORDER_C) : NULL;
    impulse = gndi_temporaries_keep(s, gndi_zero(s->fn, impulse));
    gnd_array *first = impulse ? gndi_step_part(s, impulse, 0, 0, 1, 1) : NULL;
    if (first) gndi_step_into(s, GNDI_OP_copy, first, gnd_arg_int(1), gnd_arg_none(), NULL);
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_lfilter(signal, divisor, impulse, 0, NULL, NULL));
}

gnd_status gnd_deconvolve(gnd_array **quotient, gnd_array **remainder, const gnd_array *signal,
                          const gnd_array *divisor) {
    static const char fn[] = "gnd_deconvolve";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (quotient) *quotient = NULL;
    if (remainder) *remainder = NULL;
    if (!gndi_filter_check_line(fn, signal, "signal") || !gndi_filter_check_line(fn, divisor, "divisor"))
        return gndi_ew_pending();
    if (gndi_check_together(fn, signal, "signal", divisor, "divisor")) return gndi_ew_pending();
    gnd_dtype dtype = gnd_promote_types((gnd_dtype)signal->dtype, (gnd_dtype)divisor->dtype);
    dtype = gnd_promote_types(dtype, GND_FLOAT64);
    const int64_t none = 0, n = signal->size;
    gnd_array *line = gndi_temporaries_keep(&s, gndi_reshaped(fn, signal, 1, &n)), *q = NULL, *rest = NULL;
    if (line) line = gndi_temporaries_keep(&s, gndi_copy_as(fn, line, dtype, 'C'));
    if (s.failed) return gndi_temporaries_status(&s);
    if (divisor->size > n) {
        gnd_stream *stream = gndi_ew_stream(signal, fn);
        q = gndi_temporaries_keep(&s, stream ? gndi_array_new_on(fn, stream, 1, &none, dtype, GNDI_ORDER_C) : NULL);
        rest = line;
    } else {
        q = divided(&s, line, divisor, dtype);
        gnd_array *product = q ? gndi_temporaries_keep(&s, gnd_convolve(divisor, q, GND_FULL)) : NULL;
        if (product) rest = gndi_step(&s, GNDI_OP_subtract, gnd_arg_array(line), gnd_arg_array(product));
    }
    gndi_temporaries_give(&s, q, quotient);
    gndi_temporaries_give(&s, rest, remainder);
    return gndi_temporaries_status(&s);
}
