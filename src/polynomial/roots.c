/*
 * roots.c: roots of polynomials as eigenvalues of the companion matrix, as numpy.roots has it, and coefficients
 * from roots.
 */
#include "polynomial/roots.h"
#include <math.h>
#include <stdlib.h>

/* ---- balancing ------------------------------------------------------------------------------ */

/* The factor, a power of 2, that brings the norms of a column and a row nearest to each other; 1 if little is gained
   (Parlett and Reinsch, Numer. Math. 13, 1969). */
static double balancing(double column, double row) {
    if (column == 0 || row == 0) return 1;
    const double sum = column + row;
    double f = 1, c = column;
    while (c < row / 2) f *= 2, c *= 4;
    while (c > row * 2) f /= 2, c /= 4;
    return (c + row) / f < 0.95 * sum ? f : 1;
}

static void balance(int64_t n, gndi_complex *h) {
    for (bool again = true; again;) {
        again = false;
        for (int64_t i = 0; i < n; i++) {
            double column = 0, row = 0;
            for (int64_t j = 0; j < n; j++) {
                if (j == i) continue;
                column += fabs(creal(h[j * n + i])) + fabs(cimag(h[j * n + i]));
                row += fabs(creal(h[i * n + j])) + fabs(cimag(h[i * n + j]));
            }
            const double f = balancing(column, row);
            if (f == 1) continue;
            again = true;
            for (int64_t j = 0; j < n; j++) h[i * n + j] /= f;
            for (int64_t j = 0; j < n; j++) h[j * n + i] *= f;
        }
    }
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* The roots of degree n >= 1, the first and last coefficient not 0. */
static bool companion_roots(gndi_scratch *s, int64_t n, const gndi_complex *p, bool real, gndi_complex *roots) {
    gndi_complex *h = gndi_scratch_complex(s, n * n);
    double *reals = real ? gndi_scratch_doubles(s, n * n) : NULL;
    if (s->failed) return false;
    for (int64_t j = 0; j < n; j++) h[j] = -p[j + 1] / p[0];
    for (int64_t i = 1; i < n; i++) h[i * n + i - 1] = 1;
    for (int64_t j = 0; j < n; j++)
        if (!isfinite(creal(h[j])) || !isfinite(cimag(h[j])))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "the coefficients must be finite, also over the first one");
    balance(n, h);
    for (int64_t i = 0; real && i < n * n; i++) reals[i] = creal(h[i]);
    if (real ? gndi_hessenberg_real(n, reals, roots) : gndi_hessenberg_complex(n, h, roots)) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the roots of the polynomial did not converge");
}

int64_t gndi_poly_roots(gndi_scratch *s, int64_t n, const gndi_complex *coefficients, bool real, gndi_complex *roots) {
    int64_t first = 0, last = n - 1;
    while (first < n && coefficients[first] == 0) first++;
    while (last > first && coefficients[last] == 0) last--;
    if (first == n || s->failed) return s->failed ? -1 : 0;
    const int64_t degree = last - first;
    if (degree > 0 && !companion_roots(s, degree, coefficients + first, real, roots)) return -1;
    for (int64_t i = degree; i < n - 1 - first; i++) roots[i] = 0;
    return n - 1 - first;
}

/* ---- coefficients --------------------------------------------------------------------------- */

void gndi_poly_from_roots(int64_t n, const gndi_complex *roots, gndi_complex *coefficients) {
    coefficients[0] = 1;
    for (int64_t i = 0; i < n; i++) {
        coefficients[i + 1] = -roots[i] * coefficients[i];
        for (int64_t j = i; j > 0; j--) coefficients[j] -= roots[i] * coefficients[j - 1];
    }
}

static int by_parts(const void *a, const void *b) {
    const gndi_complex x = *(const gndi_complex *)a, y = *(const gndi_complex *)b;
    if (creal(x) != creal(y)) return creal(x) < creal(y) ? -1 : 1;
    return (cimag(x) > cimag(y)) - (cimag(x) < cimag(y));
}

