/*
 * rows_signal.c: windows of 1e7 points, waveforms at 1e7 times, a wavelet transform, peaks, periods, chirp
 * z-transforms, cepstra and splines, by name: windows and
 * times in float64, signals in float32, unless the name says otherwise.
 */
#include "bench.h"
#include <math.h>

#define S bench_size
#define N S(10000000)

/* ---- windows -------------------------------------------------------------------------------- */

static void nothing(operands *o) {
    (void)o;
}

#define WINDOW(name, ...) BENCH_RUN(window_##name, gnd_##name(N, __VA_ARGS__, true, GND_FLOAT64))
#define PLAIN(name) BENCH_RUN(window_##name, gnd_##name(N, true, GND_FLOAT64))
PLAIN(boxcar)
PLAIN(triang)
PLAIN(blackman)
PLAIN(hamming)
PLAIN(hann)
PLAIN(bartlett)
PLAIN(flattop)
PLAIN(parzen)
PLAIN(bohman)
PLAIN(blackmanharris)
PLAIN(nuttall)
PLAIN(barthann)
PLAIN(cosine)
PLAIN(lanczos)
WINDOW(exponential, (double)NAN, 1.0)
WINDOW(tukey, 0.5)
WINDOW(taylor, 4, 30.0, true)
WINDOW(kaiser, 14.0)
WINDOW(kaiser_bessel_derived, 14.0)
WINDOW(gaussian, 1e6)
WINDOW(general_cosine, 3, (const double[]){0.42, 0.5, 0.08})
WINDOW(general_gaussian, 1.5, 1e6)
WINDOW(general_hamming, 0.54)
WINDOW(chebwin, 100.0)
BENCH_RUN(window_hann_f32, gnd_hann(N, true, GND_FLOAT32))

/* ---- waveforms ------------------------------------------------------------------------------ */

