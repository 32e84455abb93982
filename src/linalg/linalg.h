/*
 * linalg.h: what the functions of gnd/products.h and gnd/linalg.h share.
 *
 *     matrix.c        checks, dtypes and copies of matrices for the lapack hook, its submission
 *     settings.c      what a thread asks for: strictness, TF32
 *     matmul.c        the plan of a product of matrices, its submission; matmul and its kin
 *     ...
 */
#ifndef GNDI_LINALG_H
#define GNDI_LINALG_H

#include "array/view.h"
#include "linalg/lapack_plan.h"
#include "linalg/matmul_plan.h"
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"

/* ---- products (matmul.c) -------------------------------------------------------------------- */

/* The product by NumPy's rules for matmul: of 1-d arrays, matrices, and stacks of them that broadcast. A
   new array. `conjugate_a`: of the conjugate of a. */
gnd_array *gndi_matmul(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate_a);
/* The same in a dtype: that of a and b, or float32 where gndi_takes_halves of them. `out`: NULL, or an array of the
   dtype, of which a new reference is returned. */
gnd_array *gndi_matmul_in(const char *fn, const gnd_array *a, const gnd_array *b, gnd_dtype dtype, gnd_array *out);
/* Whether their device multiplies matrices of float16 or bfloat16 into float32 without casting them. */
bool gndi_takes_halves(const gnd_array *a, const gnd_array *b, gnd_dtype dtype);
/* out = alpha a b + beta out. out has the product's shape. */
gnd_status gndi_matmul_into(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b, gnd_arg alpha,
                            gnd_arg beta);
/* Whether these are the strides of a column-major matrix: dense columns, which do not overlap. */
static inline bool gndi_column_major(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t item) {
    return (rows <= 1 || row == item) && (columns <= 1 || (column >= rows * item && column % item == 0));
}
/* Whether BLAS can describe matrices with these strides (linalg/matmul_plan.h): column-major or row-major ones. `row`
   and `column`: bytes from one to the next, ignored where there is only one. */
static inline bool gndi_blas_describes(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t item) {
    return gndi_column_major(rows, columns, row, column, item) || gndi_column_major(columns, rows, column, row, item);
}
/* Whether all of `count` arrays are there, and on one device (einsum_parse.c). Raises if not. */
bool gndi_check_arrays(const char *fn, int count, const gnd_array *const arrays[]);

/* ---- inverses (solve.c) ---------------------------------------------------------------------- */

/* The result of gnd_inv; a matrix without an inverse is reported in the name of `fn`. */
gnd_array *gndi_inv(const char *fn, const gnd_array *a);
/* The same for square matrices in LAPACK's dtype, as a step. `quiet`: singular matrices become NaN, and no fault is
   reported. */
gnd_array *gndi_inverse_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool quiet);

/* ---- matrices for LAPACK (matrix.c) --------------------------------------------------------- */

/* The dtype that LAPACK computes in: float64 of integers and bool, else that of the arrays promoted
   together; b may be NULL. GND_DTYPE_NONE and an error for float16 and bfloat16, as NumPy. */
gnd_dtype gndi_lapack_dtype(const char *fn, const gnd_array *a, const gnd_array *b);
/* complex64 of float32, and complex128 of float64; complex ones as they are. (gndi_real_dtype: the other
   way, array/view.h.) */
gnd_dtype gndi_complex_dtype(gnd_dtype dtype);
/* Whether `a` has at least two dimensions; and whether its matrices are square, too. Raise if not. */
bool gndi_check_matrices(const char *fn, const gnd_array *a, const char *name);
bool gndi_check_square(const char *fn, const gnd_array *a, const char *name);
/* How many matrices `a` has. */
int64_t gndi_matrix_count(const gnd_array *a);

/* A new array of matrices, column-major each, the batch in C order; not filled. On the device of
   `like`. */
gnd_array *gndi_matrices_new(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape,
                             gnd_dtype dtype);
/* The same with the elements of `a`, cast: what LAPACK may overwrite. */
gnd_array *gndi_matrices_copy(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype);
/* a's matrices transposed, as a view; no conjugate. */
gnd_array *gndi_matrices_transposed(gndi_temporaries *s, const gnd_array *a);
/* Whether a's matrices are closer to row-major than to column-major: then gndi_matrices_copy of
   gndi_matrices_transposed is the copy that costs less. */
bool gndi_matrices_row_major(const gnd_array *a);
/* A new array for LAPACK with a's matrices: cast, transposed if `transposed`, conjugated if `conjugate`. */
gnd_array *gndi_matrices_taken(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool transposed,
                               bool conjugate);
/* A copy of the matrices that LAPACK may overwrite: of the transposed ones, if they are row-major. */
gnd_array *gndi_matrices_spare(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool *transposed);
/* What gndi_matrices_new and gndi_matrices_copy have made, for a plan. */
gndi_lapack_matrix gndi_lapack_matrices(const gnd_array *a);

/* A plan for the matrices of an array for LAPACK. */
gndi_lapack_plan gndi_lapack_plan_of(gndi_lapack_op op, const gnd_array *a);
/* A new array in C order with a's batch and one more axis, not filled. */
gnd_array *gndi_new_lines(gndi_temporaries *s, const gnd_array *a, int64_t count, gnd_dtype dtype);
/* The first `count` rows, or columns, of a's matrices: a view. */
gnd_array *gndi_rows(gndi_temporaries *s, const gnd_array *a, int64_t count);
gnd_array *gndi_columns(gndi_temporaries *s, const gnd_array *a, int64_t count);
/* Ones on the main diagonals, zeros elsewhere. */
void gndi_fill_identity(gndi_temporaries *s, gnd_array *a);
/* An array with a further axis of size 1 at `axis`, or at its end: a view. */
gnd_array *gndi_with_axis(gndi_temporaries *s, const gnd_array *a, int axis);
static inline gnd_array *gndi_with_last_axis(gndi_temporaries *s, const gnd_array *a) {
    return s->failed ? NULL : gndi_with_axis(s, a, a->ndim);
}

/* Submits a plan: `read` arrays are read by it, `written` ones written (or both); NULL entries are
   skipped. Waits if the thread is strict, and then raises what failed. */
void gndi_lapack_submit(gndi_temporaries *s, const gndi_lapack_plan *plan, int reads, const gnd_array *const *read,
                        int writes, gnd_array *const *written);

#endif
