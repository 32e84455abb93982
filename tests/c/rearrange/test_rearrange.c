/*
 * test_rearrange.c: joining, splitting, padding and rearranging as C programs write them. The oracle
 * tests compare shapes, layouts and dtypes with NumPy.
 */
#include "values.h"

TEST(joins_take_lists) {
    gnd_array *a = count_up(GND_SHAPE(2, 2), GND_INT32), *b = gnd_full(GND_SHAPE(2, 1), 9, GND_INT8);
    gnd_array *both = gnd_concatenate(GND_ARRAYS(a, b), 1);
    CHECK(HOLDS(both, 0, 1, 9, 2, 3, 9) && gnd_dtype_of(both) == GND_INT32);
    CHECK(HOLDS(gnd_concatenate(GND_ARRAYS(a, b), GND_FLAT), 0, 1, 2, 3, 9, 9));
    CHECK(HOLDS(gnd_stack(GND_ARRAYS(a, a), -1), 0, 0, 1, 1, 2, 2, 3, 3));
    CHECK(HOLDS(gnd_hstack(GND_ARRAYS(a, b, b)), 0, 1, 9, 9, 2, 3, 9, 9));
    CHECK(HOLDS(gnd_append(a, 7, GND_FLAT), 0, 1, 2, 3, 7));
    gnd_join_options options = {.dtype = GND_FLOAT16};
    CHECK_ERROR(gnd_concatenate_with(GND_ARRAYS(a, b), 1, (gnd_join_options){.dtype = GND_INT8, .casting = GND_SAFE}),
                GND_ERROR_DTYPE, "array 0 is int32");
    CHECK(gnd_dtype_of(gnd_stack_with(GND_ARRAYS(a, a), 0, options)) == GND_FLOAT16);
    CHECK_ERROR(gnd_vstack(GND_ARRAYS(a, b)), GND_ERROR_SHAPE, "(2, 1)");
    CHECK_ERROR(gnd_concatenate(GND_ARRAYS(a, (gnd_array *)NULL), 0), GND_ERROR_INVALID, "'arrays' is NULL");
    const gnd_array *const blocks[] = {a, b, gnd_zeros(GND_SHAPE(1, 2), GND_INT32),
                                       gnd_ones(GND_SHAPE(1, 1), GND_INT32)};
    CHECK(HOLDS(gnd_block(2, 2, blocks), 0, 1, 9, 2, 3, 9, 0, 0, 1));
}

TEST(splits_give_views) {
    gnd_array *a = count_up(GND_SHAPE(7), GND_FLOAT32), *out[3];
    CHECK(gnd_array_split(a, GND_SECTIONS(3), 0, out) == GND_OK);
    CHECK(HOLDS(out[0], 0, 1, 2) && HOLDS(out[1], 3, 4) && HOLDS(out[2], 5, 6));
    CHECK(gnd_split(a, GND_CUTS(2, -1), 0, out) == GND_OK);
    CHECK(HOLDS(out[0], 0, 1) && HOLDS(out[1], 2, 3, 4, 5) && HOLDS(out[2], 6));
    CHECK(gnd_fill(out[1], 1) == GND_OK && HOLDS(a, 0, 1, 1, 1, 1, 1, 6));
    CHECK_ERROR(gnd_split(a, GND_SECTIONS(3), 0, out), GND_ERROR_SHAPE, "gnd_array_split");
    CHECK(out[0] == NULL && out[2] == NULL);
    for (int k = 0; k < 3; k++) out[k] = a; /* whatever is refused, no result is left as it was */
    CHECK_ERROR(gnd_split(a, GND_SECTIONS(3), 1, out), GND_ERROR_AXIS, "axis 1");
    CHECK(!out[0] && !out[1] && !out[2]);
    for (int k = 0; k < 3; k++) out[k] = a;
    CHECK_ERROR(gnd_split(NULL, GND_SECTIONS(3), 0, out), GND_ERROR_INVALID, "'a' is NULL");
    CHECK(!out[0] && !out[1] && !out[2]);
    CHECK(gnd_unstack(gnd_reshape(gnd_slice(a, ":6"), GND_SHAPE(3, 2)), 0, out) == GND_OK);
    CHECK(HOLDS(out[2], 1, 1));
}

