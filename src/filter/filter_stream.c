/*
 * filter_stream.c: filters that keep their state between chunks of a signal. On the CPU a recursive filter goes on
 * from its states, in float64, as if there were no cut. On a GPU its work is cut at fixed positions of the signal
 * (filter_plan.h), and what is kept is more than the states. A FIR filter keeps the last samples.
 */
#include "filter/filter.h"
#include "filter/channels.h"
#include "elementwise/create.h"
#include "elementwise/item.h"

struct gnd_filter_stream {
    gndi_device *device;
    gnd_dtype dtype;
    gnd_shape channels;
    int64_t lines;
    gndi_filter_made made; /* recursive */
    gndi_buffer *taps;     /* FIR: b / a in `dtype`; NULL: it is recursive */
    int64_t order;
    gndi_buffer *memory; /* all that is kept: states or samples, then a GPU's history */
    size_t state_bytes, bytes;
    int64_t kernels, kept_states; /* of a GPU's history */
};

/* ---- making --------------------------------------------------------------------------------- */

static int parts_of(const gnd_filter_stream *f) {
    return gndi_dtype_is_complex(f->dtype) ? 2 : 1;
}

/* Numbers in `bytes`, rounded up so that what follows is aligned. */
static size_t rounded(int64_t bytes) {
    return (size_t)gndi_ceil_div(bytes, 256) * 256;
}

static size_t workspace_bytes(int64_t lines) {
    return lines <= GNDI_FILTER_FEW_LINES ? GNDI_FILTER_TICKETS : 0;
}

static gndi_filter_history history_of(const gnd_filter_stream *f) {
    char *at = (char *)f->memory->base + f->state_bytes;
    const int64_t lines = f->lines * parts_of(f);
    gndi_filter_history history = {.clocks = (int64_t *)(void *)at};
    at += rounded(f->kernels * 8);
    history.ends = (double *)(void *)at;
    history.samples = at + rounded(lines * GNDI_FILTER_KEPT * f->kept_states * 8);
    if (lines <= GNDI_FILTER_FEW_LINES) history.workspace = (char *)f->memory->base + f->bytes - workspace_bytes(lines);
    return history;
}

/* Sets all that is kept to zeros. */
static gnd_status clear(const char *fn, gnd_filter_stream *f) {
    return gndi_clear_memory(fn, f->device, f->memory, f->bytes);
}

static bool allocate(const char *fn, gnd_filter_stream *f) {
    gnd_stream *s = gndi_stream_on(f->device, fn);
    const int64_t lines = f->lines * parts_of(f), item = gndi_dtype_sizes[f->dtype] / parts_of(f);
    f->state_bytes = rounded(lines * f->order * (f->taps ? item : 8));
    f->bytes = f->state_bytes;
    if (!f->taps && !f->device->backend->synchronous) {
        f->kept_states = gndi_filter_kept_states(&f->made.system, &f->kernels);
        f->bytes += rounded(f->kernels * 8) + rounded(lines * GNDI_FILTER_KEPT * f->kept_states * 8) +
                    rounded(f->kernels * lines * GNDI_FILTER_TILE * item) + workspace_bytes(lines);
    }
    if (s) f->memory = gndi_buffer_new(fn, s, f->bytes + 8);
    return f->memory && clear(fn, f) == GND_OK;
}

static bool check_stream(const char *fn, const gnd_shape *channels, gnd_dtype dtype, bool is_complex, int64_t *lines) {
    const bool taken = dtype == GND_FLOAT32 || dtype == GND_FLOAT64 || gndi_dtype_is_complex(dtype);
    if (taken && (!is_complex || gndi_dtype_is_complex(dtype))) return gndi_check_channels_shape(fn, channels, lines);
    gndi_raise(GND_ERROR_DTYPE, fn, "the dtype of a stream must be float32, float64, complex64 or complex128%s",
               is_complex ? "; the coefficients are complex, so it must be complex" : "");
    return false;
}

/* The taps of a FIR filter in memory of the stream's own. */
static bool make_taps(const char *fn, gnd_filter_stream *f, const gnd_array *b, const gnd_array *a) {
    gndi_temporaries s = {.fn = fn};
    const gnd_array *given[2] = {b, a};
    for (int i = 0; i < 2 && !s.failed; i++) {
        if (given[i]->buffer->device != f->device)
            given[i] = gndi_temporaries_keep(&s, gndi_to_device(fn, given[i], f->device->id));
        if (given[i]) given[i] = gndi_temporaries_keep(&s, gndi_copy_as(fn, given[i], f->dtype, 'C'));
    }
    gnd_array *taps = s.failed ? NULL : gndi_step(&s, GNDI_OP_divide, gnd_arg_array(given[0]), gnd_arg_array(given[1]));
    if (taps) gndi_buffer_retain(f->taps = taps->buffer);
    gndi_temporaries_end(&s, NULL);
    return f->taps != NULL;
}

