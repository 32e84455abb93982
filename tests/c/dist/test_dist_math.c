/*
 * test_dist_math.c: operators, maps and reductions of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

/* Within a few units in the last place of the larger dtypes' sums. */
static bool close_to(const gnd_dist *x, const gnd_array *expected) {
    bool good = false;
    GND_SCOPE {
        gnd_array *all = gathered(x, expected);
        const gnd_dtype t = all ? gnd_dtype_of(all) : GND_FLOAT64;
        const bool single = t == GND_FLOAT32 || t == GND_COMPLEX64;
        const double tolerance = gnd_dtype_size(t) == 2 ? 2e-3 : single ? 2e-6 : 1e-13;
        if (all) good = gnd_allclose(all, expected, tolerance, tolerance, true);
        if (!good && getenv("TAP_VERBOSE") && all) gnd_print(all), gnd_print(expected);
    }
    return good;
}

/* ---- operators ----------------------------------------------------------------------------------------------- */

static void operators(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *a = numbered(shape, GND_FLOAT32), *b = numbered(shape, GND_INT16);
    gnd_dist *x = split(mesh, a, layout), *y = split(mesh, b, layout), *copy = split(mesh, b, GND_COPIES);
    EXPECT(same(gnd_dist_add(x, y), gnd_add(a, b)));
    EXPECT(same(gnd_dist_subtract(x, copy), gnd_subtract(a, b)));
    EXPECT(same(gnd_dist_multiply(copy, x), gnd_multiply(b, a)));
    EXPECT(same(gnd_dist_divide(1.0, x), gnd_divide(1.0, a)));
    EXPECT(same(gnd_dist_maximum(x, b), gnd_maximum(a, b))); /* an array that all ranks have */
    EXPECT(same(gnd_dist_where(gnd_dist_greater(x, 3), y, -1), gnd_where(gnd_greater(a, 3), b, -1)));
    EXPECT(same(gnd_dist_round(gnd_dist_divide(x, 7), 2), gnd_round(gnd_divide(a, 7), 2)));
    EXPECT(same(gnd_dist_astype(x, GND_INT8), gnd_astype(a, GND_INT8)));
    gnd_dist *q, *r;
    gnd_array *quotient, *remainder;
    EXPECT(gnd_dist_apply_two(&r, &q, "divmod", GND_DIST_ARGS(x, 7), NULL) == GND_OK); /* which has a macro, too */
    EXPECT(gnd_dist_divmod(&q, &r, x, 7) == GND_OK && gnd_divmod(&quotient, &remainder, a, 7) == GND_OK);
    EXPECT(same(q, quotient) && same(r, remainder));
    gnd_dist *mask = gnd_dist_greater(y, 0);
    EXPECT(
        same(gnd_dist_apply("add", GND_DIST_ARGS(x, y), &(gnd_dist_apply_options){.where = mask, .dtype = GND_FLOAT64}),
             gnd_apply("add", GND_ARGS(a, b), &(gnd_apply_options){.where = gnd_greater(b, 0), .dtype = GND_FLOAT64})));
    gnd_dist *out = gnd_dist_full(mesh, shape, 5, GND_FLOAT64, layout);
    EXPECT(gnd_dist_apply_into(out, "multiply", GND_DIST_ARGS(copy, x), NULL) == GND_OK);
    EXPECT(same(out, gnd_astype(gnd_multiply(a, b), GND_FLOAT64)));
    if (shape.ndim > 0) { /* the last axis alone, and a first axis of length 1 */
        const int last = shape.ndim - 1;
        gnd_array *row = numbered(GND_SHAPE(shape.dim[last]), GND_INT32);
        EXPECT(same(gnd_dist_add(x, split(mesh, row, GND_COPIES)), gnd_add(a, row)));
        EXPECT(same(gnd_dist_add(split(mesh, gnd_reshape(row, GND_SHAPE(1, shape.dim[last])), GND_COPIES), x),
                    gnd_add(gnd_reshape(row, GND_SHAPE(1, shape.dim[last])), a)));
        const gnd_dist *uneven = gnd_dist_slice(x, "1:"), *other = gnd_dist_slice(x, ":-1");
        EXPECT(same(gnd_dist_subtract(uneven, other), gnd_subtract(gnd_slice(a, "1:"), gnd_slice(a, ":-1"))));
    }
    layout_room room;
    gnd_layout to;
    for (int n = 0; layout_number(mesh, shape, n, &room, &to); n++) { /* cuts move, axes do not */
        gnd_dist *z = gnd_dist_add(x, split(mesh, b, to));
        if (!z) {
            EXPECT(gnd_error()->code == GND_ERROR_INVALID && strstr(gnd_error()->message, "gnd_dist_redistribute"));
            gnd_error_clear();
        } else {
            EXPECT(same(z, gnd_add(a, b)));
        }
    }
}
static void all_operators(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, operators);
}
TEST(operators_in_every_layout) {
    run(all_operators);
}

