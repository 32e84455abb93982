/*
 * 04_gaussian_pdf.c: a formula on a whole array: the density of a normal distribution, first in a loop of
 * C, then as operators on arrays.
 *
 *     04_gaussian_pdf [LENGTH]
 *
 * The density at x, exp(-1/2 ((x - mean) / sigma)^2) / (sigma sqrt(2 pi)), is written once for all x. Each
 * operator goes over the array by itself, on as many threads as the device has.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double mean = 0.1, sigma = 1.3, root_two_pi = 2.5066282746310005;
static const double widest = 6; /* from -6 sigma to 6 sigma about the mean */

/* The formula, an operator a line. */
static gnd_array *density(const gnd_array *x) {
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *t = gnd_divide(gnd_subtract(x, mean), sigma);
        gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(t), -0.5));
        result = gnd_keep(gnd_divide(bell, sigma * root_two_pi));
    }
    return result;
}

/* The same as a loop over numbers in the host's memory: one thread of the CPU. */
typedef struct loop {
    const float *x;
    float *y;
    int64_t count;
} loop;
static void density_loop(void *context) {
    const loop *l = context;
    for (int64_t i = 0; i < l->count; i++) {
        const float t = (l->x[i] - (float)mean) / (float)sigma;
        l->y[i] = expf(-0.5f * t * t) / (float)(sigma * root_two_pi);
    }
}

enum { LOOP, ARRAY32, ARRAY64, LINES };
static const char *const names[LINES] = {"a loop in C, one thread, float32", "operators, float32",
                                         "operators, float64"};

static void density_array(void *x) {
    density(x);
}

/* The area below the curve, by the trapezoid rule; and a picture of it in a few characters. */
static double look_at(const gnd_array *x, const gnd_array *y, bool show) {
    const double area = gnd_item_double(gnd_trapezoid(y, x, -1));
    const int64_t step = gnd_size(y) / 12;
    for (int k = 0; show && k <= 12; k++)
        GND_SCOPE {
            const int64_t i = k < 12 ? k * step : gnd_size(y) - 1;
            const double value = gnd_item_double(gnd_slice(y, "%lld", (long long)i));
            printf("%8.3f %10.6f  %.*s\n", gnd_item_double(gnd_slice(x, "%lld", (long long)i)), value,
                   (int)(120 * value + 0.5), "########################################");
        }
    return area;
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 50000000, 2000000);
    const size_t bytes = (size_t)count * sizeof(float);
    example_title("The density of a normal distribution");
    printf("%lld numbers; mean %.1f, standard deviation %.1f\n\n", (long long)count, mean, sigma);
    float *host_x = malloc(bytes), *host_y = malloc(bytes);
    example_check(host_x && host_y, "no memory on the host");

    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            gnd_array *x64 = gnd_linspace(mean - widest * sigma, mean + widest * sigma, count, true, GND_FLOAT64);
            gnd_array *x = gnd_astype(x64, GND_FLOAT32), *y = density(x);
            if (d == 0) {
                gnd_to_host(x, host_x, bytes);
                ms[0][LOOP] = example_time(density_loop, &(loop){host_x, host_y, count});
            }
            if (d == 1) ms[1][LOOP] = NAN; /* not a matter of the device */
            ms[d][ARRAY32] = example_time(density_array, x);
            ms[d][ARRAY64] = example_time(density_array, x64);

            gnd_array *expected = gnd_from_host(host_y, GND_SHAPE(count), GND_FLOAT32);
            const double error = example_difference(y, expected);
            const double area = look_at(x64, density(x64), d == 0);
            gnd_check();
            printf("%sOn the %s: area %.9f; largest difference from the loop %.1e\n", d ? "" : "\n", d ? "GPU" : "CPU",
                   area, error);
            example_check(error < 1e-6 && fabs(area - 1) < 1e-6, "that is not the density");
        }
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    free(host_x), free(host_y);
    printf("\nLook at the lines: the formula is the same, and nobody wrote a loop or a thread.\n"
           "float64 takes twice the bytes, and twice the time where bytes are what the time\n"
           "goes into. (08_fusion takes the six operators together.)\n");
    return 0;
}
