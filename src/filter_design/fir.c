/*
 * fir.c: FIR filters by windows (scipy.signal.firwin2, firwin_2d) and Kaiser's estimates of their length
 * (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5 and 7.6).
 */
#include "filter_design/fir.h"
#include "windows/spectrum.h"
#include "windows/windows.h"
#include <float.h>
#include <math.h>

bool gndi_check_taps(gndi_scratch *s, int64_t n) {
    if (s->failed) return false;
    if (n >= 1 && n <= INT64_C(1) << 40) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the number of taps must be at least 1, not %lld", (long long)n);
}

bool gndi_check_rate(gndi_scratch *s, double fs, double standard, double *rate) {
    if (s->failed) return false;
    *rate = fs != 0 ? fs : standard;
    if (*rate > 0 && isfinite(*rate)) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the sampling rate must be positive, not %g", fs);
}

/* ---- Kaiser's estimates --------------------------------------------------------------------- */

double gnd_kaiser_beta(double attenuation) {
    const double a = attenuation;
    return a > 50 ? 0.1102 * (a - 8.7) : a > 21 ? 0.5842 * pow(a - 21, 0.4) + 0.07886 * (a - 21) : 0;
}

double gnd_kaiser_atten(int64_t numtaps, double width) {
    return 2.285 * (double)(numtaps - 1) * GNDI_PI * width + 7.95;
}

gnd_status gnd_kaiserord(int64_t *numtaps, double *beta, double ripple, double width) {
    static const char fn[] = "gnd_kaiserord";
    const double a = fabs(ripple), taps = ceil((a - 7.95) / 2.285 / (GNDI_PI * width) + 1);
    if (!numtaps || !beta) return gndi_raise_null(fn, numtaps ? "beta" : "numtaps");
    if (!(a >= 8)) return gndi_raise(GND_ERROR_VALUE, fn, "Kaiser's formula begins at a ripple of 8 dB, not %g", a);
    if (!(taps >= 1 && taps < 1e15)) return gndi_raise(GND_ERROR_VALUE, fn, "the width %g has no filter", width);
    *numtaps = (int64_t)taps;
    *beta = gnd_kaiser_beta(a);
    return GND_OK;
}

/* ---- firwin2 -------------------------------------------------------------------------------- */

static bool check_grid(gndi_scratch *s, int count, const double *freq, const double *gain, int64_t n, bool odd,
                       double nyquist) {
    if (count < 2 || !freq || !gain)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "at least two frequencies and their gains must be given");
    if (freq[0] != 0 || freq[count - 1] != nyquist)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "frequencies begin with 0 and end with %g, unlike %g and %g",
                                 nyquist, freq[0], freq[count - 1]);
    for (int i = 1; i < count; i++) {
        if (!(freq[i] >= freq[i - 1]))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "frequencies do not decrease, unlike %g and %g", freq[i - 1],
                                     freq[i]);
        if (i > 1 && freq[i] == freq[i - 2])
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "a frequency occurs twice at most, unlike %g", freq[i]);
    }
    if (freq[1] == 0 || freq[count - 2] == nyquist)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the first and the last frequency occur once");
    const bool low = odd, high = odd == (n % 2 != 0);
    if ((low && gain[0] != 0) || (high && gain[count - 1] != 0))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "%s filters of %s length have gain 0 at frequency %s",
                                 odd ? "antisymmetric" : "symmetric", n % 2 ? "odd" : "even",
                                 low && gain[0] != 0 ? "0" : "fs / 2");
    return true;
}

/* Linear interpolation at x, with freq increasing. `from`: where the search begins, kept between calls. */
static double interpolate(int count, const double *freq, const double *gain, double x, int *from) {
    while (*from < count - 2 && x >= freq[*from + 1]) ++*from;
    const int j = *from;
    if (x >= freq[j + 1]) return gain[j + 1];
    return (gain[j + 1] - gain[j]) / (freq[j + 1] - freq[j]) * (x - freq[j]) + gain[j];
}

