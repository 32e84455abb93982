/*
 * image.h: pictures on the host, between gnd_load_image and gnd_save_image and the formats.
 */
#ifndef GNDI_IO_IMAGE_H
#define GNDI_IO_IMAGE_H

#include "io/file.h"

/* What a picture is. Samples are in this machine's byte order. */
typedef struct gndi_image {
    int64_t height, width;
    int channels;    /* 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha; of a TIFF more, too */
    gnd_dtype dtype; /* uint8 or uint16; of a TIFF any numbers */
    char *pixels;    /* row after row, of gndi_malloc */
} gndi_image;

/* The bits of a sample, and the bytes of one row. */
static inline int gndi_image_bits(const gndi_image *image) {
    return 8 * (int)gndi_dtype_sizes[image->dtype];
}
static inline size_t gndi_image_row(const gndi_image *image) {
    return (size_t)image->width * (size_t)image->channels * gndi_dtype_sizes[image->dtype];
}
/* Memory for the pixels of an image whose size is known. `most` is how many pixels the bytes of the file
   can stand for, INT64_MAX if that is not known: more are refused before memory is taken. */
gnd_status gndi_image_allocate(gndi_image *image, const gndi_source *source, int64_t most);

/* After the first bytes, which are given, of a PNG (8) and of a PNM (2). */
gnd_status gndi_png_read(gndi_source *source, gndi_image *image);
gnd_status gndi_pnm_read(gndi_source *source, const char magic[2], gndi_image *image);
/* Of all bytes of the file, which `source` is for the messages of. */
gnd_status gndi_jpeg_read(gndi_source *source, char *bytes, size_t size, gndi_image *image);
gnd_status gndi_tiff_read(gndi_source *source, char *bytes, size_t size, int64_t page, gndi_image *image);
/* These may change the pixels. */
gnd_status gndi_png_write(gndi_output *out, gndi_image *image);
gnd_status gndi_pnm_write(gndi_output *out, gndi_image *image);
gnd_status gndi_jpeg_write(gndi_output *out, gndi_image *image);
gnd_status gndi_tiff_write(gndi_output *out, gndi_image *image);
/* Whether it is written to a TIFF, which has at most so many channels. */
bool gndi_tiff_takes(gnd_dtype dtype);
enum { GNDI_TIFF_MOST = 256 };

#endif
