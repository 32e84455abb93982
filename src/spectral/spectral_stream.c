/*
 * spectral_stream.c: short-time transforms, their inverses and convolutions by transforms, of signals that come in
 * chunks. What is kept of a channel are its last elements, as many as the next result may see; frames and samples have
 * numbers that go on, so a chunk's results are those of the whole signal, bit for bit.
 *
 * A convolution is a transform of blocks that overlap by the taps but one, and its inverse without these
 * (overlap-save): block b begins taps - 1 samples before result b * hop. Few taps are those of a FIR filter instead,
 * which takes less time and gives its results at once.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "fft/fft.h"
#include "resample/chunk.h"
#include "spectral/spectral.h"
#include <gnd/filter.h>

typedef enum stream_kind {
    STFT,
    ISTFT,
    CONVOLVE,
} stream_kind;

struct gnd_spectral_stream {
    stream_kind kind;
    gndi_kept kept; /* samples, or frames of bins */
    gndi_stft_settings set;
    gndi_table window, squares, response;
    gnd_dtype result;       /* the dtype of results */
    int64_t fed, given;     /* elements, and frames or samples, so far */
    gnd_filter_stream *fir; /* of a convolution with few taps; nothing is kept then */
};

/* ---- making ----------------------------------------------------------------------------------- */

