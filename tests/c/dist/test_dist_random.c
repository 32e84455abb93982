/*
 * test_dist_random.c: random numbers and orders on a mesh: those of one array, whatever the layout.
 */
#include "layouts.h"
#undef gnd_random_permutation

static gnd_random *drawn_from(gnd_random_kind kind) {
    gnd_random *g = kind == GND_SOBOL ? gnd_random_new_sobol(3, true, 7) : gnd_random_new(kind, 7);
    gnd_random_advance(g, 3); /* so that draws of 64 bits skip a word */
    return g;
}

typedef struct draw {
    const char *name;
    gnd_dtype dtype;
    int count;
    double parameter[2];
} draw;

static const draw draws[] = {
    {"random", GND_FLOAT32, 0, {0, 0}},  {"random", GND_FLOAT64, 0, {0, 0}},   {"normal", GND_FLOAT32, 2, {1, 2}},
    {"normal", GND_FLOAT16, 2, {1, 2}},  {"normal", GND_COMPLEX64, 2, {1, 2}}, {"exponential", GND_FLOAT64, 1, {2, 0}},
    {"gamma", GND_FLOAT32, 2, {2.5, 1}}, {"poisson", GND_INT64, 1, {4, 0}},    {"triangular", GND_FLOAT32, 0, {0, 0}}};

static void filled(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    for (int sobol = 0; sobol < 2; sobol++) {
        gnd_random *one = drawn_from(sobol ? GND_SOBOL : GND_PHILOX), *g = drawn_from(sobol ? GND_SOBOL : GND_PHILOX);
        for (size_t d = 0; d < sizeof draws / sizeof *draws; d++) {
            gnd_array *whole = gnd_empty(shape, draws[d].dtype);
            gnd_dist *x = gnd_dist_empty(mesh, shape, draws[d].dtype, layout);
            const gnd_arg plain[3] = {gnd_arg_real(draws[d].parameter[0]), gnd_arg_real(draws[d].parameter[1])};
            const gnd_dist_arg split[3] = {gnd_dist_arg_arg(plain[0]), gnd_dist_arg_arg(plain[1])};
            const bool other = strcmp(draws[d].name, "triangular") == 0;
            if (other) {
                EXPECT(gnd_random_fill(one, whole, "triangular", GND_ARGS(-1, 0.5, 2)) == GND_OK);
                EXPECT(gnd_dist_random_fill(g, x, "triangular", GND_DIST_ARGS(-1, 0.5, 2)) == GND_OK);
            } else {
                EXPECT(gnd_random_fill(one, whole, draws[d].name, draws[d].count, plain) == GND_OK);
                EXPECT(gnd_dist_random_fill(g, x, draws[d].name, draws[d].count, split) == GND_OK);
            }
            EXPECT(same(x, whole));
        }
        gnd_array *whole = gnd_empty(shape, GND_UINT8);
        gnd_dist *x = gnd_dist_empty(mesh, shape, GND_UINT8, layout);
        EXPECT(gnd_random_fill(one, whole, "integers", GND_ARGS(3, 200)) == GND_OK);
        EXPECT(gnd_dist_random_fill(g, x, "integers", GND_DIST_ARGS(3, 200)) == GND_OK && same(x, whole));
        gnd_random_release(one), gnd_random_release(g);
    }
}
static void all_filled(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, filled);
}
TEST(numbers_in_every_layout) {
    run(all_filled);
}

