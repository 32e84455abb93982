/*
 * orders.c: the least order of a filter that keeps given losses (scipy.signal.buttord, cheb1ord, cheb2ord, ellipord;
 * Rabiner and Gold, Theory and Application of Digital Signal Processing, 1975), and designs by them.
 */
#include "filter_design/design.h"
#include <float.h>
#include <math.h>

typedef struct losses {
    gnd_filter_family family;
    int count;           /* of the edges */
    double pass[2];      /* warped, edges of the passband */
    double stop[2];      /* of the stopband */
    double gpass, gstop; /* dB */
    gnd_filter_band band;
} losses;

static double power_minus_1(double dB) {
    return expm1(log(10) * 0.1 * dB);
}

/* The order, not rounded, where the stopband of the lowpass filter begins at `nat`. */
static double order_at(const losses *l, double nat) {
    const double ratio = power_minus_1(l->gstop) / power_minus_1(l->gpass);
    if (l->family == GND_BUTTERWORTH) return log10(ratio) / (2 * log10(nat));
    if (l->family != GND_ELLIPTIC) return acosh(sqrt(ratio)) / acosh(nat);
    const double m0 = 1 / (nat * nat), m1 = 1 / ratio;
    return gndi_elliptic_k(1 - m0) * gndi_elliptic_k(m1) / (gndi_elliptic_k(m0) * gndi_elliptic_k(1 - m1));
}

/* Where the stopband begins, of a bandstop filter. */
static double stop_edge(const losses *l, double low, double high) {
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        const double edge = l->stop[i] * (low - high) / (l->stop[i] * l->stop[i] - low * high);
        least = fmin(least, fabs(edge));
    }
    return least;
}

static double order_of_edge(const losses *l, int which, double edge) {
    return order_at(l, which ? stop_edge(l, l->pass[0], edge) : stop_edge(l, edge, l->pass[1]));
}

/* The point of [a, b] with the least order for one edge of the passband: Brent's method of parabolas and golden
   sections (R. P. Brent, Algorithms for Minimization Without Derivatives, 1973), to 1e-5 as SciPy's fminbound. */
static double best_edge(const losses *l, int which, double a, double b) {
    const double golden = 0.5 * (3 - sqrt(5)), root = sqrt(2.2e-16);
    double x = a + golden * (b - a), w = x, v = x, step = 0, before = 0;
    double fx = order_of_edge(l, which, x), fw = fx, fv = fx;
    for (int calls = 1; calls < 500; calls++) {
        const double middle = 0.5 * (a + b), tol = root * fabs(x) + 1e-5 / 3;
        if (!(fabs(x - middle) > 2 * tol - 0.5 * (b - a))) break;
        bool parabola = false;
        if (fabs(before) > tol) {
            const double r = (x - w) * (fx - fv);
            double q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
            q = 2 * (q - r);
            if (q > 0) p = -p;
            q = fabs(q);
            const double older = before;
            before = step;
            if (fabs(p) < fabs(0.5 * q * older) && p > q * (a - x) && p < q * (b - x)) {
                parabola = true;
                step = p / q;
                if (x + step - a < 2 * tol || b - x - step < 2 * tol) step = middle >= x ? tol : -tol;
            }
        }
        if (!parabola) {
            before = x >= middle ? a - x : b - x;
            step = golden * before;
        }
        const double u = x + (step >= 0 ? 1 : -1) * fmax(fabs(step), tol), fu = order_of_edge(l, which, u);
        if (fu <= fx) {
            *(u >= x ? &a : &b) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            *(u < x ? &a : &b) = u;
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
        }
    }
    return x;
}

