/*
 * czt.c: chirp z-transforms by Bluestein's algorithm (scipy.signal.czt, zoom_fft and their objects): a product with a
 * chirp, a convolution with another one by Fourier transforms, and a product again. Chirps are computed on the device,
 * in double, with whole turns left out exactly.
 */
#include "array/view.h"
#include "fft/fft.h"
#include "resample/chunk.h"
#include "resample/fourier.h"
#include "waveforms/waveforms.h"
#include <gnd/fft.h>
#include <gnd/transforms.h>
#include <math.h>

/* Defined here as functions; their macros wrap arguments. */
#undef gnd_czt
#undef gnd_czt_points
#undef gnd_czt_plan_czt

/* Numbers exp(magnitude + 2 pi i turns), both of them polynomials of the index k. With a period turns[2] counts what is
   left of k^2 modulo that. */
typedef struct chirp {
    double magnitude[3], turns[3], period;
} chirp;

/* A transform: n samples to m points. */
typedef struct settings {
    int64_t n, m, nfft;
    chirp square; /* w^(k^2 / 2) */
    chirp start;  /* a^-k */
    chirp points; /* a w^-k */
} settings;

/* Its chirps: that of samples, the transform of the one to convolve with, that of points. */
typedef struct tables {
    gnd_array *samples, *response, *points;
} tables;

/* ---- settings ------------------------------------------------------------------------------- */

/* log z as a magnitude and turns. */
static void logarithm(gndi_parts z, double *magnitude, double *turns) {
    *magnitude = log(hypot(z.re, z.im));
    *turns = atan2(z.im, z.re) / (2 * GNDI_PI);
}

static bool read_sizes(const char *fn, int64_t n, int64_t m, settings *set) {
    if (n < 1) return gndi_raise(GND_ERROR_VALUE, fn, "there are %lld samples; there must be one", (long long)n), false;
    if (m == -1) m = n;
    if (m < 1 || m > INT64_C(1) << 40 || n > INT64_C(1) << 40)
        return gndi_raise(GND_ERROR_VALUE, fn,
                          "%lld samples and %lld points are asked for; there must be points, and "
                          "memory for them",
                          (long long)n, (long long)m),
               false;
    *set = (settings){.n = n, .m = m, .nfft = gnd_next_fast_len(n + m - 1, false)};
    return true;
}

/* A number other than 0; `absent`: none is given. */
static bool read_number(const char *fn, gnd_arg arg, const char *name, bool *absent, gndi_parts *z) {
    *absent = arg.kind == GND_ARG_NONE;
    *z = (gndi_parts){1, 0};
    if (*absent) return true;
    if (arg.kind == GND_ARG_ARRAY) return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be a number", name), false;
    *z = gndi_arg_parts(arg);
    if (z->re == 0 && z->im == 0) return gndi_raise(GND_ERROR_VALUE, fn, "%s must not be 0", name), false;
    return true;
}

static bool read_czt(const char *fn, int64_t n, int64_t m, gnd_arg w, gnd_arg a, settings *set) {
    gndi_parts of_w, of_a;
    bool no_w, no_a;
    if (w.kind == GND_ARG_ARRAY && gndi_missing(w.array)) return gndi_raise_null(fn, "w"), false;
    if (a.kind == GND_ARG_ARRAY && gndi_missing(a.array)) return gndi_raise_null(fn, "a"), false;
    if (!read_number(fn, w, "w", &no_w, &of_w) || !read_number(fn, a, "a", &no_a, &of_a) || !read_sizes(fn, n, m, set))
        return false;
    double magnitude, turns;
    logarithm(of_a, &magnitude, &turns);
    set->start.magnitude[1] = -magnitude, set->start.turns[1] = -turns;
    set->points.magnitude[0] = magnitude, set->points.turns[0] = turns;
    if (no_w) { /* exp(-2 pi i / m) */
        set->square.turns[2] = -1, set->square.period = 2 * (double)set->m;
        set->points.turns[1] = 1 / (double)set->m;
        return true;
    }
    logarithm(of_w, &magnitude, &turns);
    set->square.magnitude[2] = magnitude / 2, set->square.turns[2] = turns / 2;
    set->points.magnitude[1] = -magnitude, set->points.turns[1] = -turns;
    return true;
}

