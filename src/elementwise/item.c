/*
 * item.c: the element of an array of size 1 as a C number, and arrays over foreign memory.
 */
#include "elementwise/item.h"
#include "core/loose.h"
#include "elementwise/elementwise.h"
#include <inttypes.h>
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_at_item
#undef gnd_at_parts
#undef gnd_at_double
#undef gnd_at_int
#undef gnd_at_uint
#undef gnd_at_bool

/* ---- one element ---------------------------------------------------------------------------- */

/* `bytes` from `data`, which is of the array's buffer, to the host. */
static gnd_status read_bytes(const char *fn, const gnd_array *a, const char *data, size_t bytes, void *out) {
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, a->buffer, fn);
    if (!status) status = s->device->backend->copy_out(s, out, data, bytes, false, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_collect_faults(s, fn);
}

gnd_status gndi_read(const char *fn, const gnd_array *a, void *out) {
    return read_bytes(fn, a, gndi_data(a), (size_t)(a->size * gndi_itemsize(a)), out);
}

/* Which element of an array is read: its only one, or the one at these indices. */
typedef struct element {
    const gnd_array *a;
    bool only;
    int count;
    const int64_t *indices;
} element;

static gnd_status check_only(const char *fn, const gnd_array *a) {
    if (a->size == 1) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, fn, "the array has shape %s, %" PRId64 " elements; it must have exactly one",
                      gndi_text_shape(a->ndim, a->shape), a->size);
}

/* The offset in bytes of the element at the indices. */
static gnd_status find(const char *fn, const element *e, int64_t *offset) {
    const gnd_array *a = e->a;
    if (e->count != a->ndim)
        return gndi_raise(GND_ERROR_INDEX, fn, "%d %s for an array of shape %s; it takes one index for each axis, %d",
                          e->count, e->count == 1 ? "index" : "indices", gndi_text_shape(a->ndim, a->shape), a->ndim);
    if (e->count > 0 && !e->indices) return gndi_raise_null(fn, "indices");
    *offset = 0;
    for (int axis = 0; axis < a->ndim; axis++) {
        const int64_t n = a->shape[axis], given = e->indices[axis];
        const int64_t index = given < 0 ? given + n : given;
        if (index < 0 || index >= n)
            return gndi_raise(GND_ERROR_INDEX, fn, "index %" PRId64 " is out of bounds for axis %d of size %" PRId64,
                              given, axis, n);
        *offset += index * a->strides[axis];
    }
    return GND_OK;
}

