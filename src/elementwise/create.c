/*
 * create.c: new arrays, empty or with one value everywhere, and identity matrices. Ranges are in
 * range.c.
 */
#include "elementwise/create.h"
#include "array/view.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_full
#undef gnd_full_like

static gnd_dtype float64_unless(gnd_dtype dtype) {
    return dtype == GND_DTYPE_NONE ? GND_FLOAT64 : dtype;
}

static gnd_array *new_array(const char *fn, const gnd_shape *shape, gnd_dtype dtype) {
    return gndi_array_new(fn, shape->ndim, shape->dim, float64_unless(dtype), GNDI_ORDER_C);
}

/* ---- filling -------------------------------------------------------------------------------- */

gnd_array *gndi_zero(const char *fn, gnd_array *fresh) {
    if (!fresh || fresh->size == 0) return fresh;
    gnd_stream *s = gndi_ew_stream(fresh, fn);
    size_t bytes = (size_t)(fresh->size * gndi_itemsize(fresh));
    if (s && !gndi_order_write(s, fresh->buffer, fn) && !s->device->backend->set_zero(s, gndi_data(fresh), bytes, fn)) {
        gndi_submitted(s);
        if (!gndi_finish(s, fn)) return fresh;
    }
    gnd_release(fresh);
    return NULL;
}

/* Whether a number is all zero bytes in any dtype: +0 and false, but not -0. */
static bool is_plain_zero(gnd_arg value) {
    switch (value.kind) {
    case GND_ARG_BOOL:
    case GND_ARG_INT:
    case GND_ARG_UINT: return value.u == 0;
    case GND_ARG_REAL: return value.u == 0; /* the bits of the double */
    default: return false;
    }
}

gnd_array *gndi_filled(const char *fn, gnd_array *fresh, gnd_arg value) {
    if (!fresh) return NULL;
    if (is_plain_zero(value)) return gndi_zero(fn, fresh);
    gnd_status status;
    if (value.kind == GND_ARG_ARRAY) {
        status = gndi_copy_into(fn, fresh, value.array);
    } else if (value.kind == GND_ARG_NONE) {
        status = gndi_raise(GND_ERROR_INVALID, fn, "the value is GND_NONE; give a number or an array");
    } else if (value.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(fresh->dtype)) {
        status = gndi_raise(GND_ERROR_DTYPE, fn, "a complex number does not go into an array of %s",
                            gnd_dtype_name((gnd_dtype)fresh->dtype));
    } else {
        gndi_ew_request r;
        memset(&r, 0, sizeof r);
        r.op = GNDI_OP_copy, r.fn = fn, r.args[0] = value, r.out[0] = fresh;
        r.dtype = (gnd_dtype)fresh->dtype, r.casting = GND_UNSAFE;
        status = gndi_elementwise(&r, NULL);
    }
    if (status == GND_OK) return fresh;
    gnd_release(fresh);
    return NULL;
}

/* The dtype of gnd_full's result if none is given. False and an error for a value that
   is missing. */
static bool value_dtype(const char *fn, gnd_arg value, gnd_dtype *dtype) {
    if (value.kind == GND_ARG_ARRAY && gndi_missing(value.array)) return gndi_raise_null(fn, "value"), false;
    if (*dtype != GND_DTYPE_NONE || value.kind == GND_ARG_NONE) return true;
    *dtype = value.kind == GND_ARG_ARRAY ? (gnd_dtype)value.array->dtype : gndi_arg_default_dtype(value);
    return true;
}

/* ---- one value everywhere ------------------------------------------------------------------- */

/* Inside a fused block a filled array is recorded as a number: whether it was (or was refused). */
static bool recorded(const char *fn, int ndim, const int64_t *shape, gnd_dtype dtype, gnd_arg value,
                     gnd_array **result) {
    int64_t size;
    gnd_stream *s = gndi_stream_current(fn);
    gndi_record_source source = {.kind = GNDI_SOURCE_VALUE, .fn = fn, .dtype = dtype, .ndim = ndim, .shape = shape};
    if (!s || ndim < 0 || ndim > GND_MAX_DIMS || !gndi_dtype_valid((int)dtype)) return false;
    if (!gndi_shape_size(ndim, shape, &size) || size == 0 || size > INT64_MAX / 16) return false;
    if (value.kind == GND_ARG_ARRAY || value.kind == GND_ARG_NONE) return false;
    if (value.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(dtype)) return false;
    *result = NULL;
    if (!gndi_scalar_from_arg(fn, value, dtype, &source.value)) return true;
    source.device = s->device;
    return gndi_tls.recorder->source(gndi_tls.recorder, &source, result) != GNDI_RUN_IT;
}

