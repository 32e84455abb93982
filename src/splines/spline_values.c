/*
 * spline_values.c: B-splines at points: rows of waves.def, and splines of given coefficients.
 */
#include "rearrange/rearrange.h"
#include "splines/spline_plan.h"
#include "waveforms/waveforms.h"
#include <gnd/splines.h>

#include <math.h>

/* ---- B-splines ------------------------------------------------------------------------------ */

static gnd_array *basis(const char *fn, gndi_wave_row row, const gnd_array *x, double twice_variance) {
    static const double pi = 3.14159265358979323846;
    gndi_temporaries s = {.fn = fn};
    struct gndi_wave_plan p = {.row = (uint8_t)row,
                               .a = {twice_variance, 1 / twice_variance, 1 / sqrt(pi * twice_variance)}};
    gnd_dtype dtype;
    if (!gndi_wave_dtype(&s, x, "x", &dtype)) return NULL;
    const gndi_wave_arrays arrays = {.t = gndi_wave_dense(&s, x, dtype), .out = gndi_wave_new(&s, x, dtype, false)};
    p.dtype = (uint8_t)dtype;
    gndi_wave_run(&s, &p, &arrays);
    return gndi_temporaries_end(&s, arrays.out);
}

gnd_array *gnd_gauss_spline(const gnd_array *x, int n) {
    static const char fn[] = "gnd_gauss_spline";
    if (n < 0) return gndi_fail(GND_ERROR_VALUE, fn, "the order n is %d; it must not be negative", n);
    return basis(fn, GNDI_WAVE_gauss_spline, x, (n + 1) / 6.0);
}
gnd_array *gnd_cubic(const gnd_array *x) {
    return basis("gnd_cubic", GNDI_WAVE_cubic_basis, x, 1);
}
gnd_array *gnd_quadratic(const gnd_array *x) {
    return basis("gnd_quadratic", GNDI_WAVE_quadratic_basis, x, 1);
}

/* ---- splines of coefficients ---------------------------------------------------------------- */

static bool is_narrow(gnd_dtype dtype) {
    return dtype == GND_FLOAT32 || dtype == GND_COMPLEX64 || dtype == GND_FLOAT16 || dtype == GND_BFLOAT16;
}

static bool check(gndi_temporaries *s, const gnd_array *cj, const gnd_array *newx, bool quadratic) {
    s->failed = true;
    if (gndi_missing(cj)) return gndi_raise_null(s->fn, "cj"), false;
    if (gndi_missing(newx)) return gndi_raise_null(s->fn, "newx"), false;
    if (gndi_check_together(s->fn, cj, "cj", newx, "newx")) return false;
    const bool is_complex = gndi_dtype_is_complex(cj->dtype);
    if (cj->ndim != 1 || cj->size == 0)
        gndi_raise(GND_ERROR_SHAPE, s->fn, "cj must have one dimension and an element, and is %s", gndi_text_array(cj));
    else if (gndi_dtype_is_complex(newx->dtype))
        gndi_raise(GND_ERROR_DTYPE, s->fn, "newx must be real, and has dtype %s",
                   gnd_dtype_name((gnd_dtype)newx->dtype));
    else if (quadratic ? is_complex : !is_complex && !gndi_dtype_is_float(cj->dtype))
        gndi_raise(GND_ERROR_DTYPE, s->fn, "cj has dtype %s; it must be %s", gnd_dtype_name((gnd_dtype)cj->dtype),
                   quadratic ? "real" : "a floating or complex one");
    else
        s->failed = false;
    return !s->failed;
}

/* a, in C order, as what is computed with. */
static const gnd_array *dense(gndi_temporaries *s, const gnd_array *a, uint8_t *part) {
    const bool narrow = is_narrow((gnd_dtype)a->dtype), pairs = gndi_dtype_is_complex(a->dtype);
    *part = narrow ? GND_FLOAT32 : GND_FLOAT64;
    return gndi_wave_dense(s, a, pairs ? (gnd_dtype)a->dtype : (gnd_dtype)*part);
}

static gnd_array *at_points(const char *fn, const gnd_array *cj, const gnd_array *newx, double dx, double x0,
                            bool quadratic) {
    gndi_temporaries s = {.fn = fn};
    gndi_spline_plan p = {.dx = dx, .x0 = x0, .quadratic = quadratic};
    if (!check(&s, cj, newx, quadratic)) return NULL;
    const gnd_array *read[2] = {dense(&s, cj, &p.of_coefficients), dense(&s, newx, &p.of_points)};
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const gnd_dtype dtype = (gnd_dtype)read[quadratic]->dtype;
    gnd_array *out = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, newx, newx->ndim, newx->shape, dtype));
    if (out && out->size > 0) {
        p.pairs = gndi_dtype_is_complex(cj->dtype), p.knots = cj->size, p.count = newx->size;
        p.coefficients = gndi_data(read[0]), p.points = gndi_data(read[1]), p.out = gndi_data(out);
        gnd_stream *stream = gndi_work_begin(fn, 2, read, 1, (const gnd_array *[]){out});
        s.failed = !stream || gndi_work_end(stream, stream->device->backend->spline(stream, &p, fn), fn) != GND_OK;
    }
    const gnd_array *like = quadratic ? newx : cj;
    const bool half = like->dtype == GND_FLOAT16 || like->dtype == GND_BFLOAT16;
    if (!s.failed && half) out = gndi_temporaries_keep(&s, gndi_copy_as(fn, out, (gnd_dtype)like->dtype, 'C'));
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_cspline1d_eval(const gnd_array *cj, const gnd_array *newx, double dx, double x0) {
    return at_points("gnd_cspline1d_eval", cj, newx, dx, x0, false);
}
gnd_array *gnd_qspline1d_eval(const gnd_array *cj, const gnd_array *newx, double dx, double x0) {
    return at_points("gnd_qspline1d_eval", cj, newx, dx, x0, true);
}
