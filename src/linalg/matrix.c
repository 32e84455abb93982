/*
 * matrix.c: how arrays become what LAPACK works on, and the one place where its plans are submitted.
 */
#include "linalg/linalg.h"
#include "rearrange/rearrange.h"

/* ---- checks --------------------------------------------------------------------------------- */

gnd_dtype gndi_complex_dtype(gnd_dtype dtype) {
    return dtype == GND_FLOAT32 ? GND_COMPLEX64 : dtype == GND_FLOAT64 ? GND_COMPLEX128 : dtype;
}

gnd_dtype gndi_lapack_dtype(const char *fn, const gnd_array *a, const gnd_array *b) {
    const gnd_array *const both[] = {a, b};
    gnd_dtype dtype = GND_DTYPE_NONE;
    for (int i = 0; i < 2 && both[i]; i++) {
        const gnd_dtype own = (gnd_dtype)both[i]->dtype;
        if (own == GND_FLOAT16 || own == GND_BFLOAT16) {
            gndi_raise(GND_ERROR_DTYPE, fn, "linear algebra has no %s; convert it to float32 first (gnd_astype)",
                       gnd_dtype_name(own));
            return GND_DTYPE_NONE;
        }
        const gnd_dtype floating = own < GND_FLOAT16 ? GND_FLOAT64 : own;
        dtype = i ? gnd_promote_types(dtype, floating) : floating;
    }
    return dtype;
}

bool gndi_check_matrices(const char *fn, const gnd_array *a, const char *name) {
    if (gndi_missing(a)) {
        gndi_raise_null(fn, name);
        return false;
    }
    if (a->ndim >= 2) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s must be a matrix or a stack of them, of at least 2 dimensions; its shape is %s",
               name, gndi_text_shape(a->ndim, a->shape));
    return false;
}

bool gndi_check_square(const char *fn, const gnd_array *a, const char *name) {
    if (!gndi_check_matrices(fn, a, name)) return false;
    if (a->shape[a->ndim - 1] == a->shape[a->ndim - 2]) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "the last two axes of %s must be square; its shape is %s", name,
               gndi_text_shape(a->ndim, a->shape));
    return false;
}

int64_t gndi_matrix_count(const gnd_array *a) {
    int64_t count = 1;
    for (int i = 0; i < a->ndim - 2; i++) count *= a->shape[i];
    return count;
}

/* ---- copies --------------------------------------------------------------------------------- */

gnd_array *gndi_matrices_new(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape,
                             gnd_dtype dtype) {
    if (s->failed) return NULL;
    gnd_stream *stream = gndi_stream_on(like->buffer->device, s->fn);
    return gndi_temporaries_keep(s, stream ? gndi_array_new_on(s->fn, stream, ndim, shape, dtype, GNDI_ORDER_MATRICES)
                                           : NULL);
}

gnd_array *gndi_matrices_copy(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    gnd_array *copy = gndi_matrices_new(s, a, a->ndim, a->shape, dtype);
    if (copy && gndi_copy_into(s->fn, copy, a)) s->failed = true;
    return s->failed ? NULL : copy;
}

gnd_array *gndi_matrices_transposed(gndi_temporaries *s, const gnd_array *a) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_swapped(s->fn, a, a->ndim - 2, a->ndim - 1));
}

bool gndi_matrices_row_major(const gnd_array *a) {
    return gndi_magnitude(a->strides[a->ndim - 1]) < gndi_magnitude(a->strides[a->ndim - 2]);
}

gnd_array *gndi_matrices_taken(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool transposed,
                               bool conjugate) {
    if (transposed) a = gndi_matrices_transposed(s, a);
    if (s->failed) return NULL;
    if (!conjugate || !gndi_dtype_is_complex(a->dtype)) return gndi_matrices_copy(s, a, dtype);
    gnd_array *copy = gndi_matrices_new(s, a, a->ndim, a->shape, dtype);
    gndi_step_into(s, GNDI_OP_conjugate, copy, gnd_arg_array(a), gnd_arg_none(), NULL);
    return s->failed ? NULL : copy;
}

