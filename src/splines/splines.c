/*
 * splines.c: coefficients of cubic and quadratic splines, and the smoothing of images: filters that run forward and
 * backward over a mirrored signal (filter/mirrored.c), with the poles that scipy.signal has.
 */
#include "filter/filter.h"
#include <gnd/convolve.h>
#include <gnd/splines.h>
#include <math.h>

enum { CUBIC, QUADRATIC };
static const double gains[] = {6, 8}, least_smoothing = 1 / 144.0;

static double pole(int kind) {
    return kind == CUBIC ? sqrt(3) - 2 : 2 * sqrt(2) - 3;
}

/* The poles of the smoothing spline: rho exp(+- i omega). */
static void smoothing_poles(double lamb, double *rho, double *omega) {
    const double root = 24 * lamb * sqrt(3 + 144 * lamb), xi = 1 - 96 * lamb + root;
    *omega = atan(sqrt((144 * lamb - 1) / xi));
    *rho = (24 * lamb - 1 - sqrt(xi)) / (24 * lamb) * sqrt((48 * lamb + root) / xi);
}

static void swap(double *a, double *b) {
    const double kept = *a;
    *a = *b, *b = kept;
}

static gnd_array *no_sum(gndi_temporaries *s, int64_t length) {
    s->failed = true;
    return gndi_fail(GND_ERROR_VALUE, s->fn, "the sums at the ends did not converge: %lld samples are too few",
                     (long long)length);
}
static gnd_array *unstable(gndi_temporaries *s, double lamb, double rho) {
    s->failed = true;
    return gndi_fail(GND_ERROR_VALUE, s->fn, "lamb is %g, too little to smooth with: a pole of %g is not stable", lamb,
                     rho);
}

/* The coefficients along an axis; precision below 0: as exact as can be, with any number of samples. */
static gnd_array *along(gndi_temporaries *s, const gnd_array *x, int axis, int kind, bool smooth, double lamb,
                        double precision, gnd_dtype to) {
    if (s->failed) return NULL;
    const gnd_dtype dtype = (gnd_dtype)x->dtype;
    const bool narrow = to == GND_FLOAT32 || dtype == GND_FLOAT32 || dtype == GND_COMPLEX64 || dtype == GND_FLOAT16 ||
                        dtype == GND_BFLOAT16;
    gndi_mirrored_plan p = {.length = x->shape[axis], .from = narrow ? GND_FLOAT32 : GND_FLOAT64, .to = (uint8_t)to};
    const double z = pole(kind);
    double rho, omega;
    if (smooth) {
        smoothing_poles(lamb, &rho, &omega);
        if (!(fabs(rho) < 1)) return unstable(s, lamb, rho);
        gndi_mirrored_order2(&p, rho, omega, precision);
        if (precision < 0) swap(&p.first[1], &p.first[2]); /* SciPy's 1-d functions have them so */
    } else {                                               /* a single sample is not scaled by SciPy's 1-d functions */
        gndi_mirrored_order1(&p, precision < 0 && p.length == 1 ? -z : -z * gains[kind], z, precision);
    }
    for (int k = 0; k < p.order && precision >= 0; k++)
        if (p.start[k].count >= p.length || p.end[k].count >= p.length) return no_sum(s, p.length);
    return gndi_mirrored_any(s, &p, x, axis);
}

/* ---- signals -------------------------------------------------------------------------------- */

static gnd_array *coefficients(const char *fn, const gnd_array *signal, int kind, double lamb) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const bool smooth = lamb != 0;
    if (gndi_missing(signal)) return gndi_raise_null(fn, "signal"), NULL;
    if (smooth && kind == QUADRATIC)
        return gndi_fail(GND_ERROR_VALUE, fn, "lamb is %g; there are no smoothing quadratic splines", lamb);
    if (smooth && !(lamb > least_smoothing))
        return gndi_fail(GND_ERROR_VALUE, fn, "lamb is %g; it must be 0, or above 1/144", lamb);
    if (signal->ndim != 1 || signal->size < (smooth ? 3 : 1))
        return gndi_fail(GND_ERROR_SHAPE, fn, "the signal must have one dimension and at least %d samples, and is %s",
                         smooth ? 3 : 1, gndi_text_array(signal));
    return gndi_temporaries_end(&s, along(&s, signal, 0, kind, smooth, lamb, -1, GND_FLOAT64));
}

