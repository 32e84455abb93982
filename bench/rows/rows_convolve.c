/*
 * rows_convolve.c: convolution of images and lines, and filters by order, by name: float32, unless the name says
 * otherwise. Parameters are the sizes of windows, and a rank.
 */
#include "bench.h"

#define WIDTH (int64_t) o->p[0]

BENCH_RUN(convolve2d, gnd_convolve2d(o->x, o->y, GND_SAME, NULL))
BENCH_RUN(convolve2d_full, gnd_convolve2d(o->x, o->y, GND_FULL, NULL))
BENCH_RUN(correlate2d, gnd_correlate2d(o->x, o->y, GND_SAME, NULL))
BENCH_RUN(convolve_auto, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_AUTO))
BENCH_RUN(convolve1d2o, gnd_convolve1d2o(o->x, o->y))
BENCH_RUN(sepfir2d, gnd_sepfir2d(o->x, o->y, o->y))
BENCH_RUN(fftconvolve, gnd_fftconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(fftconvolve_same, gnd_fftconvolve(o->x, o->y, GND_SAME, GND_ALL))
BENCH_RUN(oaconvolve, gnd_oaconvolve(o->x, o->y, GND_FULL, GND_ALL))
BENCH_RUN(oaconvolve_same, gnd_oaconvolve(o->x, o->y, GND_SAME, GND_ALL))
BENCH_RUN(direct, gnd_convolve_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_DIRECT))
BENCH_RUN(correlate_direct, gnd_correlate_nd(o->x, o->y, GND_SAME, GND_CONVOLVE_DIRECT))
BENCH_RUN(wiener2d, gnd_wiener(o->x, GND_SHAPE(WIDTH, WIDTH), GND_NONE))
BENCH_RUN(wiener, gnd_wiener(o->x, GND_SHAPE(WIDTH), GND_NONE))
BENCH_RUN(medfilt, gnd_medfilt(o->x, GND_SHAPE(WIDTH)))
BENCH_RUN(medfilt2d, gnd_medfilt2d(o->x, GND_SHAPE(WIDTH, WIDTH)))
BENCH_RUN(order_filter, gnd_order_filter(o->x, o->y, (int64_t)o->p[0]))

#define IMAGE(taps) "float32[4096,4096] float32[=" #taps ",=" #taps "]"

const bench_row bench_rows_convolve[] = {
    {"convolve.2d_2048x2048_15x15", NULL, convolve2d, 2 * 4. * 2048 * 2048, "float32[2048,2048] float32[=15,=15]"},
    {"convolve.2d_f64_2048x2048_15x15", NULL, convolve2d, 2 * 8. * 2048 * 2048, "float64[2048,2048] float64[=15,=15]"},
    {"convolve.2d_4096x4096_5x5", NULL, convolve2d, 2 * 4. * 4096 * 4096, IMAGE(5)},
    {"convolve.2d_4096x4096_31x31", NULL, convolve2d, 2 * 4. * 4096 * 4096, IMAGE(31)},
    {"convolve.auto_4096x4096_31x31", NULL, convolve_auto, 2 * 4. * 4096 * 4096, IMAGE(31)},
    {"convolve.2d_f64_1e4x1e4_5x5", NULL, convolve2d_full, 2 * 8. * 1e8, "float64[1e4,1e4] float64[=5,=5]"},
    {"convolve.correlate2d_4096x4096_15x15", NULL, correlate2d, 2 * 4. * 4096 * 4096, IMAGE(15)},
    {"convolve.sepfir2d_4096x4096_9", NULL, sepfir2d, 4 * 4. * 4096 * 4096, "float32[4096,4096] float32[=9]"},
    {"convolve.fftconvolve_4096x4096_64x64", NULL, fftconvolve_same, 2 * 4. * 4096 * 4096, IMAGE(64)},
    {"convolve.oaconvolve_4096x4096_64x64", NULL, oaconvolve_same, 2 * 4. * 4096 * 4096, IMAGE(64)},
    {"convolve.fftconvolve_1e7_1001", NULL, fftconvolve, 8e7, "float32[1e7] float32[=1001]"},
    {"convolve.oaconvolve_1e7_1001", NULL, oaconvolve, 8e7, "float32[1e7] float32[=1001]"},
    {"convolve.auto_1e7_64", NULL, convolve_auto, 8e7, "float32[1e7] float32[=64]"},
    {"convolve.direct_1e7_64", NULL, direct, 8e7, "float32[1e7] float32[=64]"},
    {"convolve.correlate_direct_1e7_128", NULL, correlate_direct, 8e7, "float32[1e7] float32[=128]"},
    {"convolve.wiener_2048x2048_5", NULL, wiener2d, 12. * 2048 * 2048, "float32[2048,2048] =5"},
    {"convolve.wiener_1e7_3", NULL, wiener, 12e7, "float32[1e7] =3"},
    {"convolve.medfilt_1e7_5", NULL, medfilt, 8e7, "float32[1e7] =5"},
    {"convolve.medfilt2d_2048x2048_3x3", NULL, medfilt2d, 2 * 4. * 2048 * 2048, "float32[2048,2048] =3"},
    {"convolve.order_filter_2048x2048_5x5_r3", NULL, order_filter, 2 * 4. * 2048 * 2048,
     "float32[2048,2048] float32[=5,=5]=1 =3"},
    {"convolve.1d2o_1e6_16x16", NULL, convolve1d2o, 2 * 4. * 1e6, "float32[1e6] float32[=16,=16]"},
    {0},
};
