/*
 * image.c: gnd_load_image, gnd_load_tiff and gnd_save_image: finds the format, and converts between pictures and
 * arrays.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/image.h"
#include <strings.h>

gnd_status gndi_image_allocate(gndi_image *image, const gndi_source *source, int64_t most) {
    int64_t row = image->width * image->channels * (gndi_image_bits(image) / 8), bytes;
    if (__builtin_mul_overflow(row, image->height, &bytes) || image->height > most / image->width)
        return gndi_raise(GND_ERROR_IO, source->fn, "%s claims %lld x %lld pixels, more than the file can hold",
                          source->name, (long long)image->width, (long long)image->height);
    image->pixels = gndi_malloc(source->fn, (size_t)bytes);
    return image->pixels ? GND_OK : gndi_ew_pending();
}

/* ---- loading -------------------------------------------------------------------------------- */

/* All of a file whose first bytes were read, for a library that wants it in memory. */
static gnd_status read_from_memory(gndi_source *source, const char magic[2], gndi_image *image) {
    size_t size;
    char *bytes = gndi_read_all(source, magic, 2, &size);
    if (!bytes) return gndi_ew_pending();
    const gnd_status status =
        magic[0] == '\xff' ? gndi_jpeg_read(source, bytes, size, image) : gndi_tiff_read(source, bytes, size, 0, image);
    gndi_free(bytes);
    return status;
}

static gnd_status read_image(gndi_source *source, gndi_image *image) {
    char magic[8] = "";
    gnd_status status = gndi_source_read(source, magic, 2, "first bytes");
    if (status != GND_OK) return status;
    if (magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7') return gndi_pnm_read(source, magic, image);
    if (memcmp(magic, "\xff\xd8", 2) == 0 || memcmp(magic, "II", 2) == 0 || memcmp(magic, "MM", 2) == 0)
        return read_from_memory(source, magic, image);
    if (memcmp(magic, "\x89P", 2) == 0) {
        status = gndi_source_read(source, magic + 2, 6, "first bytes");
        if (status != GND_OK) return status;
        if (memcmp(magic, "\x89PNG\r\n\x1a\n", 8) == 0) return gndi_png_read(source, image);
    }
    return gndi_raise(GND_ERROR_IO, source->fn,
                      "%s is no picture that gnd reads, which are PNG, JPEG, TIFF, PGM and PPM%s", source->name,
                      memcmp(magic, "BM", 2) == 0   ? "; it looks like a BMP"
                      : memcmp(magic, "GI", 2) == 0 ? "; it looks like a GIF"
                      : memcmp(magic, "SI", 2) == 0 ? "; it looks like FITS, which gnd_load_fits reads"
                                                    : "");
}

static gnd_array *array_of(const char *fn, const gndi_image *image) {
    const int64_t shape[] = {image->height, image->width, image->channels};
    return gndi_array_of_bytes(fn, image->pixels, image->channels == 1 ? 2 : 3, shape, image->dtype);
}

gnd_array *gnd_load_image(const char *path) {
    static const char fn[] = "gnd_load_image";
    gndi_path_text name;
    gndi_source source;
    gndi_image image = {0};
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    gnd_array *a = read_image(&source, &image) == GND_OK ? array_of(fn, &image) : NULL;
    gndi_free(image.pixels);
    fclose(source.context);
    return a;
}

gnd_array *gnd_load_tiff(const char *path, int64_t page) {
    static const char fn[] = "gnd_load_tiff";
    gndi_path_text name;
    gndi_source source;
    gndi_image image = {0};
    size_t size;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    char *bytes = gndi_read_all(&source, NULL, 0, &size);
    gnd_array *a = NULL;
    if (bytes && gndi_tiff_read(&source, bytes, size, page, &image) == GND_OK) a = array_of(fn, &image);
    gndi_free(bytes);
    gndi_free(image.pixels);
    fclose(source.context);
    return a;
}

/* ---- saving --------------------------------------------------------------------------------- */

/* A format by the ending of its files, how many channels it has, as a set of bits
   and in words. */
typedef struct image_format {
    const char *ending;
    unsigned channels;
    const char *takes;
    gnd_status (*write)(gndi_output *out, gndi_image *image);
} image_format;

enum { GREY = 1 << 1, GREY_ALPHA = 1 << 2, COLORS = 1 << 3, COLORS_ALPHA = 1 << 4 };
static const image_format formats[] = {
    {".png", GREY | GREY_ALPHA | COLORS | COLORS_ALPHA, "1 to 4 channels", gndi_png_write},
    {".jpg", GREY | COLORS, "one channel or three", gndi_jpeg_write},
    {".jpeg", GREY | COLORS, "one channel or three", gndi_jpeg_write},
    {".tif", ~0u, "up to 256 channels", gndi_tiff_write},
    {".tiff", ~0u, "up to 256 channels", gndi_tiff_write},
    {".pgm", GREY, "one channel", gndi_pnm_write},
    {".ppm", COLORS, "three channels", gndi_pnm_write},
    {".pnm", GREY | COLORS, "one channel or three", gndi_pnm_write},
};

static const image_format *format_of(const char *path) {
    const size_t length = strlen(path);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const size_t ending = strlen(formats[k].ending);
        if (length >= ending && strcasecmp(path + length - ending, formats[k].ending) == 0) return &formats[k];
    }
    return NULL;
}

