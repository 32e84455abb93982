/*
 * melspectrogram.c: mel spectrograms and mel frequency cepstral coefficients. A GPU makes bands of frames of float32
 * samples in one launch where their length is a power of two; otherwise slices of spectra that stay in the cache are
 * made, and then their bands.
 */
#include "audio/audio.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "fft/fft.h"
#include "rearrange/rearrange.h"
#include "resample/resample.h"
#include "spectral/spectral.h"

/* Options, read. */
typedef struct settings {
    gndi_mel_settings mel;
    gndi_stft_settings stft;
    int64_t window_length, pad;
    double power;
    bool normalized;
    gnd_dtype dtype;
    int bits; /* nfft is 2^bits; -1: none */
    int64_t frames, bins;
} settings;

/* ---- options ---------------------------------------------------------------------------------- */

static bool read_lengths(const char *fn, const gnd_melspectrogram_options *o, settings *set) {
    const int64_t nfft = o->n_fft == 0 ? 400 : o->n_fft, length = o->win_length == 0 ? nfft : o->win_length;
    const int64_t hop = o->hop_length == 0 ? length / 2 : o->hop_length;
    if (nfft < 1 || nfft > INT32_MAX || length < 1 || length > nfft || hop < 1 || o->pad < 0 || !(o->power >= 0)) {
        gndi_raise(GND_ERROR_VALUE, fn,
                   "n_fft is %lld, win_length %lld, hop_length %lld, pad %lld and power %g; all must be positive, pad "
                   "may be 0, and the window no longer than n_fft",
                   (long long)nfft, (long long)length, (long long)hop, (long long)o->pad, o->power);
        return false;
    }
    if ((unsigned)o->pad_mode > GND_AUDIO_NOT_CENTERED) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no pad_mode number %d", (int)o->pad_mode);
        return false;
    }
    static const gndi_border borders[] = {GNDI_BORDER_MIRROR, GNDI_BORDER_CONSTANT, GNDI_BORDER_NEAREST,
                                          GNDI_BORDER_CONSTANT};
    set->stft = (gndi_stft_settings){.nperseg = nfft, .nfft = nfft, .hop = hop, .half = true, .fs = 1};
    set->stft.border = borders[o->pad_mode];
    set->stft.extend = o->pad_mode == GND_AUDIO_NOT_CENTERED ? 0 : nfft / 2;
    set->window_length = length, set->pad = o->pad, set->power = o->power == 0 ? 2 : o->power;
    set->normalized = o->normalized;
    set->bins = nfft / 2 + 1;
    set->bits = 0;
    while ((INT64_C(1) << set->bits) < nfft) set->bits++;
    if (INT64_C(1) << set->bits != nfft) set->bits = -1;
    return true;
}

static bool read_options(const char *fn, const gnd_array *x, const gnd_melspectrogram_options *options, settings *set) {
    static const gnd_melspectrogram_options defaults;
    const gnd_melspectrogram_options *o = options ? options : &defaults;
    if (!gndi_mel_read(fn, &o->mel, &set->mel) || !read_lengths(fn, o, set)) return false;
    if (gndi_optional_missing(fn, o->window, "window")) return false;
    const int64_t n = x->ndim ? x->shape[x->ndim - 1] + 2 * set->pad : 0, extend = set->stft.extend;
    const bool mirrors = set->stft.border == GNDI_BORDER_MIRROR && extend > 0;
    if (gndi_dtype_is_complex(x->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    else if (x->ndim == 0 || x->ndim == GND_MAX_DIMS)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has %d dimensions; there must be samples, and one more must fit", x->ndim);
    else if (n < 1 || (mirrors && n <= extend) || n + 2 * extend < set->stft.nfft)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has %lld samples, too few for frames of %lld%s", (long long)n,
                   (long long)set->stft.nfft, mirrors ? " whose ends are mirrored" : "");
    else if (o->window &&
             (o->window->ndim != 1 || o->window->size != set->window_length || gndi_dtype_is_complex(o->window->dtype)))
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has shape %s; it must have %lld real numbers",
                   gndi_text_shape(o->window->ndim, o->window->shape), (long long)set->window_length);
    else if (!o->window || gndi_check_together(fn, x, "x", o->window, "window") == GND_OK) {
        set->dtype = gndi_fft_real_of(x->dtype);
        set->frames = (n + 2 * extend - set->stft.nfft) / set->stft.hop + 1;
        return true;
    }
    return false;
}

