/*
 * test_scan.c: scans: values along every axis, dtypes, options, output that overlaps, bad input,
 * faults, and the same bits every time. The oracle tests compare many more cases with NumPy.
 */
#include "reads.h"
#include "values.h"
#include <math.h>

static gnd_axes with_out(gnd_axes axes, gnd_array *out) {
    axes.out = out;
    return axes;
}
static gnd_axes with_dtype(gnd_axes axes, gnd_dtype dtype) {
    axes.dtype = dtype;
    return axes;
}

TEST(sums_along_axes) {
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_INT32);
    CHECK(reads(gnd_cumsum(x, GND_ALL), "array([ 0,  1,  3,  6, 10, 15])"));
    CHECK(reads(gnd_cumsum(x, GND_AXES(0)), "array([[0, 1, 2],\n       [3, 5, 7]])"));
    CHECK(reads(gnd_cumsum(x, GND_AXES(-1)), "array([[ 0,  1,  3],\n       [ 3,  7, 12]])"));
    CHECK(reads(gnd_cumsum(gnd_transpose(x), GND_ALL), "array([ 0,  3,  4,  8, 10, 15])"));
    CHECK(reads(gnd_cumprod(gnd_add(x, 1), GND_AXES(1)), "array([[  1,   2,   6],\n       [  4,  20, 120]])"));
}

TEST(dtypes_widen) {
    gnd_array *bytes = count_up(GND_SHAPE(3), GND_UINT8);
    CHECK(gnd_dtype_of(gnd_cumsum(bytes, GND_ALL)) == GND_UINT64);
    CHECK(gnd_dtype_of(gnd_cumsum(gnd_astype(bytes, GND_BOOL), GND_ALL)) == GND_INT64);
    CHECK(gnd_dtype_of(gnd_cummax(bytes, GND_ALL)) == GND_UINT8);
    CHECK(gnd_dtype_of(gnd_cumprod(gnd_astype(bytes, GND_FLOAT16), GND_ALL)) == GND_FLOAT16);
    CHECK(gnd_dtype_of(gnd_cumsum(bytes, with_dtype(GND_ALL, GND_INT8))) == GND_INT8);
    CHECK(gnd_dtype_of(gnd_accumulate("divide", bytes, GND_ALL)) == GND_FLOAT64);
    CHECK(gnd_dtype_of(gnd_accumulate("logical_xor", bytes, GND_ALL)) == GND_BOOL);
}

TEST(nan_and_extremes) {
    const double values[] = {1, NAN, -2, 4, NAN, 3};
    gnd_array *x = gnd_from_host(values, GND_SHAPE(6), GND_FLOAT64);
    CHECK(reads(gnd_cumsum(x, GND_ALL), "array([ 1., nan, nan, nan, nan, nan])"));
    CHECK(reads(gnd_nancumsum(x, GND_ALL), "array([ 1.,  1., -1.,  3.,  3.,  6.])"));
    CHECK(reads(gnd_nancumprod(x, GND_ALL), "array([  1.,   1.,  -2.,  -8.,  -8., -24.])"));
    CHECK(reads(gnd_cummax(gnd_slice(x, "2:"), GND_ALL), "array([-2.,  4., nan, nan])"));
    CHECK(reads(gnd_cummin(gnd_slice(x, "3::-1"), GND_ALL), "array([ 4., -2., nan, nan])"));
    /* NaN are replaced before the cast. */
    CHECK(reads(gnd_nancumsum(x, with_dtype(GND_ALL, GND_INT32)), "array([ 1,  1, -1,  3,  3,  6], dtype=int32)"));
}

