/*
 * test_sets.c: unique and what it gives, rows, two sets and membership, as a C program uses them. The
 * oracle tests compare every dtype with NumPy.
 */
#include "tap.h"

static gnd_array *integers(const int32_t *values, int64_t n) {
    return gnd_from_host(values, GND_SHAPE(n), GND_INT32);
}
#define INTEGERS(...)                                                                                                  \
    integers((const int32_t[]){__VA_ARGS__}, (int64_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

/* Whether `a` has these numbers, in one dimension. */
#define HOLDS(a, ...) gnd_array_equal(a, INTEGERS(__VA_ARGS__), false)

/* 0, 1, 2, ... modulo a number, scrambled. */
static gnd_array *scrambled(int64_t n, int64_t values) {
    gnd_array *x = gnd_arange(0, n, 1, GND_INT64);
    return gnd_remainder(gnd_multiply(x, 7919), values);
}

TEST(unique_and_what_it_gives) {
    gnd_array *x = INTEGERS(3, 1, 3, 2, 1, 3), *index, *inverse, *counts;
    CHECK(HOLDS(gnd_unique(x, GND_ALL, NULL), 1, 2, 3));
    gnd_array *values =
        gnd_unique(x, GND_ALL, &(gnd_unique_options){.index = &index, .inverse = &inverse, .counts = &counts});
    CHECK(HOLDS(values, 1, 2, 3) && HOLDS(index, 1, 3, 0) && HOLDS(counts, 2, 1, 3));
    CHECK(HOLDS(inverse, 2, 0, 2, 1, 0, 2) && gnd_dtype_of(inverse) == GND_INT64);
    inverse = index = NULL;
    values = gnd_unique_all(gnd_reshape(x, GND_SHAPE(2, 3)), NULL, &inverse, NULL);
    CHECK(HOLDS(values, 1, 2, 3) && gnd_ndim(inverse) == 2 && index == NULL);
    CHECK(HOLDS(gnd_unique_counts(gnd_slice(x, "2:"), &counts), 1, 2, 3) && HOLDS(counts, 1, 1, 2));
}

TEST(counted_and_sorted_agree) {
    const int64_t n = 200000;
    for (int64_t span = 10; span < 10000000; span *= 100) {
        gnd_array *x = scrambled(n, span), *counts, *inverse, *more_counts, *index, *again;
        gnd_unique_options some = {.counts = &counts, .inverse = &inverse};
        gnd_unique_options all = {.counts = &more_counts, .inverse = &again, .index = &index};
        gnd_array *values = gnd_unique(x, GND_ALL, &some);
        CHECK(gnd_array_equal(values, gnd_unique(x, GND_ALL, &all), false));
        CHECK(gnd_size(values) == (span < n ? span : n));
        CHECK(gnd_array_equal(counts, more_counts, false) && gnd_array_equal(inverse, again, false));
        CHECK(gnd_item_int(gnd_sum(counts, GND_ALL)) == n);
        gnd_array *floats = gnd_astype(x, GND_FLOAT64);
        CHECK(gnd_array_equal(gnd_unique(floats, GND_ALL, NULL), values, false));
    }
}

/* What the first elements look like decides what is tried first, and nothing else. */
TEST(beginnings_of_large_arrays_mislead_nobody) {
    const int64_t n = (1 << 20) + 3, wide = INT64_C(1) << 30,
                  spans[3][2] = {{1000, 1000}, {wide, wide}, {5, wide}}; /* of the first few, of the rest */
    const gnd_dtype dtypes[] = {GND_INT32, GND_UINT32, GND_INT64, GND_UINT64};
    for (int k = 0; k < 12; k++)
        GND_SCOPE {
            const int64_t *span = spans[k / 4];
            gnd_array *place = gnd_arange(0, n, 1, GND_INT64), *inverse, *counts;
            gnd_array *long_way = gnd_remainder(gnd_multiply(place, 1000003), span[1]);
            gnd_array *x = gnd_where(gnd_less(place, 70), gnd_remainder(place, span[0]), long_way);
            x = gnd_astype(k % 2 ? x : gnd_subtract(x, 3), dtypes[k % 4]);
            gnd_array *values = gnd_unique(x, GND_ALL, NULL);
            gnd_array *again = gnd_unique(x, GND_ALL, &(gnd_unique_options){.inverse = &inverse, .counts = &counts});
            gnd_array *floats = gnd_unique(gnd_astype(x, GND_FLOAT64), GND_ALL, NULL);
            CHECK(gnd_array_equal(values, floats, false) && gnd_array_equal(again, floats, false));
            CHECK(gnd_array_equal(gnd_take(values, inverse, GND_AXES(0), GND_RAISE), x, false));
            CHECK(gnd_item_int(gnd_sum(counts, GND_ALL)) == n);
        }
}

TEST(nan_is_one_value_or_many) {
    const float numbers[] = {1, 0, 0, -1, 0, 1};
    gnd_array *x = gnd_from_host(numbers, GND_SHAPE(6), GND_FLOAT32), *counts;
    x = gnd_divide(x, gnd_absolute(x)); /* 1, NaN, NaN, -1, NaN, 1 */
    gnd_unique_options options = {.counts = &counts};
    CHECK(gnd_size(gnd_unique(x, GND_ALL, &options)) == 3 && HOLDS(counts, 1, 2, 3));
    options.distinct_nan = true;
    CHECK(gnd_size(gnd_unique(x, GND_ALL, &options)) == 5 && HOLDS(counts, 1, 2, 1, 1, 1));
    CHECK(gnd_size(gnd_unique_values(x)) == 5);
}

TEST(rows) {
    gnd_array *x = gnd_reshape(INTEGERS(2, 1, 0, 5, 2, 0, 0, 5, 2, 1), GND_SHAPE(5, 2));
    gnd_array *index, *inverse, *counts;
    const gnd_unique_options options = {.index = &index, .inverse = &inverse, .counts = &counts};
    gnd_array *values = gnd_unique(x, GND_AXES(0), &options);
    CHECK(HOLDS(gnd_ravel(values), 0, 5, 2, 0, 2, 1) && gnd_dim(values, 0) == 3);
    CHECK(HOLDS(index, 1, 2, 0) && HOLDS(inverse, 2, 0, 1, 0, 2) && HOLDS(counts, 2, 1, 2));
    gnd_array *columns = gnd_unique(gnd_transpose(x), GND_AXES(-1), NULL);
    CHECK(gnd_array_equal(columns, gnd_transpose(values), false));
}

TEST(rows_of_a_large_matrix) {
    const int64_t n = 100000;
    gnd_array *x = gnd_remainder(
        gnd_floor_divide(gnd_expand_dims(scrambled(n, 4096), GND_AXES(1)), INTEGERS(1, 4, 16, 64, 256, 1024)), 4);
    gnd_array *counts;
    gnd_array *values = gnd_unique(x, GND_AXES(0), &(gnd_unique_options){.counts = &counts});
    CHECK(gnd_dim(values, 0) == 4096 && gnd_dim(values, 1) == 6);
    CHECK(gnd_item_int(gnd_sum(counts, GND_ALL)) == n);
    CHECK(HOLDS(gnd_slice(values, "1"), 0, 0, 0, 0, 0, 1));
}

TEST(two_sets) {
    gnd_array *a = INTEGERS(5, 3, 1, 3, 9), *b = INTEGERS(3, 4, 9, 9), *a_indices, *b_indices;
    CHECK(HOLDS(gnd_intersect1d(a, b, false), 3, 9) && HOLDS(gnd_union1d(a, b), 1, 3, 4, 5, 9));
    CHECK(HOLDS(gnd_setdiff1d(a, b, false), 1, 5) && HOLDS(gnd_setdiff1d(a, b, true), 5, 1));
    CHECK(HOLDS(gnd_setxor1d(a, b, false), 1, 4, 5));
    CHECK(HOLDS(gnd_intersect1d_with_indices(a, b, false, &a_indices, &b_indices), 3, 9));
    CHECK(HOLDS(a_indices, 1, 4) && HOLDS(b_indices, 0, 2));
    gnd_array *wide = gnd_union1d(gnd_astype(a, GND_FLOAT32), b);
    CHECK(gnd_dtype_of(wide) == GND_FLOAT64);
}

TEST(membership) {
    gnd_array *x = gnd_reshape(INTEGERS(5, 3, 1, 3, 9, -7), GND_SHAPE(2, 3)), *test = INTEGERS(3, 9);
    for (int kind = GND_ISIN_AUTO; kind <= GND_ISIN_TABLE; kind++) {
        gnd_array *mask = gnd_isin(x, test, false, (gnd_isin_kind)kind);
        CHECK(gnd_dtype_of(mask) == GND_BOOL && gnd_ndim(mask) == 2);
        CHECK(HOLDS(gnd_ravel(gnd_astype(mask, GND_INT32)), 0, 1, 0, 1, 1, 0));
        CHECK(gnd_array_equal(gnd_isin(x, test, true, (gnd_isin_kind)kind), gnd_logical_not(mask), false));
    }
}

TEST(refused) {
    gnd_array *x = INTEGERS(1, 2), *counts = x, *real = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    CHECK_ERROR(gnd_unique(x, GND_AXES(1), &(gnd_unique_options){.counts = &counts}), GND_ERROR_AXIS, "axis 1");
    CHECK(counts == NULL);
    CHECK_ERROR(gnd_union1d(x, NULL), GND_ERROR_INVALID, "'b' is NULL");
    CHECK_ERROR(gnd_isin(x, real, false, GND_ISIN_TABLE), GND_ERROR_DTYPE, "integers and bool");
}

/* What the device met before is reported by the function that waits. */
TEST(faults_come_with_the_result) {
    gnd_array *x = gnd_power(INTEGERS(1, 2, 3), gnd_full(GND_SHAPE(3), -1, GND_INT32)), *counts;
    CHECK_ERROR(gnd_unique_counts(x, &counts), GND_ERROR_VALUE, "power");
}

TEST_MAIN