/* Where the stopband of the lowpass filter begins. The passband of a bandstop filter is made as wide as helps. */
static double natural(losses *l) {
    const double *p = l->pass, *q = l->stop;
    if (l->band == GND_LOWPASS) return q[0] / p[0];
    if (l->band == GND_HIGHPASS) return p[0] / q[0];
    if (l->band == GND_BANDSTOP) {
        const double low = best_edge(l, 0, p[0], q[0] - 1e-12), high = best_edge(l, 1, q[1] + 1e-12, p[1]);
        l->pass[0] = low, l->pass[1] = high;
        return stop_edge(l, p[0], p[1]);
    }
    double least = INFINITY;
    for (int i = 0; i < 2; i++) least = fmin(least, fabs((q[i] * q[i] - p[0] * p[1]) / (q[i] * (p[0] - p[1]))));
    return least;
}

/* ---- critical frequencies ------------------------------------------------------------------- */

static void sorted(double a, double b, double *w) {
    w[0] = fmin(fabs(a), fabs(b));
    w[1] = fmax(fabs(a), fabs(b));
}

static void butter_edges(const losses *l, int order, double *w) {
    const double *p = l->pass, w0 = order > 0 ? pow(power_minus_1(l->gpass), -1 / (2.0 * order)) : 1;
    const double d = p[1] - p[0];
    if (l->band == GND_LOWPASS)
        w[0] = w0 * p[0];
    else if (l->band == GND_HIGHPASS)
        w[0] = p[0] / w0;
    else if (l->band == GND_BANDSTOP) {
        const double root = sqrt(d * d + 4 * w0 * w0 * p[0] * p[1]);
        sorted((d + root) / (2 * w0), (d - root) / (2 * w0), w);
    } else {
        const double root = sqrt(w0 * w0 / 4 * d * d + p[0] * p[1]);
        sorted(w0 * d / 2 + root, -w0 * d / 2 + root, w);
    }
}

static void cheb2_edges(const losses *l, int order, double *w) {
    const double v = acosh(sqrt(power_minus_1(l->gstop) / power_minus_1(l->gpass)));
    const double *p = l->pass, f = 1 / cosh(v / order), d = p[1] - p[0];
    if (l->band == GND_LOWPASS)
        w[0] = p[0] / f;
    else if (l->band == GND_HIGHPASS)
        w[0] = p[0] * f;
    else {
        const double half = l->band == GND_BANDSTOP ? f * d / 2 : d / (2 * f);
        w[0] = -half + sqrt(half * half + p[0] * p[1]);
        w[1] = p[0] * p[1] / w[0];
    }
}

static bool check_edges(gndi_scratch *s, int count, const double *wp, const double *ws, double gpass, double gstop,
                        bool analog, double fs) {
    if (!wp || !ws || count < 1 || count > 2)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "one or two edges must be given, not %d", count);
    if (analog && fs != 0)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "an analog filter has no sampling rate, and fs is %g", fs);
    if (!(fs >= 0 && isfinite(fs)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the sampling rate must be positive, not %g", fs);
    if (!(gpass > 0 && gstop >= gpass && isfinite(gstop)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "losses must be positive, gpass up to gstop, unlike %g and %g",
                                 gpass, gstop);
    const double nyquist = analog ? INFINITY : fs != 0 ? fs / 2 : 1;
    for (int i = 0; i < count; i++)
        if (!(wp[i] > 0 && ws[i] > 0 && wp[i] < nyquist && ws[i] < nyquist))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "edges lie between 0 and %g, unlike %g and %g", nyquist, wp[i],
                                     ws[i]);
    const bool inside = count == 1 || (ws[0] < wp[0] && wp[1] < ws[1]) || (wp[0] < ws[0] && ws[1] < wp[1]);
    if (!inside || (count == 1 && wp[0] == ws[0]) || (count == 2 && !(wp[0] < wp[1] && ws[0] < ws[1])))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the edges of one band must lie inside those of the other");
    return true;
}

static bool find_order(gndi_scratch *s, gnd_filter_family family, int count, const double *wp, const double *ws,
                       double gpass, double gstop, bool analog, double fs, int *order, double *wn,
                       gnd_filter_band *band) {
    if (s->failed || !check_edges(s, count, wp, ws, gpass, gstop, analog, fs)) return false;
    losses l = {.family = family, .count = count, .gpass = gpass, .gstop = gstop};
    const double half = fs != 0 ? fs / 2 : 1;
    for (int i = 0; i < count; i++) {
        l.pass[i] = analog ? wp[i] : tan(GNDI_PI * (wp[i] / half) / 2);
        l.stop[i] = analog ? ws[i] : tan(GNDI_PI * (ws[i] / half) / 2);
    }
    const bool above = wp[0] >= ws[0];
    l.band = count == 1 ? (above ? GND_HIGHPASS : GND_LOWPASS) : above ? GND_BANDPASS : GND_BANDSTOP;
    const double n = ceil(order_at(&l, natural(&l)));
    if (!(n >= 0 && n < 1e6))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "no order keeps these losses between these edges");
    double w[2] = {l.pass[0], l.pass[1]};
    if (family == GND_BUTTERWORTH) butter_edges(&l, (int)n, w);
    if (family == GND_CHEBYSHEV2) cheb2_edges(&l, (int)n, w);
    for (int i = 0; i < count; i++) wn[i] = analog ? w[i] : atan(w[i]) * 2 / GNDI_PI * half;
    *order = (int)n;
    *band = l.band;
    return true;
}

