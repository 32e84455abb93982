/*
 * 09_zero_suppression.c: the samples of a detector are mostly noise about zero. What is small becomes 0; and,
 * further, what is 0 is left out, and only values and their indices are kept.
 *
 *     09_zero_suppression [SAMPLES]
 *
 * A condition on an array gives a mask, an array of bool. A mask chooses between values (gnd_where), says where
 * to assign (gnd_set), and picks elements (gnd_get).
 */
#include "example.h"

#include <stdio.h>

static const double threshold = 15, noise = 3;
enum { CHANNELS = 1000, HIT = 40, SHOWN = 8 }; /* each channel of 1000 samples has one hit of 40 */

/* Channels of noise, each with a pulse of height 100 that begins somewhere. */
static gnd_array *waveforms(gnd_random *g, int64_t samples) {
    gnd_array *result = NULL;
    GND_SCOPE {
        const int64_t channels = samples / CHANNELS;
        gnd_array *begin = gnd_random_integers(g, 0, CHANNELS - HIT, GND_SHAPE(channels, 1), GND_INT32, false);
        gnd_array *hiss = gnd_random_normal(g, 0, noise, GND_SHAPE(channels, CHANNELS), GND_FLOAT32);
        gnd_array *since = gnd_subtract(gnd_arange(0, CHANNELS, 1, GND_INT32), begin);
        gnd_array *within = gnd_logical_and(gnd_greater_equal(since, 0), gnd_less(since, HIT));
        result = gnd_keep(gnd_where(within, gnd_add(hiss, 100), hiss));
    }
    return result;
}

/* ---- three ways to say it ---- */

typedef struct job {
    gnd_array *x, *scratch;
} job;

static gnd_array *is_small(const gnd_array *x) {
    return gnd_less(gnd_absolute(x), threshold);
}
static void choose(void *context) {
    job *j = context;
    gnd_where_into(j->scratch, is_small(j->x), 0, j->x);
}
static void choose_fused(void *context) {
    GND_FUSE choose(context);
}
static void assign(void *context) {
    job *j = context;
    gnd_copyto(j->scratch, j->x);
    gnd_set(j->scratch, GND_INDICES(is_small(j->x)), 0);
}
/* Values and indices of what is not small: all that need be stored. */
static void pick(void *context) {
    job *j = context;
    gnd_array *large = gnd_greater_equal(gnd_absolute(j->x), threshold);
    gnd_get(j->x, GND_INDICES(large));
    gnd_flatnonzero(large);
}

enum { CHOOSE, CHOOSE_FUSED, ASSIGN, PICK, LINES };
static const char *const names[LINES] = {"where(|x| < t, 0, x)", "the same, fused", "x[|x| < t] = 0 in a copy",
                                         "x[|x| >= t], and where"};

/* Times them on the current device, and looks at what is left. */
static void measure(int64_t samples, double ms[LINES]) {
    GND_SCOPE {
        gnd_random *g = gnd_random_new(GND_PHILOX, 9);
        job j = {waveforms(g, samples), NULL};
        gnd_random_release(g);
        j.scratch = gnd_empty_like(j.x, GND_FLOAT32);
        ms[CHOOSE] = example_time(choose, &j);
        gnd_array *clean = gnd_copy(j.scratch);
        ms[CHOOSE_FUSED] = example_time(choose_fused, &j);
        example_check(gnd_array_equal(j.scratch, clean, false), "fused: not the same");
        ms[ASSIGN] = example_time(assign, &j);
        example_check(gnd_array_equal(j.scratch, clean, false), "assigned: not the same");
        ms[PICK] = example_time(pick, &j);

        /* What was left out can be put back as it was. */
        gnd_array *indices = gnd_flatnonzero(clean);
        gnd_array *values = gnd_take(clean, indices, GND_ALL, GND_RAISE);
        gnd_array *again = gnd_zeros_like(clean, GND_FLOAT32);
        gnd_put(again, indices, values, GND_RAISE);
        example_check(gnd_array_equal(again, clean, false), "values and indices lose something");

        const int64_t left = gnd_size(values);
        printf("on the %s: %lld of %lld samples are left, %.3f%%; each channel has %d of %d\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", (long long)left, (long long)gnd_size(clean),
               100.0 * (double)left / (double)gnd_size(clean), HIT, CHANNELS);
        if (gnd_current_device().kind == GND_CPU) {
            printf("the first of them, and their indices:\n");
            gnd_print(gnd_slice(values, ":%d", SHOWN));
            gnd_print(gnd_slice(indices, ":%d", SHOWN));
        }
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t samples = example_size(argc, argv, 50000000, 2000000) / CHANNELS * CHANNELS;
    example_title("Zero suppression");
    example_check(samples >= CHANNELS, "a channel has 1000 samples");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(samples, ms[d]);
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the share that is left: a threshold of five times the noise lets next to\n"
           "nothing but hits through, and values with their indices (int64) take 3 words\n"
           "instead of %d.\n",
           CHANNELS / HIT);
    return 0;
}
