/*
 * test_masks.c: indices and elements that a mask names, assignment under it, counts that stay on the
 * device, and faults at the next wait. The oracle tests compare every dtype and layout with NumPy.
 */
#include "values.h"

TEST(indices_of_what_is_not_zero) {
    gnd_array *x = gnd_reshape(gnd_remainder(count_up(GND_SHAPE(12), GND_INT32), 5), GND_SHAPE(3, 4));
    gnd_array *indices[2];
    CHECK(gnd_nonzero(gnd_greater(x, 2), indices) == GND_OK);
    CHECK(HOLDS(indices[0], 0, 1, 2, 2) && HOLDS(indices[1], 3, 0, 0, 1));
    CHECK(HOLDS(gnd_flatnonzero(gnd_greater(x, 2)), 3, 4, 8, 9));
    gnd_array *rows = gnd_argwhere(gnd_greater(x, 2));
    CHECK(gnd_ndim(rows) == 2 && HOLDS(rows, 0, 3, 1, 0, 2, 0, 2, 1));
    CHECK(gnd_size(gnd_flatnonzero(gnd_zeros(GND_SHAPE(1000), GND_FLOAT16))) == 0);
    CHECK_ERROR(gnd_nonzero(gnd_zeros(GND_SCALAR, GND_INT8), indices), GND_ERROR_SHAPE, "no dimensions");
    CHECK_ERROR(gnd_nonzero(NULL, indices), GND_ERROR_INVALID, "'x' is NULL");
}

TEST(elements_under_a_mask) {
    gnd_array *x = gnd_reshape(count_up(GND_SHAPE(12), GND_FLOAT32), GND_SHAPE(3, 4));
    CHECK(HOLDS(gnd_extract(gnd_greater(x, 8.5), x), 9, 10, 11));
    CHECK(HOLDS(gnd_extract(gnd_transpose(gnd_less(x, 2)), gnd_transpose(x)), 0, 1));
    gnd_array *keep = gnd_greater(count_up(GND_SHAPE(3), GND_INT64), 0);
    CHECK(HOLDS(gnd_compress(keep, x, GND_AXES(1)), 1, 2, 5, 6, 9, 10));
    CHECK(HOLDS(gnd_compress(keep, x, GND_ALL), 1, 2));
    gnd_axes axes = GND_AXES(0);
    axes.out = gnd_zeros(GND_SHAPE(2, 4), GND_INT16);
    CHECK(gnd_compress(keep, x, axes) != NULL);
    CHECK(HOLDS(axes.out, 4, 5, 6, 7, 8, 9, 10, 11));
    CHECK_ERROR(gnd_extract(keep, x), GND_ERROR_SHAPE, "(3,)");
}

TEST(counts_stay_on_the_device) {
    gnd_array *x = count_up(GND_SHAPE(100), GND_INT32), *indices[1], *count, *found;
    CHECK(gnd_nonzero_bounded(gnd_greater(x, 96), 5, indices, &count) == GND_OK);
    CHECK(gnd_item_int(count) == 3 && HOLDS(indices[0], 97, 98, 99, 0, 0));
    found = gnd_extract_bounded(gnd_greater(x, 9), x, 2, &count);
    CHECK(gnd_item_int(count) == 90 && HOLDS(found, 10, 11));
    CHECK_ERROR(gnd_extract_bounded(x, x, -1, &count), GND_ERROR_VALUE, "-1");
    CHECK(count == NULL);
    /* More than any memory holds; products of them must not overflow, which the sanitizers see. */
    gnd_array *matrix = gnd_reshape(x, GND_SHAPE(10, 10)), *both[2] = {NULL};
    for (int64_t most = INT64_MAX; most > INT64_MAX / 64; most /= 2) {
        CHECK_ERROR(gnd_nonzero_bounded(matrix, most, both, &count), GND_ERROR_MEMORY, "no memory");
        CHECK(!both[0] && !both[1] && !count);
        CHECK_ERROR(gnd_extract_bounded(x, x, most, &count), GND_ERROR_MEMORY, "no memory");
    }
}

TEST(assignment_under_a_mask) {
    gnd_array *x = count_up(GND_SHAPE(6), GND_FLOAT64), *odd = gnd_remainder(x, 2);
    CHECK(gnd_place(x, odd, DOUBLES(70, 80)) == GND_OK);
    CHECK(HOLDS(x, 0, 70, 2, 80, 4, 70));
    CHECK(gnd_putmask(x, odd, DOUBLES(70, 80)) == GND_OK);
    CHECK(HOLDS(x, 0, 80, 2, 80, 4, 80));
    CHECK(gnd_place(x, odd, -1) == GND_OK);
    CHECK(HOLDS(x, 0, -1, 2, -1, 4, -1));
    CHECK(gnd_set(x, GND_INDICES(gnd_less(x, 0)), count_up(GND_SHAPE(3), GND_INT8)) == GND_OK);
    CHECK(HOLDS(x, 0, 0, 2, 1, 4, 2));
    CHECK(HOLDS(gnd_get(x, GND_INDICES(gnd_greater(x, 1))), 2, 4, 2));
}

