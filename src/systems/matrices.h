/*
 * matrices.h: small dense matrices on the host, in rows, complex: real ones stay real to the last bit.
 */
#ifndef GNDI_SYSTEMS_MATRICES_H
#define GNDI_SYSTEMS_MATRICES_H

#include "polynomial/roots.h"

/* out (rows x columns) = a (rows x inner) b; out is neither of them. */
void gndi_host_product(int64_t rows, int64_t inner, int64_t columns, const gndi_complex *a, const gndi_complex *b,
                       gndi_complex *out);
/* out (columns x rows) = the transpose of a, with `conjugate` of its conjugate. */
void gndi_host_transpose(int64_t rows, int64_t columns, const gndi_complex *a, bool conjugate, gndi_complex *out);

/* Factors a (n x n) in place with row exchanges, which it applies to b (n x columns) as well, and turns b into the
   solution of a x = b. False, and nothing raised: a is singular. */
bool gndi_host_solve(int64_t n, gndi_complex *a, int64_t columns, gndi_complex *b);
/* The absolute value of the determinant of a, which it overwrites. */
double gndi_host_abs_determinant(int64_t n, gndi_complex *a);

/* e^a in place (degree 13 of N. J. Higham, SIAM J. Matrix Anal. Appl. 26, 2005). False: raised, a is not finite. */
bool gndi_host_exponential(gndi_scratch *s, int64_t n, gndi_complex *a);

/* a (rows x columns) = q r by Householder's reflections: a becomes r, q is rows x rows. The signs are those of LAPACK's
   geqrf, and so are the columns of q that a does not determine. work: rows. */
void gndi_host_qr(int64_t rows, int64_t columns, gndi_complex *a, gndi_complex *q, gndi_complex *work);

/* The singular values of a (rows x columns, rows >= columns), from the largest down, with the vectors as columns: a
   becomes u, and v is columns x columns (one-sided rotations of C. G. J. Jacobi: M. R. Hestenes, J. SIAM 6, 1958).
   A column of u whose value is 0 is 0. */
void gndi_host_svd(int64_t rows, int64_t columns, gndi_complex *a, double *values, gndi_complex *v);

#endif
