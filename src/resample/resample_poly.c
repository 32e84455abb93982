/*
 * resample_poly.c: changes of the sampling rate by a rational factor, with a polyphase filter.
 */
#include "resample/resample.h"
#include "runtime/runtime.h"

static const char fn[] = "gnd_resample_poly";

enum { ZEROS = 10 }; /* of the filter's sinc, on either side */

/* What is known of one call. */
typedef struct rates {
    int64_t up, down;
    int64_t half;      /* the filter's delay, in samples between the two rates */
    gnd_window window; /* of the design */
    gnd_dtype dtype;   /* of the result */
} rates;

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* ---- what is subtracted meanwhile ------------------------------------------------------------- */

static bool has_background(gnd_upfirdn_mode mode) {
    return mode >= GND_UPFIRDN_MEAN && mode <= GND_UPFIRDN_MAXIMUM;
}

/* A number for each line, which is subtracted before and added afterwards. */
static gnd_array *background(gndi_temporaries *s, const gnd_array *x, int axis, gnd_upfirdn_mode mode) {
    const gnd_axes axes = {.count = 1, .axis = {axis}, .keepdims = true};
    if (s->failed) return NULL;
    switch (mode) {
    case GND_UPFIRDN_MEAN: return gndi_temporaries_keep(s, gnd_mean(x, axes));
    case GND_UPFIRDN_MEDIAN: return gndi_temporaries_keep(s, gnd_median(x, axes));
    case GND_UPFIRDN_MINIMUM: return gndi_temporaries_keep(s, gnd_min(x, axes));
    default: return gndi_temporaries_keep(s, gnd_max(x, axes));
    }
}

/* ---- the filter ------------------------------------------------------------------------------- */

static bool read_options(const gnd_array *x, const gnd_resample_poly_options *options, rates *r) {
    if (gndi_optional_missing(fn, options->taps, "taps")) return false;
    if (options->taps && gndi_check_together(fn, options->taps, "taps", x, "x")) return false;
    if (options->cval.kind != GND_ARG_NONE && options->padtype != GND_UPFIRDN_CONSTANT) {
        gndi_raise(GND_ERROR_INVALID, fn, "cval is for GND_UPFIRDN_CONSTANT; padtype is number %d",
                   (int)options->padtype);
        return false;
    }
    const gnd_dtype floating = gndi_dtype_is_float(x->dtype) || gndi_dtype_is_complex(x->dtype)
                                   ? gnd_promote_types((gnd_dtype)x->dtype, GND_FLOAT32)
                                   : GND_FLOAT64;
    const gnd_dtype all[] = {options->taps ? (gnd_dtype)options->taps->dtype : floating, (gnd_dtype)x->dtype,
                             GND_FLOAT32};
    r->dtype = gndi_promote_list(3, all);
    r->window = options->window.name ? options->window : (gnd_window){"kaiser", 1, {5}};
    return true;
}

/* The taps, and their delay. */
static const gnd_array *filter(gndi_temporaries *s, const gnd_array *x, const gnd_array *given, rates *r) {
    const int64_t rate = gndi_max(r->up, r->down);
    const bool wide = r->dtype == GND_FLOAT64 || r->dtype == GND_COMPLEX128;
    const gnd_array *h = given ? gndi_upfirdn_taps(s, given, "taps", r->dtype)
                               : gndi_lowpass(s, x, 2 * ZEROS * rate + 1, 1.0 / (double)rate, &r->window,
                                              wide ? GND_FLOAT64 : GND_FLOAT32);
    if (h) r->half = (h->size - 1) / 2;
    return h;
}

static gnd_array *resample(gndi_temporaries *s, const gnd_array *x, int axis, rates *r,
                           const gnd_resample_poly_options *options) {
    const bool lowered = has_background(options->padtype);
    gndi_upfirdn_request q = {.up = r->up, .down = r->down, .scale = (double)r->up};
    const gnd_upfirdn_mode mode = lowered ? GND_UPFIRDN_CONSTANT : options->padtype;
    if (!gndi_upfirdn_border(fn, mode, options->cval, r->dtype, &q)) return gndi_temporaries_keep(s, NULL);
    const int64_t n = x->shape[axis];
    if (n > INT64_MAX / r->up - r->down) {
        gndi_raise(GND_ERROR_MEMORY, fn, "%lld elements times %lld are too many", (long long)n, (long long)r->up);
        return gndi_temporaries_keep(s, NULL);
    }
    q.h = filter(s, x, options->taps, r);
    q.offset = r->half;
    q.out = gndi_lines_new(s, x, axis, gndi_ceil_div(n * r->up, r->down), r->dtype);
    if (s->failed || q.out->size == 0) return gndi_lines_back(s, q.out, axis);
    const gnd_array *base = lowered ? background(s, x, axis, options->padtype) : NULL;
    if (base) x = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(x), gnd_arg_array(base));
    q.x = gndi_lines_of(s, x, axis, r->dtype);
    gndi_upfirdn_lines(s, &q);
    gnd_array *y = gndi_lines_back(s, q.out, axis);
    if (base && !s->failed) gndi_step_into(s, GNDI_OP_add, y, gnd_arg_array(y), gnd_arg_array(base), NULL);
    return y;
}

gnd_array *gnd_resample_poly(const gnd_array *x, int64_t up, int64_t down, int axis,
                             const gnd_resample_poly_options *options) {
    static const gnd_resample_poly_options defaults = {0};
    if (!options) options = &defaults;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    rates r = {0};
    if (!gndi_normalize_axis(fn, axis, x->ndim, &axis) || !gndi_check_rates(fn, up, down) ||
        !read_options(x, options, &r))
        return NULL;
    GNDI_PARTS_OF(fn);
    const int64_t common = greatest_divisor(up, down);
    r.up = up / common, r.down = down / common;
    if (r.up == 1 && r.down == 1) return gndi_copy_as(fn, x, (gnd_dtype)x->dtype, 'K');
    gndi_temporaries s = {.fn = fn};
    return gndi_temporaries_end(&s, resample(&s, x, axis, &r, options));
}
