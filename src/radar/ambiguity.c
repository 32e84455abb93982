/*
 * ambiguity.c: the magnitudes of ambiguity functions. A GPU computes those of short pulses of complex64 in one launch;
 * others are products and transforms of slices of rows.
 */
#include "radar/radar.h"
#include "radar/ambiguity_plan.h"
#include "elementwise/create.h"
#include <math.h>

static const char fn[] = "gnd_ambgfun";

typedef struct pulses {
    const gnd_array *x, *y; /* 1-d, dense, of dtype; the same array: one pulse */
    gnd_dtype dtype;        /* complex */
    int64_t rows, n;        /* delays; elements of a transform */
    int bits;               /* n is 2^bits */
    gnd_array *norm_x, *norm_y;
} pulses;

static bool check(const gnd_array *x, const gnd_array *y, double fs, gnd_ambgfun_cut cut, double value) {
    if (x->ndim != 1 || x->size == 0 || y->ndim != 1 || y->size == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s and y %s; both must be 1-d and not empty",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(y->ndim, y->shape));
    else if (!(fs > 0) || !isfinite(fs) || !isfinite(value))
        gndi_raise(GND_ERROR_VALUE, fn, "fs is %g and the cut is at %g; both must be finite, and fs positive", fs,
                   value);
    else if ((unsigned)cut > GND_AMBGFUN_DOPPLER)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no cut number %d", (int)cut);
    else
        return gndi_check_together(fn, x, "x", y, "y") == GND_OK;
    return false;
}

static const gnd_array *dense(gndi_temporaries *s, const gnd_array *x, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)x->dtype == dtype && gndi_is_c_contiguous(x))) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(fn, x, dtype, 'C'));
}

/* Both pulses in one complex dtype, and their norms. */
static pulses read_pulses(gndi_temporaries *s, const gnd_array *x, const gnd_array *y) {
    const gnd_dtype both[] = {(gnd_dtype)x->dtype, (gnd_dtype)y->dtype};
    pulses p = {.dtype = gndi_fft_complex_of(gndi_promote_list(2, both)), .rows = x->size + y->size - 1};
    while ((INT64_C(1) << p.bits) < p.rows) p.bits++;
    p.n = INT64_C(1) << p.bits;
    p.x = dense(s, x, p.dtype), p.y = x == y ? p.x : dense(s, y, p.dtype);
    if (s->failed) return p;
    p.norm_x = gndi_temporaries_keep(s, gnd_vector_norm(p.x, 2, GND_ALL));
    p.norm_y = x == y || s->failed ? p.norm_x : gndi_temporaries_keep(s, gnd_vector_norm(p.y, 2, GND_ALL));
    return p;
}

/* op(a, b), of which b may be a number. */
static gnd_array *step(gndi_temporaries *s, gndi_op op, const gnd_array *a, gnd_arg b) {
    return s->failed ? NULL : gndi_step(s, op, gnd_arg_array(a), b);
}

/* A pulse over its norm; the conjugate. */
static gnd_array *normalized(gndi_temporaries *s, const gnd_array *pulse, const gnd_array *norm) {
    gnd_array *of = step(s, GNDI_OP_conjugate, pulse, gnd_arg_none());
    return s->failed ? NULL : gndi_step_in_place(s, GNDI_OP_divide, of, gnd_arg_array(norm));
}

/* Magnitudes of spectra along the last axis to `out`, frequency 0 in the middle. */
static void store_shifted(gndi_temporaries *s, const gnd_array *spectra, const gnd_array *out) {
    if (s->failed) return;
    const int axis = spectra->ndim - 1;
    const int64_t n = spectra->shape[axis], half = n / 2;
    for (int side = 0; side < 2 && !s->failed; side++) {
        const int64_t count = side ? half : n - half;
        if (count == 0) continue;
        const gnd_array *from = gndi_step_part(s, spectra, axis, side ? n - half : 0, count, 1);
        gnd_array *to = s->failed ? NULL : gndi_step_part(s, out, axis, side ? 0 : half, count, 1);
        if (to) gndi_step_into(s, GNDI_OP_absolute, to, gnd_arg_array(from), gnd_arg_none(), NULL);
    }
}

