/*
 * test_dist_scan.c: scans of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

static bool near(const gnd_dist *x, const gnd_array *expected) {
    return is_close(x, expected, 1e-5, 1e-2);
}

static const struct {
    const char *name;
    gnd_array *(*f)(const gnd_array *x, gnd_axes axes);
} scans[] = {{"cumsum", gnd_cumsum},         {"cumprod", gnd_cumprod}, {"nancumsum", gnd_nancumsum},
             {"nancumprod", gnd_nancumprod}, {"cummax", gnd_cummax},   {"cummin", gnd_cummin}};

static const char *const operators[] = {
    "add",         "multiply",  "maximum",  "fmin",   "logical_and", "logical_xor", "hypot",   "gcd",
    "bitwise_xor", "logaddexp", "subtract", "divide", "greater",     "lcm",         "arctan2", "floor_divide"};

static void scanned_over(gnd_array *whole, const gnd_dist *x, gnd_axes axes, bool is_exact) {
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        if (is_exact || i > 3)
            ALIKE(same, gnd_dist_scan(scans[i].name, x, axes), scans[i].f(whole, axes));
        else
            ALIKE(near, gnd_dist_scan(scans[i].name, x, axes), scans[i].f(whole, axes));
    }
}

static void scanned(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype dtypes[] = {GND_INT16,   GND_FLOAT32,    GND_FLOAT16, GND_BOOL,
                                GND_FLOAT64, GND_COMPLEX128, GND_UINT8,   GND_BFLOAT16};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]);
        if (dtypes[d] == GND_FLOAT16 || dtypes[d] == GND_BFLOAT16) whole = gnd_divide(whole, 64);
        if (dtypes[d] == GND_FLOAT32 || dtypes[d] == GND_FLOAT64) whole = gnd_divide(whole, 16);
        if (dtypes[d] == GND_COMPLEX128) whole = gnd_divide(gnd_add(whole, 3), 64);
        if (dtypes[d] == GND_FLOAT32) whole = gnd_where(gnd_equal(whole, 13. / 16), NAN, whole);
        gnd_dist *x = split(mesh, whole, layout);
        const bool is_exact = d == 0 || d == 3 || d == 6;
        for (int i = 0; i < shape.ndim; i++) {
            scanned_over(whole, x, GND_AXES(i), is_exact);
            EXPECT(gnd_dist_same_layout(gnd_dist_cummax(x, GND_AXES(i)), x));
            for (size_t o = 0; o < sizeof operators / sizeof *operators; o++)
                ALIKE(near, gnd_dist_accumulate(operators[o], x, GND_AXES(i - shape.ndim)),
                      gnd_accumulate(operators[o], whole, GND_AXES(i - shape.ndim)));
        }
        gnd_axes wide = shape.ndim ? GND_AXES(0) : GND_ALL;
        wide.dtype = GND_FLOAT64;
        if (dtypes[d] != GND_COMPLEX128) ALIKE(near, gnd_dist_cumsum(x, wide), gnd_cumsum(whole, wide));
        wide.dtype = GND_INT8;
        if (is_exact) ALIKE(same, gnd_dist_cumsum(x, wide), gnd_cumsum(whole, wide));
        ALIKE(near, gnd_dist_accumulate("add", x, GND_ALL), gnd_accumulate("add", whole, GND_ALL));
        const bool rows = layout.axis[1] == GND_WHOLE && (layout.axis[0] == GND_WHOLE || layout.axis[0] == 0);
        if (rows) {
            scanned_over(whole, x, GND_ALL, is_exact);
        } else if (gnd_mesh_size(mesh) > 1 && gnd_mesh_extent(mesh, 0) > 1) {
            REFUSED(gnd_dist_cumsum(x, GND_ALL), GND_ERROR_SHAPE, "C order");
        }
    }
}
static void all_scanned(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, scanned);
}
TEST(scans_in_every_layout) {
    run(all_scanned);
}

static void flat(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE { /* behind axes of length 1, and a longer array */
        gnd_array *whole = numbered(GND_SHAPE(1, 9, 2), GND_INT32), *many = numbered(GND_SHAPE(100003), GND_INT64);
        EXPECT(same(gnd_dist_cumsum(split(mesh, whole, GND_SPLIT(1)), GND_ALL), gnd_cumsum(whole, GND_ALL)));
        EXPECT(same(gnd_dist_cumsum(split(mesh, many, GND_SPLIT(0)), GND_AXES(0)), gnd_cumsum(many, GND_ALL)));
        gnd_array *ones = gnd_ones(GND_SHAPE(40000), GND_FLOAT16); /* float32 from block to block */
        EXPECT(same(gnd_dist_cumsum(split(mesh, ones, GND_SPLIT(0)), GND_AXES(0)), gnd_cumsum(ones, GND_ALL)));
    }
}
/* There is no axis left for the blocks. */
static void most_axes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (int axis = 0; axis < GND_MAX_DIMS; axis += GND_MAX_DIMS - 1) {
        GND_SCOPE {
            gnd_shape shape = {.ndim = GND_MAX_DIMS};
            for (int i = 0; i < GND_MAX_DIMS; i++) shape.dim[i] = i == axis ? 9 : i == 30 ? 20 : 1;
            gnd_array *whole = numbered(shape, GND_INT32);
            const gnd_dist *x = split(mesh, whole, GND_SPLIT(axis));
            EXPECT(same(gnd_dist_cumsum(x, GND_AXES(axis)), gnd_cumsum(whole, GND_AXES(axis))));
        }
    }
}
TEST(scans_of_the_most_axes) {
    run(most_axes);
}

