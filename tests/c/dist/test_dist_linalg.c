/*
 * test_dist_linalg.c: products of split arrays, for every pair of layouts, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Whole numbers, so that sums in any order are the same. */
static void product(gnd_mesh *mesh, gnd_shape of_a, gnd_shape of_b, gnd_dtype type_a, gnd_dtype type_b) {
    gnd_array *a = numbered(of_a, type_a), *b = numbered(of_b, type_b);
    gnd_array *expected = gnd_matmul(a, b);
    const gnd_shape of_c = gnd_shape_of(expected);
    layout_room room[3];
    gnd_layout layout_a, layout_b, layout_c;
    int turn = 0;
    for (int i = 0; layout_number(mesh, of_a, i, &room[0], &layout_a); i++) {
        GND_SCOPE {
            gnd_dist *x = split(mesh, a, layout_a);
            for (int j = 0; layout_number(mesh, of_b, j, &room[1], &layout_b); j++) {
                gnd_dist *y = split(mesh, b, layout_b);
                /* Of the result's layouts, another two each time. */
                int layouts = 0;
                while (layout_number(mesh, of_c, layouts, &room[2], &layout_c)) layouts++;
                for (int k = 0; k < 2; k++) {
                    layout_number(mesh, of_c, turn++ % layouts, &room[2], &layout_c);
                    gnd_dist *z = gnd_dist_matmul(x, y, layout_c);
                    EXPECT(same(z, expected));
                    EXPECT(z && gnd_dist_same_layout(z, gnd_dist_empty(mesh, of_c, GND_INT8, layout_c)));
                }
            }
        }
    }
}

static void products_on(gnd_mesh *mesh) {
    const gnd_shape pairs[][2] = {
        {GND_SHAPE(7, 5), GND_SHAPE(5, 6)},       {GND_SHAPE(5), GND_SHAPE(5)},
        {GND_SHAPE(5), GND_SHAPE(5, 7)},          {GND_SHAPE(7, 5), GND_SHAPE(5)},
        {GND_SHAPE(2, 3, 4), GND_SHAPE(2, 4, 3)}, {GND_SHAPE(3, 4), GND_SHAPE(5, 4, 2)},
        {GND_SHAPE(1, 3, 4), GND_SHAPE(5, 4, 2)}, {GND_SHAPE(3, 1, 2, 4), GND_SHAPE(2, 4, 3)},
        {GND_SHAPE(6, 0), GND_SHAPE(0, 5)},       {GND_SHAPE(0, 3), GND_SHAPE(3, 2)},
        {GND_SHAPE(4), GND_SHAPE(3, 4, 2)},       {GND_SHAPE(3, 2, 4), GND_SHAPE(4)},
        {GND_SHAPE(1, 1), GND_SHAPE(1, 1)},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        GND_SCOPE {
            product(mesh, pairs[i][0], pairs[i][1], GND_FLOAT64, GND_FLOAT64);
        }
    }
}
static void products(gnd_mesh *mesh, void *unused) {
    (void)unused;
    products_on(mesh);
    if (gnd_mesh_size(mesh) < 4) return;
    gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2));
    products_on(grid);
    gnd_mesh_release(grid);
}
TEST(products_of_every_pair_of_layouts) {
    run(products);
}

static void product_types(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (gnd_dtype t = GND_BOOL; t <= GND_COMPLEX128; t++) {
        if (gnd_dtype_size(t) == 0) continue;
        GND_SCOPE {
            product(mesh, GND_SHAPE(3, 5), GND_SHAPE(5, 4), t, t);
            product(mesh, GND_SHAPE(3, 5), GND_SHAPE(5), t, GND_FLOAT32);
            product(mesh, GND_SHAPE(3, 5), GND_SHAPE(5), t, t);
        }
    }
}
TEST(products_of_every_dtype) {
    run(product_types);
}

