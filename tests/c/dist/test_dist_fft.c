/*
 * test_dist_fft.c: Fourier transforms of split arrays, in every layout, against plain gnd.
 */
#include "layouts.h"
#include "dist/fft/fft.h"

static bool close_to(const gnd_dist *x, const gnd_array *expected, gnd_layout layout) {
    bool good = false;
    if (!x || !expected) return false;
    GND_SCOPE {
        gnd_array *all = gathered(x, expected);
        const gnd_dtype t = gnd_dtype_of(expected);
        const gnd_dist *wanted = gnd_dist_empty(gnd_dist_mesh_of(x), gnd_shape_of(expected), t, layout);
        good = all && gnd_dist_same_layout(x, wanted);
        const double tolerance = gnd_dtype_size(t) == 2 ? 2e-2 : t == GND_FLOAT32 || t == GND_COMPLEX64 ? 1e-5 : 1e-13;
        if (good && gnd_size(all) > 0) { /* beside the largest element */
            const double largest =
                gnd_item_double(gnd_max(gnd_absolute(gnd_astype(expected, GND_COMPLEX128)), GND_ALL));
            good = gnd_allclose(gnd_astype(all, GND_COMPLEX128), gnd_astype(expected, GND_COMPLEX128), tolerance,
                                tolerance * (largest + 1), false);
        }
        if (!good && getenv("TAP_VERBOSE") && all && gnd_size(all) < 100) gnd_print(all), gnd_print(expected);
    }
    return good;
}

static gnd_array *signal_of(gnd_shape shape, gnd_dtype dtype) {
    gnd_array *x = numbered(shape, GND_FLOAT64);
    if (gnd_dtype_kind(dtype) == 'c') x = gnd_add(x, gnd_multiply(gnd_square(x), gnd_full(GND_SCALAR, 0.1i, dtype)));
    return gnd_astype(x, dtype);
}

/* ---- one axis, and all ------------------------------------------------------------------------------------------- */

typedef struct kind {
    gnd_array *(*plain)(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm);
    gnd_dist *(*of_split)(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result);
    gnd_array *(*plain_n)(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm);
    gnd_dist *(*of_split_n)(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm, gnd_layout result);
    bool takes_complex;
} kind;
static const kind kinds[] = {{gnd_fft, gnd_dist_fft, gnd_fftn, gnd_dist_fftn, true},
                             {gnd_ifft, gnd_dist_ifft, gnd_ifftn, gnd_dist_ifftn, true},
                             {gnd_rfft, gnd_dist_rfft, gnd_rfftn, gnd_dist_rfftn, false},
                             {gnd_irfft, gnd_dist_irfft, gnd_irfftn, gnd_dist_irfftn, true}};

/* Every layout of the result. */
static void along_axis(gnd_mesh *mesh, const kind *k, gnd_dist *x, gnd_array *a, int64_t n, int axis,
                       gnd_fft_norm norm) {
    gnd_array *expected = k->plain(a, n, axis, norm);
    const gnd_status plain = gnd_error() ? gnd_error()->code : GND_OK;
    gnd_error_clear();
    if (plain) {
        EXPECT(!k->of_split(x, n, axis, norm, GND_COPIES) && gnd_error()->code == plain);
        gnd_error_clear();
        return;
    }
    layout_room room;
    gnd_layout layout;
    for (int i = 0; layout_number(mesh, gnd_shape_of(expected), i, &room, &layout); i++)
        EXPECT(close_to(k->of_split(x, n, axis, norm, layout), expected, layout));
}

static void one_axis(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        gnd_array *a = signal_of(shape, k->takes_complex ? GND_COMPLEX128 : GND_FLOAT64);
        gnd_dist *x = split(mesh, a, layout);
        for (int axis = 0; axis < shape.ndim; axis++) {
            along_axis(mesh, k, x, a, -1, axis, GND_FFT_BACKWARD);
            along_axis(mesh, k, x, a, 3, axis - shape.ndim, GND_FFT_ORTHO);
            along_axis(mesh, k, x, a, 9, axis, GND_FFT_FORWARD);
        }
    }
}
static void all_one_axis(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, one_axis);
}
TEST(one_axis_in_every_layout) {
    run(all_one_axis);
}