static gnd_array *constant(const char *fn, const gnd_shape *shape, gnd_dtype dtype, gnd_arg value) {
    gnd_array *result;
    if (gndi_recorder_now() && recorded(fn, shape->ndim, shape->dim, float64_unless(dtype), value, &result))
        return result;
    return gndi_filled(fn, new_array(fn, shape, dtype), value);
}

/* The same in the place of an array like `a`. */
static gnd_array *constant_like(const char *fn, const gnd_array *a, gnd_dtype dtype, gnd_arg value) {
    gnd_array *result;
    if (gndi_recorder_now() && a && gndi_is_c_contiguous(a) &&
        recorded(fn, a->ndim, a->shape, dtype ? dtype : (gnd_dtype)a->dtype, value, &result))
        return result;
    return gndi_filled(fn, gndi_new_like(fn, a, dtype), value);
}

/* ---- the public functions ------------------------------------------------------------------- */

gnd_array *gnd_empty(gnd_shape shape, gnd_dtype dtype) {
    return new_array("gnd_empty", &shape, dtype);
}

gnd_array *gnd_zeros(gnd_shape shape, gnd_dtype dtype) {
    return constant("gnd_zeros", &shape, dtype, gnd_arg_int(0));
}

gnd_array *gnd_ones(gnd_shape shape, gnd_dtype dtype) {
    return constant("gnd_ones", &shape, dtype, gnd_arg_int(1));
}

gnd_array *gnd_full(gnd_shape shape, gnd_arg value, gnd_dtype dtype) {
    if (!value_dtype("gnd_full", value, &dtype)) return NULL;
    return constant("gnd_full", &shape, dtype, value);
}

gnd_array *gnd_empty_like(const gnd_array *a, gnd_dtype dtype) {
    return gndi_new_like("gnd_empty_like", a, dtype);
}

gnd_array *gnd_zeros_like(const gnd_array *a, gnd_dtype dtype) {
    return constant_like("gnd_zeros_like", a, dtype, gnd_arg_int(0));
}

gnd_array *gnd_ones_like(const gnd_array *a, gnd_dtype dtype) {
    return constant_like("gnd_ones_like", a, dtype, gnd_arg_int(1));
}

gnd_array *gnd_full_like(const gnd_array *a, gnd_arg value, gnd_dtype dtype) {
    if (value.kind == GND_ARG_ARRAY && gndi_missing(value.array))
        return gndi_raise_null("gnd_full_like", "value"), NULL;
    return constant_like("gnd_full_like", a, dtype, value);
}

static gnd_array *eye(const char *fn, int64_t n, int64_t m, int64_t k, gnd_dtype dtype) {
    int64_t shape[2] = {n, m};
    gnd_array *matrix = gndi_array_new(fn, 2, shape, float64_unless(dtype), GNDI_ORDER_C);
    if (!(matrix = gndi_zero(fn, matrix))) return NULL;
    /* gndi_filled releases the diagonal if it fails, else it is released here; never the matrix. */
    gnd_array *diagonal = gnd_diagonal(matrix, k, 0, 1);
    bool filled = diagonal && (diagonal->size == 0 || (diagonal = gndi_filled(fn, diagonal, gnd_arg_int(1))));
    gnd_release(diagonal);
    if (filled) return matrix;
    gnd_release(matrix);
    return NULL;
}

gnd_array *gnd_eye(int64_t n, int64_t m, int64_t k, gnd_dtype dtype) {
    GNDI_PARTS_OF("gnd_eye");
    return eye("gnd_eye", n, m == -1 ? n : m, k, dtype);
}

gnd_array *gnd_identity(int64_t n, gnd_dtype dtype) {
    GNDI_PARTS_OF("gnd_identity");
    return eye("gnd_identity", n, n, 0, dtype);
}
