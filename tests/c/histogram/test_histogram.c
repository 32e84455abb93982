/*
 * test_histogram.c: counting by value and by bin, as C programs call it: many bins and few, skewed
 * elements, weights that add up the same every time, faults at the next wait. The oracle tests compare
 * every dtype, rule and option with NumPy.
 */
#include "values.h"
#include <math.h>

/* Whether these are n elements, all equal to a number. */
static bool all_are(const gnd_array *a, int64_t n, int64_t number) {
    return a && gnd_size(a) == n && gnd_item_bool(gnd_all(gnd_equal(a, number), GND_ALL));
}

/* 0, 1, .., period - 1, again and again. */
static gnd_array *cycle(int64_t n, int64_t period, gnd_dtype dtype) {
    return gnd_astype(gnd_remainder(count_up(GND_SHAPE(n), GND_INT64), period), dtype);
}

TEST(bincount_counts_values) {
    gnd_array *x = gnd_astype(DOUBLES(3, 1, 1, 5, 1), GND_INT16);
    CHECK(HOLDS(gnd_bincount(x, GND_NONE, 0), 0, 3, 0, 1, 0, 1));
    CHECK(HOLDS(gnd_bincount(x, GND_NONE, 8), 0, 3, 0, 1, 0, 1, 0, 0));
    CHECK(HOLDS(gnd_bincount(x, DOUBLES(0.5, 1, 2, 3, 4), 0), 0, 7, 0, 0.5, 0, 3));
    CHECK(HOLDS(gnd_bincount_fixed(x, GND_NONE, 6), 0, 3, 0, 1, 0, 1));
    CHECK(gnd_size(gnd_bincount(gnd_zeros(GND_SHAPE(0), GND_INT8), GND_NONE, 0)) == 0);
}

TEST(any_number_of_bins) {
    for (int64_t bins = 10; bins <= 1000000; bins *= 10) {
        const gnd_array *wide = cycle(3000000, bins, GND_INT64), *narrow = gnd_astype(wide, GND_INT32);
        CHECK(all_are(gnd_bincount(wide, GND_NONE, 0), bins, 3000000 / bins));
        CHECK(all_are(gnd_bincount_fixed(narrow, GND_NONE, bins), bins, 3000000 / bins));
        if (bins > 100000) continue;
        gnd_array *edges = NULL;
        const gnd_histogram_options options = {.range = (double[]){0, (double)bins}};
        gnd_array *x = gnd_astype(wide, GND_FLOAT64);
        CHECK(all_are(gnd_histogram(x, bins, &options, &edges), bins, 3000000 / bins));
        CHECK(all_are(gnd_histogram(x, edges, NULL, NULL), bins, 3000000 / bins));
        gnd_array *weights = gnd_ones(GND_SHAPE(3000000), GND_INT32);
        const gnd_histogram_options weighted = {.range = options.range, .weights = weights};
        CHECK(all_are(gnd_histogram(narrow, bins, &weighted, NULL), bins, 3000000 / bins));
    }
}

TEST(one_bin_takes_all) {
    gnd_array *x = gnd_full(GND_SHAPE(2000000), 7, GND_INT32);
    for (int64_t bins = 8; bins <= 100000; bins *= 20) {
        gnd_array *counts = gnd_bincount(x, GND_NONE, bins);
        CHECK(gnd_item_int(gnd_slice(counts, "7")) == 2000000);
        CHECK(gnd_item_int(gnd_sum(counts, GND_ALL)) == 2000000);
    }
    gnd_array *edges = NULL;
    CHECK(HOLDS(gnd_histogram(x, 3, NULL, &edges), 0, 2000000, 0));
    CHECK(gnd_item_double(gnd_slice(edges, "0")) == 6.5);
}

TEST(sums_come_out_the_same) {
    const int64_t n = 500000;
    gnd_array *x = gnd_sin(cycle(n, 99991, GND_FLOAT64)), *w = gnd_cos(cycle(n, 88883, GND_FLOAT64));
    const gnd_histogram_options options = {.weights = w};
    double first[50], again[50];
    gnd_array *sums = gnd_histogram(x, 50, &options, NULL);
    CHECK(gnd_to_host(sums, first, sizeof first) == GND_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(gnd_to_host(gnd_histogram(x, 50, &options, NULL), again, sizeof again) == GND_OK);
        CHECK(memcmp(first, again, sizeof first) == 0);
    }
    const double total = gnd_item_double(gnd_sum(w, GND_ALL));
    CHECK(fabs(gnd_item_double(gnd_sum(sums, GND_ALL)) - total) < 1e-8);
}

TEST(histograms_in_two_dimensions) {
    gnd_array *x = DOUBLES(0, 0, 1, 2), *y = DOUBLES(5, 6, 6, 7), *xe = NULL, *ye = NULL;
    gnd_array *h = gnd_histogram2d(x, y, 2, DOUBLES(5, 6, 8), NULL, &xe, &ye);
    CHECK(gnd_ndim(h) == 2 && HOLDS(h, 1, 1, 0, 2));
    CHECK(HOLDS(xe, 0, 1, 2) && HOLDS(ye, 5, 6, 8));
    gnd_array *points = gnd_zeros(GND_SHAPE(4, 3), GND_FLOAT32), *edges[3];
    h = gnd_histogramdd(points, GND_ARGS(1), NULL, edges);
    CHECK(gnd_ndim(h) == 3 && HOLDS(h, 4));
}

TEST(rules_choose_the_number_of_bins) {
    gnd_array *x = cycle(1000, 100, GND_FLOAT64);
    const gnd_histogram_options rule = {.rule = "sqrt"};
    CHECK(gnd_size(gnd_histogram(x, GND_NONE, &rule, NULL)) == 32);
    CHECK(gnd_size(gnd_histogram_bin_edges(x, GND_NONE, &rule)) == 33);
}

TEST(what_is_wrong_is_told) {
    int64_t got[3];
    gnd_array *x = DOUBLES(0, 1, NAN);
    gnd_array *counts = gnd_histogram(x, 3, NULL, NULL);
    CHECK(counts != NULL);
    CHECK_ERROR(gnd_to_host(counts, got, sizeof got), GND_ERROR_VALUE, "not finite");
    counts = gnd_bincount_fixed(gnd_astype(DOUBLES(0, 3, 1), GND_INT32), GND_NONE, 3);
    CHECK_ERROR(gnd_to_host(counts, got, sizeof got), GND_ERROR_INDEX, "index 3");
    CHECK_ERROR(gnd_histogram(x, 0, NULL, NULL), GND_ERROR_VALUE, "bins is 0");
    CHECK_ERROR(gnd_bincount(x, GND_NONE, 0), GND_ERROR_DTYPE, "float64");
    CHECK_ERROR(gnd_bincount(gnd_astype(DOUBLES(-4), GND_INT8), GND_NONE, 0), GND_ERROR_VALUE, "-4");
    CHECK_ERROR(gnd_histogram(NULL, 3, NULL, NULL), GND_ERROR_INVALID, "'x' is NULL");
}

TEST_MAIN