static void several(gnd_mesh *mesh, const kind *k, gnd_dist *x, gnd_array *a, gnd_shape s, gnd_axes axes,
                    gnd_fft_norm norm) {
    gnd_array *expected = k->plain_n(a, s, axes, norm);
    const gnd_status plain = gnd_error() ? gnd_error()->code : GND_OK;
    gnd_error_clear();
    if (plain) {
        EXPECT(!k->of_split_n(x, s, axes, norm, GND_COPIES) && gnd_error()->code == plain);
        gnd_error_clear();
        return;
    }
    layout_room room;
    gnd_layout layout;
    for (int i = 0; layout_number(mesh, gnd_shape_of(expected), i, &room, &layout); i++)
        EXPECT(close_to(k->of_split_n(x, s, axes, norm, layout), expected, layout));
}

static void several_axes(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        gnd_array *a = signal_of(shape, k->takes_complex ? GND_COMPLEX128 : GND_FLOAT64);
        gnd_dist *x = split(mesh, a, layout);
        several(mesh, k, x, a, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
        several(mesh, k, x, a, GND_SCALAR, GND_NO_AXES, GND_FFT_ORTHO);
        if (shape.ndim == 1) several(mesh, k, x, a, GND_SHAPE(5, 4), GND_AXES(0, 0), GND_FFT_BACKWARD);
        if (shape.ndim < 2) continue;
        several(mesh, k, x, a, GND_SHAPE(6, 3), GND_ALL, GND_FFT_ORTHO);
        several(mesh, k, x, a, GND_SCALAR, GND_AXES(1, 0), GND_FFT_FORWARD);
        several(mesh, k, x, a, GND_SHAPE(4, 5, 6), GND_AXES(0, -1, 0), GND_FFT_ORTHO);
    }
}
static void all_several_axes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, several_axes);
}
TEST(several_axes_in_every_layout) {
    run(all_several_axes);
}

static void dtypes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (gnd_dtype t = GND_BOOL; t <= GND_COMPLEX128; t++) {
        if (gnd_dtype_size(t) == 0) continue;
        for (int i = 0; i < 4; i++) {
            GND_SCOPE {
                gnd_array *a = signal_of(GND_SHAPE(6, 5), t);
                gnd_dist *x = split(mesh, a, GND_SPLIT(0));
                along_axis(mesh, &kinds[i], x, a, -1, 0, GND_FFT_BACKWARD);
                along_axis(mesh, &kinds[i], x, a, -1, 1, GND_FFT_BACKWARD);
                several(mesh, &kinds[i], x, a, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
            }
        }
    }
}
TEST(every_dtype) {
    run(dtypes);
}

/* ---- pieces and lines: what only large arrays take --------------------------------------------------------------- */

