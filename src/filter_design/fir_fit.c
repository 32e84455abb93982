/*
 * fir_fit.c: FIR filters by least squares (scipy.signal.firls; I. Selesnick, Linear-Phase FIR Filter Design by Least
 * Squares) and of minimum phase (scipy.signal.minimum_phase; Oppenheim and Schafer, 13.5; Selesnick and Burrus, 1998).
 */
#include "filter_design/fir.h"
#include "windows/spectrum.h"
#include <float.h>
#include <math.h>

/* ---- firls ---------------------------------------------------------------------------------- */

static double sinc(double x) {
    return x == 0 ? 1 : sin(GNDI_PI * x) / (GNDI_PI * x);
}

/* x with q x = b, q positive definite; false if it is nearly singular. Overwrites q. */
static bool cholesky(int64_t n, double *q, const double *b, double *x) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, q[i * n + i]);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = q[i * n + j];
            for (int64_t k = 0; k < j; k++) sum -= q[i * n + k] * q[j * n + k];
            if (i == j && !(sum > (double)n * DBL_EPSILON * largest)) return false;
            q[i * n + j] = i == j ? sqrt(sum) : sum / q[j * n + j];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        x[i] = b[i];
        for (int64_t k = 0; k < i; k++) x[i] -= q[i * n + k] * x[k];
        x[i] /= q[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++) x[i] -= q[k * n + i] * x[k];
        x[i] /= q[i * n + i];
    }
    return true;
}

/* One rotation of rows and columns i and j of q, and of the columns of v. */
static void rotate(int64_t n, double *q, double *v, int64_t i, int64_t j) {
    if (q[i * n + j] == 0) return;
    const double theta = (q[j * n + j] - q[i * n + i]) / (2 * q[i * n + j]);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int64_t k = 0; k < n; k++) {
        const double a = q[k * n + i], b = q[k * n + j], e = v[k * n + i], f = v[k * n + j];
        q[k * n + i] = c * a - s * b, q[k * n + j] = s * a + c * b;
        v[k * n + i] = c * e - s * f, v[k * n + j] = s * e + c * f;
    }
    for (int64_t k = 0; k < n; k++) {
        const double a = q[i * n + k], b = q[j * n + k];
        q[i * n + k] = c * a - s * b, q[j * n + k] = s * a + c * b;
    }
}

/* The shortest x with the least |q x - b|, by eigenvectors (Jacobi's method). Overwrites q. */
static bool shortest(gndi_scratch *s, int64_t n, double *q, const double *b, double *x) {
    double *v = gndi_scratch_doubles(s, n * n), largest = 0;
    if (!v) return false;
    for (int64_t i = 0; i < n; i++) v[i * n + i] = 1;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) rotate(n, q, v, i, j);
    for (int64_t i = 0; i < n; i++) x[i] = 0, largest = fmax(largest, fabs(q[i * n + i]));
    for (int64_t i = 0; i < n; i++) {
        double part = 0;
        if (fabs(q[i * n + i]) <= (double)n * DBL_EPSILON * largest) continue;
        for (int64_t k = 0; k < n; k++) part += v[k * n + i] * b[k];
        for (int64_t k = 0; k < n; k++) x[k] += v[k * n + i] * part / q[i * n + i];
    }
    return true;
}

static bool check_bands(gndi_scratch *s, int64_t numtaps, int count, const double *bands, const double *desired,
                        const double *weight, double nyquist) {
    if (numtaps < 1 || numtaps % 2 == 0 || numtaps > 1 << 14)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the number of taps must be odd and 1 to 16383, not %lld",
                                 (long long)numtaps);
    if (count < 2 || count % 2 || !bands || !desired)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "each band has two edges, and there are %d", count);
    for (int i = 0; i < count; i++) {
        const bool order = i == 0 || (i % 2 ? bands[i] > bands[i - 1] : bands[i] >= bands[i - 1]);
        if (!(bands[i] >= 0 && bands[i] <= nyquist) || !order)
            return gndi_scratch_fail(s, GND_ERROR_VALUE,
                                     "bands have a width and lie side by side from 0 to %g, unlike "
                                     "the edge %g",
                                     nyquist, bands[i]);
        if (!(desired[i] >= 0 && isfinite(desired[i])) || (weight && !(weight[i / 2] >= 0 && isfinite(weight[i / 2]))))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "gains and weights must not be negative");
    }
    return true;
}

/* q[n], the integral of the weight times cos(n w), and b[n], of the weighted gain. */
static void integrals(int64_t n, int count, const double *bands, const double *desired, const double *weight,
                      double nyquist, double *q, double *b) {
    for (int i = 0; i < count; i += 2) {
        const double w = weight ? weight[i / 2] : 1, low = bands[i] / nyquist, high = bands[i + 1] / nyquist;
        const double slope = (desired[i + 1] - desired[i]) / (high - low), base = desired[i] - low * slope;
        for (int64_t k = 0; k < 2 * n - 1; k++)
            q[k] += w * (sinc(high * (double)k) * high - sinc(low * (double)k) * low);
        for (int64_t k = 0; k < n; k++)
            for (int end = 0; end < 2; end++) {
                const double x = end ? high : low, kp = GNDI_PI * (double)k;
                double part = x * (slope * x + base) * sinc(x * (double)k);
                part += k == 0 ? -slope * x * x / 2 : slope * cos(kp * x) / (kp * kp);
                b[k] += (end ? w : -w) * part;
            }
    }
}

