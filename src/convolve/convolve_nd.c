/*
 * convolve_nd.c: convolution and correlation in any number of dimensions, directly or by Fourier transforms.
 */
#include "convolve/convolve.h"
#include "convolve/method.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"
#include <math.h>

/* ---- the choice of a method ------------------------------------------------------------------- */

static bool is_whole(const gnd_array *a) {
    return a->dtype == GND_BOOL || gndi_dtype_is_int(a->dtype);
}

/* Whether it is transformed in float64: whole numbers are. */
static bool is_wide(const gnd_array *a) {
    return is_whole(a) || a->dtype == GND_FLOAT64 || a->dtype == GND_COMPLEX128;
}

/* The taps at which both methods take as long, for results of so many elements: between two columns of the table in
   proportion, as logarithms; beyond its ends as at them. */
static double crossing(const gnd_array *a, const gnd_array *b, double elements) {
    const gndi_method_table *table = gnd_device_of(a).kind == GND_GPU ? &method_gpu : &method_cpu;
    const bool is_complex = gndi_dtype_is_complex(a->dtype) || gndi_dtype_is_complex(b->dtype);
    const float *taps = table->taps[2 * is_complex + (is_wide(a) || is_wide(b))][a->ndim > 1];
    const double last = GNDI_METHOD_SIZES - 1, position = (log2(elements) - GNDI_METHOD_FIRST) / GNDI_METHOD_STEP;
    const double at = fmin(fmax(position, 0), last);
    const int column = (int)fmin(at, last - 1);
    return taps[column] * pow((double)taps[column + 1] / taps[column], at - column);
}

/* Whether transforms in float64 round to the right integers: sums stay far below 2^53. */
static bool rounds_well(const gnd_array *a, const gnd_array *b) {
    static const double largest[] = {
        [GND_BOOL] = 1, [GND_INT8] = 128, [GND_UINT8] = 255, [GND_INT16] = 32768.0, [GND_UINT16] = 65535.0};
    if (a->dtype > GND_UINT16 || b->dtype > GND_UINT16) return false;
    return largest[a->dtype] * largest[b->dtype] * (double)gndi_min(a->size, b->size) < 0x1p40;
}

static gnd_convolve_method choose(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode) {
    if (a->size == 0 || b->size == 0 || a->ndim == 0) return GND_CONVOLVE_DIRECT;
    if (is_whole(a) && is_whole(b) && !rounds_well(a, b)) return GND_CONVOLVE_DIRECT;
    double products = (double)gndi_min(a->size, b->size), elements = 1;
    for (int i = 0; i < a->ndim; i++) {
        const int64_t n = a->shape[i], m = b->shape[i];
        elements *= (double)(n + m - 1);
        products *= (double)(mode == GND_FULL ? n + m - 1 : mode == GND_SAME ? n : gndi_max(n, m) - gndi_min(n, m) + 1);
    }
    return products <= crossing(a, b, elements) * elements ? GND_CONVOLVE_DIRECT : GND_CONVOLVE_FFT;
}

/* ---- checks ----------------------------------------------------------------------------------- */

