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
/* Twice the rate; then the power at each frequency: no mean, a flat-top window, both sides of the spectrum in one. */
static void features(operands *o) {
    gnd_array *fine = gnd_resample_poly(o->x, 2, 1, 1, &(gnd_resample_poly_options){.window = {"flattop"}});
    gnd_array *level = gnd_detrend(fine, 1, &(gnd_detrend_options){.type = GND_DETREND_CONSTANT});
    gnd_array *window = gnd_flattop(gnd_dim(fine, 1), false, GND_FLOAT64), *sum = gnd_sum(window, GND_ALL);
    gnd_release(fine);
    gnd_multiply_into(level, level, window);
    gnd_array *z = gnd_rfft(level, -1, 1, GND_FFT_BACKWARD), *power = NULL;
    gnd_release(level);
    GND_FUSE power = gnd_keep(gnd_square(gnd_divide(gnd_absolute(z), sum)));
    gnd_array *twice = gnd_slice(power, ":, 1:-1");
    gnd_multiply_into(twice, twice, 2);
    gnd_release(z), gnd_release(twice), gnd_release(power), gnd_release(window), gnd_release(sum);
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
    {"anchor.argrelmin_1e8", noise, minima, 8e8},
    {"anchor.argrelmax_1e8", noise, maxima, 8e8},
    {"anchor.argrelextrema_less_1e8", noise, minima, 8e8},
    {"anchor.firwin_1e8", nothing, firwin, 8e8},
    {"anchor.morlet_1e8", nothing, morlet, 16e8},
    {"anchor.cwt_ricker_1e7x30", noise_1e7, cwt, 8e7 + 30 * 8e7},
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
