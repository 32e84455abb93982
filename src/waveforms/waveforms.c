/*
 * waveforms.c: chirps, sweeps, Gaussian pulses, sawteeth and square waves of given times (scipy.signal): each a row of
 * waves.def and one launch.
 */
#include "waveforms/waveforms.h"
#include "array/view.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"
#include <gnd/view.h>
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_sawtooth
#undef gnd_square_wave

/* ---- plans and arrays ----------------------------------------------------------------------- */

bool gndi_wave_dtype(gndi_temporaries *s, const gnd_array *t, const char *name, gnd_dtype *dtype) {
    if (s->failed) return false;
    s->failed = true;
    if (gndi_missing(t)) return gndi_raise_null(s->fn, name), false;
    if (gndi_dtype_is_complex(t->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, s->fn, "%s must be real, and has dtype %s", name,
                   gnd_dtype_name((gnd_dtype)t->dtype));
        return false;
    }
    s->failed = false;
    *dtype = gndi_dtype_is_float(t->dtype) && t->dtype != GND_FLOAT64 ? GND_FLOAT32 : GND_FLOAT64;
    return true;
}

const gnd_array *gndi_wave_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed) return NULL;
    if ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a)) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

gnd_array *gndi_wave_new(gndi_temporaries *s, const gnd_array *t, gnd_dtype dtype, bool pairs) {
    if (s->failed) return NULL;
    if (pairs) dtype = dtype == GND_FLOAT32 ? GND_COMPLEX64 : GND_COMPLEX128;
    return gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, t, t->ndim, t->shape, dtype));
}

static void *data_of(const gnd_array *a) {
    return a ? gndi_data(a) : NULL;
}

void gndi_wave_run(gndi_temporaries *s, struct gndi_wave_plan *p, const gndi_wave_arrays *a) {
    if (s->failed || a->out->size == 0) return;
    p->n = a->out->size;
    if (!p->columns) p->columns = p->n;
    p->pairs = gndi_dtype_is_complex(a->out->dtype);
    p->t = data_of(a->t), p->w = data_of(a->w);
    p->out = data_of(a->out), p->sine = data_of(a->sine), p->envelope = data_of(a->envelope);
    gnd_stream *stream = gndi_work_begin(s->fn, 2, (const gnd_array *[]){a->t, a->w}, 3,
                                         (const gnd_array *[]){a->out, a->sine, a->envelope});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->wave(stream, p, s->fn), s->fn);
}

/* ---- chirps --------------------------------------------------------------------------------- */

static bool no_chirp(const char *fn, const char *what, double f0, double f1) {
    gndi_raise(GND_ERROR_VALUE, fn, "of %s f0 and f1 must not be 0%s, unlike %g and %g", what,
               what[2] == 'l' ? ", and have the same sign" : "", f0, f1);
    return false;
}

/* The row and its numbers. */
static bool prepare_chirp(struct gndi_wave_plan *p, const char *fn, double f0, double t1, double f1,
                          const gnd_chirp_options *o) {
    double *a = p->a;
    a[0] = f0;
    switch (o->method) {
    case GND_CHIRP_LINEAR: p->row = GNDI_WAVE_linear, a[1] = (f1 - f0) / t1; return true;
    case GND_CHIRP_QUADRATIC:
        p->row = o->end_vertex ? GNDI_WAVE_quadratic_end : GNDI_WAVE_quadratic;
        a[0] = o->end_vertex ? f1 : f0, a[1] = (f1 - f0) / (t1 * t1), a[2] = t1;
        return true;
    case GND_CHIRP_LOGARITHMIC:
        if (f0 * f1 <= 0) return no_chirp(fn, "a logarithmic chirp", f0, f1);
        p->row = GNDI_WAVE_logarithmic;
        if (f0 != f1) a[1] = log(f1 / f0) / t1, a[0] = f0 / a[1];
        break;
    case GND_CHIRP_HYPERBOLIC:
        if (f0 == 0 || f1 == 0) return no_chirp(fn, "a hyperbolic chirp", f0, f1);
        p->row = GNDI_WAVE_hyperbolic;
        if (f0 != f1) a[1] = -f1 * t1 / (f0 - f1), a[0] = -a[1] * f0;
        break;
    default: gndi_raise(GND_ERROR_INVALID, fn, "there is no method number %d", (int)o->method); return false;
    }
    if (f0 == f1) p->row = GNDI_WAVE_constant;
    return true;
}

