/*
 * rows_random.c: random numbers by name, from the thread's default generator (Philox). float32 unless a
 * name says otherwise; `bytes` counts each result written once.
 */
#include "bench.h"

static void seeded(operands *o) {
    (void)o;
    gnd_random_seed(gnd_random_default(), 1);
}
#define G gnd_random_default()

BENCH_RUN(uniform, gnd_random_random(G, GND_SHAPE(o->n[0]), GND_FLOAT32))
BENCH_RUN(uniform_f64, gnd_random_random(G, GND_SHAPE(o->n[0]), GND_FLOAT64))
BENCH_RUN(normal, gnd_random_standard_normal(G, GND_SHAPE(o->n[0]), GND_FLOAT32))
BENCH_RUN(normal_f64, gnd_random_standard_normal(G, GND_SHAPE(o->n[0]), GND_FLOAT64))
BENCH_RUN(normal_columns, gnd_random_normal(G, o->x, 1, GND_SHAPE(gnd_dim(o->x, 0), gnd_dim(o->x, 0)), GND_FLOAT32))
BENCH_RUN(exponential, gnd_random_standard_exponential(G, GND_SHAPE(o->n[0]), GND_FLOAT32))
BENCH_RUN(integers, gnd_random_integers(G, (int64_t)o->p[0], (int64_t)o->p[1], GND_SHAPE(o->n[0]), GND_INT64, false))
BENCH_RUN(bytes, gnd_random_bytes(G, o->n[0]))
BENCH_RUN(permutation, gnd_random_permutation(G, o->n[0], 0))
BENCH_RUN(poisson, gnd_random_poisson(G, o->p[0], GND_SHAPE(o->n[0])))
BENCH_RUN(binomial, gnd_random_binomial(G, (int64_t)o->p[0], o->p[1], GND_SHAPE(o->n[0])))
BENCH_RUN(gamma, gnd_random_standard_gamma(G, o->p[0], GND_SHAPE(o->n[0]), GND_FLOAT32))
BENCH_RUN(small, gnd_random_random(G, GND_SHAPE(o->n[0]), GND_FLOAT32))

static void shuffle(operands *o) {
    gnd_random_shuffle(G, o->x, 0);
}

const bench_row bench_rows_random[] = {
    {"rng.uniform_f32_1e8", seeded, uniform, 4e8, "1e8"},
    {"rng.gen_uniform_f32_1e8", seeded, uniform, 4e8, "1e8"},
    {"rng.uniform_f64_5e7", seeded, uniform_f64, 4e8, "5e7"},
    {"rng.normal_f32_1e8", seeded, normal, 4e8, "1e8"},
    {"rng.gen_normal_f32_1e8", seeded, normal, 4e8, "1e8"},
    {"rng.normal_f64_5e7", seeded, normal_f64, 4e8, "5e7"},
    {"rng.normal_columns_1e4x1e4", seeded, normal_columns, 4e8, "float32[1e4]"},
    {"rng.exponential_f32_1e8", seeded, exponential, 4e8, "1e8"},
    {"rng.integers_1e8", seeded, integers, 8e8, "1e8 =0 =100"},
    {"rng.bytes_1e8", seeded, bytes, 1e8, "1e8"},
    {"rng.permutation_1e7", seeded, permutation, 0, "1e7"},
    {"rng.shuffle_1e7", seeded, shuffle, 0, "float32[1e7]"},
    {"rng.poisson_1e7", seeded, poisson, 0, "1e7 =10"},
    {"rng.binomial_100_1e7", seeded, binomial, 0, "1e7 =100 =0.3"},
    {"rng.gamma_1e7", seeded, gamma, 0, "1e7 =2.5"},
    {"small.uniform_1k", seeded, small, 0, "1000"},
    {0},
};
