/*
 * numbers.c: a few numbers on the host: reading arrays, buffers that are freed together, results as arrays.
 */
#include "polynomial/numbers.h"
#include "elementwise/elementwise.h"
#include <gnd/transfer.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- buffers -------------------------------------------------------------------------------- */

typedef union block {
    union block *next;
    gndi_complex aligned;
} block;

void *gndi_scratch_get(gndi_scratch *s, int64_t count, size_t size) {
    if (s->failed) return NULL;
    if (count < 0) count = 0;
    const uint64_t most = SIZE_MAX / 4 / size;
    if ((uint64_t)count > most) {
        gndi_scratch_fail(s, GND_ERROR_MEMORY, "%lld numbers do not fit into memory", (long long)count);
        return NULL;
    }
    block *b = gndi_calloc(s->fn, sizeof(block) + (size_t)count * size);
    if (!b) return s->failed = true, NULL;
    b->next = s->blocks;
    s->blocks = b;
    return b + 1;
}

gnd_status gndi_scratch_end(gndi_scratch *s) {
    for (block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        gndi_free(b);
    }
    s->blocks = NULL;
    return s->failed ? gndi_ew_pending() : GND_OK;
}

bool gndi_scratch_fail(gndi_scratch *s, gnd_status status, const char *format, ...) {
    char *text = gndi_text_buffer();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, GNDI_TEXT_BYTES, format, arguments);
    va_end(arguments);
    gndi_raise(status, s->fn, "%s", text);
    s->failed = true;
    return false;
}

/* ---- from arrays ---------------------------------------------------------------------------- */

/* The elements as `dtype`, of `bytes` each, in a scratch buffer; NULL: raised. */
static void *read_as(gndi_scratch *s, const gnd_array *a, const char *name, gnd_dtype dtype, size_t bytes) {
    if (s->failed) return NULL;
    if (gndi_missing(a)) return gndi_raise_null(s->fn, name), s->failed = true, NULL;
    void *values = gndi_scratch_get(s, a->size, bytes);
    if (!values || a->size == 0) return values;
    GNDI_PARTS_OF(s->fn);
    gnd_array *dense = gndi_copy_as(s->fn, a, dtype, 'C');
    s->failed = !dense || gnd_to_host(dense, values, (size_t)a->size * bytes);
    gnd_release(dense);
    return s->failed ? NULL : values;
}

static bool is_line(gndi_scratch *s, const gnd_array *a, const char *name) {
    if (s->failed || gndi_missing(a) || a->ndim <= 1) return true; /* what is missing is raised later */
    return gndi_scratch_fail(s, GND_ERROR_SHAPE, "%s must have one dimension, and is %s", name, gndi_text_array(a));
}

bool gndi_numbers_read_any(gndi_scratch *s, const gnd_array *a, const char *name, gndi_numbers *numbers) {
    numbers->at = read_as(s, a, name, GND_COMPLEX128, sizeof(gndi_complex));
    if (s->failed) return false;
    numbers->n = a->size;
    numbers->real = !gndi_dtype_is_complex(a->dtype);
    return true;
}

bool gndi_numbers_read(gndi_scratch *s, const gnd_array *a, const char *name, gndi_numbers *numbers) {
    return is_line(s, a, name) && gndi_numbers_read_any(s, a, name, numbers);
}

bool gndi_doubles_read_any(gndi_scratch *s, const gnd_array *a, const char *name, int64_t *n, double **values) {
    if (!s->failed && !gndi_missing(a) && gndi_dtype_is_complex(a->dtype))
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "%s must be real, and is %s", name, gndi_text_array(a));
    *values = read_as(s, a, name, GND_FLOAT64, sizeof(double));
    if (s->failed) return false;
    *n = a->size;
    return true;
}

bool gndi_doubles_read(gndi_scratch *s, const gnd_array *a, const char *name, int64_t *n, double **values) {
    return is_line(s, a, name) && gndi_doubles_read_any(s, a, name, n, values);
}

/* ---- to arrays ------------------------------------------------------------------------------ */

gnd_array *gndi_array_shaped(gndi_scratch *s, const gnd_shape *shape, const void *values, gnd_dtype dtype) {
    if (s->failed) return NULL;
    GNDI_PARTS_OF(s->fn);
    gnd_array *made = gnd_from_host(values, *shape, dtype);
    s->failed = !made;
    return made;
}

gnd_array *gndi_array_of_doubles(gndi_scratch *s, int64_t n, const double *values) {
    return gndi_array_shaped(s, &(gnd_shape){.ndim = 1, .dim = {n}}, values, GND_FLOAT64);
}

gnd_array *gndi_array_of_int64(gndi_scratch *s, int64_t n, const int64_t *values) {
    return gndi_array_shaped(s, &(gnd_shape){.ndim = 1, .dim = {n}}, values, GND_INT64);
}

gnd_array *gndi_array_of_complex(gndi_scratch *s, int64_t n, const gndi_complex *values) {
    return gndi_array_shaped(s, &(gnd_shape){.ndim = 1, .dim = {n}}, values, GND_COMPLEX128);
}

gnd_array *gndi_matrix_of_doubles(gndi_scratch *s, int64_t rows, int64_t columns, const double *values) {
    return gndi_array_shaped(s, &(gnd_shape){.ndim = 2, .dim = {rows, columns}}, values, GND_FLOAT64);
}

gnd_array *gndi_matrix_of_complex(gndi_scratch *s, int64_t rows, int64_t columns, const gndi_complex *values) {
    return gndi_array_shaped(s, &(gnd_shape){.ndim = 2, .dim = {rows, columns}}, values, GND_COMPLEX128);
}

gnd_array *gndi_array_of_numbers(gndi_scratch *s, int64_t n, const gndi_complex *values, bool real) {
    if (!real) return gndi_array_of_complex(s, n, values);
    double *reals = gndi_scratch_doubles(s, n);
    for (int64_t i = 0; reals && i < n; i++) reals[i] = creal(values[i]);
    return gndi_array_of_doubles(s, n, reals);
}
