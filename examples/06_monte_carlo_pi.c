/*
 * 06_monte_carlo_pi.c: pi from random points: of those in a square, pi / 4 lie in the circle's quarter.
 *
 *     06_monte_carlo_pi [POINTS]
 *
 * Each point is independent of the others, which is what a GPU is made for. The numbers are a function of seed
 * and index alone, so that CPU and GPU draw the same points. In a GND_FUSE block coordinates, distances
 * and the count are one program, and no coordinate is ever written to memory.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* How many of the next n points of a generator lie within the circle. */
static int64_t count_inside(gnd_random *generator, int64_t n) {
    gnd_array *count = NULL;
    int64_t result = 0;
    GND_SCOPE {
        GND_FUSE {
            gnd_array *x = gnd_random_random(generator, GND_SHAPE(n), GND_FLOAT32);
            gnd_array *y = gnd_random_random(generator, GND_SHAPE(n), GND_FLOAT32);
            gnd_array *squares = gnd_add(gnd_square(x), gnd_square(y));
            count = gnd_keep(gnd_sum(gnd_less(squares, 1), GND_ALL));
        }
        result = gnd_item_int(count);
    }
    return result;
}

/* Draws up to `most` points, ten times as many from line to line; gives how many were inside in all. */
static int64_t draw(int64_t most, gnd_random *generator, bool show) {
    int64_t inside = 0, points = 0;
    if (show) printf("%12s %12s %12s %16s\n", "points", "pi", "error", "to be expected");
    for (int64_t n = most < 1000 ? most : 1000; points < most; n = 9 * points) {
        if (n > most - points) n = most - points;
        inside += count_inside(generator, n);
        points += n;
        /* Each point is inside with the chance pi / 4; that is the root of the variance of 4 times their mean. */
        const double found = 4 * (double)inside / (double)points;
        const double expected = sqrt(pi * (4 - pi) / (double)points);
        if (show) printf("%12lld %12.7f %12.7f %16.7f\n", (long long)points, found, fabs(found - pi), expected);
        if (points == most) example_check(fabs(found - pi) < 5 * expected, "that is not pi");
    }
    return inside;
}

/* ---- how long it takes ---- */

enum { FUSED, LINES };
static const char *const names[LINES] = {"all points"};

typedef struct job {
    gnd_random *generator;
    int64_t points;
} job;
static void run(void *context) {
    const job *j = context;
    count_inside(j->generator, j->points);
}

int main(int argc, char **argv) {
    const int64_t points = example_size(argc, argv, 1000000000, 20000000);
    example_title("Pi from random points");
    double ms[2][LINES];
    int64_t inside[2];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        gnd_random *generator = gnd_random_new(GND_PHILOX, 2026);
        inside[d] = draw(points, generator, d == 0);
        ms[d][FUSED] = example_time(run, &(job){generator, points});
        gnd_random_release(generator);
        gnd_check();
        printf("%s%lld of %lld points are inside on the %s\n", d ? "" : "\n", (long long)inside[d], (long long)points,
               d ? "GPU" : "CPU");
    }
    if (with == 2) example_check(inside[0] == inside[1], "the devices drew different points");
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the errors: a hundred times the points, and a tenth of the error. %.2f billion\n"
           "points a second here.\n",
           1e-6 * (double)points / ms[with - 1][FUSED]);
    if (with == 2) printf("Look at the counts: CPU and GPU found the very same points.\n");
    return 0;
}
