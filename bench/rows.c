/*
 * rows.c: transfers, small calls and elementwise workloads, by name. Arrays are float32 and random
 * in [0, 1) unless a name says otherwise; `bytes` counts each input read once and each output
 * written once, and is what the floor comes from.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define N BENCH_N
#define SIDE BENCH_SIDE
#define GIB (INT64_C(1) << 30)

/* ---- operands ------------------------------------------------------------------------------- */

static void small_operands(operands *o) {
    o->x = bench_random(GND_SHAPE(1000), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(1000), GND_FLOAT32);
    o->out = gnd_empty(GND_SHAPE(1000), GND_FLOAT32);
}
static void one_f32(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void one_f16(operands *o) {
    o->x = bench_random(GND_SHAPE(N), GND_FLOAT16);
}
static void one_c64(operands *o) {
    o->x = bench_random(GND_SHAPE(N / 2), GND_COMPLEX64);
}
static void two_f32(operands *o) {
    one_f32(o);
    o->y = bench_random(GND_SHAPE(N), GND_FLOAT32);
}
static void two_mixed(operands *o) {
    one_f32(o);
    o->y = bench_random(GND_SHAPE(N), GND_FLOAT64);
}
static void mask_and_two(operands *o) {
    two_f32(o);
    o->z = gnd_greater(o->x, 0.5);
}
static void every_other(operands *o) {
    gnd_array *x = bench_random(GND_SHAPE(N), GND_FLOAT32);
    gnd_array *y = bench_random(GND_SHAPE(N), GND_FLOAT32);
    o->x = gnd_slice(x, "::2"), o->y = gnd_slice(y, "::2");
    gnd_release(x), gnd_release(y);
}
static void matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void matrix_and_transposed(operands *o) {
    gnd_array *y = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    matrix(o);
    o->y = gnd_transpose(y);
    gnd_release(y);
}
static void matrix_and_row(operands *o) {
    matrix(o);
    o->y = bench_random(GND_SHAPE(1, SIDE), GND_FLOAT32);
}
static void matrix_and_column(operands *o) {
    matrix(o);
    o->y = bench_random(GND_SHAPE(SIDE, 1), GND_FLOAT32);
}
static void row_and_column(operands *o) {
    o->x = bench_random(GND_SHAPE(1, SIDE), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(SIDE, 1), GND_FLOAT32);
}
static void gibibyte(operands *o, bool pinned) {
    o->pinned = pinned, o->host_bytes = GIB;
    o->host = pinned ? gnd_pinned_alloc(GIB) : malloc(GIB);
    if (o->host) memset(o->host, 7, GIB);
    o->x = gnd_zeros(GND_SHAPE(GIB), GND_UINT8);
}
static void gibibyte_pinned(operands *o) {
    gibibyte(o, true);
}
static void gibibyte_pageable(operands *o) {
    gibibyte(o, false);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(add, gnd_add(o->x, o->y))
BENCH_RUN(slice, gnd_slice(o->x, "10:900"))
BENCH_RUN(empty, (o = o, gnd_empty(GND_SHAPE(1000), GND_FLOAT32)))
BENCH_RUN(sum, gnd_sum(o->x, GND_ALL))
BENCH_RUN(exponential, gnd_exp(o->x))
BENCH_RUN(add_scalar, gnd_add(o->x, 2.5))
BENCH_RUN(where, gnd_where(o->z, o->x, o->y))
BENCH_RUN(cast_f64, gnd_astype(o->x, GND_FLOAT64))
BENCH_RUN(square_by_mul, gnd_multiply(o->x, o->x))
BENCH_RUN(twice, gnd_add(o->x, o->x))

static void add_into(operands *o) {
    gnd_add_into(o->out, o->x, o->y);
}
static void copy_transposed(operands *o) {
    gnd_array *t = gnd_transpose(o->x);
    gnd_release(gnd_ascontiguous(t));
    gnd_release(t);
}
static void host_to_device(operands *o) {
    if (o->pinned)
        gnd_copy_from_host_async(o->x, o->host, o->host_bytes);
    else
        gnd_copy_from_host(o->x, o->host, o->host_bytes);
}
static void device_to_host(operands *o) {
    if (o->pinned)
        gnd_to_host_async(o->x, o->host, o->host_bytes);
    else
        gnd_to_host(o->x, o->host, o->host_bytes);
}

const bench_row bench_rows_elementwise[] = {
    {"xfer.h2d_pinned_1GiB", gibibyte_pinned, host_to_device, 0},
    {"xfer.d2h_pinned_1GiB", gibibyte_pinned, device_to_host, 0},
    {"xfer.h2d_pageable_1GiB", gibibyte_pageable, host_to_device, 0},
    {"xfer.d2h_pageable_1GiB", gibibyte_pageable, device_to_host, 0},

    {"small.add_1k", small_operands, add, 0},
    {"small.add_out_1k", small_operands, add_into, 0},
    {"small.sum_1k", small_operands, sum, 0},
    {"small.slice_1k", small_operands, slice, 0},
    {"small.empty_1k", small_operands, empty, 0},

    {"ew.add_f32_1e8", two_f32, add, 12e8},
    {"ew.exp_f32_1e8", one_f32, exponential, 8e8},
    {"ew.add_scalar_f32_1e8", one_f32, add_scalar, 8e8},
    {"ew.where_f32_1e8", mask_and_two, where, 13e8},
    {"ew.cast_f32_f64_1e8", one_f32, cast_f64, 12e8},
    {"ew.strided2_f32_5e7", every_other, add, 10e8},
    {"ew.add_transposed_1e8", matrix_and_transposed, add, 12e8},
    {"ew.copy_transposed_1e8", matrix, copy_transposed, 8e8},
    {"ew.bcast_row_1e8", matrix_and_row, add, 8e8},
    {"ew.bcast_col_1e8", matrix_and_column, add, 8e8},
    {"ew.outer_add_1e8", row_and_column, add, 4e8},
    {"ew.add_mixed_f32_f64_1e8", two_mixed, add, 20e8},
    {"ew.mul_c64_5e7", one_c64, square_by_mul, 8e8},
    {"ew.add_f16_1e8", one_f16, twice, 4e8},
    {NULL, NULL, NULL, 0},
};