static gnd_array *hypotenuse(void *context, int count, const gnd_array *const *blocks) {
    (void)context;
    return count == 2 ? gnd_sqrt(gnd_add(gnd_square(blocks[0]), gnd_square(blocks[1]))) : NULL;
}

static void mapped(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *a = numbered(GND_SHAPE(9, 4), GND_FLOAT64), *b = numbered(GND_SHAPE(4), GND_FLOAT64);
        const gnd_dist *list[] = {split(mesh, a, GND_SPLIT(0)), split(mesh, b, GND_COPIES)};
        EXPECT(same(gnd_dist_map(hypotenuse, NULL, GND_FLOAT64, 2, list),
                    gnd_sqrt(gnd_add(gnd_square(a), gnd_square(b)))));
        EXPECT(gnd_dist_map(hypotenuse, NULL, GND_FLOAT32, 2, list) && gnd_error()->code == GND_ERROR_SHAPE);
        gnd_error_clear();
        EXPECT(!gnd_dist_map(NULL, NULL, GND_FLOAT32, 2, list) && gnd_error()->code == GND_ERROR_INVALID);
        gnd_error_clear();
    }
}
TEST(functions_of_the_programs_own) {
    run(mapped);
}

/* ---- reductions ------------------------------------------------------------------------------------------------ */

static const char *const exact[] = {"sum", "prod", "min", "max", "any", "all", "count_nonzero", "argmin", "argmax"};

static gnd_array *plainly(const char *name, gnd_array *x, gnd_axes axes, double ddof) {
    static const struct {
        const char *name;
        gnd_array *(*f)(const gnd_array *x, gnd_axes axes);
    } f[] = {{"sum", gnd_sum},
             {"prod", gnd_prod},
             {"min", gnd_min},
             {"max", gnd_max},
             {"any", gnd_any},
             {"all", gnd_all},
             {"count_nonzero", gnd_count_nonzero},
             {"argmin", gnd_argmin},
             {"argmax", gnd_argmax},
             {"mean", gnd_mean}};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        if (strcmp(f[i].name, name) == 0) return f[i].f(x, axes);
    return strcmp(name, "var") == 0 ? gnd_var(x, axes, ddof) : gnd_std(x, axes, ddof);
}

/* Both, or neither for the same reason. */
static void reductions_over(gnd_mesh *mesh, gnd_array *whole, const gnd_dist *x, gnd_axes axes, bool is_exact) {
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const bool rounds = !is_exact && i < 2;
        if (rounds)
            ALIKE(close_to, gnd_dist_reduce(exact[i], x, axes, GND_COPIES, NULL), plainly(exact[i], whole, axes, 0));
        else
            ALIKE(same, gnd_dist_reduce(exact[i], x, axes, GND_COPIES, NULL), plainly(exact[i], whole, axes, 0));
    }
    ALIKE(close_to, gnd_dist_mean(x, axes, GND_COPIES), gnd_mean(whole, axes));
    const gnd_dist_reduce_options one = {.ddof = 1}, two = {.order = 2}, most = {.order = INFINITY},
                                  none = {.order = 0};
    ALIKE(close_to, gnd_dist_reduce("var", x, axes, GND_COPIES, &one), gnd_var(whole, axes, 1));
    ALIKE(close_to, gnd_dist_std(x, axes, GND_COPIES), gnd_std(whole, axes, 0));
    ALIKE(close_to, gnd_dist_reduce("norm", x, axes, GND_COPIES, &two), gnd_vector_norm(whole, 2, axes));
    ALIKE(close_to, gnd_dist_reduce("norm", x, axes, GND_COPIES, &most), gnd_vector_norm(whole, INFINITY, axes));
    ALIKE(close_to, gnd_dist_reduce("norm", x, axes, GND_COPIES, &none), gnd_vector_norm(whole, 0, axes));
    (void)mesh;
}

