/*
 * image.h: pictures on the host, between gnd_load_image and gnd_save_image and the formats.
 */
#ifndef GNDI_IO_IMAGE_H
#define GNDI_IO_IMAGE_H

#include "io/file.h"

/* What a picture is. Samples of 16 bits are in this machine's byte order. */
typedef struct gndi_image {
    int64_t height, width;
    int channels; /* 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha */
    int bits;     /* 8 or 16 */
    char *pixels; /* row after row, of gndi_malloc */
} gndi_image;

/* The bytes of one row. */
static inline size_t gndi_image_row(const gndi_image *image) {
    return (size_t)image->width * (size_t)image->channels * (size_t)(image->bits / 8);
}
/* Memory for the pixels of an image whose size is known. `most` is how many pixels the bytes of the file
   can stand for, INT64_MAX if that is not known: more are refused before memory is taken. */
gnd_status gndi_image_allocate(gndi_image *image, const gndi_source *source, int64_t most);

/* After the first bytes, which are given, of a PNG (8) and of a PNM (2). */
gnd_status gndi_png_read(gndi_source *source, gndi_image *image);
gnd_status gndi_pnm_read(gndi_source *source, const char magic[2], gndi_image *image);
/* These may change the pixels. */
gnd_status gndi_png_write(gndi_output *out, gndi_image *image);
gnd_status gndi_pnm_write(gndi_output *out, gndi_image *image);

#endif
