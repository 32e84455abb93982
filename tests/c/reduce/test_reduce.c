/*
 * test_reduce.c: reductions: values over every kind of axis, dtypes, empty arrays, NaN, options,
 * bad input, and the same bits every time. The oracle tests compare many more cases with NumPy.
 */
#include "values.h"
#include <math.h>

static gnd_array *number(double value, gnd_dtype dtype) {
    return gnd_full(GND_SCALAR, value, dtype);
}

TEST(full_reductions_are_0d) {
    gnd_array *x = count_up(GND_SHAPE(3, 4), GND_INT32);
    CHECK(HOLDS_AS(gnd_sum(x, GND_ALL), GND_INT64, 66));
    CHECK(HOLDS_AS(gnd_max(x, GND_ALL), GND_INT32, 11));
    CHECK(HOLDS_AS(gnd_min(x, GND_ALL), GND_INT32, 0));
    CHECK(HOLDS_AS(gnd_prod(x, GND_ALL), GND_INT64, 0));
    CHECK(HOLDS_AS(gnd_count_nonzero(x, GND_ALL), GND_INT64, 11));
    CHECK(gnd_item_bool(gnd_any(x, GND_ALL)) && !gnd_item_bool(gnd_all(x, GND_ALL)));
    CHECK(gnd_item_double(gnd_mean(x, GND_ALL)) == 5.5);
    CHECK(gnd_ndim(gnd_sum(x, GND_ALL)) == 0);
}

TEST(axes_keepdims_and_negative_axes) {
    gnd_array *x = count_up(GND_SHAPE(2, 3, 4), GND_INT64);
    CHECK(HOLDS_AS(gnd_sum(x, GND_AXES(0, 2)), GND_INT64, 60, 92, 124));
    CHECK(HOLDS_AS(gnd_sum(x, GND_AXES(-1, 0)), GND_INT64, 60, 92, 124));
    CHECK(HOLDS_AS(gnd_max(x, GND_AXES(1)), GND_INT64, 8, 9, 10, 11, 20, 21, 22, 23));
    CHECK(HOLDS_AS(gnd_min(x, GND_AXES(2)), GND_INT64, 0, 4, 8, 12, 16, 20));
    gnd_shape kept = gnd_shape_of(gnd_sum(x, GND_AXES_KEEP(1)));
    CHECK(kept.ndim == 3 && kept.dim[0] == 2 && kept.dim[1] == 1 && kept.dim[2] == 4);
    kept = gnd_shape_of(gnd_sum(x, GND_ALL_KEEP));
    CHECK(kept.ndim == 3 && kept.dim[0] == 1 && kept.dim[1] == 1 && kept.dim[2] == 1);
    CHECK(gnd_ndim(gnd_sum(x, GND_NO_AXES)) == 3 && gnd_size(gnd_sum(x, GND_NO_AXES)) == 24);
    CHECK(HOLDS_AS(gnd_sum(number(7, GND_INT32), GND_AXES(-1)), GND_INT64, 7));
}

TEST(views_of_every_kind) {
    gnd_array *x = count_up(GND_SHAPE(6, 8), GND_INT16);
    CHECK(HOLDS_AS(gnd_sum(gnd_slice(x, "::-2, 1::3"), GND_AXES(0)), GND_INT64, 75, 84, 93));
    CHECK(HOLDS_AS(gnd_sum(gnd_transpose(x), GND_AXES(0)), GND_INT64, 28, 92, 156, 220, 284, 348));
    CHECK(HOLDS_AS(gnd_sum(gnd_broadcast_to(gnd_slice(x, ":, 2:3"), GND_SHAPE(6, 100)), GND_AXES(1)), GND_INT64, 200,
                   1000, 1800, 2600, 3400, 4200));
    CHECK(HOLDS_AS(gnd_max(gnd_slice(x, "2:5, 3:6"), GND_ALL), GND_INT16, 37));
}