gnd_array *gnd_firls(int64_t numtaps, int count, const double *bands, const double *desired, const double *weight,
                     double fs) {
    gndi_scratch s = {.fn = "gnd_firls"};
    gnd_array *result = NULL;
    double rate;
    if (gndi_check_rate(&s, fs, 2, &rate) && check_bands(&s, numtaps, count, bands, desired, weight, rate / 2)) {
        const int64_t n = (numtaps + 1) / 2;
        double *line = gndi_scratch_doubles(&s, 2 * n), *b = gndi_scratch_doubles(&s, n),
               *x = gndi_scratch_doubles(&s, n);
        double *q = gndi_scratch_doubles(&s, n * n), *taps = gndi_scratch_doubles(&s, numtaps);
        if (!s.failed) {
            integrals(n, count, bands, desired, weight, rate / 2, line, b);
            for (int attempt = 0; attempt < 2 && !s.failed; attempt++) {
                for (int64_t i = 0; i < n; i++)
                    for (int64_t j = 0; j < n; j++) q[i * n + j] = line[i > j ? i - j : j - i] + line[i + j];
                if (attempt ? shortest(&s, n, q, b, x) : cholesky(n, q, b, x)) break;
            }
            for (int64_t i = 0; i < n; i++) taps[n - 1 + i] = taps[n - 1 - i] = i ? x[i] : 2 * x[0];
            result = gndi_array_of_doubles(&s, numtaps, taps);
        }
    }
    gndi_scratch_end(&s);
    return result;
}

/* ---- minimum phase -------------------------------------------------------------------------- */

/* The cepstrum's part of positive time, doubled: a minimum-phase filter of this amplitude. h: n numbers, the amplitude;
   at the end the filter. */
static bool fold(gndi_scratch *s, int64_t n, gndi_complex *h, double power) {
    for (int64_t i = 0; i < n; i++) h[i] = power * log(creal(h[i]));
    if (!gndi_host_fft(s, n, h, true)) return false;
    for (int64_t i = 0; i < n; i++) {
        const double time = i == 0 ? 1 : i < n / 2 ? 2 : n % 2 && i == n / 2 ? 1 : 0;
        h[i] = creal(h[i]) * time;
    }
    if (!gndi_host_fft(s, n, h, false)) return false;
    for (int64_t i = 0; i < n; i++) h[i] = cexp(h[i]);
    return gndi_host_fft(s, n, h, true);
}

/* The phase as the Hilbert transform of the logarithm of the amplitude. */
static bool by_hilbert(gndi_scratch *s, int64_t n, gndi_complex *h) {
    gndi_complex *line = gndi_scratch_complex(s, n);
    if (!line) return false;
    for (int64_t i = 0; i < n; i++) line[i] = log(creal(h[i]));
    if (!gndi_host_fft(s, n, line, true)) return false;
    for (int64_t i = 0; i < n; i++) line[i] *= i == 0 || i == n / 2 ? 0 : i < n / 2 ? 1 : -1;
    if (!gndi_host_fft(s, n, line, false)) return false;
    for (int64_t i = 0; i < n; i++) h[i] *= cexp(line[i]);
    return gndi_host_fft(s, n, h, true);
}

/* h, n_fft numbers with the taps in front, becomes its amplitude: |H|, or of "hilbert" the square root of the real H,
   raised above 0 and scaled to 1. */
static bool amplitude(gndi_scratch *s, int64_t taps, int64_t n, bool hilbert, gndi_complex *h) {
    if (!gndi_host_fft(s, n, h, false)) return false;
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        const double angle = 2 * GNDI_PI / (double)n * (double)(taps / 2) * (double)i;
        const double value = hilbert ? creal(h[i] * CMPLX(cos(angle), sin(angle))) : cabs(h[i]);
        h[i] = value;
        if (hilbert || value > 0) least = fmin(least, value);
        most = fmax(most, value);
    }
    if (!(most > 0 && isfinite(most)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the taps must be finite, and not all of them 0");
    const double pass = most - 1, stop = -least;
    const double root = sqrt(1 + pass + stop) + sqrt(1 - pass + stop), scale = 4 / (root * root);
    for (int64_t i = 0; i < n; i++)
        h[i] = hilbert ? sqrt((creal(h[i]) + stop) * scale) + 1e-10 : creal(h[i]) + 1e-7 * least;
    return true;
}

gnd_array *gnd_minimum_phase(const gnd_array *h, const gnd_minimum_phase_options *options) {
    static const gnd_minimum_phase_options any;
    const gnd_minimum_phase_options *o = options ? options : &any;
    gndi_scratch s = {.fn = "gnd_minimum_phase"};
    gnd_array *result = NULL;
    int64_t taps, n = o->n_fft;
    double *values;
    if (gndi_doubles_read(&s, h, "h", &taps, &values)) {
        if (h->ndim != 1 || taps < 3)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "h must have at least 3 taps, and is %s", gndi_text_array(h));
        else if (o->hilbert && o->whole)
            gndi_scratch_fail(&s, GND_ERROR_INVALID, "the gain of h itself needs the homomorphic method");
        else if (n != 0 && n < taps)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "n_fft must be at least %lld, not %lld", (long long)taps,
                              (long long)n);
        if (n == 0 && !s.failed) n = INT64_C(1) << (int)ceil(log2(2 * (double)(taps - 1) / 0.01));
        gndi_complex *line = gndi_scratch_complex(&s, n);
        for (int64_t i = 0; line && i < taps; i++) line[i] = values[i];
        const int64_t size = o->whole ? taps : taps / 2 + taps % 2;
        if (line && amplitude(&s, taps, n, o->hilbert, line) &&
            (o->hilbert ? by_hilbert(&s, n, line) : fold(&s, n, line, o->whole ? 1 : 0.5)))
            result = gndi_array_of_numbers(&s, size, line, true);
    }
    gndi_scratch_end(&s);
    return result;
}
