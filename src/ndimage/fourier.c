/*
 * fourier.c: filters of Fourier transforms: the product with factors of each axis, which are computed on the host.
 */
#include "filter/filter.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/fourier_filters.h>
#include <math.h>

typedef enum kind { GAUSSIAN, UNIFORM, SHIFT, ELLIPSOID } kind;

static const double PI = 3.14159265358979323846;

/* Factor number k of an axis of n; length: -1, or that of a real transform, whose frequencies only rise. */
static void factor(kind what, double parameter, int64_t k, int64_t n, int64_t length, double *to) {
    const double f = (double)(length < 0 && k >= (n + 1) / 2 ? k - n : k);
    const double step = PI * parameter / (double)(length < 0 ? n : length);
    if (what == SHIFT) {
        to[0] = cos(-2 * step * f), to[1] = sin(-2 * step * f);
    } else if (what == ELLIPSOID) {
        to[0] = step * step * f * f; /* a square, to be added to those of other axes */
    } else if (what == GAUSSIAN) {
        to[0] = exp(-2 * step * step * f * f);
    } else {
        to[0] = f == 0 ? 1 : step > 0 ? sin(step * f) / (step * f) : 0;
    }
}

/* The factors of an axis, each `times` times, as an array that broadcasts to x; of an ellipsoid in double. */
static gnd_array *factors(gndi_temporaries *s, const gnd_array *x, kind what, double parameter, int axis,
                          int64_t length, int times) {
    const int64_t all = x->shape[axis], n = all / times, parts = what == SHIFT ? 2 : 1;
    const bool narrow = x->dtype == GND_COMPLEX64 || x->dtype == GND_FLOAT32;
    double *numbers = s->failed ? NULL : gndi_malloc(s->fn, (size_t)(all * parts) * sizeof *numbers);
    s->failed |= !numbers;
    if (s->failed) return NULL;
    for (int64_t k = 0; k < n; k++) factor(what, parameter, k, n, length, numbers + k * parts * times);
    for (int64_t k = 0; times == 2 && k < n; k++) numbers[2 * k + 1] = numbers[2 * k];
    gnd_array *made = NULL;
    if (parts == 1) {
        made = gndi_filter_numbers(s, x, 1, &all, numbers, narrow && what != ELLIPSOID ? GND_FLOAT32 : GND_FLOAT64);
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

/* The transform of an ellipsoid at r, the root of `squares`: sin(r) / r of a line, 2 J1(r) / r of an ellipse,
   3 (sin(r) - r cos(r)) / r^3 of an ellipsoid; 1 at 0. */
static gnd_array *of_ellipsoid(gndi_temporaries *s, const gnd_array *squares, int ndim) {
    gnd_array *r = gndi_step(s, GNDI_OP_sqrt, gnd_arg_array(squares), GND_NONE), *above = NULL, *below = r;
    if (s->failed) return NULL;
    if (ndim == 2) {
        above = gndi_step(s, GNDI_OP_j1, gnd_arg_array(r), GND_NONE);
        if (!s->failed) above = gndi_step_in_place(s, GNDI_OP_multiply, above, gnd_arg_int(2));
    } else {
        above = gndi_step(s, GNDI_OP_sin, gnd_arg_array(r), GND_NONE);
    }
    if (ndim == 3) {
        gnd_array *cosine = gndi_step(s, GNDI_OP_cos, gnd_arg_array(r), GND_NONE);
        if (!s->failed) cosine = gndi_step_in_place(s, GNDI_OP_multiply, cosine, gnd_arg_array(r));
        if (!s->failed) above = gndi_step_in_place(s, GNDI_OP_subtract, above, gnd_arg_array(cosine));
        if (!s->failed) above = gndi_step_in_place(s, GNDI_OP_multiply, above, gnd_arg_int(3));
        if (!s->failed) below = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(r), gnd_arg_array(squares));
    }
    if (!s->failed) above = gndi_step_in_place(s, GNDI_OP_divide, above, gnd_arg_array(below));
    gnd_array *is_zero = s->failed ? NULL : gndi_step(s, GNDI_OP_equal, gnd_arg_array(r), gnd_arg_int(0));
    if (!s->failed) gndi_step_into(s, GNDI_OP_add, above, gnd_arg_int(1), gnd_arg_int(0), is_zero);
    return above;
}

/* out times the numbers of frequencies 0 to those in the middle of each axis, which the negative ones share; `whole`:
   an axis that has no negative ones, or -1. */
static void times_halves(gndi_temporaries *s, gnd_array *out, gnd_array *times, int whole) {
    for (int part = 0; part < 1 << out->ndim && !s->failed; part++) {
        gndi_temporaries own = {.fn = s->fn};
        gnd_array *to = out, *by = times;
        bool is_empty = false;
        for (int a = 0; a < out->ndim && !own.failed; a++) {
            const int64_t half = times->shape[a], rest = out->shape[a] - half;
            const bool mirrored = part >> a & 1;
            is_empty |= mirrored && (a == whole || rest == 0);
            if (is_empty) break;
            to = gndi_step_part(&own, to, a, mirrored ? half : 0, mirrored ? rest : half, 1);
            if (mirrored && !own.failed) by = gndi_step_part(&own, by, a, rest, rest, -1);
        }
        if (!own.failed && !is_empty)
            gndi_step_into(&own, GNDI_OP_multiply, to, gnd_arg_array(to), gnd_arg_array(by), NULL);
        gndi_temporaries_end_part(s, &own);
    }
}

/* out times the transform of an ellipsoid, whose arguments' squares are sums over the axes. On the CPU once for all
   frequencies that differ in sign. */
static void times_ellipsoid(gndi_temporaries *s, gnd_array *out, const double *sizes, int real_axis, int64_t n) {
    const bool halves = gndi_is_on_cpu(out);
    gnd_array *squares = NULL;
    for (int a = 0; a < out->ndim && !s->failed; a++) {
        const int64_t length = a == real_axis ? n : -1;
        gnd_array *own = factors(s, out, ELLIPSOID, sizes[a], a, length, 1);
        if (!s->failed && halves && length < 0) own = gndi_step_part(s, own, a, 0, out->shape[a] / 2 + 1, 1);
        if (!s->failed) squares = a == 0 ? own : gndi_step(s, GNDI_OP_add, gnd_arg_array(squares), gnd_arg_array(own));
    }
    gnd_array *times = s->failed ? NULL : of_ellipsoid(s, squares, out->ndim);
    if (s->failed) return;
    if (halves)
        times_halves(s, out, times, n < 0 ? -1 : real_axis);
    else
        gndi_step_into(s, GNDI_OP_multiply, out, gnd_arg_array(out), gnd_arg_array(times), NULL);
}

/* A dense array of complex numbers as one of their parts, twice as many along the last axis; others as they are. */
static gnd_array *parts_of(gndi_temporaries *s, const gnd_array *x) {
    const bool is_complex = gndi_dtype_is_complex(x->dtype);
    const gnd_dtype part = x->dtype == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    if (is_complex) shape[x->ndim - 1] *= 2;
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, x, x->ndim, shape, NULL, gndi_data(x), is_complex ? part : (gnd_dtype)x->dtype));
}