TEST(result_dtypes) {
    const struct {
        gnd_dtype in, sum, mean;
    } cases[] = {
        {GND_BOOL, GND_INT64, GND_FLOAT64},
        {GND_INT8, GND_INT64, GND_FLOAT64},
        {GND_UINT8, GND_UINT64, GND_FLOAT64},
        {GND_INT16, GND_INT64, GND_FLOAT64},
        {GND_UINT16, GND_UINT64, GND_FLOAT64},
        {GND_INT32, GND_INT64, GND_FLOAT64},
        {GND_UINT32, GND_UINT64, GND_FLOAT64},
        {GND_INT64, GND_INT64, GND_FLOAT64},
        {GND_UINT64, GND_UINT64, GND_FLOAT64},
        {GND_FLOAT16, GND_FLOAT16, GND_FLOAT16},
        {GND_BFLOAT16, GND_BFLOAT16, GND_BFLOAT16},
        {GND_FLOAT32, GND_FLOAT32, GND_FLOAT32},
        {GND_FLOAT64, GND_FLOAT64, GND_FLOAT64},
        {GND_COMPLEX64, GND_COMPLEX64, GND_COMPLEX64},
        {GND_COMPLEX128, GND_COMPLEX128, GND_COMPLEX128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int axis = 0; axis < 2; axis++) {
            gnd_array *x = gnd_ones(GND_SHAPE(3, 50), cases[i].in);
            const double length = axis ? 50 : 3;
            gnd_array *sum = gnd_sum(x, GND_AXES(axis)), *mean = gnd_mean(x, GND_AXES(axis));
            gnd_array *product = gnd_prod(x, GND_AXES(axis)), *most = gnd_max(x, GND_AXES(axis));
            CHECK(gnd_dtype_of(sum) == cases[i].sum && gnd_dtype_of(mean) == cases[i].mean);
            CHECK(gnd_dtype_of(product) == cases[i].sum && gnd_dtype_of(most) == cases[i].in);
            CHECK(gnd_item_bool(gnd_all(gnd_equal(sum, length), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(mean, 1), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(product, 1), GND_ALL)));
            CHECK(gnd_dtype_of(gnd_any(x, GND_ALL)) == GND_BOOL);
            CHECK(gnd_item_int(gnd_count_nonzero(x, GND_ALL)) == 150);
        }
}

TEST(empty_arrays) {
    gnd_array *x = gnd_zeros(GND_SHAPE(0, 3), GND_FLOAT32);
    CHECK(gnd_item_double(gnd_sum(x, GND_ALL)) == 0 && gnd_item_double(gnd_prod(x, GND_ALL)) == 1);
    CHECK(isnan(gnd_item_double(gnd_mean(x, GND_ALL))));
    CHECK(!gnd_item_bool(gnd_any(x, GND_ALL)) && gnd_item_bool(gnd_all(x, GND_ALL)));
    CHECK(HOLDS_AS(gnd_astype(gnd_sum(x, GND_AXES(0)), GND_INT64), GND_INT64, 0, 0, 0));
    CHECK(gnd_size(gnd_max(x, GND_AXES(1))) == 0);
    CHECK_ERROR(gnd_max(x, GND_AXES(0)), GND_ERROR_VALUE, "reduction operation maximum which has no identity");
    CHECK_ERROR(gnd_min(x, GND_ALL), GND_ERROR_VALUE, "(0, 3)");
    gnd_axes axes = GND_AXES(0);
    axes.initial = number(5, GND_FLOAT32);
    CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_max(x, axes), 5), GND_ALL)));
}

