/*
 * windows.c: the windows as arrays. Each is a row of windows.def, one launch of the backend's `window`, or composed.
 */
#include "windows/windows.h"
#include "array/view.h"
#include "elementwise/elementwise.h"
#include "runtime/runtime.h"
#include <gnd/assign.h>
#include <math.h>

bool gndi_window_check(gndi_scratch *s, int64_t n, gnd_dtype *dtype) {
    if (*dtype == GND_DTYPE_NONE) *dtype = GND_FLOAT64;
    if (*dtype != GND_FLOAT32 && *dtype != GND_FLOAT64)
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "a window is float32 or float64, not %s", gnd_dtype_name(*dtype));
    if (n >= 0 && n < INT64_C(1) << 60) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the number of points must not be negative, and fit memory: not %lld",
                             (long long)n);
}

gnd_array *gndi_window_cast(gndi_scratch *s, gnd_array *made, gnd_dtype dtype) {
    if (!made || made->dtype == dtype) return made;
    GNDI_PARTS_OF(s->fn);
    gnd_array *cast = gnd_astype(made, dtype);
    gnd_release(made);
    s->failed |= !cast;
    return cast;
}

gnd_array *gndi_window_launch(gndi_scratch *s, struct gndi_window_plan *p, const gnd_array *from,
                              const gnd_array *over_from) {
    if (s->failed) return NULL;
    gnd_array *out = gndi_array_new(s->fn, 1, &p->n, (gnd_dtype)p->dtype, GNDI_ORDER_C);
    if (!out || p->n == 0) return s->failed |= !out, out;
    gnd_stream *stream =
        gndi_work_begin(s->fn, 2, (const gnd_array *[]){from, over_from}, 1, (const gnd_array *[]){out});
    gnd_status status = stream ? GND_OK : GND_ERROR_DEVICE;
    if (stream) {
        p->out = gndi_data(out);
        if (from) p->from = (const double *)gndi_data(from), p->over_from = (const double *)gndi_data(over_from);
        status = gndi_work_end(stream, stream->device->backend->window(stream, p, s->fn), s->fn);
    }
    if (!status) return out;
    s->failed = true;
    gnd_release(out);
    return NULL;
}

/* More numbers than a launch takes: computed on the host. */
static gnd_array *from_host(gndi_scratch *s, struct gndi_window_plan *p) {
    double *values = gndi_scratch_doubles(s, p->n);
    if (!values) return NULL;
    p->out = values;
    gndi_window_values(p, 0, p->points);
    return gndi_array_of_doubles(s, p->n, values);
}

static gnd_array *make(gndi_scratch *s, const gndi_window_request *r, gnd_dtype dtype) {
    static const double one = 1;
    struct gndi_window_plan p;
    if (r->n <= 1 && r->row != GNDI_WINDOW_kaiser_bessel_derived)
        return gndi_window_cast(s, gndi_array_of_doubles(s, r->n, &one), dtype);
    if (!gndi_window_prepare(s, r, &p)) return NULL;
    if (r->n == 0) return gndi_window_cast(s, gndi_array_of_doubles(s, 0, &one), dtype);
    if (p.many) return gndi_window_cast(s, from_host(s, &p), dtype);
    gnd_array *fused = gndi_window_composed(p.row) ? NULL : gndi_window_fused(s, &p, dtype);
    if (fused || s->failed) return fused;
    p.dtype = (uint8_t)dtype;
    if (gndi_window_composed(p.row)) return gndi_composed_array(s, &p);
    return gndi_window_launch(s, &p, NULL, NULL);
}

static gnd_array *window(const char *fn, gndi_window_row row, int64_t n, bool sym, gnd_dtype dtype, int count,
                         const double *params) {
    gndi_scratch s = {.fn = fn};
    const gndi_window_request r = {row, sym, n, count, params};
    gnd_array *result = gndi_window_check(&s, n, &dtype) ? make(&s, &r, dtype) : NULL;
    gndi_scratch_end(&s);
    return result;
}

