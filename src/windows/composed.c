/*
 * composed.c: windows that are no formula of one point: the transform of a spectrum (chebwin: C. L. Dolph, Proc. IRE
 * 34, 1946), a running sum (kaiser_bessel_derived), eigenvectors (dpss). Each on the host, in full; and as an array on
 * the device, by transforms and sums there, but for dpss, which is copied from the host.
 */
#include "windows/spectrum.h"
#include "windows/windows.h"
#include <gnd.h>
#include <math.h>

/* ---- plans that composed windows are made of ------------------------------------------------ */

/* Half the spectrum of a Chebyshev window. */
static struct gndi_window_plan half_spectrum(const struct gndi_window_plan *p) {
    struct gndi_window_plan half = *p;
    half.n = half.points = p->m / 2 + 1;
    half.dtype = GND_COMPLEX128;
    return half;
}

/* The Kaiser window whose sums are a derived one of p->m points. */
static struct gndi_window_plan half_kaiser(const struct gndi_window_plan *p) {
    struct gndi_window_plan half = *p;
    half.n = half.m = p->m / 2 + 1;
    half.points = (half.m + 1) / 2, half.centre = (double)(half.m - 1) / 2;
    gndi_window_kaiser(&half, p->a[0]);
    half.by = (double)(half.m - 1), half.over = 1 / half.by;
    return half;
}

/* ---- on the host ---------------------------------------------------------------------------- */

/* The transform's elements belong to distances from the centre, from `first` on: 0, or with an even number of points
   1 on both sides. */
static bool chebwin(gndi_scratch *s, const struct gndi_window_plan *p, double *w) {
    const int64_t m = p->m, first = m % 2 ? 0 : 1;
    gndi_complex *x = gndi_scratch_complex(s, m + 1);
    struct gndi_window_plan half = half_spectrum(p);
    if (!x) return false;
    half.out = x;
    gndi_window_values(&half, 0, half.points);
    for (int64_t k = half.n; k < m; k++) x[k] = conj(x[m - k]);
    if (!gndi_host_fft(s, m, x, true)) return false;
    double largest = creal(x[first]);
    for (int64_t k = first; k <= m / 2; k++) largest = fmax(largest, creal(x[k]));
    for (int64_t i = 0; i < (m + 1) / 2; i++) w[i] = w[m - 1 - i] = creal(x[m / 2 - i]) / largest;
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
    for (int64_t i = 0; i < p->m / 2; i++) w[i] = w[p->m - 1 - i] = sqrt(sums[i] / sums[half.n - 1]);
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

/* A symmetric window of m points, of its values from the centre outwards; n are kept. */
static gnd_array *unfold(const gnd_array *outwards, int64_t m, int64_t n) {
    const gnd_array *left = gnd_slice(outwards, "::-1");
    const gnd_array *right = gnd_slice(outwards, "%d:%lld", (int)(m % 2), (long long)((m + 1) / 2 - (m - n)));
    return gnd_concatenate(GND_ARRAYS(left, right), 0);
}

static gnd_array *chebwin_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    struct gndi_window_plan half = half_spectrum(p);
    const gnd_array *x = gnd_irfft(gndi_window_launch(s, &half), p->m, 0, GND_FFT_BACKWARD);
    const gnd_array *part = gnd_slice(x, "%d:%lld", p->m % 2 ? 0 : 1, (long long)(p->m / 2 + 1));
    return unfold(gnd_divide(part, gnd_max(part, GND_ALL)), p->m, p->n);
}

static gnd_array *kaiser_bessel_derived_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    struct gndi_window_plan half = half_kaiser(p);
    const gnd_array *sums = gnd_cumsum(gndi_window_launch(s, &half), GND_ALL);
    const gnd_array *root = gnd_sqrt(gnd_divide(gnd_slice(sums, ":-1"), gnd_slice(sums, "-1")));
    return unfold(gnd_slice(root, "::-1"), p->m, p->n);
}

gnd_array *gndi_composed_array(gndi_scratch *s, const struct gndi_window_plan *p) {
    gnd_array *result = NULL;
    if (p->row == GNDI_WINDOW_dpss) {
        double *values = gndi_scratch_doubles(s, p->m);
        return values && gndi_composed_values(s, p, values) ? gndi_array_of_doubles(s, p->n, values) : NULL;
    }
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        result = gnd_keep(p->row == GNDI_WINDOW_chebwin ? chebwin_array(s, p) : kaiser_bessel_derived_array(s, p));
    }
    s->failed |= !result;
    return result;
}