static void in_pieces(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
    for (int m = 0; m < (grid ? 2 : 1); m++) {
        GND_SCOPE {
            gnd_mesh *here = m ? grid : mesh;
            gnd_array *a = signal_of(GND_SHAPE(45, 37), GND_COMPLEX128),
                      *b = signal_of(GND_SHAPE(9, 10, 11), GND_FLOAT64);
            for (int axis = 0; axis < 2; axis++)
                several(here, &kinds[0], split(here, a, GND_SPLIT(axis)), a, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
            for (int axis = 0; axis < 3; axis++)
                for (int i = 0; i < 3; i += 2)
                    several(here, &kinds[i], split(here, b, GND_SPLIT(axis)), b, GND_SCALAR, GND_ALL, GND_FFT_ORTHO);
            several(here, &kinds[0], split(here, b, GND_SPLIT2(0, 1)), b, GND_SCALAR, GND_ALL, GND_FFT_ORTHO);
            several(here, &kinds[1], split(here, b, GND_SPLIT2(1, 2)), b, GND_SCALAR, GND_ALL, GND_FFT_ORTHO);
        }
    }
    gnd_mesh_release(grid);
}
TEST(pieces_that_are_sent_while_others_are_transformed) {
    const int64_t before = gndi_fft_piece_bytes;
    gndi_fft_piece_bytes = 500;
    run(in_pieces);
    gndi_fft_dense_length = 1;
    run(in_pieces);
    gndi_fft_piece_bytes = before, gndi_fft_dense_length = 8192;
}

/* As on GPUs: exchanges on streams of their own, which receive into a second array over the result's memory. */
static void with_streams(gnd_mesh *mesh, void *unused) {
    if (!mesh->link->beside) mesh->link->beside = gnd_stream_new_high_priority();
    EXPECT(mesh->link->beside != NULL);
    in_pieces(mesh, unused);
    GND_SCOPE { /* few lines, and pieces that begin at whole lines of memory */
        gnd_array *a = signal_of(GND_SHAPE(5000, 3), GND_COMPLEX64), *b = signal_of(GND_SHAPE(3, 5000), GND_COMPLEX64);
        several(mesh, &kinds[0], split(mesh, a, GND_SPLIT(0)), a, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
        several(mesh, &kinds[1], split(mesh, b, GND_SPLIT(1)), b, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
    }
}
TEST(exchanges_on_streams_of_their_own) {
    const int64_t before[] = {gndi_fft_piece_bytes, gndi_fft_beside_bytes};
    gndi_fft_beside_bytes = 0;
    for (int i = 0; i < 3; i++) {
        gndi_fft_piece_bytes = i == 2 ? before[0] : 100 + 2000 * i;
        gndi_fft_dense_length = i ? 8192 : 1;
        run(with_streams);
    }
    gndi_fft_piece_bytes = before[0], gndi_fft_beside_bytes = before[1], gndi_fft_dense_length = 8192;
}

static void lines(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t lengths[] = {30000, 16384, 20011, 17 * 1019}; /* the last but one is prime */
    for (int i = 0; i < 4; i++) {
        GND_SCOPE {
            const int64_t n = lengths[i];
            gnd_array *a = signal_of(GND_SHAPE(n), GND_COMPLEX128), *b = signal_of(GND_SHAPE(n), GND_FLOAT32);
            gnd_dist *x = split(mesh, a, GND_SPLIT(0)), *y = split(mesh, b, GND_SPLIT(0));
            EXPECT(
                close_to(gnd_dist_fft(x, -1, 0, GND_FFT_BACKWARD, GND_SPLIT(0)), gnd_fft(a, -1, 0, 0), GND_SPLIT(0)));
            EXPECT(close_to(gnd_dist_ifft(x, n + 360, 0, GND_FFT_ORTHO, GND_COPIES), gnd_ifft(a, n + 360, 0, 1),
                            GND_COPIES));
            EXPECT(close_to(gnd_dist_fft(x, n - 5000, 0, GND_FFT_FORWARD, GND_SPLIT(0)), gnd_fft(a, n - 5000, 0, 2),
                            GND_SPLIT(0)));
            EXPECT(close_to(gnd_dist_rfft(y, 40000, 0, GND_FFT_BACKWARD, GND_SPLIT(0)), gnd_rfft(b, 40000, 0, 0),
                            GND_SPLIT(0)));
            EXPECT(close_to(gnd_dist_irfft(x, -1, 0, GND_FFT_BACKWARD, GND_SPLIT(0)), gnd_irfft(a, -1, 0, 0),
                            GND_SPLIT(0)));
            EXPECT(close_to(gnd_dist_irfft(x, 35001, 0, GND_FFT_ORTHO, GND_SPLIT(0)), gnd_irfft(a, 35001, 0, 1),
                            GND_SPLIT(0)));
            EXPECT(close_to(gnd_dist_irfft(y, 20001, 0, GND_FFT_FORWARD, GND_SPLIT(0)), gnd_irfft(b, 20001, 0, 2),
                            GND_SPLIT(0)));
        }
    }
    GND_SCOPE { /* beside short axes, one of which is split along the other axis of a grid */
        gnd_mesh *here = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2))
                                                  : gnd_mesh_grid(mesh, GND_SHAPE(gnd_mesh_size(mesh)));
        gnd_array *a = signal_of(GND_SHAPE(1, 9000, 3), GND_COMPLEX128), *e = gnd_fft(a, -1, 1, 0);
        EXPECT(close_to(gnd_dist_fft(split(here, a, GND_SPLIT(1)), -1, 1, GND_FFT_BACKWARD, GND_SPLIT(1)), e,
                        GND_SPLIT(1)));
        EXPECT(close_to(gnd_dist_fft(split(here, a, GND_SPLIT2(1, 2)), -1, 1, GND_FFT_BACKWARD, GND_SPLIT2(1, 2)), e,
                        GND_SPLIT2(1, 2)));
        EXPECT(
            close_to(gnd_dist_fftn(split(here, a, GND_SPLIT(1)), GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(2)),
                     gnd_fftn(a, GND_SCALAR, GND_ALL, 0), GND_SPLIT(2)));
        gnd_mesh_release(here);
    }
}
static void short_lines(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, one_axis);
    for (int64_t n = 1; n < 40; n += 3) {
        GND_SCOPE {
            gnd_array *a = signal_of(GND_SHAPE(n), GND_COMPLEX128);
            for (int i = 0; i < 4; i++)
                for (int64_t m = 4; i != 2 && m < 40; m += 5)
                    along_axis(mesh, &kinds[i], split(mesh, a, GND_SPLIT(0)), a, m, 0, GND_FFT_ORTHO);
        }
    }
}
TEST(lines_that_are_split) {
    run(lines);
    gndi_fft_line_bytes = 0;
    run(short_lines);
    gndi_fft_line_bytes = 256 << 10;
}

