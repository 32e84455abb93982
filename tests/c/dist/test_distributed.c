/*
 * test_distributed.c: split arrays: making, moving and viewing them, in every layout, against plain gnd; failed arrays.
 */
#include "layouts.h"
#include "dist/dist.h"

/* ---- making ------------------------------------------------------------------------------------------------- */

static void made(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_dist *x = gnd_dist_full(mesh, shape, 2.5, GND_FLOAT32, layout);
    EXPECT(same(x, gnd_full(shape, 2.5, GND_FLOAT32)));
    EXPECT(gnd_dist_dtype_of(x) == GND_FLOAT32 && gnd_dist_mesh_of(x) == mesh);
    EXPECT(gnd_dist_shape_of(x).ndim == shape.ndim && gnd_dist_size(x) == gndi_shape_count(shape));
    EXPECT(gnd_dist_dtype_of(gnd_dist_full(mesh, shape, 3, GND_DTYPE_NONE, layout)) == GND_INT64);
    int64_t start[64], count[64], size = 1;
    EXPECT(gnd_dist_part(x, gnd_mesh_rank(mesh), start, count) == GND_OK);
    gnd_array *local = gnd_dist_local(x);
    for (int i = 0; i < shape.ndim; i++) size *= count[i];
    EXPECT(local && gnd_size(local) == size);
    EXPECT(gnd_dist_same_layout(x, gnd_dist_empty(mesh, shape, GND_INT8, gnd_dist_layout_of(x))));
    gnd_array *whole = numbered(shape, GND_INT16);
    for (int root = 0; root < gnd_mesh_size(mesh); root++) {
        gnd_dist *y = gnd_dist_scatter(mesh, gnd_mesh_rank(mesh) == root ? whole : NULL, root, layout);
        EXPECT(same(y, whole));
        gnd_array *back = gnd_dist_gather(y, root);
        EXPECT((back != NULL) == (gnd_mesh_rank(mesh) == root) && (!back || gnd_array_equal(back, whole, false)));
        EXPECT(same(gnd_dist_like(y, gnd_multiply(gnd_dist_local(y), gnd_dist_local(y)), GND_INT16),
                    gnd_multiply(whole, whole)));
        if (root > 1) continue;
        gnd_layout blocks = {{layout.axis[0], layout.axis[1]}, {0, 0}, {NULL, NULL}, {NULL, NULL}};
        gnd_dist *again = gnd_dist_from_local(mesh, gnd_dist_local(y), blocks);
        EXPECT(same(again, whole) && gnd_dist_same_layout(again, y));
    }
    if (shape.ndim == 1) {
        const int64_t n = shape.dim[0];
        EXPECT(same(gnd_dist_arange(mesh, GND_NONE, n, GND_NONE, GND_DTYPE_NONE, layout),
                    gnd_arange(GND_NONE, n, GND_NONE, GND_DTYPE_NONE)));
        EXPECT(same(gnd_dist_arange(mesh, 0.1, 0.1 + 0.3 * (double)n, 0.3, GND_FLOAT64, GND_SPLIT(0)),
                    gnd_arange(0.1, 0.1 + 0.3 * (double)n, 0.3, GND_FLOAT64)));
        EXPECT(same(gnd_dist_arange(mesh, 5, 5 - 3 * n, -3, GND_FLOAT32, layout),
                    gnd_arange(5, 5 - 3 * n, -3, GND_FLOAT32)));
        EXPECT(same(gnd_dist_arange(mesh, 1, 1 + 2 * n, 2, GND_INT8, layout), gnd_arange(1, 1 + 2 * n, 2, GND_INT8)));
    }
}
static void all_made(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, made);
}
TEST(arrays_are_made_in_every_layout) {
    run(all_made);
}

/* ---- moving ------------------------------------------------------------------------------------------------- */

static void moved(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = gnd_dist_scatter(mesh, gnd_mesh_rank(mesh) == 0 ? whole : NULL, 0, layout);
    layout_room room;
    gnd_layout to;
    for (int n = 0; layout_number(mesh, shape, n, &room, &to); n++) {
        gnd_dist *y = gnd_dist_redistribute(x, to);
        EXPECT(same(y, whole));
        EXPECT(gnd_dist_same_layout(y, gnd_dist_empty(mesh, shape, GND_BOOL, to)));
    }
}
static void all_moved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, moved);
}
TEST(every_layout_to_every_other) {
    run(all_moved);
}

static void nothing_moves(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_INT32, GND_COPIES);
        gnd_mesh_stats before, after;
        gnd_mesh_stats_of(mesh, &before);
        gnd_dist *y = gnd_dist_redistribute(x, GND_SPLIT(1));
        gnd_dist_slice(y, "1:-1, ::2"), gnd_dist_permute(y, GND_ALL);
        gnd_mesh_stats_of(mesh, &after);
        EXPECT(before.calls == after.calls && gnd_shares_buffer(gnd_dist_local(y), gnd_dist_local(x)));
    }
}
TEST(copies_become_a_split_without_a_message) {
    run(nothing_moves);
}

