/*
 * dual_window.c: windows of short-time transforms on the host, and their duals.
 */
#include "spectral/short_time_fft.h"
#include "array/view.h"
#include <float.h>
#include <math.h>

/* ---- on the host ------------------------------------------------------------------------------ */

void gndi_host_window_free(gndi_host_window *w) {
    gndi_free(w->values);
    *w = (gndi_host_window){0};
}

bool gndi_host_window_new(const char *fn, const gndi_host_window *like, gndi_host_window *to) {
    *to = *like;
    to->values = gndi_malloc(fn, (size_t)like->n * sizeof *to->values);
    return to->values != NULL;
}

static bool read_values(const char *fn, const gnd_array *a, gndi_host_window *to) {
    const size_t bytes = (size_t)a->size * sizeof *to->values;
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    const gnd_array *wide = gndi_temporaries_keep(&s, gndi_copy_as(fn, a, GND_COMPLEX128, 'C'));
    to->values = s.failed ? NULL : gndi_malloc(fn, bytes);
    if (to->values && gnd_to_host(wide, to->values, bytes)) gndi_host_window_free(to);
    gndi_temporaries_end(&s, NULL);
    return to->values != NULL;
}

bool gndi_host_window_read(const char *fn, const gnd_array *a, const char *name, gndi_host_window *to) {
    *to = (gndi_host_window){0};
    if (gndi_missing(a)) return gndi_raise_null(fn, name), false;
    if (a->ndim != 1 || a->size == 0) {
        gndi_raise(GND_ERROR_SHAPE, fn, "'%s' must have one dimension and at least one element; its shape is %s", name,
                   gndi_text_shape(a->ndim, a->shape));
        return false;
    }
    *to = (gndi_host_window){.n = a->size,
                             .is_complex = gndi_dtype_is_complex(a->dtype),
                             .single = a->dtype == GND_FLOAT32 || a->dtype == GND_COMPLEX64,
                             .integer = a->dtype < GND_FLOAT16};
    if (!read_values(fn, a, to)) return false;
    for (int64_t i = 0; i < to->n; i++) {
        if (isfinite(creal(to->values[i])) && isfinite(cimag(to->values[i]))) continue;
        gndi_host_window_free(to);
        gndi_raise(GND_ERROR_VALUE, fn, "element %lld of '%s' is not finite", (long long)i, name);
        return false;
    }
    return true;
}

gnd_array *gndi_host_window_array(const char *fn, const gndi_host_window *w) {
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    gnd_array *whole = gndi_temporaries_keep(&s, gnd_from_host(w->values, GND_SHAPE(w->n), GND_COMPLEX128));
    if (s.failed || w->is_complex) return gndi_temporaries_end(&s, whole);
    gnd_array *real = gndi_temporaries_keep(&s, gndi_complex_part(fn, whole, false));
    if (!s.failed) real = gndi_temporaries_keep(&s, gndi_copy_as(fn, real, GND_FLOAT64, 'C'));
    return gndi_temporaries_end(&s, real);
}

/* ---- duals ------------------------------------------------------------------------------------ */

static double square(gndi_value v) {
    return creal(v) * creal(v) + cimag(v) * cimag(v);
}
/* NumPy's finfo(...).resolution. */
static double resolution(const gndi_host_window *w) {
    return w->single ? 1e-6 : 1e-15;
}

/* Each value becomes the sum of all that are a multiple of `hop` away. */
static void add_up_hops(gndi_value *v, int64_t n, int64_t hop) {
    for (int64_t i = 0; i < hop && i < n; i++) {
        gndi_value sum = 0;
        for (int64_t k = i; k < n; k += hop) sum += v[k];
        for (int64_t k = i; k < n; k += hop) v[k] = sum;
    }
}