/* The row of a plan at times t: its cosine, or the complex wave. */
static gnd_array *at_times(gndi_temporaries *s, struct gndi_wave_plan *p, const gnd_array *t, bool pairs) {
    gnd_dtype dtype;
    if (!gndi_wave_dtype(s, t, "t", &dtype)) return NULL;
    gnd_array *out = gndi_wave_new(s, t, dtype, pairs);
    const gndi_wave_arrays arrays = {.t = gndi_wave_dense(s, t, dtype), .out = out};
    p->dtype = (uint8_t)dtype;
    gndi_wave_run(s, p, &arrays);
    return out;
}

gnd_array *gnd_chirp(const gnd_array *t, double f0, double t1, double f1, const gnd_chirp_options *options) {
    static const gnd_chirp_options any;
    const gnd_chirp_options *o = options ? options : &any;
    gndi_temporaries s = {.fn = "gnd_chirp"};
    struct gndi_wave_plan p = {.phase = o->phi / 360};
    s.failed = !prepare_chirp(&p, s.fn, f0, t1, f1, o);
    return gndi_temporaries_end(&s, at_times(&s, &p, t, o->complex_result));
}

gnd_array *gnd_sweep_poly(const gnd_array *t, int count, const double *poly, double phi) {
    gndi_temporaries s = {.fn = "gnd_sweep_poly"};
    struct gndi_wave_plan p = {.row = GNDI_WAVE_polynomial, .phase = phi / 360};
    if (count < 1 || count >= GNDI_WAVE_NUMBERS)
        return gndi_fail(GND_ERROR_VALUE, s.fn, "the polynomial has %d coefficients; it may have 1 to %d", count,
                         GNDI_WAVE_NUMBERS - 1);
    if (!poly) return gndi_raise_null(s.fn, "poly"), NULL;
    p.count = count + 1; /* its integral, whose last coefficient is 0 */
    for (int k = 0; k < count; k++) p.a[k] = poly[k] / (count - k);
    return gndi_temporaries_end(&s, at_times(&s, &p, t, false));
}

/* ---- Gaussian pulses ------------------------------------------------------------------------ */

/* The exponent's factor a of exp(-a t^2); false: a parameter is wrong. */
static bool pulse_factor(const char *fn, double fc, double bw, double bwr, double *a) {
    if (!(fc >= 0))
        gndi_raise(GND_ERROR_VALUE, fn, "the centre frequency fc must not be negative, unlike %g", fc);
    else if (!(bw > 0))
        gndi_raise(GND_ERROR_VALUE, fn, "the bandwidth bw must be above 0, unlike %g", bw);
    else if (!(bwr < 0))
        gndi_raise(GND_ERROR_VALUE, fn, "the level bwr must be below 0 dB, unlike %g", bwr);
    else {
        const double width = GNDI_PI * fc * bw;
        *a = -(width * width) / (4 * log(pow(10, bwr / 20)));
        return true;
    }
    return false;
}

