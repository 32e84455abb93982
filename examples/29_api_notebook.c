/*
 * 29_api_notebook.c: a notebook in C: the six calls of cuSignal's tutorial, at its sizes, beside the times that it
 * published.
 *
 *     29_api_notebook [SAMPLES]
 *
 * decimate, resample, resample_poly, wiener, hilbert and hilbert2 of 1e8 samples of float64, from "GPU accelerated
 * signal processing" (A. Thompson and others, ICASSP 2021). Each call is one of gnd, too, and each result is checked
 * against what it must be: the signal at other times, a sine for a cosine, the filter's formula.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979, from = 0, to = 10;

/* What the calls are given: n samples of each signal, a square of samples, and their results. */
typedef struct notebook {
    int64_t n, side;
    gnd_array *chirp, *noise, *tone, *plane;
} notebook;

/* cos(-t^2 / 6) at n times from 0 to 10, the last one left out. */
static gnd_array *chirp_of(int64_t n) {
    gnd_array *t = gnd_linspace(from, to, n, false, GND_FLOAT64), *result = NULL;
    GND_FUSE result = gnd_keep(gnd_cos(gnd_multiply(gnd_square(t), -1.0 / 6)));
    return result;
}
/* The phase of `periods` periods in n samples, reduced before it is rounded. */
static gnd_array *phase_of(int64_t periods, int64_t n) {
    gnd_array *turns = gnd_multiply(gnd_arange(0, n, 1, GND_FLOAT64), (double)periods);
    return gnd_multiply(gnd_remainder(turns, (double)n), 2 * pi / (double)n);
}

/* ---- the calls ---- */

static gnd_array *decimate(const notebook *b) {
    return gnd_decimate(b->chirp, 3, -1, &(gnd_decimate_options){.type = GND_DECIMATE_FIR});
}
static gnd_array *resample(const notebook *b) {
    return gnd_resample(b->chirp, b->n / 1000, -1, &(gnd_resample_options){.named = {"kaiser", 1, {0.5}}});
}
static gnd_array *resample_poly(const notebook *b) {
    return gnd_resample_poly(b->chirp, 2, 3, -1, &(gnd_resample_poly_options){.window = {"kaiser", 1, {0.5}}});
}
static gnd_array *wiener(const notebook *b) {
    return gnd_wiener(b->noise, GND_SHAPE(3), GND_NONE);
}
static gnd_array *hilbert(const notebook *b) {
    return gnd_hilbert(b->tone, -1, -1);
}
static gnd_array *hilbert2(const notebook *b) {
    return gnd_hilbert2(b->plane, GND_SCALAR, GND_ALL);
}

/* ---- what their results must be ---- */

/* The largest difference, as a part of the largest |y|; a tenth of the elements at each end is left out. */
static double apart(const gnd_array *x, const gnd_array *y) {
    const long long n = gnd_dim(y, 0);
    return example_difference(gnd_slice(x, "%lld:%lld", n / 10, n - n / 10),
                              gnd_slice(y, "%lld:%lld", n / 10, n - n / 10));
}
static double same_signal(const notebook *b, const gnd_array *x) {
    (void)b; /* n samples for 10 seconds, but for a part of the last one */
    return apart(x, chirp_of(gnd_dim(x, 0)));
}
/* The mean and the variance of three neighbours; what varies less than the noise is the mean. */
static double by_formula(const notebook *b, const gnd_array *found) {
    gnd_array *x = gnd_pad(b->noise, GND_PAD_WIDTH(1), NULL), *result = NULL;
    gnd_array *three[] = {gnd_slice(x, ":-2"), gnd_slice(x, "1:-1"), gnd_slice(x, "2:")};
    gnd_array *mean = gnd_divide(gnd_add(gnd_add(three[0], three[1]), three[2]), 3);
    gnd_array *squares = gnd_add(gnd_add(gnd_square(three[0]), gnd_square(three[1])), gnd_square(three[2]));
    gnd_array *variance = gnd_subtract(gnd_divide(squares, 3), gnd_square(mean)), *noise = gnd_mean(variance, GND_ALL);
    GND_FUSE {
        gnd_array *kept = gnd_multiply(gnd_subtract(b->noise, mean), gnd_subtract(1, gnd_divide(noise, variance)));
        result = gnd_keep(gnd_add(mean, gnd_where(gnd_less(variance, noise), 0, kept)));
    }
    return apart(found, result);
}
static double is_a_sine(const notebook *b, const gnd_array *z) {
    gnd_array *sine = gnd_sin(phase_of(b->n / 100, b->n));
    return fmax(example_difference(gnd_real(z), b->tone), example_difference(gnd_imag(z), sine));
}
/* Of cos a cos b the quadrant of both positive frequencies is exp(i (a + b)). */
static double is_a_wave(const notebook *b, const gnd_array *z) {
    gnd_array *a = phase_of(b->side / 10, b->side), *both = gnd_add(gnd_expand_dims(a, GND_AXES(1)), a);
    return fmax(example_difference(gnd_real(z), gnd_cos(both)), example_difference(gnd_imag(z), gnd_sin(both)));
}

