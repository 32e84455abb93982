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

typedef struct job {
    const gnd_array *a, *b;
} job;
static void multiply(void *context) {
    const job *j = context;
    gnd_matmul(j->a, j->b);
}

/* The product in a dtype, its time, and its error against the product in float64. */
static void product(const char *name, const gnd_array *a, const gnd_array *b, gnd_dtype dtype, const gnd_array *exact,
                    double tolerance) {
    GND_SCOPE {
        gnd_array *x = gnd_astype(a, dtype), *y = gnd_astype(b, dtype);
        const double took = example_time(multiply, &(job){x, y});
        const double n = (double)gnd_dim(a, 0), error = example_difference(gnd_matmul(x, y), exact);
        gnd_check();
        printf("%-10s %12.3f %12.3f %14.1e\n", name, took, 2 * n * n * n / (1e9 * took), error);
        example_check(error <= tolerance, "the product is less accurate than its dtype is");
    }
}

/* All dtypes on the current device. */
static void products(int64_t n) {
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(n, n), 3), *b = example_random(GND_SHAPE(n, n), 4);
        gnd_array *exact = gnd_matmul(gnd_astype(a, GND_FLOAT64), gnd_astype(b, GND_FLOAT64));
        printf("%-10s %12s %12s %14s\n", gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", "ms", "TFLOP/s",
               "largest error");
        product("float64", a, b, GND_FLOAT64, exact, 1e-12);
        product("float32", a, b, GND_FLOAT32, exact, 1e-4);
        gnd_allow_tf32(true);
        product("TF32", a, b, GND_FLOAT32, exact, 1e-2);
        gnd_allow_tf32(false);
        product("bfloat16", a, b, GND_BFLOAT16, exact, 5e-2);
        product("float16", a, b, GND_FLOAT16, exact, 1e-2);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 4096, 1024);
    example_title("The product of two random square matrices");
    printf("%lld x %lld\n", (long long)n, (long long)n);
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), printf("\n"), products(n);

    printf("\nErrors are parts of the largest element of the float64 product. Look at the\n"
           "speed beside the error: float16 keeps about three digits, bfloat16 two. A CPU\n"
           "takes no notice of TF32, and has no quick way with 16 bits: they save memory\n"
           "there, and no time.\n");
    if (with == 2)
        printf("Look at the GPU's TF32: the same arrays as float32, one setting, and the accuracy of\n"
               "float16.\n");
    return 0;
}
