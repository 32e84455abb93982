/*
 * test_dist_histogram.c: bincount and histograms of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

static bool near(const gnd_dist *x, const gnd_array *expected) {
    bool good = false;
    GND_SCOPE {
        gnd_array *all = x ? gnd_dist_gather(x, -1) : NULL;
        good = all && expected && gnd_dtype_of(all) == gnd_dtype_of(expected) && gnd_size(all) == gnd_size(expected);
        if (good) good = gnd_allclose(all, expected, 1e-12, 1e-12, true);
        if (!good && getenv("TAP_VERBOSE") && all) gnd_print(all), gnd_print(expected);
    }
    return good;
}

static void counted(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    static const gnd_dtype dtypes[] = {GND_INT16, GND_BOOL, GND_UINT64, GND_INT64};
    if (shape.ndim != 1) {
        REFUSED(gnd_dist_bincount(gnd_dist_full(mesh, shape, 1, GND_INT8, layout), NULL, 0), GND_ERROR_SHAPE,
                "gnd_dist_bincount");
        return;
    }
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = gnd_astype(gnd_add(numbered(shape, GND_INT64), 50), dtypes[d]);
        gnd_array *weight = numbered(shape, GND_FLOAT32);
        gnd_dist *x = split(mesh, whole, layout);
        EXPECT(same(gnd_dist_bincount(x, NULL, 0), gnd_bincount(whole, GND_NONE, 0)));
        EXPECT(same(gnd_dist_bincount(x, NULL, 120), gnd_bincount(whole, GND_NONE, 120)));
        EXPECT(near(gnd_dist_bincount(x, split(mesh, weight, layout), 3), gnd_bincount(whole, weight, 3)));
        EXPECT(near(gnd_dist_bincount(x, split(mesh, weight, GND_COPIES), 3), gnd_bincount(whole, weight, 3)));
        if (dtypes[d] == GND_INT16 && shape.dim[0] > 0)
            REFUSED(gnd_dist_bincount(split(mesh, gnd_subtract(whole, 10), layout), NULL, 0), GND_ERROR_VALUE,
                    "negative");
        REFUSED(gnd_dist_bincount(x, NULL, -1), GND_ERROR_VALUE, "-1");
    }
}
static void all_counted(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, counted);
}
TEST(bincount_in_every_layout) {
    run(all_counted);
}

static void compare(const gnd_dist *x, const gnd_array *whole, gnd_arg bins, const double *range, bool density) {
    gnd_array *edges = NULL, *expected_edges = NULL;
    const gnd_histogram_options plain = {.range = range, .density = density};
    const gnd_dist_histogram_options options = {.range = range, .density = density};
    const gnd_array *expected = (gnd_histogram)(whole, bins, &plain, &expected_edges);
    const gnd_dist *got = (gnd_dist_histogram)(x, bins, &options, &edges);
    EXPECT(density ? near(got, expected) : same(got, expected));
    EXPECT(edges && gnd_dtype_of(edges) == gnd_dtype_of(expected_edges) &&
           gnd_array_equal(edges, expected_edges, false));
    EXPECT((gnd_dist_histogram)(x, bins, &options, NULL) != NULL);
}

static void binned(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    static const gnd_dtype dtypes[] = {GND_INT16, GND_BOOL, GND_FLOAT32, GND_FLOAT16, GND_FLOAT64, GND_UINT8};
    static const gnd_dtype weights[] = {GND_FLOAT32, GND_INT8, GND_BOOL, GND_COMPLEX64, GND_UINT16, GND_FLOAT64};
    gnd_array *edges = gnd_astype(gnd_subtract(gnd_multiply(gnd_arange(0, 9, 1, GND_INT64), 7), 30), GND_FLOAT32);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]), *weight = numbered(shape, weights[d]);
        if (dtypes[d] == GND_FLOAT32 || dtypes[d] == GND_FLOAT64) whole = gnd_divide(whole, 3);
        gnd_dist *x = split(mesh, whole, layout), *w = split(mesh, weight, layout);
        compare(x, whole, gnd_arg_none(), NULL, false);
        compare(x, whole, gnd_arg_int(7), NULL, false);
        compare(x, whole, gnd_arg_int(100), (const double[]){-20, 25.5}, false);
        compare(x, whole, gnd_arg_int(3), (const double[]){NAN, NAN}, false);
        compare(x, whole, gnd_arg_array(edges), NULL, false);
        if (gnd_size(whole) > 0) compare(x, whole, gnd_arg_int(5), NULL, true);
        const gnd_histogram_options plain = {.weights = weight};
        const gnd_dist_histogram_options options = {.weights = w};
        EXPECT(near(gnd_dist_histogram(x, 6, &options, NULL), gnd_histogram(whole, 6, &plain, NULL)));
        EXPECT(near(gnd_dist_histogram(x, edges, &options, NULL), gnd_histogram(whole, edges, &plain, NULL)));
    }
}
static void all_binned(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, binned);
}
TEST(histograms_in_every_layout) {
    run(all_binned);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *edges = NULL;
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *z = gnd_dist_astype(x, GND_COMPLEX64), *n = gnd_dist_slice(x, "1:");
        const gnd_dist_histogram_options other = {.weights = n}, none = {.range = (const double[]){1, 0}};
        REFUSED(gnd_dist_histogram(x, 0, NULL, &edges), GND_ERROR_VALUE, "gnd_dist_histogram");
        REFUSED(gnd_dist_histogram(x, 2.5, NULL, &edges), gnd_error()->code, "gnd_dist_histogram");
        REFUSED(gnd_dist_histogram(x, 4, &none, &edges), GND_ERROR_VALUE, "gnd_dist_histogram");
        REFUSED(gnd_dist_histogram(x, 4, &other, &edges), GND_ERROR_SHAPE, "weights");
        REFUSED(gnd_dist_histogram(z, 4, NULL, &edges), GND_ERROR_DTYPE, "complex");
        REFUSED(gnd_dist_histogram(NULL, 4, NULL, &edges), GND_ERROR_INVALID, "NULL");
        gnd_array *bad = gnd_full(GND_SHAPE(8), 1, GND_FLOAT32);
        bad = gnd_where(gnd_equal(gnd_arange(0, 8, 1, GND_INT64), 5), NAN, bad);
        REFUSED(gnd_dist_histogram(split(mesh, bad, GND_SPLIT(0)), 4, NULL, &edges), GND_ERROR_VALUE, "not finite");
        EXPECT(!edges);
        REFUSED(gnd_dist_bincount(x, NULL, 0), GND_ERROR_DTYPE, "float32");
        REFUSED(gnd_dist_bincount(NULL, NULL, 0), GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_bincount(gnd_dist_astype(x, GND_INT8), n, 0), GND_ERROR_SHAPE, "weights");
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
        if (gnd_mesh_rank(mesh) == 0) gndi_fail_alloc_at(n);
        GND_SCOPE {
            gnd_dist *x = gnd_dist_arange(mesh, 0, 12, 1, GND_INT32, GND_SPLIT(0));
            gnd_array *edges;
            const gnd_dist_histogram_options options = {.weights = x};
            const gnd_dist *h = gnd_dist_histogram(x, 3, &options, &edges), *b = gnd_dist_bincount(x, NULL, 0);
            failed = gnd_mesh_agree(mesh) != GND_OK;
            if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
            if (!failed) EXPECT(h && b && edges);
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
