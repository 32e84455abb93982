/*
 * test_calculus.c: differences, derivatives and integrals: values, options, bad input. The oracle
 * tests compare many more cases with NumPy.
 */
#include "reads.h"
#include "values.h"

TEST(differences) {
    gnd_array *x = gnd_astype(DOUBLES(1, 2, 4, 7, 0), GND_INT64);
    CHECK(reads(gnd_diff(x, 1, -1, GND_NONE, GND_NONE), "array([ 1,  2,  3, -7])"));
    CHECK(reads(gnd_diff(x, 2, 0, GND_NONE, GND_NONE), "array([  1,   1, -10])"));
    CHECK(reads(gnd_diff(x, 0, 0, GND_NONE, GND_NONE), "array([1, 2, 4, 7, 0])"));
    CHECK(reads(gnd_diff(x, 1, 0, 0, 10), "array([ 1,  1,  2,  3, -7, 10])"));
    CHECK(reads(gnd_diff(x, 1, 0, GND_NONE, gnd_slice(x, "1:3")), "array([ 1,  2,  3, -7,  2,  2])"));
    CHECK(gnd_size(gnd_diff(x, 9, 0, GND_NONE, GND_NONE)) == 0);
    CHECK(reads(gnd_diff(gnd_greater(x, 3), 1, 0, GND_NONE, GND_NONE), "array([False,  True, False,  True])"));
    gnd_array *m = gnd_reshape(gnd_slice(x, ":4"), GND_SHAPE(2, 2));
    CHECK(reads(gnd_diff(m, 1, 0, GND_NONE, GND_NONE), "array([[3, 5]])"));
    CHECK(reads(gnd_diff(m, 1, 1, GND_NONE, GND_NONE), "array([[1],\n       [3]])"));
    CHECK(reads(gnd_ediff1d(m, GND_NONE, GND_NONE), "array([1, 2, 3])"));
    CHECK(reads(gnd_ediff1d(m, 9, m), "array([1, 2, 4, 7, 1, 2, 3, 9])"));
}

TEST(gradients) {
    gnd_array *y = DOUBLES(1, 2, 4, 7, 11, 16), *t = DOUBLES(0, 1, 1.5, 3.5, 4, 6);
    CHECK(reads(gnd_gradient(y, GND_NONE, 0, 1), "array([1. , 1.5, 2.5, 3.5, 4.5, 5. ])"));
    CHECK(reads(gnd_gradient(y, 2, 0, 1), "array([0.5 , 0.75, 1.25, 1.75, 2.25, 2.5 ])"));
    CHECK(reads(gnd_gradient(y, t, 0, 1), "array([1. , 3. , 3.5, 6.7, 6.9, 2.5])"));
    CHECK(reads(gnd_gradient(y, GND_NONE, 0, 2), "array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5])"));
    gnd_array *even = DOUBLES(0, 2, 4, 6, 8, 10);
    CHECK(reads(gnd_gradient(y, even, 0, 2), "array([0.25, 0.75, 1.25, 1.75, 2.25, 2.75])"));
    gnd_array *m = gnd_astype(gnd_reshape(y, GND_SHAPE(2, 3)), GND_INT32), *d[2];
    CHECK(gnd_gradient_axes(d, m, GND_ALL, 0, NULL, 1) == GND_OK);
    CHECK(reads(d[0], "array([[ 6.,  9., 12.],\n       [ 6.,  9., 12.]])"));
    CHECK(reads(d[1], "array([[1. , 1.5, 2. ],\n       [4. , 4.5, 5. ]])"));
    CHECK(gnd_gradient_axes(d, m, GND_AXES(1, 0), GND_ARGS(0.5, 2), 1) == GND_OK);
    CHECK(reads(d[0], "array([[ 2.,  3.,  4.],\n       [ 8.,  9., 10.]])"));
    CHECK(reads(d[1], "array([[3. , 4.5, 6. ],\n       [3. , 4.5, 6. ]])"));
}

TEST(integrals) {
    gnd_array *y = DOUBLES(1, 2, 3);
    CHECK(gnd_item_double(gnd_trapezoid(y, GND_NONE, -1)) == 4);
    CHECK(gnd_item_double(gnd_trapezoid(y, 2, 0)) == 8);
    CHECK(gnd_item_double(gnd_trapezoid(y, DOUBLES(8, 6, 4), 0)) == -8);
    gnd_array *m = gnd_reshape(gnd_astype(DOUBLES(0, 1, 2, 3, 4, 5), GND_UINT8), GND_SHAPE(2, 3));
    CHECK(reads(gnd_trapezoid(m, GND_NONE, 0), "array([1.5, 2.5, 3.5])"));
    CHECK(reads(gnd_trapezoid(m, DOUBLES(0, 1, 3), 1), "array([ 3.5, 12.5])"));
    CHECK(reads(gnd_trapezoid(m, m, 0), "array([ 4.5,  7.5, 10.5])"));
    CHECK(gnd_item_double(gnd_trapezoid(gnd_slice(y, ":1"), GND_NONE, 0)) == 0);
}

