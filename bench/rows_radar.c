/*
 * rows_radar.c: radar, by name: c64 and c128 are complex64 and complex128; and Kalman filters, by tracks, numbers of a
 * state and steps; and mel spectrograms, by lines, samples and bands.
 */
#include "bench.h"

#define S bench_size

/* Complex numbers whose parts are around zero. */
static gnd_array *noise(gnd_shape shape, gnd_dtype dtype) {
    const gnd_dtype real = dtype == GND_COMPLEX128 ? GND_FLOAT64 : GND_FLOAT32;
    gnd_shape parts = shape;
    parts.dim[parts.ndim - 1] *= 2;
    gnd_array *pairs = bench_random(parts, real);
    gnd_subtract_into(pairs, pairs, 0.5);
    gnd_array *view = gnd_view(pairs, dtype);
    gnd_release(pairs);
    return view;
}

static void pulses_9000(operands *o) {
    o->x = noise(GND_SHAPE(128, S(9000)), GND_COMPLEX128), o->y = noise(GND_SHAPE(S(1000)), GND_COMPLEX128);
}
static void pulses_65536(operands *o) {
    o->x = noise(GND_SHAPE(S(256), S(65536)), GND_COMPLEX64), o->y = noise(GND_SHAPE(S(4096)), GND_COMPLEX64);
}
static void pulses_512(operands *o) {
    o->x = noise(GND_SHAPE(S(512), S(65536)), GND_COMPLEX64);
}
static void pulses_512_window(operands *o) {
    pulses_512(o);
    o->y = bench_random(GND_SHAPE(S(512)), GND_FLOAT32);
}
static void pulse_2048(operands *o) {
    o->x = noise(GND_SHAPE(S(2048)), GND_COMPLEX64);
}
static void sensors(operands *o) {
    o->x = noise(GND_SHAPE(64, S(100000)), GND_COMPLEX64), o->y = noise(GND_SHAPE(64), GND_COMPLEX64);
}
/* Covariances: products of matrices with their own conjugates, and the identity. */
static void covariances(operands *o) {
    gnd_array *a = noise(GND_SHAPE(S(512), 64, 64), GND_COMPLEX64), *conjugate = gnd_conjugate(a);
    gnd_array *other = gnd_matrix_transpose(conjugate), *identity = gnd_eye(64, 64, 0, GND_COMPLEX64);
    o->x = gnd_matmul(a, other);
    gnd_add_into(o->x, o->x, identity);
    o->y = noise(GND_SHAPE(64), GND_COMPLEX64);
    gnd_array *spent[] = {a, conjugate, other, identity};
    for (int k = 0; k < 4; k++) gnd_release(spent[k]);
}
static void map(operands *o) {
    o->x = bench_random(GND_SHAPE(S(2048), S(2048)), GND_FLOAT32);
}
static void end_tracks(void *filter) {
    gnd_kalman_release(filter);
}
static void modulated(operands *o) {
    o->x = noise(GND_SHAPE(S(10000000)), GND_COMPLEX64);
}

/* Tracks in a plane: position and velocity, of which the position is measured. */
static void tracks(operands *o) {
    gnd_kalman *k = gnd_kalman_new(S(100000), 4, 2, 0, GND_FLOAT32);
    gnd_array *f = gnd_eye(4, 4, 0, GND_FLOAT32), *step = gnd_eye(4, 4, 2, GND_FLOAT32);
    gnd_array *h = gnd_eye(2, 4, 0, GND_FLOAT32);
    gnd_add_into(f, f, step);
    gnd_kalman_set(k, GND_KALMAN_TRANSITION, f);
    gnd_kalman_set(k, GND_KALMAN_MEASUREMENT, h);
    o->x = bench_random(GND_SHAPE(100, S(100000), 2), GND_FLOAT32);
    o->stream = k, o->end = end_tracks;
    gnd_array *spent[] = {f, step, h};
    for (int i = 0; i < 3; i++) gnd_release(spent[i]);
}

BENCH_RUN(compression, gnd_pulse_compression(o->x, o->y, NULL))
BENCH_RUN(doppler, gnd_pulse_doppler(o->x, o->y, 0))
BENCH_RUN(ambiguity, gnd_ambgfun(o->x, NULL, 1e6, GND_AMBGFUN_2D, 0))
BENCH_RUN(beamformer, gnd_mvdr(o->x, o->y, false))
BENCH_RUN(weights, gnd_mvdr(o->x, o->y, true))
BENCH_RUN(cfar, gnd_ca_cfar(o->x, GND_SHAPE(2, 2), GND_SHAPE(4, 4), 1e-3, NULL))
BENCH_RUN(demodulate, gnd_fm_demod(o->x, -1))
static void voices(operands *o) {
    o->x = bench_random(GND_SHAPE(64, S(1000000)), GND_FLOAT32);
    gnd_subtract_into(o->x, o->x, 0.5);
}
static gnd_array *mel(const gnd_array *x, bool coefficients) {
    const gnd_melspectrogram_options options = {
        .n_fft = 1024, .hop_length = 256, .mel = {.sample_rate = 16000, .n_mels = 80}};
    return coefficients ? gnd_mfcc(x, 40, &(gnd_mfcc_options){.mel = &options}) : gnd_melspectrogram(x, &options);
}

BENCH_RUN(melspectrogram, mel(o->x, false))
BENCH_RUN(mfcc, mel(o->x, true))
BENCH_RUN(kalman, gnd_kalman_run(o->stream, o->x, NULL, NULL))

const bench_row bench_rows_radar[] = {
    {"radar.pulse_compression_128x9000_c128", pulses_9000, compression, 2 * 16. * 128 * 9000},
    {"radar.pulse_compression_256x65536_c64", pulses_65536, compression, 2 * 8. * 256 * 65536},
    {"radar.pulse_doppler_512x65536_c64", pulses_512, doppler, 2 * 8. * 512 * 65536},
    {"radar.pulse_doppler_window_512x65536_c64", pulses_512_window, doppler, 2 * 8. * 512 * 65536},
    {"radar.ambgfun_2048_c64", pulse_2048, ambiguity, 4. * 4095 * 4096},
    {"radar.mvdr_64x1e5_c64", sensors, beamformer, 8. * 64 * 1e5},
    {"radar.mvdr_weights_512x64x64_c64", covariances, weights, 8. * 512 * 64 * 64},
    {"radar.ca_cfar_2048x2048", map, cfar, 8. * 2048 * 2048},
    {"radar.fm_demod_1e7", modulated, demodulate, 12e7},
    {"est.kalman_1e5x4_100steps", tracks, kalman, 4. * 1e5 * (100 * 2 + 2 * 20)},
    {"audio.melspectrogram_64x1e6_80", voices, melspectrogram, 64 * (4e6 + 4. * 80 * 3907)},
    {"audio.mfcc_64x1e6_40", voices, mfcc, 64 * (4e6 + 4. * 40 * 3907)},
    {NULL, NULL, NULL, 0},
};
