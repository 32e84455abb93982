/*
 * rate_stream.c: changes of the sampling rate, and channelizers, of a signal that comes in chunks. What is kept of a
 * channel are its last elements, as many as the next result may see; elements and results have numbers that go on, so
 * a chunk's results are those of the whole signal, bit for bit.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "rearrange/rearrange.h"
#include "resample/channelize.h"
#include "runtime/runtime.h"

struct gnd_rate_stream {
    gndi_device *device;
    gnd_dtype dtype;
    gnd_shape channels;
    gndi_buffer *taps; /* dense */
    gnd_dtype taps_dtype;
    int64_t tap_count;
    double scale;
    int64_t up, down, offset; /* of a channelizer: 1, the hop, 0 */
    int64_t bank;             /* the channels of a channelizer; 0: a resampler */
    bool whole_rate;          /* n elements give n * up / down results, as gnd_resample_poly's, else gnd_upfirdn's */
    int64_t keeps;            /* elements of a channel */
    gndi_buffer *memory;      /* these, dense */
    int64_t fed, given;       /* elements and results so far */
};

/* ---- arrays over the stream's memory ------------------------------------------------------------ */

static gnd_array *array_over(gndi_temporaries *s, gndi_buffer *b, int ndim, const int64_t *shape, gnd_dtype dtype) {
    int64_t strides[GND_MAX_DIMS];
    if (s->failed) return NULL;
    gndi_c_strides(ndim, shape, gndi_dtype_sizes[dtype], strides);
    gndi_buffer_retain(b);
    return gndi_temporaries_keep(s, gndi_array_over(s->fn, b, ndim, shape, strides, b->base, dtype));
}

/* The shape of the channels with n elements each. */
static gnd_shape shape_of(const gnd_rate_stream *f, int64_t n) {
    gnd_shape shape = f->channels;
    shape.dim[shape.ndim++] = n;
    return shape;
}
static gnd_array *new_lines(gndi_temporaries *s, const gnd_rate_stream *f, int64_t n, gnd_dtype dtype) {
    const gnd_shape shape = shape_of(f, n);
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(f->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, shape.ndim, shape.dim, dtype, GNDI_ORDER_C));
}
static gnd_array *kept_elements(gndi_temporaries *s, const gnd_rate_stream *f) {
    const gnd_shape shape = shape_of(f, f->keeps);
    return array_over(s, f->memory, shape.ndim, shape.dim, f->dtype);
}

static void forget(gndi_temporaries *s, gnd_rate_stream *f) {
    f->fed = f->given = 0;
    gnd_array *kept = f->keeps ? kept_elements(s, f) : NULL;
    if (kept && !s->failed) s->failed = gndi_assign(s->fn, kept, gnd_arg_int(0)) != GND_OK;
}

/* ---- making ----------------------------------------------------------------------------------- */