TEST(empty_and_0d) {
    gnd_array *none = gnd_zeros(GND_SHAPE(0, 3), GND_FLOAT32);
    gnd_shape shape = gnd_shape_of(gnd_cumsum(none, GND_AXES(0)));
    CHECK(shape.ndim == 2 && shape.dim[0] == 0 && shape.dim[1] == 3);
    CHECK(gnd_size(gnd_cumprod(none, GND_ALL)) == 0);
    shape = gnd_shape_of(gnd_cumulative_sum(none, GND_AXES(0), true));
    CHECK(shape.dim[0] == 1 && shape.dim[1] == 3);
    gnd_array *number = gnd_full(GND_SCALAR, 5, GND_INT64);
    CHECK(reads(gnd_cumsum(number, GND_ALL), "array([5])"));
    CHECK(reads(gnd_cumulative_prod(number, GND_ALL, true), "array([1, 5])"));
    CHECK_ERROR(gnd_accumulate("add", number, GND_ALL), GND_ERROR_INVALID, "0-d");
}

TEST(initial_values) {
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_INT64);
    CHECK(reads(gnd_cumulative_sum(x, GND_AXES(1), true), "array([[ 0,  0,  1,  3],\n       [ 0,  3,  7, 12]])"));
    CHECK(reads(gnd_cumulative_prod(x, GND_AXES(0), true),
                "array([[ 1,  1,  1],\n       [ 0,  1,  2],\n       [ 0,  4, 10]])"));
    CHECK(reads(gnd_cumulative_sum(x, GND_AXES(0), false), "array([[0, 1, 2],\n       [3, 5, 7]])"));
    CHECK_ERROR(gnd_cumulative_sum(x, GND_ALL, true), GND_ERROR_INVALID, "axis must be named");
}

TEST(output_that_overlaps) {
    gnd_array *x = count_up(GND_SHAPE(6), GND_FLOAT32);
    gnd_array *same = gnd_cumsum(x, with_out(GND_ALL, x));
    CHECK(gnd_data(same) == gnd_data(x));
    CHECK(reads(x, "array([ 0.,  1.,  3.,  6., 10., 15.], dtype=float32)"));
    x = count_up(GND_SHAPE(6), GND_FLOAT32);
    gnd_cumsum(x, with_out(GND_ALL, gnd_slice(x, "::-1")));
    CHECK(reads(x, "array([15., 10.,  6.,  3.,  1.,  0.], dtype=float32)"));
    x = count_up(GND_SHAPE(6), GND_FLOAT32);
    gnd_cumsum(gnd_slice(x, ":5"), with_out(GND_ALL, gnd_slice(x, "1:")));
    CHECK(reads(x, "array([ 0.,  0.,  1.,  3.,  6., 10.], dtype=float32)"));
    x = count_up(GND_SHAPE(2, 2), GND_FLOAT32);
    gnd_cumsum(x, with_out(GND_AXES(0), gnd_transpose(x)));
    CHECK(reads(x, "array([[0., 2.],\n       [1., 4.]], dtype=float32)"));
    /* Of another dtype: computed in both dtypes' common one, and cast. */
    gnd_array *bytes = gnd_zeros(GND_SHAPE(6), GND_UINT8);
    gnd_cumsum(gnd_full(GND_SHAPE(6), 0.75, GND_FLOAT32), with_out(GND_ALL, bytes));
    CHECK(reads(bytes, "array([0, 1, 2, 3, 3, 4], dtype=uint8)"));
}

TEST(every_operator) {
    gnd_array *x = gnd_slice(count_up(GND_SHAPE(8), GND_INT64), "7:0:-2");
    CHECK(reads(gnd_accumulate("subtract", x, GND_ALL), "array([ 7,  2, -1, -2])"));
    CHECK(reads(gnd_accumulate("gcd", x, GND_ALL), "array([7, 1, 1, 1])"));
    CHECK(reads(gnd_accumulate("bitwise_and", x, GND_AXES(0)), "array([7, 5, 1, 1])"));
    CHECK(reads(gnd_accumulate("floor_divide", x, GND_AXES(-1)), "array([7, 1, 0, 0])"));
    CHECK(reads(gnd_accumulate("power", gnd_slice(x, "::-1"), GND_ALL), "array([1, 1, 1, 1])"));
    CHECK(reads(gnd_accumulate("less", gnd_equal(x, 5), GND_ALL), "array([False,  True, False, False])"));
    /* The default is the first axis, not all elements. */
    CHECK(reads(gnd_accumulate("maximum", count_up(GND_SHAPE(2, 2), GND_INT64), GND_ALL),
                "array([[0, 1],\n       [2, 3]])"));
}

