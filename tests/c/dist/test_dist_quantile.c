/*
 * test_dist_quantile.c: medians, quantiles and percentiles of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

static void over(const gnd_dist *x, gnd_array *whole, gnd_axes axes) {
    gnd_array *some = gnd_divide(gnd_arange(0, 5, 1, GND_FLOAT64), 4);
    ALIKE(same, gnd_dist_median(x, axes, GND_COPIES), gnd_median(whole, axes));
    ALIKE(same, gnd_dist_nanmedian(x, axes, GND_COPIES), gnd_nanmedian(whole, axes));
    ALIKE(same, gnd_dist_quantile(x, 0.3, axes, GND_QUANTILE_LINEAR, GND_COPIES),
          gnd_quantile(whole, 0.3, axes, GND_QUANTILE_LINEAR));
    ALIKE(same, gnd_dist_percentile(x, 90, axes, GND_QUANTILE_NEAREST, GND_COPIES),
          gnd_percentile(whole, 90, axes, GND_QUANTILE_NEAREST));
    ALIKE(same, gnd_dist_nanquantile(x, some, axes, GND_QUANTILE_HAZEN, GND_COPIES),
          gnd_nanquantile(whole, some, axes, GND_QUANTILE_HAZEN));
    ALIKE(same, gnd_dist_nanpercentile(x, 12.5, axes, GND_QUANTILE_MIDPOINT, GND_COPIES),
          gnd_nanpercentile(whole, 12.5, axes, GND_QUANTILE_MIDPOINT));
}

static void taken(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype dtypes[] = {GND_INT16, GND_FLOAT32, GND_FLOAT16, GND_BOOL, GND_COMPLEX64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]);
        if (dtypes[d] == GND_FLOAT32) whole = gnd_where(gnd_equal(whole, 13), NAN, whole);
        gnd_dist *x = split(mesh, whole, layout);
        over(x, whole, GND_ALL);
        over(x, whole, GND_ALL_KEEP);
        for (int i = 0; i < shape.ndim; i++) over(x, whole, GND_AXES(i));
        if (shape.ndim == 3) over(x, whole, GND_AXES(2, 0)), over(x, whole, GND_AXES_KEEP(-1));
        if (shape.ndim > 1) {
            ALIKE(same, gnd_dist_median(x, GND_AXES(0), GND_SPLIT(0)), gnd_median(whole, GND_AXES(0)));
            ALIKE(same, gnd_dist_median(x, GND_AXES(1), GND_SPLIT(0)), gnd_median(whole, GND_AXES(1)));
        }
    }
}
static void all_taken(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, taken);
}
TEST(quantiles_in_every_layout) {
    run(all_taken);
}

/* Long arrays, which are not gathered: many kinds of elements, every method, every kind of q. Where elements lie does
   not matter to a method, which is about the two that were selected: other layouts take every fourth, each another. */
enum { LONG = 70001 };
static const double fractions[] = {0, 1e-5, 1. / 3, 0.5, 0.9, 1};

static void methods(const gnd_dist *x, gnd_array *whole, int first, int step) {
    gnd_array *many = gnd_from_host(fractions, GND_SHAPE(2, 3), GND_FLOAT64),
              *narrow = gnd_astype(gnd_slice(many, "1"), GND_FLOAT32);
    for (int method = GND_QUANTILE_LINEAR + first; method <= GND_QUANTILE_NEAREST; method += step) {
        const gnd_quantile_method m = (gnd_quantile_method)method;
        ALIKE(same, gnd_dist_quantile(x, many, GND_ALL, m, GND_COPIES), gnd_quantile(whole, many, GND_ALL, m));
        ALIKE(same, gnd_dist_nanpercentile(x, 33.3, GND_ALL, m, GND_COPIES),
              gnd_nanpercentile(whole, 33.3, GND_ALL, m));
        const int kind = (method + (int)gnd_dtype_of(whole)) % 3; /* one kind of q more, for each dtype another */
        if (kind == 0)
            ALIKE(same, gnd_dist_quantile(x, narrow, GND_ALL, m, GND_COPIES), gnd_quantile(whole, narrow, GND_ALL, m));
        if (kind == 1)
            ALIKE(same, gnd_dist_percentile(x, gnd_arange(0, 101, 50, GND_INT64), GND_ALL_KEEP, m, GND_COPIES),
                  gnd_percentile(whole, gnd_arange(0, 101, 50, GND_INT64), GND_ALL_KEEP, m));
        /* NumPy, and gnd, have NaN at the end of more float16 than float16 counts. */
        if (kind == 2 && gnd_dtype_of(whole) != GND_FLOAT16)
            ALIKE(same, gnd_dist_quantile(x, 1, GND_ALL, m, GND_COPIES), gnd_quantile(whole, 1, GND_ALL, m));
    }
    ALIKE(same, gnd_dist_median(x, GND_ALL, GND_COPIES), gnd_median(whole, GND_ALL));
    ALIKE(same, gnd_dist_nanmedian(x, GND_ALL, GND_COPIES), gnd_nanmedian(whole, GND_ALL));
}

