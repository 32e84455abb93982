/*
 * decompose.h: what the functions of gnd/decompose.h share. Arrays "for LAPACK" are those of
 * gndi_matrices_new: column-major matrices, one behind the other.
 *
 *     decompose.c   new arrays of a batch, the small steps of formulas
 *     qr.c          orthogonal factors, and their use on other matrices
 *     tall.c        the triangular factor of very tall matrices
 *     svd.c         singular values
 *     rank.c        which singular values count: pseudo-inverses, ranks
 *     lstsq.c       least squares
 *     eigen.c       eigenvalues
 *     expm.c        exponentials
 *     norms.c       norms, condition numbers, traces
 *
 * Functions that take gndi_temporaries do nothing if an earlier step has failed, and then return NULL.
 */
#ifndef GNDI_DECOMPOSE_H
#define GNDI_DECOMPOSE_H

#include "linalg/linalg.h"
#include "reduce/reduce.h"

/* ---- arrays (decompose.c) ------------------------------------------------------------------- */

/* A new array for LAPACK with a's batch, not filled. */
gnd_array *gndi_new_matrices(gndi_temporaries *s, const gnd_array *a, int64_t rows, int64_t columns, gnd_dtype dtype);
/* The distance from 1 to the next number of a dtype. */
double gndi_epsilon(gnd_dtype dtype);
/* The sum of |x|^2 along an axis. */
gnd_array *gndi_sum_of_squares(gndi_temporaries *s, const gnd_array *x, int axis);
/* The p-norm along an axis, as gnd_vector_norm. */
gnd_array *gndi_norm_along(gndi_temporaries *s, const gnd_array *x, double p, int axis, bool keepdims);

/* ---- orthogonal factors (qr.c) -------------------------------------------------------------- */

/* Factors `a`, an array for LAPACK, in place; returns tau, the factors of the reflectors. */
gnd_array *gndi_qr_factor(gndi_temporaries *s, gnd_array *a);
/* b = Q^H b: Q is that of the factored `a`, b an array for LAPACK of a's batch and rows. */
void gndi_qr_apply(gndi_temporaries *s, const gnd_array *a, const gnd_array *tau, gnd_array *b);
/* tall.c: whether `a` is a single matrix, with `columns` columns, so tall that its triangle is found block by block;
   and that triangle, the R of [a b] = Q R (b: NULL, or a matrix of as many rows), as an array for LAPACK. */
bool gndi_is_very_tall(const gnd_array *a, int64_t columns);
gnd_array *gndi_triangle_of(gndi_temporaries *s, const gnd_array *a, const gnd_array *b, gnd_dtype dtype);
/* Zeros below the diagonals, in place. */
void gndi_clear_below(gndi_temporaries *s, gnd_array *a);

/* ---- singular values and eigenvalues (svd.c, eigen.c) --------------------------------------- */

typedef struct gndi_svd {
    gnd_array *u, *s, *vh; /* u and vh: NULL without vectors */
} gndi_svd;

/* The decomposition of a's matrices, or of their conjugates. */
gndi_svd gndi_svd_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool full, bool conjugate);
/* The same of an array for LAPACK that has at least as many rows as columns; it is overwritten. */
gndi_svd gndi_svd_of_own(gndi_temporaries *s, gnd_array *own, bool vectors, bool full);

typedef struct gndi_eigen {
    gnd_array *w, *v; /* v: NULL without vectors */
} gndi_eigen;

/* Of the hermitian matrices given by one triangle of a's matrices. */
gndi_eigen gndi_eigh_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool upper);

/* ---- which values count (rank.c) ------------------------------------------------------------ */

/* Where values are above rtol times the largest of their line; bool. rtol: a number, or an array of a's
   batch. */
gnd_array *gndi_values_above(gndi_temporaries *s, const gnd_array *values, gnd_arg rtol);
/* numbers / values where `large`, else 0; `numbers` may be an array that values broadcast to. */
gnd_array *gndi_over_large(gndi_temporaries *s, gnd_arg numbers, const gnd_array *values, const gnd_array *large);

#endif