TEST(faults_come_at_the_next_wait) {
    const int64_t values[] = {2, 3, -1, 2};
    gnd_array *x = gnd_from_host(values, GND_SHAPE(4), GND_INT64);
    gnd_array *result = gnd_accumulate("power", x, GND_ALL);
    if (result) CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "negative power");
    gnd_error_clear(); /* under GND_SYNC=1 the call itself has reported it */
}

TEST(bad_input) {
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_FLOAT32);
    CHECK_ERROR(gnd_cumsum(NULL, GND_ALL), GND_ERROR_INVALID, "gnd_cumsum");
    CHECK_ERROR(gnd_cumsum(x, GND_AXES(2)), GND_ERROR_AXIS, "axis 2");
    CHECK_ERROR(gnd_cumsum(x, GND_AXES(0, 1)), GND_ERROR_INVALID, "one axis; 2 were");
    CHECK_ERROR(gnd_cummax(x, GND_NO_AXES), GND_ERROR_INVALID, "one axis; 0 were");
    CHECK_ERROR(gnd_cumprod(x, GND_AXES_KEEP(0)), GND_ERROR_INVALID, "no keepdims");
    CHECK_ERROR(gnd_cumsum(x, with_out(GND_AXES(0), gnd_zeros(GND_SHAPE(3, 2), GND_FLOAT32))), GND_ERROR_SHAPE,
                "out has shape (3, 2), the result (2, 3)");
    CHECK_ERROR(gnd_cumsum(x, with_out(GND_ALL, gnd_broadcast_to(gnd_ravel(x), GND_SHAPE(6)))), GND_ERROR_INVALID,
                "read-only");
    CHECK_ERROR(gnd_cumsum(x, with_dtype(GND_ALL, (gnd_dtype)99)), GND_ERROR_DTYPE, "99");
    CHECK_ERROR(gnd_accumulate("nonsense", x, GND_ALL), GND_ERROR_INVALID, "nonsense");
    CHECK_ERROR(gnd_accumulate("divmod", x, GND_ALL), GND_ERROR_INVALID, "two results");
    CHECK_ERROR(gnd_accumulate("bitwise_or", x, GND_ALL), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_accumulate(NULL, x, GND_ALL), GND_ERROR_INVALID, "name");
}

TEST(out_of_memory) {
    gnd_array *x = count_up(GND_SHAPE(30, 40), GND_INT16), *turned = gnd_transpose(x);
    gnd_array *wide = gnd_zeros(GND_SHAPE(30, 40), GND_FLOAT64);
    gnd_array *line = gnd_zeros(GND_SHAPE(100000), GND_FLOAT32);
    CHECK_FAILS_CLEANLY(gnd_cumsum(x, GND_AXES(0)));
    CHECK_FAILS_CLEANLY(gnd_cumsum(turned, GND_ALL));
    CHECK_FAILS_CLEANLY(gnd_cumsum(x, with_out(GND_AXES(1), wide)));
    CHECK_FAILS_CLEANLY(gnd_nancumsum(wide, with_dtype(GND_AXES(1), GND_INT32)));
    CHECK_FAILS_CLEANLY(gnd_cumulative_prod(x, GND_AXES(1), true));
    CHECK_FAILS_CLEANLY(gnd_accumulate("maximum", line, GND_ALL));
}

TEST(same_bits_every_time) {
    gnd_array *x = gnd_sin(gnd_multiply(count_up(GND_SHAPE(3, 100003), GND_FLOAT32), 0.7));
    gnd_array *first = gnd_cumsum(x, GND_AXES(1)), *flat = gnd_cumsum(x, GND_ALL);
    for (int i = 0; i < 20; i++)
        GND_SCOPE {
            CHECK(gnd_item_bool(gnd_all(gnd_equal(first, gnd_cumsum(x, GND_AXES(1))), GND_ALL)));
            CHECK(gnd_item_bool(gnd_all(gnd_equal(flat, gnd_cumsum(x, GND_ALL)), GND_ALL)));
        }
}

TEST_MAIN
