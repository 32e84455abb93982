/*
 * pnm.c: PGM and PPM pictures, as the pages pgm(5) and ppm(5) of Netpbm describe them: "P5", numbers with
 * white space and comments between them, one white space, pixels with the high byte first.
 */
#include "io/image.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* The next character; -1 at the end. */
static int next(gndi_source *source) {
    unsigned char c;
    return source->read(source, &c, 1) == 1 ? c : -1;
}

static bool is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next number of the header, or of a picture in text, and the one character behind it; white space
   and comments before it are skipped. -1, and an error, if there is none. */
static int64_t read_number(gndi_source *source, const char *what) {
    int c = next(source);
    while (is_space(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != '\r' && c != -1) c = next(source);
        c = next(source);
    }
    int64_t number = 0, digits = 0;
    for (; c >= '0' && c <= '9' && digits < 10; digits++, c = next(source)) number = 10 * number + (c - '0');
    if (digits > 0 && digits < 10 && (is_space(c) || c == -1 || c == '#')) {
        if (c == '#')
            while (c != '\n' && c != '\r' && c != -1) c = next(source);
        return number;
    }
    if (source->problem)
        gndi_raise(GND_ERROR_IO, source->fn, "cannot read %s: %s", source->name, source->problem);
    else if (c == -1)
        gndi_raise(GND_ERROR_IO, source->fn, "%s ends before its %s", source->name, what);
    else
        gndi_raise(GND_ERROR_IO, source->fn, "the %s of %s is no whole number of at most 9 digits", what, source->name);
    return -1;
}

/* Samples as the dtype's whole range has them, and in this machine's order. */
static gnd_status tidy(const gndi_source *source, gndi_image *image, int64_t largest) {
    const int64_t top = image->dtype == GND_UINT8 ? 255 : 65535;
    size_t count = gndi_image_row(image) * (size_t)image->height / (size_t)(gndi_image_bits(image) / 8);
    uint8_t *bytes = (uint8_t *)image->pixels;
    uint16_t *words = (uint16_t *)(void *)image->pixels;
    if (largest == top) return GND_OK;
    for (size_t i = 0; i < count; i++) {
        int64_t value = image->dtype == GND_UINT8 ? bytes[i] : words[i];
        if (value > largest)
            return gndi_raise(GND_ERROR_IO, source->fn, "%s has a value of %lld, but claims that %lld is the largest",
                              source->name, (long long)value, (long long)largest);
        value = (value * top + largest / 2) / largest;
        if (image->dtype == GND_UINT8)
            bytes[i] = (uint8_t)value;
        else
            words[i] = (uint16_t)value;
    }
    return GND_OK;
}

static gnd_status read_binary(gndi_source *source, gndi_image *image) {
    size_t bytes = gndi_image_row(image) * (size_t)image->height;
    gndi_source_allow(source, bytes);
    gnd_status status = gndi_source_read(source, image->pixels, bytes, "pixels");
    if (status == GND_OK && image->dtype == GND_UINT16 && !gndi_is_big_endian())
        gndi_swap_bytes(image->pixels, bytes, 2);
    return status;
}

static gnd_status read_text(gndi_source *source, gndi_image *image, int64_t largest) {
    size_t count = gndi_image_row(image) * (size_t)image->height / (size_t)(gndi_image_bits(image) / 8);
    gndi_source_allow(source, 16 * count);
    for (size_t i = 0; i < count; i++) {
        int64_t value = read_number(source, "pixels");
        if (value < 0) return gndi_ew_pending();
        if (value > largest)
            return gndi_raise(GND_ERROR_IO, source->fn, "%s has a value of %lld, but claims that %lld is the largest",
                              source->name, (long long)value, (long long)largest);
        if (image->dtype == GND_UINT8)
            ((uint8_t *)image->pixels)[i] = (uint8_t)value;
        else
            ((uint16_t *)(void *)image->pixels)[i] = (uint16_t)value;
    }
    return GND_OK;
}

gnd_status gndi_pnm_read(gndi_source *source, const char magic[2], gndi_image *image) {
    const bool text = magic[1] < '4', grey = magic[1] == '2' || magic[1] == '5';
    if (magic[1] == '1' || magic[1] == '4' || magic[1] == '7')
        return gndi_raise(GND_ERROR_IO, source->fn,
                          "%s is %s; of these formats gnd reads PGM (P2, P5) and PPM (P3, P6)", source->name,
                          magic[1] == '7' ? "a PAM picture (P7)" : "a PBM picture (P1, P4)");
    image->width = read_number(source, "width");
    if (image->width >= 0) image->height = read_number(source, "height");
    int64_t largest = image->width >= 0 && image->height >= 0 ? read_number(source, "largest value") : -1;
    if (largest < 0) return gndi_ew_pending();
    if (image->width == 0 || image->height == 0 || largest == 0 || largest > 65535)
        return gndi_raise(GND_ERROR_IO, source->fn,
                          "%s claims %lld x %lld pixels with %lld as the largest value, which is "
                          "1 to 65535",
                          source->name, (long long)image->width, (long long)image->height, (long long)largest);
    image->channels = grey ? 1 : 3;
    image->dtype = largest < 256 ? GND_UINT8 : GND_UINT16;
    int64_t left = gndi_bytes_left(source->context), sample = text ? 1 : gndi_image_bits(image) / 8;
    gnd_status status =
        gndi_image_allocate(image, source, left < 0 ? INT64_MAX : (left + text) / (sample * image->channels));
    if (status == GND_OK) status = text ? read_text(source, image, largest) : read_binary(source, image);
    return status != GND_OK ? status : tidy(source, image, largest);
}

/* ---- writing -------------------------------------------------------------------------------- */

gnd_status gndi_pnm_write(gndi_output *out, gndi_image *image) {
    char header[80];
    int length = snprintf(header, sizeof header, "P%c\n%lld %lld\n%d\n", image->channels == 1 ? '5' : '6',
                          (long long)image->width, (long long)image->height, image->dtype == GND_UINT8 ? 255 : 65535);
    size_t bytes = gndi_image_row(image) * (size_t)image->height;
    if (image->dtype == GND_UINT16 && !gndi_is_big_endian()) gndi_swap_bytes(image->pixels, bytes, 2);
    gnd_status status = gndi_output_write(out, header, (size_t)length);
    return status != GND_OK ? status : gndi_output_write(out, image->pixels, bytes);
}
