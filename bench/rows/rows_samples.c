/*
 * rows_samples.c: raw samples by name: 1e7 complex ones unpacked and packed on the device, and files of 320 MB, in the
 * page cache, read onto it.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

BENCH_RUN(unpack_16, gnd_unpack_bin(o->x, "ci16_be", NULL))
BENCH_RUN(unpack_12, gnd_unpack_bin(o->x, "ci12_le", NULL))
BENCH_RUN(pack_16, gnd_pack_bin(o->x, "ci16_be", NULL))

/* ---- a file --------------------------------------------------------------------------------- */

static void remove_file(void *path) {
    remove(path);
    free(path);
}
static void file_of(operands *o, const char *datatype) {
    char *path = malloc(64);
    snprintf(path, 64, "/tmp/gnd-bench-%ld", (long)getpid());
    o->stream = path, o->end = remove_file;
    gnd_array *x = bench_random(GND_SHAPE(o->n[0]), GND_COMPLEX64);
    gnd_write_bin(path, x, datatype, false, NULL);
    gnd_release(x);
}
static void file_float(operands *o) {
    file_of(o, "cf32_le");
}
static void file_16(operands *o) {
    file_of(o, "ci16_be");
}
BENCH_RUN(read_float, gnd_read_bin(o->stream, "cf32_le", -1, 0, NULL))
BENCH_RUN(read_16, gnd_read_bin(o->stream, "ci16_be", -1, 0, NULL))

const bench_row bench_rows_samples[] = {
    {"samples.unpack_ci16be_1e7", NULL, unpack_16, 12e7, "float32[1e7]"},
    {"samples.unpack_ci12_1e7", NULL, unpack_12, 11e7, "uint8[=12,2500000]<256"},
    {"samples.pack_ci16be_1e7", NULL, pack_16, 12e7, "complex64[1e7]"},
    {"samples.read_cf32_320MB", file_float, read_float, 0, "4e7"},
    {"samples.read_ci16be_320MB", file_16, read_16, 0, "8e7"},
    {0},
};
