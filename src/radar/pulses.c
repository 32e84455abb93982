/*
 * pulses.c: pulse compression and pulse-Doppler matrices. Both work on slices of the data that stay in the cache
 * between the steps; a GPU compresses short complex64 lines of a power of two, and long lines by short pulses, by
 * kernels of its own.
 */
#include "radar/radar.h"
#include "array/view.h"
#include "radar/compression_plan.h"
#include "radar/doppler_plan.h"
#include "resample/resample.h"

/* ---- pulse compression -------------------------------------------------------------------------- */

static bool check_pulse(const char *fn, const gnd_array *x, const gnd_array *pulse, const gnd_array *window,
                        int64_t nfft) {
    if (x->ndim == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "x is 0-d; its last axis must be the samples of a pulse");
    else if (pulse->ndim != 1 || pulse->size == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "the pulse has shape %s; it must be 1-d and not empty",
                   gndi_text_shape(pulse->ndim, pulse->shape));
    else if (window && (window->ndim != 1 || window->size != pulse->size))
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has shape %s; it must be as long as the pulse, %lld",
                   gndi_text_shape(window->ndim, window->shape), (long long)pulse->size);
    else if (nfft < 1)
        gndi_raise(GND_ERROR_VALUE, fn, "nfft is %lld; it must be at least 1", (long long)nfft);
    else
        return gndi_check_together(fn, x, "x", pulse, "pulse") == GND_OK &&
               (!window || gndi_check_together(fn, x, "x", window, "window") == GND_OK);
    return false;
}

/* The pulse, with its window and normalised. */
static const gnd_array *matched_pulse(gndi_temporaries *s, const gnd_array *pulse, const gnd_pulse_options *o,
                                      gnd_dtype dtype) {
    const gnd_dtype real = gndi_real_dtype(dtype);
    const gnd_array *p = gndi_radar_as(s, pulse, gndi_dtype_is_complex(pulse->dtype) ? dtype : real), *norm = NULL;
    const gnd_array *w =
        gndi_radar_as(s, o->window, o->window && gndi_dtype_is_complex(o->window->dtype) ? dtype : real);
    if (w && !s->failed) p = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(p), gnd_arg_array(w));
    if (o->normalize && !s->failed) norm = gndi_temporaries_keep(s, gnd_vector_norm(p, 2, GND_ALL));
    if (norm) p = gndi_step(s, GNDI_OP_divide, gnd_arg_array(p), gnd_arg_array(norm));
    return p;
}

/* The conjugate of the pulse's spectrum, over nfft, which the inverse transform leaves out. */
static gnd_array *matched_filter(gndi_temporaries *s, const gnd_array *p, int64_t nfft) {
    gnd_array *spectrum = s->failed ? NULL : gndi_fourier(s, GNDI_FFT, p, 0, nfft, 1.0 / (double)nfft, NULL);
    return s->failed ? NULL : gndi_step(s, GNDI_OP_conjugate, gnd_arg_array(spectrum), gnd_arg_none());
}

/* A part of the pulses, which is all of them if there is only one axis. */
static gnd_array *some(gndi_temporaries *s, const gnd_array *x, int64_t first, int64_t count) {
    return gndi_step_part(s, x, 0, x->ndim > 1 ? first : 0, x->ndim > 1 ? count : x->shape[0], 1);
}

static void compress(gndi_temporaries *s, const gnd_array *x, const gnd_array *filter, const gnd_array *out) {
    const int last = x->ndim - 1;
    if (s->failed || out->size == 0) return;
    const int64_t nfft = out->shape[last], lines = x->ndim > 1 ? x->shape[0] : 1;
    const int64_t step = gndi_radar_slice(x, out->size / lines);
    for (int64_t first = 0; first < lines && !s->failed; first += step) {
        gndi_temporaries part = {.fn = s->fn};
        const int64_t count = gndi_min(step, lines - first);
        const gnd_array *from = some(&part, x, first, count);
        gnd_array *to = part.failed ? NULL : some(&part, out, first, count);
        gndi_fourier(&part, GNDI_FFT, from, last, nfft, 0, to);
        if (!part.failed) gndi_step_into(&part, GNDI_OP_multiply, to, gnd_arg_array(to), gnd_arg_array(filter), NULL);
        gndi_fourier(&part, GNDI_IFFT, to, last, nfft, 0, to);
        gndi_temporaries_end_part(s, &part);
    }
}

