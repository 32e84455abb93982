/*
 * example.c: see example.h.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The device that the program started with: what GND_DEVICE says, or the best there is. */
static gnd_device best_device(void) {
    static bool known;
    static gnd_device best;
    if (!known) best = gnd_current_device(), known = true;
    return best;
}

bool example_with_gpu(void) {
    return best_device().kind == GND_GPU;
}

int example_devices(gnd_device devices[2]) {
    devices[0] = gnd_cpu(), devices[1] = best_device();
    return example_with_gpu() ? 2 : 1;
}

void example_title(const char *title) {
    gnd_device devices[2];
    const int count = example_devices(devices);
    printf("%s\n", title);
    for (int d = 0; d < count; d++) {
        gnd_device_properties properties;
        gnd_device_properties_of(devices[d], &properties);
        gnd_check();
        printf("%s %s", d ? ", and" : "on", properties.name);
    }
    printf("\n\n");
}

int64_t example_size(int argc, char **argv, int64_t on_gpu, int64_t on_cpu) {
    if (argc < 2) return example_with_gpu() ? on_gpu : on_cpu;
    char *end;
    const double given = strtod(argv[1], &end);
    if (end == argv[1] || *end || !(given >= 1 && given <= 1e12)) {
        fprintf(stderr, "usage: %s [SIZE]; a size is a number from 1 on, 4096 or 1e6 say\n", argv[0]);
        exit(2);
    }
    return (int64_t)given;
}

const char *example_file(int argc, char **argv) {
    return argc > 2 ? argv[2] : NULL;
}

const char *example_data(int argc, char **argv, const char *name) {
    static char path[256];
    if (argc > 2) return argv[2];
    snprintf(path, sizeof path, "data/%s", name);
    FILE *here = fopen(path, "r");
    if (here) fclose(here);
    if (!here) snprintf(path, sizeof path, "examples/data/%s", name);
    return path;
}

double example_clock(void) {
    gnd_sync();
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* gnd_benchmark, with as many calls in a repetition as make it long enough for a clock. */
double example_time(void (*run)(void *context), void *context) {
    const double enough = 5e-3; /* seconds, for a repetition */
    const gnd_benchmark_options first = {.n_repeat = 1, .n_warmup = 1};
    const double once = gnd_benchmark(run, context, &first).total.min;
    if (once > 0.2) return 1e3 * once;
    const gnd_benchmark_options options = {
        .n_repeat = 7,
        .n_warmup = -1,
        .max_duration = 0.05,
        .n_calls = once < enough / 200 ? 200
                   : once < enough     ? (int64_t)(enough / once) + 1
                                       : 1,
    };
    const gnd_benchmark_result result = gnd_benchmark(run, context, &options);
    gnd_check();
    return 1e3 * result.total.min;
}

/* How many decimals show enough of a time. */
static int decimals(double ms) {
    return ms < 0.001 ? 6 : ms < 0.1 ? 5 : ms < 10 ? 4 : 2;
}

void example_table(int lines, const char *const names[], const double *milliseconds) {
    const bool both = example_with_gpu();
    printf("%-40s %12s", "milliseconds", "CPU");
    if (both) printf(" %12s %12s", "GPU", "CPU / GPU");
    printf("\n");
    for (int i = 0; i < lines; i++) {
        const double cpu = milliseconds[i];
        printf("%-40s %12.*f", names[i], decimals(cpu), cpu);
        const double gpu = both ? milliseconds[lines + i] : NAN;
        if (!isnan(gpu)) printf(" %12.*f %12.2f", decimals(gpu), gpu, cpu / gpu);
        printf("\n");
    }
}

gnd_array *example_random(gnd_shape shape, unsigned seed) {
    gnd_random *generator = gnd_random_new(GND_PHILOX, seed);
    gnd_array *result = gnd_random_uniform(generator, -1, 1, shape, GND_FLOAT32);
    gnd_random_release(generator);
    return result;
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
