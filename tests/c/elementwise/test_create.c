/* New arrays: shapes, dtypes, fills, ranges, and what is refused. */
#include "reads.h"
#include <math.h>

TEST(filled) {
    CHECK(reads(gnd_zeros(GND_SHAPE(2, 2), GND_DTYPE_NONE), "array([[0., 0.],\n       [0., 0.]])"));
    CHECK(reads(gnd_ones(GND_SHAPE(3), GND_COMPLEX64), "array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)"));
    CHECK(reads(gnd_full(GND_SHAPE(2), 2.5, GND_DTYPE_NONE), "array([2.5, 2.5])"));
    CHECK(reads(gnd_full(GND_SHAPE(2), 7, GND_DTYPE_NONE), "array([7, 7])"));
    CHECK(reads(gnd_full(GND_SHAPE(2), (bool)true, GND_DTYPE_NONE), "array([ True,  True])"));
    CHECK(reads(gnd_full(GND_SHAPE(2), 3.7, GND_INT16), "array([3, 3], dtype=int16)"));
    CHECK(reads(gnd_full(GND_SHAPE(2), -0.0, GND_FLOAT32), "array([-0., -0.], dtype=float32)"));
    CHECK(reads(gnd_full(GND_SCALAR, gnd_arg_parts(1, 2), GND_DTYPE_NONE), "array(1.+2.j)"));
    gnd_array *row = gnd_arange(0, 3, 1, GND_INT8);
    CHECK(reads(gnd_full(GND_SHAPE(2, 3), row, GND_DTYPE_NONE), "array([[0, 1, 2],\n       [0, 1, 2]], dtype=int8)"));
    CHECK(gnd_size(gnd_empty(GND_SHAPE(0, 5), GND_BOOL)) == 0);
    CHECK(gnd_dtype_of(gnd_empty(GND_SHAPE(3), GND_DTYPE_NONE)) == GND_FLOAT64);
    for (int dtype = GND_BOOL; dtype <= GND_COMPLEX128; dtype++) {
        gnd_array *ones = gnd_ones(GND_SHAPE(1001), (gnd_dtype)dtype);
        gnd_array *same = gnd_full_like(ones, 1, GND_DTYPE_NONE);
        CHECK(gnd_item_int(gnd_slice(gnd_real(ones), "-1")) == 1 && gnd_dtype_of(same) == (gnd_dtype)dtype);
        CHECK(gnd_item_int(gnd_slice(gnd_imag(ones), "500")) == 0);
    }
}

TEST(filled_like) {
    gnd_array *a = gnd_transpose(gnd_zeros(GND_SHAPE(2, 3, 4), GND_INT16));
    gnd_array *like = gnd_empty_like(a, GND_DTYPE_NONE);
    CHECK(gnd_is_f_contiguous(like) && !gnd_is_c_contiguous(like) && gnd_dtype_of(like) == GND_INT16);
    gnd_array *swapped = gnd_zeros_like(gnd_swapaxes(a, 0, 1), GND_FLOAT64);
    CHECK(gnd_stride(swapped, 0) == 32 && gnd_stride(swapped, 1) == 8 && gnd_stride(swapped, 2) == 96);
    CHECK(!gnd_is_view(swapped));
    CHECK(gnd_is_c_contiguous(gnd_ones_like(gnd_slice(a, "0, ::2, 0"), GND_DTYPE_NONE)));
    CHECK(!gnd_is_readonly(gnd_empty_like(gnd_broadcast_to(a, GND_SHAPE(2, 4, 3, 2)), GND_DTYPE_NONE)));
    CHECK_ERROR(gnd_zeros_like(NULL, GND_DTYPE_NONE), GND_ERROR_INVALID, "gnd_zeros_like");
    CHECK_ERROR(gnd_ones_like(a, (gnd_dtype)99), GND_ERROR_DTYPE, "99");
}

