/*
 * rows_anchor.c: the calls that cuSignal's notebooks and its ICASSP 2021 slides time, at their sizes and with their
 * parameters, by name: 1e8 doubles, unless the name says otherwise. bench/published.json has what they published.
 */
#include "bench.h"
#include <math.h>

/* ---- signals -------------------------------------------------------------------------------- */

static void hann(operands *o) {
    o->y = gnd_hann((int64_t)o->p[0], true, GND_FLOAT64);
}
static void reversed(operands *o) {
    o->y = gnd_flip(o->x, GND_ALL);
}
/* cos(-t^2 / 6) of times t. */
static void chirp(operands *o) {
    gnd_square_into(o->x, o->x), gnd_multiply_into(o->x, o->x, -1.0 / 6), gnd_cos_into(o->x, o->x);
}
#define KAISER                                                                                                         \
    &(gnd_resample_poly_options) {                                                                                     \
        .window = { "kaiser", 1, {o->p[2]} }                                                                           \
    }
BENCH_RUN(correlate, gnd_correlate_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
BENCH_RUN(convolve, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
BENCH_RUN(fftconvolve, gnd_fftconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(convolve2d, gnd_convolve2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(correlate2d, gnd_correlate2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(decimate, gnd_decimate(o->x, (int64_t)o->p[0], -1, &(gnd_decimate_options){.type = GND_DECIMATE_FIR}))
BENCH_RUN(resample, gnd_resample(o->x, o->n[0], -1, &(gnd_resample_options){.named = {"kaiser", 1, {o->p[0]}}}))
BENCH_RUN(resample_poly, gnd_resample_poly(o->x, (int64_t)o->p[0], (int64_t)o->p[1], -1, KAISER))
BENCH_RUN(wiener, gnd_wiener(o->x, GND_SHAPE((int64_t)o->p[0]), GND_NONE))
BENCH_RUN(hilbert, gnd_hilbert(o->x, -1, -1))
BENCH_RUN(hilbert2, gnd_hilbert2(o->x, GND_SCALAR, GND_ALL))
BENCH_RUN(firwin, gnd_firwin(o->n[0], 2, o->p, &(gnd_firwin_options){.pass_zero = GND_STOP_ZERO}))
BENCH_RUN(morlet, gnd_morlet(o->n[0], o->p[0], o->p[1], true, GND_COMPLEX128))
BENCH_RUN(impulse, gnd_unit_impulse(GND_SHAPE(o->n[0]), -1, NULL, GND_FLOAT64))

/* Samples a second, and the length of frames. */
static void stft(operands *o) {
    gnd_array *window = gnd_hann((int64_t)o->p[1], false, GND_FLOAT64);
    gnd_release(gnd_stft(o->x, window, -1, &(gnd_stft_options){.fs = o->p[0]}, NULL, NULL));
    gnd_release(window);
}
#define FRAMES                                                                                                         \
    &(gnd_spectra_options) {                                                                                           \
        .fs = o->p[0], .nperseg = (int64_t)o->p[1]                                                                     \
    }
BENCH_RUN(csd, gnd_csd(o->x, o->y, -1, FRAMES, NULL))
BENCH_RUN(coherence, gnd_coherence(o->x, o->y, -1, FRAMES, NULL))
static void periodogram(operands *o) {
    const gnd_window flattop = {.name = "flattop"};
    const gnd_spectra_options options = {.fs = o->p[0], .window = &flattop, .scaling = GND_SPECTRA_SPECTRUM};
    gnd_release(gnd_periodogram(o->x, -1, &options, NULL));
}
static void cwt(operands *o) {
    double widths[30]; /* 1, 2, ... */
    const int count = (int)o->p[0];
    for (int i = 0; i < count && i < 30; i++) widths[i] = i + 1;
    gnd_release(gnd_cwt(o->x, GND_WAVELET_RICKER, count, widths, 0));
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

BENCH_RUN(gauss_spline, gnd_gauss_spline(o->x, (int)o->p[0]))
BENCH_RUN(cubic, gnd_cubic(o->x))
BENCH_RUN(quadratic, gnd_quadratic(o->x))

/* Harmonics of p[0] Hz, p[1] samples a second: the first p[2] at the times of the samples, whose indices are x. */
static void harmonics(operands *o) {
    gnd_array *sum = gnd_zeros_like(o->x, GND_DTYPE_NONE);
    gnd_multiply_into(o->x, o->x, 2 * 3.14159265358979 * o->p[0] / o->p[1]);
    for (double k = 1; k <= o->p[2]; k++) {
        gnd_array *sine = gnd_multiply(o->x, k);
        gnd_sin_into(sine, sine), gnd_add_into(sum, sum, sine);
        gnd_release(sine);
    }
    bench_replace(&o->x, sum);
}
BENCH_RUN(real_cepstrum, gnd_real_cepstrum(o->x, -1, -1))
static void complex_cepstrum(operands *o) {
    gnd_array *delay = NULL;
    gnd_release(gnd_complex_cepstrum(o->x, -1, -1, &delay));
    gnd_release(delay);
}
/* 2 cos t, shifted, at random times in x; frequencies are in z. */
static void uneven(operands *o) {
    gnd_multiply_into(o->x, o->x, o->p[0]), gnd_add_into(o->x, o->x, 0.01);
    o->z = o->y, o->y = gnd_add(o->x, 1.5707963);
    gnd_cos_into(o->y, o->y), gnd_multiply_into(o->y, o->y, 2);
}
BENCH_RUN(lombscargle, gnd_lombscargle(o->x, o->y, o->z, NULL))

/* ---- waveforms ------------------------------------------------------------------------------ */

#define CHIRP(kind) gnd_chirp(o->x, o->p[0], o->p[1], o->p[2], &(gnd_chirp_options){.method = GND_CHIRP_##kind})
BENCH_RUN(square, gnd_square_wave(o->x, o->p[0]))
BENCH_RUN(chirp_linear, CHIRP(LINEAR))
BENCH_RUN(chirp_quadratic, CHIRP(QUADRATIC))
static void gausspulse(operands *o) {
    gnd_array *quadrature = NULL, *envelope = NULL;
    gnd_release(gnd_gausspulse(o->x, o->p[0], 0.5, -6, &quadrature, &envelope));
    gnd_release(quadrature), gnd_release(envelope);
}

/* ---- the chain of features of the tutorial's classifier -------------------------------------- */

/* Up, down, and samples a second. */
static void features(operands *o) {
    const gnd_window flattop = {.name = "flattop"};
    gnd_array *fine =
        gnd_resample_poly(o->x, (int64_t)o->p[0], (int64_t)o->p[1], 1, &(gnd_resample_poly_options){.window = flattop});
    const gnd_spectra_options options = {.fs = o->p[2], .window = &flattop, .scaling = GND_SPECTRA_SPECTRUM};
    gnd_release(gnd_periodogram(fine, 1, &options, NULL));
    gnd_release(fine);
}

/* ---- windows -------------------------------------------------------------------------------- */

#define WINDOW(name, ...) BENCH_RUN(window_##name, gnd_##name(o->n[0], __VA_ARGS__, true, GND_FLOAT64))
#define PLAIN(name) BENCH_RUN(window_##name, gnd_##name(o->n[0], true, GND_FLOAT64))
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
WINDOW(tukey, o->p[0])
WINDOW(general_hamming, o->p[0])
WINDOW(kaiser, o->p[0])
WINDOW(gaussian, o->p[0])
WINDOW(general_gaussian, o->p[0], o->p[1])
WINDOW(exponential, (double)NAN, o->p[0])
BENCH_RUN(window_general_cosine, gnd_general_cosine(o->n[0], 5, o->p, false, GND_FLOAT64))

#define WINDOW_ROW(name, stated)                                                                                       \
    { "anchor." #name "_1e7", NULL, window_##name, 8e7, stated }

#define HARMONICS "float64[40000]0:39999 =100 =8000 =29"

const bench_row bench_rows_anchor[] = {
    {"anchor.correlate_1e8_ones128", NULL, correlate, 16e8, "float64[1e8] float64[=128]=1"},
    {"anchor.convolve_1e8_hann1000", hann, convolve, 16e8, "float64[1e8] =1000"},
    {"anchor.fftconvolve_1e8_reversed", reversed, fftconvolve, 32e8, "float64[1e8]"},
    {"anchor.convolve2d_1e4x1e4_5x5", NULL, convolve2d, 16e8, "float64[1e4,1e4] float64[=5,=5]"},
    {"anchor.correlate2d_1e4x1e4_5x5", NULL, correlate2d, 16e8, "float64[1e4,1e4] float64[=5,=5]"},
    {"anchor.decimate_3_1e8", NULL, decimate, 10.67e8, "float64[1e8] =3"},
    {"anchor.resample_1e8_1e5", chirp, resample, 8.008e8, "float64[1e8]0:10 1e5 =0.5"},
    {"anchor.resample_poly_2_3_1e8", chirp, resample_poly, 13.33e8, "float64[1e8]0:10 =2 =3 =0.5"},
    {"anchor.wiener_1e8", NULL, wiener, 16e8, "float64[1e8] =3"},
    {"anchor.hilbert_1e8", NULL, hilbert, 24e8, "float64[1e8]"},
    {"anchor.hilbert2_1e4x1e4", NULL, hilbert2, 24e8, "float64[1e4,1e4]"},
    {"anchor.stft_1e8", NULL, stft, 40e8, "float64[1e8] =1e6 =1024"},
    {"anchor.periodogram_1e8", NULL, periodogram, 12e8, "float64[1e8] =1e6"},
    {"anchor.csd_1e8", NULL, csd, 16e8, "float64[1e8] float64[1e8] =1e6 =1024"},
    {"anchor.coherence_1e8", NULL, coherence, 16e8, "float64[1e8] float64[1e8] =1e6 =1024"},
    {"anchor.argrelmin_1e8", NULL, minima, 8e8, "float64[1e8]"},
    {"anchor.argrelmax_1e8", NULL, maxima, 8e8, "float64[1e8]"},
    {"anchor.argrelextrema_less_1e8", NULL, minima, 8e8, "float64[1e8]"},
    {"anchor.firwin_1e8", NULL, firwin, 8e8, "1e8 =0.1 =0.2"},
    {"anchor.morlet_1e8", NULL, morlet, 16e8, "1e8 =5 =1"},
    {"anchor.cwt_ricker_1e7x30", NULL, cwt, 8e7 + 30 * 8e7, "float64[1e7] =30"},
    {"anchor.gauss_spline_1e8", NULL, gauss_spline, 16e8, "float64[1e8] =1000"},
    {"anchor.cubic_1e8", NULL, cubic, 16e8, "float64[1e8]"},
    {"anchor.quadratic_1e8", NULL, quadratic, 16e8, "float64[1e8]"},
    {"anchor.real_cepstrum_40000", harmonics, real_cepstrum, 2 * 8. * 40000, HARMONICS},
    {"anchor.complex_cepstrum_40000", harmonics, complex_cepstrum, 2 * 8. * 40000, HARMONICS},
    {"anchor.lombscargle_1675x2p20_f64", uneven, lombscargle, 8. * (1 << 20) * 2,
     "float64[=1675] float64[2^20]0.01:10 =31.4"},
    {"anchor.square_1e7", NULL, square, 16e7, "float64[1e7]0:10 =0.5"},
    {"anchor.gausspulse_1e7", NULL, gausspulse, 32e7, "float64[1e7]0:10 =5"},
    {"anchor.chirp_linear_1e7", NULL, chirp_linear, 16e7, "float64[1e7]0:10 =6 =10 =1"},
    {"anchor.chirp_quadratic_1e7", NULL, chirp_quadratic, 16e7, "float64[1e7]0:10 =1500 =10 =250"},
    {"anchor.unit_impulse_1e8", NULL, impulse, 8e8, "1e8"},
    {"anchor.ai_features_2000x32768_f64", NULL, features, 2000 * 8 * (32768. + 32769),
     "float64[2000,32768] =2 =1 =10e6"},
    WINDOW_ROW(general_cosine, "1e7 =1 =1.942604 =1.340318 =0.440811 =0.043097"),
    WINDOW_ROW(boxcar, "1e7"),
    WINDOW_ROW(triang, "1e7"),
    WINDOW_ROW(bohman, "1e7"),
    WINDOW_ROW(blackman, "1e7"),
    WINDOW_ROW(nuttall, "1e7"),
    WINDOW_ROW(blackmanharris, "1e7"),
    WINDOW_ROW(flattop, "1e7"),
    WINDOW_ROW(bartlett, "1e7"),
    WINDOW_ROW(hann, "1e7"),
    WINDOW_ROW(tukey, "1e7 =0.5"),
    WINDOW_ROW(barthann, "1e7"),
    WINDOW_ROW(general_hamming, "1e7 =0.5"),
    WINDOW_ROW(hamming, "1e7"),
    WINDOW_ROW(kaiser, "1e7 =0.5"),
    WINDOW_ROW(gaussian, "1e7 =7"),
    WINDOW_ROW(general_gaussian, "1e7 =1.5 =7"),
    WINDOW_ROW(cosine, "1e7"),
    WINDOW_ROW(exponential, "1e7 =3"),
    {0},
};
