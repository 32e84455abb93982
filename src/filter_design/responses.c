/*
 * responses.c: frequency responses and group delays of digital and analog filters (scipy.signal.freqz, freqz_zpk,
 * freqz_sos, freqs, freqs_zpk, group_delay; J. O. Smith, Introduction to Digital Filters, for the delay).
 */
#include "filter_design/design.h"
#include "windows/spectrum.h"
#include <float.h>
#include <math.h>

static bool check(gndi_scratch *s, const gnd_response_options *o, bool analog) {
    if (s->failed) return false;
    if (!(o->fs >= 0 && isfinite(o->fs)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the sampling rate must be positive, not %g", o->fs);
    if (analog && o->fs != 0)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "an analog filter has no sampling rate, and fs is %g", o->fs);
    if (o->n < 0 || o->n > INT64_C(1) << 40)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be 1 frequency at least, not %lld", (long long)o->n);
    return true;
}

static bool make_grid(gndi_scratch *s, const gnd_response_options *o, gndi_response *g) {
    if (!check(s, o, false)) return false;
    const double rate = o->fs != 0 ? o->fs : 2 * GNDI_PI;
    g->counted = !o->w;
    if (o->w) {
        if (!gndi_doubles_read(s, o->w, "w", &g->n, &g->w)) return false;
        g->radians = gndi_scratch_doubles(s, g->n);
        for (int64_t i = 0; g->radians && i < g->n; i++) g->radians[i] = 2 * GNDI_PI * g->w[i] / rate;
        return !s->failed;
    }
    g->n = o->n ? o->n : 512;
    g->w = gndi_scratch_doubles(s, g->n), g->radians = gndi_scratch_doubles(s, g->n);
    if (s->failed) return false;
    const bool closed = o->include_nyquist && !o->whole && g->n > 1;
    const double step = (o->whole ? 2 * GNDI_PI : GNDI_PI) / (double)(closed ? g->n - 1 : g->n);
    for (int64_t i = 0; i < g->n; i++) {
        g->radians[i] = closed && i == g->n - 1 ? GNDI_PI : step * (double)i;
        g->w[i] = g->radians[i] * (rate / (2 * GNDI_PI));
    }
    return true;
}

static gnd_status give(gndi_scratch *s, gnd_array **w, gnd_array **h, const gndi_response *g,
                       const gndi_complex *values, bool real) {
    gnd_array *frequencies = NULL, *response = NULL;
    if (w) *w = NULL;
    if (h) *h = NULL;
    if (w && !s->failed) frequencies = gndi_array_of_doubles(s, g->n, g->w);
    if (h && !s->failed) response = gndi_array_of_numbers(s, g->n, values, real);
    const gnd_status status = gndi_scratch_end(s);
    if (status) {
        gnd_release(frequencies);
        gnd_release(response);
        return status;
    }
    if (w) *w = frequencies;
    if (h) *h = response;
    return GND_OK;
}

gnd_status gndi_response_give(gndi_scratch *s, const gndi_response *g, gnd_array **w, gnd_array **h) {
    return give(s, w, h, g, g->h, false);
}

/* ---- coefficients --------------------------------------------------------------------------- */

/* The sum of c[i] x^i. */
static gndi_complex ascending(int64_t n, const gndi_complex *c, gndi_complex x) {
    gndi_complex value = 0;
    for (int64_t i = n - 1; i >= 0; i--) value = value * x + c[i];
    return value;
}

/* h = b over a at exp(-i w). Long FIR filters go by a Fourier transform where the frequencies are its own. */
static void response(gndi_scratch *s, const gnd_response_options *o, const gndi_response *g, const gndi_numbers *b,
                     const gndi_numbers *a, gndi_complex *h) {
    const int64_t length = o->whole ? g->n : 2 * (o->include_nyquist ? g->n - 1 : g->n);
    if (g->counted && a->n == 1 && b->n > 64 && length >= b->n) {
        gndi_complex *line = gndi_scratch_complex(s, length);
        if (!line) return;
        for (int64_t i = 0; i < b->n; i++) line[i] = b->at[i];
        if (!gndi_host_fft(s, length, line, false)) return;
        for (int64_t i = 0; i < g->n; i++) h[i] = line[i] / a->at[0];
        return;
    }
    for (int64_t i = 0; i < g->n; i++) {
        const gndi_complex x = CMPLX(cos(g->radians[i]), -sin(g->radians[i]));
        h[i] = ascending(b->n, b->at, x) / ascending(a->n, a->at, x);
    }
}

/* The denominator; 1 if there is none. */
static bool read_denominator(gndi_scratch *s, const gnd_array *a, gndi_numbers *out) {
    if (a) return gndi_numbers_read(s, a, "a", out);
    *out = (gndi_numbers){.n = 1, .at = gndi_scratch_complex(s, 1), .real = true};
    if (out->at) out->at[0] = 1;
    return !s->failed;
}

static const gnd_response_options *given(const gnd_response_options *options) {
    static const gnd_response_options any;
    return options ? options : &any;
}

bool gndi_digital_response(gndi_scratch *s, const gndi_numbers *b, const gndi_numbers *a,
                           const gnd_response_options *options, gndi_response *g) {
    const gnd_response_options *o = given(options);
    if (make_grid(s, o, g) && (g->h = gndi_scratch_complex(s, g->n))) response(s, o, g, b, a, g->h);
    return !s->failed;
}

gnd_status gnd_freqz(gnd_array **w, gnd_array **h, const gnd_array *b, const gnd_array *a,
                     const gnd_response_options *options) {
    gndi_scratch s = {.fn = "gnd_freqz"};
    gndi_numbers num, den;
    gndi_response g = {0};
    if (gndi_numbers_read(&s, b, "b", &num) && read_denominator(&s, a, &den))
        gndi_digital_response(&s, &num, &den, options, &g);
    return gndi_response_give(&s, &g, w, h);
}

static gnd_status sections_response(const char *fn, gnd_array **w, gnd_array **h, const gnd_array *sos,
                                    const gnd_response_options *options) {
    gndi_scratch s = {.fn = fn};
    gndi_numbers rows;
    gndi_response g = {0};
    gndi_complex *values = NULL;
    if (gndi_sos_read(&s, sos, &rows)) {
        bool ones = true;
        for (int64_t i = 0; i < rows.n; i += 6) ones &= rows.at[i + 3] == 1;
        if (rows.n == 0 || !ones)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "there must be a section, and the fourth column be 1");
    }
    if (!s.failed && make_grid(&s, given(options), &g) && (values = gndi_scratch_complex(&s, g.n)))
        for (int64_t i = 0; i < g.n; i++) {
            const gndi_complex x = CMPLX(cos(g.radians[i]), -sin(g.radians[i]));
            values[i] = 1;
            for (const gndi_complex *c = rows.at; c < rows.at + rows.n; c += 6)
                values[i] *= ascending(3, c, x) / ascending(3, c + 3, x);
        }
    return give(&s, w, h, &g, values, false);
}