TEST(long_and_flat_arrays) {
    run(flat);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_axes axes = GND_AXES(0);
        REFUSED(gnd_dist_scan("cumxor", x, axes), GND_ERROR_INVALID, "cumxor");
        REFUSED(gnd_dist_scan(NULL, x, axes), GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_cumsum(NULL, axes), GND_ERROR_INVALID, "gnd_dist_scan");
        REFUSED(gnd_dist_cumsum(x, GND_AXES(2)), GND_ERROR_AXIS, "gnd_dist_scan");
        REFUSED(gnd_dist_cumsum(x, GND_AXES(0, 1)), GND_ERROR_INVALID, "one axis");
        REFUSED(gnd_dist_cumsum(x, GND_AXES_KEEP(0)), GND_ERROR_INVALID, "keepdims");
        REFUSED(gnd_dist_accumulate("bitwise_and", x, axes), GND_ERROR_DTYPE, "bitwise_and");
        REFUSED(gnd_dist_accumulate("nothing", x, axes), GND_ERROR_INVALID, "nothing");
        REFUSED(gnd_dist_accumulate("add", NULL, axes), GND_ERROR_INVALID, "gnd_dist_accumulate");
        axes.out = gnd_ones(GND_SHAPE(8, 8), GND_FLOAT32);
        REFUSED(gnd_dist_cumsum(x, axes), GND_ERROR_INVALID, "axes.out");
        REFUSED(gnd_dist_accumulate("add", x, axes), GND_ERROR_INVALID, "axes.out");
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void starved(gnd_mesh *mesh, void *unused) {
    bool failed = true;
    (void)unused;
    gnd_mesh_barrier(mesh); /* ranks that are threads share the count of allocations: all make their mesh before */
    for (int n = first_fault(mesh); failed && n < 2000; n += next_fault()) {
        if (gnd_mesh_rank(mesh) == gnd_mesh_size(mesh) - 1) gndi_fail_alloc_at(n);
        GND_SCOPE {
            gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(6, 2), 1, GND_FLOAT16, GND_SPLIT(0));
            gnd_dist *y = gnd_dist_cumsum(gnd_dist_accumulate("subtract", x, GND_AXES(0)), GND_ALL);
            gnd_array *all = gnd_dist_gather(y, -1);
            failed = gnd_mesh_agree(mesh) != GND_OK;
            if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
            if (!failed) EXPECT(all && gnd_at_double(all, 11) == -18);
        }
        gnd_error_clear();
        gnd_mesh_barrier(mesh);
    }
    gndi_fail_alloc_at(0);
    gnd_mesh_barrier(mesh);
    EXPECT(!failed);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
