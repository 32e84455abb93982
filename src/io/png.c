/*
 * png.c: PNG pictures by libpng, loaded at first use. libpng reports errors through a callback that must not
 * return: it calls longjmp back to the one function of each direction that calls libpng. Everything that
 * must be freed lives in a struct outside of it.
 */
#include "io/image.h"
#include "libraries/library_tables.h"
#include <setjmp.h>

/* What libpng and its callbacks share. */
typedef struct png_work {
    const gndi_libpng *lib;
    void *png, *info;
    gndi_source *source;
    gndi_output *out;
    gndi_image *image;
    gnd_status status;
    jmp_buf failed;
    char problem[200];
} png_work;

enum { GREY = 0, COLOUR = 2, WITH_ALPHA = 4, SIGNATURE = 8, MOST_PIXELS = 0x7fffffff };

/* The table by another way than through `png`, whose type only libpng knows. */
static _Thread_local const gndi_libpng *current;

static void fail(void *png, const char *text) {
    png_work *w = current->png_get_error_ptr(png);
    if (w->status == GND_OK) snprintf(w->problem, sizeof w->problem, "%s", text);
    longjmp(w->failed, 1);
}

static void ignore(void *png, const char *text) {
    (void)png, (void)text;
}

/* ---- reading -------------------------------------------------------------------------------- */

static void read_bytes(void *png, uint8_t *to, size_t bytes) {
    png_work *w = current->png_get_io_ptr(png);
    if ((w->status = gndi_source_read(w->source, to, bytes, "chunks")) != GND_OK) fail(png, "");
}

/* Rows, several times over if the picture is interlaced. */
static void read_rows(png_work *w, int passes) {
    size_t row = gndi_image_row(w->image);
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < w->image->height; y++)
            w->lib->png_read_row(w->png, (uint8_t *)w->image->pixels + (size_t)y * row, NULL);
}

/* No row takes fewer than a bit a pixel, and deflate (RFC 1951) packs 1032 bytes into one at best. Asked
   before libpng takes memory for rows. */
static void refuse_what_cannot_be(png_work *w) {
    int64_t left = gndi_bytes_left(w->source->context), width = w->image->width;
    if (left < 0 || w->image->height <= (left + 64) * 8 * 1032 / width) return;
    w->status = gndi_raise(GND_ERROR_IO, w->source->fn, "%s claims %lld x %lld pixels, more than the file can hold",
                           w->source->name, (long long)width, (long long)w->image->height);
    fail(w->png, "");
}

static void read_picture(png_work *w) {
    const gndi_libpng *lib = w->lib;
    gndi_image *image = w->image;
    lib->png_read_info(w->png, w->info);
    image->width = lib->png_get_image_width(w->png, w->info);
    image->height = lib->png_get_image_height(w->png, w->info);
    image->dtype = lib->png_get_bit_depth(w->png, w->info) == 16 ? GND_UINT16 : GND_UINT8;
    refuse_what_cannot_be(w);
    lib->png_set_expand(w->png);
    if (image->dtype == GND_UINT16 && !gndi_is_big_endian()) lib->png_set_swap(w->png);
    int passes = lib->png_set_interlace_handling(w->png);
    lib->png_read_update_info(w->png, w->info);
    image->channels = lib->png_get_channels(w->png, w->info);
    w->status = gndi_image_allocate(image, w->source, INT64_MAX);
    gndi_source_allow(w->source, 2 * gndi_image_row(image) * (size_t)image->height); /* hardly packed */
    if (w->status != GND_OK) fail(w->png, "");
    if (lib->png_get_rowbytes(w->png, w->info) != gndi_image_row(image))
        fail(w->png, "its rows have another length than they should");
    read_rows(w, passes);
    lib->png_read_end(w->png, NULL);
}

/* Where fail() comes back to: what it leaves behind is in *w, which is not this function's own. */
static void read_guarded(png_work *w) {
    if (setjmp(w->failed) != 0) return;
    w->png = w->lib->png_create_read_struct(w->lib->png_get_libpng_ver(NULL), w, fail, ignore);
    w->info = w->png ? w->lib->png_create_info_struct(w->png) : NULL;
    if (!w->info) {
        w->status = gndi_raise(GND_ERROR_MEMORY, w->source->fn, "no memory for libpng");
        return;
    }
    w->lib->png_set_read_fn(w->png, w, read_bytes);
    w->lib->png_set_sig_bytes(w->png, SIGNATURE);
    w->lib->png_set_user_limits(w->png, MOST_PIXELS, MOST_PIXELS);
    read_picture(w);
}

gnd_status gndi_png_read(gndi_source *source, gndi_image *image) {
    png_work w = {.lib = gndi_libpng_get(source->fn), .source = source, .image = image};
    if (!w.lib) return gndi_ew_pending();
    current = w.lib;
    read_guarded(&w);
    w.lib->png_destroy_read_struct(&w.png, &w.info, NULL);
    if (w.status != GND_OK || !w.problem[0]) return w.status;
    return gndi_raise(GND_ERROR_IO, source->fn, "%s is damaged: %s", source->name, w.problem);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_bytes(void *png, uint8_t *from, size_t bytes) {
    png_work *w = current->png_get_io_ptr(png);
    if ((w->status = gndi_output_write(w->out, from, bytes)) != GND_OK) fail(png, "");
}

static void flush_nothing(void *png) {
    (void)png;
}

static void write_picture(png_work *w) {
    const gndi_libpng *lib = w->lib;
    gndi_image *image = w->image;
    size_t row = gndi_image_row(image);
    int colour = (image->channels > 2 ? COLOUR : GREY) | (image->channels % 2 ? 0 : WITH_ALPHA);
    lib->png_set_IHDR(w->png, w->info, (uint32_t)image->width, (uint32_t)image->height, gndi_image_bits(image), colour,
                      0, 0, 0);
    lib->png_write_info(w->png, w->info);
    if (image->dtype == GND_UINT16 && !gndi_is_big_endian()) lib->png_set_swap(w->png);
    for (int64_t y = 0; y < image->height; y++) lib->png_write_row(w->png, (uint8_t *)image->pixels + (size_t)y * row);
    lib->png_write_end(w->png, NULL);
}

static void write_guarded(png_work *w) {
    if (setjmp(w->failed) != 0) return;
    w->png = w->lib->png_create_write_struct(w->lib->png_get_libpng_ver(NULL), w, fail, ignore);
    w->info = w->png ? w->lib->png_create_info_struct(w->png) : NULL;
    if (!w->info) {
        w->status = gndi_raise(GND_ERROR_MEMORY, w->out->fn, "no memory for libpng");
        return;
    }
    w->lib->png_set_write_fn(w->png, w, write_bytes, flush_nothing);
    w->lib->png_set_user_limits(w->png, MOST_PIXELS, MOST_PIXELS);
    write_picture(w);
}

gnd_status gndi_png_write(gndi_output *out, gndi_image *image) {
    png_work w = {.lib = gndi_libpng_get(out->fn), .out = out, .image = image};
    if (!w.lib) return gndi_ew_pending();
    if (image->width > MOST_PIXELS || image->height > MOST_PIXELS)
        return gndi_raise(GND_ERROR_SHAPE, out->fn, "a PNG has at most %d rows and columns, not %lld and %lld",
                          MOST_PIXELS, (long long)image->height, (long long)image->width);
    current = w.lib;
    write_guarded(&w);
    w.lib->png_destroy_write_struct(&w.png, &w.info);
    if (w.status != GND_OK || !w.problem[0]) return w.status;
    return gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, w.problem);
}