gnd_array *gnd_get_window(const gnd_window *of, int64_t n, bool fftbins, gnd_dtype dtype) {
    gndi_scratch s = {.fn = "gnd_get_window"};
    gndi_window_request r;
    gnd_array *result = NULL;
    if (!of) {
        gndi_raise_null(s.fn, "window");
        return NULL;
    }
    if (n == 0) gndi_scratch_fail(&s, GND_ERROR_VALUE, "the number of points must be positive, not 0");
    if (!s.failed && gndi_window_check(&s, n, &dtype) && gndi_window_find(&s, of, NULL, n, !fftbins, &r))
        result = make(&s, &r, dtype);
    gndi_scratch_end(&s);
    return result;
}

/* ---- one function a window ------------------------------------------------------------------ */

#define PLAIN(name)                                                                                                    \
    gnd_array *gnd_##name(int64_t m, bool sym, gnd_dtype dtype) {                                                      \
        return window("gnd_" #name, GNDI_WINDOW_##name, m, sym, dtype, 0, NULL);                                       \
    }
#define FORMULA(name, also, formula) PLAIN(name)
#define COSINES(name, also, ...) PLAIN(name)
#define PARAMETERS(name, also, least, most, formula)
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
#undef FORMULA
#undef COSINES
#undef PARAMETERS
#undef SAME_AS
#undef COMPOSED

gnd_array *gnd_hanning(int64_t m, gnd_dtype dtype) {
    return window("gnd_hanning", GNDI_WINDOW_hann, gndi_max(m, 0), true, dtype, 0, NULL);
}

gnd_array *gnd_general_cosine(int64_t m, int count, const double *a, bool sym, gnd_dtype dtype) {
    static const char fn[] = "gnd_general_cosine";
    if (count < 0) return gndi_fail(GND_ERROR_INVALID, fn, "the number of coefficients is %d", count);
    if (count > 0 && !a) return gndi_raise_null(fn, "a"), NULL;
    return window(fn, GNDI_WINDOW_general_cosine, m, sym, dtype, count, a);
}

gnd_array *gnd_general_hamming(int64_t m, double alpha, bool sym, gnd_dtype dtype) {
    return window("gnd_general_hamming", GNDI_WINDOW_general_hamming, m, sym, dtype, 1, &alpha);
}

gnd_array *gnd_gaussian(int64_t m, double std, bool sym, gnd_dtype dtype) {
    return window("gnd_gaussian", GNDI_WINDOW_gaussian, m, sym, dtype, 1, &std);
}

gnd_array *gnd_general_gaussian(int64_t m, double p, double sig, bool sym, gnd_dtype dtype) {
    return window("gnd_general_gaussian", GNDI_WINDOW_general_gaussian, m, sym, dtype, 2, (const double[]){p, sig});
}

gnd_array *gnd_exponential(int64_t m, double center, double tau, bool sym, gnd_dtype dtype) {
    return window("gnd_exponential", GNDI_WINDOW_exponential, m, sym, dtype, 2, (const double[]){center, tau});
}

gnd_array *gnd_tukey(int64_t m, double alpha, bool sym, gnd_dtype dtype) {
    return window("gnd_tukey", GNDI_WINDOW_tukey, m, sym, dtype, 1, &alpha);
}

gnd_array *gnd_kaiser(int64_t m, double beta, bool sym, gnd_dtype dtype) {
    return window("gnd_kaiser", GNDI_WINDOW_kaiser, m, sym, dtype, 1, &beta);
}

gnd_array *gnd_kaiser_bessel_derived(int64_t m, double beta, bool sym, gnd_dtype dtype) {
    return window("gnd_kaiser_bessel_derived", GNDI_WINDOW_kaiser_bessel_derived, m, sym, dtype, 1, &beta);
}

gnd_array *gnd_chebwin(int64_t m, double at, bool sym, gnd_dtype dtype) {
    return window("gnd_chebwin", GNDI_WINDOW_chebwin, m, sym, dtype, 1, &at);
}

gnd_array *gnd_taylor(int64_t m, int nbar, double sll, bool norm, bool sym, gnd_dtype dtype) {
    return window("gnd_taylor", GNDI_WINDOW_taylor, m, sym, dtype, 3, (const double[]){nbar, sll, norm});
}
