/*
 * rows_signal.c: windows of 1e7 points, waveforms at 1e7 times, a wavelet transform, peaks, periods, chirp
 * z-transforms, cepstra and splines, by name: windows and times in float64, signals in float32, unless the name says
 * otherwise.
 */
#include "bench.h"
#include <math.h>

/* ---- windows -------------------------------------------------------------------------------- */

#define WINDOW(name, ...) BENCH_RUN(window_##name, gnd_##name(o->n[0], __VA_ARGS__, true, GND_FLOAT64))
#define PLAIN(name) BENCH_RUN(window_##name, gnd_##name(o->n[0], true, GND_FLOAT64))
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
WINDOW(exponential, (double)NAN, o->p[0])
WINDOW(tukey, o->p[0])
WINDOW(taylor, (int)o->p[0], o->p[1], true)
WINDOW(kaiser, o->p[0])
WINDOW(kaiser_bessel_derived, o->p[0])
WINDOW(gaussian, o->p[0])
WINDOW(general_cosine, 3, o->p)
WINDOW(general_gaussian, o->p[0], o->p[1])
WINDOW(general_hamming, o->p[0])
WINDOW(chebwin, o->p[0])
BENCH_RUN(window_hann_f32, gnd_hann(o->n[0], true, GND_FLOAT32))

/* ---- waveforms ------------------------------------------------------------------------------ */

#define CHIRP(kind) gnd_chirp(o->x, o->p[0], o->p[1], o->p[2], &(gnd_chirp_options){.method = GND_CHIRP_##kind})
BENCH_RUN(chirp_linear, CHIRP(LINEAR))
BENCH_RUN(chirp_quadratic, CHIRP(QUADRATIC))
BENCH_RUN(chirp_logarithmic, CHIRP(LOGARITHMIC))
BENCH_RUN(chirp_hyperbolic, CHIRP(HYPERBOLIC))
BENCH_RUN(gausspulse, gnd_gausspulse(o->x, o->p[0], 0.5, -6, NULL, NULL))
BENCH_RUN(square, gnd_square_wave(o->x, o->p[0]))
BENCH_RUN(sawtooth, gnd_sawtooth(o->x, o->p[0]))
BENCH_RUN(sweep_poly, gnd_sweep_poly(o->x, 4, o->p, 0))
BENCH_RUN(unit_impulse, gnd_unit_impulse(GND_SHAPE(o->n[0]), -1, NULL, GND_FLOAT64))
BENCH_RUN(max_len_seq, gnd_max_len_seq((int)o->p[0], NULL, -1, 0, NULL, NULL))

/* ---- wavelets and peaks --------------------------------------------------------------------- */