TEST(nan_infinity_and_signed_zero) {
    gnd_array *x = FLOATS(1, NAN, -3, INFINITY);
    CHECK(isnan(gnd_item_double(gnd_max(x, GND_ALL))) && isnan(gnd_item_double(gnd_min(x, GND_ALL))));
    CHECK(isnan(gnd_item_double(gnd_sum(x, GND_ALL))));
    CHECK(gnd_item_double(gnd_max(gnd_slice(x, "2:"), GND_ALL)) == INFINITY);
    gnd_array *zero = FLOATS(-0.0f, -0.0f);
    CHECK(!signbit(gnd_item_double(gnd_sum(zero, GND_ALL)))); /* from 0, as NumPy */
    gnd_axes axes = GND_ALL;
    axes.initial = number(-0.0, GND_FLOAT32);
    CHECK(signbit(gnd_item_double(gnd_sum(zero, axes))));
    CHECK(gnd_item_bool(gnd_any(FLOATS(0, NAN), GND_ALL)));
    CHECK(!gnd_item_bool(gnd_any(zero, GND_ALL)));
}

TEST(complex_order) {
    const float values[] = {1, 5, 3, -1, 3, 2, -7, 9};
    gnd_array *x = gnd_from_host(values, GND_SHAPE(4), GND_COMPLEX64);
    double re, im;
    CHECK(gnd_item_parts(gnd_max(x, GND_ALL), &re, &im) == GND_OK && re == 3 && im == 2);
    CHECK(gnd_item_parts(gnd_min(x, GND_ALL), &re, &im) == GND_OK && re == -7 && im == 9);
    CHECK(gnd_item_parts(gnd_sum(x, GND_ALL), &re, &im) == GND_OK && re == 0 && im == 15);
}

TEST(where_and_initial) {
    gnd_array *x = count_up(GND_SHAPE(3, 4), GND_INT32);
    gnd_axes axes = GND_AXES(1);
    axes.where = gnd_greater(x, 5);
    CHECK(HOLDS_AS(gnd_sum(x, axes), GND_INT64, 0, 13, 38));
    CHECK(HOLDS_AS(gnd_prod(x, axes), GND_INT64, 1, 42, 7920));
    CHECK(HOLDS_AS(gnd_count_nonzero(x, axes), GND_INT64, 0, 2, 4));
    CHECK(HOLDS_AS(gnd_all(x, axes), GND_BOOL, 1, 1, 1));
    CHECK(HOLDS_AS(gnd_any(x, axes), GND_BOOL, 0, 1, 1));
    CHECK_ERROR(gnd_max(x, axes), GND_ERROR_VALUE, "does not have an identity");
    gnd_array *mean = gnd_mean(x, axes);
    double got[3];
    CHECK(gnd_dtype_of(mean) == GND_FLOAT64 && gnd_to_host(mean, got, sizeof got) == GND_OK);
    CHECK(isnan(got[0]) && got[1] == 6.5 && got[2] == 9.5);
    axes.initial = number(7, GND_INT64);
    CHECK(HOLDS_AS(gnd_max(x, axes), GND_INT32, 7, 7, 11));
    CHECK(HOLDS_AS(gnd_sum(x, axes), GND_INT64, 7, 20, 45));
    axes.where = gnd_equal(count_up(GND_SHAPE(3, 1), GND_INT32), 1); /* broadcasts along the rows */
    CHECK(HOLDS_AS(gnd_sum(x, axes), GND_INT64, 7, 29, 7));
}

TEST(dtype_and_out) {
    gnd_array *x = gnd_full(GND_SHAPE(300), 1, GND_INT8);
    gnd_axes axes = GND_ALL;
    axes.dtype = GND_INT8;
    CHECK(HOLDS_AS(gnd_sum(x, axes), GND_INT8, 300 - 256));
    axes.dtype = GND_BOOL;
    CHECK(HOLDS_AS(gnd_sum(x, axes), GND_BOOL, 1));
    axes.dtype = GND_FLOAT16;
    CHECK(gnd_item_double(gnd_sum(x, axes)) == 300);
    axes.dtype = 0, axes.out = gnd_empty(GND_SCALAR, GND_FLOAT64);
    gnd_array *result = gnd_sum(x, axes);
    CHECK(result && gnd_shares_buffer(result, axes.out) && gnd_item_double(axes.out) == 300);
    gnd_array *y = count_up(GND_SHAPE(3, 4), GND_INT64);
    axes = GND_AXES(0), axes.out = gnd_slice(y, "1"); /* meets its input */
    CHECK(HOLDS_AS(gnd_sum(y, axes), GND_INT64, 12, 15, 18, 21));
    CHECK(HOLDS_AS(y, GND_INT64, 0, 1, 2, 3, 12, 15, 18, 21, 8, 9, 10, 11));
    axes.out = gnd_slice(gnd_zeros(GND_SHAPE(8), GND_FLOAT32), "::-2");
    CHECK(HOLDS_AS(gnd_max(y, axes), GND_FLOAT32, 12, 15, 18, 21));
}

