/*
 * rows_scan.c: running sums, differences and scattered additions, by name. `bytes` counts each input read once and
 * each output written once.
 */
#include "bench.h"

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
    {"scan.cumsum_1e8", NULL, cumsum, 8e8, "float32[1e8]"},
    {"scan.cumsum_axis0_1e4x1e4", NULL, cumsum_axis0, 8e8, "float32[1e4,1e4]"},
    {"scan.cumsum_axis1_1e4x1e4", NULL, cumsum_axis1, 8e8, "float32[1e4,1e4]"},
    {"scan.cumsum_axis0_1e7x10", NULL, cumsum_axis0, 8e8, "float32[1e7,10]"},
    {"scan.cumsum_axis1_1e7x10", NULL, cumsum_axis1, 8e8, "float32[1e7,10]"},
    {"scan.cumsum_axis1_200x480x1000", NULL, cumsum_axis1, 7.68e8, "float32[200,480,1000]"},
    {"scan.cumsum_f16_1e8", NULL, cumsum, 4e8, "float16[1e8]"},
    {"scan.cumsum_f64_5e7", NULL, cumsum, 8e8, "float64[5e7]"},
    {"scan.cumprod_1e8", NULL, cumprod, 8e8, "float32[1e8]"},
    {"scan.cummax_1e8", NULL, cummax, 8e8, "float32[1e8]"},
    {"scan.nancumsum_1e8", NULL, nancumsum, 8e8, "float32[1e8]"},
    {"scan.diff_1e8", NULL, diff, 8e8, "float32[1e8]"},
    {"scan.gradient_1e8", NULL, gradient, 8e8, "float32[1e8]"},

    /* A thousand counters, for each of 1e7 values the counter it goes to, and the values. Additions always come in
       the same order: both rows of the peers are this one's. */
    {"ix.add_at_1e7_1000", NULL, add_at, 1.2e8, "float32[1000]=0 int64[1e7]<1000 float32[1e7]"},
    {"ix.add_at_deterministic_1e7_1000", NULL, add_at, 1.2e8, "float32[1000]=0 int64[1e7]<1000 float32[1e7]"},
    {0},
};
