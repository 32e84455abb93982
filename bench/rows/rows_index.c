/*
 * rows_index.c: indexing, counting, joining and convolution, by name. `bytes` counts each input read once and each
 * output written once, and what an expression makes in between.
 */
#include "bench.h"

static void permutation(operands *o) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 1);
    o->y = gnd_random_permutation(g, gnd_dim(o->x, 0), 0);
    gnd_random_release(g);
}

BENCH_RUN(take, gnd_get(o->x, GND_INDICES(o->y)))
BENCH_RUN(take_along_axis, gnd_take_along_axis(o->x, o->y, GND_AXES(1)))
BENCH_RUN(bincount, gnd_bincount(o->x, GND_NONE, 0))
BENCH_RUN(tile, gnd_tile(o->x, GND_SHAPE(o->n[0])))
BENCH_RUN(repeat, gnd_repeat(o->x, (int64_t)o->p[0], 0))
BENCH_RUN(roll, gnd_roll(o->x, (int64_t)o->p[0], GND_ALL))
BENCH_RUN(tril, gnd_tril(o->x, 0))
BENCH_RUN(convolve, gnd_convolve(o->x, o->y, GND_FULL))

/* x[x > p] and nonzero(x > p): the comparison counts. */
static void mask(operands *o) {
    gnd_array *where = gnd_greater(o->x, o->p[0]);
    gnd_release(gnd_get(o->x, GND_INDICES(where)));
    gnd_release(where);
}
static void nonzero(operands *o) {
    gnd_array *where = gnd_greater(o->x, o->p[0]), *indices;
    gnd_nonzero(where, &indices);
    gnd_release(indices);
    gnd_release(where);
}
static void set(operands *o) {
    gnd_set(o->x, GND_INDICES(o->y), o->z);
}
static void set_mask(operands *o) {
    gnd_set(o->x, GND_INDICES(o->y), o->p[0]);
}
static void histogram(operands *o) {
    gnd_array *edges;
    gnd_release(gnd_histogram(o->x, (int64_t)o->p[0], NULL, &edges));
    gnd_release(edges);
}
static void concatenate(operands *o) {
    gnd_release(gnd_concatenate(2, (const gnd_array *const[]){o->x, o->y}, 0));
}
static void pad(operands *o) {
    gnd_pad_options options = {.mode = GND_PAD_REFLECT};
    gnd_release(gnd_pad(o->x, GND_PAD_WIDTH((int64_t)o->p[0]), &options));
}

const bench_row bench_rows_index[] = {
    {"ix.take_1e7_of_1e8", NULL, take, 0, "float32[1e8] int64[1e7]<1e8"},
    {"ix.take_rows_1e6_of_1e6x100", NULL, take, 8.08e8, "float32[1e6,100] int64[1e6]<1e6"},
    {"ix.take_rows_4096x4096", permutation, take, 1.342e8, "float32[4096,4096]"},
    {"ix.take_along_axis1_1e4x1e4", NULL, take_along_axis, 1.6e9, "float32[1e4,1e4] int64[1e4,1e4]<1e4"},
    {"ix.mask_1e8", NULL, mask, 1.2e9, "float32[1e8] =0.5"},
    {"ix.nonzero_1e8", NULL, nonzero, 1e9, "float32[1e8] =0.5"},
    {"ix.put_1e7_of_1e8", NULL, set, 0, "float32[1e8] int64[1e7]<1e8 float32[1e7]"},
    {"ix.set_mask_1e8", NULL, set_mask, 5e8, "float32[1e8] bool[1e8] =1"},
    {"ix.bincount_1e7_1000", NULL, bincount, 8e7, "int64[1e7]<1000"},
    {"ix.histogram_1e7_100", NULL, histogram, 8e7, "float32[1e7] =100"},
    {"ix.histogram_1e7_1000", NULL, histogram, 8e7, "float32[1e7] =1000"},

    {"join.concatenate_2x5e7", NULL, concatenate, 8e8, "float32[5e7] float32[5e7]"},
    {"join.tile_1e4_x1e4", NULL, tile, 4e8, "float32[1e4] 1e4"},
    {"join.repeat_1e7_x10", NULL, repeat, 4.4e8, "float32[1e7] =10"},
    {"join.pad_reflect_1e4x1e4", NULL, pad, 8e8, "float32[1e4,1e4] =16"},
    {"join.roll_1e8", NULL, roll, 8e8, "float32[1e8] =12345"},
    {"join.tril_1e4x1e4", NULL, tril, 6e8, "float32[1e4,1e4]"},
    {"sig.convolve_1e7_101", NULL, convolve, 8e7, "float32[1e7] float32[101]"},
    {0},
};