/* A grid of two by three, where panels of a and b have different edges; and blocks of a program's own numbers. */
static void rectangular(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 3));
    GND_SCOPE {
        gnd_array *a = gnd_astype(numbered(GND_SHAPE(23, 31), GND_INT32), GND_FLOAT32);
        gnd_array *b = gnd_astype(numbered(GND_SHAPE(31, 17), GND_INT32), GND_FLOAT32);
        gnd_array *c = gnd_matmul(a, b);
        const gnd_layout layouts[] = {GND_SPLIT2(0, 1),         GND_SPLIT2(1, 0), GND_SPLIT2(GND_WHOLE, 0),
                                      GND_SPLIT2(GND_WHOLE, 1), GND_SPLIT(0),     GND_SPLIT(1)};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                EXPECT(same(
                    gnd_dist_matmul(split(grid, a, layouts[i]), split(grid, b, layouts[j]), layouts[(i + j) % 6]), c));
    }
    gnd_mesh_release(grid);
}
TEST(products_on_a_grid_of_two_by_three) {
    CHECK(run_on(6, rectangular, NULL));
}

/* Halves are rounded once: each element is the nearest to the product in float32, and so the same as plain gnd's. */
static void products_of_halves(gnd_mesh *mesh, gnd_dtype type, int64_t m, int64_t k, int64_t n) {
    gnd_array *a = gnd_astype(gnd_divide(numbered(GND_SHAPE(m, k), GND_FLOAT32), 7), type);
    gnd_array *b = gnd_astype(gnd_divide(numbered(GND_SHAPE(k, n), GND_FLOAT32), 9), type);
    gnd_array *exact = gnd_matmul(gnd_astype(a, GND_FLOAT64), gnd_astype(b, GND_FLOAT64));
    const double unit = type == GND_FLOAT16 ? 0x1p-11 : 0x1p-8;
    const gnd_layout layouts[] = {GND_SPLIT(0), GND_SPLIT(1), GND_COPIES};
    for (int i = 0; i < 27; i++) {
        GND_SCOPE {
            gnd_dist *x = split(mesh, a, layouts[i % 3]), *y = split(mesh, b, layouts[i / 3 % 3]);
            gnd_dist *c = gnd_dist_matmul(x, y, layouts[i / 9]);
            gnd_array *all = c ? gnd_dist_gather(c, -1) : NULL;
            EXPECT(all && gnd_dtype_of(all) == type);
            EXPECT(all && gnd_allclose(gnd_astype(all, GND_FLOAT64), exact, unit * 1.01, 1e-5, false));
        }
    }
}
static void halves(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype types[] = {GND_FLOAT16, GND_BFLOAT16};
    for (int t = 0; t < 2; t++) {
        GND_SCOPE {
            products_of_halves(mesh, types[t], 9, 40, 10);
            products_of_halves(mesh, types[t], 33, 7, 50); /* less to move than to add up */
            products_of_halves(mesh, types[t], 1, 3, 2);   /* fewer than ranks */
        }
    }
}
TEST(products_of_halves_are_rounded_once) {
    run(halves);
}

/* Partial products of the most axes: there is none left for the ranks. */
static void most_axes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_shape shape = {.ndim = GND_MAX_DIMS};
        for (int i = 0; i < GND_MAX_DIMS; i++) shape.dim[i] = i == 0 ? 3 : i == GND_MAX_DIMS - 1 ? 9 : 1;
        gnd_array *a = numbered(shape, GND_FLOAT64), *b = numbered(GND_SHAPE(9, 2), GND_FLOAT64);
        const gnd_dist *x = split(mesh, a, GND_SPLIT(GND_MAX_DIMS - 1)), *y = split(mesh, b, GND_SPLIT(0));
        EXPECT(same(gnd_dist_matmul(x, y, GND_COPIES), gnd_matmul(a, b)));
    }
}
TEST(partial_products_of_the_most_axes) {
    run(most_axes);
}

static gnd_array *whole_numbers(gnd_shape shape, int below, gnd_dtype type) {
    return gnd_astype(gnd_remainder(numbered(shape, GND_INT32), below), type);
}

/* Partial products of which each rank adds up a part that is worth a product of its own: whole numbers, uneven parts,
   along every axis of the result. */
