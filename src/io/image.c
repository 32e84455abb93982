/*
 * image.c: gnd_load_image and gnd_save_image: finds the format, and converts between pictures and arrays.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/image.h"
#include <strings.h>

gnd_status gndi_image_allocate(gndi_image *image, const gndi_source *source, int64_t most) {
    int64_t row = image->width * image->channels * (image->bits / 8), bytes;
    if (__builtin_mul_overflow(row, image->height, &bytes) || image->height > most / image->width)
        return gndi_raise(GND_ERROR_IO, source->fn, "%s claims %lld x %lld pixels, more than the file can hold",
                          source->name, (long long)image->width, (long long)image->height);
    image->pixels = gndi_malloc(source->fn, (size_t)bytes);
    return image->pixels ? GND_OK : gndi_ew_pending();
}

/* ---- loading -------------------------------------------------------------------------------- */

static gnd_status read_image(gndi_source *source, gndi_image *image) {
    char magic[8] = "";
    gnd_status status = gndi_source_read(source, magic, 2, "first bytes");
    if (status != GND_OK) return status;
    if (magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7') return gndi_pnm_read(source, magic, image);
    if (memcmp(magic, "\x89P", 2) == 0) {
        status = gndi_source_read(source, magic + 2, 6, "first bytes");
        if (status != GND_OK) return status;
        if (memcmp(magic, "\x89PNG\r\n\x1a\n", 8) == 0) return gndi_png_read(source, image);
    }
    return gndi_raise(GND_ERROR_IO, source->fn, "%s is no picture that gnd reads, which are PNG, PGM and PPM%s",
                      source->name,
                      memcmp(magic, "\xff\xd8", 2) == 0                            ? "; it looks like a JPEG"
                      : memcmp(magic, "BM", 2) == 0                                ? "; it looks like a BMP"
                      : memcmp(magic, "GI", 2) == 0                                ? "; it looks like a GIF"
                      : memcmp(magic, "II", 2) == 0 || memcmp(magic, "MM", 2) == 0 ? "; it looks like a TIFF"
                                                                                   : "");
}

gnd_array *gnd_load_image(const char *path) {
    static const char fn[] = "gnd_load_image";
    gndi_path_text name;
    gndi_source source;
    gndi_image image = {0};
    gnd_array *a = NULL;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    if (read_image(&source, &image) == GND_OK) {
        const int64_t shape[] = {image.height, image.width, image.channels};
        a = gndi_array_of_bytes(fn, image.pixels, image.channels == 1 ? 2 : 3, shape,
                                image.bits == 8 ? GND_UINT8 : GND_UINT16);
    }
    gndi_free(image.pixels);
    fclose(source.context);
    return a;
}

/* ---- saving --------------------------------------------------------------------------------- */

enum { NO_FORMAT, PNG, PGM, PPM, PNM };

static int format_of(const char *path) {
    static const char *const endings[] = {"", ".png", ".pgm", ".ppm", ".pnm"};
    size_t length = strlen(path);
    for (int k = PNG; k <= PNM; k++)
        if (length >= 4 && strcasecmp(path + length - 4, endings[k]) == 0) return k;
    return NO_FORMAT;
}

/* What the array is as a picture, without its pixels. */
static gnd_status describe(const char *fn, const gnd_array *a, int format, gndi_image *image) {
    image->channels = a->ndim == 3 ? (int)(a->shape[2] < 5 ? a->shape[2] : 5) : 1;
    if ((a->ndim != 2 && a->ndim != 3) || a->size == 0 || image->channels > 4)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "an array of shape %s is no picture; one has shape (height, width) or "
                          "(height, width, channels), 1 to 4 of them, and at least one pixel",
                          gndi_text_shape(a->ndim, a->shape));
    if (a->dtype != GND_UINT8 && a->dtype != GND_UINT16)
        return gndi_raise(GND_ERROR_DTYPE, fn,
                          "pictures are uint8 or uint16, not %s; scale it to 0 to 255, say, and "
                          "gnd_astype",
                          gnd_dtype_name((gnd_dtype)a->dtype));
    if ((format == PGM && image->channels != 1) || (format == PPM && image->channels != 3) ||
        (format == PNM && image->channels % 2 == 0))
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "a picture of shape %s does not go into a %s file, which has %s; .png "
                          "takes 1 to 4 channels",
                          gndi_text_shape(a->ndim, a->shape),
                          format == PGM   ? ".pgm"
                          : format == PPM ? ".ppm"
                                          : ".pnm",
                          format == PGM   ? "one channel"
                          : format == PPM ? "three channels"
                                          : "one channel or three");
    image->height = a->shape[0], image->width = a->shape[1];
    image->bits = a->dtype == GND_UINT8 ? 8 : 16;
    return GND_OK;
}

gnd_status gnd_save_image(const char *path, const gnd_array *a) {
    static const char fn[] = "gnd_save_image";
    GNDI_PARTS_OF(fn);
    if (!path || gndi_missing(a)) return gndi_raise_null(fn, path ? "a" : "path");
    gndi_output out;
    gndi_image image = {0};
    int format = format_of(path);
    if (format == NO_FORMAT)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "\"%.300s\" names no format that gnd writes; those end in .png, .pgm, "
                          ".ppm or .pnm",
                          path);
    gnd_status status = describe(fn, a, format, &image);
    if (status != GND_OK) return status;
    size_t bytes = gndi_image_row(&image) * (size_t)image.height;
    if (!(image.pixels = gndi_malloc(fn, bytes))) return gndi_ew_pending();
    status = gnd_to_host(a, image.pixels, bytes);
    if (status == GND_OK && (status = gndi_output_open(&out, fn, path)) == GND_OK) {
        status = (format == PNG ? gndi_png_write : gndi_pnm_write)(&out, &image);
        status = gndi_output_close(&out, status);
    }
    gndi_free(image.pixels);
    return status;
}
