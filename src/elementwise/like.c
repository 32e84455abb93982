/*
 * like.c: new arrays that lie in memory as others do, or as strides say.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"

void gndi_dense_strides(int ndim, const int64_t *shape, gnd_dtype dtype, const int *order, int64_t *strides) {
    int64_t step = gndi_dtype_sizes[dtype];
    for (int k = ndim - 1; k >= 0; k--) {
        strides[order[k]] = step;
        /* The allocation refuses sizes that are too large; here they must not overflow. */
        if (__builtin_mul_overflow(step, shape[order[k]], &step)) step = 0;
    }
}

gnd_array *gndi_new_strided_on(const char *fn, gnd_stream *stream, int ndim, const int64_t *shape,
                               const int64_t *strides, gnd_dtype dtype) {
    gnd_stream *current = gndi_tls.stream; /* such arrays are made on the current stream */
    gndi_stream_make_current(stream);
    gnd_array *made = gndi_array_new_strided(fn, ndim, shape, strides, dtype);
    gndi_stream_make_current(current);
    return made;
}

gnd_array *gndi_new_like(const char *fn, const gnd_array *a, gnd_dtype dtype) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (dtype == GND_DTYPE_NONE) dtype = (gnd_dtype)a->dtype;
    gnd_stream *stream = gndi_stream_on(a->buffer->device, fn);
    if (!stream) return NULL;
    if (gndi_is_c_contiguous(a) || gndi_is_f_contiguous(a) || !gndi_dtype_valid((int)dtype))
        return gndi_array_new_on(fn, stream, a->ndim, a->shape, dtype,
                                 gndi_is_c_contiguous(a) ? GNDI_ORDER_C : GNDI_ORDER_F);
    int order[GND_MAX_DIMS];
    int64_t strides[GND_MAX_DIMS];
    gndi_memory_order(a, true, order);
    gndi_dense_strides(a->ndim, a->shape, dtype, order, strides);
    return gndi_new_strided_on(fn, stream, a->ndim, a->shape, strides, dtype);
}