static void summed(gnd_mesh *mesh, gnd_shape of_a, gnd_shape of_b, gnd_dtype type) {
    GND_SCOPE {
        gnd_array *a = whole_numbers(of_a, 5, type), *b = whole_numbers(of_b, 3, type), *c = gnd_matmul(a, b);
        gnd_dist *x = split(mesh, a, GND_SPLIT(of_a.ndim - 1)), *y = split(mesh, b, GND_SPLIT(of_b.ndim - 2));
        EXPECT(same(gnd_dist_matmul(x, y, GND_COPIES), c));
        for (int i = 0; i < gnd_ndim(c); i++) EXPECT(same(gnd_dist_matmul(x, y, GND_SPLIT(i)), c));
        EXPECT(same(gnd_dist_matmul(x, split(mesh, b, GND_COPIES), GND_COPIES), c));
    }
}
static void large_partial(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype types[] = {GND_INT64, GND_FLOAT32, GND_BOOL, GND_COMPLEX128, GND_BFLOAT16};
    for (int t = 0; t < 5; t++) {
        summed(mesh, GND_SHAPE(431, 9), GND_SHAPE(9, 653), types[t]);
        summed(mesh, GND_SHAPE(7, 131, 10), GND_SHAPE(10, 317), types[t]);
    }
    summed(mesh, GND_SHAPE(371, 870), GND_SHAPE(870, 367), GND_FLOAT64); /* more to move than to add up */
    summed(mesh, GND_SHAPE(1, 9), GND_SHAPE(9, 200000), GND_FLOAT64);    /* fewer rows than ranks */
}
TEST(large_partial_products) {
    run(large_partial);
}

static void large_partial_on_a_grid(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2));
    GND_SCOPE {
        gnd_array *a = numbered(GND_SHAPE(401, 9), GND_INT64), *b = numbered(GND_SHAPE(9, 703), GND_INT64);
        gnd_array *c = gnd_matmul(a, b);
        const gnd_layout left[] = {GND_SPLIT2(1, 0), GND_SPLIT2(0, 1), GND_SPLIT2(1, GND_WHOLE)},
                         right[] = {GND_SPLIT2(0, GND_WHOLE), GND_SPLIT2(GND_WHOLE, 0), GND_SPLIT2(0, 1)},
                         result[] = {GND_SPLIT2(0, 1), GND_SPLIT2(1, 0), GND_SPLIT2(GND_WHOLE, GND_WHOLE)};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                EXPECT(same(gnd_dist_matmul(split(grid, a, left[i]), split(grid, b, right[i]), result[j]), c));
    }
    gnd_mesh_release(grid);
}
TEST(large_partial_products_on_a_grid) {
    CHECK(run_on(4, large_partial_on_a_grid, NULL));
}

/* Factors that are split along the inner axis and come all at once, while a rank multiplies what it has, of some of its
   rows or of all of them. Whole numbers, in blocks that are even, uneven or all of one rank. */
static void some_at_once(gnd_mesh *mesh, gnd_shape of_a, gnd_shape of_b, gnd_dtype type, int step) {
    GND_SCOPE {
        gnd_array *a = whole_numbers(of_a, 5, type), *b = whole_numbers(of_b, 3, type), *c = gnd_matmul(a, b);
        const int last = of_a.ndim - 1, inner = of_b.ndim - 2, ranks = gnd_mesh_size(mesh);
        int64_t cuts[3][16] = {{0}};
        for (int k = 0; k <= ranks; k++) {
            cuts[0][k] = of_b.dim[inner] * k / ranks, cuts[1][k] = of_b.dim[inner] * k * k / (ranks * ranks);
            cuts[2][k] = k == 0 ? 0 : of_b.dim[inner];
        }
        const gnd_layout left[] = {GND_SPLIT(last > 0 ? last - 1 : 0), GND_SPLIT(last), GND_COPIES};
        for (int i = 0; i < 9; i += step) {
            if (!has_few_cases() && is_left_out()) continue;
            const gnd_dist *x = split(mesh, a, left[i % 3]);
            const gnd_dist *y = split(mesh, b, gnd_layout_cuts(inner, ranks + 1, cuts[i / 3]));
            const gnd_layout to = GND_SPLIT(gnd_ndim(c) - 1 - (i + i / 3) % gnd_ndim(c));
            EXPECT(same(gnd_dist_matmul(x, y, to), c));
        }
    }
}
static void at_once(gnd_mesh *mesh, gnd_shape of_a, gnd_shape of_b, gnd_dtype type) {
    some_at_once(mesh, of_a, of_b, type, 1);
}
static void factors_at_once(gnd_mesh *mesh, void *unused) {
    (void)unused;
    at_once(mesh, GND_SHAPE(2401, 384), GND_SHAPE(384, 403), GND_FLOAT32);
    some_at_once(mesh, GND_SHAPE(2401, 384), GND_SHAPE(384, 403), GND_COMPLEX64, 4);
    some_at_once(mesh, GND_SHAPE(2401, 384), GND_SHAPE(384, 403), GND_FLOAT64, 4);
    at_once(mesh, GND_SHAPE(301, 384), GND_SHAPE(384, 803), GND_INT32);
    at_once(mesh, GND_SHAPE(301, 384), GND_SHAPE(384, 803), GND_BOOL);
    at_once(mesh, GND_SHAPE(2, 403, 253), GND_SHAPE(2, 253, 603), GND_FLOAT32);
    at_once(mesh, GND_SHAPE(403, 253), GND_SHAPE(2, 253, 603), GND_FLOAT32);
    at_once(mesh, GND_SHAPE(601), GND_SHAPE(601, 803), GND_FLOAT32);
    at_once(mesh, GND_SHAPE(2401, 384), GND_SHAPE(384, 803), GND_BFLOAT16); /* they come in panels */
}
TEST(factors_that_come_at_once) {
    run(factors_at_once);
}

