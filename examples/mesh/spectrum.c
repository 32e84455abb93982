/*
 * spectrum.c: the Fourier transform of a signal that is larger than one GPU's memory, over many ranks.
 *
 *     spectrum [LOG2 [FREQUENCY]]
 *
 * 2^LOG2 complex samples (LOG2 from 14 on), 8 bytes each: 2^33 are 69 GB, and as much again is their transform. The
 * signal is one line, split over the ranks: noise, and a tone of an eighth of its amplitude. Each rank makes its part;
 * the transform moves the line between the ranks three times (gnd/dist/fft.h); the tone is where the spectrum is
 * largest.
 */
#include "ranks.h"
#include <time.h>

enum { PIECE = 1 << 24 };

/* noise + exp(2 pi i frequency k / n) / 8 for k = start, ..., start + count - 1; n is a power of two. */
static gnd_array *samples(int64_t start, int64_t count, int64_t n, int64_t frequency, gnd_random *g) {
    gnd_array *made = gnd_empty(GND_SHAPE(count, 2), GND_FLOAT32);
    gnd_random_fill(g, made, "standard_normal", 0, NULL);
    for (int64_t at = 0; at < count; at += PIECE) { /* so that phases in float64 take little memory */
        const int64_t end = at + PIECE < count ? at + PIECE : count;
        GND_SCOPE {
            /* Turns are counted in integers, modulo n: 2^64, where a product overflows, is a multiple of n. */
            const gnd_array *k = gnd_arange(start + at, start + end, 1, GND_INT64);
            const gnd_array *turn = gnd_remainder(gnd_multiply(k, frequency), n);
            const gnd_array *phase = gnd_multiply(turn, 6.283185307179586 / (double)n);
            gnd_array *here = gnd_slice(made, "%lld:%lld", (long long)at, (long long)end);
            gnd_array *real = gnd_slice(here, ":, 0"), *imaginary = gnd_slice(here, ":, 1");
            gnd_add_into(real, real, gnd_multiply(gnd_cos(phase), 0.125));
            gnd_add_into(imaginary, imaginary, gnd_multiply(gnd_sin(phase), 0.125));
        }
    }
    return gnd_reshape(gnd_view(made, GND_COMPLEX64), GND_SHAPE(count));
}

static int program(gnd_mesh *mesh, int argc, char **argv) {
    const int64_t n = INT64_C(1) << (argc > 1 ? atoi(argv[1]) : 20);
    const int64_t frequency = argc > 2 ? atoll(argv[2]) : n / 3;
    const int64_t rank = gnd_mesh_rank(mesh), size = gnd_mesh_size(mesh), from = n / size * rank;
    const int64_t count = rank == size - 1 ? n - from : n / size;
    int64_t found = -1;
    struct timespec start, end;
    gnd_random *g = gnd_random_new(GND_PHILOX, 1 + (uint64_t)rank);
    GND_SCOPE {
        const gnd_dist *signal = gnd_dist_from_local(mesh, samples(from, count, n, frequency, g), GND_SPLIT(0));
        gnd_mesh_barrier(mesh);
        timespec_get(&start, TIME_UTC);
        const gnd_dist *spectrum = gnd_dist_fft(signal, -1, 0, GND_FFT_ORTHO, GND_SPLIT(0));
        gnd_mesh_barrier(mesh);
        timespec_get(&end, TIME_UTC);
        found = gnd_dist_item_int(gnd_dist_argmax(gnd_dist_absolute(spectrum), GND_ALL, GND_COPIES));
    }
    gnd_random_release(g);
    const double took = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    if (rank == 0 && !gnd_error())
        printf("%lld samples on %d ranks: %.1f ms, the tone is at %lld%s\n", (long long)n, (int)size, 1e3 * took,
               (long long)found, found == frequency ? "" : ": wrong");
    return found == frequency ? 0 : 1;
}

int main(int argc, char **argv) {
    return run_on_ranks(argc, argv, program);
}