static gnd_status check_dtype(const char *fn, gnd_dtype dtype, const image_format *format) {
    const bool tiff = format->write == gndi_tiff_write, jpeg = format->write == gndi_jpeg_write;
    if (dtype == GND_UINT8 || (dtype == GND_UINT16 && !jpeg) || (tiff && gndi_tiff_takes(dtype))) return GND_OK;
    if (tiff) return gndi_raise(GND_ERROR_DTYPE, fn, "a TIFF has no %s; gnd_astype", gnd_dtype_name(dtype));
    return gndi_raise(GND_ERROR_DTYPE, fn, "%s are uint8%s, not %s; scale it to 0 to 255, say, and gnd_astype",
                      jpeg ? "JPEG pictures" : "pictures", jpeg ? "" : " or uint16", gnd_dtype_name(dtype));
}

/* What the array is as a picture, without its pixels. */
static gnd_status describe(const char *fn, const gnd_array *a, const image_format *format, gndi_image *image) {
    const int most = format->write == gndi_tiff_write ? GNDI_TIFF_MOST : 4;
    image->channels = a->ndim == 3 ? (int)(a->shape[2] <= most ? a->shape[2] : most + 1) : 1;
    if ((a->ndim != 2 && a->ndim != 3) || a->size == 0 || image->channels > most)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "an array of shape %s is no picture; one has shape (height, width) or (height, width, "
                          "channels), 1 to %d of them, and at least one pixel",
                          gndi_text_shape(a->ndim, a->shape), most);
    gnd_status status = check_dtype(fn, (gnd_dtype)a->dtype, format);
    if (status != GND_OK) return status;
    if (image->channels < 32 && !(format->channels >> image->channels & 1))
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "a picture of shape %s does not go into a %s file, which has %s; .png takes 1 to 4 channels",
                          gndi_text_shape(a->ndim, a->shape), format->ending, format->takes);
    image->height = a->shape[0], image->width = a->shape[1];
    image->dtype = (gnd_dtype)a->dtype;
    return GND_OK;
}

gnd_status gnd_save_image(const char *path, const gnd_array *a) {
    static const char fn[] = "gnd_save_image";
    GNDI_PARTS_OF(fn);
    if (!path || gndi_missing(a)) return gndi_raise_null(fn, path ? "a" : "path");
    gndi_output out;
    gndi_image image = {0};
    const image_format *format = format_of(path);
    if (!format)
        return gndi_raise(
            GND_ERROR_INVALID, fn,
            "\"%.300s\" names no format that gnd writes; those end in .png, .jpg, .tif, .pgm, .ppm or .pnm", path);
    gnd_status status = describe(fn, a, format, &image);
    if (status != GND_OK) return status;
    size_t bytes = gndi_image_row(&image) * (size_t)image.height;
    if (!(image.pixels = gndi_malloc(fn, bytes))) return gndi_ew_pending();
    status = gnd_to_host(a, image.pixels, bytes);
    if (status == GND_OK && (status = gndi_output_open(&out, fn, path)) == GND_OK) {
        status = format->write(&out, &image);
        status = gndi_output_close(&out, status);
    }
    gndi_free(image.pixels);
    return status;
}
