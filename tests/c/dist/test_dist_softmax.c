/*
 * test_dist_softmax.c: softmax, log_softmax and logsumexp of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include <math.h>

static bool near(const gnd_dist *x, const gnd_array *expected) {
    return is_close(x, expected, 2e-6, 1e-2);
}

/* gnd_log_softmax of one device takes the logarithm of a sum that has lost what is small beside 1. */
static gnd_array *logarithms(const gnd_array *whole, gnd_axes axes) {
    const gnd_array *plain = gnd_log_softmax(whole, axes);
    if (!plain) return NULL;
    return gnd_astype(gnd_log_softmax(gnd_astype(whole, GND_FLOAT64), axes), gnd_dtype_of(plain));
}

static void along(gnd_array *whole, const gnd_dist *x, gnd_axes axes, gnd_axes kept) {
    ALIKE(near, gnd_dist_softmax(x, axes), gnd_softmax(whole, axes));
    ALIKE(near, gnd_dist_log_softmax(x, axes), logarithms(whole, axes));
    ALIKE(near, gnd_dist_logsumexp(x, axes, GND_COPIES), gnd_logsumexp(whole, NULL, axes));
    ALIKE(near, gnd_dist_logsumexp(x, kept, GND_COPIES), gnd_logsumexp(whole, NULL, kept));
    gnd_dist *y = gnd_dist_softmax(x, axes);
    if (y) EXPECT(gnd_dist_same_layout(y, x));
    gnd_error_clear();
}

static void of_layout(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_FLOAT16, GND_BFLOAT16, GND_INT16, GND_COMPLEX64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]);
        if (d < 4) whole = gnd_divide(whole, 16);
        gnd_dist *x = split(mesh, whole, layout);
        along(whole, x, GND_ALL, GND_ALL_KEEP);
        for (int i = 0; i < shape.ndim; i++) along(whole, x, GND_AXES(i), GND_AXES_KEEP(i));
        if (shape.ndim == 3) {
            along(whole, x, GND_AXES(-1, 1), GND_AXES_KEEP(1, 2));
            along(whole, x, GND_AXES(0, 2), GND_AXES_KEEP(2, 0));
        }
    }
    if (shape.ndim == 0) return;
    gnd_array *whole = gnd_divide(numbered(shape, GND_FLOAT32), 8), *odd = gnd_remainder(numbered(shape, GND_INT32), 3);
    gnd_array *mask = gnd_greater(odd, 0);
    const gnd_dist_reduce_options where = {.where = split(mesh, mask, GND_COPIES)};
    const gnd_dist *x = split(mesh, whole, layout);
    for (int i = 0; i < shape.ndim; i++)
        ALIKE(near, gnd_dist_reduce("logsumexp", x, GND_AXES(i), GND_COPIES, &where),
              gnd_logsumexp(gnd_where(mask, whole, -INFINITY), NULL, GND_AXES(i)));
}
static void in_layouts(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, of_layout);
}
TEST(every_axis_in_every_layout) {
    run(in_layouts);
}

/* Rows that are taken in parts: of equal parts, with a rest, with prime lengths, shorter on some ranks. */
static void of_long_rows(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_shape shapes[] = {GND_SHAPE(3, 8000),    GND_SHAPE(2, 9001),   GND_SHAPE(12007),
                                GND_SHAPE(1, 2, 4111), GND_SHAPE(2, 70, 64), GND_SHAPE(5000, 2)};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const int last = shapes[s].ndim - 1;
        for (int i = 0; i < shapes[s].ndim; i++) {
            GND_SCOPE {
                gnd_array *whole = gnd_divide(numbered(shapes[s], GND_FLOAT32), 8);
                gnd_dist *x = split(mesh, whole, GND_SPLIT(i));
                along(whole, x, GND_AXES(last), GND_AXES_KEEP(last));
                along(whole, x, GND_ALL, GND_ALL_KEEP);
                if (last) along(whole, x, GND_AXES(last - 1, last), GND_AXES_KEEP(last - 1, last));
            }
        }
    }
}
TEST(long_rows) {
    run(of_long_rows);
}

