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

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 512, 512);
    double took[TIMES], found[TIMES];
    example_title("The determinant of a random matrix, five times");

    GND_SCOPE {
        gnd_array *a = matrix(n);
        printf("Loading what does the work:\n");
        if (example_on_gpu()) load("cuBLAS"), load("cuSOLVER");
        if (!example_on_gpu()) load("OpenBLAS");

        printf("\ndet of %lld x %lld:\n", (long long)n, (long long)n);
        for (int i = 0; i < TIMES; i++) {
            const double start = example_clock();
            found[i] = gnd_item_double(gnd_det(a));
            took[i] = example_clock() - start;
            printf("call %d %28.3f ms %16.9g\n", i + 1, took[i], found[i]);
        }

        /* The same by its logarithm, which has room for any matrix. */
        gnd_array *sign, *logarithm;
        gnd_slogdet(&sign, &logarithm, a);
        const double by_logarithm = gnd_item_double(sign) * exp(gnd_item_double(logarithm));
        gnd_check();
        printf("by slogdet %40s %12.9g\n", "", by_logarithm);
        example_check(fabs(by_logarithm - found[0]) <= 1e-3 * fabs(found[0]),
                      "det and slogdet do not agree");
    }
    for (int i = 1; i < TIMES; i++)
        example_check(found[i] == found[0], "the same call gave another result");

    printf(
        "\nLook at the first call: it took %.1f times as long as the last. Nothing is compiled;\n"
        "what it may take longer is for memory, threads and handles, which the others find.\n",
        took[0] / took[TIMES - 1]);
    printf("Look at the values: the same bits every time.\n");
    return 0;
}
