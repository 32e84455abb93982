/*
 * rows_convolve.c: convolution of images, by name: float32, unless the name says otherwise.
 */
#include "bench.h"

#define S bench_size

#define IMAGE(name, side, taps, dtype)                                                                                 \
    static void name(operands *o) {                                                                                    \
        o->x = bench_random(GND_SHAPE(S(side), S(side)), dtype);                                                       \
        o->y = bench_random(GND_SHAPE(taps, taps), dtype);                                                             \
    }
IMAGE(image2048_15, 2048, 15, GND_FLOAT32)
IMAGE(image2048_15_f64, 2048, 15, GND_FLOAT64)
IMAGE(image4096_5, 4096, 5, GND_FLOAT32)
IMAGE(image4096_15, 4096, 15, GND_FLOAT32)
IMAGE(image4096_31, 4096, 31, GND_FLOAT32)
IMAGE(image1e4_5, 10000, 5, GND_FLOAT64)

static void image_rows_columns(operands *o) {
    o->x = bench_random(GND_SHAPE(S(4096), S(4096)), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(9), GND_FLOAT32);
}

BENCH_RUN(convolve2d, gnd_convolve2d(o->x, o->y, GND_SAME, NULL))
BENCH_RUN(convolve2d_full, gnd_convolve2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(correlate2d, gnd_correlate2d(o->x, o->y, GND_SAME, NULL))
BENCH_RUN(convolve_auto, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
static void line_matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(S(1000000)), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(16, 16), GND_FLOAT32);
}
BENCH_RUN(convolve1d2o, gnd_convolve1d2o(o->x, o->y))
BENCH_RUN(sepfir2d, gnd_sepfir2d(o->x, o->y, o->y))

const bench_row bench_rows_convolve[] = {
    {"convolve.2d_2048x2048_15x15", image2048_15, convolve2d, 2 * 4. * 2048 * 2048},
    {"convolve.2d_f64_2048x2048_15x15", image2048_15_f64, convolve2d, 2 * 8. * 2048 * 2048},
    {"convolve.2d_4096x4096_5x5", image4096_5, convolve2d, 2 * 4. * 4096 * 4096},
    {"convolve.2d_4096x4096_31x31", image4096_31, convolve2d, 2 * 4. * 4096 * 4096},
    {"convolve.auto_4096x4096_31x31", image4096_31, convolve_auto, 2 * 4. * 4096 * 4096},
    {"convolve.2d_f64_1e4x1e4_5x5", image1e4_5, convolve2d_full, 2 * 8. * 1e8},
    {"convolve.correlate2d_4096x4096_15x15", image4096_15, correlate2d, 2 * 4. * 4096 * 4096},
    {"convolve.sepfir2d_4096x4096_9", image_rows_columns, sepfir2d, 4 * 4. * 4096 * 4096},
    {"convolve.1d2o_1e6_16x16", line_matrix, convolve1d2o, 2 * 4. * 1e6},
    {NULL, NULL, NULL, 0},
};