/* Sections if a is NULL. */
static gnd_filter_stream *make(const char *fn, const gnd_array *b, const gnd_array *a, const gnd_shape *channels,
                               gnd_dtype dtype) {
    GNDI_PARTS_OF(fn);
    gnd_stream *s = gndi_stream_current(fn);
    const bool is_complex = gndi_dtype_is_complex(b->dtype) || (a && gndi_dtype_is_complex(a->dtype));
    int64_t lines;
    if (!s || !check_stream(fn, channels, dtype, is_complex, &lines)) return NULL;
    gnd_filter_stream *f = gndi_calloc(fn, sizeof *f);
    if (!f) return NULL;
    f->device = s->device, f->dtype = dtype, f->channels = *channels, f->lines = lines;
    bool done;
    if (a && a->size == 1) {
        f->order = b->size - 1;
        done = make_taps(fn, f, b, a);
    } else {
        done = a ? gndi_filter_make(fn, b, a, &f->made) : gndi_filter_make_sos(fn, b, &f->made);
        f->order = f->made.system.order;
    }
    if (done && allocate(fn, f)) return gndi_owned("a filter stream", f, fn);
    gnd_filter_stream_release(f);
    return NULL;
}

gnd_filter_stream *gnd_filter_stream_sosfilt(const gnd_array *sos, gnd_shape channels, gnd_dtype dtype) {
    static const char fn[] = "gnd_filter_stream_sosfilt";
    if (!gndi_filter_check_sos(fn, sos)) return NULL;
    return make(fn, sos, NULL, &channels, dtype);
}

gnd_filter_stream *gnd_filter_stream_lfilter(const gnd_array *b, const gnd_array *a, gnd_shape channels,
                                             gnd_dtype dtype) {
    static const char fn[] = "gnd_filter_stream_lfilter";
    if (!gndi_filter_check_line(fn, b, "b") || !gndi_filter_check_line(fn, a, "a")) return NULL;
    return make(fn, b, a, &channels, dtype);
}

void gnd_filter_stream_release(gnd_filter_stream *f) {
    if (!f) return;
    gndi_disowned(f);
    gndi_filter_drop(&f->made);
    if (f->taps) gndi_buffer_release(f->taps);
    if (f->memory) gndi_buffer_release(f->memory);
    gndi_free(f);
}

/* ---- feeding -------------------------------------------------------------------------------- */

static bool check_chunk(const char *fn, const gnd_filter_stream *f, const gnd_array *x) {
    return gndi_check_chunk_shape(fn, f, f ? f->device : NULL, f ? &f->channels : NULL, 0, x);
}

static gnd_status submit(const char *fn, gnd_filter_stream *f, const gndi_filter_lines *lines, const gnd_array *x,
                         gnd_array *y, char *zf) {
    gndi_buffer *const reads[] = {x ? x->buffer : NULL, f->taps}, *const writes[] = {f->memory, y ? y->buffer : NULL};
    gnd_stream *s = gndi_work_begin_buffers(fn, 2, reads, 2, writes);
    if (!s) return gndi_ew_pending();
    if (f->taps) {
        const gndi_fir_plan plan = {.dtype = (uint8_t)f->dtype,
                                    .lines = *lines,
                                    .taps = f->taps->base,
                                    .count = f->order + 1,
                                    .zf = zf,
                                    .before = f->order ? f->memory->base : NULL,
                                    .keeps = f->order ? f->memory->base : NULL};
        return gndi_work_end(s, s->device->backend->fir(s, &plan, fn), fn);
    }
    const gndi_filter_history history = history_of(f);
    const gndi_filter_plan plan = {.dtype = (uint8_t)f->dtype,
                                   .lines = *lines,
                                   .system = f->made.system,
                                   .state = f->memory->base,
                                   .begins = true,
                                   .history = f->kernels ? &history : NULL};
    return gndi_work_end(s, s->device->backend->filter(s, &plan, fn), fn);
}

/* y: NULL for a new array. */
static gnd_array *feed(gndi_temporaries *s, gnd_filter_stream *f, const gnd_array *x, gnd_array *y) {
    gndi_filter_lines lines;
    const gnd_array *read = NULL;
    if (y && gndi_overlaps(x, y)) x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, f->dtype, 'C'));
    if (!x) return NULL;
    y = gndi_filter_lines_of(s, x, x->ndim - 1, f->dtype, y, &lines, &read);
    if (!s->failed && y->size > 0) s->failed = submit(s->fn, f, &lines, read, y, NULL) != GND_OK;
    return y;
}

gnd_array *gnd_filter_stream_feed(gnd_filter_stream *f, const gnd_array *x) {
    static const char fn[] = "gnd_filter_stream_feed";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (!check_chunk(fn, f, x)) return NULL;
    return gndi_temporaries_end(&s, feed(&s, f, x, NULL));
}

gnd_status gnd_filter_stream_feed_into(gnd_filter_stream *f, const gnd_array *x, gnd_array *out) {
    static const char fn[] = "gnd_filter_stream_feed_into";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (!check_chunk(fn, f, x)) return gndi_ew_pending();
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    if (!gndi_check_out(fn, x, out, x->ndim, x->shape)) return gndi_ew_pending();
    if ((gnd_dtype)out->dtype != f->dtype)
        return gndi_raise(GND_ERROR_DTYPE, fn, "out has dtype %s; the stream's is %s",
                          gnd_dtype_name((gnd_dtype)out->dtype), gnd_dtype_name(f->dtype));
    feed(&s, f, x, out);
    return gndi_temporaries_status(&s);
}