/* Against float64: as precise as gnd's of one device, far from 0 and where few elements count. */
static double worst(const gnd_array *y, const gnd_array *exact) {
    const gnd_array *size = gnd_maximum(gnd_absolute(exact), 1e-30);
    return gnd_item_double(gnd_max(gnd_divide(gnd_absolute(gnd_subtract(y, exact)), size), GND_ALL));
}
static void precision(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        GND_SCOPE {
            const double away[] = {0, 10000, -123456, 3e8};
            gnd_array *whole = gnd_add(gnd_divide(numbered(GND_SHAPE(3, 6000), GND_FLOAT32), 4), away[k]);
            gnd_array *wide = gnd_astype(whole, GND_FLOAT64);
            gnd_dist *x = split(mesh, whole, GND_SPLIT(1));
            gnd_array *y = gnd_dist_gather(gnd_dist_softmax(x, GND_AXES(1)), -1);
            gnd_array *log = gnd_dist_gather(gnd_dist_log_softmax(x, GND_AXES(1)), -1);
            gnd_array *sum = gnd_dist_gather(gnd_dist_logsumexp(x, GND_AXES(1), GND_COPIES), -1);
            EXPECT(worst(y, gnd_softmax(wide, GND_AXES(1))) < 2e-6);
            EXPECT(worst(log, gnd_log_softmax(wide, GND_AXES(1))) < 5e-7);
            EXPECT(worst(sum, gnd_logsumexp(wide, NULL, GND_AXES(1))) < 2e-7);
        }
    }
    GND_SCOPE { /* a rest that is small beside 1 is there */
        gnd_array *whole = gnd_full(GND_SHAPE(8), -20, GND_FLOAT32);
        gnd_copyto(gnd_slice(whole, "5"), gnd_zeros(GND_SCALAR, GND_FLOAT32));
        gnd_dist *x = split(mesh, whole, GND_SPLIT(0));
        const double rest = 7 * exp(-20);
        EXPECT(fabs(gnd_dist_item_double(gnd_dist_logsumexp(x, GND_ALL, GND_COPIES)) / rest - 1) < 1e-5);
        gnd_array *log = gnd_dist_gather(gnd_dist_log_softmax(x, GND_ALL), -1);
        EXPECT(log && (gnd_mesh_size(mesh) == 1 || fabs(gnd_at_double(log, 5) / -rest - 1) < 1e-5));
    }
}
TEST(as_precise_as_on_one_device) {
    run(precision);
}

static void not_finite(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *whole = gnd_divide(numbered(GND_SHAPE(9, 4500), GND_FLOAT32), 8);
        gnd_copyto(gnd_slice(whole, "0, 7"), gnd_full(GND_SCALAR, INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "1, :3000"), gnd_full(GND_SCALAR, -INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "2"), gnd_full(GND_SCALAR, -INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "3, 4000"), gnd_full(GND_SCALAR, NAN, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "4, ::2"), gnd_full(GND_SCALAR, INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "5, 1"), gnd_full(GND_SCALAR, INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "5, 4490"), gnd_full(GND_SCALAR, -INFINITY, GND_FLOAT32));
        gnd_copyto(gnd_slice(whole, "6, 3:"), gnd_full(GND_SCALAR, -INFINITY, GND_FLOAT32));
        for (int i = 0; i < 2; i++) {
            gnd_dist *x = split(mesh, whole, GND_SPLIT(i));
            along(whole, x, GND_AXES(1), GND_AXES_KEEP(1));
            along(whole, x, GND_AXES(0), GND_AXES_KEEP(0));
        }
    }
}
TEST(infinite_and_nan) {
    run(not_finite);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_axes axes = GND_AXES(0);
        REFUSED(gnd_dist_softmax(NULL, axes), GND_ERROR_INVALID, "gnd_dist_softmax");
        REFUSED(gnd_dist_log_softmax(NULL, axes), GND_ERROR_INVALID, "gnd_dist_log_softmax");
        REFUSED(gnd_dist_softmax(x, GND_AXES(2)), GND_ERROR_AXIS, "gnd_dist_softmax");
        REFUSED(gnd_dist_softmax(x, GND_AXES_KEEP(0)), GND_ERROR_INVALID, "keepdims");
        axes.dtype = GND_FLOAT64;
        REFUSED(gnd_dist_softmax(x, axes), GND_ERROR_INVALID, "dtype");
        REFUSED(gnd_dist_logsumexp(x, axes, GND_COPIES), GND_ERROR_DTYPE, "logsumexp");
        axes.dtype = GND_DTYPE_NONE, axes.initial = gnd_ones(GND_SCALAR, GND_FLOAT32);
        REFUSED(gnd_dist_logsumexp(x, axes, GND_COPIES), GND_ERROR_DTYPE, "initial");
        REFUSED(gnd_dist_reduce("softmax", x, GND_AXES(0), GND_COPIES, NULL), GND_ERROR_INVALID, "softmax");
        gnd_dist *z = gnd_dist_astype(x, GND_COMPLEX64);
        REFUSED(gnd_dist_logsumexp(z, GND_AXES(0), GND_COPIES), GND_ERROR_DTYPE, "complex");
        REFUSED(gnd_dist_softmax(z, GND_AXES(0)), GND_ERROR_DTYPE, "real");
        REFUSED(gnd_dist_softmax(gnd_dist_astype(x, GND_BOOL), GND_AXES(0)), GND_ERROR_DTYPE, "bool");
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(2, 5000), 1, GND_FLOAT32, GND_SPLIT(1));
        gnd_dist *y = gnd_dist_log_softmax(gnd_dist_softmax(x, GND_AXES(1)), GND_AXES(1));
        gnd_array *all = gnd_dist_gather(gnd_dist_logsumexp(y, GND_AXES(1), GND_COPIES), -1);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(all && fabs(gnd_at_double(all, 1)) < 1e-5);
    }
}
static void starved(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve(mesh, gnd_mesh_size(mesh) - 1, 4000, chain);
    starve_descriptions(mesh, 0, 8, chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}

RANKS_MAIN
