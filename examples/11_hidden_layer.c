/*
 * 11_hidden_layer.c: a layer of a neural network, tanh(grey / 255 * weight), with a round trip to the host
 * for each step; on the device, from `out` to `out`; and in one launch.
 *
 *     11_hidden_layer [SIZE]
 *
 * Data that stays on the device need not be copied, results that have a place need no memory, and steps
 * that are fused need not go through memory at all.
 */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUND_TRIPS, IN_PLACE, FUSED, LINES };
static const char *const names[LINES] = {"a round trip for each step", "on the device, into arrays", "in one launch"};

/* What the ways below work on: the same numbers on the host and on the device. */
typedef struct layer {
    int64_t n;
    float *host_grey, *host_weight, *host_result;
    gnd_array *grey, *weight, *scaled, *result;
} layer;

/* One step on the host's data: there, and back again. */
static void step(float *to, const float *from, const float *with, int64_t n,
                 gnd_array *(*compute)(gnd_array *, gnd_array *)) {
    GND_SCOPE {
        gnd_array *x = gnd_from_host(from, GND_SHAPE(n), GND_FLOAT32);
        gnd_array *y = with ? gnd_from_host(with, GND_SHAPE(n), GND_FLOAT32) : NULL;
        gnd_to_host(compute(x, y), to, (size_t)n * sizeof *to);
    }
}
static gnd_array *normalise(gnd_array *grey, gnd_array *unused) {
    (void)unused;
    return gnd_divide(grey, 255);
}
static gnd_array *weigh(gnd_array *x, gnd_array *weight) {
    return gnd_multiply(x, weight);
}
static gnd_array *activate(gnd_array *x, gnd_array *unused) {
    (void)unused;
    return gnd_tanh(x);
}

static void round_trips(void *context) {
    layer *l = context;
    step(l->host_result, l->host_grey, NULL, l->n, normalise);
    step(l->host_result, l->host_result, l->host_weight, l->n, weigh);
    step(l->host_result, l->host_result, NULL, l->n, activate);
}

static void in_place(void *context) {
    layer *l = context;
    gnd_divide_into(l->scaled, l->grey, 255);
    gnd_multiply_into(l->scaled, l->scaled, l->weight);
    gnd_tanh_into(l->result, l->scaled);
}

static void fused(void *context) {
    layer *l = context;
    GND_FUSE gnd_tanh_into(l->result, gnd_multiply(gnd_divide(l->grey, 255), l->weight));
}

/* All ways on the current device. What they work on is random, and the same on each. */
static double measure(int64_t n, double ms[LINES]) {
    layer l = {.n = n};
    const size_t bytes = (size_t)n * sizeof(float);
    double mean = 0;
    l.host_grey = malloc(bytes), l.host_weight = malloc(bytes), l.host_result = malloc(bytes);
    example_check(l.host_grey && l.host_weight && l.host_result, "no memory on the host");
    GND_SCOPE {
        gnd_random_seed(gnd_random_default(), 5);
        l.grey = gnd_random_uniform(gnd_random_default(), 0, 256, GND_SHAPE(n), GND_FLOAT32);
        gnd_floor_into(l.grey, l.grey);
        l.weight = gnd_random_normal(gnd_random_default(), 0.5, 0.1, GND_SHAPE(n), GND_FLOAT32);
        l.scaled = gnd_empty(GND_SHAPE(n), GND_FLOAT32);
        l.result = gnd_empty(GND_SHAPE(n), GND_FLOAT32);
        gnd_to_host(l.grey, l.host_grey, bytes), gnd_to_host(l.weight, l.host_weight, bytes);

        ms[ROUND_TRIPS] = example_time(round_trips, &l);
        gnd_array *expected = gnd_from_host(l.host_result, GND_SHAPE(n), GND_FLOAT32);
        ms[IN_PLACE] = example_time(in_place, &l);
        example_check(gnd_allclose(l.result, expected, 1e-6, 1e-6, false), "in place: not the same");
        ms[FUSED] = example_time(fused, &l);
        example_check(gnd_allclose(l.result, expected, 1e-6, 1e-6, false), "fused: not the same");
        mean = gnd_item_double(gnd_mean(l.result, GND_ALL));
    }
    gnd_check();
    free(l.host_grey), free(l.host_weight), free(l.host_result);
    return mean;
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 100000000, 1000000);
    example_title("A hidden layer: tanh(grey / 255 * weight)");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        printf("mean activation on the %s: %.5f\n", d ? "GPU" : "CPU", measure(n, ms[d]));
    }
    printf("\n%lld numbers, float32\n", (long long)n);
    example_table(LINES, names, ms[0]);
    printf("\nLook at the first and the last line of the %s: %.1f times as fast, and the\n"
           "arithmetic is the same.\n",
           with == 2 ? "GPU" : "CPU", ms[with - 1][ROUND_TRIPS] / ms[with - 1][FUSED]);
    return 0;
}
