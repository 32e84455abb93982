/*
 * test_ufunc.c: the operators' methods: segments, outer products, updates at indices with
 * duplicates, faults, and the same bits every time. The oracle tests compare every operator and
 * dtype with NumPy.
 */
#include "values.h"
#include <math.h>

TEST(reduceat_cuts_an_axis) {
    gnd_array *x = count_up(GND_SHAPE(8), GND_INT32), *starts = INTEGERS(0, 4, 1, 5, 2, 6, 3, 7);
    CHECK(HOLDS(gnd_reduceat("add", x, starts, GND_ALL), 6, 4, 10, 5, 14, 6, 18, 7));
    CHECK(gnd_dtype_of(gnd_reduceat("add", x, starts, GND_ALL)) == GND_INT64);
    CHECK(HOLDS(gnd_reduceat("subtract", x, INTEGERS(0, 3, 5), GND_ALL), -3, -1, -8));
    gnd_array *m = gnd_reshape(count_up(GND_SHAPE(12), GND_FLOAT32), GND_SHAPE(3, 4));
    CHECK(HOLDS(gnd_reduceat("maximum", m, INTEGERS(0, 2), GND_AXES(-1)), 1, 3, 5, 7, 9, 11));
    CHECK(HOLDS(gnd_reduceat("multiply", m, INTEGERS(1), GND_AXES(0)), 32, 45, 60, 77));
    gnd_axes axes = GND_AXES(0);
    axes.dtype = GND_INT8;
    CHECK(gnd_dtype_of(gnd_reduceat("add", x, starts, axes)) == GND_INT8);
    axes.dtype = 0, axes.out = gnd_zeros(GND_SHAPE(3), GND_FLOAT16);
    CHECK(gnd_reduceat("add", x, INTEGERS(0, 2, 4), axes) != NULL);
    CHECK(HOLDS(axes.out, 1, 5, 22));
}

TEST(long_segments_are_whole) {
    const int64_t n = 1000003;
    gnd_array *x = gnd_ones(GND_SHAPE(n), GND_FLOAT32);
    gnd_array *sums = gnd_reduceat("add", x, INTEGERS(0, 1, 700, 5, 900001), GND_ALL);
    CHECK(HOLDS(sums, 1, 699, 1, (double)(900001 - 5), (double)(n - 900001)));
    gnd_array *rows = gnd_broadcast_to(x, GND_SHAPE(3, n));
    sums = gnd_reduceat("add", gnd_transpose(rows), INTEGERS(3), GND_AXES(0));
    CHECK(HOLDS(sums, (double)(n - 3), (double)(n - 3), (double)(n - 3)));
}

TEST(reduceat_reports_indices_at_the_next_wait) {
    float got[2];
    gnd_array *x = count_up(GND_SHAPE(5), GND_FLOAT32);
    gnd_array *sums = gnd_reduceat("add", x, INTEGERS(1, 5), GND_ALL);
    CHECK(sums != NULL);
    CHECK_ERROR(gnd_to_host(sums, got, sizeof got), GND_ERROR_INDEX, "index 5 is out of bounds for axis 0 of size 5");
    CHECK_ERROR(gnd_reduceat("add", x, gnd_zeros(GND_SHAPE(1), GND_FLOAT32), GND_ALL), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_reduceat("divmod", x, INTEGERS(1), GND_ALL), GND_ERROR_INVALID, "two results");
    CHECK_ERROR(gnd_reduceat("add", NULL, INTEGERS(1), GND_ALL), GND_ERROR_INVALID, "x");
}

TEST(outer_takes_all_pairs) {
    gnd_array *x = count_up(GND_SHAPE(3), GND_INT32), *y = count_up(GND_SHAPE(2), GND_FLOAT32);
    gnd_array *table = gnd_outer("multiply", x, gnd_add(y, 1));
    CHECK(gnd_ndim(table) == 2 && HOLDS(table, 0, 0, 1, 2, 2, 4));
    CHECK(HOLDS(gnd_outer("subtract", 10, x), 10, 9, 8));
    gnd_array *quotient, *rest;
    CHECK(gnd_outer_two(&quotient, &rest, "divmod", x, INTEGERS(2)) == GND_OK);
    CHECK(HOLDS(quotient, 0, 0, 1) && HOLDS(rest, 0, 1, 0));
    CHECK_ERROR(gnd_outer("divmod", x, x), GND_ERROR_INVALID, "gnd_outer_two");
}