static bool read_zoom(const char *fn, int64_t n, double f1, double f2, int64_t m, const gnd_zoom_fft_options *o,
                      settings *set) {
    const double fs = o && o->fs != 0 ? o->fs : 2;
    if (!read_sizes(fn, n, m, set)) return false;
    if (o && o->endpoint && set->m == 1)
        return gndi_raise(GND_ERROR_VALUE, fn, "one point cannot have both ends"), false;
    const double count = (double)set->m;
    const double scale = o && o->endpoint ? (f2 - f1) * count / (fs * (count - 1)) : (f2 - f1) / fs;
    set->square.turns[2] = -scale / (2 * count);
    set->start.turns[1] = -f1 / fs;
    set->points.turns[0] = f1 / fs, set->points.turns[1] = scale / count;
    return true;
}

/* ---- chirps --------------------------------------------------------------------------------- */

static chirp product(const chirp *a, const chirp *b) {
    chirp c = {.period = a->period};
    for (int k = 0; k < 3; k++) {
        c.magnitude[k] = a->magnitude[k] + b->magnitude[k];
        c.turns[k] = a->turns[k] + b->turns[k];
    }
    return c;
}

static chirp inverse(const chirp *a) {
    chirp c = {.period = a->period};
    for (int k = 0; k < 3; k++) c.magnitude[k] = -a->magnitude[k], c.turns[k] = -a->turns[k];
    return c;
}

/* Elements first .. first + n - 1 as an array on the device of `like`, or with NULL the current one. */
static gnd_array *make_chirp(gndi_temporaries *s, const chirp *c, int64_t first, int64_t n, const gnd_array *like,
                             gnd_dtype dtype) {
    struct gndi_wave_plan p = {
        .row = GNDI_WAVE_chirp_z,
        .dtype = dtype == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64,
        .first = (double)first,
        .step = 1,
        .phase = c->turns[0],
        .a = {c->magnitude[0], c->magnitude[1], c->magnitude[2], c->turns[1], c->turns[2], c->period}};
    if (s->failed) return NULL;
    gnd_array *out =
        like ? gndi_new_on_device_of(s->fn, like, 1, &n, dtype) : gndi_array_new(s->fn, 1, &n, dtype, GNDI_ORDER_C);
    out = gndi_temporaries_keep(s, out);
    if (out) gndi_wave_run(s, &p, &(gndi_wave_arrays){.out = out});
    return out;
}

/* Lines whose length is a power of two take a GPU's own two launches, other long ones more. */
static void choose_length(settings *set, const gndi_device *d, gnd_dtype dtype) {
    enum { LEAST = 1 << 20, MOST = 1 << 24 };
    int64_t n = LEAST;
    while (n < set->n + set->m - 1) n *= 2;
    if (d->id.kind != GND_CPU && dtype == GND_COMPLEX64 && n <= MOST && n * 8 <= set->nfft * 9) set->nfft = n;
}

/* The chirp to convolve with, 1 / square, of elements 1 - n up to m - 1. On the unit circle these are the conjugates of
   those of `square`, on both sides of 0; zeros come behind them then. */
static gnd_array *make_line(gndi_temporaries *s, const settings *set, const gnd_array *square, const gnd_array *like,
                            gnd_dtype dtype) {
    const chirp other = inverse(&set->square);
    const int64_t n = set->n, m = set->m, length = n + m - 1;
    if (other.magnitude[2] != 0) return make_chirp(s, &other, 1 - n, length, like, dtype);
    gnd_array *line = s->failed ? NULL : gndi_new_on_device_of(s->fn, square, 1, &set->nfft, dtype);
    if (!gndi_temporaries_keep(s, line)) return NULL;
    gndi_step_into(s, GNDI_OP_conjugate, gndi_step_part(s, line, 0, n - 1, m, 1),
                   gnd_arg_array(gndi_step_part(s, square, 0, 0, m, 1)), gnd_arg_none(), NULL);
    if (n > 1 && !s->failed)
        gndi_step_into(s, GNDI_OP_conjugate, gndi_step_part(s, line, 0, 0, n - 1, 1),
                       gnd_arg_array(gndi_step_part(s, square, 0, n - 1, n - 1, -1)), gnd_arg_none(), NULL);
    gndi_fourier_scale(s, line, 0, length, set->nfft, 0);
    return line;
}

