/*
 * triangular.c: systems with triangular matrices, which are read without a copy if possible.
 */
#include "linalg/system.h"

gnd_array *gnd_solve_triangular(const gnd_array *a, const gnd_array *b, gnd_triangular_options options) {
    gndi_temporaries s = {.fn = "gnd_solve_triangular"};
    gndi_system y;
    if ((unsigned)options.trans > GND_TRANS_H)
        return gndi_fail(GND_ERROR_INVALID, s.fn, "there is no transpose number %d", (int)options.trans);
    if (gndi_system_begin(&y, &s, a, "a", NULL, b)) {
        gndi_lapack_plan *p = &y.plan;
        const bool conjugates = options.trans == GND_TRANS_H && gndi_dtype_is_complex(y.dtype);
        bool transposed = false; /* there is no conjugate without a transpose */
        const gnd_array *read = gndi_matrices_read(&s, y.a, y.dtype, &p->a, conjugates ? NULL : &transposed);
        p->op = GNDI_LAPACK_TRIANGULAR;
        p->lower = options.lower != transposed, p->unit = options.unit_diagonal;
        p->transpose = conjugates                                        ? GNDI_LAPACK_CONJUGATED
                       : (options.trans != GND_TRANS_NONE) != transposed ? GNDI_LAPACK_TRANSPOSED
                                                                         : GNDI_LAPACK_PLAIN;
        gndi_lapack_submit(&s, p, 1, &read, 1, &y.x);
    }
    return gndi_system_end(&y);
}