TEST(at_applies_duplicates) {
    gnd_array *a = gnd_zeros(GND_SHAPE(4), GND_INT32);
    CHECK(gnd_at("add", a, GND_ARGS(INTEGERS(1, 1, -1, 1)), 1) == GND_OK);
    CHECK(HOLDS(a, 0, 3, 0, 1));
    CHECK(gnd_at("subtract", a, GND_ARGS(INTEGERS(0, 0, 3)), INTEGERS(1, 2, 30)) == GND_OK);
    CHECK(HOLDS(a, -3, 3, 0, -29));
    CHECK(gnd_at("negative", a, GND_ARGS(INTEGERS(0, 1, 1)), GND_NONE) == GND_OK);
    CHECK(HOLDS(a, 3, 3, 0, -29));
    gnd_array *m = gnd_zeros(GND_SHAPE(2, 3), GND_FLOAT64);
    CHECK(gnd_at("add", m, GND_ARGS(INTEGERS(0, 1, 0), INTEGERS(2, 0, 2)), 0.5) == GND_OK);
    CHECK(HOLDS(m, 0, 0, 1, 0.5, 0, 0));
    CHECK(gnd_at("maximum", m, GND_ARGS(1), count_up(GND_SHAPE(3), GND_FLOAT64)) == GND_OK);
    CHECK(HOLDS(m, 0, 0, 1, 0.5, 1, 2));
    CHECK(gnd_at("add", gnd_transpose(m), GND_ARGS(INTEGERS(2, 2, 0)), 1) == GND_OK);
    CHECK(HOLDS(m, 1, 0, 3, 1.5, 1, 4));
    CHECK((gnd_at)("multiply", m, 0, NULL, gnd_arg_int(2)) == GND_OK);
    CHECK(HOLDS(m, 2, 0, 6, 3, 2, 8));
}

TEST(at_leaves_out_what_is_out_of_range) {
    gnd_array *a = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    float got[3];
    CHECK(gnd_at("add", a, GND_ARGS(INTEGERS(0, 3, 2, 0)), 1) == GND_OK);
    CHECK_ERROR(gnd_to_host(a, got, sizeof got), GND_ERROR_INDEX, "index 3");
    CHECK(HOLDS(a, 2, 0, 1));
    CHECK_ERROR(gnd_at("add", a, GND_ARGS(-4), 1), GND_ERROR_INDEX, "index -4");
    CHECK_ERROR(gnd_at("add", a, GND_ARGS(INTEGERS(0), INTEGERS(0)), 1), GND_ERROR_INDEX,
                "1 dimension, shape (3,), but 2");
    CHECK_ERROR(gnd_at("add", a, GND_ARGS(INTEGERS(0)), gnd_zeros(GND_SHAPE(2), GND_FLOAT32)), GND_ERROR_SHAPE, "(2,)");
    CHECK_ERROR(gnd_at("add", a, GND_ARGS(INTEGERS(0)), GND_NONE), GND_ERROR_INVALID, "two arguments");
    CHECK_ERROR(gnd_at("modf", a, GND_ARGS(INTEGERS(0)), GND_NONE), GND_ERROR_INVALID, "two results");
}

TEST(at_gives_the_same_bits_every_time) {
    enum { UPDATES = 200000, PLACES = 300, TIMES = 10 };
    int64_t *index = malloc(UPDATES * sizeof *index);
    float *value = malloc(UPDATES * sizeof *value);
    float first[PLACES], again[PLACES];
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < UPDATES; i++) {
        index[i] = (int64_t)(next_random(&state) % PLACES);
        value[i] = (float)(next_random(&state) % 100003) / 1000;
    }
    gnd_array *i = integers(index, UPDATES);
    gnd_array *b = gnd_from_host(value, GND_SHAPE(UPDATES), GND_FLOAT32);
    for (int k = 0; k < TIMES; k++) {
        gnd_array *a = gnd_zeros(GND_SHAPE(PLACES), GND_FLOAT32);
        CHECK(gnd_at("add", a, GND_ARGS(i), b) == GND_OK);
        CHECK(gnd_to_host(a, k ? again : first, sizeof first) == GND_OK);
        CHECK(k == 0 || memcmp(first, again, sizeof first) == 0);
    }
    double sum[PLACES] = {0};
    for (int k = 0; k < UPDATES; k++) sum[index[k]] += value[k];
    for (int k = 0; k < PLACES; k++) CHECK(fabs(first[k] - sum[k]) < 1e-4 * sum[k]);
    free(index), free(value);
}

TEST_MAIN