/* A new array of the channels and n samples. */
static gnd_array *chunk(const char *fn, const gnd_filter_stream *f, int64_t n) {
    gnd_shape shape = f->channels;
    gnd_stream *s = gndi_stream_on(f->device, fn);
    shape.dim[shape.ndim++] = n;
    return s ? gndi_array_new_on(fn, s, shape.ndim, shape.dim, f->dtype, GNDI_ORDER_C) : NULL;
}

gnd_array *gnd_filter_stream_flush(gnd_filter_stream *f) {
    static const char fn[] = "gnd_filter_stream_flush";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (!f) return gndi_raise_null(fn, "stream"), NULL;
    gnd_array *tail = gndi_temporaries_keep(&s, chunk(fn, f, f->taps ? f->order : 0));
    if (tail && tail->size > 0) {
        gnd_array *zeros = gndi_temporaries_keep(&s, gndi_zero(fn, chunk(fn, f, f->order)));
        if (zeros) feed(&s, f, zeros, tail);
    }
    if (!s.failed) s.failed = clear(fn, f) != GND_OK;
    return gndi_temporaries_end(&s, tail);
}

/* ---- states --------------------------------------------------------------------------------- */

gnd_status gnd_filter_stream_reset(gnd_filter_stream *f) {
    static const char fn[] = "gnd_filter_stream_reset";
    if (!f) return gndi_raise_null(fn, "stream");
    return clear(fn, f);
}

/* The shape of a state in memory: lines first. */
static gnd_shape state_shape(const gnd_filter_stream *f) {
    gnd_shape shape = f->channels;
    if (f->made.system.sections) shape.dim[shape.ndim++] = f->made.system.sections;
    shape.dim[shape.ndim++] = f->made.system.sections ? 2 : f->order;
    return shape;
}
static gnd_dtype state_dtype(const gnd_filter_stream *f) {
    if (f->taps) return f->dtype;
    return gndi_dtype_is_complex(f->dtype) ? GND_COMPLEX128 : GND_FLOAT64;
}

/* Copies dense states between `array` and what is kept. */
static gnd_status move_state(const char *fn, const gnd_filter_stream *f, gnd_array *array, bool save) {
    const size_t bytes = (size_t)(array->size * gndi_itemsize(array));
    gndi_buffer *from = save ? f->memory : array->buffer, *to = save ? array->buffer : f->memory;
    void *source = save ? from->base : gndi_data(array), *target = save ? gndi_data(array) : to->base;
    gnd_stream *s = gndi_work_begin_buffers(fn, 1, &from, 1, &to);
    if (!s) return gndi_ew_pending();
    return gndi_work_end(s, bytes ? s->device->backend->copy_within(s, target, source, bytes, fn) : GND_OK, fn);
}

gnd_array *gnd_filter_stream_save(const gnd_filter_stream *f) {
    static const char fn[] = "gnd_filter_stream_save";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (!f) return gndi_raise_null(fn, "stream"), NULL;
    const gnd_shape shape = state_shape(f);
    gnd_stream *stream = gndi_stream_on(f->device, fn);
    gnd_array *dense = NULL;
    if (stream) dense = gndi_array_new_on(fn, stream, shape.ndim, shape.dim, state_dtype(f), GNDI_ORDER_C);
    dense = gndi_temporaries_keep(&s, dense);
    if (dense) s.failed |= move_state(fn, f, dense, true) != GND_OK;
    gnd_array *state = gndi_filter_state_out(&s, dense, f->channels.ndim, f->made.system.sections, state_dtype(f));
    return gndi_temporaries_end(&s, state);
}

gnd_status gnd_filter_stream_restore(gnd_filter_stream *f, const gnd_array *state) {
    static const char fn[] = "gnd_filter_stream_restore";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (!f) return gndi_raise_null(fn, "stream");
    if (gndi_missing(state)) return gndi_raise_null(fn, "state");
    gnd_array *like = gndi_temporaries_keep(&s, chunk(fn, f, 0));
    if (like && gndi_check_together(fn, like, "the stream", state, "state")) s.failed = true;
    gnd_array *dense =
        gndi_filter_state_in(&s, state, like, f->channels.ndim, f->made.system.sections, f->order, state_dtype(f));
    if (dense) s.failed |= clear(fn, f) != GND_OK || move_state(fn, f, dense, false) != GND_OK;
    if (!s.failed && f->kernels && f->lines > 0) {
        gndi_filter_lines lines = {.x_step = gndi_dtype_sizes[f->dtype], .y_step = gndi_dtype_sizes[f->dtype]};
        lines.count = f->lines;
        s.failed = submit(fn, f, &lines, NULL, NULL, NULL) != GND_OK;
    }
    return gndi_temporaries_status(&s);
}
