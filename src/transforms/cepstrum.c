/*
 * cepstrum.c: cepstra of real signals, and what is made of them (cupyx.signal, cuSignal; Oppenheim and Schafer, 13).
 * Where the result depends on magnitudes alone, half of the spectrum is enough, and the factor of the inverse transform
 * is in the pass that takes the logarithms.
 */
#include "resample/fourier.h"
#include "transforms/cepstrum_lines_plan.h"
#include "transforms/cepstrum_plan.h"
#include "transforms/phase_lines_plan.h"
#include <gnd.h>

#define PI 3.14159265358979323846264338327950288

/* A real array, and the length of its transforms along an axis. */
static bool read(const char *fn, const gnd_array *x, const char *name, int axis, int64_t *n, int *normal) {
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be real, and has dtype %s", name,
                          gnd_dtype_name((gnd_dtype)x->dtype)),
               false;
    if (!gndi_normalize_axis(fn, axis, x->ndim, normal)) return false;
    if (*n == -1) *n = x->shape[*normal];
    if (*n >= 1) return true;
    return gndi_raise(GND_ERROR_VALUE, fn, "there are %lld elements to transform along axis %d; there must be one",
                      (long long)*n, *normal),
           false;
}

static void log_magnitude(gndi_temporaries *s, gnd_array *z, double factor) {
    if (s->failed || z->size == 0) return;
    const gndi_log_magnitude_plan p = {
        .z = gndi_data(z), .count = z->size, .factor = factor, .wide = z->dtype == GND_COMPLEX128};
    gnd_stream *stream = gndi_work_begin(s->fn, 0, NULL, 1, (const gnd_array *[]){z});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->log_magnitude(stream, &p, s->fn), s->fn);
}

/* The inverse of half a spectrum, which may be overwritten, without a factor. */
static gnd_array *back(gndi_temporaries *s, gnd_array *half, const gnd_array *x, int axis, int64_t n) {
    gnd_array *out = gndi_fourier_new(s, x, axis, n, gndi_fft_real_of(x->dtype));
    if (s->failed || out->size == 0) return out;
    const gndi_fft_request r = {.fn = s->fn,
                                .kind = GNDI_IRFFT,
                                .a = half,
                                .out = out,
                                .axes = {.count = 1, .axis = {axis}, .n = {n}},
                                .norm = GND_FFT_FORWARD,
                                .spare = true};
    s->failed = gndi_fft_run(&r, NULL) != GND_OK;
    return out;
}

/* Half of the spectrum of x, dense. */
static gnd_array *forth(gndi_temporaries *s, const gnd_array *x, int axis, int64_t n) {
    gnd_array *half = gndi_fourier_new(s, x, axis, n / 2 + 1, gndi_fft_complex_of(x->dtype));
    if (s->failed || half->size == 0) return half;
    return gndi_fourier(s, GNDI_RFFT, x, axis, n, 0, half);
}

/* Whether a GPU's kernels make the cepstra of whole lines. */
static bool are_lines(const gnd_array *x, int axis, int64_t n, gndi_cepstrum_lines_plan *p) {
    const gndi_device *d = x->buffer->device;
    if (!d->backend->cepstrum_lines || x->dtype != GND_FLOAT32 || n != x->shape[axis] || x->size == 0) return false;
    bool dense = gndi_is_c_contiguous(x) && (uintptr_t)gndi_data(x) % 8 == 0;
    for (int i = axis + 1; i < x->ndim; i++) dense = dense && x->shape[i] == 1;
    return dense && gndi_cepstrum_divide(n, &p->rows, &p->columns) &&
           GNDI_CEPSTRUM_SHARED((int64_t)p->columns, GNDI_CEPSTRUM_TILE) <= d->shared_bytes;
}

static gnd_array *cepstra_of_lines(gndi_temporaries *s, const gnd_array *x, gndi_cepstrum_lines_plan *p) {
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, GND_FLOAT32));
    if (s->failed) return NULL;
    const gnd_array *to = out;
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &x, 1, &to);
    p->x = (const float *)(const void *)gndi_data(x), p->out = (float *)(void *)gndi_data(out);
    p->lines = x->size / ((int64_t)p->rows * p->columns);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->cepstrum_lines(stream, p, s->fn), s->fn);
    return out;
}