gnd_array *gnd_gausspulse(const gnd_array *t, double fc, double bw, double bwr, gnd_array **quadrature,
                          gnd_array **envelope) {
    gndi_temporaries s = {.fn = "gnd_gausspulse"};
    struct gndi_wave_plan p = {.row = GNDI_WAVE_gausspulse, .a = {fc}};
    gnd_dtype dtype;
    if (quadrature) *quadrature = NULL;
    if (envelope) *envelope = NULL;
    if (!gndi_wave_dtype(&s, t, "t", &dtype) || !pulse_factor(s.fn, fc, bw, bwr, &p.a[1])) return NULL;
    gndi_wave_arrays arrays = {.t = gndi_wave_dense(&s, t, dtype), .out = gndi_wave_new(&s, t, dtype, false)};
    if (quadrature) arrays.sine = gndi_wave_new(&s, t, dtype, false);
    if (envelope) arrays.envelope = gndi_wave_new(&s, t, dtype, false);
    p.dtype = (uint8_t)dtype;
    gndi_wave_run(&s, &p, &arrays);
    if (quadrature) gndi_temporaries_give(&s, arrays.sine, quadrature);
    if (envelope) gndi_temporaries_give(&s, arrays.envelope, envelope);
    return gndi_temporaries_end(&s, arrays.out);
}

gnd_status gnd_gausspulse_cutoff(double *cutoff, double fc, double bw, double bwr, double tpr) {
    static const char fn[] = "gnd_gausspulse_cutoff";
    double a;
    if (!cutoff) return gndi_raise_null(fn, "cutoff");
    if (!pulse_factor(fn, fc, bw, bwr, &a)) return GND_ERROR_VALUE;
    if (!(tpr < 0)) return gndi_raise(GND_ERROR_VALUE, fn, "the level tpr must be below 0 dB, unlike %g", tpr);
    *cutoff = sqrt(-log(pow(10, tpr / 20)) / a);
    return GND_OK;
}

/* ---- sawteeth and square waves -------------------------------------------------------------- */

/* A wave of times and of widths, which may be an array that broadcasts. */
static gnd_array *periodic(const char *fn, gndi_wave_row row, const gnd_array *t, gnd_arg width, const char *name,
                           double standard) {
    gndi_temporaries s = {.fn = fn};
    struct gndi_wave_plan p = {.row = (uint8_t)row, .a = {standard}};
    gnd_dtype dtype, other;
    if (!gndi_wave_dtype(&s, t, "t", &dtype)) return NULL;
    if (width.kind != GND_ARG_ARRAY) {
        if (width.kind == GND_ARG_COMPLEX)
            return gndi_fail(GND_ERROR_DTYPE, fn, "%s must be real, and is a complex number", name);
        if (width.kind != GND_ARG_NONE) p.a[0] = gndi_arg_parts(width).re;
        return gndi_temporaries_end(&s, at_times(&s, &p, t, false));
    }
    if (!gndi_wave_dtype(&s, width.array, name, &other) || gndi_check_together(fn, t, "t", width.array, name))
        return NULL;
    if (other == GND_FLOAT64) dtype = GND_FLOAT64;
    gnd_array *both[2] = {NULL, NULL};
    {
        GNDI_PARTS_OF(fn);
        s.failed = gnd_broadcast_arrays(2, ((const gnd_array *[]){t, width.array}), both) != GND_OK;
    }
    for (int k = 0; k < 2 && !s.failed; k++) gndi_temporaries_keep(&s, both[k]);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const gndi_wave_arrays arrays = {.t = gndi_wave_dense(&s, both[0], dtype),
                                     .w = gndi_wave_dense(&s, both[1], dtype),
                                     .out = gndi_wave_new(&s, both[0], dtype, false)};
    p.dtype = (uint8_t)dtype;
    gndi_wave_run(&s, &p, &arrays);
    return gndi_temporaries_end(&s, arrays.out);
}

gnd_array *gnd_sawtooth(const gnd_array *t, gnd_arg width) {
    return periodic("gnd_sawtooth", GNDI_WAVE_sawtooth, t, width, "width", 1);
}

gnd_array *gnd_square_wave(const gnd_array *t, gnd_arg duty) {
    return periodic("gnd_square_wave", GNDI_WAVE_square_wave, t, duty, "duty", 0.5);
}
