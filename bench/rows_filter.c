/*
 * rows_filter.c: recursive and FIR filters and changes of the sampling rate, by name: float32, unless the name says
 * otherwise. A number behind the filter's name is its order (lfilter_iir4, sosfilt_8), or how many taps it has.
 */
#include "bench.h"

#define LINE INT64_C(10000000)
#define S bench_size

/* ---- coefficients --------------------------------------------------------------------------- */

/* Butterworth low-passes at 0.2 of the Nyquist frequency. */
static const double numerator4[] = {0.004824343357716228, 0.019297373430864913, 0.02894606014629737,
                                    0.019297373430864913, 0.004824343357716228};
static const double denominator4[] = {1, -2.369513007182038, 2.313988414415881, -1.054665405878568,
                                      0.18737949236818502};
static const double sections4[] = {0.004824343357716228,
                                   0.009648686715432456,
                                   0.004824343357716228,
                                   1,
                                   -1.0485995763626117,
                                   0.2961403575616696,
                                   1,
                                   2,
                                   1,
                                   1,
                                   -1.3209134308194264,
                                   0.6327387928852763};
static const double sections8[] = {2.395964410377617e-05,
                                   4.791928820755234e-05,
                                   2.395964410377617e-05,
                                   1,
                                   -1.0263514742610553,
                                   0.26864019099379005,
                                   1,
                                   2,
                                   1,
                                   1,
                                   -1.0868584613628944,
                                   0.34343094016536602,
                                   1,
                                   2,
                                   1,
                                   1,
                                   -1.2197253651240232,
                                   0.5076634651740437,
                                   1,
                                   2,
                                   1,
                                   1,
                                   -1.4515795942478362,
                                   0.79425105324188805};

/* On the CPU: coefficients on a GPU are waited for. */
static gnd_array *numbers(const double *values, gnd_shape shape, gnd_dtype dtype) {
    const gnd_device device = gnd_current_device();
    gnd_use(gnd_cpu());
    gnd_array *wide = gnd_from_host(values, shape, GND_FLOAT64), *cast = gnd_astype(wide, dtype);
    gnd_use(device);
    gnd_release(wide);
    return cast;
}

/* ---- operands ------------------------------------------------------------------------------- */

static void polynomials(operands *o) {
    o->y = numbers(numerator4, GND_SHAPE(5), GND_FLOAT32);
    o->z = numbers(denominator4, GND_SHAPE(5), GND_FLOAT32);
}
static void taps(operands *o, int64_t n) {
    gnd_array *sum = NULL;
    o->y = bench_random(GND_SHAPE(n), GND_FLOAT32);
    sum = gnd_sum(o->y, GND_ALL);
    gnd_divide_into(o->y, o->y, sum);
    o->z = numbers((const double[]){1}, GND_SHAPE(1), GND_FLOAT32);
    gnd_release(sum);
}

#define SIGNAL(name, coefficients, dtype, ...)                                                                         \
    static void name(operands *o) {                                                                                    \
        o->x = bench_random(GND_SHAPE(__VA_ARGS__), dtype);                                                            \
        coefficients;                                                                                                  \
    }