/* ---- what is refused, and failure -------------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(4, 3), 1, GND_COMPLEX64, GND_SPLIT(0));
        REFUSED(gnd_dist_fft(x, -1, 2, GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_AXIS, "axis 2");
        REFUSED(gnd_dist_fft(x, 0, 1, GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_VALUE, "0 elements");
        REFUSED(gnd_dist_fft(x, -1, 1, (gnd_fft_norm)7, GND_COPIES), GND_ERROR_INVALID, "norm number 7");
        REFUSED(gnd_dist_rfft(x, -1, 1, GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_DTYPE, "complex64");
        REFUSED(gnd_dist_fftn(x, GND_SHAPE(3), GND_AXES(0, 1), GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_SHAPE,
                "1 sizes");
        REFUSED(gnd_dist_irfftn(x, GND_SCALAR, GND_NO_AXES, GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_INVALID,
                "no axis");
        REFUSED(gnd_dist_ifftn(x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(5)), GND_ERROR_AXIS, "axis 5");
        REFUSED(gnd_dist_rfftn(NULL, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_COPIES), GND_ERROR_INVALID,
                "gnd_dist_rfftn");
    }
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 6), 1, GND_FLOAT64, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_fftn(x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(0));
        gnd_dist *z = gnd_dist_irfft(gnd_dist_reshape(gnd_dist_slice(y, ":, :1"), GND_SHAPE(8)), 9, 0, GND_FFT_BACKWARD,
                                     GND_COPIES);
        gnd_array *all = gnd_dist_gather(z, -1);
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(all && gnd_at_double(all, 3) > 5.3 && gnd_at_double(all, 3) < 5.4);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    if (unused && !mesh->link->beside) mesh->link->beside = gnd_stream_new_high_priority();
    starve(mesh, 0, 1500, chain);
}
static void starved_with_streams(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starved(mesh, mesh);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    const int64_t before = gndi_fft_piece_bytes;
    gndi_fft_piece_bytes = 50, gndi_fft_line_bytes = 50;
    run(starved);
    gndi_fft_dense_length = 2;
    run(starved);
    const int64_t beside = gndi_fft_beside_bytes;
    gndi_fft_beside_bytes = 0;
    run(starved_with_streams);
    gndi_fft_beside_bytes = beside;
    gndi_fft_piece_bytes = before, gndi_fft_line_bytes = 256 << 10, gndi_fft_dense_length = 8192;
}

RANKS_MAIN