/* Whether a number is within some digits of another. */
static bool near(const gnd_array *a, double value) {
    return fabs(gnd_item_double(a) - value) <= 1e-6 * fmax(1, fabs(value));
}

TEST(variances) {
    gnd_array *x = FLOATS(1, 2, 4, 9);
    CHECK(near(gnd_var(x, GND_ALL, 0), 9.5) && near(gnd_std(x, GND_ALL, 0), sqrt(9.5)));
    CHECK(near(gnd_var(x, GND_ALL, 1), 38.0 / 3) && near(gnd_var(x, GND_ALL, -1), 38.0 / 5));
    CHECK(gnd_item_double(gnd_var(x, GND_ALL, 4)) == INFINITY);
    CHECK(isnan(gnd_item_double(gnd_var(gnd_slice(x, ":0"), GND_ALL, 0))));
    CHECK(gnd_dtype_of(gnd_std(gnd_astype(x, GND_INT16), GND_ALL, 0)) == GND_FLOAT64);
    CHECK(near(gnd_var(gnd_add(x, 1e6), GND_ALL, 0), 9.5));
    gnd_array *z = gnd_astype(x, GND_COMPLEX64);
    CHECK(gnd_dtype_of(gnd_var(z, GND_ALL, 0)) == GND_FLOAT32 && near(gnd_var(z, GND_ALL, 0), 9.5));
    gnd_axes axes = GND_ALL;
    axes.where = gnd_less(x, 5);
    CHECK(near(gnd_var(x, axes, 0), 14.0 / 9) && near(gnd_mean(x, axes), 7.0 / 3));
    axes.where = NULL, axes.dtype = GND_INT32;
    CHECK_ERROR(gnd_var(x, axes, 0), GND_ERROR_DTYPE, "int32");
    axes.dtype = 0, axes.initial = number(1, GND_FLOAT32);
    CHECK_ERROR(gnd_std(x, axes, 0), GND_ERROR_INVALID, "initial");
    CHECK_ERROR(gnd_var(NULL, GND_ALL, 0), GND_ERROR_INVALID, "gnd_var");
}

TEST(indices) {
    gnd_array *x = gnd_from_host((const int32_t[]){3, 1, 7, 7, 0, 7, 5, 0}, GND_SHAPE(2, 2, 2), GND_INT32);
    CHECK(HOLDS_AS(gnd_argmax(x, GND_ALL), GND_INT64, 2) && HOLDS_AS(gnd_argmin(x, GND_ALL), GND_INT64, 4));
    CHECK(HOLDS_AS(gnd_argmax(x, GND_AXES(0)), GND_INT64, 0, 1, 0, 0));
    CHECK(HOLDS_AS(gnd_argmin(x, GND_AXES(-1)), GND_INT64, 1, 0, 0, 1));
    CHECK(HOLDS_AS(gnd_argmax(x, GND_AXES(2, 0)), GND_INT64, 3, 0));
    CHECK(HOLDS_AS(gnd_argmax(gnd_slice(x, "..., ::-1"), GND_AXES(0, 2)), GND_INT64, 2, 0));
    CHECK(gnd_ndim(gnd_argmin(x, GND_AXES_KEEP(1))) == 3);
    gnd_array *y = FLOATS(1, NAN, -3, NAN);
    CHECK(HOLDS_AS(gnd_argmin(y, GND_ALL), GND_INT64, 1) && HOLDS_AS(gnd_nanargmin(y, GND_ALL), GND_INT64, 2));
    CHECK(HOLDS_AS(gnd_nanargmax(y, GND_ALL), GND_INT64, 0));
    CHECK_ERROR(gnd_argmax(gnd_slice(y, ":0"), GND_ALL), GND_ERROR_VALUE, "nothing");
    gnd_axes axes = GND_ALL;
    axes.dtype = GND_INT64;
    CHECK_ERROR(gnd_argmax(x, axes), GND_ERROR_INVALID, "takes no `dtype`");
    gnd_array *place = gnd_nanargmin(gnd_slice(y, "1::2"), GND_ALL);
    int64_t host;
    CHECK_ERROR(gnd_to_host(place, &host, sizeof host), GND_ERROR_VALUE, "all NaN");
}

