/*
 * composed.c: windows that are no formula of one point: the transform of a spectrum (chebwin: C. L. Dolph, Proc. IRE
 * 34, 1946), a running sum (kaiser_bessel_derived), eigenvectors (dpss). Each on the host, in full; and as an array on
 * the device, by transforms and sums there, but for dpss, which is copied from the host.
 */
#include "windows/spectrum.h"
#include "windows/windows.h"
#include "fft/fft.h"
#include <gnd.h>
#include <math.h>

/* ---- plans that composed windows are made of ------------------------------------------------ */

/* A Chebyshev window is the transform of so many real numbers. */
static int64_t transformed(const struct gndi_window_plan *p) {
    return p->m % 2 ? p->m : p->m / 2;
}

/* What is transformed: half of it. */
static struct gndi_window_plan half_spectrum(const struct gndi_window_plan *p) {
    struct gndi_window_plan half = *p;
    half.n = half.points = transformed(p) / 2 + 1;
    half.dtype = GND_COMPLEX128;
    return half;
}

/* The Kaiser window whose sums are a derived one of p->m points. */
static struct gndi_window_plan half_kaiser(const struct gndi_window_plan *p) {
    struct gndi_window_plan half = *p;
    half.n = half.m = p->m / 2 + 1;
    half.points = (half.m + 1) / 2, half.centre = (double)(half.m - 1) / 2;
    gndi_window_kaiser(&half, p->a[0]);
    half.dtype = GND_FLOAT64;
    half.by = (double)(half.m - 1), half.over = 1 / half.by;
    return half;
}

/* ---- on the host ---------------------------------------------------------------------------- */

/* All points of a window from what it is made of. */
static void finish(const struct gndi_window_plan *p, const double *from, const double *over, double *w) {
    struct gndi_window_plan whole = *p;
    whole.n = p->m, whole.dtype = GND_FLOAT64, whole.out = w, whole.from = from, whole.over_from = over;
    gndi_window_values(&whole, 0, whole.points);
}

static bool chebwin(gndi_scratch *s, const struct gndi_window_plan *p, double *w) {
    const int64_t n = transformed(p);
    gndi_complex *x = gndi_scratch_complex(s, n + 1);
    double *values = gndi_scratch_doubles(s, n);
    struct gndi_window_plan half = half_spectrum(p);
    if (!x || !values) return false;
    half.out = x;
    gndi_window_values(&half, 0, half.points);
    for (int64_t k = half.n; k < n; k++) x[k] = conj(x[n - k]);
    if (!gndi_host_fft(s, n, x, true)) return false;
    double largest = creal(x[0]);
    for (int64_t k = 0; k < n; k++) largest = fmax(largest, values[k] = creal(x[k]));
    finish(p, values, &largest, w);
    return true;
}

static bool kaiser_bessel_derived(gndi_scratch *s, const struct gndi_window_plan *p, double *w) {
    struct gndi_window_plan half = half_kaiser(p);
    double *sums = gndi_scratch_doubles(s, half.n);
    if (!sums) return false;
    if (p->m == 0) return true;
    half.out = sums;
    gndi_window_values(&half, 0, half.points);
    for (int64_t i = 1; i < half.n; i++) sums[i] += sums[i - 1];
    finish(p, sums, &sums[half.n - 1], w);
    return true;
}

bool gndi_composed_values(gndi_scratch *s, const struct gndi_window_plan *p, double *values) {
    switch (p->row) {
    case GNDI_WINDOW_chebwin: return chebwin(s, p, values);
    case GNDI_WINDOW_kaiser_bessel_derived: return kaiser_bessel_derived(s, p, values);
    default: return gndi_slepian(s, p->m, p->a[0], 1, values) && gndi_slepian_scale(s, p->m, p->a[0], 1, false, values);
    }
}

/* ---- as arrays ------------------------------------------------------------------------------ */

/* The window from what it is made of. */
static gnd_array *finish_array(gndi_scratch *s, const struct gndi_window_plan *p, const gnd_array *from,
                               const gnd_array *over) {
    struct gndi_window_plan whole = *p;
    return from && over ? gndi_window_launch(s, &whole, from, over) : NULL;
}

static gnd_array *chebwin_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    struct gndi_window_plan half = half_spectrum(p);
    gnd_array *x = NULL;
    const gndi_fft_request request = {.fn = s->fn,
                                      .kind = GNDI_IRFFT,
                                      .a = gndi_window_launch(s, &half, NULL, NULL),
                                      .axes = {1, {0}, {transformed(p)}},
                                      .norm = GND_FFT_FORWARD,
                                      .spare = true};
    if (!request.a || gndi_fft_run(&request, &x)) return NULL;
    return finish_array(s, p, x, gnd_max(x, GND_ALL));
}

/* The sum of the n + 1 values of a Kaiser window, by L. Euler's and C. Maclaurin's formula: n times the integral, half
   the values at the ends, and derivatives there. What is left out is below 2^-60 of it for n > 4096 and any beta. */
static double sum_of_kaisers(double n, double beta) {
    const double b = beta * beta, integral = beta == 0 ? 1 : sinh(beta) / beta;
    return (n * integral + 1 - b / (6 * n) + (b * b * b / 36 - b * b / 2) / (60 * n * n * n)) / gndi_bessel_i0(beta);
}

/* A GPU has a kernel for long windows, unless Kaiser's series is too long. */
static gnd_array *kaiser_bessel_derived_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    enum { LONG = 4096 };
    struct gndi_window_plan half = half_kaiser(p);
    if (half.count && half.by > LONG && gnd_current_device().kind == GND_GPU) {
        half.row = p->row, half.dtype = p->dtype, half.n = half.m = p->m;
        half.points = (p->m / 2 + 1) / 2;
        half.over_sum = 1 / sum_of_kaisers(half.by, p->a[0]);
        return gndi_window_launch(s, &half, NULL, NULL);
    }
    const gnd_array *sums = gnd_cumsum(gndi_window_launch(s, &half, NULL, NULL), GND_ALL);
    return finish_array(s, p, sums, gnd_slice(sums, "-1"));
}

gnd_array *gndi_composed_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    gnd_array *result = NULL;
    if (p->row == GNDI_WINDOW_dpss) {
        double *values = gndi_scratch_doubles(s, p->m);
        if (!values || !gndi_composed_values(s, p, values)) return NULL;
        return gndi_window_cast(s, gndi_array_of_doubles(s, p->n, values), (gnd_dtype)p->dtype);
    }
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        result = gnd_keep(p->row == GNDI_WINDOW_chebwin ? chebwin_array(s, p) : kaiser_bessel_derived_array(s, p));
    }
    s->failed |= !result;
    return result;
}
