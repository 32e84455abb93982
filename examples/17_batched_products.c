/*
 * 17_batched_products.c: a thousand small products, (2, 4) by (4, 5), in one call, and in a thousand.
 *
 *     17_batched_products [COUNT]
 *
 * What such a product computes takes a GPU nanoseconds; what costs is the call. An array with a leading
 * axis is a stack of matrices, and one call works on all of it. gnd_einsum says the same in indices.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { AT_ONCE, EINSUM, ONE_BY_ONE, LINES };
static const char *const names[LINES] = {"one call of matmul", "one call of einsum", "a call of matmul for each"};

/* All products in one call. */
static gnd_array *at_once(const gnd_array *a, const gnd_array *b) {
    return gnd_matmul(a, b);
}

/* The same, where letters name the axes: b is the batch, and j is summed over. */
static gnd_array *by_einsum(const gnd_array *a, const gnd_array *b) {
    return gnd_einsum("bij,bjk->bik", GND_ARRAYS(a, b));
}

/* One call a product, each into its place of the result. */
static gnd_array *one_by_one(const gnd_array *a, const gnd_array *b) {
    const int count = (int)gnd_dim(a, 0);
    gnd_array *result = gnd_empty(GND_SHAPE(count, gnd_dim(a, 1), gnd_dim(b, 2)), GND_FLOAT32);
    for (int i = 0; i < count; i++)
        GND_SCOPE {
            gnd_array *place = gnd_slice(result, "%d", i);
            gnd_matmul_into(place, gnd_slice(a, "%d", i), gnd_slice(b, "%d", i), 1, 0);
        }
    return result;
}

typedef struct job {
    gnd_array *(*way)(const gnd_array *, const gnd_array *);
    const gnd_array *a, *b;
} job;
static void run(void *context) {
    const job *j = context;
    gnd_release(j->way(j->a, j->b));
}

/* All ways on the current device. */
static void measure(int64_t count, double ms[LINES], bool shown) {
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(count, 2, 4), 9);
        gnd_array *b = example_random(GND_SHAPE(count, 4, 5), 10);
        gnd_array *expected = at_once(a, b);
        const double most =
            fmax(example_difference(by_einsum(a, b), expected), example_difference(one_by_one(a, b), expected));
        example_check(most < 1e-6, "two ways disagree");
        ms[AT_ONCE] = example_time(run, &(job){at_once, a, b});
        ms[EINSUM] = example_time(run, &(job){by_einsum, a, b});
        ms[ONE_BY_ONE] = example_time(run, &(job){one_by_one, a, b});
        if (shown) {
            printf("The first of the products:\n");
            gnd_print(gnd_slice(expected, "0"));
        }
        printf("on the %s the ways differ by %.1e at most\n", gnd_current_device().kind == GND_GPU ? "GPU" : "CPU",
               most);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 1000, 1000);
    example_title("Many products of small matrices, (2, 4) by (4, 5)");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(count, ms[d], d == 0);
    printf("\n%lld of them, float32:\n", (long long)count);
    example_table(LINES, names, ms[0]);
    printf("\nLook at the last line: it takes %.0f times as long as the first on the %s, and\n"
           "next to none of that is arithmetic. Where a loop calls for one small matrix at a\n"
           "time, give the arrays one axis more instead.\n",
           ms[with - 1][ONE_BY_ONE] / ms[with - 1][AT_ONCE], with == 2 ? "GPU" : "CPU");
    return 0;
}