static tables make_tables(gndi_temporaries *s, const settings *set, const gnd_array *like, gnd_dtype dtype) {
    const chirp samples = product(&set->square, &set->start);
    const bool starts = set->start.magnitude[1] != 0 || set->start.turns[1] != 0;
    gnd_array *square = make_chirp(s, &set->square, 0, gndi_max(set->n, set->m), like, dtype);
    gnd_array *line = make_line(s, set, square, like, dtype);
    tables t = {.samples = starts ? make_chirp(s, &samples, 0, set->n, like, dtype)
                                  : gndi_step_part(s, square, 0, 0, set->n, 1),
                .points = gndi_step_part(s, square, 0, 0, set->m, 1)};
    gnd_array *in_place = !s->failed && line->size == set->nfft ? line : NULL;
    t.response = gndi_fourier(s, GNDI_FFT, line, 0, set->nfft, 1 / (double)set->nfft, in_place);
    return t;
}

/* ---- transforms ----------------------------------------------------------------------------- */

static gnd_array *transform(gndi_temporaries *s, const settings *set, const tables *t, const gnd_array *x, int axis,
                            gnd_dtype dtype) {
    gnd_array *z = gndi_fourier_new(s, x, axis, set->nfft, dtype);
    if (s->failed) return NULL;
    if (z->size == 0) return gndi_fourier_new(s, x, axis, set->m, dtype);
    gnd_array *first = gndi_step_part(s, z, axis, 0, set->n, 1);
    const gnd_array *samples = gndi_step_along(s, t->samples, axis, x->ndim);
    if (!s->failed) gndi_step_into(s, GNDI_OP_multiply, first, gnd_arg_array(x), gnd_arg_array(samples), NULL);
    gndi_fourier_scale(s, z, axis, set->n, set->nfft, 0);
    gndi_fourier(s, GNDI_FFT, z, axis, set->nfft, 0, z);
    const gnd_array *response = s->failed ? NULL : gndi_step_along(s, t->response, axis, x->ndim);
    if (!s->failed) gndi_step_into(s, GNDI_OP_multiply, z, gnd_arg_array(z), gnd_arg_array(response), NULL);
    gndi_fourier(s, GNDI_IFFT, z, axis, set->nfft, 0, z);
    gnd_array *kept = s->failed ? NULL : gndi_step_part(s, z, axis, set->n - 1, set->m, 1);
    const gnd_array *points = s->failed ? NULL : gndi_step_along(s, t->points, axis, x->ndim);
    gnd_array *y = gndi_fourier_new(s, x, axis, set->m, dtype);
    if (!s->failed) gndi_step_into(s, GNDI_OP_multiply, y, gnd_arg_array(kept), gnd_arg_array(points), NULL);
    return y;
}

static bool read_axis(const char *fn, const gnd_array *x, int axis, int *normal) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    return gndi_normalize_axis(fn, axis, x->ndim, normal);
}

static gnd_array *once(const char *fn, settings *set, const gnd_array *x, int axis) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_fft_complex_of(x->dtype);
    choose_length(set, x->buffer->device, dtype);
    const tables t = make_tables(&s, set, x, dtype);
    return gndi_temporaries_end(&s, s.failed ? NULL : transform(&s, set, &t, x, axis, dtype));
}

gnd_array *gnd_czt(const gnd_array *x, int64_t m, gnd_arg w, gnd_arg a, int axis) {
    static const char fn[] = "gnd_czt";
    settings set;
    if (!read_axis(fn, x, axis, &axis) || !read_czt(fn, x->shape[axis], m, w, a, &set)) return NULL;
    return once(fn, &set, x, axis);
}

gnd_array *gnd_zoom_fft(const gnd_array *x, double f1, double f2, int64_t m, const gnd_zoom_fft_options *options,
                        int axis) {
    static const char fn[] = "gnd_zoom_fft";
    settings set;
    if (!read_axis(fn, x, axis, &axis) || !read_zoom(fn, x->shape[axis], f1, f2, m, options, &set)) return NULL;
    return once(fn, &set, x, axis);
}

gnd_array *gnd_czt_points(int64_t m, gnd_arg w, gnd_arg a) {
    static const char fn[] = "gnd_czt_points";
    gndi_temporaries s = {.fn = fn};
    settings set;
    if (!read_czt(fn, 1, m, w, a, &set)) return NULL;
    return gndi_temporaries_end(&s, make_chirp(&s, &set.points, 0, set.m, NULL, GND_COMPLEX128));
}

