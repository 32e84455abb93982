/*
 * system_responses.c: responses of linear systems to frequencies (scipy.signal.freqresp, bode, dfreqresp, dbode).
 */
#include "systems/systems.h"
#include <math.h>
#include <string.h>

static bool check(gndi_scratch *s, const gnd_response_options *o, const gnd_system *x) {
    if (s->failed) return false;
    if (o->fs != 0 || o->include_nyquist)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "fs and include_nyquist must be 0, and are %g and %d", o->fs,
                                 (int)o->include_nyquist);
    if (x->form == GND_TRANSFER_FUNCTION && x->rows != 1)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the system must have one input and one output, not %lld outputs",
                                 (long long)x->rows);
    return true;
}

static bool one_to_one(gndi_scratch *s, const gnd_system *x) {
    if (x->form != GND_STATE_SPACE || (x->m.inputs == 1 && x->m.outputs == 1)) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE,
                             "the system must have one input and one output, not %lld inputs and %lld outputs",
                             (long long)x->m.inputs, (long long)x->m.outputs);
}

/* Coefficients in 1 / z: the shorter list has zeros in front. */
static gndi_numbers padded(gndi_scratch *s, int64_t n, const gndi_complex *c, int64_t length) {
    gndi_numbers out = {length, gndi_scratch_complex(s, length), true};
    if (out.at) memcpy(out.at + (length - n), c, (size_t)n * sizeof(*c));
    return out;
}

/* The response g, at so many frequencies if the options do not say. */
static bool respond(gndi_scratch *s, const gnd_system *system, bool discrete, const gnd_response_options *options,
                    int64_t n, gndi_response *g) {
    gnd_response_options o = options ? *options : (gnd_response_options){0};
    gnd_system x;
    if (!o.n) o.n = n;
    if (!gndi_system_given(s, system, "system") || !one_to_one(s, system)) return false;
    gnd_system_form form = system->form;
    if (form == GND_STATE_SPACE) form = discrete ? GND_TRANSFER_FUNCTION : GND_ZEROS_POLES_GAIN; /* as SciPy does */
    if (!gndi_system_of_time(s, system, discrete, form, &x) || !check(s, &o, &x)) return false;
    if (form == GND_ZEROS_POLES_GAIN) {
        const gndi_zpk *f = gndi_system_roots(s, &x);
        return f && (discrete ? gndi_digital_zpk_response(s, f, &o, g) : gndi_analog_zpk_response(s, f, &o, g));
    }
    const int64_t length = discrete ? gndi_max(x.nb, x.na) : 0;
    const gndi_numbers b = discrete ? padded(s, x.nb, x.num, length) : (gndi_numbers){x.nb, x.num, true};
    const gndi_numbers a = discrete ? padded(s, x.na, x.den, length) : (gndi_numbers){x.na, x.den, true};
    if (s->failed) return false;
    return discrete ? gndi_digital_response(s, &b, &a, &o, g) : gndi_analog_response(s, &b, &a, &o, g);
}

static gnd_status frequencies(const char *fn, bool discrete, gnd_array **w, gnd_array **h, const gnd_system *system,
                              const gnd_response_options *options) {
    gndi_scratch s = {.fn = fn};
    gndi_response g = {0};
    respond(&s, system, discrete, options, 10000, &g);
    return gndi_response_give(&s, &g, w, h);
}

gnd_status gnd_freqresp(gnd_array **w, gnd_array **h, const gnd_system *system, const gnd_response_options *options) {
    return frequencies("gnd_freqresp", false, w, h, system, options);
}

gnd_status gnd_dfreqresp(gnd_array **w, gnd_array **h, const gnd_system *system, const gnd_response_options *options) {
    return frequencies("gnd_dfreqresp", true, w, h, system, options);
}

/* ---- magnitude and phase -------------------------------------------------------------------- */

/* Phases in radians without jumps of more than pi, as numpy.unwrap has it. */
static void unwrap(int64_t n, double *phase) {
    double sum = 0, before = n ? phase[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        const double step = phase[i] - before, turns = (step + GNDI_PI) / (2 * GNDI_PI);
        double back = step + GNDI_PI - floor(turns) * 2 * GNDI_PI - GNDI_PI;
        if (back == -GNDI_PI && step > 0) back = GNDI_PI;
        before = phase[i];
        if (!(fabs(step) < GNDI_PI)) sum += back - step;
        phase[i] += sum;
    }
}

static gnd_status decibels(const char *fn, bool discrete, gnd_array **w, gnd_array **magnitude, gnd_array **phase,
                           const gnd_system *system, const gnd_response_options *options) {
    gndi_scratch s = {.fn = fn};
    gndi_response g = {0};
    gnd_array **results[] = {w, magnitude, phase};
    gnd_response_options o = options ? *options : (gnd_response_options){0};
    gndi_results_begin(3, results);
    if (discrete) o.whole = false;
    if (respond(&s, system, discrete, &o, 100, &g)) {
        double *level = gndi_scratch_doubles(&s, g.n), *angle = gndi_scratch_doubles(&s, g.n);
        for (int64_t i = 0; !s.failed && i < g.n; i++) {
            level[i] = 20 * log10(cabs(g.h[i]));
            angle[i] = atan2(cimag(g.h[i]), creal(g.h[i]));
            if (discrete) g.w[i] /= system->dt;
        }
        if (!s.failed) unwrap(g.n, angle);
        for (int64_t i = 0; !s.failed && i < g.n; i++) angle[i] *= 180 / GNDI_PI;
        if (w) *w = gndi_array_of_doubles(&s, g.n, g.w);
        if (magnitude) *magnitude = gndi_array_of_doubles(&s, g.n, level);
        if (phase) *phase = gndi_array_of_doubles(&s, g.n, angle);
    }
    return gndi_results_end(&s, 3, results);
}

gnd_status gnd_bode(gnd_array **w, gnd_array **magnitude, gnd_array **phase, const gnd_system *system,
                    const gnd_response_options *options) {
    return decibels("gnd_bode", false, w, magnitude, phase, system, options);
}

gnd_status gnd_dbode(gnd_array **w, gnd_array **magnitude, gnd_array **phase, const gnd_system *system,
                     const gnd_response_options *options) {
    return decibels("gnd_dbode", true, w, magnitude, phase, system, options);
}
