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
static void tenth_of_a_line(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 10), GND_FLOAT32);
}
static void tenth_of_a_line_and_percents(operands *o) {
    const float percents[] = {5, 25, 50, 75, 95};
    tenth_of_a_line(o);
    o->y = gnd_from_host(percents, GND_SHAPE(5), GND_FLOAT32);
}
static void matrix_1e3_1e4(operands *o) {
    o->x = bench_random(GND_SHAPE(1000, SIDE), GND_FLOAT32);
}
static void matrix_1e4_1e3(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, 1000), GND_FLOAT32);
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
BENCH_RUN(argmax_axis0, gnd_argmax(o->x, GND_AXES(0)))
BENCH_RUN(argmax_axis1, gnd_argmax(o->x, GND_AXES(1)))
BENCH_RUN(var_axis0, gnd_var(o->x, GND_AXES(0), 0))
BENCH_RUN(var_axis1, gnd_var(o->x, GND_AXES(1), 0))
BENCH_RUN(norm_axis0, gnd_vector_norm(o->x, 2, GND_AXES(0)))
BENCH_RUN(norm_axis1, gnd_vector_norm(o->x, 2, GND_AXES(1)))
BENCH_RUN(dot_axis0, gnd_vecdot(o->x, o->y, 0))
BENCH_RUN(dot_axis1, gnd_vecdot(o->x, o->y, 1))
BENCH_RUN(ptp, gnd_ptp(o->x, GND_ALL))
BENCH_RUN(argmax, gnd_argmax(o->x, GND_ALL))
BENCH_RUN(var, gnd_var(o->x, GND_ALL, 0))
BENCH_RUN(std, gnd_std(o->x, GND_ALL, 0))
BENCH_RUN(norm, gnd_vector_norm(o->x, 2, GND_ALL))
BENCH_RUN(norm1, gnd_vector_norm(o->x, 1, GND_ALL))
BENCH_RUN(dot, gnd_vdot(o->x, o->y))
BENCH_RUN(nansum, gnd_nansum(o->x, GND_ALL))
BENCH_RUN(nanmax, gnd_nanmax(o->x, GND_ALL))
BENCH_RUN(nanvar, gnd_nanvar(o->x, GND_ALL, 0))
BENCH_RUN(average, gnd_average(o->x, GND_ALL, o->y))
BENCH_RUN(trapezoid, gnd_trapezoid(o->x, GND_NONE, -1))
BENCH_RUN(median, gnd_median(o->x, GND_ALL))
BENCH_RUN(median_axis0, gnd_median(o->x, GND_AXES(0)))
BENCH_RUN(median_axis1, gnd_median(o->x, GND_AXES(1)))
BENCH_RUN(nanmedian, gnd_nanmedian(o->x, GND_ALL))
BENCH_RUN(percentile, gnd_percentile(o->x, o->y, GND_ALL, GND_QUANTILE_LINEAR))

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
    {"red.ptp_1e8", line, ptp, 4e8},
    {"red.argmax_1e8", line, argmax, 4e8},
    {"red.var_1e8", line, var, 4e8},
    {"red.std_1e8", line, std, 4e8},
    {"red.norm_1e8", line, norm, 4e8},
    {"red.norm1_1e8", line, norm1, 4e8},
    {"red.dot_1e8", lines, dot, 8e8},
    {"red.any_1e8", line, any_above, 6e8},
    {"red.any_bool_1e8", line_of_false, any, 1e8},
    {"red.count_nonzero_1e8", line, count, 4e8},
    {"red.nansum_1e8", line, nansum, 4e8},
    {"red.nanmax_1e8", line, nanmax, 4e8},
    {"red.nanvar_1e8", line, nanvar, 4e8},
    {"red.average_1e8", lines, average, 8e8},
    {"red.trapezoid_1e8", line, trapezoid, 4e8},
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
    {"red.argmax_axis0_1e4x1e4", matrix, argmax_axis0, 4e8},
    {"red.argmax_axis1_1e4x1e4", matrix, argmax_axis1, 4e8},
    {"red.any_axis0_1e4x1e4", matrix_of_zeros, any_axis0, 4e8},
    {"red.any_axis1_1e4x1e4", matrix_of_zeros, any_axis1, 4e8},
    {"red.count_nonzero_axis0_1e4x1e4", matrix, count_axis0, 4e8},
    {"red.count_nonzero_axis1_1e4x1e4", matrix, count_axis1, 4e8},
    {"red.norm_axis0_1e4x1e4", matrix, norm_axis0, 4e8},
    {"red.norm_axis1_1e4x1e4", matrix, norm_axis1, 4e8},
    {"red.dot_axis0_1e4x1e4", matrices, dot_axis0, 8e8},
    {"red.dot_axis1_1e4x1e4", matrices, dot_axis1, 8e8},
    {"red.var_axis0_1e4x1e4", matrix, var_axis0, 4e8},
    {"red.var_axis1_1e4x1e4", matrix, var_axis1, 4e8},

    {"red.sum_axis1_200x480x1000", deep_200_480_1000, sum_axis1, 3.848e8},
    {"red.sum_axes02_250x400x1000", deep_250_400_1000, sum_axes02, 4e8},
    {"red.sum_axis1_1e7x10", tall, sum_axis1, 4.4e8},
    {"red.sum_axis0_1e7x10", tall, sum_axis0, 4e8},
    {"red.max_axis1_1e7x10", tall, max_axis1, 4.4e8},
    {"red.max_axis0_1e7x10", tall, max_axis0, 4e8},
    {"red.argmax_axis1_1e7x10", tall, argmax_axis1, 4.8e8},
    {"red.argmax_axis0_1e7x10", tall, argmax_axis0, 4e8},
    {"red.var_axis1_1e7x10", tall, var_axis1, 4.4e8},
    {"red.var_axis0_1e7x10", tall, var_axis0, 4e8},
    {"red.sum_all_sliced_1e4x1e4", inner_matrix, sum, 3.99e8},
    {"red.sum_axis0_sliced_1e4x1e4", inner_matrix, sum_axis0, 3.99e8},
    {"red.sum_axis1_sliced_1e4x1e4", inner_matrix, sum_axis1, 3.99e8},
    {"red.sum_axis1_strided2_1e4x1e4", every_other_column, sum_axis1, 4e8},

    {"red.median_1e7", tenth_of_a_line, median, 4e7},
    {"red.nanmedian_1e7", tenth_of_a_line, nanmedian, 4e7},
    {"red.percentile_1e7", tenth_of_a_line_and_percents, percentile, 4e7},
    {"red.median_axis0_1e3x1e4", matrix_1e3_1e4, median_axis0, 4e7},
    {"red.median_axis1_1e4x1e3", matrix_1e4_1e3, median_axis1, 4e7},
    {NULL, NULL, NULL, 0},
};
