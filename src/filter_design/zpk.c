/*
 * zpk.c: transformations of analog lowpass filters with edge 1, given as zeros, poles and a gain, to other bands and to
 * digital ones (A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing).
 */
#include "filter_design/zpk.h"
#include <math.h>

static int degree_of(gndi_scratch *s, const gndi_zpk *f) {
    if (s->failed) return -1;
    if (f->np >= f->nz) return f->np - f->nz;
    gndi_scratch_fail(s, GND_ERROR_VALUE, "a filter must have as many poles as zeros at least, not %d and %d", f->np,
                      f->nz);
    return -1;
}

static void append(gndi_complex *list, int *count, int times, gndi_complex value) {
    for (int i = 0; i < times; i++) list[(*count)++] = value;
}

/* The product of all (shift - list[i]). */
static gndi_complex product(int count, const gndi_complex *list, double shift) {
    gndi_complex value = 1;
    for (int i = 0; i < count; i++) value *= shift - list[i];
    return value;
}

bool gndi_zpk_lowpass(gndi_scratch *s, gndi_zpk *f, double wo) {
    const int degree = degree_of(s, f);
    if (degree < 0) return false;
    for (int i = 0; i < f->nz; i++) f->z[i] *= wo;
    for (int i = 0; i < f->np; i++) f->p[i] *= wo;
    f->k *= pow(wo, degree);
    return true;
}

bool gndi_zpk_highpass(gndi_scratch *s, gndi_zpk *f, double wo) {
    const int degree = degree_of(s, f);
    if (degree < 0) return false;
    f->k *= creal(product(f->nz, f->z, 0) / product(f->np, f->p, 0));
    for (int i = 0; i < f->nz; i++) f->z[i] = wo / f->z[i];
    for (int i = 0; i < f->np; i++) f->p[i] = wo / f->p[i];
    append(f->z, &f->nz, degree, 0);
    return true;
}

/* Each x becomes x + d and x - d, all the sums first, with d = sqrt(x^2 - wo^2). */
static void split(gndi_complex *list, int *count, double wo) {
    for (int i = 0; i < *count; i++) {
        const gndi_complex x = list[i], d = csqrt(x * x - wo * wo);
        list[i] = x + d;
        list[*count + i] = x - d;
    }
    *count *= 2;
}

static bool fits_twice(gndi_scratch *s, const gndi_zpk *f) {
    if (f->np <= GNDI_ORDER_MOST) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "a band has up to %d poles of a lowpass filter, not %d",
                             (int)GNDI_ORDER_MOST, f->np);
}

bool gndi_zpk_bandpass(gndi_scratch *s, gndi_zpk *f, double wo, double bw) {
    const int degree = degree_of(s, f);
    if (degree < 0 || !fits_twice(s, f)) return false;
    for (int i = 0; i < f->nz; i++) f->z[i] *= bw / 2;
    for (int i = 0; i < f->np; i++) f->p[i] *= bw / 2;
    split(f->z, &f->nz, wo);
    split(f->p, &f->np, wo);
    append(f->z, &f->nz, degree, 0);
    f->k *= pow(bw, degree);
    return true;
}

bool gndi_zpk_bandstop(gndi_scratch *s, gndi_zpk *f, double wo, double bw) {
    const int degree = degree_of(s, f);
    if (degree < 0 || !fits_twice(s, f)) return false;
    f->k *= creal(product(f->nz, f->z, 0) / product(f->np, f->p, 0));
    for (int i = 0; i < f->nz; i++) f->z[i] = bw / 2 / f->z[i];
    for (int i = 0; i < f->np; i++) f->p[i] = bw / 2 / f->p[i];
    split(f->z, &f->nz, wo);
    split(f->p, &f->np, wo);
    append(f->z, &f->nz, degree, CMPLX(0, wo));
    append(f->z, &f->nz, degree, CMPLX(0, -wo));
    return true;
}

bool gndi_zpk_bilinear(gndi_scratch *s, gndi_zpk *f, double fs) {
    const int degree = degree_of(s, f);
    if (degree < 0) return false;
    const double twice = 2 * fs;
    f->k *= creal(product(f->nz, f->z, twice) / product(f->np, f->p, twice));
    for (int i = 0; i < f->nz; i++) f->z[i] = (twice + f->z[i]) / (twice - f->z[i]);
    for (int i = 0; i < f->np; i++) f->p[i] = (twice + f->p[i]) / (twice - f->p[i]);
    append(f->z, &f->nz, degree, -1);
    return true;
}

void gndi_zpk_to_ba(const gndi_zpk *f, gndi_complex *b, gndi_complex *a) {
    gndi_poly_from_roots(f->nz, f->z, b);
    gndi_poly_from_roots(f->np, f->p, a);
    for (int i = 0; i <= f->nz; i++) b[i] *= f->k;
}
