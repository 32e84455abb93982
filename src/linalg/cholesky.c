/*
 * cholesky.c: Cholesky factors, and systems with them. A row-major matrix is factored as it lies: the
 * lower triangle of it is the upper one of what LAPACK sees, and so is the factor.
 */
#include "linalg/system.h"

static gnd_array *factor(const char *fn, const gnd_array *a, bool lower, bool clears) {
    gndi_steps s = {.fn = fn};
    if (!gndi_check_square(fn, a, "a")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    if (a->size == 0) return gndi_steps_end(&s, gndi_matrices_new(&s, a, a->ndim, a->shape, dtype));
    bool turned;
    gnd_array *copy = gndi_matrices_spare(&s, a, dtype, &turned), *result = copy;
    if (copy) {
        gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_CHOLESKY, copy);
        plan.lower = lower != turned, plan.clears = clears;
        gndi_lapack_submit(&s, &plan, 0, NULL, 1, &copy);
        if (turned) result = gndi_sole_view(gndi_matrices_turned(&s, copy));
    }
    return gndi_steps_end(&s, result);
}

gnd_array *gnd_cholesky(const gnd_array *a, bool upper) {
    return factor("gnd_cholesky", a, !upper, true);
}

gnd_array *gnd_cho_factor(const gnd_array *a, bool lower) {
    return factor("gnd_cho_factor", a, lower, false);
}

gnd_array *gnd_cho_solve(const gnd_array *c, const gnd_array *b, bool lower) {
    gndi_steps s = {.fn = "gnd_cho_solve"};
    gndi_system y;
    if (gndi_system_begin(&y, &s, c, "c", NULL, b)) {
        /* The transpose of a complex factor is one of a's conjugate. */
        bool turned = false;
        const gnd_array *read = gndi_matrices_read(&s, y.a, y.dtype, &y.plan.a,
                                                   gndi_dtype_is_complex(y.dtype) ? NULL : &turned);
        y.plan.op = GNDI_LAPACK_CHOLESKY_SOLVE;
        y.plan.lower = lower != turned;
        gndi_lapack_submit(&s, &y.plan, 1, &read, 1, &y.x);
    }
    return gndi_system_end(&y);
}
