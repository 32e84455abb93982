/*
 * 05_sort.c: sorting 4096 x 4096 random numbers: all of them, and each row for itself; and what need not be
 * sorted for a question that sounds like it.
 *
 *     05_sort [SIDE]
 *
 * The C library's qsort, which calls a function for each comparison, is there to compare with.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { QSORT, ALL, ROWS, INDICES, MEDIAN, LINES };
static const char *const names[LINES] = {"qsort of all, one thread", "sort of all", "sort of each row",
                                         "argsort of all (the indices)", "median of all (nothing sorted)"};

static void sort_all(void *x) {
    gnd_sort(x, GND_ALL, GND_ASCENDING);
}
static void sort_rows(void *x) {
    gnd_sort(x, GND_AXES(1), GND_ASCENDING);
}
static void sort_indices(void *x) {
    gnd_argsort(x, GND_ALL, GND_ASCENDING);
}
static void find_median(void *x) {
    gnd_median(x, GND_ALL);
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Milliseconds that qsort takes, once. `numbers` are sorted afterwards. */
static double time_qsort(float *numbers, int64_t count) {
    const double start = example_clock();
    qsort(numbers, (size_t)count, sizeof *numbers, by_value);
    return example_clock() - start;
}

/* Whether the sorted numbers are qsort's, rows are in order, and indices lead to the same numbers. */
static void check(const gnd_array *x, const float *sorted) {
    const int64_t count = gnd_size(x);
    gnd_array *all = gnd_sort(x, GND_ALL, GND_ASCENDING);
    gnd_array *expected = gnd_from_host(sorted, GND_SHAPE(count), GND_FLOAT32);
    gnd_array *indices = gnd_argsort(x, GND_ALL, GND_ASCENDING);
    gnd_array *found = gnd_take(x, indices, GND_ALL, GND_RAISE);
    gnd_array *rows = gnd_sort(x, GND_AXES(1), GND_ASCENDING);
    gnd_array *steps = gnd_subtract(gnd_slice(rows, ":, 1:"), gnd_slice(rows, ":, :-1"));
    const double middle = 0.5 * ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]);
    const double median = gnd_item_double(gnd_median(x, GND_ALL));
    example_check(gnd_array_equal(all, expected, false), "sort and qsort disagree");
    example_check(gnd_array_equal(found, expected, false), "the indices lead elsewhere");
    example_check(gnd_item_double(gnd_min(steps, GND_ALL)) >= 0, "a row is not in order");
    example_check(median - middle < 1e-6 && middle - median < 1e-6, "that is not the median");
    printf("smallest %.7f, median %.7f, largest %.7f\n", (double)sorted[0], median, (double)sorted[count - 1]);
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 4096, 2048);
    example_title("Sorting");
    printf("%lld x %lld random floats in [-1, 1)\n\n", (long long)side, (long long)side);
    float *numbers = malloc((size_t)(side * side) * sizeof *numbers);
    example_check(numbers != NULL, "no memory on the host");

    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            gnd_array *x = example_random(GND_SHAPE(side, side), 3);
            if (d == 0) {
                gnd_to_host(x, numbers, (size_t)(side * side) * sizeof *numbers);
                ms[0][QSORT] = time_qsort(numbers, side * side);
            }
            if (d == 1) ms[1][QSORT] = NAN; /* not a matter of the device */
            ms[d][ALL] = example_time(sort_all, x);
            ms[d][ROWS] = example_time(sort_rows, x);
            ms[d][INDICES] = example_time(sort_indices, x);
            ms[d][MEDIAN] = example_time(find_median, x);
            check(x, numbers);
        }
        gnd_check();
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    free(numbers);
    printf("\nEach result was checked against qsort's. Look at the last line: the element in\n"
           "the middle is found without putting the others in order.\n");
    return 0;
}
