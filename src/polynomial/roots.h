/*
 * roots.h: polynomials on the host: their roots, and their coefficients from roots. Coefficients have the highest
 * power first.
 */
#ifndef GNDI_POLYNOMIAL_ROOTS_H
#define GNDI_POLYNOMIAL_ROOTS_H

#include "polynomial/numbers.h"

/* The roots of n coefficients, at most n - 1 of them; returns how many there are. Leading zeros lower the degree,
   trailing ones are roots 0, which come last. `real`: the coefficients are real; then the roots that are not real
   are conjugate pairs to the last bit, side by side. -1, and raised: coefficients that are not finite, no
   convergence. */
int64_t gndi_poly_roots(gndi_scratch *s, int64_t n, const gndi_complex *coefficients, bool real, gndi_complex *roots);

/* The n + 1 coefficients of the product of all x - roots[i]. */
void gndi_poly_from_roots(int64_t n, const gndi_complex *roots, gndi_complex *coefficients);
/* Whether the roots are their own conjugates as a set, to the last bit: then the coefficients are real. */
bool gndi_poly_conjugate(gndi_scratch *s, int64_t n, const gndi_complex *roots);

/* The eigenvalues of an n x n matrix in rows, zero below the first subdiagonal, which it overwrites. False: no
   convergence. */
bool gndi_hessenberg_real(int64_t n, double *h, gndi_complex *values);
bool gndi_hessenberg_complex(int64_t n, gndi_complex *h, gndi_complex *values);

/* The eigenvalues of an n x n matrix in rows, which it overwrites. `real`: the matrix is real; then those that are not
   are conjugate pairs. */
bool gndi_eigenvalues(gndi_scratch *s, int64_t n, gndi_complex *matrix, bool real, gndi_complex *values);
/* The n + 1 coefficients of the characteristic polynomial of an n x n matrix in rows, which it overwrites. `real`: the
   matrix is real; then they are, too. */
bool gndi_poly_of_matrix(gndi_scratch *s, int64_t n, gndi_complex *matrix, bool real, gndi_complex *coefficients);

/* The value at x, by Horner's scheme. */
gndi_complex gndi_poly_value(int64_t n, const gndi_complex *coefficients, gndi_complex x);
/* out (n + m - 1) = a (n) times b (m); out is neither of them. */
void gndi_poly_product(int64_t n, const gndi_complex *a, int64_t m, const gndi_complex *b, gndi_complex *out);

#endif
