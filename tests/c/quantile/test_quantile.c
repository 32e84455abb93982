/*
 * test_quantile.c: order statistics: values over every kind of axis, the methods, dtypes, NaN,
 * options, bad input, long rows. The oracle tests compare many more cases with NumPy.
 */
#include "values.h"
#include <math.h>

/* A permutation of 0 .. n - 1: step must have no factor in common with n. */
static gnd_array *shuffled(int64_t n, int64_t step, gnd_dtype dtype) {
    gnd_array *i = count_up(GND_SHAPE(n), GND_INT64);
    return gnd_astype(gnd_remainder(gnd_multiply(i, step), n), dtype);
}

TEST(median_of_odd_and_even_counts) {
    CHECK(HOLDS_AS(gnd_median(FLOATS(3, 1, 2), GND_ALL), GND_FLOAT32, 2));
    CHECK(HOLDS_AS(gnd_median(FLOATS(3, 1, 2, 10), GND_ALL), GND_FLOAT32, 2.5));
    CHECK(HOLDS_AS(gnd_median(FLOATS(7), GND_ALL), GND_FLOAT32, 7));
    CHECK(HOLDS_AS(gnd_median(gnd_astype(FLOATS(3, 2), GND_INT8), GND_ALL), GND_FLOAT64, 2.5));
    CHECK(HOLDS_AS(gnd_median(gnd_astype(FLOATS(1, 0), GND_BOOL), GND_ALL), GND_FLOAT64, 0.5));
    CHECK(HOLDS_AS(gnd_median(gnd_astype(FLOATS(1, 2), GND_FLOAT16), GND_ALL), GND_FLOAT16, 1.5));
}

TEST(axes_and_keepdims) {
    gnd_array *x = gnd_reshape(shuffled(24, 7, GND_INT32), GND_SHAPE(2, 3, 4));
    CHECK(HOLDS_AS(gnd_median(x, GND_ALL), GND_FLOAT64, 11.5));
    gnd_shape kept = gnd_shape_of(gnd_median(x, GND_AXES_KEEP(0, 2)));
    CHECK(kept.ndim == 3 && kept.dim[0] == 1 && kept.dim[1] == 3 && kept.dim[2] == 1);
    gnd_array *q = gnd_from_host((const double[]){0, 0.5, 1, 0.25}, GND_SHAPE(2, 2), GND_FLOAT64);
    kept = gnd_shape_of(gnd_quantile(x, q, GND_AXES(1), GND_QUANTILE_LINEAR));
    CHECK(kept.ndim == 4 && kept.dim[0] == 2 && kept.dim[1] == 2 && kept.dim[3] == 4);
    gnd_array *row = gnd_reshape(shuffled(5, 2, GND_INT32), GND_SHAPE(1, 5));
    CHECK(HOLDS_AS(gnd_quantile(row, q, GND_AXES(1), GND_QUANTILE_LINEAR), GND_FLOAT64, 0, 2, 4, 1));
    CHECK(HOLDS_AS(gnd_median(gnd_transpose(row), GND_AXES(0)), GND_FLOAT64, 2));
}

TEST(methods_between_two_elements) {
    gnd_array *x = FLOATS(4, 2, 1, 3);
    CHECK(HOLDS_AS(gnd_quantile(x, 0.3, GND_ALL, GND_QUANTILE_LOWER), GND_FLOAT32, 1));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.3, GND_ALL, GND_QUANTILE_HIGHER), GND_FLOAT32, 2));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.3, GND_ALL, GND_QUANTILE_NEAREST), GND_FLOAT32, 2));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.3, GND_ALL, GND_QUANTILE_MIDPOINT), GND_FLOAT32, 1.5));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.5, GND_ALL, GND_QUANTILE_LINEAR), GND_FLOAT32, 2.5));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.5, GND_ALL, GND_QUANTILE_HAZEN), GND_FLOAT32, 2.5));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.5, GND_ALL, GND_QUANTILE_INVERTED_CDF), GND_FLOAT32, 2));
    CHECK(HOLDS_AS(gnd_quantile(x, 0.5, GND_ALL, GND_QUANTILE_AVERAGED_INVERTED_CDF), GND_FLOAT32, 2.5));
    CHECK(HOLDS_AS(gnd_percentile(x, 25, GND_ALL, GND_QUANTILE_WEIBULL), GND_FLOAT32, 1.25));
}

TEST(dtypes_of_results) {
    gnd_array *x = FLOATS(1, 2, 3), *whole = gnd_astype(x, GND_INT16);
    CHECK(gnd_dtype_of(gnd_quantile(x, 0.5, GND_ALL, GND_QUANTILE_LINEAR)) == GND_FLOAT32);
    CHECK(gnd_dtype_of(gnd_quantile(whole, 0.5, GND_ALL, GND_QUANTILE_LINEAR)) == GND_FLOAT64);
    CHECK(gnd_dtype_of(gnd_quantile(whole, 1, GND_ALL, GND_QUANTILE_LINEAR)) == GND_INT16);
    CHECK(gnd_dtype_of(gnd_quantile(whole, 0.5, GND_ALL, GND_QUANTILE_LOWER)) == GND_INT16);
    gnd_array *q = gnd_full(GND_SHAPE(2), 0.5, GND_FLOAT64);
    CHECK(gnd_dtype_of(gnd_quantile(x, q, GND_ALL, GND_QUANTILE_LINEAR)) == GND_FLOAT64);
}