static void masked(gnd_mesh *mesh, gnd_array *whole, const gnd_dist *x, gnd_axes axes) {
    gnd_array *mask = gnd_greater(gnd_remainder(numbered(gnd_shape_of(whole), GND_INT32), 3), 0);
    const gnd_dist_reduce_options where = {.where = split(mesh, mask, GND_COPIES), .ddof = 1};
    gnd_axes plain = axes;
    plain.where = mask;
    ALIKE(close_to, gnd_dist_reduce("sum", x, axes, GND_COPIES, &where), gnd_sum(whole, plain));
    ALIKE(same, gnd_dist_reduce("any", x, axes, GND_COPIES, &where), gnd_any(whole, plain));
    ALIKE(close_to, gnd_dist_reduce("mean", x, axes, GND_COPIES, &where), gnd_mean(whole, plain));
    ALIKE(close_to, gnd_dist_reduce("var", x, axes, GND_COPIES, &where), gnd_var(whole, plain, 1));
    axes.initial = plain.initial = gnd_full(GND_SCALAR, 7, gnd_dtype_of(whole));
    ALIKE(same, gnd_dist_reduce("max", x, axes, GND_COPIES, &where), gnd_max(whole, plain));
    axes.dtype = plain.dtype = GND_FLOAT64;
    ALIKE(close_to, gnd_dist_reduce("sum", x, axes, GND_COPIES, &where), gnd_sum(whole, plain));
}

static void reduced(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype dtypes[] = {GND_INT16, GND_FLOAT32, GND_FLOAT16, GND_BOOL, GND_COMPLEX128, GND_UINT8};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]);
        if (dtypes[d] == GND_FLOAT16) whole = gnd_divide(whole, 64);
        if (dtypes[d] == GND_FLOAT32) whole = gnd_where(gnd_equal(whole, 13), NAN, whole);
        gnd_dist *x = split(mesh, whole, layout);
        const bool is_exact = d == 0 || d == 3 || d == 5;
        reductions_over(mesh, whole, x, GND_ALL, is_exact);
        if (d < 2) reductions_over(mesh, whole, x, GND_ALL_KEEP, is_exact);
        for (int i = 0; i < shape.ndim; i++) reductions_over(mesh, whole, x, GND_AXES(i), is_exact);
        if (shape.ndim == 3 && d < 2) reductions_over(mesh, whole, x, GND_AXES(2, 0), is_exact);
        if (shape.ndim == 2 && d < 2) reductions_over(mesh, whole, x, GND_AXES_KEEP(-1), is_exact);
        if (d < 2) masked(mesh, whole, x, GND_ALL);
        if (d < 2 && shape.ndim > 1) masked(mesh, whole, x, GND_AXES(0)), masked(mesh, whole, x, GND_AXES_KEEP(1));
        if (shape.ndim > 1) {
            ALIKE(close_to, gnd_dist_sum(x, GND_AXES(1), GND_SPLIT(0)), gnd_sum(whole, GND_AXES(1)));
            ALIKE(close_to, gnd_dist_sum(x, GND_AXES(0), GND_SPLIT(0)), gnd_sum(whole, GND_AXES(0)));
        }
    }
}
static void all_reduced(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, reduced);
}
TEST(reductions_in_every_layout) {
    run(all_reduced);
}

