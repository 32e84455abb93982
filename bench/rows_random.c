/*
 * rows_random.c: random numbers by name, from the thread's default generator (Philox). float32 unless a
 * name says otherwise; `bytes` counts each result written once.
 */
#include "bench.h"

#define N bench_size(BENCH_N)
#define FEW bench_size(BENCH_N / 10)

static void seeded(operands *o) {
    (void)o;
    gnd_random_seed(gnd_random_default(), 1);
}
/* Parameters that are arrays: a mean for each column of a matrix. */
static void means(operands *o) {
    seeded(o);
    o->x = bench_random(GND_SHAPE(bench_size(BENCH_SIDE)), GND_FLOAT32);
}
/* What is shuffled. */
static void line(operands *o) {
    seeded(o);
    o->x = bench_random(GND_SHAPE(FEW), GND_FLOAT32);
}

#define G gnd_random_default()

BENCH_RUN(uniform, gnd_random_random(G, GND_SHAPE(N), GND_FLOAT32))
BENCH_RUN(uniform_f64, gnd_random_random(G, GND_SHAPE(N / 2), GND_FLOAT64))
BENCH_RUN(normal, gnd_random_standard_normal(G, GND_SHAPE(N), GND_FLOAT32))
BENCH_RUN(normal_f64, gnd_random_standard_normal(G, GND_SHAPE(N / 2), GND_FLOAT64))
BENCH_RUN(normal_columns, gnd_random_normal(G, o->x, 1, GND_SHAPE(gnd_dim(o->x, 0), gnd_dim(o->x, 0)), GND_FLOAT32))
BENCH_RUN(exponential, gnd_random_standard_exponential(G, GND_SHAPE(N), GND_FLOAT32))
BENCH_RUN(integers, gnd_random_integers(G, 0, 100, GND_SHAPE(N), GND_INT64, false))
BENCH_RUN(bytes, gnd_random_bytes(G, N))
BENCH_RUN(permutation, gnd_random_permutation(G, FEW, 0))
BENCH_RUN(poisson, gnd_random_poisson(G, 10, GND_SHAPE(FEW)))
BENCH_RUN(binomial, gnd_random_binomial(G, 100, 0.3, GND_SHAPE(FEW)))
BENCH_RUN(gamma, gnd_random_standard_gamma(G, 2.5, GND_SHAPE(FEW), GND_FLOAT32))
BENCH_RUN(small, gnd_random_random(G, GND_SHAPE(1000), GND_FLOAT32))

static void shuffle(operands *o) {
    gnd_random_shuffle(G, o->x, 0);
}

const bench_row bench_rows_random[] = {
    {"rng.uniform_f32_1e8", seeded, uniform, 4e8},
    {"rng.gen_uniform_f32_1e8", seeded, uniform, 4e8},
    {"rng.uniform_f64_5e7", seeded, uniform_f64, 4e8},
    {"rng.normal_f32_1e8", seeded, normal, 4e8},
    {"rng.gen_normal_f32_1e8", seeded, normal, 4e8},
    {"rng.normal_f64_5e7", seeded, normal_f64, 4e8},
    {"rng.normal_columns_1e4x1e4", means, normal_columns, 4e8},
    {"rng.exponential_f32_1e8", seeded, exponential, 4e8},
    {"rng.integers_1e8", seeded, integers, 8e8},
    {"rng.bytes_1e8", seeded, bytes, 1e8},
    {"rng.permutation_1e7", seeded, permutation, 0},
    {"rng.shuffle_1e7", line, shuffle, 0},
    {"rng.poisson_1e7", seeded, poisson, 0},
    {"rng.binomial_100_1e7", seeded, binomial, 0},
    {"rng.gamma_1e7", seeded, gamma, 0},
    {"small.uniform_1k", seeded, small, 0},
    {NULL, NULL, NULL, 0},
};
