/*
 * rows_stream.c: spectra and short-time transforms of whole signals, and signals that come in chunks, by name: float32,
 * but for those of the published sizes. A feed is
 * one chunk of one channel, of 1,000 samples unless the name says otherwise, in the middle of a signal.
 */
#include "bench.h"

#define LINE INT64_C(10000000)
#define S bench_size

/* ---- operands ------------------------------------------------------------------------------- */

static void hann(operands *o, int64_t n) {
    gnd_array *index = gnd_arange(0, n, 1, GND_FLOAT64);
    gnd_array *angle = gnd_multiply(index, 6.283185307179586 / (double)n), *cosine = gnd_cos(angle);
    gnd_array *wide = gnd_subtract(0.5, cosine);
    o->y = gnd_astype(wide, GND_FLOAT32);
    gnd_release(index), gnd_release(angle), gnd_release(cosine), gnd_release(wide);
}
static void line_window(operands *o) {
    o->x = bench_random(GND_SHAPE(S(LINE)), GND_FLOAT32);
    hann(o, 256);
}
static void two_lines(operands *o) {
    o->x = bench_random(GND_SHAPE(S(LINE)), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(S(LINE)), GND_FLOAT32);
}
static void power_of_two(operands *o) {
    o->x = bench_random(GND_SHAPE(S(1 << 24)), GND_FLOAT32);
}
static void anchor(operands *o) {
    o->x = bench_random(GND_SHAPE(S(10 * LINE)), GND_FLOAT64);
}
static void channels_window(operands *o) {
    o->x = bench_random(GND_SHAPE(64, S(1000000)), GND_FLOAT32);
    hann(o, 256);
}
static void spectra(operands *o, void (*signal)(operands *o)) {
    signal(o);
    gnd_array *z = gnd_stft(o->x, o->y, -1, NULL, NULL, NULL);
    gnd_release(o->x);
    o->x = z;
}
static void line_spectra(operands *o) {
    spectra(o, line_window);
}
static void channels_spectra(operands *o) {
    spectra(o, channels_window);
}

/* ---- streams -------------------------------------------------------------------------------- */

static void end_filter(void *stream) {
    gnd_filter_stream_release(stream);
}
static void end_rate(void *stream) {
    gnd_rate_stream_release(stream);
}
static void end_spectral(void *stream) {
    gnd_spectral_stream_release(stream);
}