gnd_status gnd_freqz_sos(gnd_array **w, gnd_array **h, const gnd_array *sos, const gnd_response_options *options) {
    return sections_response("gnd_freqz_sos", w, h, sos, options);
}

gnd_status gnd_sosfreqz(gnd_array **w, gnd_array **h, const gnd_array *sos, const gnd_response_options *options) {
    return sections_response("gnd_sosfreqz", w, h, sos, options);
}

gnd_status gnd_group_delay(gnd_array **w, gnd_array **delay, const gnd_array *b, const gnd_array *a,
                           const gnd_response_options *options) {
    gndi_scratch s = {.fn = "gnd_group_delay"};
    gndi_numbers num, den;
    gndi_response g = {0};
    gndi_complex *values = NULL;
    if (gndi_numbers_read(&s, b, "b", &num) && read_denominator(&s, a, &den) && make_grid(&s, given(options), &g)) {
        const int64_t n = gndi_max(num.n + den.n - 1, 0);
        gndi_complex *c = gndi_scratch_complex(&s, n), *ramp = gndi_scratch_complex(&s, n);
        values = gndi_scratch_complex(&s, g.n);
        if (num.n < 1 || den.n < 1)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "a filter has at least one coefficient");
        else if (!s.failed) { /* the delay of b and of a reversed, whose phases add up */
            for (int64_t i = 0, j = den.n - 1; i < j; i++, j--) {
                const gndi_complex swap = den.at[i];
                den.at[i] = den.at[j], den.at[j] = swap;
            }
            for (int64_t i = 0; i < den.n; i++) den.at[i] = conj(den.at[i]);
            gndi_poly_product(num.n, num.at, den.n, den.at, c);
            for (int64_t i = 0; i < n; i++) ramp[i] = c[i] * (double)i;
        }
        for (int64_t i = 0; i < g.n && !s.failed; i++) {
            const gndi_complex x = CMPLX(cos(g.radians[i]), -sin(g.radians[i]));
            const double d = creal(ascending(n, ramp, x) / ascending(n, c, x)) - (double)(den.n - 1);
            values[i] = isfinite(d) ? d : 0;
        }
    }
    return give(&s, w, delay, &g, values, true);
}