#define SECTIONS4 (o->y = numbers(sections4, GND_SHAPE(2, 6), GND_FLOAT32))
#define SECTIONS8 (o->y = numbers(sections8, GND_SHAPE(4, 6), GND_FLOAT32))
SIGNAL(line_polynomials, polynomials(o), GND_FLOAT32, S(LINE))
SIGNAL(channels_polynomials, polynomials(o), GND_FLOAT32, 64, S(1000000))
SIGNAL(many_polynomials, polynomials(o), GND_FLOAT32, 1024, S(100000))
SIGNAL(line_sections4, SECTIONS4, GND_FLOAT32, S(LINE))
SIGNAL(channels_sections4, SECTIONS4, GND_FLOAT32, 64, S(1000000))
SIGNAL(many_sections4, SECTIONS4, GND_FLOAT32, 1024, S(100000))
SIGNAL(line_sections8, SECTIONS8, GND_FLOAT32, S(LINE))
SIGNAL(line_sections8_f64, o->y = numbers(sections8, GND_SHAPE(4, 6), GND_FLOAT64), GND_FLOAT64, S(LINE))
SIGNAL(line_taps128, taps(o, 128), GND_FLOAT32, S(LINE))
SIGNAL(channels_taps128, taps(o, 128), GND_FLOAT32, 64, S(1000000))
SIGNAL(line_taps61, taps(o, 61), GND_FLOAT32, S(LINE))
SIGNAL(channels_taps161, taps(o, 161), GND_FLOAT32, 64, S(1000000))
SIGNAL(line, (void)0, GND_FLOAT32, S(LINE))
SIGNAL(channels, (void)0, GND_FLOAT32, 64, S(1000000))
SIGNAL(image, (void)0, GND_FLOAT32, S(2048), S(2048))
SIGNAL(power_of_two, (void)0, GND_FLOAT32, S(1 << 24))
SIGNAL(banded, o->y = bench_random(GND_SHAPE(64 * 16), GND_FLOAT32), GND_COMPLEX64, S(1 << 24))
SIGNAL(long_line_f64, (void)0, GND_FLOAT64, S(100000000))

