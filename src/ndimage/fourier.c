/*
 * fourier.c: filters of Fourier transforms: the product with factors of each axis, which are computed on the host.
 */
#include "filter/filter.h"
#include "ndimage/ndimage.h"
#include <gnd/fourier_filters.h>
#include <math.h>

typedef enum kind { GAUSSIAN, UNIFORM, SHIFT } kind;

static const double PI = 3.14159265358979323846;

/* Factor number k of an axis of n; length: -1, or that of a real transform, whose frequencies only rise. */
static void factor(kind what, double parameter, int64_t k, int64_t n, int64_t length, double *to) {
    const double f = (double)(length < 0 && k >= (n + 1) / 2 ? k - n : k);
    const double step = PI * parameter / (double)(length < 0 ? n : length);
    if (what == SHIFT) {
        to[0] = cos(-2 * step * f), to[1] = sin(-2 * step * f);
    } else if (what == GAUSSIAN) {
        to[0] = exp(-2 * step * step * f * f);
    } else {
        to[0] = f == 0 ? 1 : step > 0 ? sin(step * f) / (step * f) : 0;
    }
}

/* The factors of an axis, as an array that broadcasts to x. */
static gnd_array *factors(gndi_temporaries *s, const gnd_array *x, kind what, double parameter, int axis,
                          int64_t length) {
    const int64_t n = x->shape[axis], parts = what == SHIFT ? 2 : 1;
    const bool narrow = x->dtype == GND_COMPLEX64 || x->dtype == GND_FLOAT32;
    double *numbers = s->failed ? NULL : gndi_malloc(s->fn, (size_t)(n * parts) * sizeof *numbers);
    s->failed |= !numbers;
    if (s->failed) return NULL;
    for (int64_t k = 0; k < n; k++) factor(what, parameter, k, n, length, numbers + k * parts);
    gnd_array *made = NULL;
    if (parts == 1) {
        made = gndi_filter_numbers(s, x, 1, &n, numbers, narrow ? GND_FLOAT32 : GND_FLOAT64);
    } else {
        const int64_t shape[2] = {n, 2};
        const gnd_array *pairs = gndi_filter_numbers(s, x, 2, shape, numbers, GND_FLOAT64);
        gnd_array *real = gndi_step_at(s, pairs, 1, 0), *imaginary = gndi_step_at(s, pairs, 1, 1);
        if (!s->failed) made = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(imaginary), gnd_arg_parts(0, 1));
        if (!s->failed) made = gndi_step(s, GNDI_OP_add, gnd_arg_array(real), gnd_arg_array(made));
        if (!s->failed && narrow) made = gndi_temporaries_keep(s, gndi_copy_as(s->fn, made, GND_COMPLEX64, 'C'));
    }
    gndi_free(numbers);
    return s->failed ? NULL : gndi_step_along(s, made, axis, x->ndim);
}

static gnd_array *filtered(const char *fn, const gnd_array *input, const double *parameters, const char *name,
                           int64_t n, int axis, kind what) {
    gndi_temporaries s = {.fn = fn};
    int real_axis = 0;
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), NULL;
    if (!parameters) return gndi_raise_null(fn, name), NULL;
    if (n < -1 || n == 0) return gndi_fail(GND_ERROR_VALUE, fn, "n is %lld; it must be -1 or positive", (long long)n);
    if (input->ndim > 0 && !gndi_normalize_axis(fn, axis, input->ndim, &real_axis)) return NULL;
    const gnd_dtype dtype = (gnd_dtype)input->dtype;
    const bool keeps = gndi_dtype_is_complex(dtype) || (dtype == GND_FLOAT32 && what != SHIFT);
    const gnd_dtype output = keeps ? dtype : what == SHIFT ? GND_COMPLEX128 : GND_FLOAT64;
    gnd_array *out = gndi_temporaries_keep(&s, gndi_copy_as(fn, input, output, 'C'));
    for (int a = 0; a < input->ndim && !s.failed && input->size > 0; a++) {
        gndi_temporaries part = {.fn = fn};
        gnd_array *times = factors(&part, out, what, parameters[a], a, a == real_axis ? n : -1);
        if (!part.failed) gndi_step_into(&part, GNDI_OP_multiply, out, gnd_arg_array(out), gnd_arg_array(times), NULL);
        gndi_temporaries_end_part(&s, &part);
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_fourier_gaussian(const gnd_array *input, const double *sigma, int64_t n, int axis) {
    return filtered("gnd_fourier_gaussian", input, sigma, "sigma", n, axis, GAUSSIAN);
}
gnd_array *gnd_fourier_uniform(const gnd_array *input, const double *size, int64_t n, int axis) {
    return filtered("gnd_fourier_uniform", input, size, "size", n, axis, UNIFORM);
}
gnd_array *gnd_fourier_shift(const gnd_array *input, const double *shift, int64_t n, int axis) {
    return filtered("gnd_fourier_shift", input, shift, "shift", n, axis, SHIFT);
}
