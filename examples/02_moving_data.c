/*
 * 02_moving_data.c: what moving data costs. The dot product of two vectors of 10^8 numbers, with the vectors
 * on the device, and with their way there counted in.
 *
 *     02_moving_data [LENGTH]
 *
 * A dot product does one multiplication and one addition for every 8 bytes it reads. The GPU reads its
 * own memory some eighty times faster than anything reaches it from the host.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5 };

/* Two vectors in host memory. */
typedef struct vectors {
    float *x, *y;
    int64_t count;
} vectors;

/* The dot product of what is on the host: there, multiply, and the one number back. */
static double from_pageable(const vectors *v) {
    gnd_array *x = gnd_from_host(v->x, GND_SHAPE(v->count), GND_FLOAT32);
    gnd_array *y = gnd_from_host(v->y, GND_SHAPE(v->count), GND_FLOAT32);
    return gnd_item_double(gnd_dot(x, y));
}
/* The same from memory that the GPU may read by itself. */
static double from_pinned(const vectors *v) {
    gnd_array *x = gnd_from_host_async(v->x, GND_SHAPE(v->count), GND_FLOAT32);
    gnd_array *y = gnd_from_host_async(v->y, GND_SHAPE(v->count), GND_FLOAT32);
    return gnd_item_double(gnd_dot(x, y));
}

/* The best time of a way to do it; `result` receives what it found. */
static double best_of(double (*way)(const vectors *), const vectors *v, double *result) {
    double best = 1e30;
    for (int run = 0; run < RUNS; run++)
        GND_SCOPE {
            const double start = example_clock();
            *result = way(v);
            const double took = example_clock() - start;
            if (took < best) best = took;
        }
    return best;
}

static double best_on_device(const vectors *v, double *result) {
    double best = 1e30;
    GND_SCOPE {
        gnd_array *x = gnd_from_host(v->x, GND_SHAPE(v->count), GND_FLOAT32);
        gnd_array *y = gnd_from_host(v->y, GND_SHAPE(v->count), GND_FLOAT32);
        for (int run = -1; run < RUNS; run++) {
            const double start = example_clock();
            gnd_array *sum = gnd_dot(x, y);
            const double took = example_clock() - start;
            if (run >= 0 && took < best) best = took;
            *result = gnd_item_double(sum);
        }
    }
    return best;
}

static void report(const char *how, double ms, int64_t count) {
    gnd_check();
    printf("%-44s %10.3f ms %10.1f GB/s\n", how, ms, 8e-6 * (double)count / ms);
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 100000000, 10000000);
    const gnd_device best = gnd_current_device();
    const size_t bytes = (size_t)count * sizeof(float);
    const vectors pageable = {malloc(bytes), malloc(bytes), count};
    const vectors pinned = {gnd_pinned_alloc(bytes), gnd_pinned_alloc(bytes), count};
    double results[4] = {0};
    gnd_check();
    example_check(pageable.x && pageable.y, "no memory on the host");
    example_fill(pageable.x, count, 5), example_fill(pageable.y, count, 6);
    example_fill(pinned.x, count, 5), example_fill(pinned.y, count, 6);

    example_title("The dot product of two vectors of floats");
    printf("%lld numbers each, %.0f MB together\n\n", (long long)count, 2e-6 * (double)bytes);
    const double device = best_on_device(&pageable, &results[0]);
    report("on the device", device, count);
    const double moved = best_of(from_pinned, &pinned, &results[1]);
    report("from the host, page-locked memory", moved, count);
    report("from the host, ordinary memory", best_of(from_pageable, &pageable, &results[2]), count);
    int ways = 3;
    if (best.kind == GND_GPU) {
        gnd_use(gnd_cpu());
        report("on the CPU, where the vectors were", best_on_device(&pageable, &results[ways++]),
               count);
    }

    printf("\nx . y = %.6g\n", results[0]);
    for (int i = 1; i < ways; i++)
        example_check(fabs(results[i] - results[0]) < 1e-6 * (double)count, "two ways disagree");
    if (best.kind == GND_GPU)
        printf(
            "Look at the first two lines: moving the vectors takes %.0f times as long as working\n"
            "with them. Bring data to a GPU once, and do all that is to be done with them there.\n",
            moved / device);
    else
        printf(
            "Look at the first two lines: here \"moving\" is a copy in memory, and already takes\n"
            "%.1f times as long as the sum alone. To a GPU it goes through a slower bus.\n",
            moved / device);
    free(pageable.x), free(pageable.y);
    gnd_use(best);
    gnd_pinned_free(pinned.x), gnd_pinned_free(pinned.y);
    return 0;
}