/* Parameters: split like the result, at other cuts, in copies, arrays of all ranks, of fewer axes. */
static void with_arrays(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_random *one = drawn_from(GND_PHILOX), *g = drawn_from(GND_PHILOX);
    gnd_array *mean = numbered(shape, GND_FLOAT32), *whole = gnd_empty(shape, GND_FLOAT64);
    gnd_dist *x = gnd_dist_empty(mesh, shape, GND_FLOAT64, layout);
    gnd_dist *means = gnd_dist_scatter(mesh, mean, 0, layout), *copies = gnd_dist_scatter(mesh, mean, 0, GND_COPIES);
    gnd_random_fill(one, whole, "normal", GND_ARGS(mean, 2));
    EXPECT(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(means, 2)) == GND_OK && same(x, whole));
    gnd_random_fill(one, whole, "normal", GND_ARGS(mean, 3));
    EXPECT(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(copies, 3)) == GND_OK && same(x, whole));
    gnd_random_fill(one, whole, "uniform", GND_ARGS(mean, 60));
    EXPECT(gnd_dist_random_fill(g, x, "uniform", GND_DIST_ARGS(mean, 60)) == GND_OK && same(x, whole));
    if (shape.ndim > 0) {
        gnd_array *row = gnd_absolute(numbered(GND_SHAPE(shape.dim[shape.ndim - 1]), GND_FLOAT64));
        gnd_random_fill(one, whole, "normal", GND_ARGS(mean, row));
        EXPECT(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(means, row)) == GND_OK && same(x, whole));
        layout_room room;
        gnd_layout other;
        for (int n = 0; layout_number(mesh, shape, n, &room, &other); n++) {
            if (other.axis[0] != layout.axis[0] || other.axis[1] != layout.axis[1]) continue;
            gnd_random_fill(one, whole, "normal", GND_ARGS(mean, 4));
            gnd_dist *moved = gnd_dist_scatter(mesh, mean, 0, other);
            EXPECT(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(moved, 4)) == GND_OK && same(x, whole));
        }
    }
    gnd_random_release(one), gnd_random_release(g);
}
static void all_with_arrays(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, with_arrays);
}
TEST(arrays_as_parameters) {
    run(all_with_arrays);
}

static void permuted(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_random *one = drawn_from(GND_PHILOX), *g = drawn_from(GND_PHILOX);
    gnd_array *whole = numbered(shape, GND_INT16);
    gnd_dist *x = gnd_dist_scatter(mesh, whole, 0, layout);
    if (shape.ndim == 0) {
        REFUSED(gnd_dist_permutation(g, x), GND_ERROR_SHAPE, "nothing to permute");
    } else {
        for (int i = 0; i < 2; i++) {
            gnd_dist *y = gnd_dist_permutation(g, x);
            EXPECT(same(y, gnd_random_permutation(one, gnd_arg_array(whole), 0)) && gnd_dist_same_layout(x, y));
        }
    }
    gnd_random_release(one), gnd_random_release(g);
}
static void all_permuted(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, permuted);
}
TEST(orders_in_every_layout) {
    run(all_permuted);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_random *g = drawn_from(GND_PHILOX), *other = gnd_random_new(GND_XORWOW, 1);
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(3, 2), 5, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *columns = gnd_dist_full(mesh, GND_SHAPE(3, 2), 5, GND_FLOAT32, GND_SPLIT(1));
        REFUSED(gnd_dist_random_fill(g, x, "gaussian", 0, NULL) == GND_OK, GND_ERROR_INVALID, "gaussian");
        REFUSED(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0)) == GND_OK, GND_ERROR_INVALID, "2 parameters");
        REFUSED(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0, -1)) == GND_OK, GND_ERROR_VALUE, "scale");
        REFUSED(gnd_dist_random_fill(g, gnd_dist_astype(x, GND_INT8), "random", 0, NULL) == GND_OK, GND_ERROR_DTYPE,
                "int8");
        REFUSED(gnd_dist_random_fill(other, x, "random", 0, NULL) == GND_OK, GND_ERROR_INVALID, "Philox");
        REFUSED(gnd_dist_random_fill(NULL, x, "random", 0, NULL) == GND_OK, GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_random_fill(g, NULL, "random", 0, NULL) == GND_OK, GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_random_fill(g, x, NULL, 0, NULL) == GND_OK, GND_ERROR_INVALID, "no distribution");
        REFUSED(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(gnd_zeros(GND_SHAPE(4), GND_FLOAT32), 1)) == GND_OK,
                GND_ERROR_SHAPE, "(4,)");
        if (gnd_mesh_size(mesh) > 1)
            REFUSED(gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(columns, 1)) == GND_OK, GND_ERROR_INVALID,
                    "split along axis 1");
        REFUSED(gnd_dist_permutation(NULL, x), GND_ERROR_INVALID, "NULL");
        EXPECT(same(x, gnd_full(GND_SHAPE(3, 2), 5, GND_FLOAT32))); /* and g has not advanced */
        EXPECT(gnd_dist_random_fill(g, x, "random", 0, NULL) == GND_OK);
        gnd_random *fresh = drawn_from(GND_PHILOX);
        EXPECT(same(x, gnd_random_random(fresh, GND_SHAPE(3, 2), GND_FLOAT32)));
        gnd_random_release(g), gnd_random_release(other), gnd_random_release(fresh);
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void disagree(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_random *g = gnd_random_new(GND_PHILOX, (uint64_t)gnd_mesh_rank(mesh));
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(4), 0, GND_FLOAT32, GND_SPLIT(0));
        if (gnd_mesh_size(mesh) > 1)
            REFUSED(gnd_dist_random_fill(g, x, "random", 0, NULL) == GND_OK, GND_ERROR_INVALID, "calls do not match");
        gnd_random_release(g);
    }
}
TEST(generators_that_differ_are_named) {
    setenv("GND_MESH_CHECK", "1", 1);
    run(disagree);
    unsetenv("GND_MESH_CHECK");
}

