/*
 * rows_sort.c: sorting, searching and sets, by name, and CUB's own sort beside them. Arrays are
 * float32 and random in [0, 1) unless a name says otherwise.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#endif

#define SIDE INT64_C(4096)
#define SQUARE (SIDE * SIDE)

/* ---- operands ------------------------------------------------------------------------------- */

static void line(operands *o) {
    o->x = bench_random(GND_SHAPE(SQUARE), GND_FLOAT32);
}

static void line_f64(operands *o) {
    o->x = bench_random(GND_SHAPE(SQUARE), GND_FLOAT64);
}
/* Integers in [0, high). */
static gnd_array *words(gnd_shape shape, double high, gnd_dtype dtype) {
    gnd_array *x = bench_random(shape, GND_FLOAT64), *result = NULL;
    GND_SCOPE {
        result = gnd_keep(gnd_astype(gnd_multiply(x, high), dtype));
    }
    gnd_release(x);
    return result;
}
static void line_i32(operands *o) {
    o->x = words(GND_SHAPE(SQUARE), 0x1p31, GND_INT32);
}
static void line_i32_million(operands *o) {
    o->x = words(GND_SHAPE(SQUARE), 1e6, GND_INT32);
}
static void line_u8(operands *o) {
    o->x = words(GND_SHAPE(SQUARE), 256, GND_UINT8);
}
static void square(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void short_rows(operands *o) {
    o->x = bench_random(GND_SHAPE(1000000, 16), GND_FLOAT32);
}
static void rows_of_ten(operands *o) {
    o->x = words(GND_SHAPE(1000000, 10), 4, GND_INT32);
}
static void two_keys(operands *o) {
    o->x = words(GND_SHAPE(1000000), 1000, GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(1000000), GND_FLOAT32);
}
static void line_to_search(operands *o) {
    gnd_array *x = bench_random(GND_SHAPE(1000000), GND_FLOAT32);
    o->x = gnd_sort(x, GND_ALL, GND_ASCENDING);
    o->y = bench_random(GND_SHAPE(10000000), GND_FLOAT32);
    gnd_release(x);
}
static void line_and_samples(operands *o) {
    gnd_array *x = bench_random(GND_SHAPE(10000), GND_FLOAT32);
    o->x = bench_random(GND_SHAPE(10000000), GND_FLOAT32);
    o->y = gnd_sort(x, GND_ALL, GND_ASCENDING);
    o->z = bench_random(GND_SHAPE(10000), GND_FLOAT32);
    gnd_release(x);
}
static void values_and_members(operands *o) {
    o->x = words(GND_SHAPE(10000000), 1e6, GND_INT32);
    o->y = words(GND_SHAPE(10000), 1e6, GND_INT32);
}

/* ---- workloads ------------------------------------------------------------------------------ */

#ifdef GNDB_WITH_CUDA
static void line_and_room(operands *o) {
    line(o);
    o->y = gnd_zeros(GND_SHAPE(SQUARE), GND_FLOAT32);
}
static void line_and_indices(operands *o) {
    line_and_room(o);
    o->z = gnd_arange(0, SQUARE, 1, GND_INT32);
    o->out = gnd_zeros(GND_SHAPE(SQUARE), GND_INT32);
}
static void cub_sort(operands *o) {
    gndb_cub_sort(gnd_data(o->x), gnd_data(o->y), SQUARE, gnd_stream_native(gnd_current_stream()));
}
static void cub_sort_pairs(operands *o) {
    gndb_cub_sort_pairs(gnd_data(o->x), gnd_data(o->y), gnd_data(o->z), gnd_data(o->out), SQUARE,
                        gnd_stream_native(gnd_current_stream()));
}
#endif

BENCH_RUN(sort, gnd_sort(o->x, GND_ALL, GND_ASCENDING))
BENCH_RUN(sort_axis1, gnd_sort(o->x, GND_AXES(1), GND_ASCENDING))
BENCH_RUN(sort_axis0, gnd_sort(o->x, GND_AXES(0), GND_ASCENDING))
BENCH_RUN(argsort, gnd_argsort(o->x, GND_ALL, GND_ASCENDING))
BENCH_RUN(argsort_axis1, gnd_argsort(o->x, GND_AXES(1), GND_ASCENDING))
BENCH_RUN(partition, gnd_partition(o->x, GND_KTH(100), GND_ALL))
BENCH_RUN(lexsort, gnd_lexsort(GND_ARGS(o->x, o->y), GND_ALL))
BENCH_RUN(searchsorted, gnd_searchsorted(o->x, o->y, GND_LEFT, GND_NONE))
BENCH_RUN(unique, gnd_unique(o->x, GND_ALL, NULL))
BENCH_RUN(unique_axis0, gnd_unique(o->x, GND_AXES(0), NULL))
BENCH_RUN(interp, gnd_interp(o->x, o->y, o->z, NULL))
BENCH_RUN(isin, gnd_isin(o->x, o->y, false, GND_ISIN_AUTO))

static void topk(operands *o) {
    gnd_array *values, *where;
    gnd_topk(&values, &where, o->x, 100, GND_ALL, GND_DESCENDING);
    gnd_release(values), gnd_release(where);
}
static void topk_of_rows(operands *o) {
    gnd_array *values, *where;
    gnd_topk(&values, &where, o->x, 10, GND_AXES(1), GND_DESCENDING);
    gnd_release(values), gnd_release(where);
}
static void topk_of_line(operands *o) {
    gnd_array *values, *where;
    gnd_topk(&values, &where, o->x, 10, GND_ALL, GND_DESCENDING);
    gnd_release(values), gnd_release(where);
}
static void unique_inverse(operands *o) {
    gnd_array *inverse, *counts;
    gnd_unique_options options = {.inverse = &inverse, .counts = &counts};
    gnd_release(gnd_unique(o->x, GND_ALL, &options));
    gnd_release(inverse), gnd_release(counts);
}

const bench_row bench_rows_sort[] = {
#ifdef GNDB_WITH_CUDA
    {"bare.cub_sort_f32_4096sq", line_and_room, cub_sort, 0},
    {"bare.cub_sort_pairs_f32_4096sq", line_and_indices, cub_sort_pairs, 0},
#endif
    {"sort.f32_4096sq", line, sort, 0},
    {"sort.argsort_f32_4096sq", line, argsort, 0},
    {"sort.f32_axis1_4096x4096", square, sort_axis1, 0},
    {"sort.f32_axis0_4096x4096", square, sort_axis0, 0},
    {"sort.argsort_f32_axis1_4096x4096", square, argsort_axis1, 0},
    {"sort.f32_axis1_1e6x16", short_rows, sort_axis1, 1.28e8},
    {"sort.f64_4096sq", line_f64, sort, 0},
    {"sort.i32_4096sq", line_i32, sort, 0},
    {"sort.u8_4096sq", line_u8, sort, 0},
    {"sort.partition_k100", line, partition, 0},
    {"sort.topk_k100", line, topk, 0},
    {"sort.topk_k10", line, topk_of_line, 6.71e7},
    {"sort.topk_k10_axis1_4096x4096", square, topk_of_rows, 6.71e7},
    {"sort.unique_i32_4096sq", line_i32_million, unique, 0},
    {"sort.unique_full_i32_4096sq", line_i32, unique, 0},
    {"sort.unique_inverse_i32_4096sq", line_i32_million, unique_inverse, 0},
    {"sort.unique_axis0_1e6x10", rows_of_ten, unique_axis0, 0},
    {"sort.lexsort_2x1e6", two_keys, lexsort, 0},
    {"sort.searchsorted_1e7_in_1e6", line_to_search, searchsorted, 0},
    {"sort.interp_1e7_in_1e4", line_and_samples, interp, 0},
    {"sort.isin_1e7_of_1e4", values_and_members, isin, 0},
    {NULL, NULL, NULL, 0},
};
