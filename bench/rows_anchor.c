/*
 * rows_anchor.c: the calls that cuSignal's notebooks and its ICASSP 2021 slides time, at their sizes and with their
 * parameters, by name: 1e8 doubles, unless the name says otherwise. bench/published.json has what they published.
 */
#include "bench.h"
#include <math.h>

#define S bench_size
#define MANY S(100000000)
#define LINE S(10000000)
#define SIDE S(10000)

/* ---- signals -------------------------------------------------------------------------------- */

static void nothing(operands *o) {
    (void)o;
}
static void noise(operands *o) {
    o->x = bench_random(GND_SHAPE(MANY), GND_FLOAT64);
}
static void noise_and_ones(operands *o) {
    noise(o), o->y = gnd_ones(GND_SHAPE(128), GND_FLOAT64);
}
static void noise_and_hann(operands *o) {
    noise(o), o->y = gnd_hann(1000, true, GND_FLOAT64);
}
static void noise_and_reverse(operands *o) {
    noise(o), o->y = gnd_flip(o->x, GND_ALL);
}
static void noise_1e7(operands *o) {
    o->x = bench_random(GND_SHAPE(LINE), GND_FLOAT64);
}
static void image(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT64), o->y = bench_random(GND_SHAPE(5, 5), GND_FLOAT64);
}
/* Times from 0 to 10. */
static void times(operands *o) {
    o->x = gnd_linspace(0, 10, LINE, true, GND_FLOAT64);
}
/* cos(-t^2 / 6). */
static void chirp(operands *o) {
    gnd_array *t = gnd_linspace(0, 10, MANY, false, GND_FLOAT64);
    gnd_square_into(t, t), gnd_multiply_into(t, t, -1.0 / 6), gnd_cos_into(t, t);
    o->x = t;
}
#define KAISER                                                                                                         \
    &(gnd_resample_poly_options) {                                                                                     \
        .window = { "kaiser", 1, {0.5} }                                                                               \
    }