static gnd_array *real_cepstrum(gndi_temporaries *s, const gnd_array *x, int axis, int64_t n) {
    gndi_cepstrum_lines_plan p = {0};
    if (are_lines(x, axis, n, &p)) return cepstra_of_lines(s, x, &p);
    gnd_array *half = forth(s, x, axis, n);
    log_magnitude(s, half, 1 / (double)n);
    return s->failed ? NULL : back(s, half, x, axis, n);
}

gnd_array *gnd_real_cepstrum(const gnd_array *x, int64_t n, int axis) {
    static const char fn[] = "gnd_real_cepstrum";
    if (!read(fn, x, "x", axis, &n, &axis)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    return gndi_temporaries_end(&s, real_cepstrum(&s, x, axis, n));
}

/* By a GPU's kernels for whole lines; NULL if there are none, or after an error. */
static gnd_array *minimum_phase_of_lines(gndi_temporaries *s, const gnd_array *x, int axis, int64_t n) {
    gndi_cepstrum_lines_plan p = {0};
    if (!are_lines(x, axis, n, &p) || !gndi_cepstrum_has_all(&p)) return NULL;
    p.result = GNDI_CEPSTRUM_CAUSAL;
    const gnd_array *causal = cepstra_of_lines(s, x, &p);
    p.result = GNDI_CEPSTRUM_EXPONENTIALS;
    return s->failed ? NULL : cepstra_of_lines(s, causal, &p);
}

/* The causal half of the cepstrum, doubled, is that of the signal of minimum phase. */
gnd_array *gnd_minimum_phase_cepstral(const gnd_array *x, int64_t n, int axis) {
    static const char fn[] = "gnd_minimum_phase_cepstral";
    if (!read(fn, x, "x", axis, &n, &axis)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *lines = minimum_phase_of_lines(&s, x, axis, n);
    if (lines || s.failed) return gndi_temporaries_end(&s, lines);
    gnd_array *c = real_cepstrum(&s, x, axis, n);
    gndi_fourier_scale(&s, c, axis, 1, (n + 1) / 2, 2);
    gndi_fourier_scale(&s, c, axis, n / 2 + 1, n, 0);
    gnd_array *half = s.failed ? NULL : forth(&s, c, axis, n);
    if (!s.failed && half->size) gndi_step_into(&s, GNDI_OP_exp, half, gnd_arg_array(half), gnd_arg_none(), NULL);
    if (!s.failed) gndi_fourier_scale(&s, half, axis, 0, n / 2 + 1, 1 / (double)n);
    return gndi_temporaries_end(&s, s.failed ? NULL : back(&s, half, x, axis, n));
}

/* ---- complex cepstra ------------------------------------------------------------------------ */

/* Turns of half a circle a sample, up to that of the middle, where the phase of a real signal is a multiple of pi. */
static gnd_array *ramp(int64_t n) {
    return gnd_multiply(gnd_arange(0, n, 1, GND_FLOAT64), n > 1 ? PI / (double)((n + 1) / 2) : 0);
}

/* The inverse transform of re + i im along the last axis, of which the real part is taken: a view. */
static gnd_array *real_back(const char *fn, const gnd_array *re, const gnd_array *im, gnd_dtype dtype) {
    gnd_array *z = gnd_empty_like(re, dtype), *to_re = gnd_real(z), *to_im = gnd_imag(z);
    if (!im || !to_im || gndi_copy_into(fn, to_re, re) || gndi_copy_into(fn, to_im, im)) return NULL;
    return gnd_real(gnd_ifft(z, -1, -1, GND_FFT_BACKWARD));
}

/* Whether a GPU's kernels make logarithms of half of a spectrum, whose other half is its mirror image. */
static bool are_phase_lines(const gnd_array *x, int axis, int64_t n) {
    const bool floats = gndi_fft_real_of(x->dtype) == (gnd_dtype)x->dtype;
    return x->buffer->device->backend->phase_lines && floats && axis == x->ndim - 1 && n % 2 == 0 && x->size > 0 &&
           x->size / x->shape[axis] <= INT32_MAX / (n / 2 + 1);
}

static gnd_array *cepstra_of_phase_lines(gndi_temporaries *s, const gnd_array *x, int64_t n, gnd_array **ndelay) {
    const int axis = x->ndim - 1;
    gnd_array *half = forth(s, x, axis, n);
    gnd_array *log = gndi_fourier_new(s, x, axis, n / 2 + 1, gndi_fft_complex_of(x->dtype));
    gnd_array *delay = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, axis, x->shape, (gnd_dtype)x->dtype);
    if (!gndi_temporaries_keep(s, delay) || s->failed) return NULL;
    const gnd_array *in = half, *out[] = {log, delay};
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &in, 2, out);
    const gndi_phase_lines_plan p = {.z = gndi_data(half),
                                     .out = gndi_data(log),
                                     .delay = gndi_data(delay),
                                     .lines = delay->size,
                                     .half = n / 2 + 1,
                                     .factor = 1 / (double)n,
                                     .wide = half->dtype == GND_COMPLEX128};
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->phase_lines(stream, &p, s->fn), s->fn);
    gnd_array *result = s->failed ? NULL : back(s, log, x, axis, n);
    if (ndelay) gndi_temporaries_give(s, delay, ndelay);
    return result;
}

