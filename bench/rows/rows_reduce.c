/*
 * rows_reduce.c: reductions, statistics and order statistics, by name. `bytes` counts each input read once and each
 * output written once.
 */
#include "bench.h"

/* ---- operands ------------------------------------------------------------------------------- */

static void inner_matrix(operands *o) {
    bench_replace(&o->x, gnd_slice(o->x, "3:-3, 5:-7"));
}
static void every_other_column(operands *o) {
    bench_replace(&o->x, gnd_slice(o->x, ":, ::2"));
}
static void percents(operands *o) {
    gnd_array *wide = gnd_from_host(o->p, GND_SHAPE(5), GND_FLOAT64);
    o->y = gnd_astype(wide, GND_FLOAT32);
    gnd_release(wide);
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
/* Are there any above 2, say? None is: the whole of both arrays is read. */
static void any_above(operands *o) {
    gnd_array *mask = gnd_greater(o->x, o->p[0]);
    gnd_release(gnd_any(mask, GND_ALL));
    gnd_release(mask);
}

const bench_row bench_rows_reduce[] = {
    {"red.sum_1e8", NULL, sum, 4e8, "float32[1e8]"},
    {"red.mean_1e8", NULL, mean, 4e8, "float32[1e8]"},
    {"red.max_1e8", NULL, max, 4e8, "float32[1e8]"},
    {"red.ptp_1e8", NULL, ptp, 4e8, "float32[1e8]"},
    {"red.argmax_1e8", NULL, argmax, 4e8, "float32[1e8]"},
    {"red.var_1e8", NULL, var, 4e8, "float32[1e8]"},
    {"red.std_1e8", NULL, std, 4e8, "float32[1e8]"},
    {"red.norm_1e8", NULL, norm, 4e8, "float32[1e8]"},
    {"red.norm1_1e8", NULL, norm1, 4e8, "float32[1e8]"},
    {"red.dot_1e8", NULL, dot, 8e8, "float32[1e8] float32[1e8]"},
    {"red.any_1e8", NULL, any_above, 6e8, "float32[1e8] =2"},
    {"red.any_bool_1e8", NULL, any, 1e8, "bool[1e8]=0"},
    {"red.count_nonzero_1e8", NULL, count, 4e8, "float32[1e8]"},
    {"red.nansum_1e8", NULL, nansum, 4e8, "float32[1e8]"},
    {"red.nanmax_1e8", NULL, nanmax, 4e8, "float32[1e8]"},
    {"red.nanvar_1e8", NULL, nanvar, 4e8, "float32[1e8]"},
    {"red.average_1e8", NULL, average, 8e8, "float32[1e8] float32[1e8]"},
    {"red.trapezoid_1e8", NULL, trapezoid, 4e8, "float32[1e8]"},
    {"red.sum_where_1e8", NULL, sum_where, 5e8, "float32[1e8] bool[1e8]"},
    {"red.sum_f16_1e8", NULL, sum, 2e8, "float16[1e8]"},
    {"red.sum_i8_1e8", NULL, sum, 1e8, "int8[1e8]"},
    {"red.sum_f64_5e7", NULL, sum, 4e8, "float64[5e7]"},
    {"red.sum_c64_5e7", NULL, sum, 4e8, "complex64[5e7]"},

    {"red.sum_axis0_1e4x1e4", NULL, sum_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.sum_axis1_1e4x1e4", NULL, sum_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.mean_axis0_1e4x1e4", NULL, mean_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.mean_axis1_1e4x1e4", NULL, mean_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.max_axis0_1e4x1e4", NULL, max_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.max_axis1_1e4x1e4", NULL, max_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.argmax_axis0_1e4x1e4", NULL, argmax_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.argmax_axis1_1e4x1e4", NULL, argmax_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.any_axis0_1e4x1e4", NULL, any_axis0, 4e8, "float32[1e4,1e4]=0"},
    {"red.any_axis1_1e4x1e4", NULL, any_axis1, 4e8, "float32[1e4,1e4]=0"},
    {"red.count_nonzero_axis0_1e4x1e4", NULL, count_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.count_nonzero_axis1_1e4x1e4", NULL, count_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.norm_axis0_1e4x1e4", NULL, norm_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.norm_axis1_1e4x1e4", NULL, norm_axis1, 4e8, "float32[1e4,1e4]"},
    {"red.dot_axis0_1e4x1e4", NULL, dot_axis0, 8e8, "float32[1e4,1e4] float32[1e4,1e4]"},
    {"red.dot_axis1_1e4x1e4", NULL, dot_axis1, 8e8, "float32[1e4,1e4] float32[1e4,1e4]"},
    {"red.var_axis0_1e4x1e4", NULL, var_axis0, 4e8, "float32[1e4,1e4]"},
    {"red.var_axis1_1e4x1e4", NULL, var_axis1, 4e8, "float32[1e4,1e4]"},

    {"red.sum_axis1_200x480x1000", NULL, sum_axis1, 3.848e8, "float32[200,480,1000]"},
    {"red.sum_axes02_250x400x1000", NULL, sum_axes02, 4e8, "float32[250,400,1000]"},
    {"red.sum_axis1_1e7x10", NULL, sum_axis1, 4.4e8, "float32[1e7,10]"},
    {"red.sum_axis0_1e7x10", NULL, sum_axis0, 4e8, "float32[1e7,10]"},
    {"red.max_axis1_1e7x10", NULL, max_axis1, 4.4e8, "float32[1e7,10]"},
    {"red.max_axis0_1e7x10", NULL, max_axis0, 4e8, "float32[1e7,10]"},
    {"red.argmax_axis1_1e7x10", NULL, argmax_axis1, 4.8e8, "float32[1e7,10]"},
    {"red.argmax_axis0_1e7x10", NULL, argmax_axis0, 4e8, "float32[1e7,10]"},
    {"red.var_axis1_1e7x10", NULL, var_axis1, 4.4e8, "float32[1e7,10]"},
    {"red.var_axis0_1e7x10", NULL, var_axis0, 4e8, "float32[1e7,10]"},
    {"red.sum_all_sliced_1e4x1e4", inner_matrix, sum, 3.99e8, "float32[1e4,1e4]"},
    {"red.sum_axis0_sliced_1e4x1e4", inner_matrix, sum_axis0, 3.99e8, "float32[1e4,1e4]"},
    {"red.sum_axis1_sliced_1e4x1e4", inner_matrix, sum_axis1, 3.99e8, "float32[1e4,1e4]"},
    {"red.sum_axis1_strided2_1e4x1e4", every_other_column, sum_axis1, 4e8, "float32[1e4,1e4]"},

    {"red.median_1e7", NULL, median, 4e7, "float32[1e7]"},
    {"red.nanmedian_1e7", NULL, nanmedian, 4e7, "float32[1e7]"},
    {"red.percentile_1e7", percents, percentile, 4e7, "float32[1e7] =5 =25 =50 =75 =95"},
    {"red.median_axis0_1e3x1e4", NULL, median_axis0, 4e7, "float32[1000,1e4]"},
    {"red.median_axis1_1e4x1e3", NULL, median_axis1, 4e7, "float32[1e4,1000]"},
    {0},
};
