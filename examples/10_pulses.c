/*
 * 10_pulses.c: a signal of pulses with noise on it, and what is left of it when small values are set to
 * zero.
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

enum { FRAMES = 20, PERIOD = 100, SHOWN = 22, STEP = 29, WIDTH = 40 };
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
        gnd_array *noise =
            gnd_random_standard_normal(gnd_random_default(), GND_SHAPE(n), GND_FLOAT32);
        GND_FUSE {
            gnd_add_into(waveform, pulses(n), gnd_multiply(noise, sigma));
            suppress_zeros_into(clean, waveform);
        }
    }
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
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 10000000, 1000000);
    example_title("Pulses, noise, and zero suppression");
    double took = 0, share = 0;
    gnd_random_seed(gnd_random_default(), 1);
    GND_SCOPE {
        gnd_array *waveform = gnd_empty(GND_SHAPE(n), GND_FLOAT32);
        gnd_array *clean = gnd_empty(GND_SHAPE(n), GND_FLOAT32);
        frame(waveform, clean);
        const double start = example_clock();
        for (int k = 0; k < FRAMES; k++) frame(waveform, clean);
        took = (example_clock() - start) / FRAMES;

        if (n > SHOWN * STEP) print_samples(waveform, clean);
        share = gnd_item_double(gnd_count_nonzero(clean, GND_ALL)) / (double)n;
        gnd_array *small =
            gnd_logical_and(gnd_not_equal(clean, 0), gnd_less(gnd_absolute(clean), threshold));
        example_check(!gnd_item_bool(gnd_any(small, GND_ALL)), "a small value is left");
    }
    gnd_check();
    printf("\nA frame of %lld samples took %.3f ms; %.1f%% of them are left.\n", (long long)n, took,
           100 * share);
    /* Where sin is above 0.3 + threshold / amplitude. */
    const double expected = 0.5 - asin(0.3 + threshold / amplitude) / 3.14159265358979;
    example_check(fabs(share - expected) < 0.02 + 2 * 3.14 * PERIOD / (double)n,
                  "pulses should be above the threshold so often");
    return 0;
}
