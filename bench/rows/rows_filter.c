/*
 * rows_filter.c: recursive and FIR filters and changes of the sampling rate, by name: float32, unless the name says
 * otherwise. A number behind the filter's name is its order (lfilter_iir4, sosfilt_8), or how many taps it has.
 * Recursive filters are Butterworth low-passes, whose parameters are the order and the frequency.
 */
#include "bench.h"

/* ---- coefficients --------------------------------------------------------------------------- */

/* Coefficients are made on the CPU: those on a GPU are waited for. */
static gnd_filter_design butter(const operands *o, gnd_filter_output output) {
    gnd_filter_design f;
    const gnd_device device = gnd_current_device();
    gnd_use(gnd_cpu());
    gnd_butter(&f, (int)o->p[0], 1, &o->p[1], &(gnd_iir_options){.output = output});
    gnd_use(device);
    return f;
}
static void polynomials(operands *o) {
    gnd_filter_design f = butter(o, GND_BA);
    o->y = gnd_astype(f.b, gnd_dtype_of(o->x)), o->z = gnd_astype(f.a, gnd_dtype_of(o->x));
    gnd_filter_design_release(&f);
}
static void sections(operands *o) {
    gnd_filter_design f = butter(o, GND_SOS);
    o->y = gnd_astype(f.sos, gnd_dtype_of(o->x));
    gnd_filter_design_release(&f);
}
/* The denominator of FIR filters. */
static void one(operands *o) {
    const gnd_device device = gnd_current_device();
    gnd_use(gnd_cpu());
    o->z = gnd_ones(GND_SHAPE(1), GND_FLOAT32);
    gnd_use(device);
}