/* The bits of a length that a GPU's kernels take; -1: they do not take this. */
static int kernel_bits(const gnd_array *x, const gnd_array *out) {
    const int64_t n = out->shape[out->ndim - 1], samples = x->shape[x->ndim - 1];
    int bits = 0;
    if (!out->buffer->device->backend->compression || x->dtype != GND_COMPLEX64 || out->dtype != GND_COMPLEX64)
        return -1;
    while ((INT64_C(1) << bits) < n) bits++;
    if (INT64_C(1) << bits != n || bits < GNDI_COMPRESSION_LEAST_BITS || bits > GNDI_COMPRESSION_MOST_BITS) return -1;
    return bits > GNDI_COMPRESSION_SHORT_BITS && samples < n ? -1 : bits;
}

static void compress_by_kernel(gndi_temporaries *s, const gnd_array *x, const gnd_array *filter, const gnd_array *out,
                               int bits) {
    const int64_t n = x->shape[x->ndim - 1], shape[] = {n ? x->size / n : 0, n};
    const gnd_array *lines = gndi_lines_of(s, x, x->ndim - 1, GND_COMPLEX64);
    if (lines) lines = gndi_temporaries_keep(s, gndi_reshaped(s->fn, lines, 2, shape));
    if (bits > GNDI_COMPRESSION_SHORT_BITS && !s->failed) { /* as a matrix, and transposed */
        const int outer = gndi_compression_outer(bits);
        const int64_t sides[] = {INT64_C(1) << (bits - outer), INT64_C(1) << outer};
        filter = gndi_temporaries_keep(s, gndi_reshaped(s->fn, filter, 2, sides));
        if (filter) filter = gndi_temporaries_keep(s, gndi_transposed(s->fn, filter));
        if (filter) filter = gndi_temporaries_keep(s, gndi_copy_as(s->fn, filter, GND_COMPLEX64, 'C'));
    }
    if (s->failed) return;
    const gndi_compression_plan plan = {.x = gndi_data(lines),
                                        .x_line = lines->strides[0],
                                        .samples = gndi_min(n, INT64_C(1) << bits),
                                        .lines = lines->shape[0],
                                        .filter = gndi_data(filter),
                                        .out = gndi_data(out),
                                        .bits = bits};
    gnd_stream *stream = gndi_work_begin(s->fn, 2, (const gnd_array *[]){lines, filter}, 1, &out);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->compression(stream, &plan, s->fn), s->fn);
}

/* Whether tiles suit the lengths: a GPU transforms at most twice as many elements as there are results. */
static bool suits_tiles(const gnd_array *x, const gnd_array *pulse, const gnd_array *out) {
    const int64_t n = out->shape[out->ndim - 1], taps = gndi_min(pulse->size, n);
    const bool wide = out->dtype == GND_COMPLEX128;
    const int64_t tile = GNDI_COMPRESSION_TILE(wide);
    if (!out->buffer->device->backend->compression_tiles || x->dtype != out->dtype || n > 1 << 30 || taps > tile / 2)
        return false;
    return gndi_ceil_div(n, tile - taps + 1) * tile <= 2 * n && out->size < INT64_C(1) << 40;
}

