/*
 * rows_reduce.c: reductions, statistics and order statistics, by name. Arrays are float32 and
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
static void lines(operands *o) {
    line(o);
    o->y = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void line_f16(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT16);
}
static void line_i8(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_INT8);
}
static void half_line_f64(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 2), GND_FLOAT64);
}
static void half_line_c64(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 2), GND_COMPLEX64);
}
static void line_and_mask(operands *o) {
    line(o);
    o->y = gnd_greater(o->x, 0.5);
}
static void line_of_false(operands *o) {
    o->x = gnd_zeros(GND_SHAPE(N), GND_BOOL);
}
static void matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void matrices(operands *o) {
    matrix(o);
    o->y = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void matrix_of_zeros(operands *o) {
    o->x = gnd_zeros(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void matrix_view(operands *o, const char *slice) {
    gnd_array *whole = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    o->x = gnd_slice(whole, slice);
    gnd_release(whole);
}
static void inner_matrix(operands *o) {
    matrix_view(o, "3:-3, 5:-7");
}
static void every_other_column(operands *o) {
    matrix_view(o, ":, ::2");
}
static void deep_200_480_1000(operands *o) {
    o->x = bench_random(GND_SHAPE(200, 480, 1000), GND_FLOAT32);
}
static void deep_250_400_1000(operands *o) {
    o->x = bench_random(GND_SHAPE(250, 400, 1000), GND_FLOAT32);
}
static void tall(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 10, 10), GND_FLOAT32);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(sum, gnd_sum(o->x, GND_ALL))
BENCH_RUN(mean, gnd_mean(o->x, GND_ALL))
BENCH_RUN(max, gnd_max(o->x, GND_ALL))
BENCH_RUN(any, gnd_any(o->x, GND_ALL))
BENCH_RUN(count, gnd_count_nonzero(o->x, GND_ALL))
BENCH_RUN(sum_axis0, gnd_sum(o->x, GND_AXES(0)))
BENCH_RUN(sum_axis1, gnd_sum(o->x, GND_AXES(1)))
BENCH_RUN(sum_axes02, gnd_sum(o->x, GND_AXES(0, 2)))
BENCH_RUN(mean_axis0, gnd_mean(o->x, GND_AXES(0)))
BENCH_RUN(mean_axis1, gnd_mean(o->x, GND_AXES(1)))
BENCH_RUN(max_axis0, gnd_max(o->x, GND_AXES(0)))
BENCH_RUN(max_axis1, gnd_max(o->x, GND_AXES(1)))
BENCH_RUN(any_axis0, gnd_any(o->x, GND_AXES(0)))
BENCH_RUN(any_axis1, gnd_any(o->x, GND_AXES(1)))
BENCH_RUN(count_axis0, gnd_count_nonzero(o->x, GND_AXES(0)))
BENCH_RUN(count_axis1, gnd_count_nonzero(o->x, GND_AXES(1)))

static void sum_where(operands *o) {
    gnd_axes axes = GND_ALL;
    axes.where = o->y;
    gnd_release(gnd_sum(o->x, axes));
}
/* Are there any above 2? None is: the whole of both arrays is read. */
static void any_above(operands *o) {
    gnd_array *mask = gnd_greater(o->x, 2);
    gnd_release(gnd_any(mask, GND_ALL));
    gnd_release(mask);
}

const bench_row bench_rows_reduce[] = {
    {"red.sum_1e8", line, sum, 4e8},
    {"red.mean_1e8", line, mean, 4e8},
    {"red.max_1e8", line, max, 4e8},
    {"red.any_1e8", line, any_above, 6e8},
    {"red.any_bool_1e8", line_of_false, any, 1e8},
    {"red.count_nonzero_1e8", line, count, 4e8},
    {"red.sum_where_1e8", line_and_mask, sum_where, 5e8},
    {"red.sum_f16_1e8", line_f16, sum, 2e8},
    {"red.sum_i8_1e8", line_i8, sum, 1e8},
    {"red.sum_f64_5e7", half_line_f64, sum, 4e8},
    {"red.sum_c64_5e7", half_line_c64, sum, 4e8},

    {"red.sum_axis0_1e4x1e4", matrix, sum_axis0, 4e8},
    {"red.sum_axis1_1e4x1e4", matrix, sum_axis1, 4e8},
    {"red.mean_axis0_1e4x1e4", matrix, mean_axis0, 4e8},
    {"red.mean_axis1_1e4x1e4", matrix, mean_axis1, 4e8},
    {"red.max_axis0_1e4x1e4", matrix, max_axis0, 4e8},
    {"red.max_axis1_1e4x1e4", matrix, max_axis1, 4e8},
    {"red.any_axis0_1e4x1e4", matrix_of_zeros, any_axis0, 4e8},
    {"red.any_axis1_1e4x1e4", matrix_of_zeros, any_axis1, 4e8},
    {"red.count_nonzero_axis0_1e4x1e4", matrix, count_axis0, 4e8},
    {"red.count_nonzero_axis1_1e4x1e4", matrix, count_axis1, 4e8},

    {"red.sum_axis1_200x480x1000", deep_200_480_1000, sum_axis1, 3.848e8},
    {"red.sum_axes02_250x400x1000", deep_250_400_1000, sum_axes02, 4e8},
    {"red.sum_axis1_1e7x10", tall, sum_axis1, 4.4e8},
    {"red.sum_axis0_1e7x10", tall, sum_axis0, 4e8},
    {"red.max_axis1_1e7x10", tall, max_axis1, 4.4e8},
    {"red.max_axis0_1e7x10", tall, max_axis0, 4e8},
    {"red.sum_all_sliced_1e4x1e4", inner_matrix, sum, 3.99e8},
    {"red.sum_axis0_sliced_1e4x1e4", inner_matrix, sum_axis0, 3.99e8},
    {"red.sum_axis1_sliced_1e4x1e4", inner_matrix, sum_axis1, 3.99e8},
    {"red.sum_axis1_strided2_1e4x1e4", every_other_column, sum_axis1, 4e8},
    {NULL, NULL, NULL, 0},
};