static void large(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *whole = numbered(GND_SHAPE(6, 70001), GND_INT32);
        gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
        EXPECT(same(gnd_dist_sum(x, GND_AXES(0), GND_COPIES), gnd_sum(whole, GND_AXES(0))));
        EXPECT(same(gnd_dist_sum(x, GND_AXES(0), GND_SPLIT(0)), gnd_sum(whole, GND_AXES(0))));
        EXPECT(same(gnd_dist_argmax(x, GND_AXES(0), GND_COPIES), gnd_argmax(whole, GND_AXES(0))));
        EXPECT(close_to(gnd_dist_var(x, GND_AXES(0), GND_COPIES), gnd_var(whole, GND_AXES(0), 0)));
        EXPECT(gnd_dist_item_int(gnd_dist_sum(x, GND_ALL, GND_COPIES)) == gnd_item_int(gnd_sum(whole, GND_ALL)));
        EXPECT(gnd_dist_item_double(gnd_dist_slice(x, "1:2, 3:4")) == gnd_at_double(whole, 1, 3));
        EXPECT(gnd_dist_item_double(x) == 0 && gnd_error()->code == GND_ERROR_SHAPE);
        gnd_error_clear();
    }
}
TEST(large_results_are_combined_by_all) {
    run(large);
}

/* ---- halos ----------------------------------------------------------------------------------------------------- */

/* Elements start - before to start + count + after of an axis: of the other end, or zeros, outside. */
static gnd_array *around(gnd_array *a, int axis, int64_t from, int64_t till, gnd_halo_mode mode) {
    const int64_t length = gnd_dim(a, axis);
    if (length == 0) {
        gnd_shape shape = gnd_shape_of(a);
        shape.dim[axis] = till - from;
        return gnd_zeros(shape, gnd_dtype_of(a));
    }
    gnd_array *index = gnd_arange(from, till, 1, GND_INT64);
    gnd_array *wrapped = gnd_take(a, index, GND_AXES(axis), GND_WRAP);
    if (mode == GND_HALO_WRAP) return wrapped;
    gnd_array *inside = gnd_logical_and(gnd_greater_equal(index, 0), gnd_less(index, length));
    gnd_shape column = {.ndim = gnd_ndim(a) - axis, .dim = {till - from, 1, 1, 1}};
    return gnd_multiply(wrapped, gnd_reshape(gnd_astype(inside, gnd_dtype_of(a)), column));
}

static void halos(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const int64_t widths[][2][3] = {{{1, 1, 1}, {1, 1, 1}}, {{3, 0, 2}, {0, 2, 1}}, {{0, 0, 0}, {5, 0, 0}}};
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = split(mesh, whole, layout);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int mode = GND_HALO_ZERO; mode <= GND_HALO_WRAP; mode++) {
            const int64_t *before = widths[w][0], *after = widths[w][1];
            int64_t start[64], count[64];
            bool fits = true;
            for (int i = 0; i < shape.ndim; i++) fits = fits && before[i] <= shape.dim[i] && after[i] <= shape.dim[i];
            gnd_array *got = gnd_dist_halo(x, before, after, (gnd_halo_mode)mode), *expected = whole;
            if (mode == GND_HALO_WRAP && !fits) {
                EXPECT(!got && gnd_error()->code == GND_ERROR_VALUE);
                gnd_error_clear();
                continue;
            }
            gnd_dist_part(x, gnd_mesh_rank(mesh), start, count);
            for (int i = 0; i < shape.ndim; i++)
                expected =
                    around(expected, i, start[i] - before[i], start[i] + count[i] + after[i], (gnd_halo_mode)mode);
            EXPECT(got && gnd_array_equal(got, expected, false));
        }
}
/* Blocks of more than 4 MiB, whose neighbours send little: they are copied beside the exchange. The last one is small,
   and gets more than it has. */
