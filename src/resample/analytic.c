/*
 * analytic.c: analytic signals, by Fourier transforms. Only the half of the spectrum that is not zero is computed, and
 * the factors of both transforms are in one product with it. GPUs have kernels for long lines of 2^n elements.
 */
#include "resample/fourier.h"
#include "resample/hilbert_plan.h"
#include "runtime/runtime.h"

gnd_array *gndi_fourier_new(gndi_temporaries *s, const gnd_array *x, int axis, int64_t n, gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[axis] = n;
    return gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim, shape, dtype));
}

gnd_array *gndi_fourier(gndi_temporaries *s, gndi_fft_kind kind, const gnd_array *a, int axis, int64_t n, double factor,
                        gnd_array *out) {
    if (s->failed) return NULL;
    const bool back = kind == GNDI_IFFT || kind == GNDI_IRFFT;
    const gndi_fft_request r = {.fn = s->fn,
                                .kind = kind,
                                .a = a,
                                .out = out,
                                .axes = {.count = 1, .axis = {axis}, .n = {n}},
                                .norm = back ? GND_FFT_FORWARD : GND_FFT_BACKWARD,
                                .factor = factor};
    gnd_array *made = NULL;
    if (gndi_fft_run(&r, &made)) return gndi_temporaries_keep(s, NULL);
    return out ? out : gndi_temporaries_keep(s, made);
}

void gndi_fourier_scale(gndi_temporaries *s, const gnd_array *a, int axis, int64_t first, int64_t last, double factor) {
    if (s->failed || last <= first || a->size == 0) return;
    gnd_array *part = gndi_step_part(s, a, axis, first, last - first, 1);
    if (s->failed) return;
    if (factor == 0)
        gndi_step_into(s, GNDI_OP_copy, part, gnd_arg_bool(false), gnd_arg_none(), NULL);
    else
        gndi_step_into(s, GNDI_OP_multiply, part, gnd_arg_array(part), gnd_arg_real(factor), NULL);
}

static bool check_real(const char *fn, const gnd_array *x) {
    if (!gndi_dtype_is_complex(x->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    return false;
}

/* The length of a transform: that of the axis if n is -1. */
static bool read_length(const char *fn, const gnd_array *x, int axis, int64_t *n) {
    if (*n == -1) *n = x->shape[axis];
    if (*n > 0) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "there are %lld elements to transform along axis %d; there must be at least one",
               (long long)*n, axis);
    return false;
}

/* Whether a GPU's kernels make the analytic signals of whole lines. */
static bool are_lines(const gnd_array *x, int axis, int64_t n, gndi_hilbert_plan *p) {
    enum { SHARED_BYTES = 72 << 10 }; /* of the kernels' blocks, at most */
    const gndi_device *d = x->buffer->device;
    if (!d->backend->hilbert || d->shared_bytes < SHARED_BYTES || x->dtype != GND_FLOAT32 || x->size == 0) return false;
    bool dense = n == x->shape[axis] && gndi_is_c_contiguous(x) && (uintptr_t)gndi_data(x) % 8 == 0;
    for (int i = axis + 1; i < x->ndim; i++) dense = dense && x->shape[i] == 1;
    p->bits = GNDI_HILBERT_LEAST_BITS;
    while (p->bits < GNDI_HILBERT_MOST_BITS && INT64_C(1) << p->bits < n) p->bits++;
    p->lines = x->size / n;
    return dense && INT64_C(1) << p->bits == n && x->size <= INT32_MAX;
}

static void run_lines(gndi_temporaries *s, gndi_hilbert_plan *p, const gnd_array *x, const gnd_array *z) {
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &x, 1, &z);
    p->x = gndi_data(x), p->out = gndi_data(z);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->hilbert(stream, p, s->fn), s->fn);
}

