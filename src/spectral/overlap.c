/*
 * overlap.c: what windows that overlap add up to, on the host.
 */
#include "spectral/spectral.h"
#include "array/view.h"
#include <math.h>
#include <stdlib.h>

/* The window's values as doubles, in new memory; NULL after an error. */
static double *values_of(const char *fn, const gnd_array *window, int64_t noverlap) {
    if (gndi_missing(window)) return gndi_raise_null(fn, "window"), NULL;
    gndi_temporaries s = {.fn = fn};
    if (window->ndim != 1 || window->size == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "the window must have one dimension and at least one element; its shape is %s",
                   gndi_text_shape(window->ndim, window->shape));
    else if (gndi_dtype_is_complex(window->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "the window must be real, not %s", gnd_dtype_name((gnd_dtype)window->dtype));
    else if (noverlap < 0 || noverlap >= window->size)
        gndi_raise(GND_ERROR_VALUE, fn, "noverlap is %lld; it must be at least 0 and below the window's length, %lld",
                   (long long)noverlap, (long long)window->size);
    else {
        GNDI_PARTS_OF(fn);
        const size_t bytes = (size_t)window->size * sizeof(double);
        const gnd_array *wide = gndi_temporaries_keep(&s, gndi_copy_as(fn, window, GND_FLOAT64, 'C'));
        double *values = s.failed ? NULL : gndi_malloc(fn, bytes);
        if (values && gnd_to_host(wide, values, bytes)) gndi_free(values), values = NULL;
        gndi_temporaries_end(&s, NULL);
        return values;
    }
    return NULL;
}

/* The sums of the values of all windows, or of their squares, over each of the samples of a hop, in place. */
static void add_up(double *w, int64_t n, int64_t hop, bool squares) {
    for (int64_t i = 0; squares && i < n; i++) w[i] *= w[i];
    for (int64_t i = hop; i < n; i++) w[i % hop] += w[i];
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool gnd_check_COLA(const gnd_array *window, int64_t noverlap, double tol) {
    double *w = values_of("gnd_check_COLA", window, noverlap);
    if (!w) return false;
    const int64_t hop = window->size - noverlap;
    add_up(w, window->size, hop, false);
    qsort(w, (size_t)hop, sizeof *w, compare);
    const double median = 0.5 * (w[(hop - 1) / 2] + w[hop / 2]);
    const double deviation = fmax(fabs(w[0] - median), fabs(w[hop - 1] - median));
    bool nan = false;
    for (int64_t i = 0; i < hop; i++) nan |= isnan(w[i]);
    gndi_free(w);
    return !nan && deviation < tol;
}

bool gnd_check_NOLA(const gnd_array *window, int64_t noverlap, double tol) {
    double *w = values_of("gnd_check_NOLA", window, noverlap);
    if (!w) return false;
    const int64_t hop = window->size - noverlap;
    add_up(w, window->size, hop, true);
    bool holds = true;
    for (int64_t i = 0; i < hop; i++) holds &= w[i] > tol;
    gndi_free(w);
    return holds;
}
