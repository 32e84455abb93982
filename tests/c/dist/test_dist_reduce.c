/*
 * test_dist_reduce.c: partial results that the transport may combine, and what a rank moves to itself beside the
 * transport's call: on 1 to 4 ranks, some of which have nothing.
 */
#include "layouts.h"
#include <math.h>

static const char *const folds[] = {"sum", "prod", "min", "max", "any", "all", "count_nonzero"};
static gnd_array *plainly(const char *name, const gnd_array *x, gnd_axes axes) {
    gnd_array *(*const f[])(const gnd_array *, gnd_axes) = {gnd_sum, gnd_prod, gnd_min,          gnd_max,
                                                            gnd_any, gnd_all,  gnd_count_nonzero};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        if (strcmp(folds[i], name) == 0) return f[i](x, axes);
    return NULL;
}

/* ---- whole numbers: the same bits on any number of ranks ------------------------------------------------------ */

static void fold_all(gnd_mesh *mesh, gnd_array *whole) {
    const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        EXPECT(
            same(gnd_dist_reduce(folds[i], x, GND_AXES(0), GND_COPIES, NULL), plainly(folds[i], whole, GND_AXES(0))));
        EXPECT(same(gnd_dist_reduce(folds[i], x, GND_ALL, GND_COPIES, NULL), plainly(folds[i], whole, GND_ALL)));
    }
}

static void whole_numbers(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype dtypes[] = {GND_BOOL,  GND_INT8,   GND_INT16,  GND_INT32, GND_INT64,
                                GND_UINT8, GND_UINT16, GND_UINT32, GND_UINT64};
    const gnd_shape shapes[] = {GND_SHAPE(2, 3), GND_SHAPE(1, 5), GND_SHAPE(4, 1), GND_SHAPE(9, 4)};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            GND_SCOPE {
                fold_all(mesh, numbered(shapes[s], dtypes[d]));
            }
        }
}
TEST(whole_numbers_have_the_same_bits) {
    run(whole_numbers);
}

static void other_types(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        const gnd_dtype asked[] = {GND_INT8,   GND_INT16,  GND_INT32,   GND_INT64,   GND_UINT8,   GND_UINT16,
                                   GND_UINT32, GND_UINT64, GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64};
        gnd_array *whole = numbered(GND_SHAPE(9, 3), GND_INT32);
        const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
        for (size_t d = 0; d < sizeof asked / sizeof *asked; d++) {
            GND_SCOPE {
                gnd_axes axes = GND_AXES(0);
                axes.dtype = asked[d];
                EXPECT(same(gnd_dist_sum(x, axes, GND_COPIES), gnd_sum(whole, axes)));
            }
        }
    }
}
TEST(sums_in_other_types) {
    run(other_types);
}

/* ---- numbers that round: in the order of the blocks, of which two have none ----------------------------------- */

static gnd_array *inexact(gnd_shape shape, gnd_dtype dtype) {
    const bool is_complex = gnd_dtype_kind(dtype) == 'c';
    const gnd_array *x = gnd_divide(numbered(shape, GND_FLOAT64), 7);
    if (!is_complex) return gnd_astype(x, dtype);
    const double i[2] = {0, 1};
    const gnd_array *unit = gnd_from_host(i, GND_SCALAR, GND_COMPLEX128);
    return gnd_astype(gnd_add(x, gnd_multiply(gnd_divide(x, 3), unit)), dtype);
}