TEST(refused_shapes_and_values) {
    CHECK_ERROR(gnd_empty(GND_SHAPE(2, -1), GND_FLOAT32), GND_ERROR_SHAPE, "(2, -1)");
    CHECK_ERROR(gnd_zeros(GND_SHAPE(INT64_MAX, 2), GND_INT8), GND_ERROR_MEMORY, "too big");
    CHECK_ERROR(gnd_ones(GND_SHAPE(INT64_C(1) << 50), GND_FLOAT64), GND_ERROR_MEMORY, "gnd_ones");
    CHECK_ERROR(gnd_empty(GND_SHAPE(3), (gnd_dtype)-1), GND_ERROR_DTYPE, "dtype");
    gnd_shape deep = {.ndim = 65};
    CHECK_ERROR(gnd_empty(deep, GND_INT8), GND_ERROR_SHAPE, "65");
    CHECK_ERROR(gnd_full(GND_SHAPE(2), 300, GND_UINT8), GND_ERROR_VALUE, "300");
    CHECK_ERROR(gnd_full(GND_SHAPE(2), gnd_arg_parts(0, 1), GND_FLOAT32), GND_ERROR_DTYPE, "complex");
    CHECK_ERROR(gnd_full(GND_SHAPE(2), GND_NONE, GND_DTYPE_NONE), GND_ERROR_INVALID, "GND_NONE");
    gnd_array *missing = NULL;
    CHECK_ERROR(gnd_full(GND_SHAPE(2), missing, GND_DTYPE_NONE), GND_ERROR_INVALID, "gnd_full");
    CHECK_ERROR(gnd_full(GND_SHAPE(2, 2), gnd_zeros(GND_SHAPE(3), 0), GND_DTYPE_NONE), GND_ERROR_SHAPE, "(3,)");
    CHECK_FAILS_CLEANLY(gnd_full(GND_SHAPE(3), 2.5, GND_FLOAT16));
    CHECK_FAILS_CLEANLY(gnd_zeros(GND_SHAPE(100000), GND_FLOAT64));
}

TEST(aranges) {
    CHECK(reads(gnd_arange(0, 5, 1, GND_DTYPE_NONE), "array([0, 1, 2, 3, 4])"));
    CHECK(reads(gnd_arange(GND_NONE, 3, GND_NONE, GND_FLOAT32), "array([0., 1., 2.], dtype=float32)"));
    CHECK(reads(gnd_arange(5, 0, -2, GND_DTYPE_NONE), "array([5, 3, 1])"));
    CHECK(reads(gnd_arange(0, 1, 0.25, GND_DTYPE_NONE), "array([0.  , 0.25, 0.5 , 0.75])"));
    CHECK(reads(gnd_arange(1, 2.5, 0.5, GND_BFLOAT16), "array([1. , 1.5, 2. ], dtype=bfloat16)"));
    CHECK(reads(gnd_arange(0, 3, gnd_arg_parts(1, 0), GND_DTYPE_NONE), "array([], dtype=complex128)"));
    CHECK(reads(gnd_arange(0, gnd_arg_parts(2, 2), 1, GND_DTYPE_NONE), "array([0.+0.j, 1.+0.j])"));
    CHECK(reads(gnd_arange(0, 3, 1, GND_COMPLEX64), "array([0.+0.j, 1.+0.j, 2.+0.j], dtype=complex64)"));
    CHECK(reads(gnd_arange(0, 2, 1, GND_BOOL), "array([False,  True])"));
    CHECK(reads(gnd_arange(0, 300, 100, GND_INT8), "array([  0, 100, -56], dtype=int8)"));
    CHECK(reads(gnd_arange(0, 2, 0.5, GND_INT64), "array([0, 0, 0, 0])"));
    CHECK(reads(gnd_arange(-0.0, 2, 1, GND_FLOAT32), "array([-0.,  1.], dtype=float32)"));
    CHECK(reads(gnd_arange(5, 1, 1, GND_DTYPE_NONE), "array([], dtype=int64)"));
    CHECK(reads(gnd_arange(0, 1, INFINITY, GND_DTYPE_NONE), "array([0.])"));
    CHECK(reads(gnd_arange(UINT64_MAX - 1, UINT64_MAX, 1, GND_DTYPE_NONE),
                "array([18446744073709551614], dtype=uint64)"));
    CHECK(gnd_size(gnd_arange(INT64_MIN, INT64_MAX, INT64_MAX, GND_DTYPE_NONE)) == 3);
}

