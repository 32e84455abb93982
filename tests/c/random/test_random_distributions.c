/*
 * test_random_distributions.c: every distribution as a C program calls it: numbers and arrays for
 * parameters, dtypes, shapes, bad input. The oracle tests look at how the numbers are distributed.
 */
#include "reads.h"
#include "values.h"

/* Whether `x` is a new array of (50, 20) of this dtype whose mean is about what it should be; mean and
   room of 0: it has none. Releases nothing: a scope does. */
static bool about(gnd_array *x, gnd_dtype dtype, double mean, double room) {
    if (!x || gnd_dtype_of(x) != dtype || gnd_ndim(x) != 2 || gnd_size(x) != 1000) return false;
    const double got = gnd_item_double(gnd_mean(gnd_astype(x, GND_FLOAT64), GND_ALL));
    return room == 0 ? !isnan(got) : fabs(got - mean) < room;
}
#define SHAPE GND_SHAPE(50, 20)

TEST(continuous) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 1);
    const gnd_dtype dtypes[2] = {GND_FLOAT32, GND_FLOAT64};
    for (int i = 0; i < 2; i++) {
        const gnd_dtype d = dtypes[i];
        CHECK(about(gnd_random_laplace(g, 3, 1, SHAPE, d), d, 3, 0.25));
        CHECK(about(gnd_random_logistic(g, 3, 1.0, SHAPE, d), d, 3, 0.3));
        CHECK(about(gnd_random_gumbel(g, 0, 1, SHAPE, d), d, 0.5772, 0.25));
        CHECK(about(gnd_random_lognormal(g, 0, 0.5, SHAPE, d), d, 1.1331, 0.15));
        CHECK(about(gnd_random_pareto(g, 5, SHAPE, d), d, 0.25, 0.06));
        CHECK(about(gnd_random_power(g, 3, SHAPE, d), d, 0.75, 0.05));
        CHECK(about(gnd_random_rayleigh(g, 2.0f, SHAPE, d), d, 2.5066, 0.3));
        CHECK(about(gnd_random_weibull(g, 2, SHAPE, d), d, 0.8862, 0.1));
        CHECK(about(gnd_random_standard_cauchy(g, SHAPE, d), d, 0, 0));
        CHECK(about(gnd_random_triangular(g, 0, 1, 5, SHAPE, d), d, 2, 0.25));
        CHECK(about(gnd_random_standard_gamma(g, 4, SHAPE, d), d, 4, 0.4));
        CHECK(about(gnd_random_gamma(g, 4, 0.5, SHAPE, d), d, 2, 0.2));
        CHECK(about(gnd_random_chisquare(g, 6, SHAPE, d), d, 6, 0.7));
        CHECK(about(gnd_random_noncentral_chisquare(g, 6, 2, SHAPE, d), d, 8, 0.9));
        CHECK(about(gnd_random_beta(g, 2, 6, SHAPE, d), d, 0.25, 0.03));
        CHECK(about(gnd_random_f(g, 10, 30, SHAPE, d), d, 1.0714, 0.12));
        CHECK(about(gnd_random_noncentral_f(g, 10, 30, 5, SHAPE, d), d, 1.6071, 0.2));
        CHECK(about(gnd_random_standard_t(g, 8, SHAPE, d), d, 0, 0.25));
        CHECK(about(gnd_random_wald(g, 2, 8, SHAPE, d), d, 2, 0.25));
        CHECK(about(gnd_random_vonmises(g, 1, 5, SHAPE, d), d, 1, 0.1));
    }
    gnd_random_release(g);
}

TEST(discrete) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 2);
    const gnd_dtype d = GND_INT64;
    CHECK(about(gnd_random_poisson(g, 3, SHAPE), d, 3, 0.35));
    CHECK(about(gnd_random_poisson(g, 50.0, SHAPE), d, 50, 1.5));
    CHECK(about(gnd_random_binomial(g, 10, 0.3, SHAPE), d, 3, 0.3));
    CHECK(about(gnd_random_binomial(g, 1000u, 0.3f, SHAPE), d, 300, 3));
    CHECK(about(gnd_random_negative_binomial(g, 5, 0.5, SHAPE), d, 5, 0.6));
    CHECK(about(gnd_random_geometric(g, 0.25, SHAPE), d, 4, 0.7));
    CHECK(about(gnd_random_hypergeometric(g, 20, 30, 25, SHAPE), d, 10, 0.4));
    CHECK(about(gnd_random_logseries(g, 0.5, SHAPE), d, 1.4427, 0.2));
    CHECK(about(gnd_random_zipf(g, 4, SHAPE), d, 1.1106, 0.12));
    gnd_random_release(g);
}

TEST(parameters_are_arrays) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 3);
    gnd_array *n = INTEGERS(0, 5, 1000000), *p = gnd_reshape(DOUBLES(0, 1), GND_SHAPE(2, 1));
    gnd_array *x = gnd_random_binomial(g, n, p, GND_PARAMETERS_SHAPE);
    CHECK(HOLDS(x, 0, 0, 0, 0, 5, 1000000));
    gnd_array *y = gnd_random_gamma(g, DOUBLES(0, 1e6), 2, GND_SHAPE(4, 2), GND_FLOAT32);
    CHECK(gnd_item_double(gnd_sum(gnd_slice(y, ":, 0"), GND_ALL)) == 0);
    CHECK(fabs(gnd_item_double(gnd_mean(gnd_slice(y, ":, 1"), GND_ALL)) / 2e6 - 1) < 0.01);
    /* One that is refused spoils its own element alone, and is reported later. */
    gnd_array *z = gnd_random_pareto(g, DOUBLES(1, -1, 1), GND_PARAMETERS_SHAPE, GND_FLOAT64);
    CHECK(z && gnd_error() == NULL);
    double got[3];
    CHECK_ERROR(gnd_to_host(z, got, sizeof got), GND_ERROR_VALUE, "gnd_random_pareto");
    CHECK(gnd_to_host(z, got, sizeof got) == GND_OK);
    CHECK(got[0] >= 0 && isnan(got[1]) && got[2] >= 0);
    gnd_random_release(g);
}