/* Widths are 1 to p[0]. */
enum { MAX_WIDTHS = 64 };
static int widths_of(const operands *o, double widths[MAX_WIDTHS]) {
    const int count = (int)o->p[0];
    for (int i = 0; i < count && i < MAX_WIDTHS; i++) widths[i] = i + 1;
    return count;
}
static void cwt(operands *o) {
    double widths[MAX_WIDTHS];
    const int count = widths_of(o, widths);
    gnd_release(gnd_cwt(o->x, GND_WAVELET_RICKER, count, widths, 0));
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
PEAKS(peaks_height, .height = GND_PEAKS_AT_LEAST(o->p[0]))
PEAKS(peaks_distance, .distance = o->p[0])
PEAKS(peaks_prominence, .prominence = GND_PEAKS_AT_LEAST(o->p[0]))

static void find_peaks_cwt(operands *o) {
    double widths[MAX_WIDTHS];
    const int count = widths_of(o, widths);
    gnd_release(gnd_find_peaks_cwt(o->x, count, widths, NULL));
}

/* ---- periods, chirp z-transforms, cepstra ---------------------------------------------------- */

/* Samples at random times from 0 to p[0] in x and y; frequencies are in z. */
static void uneven(operands *o) {
    gnd_multiply_into(o->x, o->x, o->p[0]);
    o->z = o->y, o->y = gnd_sin(o->x);
}
static void vector_strength(operands *o) {
    gnd_array *phase = NULL;
    gnd_release(gnd_vectorstrength(o->x, o->p[0], &phase));
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
BENCH_RUN(zoom_fft, gnd_zoom_fft(o->x, o->p[0], o->p[1], -1, NULL, 0))
BENCH_RUN(real_cepstrum, gnd_real_cepstrum(o->x, -1, 0))
BENCH_RUN(minimum_phase, gnd_minimum_phase_cepstral(o->x, -1, 0))

/* ---- splines --------------------------------------------------------------------------------- */

BENCH_RUN(cspline1d, gnd_cspline1d(o->x, 0))
BENCH_RUN(qspline1d, gnd_qspline1d(o->x, 0))
BENCH_RUN(cspline2d, gnd_cspline2d(o->x, 0, -1))
BENCH_RUN(qspline2d, gnd_qspline2d(o->x, 0, -1))
BENCH_RUN(spline_filter, gnd_spline_filter(o->x, o->p[0]))
BENCH_RUN(gauss_spline, gnd_gauss_spline(o->x, (int)o->p[0]))
BENCH_RUN(cspline1d_eval, gnd_cspline1d_eval(o->x, o->x, o->p[0], 0))

/* ---- linear systems ------------------------------------------------------------------------- */

static void lowpass(operands *o) {
    gnd_filter_design f;
    if (gnd_butter(&f, (int)o->p[0], 1, &o->p[1], NULL)) return;
    o->y = f.b, o->z = f.a;
}
static void dlsim(operands *o) {
    gnd_array *y = NULL;
    gnd_system *system = gnd_system_from_tf(o->y, o->z, 1);
    gnd_dlsim(NULL, &y, NULL, system, o->x, NULL);
    gnd_release(y);
    gnd_system_release(system);
}

#define WINDOW_ROW(name, stated)                                                                                       \
    { "win." #name "_1e7", NULL, window_##name, 8e7, stated }

const bench_row bench_rows_signal[] = {
    WINDOW_ROW(boxcar, "1e7"),
    WINDOW_ROW(triang, "1e7"),
    WINDOW_ROW(blackman, "1e7"),
    WINDOW_ROW(hamming, "1e7"),
    WINDOW_ROW(hann, "1e7"),
    WINDOW_ROW(bartlett, "1e7"),
    WINDOW_ROW(flattop, "1e7"),
    WINDOW_ROW(parzen, "1e7"),
    WINDOW_ROW(bohman, "1e7"),
    WINDOW_ROW(blackmanharris, "1e7"),
    WINDOW_ROW(nuttall, "1e7"),
    WINDOW_ROW(barthann, "1e7"),
    WINDOW_ROW(cosine, "1e7"),
    WINDOW_ROW(lanczos, "1e7"),
    WINDOW_ROW(exponential, "1e7 =1"),
    WINDOW_ROW(tukey, "1e7 =0.5"),
    WINDOW_ROW(taylor, "1e7 =4 =30"),
    WINDOW_ROW(kaiser, "1e7 =14"),
    WINDOW_ROW(kaiser_bessel_derived, "1e7 =14"),
    WINDOW_ROW(gaussian, "1e7 =1e6"),
    WINDOW_ROW(general_cosine, "1e7 =0.42 =0.5 =0.08"),
    WINDOW_ROW(general_gaussian, "1e7 =1.5 =1e6"),
    WINDOW_ROW(general_hamming, "1e7 =0.54"),
    WINDOW_ROW(chebwin, "1e7 =100"),
    {"win.hann_f32_1e7", NULL, window_hann_f32, 4e7, "1e7"},
    {"wave.chirp_linear_1e7", NULL, chirp_linear, 16e7, "float64[1e7]0:10 =1 =10 =6"},
    {"wave.chirp_quadratic_1e7", NULL, chirp_quadratic, 16e7, "float64[1e7]0:10 =1 =10 =6"},
    {"wave.chirp_logarithmic_1e7", NULL, chirp_logarithmic, 16e7, "float64[1e7]0:10 =1 =10 =6"},
    {"wave.chirp_hyperbolic_1e7", NULL, chirp_hyperbolic, 16e7, "float64[1e7]0:10 =1 =10 =6"},
    {"wave.gausspulse_1e7", NULL, gausspulse, 16e7, "float64[1e7]0:10 =5"},
    {"wave.square_1e7", NULL, square, 16e7, "float64[1e7]0:10 =0.5"},
    {"wave.sawtooth_1e7", NULL, sawtooth, 16e7, "float64[1e7]0:10 =0.5"},
    {"wave.sweep_poly_1e7", NULL, sweep_poly, 16e7, "float64[1e7]0:10 =0.025 =-0.36 =1.25 =2"},
    {"wave.unit_impulse_1e7", NULL, unit_impulse, 8e7, "1e7"},
    {"wave.max_len_seq_2p20", NULL, max_len_seq, 1048575, "=20"},
    {"peaks.cwt_ricker_1e5x64", NULL, cwt, 4e5 + 4. * 64 * 1e5, "float32[1e5] =64"},
    {"peaks.argrelmax_1e7", NULL, argrelmax, 4e7, "float32[1e7]"},
    {"peaks.find_peaks_1e7", NULL, peaks, 4e7, "float32[1e7]"},
    {"peaks.find_peaks_height_1e7", NULL, peaks_height, 4e7, "float32[1e7] =0.5"},
    {"peaks.find_peaks_distance_1e6", NULL, peaks_distance, 4e6, "float32[1e6] =10"},
    {"peaks.find_peaks_prominence_1e6", NULL, peaks_prominence, 4e6, "float32[1e6] =0.5"},
    {"period.lombscargle_1e4x1e4_f32", uneven, lombscargle, 16e4, "float32[1e4] float32[1e4]0.01:10 =100"},
    {"period.lombscargle_1e4x1e4_f64", uneven, lombscargle, 32e4, "float64[1e4] float64[1e4]0.01:10 =100"},
    {"period.lombscargle_1675x2p20_f64", uneven, lombscargle, 16. * 1048576,
     "float64[1675] float64[2^20]0.01:10 =31.4"},
    {"period.vectorstrength_1e7", NULL, vector_strength, 4e7, "float32[1e7] =0.37"},
    {"period.vectorstrength_1e6x64", NULL, vector_strengths, 4e6, "float32[1e6] float64[=64]0.01:1"},
    {"period.czt_1e6", NULL, czt, 12e6, "float32[1e6]"},
    {"period.zoom_fft_1e6_1e6", NULL, zoom_fft, 12e6, "float32[1e6] =0.1 =0.2"},
    {"period.real_cepstrum_1e6", NULL, real_cepstrum, 8e6, "float32[1e6]"},
    {"period.complex_cepstrum_1e6", NULL, cepstrum, 8e6, "float32[1e6]"},
    {"period.minimum_phase_cepstral_1e6", NULL, minimum_phase, 8e6, "float32[1e6]"},
    {"spline.cspline1d_1e7", NULL, cspline1d, 12e7, "float32[1e7]"},
    {"spline.qspline1d_1e7", NULL, qspline1d, 12e7, "float32[1e7]"},
    {"spline.cspline2d_2048x2048", NULL, cspline2d, 8. * 2048 * 2048, "float32[2048,2048]"},
    {"spline.qspline2d_2048x2048", NULL, qspline2d, 8. * 2048 * 2048, "float32[2048,2048]"},
    {"spline.spline_filter_2048x2048", NULL, spline_filter, 8. * 2048 * 2048, "float32[2048,2048] =5"},
    {"spline.gauss_spline_1e7", NULL, gauss_spline, 8e7, "float32[1e7] =3"},
    {"spline.cspline1d_eval_1e7", NULL, cspline1d_eval, 12e7, "float32[1e7] =1e-7"},
    {"peaks.find_peaks_cwt_1e5x30", NULL, find_peaks_cwt, 4e5 + 8. * 30 * 1e5, "float32[1e5] =30"},
    {"systems.dlsim_1e5x4", lowpass, dlsim, 16e5, "float64[1e5] =4 =0.1"},
    {0},
};