gnd_array *gndi_matrices_spare(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool *transposed) {
    *transposed = gndi_matrices_row_major(a);
    return gndi_matrices_taken(s, a, dtype, *transposed, false);
}

gndi_lapack_matrix gndi_lapack_matrices(const gnd_array *a) {
    const int64_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1];
    return (gndi_lapack_matrix){
        .data = gndi_data(a), .ld = rows > 0 ? rows : 1, .step = rows * columns * gndi_itemsize(a)};
}

gndi_lapack_plan gndi_lapack_plan_of(gndi_lapack_op op, const gnd_array *a) {
    return (gndi_lapack_plan){.op = op,
                              .dtype = a->dtype,
                              .m = a->shape[a->ndim - 2],
                              .n = a->shape[a->ndim - 1],
                              .batch = gndi_matrix_count(a),
                              .a = gndi_lapack_matrices(a)};
}

/* ---- arrays beside matrices, and views of them ------------------------------------------------ */

gnd_array *gndi_new_lines(gndi_temporaries *s, const gnd_array *a, int64_t count, gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[a->ndim - 2] = count;
    return gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, a, a->ndim - 1, shape, dtype));
}

void gndi_fill_identity(gndi_temporaries *s, gnd_array *a) {
    if (s->failed || a->size == 0) return;
    gnd_array *diagonal = gndi_temporaries_keep(s, gndi_diagonal(s->fn, a, 0, -2, -1));
    gndi_step_into(s, GNDI_OP_copy, a, gnd_arg_bool(false), gnd_arg_none(), NULL);
    gndi_step_into(s, GNDI_OP_copy, diagonal, gnd_arg_bool(true), gnd_arg_none(), NULL);
}

gnd_array *gndi_rows(gndi_temporaries *s, const gnd_array *a, int64_t count) {
    return s->failed ? NULL : gndi_step_part(s, a, a->ndim - 2, 0, count, 1);
}

gnd_array *gndi_columns(gndi_temporaries *s, const gnd_array *a, int64_t count) {
    return s->failed ? NULL : gndi_step_part(s, a, a->ndim - 1, 0, count, 1);
}

gnd_array *gndi_with_axis(gndi_temporaries *s, const gnd_array *a, int axis) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (s->failed) return NULL;
    if (a->ndim == GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "an array of %d axes has no room for another", GND_MAX_DIMS);
        return s->failed = true, NULL;
    }
    for (int i = 0, from = 0; i <= a->ndim; i++) {
        shape[i] = i == axis ? 1 : a->shape[from];
        strides[i] = i == axis ? 0 : a->strides[from];
        from += i != axis;
    }
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, a, a->ndim + 1, shape, strides, gndi_data(a), (gnd_dtype)a->dtype));
}

/* ---- submission ----------------------------------------------------------------------------- */

void gndi_lapack_submit(gndi_temporaries *s, const gndi_lapack_plan *plan, int reads, const gnd_array *const *read,
                        int writes, gnd_array *const *written) {
    if (s->failed) return;
    const gnd_array *any = writes ? written[0] : read[0];
    gnd_stream *stream = gndi_ew_stream(any, s->fn);
    gnd_status status = stream ? GND_OK : gndi_ew_pending();
    /* What fails behind this is this call's own. */
    const bool strict = gndi_tls.linalg_strict;
    if (!status && strict) status = gndi_stream_wait(stream, s->fn);
    for (int i = 0; i < reads && !status; i++)
        if (read[i]) status = gndi_order_read(stream, read[i]->buffer, s->fn);
    for (int i = 0; i < writes && !status; i++)
        if (written[i]) status = gndi_order_write(stream, written[i]->buffer, s->fn);
    if (!status) status = stream->device->backend->lapack(stream, plan, s->fn);
    if (!status) gndi_submitted(stream);
    if (!status) status = strict ? gndi_stream_wait_own(stream, s->fn) : gndi_finish(stream, s->fn);
    if (status) s->failed = true;
}
