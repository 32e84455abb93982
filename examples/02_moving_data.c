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

enum { THERE, PINNED, PAGEABLE, LINES };
static const char *const names[LINES] = {
    "on the device",
    "from the host, page-locked memory",
    "from the host, ordinary memory",
};

/* Two vectors, on the host and on the device, and the last result. */
typedef struct vectors {
    float *host_x, *host_y;
    gnd_array *x, *y;
    int64_t count;
    double result;
} vectors;

static void there(void *context) {
    vectors *v = context;
    v->result = gnd_item_double(gnd_dot(v->x, v->y));
}
/* The dot product of what is on the host: there, multiply, and the one number back. */
static void from_pageable(void *context) {
    vectors *v = context;
    gnd_array *x = gnd_from_host(v->host_x, GND_SHAPE(v->count), GND_FLOAT32);
    gnd_array *y = gnd_from_host(v->host_y, GND_SHAPE(v->count), GND_FLOAT32);
    v->result = gnd_item_double(gnd_dot(x, y));
}
/* The same from memory that the GPU may read by itself. */
static void from_pinned(void *context) {
    vectors *v = context;
    gnd_array *x = gnd_from_host_async(v->host_x, GND_SHAPE(v->count), GND_FLOAT32);
    gnd_array *y = gnd_from_host_async(v->host_y, GND_SHAPE(v->count), GND_FLOAT32);
    v->result = gnd_item_double(gnd_dot(x, y));
}

/* Times a way on the current device; gives what it found. */
static double measure(void (*way)(void *), vectors v, double *ms) {
    *ms = example_time(way, &v);
    return v.result;
}

/* All ways on the current device. The vectors are random, and the same on each. */
static double measure_all(int64_t count, double ms[LINES]) {
    const size_t bytes = (size_t)count * sizeof(float);
    vectors v = {malloc(bytes), malloc(bytes), NULL, NULL, count, 0};
    vectors pinned = {gnd_pinned_alloc(bytes), gnd_pinned_alloc(bytes), NULL, NULL, count, 0};
    double results[LINES] = {0};
    gnd_check();
    example_check(v.host_x && v.host_y, "no memory on the host");
    GND_SCOPE {
        v.x = gnd_add(example_random(GND_SHAPE(count), 5), 0.5f);
        v.y = gnd_add(example_random(GND_SHAPE(count), 6), 0.5f);
        gnd_to_host(v.x, v.host_x, bytes), gnd_to_host(v.y, v.host_y, bytes);
        gnd_to_host(v.x, pinned.host_x, bytes), gnd_to_host(v.y, pinned.host_y, bytes);
        results[THERE] = measure(there, v, &ms[THERE]);
        results[PINNED] = measure(from_pinned, pinned, &ms[PINNED]);
        results[PAGEABLE] = measure(from_pageable, v, &ms[PAGEABLE]);
    }
    gnd_check();
    for (int i = 1; i < LINES; i++) example_check(results[i] == results[0], "two ways disagree");
    free(v.host_x), free(v.host_y);
    gnd_pinned_free(pinned.host_x), gnd_pinned_free(pinned.host_y);
    return results[0];
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 100000000, 10000000);
    example_title("The dot product of two vectors of floats");
    printf("%lld numbers each, %.0f MB together\n\n", (long long)count, 8e-6 * (double)count);
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const double result = measure_all(count, ms[d]);
        /* Numbers of mean 1/2 each, so that of a product is 1/4. */
        printf("x . y / n = %.6f on the %s\n", result / (double)count, d ? "GPU" : "CPU");
        example_check(fabs(result / (double)count - 0.25) < 5 / sqrt((double)count), "the mean product is not 1/4");
    }
    printf("\n");
    example_table(LINES, names, ms[0]);

    const double *last = ms[with - 1];
    const double rate = 8e-6 * (double)count / last[THERE];
    printf("\nOn the device the numbers are read at %.0f GB/s, and from the host they come at %.0f.\n", rate,
           8e-6 * (double)count / last[PINNED]);
    if (with == 2)
        printf("Look at the GPU's column: moving the vectors takes %.0f times as long as working\n"
               "with them. Bring data to a GPU once, and do all that is to be done with them\n"
               "there.\n",
               last[PINNED] / last[THERE]);
    else
        printf("Look at the first two lines: here \"moving\" is a copy in memory, and already takes\n"
               "%.1f times as long as the sum alone. To a GPU it goes through a slower bus.\n",
               last[PINNED] / last[THERE]);
    return 0;
}