/* Of halves, of which a rank needs as many rows as hide what comes; rounded once, of sums that float32 represents. */
static void halves_at_once(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t rows = 1800 * gnd_mesh_size(mesh) * gnd_mesh_size(mesh) + 201;
    GND_SCOPE {
        gnd_array *a = gnd_astype(gnd_remainder(numbered(GND_SHAPE(rows, 384), GND_INT32), 5), GND_BFLOAT16);
        gnd_array *b = gnd_astype(gnd_remainder(numbered(GND_SHAPE(384, 703), GND_INT32), 3), GND_BFLOAT16);
        gnd_array *c = gnd_matmul(a, b);
        for (int i = 0; i < 2; i++)
            EXPECT(same(gnd_dist_matmul(split(mesh, a, GND_SPLIT(i)), split(mesh, b, GND_SPLIT(0)), GND_SPLIT(0)), c));
    }
}
TEST(halves_that_come_at_once) {
    for (int ranks = 2; ranks <= (SANITIZED ? 2 : 3); ranks++) CHECK(run_on(ranks, halves_at_once, NULL));
}

static void at_once_on_a_grid(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2));
    GND_SCOPE {
        gnd_array *a = gnd_astype(gnd_remainder(numbered(GND_SHAPE(1203, 501), GND_INT32), 5), GND_FLOAT32);
        gnd_array *b = gnd_astype(gnd_remainder(numbered(GND_SHAPE(501, 703), GND_INT32), 3), GND_FLOAT32);
        gnd_array *c = gnd_matmul(a, b), *line = gnd_slice(b, ":, 0"), *column = gnd_slice(c, ":, 0");
        const gnd_layout layouts[] = {GND_SPLIT2(0, 1), GND_SPLIT2(1, 0), GND_SPLIT2(0, GND_WHOLE),
                                      GND_SPLIT2(1, GND_WHOLE)};
        for (int i = 0; i < 16; i++) {
            const gnd_dist *x = split(grid, a, layouts[i % 4]), *y = split(grid, b, layouts[i / 4]);
            EXPECT(same(gnd_dist_matmul(x, y, layouts[(i + i / 4) % 4]), c));
            EXPECT(same(gnd_dist_matmul(x, split(grid, line, GND_SPLIT(0)), GND_SPLIT(0)), column));
        }
    }
    /* Vectors of which two ranks compute the same copy, from other parts of the factors: at once, and in panels. */
    for (int turn = 0; turn < 2; turn++) {
        GND_SCOPE {
            const gnd_shape shape = turn ? GND_SHAPE(501, 1203) : GND_SHAPE(1203, 501);
            gnd_array *a = gnd_astype(gnd_remainder(numbered(shape, GND_INT32), 5), GND_FLOAT32);
            gnd_array *b = gnd_astype(gnd_remainder(numbered(GND_SHAPE(shape.dim[1]), GND_INT32), 3), GND_FLOAT32);
            const gnd_layout second = GND_SPLIT2(GND_WHOLE, 0);
            EXPECT(
                same(gnd_dist_matmul(split(grid, a, second), split(grid, b, second), GND_SPLIT(0)), gnd_matmul(a, b)));
        }
    }
    gnd_mesh_release(grid);
}
TEST(factors_that_come_at_once_on_a_grid) {
    CHECK(run_on(4, at_once_on_a_grid, NULL));
}