TEST(without_nan) {
    gnd_array *x = FLOATS(1, NAN, -3, NAN, 5, NAN);
    CHECK(gnd_item_double(gnd_nansum(x, GND_ALL)) == 3 && gnd_item_double(gnd_nanprod(x, GND_ALL)) == -15);
    CHECK(gnd_item_double(gnd_nanmin(x, GND_ALL)) == -3 && gnd_item_double(gnd_nanmax(x, GND_ALL)) == 5);
    CHECK(gnd_item_double(gnd_nanmean(x, GND_ALL)) == 1);
    CHECK(near(gnd_nanvar(x, GND_ALL, 0), 32.0 / 3) && near(gnd_nanstd(x, GND_ALL, 1), 4));
    gnd_array *nan = gnd_slice(x, "1::2");
    CHECK(gnd_item_double(gnd_nansum(nan, GND_ALL)) == 0 && gnd_item_double(gnd_nanprod(nan, GND_ALL)) == 1);
    CHECK(isnan(gnd_item_double(gnd_nanmin(nan, GND_ALL))) && isnan(gnd_item_double(gnd_nanmax(nan, GND_ALL))));
    CHECK(isnan(gnd_item_double(gnd_nanmean(nan, GND_ALL))) && isnan(gnd_item_double(gnd_nanvar(nan, GND_ALL, 0))));
    CHECK(isnan(gnd_item_double(gnd_nanvar(x, GND_ALL, 3)))); /* gnd_var says inf */
    gnd_axes axes = GND_ALL;
    axes.dtype = GND_INT32;
    CHECK(HOLDS_AS(gnd_nansum(x, axes), GND_INT32, 3) && HOLDS_AS(gnd_nanprod(x, axes), GND_INT32, -15));
    CHECK_ERROR(gnd_nanmean(x, axes), GND_ERROR_DTYPE, "int32");
    axes.dtype = 0, axes.where = gnd_greater(x, 0);
    CHECK(gnd_item_double(gnd_nansum(x, axes)) == 6);
    CHECK_ERROR(gnd_nanmax(x, axes), GND_ERROR_VALUE, "identity");
    CHECK(HOLDS_AS(gnd_nanmax(count_up(GND_SHAPE(4), GND_INT8), GND_ALL), GND_INT8, 3));
}

TEST(ranges) {
    CHECK(HOLDS_AS(gnd_ptp(count_up(GND_SHAPE(3, 4), GND_INT32), GND_AXES(0)), GND_INT32, 8, 8, 8, 8));
    gnd_array *x = gnd_from_host((const int8_t[]){-100, 100}, GND_SHAPE(2), GND_INT8);
    CHECK(HOLDS_AS(gnd_ptp(x, GND_ALL), GND_INT8, -56)); /* wraps around, as NumPy's */
    CHECK(isnan(gnd_item_double(gnd_ptp(FLOATS(1, NAN), GND_ALL))));
    CHECK_ERROR(gnd_ptp(gnd_ones(GND_SHAPE(3), GND_BOOL), GND_ALL), GND_ERROR_DTYPE, "bool");
    CHECK_ERROR(gnd_ptp(gnd_slice(x, ":0"), GND_ALL), GND_ERROR_VALUE, "identity");
}

