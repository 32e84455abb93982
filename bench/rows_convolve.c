/*
 * rows_convolve.c: convolution of images and lines, and filters by order, by name: float32, unless the name says
 * otherwise.
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

#define LINE(name, taps)                                                                                               \
    static void name(operands *o) {                                                                                    \
        o->x = bench_random(GND_SHAPE(S(10000000)), GND_FLOAT32);                                                      \
        o->y = bench_random(GND_SHAPE(taps), GND_FLOAT32);                                                             \
    }
LINE(line_64, 64)
LINE(line_128, 128)
LINE(line_1001, 1001)
IMAGE(image4096_64, 4096, 64, GND_FLOAT32)

static void line(operands *o) {
    o->x = bench_random(GND_SHAPE(S(10000000)), GND_FLOAT32);
}
static void image2048(operands *o) {
    o->x = bench_random(GND_SHAPE(S(2048), S(2048)), GND_FLOAT32);
}
static void image2048_domain(operands *o) {
    image2048(o);
    o->y = gnd_ones(GND_SHAPE(5, 5), GND_FLOAT32);
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
BENCH_RUN(fftconvolve, gnd_fftconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(fftconvolve_same, gnd_fftconvolve(o->x, o->y, GND_SAME, GND_ALL))
BENCH_RUN(oaconvolve, gnd_oaconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(oaconvolve_same, gnd_oaconvolve(o->x, o->y, GND_SAME, GND_ALL))
BENCH_RUN(direct, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_DIRECT))
BENCH_RUN(correlate_direct, gnd_correlate_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_DIRECT))
BENCH_RUN(wiener5, gnd_wiener(o->x, GND_SHAPE(5, 5), GND_NONE))
BENCH_RUN(wiener3, gnd_wiener(o->x, GND_SHAPE(3), GND_NONE))
BENCH_RUN(medfilt5, gnd_medfilt(o->x, GND_SHAPE(5)))
BENCH_RUN(medfilt2d, gnd_medfilt2d(o->x, GND_SHAPE(3, 3)))
BENCH_RUN(order_filter3, gnd_order_filter(o->x, o->y, 3))

const bench_row bench_rows_convolve[] = {
    {"convolve.2d_2048x2048_15x15", image2048_15, convolve2d, 2 * 4. * 2048 * 2048},
    {"convolve.2d_f64_2048x2048_15x15", image2048_15_f64, convolve2d, 2 * 8. * 2048 * 2048},
    {"convolve.2d_4096x4096_5x5", image4096_5, convolve2d, 2 * 4. * 4096 * 4096},
    {"convolve.2d_4096x4096_31x31", image4096_31, convolve2d, 2 * 4. * 4096 * 4096},
    {"convolve.auto_4096x4096_31x31", image4096_31, convolve_auto, 2 * 4. * 4096 * 4096},
    {"convolve.2d_f64_1e4x1e4_5x5", image1e4_5, convolve2d_full, 2 * 8. * 1e8},
    {"convolve.correlate2d_4096x4096_15x15", image4096_15, correlate2d, 2 * 4. * 4096 * 4096},
    {"convolve.sepfir2d_4096x4096_9", image_rows_columns, sepfir2d, 4 * 4. * 4096 * 4096},
    {"convolve.fftconvolve_4096x4096_64x64", image4096_64, fftconvolve_same, 2 * 4. * 4096 * 4096},
    {"convolve.oaconvolve_4096x4096_64x64", image4096_64, oaconvolve_same, 2 * 4. * 4096 * 4096},
    {"convolve.fftconvolve_1e7_1001", line_1001, fftconvolve, 8e7},
    {"convolve.oaconvolve_1e7_1001", line_1001, oaconvolve, 8e7},
    {"convolve.auto_1e7_64", line_64, convolve_auto, 8e7},
    {"convolve.direct_1e7_64", line_64, direct, 8e7},
    {"convolve.correlate_direct_1e7_128", line_128, correlate_direct, 8e7},
    {"convolve.wiener_2048x2048_5", image2048, wiener5, 12. * 2048 * 2048},
    {"convolve.wiener_1e7_3", line, wiener3, 12e7},
    {"convolve.medfilt_1e7_5", line, medfilt5, 8e7},
    {"convolve.medfilt2d_2048x2048_3x3", image2048, medfilt2d, 2 * 4. * 2048 * 2048},
    {"convolve.order_filter_2048x2048_5x5_r3", image2048_domain, order_filter3, 2 * 4. * 2048 * 2048},
    {"convolve.1d2o_1e6_16x16", line_matrix, convolve1d2o, 2 * 4. * 1e6},
    {NULL, NULL, NULL, 0},
};
