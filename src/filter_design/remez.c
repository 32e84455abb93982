/*
 * remez.c: FIR filters with the least maximum error (scipy.signal.remez; J. H. McClellan, T. W. Parks, L. R. Rabiner,
 * IEEE Trans. Audio Electroacoust. 21, 1973). A filter's amplitude is a polynomial in cos(w), times a factor of its
 * symmetry. The polynomial with the least maximum error on a grid is found by Remez's exchange, in barycentric form.
 */
#include "filter_design/fir.h"
#include <math.h>

typedef struct problem {
    int64_t taps, terms, size; /* terms of the polynomial, points of the grid */
    bool antisymmetric;
    double *f, *desired, *weight; /* of the grid: frequency up to 0.5 */
    bool *opens;                  /* the point begins a band */
} problem;

/* The factor of the symmetry at frequency f. */
static double factor(const problem *p, double f) {
    if (p->antisymmetric) return sin((p->taps % 2 ? 2 : 1) * GNDI_PI * f);
    return p->taps % 2 ? 1 : cos(GNDI_PI * f);
}

static void set_point(problem *p, double f, double gain, double weight, gnd_remez_type type, bool opens) {
    const bool slope = type == GND_REMEZ_DIFFERENTIATOR;
    p->f[p->size] = f;
    p->desired[p->size] = slope ? gain * f : gain;
    p->weight[p->size] = slope && gain >= 0.0001 ? weight / f : weight;
    p->opens[p->size++] = opens;
}

/* The grid of McClellan's program: even steps from the lower edge of each band, its last point at the upper one. */
static bool make_grid(gndi_scratch *s, problem *p, int bands, const double *edges, const double *gain,
                      const gnd_remez_options *o, double rate) {
    const int density = o->grid_density ? o->grid_density : 16;
    const double step = 0.5 / ((double)density * (double)p->terms);
    int64_t most = 2;
    for (int i = 0; i < bands; i++) most += 3 + (int64_t)((edges[2 * i + 1] - edges[2 * i]) / rate / step);
    p->f = gndi_scratch_doubles(s, most), p->desired = gndi_scratch_doubles(s, most);
    p->weight = gndi_scratch_doubles(s, most), p->opens = gndi_scratch_get(s, most, sizeof(bool));
    if (s->failed) return false;
    for (int i = 0; i < bands; i++) {
        const double low = edges[2 * i] / rate, high = edges[2 * i + 1] / rate, w = o->weight ? o->weight[i] : 1;
        const int64_t first = p->size;
        double f = i == 0 && p->antisymmetric && low < step ? step : low;
        do {
            set_point(p, f, gain[i], w, o->type, p->size == first);
            f += step;
        } while (f <= high);
        p->size--;
        set_point(p, high, gain[i], w, o->type, p->size == first);
    }
    if (p->antisymmetric == (p->taps % 2 != 0) && p->f[p->size - 1] > 0.5 - step) p->size--;
    for (int64_t i = 0; i < p->size; i++) {
        const double q = factor(p, p->f[i]);
        p->desired[i] /= q;
        p->weight[i] *= q;
    }
    if (p->size <= p->terms)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the bands are too narrow for %lld taps", (long long)p->taps);
    return true;
}

/* ---- the exchange --------------------------------------------------------------------------- */

/* The polynomial through `n` points, by barycentric weights. */
typedef struct curve {
    int64_t n;
    double *x, *y, *b;
} curve;

static double value_at(const curve *c, double x) {
    double above = 0, below = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const double d = x - c->x[i];
        if (d == 0) return c->y[i];
        above += c->b[i] / d * c->y[i];
        below += c->b[i] / d;
    }
    return above / below;
}

/* The polynomial whose weighted errors at the extremal points have one size and signs in turn. */
static void fit(const problem *p, const int64_t *extreme, curve *c) {
    double above = 0, below = 0;
    for (int64_t i = 0; i < c->n; i++) c->x[i] = cos(2 * GNDI_PI * p->f[extreme[i]]);
    for (int64_t i = 0; i < c->n; i++) {
        double product = 1;
        for (int64_t j = 0; j < c->n; j++)
            if (j != i) product *= 2 * (c->x[i] - c->x[j]);
        c->b[i] = 1 / product;
        above += c->b[i] * p->desired[extreme[i]];
        below += (i % 2 ? -1 : 1) * c->b[i] / p->weight[extreme[i]];
    }
    const double error = above / below;
    for (int64_t i = 0; i < c->n; i++)
        c->y[i] = p->desired[extreme[i]] - (i % 2 ? -1 : 1) * error / p->weight[extreme[i]];
}

/* The extremal points of the error with signs in turn; of neighbours with one sign the larger. */
static int64_t extremes(const problem *p, const double *e, int64_t *found) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->size; i++) {
        const bool first = i == 0 || p->opens[i], last = i == p->size - 1 || p->opens[i + 1];
        const double sign = e[i] < 0 ? -1 : 1;
        if (!first && sign * e[i - 1] > sign * e[i]) continue;
        if (!last && sign * e[i + 1] >= sign * e[i]) continue;
        if (count > 0 && (e[found[count - 1]] < 0) == (e[i] < 0)) {
            if (fabs(e[i]) > fabs(e[found[count - 1]])) found[count - 1] = i;
        } else {
            found[count++] = i;
        }
    }
    return count;
}

