/* Views and changes of shape: slices by text and by structs, axes,
   broadcasting, reinterpretation. */
#include "reads.h"
#include "values.h"
#include <inttypes.h>
#include <limits.h>

/* ---- slices --------------------------------------------------------------------------------- */

TEST(slice_ranges) {
    gnd_array *a = count_up(GND_SHAPE(6), GND_INT32);
    CHECK(reads(gnd_slice(a, "1:4"), "array([1, 2, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "::2"), "array([0, 2, 4], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "::-1"), "array([5, 4, 3, 2, 1, 0], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "-2:"), "array([4, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, ":-4:-1"), "array([5, 4, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "4:1"), "array([], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "-100:100:3"), "array([0, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "100::-4"), "array([5, 1], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "2:99999999999999999999999"), "array([2, 3, 4, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "None:3:None"), "array([0, 1, 2], dtype=int32)"));
    CHECK(reads(gnd_slice(a, " "), "array([0, 1, 2, 3, 4, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, " \t2 : 4 \n"), "array([2, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "::9223372036854775807"), "array([0], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "::-9223372036854775808"), "array([5], dtype=int32)"));
    CHECK(reads(gnd_slice(gnd_slice(a, "1::2"), "::-2"), "array([5, 1], dtype=int32)"));
}

TEST(slice_axes) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_INT32);
    CHECK(reads(gnd_slice(a, "1"), "array([3, 4, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "-1, -1"), "array(5, dtype=int32)"));
    CHECK(reads(gnd_slice(a, "1,"), "array([3, 4, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "..., 0"), "array([0, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "Ellipsis, 0:1"), "array([[0],\n       [3]], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "None, 0, newaxis"), "array([[[0, 1, 2]]], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "0, ..., 1, None"), "array([1], dtype=int32)"));
    gnd_array *scalar = gnd_full(GND_SCALAR, 7, GND_INT32);
    CHECK(reads(gnd_slice(scalar, "..."), "array(7, dtype=int32)"));
    CHECK(reads(gnd_slice(scalar, "None"), "array([7], dtype=int32)"));
    gnd_array *empty = gnd_zeros(GND_SHAPE(0, 3), GND_INT32);
    CHECK(reads(gnd_slice(empty, "::-1, 1"), "array([], dtype=int32)"));
}

TEST(slice_arguments) {
    gnd_array *a = count_up(GND_SHAPE(10), GND_INT32);
    int64_t wide = 3;
    size_t size = 4;
    CHECK(reads(gnd_slice(a, "%d:%i", 2, 4), "array([2, 3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "-%d:", 2), "array([8, 9], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%u:%lu:%lld", 1u, 9ul, 4ll), "array([1, 5], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%" PRId64 ":%zu", wide, size), "array([3], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%ld:%td:%jd", -3L, (ptrdiff_t)10, (intmax_t)1), "array([7, 8, 9], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%hhd:%hd", (signed char)1, (short)2), "array([1], dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%d", -1), "array(9, dtype=int32)"));
    CHECK(reads(gnd_slice(a, "%llu:", 18446744073709551615ull), "array([], dtype=int32)"));
}

TEST(slice_structs) {
    gnd_array *a = count_up(GND_SHAPE(3, 4), GND_INT32);
    CHECK(reads(gnd_slice_ix(a, GND_INDICES(gnd_index_at(-1), gnd_index_range(1, GND_OPEN, 2))),
                "array([ 9, 11], dtype=int32)"));
    CHECK(reads(gnd_slice_ix(a, GND_INDICES(gnd_index_ellipsis(), gnd_index_at(0), gnd_index_new_axis())),
                "array([[0],\n       [4],\n       [8]], dtype=int32)"));
    CHECK(reads(gnd_slice_ix(a, GND_INDICES(gnd_index_all(), gnd_index_range(GND_OPEN, GND_OPEN, -3))),
                "array([[ 3,  0],\n       [ 7,  4],\n       [11,  8]], dtype=int32)"));
    CHECK(gnd_slice_ix(a, 0, NULL) != NULL);
    CHECK_ERROR(gnd_slice_ix(a, 1, NULL), GND_ERROR_INVALID, "items");
    CHECK_ERROR(gnd_slice_ix(a, -1, NULL), GND_ERROR_INVALID, "-1 items");
    gnd_index bad = {.kind = (gnd_index_kind)9};
    CHECK_ERROR(gnd_slice_ix(a, 1, &bad), GND_ERROR_INVALID, "kind");
    CHECK_ERROR(gnd_slice_ix(a, GND_INDICES(gnd_index_range(0, 1, 0))), GND_ERROR_INVALID, "step");
}

/* Steps beyond all memory leave one element, and a stride that nothing adds up to overflow. */
TEST(slices_with_endless_steps) {
    gnd_array *a = gnd_reshape(gnd_arange(0, 6, 1, GND_INT64), GND_SHAPE(2, 3));
    gnd_array *corner = gnd_slice(a, "::%lld, ::%lld", -(1LL << 60), (long long)INT64_MAX);
    CHECK(reads(corner, "array([[3]])"));
    CHECK(reads(gnd_flip(corner, GND_ALL), "array([[3]])"));
    CHECK(reads(gnd_diagonal(corner, 0, 0, 1), "array([3])"));
    CHECK(reads(gnd_slice(corner, "::-2, ::%lld", 1LL << 61), "array([[3]])"));
    CHECK(reads(gnd_reshape(gnd_transpose(corner), GND_SHAPE(1)), "array([3])"));
}

TEST(slice_errors) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_INT32);
    CHECK_ERROR(gnd_slice(a, "2"), GND_ERROR_INDEX, "index 2 is out of bounds for axis 0 of size 2 (in \"2\")");
    CHECK_ERROR(gnd_slice(a, "0, -4"), GND_ERROR_INDEX, "index -4 is out of bounds for axis 1 of size 3");
    CHECK_ERROR(gnd_slice(a, "0, 0, :"), GND_ERROR_INDEX, "too many indices: the array has 2 dimensions");
    CHECK_ERROR(gnd_slice(a, "..., ..."), GND_ERROR_INDEX, "single ellipsis");
    CHECK_ERROR(gnd_slice(a, "1:x"), GND_ERROR_INVALID, "cannot read \"1:x\" at position 2 (\"x\")");
    CHECK_ERROR(gnd_slice(a, "0 1"), GND_ERROR_INVALID, "comma");
    CHECK_ERROR(gnd_slice(a, "1,,2"), GND_ERROR_INVALID, "position 2");
    CHECK_ERROR(gnd_slice(a, "::0"), GND_ERROR_INVALID, "step cannot be 0");
    CHECK_ERROR(gnd_slice(a, "1.5"), GND_ERROR_INVALID, "whole number");
    CHECK_ERROR(gnd_slice(a, "1e3"), GND_ERROR_INVALID, "whole number");
    CHECK_ERROR(gnd_slice(a, "[0]"), GND_ERROR_INVALID, "position 0");
    CHECK_ERROR(gnd_slice(a, "--1"), GND_ERROR_INVALID, "digits after the sign");
    CHECK_ERROR(gnd_slice(a, "Nonesuch"), GND_ERROR_INVALID, "expected an integer");
    CHECK_ERROR(gnd_slice(a, "1:2:3:4"), GND_ERROR_INVALID, "position 5");
    const char *not_checked = "%s"; /* a literal would be a compiler warning, as it should */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    CHECK_ERROR(gnd_slice(a, not_checked), GND_ERROR_INVALID, "conversion of an integer");
#pragma GCC diagnostic pop
    CHECK_ERROR(gnd_slice(NULL, "0"), GND_ERROR_INVALID, "gnd_slice");
    char many[700] = "";
    for (int k = 0; k < 130; k++) strcat(many, "None,");
    const char *text = many;
    CHECK_ERROR(gnd_slice(a, text, 0), GND_ERROR_INVALID, "more items");
    many[5 * 63] = 0; /* 63 new axes and 2 old ones */
    CHECK_ERROR(gnd_slice(a, text, 0), GND_ERROR_SHAPE, "65 dimensions");
}

TEST(slices_write_through) {
    gnd_array *a = gnd_zeros(GND_SHAPE(2, 4), GND_INT8);
    CHECK(gnd_fill(gnd_slice(a, "1, ::2"), 5) == GND_OK);
    CHECK(reads(a, "array([[0, 0, 0, 0],\n       [5, 0, 5, 0]], dtype=int8)"));
    CHECK(gnd_is_view(gnd_slice(a, "1")) && gnd_shares_buffer(a, gnd_slice(a, "1")));
}

/* ---- axes ----------------------------------------------------------------------------------- */

static bool has_shape(const gnd_array *a, gnd_shape shape) {
    gnd_shape got = gnd_shape_of(a);
    return a && got.ndim == shape.ndim && memcmp(got.dim, shape.dim, (size_t)shape.ndim * sizeof *shape.dim) == 0;
}

TEST(orders_of_axes) {
    gnd_array *a = count_up(GND_SHAPE(2, 3, 4), GND_INT32);
    CHECK(has_shape(gnd_transpose(a), GND_SHAPE(4, 3, 2)));
    CHECK(has_shape(gnd_permute(a, GND_AXES(1, -1, 0)), GND_SHAPE(3, 4, 2)));
    CHECK(has_shape(gnd_permute(a, GND_ALL), GND_SHAPE(4, 3, 2)));
    CHECK(has_shape(gnd_matrix_transpose(a), GND_SHAPE(2, 4, 3)));
    CHECK(has_shape(gnd_swapaxes(a, 0, -1), GND_SHAPE(4, 3, 2)));
    CHECK(has_shape(gnd_moveaxis(a, GND_AXES(0), GND_AXES(-1)), GND_SHAPE(3, 4, 2)));
    CHECK(has_shape(gnd_moveaxis(a, GND_AXES(0, 1), GND_AXES(-1, 0)), GND_SHAPE(3, 4, 2)));
    CHECK(
        reads(gnd_slice(gnd_transpose(a), "0"), "array([[ 0, 12],\n       [ 4, 16],\n       [ 8, 20]], dtype=int32)"));
    CHECK_ERROR(gnd_permute(a, GND_AXES(0, 1)), GND_ERROR_INVALID, "2 axes are given");
    CHECK_ERROR(gnd_permute(a, GND_AXES(0, 1, 1)), GND_ERROR_AXIS, "twice");
    CHECK_ERROR(gnd_permute(a, GND_AXES(0, 1, 3)), GND_ERROR_AXIS, "axis 3");
    CHECK_ERROR(gnd_swapaxes(a, 0, 5), GND_ERROR_AXIS, "axis 5");
    CHECK_ERROR(gnd_moveaxis(a, GND_AXES(0, 1), GND_AXES(0)), GND_ERROR_INVALID, "2 axes are to move to 1");
    CHECK_ERROR(gnd_moveaxis(a, GND_ALL, GND_ALL), GND_ERROR_INVALID, "name them");
    CHECK_ERROR(gnd_matrix_transpose(gnd_zeros(GND_SHAPE(3), 0)), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_transpose(NULL), GND_ERROR_INVALID, "gnd_transpose");
}

TEST(axes_of_size_one) {
    gnd_array *a = count_up(GND_SHAPE(1, 3, 1), GND_INT32);
    CHECK(has_shape(gnd_squeeze(a, GND_ALL), GND_SHAPE(3)));
    CHECK(has_shape(gnd_squeeze(a, GND_AXES(-1)), GND_SHAPE(1, 3)));
    CHECK(has_shape(gnd_squeeze(a, GND_NO_AXES), GND_SHAPE(1, 3, 1)));
    CHECK(has_shape(gnd_expand_dims(a, GND_AXES(0, -1)), GND_SHAPE(1, 1, 3, 1, 1)));
    CHECK_ERROR(gnd_squeeze(a, GND_AXES(1)), GND_ERROR_SHAPE, "axis 1 has size 3");
    CHECK_ERROR(gnd_expand_dims(a, GND_AXES(5)), GND_ERROR_AXIS, "axis 5");
    CHECK_ERROR(gnd_expand_dims(a, GND_ALL), GND_ERROR_INVALID, "name their positions");
}

TEST(flips_and_diagonals) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_INT32);
    CHECK(reads(gnd_flip(a, GND_ALL), "array([[5, 4, 3],\n       [2, 1, 0]], dtype=int32)"));
    CHECK(reads(gnd_flip(a, GND_AXES(0)), "array([[3, 4, 5],\n       [0, 1, 2]], dtype=int32)"));
    CHECK(gnd_flip(gnd_zeros(GND_SHAPE(0, 3), 0), GND_ALL) != NULL);
    CHECK(reads(gnd_diagonal(a, 0, 0, 1), "array([0, 4], dtype=int32)"));
    CHECK(reads(gnd_diagonal(a, 1, 0, 1), "array([1, 5], dtype=int32)"));
    CHECK(reads(gnd_diagonal(a, -1, 0, 1), "array([3], dtype=int32)"));
    CHECK(reads(gnd_diagonal(a, 1, 1, 0), "array([3], dtype=int32)"));
    CHECK(reads(gnd_diagonal(a, 99, 0, 1), "array([], dtype=int32)"));
    CHECK(reads(gnd_diagonal(a, INT64_MIN, 0, 1), "array([], dtype=int32)"));
    CHECK(gnd_fill(gnd_diagonal(a, 0, 0, 1), -1) == GND_OK);
    CHECK(reads(a, "array([[-1,  1,  2],\n       [ 3, -1,  5]], dtype=int32)"));
    CHECK_ERROR(gnd_diagonal(a, 0, 1, -1), GND_ERROR_AXIS, "both axis 1");
    CHECK_ERROR(gnd_diagonal(gnd_zeros(GND_SHAPE(3), 0), 0, 0, 1), GND_ERROR_SHAPE, "at least 2");
}

/* ---- broadcasting --------------------------------------------------------------------------- */

/* The most axes there are: the sanitizers see where one more is looked at. */
TEST(the_most_axes) {
    gnd_shape shape = {.ndim = GND_MAX_DIMS}, twice = {.ndim = GND_MAX_DIMS};
    for (int k = 0; k < GND_MAX_DIMS; k++) shape.dim[k] = k == 5 ? 3 : 1, twice.dim[k] = 1 + (k == 5);
    gnd_array *a = gnd_reshape(gnd_arange(0, 3, 1, GND_INT32), shape);
    gnd_array *flipped = gnd_flip(a, GND_ALL), *tiled = gnd_tile(a, twice);
    CHECK(gnd_ndim(flipped) == GND_MAX_DIMS && gnd_ndim(tiled) == GND_MAX_DIMS);
    CHECK(reads(gnd_ravel(flipped), "array([2, 1, 0], dtype=int32)"));
    CHECK(reads(gnd_ravel(tiled), "array([0, 1, 2, 0, 1, 2], dtype=int32)"));
    CHECK(reads(gnd_ravel(gnd_transpose(a)), "array([0, 1, 2], dtype=int32)"));
    CHECK_ERROR(gnd_expand_dims(a, GND_AXES(0)), GND_ERROR_SHAPE, "65 dimensions");
}

/* Sizes that fit 64 bits and strides, or bytes, that do not: refused, and no product of them overflows on the way,
   which the sanitizers see. */
TEST(shapes_beyond_all_memory) {
    const int64_t far = INT64_C(1) << 61;
    const gnd_axes most = {.count = INT_MAX};
    gnd_array *one = gnd_ones(GND_SHAPE(1, 1), GND_INT8);
    gnd_array *tall = gnd_broadcast_to(one, GND_SHAPE(far, 2)), *wide = gnd_broadcast_to(one, GND_SHAPE(1, far));
    CHECK_ERROR(gnd_expand_dims(one, most), GND_ERROR_SHAPE, "2147483649 dimensions");
    CHECK_ERROR(gnd_squeeze(one, most), GND_ERROR_INVALID, "2147483647 axes");
    for (int fused = 0; fused < 2; fused++) {
        gnd_fuse_block block;
        const gnd_fuse_executor before = fused ? gnd_fuse_use(GND_FUSE_INTERPRET) : GND_FUSE_AUTO;
        if (fused) gnd_fuse_open(&block);
        CHECK_ERROR(gnd_zeros(GND_SHAPE(far, 2), GND_FLOAT64), GND_ERROR_MEMORY, "too big");
        CHECK_ERROR(gnd_add(tall, 1.5), GND_ERROR_MEMORY, "too big");
        CHECK_ERROR(gnd_add(gnd_slice(tall, ":, :1"), wide), GND_ERROR_MEMORY, "too big");
        CHECK_ERROR(gnd_sum(tall, GND_AXES(1)), GND_ERROR_MEMORY, "too big");
        CHECK_ERROR(gnd_sum(gnd_transpose(tall), GND_AXES_KEEP(0)), GND_ERROR_MEMORY, "too big");
        CHECK_ERROR(gnd_median(tall, GND_AXES(1)), GND_ERROR_MEMORY, "too large");
        CHECK_ERROR(gnd_apply("add", GND_ARGS(tall, 1.5), &(gnd_apply_options){.order = 'F'}), GND_ERROR_MEMORY,
                    "too big");
        if (fused) gnd_fuse_close(&block), gnd_fuse_use(before);
    }
    CHECK_ERROR(gnd_stack(GND_ARRAYS(tall, tall), 0), GND_ERROR_MEMORY, "too big");
    CHECK_ERROR(gnd_tile(tall, GND_SHAPE(3, 3)), GND_ERROR_MEMORY, "too big");
    CHECK_ERROR(gnd_tile(tall, GND_SHAPE(9, 3)), GND_ERROR_MEMORY, "does not fit 64 bits");
    CHECK_ERROR(gnd_matmul(gnd_slice(tall, ":, :1"), wide), GND_ERROR_MEMORY, "too big");
    CHECK(gnd_dim(gnd_reshape(tall, GND_SHAPE(INT64_C(1) << 31, -1)), 1) == INT64_C(1) << 31);
    CHECK(gnd_size(gnd_diagonal(tall, INT64_MAX, 0, 1)) == 0);
    CHECK(gnd_size(gnd_diagonal(tall, INT64_MIN, 0, 1)) == 0);
}

TEST(broadcasts) {
    gnd_array *row = count_up(GND_SHAPE(3), GND_INT32), *column = count_up(GND_SHAPE(2, 1), GND_INT32);
    gnd_array *wide = gnd_broadcast_to(row, GND_SHAPE(2, 3));
    CHECK(reads(wide, "array([[0, 1, 2],\n       [0, 1, 2]], dtype=int32)"));
    CHECK(gnd_is_readonly(wide) && gnd_is_readonly(gnd_slice(wide, "0")) && !gnd_is_readonly(row));
    CHECK_ERROR(gnd_fill(wide, 1), GND_ERROR_INVALID, "");
    CHECK(gnd_broadcast_to(row, GND_SHAPE(0, 3)) != NULL);
    CHECK_ERROR(gnd_broadcast_to(row, GND_SHAPE(2, 4)), GND_ERROR_SHAPE, "shape (3,) does not broadcast to (2, 4)");
    CHECK_ERROR(gnd_broadcast_to(wide, GND_SHAPE(3)), GND_ERROR_SHAPE, "(2, 3)");
    CHECK_ERROR(gnd_broadcast_to(row, GND_SHAPE(-1, 3)), GND_ERROR_SHAPE, "negative");
    CHECK_ERROR(gnd_broadcast_to(row, GND_SHAPE(INT64_MAX, 3)), GND_ERROR_SHAPE, "too many");

    const gnd_array *in[3] = {row, column, wide};
    gnd_array *out[3];
    CHECK(gnd_broadcast_arrays(3, in, out) == GND_OK);
    for (int k = 0; k < 3; k++) CHECK(has_shape(out[k], GND_SHAPE(2, 3)));
    CHECK(gnd_is_readonly(out[0]) && gnd_is_readonly(out[1]));
    CHECK(gnd_broadcast_arrays(0, NULL, NULL) == GND_OK);
    in[1] = count_up(GND_SHAPE(4), GND_INT32);
    CHECK_ERROR(gnd_broadcast_arrays(3, in, out), GND_ERROR_SHAPE, "array 1 has shape (4,)");
    CHECK(out[0] == NULL && out[1] == NULL && out[2] == NULL);
    in[1] = NULL;
    CHECK_ERROR(gnd_broadcast_arrays(3, in, out), GND_ERROR_INVALID, "in");
}

/* ---- shape ---------------------------------------------------------------------------------- */

TEST(reshapes) {
    gnd_array *a = count_up(GND_SHAPE(2, 6), GND_INT32);
    CHECK(has_shape(gnd_reshape(a, GND_SHAPE(3, -1)), GND_SHAPE(3, 4)));
    CHECK(gnd_shares_buffer(a, gnd_reshape(a, GND_SHAPE(12))));
    CHECK(has_shape(gnd_reshape(gnd_slice(a, "0, 0"), GND_SHAPE(1, 1)), GND_SHAPE(1, 1)));
    CHECK(has_shape(gnd_reshape(gnd_zeros(GND_SHAPE(0, 3), 0), GND_SHAPE(5, -1)), GND_SHAPE(5, 0)));
    /* Strides can express a split of a strided axis, but not a merge across a gap. */
    gnd_array *strided = gnd_slice(a, ":, :3");
    CHECK(gnd_shares_buffer(a, gnd_reshape(strided, GND_SHAPE(2, 3, 1))));
    gnd_array *merged = gnd_reshape(strided, GND_SHAPE(-1));
    CHECK(!gnd_shares_buffer(a, merged) && !gnd_is_view(merged));
    CHECK(reads(merged, "array([0, 1, 2, 6, 7, 8], dtype=int32)"));
    CHECK(gnd_shares_buffer(a, gnd_reshape(gnd_slice(gnd_ravel(a), "::-1"), GND_SHAPE(4, 3))));
    CHECK(reads(gnd_reshape(gnd_transpose(a), GND_SHAPE(2, -1)),
                "array([[ 0,  6,  1,  7,  2,  8],\n       [ 3,  9,  4, 10,  5, 11]], dtype=int32)"));
    CHECK(reads(gnd_reshape_order(a, GND_SHAPE(4, 3), 'F'),
                "array([[ 0,  2,  4],\n       [ 6,  8, 10],\n       [ 1,  3,  5],\n       [ 7,  9, "
                "11]], dtype=int32)"));
    CHECK(gnd_shares_buffer(a, gnd_reshape_order(gnd_transpose(a), GND_SHAPE(3, 4), 'A')));
    CHECK_ERROR(gnd_reshape(a, GND_SHAPE(5)), GND_ERROR_SHAPE, "size 12, shape (2, 6), cannot take the shape (5,)");
    CHECK_ERROR(gnd_reshape(a, GND_SHAPE(5, -1)), GND_ERROR_SHAPE, "(5, -1)");
    CHECK_ERROR(gnd_reshape(a, GND_SHAPE(-1, -1)), GND_ERROR_SHAPE, "more than one");
    CHECK_ERROR(gnd_reshape(a, GND_SHAPE(-2, -6)), GND_ERROR_SHAPE, "negative");
    CHECK_ERROR(gnd_reshape(a, GND_SHAPE(INT64_MAX, INT64_MAX)), GND_ERROR_SHAPE, "12");
    CHECK_ERROR(gnd_reshape(gnd_zeros(GND_SHAPE(0), 0), GND_SHAPE(0, -1)), GND_ERROR_SHAPE, "beside a size of 0");
    CHECK_ERROR(gnd_reshape_order(a, GND_SHAPE(12), 'X'), GND_ERROR_INVALID, "'X'");
    CHECK_FAILS_CLEANLY(gnd_reshape(strided, GND_SHAPE(-1)));
    CHECK_FAILS_CLEANLY(gnd_reshape_order(strided, GND_SHAPE(3, 2), 'F'));
}

TEST(ravels) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_INT32), *t = gnd_transpose(a);
    CHECK(gnd_shares_buffer(a, gnd_ravel(a)) && !gnd_shares_buffer(a, gnd_flatten(a)));
    CHECK(reads(gnd_ravel(t), "array([0, 3, 1, 4, 2, 5], dtype=int32)"));
    CHECK(gnd_shares_buffer(a, gnd_ravel_order(t, 'F')) && gnd_shares_buffer(a, gnd_ravel_order(t, 'K')));
    CHECK(reads(gnd_ravel_order(a, 'F'), "array([0, 3, 1, 4, 2, 5], dtype=int32)"));
    CHECK(gnd_is_c_contiguous(gnd_ravel(gnd_slice(gnd_ravel(a), "::2"))));
    CHECK(reads(gnd_flatten(gnd_full(GND_SCALAR, 3, GND_INT8)), "array([3], dtype=int8)"));
    CHECK_FAILS_CLEANLY(gnd_flatten(a));
}

/* ---- other readings ------------------------------------------------------------------------- */

TEST(real_and_imaginary_parts) {
    gnd_array *z = gnd_full(GND_SHAPE(3), gnd_arg_parts(1.5, -2), GND_COMPLEX64);
    CHECK(reads(gnd_real(z), "array([1.5, 1.5, 1.5], dtype=float32)"));
    CHECK(gnd_fill(gnd_imag(gnd_slice(z, "1:")), 4) == GND_OK);
    CHECK(reads(z, "array([1.5-2.j, 1.5+4.j, 1.5+4.j], dtype=complex64)"));
    gnd_array *x = count_up(GND_SHAPE(2), GND_INT32);
    CHECK(gnd_shares_buffer(x, gnd_real(x)));
    CHECK(reads(gnd_imag(x), "array([0, 0], dtype=int32)"));
    CHECK_ERROR(gnd_imag(NULL), GND_ERROR_INVALID, "gnd_imag");
}

TEST(views_as_another_dtype) {
    gnd_array *x = gnd_full(GND_SHAPE(2, 4), 1, GND_FLOAT32);
    CHECK(reads(gnd_slice(gnd_view(x, GND_INT32), "0, :2"), "array([1065353216, 1065353216], dtype=int32)"));
    CHECK(has_shape(gnd_view(x, GND_FLOAT64), GND_SHAPE(2, 2)));
    CHECK(has_shape(gnd_view(x, GND_UINT8), GND_SHAPE(2, 16)));
    CHECK(has_shape(gnd_view(gnd_slice(x, "::-1, 2:"), GND_COMPLEX64), GND_SHAPE(2, 1)));
    CHECK(has_shape(gnd_view(gnd_transpose(x), GND_INT32), GND_SHAPE(4, 2)));
    CHECK_ERROR(gnd_view(gnd_transpose(x), GND_INT8), GND_ERROR_SHAPE, "must be contiguous");
    CHECK_ERROR(gnd_view(gnd_slice(x, ":, :3"), GND_FLOAT64), GND_ERROR_SHAPE, "12 bytes long");
    CHECK_ERROR(gnd_view(gnd_slice(x, ":, 1:3"), GND_FLOAT64), GND_ERROR_SHAPE, "multiples of the 8 bytes");
    CHECK_ERROR(gnd_view(gnd_slice(x, "0, 0"), GND_FLOAT64), GND_ERROR_DTYPE, "0-d");
    CHECK_ERROR(gnd_view(x, (gnd_dtype)77), GND_ERROR_DTYPE, "77");
}

TEST(views_keep_the_memory) {
    gnd_array *view = NULL;
    GND_SCOPE {
        view = gnd_keep(gnd_slice(count_up(GND_SHAPE(5), GND_INT32), "3:"));
    }
    CHECK(reads(view, "array([3, 4], dtype=int32)"));
    CHECK_FAILS_CLEANLY(gnd_slice(view, "0"));
}

TEST_MAIN