static void of_long(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_dtype dtypes[] = {GND_FLOAT32, GND_INT64, GND_FLOAT16, GND_FLOAT64, GND_UINT8, GND_BOOL};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        GND_SCOPE {
            gnd_random *g = gnd_random_new(GND_PHILOX, d);
            gnd_array *whole = gnd_multiply(gnd_random_standard_normal(g, GND_SHAPE(LONG), GND_FLOAT64), 100);
            if (dtypes[d] == GND_UINT8) whole = gnd_absolute(gnd_clip(whole, -200, 200)); /* many alike */
            whole = gnd_astype(dtypes[d] == GND_BOOL ? gnd_greater(whole, 10) : whole, dtypes[d]);
            layout_room room;
            gnd_layout layout;
            for (int n = 1; layout_number(mesh, GND_SHAPE(LONG), n, &room, &layout); n++)
                if (n == 1)
                    methods(split(mesh, whole, layout), whole, SANITIZED ? (int)d % 3 : 0, SANITIZED ? 3 : 1);
                else if (d == 0)
                    methods(split(mesh, whole, layout), whole, n % 4, 4);
            gnd_random_release(g);
        }
    }
    GND_SCOPE { /* all alike; NaN; in order; two axes */
        gnd_array *alike = gnd_full(GND_SHAPE(LONG), 3, GND_FLOAT32), *order = gnd_arange(0, LONG, 1, GND_FLOAT64);
        methods(split(mesh, alike, GND_SPLIT(0)), alike, 0, 4);
        methods(split(mesh, order, GND_SPLIT(0)), order, 1, 4);
        gnd_array *nan = gnd_where(gnd_equal(gnd_remainder(order, 1000), 999), NAN, order);
        methods(split(mesh, nan, GND_SPLIT(0)), nan, 2, 4);
        gnd_array *none = gnd_full(GND_SHAPE(LONG), NAN, GND_FLOAT64);
        ALIKE(same, gnd_dist_nanmedian(split(mesh, none, GND_SPLIT(0)), GND_ALL, GND_COPIES),
              gnd_nanmedian(none, GND_ALL));
        gnd_array *flat = gnd_reshape(gnd_slice(order, ":70000"), GND_SHAPE(7, 1, 10000));
        methods(split(mesh, flat, GND_SPLIT(2)), flat, 3, 4);
        ALIKE(same, gnd_dist_median(split(mesh, flat, GND_SPLIT(2)), GND_AXES(0, 2), GND_COPIES),
              gnd_median(flat, GND_AXES(0, 2)));
        gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
        if (grid) {
            methods(split(grid, flat, GND_SPLIT2(0, 2)), flat, 0, 4);
            methods(split(grid, flat, GND_SPLIT2(GND_WHOLE, 2)), flat, 1, 4);
        }
        gnd_mesh_release(grid);
    }
}
TEST(long_arrays) {
    run(of_long);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_axes into = GND_ALL;
        const gnd_quantile_method linear = GND_QUANTILE_LINEAR;
        REFUSED(gnd_dist_quantile(x, 1.5, GND_ALL, linear, GND_COPIES), GND_ERROR_VALUE, "1.5");
        REFUSED(gnd_dist_quantile(x, 0.5, GND_AXES(2), linear, GND_COPIES), GND_ERROR_AXIS, "gnd_dist_order_statistic");
        REFUSED(gnd_dist_quantile(x, 0.5, GND_ALL, (gnd_quantile_method)99, GND_COPIES), GND_ERROR_INVALID, "99");
        REFUSED(gnd_dist_quantile(x, 0.5, GND_ALL, linear, GND_SPLIT(0)), GND_ERROR_AXIS, "of 0 axes");
        REFUSED(gnd_dist_quantile(gnd_dist_astype(x, GND_COMPLEX64), 0.5, GND_ALL, linear, GND_COPIES), GND_ERROR_DTYPE,
                "complex64");
        REFUSED(gnd_dist_quantile(gnd_dist_slice(x, ":0"), 0.5, GND_ALL, linear, GND_COPIES), GND_ERROR_VALUE,
                "nothing");
        REFUSED(gnd_dist_quantile(NULL, 0.5, GND_ALL, linear, GND_COPIES), GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_order_statistic("mode", x, gnd_arg_none(), GND_ALL, linear, GND_COPIES), GND_ERROR_INVALID,
                "mode");
        into.out = gnd_empty(GND_SCALAR, GND_FLOAT32);
        REFUSED(gnd_dist_median(x, into, GND_COPIES), GND_ERROR_INVALID, "axes.out");
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void starved(gnd_mesh *mesh, void *unused) {
    bool failed = true;
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, LONG, 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_array *q = gnd_full(GND_SHAPE(2), 0.25, GND_FLOAT64);
        for (int n = first_fault(mesh); failed && n < 2000; n += next_fault()) {
            gnd_mesh_barrier(mesh);
            if (gnd_mesh_rank(mesh) == 0) gndi_fail_alloc_at(n);
            GND_SCOPE {
                const gnd_dist *y = gnd_dist_quantile(x, q, GND_ALL, GND_QUANTILE_LINEAR, GND_COPIES);
                const gnd_dist *m = gnd_dist_median(gnd_dist_reshape(x, GND_SHAPE(1, LONG)), GND_AXES(1), GND_COPIES);
                failed = gnd_mesh_agree(mesh) != GND_OK;
                if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
                if (!failed) EXPECT(y && gnd_dist_item_double(m) == LONG / 2);
            }
            gnd_error_clear();
        }
        gndi_fail_alloc_at(0);
        EXPECT(!failed);
    }
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