TEST(rows) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 4);
    gnd_array *m = gnd_random_multinomial(g, 100, DOUBLES(0.5, 0.25, 0.25), GND_SHAPE(3));
    CHECK(gnd_shape_of(m).dim[1] == 3 && HOLDS(gnd_sum(m, GND_AXES(1)), 100, 100, 100));
    gnd_array *h = gnd_random_multivariate_hypergeometric(g, INTEGERS(4, 0, 6), 10, GND_SHAPE(2));
    CHECK(HOLDS(h, 4, 0, 6, 4, 0, 6));
    gnd_array *d = gnd_random_dirichlet(g, DOUBLES(1, 2, 3, 4), GND_PARAMETERS_SHAPE, GND_FLOAT64);
    CHECK(fabs(gnd_item_double(gnd_sum(d, GND_ALL)) - 1) < 1e-12);
    gnd_array *cov = gnd_reshape(DOUBLES(4, 0, 0, 0), GND_SHAPE(2, 2)), *mean = DOUBLES(1, 2);
    const gnd_multivariate_normal_options eigh = {.method = GND_BY_EIGH, .check = true};
    gnd_array *x = gnd_random_multivariate_normal(g, mean, cov, GND_SHAPE(1000), &eigh, GND_FLOAT64);
    CHECK(fabs(gnd_item_double(gnd_std(gnd_slice(x, ":, 0"), GND_ALL, 0)) - 2) < 0.2);
    CHECK(gnd_item_double(gnd_std(gnd_slice(x, ":, 1"), GND_ALL, 0)) < 1e-6);
    gnd_random_release(g);
}

TEST(bad_input) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 5);
    gnd_array *x = DOUBLES(1, 2, 3);
    CHECK_ERROR(gnd_random_gamma(NULL, 1, 1, SHAPE, GND_FLOAT64), GND_ERROR_INVALID, "gamma");
    CHECK_ERROR(gnd_random_gamma(g, 1, -1, SHAPE, GND_FLOAT64), GND_ERROR_VALUE, "scale");
    CHECK_ERROR(gnd_random_gamma(g, x, 1, GND_SHAPE(2), GND_FLOAT64), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_random_gamma(g, 1, 1, SHAPE, GND_FLOAT16), GND_ERROR_DTYPE, "float16");
    CHECK_ERROR(gnd_random_gamma(g, GND_NONE, 1, SHAPE, GND_FLOAT64), GND_ERROR_INVALID, "gamma");
    CHECK_ERROR(gnd_random_binomial(g, 1.5, 0.5, SHAPE), GND_ERROR_DTYPE, "integer");
    CHECK_ERROR(gnd_random_binomial(g, x, 0.5, SHAPE), GND_ERROR_DTYPE, "float64");
    CHECK_ERROR(gnd_random_poisson(g, 1e19, SHAPE), GND_ERROR_VALUE, "lam");
    CHECK_ERROR(gnd_random_dirichlet(g, NULL, SHAPE, GND_FLOAT64), GND_ERROR_INVALID, "alpha");
    CHECK_ERROR(gnd_random_multinomial(g, 1, NULL, SHAPE), GND_ERROR_INVALID, "pvals");
    gnd_random_release(g);
}

TEST(failing_allocations) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 6);
    gnd_array *k = gnd_astype(DOUBLES(1, 2, 3), GND_FLOAT32), *n = INTEGERS(1, 2, 3);
    gnd_array *p = gnd_slice(gnd_ones(GND_SHAPE(3, 4), GND_FLOAT16), "..., ::2");
    gnd_array *cov = gnd_eye(3, 3, 0, GND_FLOAT32);
    CHECK_FAILS_CLEANLY(gnd_random_gamma(g, 1, 2, SHAPE, GND_FLOAT32));
    CHECK_FAILS_CLEANLY(gnd_random_gamma(g, k, n, GND_PARAMETERS_SHAPE, GND_FLOAT64));
    CHECK_FAILS_CLEANLY(gnd_random_binomial(g, n, k, GND_SHAPE(0, 3)));
    CHECK_FAILS_CLEANLY(gnd_random_multinomial(g, n, p, GND_SHAPE(5, 3)));
    CHECK_FAILS_CLEANLY(
        gnd_random_dirichlet(g, gnd_reshape(p, GND_SHAPE(3, 1, 1, 1, 2)), GND_PARAMETERS_SHAPE, GND_FLOAT32));
    for (int method = GND_BY_SVD; method <= GND_BY_CHOLESKY; method++) {
        const gnd_multivariate_normal_options options = {.method = (gnd_covariance_method)method, .check = true};
        CHECK_FAILS_CLEANLY(gnd_random_multivariate_normal(g, k, cov, GND_SHAPE(2), &options, GND_FLOAT32));
    }
    gnd_random_release(g);
}

TEST_MAIN
