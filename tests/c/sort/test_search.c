/*
 * test_search.c: indices in what is in order, bins of elements and curves, as C programs call them; faults
 * at the next wait. The oracle tests compare every dtype with NumPy.
 */
#include "values.h"
#include <math.h>

TEST(searchsorted_finds_indices) {
    gnd_array *line = DOUBLES(1, 2, 2, 2, 5, NAN), *values = DOUBLES(0, 1, 2, 3, 5, 9, NAN);
    CHECK(HOLDS(gnd_searchsorted(line, values, GND_LEFT, GND_NONE), 0, 0, 1, 4, 4, 5, 5));
    CHECK(HOLDS(gnd_searchsorted(line, values, GND_RIGHT, GND_NONE), 0, 1, 4, 4, 5, 5, 6));
    CHECK(HOLDS(gnd_searchsorted(line, 2, GND_LEFT, GND_NONE), 1));
    gnd_array *mixed = DOUBLES(5, 1, 3);
    gnd_array *order = gnd_argsort(mixed, GND_AXES(0), GND_ASCENDING);
    CHECK(HOLDS(gnd_searchsorted(mixed, 3.5, GND_LEFT, order), 2));
    CHECK(gnd_dtype_of(gnd_searchsorted(line, values, GND_LEFT, GND_NONE)) == GND_INT64);
}

TEST(long_lines_are_searched_as_short_ones) {
    const int64_t n = 3000001;
    gnd_array *line = count_up(GND_SHAPE(n), GND_INT32);
    gnd_array *indices = gnd_searchsorted(line, line, GND_LEFT, GND_NONE);
    CHECK(gnd_item_bool(gnd_all(gnd_equal(indices, line), GND_ALL)));
    indices = gnd_searchsorted(line, line, GND_RIGHT, GND_NONE);
    CHECK(gnd_item_bool(gnd_all(gnd_equal(indices, gnd_add(line, 1)), GND_ALL)));
    gnd_array *halves = gnd_add(gnd_astype(line, GND_FLOAT64), 0.5);
    indices = gnd_searchsorted(line, halves, GND_LEFT, GND_NONE);
    CHECK(gnd_item_bool(gnd_all(gnd_equal(indices, gnd_add(line, 1)), GND_ALL)));
}

TEST(digitize_takes_either_order) {
    gnd_array *x = DOUBLES(0, 1, 2.5, 7);
    CHECK(HOLDS(gnd_digitize(x, DOUBLES(1, 2, 3), false), 0, 1, 2, 3));
    CHECK(HOLDS(gnd_digitize(x, DOUBLES(1, 2, 3), true), 0, 0, 2, 3));
    CHECK(HOLDS(gnd_digitize(x, DOUBLES(3, 2, 1), false), 3, 2, 1, 0));
    CHECK(HOLDS(gnd_digitize(2, DOUBLES(1, 2, 3), false), 2));
}

TEST(what_is_wrong_is_told) {
    double got[4];
    gnd_array *x = DOUBLES(0, 1, 2, 3);
    gnd_array *indices = gnd_digitize(x, DOUBLES(1, 3, 2), false);
    CHECK(indices != NULL);
    CHECK_ERROR(gnd_to_host(indices, got, sizeof got), GND_ERROR_VALUE, "bins that do not increase monotonically");
    gnd_array *sorter = gnd_astype(DOUBLES(0, 1, 2, 7), GND_INT64);
    indices = gnd_searchsorted(x, x, GND_LEFT, sorter);
    CHECK(indices != NULL);
    CHECK_ERROR(gnd_to_host(indices, got, sizeof got), GND_ERROR_INDEX, "index 7");
    CHECK_ERROR(gnd_searchsorted(x, x, GND_LEFT, x), GND_ERROR_DTYPE, "float64");
    CHECK_ERROR(gnd_searchsorted(NULL, x, GND_LEFT, GND_NONE), GND_ERROR_INVALID, "'sorted' is NULL");
    CHECK_ERROR(gnd_digitize(x, gnd_zeros(GND_SHAPE(2, 2), GND_INT8), false), GND_ERROR_SHAPE, "(2, 2)");
}

TEST(curves_go_through_their_points) {
    gnd_array *xp = DOUBLES(0, 1, 3), *fp = DOUBLES(10, 20, 0);
    gnd_array *x = DOUBLES(-1, 0, 0.5, 1, 2, 3, 4, NAN);
    CHECK(HOLDS(gnd_interp(x, xp, fp, NULL), 10, 10, 15, 20, 10, 0, 0, NAN));
    const gnd_interp_options ends = {.left = gnd_arg_int(-1), .right = gnd_arg_real(0.5)};
    CHECK(HOLDS(gnd_interp(x, xp, fp, &ends), -1, 10, 15, 20, 10, 0, 0.5, NAN));
    const gnd_interp_options circle = {.period = 4};
    CHECK(HOLDS(gnd_interp(DOUBLES(3.5, -0.5, 4.5), xp, fp, &circle), 5, 5, 15));
    CHECK(HOLDS(gnd_interp(2, xp, fp, NULL), 10));
    CHECK_ERROR(gnd_interp(x, xp, x, NULL), GND_ERROR_SHAPE, "(3,)");
}

TEST_MAIN