/* Rows are blocks, so that plain gnd adds partial sums in the same order. */
static void rounded(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype dtypes[] = {GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
    for (int64_t rows = 1; rows <= gnd_mesh_size(mesh); rows++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            GND_SCOPE {
                gnd_array *whole = inexact(GND_SHAPE(rows, 6), dtypes[d]);
                const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
                EXPECT(same(gnd_dist_sum(x, GND_AXES(0), GND_COPIES), gnd_sum(whole, GND_AXES(0))));
                EXPECT(same(gnd_dist_sum(x, GND_AXES(0), GND_SPLIT(0)), gnd_sum(whole, GND_AXES(0))));
                if (gnd_dtype_kind(dtypes[d]) != 'c') /* whose quotients plain gnd rounds in another way */
                    EXPECT(same(gnd_dist_mean(x, GND_AXES(0), GND_COPIES), gnd_mean(whole, GND_AXES(0))));
                EXPECT(same(gnd_dist_reduce("prod", x, GND_AXES(0), GND_COPIES, NULL), gnd_prod(whole, GND_AXES(0))));
            }
        }
}
TEST(numbers_that_round) {
    run(rounded);
}

/* 2049 of each rank, and three of these, are no float16. */
static void half_norms(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (int bfloat = 0; bfloat < 2; bfloat++) {
        GND_SCOPE {
            const float row[2] = {2048, 1};
            const gnd_array *one = gnd_from_host(row, GND_SHAPE(1, 2), GND_FLOAT32);
            gnd_array *whole = gnd_astype(gnd_broadcast_to(one, GND_SHAPE(gnd_mesh_size(mesh), 2)),
                                          bfloat ? GND_BFLOAT16 : GND_FLOAT16);
            const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
            const gnd_dist_reduce_options first = {.order = 1};
            EXPECT(same(gnd_dist_reduce("norm", x, GND_ALL, GND_COPIES, &first), gnd_vector_norm(whole, 1, GND_ALL)));
        }
    }
}
TEST(norms_of_halves_are_rounded_once) {
    run(half_norms);
}

/* Columns of values that are no ordinary numbers, as rows: infinities, NaN, zeros of both signs. */
static void extraordinary(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        const float inf = INFINITY, nan = NAN;
        const float values[2][8] = {{inf, inf, nan, 1, -0.f, 0.f, -0.f, 3e38f},
                                    {1, -inf, 2, nan, -0.f, -0.f, 5, 3e38f}};
        gnd_array *whole = gnd_from_host(values, GND_SHAPE(2, 8), GND_FLOAT32);
        const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
        const char *const names[] = {"sum", "prod", "min", "max"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const gnd_array *all = gnd_dist_gather(gnd_dist_reduce(names[i], x, GND_AXES(0), GND_COPIES, NULL), -1);
            EXPECT(all && gnd_allclose(all, plainly(names[i], whole, GND_AXES(0)), 0, 0, true));
        }
        EXPECT(isnan(gnd_dist_item_double(gnd_dist_max(x, GND_ALL, GND_COPIES))));
    }
}
TEST(infinities_nan_and_signed_zeros) {
    run(extraordinary);
}

static void variances(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128, GND_UINT8};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        GND_SCOPE {
            gnd_array *whole = gnd_astype(gnd_add(inexact(GND_SHAPE(7, 3), GND_FLOAT64), 1e4), GND_FLOAT64);
            if (d >= 2) whole = numbered(GND_SHAPE(7, 3), dtypes[d]);
            whole = gnd_astype(whole, dtypes[d]);
            const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
            for (int all = 0; all < 2; all++) {
                const gnd_axes axes = all ? GND_ALL : GND_AXES(0);
                gnd_array *first = gnd_dist_gather(gnd_dist_var(x, axes, GND_COPIES), -1);
                EXPECT(first && gnd_allclose(first, gnd_var(whole, axes, 0), 1e-6, 0, true));
                EXPECT(same(gnd_dist_var(x, axes, GND_COPIES), first)); /* the same bits again */
            }
        }
    }
}
TEST(variances_of_a_large_mean) {
    run(variances);
}

