/*
 * test_dist_sort.c: sorting and selection of split arrays, in every layout, against plain gnd, bit for bit.
 */
#include "layouts.h"
#include <math.h>

static const gnd_dtype dtypes[] = {GND_BOOL,     GND_INT8,    GND_INT16,   GND_INT32,     GND_INT64,
                                   GND_UINT8,    GND_UINT16,  GND_UINT32,  GND_UINT64,    GND_FLOAT16,
                                   GND_BFLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Few values, many of them equal; of floats NaN and both zeros too, of complex ones in both parts. */
static gnd_array *tangled(gnd_shape shape, gnd_dtype dtype) {
    gnd_array *x = numbered(shape, GND_INT64), *y = gnd_remainder(x, 7);
    const char kind = gnd_dtype_kind(dtype);
    if (kind != 'f' && kind != 'c') return gnd_astype(y, dtype);
    gnd_array *f = gnd_astype(gnd_subtract(y, 3), GND_FLOAT64);
    f = gnd_where(gnd_equal(gnd_remainder(x, 5), 2), -0.0, f);
    f = gnd_where(gnd_equal(gnd_remainder(x, 11), 4), (double)NAN, f);
    if (kind == 'f') return gnd_astype(f, dtype);
    gnd_array *i = gnd_where(gnd_equal(gnd_remainder(x, 3), 1), (double)NAN, gnd_astype(y, GND_FLOAT64));
    gnd_array *parts[2] = {f, i};
    gnd_array *both = gnd_ascontiguous(gnd_moveaxis(gnd_stack(2, parts, 0), GND_AXES(0), GND_AXES(-1)));
    return gnd_astype(gnd_reshape(gnd_view(both, GND_COMPLEX128), shape), dtype);
}

/* ---- sort --------------------------------------------------------------------------------------------------- */

static void sorts_as_gnd(const gnd_dist *x, const gnd_array *whole, int axis, gnd_direction direction) {
    GND_SCOPE {
        gnd_dist *values = NULL, *indices = NULL;
        gnd_array *expected = gnd_sort(whole, GND_AXES(axis), direction);
        gnd_array *order = gnd_argsort(whole, GND_AXES(axis), direction);
        EXPECT(same(gnd_dist_sort(x, axis, direction), expected));
        EXPECT(same(gnd_dist_argsort(x, axis, direction), order));
        EXPECT(gnd_dist_sort_with_indices(&values, &indices, x, axis, direction) == GND_OK);
        EXPECT(same(values, expected) && same(indices, order));
    }
}

static void sorted(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype some[] = {GND_FLOAT32, GND_INT8, GND_COMPLEX64, GND_BOOL};
    for (int d = 0; d < 4; d++) {
        gnd_array *whole = tangled(shape, some[d]);
        gnd_dist *x = split(mesh, whole, layout);
        for (int axis = 0; axis < shape.ndim; axis++) {
            sorts_as_gnd(x, whole, axis, GND_ASCENDING);
            if (d == 0) sorts_as_gnd(x, whole, axis - shape.ndim, GND_DESCENDING);
        }
        if (shape.ndim == 0) REFUSED(gnd_dist_sort(x, 0, GND_ASCENDING), GND_ERROR_AXIS, "no axis 0 of 0");
    }
}
static void all_sorted(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, sorted);
}
TEST(sorts_in_every_layout) {
    run(all_sorted);
}