/* out = from times the factors of all axes; `from` is the input or `out` itself. The CPU multiplies small factors by
   each other first. times_last: how many elements of the last axis each of its factors is for. */
static void times_factors(gndi_temporaries *s, gnd_array *out, const gnd_array *from, kind what,
                          const double *parameters, int real_axis, int64_t n, int times_last) {
    const bool joins = !s->failed && out->ndim > 2 && out->ndim <= 4 && gndi_is_on_cpu(out);
    gnd_array *joint = NULL;
    for (int a = 0; !s->failed && a < out->ndim; a++) {
        gndi_temporaries part = {.fn = s->fn}, *own = joins ? s : &part;
        gnd_array *times =
            factors(own, out, what, parameters[a], a, a == real_axis ? n : -1, a == out->ndim - 1 ? times_last : 1);
        if (joint && !own->failed) times = gndi_step(own, GNDI_OP_multiply, gnd_arg_array(joint), gnd_arg_array(times));
        joint = joins && a < out->ndim - 2 ? times : NULL;
        if (!joint && !own->failed) {
            gndi_step_into(own, GNDI_OP_multiply, out, gnd_arg_array(from), gnd_arg_array(times), NULL);
            from = out;
        }
        gndi_temporaries_end_part(s, &part);
    }
}

static gnd_array *filtered(const char *fn, const gnd_array *input, const double *parameters, const char *name,
                           int64_t n, int axis, kind what) {
    gndi_temporaries s = {.fn = fn};
    int real_axis = 0;
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), NULL;
    if (!parameters) return gndi_raise_null(fn, name), NULL;
    if (n < -1 || n == 0) return gndi_fail(GND_ERROR_VALUE, fn, "n is %lld; it must be -1 or positive", (long long)n);
    if (input->ndim > 0 && !gndi_normalize_axis(fn, axis, input->ndim, &real_axis)) return NULL;
    if (what == ELLIPSOID && input->ndim > 3)
        return gndi_fail(GND_ERROR_SHAPE, fn, "ellipsoids have up to 3 dimensions, and the input %d", input->ndim);
    const gnd_dtype dtype = (gnd_dtype)input->dtype;
    const bool keeps = gndi_dtype_is_complex(dtype) || (dtype == GND_FLOAT32 && what != SHIFT);
    const gnd_dtype output = keeps ? dtype : what == SHIFT ? GND_COMPLEX128 : GND_FLOAT64;
    /* The CPU's first product reads the input itself. */
    const bool reads =
        gndi_is_on_cpu(input) && what != ELLIPSOID && dtype == output && input->ndim > 0 && input->size > 0;
    gnd_array *out =
        gndi_temporaries_keep(&s, reads ? gndi_new_on_device_of(fn, input, input->ndim, input->shape, output)
                                        : gndi_copy_as(fn, input, output, 'C'));
    if (what == ELLIPSOID && !s.failed && input->size > 0 && input->ndim > 0)
        times_ellipsoid(&s, out, parameters, real_axis, n);
    else if (!s.failed && input->size > 0 && reads && what != SHIFT && gndi_is_c_contiguous(input))
        times_factors(&s, parts_of(&s, out), parts_of(&s, input), what, parameters, real_axis, n,
                      gndi_dtype_is_complex(dtype) ? 2 : 1);
    else if (!s.failed && input->size > 0)
        times_factors(&s, out, reads ? input : out, what, parameters, real_axis, n, 1);
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
gnd_array *gnd_fourier_ellipsoid(const gnd_array *input, const double *size, int64_t n, int axis) {
    return filtered("gnd_fourier_ellipsoid", input, size, "size", n, axis, ELLIPSOID);
}