/* ---- zeros and poles ------------------------------------------------------------------------ */

static gndi_complex from_roots(const gndi_zpk *f, gndi_complex x) {
    gndi_complex above = f->k, below = 1;
    for (int i = 0; i < f->nz; i++) above *= x - f->z[i];
    for (int i = 0; i < f->np; i++) below *= x - f->p[i];
    return above / below;
}

bool gndi_digital_zpk_response(gndi_scratch *s, const gndi_zpk *f, const gnd_response_options *options,
                               gndi_response *g) {
    gnd_response_options o = *given(options);
    o.include_nyquist = false;
    if (make_grid(s, &o, g) && (g->h = gndi_scratch_complex(s, g->n)))
        for (int64_t i = 0; i < g->n; i++) g->h[i] = from_roots(f, CMPLX(cos(g->radians[i]), sin(g->radians[i])));
    return !s->failed;
}

gnd_status gnd_freqz_zpk(gnd_array **w, gnd_array **h, const gnd_array *z, const gnd_array *p, double k,
                         const gnd_response_options *options) {
    gndi_scratch s = {.fn = "gnd_freqz_zpk"};
    gndi_response g = {0};
    const gndi_zpk *f = gndi_zpk_read(&s, z, p, k);
    if (f) gndi_digital_zpk_response(&s, f, options, &g);
    return gndi_response_give(&s, &g, w, h);
}

/* ---- analog filters ------------------------------------------------------------------------- */

/* n frequencies, evenly apart in their logarithm, that cover poles and zeros (scipy.signal.findfreqs). */
static void cover(int64_t nz, const gndi_complex *z, int64_t np, const gndi_complex *p, gndi_response *g) {
    const gndi_complex lone = -1000;
    double high = 0, low = INFINITY;
    if (np == 0) np = 1, p = &lone;
    for (int64_t i = 0; i < np + nz; i++) {
        const gndi_complex r = i < np ? p[i] : z[i - np];
        if (cimag(r) < 0 || (i >= np && !(cabs(r) < 1e5))) continue;
        const double real = creal(r) + (cabs(r) < 1e-10 ? 1 : 0);
        high = fmax(high, 3 * fabs(real) + 1.5 * cimag(r));
        low = fmin(low, fabs(real) + 2 * cimag(r));
    }
    const double last = rint(log10(high) + 0.5), first = rint(log10(0.1 * low) - 0.5);
    for (int64_t i = 0; i < g->n; i++)
        g->w[i] = pow(10, g->n > 1 ? first + (last - first) * (double)i / (double)(g->n - 1) : first);
}