static gnd_status fetch(const char *fn, const element *e, bool must_be_real, gndi_scalar *out) {
    const gnd_array *a = e->a;
    int64_t offset = 0;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    gnd_status status = e->only ? check_only(fn, a) : find(fn, e, &offset);
    if (status) return status;
    if (must_be_real && gndi_dtype_is_complex(a->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "the element is %s; use %s, or take gnd_real of it",
                          gnd_dtype_name((gnd_dtype)a->dtype), e->only ? "gnd_item_complex" : "gnd_at_complex");
    return read_bytes(fn, a, gndi_data(a) + offset, (size_t)gndi_itemsize(a), out);
}

gnd_status gndi_item(const char *fn, const gnd_array *a, gndi_scalar *out) {
    return fetch(fn, &(element){a, true, 0, NULL}, false, out);
}

static gnd_status element_as_it_is(const char *fn, element e, void *value) {
    gndi_scalar item;
    if (!value) return gndi_raise(GND_ERROR_INVALID, fn, "no memory to write the element to (value is NULL)");
    gnd_status status = fetch(fn, &e, false, &item);
    if (!status && e.a->dtype == GND_BOOL) item.b = item.u8 != 0;
    if (!status) memcpy(value, &item, (size_t)gndi_itemsize(e.a));
    return status;
}

/* The element as a floating number's two parts; 64-bit integers are rounded. */
static void parts_of(int dtype, const gndi_scalar *v, double part[2]) {
    part[0] = part[1] = 0;
    switch (dtype) {
    case GND_BOOL: part[0] = v->u8 != 0; break;
    case GND_INT8: part[0] = v->i8; break;
    case GND_UINT8: part[0] = v->u8; break;
    case GND_INT16: part[0] = v->i16; break;
    case GND_UINT16: part[0] = v->u16; break;
    case GND_INT32: part[0] = v->i32; break;
    case GND_UINT32: part[0] = v->u32; break;
    case GND_INT64: part[0] = (double)v->i64; break;
    case GND_UINT64: part[0] = (double)v->u64; break;
    case GND_FLOAT16: part[0] = gnd_float16_to_float(v->u16); break;
    case GND_BFLOAT16: part[0] = gnd_bfloat16_to_float(v->u16); break;
    case GND_FLOAT32: part[0] = v->f32; break;
    case GND_FLOAT64: part[0] = v->f64; break;
    case GND_COMPLEX64: part[0] = v->c64[0], part[1] = v->c64[1]; break;
    case GND_COMPLEX128: part[0] = v->c128[0], part[1] = v->c128[1]; break;
    }
}

static gnd_status element_parts(const char *fn, element e, double *real, double *imaginary) {
    gndi_scalar item;
    gnd_status status = fetch(fn, &e, false, &item);
    if (status) return status;
    double part[2];
    parts_of(e.a->dtype, &item, part);
    if (real) *real = part[0];
    if (imaginary) *imaginary = part[1];
    return GND_OK;
}

static double element_double(const char *fn, element e) {
    gndi_scalar item;
    if (fetch(fn, &e, true, &item)) return 0;
    double part[2];
    parts_of(e.a->dtype, &item, part);
    return part[0];
}

static void refuse_integer(const char *fn, double value) {
    gndi_raise(GND_ERROR_VALUE, fn, "the element is %.17g, which does not fit a 64-bit integer", value);
}

static int64_t element_int(const char *fn, element e) {
    gndi_scalar item;
    if (fetch(fn, &e, true, &item)) return 0;
    const int dtype = e.a->dtype;
    if (dtype == GND_INT64) return item.i64;
    if (dtype == GND_UINT64 && item.u64 <= INT64_MAX) return (int64_t)item.u64;
    double part[2];
    parts_of(dtype, &item, part);
    if (part[0] >= -0x1p63 && part[0] < 0x1p63 && dtype != GND_UINT64) return (int64_t)part[0];
    refuse_integer(fn, part[0]);
    return 0;
}

static uint64_t element_uint(const char *fn, element e) {
    gndi_scalar item;
    if (fetch(fn, &e, true, &item)) return 0;
    const int dtype = e.a->dtype;
    if (dtype == GND_UINT64) return item.u64;
    if (dtype == GND_INT64 && item.i64 >= 0) return (uint64_t)item.i64;
    double part[2];
    parts_of(dtype, &item, part);
    if (part[0] > -1 && part[0] < 0x1p64) return (uint64_t)part[0];
    refuse_integer(fn, part[0]);
    return 0;
}

static bool element_bool(const char *fn, element e) {
    double part[2] = {0, 0};
    element_parts(fn, e, &part[0], &part[1]);
    return part[0] != 0 || part[1] != 0; /* NaN differs from zero */
}

#define ONLY(a) ((element){a, true, 0, NULL})
#define AT(a, count, indices) ((element){a, false, count, indices})
gnd_status gnd_item(const gnd_array *a, void *value) {
    return element_as_it_is("gnd_item", ONLY(a), value);
}
gnd_status gnd_item_parts(const gnd_array *a, double *real, double *imaginary) {
    return element_parts("gnd_item_parts", ONLY(a), real, imaginary);
}
double gnd_item_double(const gnd_array *a) {
    return element_double("gnd_item_double", ONLY(a));
}
int64_t gnd_item_int(const gnd_array *a) {
    return element_int("gnd_item_int", ONLY(a));
}
uint64_t gnd_item_uint(const gnd_array *a) {
    return element_uint("gnd_item_uint", ONLY(a));
}
bool gnd_item_bool(const gnd_array *a) {
    return element_bool("gnd_item_bool", ONLY(a));
}

gnd_status gnd_at_item(const gnd_array *a, void *value, int count, const int64_t *indices) {
    return element_as_it_is("gnd_at_item", AT(a, count, indices), value);
}
gnd_status gnd_at_parts(const gnd_array *a, double *real, double *imaginary, int count, const int64_t *indices) {
    return element_parts("gnd_at_parts", AT(a, count, indices), real, imaginary);
}
double gnd_at_double(const gnd_array *a, int count, const int64_t *indices) {
    return element_double("gnd_at_double", AT(a, count, indices));
}
int64_t gnd_at_int(const gnd_array *a, int count, const int64_t *indices) {
    return element_int("gnd_at_int", AT(a, count, indices));
}
uint64_t gnd_at_uint(const gnd_array *a, int count, const int64_t *indices) {
    return element_uint("gnd_at_uint", AT(a, count, indices));
}
bool gnd_at_bool(const gnd_array *a, int count, const int64_t *indices) {
    return element_bool("gnd_at_bool", AT(a, count, indices));
}

/* ---- foreign memory ------------------------------------------------------------------------- */

static gnd_status check_wrapped(const char *fn, const void *data, const gnd_shape *shape, const int64_t *strides,
                                gnd_dtype dtype, bool *readonly) {
    int64_t size = 0, itemsize = gndi_dtype_sizes[dtype];
    if (shape->ndim < 0 || shape->ndim > GND_MAX_DIMS || !gndi_shape_size(shape->ndim, shape->dim, &size))
        return GND_OK; /* making the array raises the error */
    if (size > 0 && !data) return gndi_raise(GND_ERROR_INVALID, fn, "data is NULL but there are elements");
    if (size > 0 && (uintptr_t)data % (uintptr_t)itemsize)
        return gndi_raise(GND_ERROR_INVALID, fn, "data is at %p, not a multiple of the %" PRId64 " bytes of a %s", data,
                          itemsize, gnd_dtype_name(dtype));
    *readonly = false;
    if (strides && !gndi_strides_sane(data, shape->ndim, shape->dim, strides))
        return gndi_raise(GND_ERROR_INVALID, fn, "strides %s reach farther than any memory",
                          gndi_text_shape(shape->ndim, strides));
    for (int i = 0; strides && i < shape->ndim; i++) {
        if (shape->dim[i] <= 1) continue;
        if (strides[i] % itemsize)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "strides[%d] is %" PRId64 " bytes, not a multiple of the %" PRId64 " of a %s", i,
                              strides[i], itemsize, gnd_dtype_name(dtype));
        if (strides[i] == 0) *readonly = true;
    }
    return GND_OK;
}

