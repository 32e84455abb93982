/*
 * rate_stream.c: changes of the sampling rate, and channelizers, of a signal that comes in chunks. What is kept of a
 * channel are its last elements, as many as the next result may see; elements and results have numbers that go on, so
 * a chunk's results are those of the whole signal, bit for bit.
 */
#include "elementwise/create.h"
#include "resample/channelize.h"
#include "resample/chunk.h"

struct gnd_rate_stream {
    gndi_kept kept;    /* the last elements of the channels */
    gndi_buffer *taps; /* dense */
    gnd_dtype taps_dtype;
    int64_t tap_count;
    double scale;
    int64_t up, down, offset; /* of a channelizer: 1, the hop, 0 */
    int64_t bank;             /* the channels of a channelizer; 0: a resampler */
    bool whole_rate;          /* n elements give n * up / down results, as gnd_resample_poly's, else gnd_upfirdn's */
    int64_t fed, given;       /* elements and results so far */
};

static gnd_array *new_lines(gndi_temporaries *s, const gnd_rate_stream *f, int64_t n, gnd_dtype dtype) {
    return gndi_kept_lines(s, &f->kept, 1, &n, dtype);
}

/* ---- making ----------------------------------------------------------------------------------- */

static bool check_stream(const char *fn, const gnd_array *h, const gnd_shape *channels, gnd_dtype dtype) {
    int64_t lines;
    const bool taken = dtype == GND_FLOAT32 || dtype == GND_FLOAT64 || gndi_dtype_is_complex(dtype);
    if (taken && !(h && gndi_dtype_is_complex(h->dtype) && !gndi_dtype_is_complex(dtype)))
        return gndi_check_channels_shape(fn, channels, &lines);
    gndi_raise(GND_ERROR_DTYPE, fn,
               "a stream's dtype is float32, float64, complex64 or complex128, and complex if "
               "its taps are; %s is given",
               gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
    return false;
}

/* The taps and zeros in memory of the stream's own; h may be on another stream, but on the current device. */
static bool allocate(gndi_temporaries *s, gnd_rate_stream *f, const gnd_array *h) {
    if (s->failed) return false;
    gnd_array *taps = gndi_temporaries_keep(s, gndi_copy_as(s->fn, h, (gnd_dtype)h->dtype, 'C'));
    if (!taps) return false;
    gndi_buffer_retain(f->taps = taps->buffer);
    f->taps_dtype = (gnd_dtype)taps->dtype, f->tap_count = taps->size;
    const int64_t row = f->bank ? f->bank : f->up, back = gndi_ceil_div(f->tap_count, row);
    f->kept.keeps = f->bank ? back * row - 1 : back - 1;
    return gndi_kept_new(s, &f->kept);
}

static gnd_rate_stream *finish(gndi_temporaries *s, gnd_rate_stream *f, const gnd_array *h) {
    const bool done = f && allocate(s, f, h);
    gndi_temporaries_end(s, NULL);
    if (done) return gndi_owned("a stream of rates", f, s->fn);
    if (f) {
        if (f->taps) gndi_buffer_release(f->taps);
        gndi_kept_release(&f->kept);
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
    if (f) f->scale = 1, f->kept = (gndi_kept){.device = s->device, .dtype = dtype, .channels = *channels, .width = 1};
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
    const gnd_rate_stream line = {.kept = {.device = f->kept.device, .width = 1}};
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
    gndi_kept_release(&f->kept);
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

/* Memory for results up to number `until`. */
static gnd_array *new_results(gndi_temporaries *s, const gnd_rate_stream *f, int64_t until) {
    const bool wide = f->kept.dtype == GND_FLOAT64 || f->kept.dtype == GND_COMPLEX128;
    const int64_t count = until - f->given;
    if (!f->bank) return new_lines(s, f, count, f->kept.dtype);
    return new_lines(s, f, count * f->bank, wide ? GND_COMPLEX128 : GND_COMPLEX64);
}

/* These from elements of which the first is number x_first. `chunk`: it is joined to what is kept first, to x; NULL: x
   is there. */
static gnd_array *compute(gndi_temporaries *s, const gnd_rate_stream *f, const gnd_array *chunk, const gnd_array *x,
                          int64_t x_first, gnd_array *out, const gnd_array *taps) {
    if (s->failed) return NULL;
    if (!f->bank) {
        const gndi_upfirdn_request r = {.h = taps,
                                        .x = x,
                                        .out = out,
                                        .up = f->up,
                                        .down = f->down,
                                        .offset = f->offset,
                                        .x_first = x_first,
                                        .out_first = f->given,
                                        .border = GNDI_BORDER_CONSTANT,
                                        .scale = f->scale,
                                        .kept = chunk ? &f->kept : NULL,
                                        .chunk = chunk};
        gndi_upfirdn_lines(s, &r);
        return out;
    }
    const gndi_channelize_request r = {.h = taps,
                                       .x = x,
                                       .out = out,
                                       .channels = f->bank,
                                       .hop = f->down,
                                       .x_first = x_first,
                                       .frame_first = f->given,
                                       .kept = chunk ? &f->kept : NULL,
                                       .chunk = chunk};
    return gndi_channels_first(s, gndi_channelize_lines(s, &r), f->kept.channels.ndim);
}

static gnd_array *taps_of(gndi_temporaries *s, const gnd_rate_stream *f) {
    return gndi_array_over_buffer(s, f->taps, 1, &f->tap_count, f->taps_dtype);
}

static bool check_chunk(const char *fn, const gnd_rate_stream *f, const gnd_array *x) {
    return gndi_check_chunk(fn, f, f ? &f->kept : NULL, x);
}

gnd_array *gnd_rate_stream_feed(gnd_rate_stream *f, const gnd_array *x) {
    static const char fn[] = "gnd_rate_stream_feed";
    if (!check_chunk(fn, f, x)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t n = x->shape[x->ndim - 1], fed = f->fed + n, ready = results_ready(f, fed);
    /* All memory before the chunk is kept, so that there is little to fail behind that. */
    const gnd_array *chunk = gndi_chunk_of(&s, &f->kept, x);
    gnd_array *joined = new_lines(&s, f, f->kept.keeps + n, f->kept.dtype), *out = new_results(&s, f, ready);
    gnd_array *taps = taps_of(&s, f), *result = NULL;
    const bool at_once = !s.failed && out->size > 0 && !f->kept.device->backend->synchronous;
    if (at_once || gndi_join_chunk(&s, &f->kept, chunk, joined)) {
        result = compute(&s, f, at_once ? chunk : NULL, joined, f->fed - f->kept.keeps, out, taps);
        if (s.failed && !at_once) gndi_unjoin_chunk(fn, &f->kept, joined);
    }
    if (!s.failed) f->fed = fed, f->given = ready;
    return gndi_temporaries_end(&s, result);
}

static void forget(gndi_temporaries *s, gnd_rate_stream *f) {
    if (!s->failed) s->failed = gndi_kept_clear(s->fn, &f->kept) != GND_OK;
    if (!s->failed) f->fed = f->given = 0;
}

gnd_array *gnd_rate_stream_flush(gnd_rate_stream *f) {
    static const char fn[] = "gnd_rate_stream_flush";
    if (!f) return gndi_raise_null(fn, "stream"), NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t all = f->kept.keeps ? results_of(f, f->fed) : f->given;
    /* What is left sees elements that were kept, and zeros behind them. */
    gnd_array *x = f->kept.keeps && all > f->given ? gndi_kept_array(&s, &f->kept) : new_lines(&s, f, 0, f->kept.dtype);
    gnd_array *out = new_results(&s, f, all), *taps = taps_of(&s, f);
    gnd_array *result = compute(&s, f, NULL, x, f->fed - f->kept.keeps, out, taps);
    forget(&s, f);
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
    gnd_array *state = gndi_kept_save(&s, &f->kept);
    *fed = f->fed;
    return gndi_temporaries_end(&s, state);
}

gnd_status gnd_rate_stream_restore(gnd_rate_stream *f, const gnd_array *state, int64_t fed) {
    gndi_temporaries s = {.fn = "gnd_rate_stream_restore"};
    s.failed = !gndi_kept_restore(&s, f, f ? &f->kept : NULL, state, fed);
    if (!s.failed) f->fed = fed, f->given = results_ready(f, fed);
    return gndi_temporaries_status(&s);
}
