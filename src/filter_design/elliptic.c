/*
 * elliptic.c: the elliptic (Cauer) lowpass filter with edge 1 (scipy.signal.ellipap; Lutova, Tosic and Evans, Filter
 * Design for Signal Processing; S. J. Orfanidis, Lecture Notes on Elliptic Filter Design), and the elliptic functions
 * that it needs, by the arithmetic-geometric mean (Abramowitz and Stegun, 16.4 and 17.6).
 */
#include "filter_design/zpk.h"
#include <float.h>
#include <math.h>

double gndi_elliptic_k(double complement) {
    double a = 1, b = sqrt(complement);
    if (complement == 0) return INFINITY;
    for (int i = 0; i < 40 && fabs(a - b) > 1e-16 * a; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return GNDI_PI / (a + b);
}

/* sn, cn and dn of u with parameter m, whose complement 1 - m is given beside it. */
static void jacobi(double u, double m, double complement, double *sn, double *cn, double *dn) {
    double a[24] = {1}, c[24] = {sqrt(m)}, b = sqrt(complement), power = 1;
    int n = 0;
    for (; n < 22 && fabs(c[n]) > DBL_EPSILON * a[n] / 2; n++) {
        c[n + 1] = (a[n] - b) / 2;
        a[n + 1] = (a[n] + b) / 2;
        b = sqrt(a[n] * b);
        power *= 2;
    }
    double phi = power * a[n] * u;
    for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    *sn = sin(phi), *cn = cos(phi);
    /* dn^2 = 1 - m sn^2 = cn^2 + (1 - m) sn^2: a sum of positive terms */
    *dn = sqrt(*cn * *cn + complement * *sn * *sn);
}

/* The parameter m of the filter of degree n, of the ratio of ripples m1: by the series of the nome. Its complement
   comes from the complementary nome, which keeps its digits where m is nearly 1. */
static double degree_equation(int n, double m1, double *complement) {
    const double ratio = gndi_elliptic_k(m1) / gndi_elliptic_k(1 - m1); /* K' / K */
    const double q = exp(-GNDI_PI * ratio / n), q2 = exp(-GNDI_PI * n / ratio);
    double above = 0, below = 1, above2 = 1, below2 = 1;
    for (int i = 0; i < 100; i++) {
        const double near = pow(q, (double)i * (i + 1)), far = pow(q, (double)(i + 1) * (i + 1));
        above += near, below += 2 * far;
        if (near < 1e-18) break;
    }
    const double m = 16 * q * pow(above / below, 4);
    if (m < 0.5) return *complement = 1 - m, m;
    above2 = 0;
    for (int i = 0; i < 100; i++) {
        const double near = pow(q2, (double)i * (i + 1)), far = pow(q2, (double)(i + 1) * (i + 1));
        above2 += near, below2 += 2 * far;
        if (near < 1e-18) break;
    }
    *complement = 16 * q2 * pow(above2 / below2, 4);
    return 1 - *complement;
}

/* The real u with sc(u, 1 - m) = w, by descending Landen transformations of sn(i u, m) = i w. */
static double inverse_sc(double w, double m) {
    double k[16] = {sqrt(m)}, scale = GNDI_PI / 2;
    gndi_complex x = CMPLX(0, w);
    for (int i = 0; i < 14 && k[i] != 0; i++) {
        const double kp = sqrt((1 - k[i]) * (1 + k[i])), next = (1 - kp) / (1 + kp);
        const gndi_complex t = k[i] * x;
        x = 2 * x / ((1 + next) * (1 + csqrt((1 - t) * (1 + t))));
        scale *= 1 + next;
        k[i + 1] = next;
    }
    return scale * 2 / GNDI_PI * cimag(casin(x));
}

static double ten_to_minus_1(double x) {
    return expm1(log(10) * x);
}

static gndi_complex negated_product(int count, const gndi_complex *list) {
    gndi_complex value = 1;
    for (int i = 0; i < count; i++) value *= -list[i];
    return value;
}

bool gndi_elliptic_prototype(gndi_scratch *s, int order, double rp, double rs, gndi_zpk *f) {
    const double eps2 = ten_to_minus_1(0.1 * rp), m1 = eps2 / ten_to_minus_1(0.1 * rs);
    f->nz = f->np = 0;
    f->k = pow(10, -rp / 20);
    if (order == 0) return true;
    if (order == 1) {
        f->k = sqrt(1 / eps2);
        f->p[f->np++] = -f->k;
        return true;
    }
    if (!(m1 > 0 && m1 < 1))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "no elliptic filter has ripple %g and attenuation %g dB", rp, rs);
    double complement, sv, cv, dv;
    const double m = degree_equation(order, m1, &complement), k = gndi_elliptic_k(complement);
    const double v0 = k * inverse_sc(1 / sqrt(eps2), m1) / (order * gndi_elliptic_k(1 - m1));
    jacobi(v0, complement, m, &sv, &cv, &dv);
    for (int pass = 0; pass < 2; pass++) /* the upper half, then the conjugates */
        for (int j = 1 - order % 2; j < order; j += 2) {
            double sn, cn, dn;
            jacobi(j * k / order, m, complement, &sn, &cn, &dn);
            const gndi_complex pole = CMPLX(-cn * dn * sv * cv, -sn * dv) / (1 - dn * sv * dn * sv);
            if (j > 0) {
                const gndi_complex zero = CMPLX(0, 1 / (sqrt(m) * sn));
                f->z[f->nz++] = pass ? conj(zero) : zero;
                f->p[f->np++] = pass ? conj(pole) : pole;
            } else if (!pass) {
                f->p[f->np++] = creal(pole);
            }
        }
    f->k = creal(negated_product(f->np, f->p) / negated_product(f->nz, f->z));
    if (order % 2 == 0) f->k /= sqrt(1 + eps2);
    return true;
}
