/*
 * det.c: determinants, from the pivots of LU factors, as a sign and a logarithm. A matrix and its
 * transpose have the same determinant, so either memory order costs one plain copy.
 */
#include "linalg/linalg.h"
#include "rearrange/rearrange.h"

/* Of shape a.shape[:-2], of a dtype; filled with `value` if a has no elements. */
static gnd_array *numbers(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, int value) {
    if (s->failed) return NULL;
    gnd_array *made = gndi_new_on_device_of(s->fn, a, a->ndim - 2, a->shape, dtype);
    if (made && made->size > 0 && a->size == 0) made = gndi_filled(s->fn, made, gnd_arg_int(value));
    return gndi_temporaries_keep(s, made);
}

/* sign exp(logarithm). Empty matrices have the determinant 1. */
static void find(gndi_temporaries *s, const gnd_array *a, gnd_array **sign, gnd_array **logarithm) {
    *sign = *logarithm = NULL;
    s->failed = true; /* until all is checked */
    if (!gndi_check_square(s->fn, a, "a")) return;
    const gnd_dtype dtype = gndi_lapack_dtype(s->fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return;
    s->failed = false;
    *sign = numbers(s, a, dtype, 1);
    *logarithm = numbers(s, a, gndi_real_dtype(dtype), 0);
    if (s->failed || a->size == 0) return;
    bool transposed;
    gnd_array *copy = gndi_matrices_spare(s, a, dtype, &transposed);
    if (!copy) return;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_DETERMINANT, copy);
    plan.sign = gndi_data((*sign)), plan.w = gndi_data((*logarithm));
    gndi_lapack_submit(s, &plan, 0, NULL, 3, (gnd_array *[]){*sign, *logarithm, copy});
}

gnd_array *gnd_det(const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_det"};
    gnd_array *sign, *logarithm;
    find(&s, a, &sign, &logarithm);
    if (s.failed || sign->size == 0) return gndi_temporaries_end(&s, sign);
    gndi_step_into(&s, GNDI_OP_exp, logarithm, gnd_arg_array(logarithm), gnd_arg_none(), NULL);
    gndi_step_into(&s, GNDI_OP_multiply, sign, gnd_arg_array(sign), gnd_arg_array(logarithm), NULL);
    return gndi_temporaries_end(&s, sign);
}

gnd_status gnd_slogdet(gnd_array **sign, gnd_array **logabsdet, const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_slogdet"};
    if (!sign && !logabsdet)
        return gndi_raise(GND_ERROR_INVALID, s.fn, "no place to write to (sign and logabsdet are NULL)");
    gnd_array *of_sign, *of_logarithm;
    find(&s, a, &of_sign, &of_logarithm);
    gndi_temporaries_give(&s, of_sign, sign);
    gndi_temporaries_give(&s, of_logarithm, logabsdet);
    return gndi_temporaries_status(&s);
}