bool gndi_dual_window(const char *fn, const gndi_host_window *win, int64_t hop, gndi_host_window *to) {
    double most = 0;
    bool there = !win->integer && hop <= win->n;
    if (win->integer && fn)
        gndi_raise(GND_ERROR_DTYPE, fn, "windows of integers have no dual window");
    else if (!there && fn)
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld, the window's length %lld: there is no dual window",
                   (long long)hop, (long long)win->n);
    if (!there || !gndi_host_window_new(fn, win, to)) return false;
    for (int64_t i = 0; i < win->n; i++) to->values[i] = square(win->values[i]);
    add_up_hops(to->values, win->n, hop);
    for (int64_t i = 0; i < win->n; i++) most = fmax(most, creal(to->values[i]));
    for (int64_t i = 0; i < win->n; i++) there &= creal(to->values[i]) >= resolution(win) * most;
    for (int64_t i = 0; i < win->n; i++) to->values[i] = win->values[i] / creal(to->values[i]);
    if (there && most > 0) return true;
    gndi_host_window_free(to);
    if (fn) gndi_raise(GND_ERROR_VALUE, fn, "the window has no dual window for a hop of %lld", (long long)hop);
    return false;
}

/* The factor for which alpha times the dual is closest; false after an error. */
static bool find_alpha(const char *fn, const gndi_host_window *dual, const gndi_value *q, gndi_value *alpha) {
    gndi_value numerator = 0;
    double denominator = 0;
    for (int64_t i = 0; i < dual->n; i++) numerator += conj(q[i]) * dual->values[i], denominator += square(q[i]);
    if (cabs(numerator) > 0 && denominator > resolution(dual)) {
        *alpha = numerator / denominator;
        return true;
    }
    gndi_raise(GND_ERROR_VALUE, fn, "the factor of the closest dual window is not stable; it can be found unscaled");
    return false;
}

static bool closest(const char *fn, const gndi_host_window *win, int64_t hop, const gndi_host_window *desired,
                    bool scaled, gndi_host_window *dual, gndi_value *alpha) {
    gndi_value *q = gndi_malloc(fn, (size_t)win->n * sizeof *q);
    bool done = q && gndi_dual_window(fn, win, hop, dual);
    *alpha = 1;
    for (int64_t i = 0; done && i < win->n; i++) q[i] = conj(win->values[i]) * desired->values[i];
    if (done) add_up_hops(q, win->n, hop);
    for (int64_t i = 0; done && i < win->n; i++) q[i] *= dual->values[i];
    if (done && scaled) done = find_alpha(fn, dual, q, alpha);
    for (int64_t i = 0; done && i < win->n; i++) dual->values[i] += *alpha * (desired->values[i] - q[i]);
    dual->is_complex = win->is_complex || desired->is_complex;
    gndi_free(q);
    return done;
}

gnd_array *gnd_closest_STFT_dual_window(const gnd_array *win, int64_t hop, const gnd_array *desired, bool scaled,
                                        double alpha[2]) {
    static const char fn[] = "gnd_closest_STFT_dual_window";
    gndi_host_window w = {0}, wanted = {0}, dual = {0};
    gndi_value factor = 1;
    gnd_array *result = NULL;
    if (!gndi_host_window_read(fn, win, "win", &w)) return NULL;
    bool ready = true;
    if (desired) {
        ready = gndi_host_window_read(fn, desired, "desired", &wanted);
    } else if ((ready = gndi_host_window_new(fn, &w, &wanted))) {
        wanted.is_complex = false;
        for (int64_t i = 0; i < w.n; i++) wanted.values[i] = 1;
    }
    if (ready && wanted.n != w.n)
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has %lld elements, the desired dual window %lld", (long long)w.n,
                   (long long)wanted.n);
    else if (ready && (hop < 1 || hop > w.n))
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld; it must be between 1 and the window's length, %lld",
                   (long long)hop, (long long)w.n);
    else if (ready && closest(fn, &w, hop, &wanted, scaled, &dual, &factor))
        result = gndi_host_window_array(fn, &dual);
    if (result && alpha) alpha[0] = creal(factor), alpha[1] = cimag(factor);
    gndi_host_window_free(&w), gndi_host_window_free(&wanted), gndi_host_window_free(&dual);
    return result;
}