static void end_stream(void *stream) {
    gnd_filter_stream_release(stream);
}
/* A stream, and where a chunk's results go. */
static void stream(operands *o) {
    gnd_filter_design f = butter(o, GND_SOS);
    o->stream = gnd_filter_stream_sosfilt(f.sos, GND_SCALAR, GND_FLOAT32), o->end = end_stream;
    o->out = gnd_empty_like(o->x, GND_DTYPE_NONE);
    gnd_filter_design_release(&f);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(lfilter, gnd_lfilter(o->y, o->z, o->x, -1, NULL, NULL))
BENCH_RUN(sosfilt, gnd_sosfilt(o->y, o->x, -1, NULL, NULL))
BENCH_RUN(filtfilt, gnd_filtfilt(o->y, o->z, o->x, -1, NULL))
BENCH_RUN(sosfiltfilt, gnd_sosfiltfilt(o->y, o->x, -1, NULL))
BENCH_RUN(upfirdn, gnd_upfirdn(o->y, o->x, (int64_t)o->p[0], (int64_t)o->p[1], -1, NULL))
BENCH_RUN(resample_poly, gnd_resample_poly(o->x, (int64_t)o->p[0], (int64_t)o->p[1], -1, NULL))
BENCH_RUN(firfilter, gnd_firfilter(o->y, o->x, -1, NULL, NULL))
BENCH_RUN(firfilter2, gnd_firfilter2(o->y, o->x, -1, NULL))
BENCH_RUN(resample_fft, gnd_resample(o->x, o->n[0], -1, NULL))
BENCH_RUN(decimate_iir, gnd_decimate(o->x, (int64_t)o->p[0], -1, NULL))
BENCH_RUN(decimate_fir, gnd_decimate(o->x, (int64_t)o->p[0], -1, &(gnd_decimate_options){.type = GND_DECIMATE_FIR}))
BENCH_RUN(channelize, gnd_channelize_poly(o->x, o->y, (int64_t)o->p[0], 0, -1))
BENCH_RUN(freq_shift, gnd_freq_shift(o->x, o->p[0], o->p[1], -1))
BENCH_RUN(hilbert, gnd_hilbert(o->x, -1, -1))
BENCH_RUN(hilbert2, gnd_hilbert2(o->x, GND_SCALAR, GND_ALL))
BENCH_RUN(detrend_linear, gnd_detrend(o->x, -1, NULL))
BENCH_RUN(detrend_constant, gnd_detrend(o->x, -1, &(gnd_detrend_options){.type = GND_DETREND_CONSTANT}))
BENCH_RUN(savgol, gnd_savgol_filter(o->x, (int64_t)o->p[0], (int)o->p[1], -1, NULL))
BENCH_RUN(symiirorder1, gnd_symiirorder1(o->x, o->p[0], o->p[1], -1))

static void feed(operands *o) {
    gnd_filter_stream_feed_into(o->stream, o->x, o->out);
}
static void feeds(operands *o) {
    for (double i = 0; i < o->p[2]; i++) gnd_filter_stream_feed_into(o->stream, o->x, o->out);
}

const bench_row bench_rows_filter[] = {
    {"filter.lfilter_iir4_1e7", polynomials, lfilter, 8e7, "float32[1e7] =4 =0.2"},
    {"filter.lfilter_iir4_64x1e6", polynomials, lfilter, 51.2e7, "float32[=64,1e6] =4 =0.2"},
    {"filter.lfilter_iir4_1024x1e5", polynomials, lfilter, 81.92e7, "float32[=1024,1e5] =4 =0.2"},
    {"filter.lfilter_fir128_1e7", one, lfilter, 8e7, "float32[1e7] float32[=128]"},
    {"filter.lfilter_fir128_64x1e6", one, lfilter, 51.2e7, "float32[=64,1e6] float32[=128]"},
    {"filter.sosfilt_4_1e7", sections, sosfilt, 8e7, "float32[1e7] =4 =0.2"},
    {"filter.sosfilt_4_64x1e6", sections, sosfilt, 51.2e7, "float32[=64,1e6] =4 =0.2"},
    {"filter.sosfilt_4_1024x1e5", sections, sosfilt, 81.92e7, "float32[=1024,1e5] =4 =0.2"},
    {"filter.sosfilt_8_1e7", sections, sosfilt, 8e7, "float32[1e7] =8 =0.2"},
    {"filter.sosfilt_8_f64_1e7", sections, sosfilt, 16e7, "float64[1e7] =8 =0.2"},
    {"filter.filtfilt_4_1e7", polynomials, filtfilt, 8e7, "float32[1e7] =4 =0.2"},
    {"filter.sosfiltfilt_4_1e7", sections, sosfiltfilt, 8e7, "float32[1e7] =4 =0.2"},
    {"filter.upfirdn_3_2_1e7_61", NULL, upfirdn, 10e7, "float32[1e7] float32[=61] =3 =2"},
    {"filter.upfirdn_1_8_64x1e6_161", NULL, upfirdn, 28.8e7, "float32[=64,1e6] float32[=161] =1 =8"},
    {"filter.resample_poly_160_147_1e7", NULL, resample_poly, 8.35e7, "float32[1e7] =160 =147"},
    {"filter.resample_poly_3_2_1e7", NULL, resample_poly, 10e7, "float32[1e7] =3 =2"},
    {"filter.resample_poly_2_3_1e7", NULL, resample_poly, 6.67e7, "float32[1e7] =2 =3"},
    {"filter.resample_poly_2_3_f64_1e8", NULL, resample_poly, 133.3e7, "float64[1e8] =2 =3"},
    {"filter.sosfilt_4_stream_100x65536", stream, feeds, 5.24288e7, "float32[65536] =4 =0.2 =100"},
    {"filter.sosfilt_4_feed_1000", stream, feed, 8e3, "float32[=1000] =4 =0.2"},
    {"filter.firfilter_128_1e7", NULL, firfilter, 8e7, "float32[1e7] float32[=128]"},
    {"filter.firfilter2_128_1e7", NULL, firfilter2, 8e7, "float32[1e7] float32[=128]"},
    {"filter.freq_shift_1e7", NULL, freq_shift, 12e7, "float32[1e7] =0.1 =1"},
    {"filter.resample_fft_1e7_8e6", NULL, resample_fft, 7.2e7, "float32[1e7] 8e6"},
    {"filter.decimate_8_iir_1e7", NULL, decimate_iir, 4.5e7, "float32[1e7] =8"},
    {"filter.decimate_8_fir_1e7", NULL, decimate_fir, 4.5e7, "float32[1e7] =8"},
    {"filter.channelize_poly_64ch_16taps_2p24_c64", NULL, channelize, 26.84e7, "complex64[2^24] float32[=1024] =64"},
    {"filter.hilbert_2p24", NULL, hilbert, 20.13e7, "float32[2^24]"},
    {"filter.hilbert2_2048x2048", NULL, hilbert2, 5.033e7, "float32[2048,2048]"},
    {"filter.detrend_linear_64x1e6", NULL, detrend_linear, 51.2e7, "float32[=64,1e6]"},
    {"filter.detrend_constant_64x1e6", NULL, detrend_constant, 51.2e7, "float32[=64,1e6]"},
    {"filter.savgol_11_3_1e7", NULL, savgol, 8e7, "float32[1e7] =11 =3"},
    {"filter.savgol_11_3_64x1e6", NULL, savgol, 51.2e7, "float32[=64,1e6] =11 =3"},
    {"filter.symiirorder1_1e7", NULL, symiirorder1, 8e7, "float32[1e7] =0.5 =0.5"},
    {0},
};