/* ---- factors that ranks write into each other's memory ----------------------------------------------------------- */

/* As it is used from so many bytes on: by all ranks. */
static void by_window(void (*f)(gnd_mesh *mesh, void *context), int ranks) {
    gndi_dist_window_from(1);
    if (ranks > 0)
        CHECK(run_on(ranks, f, NULL));
    else
        run(f);
    gndi_dist_window_from(-1);
}

/* The transport is called for each step and at the end. */
static void windowed(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype types[] = {GND_FLOAT32, GND_COMPLEX64, GND_FLOAT64, GND_BFLOAT16, GND_FLOAT16, GND_INT32};
    for (int t = 0; t < 6; t++) {
        GND_SCOPE {
            gnd_array *a = whole_numbers(GND_SHAPE(203, 97), 5, types[t]),
                      *b = whole_numbers(GND_SHAPE(97, 181), 3, types[t]);
            gnd_array *c = gnd_matmul(a, b);
            for (int i = 0; i < 2; i++) {
                const gnd_dist *x = split(mesh, a, GND_SPLIT(i)), *y = split(mesh, b, GND_SPLIT(0));
                gnd_mesh_stats before, after;
                gnd_mesh_stats_of(mesh, &before);
                const gnd_dist *z = gnd_dist_matmul(x, y, GND_SPLIT(0));
                gnd_mesh_stats_of(mesh, &after);
                /* Panels of halves are as many calls as those of windows. */
                EXPECT(gnd_mesh_size(mesh) == 1 || gnd_dtype_size(types[t]) == 2 || after.calls - before.calls >= 3);
                EXPECT(same(z, c));
            }
            at_once(mesh, GND_SHAPE(70, 64), GND_SHAPE(64, 99), types[t]);
            at_once(mesh, GND_SHAPE(3, 2), GND_SHAPE(2, 5), types[t]); /* fewer than ranks, and than panels */
            at_once(mesh, GND_SHAPE(1, 5), GND_SHAPE(5, 1), types[t]);
        }
    }
    GND_SCOPE {
        product(mesh, GND_SHAPE(7, 5), GND_SHAPE(5, 6), GND_FLOAT32, GND_FLOAT64);
        product(mesh, GND_SHAPE(7, 5), GND_SHAPE(5, 6), GND_BOOL, GND_INT16);
        product(mesh, GND_SHAPE(40, 0), GND_SHAPE(0, 41), GND_FLOAT32, GND_FLOAT32);
        product(mesh, GND_SHAPE(0, 40), GND_SHAPE(40, 41), GND_FLOAT32, GND_FLOAT32);
        product(mesh, GND_SHAPE(33, 40), GND_SHAPE(40, 41), GND_FLOAT32, GND_FLOAT32);
    }
}
TEST(factors_in_windows) {
    by_window(windowed, 0);
}
TEST(halves_in_windows) {
    by_window(halves, 0);
}
TEST(factors_in_windows_on_a_grid) {
    by_window(at_once_on_a_grid, 4);
    by_window(rectangular, 6);
}

