/*
 * 17_batched_products.c: a thousand small products, (2, 4) by (4, 5), in one call, and in a thousand.
 *
 *     17_batched_products [COUNT]
 *
 * What such a product computes takes a GPU nanoseconds; what costs is the call. An array with a leading
 * axis is a stack of matrices, and one call works on all of it. gnd_einsum says the same in indices.
 */
#include "example.h"

#include <stdio.h>

enum { RUNS = 20 };

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

/* The time of a way to do it, back to back, with one wait at the end. */
static double measure(const char *name, gnd_array *(*way)(const gnd_array *, const gnd_array *),
                      const gnd_array *a, const gnd_array *b, const gnd_array *expected) {
    double took = 0;
    GND_SCOPE {
        gnd_array *result = way(a, b); /* to warm up, and to look at */
        if (expected)
            example_check(example_difference(result, expected) < 1e-6, "two ways disagree");
        const double start = example_clock();
        for (int run = 0; run < RUNS; run++) gnd_release(way(a, b));
        took = (example_clock() - start) / RUNS;
    }
    gnd_check();
    printf("%-28s %12.4f ms %14.1f ns a product\n", name, took, 1e6 * took / (double)gnd_dim(a, 0));
    return took;
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 1000, 1000);
    example_title("Many products of small matrices, (2, 4) by (4, 5)");
    printf("%lld of them, float32\n\n", (long long)count);
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(count, 2, 4), 9);
        gnd_array *b = example_random(GND_SHAPE(count, 4, 5), 10);
        gnd_array *expected = gnd_matmul(a, b);

        const double together = measure("one call of matmul", at_once, a, b, NULL);
        measure("one call of einsum", by_einsum, a, b, expected);
        const double apart = measure("a call of matmul for each", one_by_one, a, b, expected);

        printf("\nThe first of the products:\n");
        gnd_print(gnd_slice(expected, "0"));
        printf(
            "\nLook at the last line of the table: it takes %.0f times as long as the first, and\n"
            "next to none of that is arithmetic. Where a loop calls for one small matrix at a\n"
            "time, give the arrays one axis more instead.\n",
            apart / together);
    }
    gnd_check();
    return 0;
}
