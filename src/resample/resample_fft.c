/*
 * resample_fft.c: another number of samples for the same time, by Fourier transforms: the spectrum is cut off, or
 * followed by zeros. The element at half of the shorter length stands for two frequencies of the longer one, whose
 * sum it is. GPUs have kernels for long lines whose lengths have a large factor in common.
 */
#include "resample/fourier.h"
#include "resample/resample_lines_plan.h"
#include "runtime/runtime.h"

static const char fn[] = "gnd_resample";

/* ---- spectra ---------------------------------------------------------------------------------- */

gnd_array *gndi_resample_spectrum(gndi_temporaries *s, const gnd_array *x, int axis, int64_t num) {
    if (s->failed) return NULL;
    const int64_t n = x->shape[axis], m = gndi_min(n, num), front = m / 2 + 1, back = m - front;
    gnd_array *y = gndi_fourier_new(s, x, axis, num, gndi_fft_complex_of(x->dtype));
    if (s->failed || y->size == 0) return y;
    gndi_copy_to_part(s, y, axis, 0, front, gndi_step_part(s, x, axis, 0, front, 1));
    if (back > 0) gndi_copy_to_part(s, y, axis, num - back, back, gndi_step_part(s, x, axis, n - back, back, 1));
    gndi_fourier_scale(s, y, axis, front, num - (back > 0 ? back : 0), 0);
    if (m % 2 == 0 && num != n && !s->failed) {
        gnd_array *low = gndi_step_part(s, y, axis, m / 2, 1, 1);
        if (num < n) { /* y's element m / 2 is also the one at -m / 2 */
            gnd_array *other = gndi_step_part(s, x, axis, n - m / 2, 1, 1);
            if (!s->failed) gndi_step_into(s, GNDI_OP_add, low, gnd_arg_array(low), gnd_arg_array(other), NULL);
        } else {
            gndi_fourier_scale(s, low, axis, 0, 1, 0.5);
            gnd_array *high = gndi_step_part(s, y, axis, num - m / 2, 1, 1);
            if (!s->failed) s->failed = gndi_copy_into(s->fn, high, low) != GND_OK;
        }
    }
    return gndi_fourier(s, GNDI_IFFT, y, axis, num, 1.0 / (double)n, y);
}

gnd_array *gndi_resample_half(gndi_temporaries *s, const gnd_array *half, int axis, int64_t n, int64_t num) {
    const int64_t m = gndi_min(n, num);
    if (m % 2 == 0 && num != n) gndi_fourier_scale(s, half, axis, m / 2, m / 2 + 1, num < n ? 2 : 0.5);
    gnd_array *part = s->failed ? NULL : gndi_step_part(s, half, axis, 0, m / 2 + 1, 1);
    return gndi_fourier(s, GNDI_IRFFT, part, axis, num, 1.0 / (double)n, NULL);
}

/* ---- windows ---------------------------------------------------------------------------------- */

/* The window's elements along the axis of arrays with x's dimensions; for the half of a real signal's spectrum the
   means of those at k and at -k. */
static gnd_array *window_along(gndi_temporaries *s, const gnd_array *window, const gnd_array *x, int axis, bool half) {
    const int64_t n = window->size;
    if (s->failed) return NULL;
    if (!half || n == 1) return gndi_step_along(s, window, axis, x->ndim);
    const int64_t others = n / 2;
    gnd_array *w =
        gndi_temporaries_keep(s, gndi_copy_as(fn, gndi_step_part(s, window, 0, 0, others + 1, 1),
                                              gnd_promote_types((gnd_dtype)window->dtype, GND_FLOAT32), 'C'));
    gnd_array *positive = s->failed ? NULL : gndi_step_part(s, w, 0, 1, others, 1);
    gnd_array *negative = s->failed ? NULL : gndi_step_part(s, window, 0, n - 1, others, -1);
    if (s->failed) return NULL;
    gndi_step_into(s, GNDI_OP_add, positive, gnd_arg_array(positive), gnd_arg_array(negative), NULL);
    gndi_step_into(s, GNDI_OP_multiply, positive, gnd_arg_array(positive), gnd_arg_real(0.5), NULL);
    return s->failed ? NULL : gndi_step_along(s, w, axis, x->ndim);
}