/* A cell of the notebook: the call, the check and its bound, and the published milliseconds for 1e8 samples. */
typedef struct cell {
    const char *name;
    gnd_array *(*call)(const notebook *);
    double (*check)(const notebook *, const gnd_array *);
    double bound, scipy, cusignal;
} cell;
static const cell cells[] = {
    {"decimate, by 3", decimate, same_signal, 5e-3, 2120, 15.9},
    {"resample, to a thousandth", resample, same_signal, 5e-2, 13900, 72.2},
    {"resample_poly, 2 / 3", resample_poly, same_signal, 5e-2, 2390, 17.4},
    {"wiener, 3 neighbours", wiener, by_formula, 1e-9, 3580, 255},
    {"hilbert", hilbert, is_a_sine, 1e-9, 11800, 71.4},
    {"hilbert2, a square", hilbert2, is_a_wave, 1e-9, 6310, 85.2},
};
enum { CELLS = sizeof cells / sizeof *cells };

typedef struct job {
    const cell *cell;
    const notebook *book;
} job;
static void run(void *context) {
    const job *j = context;
    j->cell->call(j->book);
}

static void run_all(int64_t n, double ms[CELLS]) {
    GND_SCOPE {
        const int64_t side = (int64_t)sqrt((double)n);
        gnd_array *wave = gnd_cos(phase_of(side / 10, side));
        const notebook book = {n,
                               side,
                               chirp_of(n),
                               gnd_astype(example_random(GND_SHAPE(n), 29), GND_FLOAT64),
                               gnd_cos(phase_of(n / 100, n)),
                               gnd_multiply(gnd_expand_dims(wave, GND_AXES(1)), wave)};
        for (int i = 0; i < CELLS; i++) {
            GND_SCOPE_HERE;
            const double error = cells[i].check(&book, cells[i].call(&book));
            printf("%s: %-28s is what it must be but for %.1e\n", gnd_current_device().kind == GND_GPU ? "GPU" : "CPU",
                   cells[i].name, error);
            gnd_check();
            example_check(error < cells[i].bound, "the result is wrong");
            ms[i] = example_time(run, &(job){&cells[i], &book});
        }
    }
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 100000000, 1000000);
    example_check(n >= 100000, "there must be 100,000 samples or more");
    example_title("The calls of cuSignal's tutorial");
    double ms[2][CELLS];
    gnd_device devices[2];
    const int with = example_devices(devices);
    const int64_t of_cpu = with == 2 && n > 1000000 ? 1000000 : n; /* all of them would take long there */
    for (int d = 0; d < with; d++) gnd_use(devices[d]), run_all(d ? n : of_cpu, ms[d]);

    printf("\nsamples: %lld on the CPU", (long long)of_cpu);
    if (with == 2) printf(", %lld on the GPU", (long long)n);
    printf("; published 1e8, of machines that are not named\n%-28s %8s", "nanoseconds a sample", "CPU");
    printf(with == 2 ? " %8s %12s %12s\n" : "%.0s %12s %12s\n", "GPU", "SciPy", "cuSignal");
    for (int i = 0; i < CELLS; i++) {
        printf("%-28s %8.3f", cells[i].name, 1e6 * ms[0][i] / (double)of_cpu);
        if (with == 2) printf(" %8.4f", 1e6 * ms[1][i] / (double)n);
        printf(" %12.3f %12.4f\n", 1e6 * cells[i].scipy / 1e8, 1e6 * cells[i].cusignal / 1e8);
    }
    printf("\nThe machines are not the same. Look at where the time goes: a call that reads and writes its samples\n"
           "once takes 0.004 ns of each where memory moves 4 TB/s.\n");
    return 0;
}