TEST(norms) {
    gnd_array *x = FLOATS(3, 0, -4, 0);
    CHECK(near(gnd_vector_norm(x, 2, GND_ALL), 5) && near(gnd_vector_norm(x, 1, GND_ALL), 7));
    CHECK(near(gnd_vector_norm(x, INFINITY, GND_ALL), 4) && near(gnd_vector_norm(x, -INFINITY, GND_ALL), 0));
    CHECK(near(gnd_vector_norm(x, 0, GND_ALL), 2) && near(gnd_vector_norm(x, 3, GND_ALL), cbrt(91)));
    CHECK(near(gnd_vector_norm(gnd_slice(x, ":0"), INFINITY, GND_ALL), 0));
    CHECK_ERROR(gnd_vector_norm(gnd_slice(x, ":0"), -INFINITY, GND_ALL), GND_ERROR_VALUE, "minimum");
    CHECK(gnd_dtype_of(gnd_vector_norm(gnd_astype(x, GND_INT8), 2, GND_ALL)) == GND_FLOAT64);
    CHECK(gnd_dtype_of(gnd_vector_norm(gnd_astype(x, GND_COMPLEX64), 2, GND_ALL)) == GND_FLOAT32);
    CHECK(gnd_ndim(gnd_vector_norm(gnd_reshape(x, GND_SHAPE(2, 2)), 2, GND_AXES_KEEP(0))) == 2);
}

TEST(products) {
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_INT32), *y = gnd_add(x, 1);
    CHECK(HOLDS_AS(gnd_vdot(x, y), GND_INT32, 70));
    CHECK(HOLDS_AS(gnd_vdot(x, count_up(GND_SHAPE(6), GND_INT64)), GND_INT64, 55)); /* other shapes: flat */
    CHECK(HOLDS_AS(gnd_vecdot(x, y, -1), GND_INT32, 8, 62));
    CHECK(HOLDS_AS(gnd_vecdot(x, y, 0), GND_INT32, 12, 22, 36));
    CHECK(HOLDS_AS(gnd_vecdot(x, gnd_ones(GND_SHAPE(4, 1, 3), GND_INT32), -1), GND_INT32, 3, 12, 3, 12, 3, 12, 3, 12));
    gnd_array *z = gnd_from_host((const float[]){1, 2, 3, -4}, GND_SHAPE(2), GND_COMPLEX64);
    double re, im;
    CHECK(gnd_item_parts(gnd_vdot(z, z), &re, &im) == GND_OK && re == 30 && im == 0);
    CHECK(gnd_item_parts(gnd_vdot(z, gnd_slice(z, "::-1")), &re, &im) == GND_OK && re == -10 && im == 0);
    CHECK_ERROR(gnd_vdot(x, z), GND_ERROR_SHAPE, "(2, 3)");
    CHECK_ERROR(gnd_vecdot(x, gnd_slice(y, ":, :1"), -1), GND_ERROR_SHAPE, "axis -1");
    CHECK_ERROR(gnd_vecdot(x, NULL, -1), GND_ERROR_INVALID, "b");
    CHECK_ERROR(gnd_vecdot(x, y, 2), GND_ERROR_AXIS, "gnd_vecdot");
}

