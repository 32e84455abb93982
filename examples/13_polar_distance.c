/*
 * 13_polar_distance.c: a kernel of one's own with a function of its own: the distance of points that are given
 * in polar coordinates.
 *
 *     13_polar_distance [SIZE]
 *
 * The kernel's text says what is computed of one element; shapes, dtypes and the device are gnd's business, and so
 * is compiling: by NVRTC on a GPU, by the system's C++ compiler on the CPU, once, and kept on disk for
 * the next process. The same in operators, fused, is there to compare with.
 */
#include "example.h"

#include <stdio.h>

enum { RUNS = 20 };

/* Functions that the kernel calls. */
static const char *const preamble =
    "template <class T> __device__ void polar_to_cartesian(T rho, T theta, T *x, T *y) {\n"
    "    *x = rho * cos(theta);\n"
    "    *y = rho * sin(theta);\n"
    "}\n";
static const char *const body = "T x1, y1, x2, y2;\n"
                                "polar_to_cartesian(rho1, theta1, &x1, &y1);\n"
                                "polar_to_cartesian(rho2, theta2, &x2, &y2);\n"
                                "distance = sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));";

static gnd_array *square_of_difference(const gnd_array *a, const gnd_array *b) {
    return gnd_square(gnd_subtract(a, b));
}

/* The same in operators: one launch, but one sine and cosine after the other. */
static gnd_array *by_operators(gnd_array *const p[4]) {
    gnd_array *result = NULL;
    GND_FUSE {
        gnd_array *across = square_of_difference(gnd_multiply(p[0], gnd_cos(p[1])),
                                                 gnd_multiply(p[2], gnd_cos(p[3])));
        gnd_array *up = square_of_difference(gnd_multiply(p[0], gnd_sin(p[1])),
                                             gnd_multiply(p[2], gnd_sin(p[3])));
        result = gnd_keep(gnd_sqrt(gnd_add(across, up)));
    }
    return result;
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 10000000, 1000000);
    example_title("The distance of points in polar coordinates");
    gnd_kernel *kernel =
        gnd_kernel_elementwise("T rho1, T theta1, T rho2, T theta2", "T distance", body,
                               "polar_distance", &(gnd_kernel_options){.preamble = preamble});
    gnd_check();
    GND_SCOPE {
        gnd_array *p[4];
        for (int k = 0; k < 4; k++) /* radii in [0, 1), angles in [0, 2 pi) */
            p[k] = gnd_random_uniform(gnd_random_default(), 0, k % 2 ? 6.283185307179586 : 1.0,
                                      GND_SHAPE(n), GND_FLOAT32);
        double start = example_clock();
        gnd_array *distance = gnd_kernel_call(kernel, GND_ARGS(p[0], p[1], p[2], p[3]));
        printf("%-34s %12.4f ms\n", "kernel, first call", example_clock() - start);

        start = example_clock();
        for (int run = 0; run < RUNS; run++)
            gnd_release(gnd_kernel_call(kernel, GND_ARGS(p[0], p[1], p[2], p[3])));
        printf("%-34s %12.4f ms\n", "kernel", (example_clock() - start) / RUNS);

        gnd_array *same = by_operators(p);
        start = example_clock();
        for (int run = 0; run < RUNS; run++) gnd_release(by_operators(p));
        printf("%-34s %12.4f ms\n", "operators, fused", (example_clock() - start) / RUNS);

        const double most = example_difference(distance, same);
        example_check(most < 1e-5, "the kernel and the operators disagree");
        printf(
            "\n%lld pairs, float32; their mean distance is %.4f, and kernel and operators differ\n"
            "by %.1e of the largest at most.\n",
            (long long)n, gnd_item_double(gnd_mean(distance, GND_ALL)), most);

        /* The type variable T is what the arguments are: float64 compiles a second kernel. */
        gnd_array *one = gnd_kernel_call(kernel, GND_ARGS(gnd_astype(p[0], GND_FLOAT64), 0, 1, 0));
        example_check(gnd_dtype_of(one) == GND_FLOAT64, "T is float64 for float64 arguments");
    }
    gnd_kernel_release(kernel);
    gnd_check();
    printf("Run it a second time: the first call finds what was compiled on disk.\n");
    return 0;
}