/* ---- views -------------------------------------------------------------------------------------------------- */

static const char *const slices[] = {
    "",         "1:-1",           "::3",           "5:2", "-3:",       "...",    "None",      "1:, ::2",
    "..., 1:3", "None, 2:, None", "1::2, 1:, ::2", ":0",  "..., ::-1", "..., 2", "1:, ..., 0"};

static void viewed(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = gnd_dist_scatter(mesh, gnd_mesh_rank(mesh) == 0 ? whole : NULL, 0, layout);
    int refused = 0;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        gnd_array *expected = (gnd_slice)(whole, slices[i]);
        const gnd_status plain = gnd_error() ? gnd_error()->code : GND_OK;
        gnd_error_clear();
        gnd_dist *y = (gnd_dist_slice)(x, slices[i]);
        if (!y) {
            /* As gnd refuses it, or because it would take elements of one rank, or reverse the ranks. */
            EXPECT(gnd_error()->code == (plain ? plain : GND_ERROR_INVALID));
            refused += !plain;
            gnd_error_clear();
        } else {
            EXPECT(!plain && same(y, expected));
        }
    }
    EXPECT(refused <= 3 && (layout.axis[0] != GND_WHOLE || layout.axis[1] != GND_WHOLE || !refused));
    EXPECT(same(gnd_dist_permute(x, GND_ALL), gnd_transpose(whole)));
    EXPECT(same(gnd_dist_slice(x, "%d:", 1), gnd_slice(whole, "%d:", 1)) || shape.ndim == 0);
    gnd_error_clear();
    if (shape.ndim == 3) EXPECT(same(gnd_dist_permute(x, GND_AXES(1, 2, 0)), gnd_permute(whole, GND_AXES(1, 2, 0))));
    if (shape.ndim == 2 && layout.axis[0] == 0 && layout.axis[1] == GND_WHOLE) {
        const gnd_shape to = GND_SHAPE(shape.dim[0], 1, shape.dim[1]);
        EXPECT(same(gnd_dist_reshape(x, to), gnd_reshape(whole, to)));
        if (gnd_mesh_extent(mesh, 0) > 1) {
            EXPECT(!gnd_dist_reshape(x, GND_SHAPE(gndi_shape_count(shape))) && gnd_error()->code == GND_ERROR_SHAPE);
            gnd_error_clear();
        }
    }
}
static void all_viewed(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, viewed);
}
TEST(slices_permutations_and_shapes) {
    run(all_viewed);
}

/* ---- what is refused, and scopes ---------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t bad[] = {0, 9, 3, 4, 5};
    GND_SCOPE {
        REFUSED(gnd_dist_empty(mesh, GND_SHAPE(4), GND_INT8, GND_SPLIT(1)), GND_ERROR_AXIS, "axis 1 of an array of 1");
        REFUSED(gnd_dist_empty(mesh, GND_SHAPE(4), GND_INT8, gnd_layout_cuts(0, gnd_mesh_size(mesh) + 1, bad)),
                GND_ERROR_INVALID, "cuts of axis 0");
        REFUSED(gnd_dist_empty(mesh, GND_SHAPE(4, 4), GND_INT8, GND_SPLIT2(1, -1)), GND_ERROR_AXIS, "both axes");
        REFUSED(gnd_dist_empty(mesh, GND_SHAPE(-4), GND_INT8, GND_COPIES), GND_ERROR_SHAPE, "negative");
        REFUSED(gnd_dist_empty(mesh, GND_SHAPE(4), (gnd_dtype)99, GND_COPIES), GND_ERROR_DTYPE, "99");
        REFUSED(gnd_dist_arange(mesh, 0, 4, 0, GND_INT8, GND_COPIES), GND_ERROR_VALUE, "no number");
        REFUSED(gnd_dist_full(mesh, GND_SHAPE(4), 300, GND_INT8, GND_COPIES), GND_ERROR_VALUE, "300");
        REFUSED(gnd_dist_scatter(mesh, NULL, 9, GND_COPIES), GND_ERROR_INDEX, "rank 9");
        REFUSED(gnd_dist_scatter(mesh, NULL, 0, GND_COPIES), GND_ERROR_INVALID, "rank 0: an argument is NULL");
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8), 1, GND_INT8, GND_SPLIT(0));
        REFUSED(gnd_dist_slice(x, "1:x"), GND_ERROR_INVALID, "cannot be read");
        REFUSED(gnd_dist_slice(x, "::0"), GND_ERROR_VALUE, "a step is 0");
        REFUSED(gnd_dist_slice(x, "9"), GND_ERROR_INDEX, "out of bounds");
        REFUSED(gnd_dist_slice(NULL, ":"), GND_ERROR_INVALID, "gnd_dist_slice");
        REFUSED(gnd_dist_permute(x, GND_AXES(0, 1)), GND_ERROR_AXIS, "2 axes are given");
        REFUSED(gnd_dist_reshape(x, GND_SHAPE(3, -1)), GND_ERROR_SHAPE, "8 elements");
        REFUSED(gnd_dist_redistribute(x, GND_SPLIT(4)), GND_ERROR_AXIS, "axis 4");
        REFUSED(gnd_dist_redistribute(NULL, GND_SPLIT(0)), GND_ERROR_INVALID, "gnd_dist_redistribute");
        REFUSED(gnd_dist_gather(x, 7), GND_ERROR_INDEX, "rank 7");
        gnd_array *odd =
            gnd_mesh_rank(mesh) == 0 ? gnd_ones(GND_SHAPE(2, 3), GND_INT8) : gnd_ones(GND_SHAPE(2), GND_INT8);
        if (gnd_mesh_size(mesh) > 1)
            REFUSED(gnd_dist_from_local(mesh, odd, GND_SPLIT(0)), GND_ERROR_SHAPE, "the block of rank 1");
        gnd_dist *outer = NULL, *kept = NULL;
        GND_SCOPE {
            kept = gnd_dist_keep(gnd_dist_slice(x, "2:"));
            for (int i = 0; i < 3; i++) {
                GND_SCOPE {
                    gnd_dist_assign(&outer, gnd_dist_slice(x, "%d:", i));
                }
            }
            EXPECT(gnd_dist_size(outer) == 6); /* the last one; the others are released */
            gnd_dist_release(gnd_dist_slice(x, "1:"));
        }
        EXPECT(gnd_dist_size(kept) == 6);
        EXPECT(gnd_dist_print(NULL) != GND_OK);
        gnd_error_clear();
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