/* Each allocation of one rank fails once: nobody waits, and the generators stay together. */
static void starved(gnd_mesh *mesh, void *unused) {
    bool failed = true;
    gnd_random *g = drawn_from(GND_PHILOX);
    (void)unused;
    gnd_mesh_barrier(mesh); /* ranks that are threads share the count of allocations: all make their generator before */
    for (int n = 1; failed && n < 2000; n++) {
        if (gnd_mesh_rank(mesh) == 0) gndi_fail_alloc_at(n);
        GND_SCOPE {
            gnd_dist *x = gnd_dist_empty(mesh, GND_SHAPE(5, 4), GND_FLOAT16, GND_SPLIT(1));
            gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0, 1));
            gnd_dist_random_fill(g, x, "random", 0, NULL);
            gnd_dist *y = gnd_dist_permutation(g, gnd_dist_redistribute(x, GND_SPLIT(0)));
            failed = gnd_mesh_agree(mesh) != GND_OK;
            if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
            if (!failed) EXPECT(y != NULL);
        }
        gnd_error_clear();
        gnd_mesh_barrier(mesh);
    }
    gndi_fail_alloc_at(0);
    gnd_mesh_barrier(mesh);
    EXPECT(!failed);
    gnd_random_release(g);
    g = drawn_from(GND_PHILOX);
    for (int n = 1; n < 60; n++) {
        GND_SCOPE {
            gnd_dist *x = gnd_dist_empty(mesh, GND_SHAPE(5, 4), GND_FLOAT16, GND_SPLIT(1));
            gnd_mesh_barrier(mesh);
            /* Threads that are ranks share what is asked for: it may hit any of them, but nothing before or behind. */
            if (gnd_mesh_rank(mesh) == 0) gndi_fail_alloc_at(n);
            gnd_mesh_barrier(mesh);
            gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0, 1));
            gnd_error_clear();
            gnd_mesh_barrier(mesh);
            gndi_fail_alloc_at(0);
            gnd_mesh_barrier(mesh);
            gnd_error_clear();
            gnd_dist *z = gnd_dist_empty(mesh, GND_SHAPE(9), GND_FLOAT64, GND_SPLIT(0));
            gnd_dist_random_fill(g, z, "random", 0, NULL);
            gnd_random *one = drawn_from(GND_PHILOX);
            for (int i = 0; i < n; i++) {
                gnd_random_normal(one, 0, 1, GND_SHAPE(5, 4), GND_FLOAT32);
                gnd_array *expected = gnd_random_random(one, GND_SHAPE(9), GND_FLOAT64);
                if (i == n - 1) EXPECT(same(z, expected));
            }
            gnd_random_release(one);
        }
    }
    gnd_random_release(g);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
