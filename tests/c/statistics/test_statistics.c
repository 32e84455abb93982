/*
 * test_statistics.c: weighted averages, covariances, correlations: values, options, and what is
 * refused. The oracle tests compare many more cases with NumPy.
 */
#include "values.h"
#include <math.h>

/* Whether the elements, in C order, are within rounding of these. */
static bool near(const gnd_array *a, int64_t n, const double *values) {
    double got[32];
    if (!a || gnd_size(a) != n) return false;
    gnd_array *wide = gnd_astype(a, GND_FLOAT64);
    if (gnd_to_host(wide, got, (size_t)n * sizeof *got) != GND_OK) return false;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - values[i]) <= 1e-6 * fmax(1, fabs(values[i])))) return false;
    return true;
}
#define NEAR(a, ...) near(a, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

TEST(averages) {
    gnd_array *x = gnd_reshape(FLOATS(1, 2, 3, 4, 5, 9), GND_SHAPE(2, 3));
    gnd_array *w = gnd_from_host((const int32_t[]){1, 2, 1}, GND_SHAPE(3), GND_INT32);
    CHECK(NEAR(gnd_average(x, GND_ALL, GND_NONE), 4) && NEAR(gnd_average(x, GND_ALL, x), 136.0 / 24));
    CHECK(NEAR(gnd_average(x, GND_AXES(1), w), 2, 5.75));
    CHECK(gnd_dtype_of(gnd_average(x, GND_AXES(1), w)) == GND_FLOAT64);
    CHECK(gnd_dtype_of(gnd_average(x, GND_AXES(1), gnd_astype(w, GND_FLOAT16))) == GND_FLOAT32);
    CHECK(gnd_ndim(gnd_average(x, GND_AXES_KEEP(1), w)) == 2);
    CHECK(NEAR(gnd_average(x, GND_AXES(1, 0), gnd_transpose(x)), 136.0 / 24)); /* axes as named */
    gnd_array *average, *sum;
    CHECK(gnd_average_two(&average, &sum, x, GND_AXES(1), w) == GND_OK);
    CHECK(NEAR(average, 2, 5.75) && NEAR(sum, 4, 4));
    CHECK(gnd_average_two(&average, &sum, x, GND_AXES(0), GND_NONE) == GND_OK);
    CHECK(NEAR(average, 2.5, 3.5, 6) && NEAR(sum, 2, 2, 2));
    gnd_axes axes = GND_AXES(1);
    axes.out = gnd_zeros(GND_SHAPE(2), GND_FLOAT32);
    CHECK(gnd_shares_buffer(gnd_average(x, axes, w), axes.out) && NEAR(axes.out, 2, 5.75));
}

TEST(bad_averages) {
    gnd_array *x = gnd_ones(GND_SHAPE(2, 3), GND_FLOAT32), *w = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    double host[2];
    CHECK_ERROR(gnd_average(x, GND_ALL, w), GND_ERROR_SHAPE, "axes");
    CHECK_ERROR(gnd_average(x, GND_AXES(0), w), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_average(NULL, GND_ALL, w), GND_ERROR_INVALID, "gnd_average");
    CHECK_ERROR(gnd_average(x, GND_AXES(1), (gnd_array *)NULL), GND_ERROR_INVALID, "weights");
    gnd_axes axes = GND_AXES(1);
    axes.dtype = GND_FLOAT64;
    CHECK_ERROR(gnd_average(x, axes, w), GND_ERROR_INVALID, "dtype");
    gnd_array *average = gnd_astype(gnd_average(x, GND_AXES(1), w), GND_FLOAT64), *sum;
    CHECK_ERROR(gnd_to_host(average, host, sizeof host), GND_ERROR_VALUE, "add up to zero");
    CHECK_ERROR(gnd_average_two(&average, NULL, x, GND_ALL, GND_NONE), GND_ERROR_INVALID, "weight_sum");
    CHECK_ERROR(gnd_average_two(&average, &sum, x, GND_ALL, w), GND_ERROR_SHAPE, "gnd_average_two");
    CHECK(!average && !sum);
}

