/*
 * 10_pulses.c: a signal of pulses with noise on it, and what is left of it when small values are set to
 * zero, without a round trip to the host.
 *
 *     10_pulses [SIZE]
 *
 * A detector gives one frame of samples after the other. Each is made, and cleaned, in one GND_FUSE block:
 * a range, a sine, a maximum, products, a sum and a choice in one launch, into an array that is there
 * already. Only the noise has a launch of its own. Nothing goes to the host but the few samples printed.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIOD = 100, SHOWN = 22, STEP = 29, WIDTH = 40 };
static const double amplitude = 100, threshold = 15, sigma = 3;

/* What is above 0.3 of a sine: amplitude * max(sin(i / period) - 0.3, 0). */
static gnd_array *pulses(int64_t n) {
    gnd_array *phase = gnd_divide(gnd_arange(0, n, 1, GND_FLOAT32), PERIOD);
    return gnd_multiply(gnd_maximum(gnd_subtract(gnd_sin(phase), 0.3), 0.0), amplitude);
}

/* Values below the threshold, either way, become 0. */
static void suppress_zeros_into(gnd_array *out, const gnd_array *waveform) {
    gnd_where_into(out, gnd_less(gnd_absolute(waveform), threshold), 0.0, waveform);
}

/* One frame: the waveform, and what is left of it. */
static void frame(gnd_array *waveform, gnd_array *clean) {
    const int64_t n = gnd_size(waveform);
    GND_SCOPE {
        gnd_array *noise = gnd_random_standard_normal(gnd_random_default(), GND_SHAPE(n), GND_FLOAT32);
        GND_FUSE {
            gnd_add_into(waveform, pulses(n), gnd_multiply(noise, sigma));
            suppress_zeros_into(clean, waveform);
        }
    }
}

/* The same with the operators one after the other. */
static void frame_unfused(gnd_array *waveform, gnd_array *clean) {
    const gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_OFF);
    frame(waveform, clean);
    gnd_fuse_use(before);
}

static void print_samples(const gnd_array *waveform, const gnd_array *clean) {
    printf("%8s %10s %10s\n", "sample", "waveform", "clean");
    for (int row = 0; row < SHOWN; row++)
        GND_SCOPE {
            const double value = gnd_item_double(gnd_slice(waveform, "%d", row * STEP));
            const double left = gnd_item_double(gnd_slice(clean, "%d", row * STEP));
            const int length = left > 0 ? (int)(WIDTH * left / amplitude + 0.5) : 0;
            printf("%8d %10.2f %10.2f  %.*s\n", row * STEP, value, left, length,
                   "########################################");
        }
    printf("\n");
}

/* ---- how long a frame takes ---- */

enum { FUSED, UNFUSED, BACK, LINES };
static const char *const names[LINES] = {"a frame, fused", "a frame, operator by operator",
                                         "copying its result to the host"};

typedef struct job {
    gnd_array *waveform, *clean;
    float *host;
} job;
static void run_fused(void *context) {
    const job *j = context;
    frame(j->waveform, j->clean);
}
static void run_unfused(void *context) {
    const job *j = context;
    frame_unfused(j->waveform, j->clean);
}
static void run_back(void *context) {
    const job *j = context;
    gnd_to_host(j->clean, j->host, (size_t)gnd_nbytes(j->clean));
}

/* Times frames on the current device; gives the share of samples that are left of the first. */
static double measure(int64_t n, double ms[LINES], bool shown) {
    double share = 0;
    gnd_random_seed(gnd_random_default(), 1);
    GND_SCOPE {
        job j = {gnd_empty(GND_SHAPE(n), GND_FLOAT32), gnd_empty(GND_SHAPE(n), GND_FLOAT32), NULL};
        frame(j.waveform, j.clean);
        if (shown && n > SHOWN * STEP) print_samples(j.waveform, j.clean);
        share = gnd_item_double(gnd_count_nonzero(j.clean, GND_ALL)) / (double)n;
        gnd_array *small = gnd_logical_and(gnd_not_equal(j.clean, 0), gnd_less(gnd_absolute(j.clean), threshold));
        example_check(!gnd_item_bool(gnd_any(small, GND_ALL)), "a small value is left");

        ms[FUSED] = example_time(run_fused, &j);
        ms[UNFUSED] = example_time(run_unfused, &j);
        j.host = malloc((size_t)gnd_nbytes(j.clean));
        example_check(j.host != NULL, "no memory on the host");
        ms[BACK] = example_time(run_back, &j);
        free(j.host);
    }
    gnd_check();
    return share;
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 10000000, 1000000);
    example_title("Pulses, noise, and zero suppression");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    /* Where sin is above 0.3 + threshold / amplitude. */
    const double expected = 0.5 - asin(0.3 + threshold / amplitude) / 3.14159265358979;
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const double share = measure(n, ms[d], d == 0);
        printf("on the %s %.2f%% of %lld samples are left; of the sine alone it would be %.2f%%\n", d ? "GPU" : "CPU",
               100 * share, (long long)n, 100 * expected);
        example_check(fabs(share - expected) < 0.02 + 2 * 3.14 * PERIOD / (double)n,
                      "pulses should be above the threshold so often");
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the last line, and at that of a GPU: one copy to the host takes longer\n"
           "there than all of the frame does. Only what is printed went to the host.\n");
    return 0;
}
