/*
 * jpeg.c: JPEG pictures by TurboJPEG, loaded at first use. The file is decoded from memory and encoded into memory.
 */
#include "io/image.h"
#include "libraries/library_tables.h"

/* Numbers of TurboJPEG's header. */
enum { FORMAT_RGB = 0, FORMAT_GREY = 6, COLORS_GREY = 2, COLORS_CMYK = 3, SAMPLING_444 = 0, SAMPLING_GREY = 3 };
enum { ACCURATE_DCT = 1 << 12, STOP_ON_WARNING = 1 << 13, LIMIT_SCANS = 1 << 15 };
enum { QUALITY = 95, MOST_PIXELS = 65500 };
/* No file has more pixels for each of its bytes; a block of 64 takes a bit at least, but for arithmetic coding. */
enum { MOST_PACKED = 1 << 16 };

/* ---- reading -------------------------------------------------------------------------------- */

static gnd_status damaged(const gndi_turbojpeg *lib, const gndi_source *source, void *handle) {
    return gndi_raise(GND_ERROR_IO, source->fn, "%s is damaged, or a JPEG of a kind that gnd does not read: %s",
                      source->name, lib->tjGetErrorStr2(handle));
}

static gnd_status decode(const gndi_turbojpeg *lib, gndi_source *source, void *handle, const char *bytes, size_t size,
                         gndi_image *image) {
    const uint8_t *from = (const uint8_t *)bytes;
    int width = 0, height = 0, sampling = 0, colors = 0;
    if (lib->tjDecompressHeader3(handle, from, size, &width, &height, &sampling, &colors) != 0)
        return damaged(lib, source, handle);
    if (width < 1 || height < 1) /* tables alone */
        return gndi_raise(GND_ERROR_IO, source->fn, "%s is a JPEG without a picture", source->name);
    if (colors >= COLORS_CMYK)
        return gndi_raise(GND_ERROR_IO, source->fn,
                          "%s is a JPEG in CMYK; gnd reads grey ones, and those in red, green and blue", source->name);
    image->width = width, image->height = height;
    image->channels = colors == COLORS_GREY ? 1 : 3;
    image->dtype = GND_UINT8;
    gnd_status status = gndi_image_allocate(image, source, (int64_t)size * MOST_PACKED);
    if (status != GND_OK) return status;
    if (lib->tjDecompress2(handle, from, size, (uint8_t *)image->pixels, width, 0, height,
                           image->channels == 1 ? FORMAT_GREY : FORMAT_RGB,
                           ACCURATE_DCT | STOP_ON_WARNING | LIMIT_SCANS) != 0)
        return damaged(lib, source, handle);
    return GND_OK;
}

gnd_status gndi_jpeg_read(gndi_source *source, char *bytes, size_t size, gndi_image *image) {
    const gndi_turbojpeg *lib = gndi_turbojpeg_get(source->fn);
    if (!lib) return gndi_ew_pending();
    void *handle = lib->tjInitDecompress();
    if (!handle) return gndi_raise(GND_ERROR_MEMORY, source->fn, "no memory for TurboJPEG");
    const gnd_status status = decode(lib, source, handle, bytes, size, image);
    lib->tjDestroy(handle);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

gnd_status gndi_jpeg_write(gndi_output *out, gndi_image *image) {
    const gndi_turbojpeg *lib = gndi_turbojpeg_get(out->fn);
    if (!lib) return gndi_ew_pending();
    if (image->width > MOST_PIXELS || image->height > MOST_PIXELS)
        return gndi_raise(GND_ERROR_SHAPE, out->fn, "a JPEG has at most %d rows and columns, not %lld and %lld",
                          MOST_PIXELS, (long long)image->height, (long long)image->width);
    void *handle = lib->tjInitCompress();
    if (!handle) return gndi_raise(GND_ERROR_MEMORY, out->fn, "no memory for TurboJPEG");
    const bool grey = image->channels == 1;
    uint8_t *bytes = NULL;
    unsigned long size = 0;
    gnd_status status = GND_OK;
    if (lib->tjCompress2(handle, (uint8_t *)image->pixels, (int)image->width, 0, (int)image->height,
                         grey ? FORMAT_GREY : FORMAT_RGB, &bytes, &size, grey ? SAMPLING_GREY : SAMPLING_444, QUALITY,
                         ACCURATE_DCT) != 0)
        status = gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, lib->tjGetErrorStr2(handle));
    if (status == GND_OK) status = gndi_output_write(out, bytes, size);
    lib->tjFree(bytes);
    lib->tjDestroy(handle);
    return status;
}
