/*
 * example.c: see example.h.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double example_clock(void) {
    gnd_sync();
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Knuth's linear congruential generator; its upper 24 bits are a float's. */
void example_fill(float *numbers, int64_t count, unsigned seed) {
    uint64_t state = 88172645463325252u + seed;
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = (float)(state >> 40) * 0x1p-23f - 1;
    }
}

gnd_array *example_random(gnd_shape shape, unsigned seed) {
    int64_t count = 1;
    for (int i = 0; i < shape.ndim; i++) count *= shape.dim[i];
    float *numbers = malloc((size_t)count * sizeof *numbers);
    example_check(numbers != NULL, "no memory on the host");
    example_fill(numbers, count, seed);
    gnd_array *result = gnd_from_host(numbers, shape, GND_FLOAT32);
    free(numbers);
    return result;
}

bool example_on_gpu(void) {
    return gnd_current_device().kind == GND_GPU;
}

int64_t example_size(int argc, char **argv, int64_t on_gpu, int64_t on_cpu) {
    const int64_t given = argc > 1 ? atoll(argv[1]) : 0;
    if (argc > 1 && given < 1) {
        fprintf(stderr, "usage: %s [SIZE]\n", argv[0]);
        exit(2);
    }
    return given ? given : example_on_gpu() ? on_gpu : on_cpu;
}

void example_title(const char *title) {
    gnd_device_properties properties;
    gnd_device_properties_of(gnd_current_device(), &properties);
    gnd_check();
    printf("%s\non %s\n\n", title, properties.name);
}

double example_largest(const gnd_array *x) {
    double result = 0;
    GND_SCOPE {
        gnd_array *wide = gnd_astype(x, GND_FLOAT64);
        result = gnd_item_double(gnd_max(gnd_abs(wide), GND_ALL));
    }
    return result;
}

double example_difference(const gnd_array *x, const gnd_array *y) {
    double result = 0;
    GND_SCOPE {
        gnd_array *wide = gnd_astype(x, GND_FLOAT64);
        result = example_largest(gnd_subtract(wide, y)) / example_largest(y);
    }
    return result;
}

void example_check(bool right, const char *sentence) {
    if (right) return;
    fprintf(stderr, "wrong: %s\n", sentence);
    exit(1);
}