/* Long lines, so that cuts take several rounds; of one block, of two mesh axes, of elements in every order. */
static void long_lines(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t n = 30011;
    for (int d = 0; d < DTYPES; d++) {
        if (SANITIZED && (d + gnd_mesh_size(mesh)) % 3) continue;
        GND_SCOPE {
            gnd_array *whole =
                gnd_astype(gnd_remainder(gnd_multiply(gnd_arange(0, n, 1, GND_INT64), 7919), n), dtypes[d]);
            if (d % 2) whole = tangled(GND_SHAPE(n), dtypes[d]);
            sorts_as_gnd(split(mesh, whole, GND_SPLIT(0)), whole, 0, d % 3 ? GND_ASCENDING : GND_DESCENDING);
        }
    }
    GND_SCOPE {
        gnd_array *up = gnd_arange(0, n, 1, GND_INT32);
        gnd_array *all[] = {up, gnd_flip(up, GND_ALL), gnd_zeros(GND_SHAPE(n), GND_FLOAT32),
                            gnd_full(GND_SHAPE(n), NAN, GND_FLOAT64), gnd_floor_divide(up, 10000)};
        layout_room room;
        gnd_layout layout;
        for (int i = 0; i < 5; i++)
            for (int l = 1; layout_number(mesh, GND_SHAPE(n), l, &room, &layout); l++)
                sorts_as_gnd(split(mesh, all[i], layout), all[i], 0, i % 2 ? GND_DESCENDING : GND_ASCENDING);
        gnd_array *few = tangled(GND_SHAPE(2, 5003), GND_FLOAT32);
        sorts_as_gnd(split(mesh, few, GND_SPLIT(1)), few, 1, GND_ASCENDING);
        if (gnd_mesh_size(mesh) == 4) {
            gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2)), *row = gnd_mesh_grid(mesh, GND_SHAPE(1, 4));
            gnd_array *three = tangled(GND_SHAPE(3, 5003), GND_FLOAT32); /* two lines and one */
            sorts_as_gnd(split(grid, three, GND_SPLIT2(0, 1)), three, 1, GND_ASCENDING);
            sorts_as_gnd(split(grid, few, GND_SPLIT2(0, 1)), few, 1, GND_DESCENDING);
            sorts_as_gnd(split(grid, few, GND_SPLIT2(1, GND_WHOLE)), few, 1, GND_ASCENDING);
            sorts_as_gnd(split(row, few, GND_SPLIT2(GND_WHOLE, 1)), few, 1, GND_ASCENDING);
            gnd_mesh_release(grid), gnd_mesh_release(row);
        }
    }
}
TEST(cuts_are_exact_whatever_the_elements) {
    run(long_lines);
}

/* ---- what sorts are made of, on each rank's device by itself ------------------------------------------------ */

enum { RUN = 6, SAMPLED = 576 };

/* Two runs of 6 doubles as two ranks have them, and what a sort does with them until elements have moved: a difference
   here is gnd's on this device, and no rank's or transport's. */
static void steps(gnd_mesh *mesh, void *unused) {
    (void)unused, (void)mesh;
    const double unsorted[2][RUN] = {{48, 68, 88, 54, 74, 94}, {60, 80, 100, 46, 66, 86}};
    const double run[2][RUN] = {{48, 54, 68, 74, 88, 94}, {46, 60, 66, 80, 86, 100}};
    const double part[2][RUN] = {{46, 48, 54, 60, 66, 68}, {74, 80, 86, 88, 94, 100}};
    int64_t index[SAMPLED], order[2 * SAMPLED];
    double host[2 * SAMPLED];
    GND_SCOPE {
        gnd_array *sorted[2], *all = gnd_empty(GND_SHAPE(2, 1, SAMPLED), GND_FLOAT64);
        for (int64_t i = 0; i < SAMPLED; i++) index[i] = i < RUN ? i : 0;
        for (int r = 0; r < 2; r++) {
            gnd_array *x = gnd_reshape(gnd_from_host(unsorted[r], GND_SHAPE(RUN), GND_FLOAT64), GND_SHAPE(1, RUN));
            sorted[r] = gnd_sort(gnd_slice(x, "0"), GND_AXES(0), GND_ASCENDING);
            EXPECT(gnd_to_host(sorted[r], host, sizeof run[r]) == GND_OK && !memcmp(host, run[r], sizeof run[r]));
            gnd_array *at = gnd_from_host(index, GND_SHAPE(1, SAMPLED), GND_INT64);
            gnd_transfer(gnd_slice(all, "%d", r), gnd_take(sorted[r], at, GND_AXES(0), GND_RAISE));
        }
        EXPECT(gnd_to_host(all, host, sizeof host) == GND_OK);
        for (int i = 0; i < 2 * SAMPLED; i++) EXPECT(host[i] == run[i / SAMPLED][i % SAMPLED < RUN ? i % SAMPLED : 0]);
        gnd_array *line = gnd_reshape(gnd_permute(all, GND_AXES(1, 0, 2)), GND_SHAPE(1, 2 * SAMPLED));
        gnd_array *places = gnd_argsort(line, GND_AXES(1), GND_ASCENDING);
        EXPECT(gnd_to_host(places, order, sizeof order) == GND_OK);
        for (int i = 1; i < 2 * SAMPLED; i++)
            EXPECT(host[order[i - 1]] < host[order[i]] ||
                   (host[order[i - 1]] == host[order[i]] && order[i - 1] < order[i]));
        for (int p = 0; p < 2; p++) { /* 3 of each run, which are not aligned to 16 bytes */
            gnd_array *got = gnd_empty(GND_SHAPE(RUN), GND_FLOAT64), *values, *from;
            const char *slice = p ? "3:" : ":3";
            gnd_transfer(gnd_slice(got, ":3"), gnd_slice(sorted[0], slice));
            gnd_transfer(gnd_slice(got, "3:"), gnd_slice(sorted[1], slice));
            gnd_array *merged = gnd_merge(gnd_slice(got, ":3"), gnd_slice(got, "3:"), GND_ASCENDING);
            EXPECT(gnd_to_host(merged, host, sizeof part[p]) == GND_OK && !memcmp(host, part[p], sizeof part[p]));
            gnd_merge_with_indices(&values, &from, gnd_slice(got, ":3"), gnd_slice(got, "3:"), GND_ASCENDING);
            EXPECT(gnd_to_host(gnd_take(got, from, GND_AXES(0), GND_RAISE), host, sizeof part[p]) == GND_OK &&
                   !memcmp(host, part[p], sizeof part[p]));
        }
    }
}
TEST(steps_of_a_sort_on_one_device) {
    run(steps);
}