bool gndi_poly_conjugate(gndi_scratch *s, int64_t n, const gndi_complex *roots) {
    gndi_complex *a = gndi_scratch_complex(s, n), *b = gndi_scratch_complex(s, n);
    if (s->failed) return false;
    for (int64_t i = 0; i < n; i++) a[i] = roots[i], b[i] = conj(roots[i]);
    qsort(a, (size_t)n, sizeof(*a), by_parts);
    qsort(b, (size_t)n, sizeof(*b), by_parts);
    for (int64_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Zeros below the first subdiagonal, by Householder's reflections from both sides. */
static void to_hessenberg(int64_t n, gndi_complex *h, gndi_complex *v) {
    for (int64_t k = 0; k + 2 < n; k++) {
        double size = 0, square = 0;
        for (int64_t i = k + 1; i < n; i++) size = hypot(size, cabs(h[i * n + k]));
        if (size == 0) continue;
        const gndi_complex first = h[(k + 1) * n + k];
        for (int64_t i = k + 1; i < n; i++) v[i] = h[i * n + k] / size;
        v[k + 1] += first != 0 ? first / cabs(first) : 1;
        for (int64_t i = k + 1; i < n; i++) square += creal(v[i] * conj(v[i]));
        for (int64_t j = 0; j < n; j++) {
            gndi_complex t = 0;
            for (int64_t i = k + 1; i < n; i++) t += conj(v[i]) * h[i * n + j];
            for (int64_t i = k + 1; i < n; i++) h[i * n + j] -= 2 / square * t * v[i];
        }
        for (int64_t i = 0; i < n; i++) {
            gndi_complex t = 0;
            for (int64_t j = k + 1; j < n; j++) t += h[i * n + j] * v[j];
            for (int64_t j = k + 1; j < n; j++) h[i * n + j] -= 2 / square * t * conj(v[j]);
        }
        for (int64_t i = k + 2; i < n; i++) h[i * n + k] = 0;
    }
}

bool gndi_eigenvalues(gndi_scratch *s, int64_t n, gndi_complex *matrix, bool real, gndi_complex *values) {
    gndi_complex *v = gndi_scratch_complex(s, n);
    double *reals = real ? gndi_scratch_doubles(s, n * n) : NULL;
    if (s->failed) return false;
    for (int64_t i = 0; i < n * n; i++)
        if (!isfinite(creal(matrix[i])) || !isfinite(cimag(matrix[i])))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "the matrix must be finite");
    balance(n, matrix);
    to_hessenberg(n, matrix, v);
    for (int64_t i = 0; real && i < n * n; i++) reals[i] = creal(matrix[i]);
    if (real ? gndi_hessenberg_real(n, reals, values) : gndi_hessenberg_complex(n, matrix, values)) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the eigenvalues of the matrix did not converge");
}

bool gndi_poly_of_matrix(gndi_scratch *s, int64_t n, gndi_complex *matrix, bool real, gndi_complex *coefficients) {
    gndi_complex *values = gndi_scratch_complex(s, n);
    if (!values || !gndi_eigenvalues(s, n, matrix, real, values)) return false;
    gndi_poly_from_roots(n, values, coefficients);
    for (int64_t i = 0; real && i <= n; i++) coefficients[i] = creal(coefficients[i]);
    return true;
}

gndi_complex gndi_poly_value(int64_t n, const gndi_complex *coefficients, gndi_complex x) {
    gndi_complex value = 0;
    for (int64_t i = 0; i < n; i++) value = value * x + coefficients[i];
    return value;
}

void gndi_poly_product(int64_t n, const gndi_complex *a, int64_t m, const gndi_complex *b, gndi_complex *out) {
    for (int64_t i = 0; i < n + m - 1; i++) out[i] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) out[i + j] += a[i] * b[j];
}