BENCH_RUN(correlate, gnd_correlate_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
BENCH_RUN(convolve, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
BENCH_RUN(fftconvolve, gnd_fftconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(convolve2d, gnd_convolve2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(correlate2d, gnd_correlate2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(decimate, gnd_decimate(o->x, 3, -1, &(gnd_decimate_options){.type = GND_DECIMATE_FIR}))
BENCH_RUN(resample, gnd_resample(o->x, MANY / 1000, -1, &(gnd_resample_options){.named = {"kaiser", 1, {0.5}}}))
BENCH_RUN(resample_poly, gnd_resample_poly(o->x, 2, 3, -1, KAISER))
BENCH_RUN(wiener, gnd_wiener(o->x, GND_SHAPE(3), GND_NONE))
BENCH_RUN(hilbert, gnd_hilbert(o->x, -1, -1))
BENCH_RUN(hilbert2, gnd_hilbert2(o->x, GND_SCALAR, GND_ALL))
BENCH_RUN(firwin, gnd_firwin(MANY, GND_NUMBERS(0.1, 0.2), &(gnd_firwin_options){.pass_zero = GND_STOP_ZERO}))
BENCH_RUN(morlet, gnd_morlet(MANY, 5, 1, true, GND_COMPLEX128))
BENCH_RUN(impulse, gnd_unit_impulse(GND_SHAPE(MANY), -1, NULL, GND_FLOAT64))

static void stft(operands *o) {
    gnd_array *window = gnd_hann(1024, false, GND_FLOAT64);
    gnd_release(gnd_stft(o->x, window, -1, &(gnd_stft_options){.fs = 1e6}, NULL, NULL));
    gnd_release(window);
}
static void two_noises(operands *o) {
    noise(o), o->y = bench_random(GND_SHAPE(MANY), GND_FLOAT64), gnd_multiply_into(o->y, o->y, o->x);
}
#define FRAMES                                                                                                         \
    &(gnd_spectra_options) {                                                                                           \
        .fs = 1e6, .nperseg = 1024                                                                                     \
    }
BENCH_RUN(csd, gnd_csd(o->x, o->y, -1, FRAMES, NULL))
BENCH_RUN(coherence, gnd_coherence(o->x, o->y, -1, FRAMES, NULL))
static void periodogram(operands *o) {
    const gnd_window flattop = {.name = "flattop"};
    const gnd_spectra_options options = {.fs = 1e6, .window = &flattop, .scaling = GND_SPECTRA_SPECTRUM};
    gnd_release(gnd_periodogram(o->x, -1, &options, NULL));
}
static void cwt(operands *o) {
    double widths[30];
    for (int i = 0; i < 30; i++) widths[i] = i + 1;
    gnd_release(gnd_cwt(o->x, GND_WAVELET_RICKER, 30, widths, 0));
}
static void extrema(const gnd_array *x, gnd_relation relation) {
    gnd_array *indices[1] = {NULL};
    gnd_argrelextrema(x, relation, 0, 1, false, indices);
    gnd_release(indices[0]);
}
static void minima(operands *o) {
    extrema(o->x, GND_LESS);
}
static void maxima(operands *o) {
    extrema(o->x, GND_GREATER);
}

BENCH_RUN(gauss_spline, gnd_gauss_spline(o->x, 1000))
BENCH_RUN(cubic, gnd_cubic(o->x))
BENCH_RUN(quadratic, gnd_quadratic(o->x))

/* 29 harmonics of 100 Hz, 8000 samples a second. */
static void harmonics(operands *o) {
    const int64_t n = S(40000);
    o->x = gnd_zeros(GND_SHAPE(n), GND_FLOAT64);
    gnd_array *phase = gnd_arange(0, n, 1, GND_FLOAT64);
    gnd_multiply_into(phase, phase, 2 * 3.14159265358979 * 100 / 8000);
    for (int k = 1; k < 30; k++) {
        gnd_array *sine = gnd_multiply(phase, k);
        gnd_sin_into(sine, sine), gnd_add_into(o->x, o->x, sine);
        gnd_release(sine);
    }
    gnd_release(phase);
}
BENCH_RUN(real_cepstrum, gnd_real_cepstrum(o->x, -1, -1))
static void complex_cepstrum(operands *o) {
    gnd_array *delay = NULL;
    gnd_release(gnd_complex_cepstrum(o->x, -1, -1, &delay));
    gnd_release(delay);
}
/* 1675 samples of 2 cos t, shifted, at random times from 0.01 to 10 pi, and 2^20 frequencies. */
static void uneven(operands *o) {
    o->x = bench_random(GND_SHAPE(1675), GND_FLOAT64);
    gnd_multiply_into(o->x, o->x, 31.4), gnd_add_into(o->x, o->x, 0.01);
    o->y = gnd_add(o->x, 1.5707963), o->z = gnd_linspace(0.01, 10, S(1 << 20), true, GND_FLOAT64);
    gnd_cos_into(o->y, o->y), gnd_multiply_into(o->y, o->y, 2);
}
BENCH_RUN(lombscargle, gnd_lombscargle(o->x, o->y, o->z, NULL))

/* ---- waveforms ------------------------------------------------------------------------------ */

#define CHIRP(kind)                                                                                                    \
    &(gnd_chirp_options) {                                                                                             \
        .method = GND_CHIRP_##kind                                                                                     \
    }
BENCH_RUN(square, gnd_square_wave(o->x, 0.5))
BENCH_RUN(chirp_linear, gnd_chirp(o->x, 6, 10, 1, CHIRP(LINEAR)))
BENCH_RUN(chirp_quadratic, gnd_chirp(o->x, 1500, 10, 250, CHIRP(QUADRATIC)))
static void gausspulse(operands *o) {
    gnd_array *quadrature = NULL, *envelope = NULL;
    gnd_release(gnd_gausspulse(o->x, 5, 0.5, -6, &quadrature, &envelope));
    gnd_release(quadrature), gnd_release(envelope);
}

/* ---- the chain of features of the tutorial's classifier -------------------------------------- */

static void ensemble(operands *o) {
    o->x = bench_random(GND_SHAPE(S(2000), S(32768)), GND_FLOAT64);
}
static void features(operands *o) {
    const gnd_window flattop = {.name = "flattop"};
    gnd_array *fine = gnd_resample_poly(o->x, 2, 1, 1, &(gnd_resample_poly_options){.window = flattop});
    const gnd_spectra_options options = {.fs = 10e6, .window = &flattop, .scaling = GND_SPECTRA_SPECTRUM};
    gnd_release(gnd_periodogram(fine, 1, &options, NULL));
    gnd_release(fine);
}

/* ---- windows -------------------------------------------------------------------------------- */

#define WINDOW(name, ...) BENCH_RUN(window_##name, gnd_##name(LINE, __VA_ARGS__, true, GND_FLOAT64))
#define PLAIN(name) BENCH_RUN(window_##name, gnd_##name(LINE, true, GND_FLOAT64))
PLAIN(boxcar)
PLAIN(triang)
PLAIN(bohman)
PLAIN(blackman)
PLAIN(nuttall)
PLAIN(blackmanharris)
PLAIN(flattop)
PLAIN(bartlett)
PLAIN(hann)
PLAIN(barthann)
PLAIN(hamming)
PLAIN(cosine)
WINDOW(tukey, 0.5)
WINDOW(general_hamming, 0.5)
WINDOW(kaiser, 0.5)
WINDOW(gaussian, 7.0)
WINDOW(general_gaussian, 1.5, 7.0)
WINDOW(exponential, (double)NAN, 3.0)
static void window_general_cosine(operands *o) {
    (void)o;
    const double hft90d[] = {1, 1.942604, 1.340318, 0.440811, 0.043097};
    gnd_release(gnd_general_cosine(LINE, 5, hft90d, false, GND_FLOAT64));
}

#define WINDOW_ROW(name)                                                                                               \
    { "anchor." #name "_1e7", nothing, window_##name, 8e7 }

const bench_row bench_rows_anchor[] = {
    {"anchor.correlate_1e8_ones128", noise_and_ones, correlate, 16e8},
    {"anchor.convolve_1e8_hann1000", noise_and_hann, convolve, 16e8},
    {"anchor.fftconvolve_1e8_reversed", noise_and_reverse, fftconvolve, 32e8},
    {"anchor.convolve2d_1e4x1e4_5x5", image, convolve2d, 16e8},
    {"anchor.correlate2d_1e4x1e4_5x5", image, correlate2d, 16e8},
    {"anchor.decimate_3_1e8", noise, decimate, 10.67e8},
    {"anchor.resample_1e8_1e5", chirp, resample, 8.008e8},
    {"anchor.resample_poly_2_3_1e8", chirp, resample_poly, 13.33e8},
    {"anchor.wiener_1e8", noise, wiener, 16e8},
    {"anchor.hilbert_1e8", noise, hilbert, 24e8},
    {"anchor.hilbert2_1e4x1e4", image, hilbert2, 24e8},
    {"anchor.stft_1e8", noise, stft, 40e8},
    {"anchor.periodogram_1e8", noise, periodogram, 12e8},
    {"anchor.csd_1e8", two_noises, csd, 16e8},
    {"anchor.coherence_1e8", two_noises, coherence, 16e8},
    {"anchor.argrelmin_1e8", noise, minima, 8e8},
    {"anchor.argrelmax_1e8", noise, maxima, 8e8},
    {"anchor.argrelextrema_less_1e8", noise, minima, 8e8},
    {"anchor.firwin_1e8", nothing, firwin, 8e8},
    {"anchor.morlet_1e8", nothing, morlet, 16e8},
    {"anchor.cwt_ricker_1e7x30", noise_1e7, cwt, 8e7 + 30 * 8e7},
    {"anchor.gauss_spline_1e8", noise, gauss_spline, 16e8},
    {"anchor.cubic_1e8", noise, cubic, 16e8},
    {"anchor.quadratic_1e8", noise, quadratic, 16e8},
    {"anchor.real_cepstrum_40000", harmonics, real_cepstrum, 2 * 8. * 40000},
    {"anchor.complex_cepstrum_40000", harmonics, complex_cepstrum, 2 * 8. * 40000},
    {"anchor.lombscargle_1675x2p20_f64", uneven, lombscargle, 8. * (1 << 20) * 2},
    {"anchor.square_1e7", times, square, 16e7},
    {"anchor.gausspulse_1e7", times, gausspulse, 32e7},
    {"anchor.chirp_linear_1e7", times, chirp_linear, 16e7},
    {"anchor.chirp_quadratic_1e7", times, chirp_quadratic, 16e7},
    {"anchor.unit_impulse_1e8", nothing, impulse, 8e8},
    {"anchor.ai_features_2000x32768_f64", ensemble, features, 2000 * 8 * (32768. + 32769)},
    WINDOW_ROW(general_cosine),
    WINDOW_ROW(boxcar),
    WINDOW_ROW(triang),
    WINDOW_ROW(bohman),
    WINDOW_ROW(blackman),
    WINDOW_ROW(nuttall),
    WINDOW_ROW(blackmanharris),
    WINDOW_ROW(flattop),
    WINDOW_ROW(bartlett),
    WINDOW_ROW(hann),
    WINDOW_ROW(tukey),
    WINDOW_ROW(barthann),
    WINDOW_ROW(general_hamming),
    WINDOW_ROW(hamming),
    WINDOW_ROW(kaiser),
    WINDOW_ROW(gaussian),
    WINDOW_ROW(general_gaussian),
    WINDOW_ROW(cosine),
    WINDOW_ROW(exponential),
    {NULL, NULL, NULL, 0},
};