/* ---- operands --------------------------------------------------------------------------------- */

/* The window in the middle of nfft numbers, times a factor, on the device of x. */
static gnd_array *window_of(gndi_temporaries *s, const gnd_array *x, const gnd_array *window, const settings *set,
                            double factor) {
    const int64_t n = set->stft.nfft, length = set->window_length;
    gnd_array *w = gndi_temporaries_keep(s, gndi_zero(s->fn, gndi_new_on_device_of(s->fn, x, 1, &n, set->dtype)));
    gnd_array *middle = w ? gndi_step_part(s, w, 0, (n - length) / 2, length, 1) : NULL;
    if (!middle) return NULL;
    if (window) {
        gndi_step_into(s, GNDI_OP_copy, middle, gnd_arg_array(window), gnd_arg_none(), NULL);
    } else {
        const gnd_device before = gnd_current_device();
        gnd_use(x->buffer->device->id);
        const gnd_array *hann = gndi_temporaries_keep(s, gnd_hann(length, false, set->dtype));
        gnd_use(before);
        if (hann) gndi_step_into(s, GNDI_OP_copy, middle, gnd_arg_array(hann), gnd_arg_none(), NULL);
    }
    const gnd_array *norm =
        set->normalized && !s->failed ? gndi_temporaries_keep(s, gnd_vector_norm(w, 2, GND_ALL)) : NULL;
    if (norm) gndi_step_in_place(s, GNDI_OP_divide, w, gnd_arg_array(norm));
    return factor == 1 || s->failed ? w : gndi_step_in_place(s, GNDI_OP_multiply, w, gnd_arg_real(factor));
}

/* x as a matrix of lines that are dense. */
static const gnd_array *lines_of(gndi_temporaries *s, const gnd_array *x, const settings *set) {
    if (set->pad > 0) {
        gnd_pad_widths widths = {.count = x->ndim};
        widths.width[x->ndim - 1][0] = widths.width[x->ndim - 1][1] = set->pad;
        x = gndi_temporaries_keep(s, gnd_pad(x, widths, NULL));
    }
    const gnd_array *lines = x ? gndi_lines_of(s, x, x->ndim - 1, set->dtype) : NULL;
    if (!lines) return NULL;
    const int64_t n = lines->shape[lines->ndim - 1], shape[] = {n ? lines->size / n : 0, n};
    return gndi_temporaries_keep(s, gndi_reshaped(s->fn, lines, 2, shape));
}

/* The filters on the device of x. */
static gnd_array *bands_of(gndi_temporaries *s, const gnd_array *x, const settings *set, gndi_mel_bands *m) {
    size_t bytes;
    void *memory = gndi_mel_bands_new(s->fn, &set->mel, set->bins, set->dtype == GND_FLOAT64, m, &bytes);
    if (!memory) return gndi_temporaries_keep(s, NULL);
    const int64_t size = (int64_t)bytes;
    gnd_array *a = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, 1, &size, GND_UINT8));
    s->failed = s->failed || gnd_copy_from_host(a, memory, bytes) != GND_OK;
    if (!s->failed) {
        const char *there = gndi_data(a), *here = memory;
        m->rise = there + ((const char *)m->rise - here), m->fall = there + ((const char *)m->fall - here);
        m->start = (const int32_t *)(const void *)(there + ((const char *)m->start - here));
    }
    gndi_free(memory);
    return a;
}

/* ---- bands ------------------------------------------------------------------------------------ */