TEST(nan_counts_or_does_not) {
    gnd_array *x = gnd_reshape(FLOATS(1, NAN, 3, 2, NAN, NAN, NAN, NAN), GND_SHAPE(2, 4));
    CHECK(HOLDS_AS(gnd_median(x, GND_AXES(1)), GND_FLOAT32, NAN, NAN));
    CHECK(HOLDS_AS(gnd_nanmedian(x, GND_AXES(1)), GND_FLOAT32, 2, NAN));
    CHECK(HOLDS_AS(gnd_nanpercentile(x, 100, GND_AXES(1), GND_QUANTILE_LINEAR), GND_FLOAT32, 3, NAN));
    CHECK(HOLDS_AS(gnd_nanquantile(x, 0.25, GND_ALL, GND_QUANTILE_LINEAR), GND_FLOAT32, 1.5));
}

TEST(of_nothing) {
    gnd_array *none = gnd_zeros(GND_SHAPE(0, 2), GND_FLOAT32);
    CHECK(HOLDS_AS(gnd_median(none, GND_AXES(0)), GND_FLOAT32, NAN, NAN));
    CHECK(gnd_size(gnd_median(none, GND_AXES(1))) == 0);
    CHECK(HOLDS_AS(gnd_nanquantile(none, 0.5, GND_AXES(0), GND_QUANTILE_LINEAR), GND_FLOAT32, NAN, NAN));
    CHECK_ERROR(gnd_quantile(none, 0.5, GND_AXES(0), GND_QUANTILE_LINEAR), GND_ERROR_VALUE, "(0, 2)");
}

TEST(long_rows) {
    for (int64_t n = 5000; n <= 5000000; n *= 10) {
        gnd_array *x = shuffled(n, 1234577, GND_FLOAT64);
        CHECK(HOLDS_AS(gnd_median(x, GND_ALL), GND_FLOAT64, (double)(n - 1) / 2));
        CHECK(HOLDS_AS(gnd_quantile(x, 0.25, GND_ALL, GND_QUANTILE_LINEAR), GND_FLOAT64, (double)(n - 1) / 4));
        CHECK(HOLDS_AS(gnd_quantile(x, 1, GND_ALL, GND_QUANTILE_LINEAR), GND_FLOAT64, (double)(n - 1)));
        CHECK(HOLDS_AS(gnd_median(gnd_slice(x, "::-1"), GND_ALL), GND_FLOAT64, (double)(n - 1) / 2));
        gnd_array *pair = gnd_reshape(gnd_remainder(x, 2), GND_SHAPE(2, n / 2));
        CHECK(gnd_size(gnd_median(pair, GND_AXES(1))) == 2);
    }
}

TEST(bad_input) {
    gnd_array *x = FLOATS(1, 2, 3);
    CHECK_ERROR(gnd_quantile(x, 1.5, GND_ALL, GND_QUANTILE_LINEAR), GND_ERROR_VALUE, "q is 1.5; it must be in [0, 1]");
    CHECK_ERROR(gnd_percentile(x, -1, GND_ALL, GND_QUANTILE_LINEAR), GND_ERROR_VALUE, "[0, 100]");
    CHECK_ERROR(gnd_quantile(x, 0.5, GND_ALL, (gnd_quantile_method)40), GND_ERROR_INVALID, "40");
    CHECK_ERROR(gnd_quantile(x, GND_NONE, GND_ALL, GND_QUANTILE_LINEAR), GND_ERROR_INVALID, "q");
    CHECK_ERROR(gnd_median(x, GND_AXES(1)), GND_ERROR_AXIS, "gnd_median");
    CHECK_ERROR(gnd_quantile(gnd_astype(x, GND_COMPLEX64), 0.5, GND_ALL, 0), GND_ERROR_DTYPE, "complex64");
    CHECK_ERROR(gnd_quantile(gnd_astype(x, GND_BOOL), 0.5, GND_ALL, GND_QUANTILE_LINEAR), GND_ERROR_DTYPE, "bool");
    gnd_axes axes = GND_ALL;
    axes.dtype = GND_FLOAT64;
    CHECK_ERROR(gnd_median(x, axes), GND_ERROR_INVALID, "dtype");
    CHECK_ERROR(gnd_median(NULL, GND_ALL), GND_ERROR_INVALID, "x");
}

TEST(quantiles_in_an_array_are_checked_at_the_next_wait) {
    gnd_array *x = FLOATS(1, 2, 3), *q = FLOATS(0.5f, 7);
    gnd_array *result = gnd_quantile(x, q, GND_ALL, GND_QUANTILE_LINEAR);
    float got[2];
    CHECK(result != NULL);
    CHECK_ERROR(gnd_to_host(result, got, sizeof got), GND_ERROR_VALUE, "quantile");
    CHECK(gnd_to_host(result, got, sizeof got) == GND_OK && got[0] == 2);
}

TEST_MAIN
