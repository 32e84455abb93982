/*
 * 16_matmul.c: one product of two square matrices, and what fewer bits buy: float64, float32, TF32,
 * bfloat16 and float16.
 *
 *     16_matmul [SIZE]
 *
 * A GPU's tensor cores multiply small blocks of matrices at once, in formats of few bits, and add up in
 * float32. TF32 is float32 whose factors are rounded to 10 bits on the way in; gnd does that only where
 * gnd_allow_tf32 says so.
 */
#include "example.h"

#include <stdio.h>

enum { RUNS = 5 };

/* The product in a dtype, its time, and its error against the product in float64. */
static void product(const char *name, const gnd_array *a, const gnd_array *b, gnd_dtype dtype,
                    const gnd_array *exact, double tolerance) {
    GND_SCOPE {
        gnd_array *x = gnd_astype(a, dtype), *y = gnd_astype(b, dtype);
        gnd_array *c = gnd_matmul(x, y); /* to warm up, and to look at */
        double best = 1e30;
        for (int run = 0; run < RUNS; run++) {
            const double start = example_clock();
            gnd_release(gnd_matmul(x, y));
            const double took = example_clock() - start;
            if (took < best) best = took;
        }
        const double n = (double)gnd_dim(a, 0), error = example_difference(c, exact);
        gnd_check();
        printf("%-10s %12.3f %12.2f %14.1e\n", name, best, 2 * n * n * n / (1e9 * best), error);
        example_check(error <= tolerance, "the product is less accurate than its dtype is");
    }
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 4096, 1024);
    example_title("The product of two random square matrices");
    printf("%lld x %lld\n\n", (long long)n, (long long)n);
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(n, n), 3), *b = example_random(GND_SHAPE(n, n), 4);
        gnd_array *exact = gnd_matmul(gnd_astype(a, GND_FLOAT64), gnd_astype(b, GND_FLOAT64));

        printf("%-10s %12s %12s %14s\n", "", "ms", "TFLOP/s", "largest error");
        product("float64", a, b, GND_FLOAT64, exact, 1e-12);
        product("float32", a, b, GND_FLOAT32, exact, 1e-4);
        gnd_allow_tf32(true);
        product("TF32", a, b, GND_FLOAT32, exact, 1e-2);
        gnd_allow_tf32(false);
        product("bfloat16", a, b, GND_BFLOAT16, exact, 5e-2);
        product("float16", a, b, GND_FLOAT16, exact, 1e-2);
    }
    gnd_check();

    printf("\nErrors are parts of the largest element of the float64 product.\n"
           "Look at the speed beside the error: float16 keeps about three digits, bfloat16 two.\n");
    if (example_on_gpu())
        printf("Look at TF32: the same arrays as float32, one setting, and the accuracy of "
               "float16.\n");
    else
        printf(
            "A CPU takes no notice of TF32, and has no quick way with 16 bits: they save memory\n"
            "there, and no time. On a GPU they are the quickest.\n");
    return 0;
}