static void in_one_launch(gndi_temporaries *s, const gnd_array *x, const gnd_array *window, const gnd_array *table,
                          const gndi_mel_bands *m, const settings *set, const gnd_array *out) {
    const gnd_array *read[] = {x, window, table};
    gnd_stream *stream = gndi_work_begin(s->fn, 3, read, 1, &out);
    s->failed = true;
    if (!stream) return;
    gndi_mel_frames_plan plan = {.stft = {.dtype = GND_FLOAT32,
                                          .border = (uint8_t)set->stft.border,
                                          .half = true,
                                          .nperseg = set->stft.nfft,
                                          .nfft = set->stft.nfft,
                                          .hop = set->stft.hop,
                                          .extend = set->stft.extend,
                                          .window = gndi_data(window),
                                          .x = gndi_data(x),
                                          .length = x->shape[1],
                                          .total = x->shape[1],
                                          .count = set->frames},
                                 .power = set->power,
                                 .m = *m,
                                 .out = (float *)(void *)gndi_data(out),
                                 .bits = set->bits};
    gndi_grid_of(x, 1, &plan.stft.grid);
    s->failed = gndi_work_end(stream, stream->device->backend->mel_frames(stream, &plan, s->fn), s->fn) != GND_OK;
}

/* Bands of spectra of some frames of some lines. */
static void bands_of_rows(gndi_temporaries *s, const gnd_array *z, const gnd_array *table, const gndi_mel_bands *m,
                          const settings *set, const gnd_array *out, int64_t first) {
    const gnd_array *read[] = {z, table};
    if (s->failed) return;
    gnd_stream *stream = gndi_work_begin(s->fn, 2, read, 1, &out);
    s->failed = true;
    if (!stream) return;
    const bool wide = set->dtype == GND_FLOAT64;
    const gndi_mel_rows_plan plan = {.wide = wide,
                                     .power = set->power,
                                     .m = *m,
                                     .z = gndi_data(z),
                                     .rows = z->shape[0] * z->shape[1],
                                     .group = z->shape[1],
                                     .bins = set->bins,
                                     .out = gndi_data(out) + first * m->bands * (wide ? 8 : 4),
                                     .out_line = set->frames * m->bands};
    s->failed = gndi_work_end(stream, stream->device->backend->mel_rows(stream, &plan, s->fn), s->fn) != GND_OK;
}

static void by_slices(gndi_temporaries *s, const gnd_array *x, const gnd_array *window, const gnd_array *table,
                      const gndi_mel_bands *m, const settings *set, const gnd_array *out) {
    enum { GPU = 1 << 21, CPU = 1 << 17 }; /* bins at a time */
    const int64_t slice = (x->buffer->device->backend->synchronous ? CPU : GPU) / set->bins + 1;
    const int64_t frames = gndi_min(slice, set->frames), lines = gndi_max(1, slice / set->frames);
    for (int64_t line = 0; line < x->shape[0]; line += lines)
        for (int64_t frame = 0; frame < set->frames && !s->failed; frame += frames) {
            gndi_temporaries part = {.fn = s->fn};
            const int64_t shape[] = {gndi_min(lines, x->shape[0] - line), gndi_min(frames, set->frames - frame),
                                     set->bins};
            gnd_array *z = gndi_temporaries_keep(
                &part, gndi_new_on_device_of(s->fn, x, 3, shape, gndi_fft_complex_of(set->dtype)));
            const gndi_stft_request r = {.set = &set->stft,
                                         .window = gndi_table_of(window, false),
                                         .x = gndi_step_part(&part, x, 0, line, shape[0], 1),
                                         .total = x->shape[1],
                                         .frame_first = frame,
                                         .out = z};
            if (!part.failed) gndi_stft_run(&part, &r);
            bands_of_rows(&part, z, table, m, set, out, line * set->frames + frame);
            gndi_temporaries_end_part(s, &part);
        }
}