TEST(by_name) {
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_INT32);
    CHECK(HOLDS_AS(gnd_reduce("add", x, GND_AXES(0)), GND_INT64, 3, 5, 7));
    CHECK(HOLDS_AS(gnd_reduce("maximum", x, GND_AXES(1)), GND_INT32, 2, 5));
    CHECK(HOLDS_AS(gnd_reduce("logical_and", x, GND_AXES(1)), GND_BOOL, 0, 1));
    CHECK(HOLDS_AS(gnd_reduce("subtract", x, GND_AXES(1)), GND_INT32, -3, -6));
    CHECK(HOLDS_AS(gnd_reduce("subtract", gnd_slice(x, ":, ::-1"), GND_AXES(1)), GND_INT32, 1, -2));
    CHECK(HOLDS_AS(gnd_reduce("bitwise_or", x, GND_ALL), GND_INT32, 7));
    CHECK(HOLDS_AS(gnd_reduce("bitwise_and", gnd_slice(x, ":0"), GND_ALL), GND_INT32, -1));
    CHECK_ERROR(gnd_reduce("subtract", x, GND_ALL), GND_ERROR_VALUE, "not reorderable");
    CHECK_ERROR(gnd_reduce("divide", gnd_slice(x, ":0"), GND_AXES(0)), GND_ERROR_VALUE, "identity");
    CHECK_ERROR(gnd_reduce("equal", x, GND_AXES(0)), GND_ERROR_DTYPE, "int32");
    CHECK_ERROR(gnd_reduce("sqrt", x, GND_AXES(0)), GND_ERROR_INVALID, "two arguments");
    CHECK(HOLDS_AS(gnd_amax(x, GND_ALL), GND_INT32, 5) && HOLDS_AS(gnd_amin(x, GND_ALL), GND_INT32, 0));
    CHECK_ERROR(gnd_reduce("frobnicate", x, GND_ALL), GND_ERROR_INVALID, "\"frobnicate\"");
    CHECK_ERROR(gnd_reduce(NULL, x, GND_ALL), GND_ERROR_INVALID, "name");
}

/* Bools and small integers are tested in words where they lie densely: each place must be seen,
   and none beyond the array's end. */
TEST(any_sees_each_place) {
    const gnd_dtype dtypes[] = {GND_BOOL, GND_INT8, GND_UINT16, GND_INT32};
    const int sizes[] = {5, 8, 16, 24, 40, 41};
    for (int d = 0; d < 4; d++)
        for (int n = 0; n < 6; n++)
            for (int place = -1; place <= sizes[n]; place++) {
                gnd_array *longer = gnd_zeros(GND_SHAPE(3, sizes[n] + 8), dtypes[d]);
                gnd_array *x = gnd_slice(longer, ":, :%d", sizes[n]);
                if (place >= 0) gnd_fill(gnd_slice(longer, "1, %d", place), 1);
                bool inside = place >= 0 && place < sizes[n];
                CHECK(gnd_item_bool(gnd_any(gnd_slice(x, "1"), GND_ALL)) == inside);
                CHECK(gnd_item_bool(gnd_any(x, GND_ALL)) == inside);
                gnd_array *rows = gnd_any(x, GND_AXES(1));
                CHECK(gnd_item_bool(gnd_slice(rows, "1")) == inside);
                CHECK(!gnd_item_bool(gnd_slice(rows, "0")) && !gnd_item_bool(gnd_slice(rows, "2")));
            }
}

TEST(bad_input) {
    gnd_array *x = gnd_ones(GND_SHAPE(3, 4), GND_FLOAT32);
    CHECK_ERROR(gnd_sum(NULL, GND_ALL), GND_ERROR_INVALID, "gnd_sum");
    CHECK_ERROR(gnd_sum(x, GND_AXES(2)), GND_ERROR_AXIS, "gnd_sum");
    CHECK_ERROR(gnd_sum(x, GND_AXES(0, -2)), GND_ERROR_AXIS, "twice");
    CHECK_ERROR(gnd_sum(number(1, GND_INT8), GND_AXES(1)), GND_ERROR_AXIS, "gnd_sum");
    gnd_axes axes = GND_AXES(0);
    axes.where = gnd_ones(GND_SHAPE(3, 4), GND_INT8);
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_DTYPE, "int8");
    axes.where = gnd_ones(GND_SHAPE(3), GND_BOOL);
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_SHAPE, "(3,)");
    axes.where = gnd_ones(GND_SHAPE(2, 3, 4), GND_BOOL);
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_SHAPE, "(2, 3, 4)");
    axes = GND_AXES(0), axes.out = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_SHAPE, "(4,)");
    axes.out = gnd_broadcast_to(gnd_zeros(GND_SHAPE(1), GND_FLOAT32), GND_SHAPE(4));
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_INVALID, "read-only");
    axes = GND_AXES(0), axes.initial = gnd_ones(GND_SHAPE(1), GND_FLOAT32);
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_SHAPE, "0-d");
    CHECK_ERROR(gnd_mean(x, axes), GND_ERROR_INVALID, "initial");
    axes.initial = NULL, axes.dtype = (gnd_dtype)99;
    CHECK_ERROR(gnd_sum(x, axes), GND_ERROR_DTYPE, "99");
    axes.dtype = GND_FLOAT32;
    CHECK_ERROR(gnd_any(x, axes), GND_ERROR_DTYPE, "float32");
}