gnd_array *gnd_cspline1d(const gnd_array *signal, double lamb) {
    return coefficients("gnd_cspline1d", signal, CUBIC, lamb);
}
gnd_array *gnd_qspline1d(const gnd_array *signal, double lamb) {
    return coefficients("gnd_qspline1d", signal, QUADRATIC, lamb);
}

/* ---- images --------------------------------------------------------------------------------- */

static gnd_array *image_coefficients(gndi_temporaries *s, const gnd_array *x, int kind, double lamb, double precision) {
    const bool smooth = lamb > least_smoothing, is_complex = gndi_dtype_is_complex(x->dtype);
    const gnd_dtype work = gndi_filter_work(gndi_filter_result((gnd_dtype)x->dtype));
    const gnd_dtype to = work == GND_FLOAT32 || work == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    s->failed = true;
    if (x->ndim != 2 || x->size == 0)
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "the signal must have two dimensions and an element, and is %s",
                         gndi_text_array(x));
    if (smooth && is_complex)
        return gndi_fail(GND_ERROR_DTYPE, s->fn,
                         "the signal has dtype %s; smoothing with a lamb of %g needs a real one",
                         gnd_dtype_name((gnd_dtype)x->dtype), lamb);
    s->failed = false;
    if (!(precision >= 0 && precision < 1)) precision = to == GND_FLOAT32 ? 1e-3 : 1e-6;
    if (precision == 0) precision = to == GND_FLOAT32 ? 1e-6 : 1e-11; /* that of gnd_symiirorder1 */
    const gnd_array *rows = along(s, x, 1, kind, smooth, lamb, precision, to);
    return along(s, rows, 0, kind, smooth, lamb, precision, to);
}

gnd_array *gnd_cspline2d(const gnd_array *signal, double lamb, double precision) {
    static const char fn[] = "gnd_cspline2d";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(signal)) return gndi_raise_null(fn, "signal"), NULL;
    return gndi_temporaries_end(&s, image_coefficients(&s, signal, CUBIC, lamb, precision));
}

gnd_array *gnd_qspline2d(const gnd_array *signal, double lamb, double precision) {
    static const char fn[] = "gnd_qspline2d";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(signal)) return gndi_raise_null(fn, "signal"), NULL;
    if (lamb > 0) return gndi_fail(GND_ERROR_VALUE, fn, "lamb is %g; it must not be above 0", lamb);
    return gndi_temporaries_end(&s, image_coefficients(&s, signal, QUADRATIC, 0, precision));
}

gnd_array *gnd_spline_filter(const gnd_array *image, double lmbda) {
    static const char fn[] = "gnd_spline_filter";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(image)) return gndi_raise_null(fn, "image"), NULL;
    const gnd_dtype dtype = (gnd_dtype)image->dtype;
    if (dtype != GND_FLOAT32 && dtype != GND_FLOAT64 && !gndi_dtype_is_complex(dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "the image has dtype %s; it must be float32, float64 or complex",
                         gnd_dtype_name(dtype));
    const gnd_array *x = image;
    if (dtype == GND_COMPLEX128) x = gndi_temporaries_keep(&s, gndi_copy_as(fn, image, GND_COMPLEX64, 'C'));
    const gnd_array *c = s.failed ? NULL : image_coefficients(&s, x, CUBIC, lmbda, -1);
    const double taps[3] = {1.0F / 6.0F, 4.0F / 6.0F, 1.0F / 6.0F};
    const int64_t three = 3;
    gnd_array *h = s.failed ? NULL : gndi_filter_numbers(&s, c, 1, &three, taps, GND_FLOAT32);
    gnd_array *y = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_sepfir2d(c, h, h));
    if (!s.failed && (gnd_dtype)y->dtype != dtype) y = gndi_temporaries_keep(&s, gndi_copy_as(fn, y, dtype, 'C'));
    return gndi_temporaries_end(&s, y);
}