/* A result that each rank combines a part of, and one that its transport combines. */
static void large(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        const gnd_shape shape = GND_SHAPE(gnd_mesh_size(mesh), 70001);
        gnd_array *whole = inexact(shape, GND_FLOAT32), *numbers = numbered(shape, GND_INT32);
        const gnd_dist *x = split(mesh, whole, GND_SPLIT(0)), *n = split(mesh, numbers, GND_SPLIT(0));
        const gnd_array *sum = gnd_dist_gather(gnd_dist_sum(x, GND_AXES(0), GND_COPIES), -1);
        EXPECT(sum && gnd_allclose(sum, gnd_sum(whole, GND_AXES(0)), 1e-5, 1e-5, true));
        if (gnd_mesh_size(mesh) <= 2)
            EXPECT(same(gnd_dist_sum(x, GND_AXES(0), GND_COPIES), gnd_sum(whole, GND_AXES(0))));
        EXPECT(same(gnd_dist_sum(n, GND_AXES(0), GND_COPIES), gnd_sum(numbers, GND_AXES(0))));
        EXPECT(same(gnd_dist_max(x, GND_AXES(0), GND_COPIES), gnd_max(whole, GND_AXES(0))));
        const gnd_array *variance = gnd_dist_gather(gnd_dist_var(x, GND_AXES(0), GND_COPIES), -1);
        EXPECT(variance && gnd_allclose(variance, gnd_var(whole, GND_AXES(0), 0), 1e-5, 1e-5, true));
    }
}
TEST(large_results) {
    run(large);
}

/* The sum of one element for each result: the block is its own partial result, and stays what it was. */
static void of_itself(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *whole = numbered(GND_SHAPE(gnd_mesh_size(mesh), 5), GND_FLOAT32);
        const gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
        const gnd_dist *sum = gnd_dist_sum(x, GND_AXES_KEEP(0), GND_COPIES);
        gnd_add_into(gnd_dist_local(sum), gnd_dist_local(sum), 1);
        EXPECT(same(x, whole));
        EXPECT(same(sum, gnd_add(gnd_sum(whole, GND_AXES_KEEP(0)), 1)));
    }
}
TEST(a_block_that_is_its_own_partial_result) {
    run(of_itself);
}

/* ---- what a rank moves to itself -------------------------------------------------------------------------------- */

/* Small pieces go along in the transport's call; those of 16 MiB on two ranks are copied beside it, dense or not. */
static void own_pieces(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t size = gnd_mesh_size(mesh);
    const gnd_shape shapes[] = {GND_SHAPE(size, size, 3), GND_SHAPE(5, 7), GND_SHAPE(size, size, 1 << 20),
                                GND_SHAPE(4 * size, 1 << 20)};
    const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT32, GND_FLOAT64, GND_BOOL};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        GND_SCOPE {
            gnd_array *whole = numbered(shapes[s], dtypes[s]);
            const gnd_dist *x = split(mesh, whole, GND_SPLIT(0)), *y = gnd_dist_redistribute(x, GND_SPLIT(1));
            EXPECT(same(y, whole));
            EXPECT(same(gnd_dist_redistribute(y, GND_SPLIT(0)), whole));
            EXPECT(same(gnd_dist_redistribute(y, GND_COPIES), whole));
            /* the copies are behind what comes before, and before what comes behind */
            gnd_dist *twice = gnd_dist_redistribute(gnd_dist_add(y, y), GND_SPLIT(0));
            EXPECT(same(gnd_dist_add(twice, x), gnd_add(gnd_add(whole, whole), whole)));
        }
    }
}
TEST(pieces_of_a_rank_for_itself) {
    for (int size = FEWEST_RANKS; size <= 3; size++) CHECK(run_on(size, own_pieces, NULL));
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        const gnd_dist *x = gnd_dist_arange(mesh, 0, 60, 1, GND_FLOAT32, GND_SPLIT(0));
        const gnd_dist *numbers = gnd_dist_astype(x, GND_INT32);
        const gnd_dist *t = gnd_dist_full(mesh, GND_SHAPE(gnd_mesh_size(mesh), 6), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist_gather(gnd_dist_sum(numbers, GND_ALL, GND_COPIES), -1);
        gnd_dist_gather(gnd_dist_sum(t, GND_AXES(0), GND_COPIES), -1);
        gnd_dist_gather(gnd_dist_var(x, GND_ALL, GND_COPIES), -1);
        gnd_dist_gather(gnd_dist_redistribute(t, GND_SPLIT(1)), -1);
        gnd_mesh_agree(mesh);
    }
}
static void without_memory(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 4000, chain);
    starve_descriptions(mesh, 0, 12, chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(without_memory);
}

RANKS_MAIN