TEST(bad_input) {
    gnd_array *x = DOUBLES(1, 2, 3, 4), *m = gnd_reshape(x, GND_SHAPE(2, 2)), *d[3] = {x, x, x};
    gnd_array *flags = gnd_greater(x, 2), *number = gnd_full(GND_SCALAR, 1, GND_FLOAT64);
    CHECK_ERROR(gnd_diff(NULL, 1, 0, GND_NONE, GND_NONE), GND_ERROR_INVALID, "gnd_diff");
    CHECK_ERROR(gnd_diff(x, -1, 0, GND_NONE, GND_NONE), GND_ERROR_INVALID, "-1");
    CHECK_ERROR(gnd_diff(x, 1, 1, GND_NONE, GND_NONE), GND_ERROR_AXIS, "axis 1");
    CHECK_ERROR(gnd_diff(number, 1, 0, GND_NONE, GND_NONE), GND_ERROR_INVALID, "0-d");
    CHECK_ERROR(gnd_diff(m, 1, 0, x, GND_NONE), GND_ERROR_SHAPE, "prepend has shape (4,)");
    CHECK_ERROR(gnd_diff(x, 1, 0, GND_NONE, (gnd_array *)NULL), GND_ERROR_INVALID, "append");
    CHECK_ERROR(gnd_diff(gnd_astype(x, GND_UINT8), 1, 0, 300, GND_NONE), GND_ERROR_VALUE, "300");
    CHECK_ERROR(gnd_ediff1d(flags, GND_NONE, GND_NONE), GND_ERROR_DTYPE, "bool");
    CHECK_ERROR(gnd_ediff1d(gnd_astype(x, GND_INT32), 0.5, GND_NONE), GND_ERROR_DTYPE, "to_end");
    CHECK_ERROR(gnd_gradient(x, GND_NONE, 0, 3), GND_ERROR_INVALID, "edge_order");
    CHECK_ERROR(gnd_gradient(m, GND_NONE, 0, 2), GND_ERROR_VALUE, "at least 3 samples");
    CHECK_ERROR(gnd_gradient(m, x, 0, 1), GND_ERROR_SHAPE, "spacing has shape (4,)");
    CHECK_ERROR(gnd_gradient(flags, GND_NONE, 0, 1), GND_ERROR_DTYPE, "bool");
    CHECK_ERROR(gnd_gradient_axes(d, m, GND_ALL, GND_ARGS(1, 2, 3), 1), GND_ERROR_INVALID,
                "3 spacings were given for 2 axes");
    CHECK(d[0] == NULL && d[1] == NULL && d[2] == x);
    CHECK_ERROR(gnd_gradient_axes(d, m, GND_AXES(0, 0), 0, NULL, 1), GND_ERROR_AXIS, "twice");
    CHECK_ERROR(gnd_trapezoid(number, GND_NONE, 0), GND_ERROR_INVALID, "0-d");
    CHECK_ERROR(gnd_trapezoid(x, DOUBLES(1, 2, 3), 0), GND_ERROR_SHAPE, "(2,)");
}

static gnd_array *first_gradient(const gnd_array *x) {
    gnd_array *d[2];
    if (gnd_gradient_axes(d, x, GND_ALL, 0, NULL, 1)) return NULL;
    gnd_release(d[1]);
    return d[0];
}

TEST(out_of_memory) {
    gnd_array *x = gnd_reshape(DOUBLES(1, 2, 3, 5, 8, 1, 4, 2, 7), GND_SHAPE(3, 3));
    gnd_array *t = DOUBLES(0, 1, 3), *whole = gnd_astype(x, GND_INT32);
    CHECK_FAILS_CLEANLY(gnd_diff(x, 2, 0, 1, x));
    CHECK_FAILS_CLEANLY(gnd_ediff1d(gnd_transpose(x), x, 2));
    CHECK_FAILS_CLEANLY(gnd_gradient(whole, t, 1, 2));
    CHECK_FAILS_CLEANLY(first_gradient(whole));
    CHECK_FAILS_CLEANLY(gnd_trapezoid(x, t, 1));
}

TEST_MAIN
