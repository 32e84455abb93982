/*
 * filter_zero.c: filtering forward and backward. The signal itself is not extended: its extensions at both ends are
 * filtered apart, and hand their states on. Of the way back, what lies before the signal is not computed at all.
 */
#include "filter/filter.h"
#include "elementwise/create.h"
#include <inttypes.h>

typedef struct request {
    const gnd_array *x;
    int axis;
    int64_t edge; /* samples of each extension */
    gnd_filter_pad pad;
    int64_t every; /* of the results, which are wanted */
} request;

/* Samples from..to along the axis, backwards if to < from. */
static gnd_array *part(gndi_temporaries *s, const gnd_array *x, int axis, int64_t from, int64_t to) {
    return gndi_step_part(s, x, axis, from, (to < from ? from - to : to - from) + 1, to < from ? -1 : 1);
}

/* An extension, from its first to its last sample: of the elements from..to, turned about the element at `end`. */
static gnd_array *extension(gndi_temporaries *s, const request *r, int64_t end, int64_t from, int64_t to) {
    gnd_array *edge = part(s, r->x, r->axis, end, end);
    gnd_array *mirror = part(s, r->x, r->axis, from, to);
    if (s->failed || r->pad == GND_FILTER_PAD_EVEN) return mirror;
    if (r->pad == GND_FILTER_PAD_CONSTANT) {
        gnd_shape shape = {.ndim = mirror->ndim};
        memcpy(shape.dim, mirror->shape, (size_t)mirror->ndim * sizeof *shape.dim);
        return gndi_temporaries_keep(s, gnd_broadcast_to(edge, shape));
    }
    gnd_array *twice = gndi_step(s, GNDI_OP_add, gnd_arg_array(edge), gnd_arg_array(edge));
    return s->failed ? NULL : gndi_step(s, GNDI_OP_subtract, gnd_arg_array(twice), gnd_arg_array(mirror));
}

/* ---- extensions in one launch ------------------------------------------------------------------- */

/* Whether the device finds the states before and behind the signal by itself. */
static bool has_ends(const gndi_filter *f, const request *r) {
    const bool one_launch = r->every == 1 || f->sections <= 8;
    return one_launch && r->x->buffer->device->backend->filter_ends && !f->taps && !f->made.system.is_complex &&
           f->order > 0 && f->order <= GNDI_FILTER_EDGE_STATES && r->edge <= GNDI_FILTER_EDGE && r->x->size > 0;
}

/* The state before the signal or, of what was filtered forward, before the way back: in place of that behind it. */
static void find_state(gndi_temporaries *s, const gndi_filter *f, const request *r, gnd_array *forward, bool back,
                       gnd_array *state) {
    gndi_filter_ends_plan plan = {
        .dtype = (uint8_t)f->work, .pad = (uint8_t)r->pad, .back = back, .system = f->made.system, .edge = r->edge};
    double none[GNDI_FILTER_EDGE_STATES];
    const gnd_array *read = NULL;
    s->failed |= !gndi_filter_settled(s->fn, &f->made.system, plan.settled, none);
    gndi_filter_lines_of(s, r->x, r->axis, f->work, forward, &plan.lines, &read);
    if (s->failed) return;
    plan.state = (double *)(void *)gndi_data(state);
    gnd_stream *stream =
        gndi_work_begin(s->fn, 2, (const gnd_array *[]){read, forward}, 1, (const gnd_array *[]){state});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->filter_ends(stream, &plan, s->fn), s->fn);
}

/* A new array like x, but for the size of an axis. */
static gnd_array *new_part(const char *fn, const gnd_array *x, int axis, int64_t count) {
    int64_t shape[GND_MAX_DIMS];
    gnd_stream *stream = gndi_ew_stream(x, fn);
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[axis] = count;
    return stream ? gndi_array_new_on(fn, stream, x->ndim, shape, (gnd_dtype)x->dtype, GNDI_ORDER_C) : NULL;
}

