/*
 * cholesky.c: Cholesky factors, and systems with them. Small matrices are factored in their own memory order: the
 * lower triangle of a row-major matrix is the upper one of the column-major matrix that LAPACK sees, and so is the
 * factor. Larger matrices are copied so that LAPACK sees the lower triangle: cuSOLVER takes 1.8 ms for it at
 * 4096 x 4096, and 4.4 for the upper one; transposing the matrix takes 0.05.
 */
#include "linalg/system.h"

enum { KEEPS_ORDER = 32 /* rows and columns at most */ };

static gnd_array *factor(const char *fn, const gnd_array *a, bool lower, bool clears) {
    gndi_temporaries s = {.fn = fn};
    if (!gndi_check_square(fn, a, "a")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    if (a->size == 0) return gndi_temporaries_end(&s, gndi_matrices_new(&s, a, a->ndim, a->shape, dtype));
    const bool small = a->shape[a->ndim - 1] <= KEEPS_ORDER;
    const bool transposed = small ? gndi_matrices_row_major(a) : !lower;
    gnd_array *copy = gndi_matrices_taken(&s, a, dtype, transposed, false), *result = copy;
    if (copy) {
        gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_CHOLESKY, copy);
        plan.lower = lower != transposed, plan.clears = clears;
        gndi_lapack_submit(&s, &plan, 0, NULL, 1, &copy);
        if (transposed) result = gndi_sole_view(gndi_matrices_transposed(&s, copy));
    }
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_cholesky(const gnd_array *a, bool upper) {
    return factor("gnd_cholesky", a, !upper, true);
}

gnd_array *gnd_cho_factor(const gnd_array *a, bool lower) {
    return factor("gnd_cho_factor", a, lower, false);
}

gnd_array *gnd_cho_solve(const gnd_array *c, const gnd_array *b, bool lower) {
    gndi_temporaries s = {.fn = "gnd_cho_solve"};
    gndi_system y;
    if (gndi_system_begin(&y, &s, c, "c", NULL, b)) {
        /* A complex factor's transpose is a factor of a's conjugate. */
        bool transposed = false;
        const gnd_array *read =
            gndi_matrices_read(&s, y.a, y.dtype, &y.plan.a, gndi_dtype_is_complex(y.dtype) ? NULL : &transposed);
        y.plan.op = GNDI_LAPACK_CHOLESKY_SOLVE;
        y.plan.lower = lower != transposed;
        gndi_lapack_submit(&s, &y.plan, 1, &read, 1, &y.x);
    }
    return gndi_system_end(&y);
}