/* Lines, or one, that kernels can read: dense and aligned; themselves or a copy. */
static const gnd_array *dense_lines(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    const int64_t element = gndi_dtype_sizes[dtype], last = a->ndim - 1;
    const bool dense = (gnd_dtype)a->dtype == dtype && (a->shape[last] == 1 || a->strides[last] == element);
    int64_t odd = (int64_t)((uintptr_t)gndi_data(a) % (uintptr_t)element);
    for (int i = 0; i < last; i++) odd |= a->strides[i] % element;
    if (dense && !odd) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

/* False: the GPU has no such kernel. */
static bool compress_by_tiles(gndi_temporaries *s, const gnd_array *x, const gnd_array *pulse, const gnd_array *out) {
    const gnd_dtype dtype = (gnd_dtype)out->dtype;
    const int64_t samples = x->shape[x->ndim - 1], n = out->shape[out->ndim - 1];
    const int64_t shape[] = {x->size / samples, samples}, element = gndi_dtype_sizes[dtype];
    const gnd_array *lines = gndi_lines_of(s, x, x->ndim - 1, dtype);
    if (lines) lines = gndi_temporaries_keep(s, gndi_reshaped(s->fn, lines, 2, shape));
    if (lines) lines = dense_lines(s, lines, dtype);
    const gnd_array *p = s->failed ? NULL : dense_lines(s, pulse, dtype);
    if (s->failed) return true;
    bool declined = false;
    const gndi_compression_tiles_plan plan = {.x = gndi_data(lines),
                                              .x_line = lines->strides[0] / element,
                                              .samples = gndi_min(samples, n),
                                              .n = n,
                                              .lines = shape[0],
                                              .taps = gndi_min(pulse->size, n),
                                              .pulse = gndi_data(p),
                                              .out = gndi_data(out),
                                              .wide = dtype == GND_COMPLEX128,
                                              .declined = &declined};
    gnd_stream *stream = gndi_work_begin(s->fn, 2, (const gnd_array *[]){lines, p}, 1, &out);
    if (!stream) return s->failed = true;
    s->failed = gndi_work_end(stream, stream->device->backend->compression_tiles(stream, &plan, s->fn), s->fn);
    return !declined;
}

/* The ways of doing it, the fastest first. */
static void compress_somehow(gndi_temporaries *s, const gnd_array *x, const gnd_array *pulse, const gnd_array *out) {
    if (s->failed || out->size == 0) return;
    const bool is_empty = x->size == 0;
    const int bits = is_empty ? -1 : kernel_bits(x, out);
    const bool is_short = bits >= 0 && bits <= GNDI_COMPRESSION_SHORT_BITS;
    if (!is_empty && !is_short && suits_tiles(x, pulse, out) && compress_by_tiles(s, x, pulse, out)) return;
    const gnd_array *filter = matched_filter(s, pulse, out->shape[out->ndim - 1]);
    if (bits >= 0 && !s->failed)
        compress_by_kernel(s, x, filter, out, bits);
    else
        compress(s, x, filter, out);
}

gnd_array *gnd_pulse_compression(const gnd_array *x, const gnd_array *pulse, const gnd_pulse_options *options) {
    static const char fn[] = "gnd_pulse_compression";
    static const gnd_pulse_options defaults;
    const gnd_pulse_options *o = options ? options : &defaults;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_missing(pulse)) return gndi_raise_null(fn, "pulse"), NULL;
    if (gndi_optional_missing(fn, o->window, "window")) return NULL;
    const int64_t nfft = o->nfft || x->ndim == 0 ? o->nfft : x->shape[x->ndim - 1];
    if (!check_pulse(fn, x, pulse, o->window, nfft)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype both[] = {(gnd_dtype)x->dtype, (gnd_dtype)pulse->dtype};
    const gnd_dtype dtype = gndi_fft_complex_of(gndi_promote_list(2, both));
    const gnd_array *matched = matched_pulse(&s, pulse, o, dtype);
    const gnd_array *from = gndi_radar_as(&s, x, gndi_dtype_is_complex(x->dtype) ? dtype : (gnd_dtype)x->dtype);
    gnd_array *out = s.failed ? NULL : gndi_fourier_new(&s, x, x->ndim - 1, nfft, dtype);
    if (!s.failed) compress_somehow(&s, from, matched, out);
    return gndi_temporaries_end(&s, out);
}

/* ---- pulse-Doppler ------------------------------------------------------------------------------ */

/* The bits of the columns that a GPU's kernel multiplies and transforms; 0: it does not take them. */
static int doppler_bits(const gnd_array *x, const gnd_array *w, int64_t nfft) {
    const int64_t pulses = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    enum { SHARED = 69 << 10 }; /* bytes of shared memory that a block of the kernels needs at most */
    int bits = GNDI_DOPPLER_LEAST_BITS;
    while (bits < GNDI_DOPPLER_MOST_BITS && INT64_C(1) << bits < nfft) bits++;
    const gndi_device *d = x->buffer->device;
    if (!d->backend->doppler || d->shared_bytes < SHARED || x->dtype != GND_COMPLEX64 || w->dtype != GND_FLOAT32)
        return 0;
    const int64_t matrices = x->size / pulses / columns;
    return INT64_C(1) << bits == nfft && pulses >= nfft && columns >= 64 && matrices * columns < INT32_MAX ? bits : 0;
}

static gnd_array *doppler_by_kernel(gndi_temporaries *s, const gnd_array *x, const gnd_array *w, int64_t nfft,
                                    int bits) {
    const int64_t rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    const int64_t shape[] = {x->size / rows / columns, rows, columns};
    gnd_array *out = gndi_fourier_new(s, x, x->ndim - 2, nfft, GND_COMPLEX64);
    const gnd_array *dense = gndi_lines_of(s, x, x->ndim - 1, GND_COMPLEX64);
    if (dense) dense = gndi_temporaries_keep(s, gndi_reshaped(s->fn, dense, 3, shape));
    if (dense) dense = dense_lines(s, dense, GND_COMPLEX64);
    if (!s->failed) w = dense_lines(s, w, GND_FLOAT32);
    if (s->failed) return NULL;
    const gndi_doppler_plan plan = {.x = gndi_data(dense),
                                    .x_row = dense->strides[1],
                                    .x_matrix = dense->strides[0],
                                    .window = (const float *)gndi_data(w),
                                    .out = gndi_data(out),
                                    .columns = columns,
                                    .matrices = shape[0],
                                    .bits = bits};
    gnd_stream *stream = gndi_work_begin(s->fn, 2, (const gnd_array *[]){dense, w}, 1, (const gnd_array *[]){out});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->doppler(stream, &plan, s->fn), s->fn);
    return out;
}

