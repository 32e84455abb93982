/*
 * prototypes.c: analog lowpass filters with edge 1: Butterworth's and Chebyshev's two (scipy.signal.buttap, cheb1ap,
 * cheb2ap; C. B. Rorabaugh, Digital Filter Designer's Handbook).
 */
#include "filter_design/zpk.h"
#include <math.h>

/* The angle of pole i of `order`, between -pi / 2 and pi / 2. */
static double angle_of(int order, int i) {
    return GNDI_PI * (2 * i + 1 - order) / (2.0 * order);
}

static gndi_complex product_of(int count, const gndi_complex *list) {
    gndi_complex value = 1;
    for (int i = 0; i < count; i++) value *= -list[i];
    return value;
}

static void butterworth(int order, gndi_zpk *f) {
    for (int i = 0; i < order; i++) {
        const double t = angle_of(order, i);
        f->p[i] = CMPLX(-cos(t), 2 * i + 1 == order ? 0 : -sin(t));
    }
    f->np = order, f->k = 1;
}

static void chebyshev1(int order, double rp, gndi_zpk *f) {
    f->np = order;
    f->k = pow(10, -rp / 20);
    if (order == 0) return;
    const double eps = sqrt(pow(10, 0.1 * rp) - 1), mu = asinh(1 / eps) / order;
    for (int i = 0; i < order; i++) {
        const double t = angle_of(order, i);
        f->p[i] = CMPLX(-sinh(mu) * cos(t), 2 * i + 1 == order ? 0 : -cosh(mu) * sin(t));
    }
    f->k = creal(product_of(order, f->p)) / (order % 2 ? 1 : sqrt(1 + eps * eps));
}

static void chebyshev2(int order, double rs, gndi_zpk *f) {
    f->np = order, f->k = 1;
    if (order == 0) return;
    const double de = 1 / sqrt(pow(10, 0.1 * rs) - 1), mu = asinh(1 / de) / order;
    for (int i = 0; i < order; i++) {
        const double t = angle_of(order, i);
        const bool middle = 2 * i + 1 == order;
        f->p[i] = -1 / CMPLX(sinh(mu) * cos(t), middle ? 0 : cosh(mu) * sin(t));
        if (!middle) f->z[f->nz++] = CMPLX(0, 1 / sin(t));
    }
    f->k = creal(product_of(order, f->p) / product_of(f->nz, f->z));
}

static bool check(gndi_scratch *s, int order, const gndi_family *g) {
    const bool first = g->family == GND_CHEBYSHEV1 || g->family == GND_ELLIPTIC;
    const bool second = g->family == GND_CHEBYSHEV2 || g->family == GND_ELLIPTIC;
    if ((unsigned)g->family > GND_BESSEL)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no family of filters number %d", (int)g->family);
    if (order < 0 || order > GNDI_ORDER_MOST)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the order must be 0 to %d, not %d", (int)GNDI_ORDER_MOST, order);
    if (first && !(g->rp > 0 && isfinite(g->rp)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the ripple of the passband must be positive dB, not %g", g->rp);
    if (second && !(g->rs > 0 && isfinite(g->rs)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the attenuation of the stopband must be positive dB, not %g",
                                 g->rs);
    return true;
}

bool gndi_prototype(gndi_scratch *s, int order, const gndi_family *g, gndi_zpk *f) {
    if (s->failed || !check(s, order, g)) return false;
    f->nz = f->np = 0;
    switch (g->family) {
    case GND_BUTTERWORTH: butterworth(order, f); return true;
    case GND_CHEBYSHEV1: chebyshev1(order, g->rp, f); return true;
    case GND_CHEBYSHEV2: chebyshev2(order, g->rs, f); return true;
    case GND_ELLIPTIC: return gndi_elliptic_prototype(s, order, g->rp, g->rs, f);
    case GND_BESSEL: return gndi_bessel_prototype(s, order, g->norm, f);
    }
    return false;
}
