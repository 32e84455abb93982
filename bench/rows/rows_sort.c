/*
 * rows_sort.c: sorting, searching and sets, by name, and CUB's own sort beside them.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#endif

static void sorted_first(operands *o) {
    bench_replace(&o->x, gnd_sort(o->x, GND_ALL, GND_ASCENDING));
}
static void sorted_second(operands *o) {
    bench_replace(&o->y, gnd_sort(o->y, GND_ALL, GND_ASCENDING));
}

#ifdef GNDB_WITH_CUDA
static void numbers(operands *o) {
    bench_replace(&o->z, gnd_arange(0, gnd_size(o->x), 1, GND_INT32));
}
static void cub_sort(operands *o) {
    gndb_cub_sort(gnd_data(o->x), gnd_data(o->y), gnd_size(o->x), gnd_stream_native(gnd_current_stream()));
}
static void cub_sort_pairs(operands *o) {
    gndb_cub_sort_pairs(gnd_data(o->x), gnd_data(o->y), gnd_data(o->z), gnd_data(o->out), gnd_size(o->x),
                        gnd_stream_native(gnd_current_stream()));
}
#endif

BENCH_RUN(sort, gnd_sort(o->x, GND_ALL, GND_ASCENDING))
BENCH_RUN(sort_axis1, gnd_sort(o->x, GND_AXES(1), GND_ASCENDING))
BENCH_RUN(sort_axis0, gnd_sort(o->x, GND_AXES(0), GND_ASCENDING))
BENCH_RUN(argsort, gnd_argsort(o->x, GND_ALL, GND_ASCENDING))
BENCH_RUN(argsort_axis1, gnd_argsort(o->x, GND_AXES(1), GND_ASCENDING))
BENCH_RUN(merge, gnd_merge(o->x, o->y, GND_ASCENDING))
BENCH_RUN(partition, gnd_partition(o->x, GND_KTH((int64_t)o->p[0]), GND_ALL))
BENCH_RUN(lexsort, gnd_lexsort(GND_ARGS(o->x, o->y), GND_ALL))
BENCH_RUN(searchsorted, gnd_searchsorted(o->x, o->y, GND_LEFT, GND_NONE))
BENCH_RUN(unique, gnd_unique(o->x, GND_ALL, NULL))
BENCH_RUN(unique_axis0, gnd_unique(o->x, GND_AXES(0), NULL))
BENCH_RUN(interp, gnd_interp(o->x, o->y, o->z, NULL))
BENCH_RUN(isin, gnd_isin(o->x, o->y, false, GND_ISIN_AUTO))

static void sorted_both(operands *o) {
    sorted_first(o), sorted_second(o);
}
static void topk(operands *o) {
    gnd_array *values, *where;
    gnd_topk(&values, &where, o->x, (int64_t)o->p[0], GND_ALL, GND_DESCENDING);
    gnd_release(values), gnd_release(where);
}
static void topk_of_rows(operands *o) {
    gnd_array *values, *where;
    gnd_topk(&values, &where, o->x, (int64_t)o->p[0], GND_AXES(1), GND_DESCENDING);
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
    {"bare.cub_sort_f32_4096sq", NULL, cub_sort, 0, "float32[2^24] float32[2^24]=0"},
    {"bare.cub_sort_pairs_f32_4096sq", numbers, cub_sort_pairs, 0,
     "float32[2^24] float32[2^24]=0 int32[2^24]=0 int32[2^24]=0"},
#endif
    {"sort.f32_4096sq", NULL, sort, 0, "float32[2^24]"},
    {"sort.argsort_f32_4096sq", NULL, argsort, 0, "float32[2^24]"},
    {"sort.f32_axis1_4096x4096", NULL, sort_axis1, 0, "float32[4096,4096]"},
    {"sort.f32_axis0_4096x4096", NULL, sort_axis0, 0, "float32[4096,4096]"},
    {"sort.argsort_f32_axis1_4096x4096", NULL, argsort_axis1, 0, "float32[4096,4096]"},
    {"sort.f32_axis1_1e6x16", NULL, sort_axis1, 1.28e8, "float32[1e6,16]"},
    {"sort.f64_4096sq", NULL, sort, 0, "float64[2^24]"},
    {"sort.i32_4096sq", NULL, sort, 0, "int32[2^24]<2^31"},
    {"sort.u8_4096sq", NULL, sort, 0, "uint8[2^24]<256"},
    {"sort.merge_f32_1e8", sorted_both, merge, 1.6e9, "float32[1e8] float32[1e8]"},
    {"sort.partition_k100", NULL, partition, 0, "float32[2^24] =100"},
    {"sort.topk_k100", NULL, topk, 0, "float32[2^24] =100"},
    {"sort.topk_k10", NULL, topk, 6.71e7, "float32[2^24] =10"},
    {"sort.topk_k10_axis1_4096x4096", NULL, topk_of_rows, 6.71e7, "float32[4096,4096] =10"},
    {"sort.unique_i32_4096sq", NULL, unique, 0, "int32[2^24]<1e6"},
    {"sort.unique_full_i32_4096sq", NULL, unique, 0, "int32[2^24]<2^31"},
    {"sort.unique_inverse_i32_4096sq", NULL, unique_inverse, 0, "int32[2^24]<1e6"},
    {"sort.unique_axis0_1e6x10", NULL, unique_axis0, 0, "int32[1e6,10]<4"},
    {"sort.lexsort_2x1e6", NULL, lexsort, 0, "float32[1e6]<1000 float32[1e6]"},
    {"sort.searchsorted_1e7_in_1e6", sorted_first, searchsorted, 0, "float32[1e6] float32[1e7]"},
    {"sort.interp_1e7_in_1e4", sorted_second, interp, 0, "float32[1e7] float32[1e4] float32[1e4]"},
    {"sort.isin_1e7_of_1e4", NULL, isin, 0, "int32[1e7]<1e6 int32[1e4]<1e6"},
    {0},
};