/* A rank without memory takes part, whatever it lacks: a window, or later a view; and the next product has one. */
static void product_in_windows(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_array *a = whole_numbers(GND_SHAPE(33, 64), 5, GND_BFLOAT16);
        gnd_array *b = whole_numbers(GND_SHAPE(64, 70), 3, GND_BFLOAT16);
        for (int i = 0; i < 2; i++) {
            const gnd_dist *x = split(mesh, a, GND_SPLIT(i)), *y = split(mesh, b, GND_SPLIT(0));
            gnd_dist_gather(gnd_dist_matmul(x, y, GND_SPLIT(0)), -1);
        }
        gnd_mesh_agree(mesh);
    }
}
/* With a mesh of its own for each fault, so that each has a window to make. */
static void starve_a_new_one(gnd_mesh *mesh, int rank, int n, void (*fail_at)(int64_t n), bool *failed) {
    gnd_mesh *own = gnd_mesh_split(mesh, 0, gnd_mesh_rank(mesh));
    EXPECT(own != NULL);
    gnd_mesh_barrier(mesh); /* the count is of all threads' allocations */
    *failed = starve_once(own, rank, n, product_in_windows, fail_at);
    fail_at(0);
    gnd_mesh_barrier(own);
    product_in_windows(own);
    EXPECT(!gnd_error());
    gnd_mesh_release(own);
}
static void starved_windows(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int rank = gnd_mesh_size(mesh) - 1;
    const int next = gnd_current_device().kind == GND_GPU ? 11 : next_fault(); /* NCCL takes long to make a mesh */
    bool failed;
    for (int n = first_fault(mesh); n < 60; n += next)
        starve_a_new_one(mesh, rank, n, gndi_dist_fail_alloc_at, &failed);
    for (int n = first_fault(mesh); n < 300; n += next) starve_a_new_one(mesh, rank, n, gndi_fail_alloc_at, &failed);
    gnd_mesh_barrier(mesh);
}
TEST(windows_without_memory) {
    gndi_dist_window_from(1);
    run(starved_windows);
    gndi_dist_window_from(-1);
}

static void inner_products(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype types[] = {GND_FLOAT32, GND_COMPLEX128, GND_INT16, GND_BOOL, GND_FLOAT16, GND_UINT8};
    for (int t = 0; t < 6; t++) {
        gnd_array *a = gnd_remainder(numbered(shape, GND_INT8), 3), *b = gnd_remainder(numbered(shape, GND_INT8), 4);
        a = gnd_astype(a, types[t]), b = gnd_astype(b, types[t]);
        if (types[t] == GND_COMPLEX128) a = gnd_multiply(a, gnd_full(GND_SCALAR, 1.0 + 2.0i, GND_COMPLEX128));
        EXPECT(same(gnd_dist_vdot(split(mesh, a, layout), split(mesh, b, layout)), gnd_vdot(a, b)));
        EXPECT(same(gnd_dist_vdot(split(mesh, a, layout), split(mesh, b, GND_COPIES)), gnd_vdot(a, b)));
    }
}
static void all_inner_products(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, inner_products);
}
TEST(inner_products_in_every_layout) {
    run(all_inner_products);
}

/* ---- conjugate gradients ----------------------------------------------------------------------------------------- */

/* Minus the second difference along both axes, plus a multiple of x: by halos, as a program would. */
static gnd_dist *stencil(void *context, const gnd_dist *x) {
    const int64_t one[2] = {1, 1};
    (*(int *)context)++;
    const gnd_array *h = gnd_dist_halo(x, one, one, GND_HALO_ZERO);
    if (!h) return gnd_dist_like(x, NULL, gnd_dist_dtype_of(x));
    const gnd_array *around = gnd_add(gnd_add(gnd_slice(h, ":-2, 1:-1"), gnd_slice(h, "2:, 1:-1")),
                                      gnd_add(gnd_slice(h, "1:-1, :-2"), gnd_slice(h, "1:-1, 2:")));
    gnd_array *y = gnd_subtract(gnd_multiply(gnd_slice(h, "1:-1, 1:-1"), 4.5), around);
    return gnd_dist_like(x, y, gnd_dist_dtype_of(x));
}

/* Divides by the diagonal. */
static gnd_dist *diagonal(void *context, const gnd_dist *x) {
    (*(int *)context)++;
    return gnd_dist_multiply(x, 1 / 4.5);
}

