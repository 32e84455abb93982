/*
 * rows.c: the workloads of the benchmark, by name. Arrays are float32 and random in [0, 1) unless a
 * name says otherwise; `bytes` counts each input read once and each output written once, and is
 * what the floor comes from.
 */
#include "bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N INT64_C(100000000)
#define SIDE INT64_C(10000)
#define GIB (INT64_C(1) << 30)

/* ---- operands ------------------------------------------------------------------------------- */

/* Uniform numbers from a small multiplicative generator: what is timed must not be all zeros. */
static gnd_array *random_array(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *host = malloc((size_t)n * sizeof *host);
    if (!host) return NULL;
    uint64_t state = 88172645463325252u;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        host[i] = (float)(state >> 40) * 0x1p-24f;
    }
    gnd_array *a = gnd_from_host(host, shape, GND_FLOAT32);
    free(host);
    if (dtype == GND_FLOAT32 || !a) return a;
    gnd_array *cast = gnd_astype(a, dtype);
    gnd_release(a);
    return cast;
}

static void small_operands(operands *o) {
    o->x = random_array(GND_SHAPE(1000), GND_FLOAT32);
    o->y = random_array(GND_SHAPE(1000), GND_FLOAT32);
    o->out = gnd_empty(GND_SHAPE(1000), GND_FLOAT32);
}
static void one_f32(operands *o) {
    o->x = random_array(GND_SHAPE(N), GND_FLOAT32);
}
static void one_f16(operands *o) {
    o->x = random_array(GND_SHAPE(N), GND_FLOAT16);
}
static void one_c64(operands *o) {
    o->x = random_array(GND_SHAPE(N / 2), GND_COMPLEX64);
}
static void two_f32(operands *o) {
    one_f32(o);
    o->y = random_array(GND_SHAPE(N), GND_FLOAT32);
}
static void two_mixed(operands *o) {
    one_f32(o);
    o->y = random_array(GND_SHAPE(N), GND_FLOAT64);
}
static void mask_and_two(operands *o) {
    two_f32(o);
    o->z = gnd_greater(o->x, 0.5);
}
static void every_other(operands *o) {
    gnd_array *x = random_array(GND_SHAPE(N), GND_FLOAT32);
    gnd_array *y = random_array(GND_SHAPE(N), GND_FLOAT32);
    o->x = gnd_slice(x, "::2"), o->y = gnd_slice(y, "::2");
    gnd_release(x), gnd_release(y);
}
static void matrix(operands *o) {
    o->x = random_array(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}
static void matrix_and_transposed(operands *o) {
    gnd_array *y = random_array(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    matrix(o);
    o->y = gnd_transpose(y);
    gnd_release(y);
}
static void matrix_and_row(operands *o) {
    matrix(o);
    o->y = random_array(GND_SHAPE(1, SIDE), GND_FLOAT32);
}
static void matrix_and_column(operands *o) {
    matrix(o);
    o->y = random_array(GND_SHAPE(SIDE, 1), GND_FLOAT32);
}
static void row_and_column(operands *o) {
    o->x = random_array(GND_SHAPE(1, SIDE), GND_FLOAT32);
    o->y = random_array(GND_SHAPE(SIDE, 1), GND_FLOAT32);
}
static void one_bool(operands *o) {
    o->x = gnd_zeros(GND_SHAPE(N), GND_BOOL);
}
static void deep_200_480_1000(operands *o) {
    o->x = random_array(GND_SHAPE(200, 480, 1000), GND_FLOAT32);
}
static void tall_1e7_10(operands *o) {
    o->x = random_array(GND_SHAPE(N / 10, 10), GND_FLOAT32);
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

#define RUN(name, expression)                                                                      \
    static void name(operands *o) {                                                                \
        gnd_release(expression);                                                                   \
    }

RUN(add, gnd_add(o->x, o->y))
RUN(slice, gnd_slice(o->x, "10:900"))
RUN(empty, (o = o, gnd_empty(GND_SHAPE(1000), GND_FLOAT32)))
RUN(sum, gnd_sum(o->x, GND_ALL))
RUN(mean, gnd_mean(o->x, GND_ALL))
RUN(max, gnd_max(o->x, GND_ALL))
RUN(any_bool, gnd_any(o->x, GND_ALL))
RUN(sum_axis0, gnd_sum(o->x, GND_AXES(0)))
RUN(sum_axis1, gnd_sum(o->x, GND_AXES(1)))
RUN(exponential, gnd_exp(o->x))
RUN(add_scalar, gnd_add(o->x, 2.5))
RUN(where, gnd_where(o->z, o->x, o->y))
RUN(cast_f64, gnd_astype(o->x, GND_FLOAT64))
RUN(square_by_mul, gnd_multiply(o->x, o->x))
RUN(twice, gnd_add(o->x, o->x))

static void add_into(operands *o) {
    gnd_add_into(o->out, o->x, o->y);
}
/* Are there any above 2? None is: the whole of both arrays is read. */
static void any_above(operands *o) {
    gnd_array *mask = gnd_greater(o->x, 2);
    gnd_release(gnd_any(mask, GND_ALL));
    gnd_release(mask);
}
static void copy_transposed(operands *o) {
    gnd_array *t = gnd_transpose(o->x);
    gnd_release(gnd_ascontiguous(t));
    gnd_release(t);
}
static void sqdiff(operands *o) {
    gnd_array *d = gnd_subtract(o->x, o->y);
    gnd_release(gnd_multiply(d, d));
    gnd_release(d);
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

const bench_row bench_rows[] = {
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
    {"fuse.sqdiff_1e8_plain", two_f32, sqdiff, 32e8},

    {"red.sum_1e8", one_f32, sum, 4e8},
    {"red.mean_1e8", one_f32, mean, 4e8},
    {"red.max_1e8", one_f32, max, 4e8},
    {"red.any_1e8", one_f32, any_above, 6e8},
    {"red.any_bool_1e8", one_bool, any_bool, 1e8},
    {"red.sum_axis0_1e4x1e4", matrix, sum_axis0, 4e8},
    {"red.sum_axis1_1e4x1e4", matrix, sum_axis1, 4e8},
    {"red.sum_axis1_200x480x1000", deep_200_480_1000, sum_axis1, 3.848e8},
    {"red.sum_axis1_1e7x10", tall_1e7_10, sum_axis1, 4.4e8},
    {"red.sum_axis0_1e7x10", tall_1e7_10, sum_axis0, 4e8},
    {NULL, NULL, NULL, 0},
};