/* ---- the whole function ------------------------------------------------------------------------- */

static void in_one_launch(gndi_temporaries *s, const pulses *p, const gnd_array *out) {
    const gnd_array *read[] = {p->x, p->y, p->norm_x, p->norm_y};
    gnd_stream *stream = gndi_work_begin(fn, 4, read, 1, &out);
    s->failed = true;
    if (!stream) return;
    const gndi_ambiguity_plan plan = {.x = gndi_data(p->x),
                                      .y = gndi_data(p->y),
                                      .norm_x = (const float *)(const void *)gndi_data(p->norm_x),
                                      .norm_y = (const float *)(const void *)gndi_data(p->norm_y),
                                      .out = (float *)(void *)gndi_data(out),
                                      .nx = p->x->size,
                                      .ny = p->y->size,
                                      .bits = p->bits,
                                      .same = p->x == p->y};
    s->failed = gndi_work_end(stream, stream->device->backend->ambiguity(stream, &plan, fn), fn) != GND_OK;
}

/* x between zeros, so that row r of the products begins at element r. */
static gnd_array *padded(gndi_temporaries *s, const pulses *p) {
    const int64_t size = p->x->size + 2 * (p->y->size - 1);
    gnd_array *x = gndi_temporaries_keep(s, gndi_zero(fn, gndi_new_on_device_of(fn, p->x, 1, &size, p->dtype)));
    gnd_array *middle = s->failed ? NULL : gndi_step_part(s, x, 0, p->y->size - 1, p->x->size, 1);
    gnd_array *over = step(s, GNDI_OP_divide, p->x, gnd_arg_array(p->norm_x));
    if (middle && over) gndi_step_into(s, GNDI_OP_copy, middle, gnd_arg_array(over), gnd_arg_none(), NULL);
    return x;
}

/* The conjugates of the products are transformed, which is the conjugate of the inverse. */
static void by_slices(gndi_temporaries *s, const pulses *p, const gnd_array *out) {
    gnd_array *x = padded(s, p), *y = s->failed ? NULL : normalized(s, p->y, p->norm_y);
    const int64_t slice = gndi_radar_slice(out, p->n), item = gndi_dtype_sizes[p->dtype];
    for (int64_t first = 0; first < p->rows && !s->failed; first += slice) {
        gndi_temporaries part = {.fn = fn};
        const int64_t count = gndi_min(slice, p->rows - first), shape[] = {count, p->y->size}, strides[] = {item, item};
        const gnd_array *rows = gndi_temporaries_keep(
            &part, gndi_array_view(fn, x, 2, shape, strides, gndi_data(x) + first * item, p->dtype));
        const gnd_array *products = step(&part, GNDI_OP_multiply, rows, gnd_arg_array(y));
        const gnd_array *spectra = gndi_fourier(&part, GNDI_FFT, products, 1, p->n, 0, NULL);
        gnd_array *to = part.failed ? NULL : gndi_step_part(&part, out, 0, first, count, 1);
        store_shifted(&part, spectra, to);
        gndi_temporaries_end_part(s, &part);
    }
}

static gnd_array *surface(gndi_temporaries *s, const pulses *p) {
    if (s->failed) return NULL;
    if (p->rows > INT64_MAX / 32 / p->n)
        return gndi_fail(GND_ERROR_MEMORY, fn, "%lld delays of %lld frequencies are too many", (long long)p->rows,
                         (long long)p->n);
    const int64_t shape[] = {p->rows, p->n};
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(fn, p->x, 2, shape, gndi_real_dtype(p->dtype)));
    if (s->failed) return NULL;
    if (out->buffer->device->backend->ambiguity && p->dtype == GND_COMPLEX64 && p->bits >= GNDI_AMBIGUITY_LEAST_BITS &&
        p->bits <= GNDI_AMBIGUITY_MOST_BITS)
        in_one_launch(s, p, out);
    else
        by_slices(s, p, out);
    return out;
}

