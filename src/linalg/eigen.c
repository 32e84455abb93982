/*
 * eigen.c: eigenvalues. A row-major hermitian matrix is read as the column-major conjugate transpose of
 * itself, with its triangles exchanged: that is the same matrix again, and the copy that LAPACK
 * overwrites is made in the order of memory.
 */
#include "linalg/decompose.h"

/* The dtype of LAPACK for square matrices; GND_DTYPE_NONE and an error if they are not. */
static gnd_dtype check_eigen(const char *fn, const gnd_array *a) {
    return gndi_check_square(fn, a, "a") ? gndi_lapack_dtype(fn, a, NULL) : GND_DTYPE_NONE;
}

typedef gndi_eigen (*eigen_of)(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool upper);

/* Stores both results of a public function; the caller may want only one. */
static gnd_status store_both(const char *fn, eigen_of of, gnd_array **w, gnd_array **v, const gnd_array *a,
                             bool upper) {
    gndi_temporaries s = {.fn = fn};
    if (w) *w = NULL;
    if (v) *v = NULL;
    if (!w && !v) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (w and v are NULL)");
    const gnd_dtype dtype = check_eigen(fn, a);
    if (dtype == GND_DTYPE_NONE) return gndi_ew_pending();
    const gndi_eigen both = of(&s, a, dtype, v != NULL, upper);
    gndi_temporaries_give(&s, both.w, w);
    gndi_temporaries_give(&s, both.v, v);
    return gndi_temporaries_status(&s);
}

/* ---- of hermitian matrices ------------------------------------------------------------------ */

gndi_eigen gndi_eigh_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool upper) {
    gndi_eigen result = {0};
    const bool transposed = gndi_matrices_row_major(a);
    gnd_array *own = gndi_matrices_taken(s, a, dtype, transposed, transposed);
    if (s->failed) return result;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_EIGH, own);
    result.w = gndi_new_lines(s, own, plan.n, gndi_real_dtype(dtype));
    if (vectors) result.v = own;
    if (s->failed || own->size == 0) return result;
    plan.lower = transposed ? upper : !upper;
    plan.vectors = vectors;
    plan.w = gndi_data(result.w);
    gndi_lapack_submit(s, &plan, 0, NULL, 2, (gnd_array *[]){own, result.w});
    return result;
}

gnd_status gnd_eigh(gnd_array **w, gnd_array **v, const gnd_array *a, bool upper) {
    return store_both("gnd_eigh", gndi_eigh_of, w, v, a, upper);
}

gnd_array *gnd_eigvalsh(const gnd_array *a, bool upper) {
    gndi_temporaries s = {.fn = "gnd_eigvalsh"};
    const gnd_dtype dtype = check_eigen(s.fn, a);
    if (dtype == GND_DTYPE_NONE) return NULL;
    return gndi_temporaries_end(&s, gndi_eigh_of(&s, a, dtype, false, upper).w);
}

/* ---- of any square matrices ----------------------------------------------------------------- */

/* General matrices are read whole: `upper` is ignored. */
static gndi_eigen eig_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool upper) {
    (void)upper;
    gndi_eigen result = {0};
    gnd_array *own = gndi_matrices_copy(s, a, dtype);
    if (s->failed) return result;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_EIG, own);
    result.w = gndi_new_lines(s, own, plan.n, gndi_complex_dtype(dtype));
    if (vectors) result.v = gndi_new_matrices(s, own, plan.n, plan.n, gndi_complex_dtype(dtype));
    if (s->failed || own->size == 0) return result;
    plan.vectors = vectors;
    plan.w = gndi_data(result.w);
    if (vectors) plan.v = gndi_lapack_matrices(result.v);
    gndi_lapack_submit(s, &plan, 0, NULL, 3, (gnd_array *[]){own, result.w, result.v});
    return result;
}

gnd_status gnd_eig(gnd_array **w, gnd_array **v, const gnd_array *a) {
    return store_both("gnd_eig", eig_of, w, v, a, false);
}

gnd_array *gnd_eigvals(const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_eigvals"};
    const gnd_dtype dtype = check_eigen(s.fn, a);
    if (dtype == GND_DTYPE_NONE) return NULL;
    return gndi_temporaries_end(&s, eig_of(&s, a, dtype, false, false).w);
}
