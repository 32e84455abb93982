/*
 * rows.c: transfers, small calls and elementwise workloads, by name. `bytes` counts each input read once and each
 * output written once, and is what the floor comes from.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands ------------------------------------------------------------------------------- */

static void every_other(operands *o) {
    bench_replace(&o->x, gnd_slice(o->x, "::2"));
    bench_replace(&o->y, gnd_slice(o->y, "::2"));
}
static void second_transposed(operands *o) {
    bench_replace(&o->y, gnd_transpose(o->y));
}
static void host_memory(operands *o, bool pinned) {
    o->pinned = pinned, o->host_bytes = (size_t)gnd_nbytes(o->x);
    o->host = pinned ? gnd_pinned_alloc(o->host_bytes) : malloc(o->host_bytes);
    if (o->host) memset(o->host, 7, o->host_bytes);
}
static void pinned_memory(operands *o) {
    host_memory(o, true);
}
static void pageable_memory(operands *o) {
    host_memory(o, false);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(add, gnd_add(o->x, o->y))
BENCH_RUN(slice, gnd_slice(o->x, "10:900"))
BENCH_RUN(empty, gnd_empty(GND_SHAPE(o->n[0]), GND_FLOAT32))
BENCH_RUN(sum, gnd_sum(o->x, GND_ALL))
BENCH_RUN(exponential, gnd_exp(o->x))
BENCH_RUN(add_scalar, gnd_add(o->x, o->p[0]))
BENCH_RUN(where, gnd_where(o->x, o->y, o->z))
BENCH_RUN(cast_f64, gnd_astype(o->x, GND_FLOAT64))
BENCH_RUN(square_by_mul, gnd_multiply(o->x, o->x))
BENCH_RUN(twice, gnd_add(o->x, o->x))

static void add_into(operands *o) {
    gnd_add_into(o->z, o->x, o->y);
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
    {"xfer.h2d_pinned_1GiB", pinned_memory, host_to_device, 0, "uint8[2^30]=0"},
    {"xfer.d2h_pinned_1GiB", pinned_memory, device_to_host, 0, "uint8[2^30]=0"},
    {"xfer.h2d_pageable_1GiB", pageable_memory, host_to_device, 0, "uint8[2^30]=0"},
    {"xfer.d2h_pageable_1GiB", pageable_memory, device_to_host, 0, "uint8[2^30]=0"},

    {"small.add_1k", NULL, add, 0, "float32[1000] float32[1000]"},
    {"small.add_out_1k", NULL, add_into, 0, "float32[1000] float32[1000] float32[1000]"},
    {"small.sum_1k", NULL, sum, 0, "float32[1000]"},
    {"small.slice_1k", NULL, slice, 0, "float32[1000]"},
    {"small.empty_1k", NULL, empty, 0, "1000"},

    {"ew.add_f32_1e8", NULL, add, 12e8, "float32[1e8] float32[1e8]"},
    {"ew.exp_f32_1e8", NULL, exponential, 8e8, "float32[1e8]"},
    {"ew.add_scalar_f32_1e8", NULL, add_scalar, 8e8, "float32[1e8] =2.5"},
    {"ew.where_f32_1e8", NULL, where, 13e8, "bool[1e8] float32[1e8] float32[1e8]"},
    {"ew.cast_f32_f64_1e8", NULL, cast_f64, 12e8, "float32[1e8]"},
    {"ew.strided2_f32_5e7", every_other, add, 10e8, "float32[1e8] float32[1e8]"},
    {"ew.add_transposed_1e8", second_transposed, add, 12e8, "float32[1e4,1e4] float32[1e4,1e4]"},
    {"ew.copy_transposed_1e8", NULL, copy_transposed, 8e8, "float32[1e4,1e4]"},
    {"ew.bcast_row_1e8", NULL, add, 8e8, "float32[1e4,1e4] float32[1,1e4]"},
    {"ew.bcast_col_1e8", NULL, add, 8e8, "float32[1e4,1e4] float32[1e4,1]"},
    {"ew.outer_add_1e8", NULL, add, 4e8, "float32[1,1e4] float32[1e4,1]"},
    {"ew.add_mixed_f32_f64_1e8", NULL, add, 20e8, "float32[1e8] float64[1e8]"},
    {"ew.mul_c64_5e7", NULL, square_by_mul, 8e8, "complex64[5e7]"},
    {"ew.add_f16_1e8", NULL, twice, 4e8, "float16[1e8]"},
    {0},
};
