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

/* ---- workloads ------------------------------------------------------------------------------ */

#ifdef GNDB_WITH_CUDA
static void line_and_room(operands *o) {
    line(o);
    o->y = gnd_zeros(GND_SHAPE(SQUARE), GND_FLOAT32);
}
static void line_and_places(operands *o) {
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

const bench_row bench_rows_sort[] = {
#ifdef GNDB_WITH_CUDA
    {"bare.cub_sort_f32_4096sq", line_and_room, cub_sort, 0},
    {"bare.cub_sort_pairs_f32_4096sq", line_and_places, cub_sort_pairs, 0},
#endif
    {NULL, NULL, NULL, 0},
};
