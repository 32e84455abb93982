/*
 * rows_index.c: indexing, counting, joining and convolution, by name. Arrays are float32 and random in
 * [0, 1) unless a name says otherwise; `bytes` counts each input read once and each output written
 * once, and what an expression makes in between.
 */
#include "bench.h"

#define N BENCH_N
#define SIDE BENCH_SIDE
#define TENTH (N / 10)

/* ---- operands ------------------------------------------------------------------------------- */

/* int64 in [0, high). */
static gnd_array *indices(int64_t n, int64_t high) {
    gnd_array *x = bench_random(GND_SHAPE(n), GND_FLOAT64), *result = NULL;
    GND_SCOPE {
        result = gnd_keep(gnd_astype(gnd_multiply(x, (double)high), GND_INT64));
    }
    gnd_release(x);
    return result;
}
static void line(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void tenth(operands *o) {
    o->x = bench_random(GND_SHAPE(TENTH), GND_FLOAT32);
}
static void matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void line_and_indices(operands *o) {
    line(o);
    o->y = indices(TENTH, N);
}
static void line_indices_and_values(operands *o) {
    line_and_indices(o);
    o->z = bench_random(GND_SHAPE(TENTH), GND_FLOAT32);
}
static void rows_and_indices(operands *o) {
    o->x = bench_random(GND_SHAPE(1000000, 100), GND_FLOAT32);
    o->y = indices(1000000, 1000000);
}
static void square_and_permutation(operands *o) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 1);
    o->x = bench_random(GND_SHAPE(4096, 4096), GND_FLOAT32);
    o->y = gnd_random_permutation(g, 4096, 0);
    gnd_random_release(g);
}
static void matrix_and_columns(operands *o) {
    matrix(o);
    gnd_array *flat = indices(N, SIDE);
    o->y = gnd_reshape(flat, GND_SHAPE(SIDE, SIDE));
    gnd_release(flat);
}
static void line_and_mask(operands *o) {
    line(o);
    o->y = gnd_greater(o->x, 0.5);
}
static void thousand_values(operands *o) {
    o->x = indices(TENTH, 1000);
}
static void two_halves(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 2), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(N / 2), GND_FLOAT32);
}
static void short_line(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE), GND_FLOAT32);
}
static void tenth_and_taps(operands *o) {
    tenth(o);
    o->y = bench_random(GND_SHAPE(101), GND_FLOAT32);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(take, gnd_get(o->x, GND_INDICES(o->y)))
BENCH_RUN(take_along_axis, gnd_take_along_axis(o->x, o->y, GND_AXES(1)))
BENCH_RUN(bincount, gnd_bincount(o->x, GND_NONE, 0))
BENCH_RUN(tile, gnd_tile(o->x, GND_SHAPE(SIDE)))
BENCH_RUN(repeat, gnd_repeat(o->x, 10, 0))
BENCH_RUN(roll, gnd_roll(o->x, 12345, GND_ALL))
BENCH_RUN(tril, gnd_tril(o->x, 0))
BENCH_RUN(convolve, gnd_convolve(o->x, o->y, GND_FULL))

/* x[x > 0.5] and nonzero(x > 0.5): the comparison counts. */
static void mask(operands *o) {
    gnd_array *where = gnd_greater(o->x, 0.5);
    gnd_release(gnd_get(o->x, GND_INDICES(where)));
    gnd_release(where);
}
static void nonzero(operands *o) {
    gnd_array *where = gnd_greater(o->x, 0.5), *indices;
    gnd_nonzero(where, &indices);
    gnd_release(indices);
    gnd_release(where);
}
static void set(operands *o) {
    gnd_set(o->x, GND_INDICES(o->y), o->z);
}
static void set_mask(operands *o) {
    gnd_set(o->x, GND_INDICES(o->y), 1.0);
}
static void histogram_of(operands *o, int64_t bins) {
    gnd_array *edges;
    gnd_release(gnd_histogram(o->x, bins, NULL, &edges));
    gnd_release(edges);
}
static void histogram_100(operands *o) {
    histogram_of(o, 100);
}
static void histogram_1000(operands *o) {
    histogram_of(o, 1000);
}
static void concatenate(operands *o) {
    gnd_release(gnd_concatenate(2, (const gnd_array *const[]){o->x, o->y}, 0));
}
static void pad(operands *o) {
    gnd_pad_options options = {.mode = GND_PAD_REFLECT};
    gnd_release(gnd_pad(o->x, GND_PAD_WIDTH(16), &options));
}

const bench_row bench_rows_index[] = {
    {"ix.take_1e7_of_1e8", line_and_indices, take, 0},
    {"ix.take_rows_1e6_of_1e6x100", rows_and_indices, take, 8.08e8},
    {"ix.take_rows_4096x4096", square_and_permutation, take, 1.342e8},
    {"ix.take_along_axis1_1e4x1e4", matrix_and_columns, take_along_axis, 1.6e9},
    {"ix.mask_1e8", line, mask, 1.2e9},
    {"ix.nonzero_1e8", line, nonzero, 1e9},
    {"ix.put_1e7_of_1e8", line_indices_and_values, set, 0},
    {"ix.set_mask_1e8", line_and_mask, set_mask, 5e8},
    {"ix.bincount_1e7_1000", thousand_values, bincount, 8e7},
    {"ix.histogram_1e7_100", tenth, histogram_100, 8e7},
    {"ix.histogram_1e7_1000", tenth, histogram_1000, 8e7},

    {"join.concatenate_2x5e7", two_halves, concatenate, 8e8},
    {"join.tile_1e4_x1e4", short_line, tile, 4e8},
    {"join.repeat_1e7_x10", tenth, repeat, 4.4e8},
    {"join.pad_reflect_1e4x1e4", matrix, pad, 8e8},
    {"join.roll_1e8", line, roll, 8e8},
    {"join.tril_1e4x1e4", matrix, tril, 6e8},
    {"sig.convolve_1e7_101", tenth_and_taps, convolve, 8e7},
    {NULL, NULL, NULL, 0},
};