static void chunk(operands *o) {
    o->x = bench_random(GND_SHAPE(1000), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(128), GND_FLOAT32);
    o->z = gnd_ones(GND_SHAPE(1), GND_FLOAT32);
}
static void feed_sections(operands *o) {
    static const double sections[] = {0.0048, 0.0096, 0.0048, 1, -1.0486, 0.2961, 1, 2, 1, 1, -1.3209, 0.6327};
    chunk(o);
    gnd_array *sos = gnd_from_host(sections, GND_SHAPE(2, 6), GND_FLOAT64);
    o->stream = gnd_filter_stream_sosfilt(sos, GND_SCALAR, GND_FLOAT32), o->end = end_filter;
    gnd_release(sos);
}
static void feed_taps(operands *o) {
    chunk(o);
    o->stream = gnd_filter_stream_lfilter(o->y, o->z, GND_SCALAR, GND_FLOAT32), o->end = end_filter;
}
static void feed_resampler(operands *o) {
    chunk(o);
    o->stream = gnd_rate_stream_resample_poly(2, 5, NULL, GND_SCALAR, GND_FLOAT32), o->end = end_rate;
}
static void feed_bank(operands *o) {
    chunk(o);
    o->stream = gnd_rate_stream_channelize(o->y, 8, 0, GND_SCALAR, GND_FLOAT32), o->end = end_rate;
}
static void feed_frames(operands *o) {
    chunk(o);
    gnd_release(o->y);
    hann(o, 256);
    const gnd_stft_options options = {.hop = 100};
    o->stream = gnd_spectral_stream_stft(o->y, GND_SCALAR, GND_FLOAT32, &options), o->end = end_spectral;
}
static void feed_spectra(operands *o) {
    feed_frames(o);
    gnd_spectral_stream_release(o->stream);
    gnd_release(o->x);
    o->x = bench_random(GND_SHAPE(129, 10), GND_COMPLEX64);
    const gnd_stft_options options = {.hop = 100};
    o->stream = gnd_spectral_stream_istft(o->y, GND_SCALAR, GND_COMPLEX64, &options), o->end = end_spectral;
}
static void feed_blocks(operands *o) {
    chunk(o);
    o->stream = gnd_spectral_stream_convolve(o->y, 0, GND_SCALAR, GND_FLOAT32), o->end = end_spectral;
}
static void feed_long_blocks(operands *o) {
    feed_blocks(o);
    gnd_release(o->x);
    o->x = bench_random(GND_SHAPE(S(LINE)), GND_FLOAT32);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(stft, gnd_stft(o->x, o->y, -1, NULL, NULL, NULL))
BENCH_RUN(istft, gnd_istft(o->x, o->y, -1, -2, NULL))
BENCH_RUN(welch, gnd_welch(o->x, -1, NULL, NULL))
BENCH_RUN(welch_1024, gnd_welch(o->x, -1, &(gnd_spectra_options){.nperseg = 1024}, NULL))
BENCH_RUN(spectrogram, gnd_spectrogram(o->x, -1, NULL, GND_SPECTROGRAM_PSD, NULL, NULL))
BENCH_RUN(csd, gnd_csd(o->x, o->y, -1, NULL, NULL))
BENCH_RUN(periodogram, gnd_periodogram(o->x, -1, NULL, NULL))
BENCH_RUN(feed_filter, gnd_filter_stream_feed(o->stream, o->x))
BENCH_RUN(feed_rate, gnd_rate_stream_feed(o->stream, o->x))
BENCH_RUN(feed_spectral, gnd_spectral_stream_feed(o->stream, o->x))

const bench_row bench_rows_stream[] = {
    {"stream.stft_1e7", line_window, stft, 4e7 + 8. * 129 * 78126},
    {"stream.stft_64x1e6", channels_window, stft, 64 * (4e6 + 8. * 129 * 7814)},
    {"stream.istft_1e7", line_spectra, istft, 4e7 + 8. * 129 * 78126},
    {"stream.istft_64x1e6", channels_spectra, istft, 64 * (4e6 + 8. * 129 * 7814)},
    {"sig.welch_1e7", line_window, welch, 4e7},
    {"sig.welch_64x1e6", channels_window, welch, 64 * 4e6},
    {"sig.spectrogram_1e7", line_window, spectrogram, 4e7 + 4. * 129 * 44642},
    {"sig.spectrogram_64x1e6", channels_window, spectrogram, 64 * (4e6 + 4. * 129 * 4464)},
    {"sig.csd_1e7", two_lines, csd, 8e7},
    {"sig.periodogram_2p24", power_of_two, periodogram, 6. * (1 << 24)},
    {"anchor.welch_1e8", anchor, welch_1024, 8e8},
    {"anchor.spectrogram_1e8", anchor, spectrogram, 8e8 + 8. * 129 * 446428},
    {"stream.feed_sosfilt_4", feed_sections, feed_filter, 0},
    {"stream.feed_fir128", feed_taps, feed_filter, 0},
    {"stream.feed_resample_poly_2_5", feed_resampler, feed_rate, 0},
    {"stream.feed_channelize_8", feed_bank, feed_rate, 0},
    {"stream.feed_stft_256", feed_frames, feed_spectral, 0},
    {"stream.feed_istft_256_10_frames", feed_spectra, feed_spectral, 0},
    {"stream.feed_convolve_128", feed_blocks, feed_spectral, 0},
    {"stream.feed_convolve_128_1e7", feed_long_blocks, feed_spectral, 8e7},
    {NULL, NULL, NULL, 0},
};
