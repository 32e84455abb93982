/*
 * 19_det.c: a determinant, five times. Does the first call cost more?
 *
 *     19_det [SIZE]
 *
 * Libraries that compile their kernels when they are first called make the first result wait for the
 * compiler: seconds, for one determinant. gnd's kernels are compiled when gnd is. What is left is to
 * load the library that does the work, once a process; here it is loaded before, and timed by itself.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 5 };

/* Numbers around 0 with a variance of e / n: the determinant is then of the order of 1. That of plain
   random numbers grows as the square root of n!, and soon fits no floating-point type. */
static gnd_array *matrix(int64_t n) {
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *x = example_random(GND_SHAPE(n, n), 2);
        result = gnd_keep(gnd_multiply(x, sqrt(3 * exp(1.0) / (double)n)));
    }
    return result;
}

static void load(const char *library) {
    const double start = example_clock();
    gnd_library_load(library);
    printf("%-24s %10.3f ms\n", library, example_clock() - start);
}

/* The determinant five times on the current device; gives its value. */
static double measure(int64_t n) {
    const bool on_gpu = gnd_current_device().kind == GND_GPU;
    double took[TIMES], found[TIMES] = {0};
    printf("%s, what does the work:\n", on_gpu ? "\nGPU" : "CPU");
    if (on_gpu) load("cuBLAS"), load("cuSOLVER");
    if (!on_gpu) load("OpenBLAS");
    GND_SCOPE {
        gnd_array *a = matrix(n);
        for (int i = 0; i < TIMES; i++) {
            const double start = example_clock();
            found[i] = gnd_item_double(gnd_det(a));
            took[i] = example_clock() - start;
            printf("det, call %d %23.3f ms %16.9g\n", i + 1, took[i], found[i]);
        }

        /* The same by its logarithm, which has room for any matrix. */
        gnd_array *sign, *logarithm;
        gnd_slogdet(&sign, &logarithm, a);
        const double by_logarithm = gnd_item_double(sign) * exp(gnd_item_double(logarithm));
        gnd_check();
        printf("by slogdet %44.9g\n", by_logarithm);
        example_check(fabs(by_logarithm - found[0]) <= 1e-3 * fabs(found[0]), "det and slogdet do not agree");
    }
    for (int i = 1; i < TIMES; i++) example_check(found[i] == found[0], "the same call gave another result");
    printf("the first call took %.1f times as long as the last\n", took[0] / took[TIMES - 1]);
    return found[0];
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 512, 512);
    example_title("The determinant of a random matrix, five times");
    printf("%lld x %lld, float32\n\n", (long long)n, (long long)n);
    gnd_device devices[2];
    const int with = example_devices(devices);
    double value[2];
    for (int d = 0; d < with; d++) gnd_use(devices[d]), value[d] = measure(n);
    if (with == 2) example_check(fabs(value[0] - value[1]) <= 1e-2 * fabs(value[0]), "the devices disagree");

    printf("\nLook at the first call: nothing is compiled in it. What it takes longer is for\n"
           "memory, threads and handles, which the others find. Look at the values: the same\n"
           "bits every time.\n");
    return 0;
}