static void solved(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype types[] = {GND_FLOAT64, GND_FLOAT32, GND_COMPLEX128, GND_INT32, GND_FLOAT16, GND_COMPLEX64};
    if (shape.ndim != 2) return;
    for (int t = 0; t < 6; t++) {
        int calls = 0, diagonals = 0;
        gnd_array *whole = gnd_divide(numbered(shape, GND_FLOAT64), 10);
        if (gnd_dtype_kind(types[t]) == 'c') whole = gnd_multiply(whole, gnd_full(GND_SCALAR, 1.0 - 2.0i, types[t]));
        gnd_dist *b = split(mesh, gnd_astype(whole, types[t]), layout);
        const double tolerance = gnd_dtype_size(types[t]) >= 8 && types[t] != GND_COMPLEX64 ? 1e-11 : 1e-4;
        gnd_dist_cg_options o = {.rtol = tolerance};
        gnd_dist_cg_result result;
        gnd_dist *x = gnd_dist_cg(stencil, &calls, b, &o, &result);
        EXPECT(x && result.converged && result.iterations == calls && calls < 60);
        EXPECT(x && gnd_dist_same_layout(x, b));
        const gnd_dist *rest = gnd_dist_subtract(stencil(&calls, x), b);
        const double size = gnd_dist_item_double(gnd_dist_reduce("norm", rest, GND_ALL, GND_COPIES, NULL));
        const double norm = gnd_dist_item_double(
            gnd_dist_reduce("norm", gnd_dist_astype(b, gnd_dist_dtype_of(x)), GND_ALL, GND_COPIES, NULL));
        EXPECT(size <= 4 * tolerance * norm);
        o.precondition = diagonal, o.precondition_context = &diagonals, o.check = 5, o.start = x;
        calls = 0;
        gnd_dist *y = gnd_dist_cg(stencil, &calls, b, &o, &result);
        EXPECT(y && result.converged && calls == result.iterations + 1 && diagonals == result.iterations);
        EXPECT(result.iterations <= 5);
    }
}
static gnd_dist *wrong_shape(void *context, const gnd_dist *x) {
    (void)context;
    return gnd_dist_slice(x, "1:");
}
static gnd_dist *of_one_rank(void *context, const gnd_dist *x) {
    (void)context;
    return gnd_mesh_rank(gnd_dist_mesh_of(x)) == 0 ? NULL : gnd_dist_multiply(x, 2);
}
static void all_solved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, solved);
    GND_SCOPE {
        int calls = 0;
        gnd_dist_cg_result result;
        gnd_dist *b = gnd_dist_full(mesh, GND_SHAPE(9, 9), 1, GND_FLOAT64, GND_SPLIT(0));
        gnd_dist *x = gnd_dist_cg(stencil, &calls, b, &(gnd_dist_cg_options){.iterations = 3, .rtol = -1}, &result);
        EXPECT(x && !result.converged && result.iterations == 3 && result.residual > 0);
        gnd_dist *zero = gnd_dist_multiply(b, 0);
        x = gnd_dist_cg(stencil, &calls, zero, &(gnd_dist_cg_options){.start = b}, &result);
        EXPECT(result.converged && result.iterations == 0 && same(x, gnd_zeros(GND_SHAPE(9, 9), GND_FLOAT64)));
        REFUSED(gnd_dist_cg(NULL, NULL, b, NULL, NULL), GND_ERROR_INVALID, "gnd_dist_cg");
        REFUSED(gnd_dist_cg(stencil, &calls, b, &(gnd_dist_cg_options){.iterations = -3}, NULL), GND_ERROR_VALUE, "-3");
        REFUSED(gnd_dist_cg(stencil, &calls, b, &(gnd_dist_cg_options){.start = gnd_dist_slice(b, "1:")}, NULL),
                GND_ERROR_SHAPE, "another shape than b");
        REFUSED(gnd_dist_cg(wrong_shape, NULL, b, NULL, NULL), GND_ERROR_SHAPE, "another shape");
        REFUSED(gnd_dist_cg(of_one_rank, NULL, b, NULL, NULL), GND_ERROR_INVALID, "rank 0");
    }
}
TEST(conjugate_gradients_in_every_layout) {
    run(all_solved);
}