/* The spectrum times the window, in place if it may be overwritten. */
static gnd_array *under_window(gndi_temporaries *s, gnd_array *spectrum, bool fresh, const gnd_array *window, int axis,
                               bool half) {
    if (s->failed || !window) return spectrum;
    gnd_array *w = window_along(s, window, spectrum, axis, half);
    if (s->failed) return NULL;
    if (!fresh) return gndi_step(s, GNDI_OP_multiply, gnd_arg_array(spectrum), gnd_arg_array(w));
    gndi_step_into(s, GNDI_OP_multiply, spectrum, gnd_arg_array(spectrum), gnd_arg_array(w), NULL);
    return spectrum;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static bool check_options(const gnd_array *x, int axis, const gnd_resample_options *o) {
    const gnd_array *w = o->window;
    if (gndi_optional_missing(fn, w, "window") || gndi_optional_missing(fn, o->t, "t")) return false;
    if ((unsigned)o->domain > GND_RESAMPLE_FREQUENCY) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no domain number %d", (int)o->domain);
        return false;
    }
    if (w && o->named.name) {
        gndi_raise(GND_ERROR_INVALID, fn, "window and named are two windows; one of them must be left out");
        return false;
    }
    if (w && (w->ndim != 1 || w->size != x->shape[axis])) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the window must have shape (%lld); it has %s", (long long)x->shape[axis],
                   gndi_text_shape(w->ndim, w->shape));
        return false;
    }
    if (w && gndi_dtype_is_complex(w->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "the window has dtype %s; it must be real",
                   gnd_dtype_name((gnd_dtype)w->dtype));
        return false;
    }
    if (w && gndi_check_together(fn, x, "x", w, "window")) return false;
    if ((o->t != NULL) != (o->new_t != NULL)) {
        gndi_raise(GND_ERROR_INVALID, fn, "t and new_t go together; one of them is NULL");
        return false;
    }
    if (o->t && (o->t->ndim != 1 || o->t->size < 2)) {
        gndi_raise(GND_ERROR_SHAPE, fn, "t must have one dimension and at least 2 elements; its shape is %s",
                   gndi_text_shape(o->t->ndim, o->t->shape));
        return false;
    }
    return true;
}

/* t[0] + (t[1] - t[0]) * step * k for k < num, in float64. */
static gnd_array *new_times(gndi_temporaries *s, const gnd_array *t, int64_t num, double step) {
    if (s->failed) return NULL;
    gnd_array *k = NULL;
    GND_USE(gnd_device_of(t)) k = gnd_arange(0, num, 1, GND_FLOAT64);
    gndi_temporaries_keep(s, k);
    gnd_array *wide = s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(fn, t, GND_FLOAT64, 'C'));
    gnd_array *first = s->failed ? NULL : gndi_step_part(s, wide, 0, 0, 1, 1);
    gnd_array *second = s->failed ? NULL : gndi_step_part(s, wide, 0, 1, 1, 1);
    gnd_array *apart = s->failed ? NULL : gndi_step(s, GNDI_OP_subtract, gnd_arg_array(second), gnd_arg_array(first));
    gnd_array *scaled = s->failed ? NULL : gndi_step(s, GNDI_OP_multiply, gnd_arg_array(apart), gnd_arg_real(step));
    if (!s->failed) gndi_step_into(s, GNDI_OP_multiply, k, gnd_arg_array(k), gnd_arg_array(scaled), NULL);
    if (!s->failed) gndi_step_into(s, GNDI_OP_add, k, gnd_arg_array(k), gnd_arg_array(first), NULL);
    return s->failed ? NULL : k;
}