TEST(refused_aranges) {
    CHECK_ERROR(gnd_arange(0, 5, 0, GND_DTYPE_NONE), GND_ERROR_VALUE, "step is 0");
    CHECK_ERROR(gnd_arange(0, NAN, 1, GND_DTYPE_NONE), GND_ERROR_VALUE, "not a number");
    CHECK_ERROR(gnd_arange(0, 1e30, 1, GND_DTYPE_NONE), GND_ERROR_VALUE, "1e+30 elements");
    CHECK_ERROR(gnd_arange(0, 3, 1, GND_BOOL), GND_ERROR_DTYPE, "at most 2");
    CHECK_ERROR(gnd_arange(300, 302, 1, GND_UINT8), GND_ERROR_VALUE, "300");
    CHECK_ERROR(gnd_arange(-1.5, 3, 1, GND_UINT8), GND_ERROR_VALUE, "-1 is out of bounds for uint8");
    CHECK_ERROR(gnd_arange(1e30, 1.1e30, 1e29, GND_INT64), GND_ERROR_VALUE, "1e+30 is out of bounds");
    CHECK_ERROR(gnd_arange(0, GND_NONE, 1, GND_DTYPE_NONE), GND_ERROR_INVALID, "stop must be a number");
    CHECK_ERROR(gnd_arange(gnd_zeros(GND_SCALAR, 0), 1, 1, GND_DTYPE_NONE), GND_ERROR_INVALID, "start must be");
    CHECK_ERROR(gnd_arange(0, gnd_arg_parts(1, 1), 1, GND_FLOAT64), GND_ERROR_DTYPE, "complex");
    CHECK_ERROR(gnd_arange(0, 1, 1, (gnd_dtype)50), GND_ERROR_DTYPE, "50");
}

TEST(linspaces) {
    CHECK(reads(gnd_linspace(0, 1, 5, true, GND_DTYPE_NONE), "array([0.  , 0.25, 0.5 , 0.75, 1.  ])"));
    CHECK(reads(gnd_linspace(0, 1, 4, false, GND_FLOAT32), "array([0.  , 0.25, 0.5 , 0.75], dtype=float32)"));
    CHECK(reads(gnd_linspace(0, 5, 4, true, GND_INT32), "array([0, 1, 3, 5], dtype=int32)"));
    CHECK(reads(gnd_linspace(-1, 1, 4, true, GND_INT8), "array([-1, -1,  0,  1], dtype=int8)"));
    CHECK(reads(gnd_linspace(0, 5, 3, true, GND_BOOL), "array([False,  True,  True])"));
    CHECK(
        reads(gnd_linspace(0, gnd_arg_parts(1, 1), 3, true, GND_DTYPE_NONE), "array([0. +0.j , 0.5+0.5j, 1. +1.j ])"));
    CHECK(reads(gnd_linspace(3, 9, 1, true, GND_DTYPE_NONE), "array([3.])"));
    CHECK(reads(gnd_linspace(3, 9, 0, true, GND_DTYPE_NONE), "array([], dtype=float64)"));
    CHECK(reads(gnd_linspace(0, 5e-324, 3, true, GND_DTYPE_NONE), "array([0.e+000, 0.e+000, 5.e-324])"));
    gnd_array *ends = gnd_arange(1, 3, 1, GND_FLOAT32);
    gnd_shape column = {.ndim = GND_MAX_DIMS, .dim = {2}};
    for (int k = 1; k < GND_MAX_DIMS; k++) column.dim[k] = 1;
    CHECK(reads(gnd_linspace(0, ends, 3, true, GND_DTYPE_NONE),
                "array([[0. , 0. ],\n       [0.5, 1. ],\n       [1. , 2. ]], dtype=float32)"));
    CHECK(reads(gnd_linspace(ends, 4, 2, false, GND_INT64), "array([[1, 2],\n       [2, 3]])"));
    CHECK_ERROR(gnd_linspace(0, 1, -1, true, GND_DTYPE_NONE), GND_ERROR_VALUE, "-1");
    CHECK_ERROR(gnd_linspace(0, GND_NONE, 3, true, GND_DTYPE_NONE), GND_ERROR_INVALID, "stop");
    CHECK_ERROR(gnd_linspace(0, gnd_arg_parts(0, 1), 3, true, GND_FLOAT32), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_linspace(ends, gnd_zeros(GND_SHAPE(3), 0), 3, true, GND_DTYPE_NONE), GND_ERROR_SHAPE,
                "gnd_linspace: shapes (2,) and (3,)");
    CHECK_ERROR(gnd_linspace(gnd_reshape(ends, column), 0, 3, true, GND_DTYPE_NONE), GND_ERROR_SHAPE, "65 dimensions");
    CHECK_FAILS_CLEANLY(gnd_linspace(0, ends, 3, true, GND_INT16));
}

