/*
 * bessel.c: the Bessel-Thomson lowpass filter (scipy.signal.besselap; W. E. Thomson, Proc. IEE 96, 1949). Its poles are
 * the roots of the reverse Bessel polynomial. They are found all at once by Aberth's iteration (O. Aberth, Math. Comp.
 * 27, 1973), in 113 bits, from starting points that follow J. B. Campos and J. Calderon (2011).
 */
#include "filter_design/zpk.h"
#include <float.h>
#include <math.h>

/* Near a root of order n the terms of the polynomial cancel some n / 2 digits. 113 bits have them to spare. */
enum { MOST = 30 };

#if LDBL_MANT_DIG >= 113
typedef long double real;
#else
typedef __float128 real;
#endif

typedef struct wide {
    real re, im;
} wide;

static wide plus(wide a, wide b) {
    return (wide){a.re + b.re, a.im + b.im};
}

static wide minus(wide a, wide b) {
    return (wide){a.re - b.re, a.im - b.im};
}

static wide times(wide a, wide b) {
    return (wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static wide over(wide a, wide b) {
    const real size = b.re * b.re + b.im * b.im;
    return (wide){(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

static double size_of(wide a) {
    return hypot((double)a.re, (double)a.im);
}

/* The coefficients of the reverse Bessel polynomial, the constant one first; the highest is 1. */
static void reverse_bessel(int n, real *c) {
    c[n] = 1;
    for (int k = n - 1; k >= 0; k--) c[k] = c[k + 1] * (2 * n - k) * (k + 1) / (2 * (n - k));
}

/* The value over the derivative at x. */
static wide newton(int n, const real *c, wide x) {
    wide value = {c[n], 0}, slope = {0, 0};
    for (int k = n - 1; k >= 0; k--) {
        slope = plus(times(slope, x), value);
        value = plus(times(value, x), (wide){c[k], 0});
    }
    return over(value, slope);
}

/* A point near root k of n, from 1 on: of the Bessel polynomial; the reverse one's is the reciprocal. */
static gndi_complex start(int n, int k) {
    if (n == 1) return -1;
    if (n == 2) return CMPLX(-1.4, k == 1 ? 0.9 : -0.9);
    const double d = n, s = 2 * d * d - 3 * d * d * d * d + d * d * d * d * d, r = 2 * d * d + d * d * d;
    const double b3 = (16 - 8 * d) / s, b2 = (-24 - 12 * d + 12 * d * d) / s;
    const double b1 = (8 + 24 * d - 12 * d * d - 2 * d * d * d) / s;
    const double b0 = (-6 * d + 5 * d * d * d - d * d * d * d) / s;
    const double x = (-6 - 6 * d) / r * k + 6 / r * k * k;
    return 1 / CMPLX(x, b0 + k * (b1 + k * (b2 + k * b3)));
}

static bool roots_of(int n, const real *c, wide *x) {
    for (int k = 0; k < n; k++) x[k] = (wide){creal(start(n, k + 1)), cimag(start(n, k + 1))};
    for (int tries = 0; tries < 100; tries++) {
        double largest = 0;
        for (int k = 0; k < n; k++) {
            const wide step = newton(n, c, x[k]);
            wide others = {0, 0};
            for (int j = 0; j < n; j++)
                if (j != k) others = plus(others, over((wide){1, 0}, minus(x[k], x[j])));
            const wide full = over(step, minus((wide){1, 0}, times(step, others)));
            x[k] = minus(x[k], full);
            largest = fmax(largest, size_of(full) / size_of(x[k]));
        }
        if (largest < 1e-17) return true;
        if (!isfinite(largest)) return false;
    }
    return false;
}

/* In long double; each root and its conjugate become the mean of both. */
static void conjugate(int n, const wide *x, long double complex *p) {
    for (int k = 0; k < n; k++) {
        const wide mirrored = {x[k].re, -x[k].im};
        int partner = k;
        for (int j = 0; j < n; j++)
            if (size_of(minus(x[j], mirrored)) < size_of(minus(x[partner], mirrored))) partner = j;
        const long double re = (long double)((x[k].re + x[partner].re) / 2);
        const long double im = (long double)((x[k].im - x[partner].im) / 2);
        p[k] = CMPLXL(re, im);
    }
}

static long double gain(int n, const long double complex *p, long double k, long double w) {
    long double complex below = 1;
    for (int j = 0; j < n; j++) below *= CMPLXL(0, w) - p[j];
    return k / cabsl(below);
}

/* The frequency at which the amplitude has fallen from 1 to 1 / sqrt(2), by bisection. */
static long double edge(int n, const long double complex *p, long double k) {
    long double low = 0, high = 1;
    while (gain(n, p, k, high) > sqrtl(0.5L)) high *= 2;
    for (int i = 0; i < 100; i++) {
        const long double middle = (low + high) / 2;
        if (gain(n, p, k, middle) > sqrtl(0.5L))
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

bool gndi_bessel_prototype(gndi_scratch *s, int order, gnd_bessel_norm norm, gndi_zpk *f) {
    real c[MOST + 1];
    wide x[MOST];
    long double complex p[MOST];
    f->nz = 0, f->np = order, f->k = 1;
    if ((unsigned)norm > GND_BESSEL_MAGNITUDE)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no norm of Bessel filters number %d", (int)norm);
    if (order > MOST)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "a Bessel filter has order 0 to %d, not %d", (int)MOST, order);
    if (order == 0) return true;
    reverse_bessel(order, c);
    if (!roots_of(order, c, x))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the poles of the Bessel filter did not converge");
    conjugate(order, x, p);
    const long double constant = (long double)c[0];
    long double scale = 1, k = 1;
    if (norm == GND_BESSEL_PHASE)
        scale = powl(constant, -1.0L / order);
    else if (norm == GND_BESSEL_DELAY)
        k = constant;
    else {
        scale = 1 / edge(order, p, constant);
        k = powl(scale, order) * constant;
    }
    f->k = (double)k;
    for (int i = 0; i < order; i++) f->p[i] = (gndi_complex)(p[i] * scale);
    return true;
}