/* A window by its name, of n points. The middle of a window belongs to frequency 0, which a spectrum has first. */
static const gnd_array *named_window(gndi_temporaries *s, const gnd_array *x, const gnd_window *named, int64_t n) {
    const gnd_dtype dtype = gndi_fft_complex_of(x->dtype) == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    gnd_array *w = NULL;
    if (s->failed) return NULL;
    GND_USE(gnd_device_of(x)) {
        w = gndi_temporaries_keep(s, gnd_get_window(named, n, true, dtype));
        if (w) w = gndi_temporaries_keep(s, gnd_fftshift(w, GND_ALL));
    }
    return w;
}

/* Whether a GPU's kernels resample whole lines. */
static bool are_lines(const gnd_array *x, int64_t num, int axis, const gnd_resample_options *o,
                      gndi_resample_lines_plan *p) {
    enum { SHARED_BYTES = 84 << 10 }; /* of the kernels' blocks, at most */
    const gndi_device *d = x->buffer->device;
    if (!d->backend->resample_lines || d->shared_bytes < SHARED_BYTES || x->dtype != GND_FLOAT32 || x->size == 0)
        return false;
    bool dense = gndi_is_c_contiguous(x) && (uintptr_t)gndi_data(x) % 16 == 0;
    for (int i = axis + 1; i < x->ndim; i++) dense = dense && x->shape[i] == 1;
    return dense && !o->window && o->domain == GND_RESAMPLE_TIME && gndi_resample_divide(x->shape[axis], num, p);
}

static gnd_array *resample_lines(gndi_temporaries *s, const gnd_array *x, int64_t num, int axis,
                                 gndi_resample_lines_plan *p) {
    gnd_array *y = gndi_fourier_new(s, x, axis, num, GND_FLOAT32);
    if (s->failed) return NULL;
    const gnd_array *to = y;
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &x, 1, &to);
    p->x = (const float *)(const void *)gndi_data(x), p->out = (float *)(void *)gndi_data(y);
    p->lines = x->size / x->shape[axis];
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->resample_lines(stream, p, s->fn), s->fn);
    return y;
}

static gnd_array *resample(gndi_temporaries *s, const gnd_array *x, int64_t num, int axis,
                           const gnd_resample_options *o) {
    const int64_t n = x->shape[axis];
    const bool in_time = o->domain == GND_RESAMPLE_TIME;
    gndi_resample_lines_plan lines;
    if (are_lines(x, num, axis, o, &lines)) return resample_lines(s, x, num, axis, &lines);
    if (in_time && !gndi_dtype_is_complex(x->dtype)) {
        gnd_array *half = gndi_fourier(s, GNDI_RFFT, x, axis, n, 0, NULL);
        return gndi_resample_half(s, under_window(s, half, true, o->window, axis, true), axis, n, num);
    }
    gnd_array *spectrum =
        in_time ? gndi_fourier(s, GNDI_FFT, x, axis, n, 0, NULL) : gndi_temporaries_keep(s, gndi_array_alias(fn, x));
    spectrum = under_window(s, spectrum, in_time, o->window, axis, false);
    return gndi_resample_spectrum(s, spectrum, axis, num);
}

gnd_array *gnd_resample(const gnd_array *x, int64_t num, int axis, const gnd_resample_options *options) {
    static const gnd_resample_options defaults = {0};
    if (!options) options = &defaults;
    if (options->new_t) *options->new_t = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!gndi_normalize_axis(fn, axis, x->ndim, &axis) || !check_options(x, axis, options)) return NULL;
    if (num < 1 || x->shape[axis] < 1)
        return gndi_fail(GND_ERROR_VALUE, fn, "%lld samples of %lld along axis %d; there must be at least one of both",
                         (long long)num, (long long)x->shape[axis], axis);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *t = options->t ? new_times(&s, options->t, num, (double)x->shape[axis] / (double)num) : NULL;
    gnd_resample_options all = *options;
    if (all.named.name) all.window = named_window(&s, x, &all.named, x->shape[axis]);
    gnd_array *result = s.failed ? NULL : resample(&s, x, num, axis, &all);
    if (t) gndi_temporaries_give(&s, t, options->new_t);
    return gndi_temporaries_end(&s, result);
}
