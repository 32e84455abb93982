/*
 * special.c: filters of one frequency: notches, peaks and combs (S. J. Orfanidis, Introduction to Signal Processing,
 * 1996), and models of hearing (M. Slaney, An Efficient Implementation of the Patterson-Holdsworth Auditory Filter
 * Bank, Apple technical report 35, 1993).
 */
#include "filter_design/design.h"
#include "filter_design/fir.h"
#include <math.h>

static void give(gndi_scratch *s, gnd_filter_design *f, int64_t n, const double *b, int64_t m, const double *a) {
    f->b = gndi_array_of_doubles(s, n, b);
    f->a = gndi_array_of_doubles(s, m, a);
}

/* ---- notches and peaks ---------------------------------------------------------------------- */

static gnd_status one_frequency(const char *fn, gnd_filter_design *f, double w0, double q, double fs, bool peak) {
    gndi_scratch s = {.fn = fn};
    double rate;
    if (gndi_design_begin(&s, f) && gndi_check_rate(&s, fs, 2, &rate)) {
        const double w = 2 * w0 / rate;
        if (!(w >= 0 && w <= 1) || !(q > 0))
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "w0 must lie between 0 and %g, and q be positive, unlike %g and %g",
                              rate / 2, w0, q);
        const double gain = 1 / (1 + tan(w / q * GNDI_PI / 2)), c = cos(w * GNDI_PI);
        const double notch[] = {gain, -2 * c * gain, gain}, pass[] = {1 - gain, 0, gain - 1};
        const double a[] = {1, -2 * gain * c, 2 * gain - 1};
        give(&s, f, 3, peak ? pass : notch, 3, a);
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_iirnotch(gnd_filter_design *f, double w0, double q, double fs) {
    return one_frequency("gnd_iirnotch", f, w0, q, fs, false);
}

gnd_status gnd_iirpeak(gnd_filter_design *f, double w0, double q, double fs) {
    return one_frequency("gnd_iirpeak", f, w0, q, fs, true);
}

gnd_status gnd_iircomb(gnd_filter_design *f, double w0, double q, bool peak, double fs, bool pass_zero) {
    gndi_scratch s = {.fn = "gnd_iircomb"};
    double rate;
    if (gndi_design_begin(&s, f) && gndi_check_rate(&s, fs, 2, &rate)) {
        const double times = rint(rate / w0);
        if (!(w0 > 0 && w0 < rate / 2) || !(q > 0))
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "w0 must lie between 0 and %g, and q be positive, unlike %g and %g",
                              rate / 2, w0, q);
        else if (fabs(w0 - rate / times) / rate > 1e-14 || times > 1e9)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "w0 must divide the sampling rate %g, unlike %g", rate, w0);
        const int64_t n = s.failed ? 2 : (int64_t)times;
        double *b = gndi_scratch_doubles(&s, n + 1), *a = gndi_scratch_doubles(&s, n + 1);
        if (b && a) {
            const double beta = tan((double)n * (2 * GNDI_PI * w0 / rate / q) / 4), sign = peak == pass_zero ? -1 : 1;
            b[0] = (peak ? beta : 1) / (1 + beta);
            b[n] = sign * (peak ? -beta : 1) / (1 + beta);
            a[0] = 1;
            a[n] = sign * (1 - beta) / (1 + beta);
            give(&s, f, n + 1, b, n + 1, a);
        }
    }
    return gndi_design_end(&s, f);
}

/* ---- gammatone ------------------------------------------------------------------------------ */

/* 1.019 times the equivalent rectangular bandwidth of hearing (Glasberg and Moore, 1990). */
static double bandwidth(double freq) {
    return 1.019 * (freq / 9.26449 + 24.7);
}

static void gammatone_taps(double freq, int order, int64_t n, double fs, double *b) {
    const double w = 2 * GNDI_PI * bandwidth(freq);
    const double scale = 2 * pow(w, order) / tgamma(order) / fs;
    for (int64_t i = 0; i < n; i++) {
        const double t = (double)i / fs;
        b[i] = pow(t, order - 1) * exp(-w * t) * cos(2 * GNDI_PI * freq * t) * scale;
    }
}

static void gammatone_recursive(double freq, double fs, double *b, double *a) {
    const double t = 1 / fs, d = 2 * GNDI_PI * bandwidth(freq) * t, fr = 2 * freq * GNDI_PI * t;
    const double c = cos(fr), s = sin(fr), c2 = cos(2 * fr), c3 = cos(3 * fr), c4 = cos(4 * fr);
    const double outer = sqrt(3 + pow(2, 1.5)) * s, inner = sqrt(3 - pow(2, 1.5)) * s;
    const gndi_complex turn = cexp(CMPLX(0, 2 * fr)), g1 = -2 * turn * t, g2 = 2 * cexp(CMPLX(-d, fr)) * t;
    gndi_complex g =
        (g1 + g2 * (c - inner)) * (g1 + g2 * (c + inner)) * (g1 + g2 * (c - outer)) * (g1 + g2 * (c + outer));
    const gndi_complex below = -2 / exp(2 * d) - 2 * turn + 2 * (1 + turn) / exp(d);
    g /= below * below * below * below;
    const double unit = pow(t, 4) / cabs(g);
    const double num[] = {1, -4 * c, 6 * c2, -4 * c3, c4}, odd = -8 * (6 * c + c3), even = 4 * (4 + 3 * c2);
    const double den[] = {1, -8 * c, even, odd, 2 * (18 + 16 * c2 + c4), odd, even, -8 * c, 1};
    for (int i = 0; i < 5; i++) b[i] = num[i] * unit * exp(-i * d);
    for (int i = 0; i < 9; i++) a[i] = den[i] * exp(-i * d);
}

gnd_status gnd_gammatone(gnd_filter_design *f, double freq, bool fir, int order, int64_t numtaps, double fs) {
    gndi_scratch s = {.fn = "gnd_gammatone"};
    double rate;
    if (gndi_design_begin(&s, f) && gndi_check_rate(&s, fs, 2, &rate)) {
        if (order == 0) order = 4;
        if (numtaps == 0) numtaps = gndi_max((int64_t)fmin(rate * 0.015, 1e12), 15);
        if (!(freq > 0 && freq < rate / 2))
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "the frequency must lie between 0 and %g, unlike %g", rate / 2,
                              freq);
        else if (fir && (order < 1 || order > 24))
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "the order must be 1 to 24, not %d", order);
        else if (fir)
            gndi_check_taps(&s, numtaps);
        double *b = gndi_scratch_doubles(&s, fir ? numtaps : 5), a[9] = {1};
        if (b && fir) {
            gammatone_taps(freq, order, numtaps, rate, b);
            give(&s, f, numtaps, b, 1, a);
        } else if (b) {
            gammatone_recursive(freq, rate, b, a);
            give(&s, f, 5, b, 9, a);
        }
    }
    return gndi_design_end(&s, f);
}
