/*
 * svd.c: singular values. The lapack hook takes column-major matrices that are not wide. A wide matrix is
 * passed as its transpose, and a square one as whichever of the two is column-major in memory: if
 * A^T = U diag(s) V^H, then A = conj(V) diag(s) U^T, so that A's u and vh are transposed views of V^H
 * and of U.
 */
#include "linalg/decompose.h"

gndi_svd gndi_svd_of_own(gndi_temporaries *s, gnd_array *own, bool vectors, bool full) {
    gndi_svd result = {0};
    if (s->failed) return result;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_SVD, own);
    const gnd_dtype dtype = (gnd_dtype)own->dtype;
    result.s = gndi_new_lines(s, own, plan.n, gndi_real_dtype(dtype));
    if (vectors) {
        result.u = gndi_new_matrices(s, own, plan.m, full ? plan.m : plan.n, dtype);
        result.vh = gndi_new_matrices(s, own, plan.n, plan.n, dtype);
    }
    if (s->failed) return result;
    if (own->size == 0) { /* no columns, or no matrices: any orthonormal u will do */
        if (vectors) gndi_fill_identity(s, result.u);
        return result;
    }
    plan.w = gndi_data(result.s);
    plan.vectors = vectors, plan.full = full;
    if (vectors) plan.u = gndi_lapack_matrices(result.u), plan.v = gndi_lapack_matrices(result.vh);
    gndi_lapack_submit(s, &plan, 0, NULL, 4, (gnd_array *[]){own, result.s, result.u, result.vh});
    return result;
}

gndi_svd gndi_svd_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool vectors, bool full,
                     bool conjugate) {
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    const bool transposed = m < n || (m == n && gndi_matrices_row_major(a));
    gnd_array *own = gndi_matrices_taken(s, a, dtype, transposed, conjugate);
    gndi_svd result = gndi_svd_of_own(s, own, vectors, full);
    if (!transposed || !vectors || s->failed) return result;
    return (gndi_svd){
        .u = gndi_matrices_transposed(s, result.vh), .s = result.s, .vh = gndi_matrices_transposed(s, result.u)};
}

gnd_status gnd_svd(gnd_array **u, gnd_array **s, gnd_array **vh, const gnd_array *a, bool full) {
    gndi_temporaries steps = {.fn = "gnd_svd"};
    if (u) *u = NULL;
    if (s) *s = NULL;
    if (vh) *vh = NULL;
    if (!u && !s && !vh) return gndi_raise(GND_ERROR_INVALID, steps.fn, "no place to write to (u, s and vh are NULL)");
    if (!gndi_check_matrices(steps.fn, a, "a")) return gndi_ew_pending();
    const gnd_dtype dtype = gndi_lapack_dtype(steps.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return GND_ERROR_DTYPE;
    gndi_svd of = gndi_svd_of(&steps, a, dtype, u || vh, full, false);
    gndi_temporaries_give(&steps, of.u, u);
    gndi_temporaries_give(&steps, of.s, s);
    gndi_temporaries_give(&steps, of.vh, vh);
    return gndi_temporaries_status(&steps);
}

gnd_array *gnd_svdvals(const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_svdvals"};
    if (!gndi_check_matrices(s.fn, a, "a")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    return gndi_temporaries_end(&s, gndi_svd_of(&s, a, dtype, false, false, false).s);
}