static void large_halos(gnd_mesh *mesh) {
    const int64_t rows = 1100, columns = 1000, size = gnd_mesh_size(mesh), before[] = {3, 0}, after[] = {2, 0};
    int64_t cuts[5], start[2], count[2];
    for (int64_t i = 0; i <= size; i++) cuts[i] = i == size ? rows * (size - 1) + 2 : i * rows;
    GND_SCOPE {
        gnd_array *whole = numbered(GND_SHAPE(cuts[size], columns), GND_INT32);
        gnd_dist *x = split(mesh, whole, gnd_layout_cuts(0, (int)size + 1, cuts));
        gnd_dist_part(x, gnd_mesh_rank(mesh), start, count);
        for (int mode = GND_HALO_ZERO; mode <= GND_HALO_WRAP; mode++) {
            if (mode == GND_HALO_WRAP && size == 1) continue; /* two rows alone */
            gnd_array *got = gnd_dist_halo(x, before, after, (gnd_halo_mode)mode);
            EXPECT(got &&
                   gnd_array_equal(got, around(whole, 0, start[0] - 3, start[0] + count[0] + 2, (gnd_halo_mode)mode),
                                   false));
        }
    }
}
static void all_halos(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, halos);
    large_halos(mesh);
}
TEST(halos_in_every_layout) {
    run(all_halos);
}

/* ---- what is refused, and failure -------------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_INT32, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_INT32, GND_SPLIT(1));
        gnd_dist *one = gnd_dist_full(mesh, GND_SHAPE(1, 8), 1, GND_INT32, GND_SPLIT(0));
        if (gnd_mesh_size(mesh) > 1) {
            REFUSED(gnd_dist_add(x, y), GND_ERROR_INVALID, "split along axis 1");
            REFUSED(gnd_dist_add(x, one), GND_ERROR_INVALID, "of length 1, that is broadcast");
        }
        REFUSED(gnd_dist_add(x, gnd_dist_full(mesh, GND_SHAPE(7), 1, GND_INT32, GND_COPIES)), GND_ERROR_SHAPE, "(7,)");
        REFUSED(gnd_dist_apply("no_such", GND_DIST_ARGS(x), NULL), GND_ERROR_INVALID, "no_such");
        REFUSED(gnd_dist_add(1, 2), GND_ERROR_INVALID, "no argument is a split array");
        REFUSED(gnd_dist_bitwise_and(x, 1.5), GND_ERROR_DTYPE, "gnd_dist_apply");
        REFUSED(gnd_dist_add(x, (gnd_dist *)NULL), GND_ERROR_INVALID, "gnd_dist_apply");
        REFUSED(gnd_dist_reduce("median", x, GND_ALL, GND_COPIES, NULL), GND_ERROR_INVALID, "median");
        REFUSED(gnd_dist_sum(x, GND_AXES(2), GND_COPIES), GND_ERROR_AXIS, "axis 2");
        REFUSED(gnd_dist_sum(x, GND_AXES(0, -2), GND_COPIES), GND_ERROR_AXIS, "given twice");
        REFUSED(gnd_dist_sum(x, GND_ALL, GND_SPLIT(0)), GND_ERROR_AXIS, "of 0 axes");
        gnd_mesh *twin = gnd_mesh_split(mesh, 0, 0);
        REFUSED(gnd_dist_add(x, gnd_dist_full(twin, GND_SHAPE(8, 8), 1, GND_INT32, GND_SPLIT(0))), GND_ERROR_INVALID,
                "different meshes");
        gnd_mesh_release(twin);
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT64, GND_SPLIT(0));
        gnd_dist *d = gnd_dist_subtract(gnd_dist_slice(x, "1:"), gnd_dist_slice(x, ":-1"));
        gnd_dist *v = gnd_dist_var(gnd_dist_multiply(d, 3), GND_ALL, GND_COPIES);
        gnd_dist *m = gnd_dist_max(gnd_dist_add(x, v), GND_ALL, GND_COPIES);
        const gnd_array *wide = gnd_dist_halo(x, (const int64_t[]){2}, NULL, GND_HALO_WRAP);
        const double largest = gnd_dist_item_double(m);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(largest == 23 && wide);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, 0, 800, chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