gnd_array *gnd_hilbert(const gnd_array *x, int64_t n, int axis) {
    static const char fn[] = "gnd_hilbert";
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!check_real(fn, x) || !gndi_normalize_axis(fn, axis, x->ndim, &axis) || !read_length(fn, x, axis, &n))
        return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *z = gndi_fourier_new(&s, x, axis, n, gndi_fft_complex_of(x->dtype));
    if (s.failed || z->size == 0) return gndi_temporaries_end(&s, z);
    gndi_hilbert_plan plan;
    if (are_lines(x, axis, n, &plan)) {
        run_lines(&s, &plan, x, z);
        return gndi_temporaries_end(&s, z);
    }
    gndi_fourier(&s, GNDI_RFFT, x, axis, n, 0, gndi_step_part(&s, z, axis, 0, n / 2 + 1, 1));
    gndi_fourier_scale(&s, z, axis, 0, 1, 1.0 / (double)n);
    gndi_fourier_scale(&s, z, axis, 1, (n + 1) / 2, 2.0 / (double)n);
    if (n % 2 == 0) gndi_fourier_scale(&s, z, axis, n / 2, n / 2 + 1, 1.0 / (double)n);
    gndi_fourier_scale(&s, z, axis, n / 2 + 1, n, 0);
    gndi_fourier(&s, GNDI_IFFT, z, axis, n, 0, z);
    return gndi_temporaries_end(&s, z);
}

/* Two different axes, the last two if none are named. */
static bool read_two_axes(const char *fn, const gnd_array *x, const gnd_axes *axes, int pair[2]) {
    if (axes->count != 0 && axes->count != 2) {
        gndi_raise(GND_ERROR_INVALID, fn, "%d axes are named; there must be 2", axes->count < 0 ? 0 : axes->count);
        return false;
    }
    if (x->ndim < 2) {
        gndi_raise(GND_ERROR_SHAPE, fn, "x must have at least 2 dimensions; its shape is %s",
                   gndi_text_shape(x->ndim, x->shape));
        return false;
    }
    for (int k = 0; k < 2; k++)
        if (!gndi_normalize_axis(fn, axes->count ? axes->axis[k] : k - 2, x->ndim, &pair[k])) return false;
    if (pair[0] != pair[1]) return true;
    gndi_raise(GND_ERROR_AXIS, fn, "axis %d is named twice", pair[0]);
    return false;
}

gnd_array *gnd_hilbert2(const gnd_array *x, gnd_shape n, gnd_axes axes) {
    static const char fn[] = "gnd_hilbert2";
    int axis[2];
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!check_real(fn, x) || !read_two_axes(fn, x, &axes, axis)) return NULL;
    if (n.ndim != 0 && n.ndim != 2)
        return gndi_fail(GND_ERROR_SHAPE, fn, "%d lengths are given; there must be 2, or none", n.ndim);
    int64_t n0 = n.ndim ? n.dim[0] : -1, n1 = n.ndim ? n.dim[1] : -1;
    if (!read_length(fn, x, axis[0], &n0) || !read_length(fn, x, axis[1], &n1)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    /* The quadrant of frequencies below half of both lengths is kept; frequency 0 is not doubled. */
    const int64_t k0 = (n0 + 1) / 2, k1 = (n1 + 1) / 2;
    gnd_array *half = gndi_fourier(&s, GNDI_RFFT, x, axis[1], n1, 0, NULL);
    gnd_array *kept = s.failed ? NULL : gndi_step_part(&s, half, axis[1], 0, k1, 1);
    gnd_array *both = gndi_fourier(&s, GNDI_FFT, kept, axis[0], n0, 0, NULL);
    gndi_fourier_scale(&s, both, axis[0], 0, k0, 1.0 / ((double)n0 * (double)n1));
    gndi_fourier_scale(&s, both, axis[0], 1, k0, 2);
    gndi_fourier_scale(&s, both, axis[1], 1, k1, 2);
    gndi_fourier_scale(&s, both, axis[0], k0, n0, 0);
    gndi_fourier(&s, GNDI_IFFT, both, axis[0], n0, 0, both);
    gnd_array *z = s.failed ? NULL : gndi_fourier_new(&s, both, axis[1], n1, (gnd_dtype)both->dtype);
    if (s.failed || z->size == 0) return gndi_temporaries_end(&s, z);
    gndi_copy_to_part(&s, z, axis[1], 0, k1, both);
    gndi_fourier_scale(&s, z, axis[1], k1, n1, 0);
    gndi_fourier(&s, GNDI_IFFT, z, axis[1], n1, 0, z);
    return gndi_temporaries_end(&s, z);
}