/* Dense rows of bands: frames of lines, of the shape of x but for its samples. */
static gnd_array *bands_first(gndi_temporaries *s, const gnd_array *x, const gnd_array *window, const settings *set) {
    int64_t shape[GND_MAX_DIMS];
    gndi_mel_bands m;
    memcpy(shape, x->shape, (size_t)(x->ndim - 1) * sizeof *shape);
    shape[x->ndim - 1] = set->frames, shape[x->ndim] = set->mel.bands;
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim + 1, shape, set->dtype));
    if (s->failed || out->size == 0) return out;
    const bool fast = out->buffer->device->backend->mel_frames && set->dtype == GND_FLOAT32 &&
                      set->bits >= GNDI_MEL_LEAST_BITS && set->bits <= GNDI_MEL_MOST_BITS;
    const gnd_array *lines = lines_of(s, x, set), *table = lines ? bands_of(s, x, set, &m) : NULL;
    const gnd_array *w = s->failed ? NULL : window_of(s, x, window, set, fast ? 0.5 : 1);
    if (s->failed) return NULL;
    if (fast)
        in_one_launch(s, lines, w, table, &m, set, out);
    else
        by_slices(s, lines, w, table, &m, set, out);
    return out;
}

/* Frames last, as torchaudio has them: a view. */
static gnd_array *frames_last(gndi_temporaries *s, const gnd_array *rows) {
    int order[GND_MAX_DIMS];
    if (s->failed) return NULL;
    for (int k = 0; k < rows->ndim; k++) order[k] = k;
    order[rows->ndim - 2] = rows->ndim - 1, order[rows->ndim - 1] = rows->ndim - 2;
    return gndi_temporaries_keep(s, gndi_sole_view(gndi_permuted(s->fn, rows, order)));
}

gnd_array *gnd_melspectrogram(const gnd_array *x, const gnd_melspectrogram_options *options) {
    static const char fn[] = "gnd_melspectrogram";
    settings set;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!read_options(fn, x, options, &set)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *rows = bands_first(&s, x, options ? options->window : NULL, &set);
    return gndi_temporaries_end(&s, frames_last(&s, rows));
}

/* ---- cepstral coefficients -------------------------------------------------------------------- */

/* The matrix of the cosine transform of the second type: a row for each band. */
static gnd_array *cosines(gndi_temporaries *s, const gnd_array *x, const settings *set, int64_t n_mfcc, bool plain) {
    const gnd_device before = gnd_current_device();
    const int64_t n = set->mel.bands;
    gnd_use(x->buffer->device->id);
    const gnd_array *identity = gndi_temporaries_keep(s, gnd_eye(n, n, 0, set->dtype));
    gnd_array *all = NULL;
    if (identity)
        all = gndi_temporaries_keep(
            s, gnd_dct(identity, 2, n, 1, plain ? GND_FFT_BACKWARD : GND_FFT_ORTHO, GND_ORTHOGONALIZE_BY_NORM));
    gnd_use(before);
    return all ? gndi_step_part(s, all, 1, 0, n_mfcc, 1) : NULL;
}

gnd_array *gnd_mfcc(const gnd_array *x, int64_t n_mfcc, const gnd_mfcc_options *options) {
    static const char fn[] = "gnd_mfcc";
    static const gnd_mfcc_options defaults;
    const gnd_mfcc_options *o = options ? options : &defaults;
    settings set;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!read_options(fn, x, o->mel, &set)) return NULL;
    if (n_mfcc == 0) n_mfcc = gndi_min(40, set.mel.bands);
    if (n_mfcc < 1 || n_mfcc > set.mel.bands)
        return gndi_fail(GND_ERROR_VALUE, fn, "%lld coefficients of %lld bands; there must be one, and not more",
                         (long long)n_mfcc, (long long)set.mel.bands);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_array *rows = bands_first(&s, x, o->mel ? o->mel->window : NULL, &set);
    const gnd_array *loud = NULL;
    if (o->log_mels && !s.failed) {
        gnd_array *above = gndi_step(&s, GNDI_OP_add, gnd_arg_array(rows), gnd_arg_real(1e-6));
        if (above) loud = gndi_step(&s, GNDI_OP_log, gnd_arg_array(above), gnd_arg_none());
    } else if (!s.failed) {
        loud = gndi_decibels(&s, rows, 10, &(gnd_db_options){.top_db = 80});
    }
    const gnd_array *by = s.failed ? NULL : cosines(&s, x, &set, n_mfcc, o->plain);
    gnd_array *out = by ? gndi_temporaries_keep(&s, gnd_matmul(loud, by)) : NULL;
    return gndi_temporaries_end(&s, frames_last(&s, out));
}