/* ---- plans ---------------------------------------------------------------------------------- */

struct gnd_czt_plan {
    settings set;
    gnd_dtype dtype;
    gndi_device *device;
    gndi_buffer *samples, *response, *points;
};

static void drop(gnd_czt_plan *p) {
    if (p->samples) gndi_buffer_release(p->samples);
    if (p->response) gndi_buffer_release(p->response);
    if (p->points) gndi_buffer_release(p->points);
    gndi_free(p);
}

static gnd_czt_plan *make_plan(const char *fn, const settings *set, gnd_dtype dtype) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (dtype == GND_DTYPE_NONE) dtype = GND_COMPLEX128;
    if (dtype != GND_COMPLEX64 && dtype != GND_COMPLEX128)
        return gndi_raise(GND_ERROR_DTYPE, fn, "a plan's dtype is complex64 or complex128, not %s",
                          gnd_dtype_name(dtype)),
               NULL;
    gnd_stream *stream = gndi_stream_current(fn);
    gnd_czt_plan *p = stream ? gndi_calloc(fn, sizeof *p) : NULL;
    if (!p) return NULL;
    p->set = *set, p->dtype = dtype, p->device = stream->device;
    choose_length(&p->set, p->device, dtype);
    const tables t = make_tables(&s, &p->set, NULL, dtype);
    if (!s.failed) {
        p->samples = t.samples->buffer, p->response = t.response->buffer, p->points = t.points->buffer;
        gndi_buffer_retain(p->samples), gndi_buffer_retain(p->response), gndi_buffer_retain(p->points);
    }
    gndi_temporaries_end(&s, NULL);
    if (p->samples) return gndi_owned("a plan of a chirp z-transform", p, fn);
    drop(p);
    return NULL;
}

gnd_czt_plan *gnd_czt_plan_czt(int64_t n, int64_t m, gnd_arg w, gnd_arg a, gnd_dtype dtype) {
    static const char fn[] = "gnd_czt_plan_czt";
    settings set;
    return read_czt(fn, n, m, w, a, &set) ? make_plan(fn, &set, dtype) : NULL;
}

gnd_czt_plan *gnd_czt_plan_zoom_fft(int64_t n, double f1, double f2, int64_t m, const gnd_zoom_fft_options *options,
                                    gnd_dtype dtype) {
    static const char fn[] = "gnd_czt_plan_zoom_fft";
    settings set;
    return read_zoom(fn, n, f1, f2, m, options, &set) ? make_plan(fn, &set, dtype) : NULL;
}

gnd_array *gnd_czt_plan_run(const gnd_czt_plan *p, const gnd_array *x, int axis) {
    static const char fn[] = "gnd_czt_plan_run";
    if (!p) return gndi_raise_null(fn, "plan"), NULL;
    if (!read_axis(fn, x, axis, &axis)) return NULL;
    if (x->buffer->device != p->device)
        return gndi_fail(GND_ERROR_DEVICE, fn, "x is on %s, and the plan on %s",
                         gndi_text_device(x->buffer->device->id), gndi_text_device(p->device->id));
    if (x->shape[axis] != p->set.n)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the plan is for %lld samples, and x has %lld along axis %d",
                         (long long)p->set.n, (long long)x->shape[axis], axis);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t n = p->set.n, m = p->set.m, nfft = p->set.nfft;
    const tables t = {.samples = gndi_array_over_buffer(&s, p->samples, 1, &n, p->dtype),
                      .response = gndi_array_over_buffer(&s, p->response, 1, &nfft, p->dtype),
                      .points = gndi_array_over_buffer(&s, p->points, 1, &m, p->dtype)};
    return gndi_temporaries_end(&s, s.failed ? NULL : transform(&s, &p->set, &t, x, axis, p->dtype));
}

gnd_array *gnd_czt_plan_points(const gnd_czt_plan *p) {
    gndi_temporaries s = {.fn = "gnd_czt_plan_points"};
    if (!p) return gndi_raise_null(s.fn, "plan"), NULL;
    return gndi_temporaries_end(&s, make_chirp(&s, &p->set.points, 0, p->set.m, NULL, GND_COMPLEX128));
}

void gnd_czt_plan_release(gnd_czt_plan *p) {
    if (!p) return;
    gndi_disowned(p);
    drop(p);
}