/* ---- cuts --------------------------------------------------------------------------------------- */

/* x moved to the front by so many samples, also by parts of one, within n samples. */
static gnd_array *moved(gndi_temporaries *s, const pulses *p, double samples) {
    const int64_t upper = (p->n + 1) / 2; /* the first negative frequency */
    const double turn = -6.283185307179586 * (samples - floor(samples));
    const gnd_array *x = gndi_fourier(s, GNDI_FFT, p->x, 0, p->n, 1.0 / (double)p->n, NULL);
    gnd_array *shifted = x ? gndi_temporaries_keep(s, gnd_freq_shift(x, -samples, (double)p->n, 0)) : NULL;
    gnd_array *negative = s->failed ? NULL : gndi_step_part(s, shifted, 0, upper, p->n - upper, 1);
    if (negative && turn != 0)
        gndi_step_in_place(s, GNDI_OP_multiply, negative, gnd_arg_complex(__builtin_complex(cos(turn), sin(turn))));
    return gndi_fourier(s, GNDI_IFFT, shifted, 0, p->n, 0, NULL);
}

/* One delay, all frequencies: the row of that delay. */
static gnd_array *delay_cut(gndi_temporaries *s, const pulses *p, double fs, double value) {
    const int64_t n = p->n;
    if (s->failed) return NULL;
    gnd_array *x = moved(s, p, value * fs), *y = s->failed ? NULL : normalized(s, p->y, p->norm_y);
    const gnd_array *there = s->failed ? NULL : gndi_step_part(s, x, 0, 0, p->y->size, 1);
    gnd_array *product = s->failed ? NULL : step(s, GNDI_OP_multiply, there, gnd_arg_array(y));
    if (product) gndi_step_in_place(s, GNDI_OP_divide, product, gnd_arg_array(p->norm_x));
    const gnd_array *spectrum = gndi_fourier(s, GNDI_FFT, product, 0, n, 0, NULL);
    gnd_array *out =
        s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_on_device_of(fn, p->x, 1, &n, gndi_real_dtype(p->dtype)));
    store_shifted(s, spectrum, out);
    return out;
}

/* One frequency, all delays: the column of that frequency. */
static gnd_array *doppler_cut(gndi_temporaries *s, const pulses *p, double fs, double value) {
    const gnd_array *y = s->failed ? NULL : gndi_temporaries_keep(s, gnd_freq_shift(p->y, -value, fs, 0));
    gnd_array *sums = y ? gndi_temporaries_keep(s, gnd_correlate_nd(p->x, y, GND_FULL, GND_CONVOLVE_AUTO)) : NULL;
    gnd_array *out = sums ? step(s, GNDI_OP_absolute, sums, gnd_arg_none()) : NULL;
    if (!s->failed) out = gndi_step_in_place(s, GNDI_OP_divide, out, gnd_arg_array(p->norm_x));
    if (!s->failed) out = gndi_step_in_place(s, GNDI_OP_divide, out, gnd_arg_array(p->norm_y));
    return out;
}

gnd_array *gnd_ambgfun(const gnd_array *x, const gnd_array *y, double fs, gnd_ambgfun_cut cut, double value) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_optional_missing(fn, y, "y")) return NULL;
    if (!y) y = x;
    if (!check(x, y, fs, cut, value)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const pulses p = read_pulses(&s, x, y);
    gnd_array *out = NULL;
    switch (cut) {
    case GND_AMBGFUN_2D: out = surface(&s, &p); break;
    case GND_AMBGFUN_DELAY: out = delay_cut(&s, &p, fs, value); break;
    case GND_AMBGFUN_DOPPLER: out = doppler_cut(&s, &p, fs, value); break;
    }
    s.failed |= !out;
    return gndi_temporaries_end(&s, out);
}