/* Leaves `wanted` of them: the end with the smaller error goes, or two neighbours with the smallest one. */
static int64_t thin(const double *e, int64_t count, int64_t wanted, int64_t *found) {
    while (count > wanted) {
        if (count == wanted + 1) {
            if (fabs(e[found[0]]) < fabs(e[found[count - 1]]))
                for (int64_t i = 1; i < count; i++) found[i - 1] = found[i];
            return count - 1;
        }
        int64_t least = 0;
        for (int64_t i = 1; i < count; i++)
            if (fabs(e[found[i]]) < fabs(e[found[least]])) least = i;
        const int64_t gone = least == 0 || least == count - 1 ? 1 : 2;
        if (least > 0 && least < count - 1 && fabs(e[found[least - 1]]) < fabs(e[found[least + 1]])) least--;
        for (int64_t i = least + gone; i < count; i++) found[i - gone] = found[i];
        count -= gone;
    }
    return count;
}

static bool exchange(gndi_scratch *s, const problem *p, int most, curve *c) {
    const int64_t n = p->terms + 1;
    *c = (curve){n, gndi_scratch_doubles(s, n), gndi_scratch_doubles(s, n), gndi_scratch_doubles(s, n)};
    double *e = gndi_scratch_doubles(s, p->size);
    int64_t *extreme = gndi_scratch_get(s, n, sizeof(int64_t)), *found = gndi_scratch_get(s, p->size, sizeof(int64_t));
    if (s->failed) return false;
    for (int64_t i = 0; i < n; i++) extreme[i] = i == n - 1 ? p->size - 1 : i * ((p->size - 1) / p->terms);
    double peak = 0, largest = 0, even = 0;
    for (int64_t i = 0; i < p->size; i++) peak = fmax(peak, fabs(p->weight[i] * p->desired[i]));
    for (int tries = 0; tries < most; tries++) {
        fit(p, extreme, c);
        largest = 0;
        for (int64_t i = 0; i < p->size; i++) {
            e[i] = p->weight[i] * (p->desired[i] - value_at(c, cos(2 * GNDI_PI * p->f[i])));
            largest = fmax(largest, fabs(e[i]));
        }
        even = fabs(e[extreme[0]]);
        if (largest <= even * (1 + 1e-12) + 1e-13 * peak) return true; /* even, or rounding errors */
        int64_t count = extremes(p, e, found);
        if (count < n) break;
        thin(e, count, n, found);
        bool same = true;
        for (int64_t i = 0; i < n; i++) same &= extreme[i] == found[i];
        if (same) return true;
        for (int64_t i = 0; i < n; i++) extreme[i] = found[i];
    }
    return largest <= even * (1 + 1e-6) + 1e-9 * peak;
}

/* Taps by sampling the amplitude at as many frequencies. */
static void taps_of(const problem *p, const curve *c, double *h) {
    const int64_t n = p->taps;
    for (int64_t i = 0; i < n; i++) h[i] = 0;
    for (int64_t m = 0; m < n; m++) {
        const double f = (double)m / (double)n;
        const double gain = factor(p, f) * value_at(c, cos(2 * GNDI_PI * f)) / (double)n;
        for (int64_t i = 0; i < n; i++) {
            const double angle = 2 * GNDI_PI * f * ((double)i - (double)(n - 1) / 2);
            h[i] += p->antisymmetric ? -gain * sin(angle) : gain * cos(angle);
        }
    }
    for (int64_t i = 0; i < n / 2; i++) /* to the last bit */
        h[n - 1 - i] = p->antisymmetric ? -h[i] : h[i];
    if (p->antisymmetric && n % 2) h[n / 2] = 0;
}

/* ---- public --------------------------------------------------------------------------------- */

static bool check(gndi_scratch *s, int64_t numtaps, int count, const double *bands, const double *desired,
                  const gnd_remez_options *o, double rate) {
    if (numtaps < 3 || numtaps > 1 << 14)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the number of taps must be 3 to 16384, not %lld",
                                 (long long)numtaps);
    if ((unsigned)o->type > GND_REMEZ_HILBERT)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no type of filters number %d", (int)o->type);
    if (o->maxiter < 0 || o->grid_density < 0)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "maxiter and grid_density must be positive, not %d and %d",
                                 o->maxiter, o->grid_density);
    if (count < 2 || count % 2 || !bands || !desired)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "each band has two edges, and there are %d", count);
    for (int i = 0; i < count; i++)
        if (!(bands[i] >= 0 && bands[i] <= rate / 2) || (i > 0 && !(bands[i] > bands[i - 1])))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "edges increase from 0 to %g, unlike %g", rate / 2, bands[i]);
    for (int i = 0; i < count / 2; i++)
        if (!isfinite(desired[i]) || (o->weight && !(o->weight[i] > 0)))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "gains must be finite and weights positive");
    return true;
}

gnd_array *gnd_remez(int64_t numtaps, int count, const double *bands, const double *desired,
                     const gnd_remez_options *options) {
    static const gnd_remez_options any;
    const gnd_remez_options *o = options ? options : &any;
    gndi_scratch s = {.fn = "gnd_remez"};
    gnd_array *result = NULL;
    double rate;
    if (gndi_check_rate(&s, o->fs, 1, &rate) && check(&s, numtaps, count, bands, desired, o, rate)) {
        problem p = {.taps = numtaps, .antisymmetric = o->type != GND_REMEZ_BANDPASS};
        p.terms = numtaps / 2 + (numtaps % 2 && !p.antisymmetric);
        curve c;
        double *h = gndi_scratch_doubles(&s, numtaps);
        if (h && make_grid(&s, &p, count / 2, bands, desired, o, rate)) {
            if (exchange(&s, &p, o->maxiter ? o->maxiter : 25, &c)) {
                taps_of(&p, &c, h);
                result = gndi_array_of_doubles(&s, numtaps, h);
            } else if (!s.failed)
                gndi_scratch_fail(&s, GND_ERROR_VALUE, "the exchange did not converge in %d steps",
                                  o->maxiter ? o->maxiter : 25);
        }
    }
    gndi_scratch_end(&s);
    return result;
}