/* ---- public --------------------------------------------------------------------------------- */

static gnd_status order_front(const char *fn, gnd_filter_family family, int *order, double *wn, int count,
                              const double *wp, const double *ws, double gpass, double gstop, bool analog, double fs) {
    gndi_scratch s = {.fn = fn};
    gnd_filter_band band;
    double w[2];
    int n = 0;
    if (!order || !wn) return gndi_raise_null(fn, order ? "wn" : "order");
    if (find_order(&s, family, count, wp, ws, gpass, gstop, analog, fs, &n, w, &band)) {
        *order = n;
        for (int i = 0; i < count; i++) wn[i] = w[i];
    }
    return gndi_scratch_end(&s);
}

gnd_status gnd_buttord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                       double gstop, bool analog, double fs) {
    return order_front("gnd_buttord", GND_BUTTERWORTH, order, wn, count, wp, ws, gpass, gstop, analog, fs);
}

gnd_status gnd_cheb1ord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                        double gstop, bool analog, double fs) {
    return order_front("gnd_cheb1ord", GND_CHEBYSHEV1, order, wn, count, wp, ws, gpass, gstop, analog, fs);
}

gnd_status gnd_cheb2ord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                        double gstop, bool analog, double fs) {
    return order_front("gnd_cheb2ord", GND_CHEBYSHEV2, order, wn, count, wp, ws, gpass, gstop, analog, fs);
}

gnd_status gnd_ellipord(int *order, double *wn, int count, const double *wp, const double *ws, double gpass,
                        double gstop, bool analog, double fs) {
    return order_front("gnd_ellipord", GND_ELLIPTIC, order, wn, count, wp, ws, gpass, gstop, analog, fs);
}

gnd_status gnd_iirdesign(gnd_filter_design *f, int count, const double *wp, const double *ws, double gpass,
                         double gstop, gnd_filter_family family, const gnd_iir_options *options) {
    gndi_scratch s = {.fn = "gnd_iirdesign"};
    gnd_iir_options o = options ? *options : (gnd_iir_options){0};
    const gndi_family g = {.family = family, .rp = gpass, .rs = gstop};
    double wn[2];
    int order;
    if (gndi_design_begin(&s, f) && (unsigned)family >= GND_BESSEL)
        gndi_scratch_fail(&s, GND_ERROR_INVALID, "there is no order that fits of family number %d", (int)family);
    if (find_order(&s, family, count, wp, ws, gpass, gstop, o.analog, o.fs, &order, wn, &o.band))
        gndi_design_filter(&s, f, order, count, wn, &g, &o);
    return gndi_design_end(&s, f);
}