static gnd_array *by_ends(gndi_temporaries *s, const gndi_filter *f, const request *r) {
    const int axis = r->axis;
    const int64_t n = r->x->shape[axis], count = gndi_ceil_div(n, r->every);
    gndi_filter some = *f;
    gnd_array *state = gndi_filter_state_new(s, r->x, axis, f->sections, f->order, gndi_filter_state_dtype(f));
    gnd_stream *stream = gndi_ew_stream(r->x, s->fn);
    gnd_array *forward = NULL;
    if (stream) forward = gndi_array_new_on(s->fn, stream, r->x->ndim, r->x->shape, f->work, GNDI_ORDER_C);
    gnd_array *result = gndi_temporaries_keep(s, forward) ? new_part(s->fn, forward, axis, count) : NULL;
    gndi_temporaries_keep(s, result);
    if (s->failed) return NULL;
    if (r->every > 1) some.first = (n - 1) % r->every, some.every = r->every;
    find_state(s, f, r, forward, false, state);
    gndi_filter_run(s, f, r->x, axis, forward, &state);
    find_state(s, f, r, forward, true, state);
    gnd_array *from = s->failed ? NULL : part(s, forward, axis, n - 1, 0);
    gnd_array *to = s->failed ? NULL : part(s, result, axis, count - 1, 0);
    gndi_filter_run(s, &some, from, axis, to, &state);
    return result;
}

/* ---- both ways at once ------------------------------------------------------------------------- */

/* Whether a few results of a filter come from one reading of the signal: `pairs` is then what it is a sum of. Blocks of
   a GPU take thousands of samples each: lines that are short and many would be too little work for so many of them. */
static bool has_pairs(const gndi_filter *f, const request *r, gndi_filter_pairs *pairs) {
    enum { LONG = 1 << 14, FEW = 128 };
    const int64_t n = r->x->shape[r->axis], item = f->work == GND_FLOAT32 || f->work == GND_COMPLEX64 ? 4 : 8;
    const gndi_device *d = r->x->buffer->device;
    return r->every > 1 && r->every <= 64 && d->backend->filtfilt && f->sections && !f->taps &&
           r->pad == GND_FILTER_PAD_ODD && (n >= LONG || r->x->size / n <= FEW) &&
           gndi_filtfilt_threads(d->shared_bytes, gndi_filtfilt_run(r->every, item)) > 0 &&
           gndi_filter_pairs_of(&f->made.system, r->every, pairs);
}

static gnd_array *by_pairs(gndi_temporaries *s, const gndi_filter *f, const request *r,
                           const gndi_filter_pairs *pairs) {
    gndi_filtfilt_plan plan = {.dtype = (uint8_t)f->work, .pairs = *pairs, .edge = r->edge};
    const gnd_array *read = NULL;
    gnd_array *y = new_part(s->fn, r->x, r->axis, gndi_ceil_div(r->x->shape[r->axis], r->every));
    if (!gndi_temporaries_keep(s, y)) return NULL;
    gndi_filter_lines_of(s, r->x, r->axis, f->work, y, &plan.lines, &read);
    if (s->failed || y->size == 0) return s->failed ? NULL : y;
    plan.lines.y_every = r->every;
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &read, 1, (const gnd_array *[]){y});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->filtfilt(stream, &plan, s->fn), s->fn);
    return s->failed ? NULL : y;
}

/* x, of the work dtype, forward and backward. */
static gnd_array *there_and_back(gndi_temporaries *s, const gndi_filter *f, const request *r) {
    const int64_t n = r->x->shape[r->axis], edge = r->edge;
    const int axis = r->axis;
    gndi_filter_pairs pairs;
    if (has_pairs(f, r, &pairs)) return by_pairs(s, f, r, &pairs);
    if (has_ends(f, r)) return by_ends(s, f, r);
    const gnd_array *before = edge ? extension(s, r, 0, edge, 1) : NULL;
    const gnd_array *behind = edge ? extension(s, r, n - 1, n - 2, n - 1 - edge) : NULL;
    if (s->failed) return NULL;
    gnd_array *first = part(s, edge ? before : r->x, axis, 0, 0);
    gnd_array *state = s->failed ? NULL : gndi_filter_begin(s, f, first, axis);
    if (edge) gndi_filter_run(s, f, before, axis, NULL, &state);
    gnd_array *forward = gndi_filter_run(s, f, r->x, axis, NULL, &state);
    gnd_array *tail = edge ? gndi_filter_run(s, f, behind, axis, NULL, &state) : NULL;
    if (s->failed) return NULL;
    gnd_array *last = edge ? part(s, tail, axis, edge - 1, edge - 1) : part(s, forward, axis, n - 1, n - 1);
    state = s->failed ? NULL : gndi_filter_begin(s, f, last, axis);
    if (edge && !s->failed) gndi_filter_run(s, f, part(s, tail, axis, edge - 1, 0), axis, NULL, &state);
    gnd_array *result = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_like(s->fn, forward, GND_DTYPE_NONE));
    gnd_array *from = s->failed ? NULL : part(s, forward, axis, n - 1, 0);
    gnd_array *to = s->failed ? NULL : part(s, result, axis, n - 1, 0);
    gndi_filter_run(s, f, from, axis, to, &state);
    if (r->every == 1 || s->failed) return s->failed ? NULL : result;
    const gnd_array *some = gndi_step_part(s, result, axis, 0, gndi_ceil_div(n, r->every), r->every);
    return some ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, some, f->work, 'C')) : NULL;
}