TEST(wrong_counts_are_told_at_the_next_wait) {
    gnd_array *x = count_up(GND_SHAPE(6), GND_FLOAT32), *mask = gnd_greater(x, 2);
    float got[6];
    CHECK(gnd_set(x, GND_INDICES(mask), count_up(GND_SHAPE(2), GND_FLOAT32)) == GND_OK);
    CHECK_ERROR(gnd_to_host(x, got, sizeof got), GND_ERROR_VALUE, "2 values for 3 true elements");
    CHECK(gnd_place(x, mask, gnd_zeros(GND_SHAPE(0), GND_FLOAT32)) == GND_OK);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "0 values for 3 true elements");
    CHECK(gnd_set(x, GND_INDICES(mask), count_up(GND_SHAPE(3), GND_FLOAT32)) == GND_OK);
    CHECK(gnd_sync() == GND_OK);
}

/* A mask of a sparse pattern, longer than any tile, from each alignment. */
TEST(long_masks) {
    const int64_t n = 1000003;
    gnd_array *x = count_up(GND_SHAPE(n), GND_INT32);
    for (int shift = 0; shift < 3; shift++) {
        gnd_array *mask = gnd_slice(gnd_equal(gnd_remainder(x, 7), 3), "%d:", shift);
        gnd_array *indices = gnd_flatnonzero(mask);
        CHECK(gnd_size(indices) == (n - shift) / 7 + ((n - shift) % 7 > 3 - shift));
        gnd_array *expected = gnd_add(gnd_multiply(count_up(GND_SHAPE(gnd_size(indices)), GND_INT64), 7), 3 - shift);
        CHECK(gnd_item_bool(gnd_all(gnd_equal(indices, expected), GND_ALL)));
        gnd_array *found = gnd_extract(mask, gnd_slice(x, "%d:", shift));
        CHECK(gnd_item_bool(gnd_all(gnd_equal(found, gnd_add(expected, shift)), GND_ALL)));
    }
}

/* ---- choices and indices -------------------------------------------------------------------- */

static gnd_array *times(const gnd_array *x, void *factor) {
    return gnd_multiply(x, *(const double *)factor);
}

TEST(one_of_several_values) {
    gnd_array *x = count_up(GND_SHAPE(6), GND_FLOAT32), *which = INTEGERS(0, 1, 2, 2, 1, 0);
    CHECK(HOLDS(gnd_choose(which, GND_ARGS(x, -1, gnd_square(x)), GND_RAISE), 0, -1, 4, 9, -1, 5));
    CHECK(HOLDS(gnd_choose(INTEGERS(-1, 5, 0), GND_ARGS(7, 8, 9), GND_WRAP), 9, 9, 7));
    CHECK(HOLDS(gnd_choose(INTEGERS(-1, 5, 0), GND_ARGS(7, 8, 9), GND_CLIP), 7, 9, 7));
    gnd_array *chosen = gnd_choose(INTEGERS(1, 3), GND_ARGS(7, 8, 9), GND_RAISE);
    int64_t got[2];
    CHECK_ERROR(gnd_to_host(chosen, got, sizeof got), GND_ERROR_INDEX, "index 3");
    CHECK(HOLDS(gnd_select(GND_ARGS(gnd_less(x, 2), gnd_greater(x, 3)), GND_ARGS(-1, 1), x), -1, -1, 2, 3, 1, 1));
    double factor = 10;
    gnd_piece pieces[] = {{.value = gnd_arg_int(-1)}, {.function = times, .context = &factor}};
    CHECK(HOLDS(gnd_piecewise(x, GND_ARGS(gnd_less(x, 3)), 2, pieces), -1, -1, -1, 30, 40, 50));
    CHECK(HOLDS(gnd_piecewise(x, GND_ARGS(gnd_less(x, 3)), 1, pieces), -1, -1, -1, 0, 0, 0));
}

TEST(indices_to_compute_with) {
    gnd_array *pair[2];
    CHECK(gnd_unravel_index(INTEGERS(22, 41, 37), GND_SHAPE(7, 6), 'C', pair) == GND_OK);
    CHECK(HOLDS(pair[0], 3, 6, 6) && HOLDS(pair[1], 4, 5, 1));
    CHECK(HOLDS(gnd_ravel_multi_index(GND_ARGS(pair[0], pair[1]), GND_SHAPE(7, 6), GND_RAISE, 'C'), 22, 41, 37));
    CHECK(gnd_tril_indices(3, -1, -1, pair) == GND_OK);
    CHECK(HOLDS(pair[0], 1, 2, 2) && HOLDS(pair[1], 0, 0, 1));
    CHECK(gnd_mask_indices(3, gnd_triu, 1, pair) == GND_OK);
    CHECK(HOLDS(pair[0], 0, 0, 1) && HOLDS(pair[1], 1, 2, 2));
    gnd_array *a = gnd_zeros(GND_SHAPE(5, 3), GND_INT32);
    CHECK(gnd_fill_diagonal(a, INTEGERS(1, 2), true) == GND_OK);
    CHECK(HOLDS(a, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0));
    CHECK_ERROR(gnd_unravel_index(INTEGERS(1), GND_SHAPE(0, 6), 'C', pair), GND_ERROR_SHAPE, "no elements");
    CHECK(gnd_unravel_index(INTEGERS(42), GND_SHAPE(7, 6), 'F', pair) == GND_OK);
    CHECK_ERROR(gnd_sync(), GND_ERROR_INDEX, "index 42");
}

TEST_MAIN
