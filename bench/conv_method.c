/*
 * conv_method.c: measures from how many taps on a convolution by Fourier transforms is quicker than a direct one, on
 * the current device, and prints the table that gnd_choose_conv_method goes by.
 *
 *     GND_DEVICE=cpu GND_NUM_THREADS=1 conv_method "one thread" [LARGEST] >src/convolve/method_cpu.h
 *     GND_DEVICE=gpu conv_method >src/convolve/method_gpu.h
 *
 * For each dtype, lines and squares, and results of 2^6, 2^8 ... 2^LARGEST elements (without a number 2^24; what is
 * not measured is as the last one): both ways are timed with more or with fewer taps until the other one is quicker,
 * the least of several repetitions each (on a CPU the processor's time, so one thread). The crossing lies between the
 * last two numbers of taps. What is given on the command line is noted beside the date and the device. With
 * GND_BENCH_SMALL=1 in the environment sizes end at 2^10: a test that it runs.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <gnd.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST = 6, STEP = 2, SIZES = 10 };

static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};

/* Taps along an axis that are tried: about 1.4 times as many each time. */
static const int widths[] = {2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 896, 1280};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* ---- time ----------------------------------------------------------------------------------- */

/* Seconds: of the processor, which others may use at the same time, or after the GPU is done. */
static double now(void) {
    const bool gpu = gnd_current_device().kind == GND_GPU;
    struct timespec t;
    gnd_sync();
    clock_gettime(gpu ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of a call: the least of repetitions of at least a fifth of a millisecond, for some hundredths of a second. */
static double seconds(const gnd_array *x, const gnd_array *k, gnd_convolve_method method) {
    double least = INFINITY;
    int64_t calls = 1;
    gnd_release(gnd_convolve_nd(x, k, GND_FULL, method)); /* plans and loads kernels */
    for (double all = 0; all < 0.03;) {
        const double start = now();
        for (int64_t i = 0; i < calls; i++) gnd_release(gnd_convolve_nd(x, k, GND_FULL, method));
        const double took = now() - start;
        if (gnd_error()) {
            fprintf(stderr, "conv_method: %s\n", gnd_error()->message);
            exit(1);
        }
        if (took < 2e-4) {
            calls *= 2;
            continue;
        }
        least = fmin(least, took / (double)calls), all += took;
    }
    return least;
}

/* ---- the table ------------------------------------------------------------------------------ */

static gnd_array *noise(gnd_shape shape, gnd_dtype dtype) {
    gnd_array *wide = gnd_random_uniform(gnd_random_default(), -1, 1, shape, GND_FLOAT32);
    gnd_array *cast = gnd_astype(wide, dtype);
    gnd_release(wide);
    return cast;
}

/* A try: taps along an axis, taps, and how much longer the direct way takes for a result of 2^log_size elements. */
typedef struct trial {
    double taps, ratio;
} trial;

static trial attempt(gnd_dtype dtype, int axes, int log_size, int width) {
    const int64_t n = ((int64_t)1 << log_size / axes) - width + 1;
    gnd_array *x = noise(axes == 1 ? GND_SHAPE(n) : GND_SHAPE(n, n), dtype);
    gnd_array *k = noise(axes == 1 ? GND_SHAPE(width) : GND_SHAPE(width, width), dtype);
    const double direct = seconds(x, k, GND_CONVOLVE_DIRECT), fft = seconds(x, k, GND_CONVOLVE_FFT);
    gnd_release(x), gnd_release(k);
    const trial t = {axes == 1 ? width : (double)width * width, direct / fft};
    fprintf(stderr, "%s, %d axes, 2^%d elements, %.0f taps: %.3f\n", gnd_dtype_name(dtype), axes, log_size, t.taps,
            t.ratio);
    return t;
}

/* The taps at which both take as long, sought from widths[*start] on up or down. Where one way is quicker for all, the
   direct one's time is taken to grow with the taps, so that the last ratio says where they would meet. */
static double crossing(gnd_dtype dtype, int axes, int log_size, int *start) {
    int most = 0, i = *start;
    while (most + 1 < WIDTHS && 2 * widths[most + 1] <= (int64_t)1 << log_size / axes) most++;
    if (i > most) i = most;
    trial last = attempt(dtype, axes, log_size, widths[i]);
    const int step = last.ratio < 1 ? 1 : -1;
    for (i += step; i >= 0 && i <= most; i += step) {
        const trial before = last;
        last = attempt(dtype, axes, log_size, widths[i]);
        if ((last.ratio < 1) == (before.ratio < 1)) continue;
        *start = i;
        return before.taps * pow(last.taps / before.taps, log(before.ratio) / log(before.ratio / last.ratio));
    }
    *start = i - step;
    return last.taps / last.ratio;
}

static void print_rows(int sizes) {
    for (int d = 0; d < 4; d++) {
        printf("    /* %s */\n    {{", gnd_dtype_name(dtypes[d]));
        for (int axes = 1; axes <= 2; axes++) {
            double taps = 0;
            int start = WIDTHS / 2;
            for (int i = 0; i < SIZES; i++) {
                if (i < sizes) taps = crossing(dtypes[d], axes, FIRST + i * STEP, &start);
                printf("%.4g%s", taps, i + 1 < SIZES ? ", " : axes == 1 ? "},\n     {" : "}},\n");
            }
        }
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    const char *small = getenv("GND_BENCH_SMALL");
    const bool is_small = small && *small && strcmp(small, "0") != 0;
    const char *name = gnd_current_device().kind == GND_GPU ? "gpu" : "cpu";
    gnd_device_properties properties;
    gnd_device_properties_of(gnd_current_device(), &properties);
    gnd_check();
    char date[16];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("/*\n * method_%s.h: written by bench/conv_method.c, not by hand. See method.h.\n *\n"
           " * Measured %s on %s%s%s.\n */\n// clang-format off\n"
           "static const gndi_method_table method_%s = {{\n",
           name, date, properties.name, argc > 1 ? ", " : "", argc > 1 ? argv[1] : "", name);
    const int largest = is_small ? 10 : argc > 2 ? atoi(argv[2]) : FIRST + (SIZES - 1) * STEP;
    print_rows((largest - FIRST) / STEP + 1);
    printf("}};\n// clang-format on\n");
    return 0;
}