TEST(covariances) {
    gnd_array *x = gnd_reshape(FLOATS(1, 2, 4, 3, 1, 2), GND_SHAPE(2, 3));
    const double v = 7.0 / 3, c = -0.5;
    CHECK(NEAR(gnd_cov(x, GND_NONE, NULL), v, c, c, 1));
    CHECK(gnd_dtype_of(gnd_cov(x, GND_NONE, NULL)) == GND_FLOAT64);
    CHECK(NEAR(gnd_cov(gnd_transpose(x), GND_NONE, &(gnd_cov_options){.columns = true}), v, c, c, 1));
    CHECK(NEAR(gnd_cov(x, GND_NONE, &(gnd_cov_options){.bias = true}), v * 2 / 3, c * 2 / 3, c * 2 / 3, 2.0 / 3));
    CHECK(NEAR(gnd_cov(x, GND_NONE, &(gnd_cov_options){.ddof = GND_ARG(0)}), v * 2 / 3, c * 2 / 3, c * 2 / 3, 2.0 / 3));
    CHECK(NEAR(gnd_cov(gnd_slice(x, "0"), gnd_slice(x, "1"), NULL), v, c, c, 1));
    gnd_array *one = gnd_cov(gnd_slice(x, "0"), GND_NONE, NULL);
    CHECK(NEAR(one, v) && gnd_ndim(one) == 0);
    gnd_array *twice = gnd_from_host((const int32_t[]){1, 2, 1}, GND_SHAPE(3), GND_INT32);
    CHECK(NEAR(gnd_cov(gnd_slice(x, "0"), GND_NONE, &(gnd_cov_options){.fweights = GND_ARG(twice)}), 4.75 / 3));
    CHECK(NEAR(gnd_cov(gnd_slice(x, "0"), GND_NONE, &(gnd_cov_options){.aweights = GND_ARG(twice)}), 4.75 / 2.5));
    gnd_array *z = gnd_from_host((const float[]){0, 0, 2, 2}, GND_SHAPE(2), GND_COMPLEX64);
    double re, im;
    CHECK(gnd_item_parts(gnd_cov(z, GND_NONE, NULL), &re, &im) == GND_OK && re == 4 && im == 0);
}

TEST(correlations) {
    gnd_array *x = gnd_reshape(FLOATS(1, 2, 4, 3, 1, 2), GND_SHAPE(2, 3));
    const double r = -0.5 / sqrt(7.0 / 3);
    CHECK(NEAR(gnd_corrcoef(x, GND_NONE, NULL), 1, r, r, 1));
    CHECK(NEAR(gnd_corrcoef(gnd_slice(x, "0"), gnd_slice(x, "1"), NULL), 1, r, r, 1));
    CHECK(NEAR(gnd_corrcoef(gnd_slice(x, "0"), GND_NONE, NULL), 1));
    CHECK(isnan(gnd_item_double(gnd_corrcoef(gnd_ones(GND_SHAPE(3), GND_INT8), GND_NONE, NULL))));
    CHECK_ERROR(gnd_corrcoef(x, GND_NONE, &(gnd_cov_options){.bias = true}), GND_ERROR_INVALID, "options");
}

TEST(bad_covariances) {
    gnd_array *x = gnd_ones(GND_SHAPE(2, 3), GND_FLOAT32);
    gnd_array *w = gnd_from_host((const float[]){1, -1, 1}, GND_SHAPE(3), GND_FLOAT32);
    double host[4];
    CHECK_ERROR(gnd_cov(gnd_ones(GND_SHAPE(2, 3, 4), GND_FLOAT32), GND_NONE, NULL), GND_ERROR_SHAPE, "(2, 3, 4)");
    CHECK_ERROR(gnd_cov(x, gnd_ones(GND_SHAPE(4), GND_FLOAT32), NULL), GND_ERROR_SHAPE, "observations");
    CHECK_ERROR(gnd_cov(x, (gnd_array *)NULL, NULL), GND_ERROR_INVALID, "y");
    CHECK_ERROR(gnd_cov(x, GND_NONE, &(gnd_cov_options){.ddof = GND_ARG(0.5)}), GND_ERROR_VALUE, "whole");
    CHECK_ERROR(gnd_cov(x, GND_NONE, &(gnd_cov_options){.dtype = GND_INT8}), GND_ERROR_DTYPE, "int8");
    CHECK_ERROR(gnd_cov(x, GND_NONE, &(gnd_cov_options){.aweights = GND_ARG(x)}), GND_ERROR_SHAPE, "aweights");
    gnd_array *c = gnd_cov(x, GND_NONE, &(gnd_cov_options){.aweights = GND_ARG(w)});
    CHECK_ERROR(gnd_to_host(c, host, sizeof host), GND_ERROR_VALUE, "negative");
}

TEST_MAIN