static bool sample(gndi_scratch *s, int64_t n, int count, const double *freq, const double *gain, bool odd,
                   double nyquist, int64_t grid, gndi_complex *spectrum) {
    double *f = gndi_scratch_doubles(s, count);
    if (!f) return false;
    for (int i = 0; i < count; i++) f[i] = freq[i];
    for (int i = 0; i + 1 < count; i++) /* a step becomes a steep slope */
        if (f[i] == f[i + 1]) f[i] -= DBL_EPSILON * nyquist, f[i + 1] += DBL_EPSILON * nyquist;
    for (int i = 1; i < count; i++)
        if (!(f[i] > f[i - 1]))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "the frequency %g is too near to one that occurs twice", f[i]);
    const int64_t size = 2 * (grid - 1);
    int from = 0;
    for (int64_t k = 0; k < grid; k++) {
        const double x = k == grid - 1 ? nyquist : nyquist / (double)(grid - 1) * (double)k;
        const double angle = -(double)(n - 1) / 2 * GNDI_PI * x / nyquist;
        gndi_complex value = interpolate(count, f, gain, x, &from) * CMPLX(cos(angle), sin(angle));
        if (odd) value *= I;
        if (k == 0 || k == grid - 1) value = creal(value);
        spectrum[k] = value;
        if (k > 0 && k < grid - 1) spectrum[size - k] = conj(value);
    }
    return gndi_host_fft(s, size, spectrum, true);
}

gnd_array *gnd_firwin2(int64_t numtaps, int count, const double *freq, const double *gain,
                       const gnd_firwin2_options *options) {
    static const gnd_firwin2_options any;
    const gnd_firwin2_options *o = options ? options : &any;
    gndi_scratch s = {.fn = "gnd_firwin2"};
    gnd_array *result = NULL;
    double rate = 2;
    int64_t grid = o->nfreqs;
    if (gndi_check_taps(&s, numtaps) && gndi_check_rate(&s, o->fs, 2, &rate) &&
        check_grid(&s, count, freq, gain, numtaps, o->antisymmetric, rate / 2)) {
        if (grid == 0)
            for (grid = 1; grid < numtaps;) grid *= 2;
        if (o->nfreqs == 0)
            grid++;
        else if (numtaps >= grid)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "there must be more frequencies than taps, not %lld and %lld",
                              (long long)grid, (long long)numtaps);
        gndi_complex *spectrum = gndi_scratch_complex(&s, grid > 1 ? 2 * (grid - 1) : 1);
        double *taps = gndi_scratch_doubles(&s, numtaps);
        if (!s.failed && sample(&s, numtaps, count, freq, gain, o->antisymmetric, rate / 2, grid, spectrum) &&
            gndi_window(&s, &o->window, "hamming", numtaps, true, taps)) {
            for (int64_t i = 0; i < numtaps; i++) taps[i] *= creal(spectrum[i]);
            if (o->antisymmetric && numtaps % 2) taps[numtaps / 2] = 0;
            result = gndi_array_of_doubles(&s, numtaps, taps);
        }
    }
    gndi_scratch_end(&s);
    return result;
}

/* ---- firwin_2d ------------------------------------------------------------------------------ */

static double at_radius(int64_t n, const double *line, double r) {
    const double x = r * (double)(n - 1);
    if (x >= (double)(n - 1)) return line[n - 1];
    const int64_t j = (int64_t)x;
    return line[j] + (line[j + 1] - line[j]) * (x - (double)j);
}

static double coordinate(int64_t n, int64_t i) {
    return n == 1 ? -1 : -1 + 2 * (double)i / (double)(n - 1);
}

gnd_array *gnd_firwin_2d(int64_t rows, int64_t columns, int count, const double *fc,
                         const gnd_firwin_2d_options *options) {
    static const gnd_firwin_2d_options any;
    const gnd_firwin_2d_options *o = options ? options : &any;
    gndi_scratch s = {.fn = "gnd_firwin_2d"};
    gnd_array *result = NULL;
    const gnd_firwin_options first = {.window = o->window, .fs = o->fs}, second = {.window = o->window2, .fs = o->fs};
    if (gndi_check_taps(&s, rows) && gndi_check_taps(&s, columns)) {
        const int64_t ring = 8 * gndi_max(rows, columns);
        double *a = gndi_scratch_doubles(&s, o->circular ? ring : rows), *b = gndi_scratch_doubles(&s, columns);
        double *taps = gndi_scratch_doubles(&s, rows * columns);
        bool done = !s.failed && gndi_design_firwin(&s, o->circular ? ring : rows, count, fc, &first, a);
        if (done && !o->circular) done = gndi_design_firwin(&s, columns, count, fc, &second, b);
        if (done && o->circular) { /* SciPy's array has the columns first */
            for (int64_t i = 0; i < columns; i++)
                for (int64_t j = 0; j < rows; j++)
                    taps[i * rows + j] = at_radius(ring, a, hypot(coordinate(rows, j), coordinate(columns, i)));
            result = gndi_matrix_of_doubles(&s, columns, rows, taps);
        } else if (done) {
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++) taps[i * columns + j] = a[i] * b[j];
            result = gndi_matrix_of_doubles(&s, rows, columns, taps);
        }
    }
    gndi_scratch_end(&s);
    return result;
}