gnd_array *gnd_findfreqs(const gnd_array *num, const gnd_array *den, int64_t n, bool roots) {
    gndi_scratch s = {.fn = "gnd_findfreqs"};
    gndi_numbers b, a;
    gnd_array *w = NULL;
    if (n < 1 || n > INT64_C(1) << 40)
        gndi_scratch_fail(&s, GND_ERROR_VALUE, "there must be 1 frequency at least, not %lld", (long long)n);
    if (gndi_numbers_read(&s, num, "num", &b) && gndi_numbers_read(&s, den, "den", &a)) {
        gndi_response g = {.n = n, .w = gndi_scratch_doubles(&s, n)};
        gndi_complex *z = roots ? b.at : gndi_scratch_complex(&s, b.n),
                     *p = roots ? a.at : gndi_scratch_complex(&s, a.n);
        const int64_t nz = roots || s.failed ? b.n : gndi_poly_roots(&s, b.n, b.at, b.real, z);
        const int64_t np = roots || s.failed ? a.n : gndi_poly_roots(&s, a.n, a.at, a.real, p);
        if (!s.failed) cover(nz, z, np, p, &g);
        w = gndi_array_of_doubles(&s, n, g.w);
    }
    gndi_scratch_end(&s);
    return w;
}

static bool analog_grid(gndi_scratch *s, const gnd_response_options *o, gndi_response *g) {
    if (!check(s, o, true)) return false;
    if (o->w) return gndi_doubles_read(s, o->w, "w", &g->n, &g->w);
    g->counted = true;
    g->n = o->n ? o->n : 200;
    g->w = gndi_scratch_doubles(s, g->n);
    return !s->failed;
}

bool gndi_analog_response(gndi_scratch *s, const gndi_numbers *b, const gndi_numbers *a,
                          const gnd_response_options *options, gndi_response *g) {
    if (!analog_grid(s, given(options), g)) return false;
    g->h = gndi_scratch_complex(s, g->n);
    gndi_complex *z = gndi_scratch_complex(s, b->n), *p = gndi_scratch_complex(s, a->n);
    if (g->counted && !s->failed) {
        const int64_t nz = gndi_poly_roots(s, b->n, b->at, b->real, z);
        const int64_t np = gndi_poly_roots(s, a->n, a->at, a->real, p);
        if (!s->failed) cover(nz, z, np, p, g);
    }
    for (int64_t i = 0; i < g->n && !s->failed; i++) {
        const gndi_complex x = CMPLX(0, g->w[i]);
        g->h[i] = gndi_poly_value(b->n, b->at, x) / gndi_poly_value(a->n, a->at, x);
    }
    return !s->failed;
}

gnd_status gnd_freqs(gnd_array **w, gnd_array **h, const gnd_array *b, const gnd_array *a,
                     const gnd_response_options *options) {
    gndi_scratch s = {.fn = "gnd_freqs"};
    gndi_numbers num, den;
    gndi_response g = {0};
    if (gndi_numbers_read(&s, b, "b", &num) && read_denominator(&s, a, &den))
        gndi_analog_response(&s, &num, &den, options, &g);
    return gndi_response_give(&s, &g, w, h);
}

bool gndi_analog_zpk_response(gndi_scratch *s, const gndi_zpk *f, const gnd_response_options *options,
                              gndi_response *g) {
    if (!analog_grid(s, given(options), g) || !(g->h = gndi_scratch_complex(s, g->n))) return false;
    if (g->counted) cover(f->nz, f->z, f->np, f->p, g);
    for (int64_t i = 0; i < g->n; i++) g->h[i] = from_roots(f, CMPLX(0, g->w[i]));
    return true;
}

gnd_status gnd_freqs_zpk(gnd_array **w, gnd_array **h, const gnd_array *z, const gnd_array *p, double k,
                         const gnd_response_options *options) {
    gndi_scratch s = {.fn = "gnd_freqs_zpk"};
    gndi_response g = {0};
    const gndi_zpk *f = gndi_zpk_read(&s, z, p, k);
    if (f) gndi_analog_zpk_response(&s, f, options, &g);
    return gndi_response_give(&s, &g, w, h);
}
