/*
 * gnd/image.h: pictures in files: PNG, JPEG, TIFF, PGM and PPM; images of the sky in FITS files.
 *
 * A picture is an array of uint8 or uint16 (a TIFF also has other dtypes): (height, width) if it is grey, else (height,
 * width, channels): 2 are grey and alpha, 3 red, green and blue, 4 these and alpha. Row 0 is the top one.
 */
#ifndef GND_IMAGE_H
#define GND_IMAGE_H

#include <gnd/base.h>

GND_BEGIN

/**
 * Loads a picture onto the current device. The format is recognized by its first bytes. Values are as in the file:
 * gamma, colour profiles and orientations are ignored.
 *
 * PNG: every kind, interlaced ones too. Palettes become colours, fewer than 8 bits become 8, a transparent
 * colour becomes an alpha channel, 16 bits become uint16.
 * JPEG: grey or colours, uint8; CMYK is refused. The file is read into memory first.
 * TIFF: the first page, as gnd_load_tiff reads it.
 * PGM and PPM, binary (P5, P6) and as text (P2, P3): uint8 if the largest value is below 256, else uint16, scaled to
 * the dtype's range if the largest value is not that of the dtype.
 *
 * GND_ERROR_IO if the file cannot be read, is truncated, damaged, or no picture of these formats.
 * GND_ERROR_UNAVAILABLE for PNG without libpng (Debian: libpng16-16), for JPEG without TurboJPEG (libturbojpeg0), for
 * TIFF without libtiff 4.5 or later (libtiff6).
 */
GND_API gnd_array *gnd_load_image(const char *path);

/**
 * Loads one page of a TIFF onto the current device; pages are counted from 0. It may be grey, have a palette of up to 8
 * bits, which becomes colours, or be red, green and blue; with any number of samples for each pixel, in strips or
 * tiles, in any compression that libtiff decodes. The dtype is the file's: uint8, uint16, uint32, uint64, int8, int16,
 * int32, int64, float16, float32, float64, complex64 or complex128. Samples of 1, 2 and 4 bits become uint8, scaled to
 * its range. Unsigned pages on which 0 is white are inverted. The file is read into memory first. GND_ERROR_INDEX for a
 * page that does not exist, GND_ERROR_IO if the file cannot be read, is truncated, damaged, or has other samples or
 * colours, GND_ERROR_UNAVAILABLE without libtiff.
 */
GND_API gnd_array *gnd_load_tiff(const char *path, int64_t page);

/**
 * Loads an image of a FITS file (version 4.0) onto the current device: that of the header and data unit (HDU) `unit`: 0
 * is the primary one, 1 the first extension, -1 the first unit with an image. The shape is (NAXISn, ..., NAXIS2,
 * NAXIS1), so the last axis runs along the rows, and row 0 is the first in the file, which viewers show at the bottom.
 *
 * BITPIX 8 becomes uint8, 16, 32 and 64 int16, int32 and int64, -32 and -64 float32 and float64. Where BSCALE is 1 and
 * BZERO is the offset by which FITS stores the other signedness: int8, uint16, uint32, uint64. With other values of
 * these, or with BLANK, the result is BZERO + BSCALE * x as float32 (BITPIX 8, 16, -32) or float64, and NaN where x is
 * BLANK.
 *
 * GND_ERROR_INDEX for a unit that does not exist; GND_ERROR_IO if the file cannot be read, is truncated or no FITS
 * file, and for a unit that is a table, has no data, or is a compressed image (funpack decompresses it). A gzipped file
 * must be decompressed first.
 */
GND_API gnd_array *gnd_load_fits(const char *path, int64_t unit);

/**
 * Writes a picture in the format of the path's extension, upper or lower case: .png (1 to 4 channels), .jpg or .jpeg
 * (grey or three channels, uint8 only, quality 95, chroma not subsampled), .tif or .tiff (uncompressed, up to 256
 * channels; BigTIFF near 4 GiB and above), .pgm (grey), .ppm (three channels), .pnm (either). `a` has the shape of a
 * picture, (height, width) or (height, width, channels), and is uint8 or uint16; for a TIFF also another integer,
 * float16, float32, float64, complex64 or complex128. To write other dtypes, floats as PNG for example, scale them and
 * use gnd_astype. Waits for the array's value. An existing file is replaced at the end, as by gnd_save.
 * GND_ERROR_INVALID for another extension, GND_ERROR_SHAPE and GND_ERROR_DTYPE for what is no picture or does not go
 * into the format, GND_ERROR_UNAVAILABLE without its library.
 */
GND_API gnd_status gnd_save_image(const char *path, const gnd_array *a);

GND_END

#endif
