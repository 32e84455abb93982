/*
 * rows_samples.c: raw samples by name: 1e7 complex ones unpacked and packed on the device, and files of 320 MB, in the
 * page cache, read onto it.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT bench_size(10000000)
#define FILE_SAMPLES bench_size(40000000)

static void bytes_of(operands *o, int64_t bytes) {
    o->x = bench_random(GND_SHAPE(bytes / 4), GND_FLOAT32);
}
static void four_bytes(operands *o) {
    bytes_of(o, 4 * COUNT);
}
static void three_bytes(operands *o) {
    bytes_of(o, 3 * COUNT / 12 * 12);
}
static void samples(operands *o) {
    o->x = bench_random(GND_SHAPE(COUNT), GND_COMPLEX64);
}
BENCH_RUN(unpack_16, gnd_unpack_bin(o->x, "ci16_be", NULL))
BENCH_RUN(unpack_12, gnd_unpack_bin(o->x, "ci12_le", NULL))
BENCH_RUN(pack_16, gnd_pack_bin(o->x, "ci16_be", NULL))

/* ---- a file --------------------------------------------------------------------------------- */

static void remove_file(void *path) {
    remove(path);
    free(path);
}
static void file_of(operands *o, const char *datatype, int64_t count) {
    char *path = malloc(64);
    snprintf(path, 64, "/tmp/gnd-bench-%ld", (long)getpid());
    o->stream = path, o->end = remove_file;
    gnd_array *x = bench_random(GND_SHAPE(count), GND_COMPLEX64);
    gnd_write_bin(path, x, datatype, false, NULL);
    gnd_release(x);
}
static void file_float(operands *o) {
    file_of(o, "cf32_le", FILE_SAMPLES);
}
static void file_16(operands *o) {
    file_of(o, "ci16_be", 2 * FILE_SAMPLES);
}
BENCH_RUN(read_float, gnd_read_bin(o->stream, "cf32_le", -1, 0, NULL))
BENCH_RUN(read_16, gnd_read_bin(o->stream, "ci16_be", -1, 0, NULL))

const bench_row bench_rows_samples[] = {
    {"samples.unpack_ci16be_1e7", four_bytes, unpack_16, 12e7},
    {"samples.unpack_ci12_1e7", three_bytes, unpack_12, 11e7},
    {"samples.pack_ci16be_1e7", samples, pack_16, 12e7},
    {"samples.read_cf32_320MB", file_float, read_float, 0},
    {"samples.read_ci16be_320MB", file_16, read_16, 0},
    {NULL, NULL, NULL, 0},
};