static bool check_padding(gndi_temporaries *s, request *r, const gnd_filtfilt_options *options, int64_t taps) {
    const int64_t n = r->x->shape[r->axis];
    r->pad = options->pad;
    r->edge = options->pad == GND_FILTER_PAD_NONE ? 0 : options->padlen ? options->padlen : 3 * taps;
    if ((unsigned)options->pad > GND_FILTER_PAD_NONE)
        gndi_raise(GND_ERROR_INVALID, s->fn, "there is no padding number %d", (int)options->pad);
    else if (r->edge < 0)
        gndi_raise(GND_ERROR_VALUE, s->fn, "padlen is %" PRId64 "; it must not be negative", r->edge);
    else if (n <= r->edge)
        gndi_raise(GND_ERROR_VALUE, s->fn,
                   "the axis has %" PRId64 " samples; it must be longer than the padding, %" PRId64, n, r->edge);
    else
        return true;
    s->failed = true;
    return false;
}

/* Sections if a is NULL. */
static gnd_array *forward_backward(const char *fn, const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                                   const gnd_filtfilt_options *options, int64_t every) {
    static const gnd_filtfilt_options defaults;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_filter f;
    request r = {.x = x, .every = every};
    gnd_array *y = NULL;
    if (!options) options = &defaults;
    if (!gndi_filter_check_axis(fn, x, axis, &r.axis)) return NULL;
    if ((unsigned)options->method > GND_FILTER_METHOD_GUST)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no method number %d", (int)options->method);
    if (a && options->method == GND_FILTER_METHOD_GUST) {
        y = gndi_filter_gust(&s, b, a, x, r.axis, options->irlen);
        return gndi_temporaries_end(&s, y);
    }
    if (gndi_filter_open(&s, &f, b, a, x, NULL) && f.taps) s.failed = !gndi_filter_make(fn, b, a, &f.made);
    int64_t taps = f.sections ? 2 * f.sections + 1 : f.order + 1, without[2] = {0, 0};
    for (int i = 0; i < f.sections && !s.failed; i++) {
        without[0] += f.made.system.b[5 * i + 2] == 0;
        without[1] += f.made.system.b[5 * i + 4] == 0;
    }
    taps -= gndi_min(without[0], without[1]);
    if (!s.failed && (gnd_dtype)x->dtype != f.work) r.x = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, f.work, 'C'));
    if (!s.failed && check_padding(&s, &r, options, taps)) y = there_and_back(&s, &f, &r);
    if (!s.failed && f.result != f.work) y = gndi_temporaries_keep(&s, gndi_copy_as(fn, y, f.result, 'C'));
    gndi_filter_close(&f);
    return gndi_temporaries_end(&s, y);
}

gnd_array *gnd_filtfilt(const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                        const gnd_filtfilt_options *options) {
    static const char fn[] = "gnd_filtfilt";
    if (!gndi_filter_check_line(fn, b, "b") || !gndi_filter_check_line(fn, a, "a")) return NULL;
    return forward_backward(fn, b, a, x, axis, options, 1);
}

gnd_array *gnd_sosfiltfilt(const gnd_array *sos, const gnd_array *x, int axis, const gnd_filtfilt_options *options) {
    static const char fn[] = "gnd_sosfiltfilt";
    if (!gndi_filter_check_sos(fn, sos)) return NULL;
    return forward_backward(fn, sos, NULL, x, axis, options, 1);
}

gnd_array *gndi_sosfiltfilt_every(const char *fn, const gnd_array *sos, const gnd_array *x, int axis, int64_t every) {
    return gndi_filter_check_sos(fn, sos) ? forward_backward(fn, sos, NULL, x, axis, NULL, every) : NULL;
}