TEST(logspaces_and_geomspaces) {
    CHECK(reads(gnd_logspace(0, 3, 4, true, 10, GND_DTYPE_NONE), "array([   1.,   10.,  100., 1000.])"));
    CHECK(reads(gnd_logspace(0, 3, 4, true, 2.0, GND_INT32), "array([1, 2, 4, 8], dtype=int32)"));
    gnd_array *bases = gnd_arange(2, 4, 1, GND_FLOAT64);
    CHECK(reads(gnd_logspace(0, 2, 3, true, bases, GND_DTYPE_NONE),
                "array([[1., 1.],\n       [2., 3.],\n       [4., 9.]])"));
    CHECK(reads(gnd_geomspace(1, 1000, 4, true, GND_DTYPE_NONE), "array([   1.,   10.,  100., 1000.])"));
    CHECK(reads(gnd_geomspace(-2, -16, 3, false, GND_FLOAT32), "array([-2., -4., -8.], dtype=float32)"));
    CHECK(reads(gnd_slice(gnd_geomspace(gnd_arg_parts(0, 1), gnd_arg_parts(0, 16), 5, true, GND_COMPLEX64), "::4"),
                "array([0. +1.j, 0.+16.j], dtype=complex64)"));
    CHECK(gnd_size(gnd_geomspace(1, 2, 0, true, GND_DTYPE_NONE)) == 0);
    CHECK_ERROR(gnd_geomspace(1, 0, 3, true, GND_DTYPE_NONE), GND_ERROR_VALUE, "stop is 0");
    CHECK_ERROR(gnd_geomspace(0.0, 1, 3, true, GND_DTYPE_NONE), GND_ERROR_VALUE, "start is 0");
    CHECK_ERROR(gnd_logspace(0, 1, 3, true, GND_NONE, GND_DTYPE_NONE), GND_ERROR_INVALID, "base");
    CHECK_ERROR(gnd_logspace(0, gnd_zeros(GND_SHAPE(3), 0), 3, true, bases, GND_DTYPE_NONE), GND_ERROR_SHAPE,
                "gnd_logspace: shapes (3,) and (2,)");
    CHECK_ERROR(gnd_geomspace(1, 2, INT64_MAX, true, GND_DTYPE_NONE), GND_ERROR_MEMORY, "gnd_geomspace: ");
    CHECK_ERROR(gnd_linspace(1, bases, INT64_MAX / 8, true, GND_DTYPE_NONE), GND_ERROR_MEMORY, "gnd_linspace: ");
    CHECK_FAILS_CLEANLY(gnd_geomspace(1, 8, 4, true, GND_FLOAT32));
    CHECK_FAILS_CLEANLY(gnd_logspace(0, 2, 3, true, bases, GND_INT16));
}

TEST(identities) {
    CHECK(reads(gnd_eye(2, 3, 1, GND_INT8), "array([[0, 1, 0],\n       [0, 0, 1]], dtype=int8)"));
    CHECK(
        reads(gnd_eye(3, -1, -2, GND_DTYPE_NONE), "array([[0., 0., 0.],\n       [0., 0., 0.],\n       [1., 0., 0.]])"));
    CHECK(reads(gnd_eye(2, -1, 7, GND_BOOL), "array([[False, False],\n       [False, False]])"));
    CHECK(
        reads(gnd_identity(2, GND_COMPLEX64), "array([[1.+0.j, 0.+0.j],\n       [0.+0.j, 1.+0.j]], dtype=complex64)"));
    CHECK(gnd_size(gnd_identity(0, GND_DTYPE_NONE)) == 0);
    CHECK_ERROR(gnd_eye(-1, -1, 0, GND_DTYPE_NONE), GND_ERROR_SHAPE, "gnd_eye");
    CHECK_FAILS_CLEANLY(gnd_eye(3, 4, 0, GND_FLOAT32));
}

TEST_MAIN
