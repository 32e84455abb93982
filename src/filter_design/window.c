/*
 * window.c: windows on the host, in double, by the names and with the formulas of scipy.signal.windows (F. J. Harris,
 * Proc. IEEE 66, 1978, has most of them; chebwin: Dolph, Proc. IRE 34, 1946; taylor: Carrara et al., Spotlight
 * Synthetic Aperture Radar, 1995).
 */
#include "filter_design/window.h"
#include "filter_design/spectrum.h"
#include <math.h>
#include <string.h>

enum { PARAMS = sizeof((gnd_window){0}.params) / sizeof(double) };

/* A window of m >= 2 points, with its parameters. */
typedef bool formula(gndi_scratch *s, int64_t m, int count, const double *params, double *w);

/* The modified Bessel function of order 0: its power series, or for large x the asymptotic one, whose terms fall
   below the rounding error there (Abramowitz and Stegun 9.6.12, 9.7.1). */
double gndi_bessel_i0(double x) {
    const double ax = fabs(x);
    double sum = 1, term = 1;
    if (ax < 40) {
        for (int k = 1; k < 200 && term > 1e-18 * sum; k++) sum += term *= (ax / 2 / k) * (ax / 2 / k);
        return sum;
    }
    for (int k = 1; k < 40; k++) sum += term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * k * ax);
    return exp(ax - 0.5 * log(2 * GNDI_PI * ax)) * sum;
}

static double sinc(double x) {
    return x == 0 ? 1 : sin(GNDI_PI * x) / (GNDI_PI * x);
}

/* ---- sums of cosines ------------------------------------------------------------------------ */

static bool cosines(gndi_scratch *s, int64_t m, int count, const double *a, double *w) {
    (void)s;
    for (int64_t i = 0; i < m; i++) {
        const double angle = -GNDI_PI + 2 * GNDI_PI * (double)i / (double)(m - 1);
        w[i] = 0;
        for (int k = 0; k < count; k++) w[i] += a[k] * cos(k * angle);
    }
    return true;
}

#define COSINES(name, count, ...)                                                                                      \
    static bool name(gndi_scratch *s, int64_t m, int n, const double *params, double *w) {                             \
        (void)n, (void)params;                                                                                         \
        return cosines(s, m, count, (const double[]){__VA_ARGS__}, w);                                                 \
    }
COSINES(boxcar, 1, 1)
COSINES(hann, 2, 0.5, 0.5)
COSINES(hamming, 2, 0.54, 1 - 0.54)
COSINES(blackman, 3, 0.42, 0.5, 0.08)
COSINES(nuttall, 4, 0.3635819, 0.4891775, 0.1365995, 0.0106411)
COSINES(blackmanharris, 4, 0.35875, 0.48829, 0.14128, 0.01168)
COSINES(flattop, 5, 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)

