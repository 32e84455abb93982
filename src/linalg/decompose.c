/*
 * decompose.c: helpers of the decompositions: new arrays with the batch of another array, and small steps of
 * formulas.
 */
#include "linalg/decompose.h"

/* ---- arrays --------------------------------------------------------------------------------- */

gnd_array *gndi_new_matrices(gndi_temporaries *s, const gnd_array *a, int64_t rows, int64_t columns, gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[a->ndim - 2] = rows, shape[a->ndim - 1] = columns;
    return gndi_matrices_new(s, a, a->ndim, shape, dtype);
}

double gndi_epsilon(gnd_dtype dtype) {
    return gndi_real_dtype(dtype) == GND_FLOAT32 ? 0x1p-23 : 0x1p-52;
}

/* ---- steps ---------------------------------------------------------------------------------- */

gnd_array *gndi_sum_of_squares(gndi_temporaries *s, const gnd_array *x, int axis) {
    if (s->failed) return NULL;
    const gnd_axes axes = GND_AXES(axis);
    gndi_reduce_request r;
    gndi_reduce_begin(&r, s->fn, x, &axes, GNDI_REDUCE_SUM, GNDI_OP_add, GNDI_RULE_NORM, 0);
    r.map = GNDI_MAP_SQUARE;
    return gndi_temporaries_keep(s, gndi_reduce(&r));
}

gnd_array *gndi_norm_along(gndi_temporaries *s, const gnd_array *x, double p, int axis, bool keepdims) {
    if (s->failed) return NULL;
    gnd_axes axes = GND_AXES(axis);
    axes.keepdims = keepdims;
    return gndi_temporaries_keep(s, gndi_vector_norm(s->fn, x, p, &axes));
}
