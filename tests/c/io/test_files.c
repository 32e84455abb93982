/* .npz files, plain bytes and pictures: what is written and read, and what is refused. */
#define _XOPEN_SOURCE 700 /* symlink */
#include "hostile.h"
#include "reads.h"

#include <unistd.h>

static const char npz_path[] = "test_files_scratch.npz", raw_path[] = "test_files_scratch.bin";
static const char png_path[] = "test_files_scratch.png", pnm_path[] = "test_files_scratch.PNM";
static const char jpeg_path[] = "test_files_scratch.jpg", tiff_path[] = "test_files_scratch.tif";
static const char fits_path[] = "test_files_scratch.fits";

/* Whether a library is not there, so that the test is skipped; those of each change may not be. */
static bool is_missing(const char *library) {
    if (getenv("CI") || gnd_library_load(library) == GND_OK) return false;
    gnd_error_clear();
    return true;
}
#define NEEDS(library)                                                                                                 \
    if (is_missing(library)) SKIP(library " is not installed")

static bool equal(const gnd_array *a, const gnd_array *b) {
    return a && b && gnd_dtype_of(a) == gnd_dtype_of(b) && gnd_array_equal(a, b, false);
}

static gnd_array *count_to(int64_t n, gnd_shape shape, gnd_dtype dtype) {
    return gnd_reshape(gnd_astype(gnd_arange(0, n, 1, GND_INT64), dtype), shape);
}

/* ---- npz ------------------------------------------------------------------------------------ */

static gnd_array *read_npz(const char *path) {
    gnd_npz *z = gnd_npz_open(path);
    gnd_array *a = NULL;
    if (z && gnd_npz_count(z) > 0) a = gnd_npz_get(z, gnd_npz_name(z, 0));
    if (z && gnd_npz_count(z) == 0) a = gnd_zeros(GND_SHAPE(0), GND_BOOL);
    gnd_npz_close(z);
    return a;
}

TEST(npz_keeps_arrays_and_names) {
    NEEDS("libzip");
    gnd_array *x = count_to(12, GND_SHAPE(3, 4), GND_FLOAT64), *y = gnd_transpose(x);
    gnd_array *z = gnd_full(GND_SCALAR, 7, GND_BFLOAT16), *none = gnd_zeros(GND_SHAPE(2, 0), GND_INT8);
    for (int compressed = 0; compressed < 2; compressed++) {
        CHECK((compressed ? gnd_savez_compressed : gnd_savez)(
                  npz_path, GND_NAMED({"x", x}, {NULL, y}, {"a/b", z}, {"\303\251", none})) == GND_OK);
        gnd_npz *npz = gnd_npz_open(npz_path);
        CHECK(npz && gnd_npz_count(npz) == 4);
        CHECK(strcmp(gnd_npz_name(npz, 0), "x") == 0 && strcmp(gnd_npz_name(npz, 1), "arr_1") == 0);
        CHECK(strcmp(gnd_npz_name(npz, 3), "\303\251") == 0);
        CHECK(equal(gnd_npz_get(npz, "x"), x) && equal(gnd_npz_get(npz, "arr_1"), y));
        CHECK(gnd_is_f_contiguous(gnd_npz_get(npz, "arr_1.npy")));
        CHECK(equal(gnd_npz_get(npz, "a/b"), z) && equal(gnd_npz_get(npz, "\303\251"), none));
        CHECK_ERROR(gnd_npz_get(npz, "w"), GND_ERROR_INVALID, "it has \"x\", \"arr_1\", \"a/b\"");
        CHECK_ERROR(gnd_npz_name(npz, 4), GND_ERROR_INDEX, "has 4 arrays");
        gnd_npz_close(npz);
        CHECK(equal(gnd_load_npz(npz_path, "x"), x));
        CHECK_ERROR(gnd_load_npz(npz_path, ""), GND_ERROR_INVALID, "no array \"\"");
    }
    remove(npz_path);
}