/* ---- the first elements ---------------------------------------------------------------------------------- */

static void chosen(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype some[] = {GND_FLOAT32, GND_UINT8, GND_COMPLEX128, GND_BFLOAT16};
    for (int d = 0; d < 4; d++) {
        gnd_array *whole = tangled(shape, some[d]);
        gnd_dist *x = split(mesh, whole, layout);
        for (int axis = 0; axis < shape.ndim; axis++) {
            const int64_t n = shape.dim[axis], counts[] = {0, 1, n / 2, n};
            for (int i = n ? 0 : 3; i < 4; i++) {
                const gnd_direction direction = (d + i) % 2 ? GND_ASCENDING : GND_DESCENDING;
                gnd_dist *v = NULL, *at = NULL, *alone = NULL;
                gnd_array *values, *indices;
                gnd_topk(&values, &indices, whole, counts[i], GND_AXES(axis), direction);
                EXPECT(gnd_dist_topk(&v, &at, x, counts[i], axis, direction) == GND_OK);
                EXPECT(same(v, values) && same(at, indices));
                EXPECT(gnd_dist_topk(NULL, &alone, x, counts[i], axis - shape.ndim, direction) == GND_OK);
                EXPECT(same(alone, indices));
            }
        }
    }
}
static void all_chosen(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, chosen);
}
TEST(topk_in_every_layout) {
    run(all_chosen);
}

/* ---- distinct values ------------------------------------------------------------------------------------- */

static void unique_as_gnd(const gnd_dist *x, const gnd_array *whole, bool distinct_nan) {
    GND_SCOPE {
        gnd_array *index, *inverse, *counts;
        gnd_dist *i = NULL, *inv = NULL, *n = NULL;
        gnd_array *expected =
            gnd_unique(whole, GND_ALL,
                       &(gnd_unique_options){
                           .index = &index, .inverse = &inverse, .counts = &counts, .distinct_nan = distinct_nan});
        EXPECT(same(gnd_dist_unique(x,
                                    &(gnd_dist_unique_options){
                                        .index = &i, .inverse = &inv, .counts = &n, .distinct_nan = distinct_nan}),
                    expected));
        EXPECT(same(i, index) && same(inv, inverse) && same(n, counts));
        EXPECT(distinct_nan || same(gnd_dist_unique(x, NULL), expected));
    }
}

static void distinct(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype some[] = {GND_FLOAT32, GND_INT16, GND_COMPLEX64, GND_FLOAT16};
    for (int d = 0; d < 4; d++) {
        gnd_array *whole = tangled(shape, some[d]);
        unique_as_gnd(split(mesh, whole, layout), whole, false);
        unique_as_gnd(split(mesh, whole, layout), whole, true);
    }
}
static void all_distinct(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, distinct);
    for (int d = 0; d < DTYPES; d++) {
        GND_SCOPE {
            gnd_array *whole = tangled(GND_SHAPE(3001), dtypes[d]);
            unique_as_gnd(split(mesh, whole, GND_SPLIT(0)), whole, d % 2);
            whole = gnd_astype(gnd_remainder(gnd_multiply(gnd_arange(0, 20011, 1, GND_INT64), 7919), 15013), dtypes[d]);
            unique_as_gnd(split(mesh, whole, GND_SPLIT(0)), whole, false);
        }
    }
}
TEST(unique_in_every_layout) {
    run(all_distinct);
}