/* Long and short segments, many and few, each axis the contiguous one: against plain loops. */
TEST(every_geometry) {
    const int64_t shapes[][2] = {{1, 100003}, {100003, 1}, {3, 40001},  {40001, 3}, {7, 20000},
                                 {20000, 7},  {317, 331},  {1000, 100}, {64, 4096}, {4096, 64},
                                 {5000, 33},  {33, 5000},  {2, 65536},  {65536, 2}, {30000, 10}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t m = shapes[i][0], n = shapes[i][1];
        int32_t *values = malloc((size_t)(m * n) * sizeof *values);
        int64_t *want = calloc((size_t)(m + n), sizeof *want), all = 0;
        for (int64_t k = 0; k < m * n; k++) {
            values[k] = (int32_t)((uint64_t)k * 2654435761u >> 7 & 0xffff) - 30000;
            want[k / n] += values[k], want[m + k % n] += values[k], all += values[k];
        }
        GND_SCOPE {
            gnd_array *x = gnd_from_host(values, GND_SHAPE(m, n), GND_INT32);
            gnd_array *rows = gnd_from_host(want, GND_SHAPE(m), GND_INT64);
            gnd_array *columns = gnd_from_host(want + m, GND_SHAPE(n), GND_INT64);
            gnd_array *offset = gnd_slice(gnd_from_host(values, GND_SHAPE(m * n), GND_INT32), "1:");
            gnd_array *y = gnd_astype(x, GND_FLOAT64);
            CHECK(gnd_item_int(gnd_sum(x, GND_ALL)) == all);
            CHECK(gnd_item_int(gnd_sum(offset, GND_ALL)) == all - values[0]);
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(x, GND_AXES(1)), rows), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(x, GND_AXES(0)), columns), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(y, GND_AXES(1)), rows), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(y, GND_AXES(0)), columns), GND_ALL)));
            y = gnd_transpose(x);
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(y, GND_AXES(0)), rows), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(gnd_sum(y, GND_AXES(1)), columns), GND_ALL)));
        }
        free(values), free(want);
    }
}

TEST(float32_sums_are_accurate_and_repeat) {
    const int64_t n = 1000003;
    float *values = malloc((size_t)n * sizeof *values);
    double exact = 0;
    for (int64_t i = 0; i < n; i++) {
        values[i] = (float)((uint64_t)i * 2654435761u >> 9 & 0xfffff) / 1048576.0f;
        exact += values[i];
    }
    gnd_array *x = floats(values, n);
    const double first = gnd_item_double(gnd_sum(x, GND_ALL));
    CHECK(fabs(first - exact) <= 2e-7 * exact);
    int different = 0;
    for (int i = 0; i < 20; i++) different += gnd_item_double(gnd_sum(x, GND_ALL)) != first;
    CHECK(different == 0);
    gnd_array *half = gnd_ones(GND_SHAPE(3000), GND_FLOAT16); /* 2048 + 1 is 2048 in float16 */
    CHECK(gnd_item_double(gnd_sum(half, GND_ALL)) == 3000);
    free(values);
}

TEST_MAIN