/* ---- what is refused, and failure -------------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(4, 3), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *zero = gnd_dist_full(mesh, GND_SCALAR, 1, GND_FLOAT32, GND_COPIES);
        REFUSED(gnd_dist_matmul(x, x, GND_COPIES), GND_ERROR_SHAPE, "3 elements in a row, and b 4 in a column");
        REFUSED(gnd_dist_matmul(x, zero, GND_COPIES), GND_ERROR_SHAPE, "0-d");
        REFUSED(gnd_dist_matmul(NULL, x, GND_COPIES), GND_ERROR_INVALID, "gnd_dist_matmul");
        REFUSED(gnd_dist_matmul(x, gnd_dist_permute(x, GND_ALL), GND_SPLIT(2)), GND_ERROR_AXIS, "axis 2");
        gnd_dist *stack = gnd_dist_full(mesh, GND_SHAPE(2, 4, 3), 1, GND_INT8, GND_SPLIT(0));
        gnd_dist *other = gnd_dist_full(mesh, GND_SHAPE(5, 3, 4), 1, GND_INT8, GND_SPLIT(0));
        REFUSED(gnd_dist_matmul(stack, other, GND_COPIES), GND_ERROR_SHAPE, "gnd_dist_matmul");
        REFUSED(gnd_dist_vdot(x, zero), GND_ERROR_SHAPE, "different shapes");
        gnd_mesh *twin = gnd_mesh_split(mesh, 0, 0);
        gnd_dist *there = gnd_dist_full(twin, GND_SHAPE(3, 4), 1, GND_FLOAT32, GND_SPLIT(0));
        REFUSED(gnd_dist_matmul(x, there, GND_COPIES), GND_ERROR_INVALID, "different meshes");
        gnd_mesh_release(twin);
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(6, 6), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *half = gnd_dist_full(mesh, GND_SHAPE(6, 6), 1, GND_FLOAT16, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_matmul(x, x, GND_SPLIT(1));
        gnd_dist *z = gnd_dist_matmul(y, gnd_dist_matmul(half, half, GND_SPLIT(0)), GND_SPLIT(0));
        const double sum = gnd_dist_item_double(gnd_dist_vdot(z, x));
        int calls = 0;
        gnd_dist *w = gnd_dist_cg(stencil, &calls, x, &(gnd_dist_cg_options){.iterations = 2, .start = y}, NULL);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(sum == 36 * 216 && w);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 4000, chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

static void chain_of_parts(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(431, 9), 1, GND_FLOAT32, GND_SPLIT(1));
        gnd_dist *y = gnd_dist_full(mesh, GND_SHAPE(9, 653), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *half = gnd_dist_full(mesh, GND_SHAPE(16, 16), 1, GND_BFLOAT16, GND_SPLIT(1));
        gnd_dist *other = gnd_dist_full(mesh, GND_SHAPE(16, 16), 1, GND_BFLOAT16, GND_SPLIT(0));
        gnd_dist *sums[] = {gnd_dist_sum(gnd_dist_matmul(x, y, GND_COPIES), GND_ALL, GND_COPIES),
                            gnd_dist_sum(gnd_dist_matmul(half, other, GND_SPLIT(0)), GND_ALL, GND_COPIES)};
        const double large = gnd_dist_item_double(sums[0]), small = gnd_dist_item_double(sums[1]);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(large == 9.0 * 431 * 653 && small == 16.0 * 256);
    }
}
static void starved_in_parts(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 4000, chain_of_parts);
}
TEST(a_rank_without_memory_for_its_parts_lets_nobody_wait) {
    run(starved_in_parts);
}

static void chain_at_once(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(2401, 256), 1, GND_FLOAT32, GND_SPLIT(1));
        gnd_dist *y = gnd_dist_full(mesh, GND_SHAPE(256, 513), 1, GND_FLOAT32, GND_SPLIT(0));
        const gnd_dist *z = gnd_dist_sum(gnd_dist_matmul(x, y, GND_SPLIT(0)), GND_ALL, GND_COPIES);
        const double sum = gnd_dist_item_double(z);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(fabs(sum - 256.0 * 2401 * 513) <= 1e-5 * sum);
    }
}
static void starved_at_once(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 4000, chain_at_once);
}
TEST(a_rank_without_memory_for_factors_lets_nobody_wait) {
    run(starved_at_once);
}

RANKS_MAIN
