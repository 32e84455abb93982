/*
 * 27_lomb_scargle.c: the period of uneven samples: cuSignal's ladder of Lomb-Scargle kernels, in one call.
 *
 *     27_lomb_scargle [FREQUENCIES]
 *
 * 16,384 times from 0.01 to 10 pi, of which a tenth are kept: 1675. The values are those of 2 cos(t + pi / 2), so the
 * angular frequency is 1. The tutorial asks for 2^20 frequencies; on the CPU the program takes 2^12.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 1 << 14, ROWS = 30 };
static const double pi = 3.14159265358979, amplitude = 2, kept = 0.9;

/* NumPy's RandomState(1234).rand(TIMES): the Mersenne Twister, two words a number. */
static uint32_t state[624];
static int at = 624;
static void seed(uint32_t s) {
    for (int i = 0; i < 624; i++) state[i] = i ? 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + (uint32_t)i : s;
}
static uint32_t word(void) {
    if (at == 624) {
        for (int i = 0; i < 624; i++) {
            const uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
            state[i] = state[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        at = 0;
    }
    uint32_t y = state[at++];
    y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}
static double uniform(void) {
    const uint32_t a = word() >> 5, b = word() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

/* The times that are kept. */
static int64_t make_times(double *t) {
    const double first = 0.01, step = (10 * pi - first) / (TIMES - 1);
    int64_t n = 0;
    seed(1234), at = 624;
    for (int i = 0; i < TIMES; i++)
        if (uniform() >= kept) t[n++] = first + i * step;
    return n;
}

typedef struct job {
    gnd_array *t, *y, *freqs;
} job;
static void run(void *context) {
    const job *j = context;
    gnd_release(gnd_lombscargle(j->t, j->y, j->freqs, NULL));
}

/* The periodogram at three frequencies, as SciPy has it. */
static void check_known(const job *j) {
    static const double at_freqs[] = {0.01, 1, 10}, known[] = {30.19, 1729.867, 10.4377};
    gnd_array *freqs = gnd_from_host(at_freqs, GND_SHAPE(3), GND_FLOAT64);
    const gnd_array *power = gnd_lombscargle(j->t, j->y, freqs, NULL);
    for (int i = 0; i < 3; i++) {
        const double p = gnd_at_double(power, i);
        printf("  power at %5.2f: %9.3f\n", at_freqs[i], p);
        example_check(fabs(p / known[i] - 1) < 1e-3, "the power should be SciPy's");
    }
}

static void print_power(const gnd_array *freqs, const gnd_array *power) {
    const int64_t n = gnd_dim(power, 0), step = n / 5 / ROWS > 0 ? n / 5 / ROWS : 1;
    printf("%9s %9s\n", "frequency", "power");
    for (int row = 0; row < ROWS && row * step < n; row++) {
        const double p = gnd_at_double(power, row * step);
        printf("%9.3f %9.2f  %.*s\n", gnd_at_double(freqs, row * step), p, (int)(p / 50),
               "########################################");
    }
    printf("\n");
}

static void measure(int64_t count, double ms[2], bool shown) {
    GND_SCOPE {
        double t[TIMES];
        const int64_t n = make_times(t);
        example_check(n == 1675, "1675 times should be kept");
        job j = {.t = gnd_from_host(t, GND_SHAPE(n), GND_FLOAT64),
                 .freqs = gnd_linspace(0.01, 10, count, true, GND_FLOAT64)};
        j.y = gnd_multiply(gnd_cos(gnd_add(j.t, pi / 2)), amplitude);
        gnd_array *power = gnd_lombscargle(j.t, j.y, j.freqs, NULL);
        if (shown) print_power(j.freqs, power);
        const double best = gnd_at_double(j.freqs, gnd_item_int(gnd_argmax(power, GND_ALL)));
        printf("on the %s: the highest power is at frequency %.3f\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", best);
        check_known(&j);
        ms[0] = example_time(run, &j);
        job single = {gnd_astype(j.t, GND_FLOAT32), gnd_astype(j.y, GND_FLOAT32), gnd_astype(j.freqs, GND_FLOAT32)};
        ms[1] = example_time(run, &single);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    static const char *const names[] = {"float64", "float32"};
    const int64_t count = example_size(argc, argv, 1 << 20, 1 << 12);
    example_title("The period of uneven samples");
    example_check(count >= 1000, "there must be 1000 frequencies, or more");
    double ms[2][2];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(count, ms[d], d == 0);
    printf("\n");
    example_table(2, names, ms[0]);
    printf("\nLook at the peak: how wide is it, and what would make it narrower? Which rung of the\n"
           "published ladder is the time near?\n");
    return 0;
}
