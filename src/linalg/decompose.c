/*
 * decompose.c: what LAPACK's decompositions take and give: copies that it overwrites, arrays with the
 * batch of another, and the small steps of formulas on them.
 */
#include "linalg/decompose.h"

/* ---- arrays --------------------------------------------------------------------------------- */

gnd_array *gndi_matrices_taken(gndi_steps *s, const gnd_array *a, gnd_dtype dtype, bool turned,
                               bool conjugate) {
    if (turned) a = gndi_matrices_turned(s, a);
    if (s->failed) return NULL;
    if (!conjugate || !gndi_dtype_is_complex(a->dtype)) return gndi_matrices_copy(s, a, dtype);
    gnd_array *copy = gndi_matrices_new(s, a, a->ndim, a->shape, dtype);
    gndi_step_into(s, GNDI_OP_conjugate, copy, gnd_arg_array(a), gnd_arg_none(), NULL);
    return s->failed ? NULL : copy;
}

gnd_array *gndi_new_matrices(gndi_steps *s, const gnd_array *a, int64_t rows, int64_t columns,
                             gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[a->ndim - 2] = rows, shape[a->ndim - 1] = columns;
    return gndi_matrices_new(s, a, a->ndim, shape, dtype);
}

gnd_array *gndi_new_lines(gndi_steps *s, const gnd_array *a, int64_t count, gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[a->ndim - 2] = count;
    gnd_stream *stream = gndi_stream_on(a->buffer->device, s->fn);
    return gndi_steps_keep(
        s,
        stream ? gndi_array_new_on(s->fn, stream, a->ndim - 1, shape, dtype, GNDI_ORDER_C) : NULL);
}

void gndi_fill_identity(gndi_steps *s, gnd_array *a) {
    if (s->failed || a->size == 0) return;
    gnd_array *diagonal = gndi_steps_keep(s, gndi_diagonal(s->fn, a, 0, -2, -1));
    gndi_step_into(s, GNDI_OP_copy, a, gnd_arg_bool(false), gnd_arg_none(), NULL);
    gndi_step_into(s, GNDI_OP_copy, diagonal, gnd_arg_bool(true), gnd_arg_none(), NULL);
}

gnd_array *gndi_rows(gndi_steps *s, const gnd_array *a, int64_t count) {
    return s->failed ? NULL : gndi_step_part(s, a, a->ndim - 2, 0, count, 1);
}

gnd_array *gndi_columns(gndi_steps *s, const gnd_array *a, int64_t count) {
    return s->failed ? NULL : gndi_step_part(s, a, a->ndim - 1, 0, count, 1);
}

gnd_array *gndi_with_last_axis(gndi_steps *s, const gnd_array *a) {
    int64_t shape[GND_MAX_DIMS + 1], strides[GND_MAX_DIMS + 1];
    if (s->failed) return NULL;
    for (int i = 0; i < a->ndim; i++) shape[i] = a->shape[i], strides[i] = a->strides[i];
    shape[a->ndim] = 1, strides[a->ndim] = 0;
    return gndi_steps_keep(
        s, gndi_array_view(s->fn, a, a->ndim + 1, shape, strides, a->data, (gnd_dtype)a->dtype));
}

gndi_lapack_plan gndi_lapack_plan_of(gndi_lapack_op op, const gnd_array *a) {
    return (gndi_lapack_plan){.op = op,
                              .dtype = a->dtype,
                              .m = a->shape[a->ndim - 2],
                              .n = a->shape[a->ndim - 1],
                              .batch = gndi_matrix_count(a),
                              .a = gndi_lapack_matrices(a)};
}

double gndi_epsilon(gnd_dtype dtype) {
    return gndi_real_dtype(dtype) == GND_FLOAT32 ? 0x1p-23 : 0x1p-52;
}

/* ---- steps ---------------------------------------------------------------------------------- */

gnd_array *gndi_sum_of_squares(gndi_steps *s, const gnd_array *x, int axis) {
    if (s->failed) return NULL;
    const gnd_axes axes = GND_AXES(axis);
    gndi_reduce_request r;
    gndi_reduce_begin(&r, s->fn, x, &axes, GNDI_REDUCE_SUM, GNDI_OP_add, GNDI_RULE_NORM, 0);
    r.map = GNDI_MAP_SQUARE;
    return gndi_steps_keep(s, gndi_reduce(&r));
}

gnd_array *gndi_norm_along(gndi_steps *s, const gnd_array *x, double p, int axis, bool keepdims) {
    if (s->failed) return NULL;
    gnd_axes axes = GND_AXES(axis);
    axes.keepdims = keepdims;
    return gndi_steps_keep(s, gndi_vector_norm(s->fn, x, p, &axes));
}
