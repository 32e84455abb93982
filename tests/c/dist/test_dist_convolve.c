/*
 * test_dist_convolve.c: convolution and correlation of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <complex.h>
#include <math.h>

static bool close_to(const gnd_dist *x, const gnd_array *expected) {
    bool good = false;
    GND_SCOPE {
        gnd_array *all = x ? gnd_dist_gather(x, -1) : NULL;
        good = all && expected && gnd_dtype_of(all) == gnd_dtype_of(expected) && gnd_ndim(all) == gnd_ndim(expected);
        for (int i = 0; good && i < gnd_ndim(all); i++) good = gnd_dim(all, i) == gnd_dim(expected, i);
        if (good) good = gnd_allclose(all, expected, 2e-2, 2e-2, true);
        if (!good && getenv("TAP_VERBOSE") && all) gnd_print(all), gnd_print(expected);
    }
    return good;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void lines(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    if (shape.ndim != 1 || shape.dim[0] == 0) return;
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = split(mesh, whole, layout);
    const int64_t taps[] = {1, 2, 3, 4, 13, 14, 29, 30};
    for (int i = 0; i < 8; i++)
        for (int mode = GND_FULL; mode <= GND_VALID; mode++) {
            gnd_array *k = numbered(GND_SHAPE(taps[i]), GND_INT32);
            EXPECT(same(gnd_dist_convolve(x, k, (gnd_correlate_mode)mode),
                        gnd_convolve(whole, k, (gnd_correlate_mode)mode)));
            EXPECT(same(gnd_dist_correlate(x, k, (gnd_correlate_mode)mode),
                        gnd_correlate(whole, k, (gnd_correlate_mode)mode)));
        }
    EXPECT(same(gnd_dist_convolve(x, gnd_full(GND_SCALAR, 3, GND_INT32), GND_FULL), gnd_multiply(whole, 3)));
}
static void all_lines(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, lines);
    const gnd_dtype dtypes[] = {GND_BOOL,     GND_INT8,    GND_INT16,   GND_INT32,     GND_INT64,
                                GND_UINT8,    GND_UINT16,  GND_UINT32,  GND_UINT64,    GND_FLOAT16,
                                GND_BFLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
    for (int d = 0; d < 15; d++) {
        GND_SCOPE {
            gnd_array *whole = gnd_astype(gnd_remainder(numbered(GND_SHAPE(501), GND_INT64), 5), dtypes[d]);
            gnd_array *k = gnd_astype(gnd_remainder(numbered(GND_SHAPE(20), GND_INT64), 3), dtypes[(d + 1) % 15]);
            if (d % 2) k = gnd_astype(k, dtypes[d]);
            if (gnd_dtype_kind(gnd_dtype_of(k)) == 'c') k = gnd_multiply(k, CMPLXF(1, 2));
            gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
            EXPECT(same(gnd_dist_convolve(x, k, GND_SAME), gnd_convolve(whole, k, GND_SAME)));
            EXPECT(same(gnd_dist_correlate(x, k, GND_VALID), gnd_correlate(whole, k, GND_VALID)));
        }
    }
    GND_SCOPE { /* what is beyond the ends is not multiplied: infinite taps */
        gnd_array *whole = gnd_ones(GND_SHAPE(20), GND_FLOAT64), *k = gnd_full(GND_SHAPE(3), INFINITY, GND_FLOAT64);
        EXPECT(
            same(gnd_dist_convolve(split(mesh, whole, GND_SPLIT(0)), k, GND_FULL), gnd_convolve(whole, k, GND_FULL)));
    }
}
TEST(lines_in_every_layout) {
    run(all_lines);
}

/* ---- any number of axes ------------------------------------------------------------------------------------- */

static void boxes(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = numbered(shape, GND_INT64);
    gnd_dist *x = split(mesh, whole, layout);
    for (int size = 0; size < 6; size++) {
        gnd_shape taps = {.ndim = shape.ndim};
        bool inside = true;
        for (int i = 0; i < shape.ndim; i++)
            taps.dim[i] = (size + i) % 5, inside = inside && taps.dim[i] <= shape.dim[i];
        gnd_array *k = numbered(taps, GND_INT64);
        for (int mode = GND_FULL; mode <= (inside ? GND_VALID : GND_SAME); mode++) {
            const gnd_correlate_mode m = (gnd_correlate_mode)mode;
            gnd_array *expected = gnd_convolve_nd(whole, k, m, GND_CONVOLVE_DIRECT);
            EXPECT(same(gnd_dist_convolve_nd(x, k, m, GND_CONVOLVE_DIRECT), expected));
            EXPECT(same(gnd_dist_correlate_nd(x, k, m, GND_CONVOLVE_DIRECT),
                        gnd_correlate_nd(whole, k, m, GND_CONVOLVE_DIRECT)));
            if (size == 3 && shape.ndim < 3)
                EXPECT(close_to(gnd_dist_convolve_nd(gnd_dist_astype(x, GND_FLOAT32), k, m, GND_CONVOLVE_FFT),
                                gnd_astype(expected, GND_FLOAT64)));
        }
        if (!inside)
            REFUSED(gnd_dist_convolve_nd(x, k, GND_VALID, GND_CONVOLVE_AUTO), GND_ERROR_SHAPE, "longer than x");
    }
}
static void all_boxes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, boxes);
}
TEST(boxes_in_every_layout) {
    run(all_boxes);
}

/* ---- what is refused, and failure --------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8), 1, GND_INT8, GND_SPLIT(0));
        gnd_dist *none = gnd_dist_full(mesh, GND_SHAPE(0), 1, GND_INT8, GND_SPLIT(0));
        gnd_array *k = gnd_ones(GND_SHAPE(3), GND_INT8), *square = gnd_ones(GND_SHAPE(3, 3), GND_INT8);
        REFUSED(gnd_dist_convolve(x, square, GND_FULL), GND_ERROR_SHAPE, "the kernel 2");
        REFUSED(gnd_dist_correlate(x, gnd_ones(GND_SCALAR, GND_INT8), GND_FULL), GND_ERROR_SHAPE, "the kernel 0");
        REFUSED(gnd_dist_convolve(none, k, GND_FULL), GND_ERROR_VALUE, "x has 0 elements");
        REFUSED(gnd_dist_convolve(x, k, (gnd_correlate_mode)5), GND_ERROR_INVALID, "no mode 5");
        REFUSED(gnd_dist_convolve_nd(x, square, GND_FULL, GND_CONVOLVE_AUTO), GND_ERROR_SHAPE, "x has 1 axes");
        REFUSED(gnd_dist_convolve_nd(x, k, GND_FULL, (gnd_convolve_method)7), GND_ERROR_INVALID, "no method 7");
        REFUSED(gnd_dist_convolve(NULL, k, GND_FULL), GND_ERROR_INVALID, "gnd_dist_convolve");
        REFUSED(gnd_dist_correlate_nd(x, NULL, GND_FULL, GND_CONVOLVE_AUTO), GND_ERROR_INVALID, "NULL");
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static _Thread_local const gnd_array *ones; /* of this thread, made before allocations fail */

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_correlate(x, ones, GND_VALID);
        gnd_dist *z = gnd_dist_convolve_nd(y, ones, GND_FULL, GND_CONVOLVE_DIRECT);
        gnd_array *all = gnd_dist_gather(z, -1);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(gnd_dim(all, 0) == 24 && gnd_at_double(all, 0) == 3);
    }
}
static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        ones = gnd_ones(GND_SHAPE(3), GND_FLOAT32);
        starve(mesh, gnd_mesh_size(mesh) - 1, 1000, chain);
    }
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