gnd_array *gndi_wrap(const char *fn, void *data, const gnd_shape *shape, const int64_t *strides, gnd_dtype dtype,
                     gnd_device device, gnd_deleter *deleter, void *context) {
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return NULL;
    if (!gndi_dtype_valid((int)dtype)) return gndi_fail(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)dtype);
    if (data && !d->backend->can_reach(d, data))
        return gndi_fail(GND_ERROR_DEVICE, fn, "%p is no memory of %s", data, gndi_text_device(device));
    return gndi_wrap_reached(fn, data, shape, strides, dtype, d, deleter, context);
}

gnd_array *gndi_wrap_reached(const char *fn, void *data, const gnd_shape *shape, const int64_t *strides,
                             gnd_dtype dtype, gndi_device *d, gnd_deleter *deleter, void *context) {
    bool readonly = false;
    if (check_wrapped(fn, data, shape, strides, dtype, &readonly)) return NULL;
    gndi_buffer *b = gndi_buffer_wrap(fn, d, data, 0, NULL, NULL);
    gnd_array *a = b ? gndi_array_over(fn, b, shape->ndim, shape->dim, strides, data, dtype) : NULL;
    if (!a) return NULL;
    b->bytes = b->used = (size_t)(a->size * gndi_itemsize(a));
    b->deleter = deleter; /* only now: a call that fails leaves the memory to the caller */
    b->context = context;
    if (readonly) a->flags |= GNDI_READONLY;
    gndi_set_loose(b);
    return a;
}

gnd_array *gnd_wrap(void *data, gnd_shape shape, const int64_t *strides, gnd_dtype dtype, gnd_device device,
                    gnd_deleter *deleter, void *context) {
    return gndi_wrap("gnd_wrap", data, &shape, strides, dtype, device, deleter, context);
}
