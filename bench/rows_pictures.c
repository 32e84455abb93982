/*
 * rows_pictures.c: pictures of 4096 x 4096: components of noise, whose elements are set with probability 0.4 or 0.6,
 * and sums over 200 labels, at random or of blocks of 290 x 290 elements.
 */
#include "bench.h"

#define SIDE bench_size(4096)

/* ---- components ----------------------------------------------------------------------------- */

static void noise(operands *o, double share) {
    gnd_array *x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    o->x = gnd_less(x, share);
    gnd_release(x);
}
static void noise_40(operands *o) {
    noise(o, 0.4);
}
static void noise_60(operands *o) {
    noise(o, 0.6);
}
static void label(operands *o) {
    int64_t count;
    gnd_release(gnd_label(o->x, NULL, &count));
}
BENCH_RUN(label_alone, gnd_label(o->x, NULL, NULL))

/* ---- sums over labels ----------------------------------------------------------------------- */

static void random_labels(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    GND_SCOPE {
        o->y = gnd_keep(gnd_astype(gnd_multiply(bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32), 200), GND_INT32));
        o->z = gnd_keep(gnd_arange(0, 200, 1, GND_INT64));
    }
}
static void block_labels(operands *o) {
    random_labels(o);
    GND_SCOPE {
        const gnd_array *along = gnd_floor_divide(gnd_arange(0, SIDE, 1, GND_INT32), 290);
        const gnd_array *rows = gnd_multiply(gnd_slice(along, ":, None"), 14);
        gnd_release(o->y);
        o->y = gnd_keep(gnd_astype(gnd_add(rows, along), GND_INT32));
    }
}
BENCH_RUN(sum_labels, gnd_sum_labels(o->x, o->y, o->z))
BENCH_RUN(mean_labels, gnd_mean_labels(o->x, o->y, o->z))
BENCH_RUN(center_of_mass, gnd_center_of_mass(o->x, o->y, o->z))

#define PIXELS 16777216.

const bench_row bench_rows_pictures[] = {
    {"ndi.label_4096_p40", noise_40, label, 5 * PIXELS},
    {"ndi.label_4096_p60", noise_60, label, 5 * PIXELS},
    {"ndi.label_alone_4096_p60", noise_60, label_alone, 5 * PIXELS},
    {"ndi.sum_labels_4096_200", random_labels, sum_labels, 8 * PIXELS},
    {"ndi.sum_labels_4096_blocks", block_labels, sum_labels, 8 * PIXELS},
    {"ndi.mean_labels_4096_200", random_labels, mean_labels, 8 * PIXELS},
    {"ndi.center_of_mass_4096_200", random_labels, center_of_mass, 8 * PIXELS},
    {"ndi.center_of_mass_4096_blocks", block_labels, center_of_mass, 8 * PIXELS},
    {NULL, NULL, NULL, 0},
};