/* Columns get their window, and are transformed to their place. On a GPU all at once: 512 x 65536 of complex64
   take 340 us on an H200, in slices that fit its L2 cache 458 us. */
static gnd_array *doppler(gndi_temporaries *s, const gnd_array *x, const gnd_array *window, int64_t nfft) {
    const int axis = x->ndim - 2, last = x->ndim - 1;
    const gnd_dtype dtype = gndi_fft_complex_of(x->dtype);
    if (!window) return gndi_fourier(s, GNDI_FFT, x, axis, nfft, 0, NULL);
    const gnd_array *w =
        gndi_radar_as(s, window, gndi_dtype_is_complex(window->dtype) ? dtype : gndi_real_dtype(dtype));
    const int bits = s->failed || x->size == 0 ? 0 : doppler_bits(x, w, nfft);
    if (bits) return doppler_by_kernel(s, x, w, nfft, bits);
    w = s->failed ? NULL : gndi_step_along(s, w, axis, x->ndim);
    gnd_array *out = gndi_fourier_new(s, x, axis, nfft, dtype);
    if (s->failed || out->size == 0) return out;
    enum { GPU = 1 << 26 }; /* elements */
    const int64_t columns = x->shape[last], column = gndi_max(x->size, out->size) / columns;
    const int64_t step =
        x->buffer->device->backend->synchronous ? gndi_radar_slice(x, column) : gndi_max(1, GPU / column);
    for (int64_t first = 0; first < columns && !s->failed; first += step) {
        gndi_temporaries part = {.fn = s->fn};
        const int64_t count = gndi_min(step, columns - first);
        const gnd_array *from = gndi_step_part(&part, x, last, first, count, 1);
        gnd_array *to = part.failed ? NULL : gndi_step_part(&part, out, last, first, count, 1);
        const gnd_array *product =
            part.failed ? NULL : gndi_step(&part, GNDI_OP_multiply, gnd_arg_array(from), gnd_arg_array(w));
        gndi_fourier(&part, GNDI_FFT, product, axis, nfft, 0, to);
        gndi_temporaries_end_part(s, &part);
    }
    return out;
}

gnd_array *gnd_pulse_doppler(const gnd_array *x, const gnd_array *window, int64_t nfft) {
    static const char fn[] = "gnd_pulse_doppler";
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_optional_missing(fn, window, "window")) return NULL;
    if (x->ndim < 2)
        return gndi_fail(GND_ERROR_SHAPE, fn, "x is %d-d; its last two axes must be pulses and samples", x->ndim);
    const int64_t pulses = x->shape[x->ndim - 2];
    if (nfft == 0) nfft = pulses;
    if (nfft < 1) return gndi_fail(GND_ERROR_VALUE, fn, "nfft is %lld; it must be at least 1", (long long)nfft);
    if (window && (window->ndim != 1 || window->size != pulses))
        return gndi_fail(GND_ERROR_SHAPE, fn, "the window has shape %s; it must have a number for each of %lld pulses",
                         gndi_text_shape(window->ndim, window->shape), (long long)pulses);
    if (window && gndi_check_together(fn, x, "x", window, "window")) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    return gndi_temporaries_end(&s, doppler(&s, x, window, nfft));
}
