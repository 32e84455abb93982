/*
 * rows_radar.c: radar, by name: c64 and c128 are complex64 and complex128; and Kalman filters, by tracks, numbers of a
 * state and steps; and mel spectrograms, by lines, samples and bands.
 */
#include "bench.h"

/* Covariances: products of matrices with their own conjugates, and the identity. */
static void covariances(operands *o) {
    const int64_t n = gnd_dim(o->x, -1);
    GND_SCOPE {
        gnd_array *other = gnd_matrix_transpose(gnd_conjugate(o->x));
        gnd_array *sum = gnd_add(gnd_matmul(o->x, other), gnd_eye(n, n, 0, GND_COMPLEX64));
        bench_replace(&o->x, gnd_keep(sum));
    }
}
static void end_tracks(void *filter) {
    gnd_kalman_release(filter);
}
/* Tracks in a plane: position and velocity, of which the position is measured. */
static void tracks(operands *o) {
    gnd_kalman *k = gnd_kalman_new(gnd_dim(o->x, 1), 4, 2, 0, GND_FLOAT32);
    gnd_array *f = gnd_eye(4, 4, 0, GND_FLOAT32), *step = gnd_eye(4, 4, 2, GND_FLOAT32);
    gnd_array *h = gnd_eye(2, 4, 0, GND_FLOAT32);
    gnd_add_into(f, f, step);
    gnd_kalman_set(k, GND_KALMAN_TRANSITION, f);
    gnd_kalman_set(k, GND_KALMAN_MEASUREMENT, h);
    o->stream = k, o->end = end_tracks;
    gnd_array *spent[] = {f, step, h};
    for (int i = 0; i < 3; i++) gnd_release(spent[i]);
}

#define GUARD (int64_t) o->p[0]
#define REFERENCE (int64_t) o->p[1]
BENCH_RUN(compression, gnd_pulse_compression(o->x, o->y, NULL))
BENCH_RUN(doppler, gnd_pulse_doppler(o->x, o->y, 0))
BENCH_RUN(ambiguity, gnd_ambgfun(o->x, NULL, o->p[0], GND_AMBGFUN_2D, 0))
BENCH_RUN(beamformer, gnd_mvdr(o->x, o->y, false))
BENCH_RUN(weights, gnd_mvdr(o->x, o->y, true))
BENCH_RUN(cfar, gnd_ca_cfar(o->x, GND_SHAPE(GUARD, GUARD), GND_SHAPE(REFERENCE, REFERENCE), o->p[2], NULL))
BENCH_RUN(demodulate, gnd_fm_demod(o->x, -1))

/* Samples a second, the length of frames, the step between them, and the number of bands. */
static gnd_melspectrogram_options mel_options(const operands *o) {
    return (gnd_melspectrogram_options){.mel = {.sample_rate = o->p[0], .n_mels = (int)o->p[3]},
                                        .n_fft = (int64_t)o->p[1],
                                        .hop_length = (int64_t)o->p[2]};
}
static void melspectrogram(operands *o) {
    const gnd_melspectrogram_options options = mel_options(o);
    gnd_release(gnd_melspectrogram(o->x, &options));
}
static void mfcc(operands *o) {
    const gnd_melspectrogram_options options = mel_options(o);
    gnd_release(gnd_mfcc(o->x, (int)o->p[4], &(gnd_mfcc_options){.mel = &options}));
}
BENCH_RUN(kalman, gnd_kalman_run(o->stream, o->x, NULL, NULL))

const bench_row bench_rows_radar[] = {
    {"radar.pulse_compression_128x9000_c128", NULL, compression, 2 * 16. * 128 * 9000,
     "complex128[=128,9000]~ complex128[1000]~"},
    {"radar.pulse_compression_256x65536_c64", NULL, compression, 2 * 8. * 256 * 65536,
     "complex64[256,65536]~ complex64[4096]~"},
    {"radar.pulse_doppler_512x65536_c64", NULL, doppler, 2 * 8. * 512 * 65536, "complex64[512,65536]~"},
    {"radar.pulse_doppler_window_512x65536_c64", NULL, doppler, 2 * 8. * 512 * 65536,
     "complex64[512,65536]~ float32[512]"},
    {"radar.ambgfun_2048_c64", NULL, ambiguity, 4. * 4095 * 4096, "complex64[2048]~ =1e6"},
    {"radar.mvdr_64x1e5_c64", NULL, beamformer, 8. * 64 * 1e5, "complex64[=64,1e5]~ complex64[=64]~"},
    {"radar.mvdr_weights_512x64x64_c64", covariances, weights, 8. * 512 * 64 * 64,
     "complex64[512,=64,=64]~ complex64[=64]~"},
    {"radar.ca_cfar_2048x2048", NULL, cfar, 8. * 2048 * 2048, "float32[2048,2048] =2 =4 =1e-3"},
    {"radar.fm_demod_1e7", NULL, demodulate, 12e7, "complex64[1e7]~"},
    {"est.kalman_1e5x4_100steps", tracks, kalman, 4. * 1e5 * (100 * 2 + 2 * 20), "float32[=100,1e5,=2]"},
    {"audio.melspectrogram_64x1e6_80", NULL, melspectrogram, 64 * (4e6 + 4. * 80 * 3907),
     "float32[=64,1e6]~ =16000 =1024 =256 =80"},
    {"audio.mfcc_64x1e6_40", NULL, mfcc, 64 * (4e6 + 4. * 40 * 3907), "float32[=64,1e6]~ =16000 =1024 =256 =80 =40"},
    {0},
};