TEST(npz_of_much_and_of_nothing) {
    NEEDS("libzip");
    /* Longer than a piece, and not as it lies in memory. */
    gnd_array *x = gnd_slice(count_to(6000000, GND_SHAPE(2000, 3000), GND_INT64), "::-1, 1:");
    CHECK(gnd_savez(npz_path, GND_NAMED({"x", x})) == GND_OK);
    CHECK(equal(gnd_load_npz(npz_path, "x"), x));
    CHECK(gnd_savez(npz_path, 0, NULL) == GND_OK);
    gnd_npz *npz = gnd_npz_open(npz_path);
    CHECK(npz && gnd_npz_count(npz) == 0);
    CHECK_ERROR(gnd_npz_get(npz, "x"), GND_ERROR_INVALID, "it has none");
    gnd_npz_close(npz);
    gnd_npz_close(NULL);
    remove(npz_path);
}

TEST(npz_is_refused) {
    NEEDS("libzip");
    gnd_array *x = gnd_arange(0, 3, 1, GND_INT8);
    CHECK_ERROR(gnd_savez(npz_path, GND_NAMED({"x", x}, {"x", x})), GND_ERROR_INVALID, "two arrays are named \"x\"");
    CHECK_ERROR(gnd_savez(npz_path, GND_NAMED({"arr_1", x}, {NULL, x})), GND_ERROR_INVALID, "arr_1");
    CHECK_ERROR(gnd_savez(npz_path, GND_NAMED({"x", NULL})), GND_ERROR_INVALID, "array");
    CHECK_ERROR(gnd_savez(NULL, GND_NAMED({"x", x})), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_savez(npz_path, 1, NULL), GND_ERROR_INVALID, "arrays");
    CHECK_ERROR(gnd_savez(npz_path, -1, NULL), GND_ERROR_INVALID, "-1");
    CHECK_ERROR(gnd_savez("no such folder/x.npz", GND_NAMED({"x", x})), GND_ERROR_IO, "no such folder");
    CHECK_ERROR(gnd_npz_open("no such file.npz"), GND_ERROR_IO, "\"no such file.npz\"");
    CHECK_ERROR(gnd_npz_open(NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_npz_get(NULL, "x"), GND_ERROR_INVALID, "npz");
    CHECK_ERROR(gnd_npz_count(NULL), GND_ERROR_INVALID, "npz");
    CHECK_ERROR(gnd_npz_name(NULL, 0), GND_ERROR_INVALID, "npz");
    CHECK_ERROR(gnd_load_npz(npz_path, NULL), GND_ERROR_INVALID, "name");
    CHECK(access(npz_path, F_OK) != 0); /* refused: nothing was written */
    CHECK(gnd_save(npz_path, x) == GND_OK);
    CHECK_ERROR(gnd_npz_open(npz_path), GND_ERROR_IO, "test_files_scratch.npz");
    CHECK(gnd_savez(npz_path, GND_NAMED({"x", x})) == GND_OK);
    CHECK_ERROR(gnd_load(npz_path), GND_ERROR_IO, "gnd_npz_open");
    remove(npz_path);
}

TEST(npz_leaves_what_it_cannot_replace) {
    NEEDS("libzip");
    static const char link_path[] = "test_files_nowhere.npz";
    gnd_array *x = gnd_arange(0, 3, 1, GND_INT8);
    CHECK(symlink(npz_path, link_path) == 0); /* leads to a file that is not there */
    CHECK_ERROR(gnd_savez(link_path, GND_NAMED({"x", x})), GND_ERROR_IO, "no regular file");
    CHECK(access(npz_path, F_OK) != 0);
    remove(link_path);
    CHECK_ERROR(gnd_savez(".", GND_NAMED({"x", x})), GND_ERROR_IO, "no regular file");
    CHECK_ERROR(gnd_npz_open("."), GND_ERROR_IO, "it is a directory");
}

TEST(npz_replaces_what_a_link_leads_to) {
    NEEDS("libzip");
    static const char link_path[] = "test_files_link.npz";
    gnd_array *x = gnd_arange(0, 3, 1, GND_INT8), *y = gnd_arange(0, 5, 1, GND_INT8);
    CHECK(gnd_savez(npz_path, GND_NAMED({"x", x})) == GND_OK);
    CHECK(symlink(npz_path, link_path) == 0);
    CHECK(gnd_savez(link_path, GND_NAMED({"x", y})) == GND_OK);
    CHECK(equal(gnd_load_npz(npz_path, "x"), y));
    for (int at = 1; at < 60; at++) { /* a save that fails leaves the file as it was */
        gndi_fail_alloc_at(at);
        const gnd_status status = gnd_savez(npz_path, GND_NAMED({"x", gnd_slice(x, "::2")}));
        gndi_fail_alloc_at(0);
        gnd_error_clear();
        if (status == GND_OK) break;
        CHECK(equal(gnd_load_npz(npz_path, "x"), y));
    }
    CHECK(gnd_size(gnd_load_npz(npz_path, "x")) == 2);
    CHECK_FAILS_CLEANLY(gnd_load_npz(npz_path, "x"));
    remove(link_path);
    remove(npz_path);
}

TEST(npz_truncated_and_changed) {
    NEEDS("libzip");
    gnd_array *x = count_to(40, GND_SHAPE(5, 8), GND_UINT8);
    for (int compressed = 0; compressed < 2; compressed++) {
        CHECK((compressed ? gnd_savez_compressed : gnd_savez)(npz_path, GND_NAMED({"x", x})) == GND_OK);
        check_truncations(read_npz, npz_path, SIZE_MAX);
        check_changes(read_npz, npz_path, SIZE_MAX);
    }
    remove(npz_path);
}

/* ---- plain bytes ---------------------------------------------------------------------------- */

TEST(plain_bytes) {
    gnd_array *x = count_to(12, GND_SHAPE(3, 4), GND_INT16);
    CHECK(gnd_tofile(raw_path, gnd_transpose(x)) == GND_OK);
    CHECK(reads(gnd_fromfile(raw_path, GND_INT16, -1, 0),
                "array([ 0,  4,  8,  1,  5,  9,  2,  6, 10,  3,  7, 11], dtype=int16)"));
    CHECK(reads(gnd_fromfile(raw_path, GND_INT16, 2, 6), "array([1, 5], dtype=int16)"));
    CHECK(gnd_size(gnd_fromfile(raw_path, GND_INT64, -1, 24)) == 0);
    CHECK(gnd_size(gnd_fromfile(raw_path, GND_INT64, 0, 1)) == 0);
    CHECK(gnd_size(gnd_fromfile(raw_path, GND_INT64, -1, 1000)) == 0);
    CHECK_ERROR(gnd_fromfile(raw_path, GND_INT64, 4, 0), GND_ERROR_IO, "has 24 bytes there");
    CHECK_ERROR(gnd_fromfile(raw_path, GND_COMPLEX128, -1, 0), GND_ERROR_IO, "no whole number");
    CHECK_ERROR(gnd_fromfile(raw_path, GND_INT16, INT64_MAX, 0), GND_ERROR_IO, "not 9223372036");
    CHECK_ERROR(gnd_fromfile(raw_path, GND_INT16, -2, 0), GND_ERROR_INVALID, "count is -2");
    CHECK_ERROR(gnd_fromfile(raw_path, GND_INT16, 1, -1), GND_ERROR_INVALID, "offset -1");
    CHECK_ERROR(gnd_fromfile(raw_path, GND_DTYPE_NONE, 1, 0), GND_ERROR_DTYPE, "dtype");
    CHECK_ERROR(gnd_fromfile(NULL, GND_INT16, 1, 0), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_fromfile(".", GND_INT16, 1, 0), GND_ERROR_IO, "directory");
    CHECK_ERROR(gnd_tofile(NULL, x), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_tofile(raw_path, NULL), GND_ERROR_INVALID, "a");
    write_bytes(raw_path, "\0\2\377", 3);
    CHECK(reads(gnd_fromfile(raw_path, GND_BOOL, -1, 0), "array([False,  True,  True])"));
    CHECK_FAILS_CLEANLY(gnd_fromfile(raw_path, GND_BOOL, -1, 0));
    remove(raw_path);
}

/* ---- pictures ------------------------------------------------------------------------------- */

TEST(pictures_come_back) {
    NEEDS("libpng");
    for (int channels = 0; channels <= 4; channels++)
        for (gnd_dtype dtype = GND_UINT8; dtype <= GND_UINT16; dtype += GND_UINT16 - GND_UINT8) {
            gnd_shape shape = channels ? GND_SHAPE(5, 7, channels) : GND_SHAPE(5, 7);
            gnd_array *x =
                gnd_multiply(count_to(35 * (channels ? channels : 1), shape, dtype), dtype == GND_UINT8 ? 1 : 300);
            gnd_array *same = channels == 1 ? gnd_slice(x, "..., 0") : x;
            CHECK(gnd_save_image(png_path, x) == GND_OK && equal(gnd_load_image(png_path), same));
            gnd_array *view = gnd_slice(x, "::-1, 1::2");
            gnd_array *part = channels == 1 ? gnd_slice(view, "..., 0") : view;
            CHECK(gnd_save_image(png_path, view) == GND_OK && equal(gnd_load_image(png_path), part));
            if (channels > 1 && channels != 3) continue;
            CHECK(gnd_save_image(pnm_path, x) == GND_OK && equal(gnd_load_image(pnm_path), same));
        }
    remove(png_path);
    remove(pnm_path);
}

static gnd_array *picture_of(const char *bytes, size_t length) {
    write_bytes(pnm_path, bytes, length);
    return gnd_load_image(pnm_path);
}
#define PICTURE(text) picture_of(text, sizeof(text) - 1)

TEST(pnm_of_other_writers) {
    CHECK(reads(PICTURE("P2\n# by hand\n2 2 # two of two\n255\n1 2\n3 4"),
                "array([[1, 2],\n       [3, 4]], dtype=uint8)"));
    CHECK(reads(PICTURE("P2 2 1 15 0 15 "), "array([[  0, 255]], dtype=uint8)"));
    CHECK(reads(PICTURE("P5 2 1 1\n\1\0"), "array([[255,   0]], dtype=uint8)"));
    CHECK(reads(PICTURE("P5\r\n2\t1\r65535\n\1\2\377\377 and more"), "array([[  258, 65535]], dtype=uint16)"));
    CHECK(reads(PICTURE("P2 2 1 1023 1023 0"), "array([[65535,     0]], dtype=uint16)"));
    CHECK(reads(PICTURE("P3 1 1 255 1 2 3"), "array([[[1, 2, 3]]], dtype=uint8)"));
    CHECK(reads(PICTURE("P6 1 1 255\n\1\2\3"), "array([[[1, 2, 3]]], dtype=uint8)"));
    remove(pnm_path);
}

TEST(pictures_are_refused) {
    NEEDS("libpng");
    CHECK_ERROR(PICTURE(""), GND_ERROR_IO, "first bytes");
    CHECK_ERROR(PICTURE("P4 8 1 \1"), GND_ERROR_IO, "PBM");
    CHECK_ERROR(PICTURE("P7\n"), GND_ERROR_IO, "PAM");
    CHECK_ERROR(PICTURE("BM\xff\xe0"), GND_ERROR_IO, "BMP");
    CHECK_ERROR(PICTURE("\x89PNG\r\n\n\n12345678"), GND_ERROR_IO, "no picture");
    CHECK_ERROR(PICTURE("P5 2"), GND_ERROR_IO, "ends before its height");
    CHECK_ERROR(PICTURE("P5 2 x 3\n"), GND_ERROR_IO, "height");
    CHECK_ERROR(PICTURE("P5 2 2 0\n1234"), GND_ERROR_IO, "largest value");
    CHECK_ERROR(PICTURE("P5 0 2 255\n1234"), GND_ERROR_IO, "0 x 2");
    CHECK_ERROR(PICTURE("P5 2 2 65536\n12345678"), GND_ERROR_IO, "65536");
    CHECK_ERROR(PICTURE("P5 999999999 999999999 255\n1"), GND_ERROR_IO, "more than the file can");
    CHECK_ERROR(PICTURE("P5 99999999999 1 255\n1"), GND_ERROR_IO, "width");
    CHECK_ERROR(PICTURE("P5 2 2 255\n123"), GND_ERROR_IO, "more than the file can");
    CHECK_ERROR(PICTURE("P2 2 1 7 3 8"), GND_ERROR_IO, "a value of 8");
    CHECK_ERROR(PICTURE("P5 2 1 7\n\3\10"), GND_ERROR_IO, "a value of 8");
    CHECK_ERROR(PICTURE("P2 2 1 255 3 -8"), GND_ERROR_IO, "pixels");
    gnd_array *x = count_to(24, GND_SHAPE(2, 3, 4), GND_UINT8);
    CHECK_ERROR(gnd_save_image("x.bmp", x), GND_ERROR_INVALID, "those end in .png");
    CHECK_ERROR(gnd_save_image("png", x), GND_ERROR_INVALID, "\"png\"");
    CHECK_ERROR(gnd_save_image("x.pgm", x), GND_ERROR_SHAPE, "(2, 3, 4) does not go into a .pgm");
    CHECK_ERROR(gnd_save_image("x.ppm", gnd_slice(x, "..., 0")), GND_ERROR_SHAPE, "three channels");
    CHECK_ERROR(gnd_save_image("x.pnm", x), GND_ERROR_SHAPE, "one channel or three");
    CHECK_ERROR(gnd_save_image("x.png", gnd_reshape(x, GND_SHAPE(1, 3, 8))), GND_ERROR_SHAPE,
                "(1, 3, 8) is no picture");
    CHECK_ERROR(gnd_save_image("x.png", gnd_slice(x, ":0")), GND_ERROR_SHAPE, "at least one pixel");
    CHECK_ERROR(gnd_save_image("x.png", gnd_reshape(x, GND_SHAPE(24))), GND_ERROR_SHAPE, "(24,)");
    CHECK_ERROR(gnd_save_image("x.png", gnd_astype(x, GND_FLOAT32)), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_save_image("no such folder/x.png", x), GND_ERROR_IO, "no such folder");
    CHECK_ERROR(gnd_save_image(NULL, x), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_save_image("x.png", NULL), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_load_image(NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_load_image("no such file.png"), GND_ERROR_IO, "no such file");
    CHECK_ERROR(gnd_load_image("."), GND_ERROR_IO, "directory");
    remove(pnm_path);
}

TEST(pictures_truncated_and_changed) {
    NEEDS("libpng");
    gnd_array *x = count_to(60, GND_SHAPE(5, 4, 3), GND_UINT16);
    CHECK(gnd_save_image(png_path, x) == GND_OK);
    CHECK_FAILS_CLEANLY(gnd_load_image(png_path));
    check_truncations(gnd_load_image, png_path, SIZE_MAX);
    check_changes(gnd_load_image, png_path, SIZE_MAX);
    CHECK(gnd_save_image(pnm_path, x) == GND_OK);
    CHECK_FAILS_CLEANLY(gnd_load_image(pnm_path));
    check_truncations(gnd_load_image, pnm_path, SIZE_MAX);
    check_changes(gnd_load_image, pnm_path, 16);
    CHECK(reads(PICTURE("P3 1 2 255 1 2 3 4 5 6 "), "array([[[1, 2, 3]],\n\n       [[4, 5, 6]]], dtype=uint8)"));
    check_truncations(gnd_load_image, pnm_path, 22);
    check_changes(gnd_load_image, pnm_path, SIZE_MAX);
    if (access("/dev/full", W_OK) == 0) {
        static const char full[] = "test_files_full.png";
        CHECK(symlink("/dev/full", full) == 0);
        CHECK_ERROR(gnd_save_image(full, x), GND_ERROR_IO, "test_files_full.png");
        remove(full);
    }
    remove(png_path);
    remove(pnm_path);
}

TEST(jpeg_truncated_and_changed) {
    NEEDS("TurboJPEG");
    gnd_array *x = count_to(48 * 40 * 3, GND_SHAPE(48, 40, 3), GND_UINT8);
    CHECK(gnd_save_image(jpeg_path, x) == GND_OK);
    CHECK_FAILS_CLEANLY(gnd_load_image(jpeg_path));
    write_bytes(pnm_path, "\xff\xd8\xff\xd9", 4); /* no more than its beginning and its end */
    CHECK_ERROR(gnd_load_image(pnm_path), GND_ERROR_IO, "JPEG");
    remove(pnm_path);
    check_truncations(gnd_load_image, jpeg_path, 600);
    check_changes(gnd_load_image, jpeg_path, 900);
    CHECK(gnd_save_image(jpeg_path, gnd_slice(x, "::-1, :, 0")) == GND_OK);
    CHECK(gnd_ndim(gnd_load_image(jpeg_path)) == 2);
    remove(jpeg_path);
}

static gnd_array *second_page(const char *path) {
    return gnd_load_tiff(path, 1);
}

TEST(tiff_truncated_and_changed) {
    NEEDS("libtiff");
    gnd_array *x = gnd_multiply(count_to(60, GND_SHAPE(5, 4, 3), GND_UINT16), 300);
    CHECK(gnd_save_image(tiff_path, x) == GND_OK && equal(gnd_load_image(tiff_path), x));
    CHECK_FAILS_CLEANLY(gnd_load_image(tiff_path));
    check_truncations(gnd_load_image, tiff_path, SIZE_MAX);
    check_changes(gnd_load_image, tiff_path, SIZE_MAX);
    check_changes(second_page, tiff_path, 16);
    CHECK_ERROR(second_page(tiff_path), GND_ERROR_INDEX, "pages 0 to 0, not 1");
    CHECK_ERROR(gnd_load_tiff(NULL, 0), GND_ERROR_INVALID, "path");
    for (int at = 1; at < 60; at++) { /* a save that fails leaves the file as it was */
        gndi_fail_alloc_at(at);
        const gnd_status status = gnd_save_image(tiff_path, gnd_slice(x, "::2"));
        gndi_fail_alloc_at(0);
        gnd_error_clear();
        if (status == GND_OK) break;
        CHECK(equal(gnd_load_image(tiff_path), x));
    }
    CHECK(equal(gnd_load_image(tiff_path), gnd_slice(x, "::2")));
    remove(tiff_path);
}

static gnd_array *first_image(const char *path) {
    return gnd_load_fits(path, -1);
}

/* A unit of 2 x 3 elements of 16 bits, whose zero is 100, and 7 no value; the cards' blanks are cut to 80. */
static gnd_array *write_fits(void) {
    static const char *const cards[] = {"SIMPLE  =                    T", "BITPIX  =                   16",
                                        "NAXIS   =                    2", "NAXIS1  =                    3",
                                        "NAXIS2  =                    2", "BZERO   =              1.0D+02 / a comment",
                                        "BLANK   =                    7", "END"};
    char bytes[2 * 2880];
    memset(bytes, ' ', sizeof bytes);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) memcpy(bytes + 80 * i, cards[i], strlen(cards[i]));
    memcpy(bytes + 2880, "\0\1\1\0\0\7\377\377\0\0\0\2", 12);
    write_bytes(fits_path, bytes, sizeof bytes);
    return gnd_load_fits(fits_path, 0);
}

TEST(fits_truncated_and_changed) {
    CHECK(reads(write_fits(), "array([[101., 356.,  nan],\n       [ 99., 100., 102.]], dtype=float32)"));
    CHECK_FAILS_CLEANLY(gnd_load_fits(fits_path, 0));
    CHECK_ERROR(gnd_load_fits(fits_path, 1), GND_ERROR_INDEX, "units 0 to 0, not 1");
    CHECK_ERROR(gnd_load_fits(NULL, 0), GND_ERROR_INVALID, "path");
    check_truncations(first_image, fits_path, 2880 + 12);
    check_changes(first_image, fits_path, 9 * 80);
    remove(fits_path);
}

TEST_MAIN