static void times(operands *o) {
    o->x = gnd_linspace(0, 10, N, true, GND_FLOAT64);
}
static void signal_1e7(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void signal_1e6(operands *o) {
    o->x = bench_random(GND_SHAPE(S(1000000)), GND_FLOAT32);
}
static void signal_1e5(operands *o) {
    o->x = bench_random(GND_SHAPE(S(100000)), GND_FLOAT32);
}

#define CHIRP(kind)                                                                                                    \
    &(gnd_chirp_options) {                                                                                             \
        .method = GND_CHIRP_##kind                                                                                     \
    }
BENCH_RUN(chirp_linear, gnd_chirp(o->x, 1, 10, 6, CHIRP(LINEAR)))
BENCH_RUN(chirp_quadratic, gnd_chirp(o->x, 1, 10, 6, CHIRP(QUADRATIC)))
BENCH_RUN(chirp_logarithmic, gnd_chirp(o->x, 1, 10, 6, CHIRP(LOGARITHMIC)))
BENCH_RUN(chirp_hyperbolic, gnd_chirp(o->x, 1, 10, 6, CHIRP(HYPERBOLIC)))
BENCH_RUN(gausspulse, gnd_gausspulse(o->x, 5, 0.5, -6, NULL, NULL))
BENCH_RUN(square, gnd_square_wave(o->x, 0.5))
BENCH_RUN(sawtooth, gnd_sawtooth(o->x, 0.5))
BENCH_RUN(sweep_poly, gnd_sweep_poly(o->x, 4, (const double[]){0.025, -0.36, 1.25, 2}, 0))
BENCH_RUN(unit_impulse, gnd_unit_impulse(GND_SHAPE(N), -1, NULL, GND_FLOAT64))
BENCH_RUN(max_len_seq, gnd_max_len_seq(20, NULL, -1, 0, NULL, NULL))

/* ---- wavelets and peaks --------------------------------------------------------------------- */

static void cwt(operands *o) {
    double widths[64];
    for (int i = 0; i < 64; i++) widths[i] = i + 1;
    gnd_release(gnd_cwt(o->x, GND_WAVELET_RICKER, 64, widths, 0));
}
static void argrelmax(operands *o) {
    gnd_array *indices[1] = {NULL};
    gnd_argrelmax(o->x, 0, 1, false, indices);
    gnd_release(indices[0]);
}

#define PEAKS(name, ...)                                                                                               \
    static void name(operands *o) {                                                                                    \
        gnd_peaks found;                                                                                               \
        if (!gnd_find_peaks(&found, o->x, &(gnd_find_peaks_options){__VA_ARGS__})) gnd_peaks_release(&found);          \
    }
PEAKS(peaks, 0)
PEAKS(peaks_height, .height = GND_PEAKS_AT_LEAST(0.5))
PEAKS(peaks_distance, .distance = 10)
PEAKS(peaks_prominence, .prominence = GND_PEAKS_AT_LEAST(0.5))

static void find_peaks_cwt(operands *o) {
    double widths[30];
    for (int i = 0; i < 30; i++) widths[i] = i + 1;
    gnd_release(gnd_find_peaks_cwt(o->x, 30, widths, NULL));
}

/* ---- periods, chirp z-transforms, cepstra ---------------------------------------------------- */

/* Samples at random times from 0 to `end` in x and y, evenly spaced frequencies in z. */
static void uneven(operands *o, int64_t samples, int64_t count, double end, gnd_dtype dtype) {
    GND_SCOPE {
        o->x = gnd_keep(gnd_multiply(bench_random(GND_SHAPE(samples), dtype), end));
        o->y = gnd_keep(gnd_sin(o->x));
        o->z = gnd_keep(gnd_linspace(0.01, 10, count, true, dtype));
    }
}
static void uneven_f32(operands *o) {
    uneven(o, S(10000), S(10000), 100, GND_FLOAT32);
}
static void uneven_f64(operands *o) {
    uneven(o, S(10000), S(10000), 100, GND_FLOAT64);
}
static void ladder(operands *o) {
    uneven(o, S(1675), S(1048576), 31.4, GND_FLOAT64);
}
static void periods(operands *o) {
    o->x = bench_random(GND_SHAPE(S(1000000)), GND_FLOAT32);
    o->y = gnd_linspace(0.01, 1, 64, true, GND_FLOAT64);
}
static void vector_strength(operands *o) {
    gnd_array *phase = NULL;
    gnd_release(gnd_vectorstrength(o->x, 0.37, &phase));
    gnd_release(phase);
}
static void vector_strengths(operands *o) {
    gnd_array *phase = NULL;
    gnd_release(gnd_vectorstrength(o->x, o->y, &phase));
    gnd_release(phase);
}
static void cepstrum(operands *o) {
    gnd_array *delay = NULL;
    gnd_release(gnd_complex_cepstrum(o->x, -1, 0, &delay));
    gnd_release(delay);
}
BENCH_RUN(lombscargle, gnd_lombscargle(o->x, o->y, o->z, NULL))
BENCH_RUN(czt, gnd_czt(o->x, -1, GND_NONE, GND_NONE, 0))
BENCH_RUN(zoom_fft, gnd_zoom_fft(o->x, 0.1, 0.2, -1, NULL, 0))
BENCH_RUN(real_cepstrum, gnd_real_cepstrum(o->x, -1, 0))
BENCH_RUN(minimum_phase, gnd_minimum_phase_cepstral(o->x, -1, 0))

/* ---- splines --------------------------------------------------------------------------------- */

static void image(operands *o) {
    o->x = bench_random(GND_SHAPE(S(2048), S(2048)), GND_FLOAT32);
}
BENCH_RUN(cspline1d, gnd_cspline1d(o->x, 0))
BENCH_RUN(qspline1d, gnd_qspline1d(o->x, 0))
BENCH_RUN(cspline2d, gnd_cspline2d(o->x, 0, -1))
BENCH_RUN(qspline2d, gnd_qspline2d(o->x, 0, -1))
BENCH_RUN(spline_filter, gnd_spline_filter(o->x, 5))
BENCH_RUN(gauss_spline, gnd_gauss_spline(o->x, 3))
BENCH_RUN(cspline1d_eval, gnd_cspline1d_eval(o->x, o->x, 1e-7, 0))

/* ---- linear systems ------------------------------------------------------------------------- */

static void input_1e5(operands *o) {
    gnd_filter_design f;
    if (gnd_butter(&f, 4, GND_NUMBERS(0.1), NULL)) return;
    o->x = bench_random(GND_SHAPE(S(100000)), GND_FLOAT64);
    o->y = f.b, o->z = f.a;
}
static void dlsim(operands *o) {
    gnd_array *y = NULL;
    gnd_system *system = gnd_system_from_tf(o->y, o->z, 1);
    gnd_dlsim(NULL, &y, NULL, system, o->x, NULL);
    gnd_release(y);
    gnd_system_release(system);
}

#define WINDOW_ROW(name)                                                                                               \
    { "win." #name "_1e7", nothing, window_##name, 8e7 }

const bench_row bench_rows_signal[] = {
    WINDOW_ROW(boxcar),
    WINDOW_ROW(triang),
    WINDOW_ROW(blackman),
    WINDOW_ROW(hamming),
    WINDOW_ROW(hann),
    WINDOW_ROW(bartlett),
    WINDOW_ROW(flattop),
    WINDOW_ROW(parzen),
    WINDOW_ROW(bohman),
    WINDOW_ROW(blackmanharris),
    WINDOW_ROW(nuttall),
    WINDOW_ROW(barthann),
    WINDOW_ROW(cosine),
    WINDOW_ROW(lanczos),
    WINDOW_ROW(exponential),
    WINDOW_ROW(tukey),
    WINDOW_ROW(taylor),
    WINDOW_ROW(kaiser),
    WINDOW_ROW(kaiser_bessel_derived),
    WINDOW_ROW(gaussian),
    WINDOW_ROW(general_cosine),
    WINDOW_ROW(general_gaussian),
    WINDOW_ROW(general_hamming),
    WINDOW_ROW(chebwin),
    {"win.hann_f32_1e7", nothing, window_hann_f32, 4e7},
    {"wave.chirp_linear_1e7", times, chirp_linear, 16e7},
    {"wave.chirp_quadratic_1e7", times, chirp_quadratic, 16e7},
    {"wave.chirp_logarithmic_1e7", times, chirp_logarithmic, 16e7},
    {"wave.chirp_hyperbolic_1e7", times, chirp_hyperbolic, 16e7},
    {"wave.gausspulse_1e7", times, gausspulse, 16e7},
    {"wave.square_1e7", times, square, 16e7},
    {"wave.sawtooth_1e7", times, sawtooth, 16e7},
    {"wave.sweep_poly_1e7", times, sweep_poly, 16e7},
    {"wave.unit_impulse_1e7", nothing, unit_impulse, 8e7},
    {"wave.max_len_seq_2p20", nothing, max_len_seq, 1048575},
    {"peaks.cwt_ricker_1e5x64", signal_1e5, cwt, 4e5 + 4. * 64 * 1e5},
    {"peaks.argrelmax_1e7", signal_1e7, argrelmax, 4e7},
    {"peaks.find_peaks_1e7", signal_1e7, peaks, 4e7},
    {"peaks.find_peaks_height_1e7", signal_1e7, peaks_height, 4e7},
    {"peaks.find_peaks_distance_1e6", signal_1e6, peaks_distance, 4e6},
    {"peaks.find_peaks_prominence_1e6", signal_1e6, peaks_prominence, 4e6},
    {"period.lombscargle_1e4x1e4_f32", uneven_f32, lombscargle, 16e4},
    {"period.lombscargle_1e4x1e4_f64", uneven_f64, lombscargle, 32e4},
    {"period.lombscargle_1675x2p20_f64", ladder, lombscargle, 16. * 1048576},
    {"period.vectorstrength_1e7", signal_1e7, vector_strength, 4e7},
    {"period.vectorstrength_1e6x64", periods, vector_strengths, 4e6},
    {"period.czt_1e6", signal_1e6, czt, 12e6},
    {"period.zoom_fft_1e6_1e6", signal_1e6, zoom_fft, 12e6},
    {"period.real_cepstrum_1e6", signal_1e6, real_cepstrum, 8e6},
    {"period.complex_cepstrum_1e6", signal_1e6, cepstrum, 8e6},
    {"period.minimum_phase_cepstral_1e6", signal_1e6, minimum_phase, 8e6},
    {"spline.cspline1d_1e7", signal_1e7, cspline1d, 12e7},
    {"spline.qspline1d_1e7", signal_1e7, qspline1d, 12e7},
    {"spline.cspline2d_2048x2048", image, cspline2d, 8. * 2048 * 2048},
    {"spline.qspline2d_2048x2048", image, qspline2d, 8. * 2048 * 2048},
    {"spline.spline_filter_2048x2048", image, spline_filter, 8. * 2048 * 2048},
    {"spline.gauss_spline_1e7", signal_1e7, gauss_spline, 8e7},
    {"spline.cspline1d_eval_1e7", signal_1e7, cspline1d_eval, 12e7},
    {"peaks.find_peaks_cwt_1e5x30", signal_1e5, find_peaks_cwt, 4e5 + 8. * 30 * 1e5},
    {"systems.dlsim_1e5x4", input_1e5, dlsim, 16e5},
    {NULL, NULL, NULL, 0},
};