static bool check_arrays(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode) {
    if (!gndi_check_pair(fn, a, b)) return false;
    if (a->ndim != b->ndim)
        gndi_raise(GND_ERROR_SHAPE, fn, "both arrays must have as many dimensions; their shapes are %s and %s",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    else if ((unsigned)mode > GND_VALID)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
    else
        return true;
    return false;
}

gnd_convolve_method gnd_choose_conv_method(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode) {
    return check_arrays("gnd_choose_conv_method", a, b, mode) ? choose(a, b, mode) : GND_CONVOLVE_DIRECT;
}

/* ---- the work --------------------------------------------------------------------------------- */

/* A convolution of x and k, of one dtype, GND_VALID with k in x. */
typedef struct request {
    const gnd_array *x, *k;
    bool backwards; /* k */
    gnd_correlate_mode mode;
} request;

static gnd_array *directly(gndi_temporaries *s, const request *r) {
    gndi_sliding slide = {.x = r->x, .k = r->k, .border = GNDI_BORDER_CONSTANT, .backwards = r->backwards};
    for (int a = 0; a < r->x->ndim; a++) {
        const int64_t n = r->x->shape[a], taps = r->k->shape[a], before = taps - 1;
        slide.first[a] = r->mode == GND_FULL ? -before : r->mode == GND_SAME ? before / 2 - before : 0;
        slide.count[a] = r->mode == GND_FULL ? n + before : r->mode == GND_SAME ? n : n - before;
        if (slide.count[a] < 0) slide.count[a] = 0;
    }
    return gndi_slide(s, &slide);
}

/* Whole numbers are transformed in float64 and rounded back. */
static gnd_array *by_transforms(gndi_temporaries *s, const request *r) {
    const gnd_dtype dtype = (gnd_dtype)r->x->dtype;
    const gnd_array *k = r->backwards ? r->k : gndi_reversed(s, r->k);
    if (s->failed) return NULL;
    GNDI_PARTS_OF(s->fn);
    gnd_array *out = gndi_temporaries_keep(s, gnd_fftconvolve(r->x, k, r->mode, GND_ALL));
    if (s->failed || (gnd_dtype)out->dtype == dtype) return out;
    if (is_whole(r->x)) gndi_step_into(s, GNDI_OP_rint, out, gnd_arg_array(out), GND_NONE, NULL);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, out, dtype, 'K'));
}

static gnd_array *combine(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                          gnd_convolve_method method, bool convolves) {
    bool swaps = false;
    if (!check_arrays(fn, a, b, mode)) return NULL;
    if ((unsigned)method > GND_CONVOLVE_FFT) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no method number %d", (int)method);
        return NULL;
    }
    if (mode == GND_VALID && !gndi_valid_swaps(fn, a, b, &swaps)) return NULL;
    gndi_temporaries s = {.fn = fn};
    if (method == GND_CONVOLVE_AUTO) method = choose(a, b, mode);
    request r = {.x = swaps ? b : a, .k = swaps ? a : b, .backwards = convolves, .mode = mode};
    if (!gndi_sliding_operands(&s, &r.x, &r.k)) return gndi_temporaries_end(&s, NULL);
    if (!convolves) r.k = gndi_conjugate_of(&s, r.k);
    gnd_array *out = NULL;
    if (s.failed)
        out = NULL;
    else if (a->ndim == 0)
        out = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(r.x), gnd_arg_array(r.k));
    else if (method == GND_CONVOLVE_DIRECT || a->size == 0 || b->size == 0)
        out = directly(&s, &r);
    else
        out = by_transforms(&s, &r);
    if (out && swaps && !convolves) { /* the correlation the other way round */
        out = gndi_reversed(&s, out);
        const gnd_array *turned = out ? gndi_conjugate_of(&s, out) : NULL;
        if (turned != out) out = (gnd_array *)(uintptr_t)turned;
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_convolve_nd(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                           gnd_convolve_method method) {
    return combine("gnd_convolve_nd", a, b, mode, method, true);
}

gnd_array *gnd_correlate_nd(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                            gnd_convolve_method method) {
    return combine("gnd_correlate_nd", a, b, mode, method, false);
}

gnd_array *gnd_correlation_lags(int64_t n, int64_t m, gnd_correlate_mode mode) {
    static const char fn[] = "gnd_correlation_lags";
    if (n < 1 || m < 1 || n > INT64_MAX / 4 || m > INT64_MAX / 4) {
        gndi_raise(GND_ERROR_VALUE, fn, "the lengths are %lld and %lld; they must be at least 1", (long long)n,
                   (long long)m);
        return NULL;
    }
    if ((unsigned)mode > GND_VALID) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
        return NULL;
    }
    int64_t first = -(m - 1), count = n + m - 1;
    if (mode == GND_SAME) first += count / 2 - n / 2, count = n;
    if (mode == GND_VALID) first = n >= m ? 0 : n - m, count = gndi_max(n, m) - gndi_min(n, m) + 1;
    GNDI_PARTS_OF(fn);
    return (gnd_arange)(gnd_arg_int(first), gnd_arg_int(first + count), gnd_arg_int(1), GND_INT64);
}
