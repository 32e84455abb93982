/*
 * rows_stream.c: spectra and short-time transforms of whole signals, and signals that come in chunks, by name: float32,
 * but for those of the published sizes. A feed is one chunk of one channel, of 1,000 samples unless the name says
 * otherwise, in the middle of a signal. Parameters of frames are their length and the step between them.
 */
#include "bench.h"

/* ---- operands ------------------------------------------------------------------------------- */

static void hann(operands *o) {
    o->y = gnd_hann((int64_t)o->p[0], false, GND_FLOAT32);
}
static void spectra(operands *o) {
    hann(o);
    bench_replace(&o->x, gnd_stft(o->x, o->y, -1, NULL, NULL, NULL));
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

static void feed_sections(operands *o) {
    gnd_filter_design f;
    if (gnd_butter(&f, (int)o->p[0], 1, &o->p[1], &(gnd_iir_options){.output = GND_SOS})) return;
    o->stream = gnd_filter_stream_sosfilt(f.sos, GND_SCALAR, GND_FLOAT32), o->end = end_filter;
    gnd_filter_design_release(&f);
}
static void feed_taps(operands *o) {
    o->z = gnd_ones(GND_SHAPE(1), GND_FLOAT32);
    o->stream = gnd_filter_stream_lfilter(o->y, o->z, GND_SCALAR, GND_FLOAT32), o->end = end_filter;
}
static void feed_resampler(operands *o) {
    const int64_t up = (int64_t)o->p[0], down = (int64_t)o->p[1];
    o->stream = gnd_rate_stream_resample_poly(up, down, NULL, GND_SCALAR, GND_FLOAT32), o->end = end_rate;
}
static void feed_bank(operands *o) {
    o->stream = gnd_rate_stream_channelize(o->y, (int64_t)o->p[0], 0, GND_SCALAR, GND_FLOAT32), o->end = end_rate;
}
static void feed_frames(operands *o) {
    hann(o);
    const gnd_stft_options options = {.hop = (int64_t)o->p[1]};
    o->stream = gnd_spectral_stream_stft(o->y, GND_SCALAR, GND_FLOAT32, &options), o->end = end_spectral;
}
static void feed_spectra(operands *o) {
    hann(o);
    const gnd_stft_options options = {.hop = (int64_t)o->p[1]};
    o->stream = gnd_spectral_stream_istft(o->y, GND_SCALAR, GND_COMPLEX64, &options), o->end = end_spectral;
}
static void feed_blocks(operands *o) {
    o->stream = gnd_spectral_stream_convolve(o->y, 0, GND_SCALAR, GND_FLOAT32), o->end = end_spectral;
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(stft, gnd_stft(o->x, o->y, -1, NULL, NULL, NULL))
BENCH_RUN(istft, gnd_istft(o->x, o->y, -1, -2, NULL))
BENCH_RUN(welch, gnd_welch(o->x, -1, NULL, NULL))
BENCH_RUN(welch_frames, gnd_welch(o->x, -1, &(gnd_spectra_options){.nperseg = (int64_t)o->p[0]}, NULL))
BENCH_RUN(spectrogram, gnd_spectrogram(o->x, -1, NULL, GND_SPECTROGRAM_PSD, NULL, NULL))
BENCH_RUN(csd, gnd_csd(o->x, o->y, -1, NULL, NULL))
BENCH_RUN(periodogram, gnd_periodogram(o->x, -1, NULL, NULL))
BENCH_RUN(feed_filter, gnd_filter_stream_feed(o->stream, o->x))
BENCH_RUN(feed_rate, gnd_rate_stream_feed(o->stream, o->x))
BENCH_RUN(feed_spectral, gnd_spectral_stream_feed(o->stream, o->x))

const bench_row bench_rows_stream[] = {
    {"stream.stft_1e7", hann, stft, 4e7 + 8. * 129 * 78126, "float32[1e7] =256"},
    {"stream.stft_64x1e6", hann, stft, 64 * (4e6 + 8. * 129 * 7814), "float32[=64,1e6] =256"},
    {"stream.istft_1e7", spectra, istft, 4e7 + 8. * 129 * 78126, "float32[1e7] =256"},
    {"stream.istft_64x1e6", spectra, istft, 64 * (4e6 + 8. * 129 * 7814), "float32[=64,1e6] =256"},
    {"sig.welch_1e7", NULL, welch, 4e7, "float32[1e7]"},
    {"sig.welch_64x1e6", NULL, welch, 64 * 4e6, "float32[=64,1e6]"},
    {"sig.spectrogram_1e7", NULL, spectrogram, 4e7 + 4. * 129 * 44642, "float32[1e7]"},
    {"sig.spectrogram_64x1e6", NULL, spectrogram, 64 * (4e6 + 4. * 129 * 4464), "float32[=64,1e6]"},
    {"sig.csd_1e7", NULL, csd, 8e7, "float32[1e7] float32[1e7]"},
    {"sig.periodogram_2p24", NULL, periodogram, 6. * (1 << 24), "float32[2^24]"},
    {"anchor.welch_1e8", NULL, welch_frames, 8e8, "float64[1e8] =1024"},
    {"anchor.spectrogram_1e8", NULL, spectrogram, 8e8 + 8. * 129 * 446428, "float64[1e8]"},
    {"stream.feed_sosfilt_4", feed_sections, feed_filter, 0, "float32[=1000] =4 =0.2"},
    {"stream.feed_fir128", feed_taps, feed_filter, 0, "float32[=1000] float32[=128]"},
    {"stream.feed_resample_poly_2_5", feed_resampler, feed_rate, 0, "float32[=1000] =2 =5"},
    {"stream.feed_channelize_8", feed_bank, feed_rate, 0, "float32[=1000] float32[=128] =8"},
    {"stream.feed_stft_256", feed_frames, feed_spectral, 0, "float32[=1000] =256 =100"},
    {"stream.feed_istft_256_10_frames", feed_spectra, feed_spectral, 0, "complex64[=129,=10] =256 =100"},
    {"stream.feed_convolve_128", feed_blocks, feed_spectral, 0, "float32[=1000] float32[=128]"},
    {"stream.feed_convolve_128_1e7", feed_blocks, feed_spectral, 8e7, "float32[1e7] float32[=128]"},
    {0},
};