static bool check_stream(const char *fn, stream_kind kind, const gnd_shape *channels, gnd_dtype dtype) {
    int64_t lines;
    const bool is_complex = gndi_dtype_valid(dtype) && gndi_dtype_is_complex(dtype);
    if (!is_complex && (kind == ISTFT || (dtype != GND_FLOAT32 && dtype != GND_FLOAT64)))
        gndi_raise(GND_ERROR_DTYPE, fn, "a stream's dtype is %scomplex64 or complex128; %s is given",
                   kind == ISTFT ? "" : "float32, float64, ", gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
    else
        return gndi_check_channels_shape(fn, channels, &lines);
    return false;
}

static void drop(gnd_spectral_stream *f) {
    gndi_table_release(&f->window);
    gndi_table_release(&f->squares);
    gndi_table_release(&f->response);
    gndi_kept_release(&f->kept);
    gnd_filter_stream_release(f->fir);
    gndi_free(f);
}

/* A stream on the current device, where `with` must be, too; without its memory. */
static gnd_spectral_stream *begin(const char *fn, stream_kind kind, const gnd_array *with, const gnd_shape *channels,
                                  gnd_dtype dtype) {
    gnd_stream *s = gndi_stream_current(fn);
    if (!s || !check_stream(fn, kind, channels, dtype)) return NULL;
    if (with->buffer->device != s->device) {
        gndi_raise(GND_ERROR_DEVICE, fn, "the %s on %s, and the current device is %s",
                   kind == CONVOLVE ? "taps are" : "window is", gndi_text_device(with->buffer->device->id),
                   gndi_text_device(s->device->id));
        return NULL;
    }
    gnd_spectral_stream *f = gndi_calloc(fn, sizeof *f);
    if (!f) return NULL;
    f->kind = kind;
    f->kept = (gndi_kept){.device = s->device, .dtype = dtype, .channels = *channels, .width = 1};
    return f;
}

static gnd_spectral_stream *finish(gndi_temporaries *s, gnd_spectral_stream *f) {
    const bool done = f->fir ? !s->failed : gndi_kept_new(s, &f->kept);
    gndi_temporaries_end(s, NULL);
    if (done) return gndi_owned("a stream of spectra", f, s->fn);
    drop(f);
    return NULL;
}

static bool read_settings(const char *fn, const gnd_array *window, gnd_dtype dtype, const gnd_stft_options *options,
                          bool inverse, gndi_stft_settings *set) {
    if (!gndi_stft_read(fn, window, options, !inverse && gndi_dtype_is_complex(dtype), set)) return false;
    if (set->nfft == 0) set->nfft = set->nperseg;
    return gndi_stft_check_nfft(fn, set);
}

gnd_spectral_stream *gnd_spectral_stream_stft(const gnd_array *window, gnd_shape channels, gnd_dtype dtype,
                                              const gnd_stft_options *options) {
    static const char fn[] = "gnd_spectral_stream_stft";
    gndi_stft_settings set;
    if (!read_settings(fn, window, dtype, options, false, &set)) return NULL;
    gnd_spectral_stream *f = begin(fn, STFT, window, &channels, dtype);
    if (!f) return NULL;
    gndi_temporaries s = {.fn = fn};
    f->set = set;
    f->result = gndi_fft_complex_of(dtype);
    /* A border is made of nperseg / 2 + 1 samples. */
    f->kept.keeps = gndi_max(set.nperseg - 1, set.extend + 1);
    f->window = gndi_table_of(gndi_stft_window(&s, window, &set, false, gndi_real_dtype(dtype), NULL), true);
    return finish(&s, f);
}

gnd_spectral_stream *gnd_spectral_stream_istft(const gnd_array *window, gnd_shape channels, gnd_dtype dtype,
                                               const gnd_stft_options *options) {
    static const char fn[] = "gnd_spectral_stream_istft";
    gndi_stft_settings set;
    gnd_array *squares = NULL;
    if (!read_settings(fn, window, dtype, options, true, &set)) return NULL;
    gnd_spectral_stream *f = begin(fn, ISTFT, window, &channels, dtype);
    if (!f) return NULL;
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype real = gndi_real_dtype(dtype);
    f->set = set;
    f->result = set.half ? real : dtype;
    f->kept.framed = true;
    f->kept.width = gndi_stft_bins(set.nfft, set.half);
    /* The frames that reach into the sample behind them all, which has not been given. */
    f->kept.keeps = gndi_ceil_div(set.nperseg, set.hop) - 1 + (set.hop > set.nperseg - set.extend);
    f->window = gndi_table_of(gndi_stft_window(&s, window, &set, true, real, &squares), true);
    f->squares = gndi_table_of(squares, true);
    f->given = set.extend;
    return finish(&s, f);
}

/* ---- taps ------------------------------------------------------------------------------------- */

enum {
    BLOCK_LEAST = 256,
    BLOCK_SMALL = 2048,
    FEW_TAPS = 128, /* 10^7 floats and 128 taps on an H200: 84 us, and 296 us by transforms */
};

/* A power of two of about four times the taps; if that is more than a GPU's block transforms, and half of what it
   transforms would do, that. */
static int64_t choose_block(int64_t taps, gnd_dtype dtype) {
    const bool wide = dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
    const int64_t small = BLOCK_SMALL * (gndi_dtype_is_complex(dtype) ? 1 : 2) / (wide ? 2 : 1);
    int64_t n = BLOCK_LEAST;
    while (n < 4 * taps) n *= 2;
    return n > small && taps <= small / 2 ? small : n;
}

static bool check_taps(const char *fn, const gnd_array *h, int64_t nfft, gnd_dtype dtype) {
    if (gndi_missing(h))
        gndi_raise_null(fn, "h");
    else if (h->ndim != 1 || h->size == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "h must have one dimension and at least one element; its shape is %s",
                   gndi_text_shape(h->ndim, h->shape));
    else if (h->size > INT32_MAX / 8)
        gndi_raise(GND_ERROR_SHAPE, fn, "h has %lld elements; at most 2^28 - 1 fit", (long long)h->size);
    else if (gndi_dtype_is_complex(h->dtype) && !gndi_dtype_is_complex(dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "h is complex, so the stream must be complex, not %s",
                   gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
    else if (nfft != 0 && (nfft < h->size || nfft > INT32_MAX))
        gndi_raise(GND_ERROR_VALUE, fn, "nfft is %lld; it must be at least the number of taps, %lld, and below 2^31",
                   (long long)nfft, (long long)h->size);
    else
        return true;
    return false;
}

/* The transform of the taps over that of a block's length, in double precision until it is rounded. */
static gnd_array *response_of(gndi_temporaries *s, const gnd_array *h, const gndi_stft_settings *set, gnd_dtype dtype) {
    GNDI_PARTS_OF(s->fn);
    const bool is_complex = gndi_dtype_is_complex(h->dtype);
    gnd_array *taps = gndi_temporaries_keep(s, gndi_copy_as(s->fn, h, is_complex ? GND_COMPLEX128 : GND_FLOAT64, 'C'));
    if (!taps) return NULL;
    gnd_array *spectrum =
        set->half ? gnd_rfft(taps, set->nfft, 0, GND_FFT_FORWARD) : gnd_fft(taps, set->nfft, 0, GND_FFT_FORWARD);
    if (!gndi_temporaries_keep(s, spectrum)) return NULL;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, spectrum, dtype, 'C'));
}

static gnd_spectral_stream *finish_fir(gndi_temporaries *s, gnd_spectral_stream *f, const gnd_array *h) {
    GNDI_PARTS_OF(s->fn);
    const gnd_array *one = gndi_temporaries_keep(s, gnd_ones(GND_SHAPE(1), f->kept.dtype));
    if (one) f->fir = gnd_filter_stream_lfilter(h, one, f->kept.channels, f->kept.dtype);
    if (f->fir) return finish(s, f);
    drop(f);
    return gndi_temporaries_end(s, NULL), NULL;
}

gnd_spectral_stream *gnd_spectral_stream_convolve(const gnd_array *h, int64_t nfft, gnd_shape channels,
                                                  gnd_dtype dtype) {
    static const char fn[] = "gnd_spectral_stream_convolve";
    if (!check_taps(fn, h, nfft, dtype)) return NULL;
    gnd_spectral_stream *f = begin(fn, CONVOLVE, h, &channels, dtype);
    if (!f) return NULL;
    gndi_temporaries s = {.fn = fn};
    if (nfft == 0 && h->size <= FEW_TAPS) return finish_fir(&s, f, h);
    const int64_t block = nfft ? nfft : choose_block(h->size, dtype);
    f->set = (gndi_stft_settings){.nperseg = block,
                                  .nfft = block,
                                  .hop = block - h->size + 1,
                                  .extend = h->size - 1,
                                  .border = GNDI_BORDER_CONSTANT,
                                  .half = !gndi_dtype_is_complex(dtype)};
    f->result = dtype;
    f->kept.keeps = block - 1;
    f->response = gndi_table_of(response_of(&s, h, &f->set, gndi_fft_complex_of(dtype)), true);
    return finish(&s, f);
}

void gnd_spectral_stream_release(gnd_spectral_stream *f) {
    if (!f) return;
    gndi_disowned(f);
    drop(f);
}

/* ---- results ---------------------------------------------------------------------------------- */

/* The number of the result behind the last one that `fed` elements have; `ends`: and that is all. */
static int64_t results_until(const gnd_spectral_stream *f, int64_t fed, bool ends) {
    const gndi_stft_settings *set = &f->set;
    const int64_t taps = set->extend + 1;
    switch (f->kind) {
    case STFT: {
        if (ends) return gndi_stft_frames(set, fed);
        const bool mirrors = set->border == GNDI_BORDER_MIRROR || set->border == GNDI_BORDER_ANTIREFLECT;
        const int64_t there = fed + set->extend - set->nperseg;
        return there < 0 || (mirrors && fed <= set->extend) ? 0 : there / set->hop + 1;
    }
    case ISTFT: {
        const int64_t all = fed ? set->nperseg + (fed - 1) * set->hop - set->extend : 0;
        return gndi_max(set->extend, ends ? all : gndi_min(all, fed * set->hop));
    }
    default: return fed == 0 ? 0 : ends ? fed + taps - 1 : fed / set->hop * set->hop;
    }
}

/* Memory for results up to number `until`, and of a convolution for the blocks' spectra. */
typedef struct results {
    int64_t until;
    int64_t block_first, blocks; /* of a convolution */
    gnd_array *out, *spectra;
} results;

static results new_results(gndi_temporaries *s, const gnd_spectral_stream *f, int64_t until) {
    const gndi_stft_settings *set = &f->set;
    const int64_t count = until - f->given, bins = gndi_stft_bins(set->nfft, set->half);
    results r = {.until = until};
    if (f->kind == STFT) {
        r.out = gndi_kept_lines(s, &f->kept, 2, (const int64_t[]){count, bins}, f->result);
        return r;
    }
    r.out = gndi_kept_lines(s, &f->kept, 1, &count, f->result);
    if (f->kind == ISTFT) return r;
    r.block_first = f->given / set->hop;
    r.blocks = gndi_ceil_div(until, set->hop) - r.block_first;
    r.spectra = gndi_kept_lines(s, &f->kept, 2, (const int64_t[]){r.blocks, bins}, gndi_fft_complex_of(f->result));
    return r;
}

/* The results from elements of which the first is number x_first. `total`: of the whole signal. */
static gnd_array *compute(gndi_temporaries *s, const gnd_spectral_stream *f, const gnd_array *x, int64_t x_first,
                          int64_t total, const results *r) {
    if (s->failed) return NULL;
    const bool transforms = f->kind != ISTFT;
    const int axis = f->kept.channels.ndim;
    gnd_array *frames = f->kind == STFT ? r->out : r->spectra;
    if (transforms) {
        const gndi_stft_request q = {.set = &f->set,
                                     .window = f->window,
                                     .x = x,
                                     .x_first = x_first,
                                     .total = total,
                                     .frame_first = f->kind == STFT ? f->given : r->block_first,
                                     .out = frames};
        gndi_stft_run(s, &q);
    }
    if (f->kind == STFT)
        return s->failed ? NULL : gndi_temporaries_keep(s, gndi_sole_view(gndi_swapped(s->fn, frames, axis, axis + 1)));
    const gndi_istft_request q = {.set = &f->set,
                                  .skip = transforms ? f->set.extend : 0,
                                  .window = f->window,
                                  .squares = f->squares,
                                  .response = f->response,
                                  .z = transforms ? frames : x,
                                  .frame_axis = axis,
                                  .bin_axis = axis + 1,
                                  .frame_first = transforms ? r->block_first : x_first,
                                  .out_first = f->given + (transforms ? f->set.extend : 0),
                                  .out = r->out};
    gndi_istft_run(s, &q);
    return r->out;
}

/* ---- feeding ---------------------------------------------------------------------------------- */

static gnd_array *feed_fir(gnd_spectral_stream *f, const gnd_array *x) {
    gnd_array *result = gnd_filter_stream_feed(f->fir, x);
    if (result) f->fed += x->shape[x->ndim - 1];
    return result;
}

/* A signal without samples has no results. */
static gnd_array *flush_fir(gnd_spectral_stream *f, const char *fn) {
    gndi_temporaries s = {.fn = fn};
    if (f->fed == 0)
        return gndi_temporaries_end(&s, gndi_kept_lines(&s, &f->kept, 1, (const int64_t[]){0}, f->kept.dtype));
    gnd_array *result = gnd_filter_stream_flush(f->fir);
    if (result) f->fed = 0;
    return result;
}

gnd_array *gnd_spectral_stream_feed(gnd_spectral_stream *f, const gnd_array *x) {
    static const char fn[] = "gnd_spectral_stream_feed";
    if (!gndi_check_chunk(fn, f, f ? &f->kept : NULL, x)) return NULL;
    GNDI_PARTS_OF(fn);
    if (f->fir) return feed_fir(f, x);
    gndi_temporaries s = {.fn = fn};
    const int64_t n = x->shape[x->ndim - 1], fed = f->fed + n, until = results_until(f, fed, false);
    /* All memory before the chunk is kept, so that there is little to fail behind that. */
    const gnd_array *chunk = gndi_chunk_of(&s, &f->kept, x);
    const int64_t more[2] = {f->kept.keeps + n, f->kept.width};
    gnd_array *joined = gndi_kept_lines(&s, &f->kept, f->kept.framed ? 2 : 1, more, f->kept.dtype), *result = NULL;
    const results r = new_results(&s, f, until);
    if (gndi_join_chunk(&s, &f->kept, chunk, joined)) {
        result = compute(&s, f, joined, f->fed - f->kept.keeps, GNDI_STFT_OPEN, &r);
        if (s.failed) gndi_unjoin_chunk(fn, &f->kept, joined);
    }
    if (!s.failed) f->fed = fed, f->given = until;
    return gndi_temporaries_end(&s, result);
}

static void forget(gndi_temporaries *s, gnd_spectral_stream *f) {
    if (!s->failed) s->failed = gndi_kept_clear(s->fn, &f->kept) != GND_OK;
    if (!s->failed) f->fed = 0, f->given = f->kind == ISTFT ? f->set.extend : 0;
}

gnd_array *gnd_spectral_stream_flush(gnd_spectral_stream *f) {
    static const char fn[] = "gnd_spectral_stream_flush";
    if (!f) return gndi_raise_null(fn, "stream"), NULL;
    if (f->kind == STFT && f->fed > 0 && f->fed < f->set.nperseg)
        return gndi_stft_raise_short(fn, &f->set, f->fed), NULL;
    GNDI_PARTS_OF(fn);
    if (f->fir) return flush_fir(f, fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t until = results_until(f, f->fed, true);
    gnd_array *kept = gndi_kept_array(&s, &f->kept);
    const results r = new_results(&s, f, until);
    gnd_array *result = compute(&s, f, kept, f->fed - f->kept.keeps, f->fed, &r);
    forget(&s, f);
    return gndi_temporaries_end(&s, result);
}

/* ---- states ----------------------------------------------------------------------------------- */

gnd_status gnd_spectral_stream_reset(gnd_spectral_stream *f) {
    static const char fn[] = "gnd_spectral_stream_reset";
    if (!f) return gndi_raise_null(fn, "stream");
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    if (!f->fir) {
        forget(&s, f);
    } else if (!gnd_filter_stream_reset(f->fir)) {
        f->fed = 0;
    } else {
        s.failed = true;
    }
    return gndi_temporaries_status(&s);
}

gnd_array *gnd_spectral_stream_save(const gnd_spectral_stream *f, int64_t *fed) {
    static const char fn[] = "gnd_spectral_stream_save";
    if (!f || !fed) return gndi_raise_null(fn, f ? "fed" : "stream"), NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *state =
        f->fir ? gndi_temporaries_keep(&s, gnd_filter_stream_save(f->fir)) : gndi_kept_save(&s, &f->kept);
    *fed = f->fed;
    return gndi_temporaries_end(&s, state);
}

/* A state has its axes as it is kept: bins last. */
gnd_status gnd_spectral_stream_restore(gnd_spectral_stream *f, const gnd_array *state, int64_t fed) {
    gndi_temporaries s = {.fn = "gnd_spectral_stream_restore"};
    GNDI_PARTS_OF(s.fn);
    if (f && f->fir) {
        if (fed < 0) return gndi_raise(GND_ERROR_VALUE, s.fn, "fed is %lld; it must not be negative", (long long)fed);
        const gnd_status status = gnd_filter_stream_restore(f->fir, state);
        if (!status) f->fed = fed;
        return status;
    }
    s.failed = !gndi_kept_restore(&s, f, f ? &f->kept : NULL, state, fed);
    if (!s.failed) {
        f->fed = fed;
        f->given = gndi_max(results_until(f, fed, false), f->kind == ISTFT ? f->set.extend : 0);
    }
    return gndi_temporaries_status(&s);
}