static void end_stream(void *stream) {
    gnd_filter_stream_release(stream);
}
/* A stream, a chunk and where its results go. */
static void stream_of(operands *o, int64_t n) {
    gnd_array *sos = numbers(sections4, GND_SHAPE(2, 6), GND_FLOAT64);
    o->stream = gnd_filter_stream_sosfilt(sos, GND_SCALAR, GND_FLOAT32), o->end = end_stream;
    gnd_release(sos);
    o->x = bench_random(GND_SHAPE(n), GND_FLOAT32), o->out = gnd_empty(GND_SHAPE(n), GND_FLOAT32);
}
static void chunk_65536(operands *o) {
    stream_of(o, S(65536));
}
static void chunk_1000(operands *o) {
    stream_of(o, 1000);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(lfilter, gnd_lfilter(o->y, o->z, o->x, -1, NULL, NULL))
BENCH_RUN(sosfilt, gnd_sosfilt(o->y, o->x, -1, NULL, NULL))
BENCH_RUN(filtfilt, gnd_filtfilt(o->y, o->z, o->x, -1, NULL))
BENCH_RUN(sosfiltfilt, gnd_sosfiltfilt(o->y, o->x, -1, NULL))
BENCH_RUN(upfirdn_3_2, gnd_upfirdn(o->y, o->x, 3, 2, -1, NULL))
BENCH_RUN(upfirdn_1_8, gnd_upfirdn(o->y, o->x, 1, 8, -1, NULL))
BENCH_RUN(resample_160_147, gnd_resample_poly(o->x, 160, 147, -1, NULL))
BENCH_RUN(resample_3_2, gnd_resample_poly(o->x, 3, 2, -1, NULL))
BENCH_RUN(resample_2_3, gnd_resample_poly(o->x, 2, 3, -1, NULL))

BENCH_RUN(firfilter, gnd_firfilter(o->y, o->x, -1, NULL, NULL))
BENCH_RUN(firfilter2, gnd_firfilter2(o->y, o->x, -1, NULL))
BENCH_RUN(resample_fft, gnd_resample(o->x, gnd_size(o->x) / 5 * 4, -1, NULL))
BENCH_RUN(decimate_iir, gnd_decimate(o->x, 8, -1, NULL))
BENCH_RUN(decimate_fir, gnd_decimate(o->x, 8, -1, &(gnd_decimate_options){.type = GND_DECIMATE_FIR}))
BENCH_RUN(channelize, gnd_channelize_poly(o->x, o->y, 64, 0, -1))
BENCH_RUN(freq_shift, gnd_freq_shift(o->x, 0.1, 1, -1))
BENCH_RUN(hilbert, gnd_hilbert(o->x, -1, -1))
BENCH_RUN(hilbert2, gnd_hilbert2(o->x, GND_SCALAR, GND_ALL))
BENCH_RUN(detrend_linear, gnd_detrend(o->x, -1, NULL))
BENCH_RUN(detrend_constant, gnd_detrend(o->x, -1, &(gnd_detrend_options){.type = GND_DETREND_CONSTANT}))
BENCH_RUN(savgol, gnd_savgol_filter(o->x, 11, 3, -1, NULL))
BENCH_RUN(symiirorder1, gnd_symiirorder1(o->x, 0.5, 0.5, -1))

static void feed(operands *o) {
    gnd_filter_stream_feed_into(o->stream, o->x, o->out);
}
static void feed_100(operands *o) {
    for (int i = 0; i < 100; i++) gnd_filter_stream_feed_into(o->stream, o->x, o->out);
}

const bench_row bench_rows_filter[] = {
    {"filter.lfilter_iir4_1e7", line_polynomials, lfilter, 8e7},
    {"filter.lfilter_iir4_64x1e6", channels_polynomials, lfilter, 51.2e7},
    {"filter.lfilter_iir4_1024x1e5", many_polynomials, lfilter, 81.92e7},
    {"filter.lfilter_fir128_1e7", line_taps128, lfilter, 8e7},
    {"filter.lfilter_fir128_64x1e6", channels_taps128, lfilter, 51.2e7},
    {"filter.sosfilt_4_1e7", line_sections4, sosfilt, 8e7},
    {"filter.sosfilt_4_64x1e6", channels_sections4, sosfilt, 51.2e7},
    {"filter.sosfilt_4_1024x1e5", many_sections4, sosfilt, 81.92e7},
    {"filter.sosfilt_8_1e7", line_sections8, sosfilt, 8e7},
    {"filter.sosfilt_8_f64_1e7", line_sections8_f64, sosfilt, 16e7},
    {"filter.filtfilt_4_1e7", line_polynomials, filtfilt, 8e7},
    {"filter.sosfiltfilt_4_1e7", line_sections4, sosfiltfilt, 8e7},
    {"filter.upfirdn_3_2_1e7_61", line_taps61, upfirdn_3_2, 10e7},
    {"filter.upfirdn_1_8_64x1e6_161", channels_taps161, upfirdn_1_8, 28.8e7},
    {"filter.resample_poly_160_147_1e7", line, resample_160_147, 8.35e7},
    {"filter.resample_poly_3_2_1e7", line, resample_3_2, 10e7},
    {"filter.resample_poly_2_3_1e7", line, resample_2_3, 6.67e7},
    {"filter.resample_poly_2_3_f64_1e8", long_line_f64, resample_2_3, 133.3e7},
    {"filter.sosfilt_4_stream_100x65536", chunk_65536, feed_100, 5.24288e7},
    {"filter.sosfilt_4_feed_1000", chunk_1000, feed, 8e3},
    {"filter.firfilter_128_1e7", line_taps128, firfilter, 8e7},
    {"filter.firfilter2_128_1e7", line_taps128, firfilter2, 8e7},
    {"filter.freq_shift_1e7", line, freq_shift, 12e7},
    {"filter.resample_fft_1e7_8e6", line, resample_fft, 7.2e7},
    {"filter.decimate_8_iir_1e7", line, decimate_iir, 4.5e7},
    {"filter.decimate_8_fir_1e7", line, decimate_fir, 4.5e7},
    {"filter.channelize_poly_64ch_16taps_2p24_c64", banded, channelize, 26.84e7},
    {"filter.hilbert_2p24", power_of_two, hilbert, 20.13e7},
    {"filter.hilbert2_2048x2048", image, hilbert2, 5.033e7},
    {"filter.detrend_linear_64x1e6", channels, detrend_linear, 51.2e7},
    {"filter.detrend_constant_64x1e6", channels, detrend_constant, 51.2e7},
    {"filter.savgol_11_3_1e7", line, savgol, 8e7},
    {"filter.savgol_11_3_64x1e6", channels, savgol, 51.2e7},
    {"filter.symiirorder1_1e7", line, symiirorder1, 8e7},
    {NULL, NULL, NULL, 0},
};
