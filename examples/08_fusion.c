/*
 * 08_fusion.c: expressions of several operators, one operator after the other, and in one launch.
 *
 *     08_fusion [SIZE]
 *
 * An operator reads its operands from memory and writes its result there, which takes longer than what it
 * computes. Inside GND_FUSE operators are recorded instead; at the block's end they run together, each
 * operand is read once, and only what is kept is written. Nothing has to be compiled for that: the first call
 * runs at once. What runs often is compiled in the background on a GPU, and is faster from then on.
 */
#include "example.h"

#include <stdio.h>

/* (x - y)^2 */
static gnd_array *squared_difference(const gnd_array *x, const gnd_array *y) {
    gnd_array *d = gnd_subtract(x, y);
    return gnd_multiply(d, d);
}

/* The density at x of a normal distribution with mean 0.1 and standard deviation 1.3. */
static gnd_array *gaussian(const gnd_array *x, const gnd_array *unused) {
    (void)unused;
    const double mean = 0.1, sigma = 1.3, scale = sigma * 2.5066282746310002; /* sqrt(2 pi) */
    gnd_array *t = gnd_divide(gnd_subtract(x, mean), sigma);
    return gnd_divide(gnd_exp(gnd_multiply(-0.5, gnd_square(t))), scale);
}

/* The sum of (x - y)^2: a reduction at the end of a program. Nothing of the length of x is written. */
static gnd_array *squared_distance(const gnd_array *x, const gnd_array *y) {
    return gnd_sum(squared_difference(x, y), GND_ALL);
}

typedef gnd_array *expression(const gnd_array *x, const gnd_array *y);

/* An expression of two arrays. */
typedef struct job {
    expression *of;
    const gnd_array *x, *y;
} job;

static void one_by_one(void *context) {
    const job *j = context;
    j->of(j->x, j->y);
}
static void fused(void *context) {
    const job *j = context;
    GND_FUSE gnd_keep(j->of(j->x, j->y)); /* what nobody keeps is not computed */
}

/* The largest difference between the two ways. */
static double difference(const job *j) {
    gnd_array *expected = j->of(j->x, j->y), *together = NULL;
    GND_FUSE together = gnd_keep(j->of(j->x, j->y));
    return example_difference(together, expected);
}

enum { EXPRESSIONS = 3, LINES = 2 * EXPRESSIONS };
static expression *const expressions[EXPRESSIONS] = {squared_difference, gaussian, squared_distance};
static const char *const names[LINES] = {
    "(x - y)^2, one by one",        "(x - y)^2, fused",        "Gaussian of x, one by one", "Gaussian of x, fused",
    "sum of (x - y)^2, one by one", "sum of (x - y)^2, fused",
};

/* Both ways of all expressions on the current device; and, of the first, what a block does. */
static void measure(int64_t n, double ms[LINES], double first[EXPRESSIONS]) {
    GND_SCOPE {
        gnd_array *x = example_random(GND_SHAPE(n), 11), *y = example_random(GND_SHAPE(n), 12);
        for (int e = 0; e < EXPRESSIONS; e++) {
            job j = {expressions[e], x, y};
            const double start = example_clock();
            GND_SCOPE
                fused(&j);
            first[e] = example_clock() - start;
            example_check(difference(&j) < 1e-5, "the results differ");
            ms[2 * e] = example_time(one_by_one, &j);
            ms[2 * e + 1] = example_time(fused, &j);
        }
        printf("What a block does (gnd_fuse_explain), on the %s:\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU");
        GND_FUSE {
            gnd_keep(squared_difference(x, y));
            gnd_fuse_explain();
        }
        printf("\n");
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 100000000, 5000000);
    example_title("Several operators in one launch");
    printf("%lld numbers, float32\n\n", (long long)n);
    double ms[2][LINES], first[2][EXPRESSIONS];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(n, ms[d], first[d]);
    example_table(LINES, names, ms[0]);

    const double *last = ms[with - 1];
    printf("\nFused, they take 1/%.1f, 1/%.1f and 1/%.1f of the time; the very first call of\n"
           "each took %.1f, %.1f and %.1f ms.\n",
           last[0] / last[1], last[2] / last[3], last[4] / last[5], first[with - 1][0], first[with - 1][1],
           first[with - 1][2]);
    printf("Look at these factors: on a GPU, once the programs are compiled, they come near\n"
           "those of the arrays that go through memory, 5 to 3 for the difference, 12 to 2\n"
           "for the Gaussian.\n");
    return 0;
}
