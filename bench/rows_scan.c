/*
 * rows_scan.c: running sums, differences and scattered additions, by name. Arrays are float32 and
 * random in [0, 1) unless a name says otherwise; `bytes` counts each input read once and each
 * output written once.
 */
#include "bench.h"

#define N BENCH_N
#define SIDE BENCH_SIDE

/* ---- operands ------------------------------------------------------------------------------- */

static void line(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void line_f16(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT16);
}
static void half_line_f64(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 2), GND_FLOAT64);
}
static void matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void tall(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 10, 10), GND_FLOAT32);
}
static void deep_200_480_1000(operands *o) {
    o->x = bench_random(GND_SHAPE(200, 480, 1000), GND_FLOAT32);
}
/* A thousand counters, and for each of 1e7 values the counter it goes to. */
static void counters(operands *o) {
    GND_SCOPE {
        gnd_array *indices = gnd_multiply(bench_random(GND_SHAPE(N / 10), GND_FLOAT32), 1000);
        o->y = gnd_keep(gnd_astype(indices, GND_INT64));
    }
    o->x = gnd_zeros(GND_SHAPE(1000), GND_FLOAT32);
    o->z = bench_random(GND_SHAPE(N / 10), GND_FLOAT32);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(cumsum, gnd_cumsum(o->x, GND_ALL))
BENCH_RUN(cumsum_axis0, gnd_cumsum(o->x, GND_AXES(0)))
BENCH_RUN(cumsum_axis1, gnd_cumsum(o->x, GND_AXES(1)))
BENCH_RUN(cumprod, gnd_cumprod(o->x, GND_ALL))
BENCH_RUN(cummax, gnd_cummax(o->x, GND_ALL))
BENCH_RUN(nancumsum, gnd_nancumsum(o->x, GND_ALL))
BENCH_RUN(diff, gnd_diff(o->x, 1, -1, GND_NONE, GND_NONE))
BENCH_RUN(gradient, gnd_gradient(o->x, GND_NONE, 0, 1))

static void add_at(operands *o) {
    gnd_at("add", o->x, GND_ARGS(o->y), o->z);
}

const bench_row bench_rows_scan[] = {
    {"scan.cumsum_1e8", line, cumsum, 8e8},
    {"scan.cumsum_axis0_1e4x1e4", matrix, cumsum_axis0, 8e8},
    {"scan.cumsum_axis1_1e4x1e4", matrix, cumsum_axis1, 8e8},
    {"scan.cumsum_axis0_1e7x10", tall, cumsum_axis0, 8e8},
    {"scan.cumsum_axis1_1e7x10", tall, cumsum_axis1, 8e8},
    {"scan.cumsum_axis1_200x480x1000", deep_200_480_1000, cumsum_axis1, 7.68e8},
    {"scan.cumsum_f16_1e8", line_f16, cumsum, 4e8},
    {"scan.cumsum_f64_5e7", half_line_f64, cumsum, 8e8},
    {"scan.cumprod_1e8", line, cumprod, 8e8},
    {"scan.cummax_1e8", line, cummax, 8e8},
    {"scan.nancumsum_1e8", line, nancumsum, 8e8},
    {"scan.diff_1e8", line, diff, 8e8},
    {"scan.gradient_1e8", line, gradient, 8e8},

    /* Its additions always come in the same order: both rows of the peers are this one's. */
    {"ix.add_at_1e7_1000", counters, add_at, 1.2e8},
    {"ix.add_at_deterministic_1e7_1000", counters, add_at, 1.2e8},
    {NULL, NULL, NULL, 0},
};