static bool check_stream(const char *fn, const gnd_array *h, const gnd_shape *channels, gnd_dtype dtype) {
    int64_t lines;
    const bool taken = dtype == GND_FLOAT32 || dtype == GND_FLOAT64 || gndi_dtype_is_complex(dtype);
    if (!taken || (h && gndi_dtype_is_complex(h->dtype) && !gndi_dtype_is_complex(dtype)))
        gndi_raise(GND_ERROR_DTYPE, fn,
                   "a stream's dtype is float32, float64, complex64 or complex128, and complex if "
                   "its taps are; %s is given",
                   gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
    else if (channels->ndim < 0 || channels->ndim > GND_MAX_DIMS - 2)
        gndi_raise(GND_ERROR_SHAPE, fn, "channels have %d dimensions; at most %d fit", channels->ndim,
                   GND_MAX_DIMS - 2);
    else if (!gndi_shape_size(channels->ndim, channels->dim, &lines))
        gndi_raise(GND_ERROR_SHAPE, fn, "the channels' shape is %s", gndi_text_shape(channels->ndim, channels->dim));
    else
        return true;
    return false;
}

/* The taps and zeros in memory of the stream's own; h may be on another stream, but on the current device. */
static bool allocate(gndi_temporaries *s, gnd_rate_stream *f, const gnd_array *h) {
    if (s->failed) return false;
    gnd_array *taps = gndi_temporaries_keep(s, gndi_copy_as(s->fn, h, (gnd_dtype)h->dtype, 'C'));
    if (!taps) return false;
    gndi_buffer_retain(f->taps = taps->buffer);
    f->taps_dtype = (gnd_dtype)taps->dtype, f->tap_count = taps->size;
    const int64_t row = f->bank ? f->bank : f->up;
    f->keeps = f->bank ? gndi_ceil_div(f->tap_count, row) * row - 1 : gndi_ceil_div(f->tap_count, row) - 1;
    gnd_array *kept = new_lines(s, f, f->keeps, f->dtype);
    if (!kept) return false;
    gndi_buffer_retain(f->memory = kept->buffer);
    forget(s, f);
    return !s->failed;
}

static gnd_rate_stream *finish(gndi_temporaries *s, gnd_rate_stream *f, const gnd_array *h) {
    const bool done = f && allocate(s, f, h);
    gndi_temporaries_end(s, NULL);
    if (done) return gndi_owned("a stream of rates", f, s->fn);
    if (f) {
        if (f->taps) gndi_buffer_release(f->taps);
        if (f->memory) gndi_buffer_release(f->memory);
        gndi_free(f);
    }
    return NULL;
}

/* A stream on the current device without its memory. */
static gnd_rate_stream *begin(const char *fn, const gnd_array *h, const gnd_shape *channels, gnd_dtype dtype) {
    gnd_stream *s = gndi_stream_current(fn);
    if (!s || !check_stream(fn, h, channels, dtype)) return NULL;
    if (h && h->buffer->device != s->device) {
        gndi_raise(GND_ERROR_DEVICE, fn, "h is on %s, and the current device is %s",
                   gndi_text_device(h->buffer->device->id), gndi_text_device(s->device->id));
        return NULL;
    }
    gnd_rate_stream *f = gndi_calloc(fn, sizeof *f);
    if (f) *f = (gnd_rate_stream){.device = s->device, .dtype = dtype, .channels = *channels, .scale = 1};
    return f;
}

gnd_rate_stream *gnd_rate_stream_upfirdn(const gnd_array *h, int64_t up, int64_t down, gnd_shape channels,
                                         gnd_dtype dtype) {
    static const char fn[] = "gnd_rate_stream_upfirdn";
    if (gndi_missing(h)) return gndi_raise_null(fn, "h"), NULL;
    if (!gndi_check_rates(fn, up, down)) return NULL;
    gndi_temporaries s = {.fn = fn};
    gnd_rate_stream *f = begin(fn, h, &channels, dtype);
    if (f) f->up = up, f->down = down;
    return finish(&s, f, f ? gndi_upfirdn_taps(&s, h, "h", dtype) : NULL);
}

gnd_rate_stream *gnd_rate_stream_resample_poly(int64_t up, int64_t down, const gnd_window *window, gnd_shape channels,
                                               gnd_dtype dtype) {
    static const char fn[] = "gnd_rate_stream_resample_poly";
    static const gnd_window kaiser = {"kaiser", 1, {5}};
    if (!gndi_check_rates(fn, up, down)) return NULL;
    gndi_temporaries s = {.fn = fn};
    gnd_rate_stream *f = begin(fn, NULL, &channels, dtype);
    if (!f) return NULL;
    int64_t common = up, rest = down;
    while (rest) {
        const int64_t next = common % rest;
        common = rest, rest = next;
    }
    f->up = up / common, f->down = down / common, f->scale = (double)f->up, f->whole_rate = true;
    const int64_t rate = gndi_max(f->up, f->down);
    const bool wide = dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
    const gnd_dtype real = wide ? GND_FLOAT64 : GND_FLOAT32;
    f->offset = rate == 1 ? 0 : 10 * rate;
    const gnd_rate_stream line = {.device = f->device};
    const gnd_array *h = new_lines(&s, &line, 1, real); /* as it is, if the rate stays */
    if (h) s.failed = gndi_assign(fn, (gnd_array *)(uintptr_t)h, gnd_arg_int(1)) != GND_OK;
    if (h && rate > 1)
        h = gndi_lowpass(&s, h, 20 * rate + 1, 1.0 / (double)rate, window && window->name ? window : &kaiser, real);
    return finish(&s, f, h);
}

gnd_rate_stream *gnd_rate_stream_channelize(const gnd_array *h, int64_t n_chans, int64_t hop, gnd_shape channels,
                                            gnd_dtype dtype) {
    static const char fn[] = "gnd_rate_stream_channelize";
    if (gndi_missing(h)) return gndi_raise_null(fn, "h"), NULL;
    if (hop == 0) hop = n_chans;
    if (!gndi_check_channels(fn, n_chans, hop)) return NULL;
    if (n_chans > GNDI_CHANNELS_MOST) {
        gndi_raise(GND_ERROR_VALUE, fn, "%lld channels; a stream has at most %d", (long long)n_chans,
                   GNDI_CHANNELS_MOST);
        return NULL;
    }
    gndi_temporaries s = {.fn = fn};
    gnd_rate_stream *f = begin(fn, h, &channels, dtype);
    if (f) f->up = 1, f->down = hop, f->bank = n_chans;
    return finish(&s, f, f ? gndi_upfirdn_taps(&s, h, "h", dtype) : NULL);
}

void gnd_rate_stream_release(gnd_rate_stream *f) {
    if (!f) return;
    gndi_disowned(f);
    gndi_buffer_release(f->taps);
    gndi_buffer_release(f->memory);
    gndi_free(f);
}

/* ---- feeding ---------------------------------------------------------------------------------- */

/* How many results the whole signal has, were it to end here. */
static int64_t results_of(const gnd_rate_stream *f, int64_t fed) {
    if (fed == 0) return 0;
    if (f->bank) return fed / f->down;
    if (f->whole_rate) return gndi_ceil_div(fed * f->up, f->down);
    return ((fed - 1) * f->up + f->tap_count - 1) / f->down + 1;
}

/* How many of them see no element that is still to come. */
static int64_t results_ready(const gnd_rate_stream *f, int64_t fed) {
    if (f->bank) return results_of(f, fed);
    const int64_t last = fed * f->up - 1 - f->offset;
    return last < 0 ? 0 : gndi_min(last / f->down + 1, results_of(f, fed));
}

/* Results up to number `until` from elements of which the first is number x_first. */
static gnd_array *compute(gndi_temporaries *s, const gnd_rate_stream *f, const gnd_array *x, int64_t x_first,
                          int64_t until) {
    const int64_t count = until - f->given;
    gnd_array *taps = array_over(s, f->taps, 1, &f->tap_count, f->taps_dtype);
    if (!f->bank) {
        const gndi_upfirdn_request r = {.h = taps,
                                        .x = x,
                                        .out = new_lines(s, f, count, f->dtype),
                                        .up = f->up,
                                        .down = f->down,
                                        .offset = f->offset,
                                        .x_first = x_first,
                                        .out_first = f->given,
                                        .border = GNDI_BORDER_CONSTANT,
                                        .scale = f->scale};
        gndi_upfirdn_lines(s, &r);
        return r.out;
    }
    const bool wide = f->dtype == GND_FLOAT64 || f->dtype == GND_COMPLEX128;
    gnd_array *out = new_lines(s, f, count * f->bank, wide ? GND_COMPLEX128 : GND_COMPLEX64);
    const gndi_channelize_request r = {.h = taps,
                                       .x = x,
                                       .out = out,
                                       .channels = f->bank,
                                       .hop = f->down,
                                       .x_first = x_first,
                                       .frame_first = f->given};
    return gndi_channels_first(s, gndi_channelize_lines(s, &r), f->channels.ndim);
}

static bool check_chunk(const char *fn, const gnd_rate_stream *f, const gnd_array *x) {
    if (!f) return gndi_raise_null(fn, "stream"), false;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    bool fits = x->ndim == f->channels.ndim + 1;
    for (int d = 0; fits && d < f->channels.ndim; d++) fits = x->shape[d] == f->channels.dim[d];
    if (!fits)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must be that of the channels, %s, and elements",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(f->channels.ndim, f->channels.dim));
    else if (x->buffer->device != f->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "x is on %s, and the stream on %s", gndi_text_device(x->buffer->device->id),
                   gndi_text_device(f->device->id));
    else if (gnd_promote_types((gnd_dtype)x->dtype, f->dtype) != f->dtype && !gndi_dtype_is_int(x->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s, which the stream's, %s, does not hold",
                   gnd_dtype_name((gnd_dtype)x->dtype), gnd_dtype_name(f->dtype));
    else
        return true;
    return false;
}

gnd_array *gnd_rate_stream_feed(gnd_rate_stream *f, const gnd_array *x) {
    static const char fn[] = "gnd_rate_stream_feed";
    if (!check_chunk(fn, f, x)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int last = f->channels.ndim;
    const int64_t n = x->shape[last], fed = f->fed + n, ready = results_ready(f, fed);
    gnd_array *kept = f->keeps ? kept_elements(&s, f) : NULL;
    gnd_array *joined = new_lines(&s, f, f->keeps + n, f->dtype);
    if (!s.failed && f->keeps) gndi_copy_to_part(&s, joined, last, 0, f->keeps, kept);
    if (!s.failed) gndi_copy_to_part(&s, joined, last, f->keeps, n, x);
    gnd_array *result = s.failed ? NULL : compute(&s, f, joined, f->fed - f->keeps, ready);
    if (!s.failed && f->keeps && n > 0 && joined->size > 0) {
        const gnd_array *tail = gndi_step_part(&s, joined, last, n, f->keeps, 1);
        if (!s.failed) s.failed = gndi_copy_into(fn, kept, tail) != GND_OK;
    }
    if (!s.failed) f->fed = fed, f->given = ready;
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_rate_stream_flush(gnd_rate_stream *f) {
    static const char fn[] = "gnd_rate_stream_flush";
    if (!f) return gndi_raise_null(fn, "stream"), NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t all = results_of(f, f->fed);
    /* What is left sees elements that were kept, and zeros behind them. */
    gnd_array *x = f->keeps && all > f->given ? kept_elements(&s, f) : new_lines(&s, f, 0, f->dtype);
    gnd_array *result = s.failed ? NULL : compute(&s, f, x, f->fed - f->keeps, f->keeps ? all : f->given);
    if (!s.failed) forget(&s, f);
    return gndi_temporaries_end(&s, result);
}

/* ---- states ----------------------------------------------------------------------------------- */

gnd_status gnd_rate_stream_reset(gnd_rate_stream *f) {
    static const char fn[] = "gnd_rate_stream_reset";
    if (!f) return gndi_raise_null(fn, "stream");
    gndi_temporaries s = {.fn = fn};
    forget(&s, f);
    return gndi_temporaries_status(&s);
}

gnd_array *gnd_rate_stream_save(const gnd_rate_stream *f, int64_t *fed) {
    static const char fn[] = "gnd_rate_stream_save";
    if (!f || !fed) return gndi_raise_null(fn, f ? "fed" : "stream"), NULL;
    gndi_temporaries s = {.fn = fn};
    gnd_array *state = new_lines(&s, f, f->keeps, f->dtype);
    gnd_array *kept = f->keeps ? kept_elements(&s, f) : NULL;
    if (kept && !s.failed) s.failed = gndi_copy_into(fn, state, kept) != GND_OK;
    *fed = f->fed;
    return gndi_temporaries_end(&s, state);
}

gnd_status gnd_rate_stream_restore(gnd_rate_stream *f, const gnd_array *state, int64_t fed) {
    static const char fn[] = "gnd_rate_stream_restore";
    if (!check_chunk(fn, f, state)) return gndi_ew_pending();
    if (state->shape[f->channels.ndim] != f->keeps)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the state has shape %s; the last size must be %lld",
                          gndi_text_shape(state->ndim, state->shape), (long long)f->keeps);
    if (fed < 0) return gndi_raise(GND_ERROR_VALUE, fn, "%lld elements were fed", (long long)fed);
    gndi_temporaries s = {.fn = fn};
    gnd_array *kept = f->keeps ? kept_elements(&s, f) : NULL;
    if (kept && !s.failed) s.failed = gndi_copy_into(fn, kept, state) != GND_OK;
    if (!s.failed) f->fed = fed, f->given = results_ready(f, fed);
    return gndi_temporaries_status(&s);
}