TEST(repeats_and_rolls) {
    gnd_array *a = count_up(GND_SHAPE(2, 2), GND_UINT8);
    CHECK(HOLDS(gnd_tile(a, GND_SHAPE(1, 2)), 0, 1, 0, 1, 2, 3, 2, 3));
    CHECK(HOLDS(gnd_repeat(a, 2, 1), 0, 0, 1, 1, 2, 2, 3, 3));
    CHECK(HOLDS(gnd_resize(a, GND_SHAPE(5)), 0, 1, 2, 3, 0));
    CHECK(HOLDS(gnd_roll(a, 1, GND_ALL), 3, 0, 1, 2));
    CHECK(HOLDS(gnd_roll(a, 1, GND_AXES(0, 1)), 3, 2, 1, 0));
    CHECK(HOLDS(gnd_roll_each(a, (const int64_t[]){1, 2}, GND_AXES(0, 1)), 2, 3, 0, 1));
    CHECK(HOLDS(gnd_rot90(a, 1, GND_ALL), 1, 3, 0, 2));
}

TEST(pads_every_side) {
    gnd_array *a = count_up(GND_SHAPE(3), GND_INT32);
    gnd_pad_options options = {.mode = GND_PAD_REFLECT};
    CHECK(HOLDS(gnd_pad(a, GND_PAD_WIDTH(2), NULL), 0, 0, 0, 1, 2, 0, 0));
    CHECK(HOLDS(gnd_pad(a, GND_PAD_WIDTH(5), &options), 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1));
    options.odd = true;
    CHECK(HOLDS(gnd_pad(a, GND_PAD_WIDTHS({1, 2}), &options), -1, 0, 1, 2, 3, 4));
    gnd_pad_options ends = {.mode = GND_PAD_LINEAR_RAMP, .values = 1};
    ends.value[0][0] = GND_ARG(-3), ends.value[0][1] = GND_ARG(5);
    CHECK(HOLDS(gnd_pad(a, GND_PAD_WIDTH(3), &ends), -3, -2, -1, 0, 1, 2, 3, 4, 5));
    CHECK(gnd_dim(gnd_pad(gnd_zeros(GND_SHAPE(2, 2), GND_BOOL), GND_PAD_WIDTHS({0, 1}, {2, 3}), NULL), 1) == 7);
    CHECK_ERROR(gnd_pad(a, GND_PAD_WIDTH(-1), NULL), GND_ERROR_VALUE, "negative");
}

TEST(inserts_and_deletes) {
    gnd_array *a = count_up(GND_SHAPE(5), GND_INT16);
    CHECK(HOLDS(gnd_insert(a, gnd_index_at(1), 9, 0), 0, 9, 1, 2, 3, 4));
    CHECK(HOLDS(gnd_insert(a, gnd_index_range(GND_OPEN, GND_OPEN, 2), 9, 0), 9, 0, 1, 9, 2, 3, 9, 4));
    CHECK(HOLDS(gnd_delete(a, gnd_index_at(-1), 0), 0, 1, 2, 3));
    CHECK(HOLDS(gnd_delete(a, gnd_index_range(GND_OPEN, GND_OPEN, -2), 0), 1, 3));
    CHECK_ERROR(gnd_delete(a, gnd_index_at(5), 0), GND_ERROR_INDEX, "index 5");
    CHECK(HOLDS(gnd_trim_zeros(gnd_pad(a, GND_PAD_WIDTH(2), NULL), NULL, GND_ALL), 1, 2, 3, 4));
}

TEST(triangles_and_windows) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_FLOAT32);
    CHECK(HOLDS(gnd_tril(a, 0), 0, 0, 0, 3, 4, 0));
    CHECK(HOLDS(gnd_triu(a, 1), 0, 1, 2, 0, 0, 5));
    CHECK(HOLDS(gnd_diag(gnd_slice(a, "0"), 0), 0, 0, 0, 0, 1, 0, 0, 0, 2));
    CHECK(HOLDS(gnd_vander(gnd_slice(a, "0"), -1, true), 1, 0, 0, 1, 1, 1, 1, 2, 4));
    gnd_array *line = gnd_ravel(a), *windows;
    windows = gnd_sliding_window_view(line, GND_SHAPE(3), GND_ALL, false);
    CHECK(HOLDS(windows, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5));
    CHECK(gnd_is_readonly(windows) && gnd_shares_buffer(windows, line));
    CHECK_ERROR(gnd_fill(windows, 0), GND_ERROR_INVALID, "read-only");
    CHECK_ERROR(gnd_as_strided(line, GND_SHAPE(1 << 20), (const int64_t[]){4}), GND_ERROR_SHAPE, "reaches bytes");
    gnd_array *grid[2];
    CHECK(gnd_meshgrid(GND_ARRAYS(line, gnd_slice(line, ":2")), (gnd_grid_options){.sparse = true}, grid) == GND_OK);
    CHECK(gnd_dim(grid[0], 1) == 6 && gnd_dim(grid[1], 0) == 2);
    CHECK(HOLDS(gnd_indices(GND_SHAPE(2, 2), GND_INT32), 0, 0, 1, 1, 0, 1, 0, 1));
}

TEST_MAIN
