/*
 * test_dist_solve.c: systems with a split matrix, in every layout, against plain gnd. Threads as ranks have no library
 * for several of them, which is an error; processes over MPI have ScaLAPACK, where it is installed.
 */
#include "layouts.h"
#include "dist/linalg/cyclic.h"
#include <math.h>

static bool close_to(const gnd_dist *x, const gnd_array *expected, gnd_layout layout) {
    bool good = false;
    if (!x || !expected) return false;
    GND_SCOPE {
        gnd_array *all = gathered(x, expected);
        const gnd_dtype t = gnd_dtype_of(expected);
        const gnd_dist *wanted = gnd_dist_empty(gnd_dist_mesh_of(x), gnd_shape_of(expected), t, layout);
        good = all && gnd_dist_same_layout(x, wanted);
        const double tolerance = t == GND_FLOAT32 || t == GND_COMPLEX64 ? 1e-3 : 1e-10;
        good = good && gnd_allclose(all, expected, tolerance, tolerance, false);
        if (!good && getenv("TAP_VERBOSE") && all) gnd_print(all), gnd_print(expected);
    }
    return good;
}

/* ---- dealing out ------------------------------------------------------------------------------------------------- */

/* A rank's matrix has the elements that ScaLAPACK's rule says, by columns; and back it is the same. */
static void dealt(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    if (shape.ndim != 2 || shape.dim[0] * shape.dim[1] == 0) return;
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = split(mesh, whole, layout);
    for (int64_t block = 1; block < 4; block++) {
        gndi_cyclic c = gndi_cyclic_from(x, block, "test");
        const int *grid = c.grid->grid, *place = c.grid->place;
        const int64_t rows = gndi_cyclic_rows(&c), columns = c.rounds[1] * block;
        EXPECT(c.store && gnd_size(c.store) == rows * columns);
        if (!c.store) return;
        int32_t *matrix = malloc((size_t)(rows * columns) * sizeof *matrix);
        gnd_to_host(c.store, matrix, (size_t)(rows * columns) * sizeof *matrix);
        bool good = true;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                const int64_t r = (i / block * grid[0] + place[0]) * block + i % block;
                const int64_t s = (j / block * grid[1] + place[1]) * block + j % block;
                if (r < shape.dim[0] && s < shape.dim[1])
                    good = good && matrix[j * rows + i] == gnd_at_int(whole, r, s);
            }
        EXPECT(good);
        free(matrix);
        EXPECT(same(gnd_dist_like(x, gndi_cyclic_to(&c, x, "test"), GND_INT32), whole));
    }
}
static void all_dealt(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, dealt);
    GND_SCOPE { /* whole rounds, in which nothing has to move first */
        dealt(mesh, GND_SHAPE(24, 12), GND_SPLIT(0));
        dealt(mesh, GND_SHAPE(24, 12), GND_SPLIT(1));
        dealt(mesh, GND_SHAPE(4, 8), GND_SPLIT(0));
    }
}
TEST(blocks_are_dealt_out_and_back) {
    run(all_dealt);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* Whether this mesh has a library; else its refusal is a sentence. */
static bool has_library(gnd_mesh *mesh) {
    bool has = true;
    GND_SCOPE {
        gnd_dist *a = gnd_dist_redistribute(split(mesh, gnd_eye(4, 4, 0, GND_FLOAT64), GND_SPLIT(0)), GND_SPLIT(0));
        gnd_dist *b = gnd_dist_full(mesh, GND_SHAPE(4), 1, GND_FLOAT64, GND_COPIES);
        if (!gnd_dist_solve(a, b, GND_COPIES)) {
            has = false;
            EXPECT(gnd_error()->code == GND_ERROR_UNAVAILABLE && strstr(gnd_error()->message, "gnd_dist_solve"));
            EXPECT(strstr(gnd_error()->message, "ScaLAPACK") || strstr(gnd_error()->message, "cuSOLVERMp"));
            if (gnd_mesh_rank(mesh) == 0) printf("# %d ranks: %s\n", gnd_mesh_size(mesh), gnd_error()->message);
            gnd_error_clear();
        }
    }
    return has;
}

static gnd_array *matrix_of(int64_t m, int64_t n, gnd_dtype dtype) {
    gnd_array *a = gnd_divide(numbered(GND_SHAPE(m, n), GND_FLOAT64), 20);
    if (gnd_dtype_kind(dtype) == 'c')
        a = gnd_add(a, gnd_multiply(gnd_transpose(gnd_divide(numbered(GND_SHAPE(n, m), GND_FLOAT64), 30)),
                                    gnd_full(GND_SCALAR, 1.0i, dtype)));
    a = gnd_add(a, gnd_multiply(gnd_eye(m, n, 0, GND_FLOAT64), 7));
    return gnd_astype(a, dtype);
}

static void systems(gnd_mesh *mesh, int64_t n, gnd_dtype dtype) {
    gnd_array *a = matrix_of(n, n, dtype), *tall = matrix_of(n + 5, n, dtype);
    gnd_array *h =
        gnd_add(gnd_matmul(a, gnd_conjugate(gnd_transpose(a))), gnd_astype(gnd_eye(n, n, 0, GND_FLOAT64), dtype));
    gnd_array *l = gnd_cholesky(h, false);
    const gnd_shape shapes[] = {GND_SHAPE(n), GND_SHAPE(n, 3)};
    layout_room room[3];
    gnd_layout of_a, of_b, of_x;
    for (int i = 0; layout_number(mesh, GND_SHAPE(n, n), i, &room[0], &of_a); i++) {
        for (int s = 0; s < 2; s++) {
            gnd_array *b = gnd_astype(numbered(shapes[s], GND_FLOAT32), dtype), *c, *x, *z;
            gnd_shape taller = shapes[s];
            taller.dim[0] += 5;
            c = gnd_astype(numbered(taller, GND_FLOAT32), dtype);
            x = gnd_solve(a, b), z = gnd_cho_solve(l, b, true);
            gnd_array *least = NULL;
            gnd_lstsq(&least, NULL, NULL, NULL, tall, c, NULL);
            for (int j = i % 2; layout_number(mesh, shapes[s], j, &room[1], &of_b); j += 2) {
                GND_SCOPE {
                    layout_number(mesh, shapes[s], (i + j) % 4, &room[2], &of_x);
                    EXPECT(close_to(gnd_dist_solve(split(mesh, a, of_a), split(mesh, b, of_b), of_x), x, of_x));
                    EXPECT(
                        close_to(gnd_dist_cholesky_solve(split(mesh, h, of_a), split(mesh, b, of_b), of_x), z, of_x));
                    if (of_a.count[0] || of_b.count[0]) continue;
                    EXPECT(close_to(gnd_dist_lstsq(split(mesh, tall, of_a), split(mesh, c, of_b), of_x), least, of_x));
                }
            }
        }
        EXPECT(close_to(gnd_dist_cholesky(split(mesh, h, of_a), of_a), l, of_a));
    }
}

/* What gnd's own functions do, where no library is needed: factors of many blocks, in every layout. */
static void own_factors(gnd_mesh *mesh, int64_t n, gnd_dtype dtype) {
    gnd_array *a = matrix_of(n, n, dtype);
    gnd_array *h =
        gnd_add(gnd_matmul(a, gnd_conjugate(gnd_transpose(a))), gnd_astype(gnd_eye(n, n, 0, GND_FLOAT64), dtype));
    gnd_array *l = gnd_cholesky(h, false);
    gnd_array *upper = gnd_triu(gnd_full(GND_SHAPE(n, n), 99, dtype), 1); /* which is not read */
    h = gnd_add(gnd_tril(h, 0), upper);
    layout_room room[2];
    gnd_layout of_a, of_l;
    for (int i = 0; layout_number(mesh, GND_SHAPE(n, n), i, &room[0], &of_a); i++) {
        GND_SCOPE {
            layout_number(mesh, GND_SHAPE(n, n), (i + 1) % 3, &room[1], &of_l);
            EXPECT(close_to(gnd_dist_cholesky(split(mesh, h, of_a), of_l), l, of_l));
        }
    }
}
static void own_least_squares(gnd_mesh *mesh, int64_t m, int64_t n, gnd_dtype dtype) {
    gnd_array *a = matrix_of(m, n, dtype);
    const gnd_shape shapes[] = {GND_SHAPE(m), GND_SHAPE(m, 3)};
    layout_room room[3];
    gnd_layout of_a, of_b, of_x;
    for (int s = 0; s < 2; s++) {
        gnd_array *b = gnd_astype(numbered(shapes[s], GND_FLOAT32), dtype), *x = NULL;
        gnd_lstsq(&x, NULL, NULL, NULL, a, b, NULL);
        for (int i = 0; layout_number(mesh, GND_SHAPE(m, n), i, &room[0], &of_a); i++) {
            for (int j = i % 2; layout_number(mesh, shapes[s], j, &room[1], &of_b); j += 2) {
                GND_SCOPE {
                    layout_number(mesh, gnd_shape_of(x), (i + j) % 3, &room[2], &of_x);
                    EXPECT(close_to(gnd_dist_lstsq(split(mesh, a, of_a), split(mesh, b, of_b), of_x), x, of_x));
                }
            }
        }
    }
}

/* The largest element of l l^T - h. */
static double off_by(const gnd_array *l, const gnd_array *h) {
    l = gnd_astype(l, GND_FLOAT64);
    const gnd_array *off = gnd_subtract(gnd_matmul(l, gnd_transpose(l)), gnd_astype(h, GND_FLOAT64));
    return gnd_item_double(gnd_max(gnd_absolute(off), GND_ALL));
}

/* Of values of a smooth function and a little on the diagonal, whose triangles have a large condition: the error stays
   that of one rank, by substitution, and the bits are the same again. */
static void hard_factors(gnd_mesh *mesh, gnd_dtype dtype) {
    const int64_t n = 128 * gnd_mesh_size(mesh);
    const double little = dtype == GND_FLOAT32 ? 1e-4 : 1e-13;
    const gnd_array *x = gnd_linspace(0, 2, n, true, GND_FLOAT64);
    const gnd_array *h = gnd_exp(gnd_negative(gnd_square(gnd_subtract(gnd_reshape(x, GND_SHAPE(n, 1)), x))));
    gnd_array *one = gnd_eye(n, n, 0, GND_FLOAT64), *as = gnd_astype(gnd_add(h, gnd_multiply(one, little)), dtype);
    const gnd_dist *a = split(mesh, as, GND_SPLIT(0));
    const gnd_dist *first = gnd_dist_cholesky(a, GND_SPLIT(0)), *again = gnd_dist_cholesky(a, GND_SPLIT(0));
    EXPECT(first && again);
    if (!first || !again) return;
    EXPECT(gnd_array_equal(gnd_dist_local(first), gnd_dist_local(again), false));
    const double of_one = off_by(gnd_cholesky(as, false), as), off = off_by(gnd_dist_gather(first, -1), as);
    EXPECT(off < 4 * of_one);
    if (off >= 4 * of_one) printf("# %d ranks: %g, one: %g\n", gnd_mesh_size(mesh), off, of_one);
}

static void by_own(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype types[] = {GND_FLOAT64, GND_FLOAT32, GND_COMPLEX64, GND_COMPLEX128};
    gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
    for (int t = 0; t < 4; t++) {
        GND_SCOPE {
            own_factors(mesh, 23, types[t]), own_least_squares(mesh, 28, 23, types[t]);
            if (grid) own_factors(grid, 17, types[t]), own_least_squares(grid, 40, 7, types[t]);
        }
    }
    GND_SCOPE {
        for (int64_t n = 1; n < 10; n++) own_factors(mesh, n, GND_FLOAT64);
        hard_factors(mesh, GND_FLOAT64), hard_factors(mesh, GND_FLOAT32);
        own_factors(mesh, 32 * gnd_mesh_size(mesh), GND_FLOAT64); /* whole rounds, in which nothing has to move first */
        own_least_squares(mesh, 1, 1, GND_FLOAT64), own_least_squares(mesh, 3, 2, GND_FLOAT64);
        own_least_squares(mesh, 100, 2, GND_FLOAT32);
        gnd_array *b = numbered(GND_SHAPE(9), GND_INT32), *a = gnd_astype(matrix_of(9, 4, GND_FLOAT64), GND_INT32);
        gnd_array *x = NULL;
        gnd_lstsq(&x, NULL, NULL, NULL, a, b, NULL);
        EXPECT(close_to(gnd_dist_lstsq(split(mesh, a, GND_SPLIT(0)), split(mesh, b, GND_COPIES), GND_SPLIT(0)), x,
                        GND_SPLIT(0)));
        gnd_dist *zero = gnd_dist_full(mesh, GND_SHAPE(5, 5), 0, GND_FLOAT64, GND_SPLIT(0));
        EXPECT(!gnd_dist_cholesky(gnd_dist_subtract(zero, 1), GND_COPIES) && gnd_error()->code == GND_ERROR_VALUE);
        EXPECT(gnd_error() && strstr(gnd_error()->message, "gnd_dist_cholesky"));
        gnd_error_clear();
    }
    gnd_mesh_release(grid);
}
TEST(what_needs_no_library) {
    run(by_own);
}

static void solved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    if (!has_library(mesh)) return;
    const gnd_dtype types[] = {GND_FLOAT64, GND_FLOAT32, GND_COMPLEX64, GND_COMPLEX128};
    gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
    for (int t = 0; t < 4; t++) {
        GND_SCOPE {
            systems(mesh, 23, types[t]);
            if (t == 0) systems(mesh, 3, types[t]), systems(mesh, 1, types[t]);
            if (grid) systems(grid, 17, types[t]);
        }
    }
    gnd_mesh_release(grid);
    GND_SCOPE { /* a block length of the library's own kind */
        gnd_array *a = matrix_of(700, 700, GND_FLOAT64), *b = gnd_matmul(a, gnd_ones(GND_SHAPE(700), GND_FLOAT64));
        gnd_array *ones = gnd_ones(GND_SHAPE(700), GND_FLOAT64);
        const gnd_dist *x = gnd_dist_solve(split(mesh, a, GND_SPLIT(1)), split(mesh, b, GND_SPLIT(0)), GND_SPLIT(0));
        EXPECT(x && gnd_allclose(gnd_dist_gather(x, -1), ones, 1e-6, 1e-6, false));
        gnd_array *whole = gnd_astype(matrix_of(5, 5, GND_FLOAT64), GND_INT32);
        EXPECT(close_to(gnd_dist_solve(split(mesh, whole, GND_SPLIT(0)), split(mesh, whole, GND_SPLIT(1)), GND_COPIES),
                        gnd_solve(whole, whole), GND_COPIES));
        gnd_dist *zero = gnd_dist_full(mesh, GND_SHAPE(5, 5), 0, GND_FLOAT64, GND_SPLIT(0));
        EXPECT(!gnd_dist_solve(zero, zero, GND_COPIES) && gnd_error()->code == GND_ERROR_VALUE);
        gnd_error_clear();
        EXPECT(!gnd_dist_cholesky(gnd_dist_subtract(zero, 1), GND_COPIES) && gnd_error()->code == GND_ERROR_VALUE);
        gnd_error_clear();
    }
}
TEST(systems_in_every_layout) {
    run(solved);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *a = gnd_dist_full(mesh, GND_SHAPE(4, 4), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *wide = gnd_dist_full(mesh, GND_SHAPE(3, 4), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *half = gnd_dist_full(mesh, GND_SHAPE(4, 4), 1, GND_FLOAT16, GND_SPLIT(0));
        gnd_dist *stack = gnd_dist_full(mesh, GND_SHAPE(2, 4, 4), 1, GND_FLOAT32, GND_SPLIT(0));
        REFUSED(gnd_dist_solve(wide, a, GND_COPIES), GND_ERROR_SHAPE, "must be square");
        REFUSED(gnd_dist_solve(a, wide, GND_COPIES), GND_ERROR_SHAPE, "4 rows");
        REFUSED(gnd_dist_lstsq(wide, wide, GND_COPIES), GND_ERROR_SHAPE, "wider than high");
        REFUSED(gnd_dist_cholesky(stack, GND_COPIES), GND_ERROR_SHAPE, "3 axes");
        REFUSED(gnd_dist_cholesky_solve(half, a, GND_COPIES), GND_ERROR_DTYPE, "float16");
        REFUSED(gnd_dist_cholesky(a, GND_SPLIT(2)), GND_ERROR_AXIS, "axis 2");
        REFUSED(gnd_dist_solve(a, NULL, GND_COPIES), GND_ERROR_INVALID, "gnd_dist_solve");
        gnd_dist *none = gnd_dist_full(mesh, GND_SHAPE(4, 0), 1, GND_FLOAT32, GND_SPLIT(0));
        EXPECT(same(gnd_dist_solve(a, none, GND_SPLIT(1)), gnd_zeros(GND_SHAPE(4, 0), GND_FLOAT32)) ||
               gnd_mesh_size(mesh) == 1);
        gnd_error_clear(); /* gnd, of one rank, looks at the matrix all the same: it is singular */
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *a = gnd_dist_arange(mesh, 1, 17, 1, GND_FLOAT64, GND_COPIES);
        a = gnd_dist_redistribute(gnd_dist_reshape(a, GND_SHAPE(4, 4)), GND_SPLIT(1));
        gndi_cyclic c = gndi_cyclic_from(a, 1, "test");
        gnd_dist *back = gnd_dist_like(a, gndi_cyclic_to(&c, a, "test"), GND_FLOAT64);
        gnd_dist *x = gnd_dist_cholesky_solve(gnd_dist_matmul(back, gnd_dist_permute(back, GND_ALL), GND_SPLIT(0)), a,
                                              GND_SPLIT(0));
        const gnd_dist *ones = gnd_dist_full(mesh, GND_SHAPE(4, 4), 1, GND_FLOAT64, GND_SPLIT(0));
        const gnd_dist *eyes = gnd_dist_multiply(ones, gnd_dist_redistribute(ones, GND_SPLIT(0)));
        const gnd_dist *l = gnd_dist_cholesky(a, GND_SPLIT(1)), *y = gnd_dist_lstsq(a, eyes, GND_SPLIT(0));
        (void)x, (void)l, (void)y;
        if (gnd_error() && gnd_error()->code != GND_ERROR_MEMORY) gnd_error_clear(); /* no library, or singular */
        gnd_mesh_agree(mesh);
    }
}

/* A factor of several panels: none of them is left out by an error of the matrix. */
static void factor_chain(gnd_mesh *mesh) {
    GND_SCOPE {
        const int64_t n = 8 * gnd_mesh_size(mesh) + 1;
        gnd_array *h = gnd_add(gnd_eye(n, n, 0, GND_FLOAT64), 1);
        gnd_dist_cholesky(split(mesh, h, GND_SPLIT(0)), GND_SPLIT(1));
        if (gnd_error() && gnd_error()->code == GND_ERROR_UNAVAILABLE) gnd_error_clear(); /* no library */
        gnd_mesh_agree(mesh);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int next = has_few_cases() ? 13 : next_fault();
    starve_each(mesh, 0, 1500, chain, next);
    starve_each(mesh, gnd_mesh_size(mesh) - 1, 20000, factor_chain, has_few_cases() ? 97 : next_fault());
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