gnd_array *gnd_complex_cepstrum(const gnd_array *x, int64_t n, int axis, gnd_array **ndelay) {
    static const char fn[] = "gnd_complex_cepstrum";
    if (ndelay) *ndelay = NULL;
    if (!read(fn, x, "x", axis, &n, &axis)) return NULL;
    GNDI_PARTS_OF(fn);
    if (are_phase_lines(x, axis, n)) {
        gndi_temporaries s = {.fn = fn};
        return gndi_temporaries_end(&s, cepstra_of_phase_lines(&s, x, n, ndelay));
    }
    gnd_array *result = NULL, *delays = NULL;
    const gnd_dtype dtype = gndi_fft_complex_of(x->dtype), real = gndi_fft_real_of(x->dtype);
    GND_USE(x->buffer->device->id) {
        GND_SCOPE {
            const gnd_array *z = gnd_fft(gnd_moveaxis(x, GND_AXES(axis), GND_AXES(-1)), n, -1, GND_FFT_BACKWARD);
            const gnd_array *angle = gnd_astype(gnd_angle(z, false), GND_FLOAT64);
            const gnd_array *phase = gnd_unwrap(angle, GND_NONE, -1, GND_NONE);
            const long long middle = n > 1 ? (long long)((n + 1) / 2) : 0;
            const gnd_array *delay = gnd_rint(gnd_divide(gnd_slice(phase, "..., %lld:%lld", middle, middle + 1), PI));
            const gnd_array *rest = gnd_subtract(phase, gnd_multiply(delay, ramp(n)));
            const gnd_array *c = real_back(fn, gnd_log(gnd_absolute(z)), rest, dtype);
            result = gnd_keep(gnd_copy(gnd_moveaxis(c, GND_AXES(-1), GND_AXES(axis))));
            if (result && ndelay) delays = gnd_keep(gnd_astype(gnd_slice(delay, "..., 0"), real));
        }
    }
    if (ndelay && !delays) gnd_release(result), result = NULL;
    if (ndelay) *ndelay = delays;
    return result;
}

gnd_array *gnd_inverse_complex_cepstrum(const gnd_array *ceps, const gnd_array *ndelay, int axis) {
    static const char fn[] = "gnd_inverse_complex_cepstrum";
    int64_t n = -1;
    if (!read(fn, ceps, "ceps", axis, &n, &axis)) return NULL;
    if (gndi_missing(ndelay)) return gndi_raise_null(fn, "ndelay"), NULL;
    if (gndi_check_together(fn, ceps, "ceps", ndelay, "ndelay")) return NULL;
    GNDI_PARTS_OF(fn);
    gnd_array *result = NULL;
    const gnd_dtype dtype = gndi_fft_complex_of(ceps->dtype);
    GND_USE(ceps->buffer->device->id) {
        GND_SCOPE {
            const gnd_array *line = gnd_moveaxis(ceps, GND_AXES(axis), GND_AXES(-1));
            const gnd_array *z = gnd_fft(line, -1, -1, GND_FFT_BACKWARD);
            const gnd_array *turns = gnd_multiply(gnd_slice(ndelay, "..., None"), ramp(n));
            const gnd_array *phase = gnd_add(gnd_astype(gnd_imag(z), GND_FLOAT64), turns);
            const gnd_array *size = gnd_exp(gnd_real(z));
            const gnd_array *x =
                real_back(fn, gnd_multiply(size, gnd_cos(phase)), gnd_multiply(size, gnd_sin(phase)), dtype);
            result = gnd_keep(gnd_copy(gnd_moveaxis(x, GND_AXES(-1), GND_AXES(axis))));
        }
    }
    return result;
}