static bool general_hamming(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {
    (void)count;
    return cosines(s, m, 2, (const double[]){params[0], 1 - params[0]}, w);
}

/* ---- formulas of one point ------------------------------------------------------------------ */

/* i counts points, `c` is the centre. */
#define POINTS(name, value)                                                                                            \
    static bool name(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {                         \
        (void)s, (void)count, (void)params;                                                                            \
        const double last = (double)(m - 1), c = last / 2, size = (double)m;                                           \
        (void)c, (void)size;                                                                                           \
        for (int64_t i = 0; i < m; i++) {                                                                              \
            const double at = (double)i;                                                                               \
            w[i] = value;                                                                                              \
        }                                                                                                              \
        return true;                                                                                                   \
    }

static double parzen_at(double n, double m) {
    const double r = fabs(n) / (m / 2);
    return fabs(n) <= (m - 1) / 4 ? 1 - 6 * r * r + 6 * r * r * r : 2 * (1 - r) * (1 - r) * (1 - r);
}

static double bohman_at(double r) {
    return r >= 1 ? 0 : (1 - r) * cos(GNDI_PI * r) + sin(GNDI_PI * r) / GNDI_PI;
}

static double kaiser_at(double r, double beta) {
    return gndi_bessel_i0(beta * sqrt(fmax(0, 1 - r * r))) / gndi_bessel_i0(beta);
}

static double tukey_at(double at, double last, double alpha) {
    const double width = floor(alpha * last / 2);
    if (alpha <= 0 || (at > width && at < last - width)) return 1;
    if (alpha >= 1) return 0.5 + 0.5 * cos(-GNDI_PI + 2 * GNDI_PI * at / last);
    if (at <= width) return 0.5 * (1 + cos(GNDI_PI * (-1 + 2 * at / alpha / last)));
    return 0.5 * (1 + cos(GNDI_PI * (-2 / alpha + 1 + 2 * at / alpha / last)));
}

POINTS(triang, m % 2 ? 2 * (fmin(at, last - at) + 1) / (size + 1) : (2 * fmin(at, last - at) + 1) / size)
POINTS(bartlett, at <= c ? 2 * at / last : 2 - 2 * at / last)
POINTS(parzen, parzen_at(at - c, size))
POINTS(bohman, i == 0 || i == m - 1 ? 0 : bohman_at(fabs(-1 + 2 * at / last)))
POINTS(barthann, 0.62 - 0.48 * fabs(at / last - 0.5) + 0.38 * cos(2 * GNDI_PI * fabs(at / last - 0.5)))
POINTS(cosine, sin(GNDI_PI / size * (at + 0.5)))
POINTS(lanczos, sinc(2 * at / last - 1))
POINTS(kaiser, kaiser_at((at - c) / c, params[0]))
POINTS(gaussian, exp(-(at - c) * (at - c) / (2 * params[0] * params[0])))
POINTS(general_gaussian, exp(-0.5 * pow(fabs((at - c) / params[1]), 2 * params[0])))
POINTS(tukey, tukey_at(at, last, count > 0 ? params[0] : 0.5))

/* ---- others --------------------------------------------------------------------------------- */

/* Parameters: centre (only periodic ones have one; NaN: the middle), and tau. */
static bool exponential(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {
    (void)s;
    const double centre = count > 0 && !isnan(params[0]) ? params[0] : (double)(m - 1) / 2;
    const double tau = count > 1 ? params[1] : 1;
    for (int64_t i = 0; i < m; i++) w[i] = exp(-fabs((double)i - centre) / tau);
    return true;
}

/* Parameters: nbar (4), the level of the side lobes in dB (30), and whether the centre is 1 (1). */
static bool taylor(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {
    const int nbar = count > 0 ? (int)params[0] : 4;
    const double level = count > 1 ? params[1] : 30;
    if (nbar < 1 || nbar > 1000)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the window taylor takes 1 to 1000 lobes, not %d", nbar);
    double *f = gndi_scratch_doubles(s, nbar);
    if (!f) return false;
    const double a = acosh(pow(10, level / 20)) / GNDI_PI;
    const double s2 = nbar * nbar / (a * a + (nbar - 0.5) * (nbar - 0.5));
    for (int k = 1; k < nbar; k++) {
        double above = k % 2 ? 1 : -1, below = 2;
        for (int j = 1; j < nbar; j++) {
            above *= 1 - (double)k * k / s2 / (a * a + (j - 0.5) * (j - 0.5));
            if (j != k) below *= 1 - (double)k * k / ((double)j * j);
        }
        f[k] = above / below;
    }
    double scale = 1;
    for (int64_t i = -1; i < m; i++) { /* -1: the centre */
        const double at = i < 0 ? (double)(m - 1) / 2 : (double)i;
        double value = 1;
        for (int k = 1; k < nbar; k++)
            value += 2 * f[k] * cos(2 * GNDI_PI * k * (at - (double)m / 2 + 0.5) / (double)m);
        if (i >= 0)
            w[i] = value * scale;
        else if (count < 3 || params[2] != 0)
            scale = 1 / value;
    }
    return true;
}

/* Parameter: the attenuation in dB. The transform of Chebyshev's polynomial, sampled on the unit circle. */
static bool chebwin(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {
    (void)count;
    gndi_complex *p = gndi_scratch_complex(s, m);
    if (!p) return false;
    const double order = (double)(m - 1), beta = cosh(acosh(pow(10, fabs(params[0]) / 20)) / order);
    for (int64_t k = 0; k < m; k++) {
        const double angle = GNDI_PI * (double)k / (double)m, x = beta * cos(angle);
        double value;
        if (x > 1)
            value = cosh(order * acosh(x));
        else if (x < -1)
            value = (m % 2 ? 1 : -1) * cosh(order * acosh(-x));
        else
            value = cos(order * acos(x));
        p[k] = m % 2 ? value : value * CMPLX(cos(angle), sin(angle));
    }
    if (!gndi_host_fft(s, m, p, false)) return false;
    double largest = 0;
    for (int64_t i = 0; i < m; i++) {
        const int64_t half = m / 2; /* odd: the distance from the centre; even: counted from 1 on both sides */
        const int64_t from = m % 2 ? (i < half ? half - i : i - half) : (i < half ? half - i : i - half + 1);
        w[i] = creal(p[from]);
        if (i == 0 || w[i] > largest) largest = w[i];
    }
    for (int64_t i = 0; i < m; i++) w[i] /= largest;
    return true;
}

/* Parameter: Kaiser's beta; of an even number of points, symmetric. */
static bool kaiser_bessel_derived(gndi_scratch *s, int64_t m, int count, const double *params, double *w) {
    if (m % 2)
        return gndi_scratch_fail(s, GND_ERROR_VALUE,
                                 "the window kaiser_bessel_derived is symmetric and has an even "
                                 "number of points");
    double *half = gndi_scratch_doubles(s, m / 2 + 1);
    if (!half) return false;
    kaiser(s, m / 2 + 1, count, params, half);
    for (int64_t i = 1; i <= m / 2; i++) half[i] += half[i - 1];
    for (int64_t i = 0; i < m / 2; i++) w[i] = w[m - 1 - i] = sqrt(half[i] / half[m / 2]);
    return true;
}

/* ---- by name -------------------------------------------------------------------------------- */

static const struct {
    const char *names; /* divided by spaces, each between two */
    formula *compute;
    int least, most; /* parameters */
} WINDOWS[] = {
    {" boxcar box ones rect rectangular ", boxcar, 0, 0},
    {" triangle triang tri ", triang, 0, 0},
    {" bartlett bart brt ", bartlett, 0, 0},
    {" hann han ", hann, 0, 0},
    {" hamming hamm ham ", hamming, 0, 0},
    {" blackman black blk ", blackman, 0, 0},
    {" blackmanharris blackharr bkh ", blackmanharris, 0, 0},
    {" nuttall nutl nut ", nuttall, 0, 0},
    {" flattop flat flt ", flattop, 0, 0},
    {" parzen parz par ", parzen, 0, 0},
    {" bohman bman bmn ", bohman, 0, 0},
    {" barthann brthan bth ", barthann, 0, 0},
    {" cosine halfcosine ", cosine, 0, 0},
    {" lanczos sinc ", lanczos, 0, 0},
    {" exponential poisson ", exponential, 0, 2},
    {" tukey tuk ", tukey, 0, 1},
    {" taylor taylorwin ", taylor, 0, 3},
    {" kaiser ksr ", kaiser, 1, 1},
    {" kaiser_bessel_derived kbd ", kaiser_bessel_derived, 1, 1},
    {" gaussian gauss gss ", gaussian, 1, 1},
    {" general_gaussian general_gauss ggs ", general_gaussian, 2, 2},
    {" general_cosine ", cosines, 1, PARAMS},
    {" general_hamming ", general_hamming, 1, 1},
    {" chebwin cheb ", chebwin, 1, 1},
};

/* The row of a name of `length` characters, or -1. */
static int find(const char *name, size_t length) {
    char wanted[64];
    if (length == 0 || length > sizeof(wanted) - 3 || memchr(name, ' ', length)) return -1;
    snprintf(wanted, sizeof(wanted), " %.*s ", (int)length, name);
    for (size_t i = 0; i < sizeof(WINDOWS) / sizeof(WINDOWS[0]); i++)
        if (strstr(WINDOWS[i].names, wanted)) return (int)i;
    return -1;
}

static bool ends_in(const char *name, size_t *length, const char *end) {
    const size_t n = strlen(end);
    if (*length < n || strcmp(name + *length - n, end) != 0) return false;
    *length -= n;
    return true;
}

bool gndi_window(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                 double *values) {
    if (s->failed) return false;
    const char *name = window && window->name ? window->name : standard;
    const int count = window && window->name ? window->count : 0;
    size_t length = strlen(name);
    if (ends_in(name, &length, "_symmetric"))
        symmetric = true;
    else if (ends_in(name, &length, "_periodic"))
        symmetric = false;
    const int row = find(name, length);
    if (row < 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "there is no window named '%s'", name);
    if (count < WINDOWS[row].least || count > WINDOWS[row].most)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the window '%s' takes %d to %d parameters, not %d", name,
                                 WINDOWS[row].least, WINDOWS[row].most, count);
    if (WINDOWS[row].compute == exponential && symmetric && count > 0 && !isnan(window->params[0]))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "a symmetric window '%s' has no centre of its own; it must be NaN",
                                 name);
    if (WINDOWS[row].compute == kaiser_bessel_derived && !symmetric)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the window '%s' is symmetric only", name);
    if (n <= 1) {
        if (n == 1) values[0] = 1;
        return true;
    }
    /* A periodic window is the symmetric one of one more point, without the last. */
    const int64_t m = symmetric ? n : n + 1;
    double *whole = gndi_scratch_doubles(s, m);
    const double none[PARAMS] = {0};
    if (!whole || !WINDOWS[row].compute(s, m, count, count ? window->params : none, whole)) return false;
    memcpy(values, whole, (size_t)n * sizeof(double));
    return true;
}
