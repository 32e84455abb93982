/*
 * test_compare.c: whether arrays are equal or share memory, and C functions along and over axes. The
 * oracle tests compare every dtype with NumPy.
 */
#include "values.h"

TEST(equality_to_the_host) {
    gnd_array *a = gnd_reshape(count_up(GND_SHAPE(6), GND_FLOAT32), GND_SHAPE(2, 3));
    gnd_array *b = gnd_astype(a, GND_INT8);
    CHECK(gnd_array_equal(a, b, false) && gnd_array_equal(a, b, true));
    CHECK(!gnd_array_equal(a, gnd_transpose(b), false));
    CHECK(!gnd_array_equal(a, gnd_add(b, 1), false));
    CHECK(gnd_array_equiv(gnd_slice(a, "0:1, 0:1"), 0) && gnd_array_equiv(3, gnd_slice(b, "1, :1")));
    CHECK(gnd_array_equiv(a, b) && !gnd_array_equiv(a, gnd_slice(a, "0, :2")));
    CHECK(gnd_allclose(a, gnd_add(a, 1e-7), 1e-5, 1e-6, false));
    CHECK(!gnd_allclose(a, gnd_add(a, 1e-3), 1e-5, 1e-8, false));
    gnd_array *nan = gnd_divide(gnd_zeros(GND_SHAPE(2), GND_FLOAT64), 0.0);
    CHECK(!gnd_array_equal(nan, nan, false) && gnd_array_equal(nan, nan, true));
    CHECK_ERROR(gnd_allclose(a, gnd_slice(a, "0, :2"), 0, 0, false), GND_ERROR_SHAPE, "(2, 3) and (2,)");
    CHECK_ERROR(gnd_array_equal(NULL, a, false), GND_ERROR_INVALID, "'a' is NULL");
}

TEST(faults_come_with_the_answer) {
    gnd_array *x = gnd_power(count_up(GND_SHAPE(3), GND_INT32), gnd_full(GND_SHAPE(3), -1, GND_INT32));
    CHECK_ERROR(gnd_array_equiv(x, x), GND_ERROR_VALUE, "power");
}

TEST(shared_memory_is_exact) {
    gnd_array *x = gnd_zeros(GND_SHAPE(20, 30), GND_FLOAT32);
    gnd_array *even = gnd_slice(x, "::2"), *odd = gnd_slice(x, "1::2");
    CHECK(gnd_may_share_memory(even, odd) && !gnd_shares_memory(even, odd, -1));
    CHECK(gnd_shares_memory(even, odd, 0));
    CHECK(gnd_shares_memory(gnd_slice(x, "::-1, ::3"), gnd_slice(x, "::5, ::-2"), -1));
    CHECK(!gnd_shares_memory(gnd_slice(x, "3, :4"), gnd_slice(x, "3, 4:"), -1));
    CHECK(!gnd_may_share_memory(gnd_slice(x, "3:3"), x));
    CHECK_ERROR(gnd_shares_memory(x, NULL, -1), GND_ERROR_INVALID, "'b' is NULL");
}

/* The line without its ends, times the context. */
static gnd_array *middle(const gnd_array *line, void *context) {
    return gnd_multiply(gnd_slice(line, "1:-1"), *(const int *)context);
}

static gnd_array *fails(const gnd_array *line, void *context) {
    (void)context;
    return gnd_reshape(line, GND_SHAPE(7));
}

static gnd_array *total(const gnd_array *line, void *context) {
    (void)context;
    gnd_array *result = NULL;
    GND_SCOPE {
        result = gnd_keep(gnd_sum(gnd_add(line, 0), GND_ALL));
    }
    return result;
}

TEST(functions_along_an_axis) {
    int factor = 2;
    gnd_array *x = gnd_reshape(count_up(GND_SHAPE(24), GND_INT32), GND_SHAPE(2, 3, 4));
    const int64_t live = gnd_live_arrays();
    gnd_array *y = gnd_apply_along_axis(middle, &factor, x, 1);
    CHECK(gnd_live_arrays() == live + 1);
    CHECK(gnd_array_equal(y, gnd_multiply(gnd_slice(x, ":, 1:2"), 2), false));
    y = gnd_apply_along_axis(total, NULL, x, -1);
    CHECK(gnd_array_equal(y, gnd_sum(x, GND_AXES(2)), false));
    CHECK_ERROR(gnd_apply_along_axis(fails, NULL, x, 0), GND_ERROR_SHAPE, "gnd_reshape");
    CHECK_ERROR(gnd_apply_along_axis(middle, &factor, gnd_slice(x, "0:0"), 1), GND_ERROR_SHAPE, "no line along axis 1");
    CHECK_ERROR(gnd_apply_along_axis(middle, &factor, x, 3), GND_ERROR_AXIS, "axis 3");
}

static gnd_array *sum_over(const gnd_array *x, int axis, void *calls) {
    ++*(int *)calls;
    return gnd_sum(x, GND_AXES(axis));
}

TEST(functions_over_axes) {
    int calls = 0;
    gnd_array *x = gnd_reshape(count_up(GND_SHAPE(24), GND_INT32), GND_SHAPE(2, 3, 4));
    const int64_t live = gnd_live_arrays();
    gnd_array *y = gnd_apply_over_axes(sum_over, &calls, x, GND_AXES(-1, 0));
    CHECK(calls == 2 && gnd_live_arrays() == live + 1);
    CHECK(gnd_array_equal(y, gnd_sum(x, GND_AXES_KEEP(0, 2)), false));
    CHECK(gnd_item_int(gnd_apply_over_axes(sum_over, &calls, x, GND_ALL)) == 23 * 12);
    CHECK(calls == 5);
}

TEST(results_may_be_retained) {
    int factor = 3, calls = 0;
    gnd_array *x = gnd_retain(gnd_ones(GND_SHAPE(3, 5), GND_FLOAT64));
    gnd_array *y = gnd_retain(gnd_apply_along_axis(middle, &factor, x, 1));
    gnd_array *z = gnd_retain(gnd_apply_over_axes(sum_over, &calls, x, GND_AXES(0)));
    CHECK(gnd_array_equiv(y, 3) && gnd_array_equiv(z, 3));
    gnd_release(x), gnd_release(y), gnd_release(z);
}

TEST_MAIN
