/*
 * temporaries.c: formulas as sequences of elementwise operations, checked for failure once at the end.
 */
#include "elementwise/temporaries.h"

gnd_array *gndi_temporaries_keep(gndi_temporaries *s, gnd_array *made) {
    if (made && s->count < GNDI_MAX_TEMPORARIES) return s->made[s->count++] = made;
    if (made) { /* no formula is this long; a longer one must be split into parts */
        gndi_raise(GND_ERROR_INVALID, s->fn, "needs more than %d intermediate arrays", GNDI_MAX_TEMPORARIES);
        gnd_release(made);
    }
    s->failed = true;
    return NULL;
}

gnd_array *gndi_temporaries_end(gndi_temporaries *s, gnd_array *result) {
    if (s->failed) result = NULL;
    for (int i = 0; i < s->count; i++)
        if (s->made[i] != result) gnd_release(s->made[i]);
    s->count = 0;
    return result;
}

void gndi_temporaries_give(gndi_temporaries *s, gnd_array *result, gnd_array **out) {
    if (!out) return;
    *out = s->failed ? NULL : result;
    for (int i = 0; *out && i < s->count; i++)
        if (s->made[i] == result) s->made[i] = NULL;
}

gnd_array *gndi_step(gndi_temporaries *s, gndi_op op, gnd_arg a, gnd_arg b) {
    gnd_array *result = NULL;
    if (s->failed) return NULL;
    const gndi_ew_request request = {.op = op, .fn = s->fn, .args = {a, b}};
    if (gndi_elementwise(&request, &result)) result = NULL;
    return gndi_temporaries_keep(s, result);
}

void gndi_step_into(gndi_temporaries *s, gndi_op op, gnd_array *out, gnd_arg a, gnd_arg b, const gnd_array *where) {
    if (s->failed) return;
    const gndi_ew_request request = {
        .op = op,
        .fn = s->fn,
        .args = {a, b},
        .out = {out},
        .where = where,
        .dtype = op == GNDI_OP_copy ? (gnd_dtype)out->dtype : GND_DTYPE_NONE,
        .casting = GND_UNSAFE,
    };
    if (gndi_elementwise(&request, NULL)) s->failed = true;
}

/* Whether b broadcasts to a's shape. */
static bool fits_into(const gnd_array *a, const gnd_array *b) {
    if (b->ndim > a->ndim) return false;
    for (int i = 0; i < b->ndim; i++)
        if (b->shape[i] != 1 && b->shape[i] != a->shape[a->ndim - b->ndim + i]) return false;
    return true;
}

gnd_array *gndi_step_in_place(gndi_temporaries *s, gndi_op op, gnd_array *a, gnd_arg b) {
    if (s->failed) return NULL;
    const gnd_arg args[2] = {gnd_arg_array(a), b};
    const gnd_dtype common = gnd_result_type_n(2, args);
    const bool same = common == (gnd_dtype)a->dtype && gndi_op_loop(op, common) == common &&
                      (b.kind != GND_ARG_ARRAY || fits_into(a, b.array));
    if (!same) return gndi_step(s, op, args[0], b);
    gndi_step_into(s, op, a, args[0], b, NULL);
    return s->failed ? NULL : a;
}

gnd_array *gndi_step_part(gndi_temporaries *s, const gnd_array *x, int axis, int64_t first, int64_t count,
                          int64_t step) {
    if (s->failed) return NULL;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    memcpy(strides, x->strides, (size_t)x->ndim * sizeof *strides);
    char *data = gndi_data(x);
    if (x->size && count) data += first * strides[axis];
    shape[axis] = count;
    strides[axis] *= step;
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, x, x->ndim, shape, strides, data, (gnd_dtype)x->dtype));
}

gnd_array *gndi_step_at(gndi_temporaries *s, const gnd_array *x, int axis, int64_t index) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int ndim = 0;
    if (s->failed) return NULL;
    for (int i = 0; i < x->ndim; i++) {
        if (i == axis) continue;
        shape[ndim] = x->shape[i], strides[ndim++] = x->strides[i];
    }
    char *data = x->size ? gndi_data(x) + index * x->strides[axis] : gndi_data(x);
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, x, ndim, shape, strides, data, (gnd_dtype)x->dtype));
}

gnd_array *gndi_step_along(gndi_temporaries *s, const gnd_array *x, int axis, int ndim) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (s->failed) return NULL;
    for (int i = 0; i < ndim; i++) {
        shape[i] = i == axis ? x->shape[0] : 1;
        strides[i] = i == axis ? x->strides[0] : 0;
    }
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, x, ndim, shape, strides, gndi_data(x), (gnd_dtype)x->dtype));
}

const gnd_array *gndi_step_floating(gndi_temporaries *s, const gnd_array *x) {
    if (s->failed || !gndi_dtype_is_int(x->dtype)) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, GND_FLOAT64, 'K'));
}
