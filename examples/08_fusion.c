/*
 * 08_fusion.c: expressions of several operators, one operator after the other, and in one launch.
 *
 *     08_fusion [SIZE]
 *
 * An operator reads its operands from memory and writes its result there, which takes longer than what it
 * computes. Inside GND_FUSE operators are recorded instead; at the block's end they run together, each
 * operand is read once, and only what is kept is written. Nothing has to be compiled for that: the first call is
 * carried out at once. What runs again and again is compiled meanwhile on a GPU, and is faster from then on.
 */
#include "example.h"

#include <stdio.h>

enum { RUNS = 20 };

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

typedef gnd_array *expression(const gnd_array *x, const gnd_array *y);

static gnd_array *one_by_one(expression *of, const gnd_array *x, const gnd_array *y) {
    gnd_array *result = NULL;
    GND_SCOPE
        result = gnd_keep(of(x, y));
    return result;
}

static gnd_array *fused(expression *of, const gnd_array *x, const gnd_array *y) {
    gnd_array *result = NULL;
    GND_FUSE result = gnd_keep(of(x, y));
    return result;
}

typedef gnd_array *way(expression *of, const gnd_array *x, const gnd_array *y);

/* Milliseconds of a call. */
static double measure(way *how, expression *of, const gnd_array *x, const gnd_array *y, int runs) {
    const double start = example_clock();
    for (int run = 0; run < runs; run++) gnd_release(how(of, x, y));
    return (example_clock() - start) / runs;
}

static void compare(const char *name, expression *of, const gnd_array *x, const gnd_array *y) {
    double first = 0, apart = 0, together = 0;
    GND_SCOPE {
        first = measure(fused, of, x, y, 1); /* in this process, of this expression */
        gnd_array *expected = one_by_one(of, x, y), *result = fused(of, x, y);
        example_check(example_difference(result, expected) < 1e-6, "the results differ");
        apart = measure(one_by_one, of, x, y, RUNS);
        together = measure(fused, of, x, y, RUNS);
    }
    gnd_check();
    printf("%-20s %14.4f %14.4f %14.4f %10.1f\n", name, apart, first, together, apart / together);
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 100000000, 5000000);
    example_title("Several operators in one launch");
    printf("%lld numbers, float32; milliseconds\n\n", (long long)n);
    printf("%-20s %14s %14s %14s %10s\n", "", "one by one", "first fused", "fused", "ratio");
    GND_SCOPE {
        gnd_array *x = example_random(GND_SHAPE(n), 11), *y = example_random(GND_SHAPE(n), 12);
        compare("(x - y)^2", squared_difference, x, y);
        compare("Gaussian of x", gaussian, x, y);

        printf("\nWhat a block does (gnd_fuse_explain):\n");
        GND_FUSE {
            gnd_keep(squared_difference(x, y)); /* what nobody keeps is not computed */
            gnd_fuse_explain();
        }
    }
    gnd_check();
    printf("\nLook at the ratio: on a GPU, once the programs are compiled, it is that of the "
           "arrays that\n"
           "go through memory, 5 to 3 for the difference and 12 to 2 for the Gaussian.\n");
    return 0;
}