/* ---- what is refused, and failure --------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 2), 1, GND_INT8, GND_SPLIT(0)), *v = x, *i = x;
        REFUSED(gnd_dist_sort(x, 2, GND_ASCENDING), GND_ERROR_AXIS, "no axis 2 of 2");
        REFUSED(gnd_dist_argsort(x, -3, GND_ASCENDING), GND_ERROR_AXIS, "no axis -3");
        REFUSED(gnd_dist_sort(x, 0, (gnd_direction)7), GND_ERROR_INVALID, "direction 7");
        REFUSED(gnd_dist_sort(NULL, 0, GND_ASCENDING), GND_ERROR_INVALID, "gnd_dist_sort");
        REFUSED(gnd_dist_topk(&v, NULL, x, 9, 0, GND_ASCENDING) == GND_OK, GND_ERROR_VALUE, "9 of 8");
        REFUSED(gnd_dist_topk(&v, NULL, x, -1, 0, GND_ASCENDING) == GND_OK, GND_ERROR_VALUE, "-1 of 8");
        REFUSED(gnd_dist_topk(&v, NULL, x, 1, 2, GND_ASCENDING) == GND_OK, GND_ERROR_AXIS, "no axis 2");
        REFUSED(gnd_dist_topk(&v, NULL, x, 1, 0, (gnd_direction)5) == GND_OK, GND_ERROR_INVALID, "direction 5");
        REFUSED(gnd_dist_topk(NULL, NULL, x, 1, 0, GND_ASCENDING) == GND_OK, GND_ERROR_INVALID, "gnd_dist_topk");
        REFUSED(gnd_dist_unique(NULL, NULL), GND_ERROR_INVALID, "gnd_dist_unique");
        EXPECT(gnd_dist_sort_with_indices(&v, &i, NULL, 0, GND_ASCENDING) != GND_OK && !v && !i);
        gnd_error_clear();
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT32, GND_SPLIT(0)), *v = NULL, *i = NULL;
        gnd_dist_sort_with_indices(&v, &i, x, 0, GND_DESCENDING);
        gnd_dist *y = gnd_dist_sort(gnd_dist_reshape(x, GND_SHAPE(24, 1)), 0, GND_DESCENDING);
        gnd_dist *z = gnd_dist_full(mesh, GND_SHAPE(4, 6), 1, GND_FLOAT64, GND_SPLIT(1));
        gnd_array *all = gnd_dist_gather(v, -1), *order = gnd_dist_gather(i, -1);
        gnd_array *column = gnd_dist_gather(y, -1), *rows = gnd_dist_gather(gnd_dist_argsort(z, 1, GND_ASCENDING), -1);
        if (gnd_mesh_agree(mesh) == GND_OK)
            EXPECT(gnd_at_double(all, 3) == 20 && gnd_at_int(order, 3) == 20 && gnd_at_double(column, 1, 0) == 22 &&
                   gnd_at_int(rows, 3, 5) == 5);
    }
}

static void other_chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT32, GND_SPLIT(0)), *top = NULL, *inverse = NULL;
        gnd_dist_topk(&top, NULL, x, 3, 0, GND_DESCENDING);
        gnd_dist *few = gnd_dist_unique(gnd_dist_floor_divide(x, 5), &(gnd_dist_unique_options){.inverse = &inverse});
        gnd_array *best = gnd_dist_gather(top, -1), *kinds = gnd_dist_gather(few, -1);
        gnd_array *which = gnd_dist_gather(inverse, -1);
        if (gnd_mesh_agree(mesh) == GND_OK)
            EXPECT(gnd_at_double(best, 2) == 21 && gnd_dim(kinds, 0) == 5 && gnd_at_int(which, 23) == 4);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    const int last = gnd_mesh_size(mesh) - 1;
    (void)unused;
    starve(mesh, last, 3000, chain);
    starve_descriptions(mesh, last, 40, chain);
    starve(mesh, last, 3000, other_chain);
    starve_descriptions(mesh, last, 40, other_chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