/* ---- failure: each allocation of one rank fails once, and nobody waits in vain ------------------------------ */

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_reshape(gnd_dist_redistribute(x, GND_COPIES), GND_SHAPE(6, 4));
        gnd_dist *z = gnd_dist_redistribute(gnd_dist_redistribute(y, GND_SPLIT(1)), GND_SPLIT(0));
        gnd_dist *part = gnd_dist_slice(gnd_dist_permute(z, GND_ALL), "1:");
        gnd_array *all = gnd_dist_gather(part, -1);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(all && gnd_at_double(all, 0, 5) == 21);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 400, chain);
}

/* The library's own allocations have a reserve: one that fails is not even noticed. */
static void described(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (int n = 1; n < 20; n++) {
        if (gnd_mesh_rank(mesh) == 0) gndi_dist_fail_alloc_at(n);
        chain(mesh);
        EXPECT(!gnd_error());
    }
    gndi_dist_fail_alloc_at(0);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
    run(described);
}

static void disagree(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8), 1, GND_INT8, GND_SPLIT(0));
        if (gnd_mesh_size(mesh) > 1)
            REFUSED(gnd_dist_redistribute(x, gnd_mesh_rank(mesh) ? GND_COPIES : GND_SPLIT(0)), GND_ERROR_INVALID,
                    "calls do not match: rank 0");
        EXPECT(same(x, gnd_full(GND_SHAPE(8), 1, GND_INT8)));
    }
}
TEST(calls_that_do_not_match_are_named) {
    setenv("GND_MESH_CHECK", "1", 1);
    run(disagree);
    unsetenv("GND_MESH_CHECK");
}

/* ---- printing: what rank 0 writes is what gnd_print writes -------------------------------------------------- */

static void printed(gnd_mesh *mesh, void *context) {
    (void)context;
    GND_SCOPE {
        gnd_array *whole = numbered(GND_SHAPE(40, 50), GND_FLOAT64), *few = gnd_slice(whole, ":4, :3");
        if (gnd_mesh_rank(mesh) == 0) gnd_print(whole), gnd_print(few);
        gnd_dist *x = gnd_dist_scatter(mesh, whole, 0, GND_SPLIT(0)), *y = gnd_dist_scatter(mesh, few, 0, GND_SPLIT(1));
        EXPECT(gnd_dist_print(x) == GND_OK && gnd_dist_print(y) == GND_OK);
        EXPECT(gnd_dist_print(gnd_dist_redistribute(x, GND_SPLIT(1))) == GND_OK);
    }
}
TEST(printing) {
#ifndef GND_TEST_MPI
    for (int size = 1; size <= 4 && !world; size++) {
        char text[8192] = "";
        fflush(stdout);
        const int out = dup(STDOUT_FILENO), file = fileno(tmpfile());
        dup2(file, STDOUT_FILENO);
        const bool good = run_on(size, printed, NULL);
        fflush(stdout);
        dup2(out, STDOUT_FILENO), close(out);
        const ssize_t length = pread(file, text, sizeof text - 1, 0);
        CHECK(good && length > 0);
        /* whole, few, whole, few, whole */
        const char *few = strstr(text, "]]\n") + 3, *third = strstr(few, "]]\n") + 3;
        const size_t both = (size_t)(third - text);
        CHECK(strncmp(text, third, both) == 0);
        CHECK(strncmp(text, third + both, (size_t)(few - text)) == 0 && text[2 * both + (size_t)(few - text)] == '\0');
    }
    if (world) run(printed);
#else
    run(printed);
#endif
}

RANKS_MAIN
