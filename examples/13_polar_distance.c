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
        gnd_array *across = square_of_difference(gnd_multiply(p[0], gnd_cos(p[1])), gnd_multiply(p[2], gnd_cos(p[3])));
        gnd_array *up = square_of_difference(gnd_multiply(p[0], gnd_sin(p[1])), gnd_multiply(p[2], gnd_sin(p[3])));
        result = gnd_keep(gnd_sqrt(gnd_add(across, up)));
    }
    return result;
}

enum { FIRST, KERNEL, OPERATORS, LINES };
static const char *const names[LINES] = {"kernel, first call", "kernel", "operators, fused"};

/* Radii and angles of two points each, and the kernel. */
typedef struct job {
    gnd_kernel *kernel;
    gnd_array *p[4];
} job;
static void run_kernel(void *context) {
    const job *j = context;
    gnd_kernel_call(j->kernel, GND_ARGS(j->p[0], j->p[1], j->p[2], j->p[3]));
}
static void run_operators(void *context) {
    const job *j = context;
    by_operators(j->p);
}

static void measure(gnd_kernel *kernel, int64_t n, double ms[LINES]) {
    GND_SCOPE {
        job j = {.kernel = kernel};
        gnd_random_seed(gnd_random_default(), 13);
        for (int k = 0; k < 4; k++) /* radii in [0, 1), angles in [0, 2 pi) */
            j.p[k] =
                gnd_random_uniform(gnd_random_default(), 0, k % 2 ? 6.283185307179586 : 1.0, GND_SHAPE(n), GND_FLOAT32);
        const double start = example_clock();
        gnd_array *distance = gnd_kernel_call(kernel, GND_ARGS(j.p[0], j.p[1], j.p[2], j.p[3]));
        ms[FIRST] = example_clock() - start;
        ms[KERNEL] = example_time(run_kernel, &j);
        ms[OPERATORS] = example_time(run_operators, &j);

        const double most = example_difference(distance, by_operators(j.p));
        example_check(most < 1e-5, "the kernel and the operators disagree");
        printf("mean distance on the %s: %.4f; kernel and operators differ by %.1e at most\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", gnd_item_double(gnd_mean(distance, GND_ALL)),
               most);

        /* The type variable T is what the arguments are: float64 compiles a second kernel. */
        gnd_array *wide = gnd_astype(gnd_slice(j.p[0], ":10"), GND_FLOAT64);
        gnd_array *from_one = gnd_kernel_call(kernel, GND_ARGS(wide, 0, 1, 0));
        example_check(gnd_dtype_of(from_one) == GND_FLOAT64, "T is float64 for float64 arguments");
        example_check(example_difference(from_one, gnd_subtract(1, wide)) < 1e-15,
                      "points on one ray are as far apart as their radii");
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 10000000, 1000000);
    example_title("The distance of points in polar coordinates");
    gnd_kernel *kernel = gnd_kernel_elementwise("T rho1, T theta1, T rho2, T theta2", "T distance", body,
                                                "polar_distance", &(gnd_kernel_options){.preamble = preamble});
    gnd_check();
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(kernel, n, ms[d]);
    gnd_kernel_release(kernel);
    printf("\n%lld pairs, float32:\n", (long long)n);
    example_table(LINES, names, ms[0]);
    printf("\nLook at the first line, and run it a second time: the first call finds what was\n"
           "compiled on disk. Look at the others: the CPU's operators have sines for vectors of\n"
           "numbers, and win; on a GPU the kernel does, until operators that run often are\n"
           "compiled as well.\n");
    return 0;
}
