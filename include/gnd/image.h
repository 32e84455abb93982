/*
 * gnd/image.h: pictures in files: PNG, PGM and PPM.
 *
 * A picture is an array of uint8 or uint16: (height, width) if it is grey, else (height, width,
 * channels): 2 are grey and alpha, 3 red, green and blue, 4 these and alpha. Row 0 is the top one.
 */
#ifndef GND_IMAGE_H
#define GND_IMAGE_H

#include <gnd/base.h>

GND_BEGIN

/**
 * The picture in a file, on the current device; which format it has is told by its first bytes.
 *
 * PNG: every kind there is. Palettes become colours and fewer than 8 bits 8, a transparent colour an
 * alpha channel; 16 bits become uint16; interlaced ones are put together. Numbers are as in the file:
 * nothing is done about gamma or colour profiles. PGM and PPM, binary (P5, P6) and as text (P2, P3):
 * uint8 if the largest value is below 256, else uint16, scaled to the dtype's range if the largest
 * value is not that of the dtype.
 *
 * GND_ERROR_IO if the file cannot be read, is truncated, damaged, or no picture of these formats.
 * GND_ERROR_UNAVAILABLE for PNG without libpng (Debian: libpng16-16).
 */
GND_API gnd_array *gnd_load_image(const char *path);

/**
 * Writes a picture in the format that the path's ending names: .png, .pgm (grey), .ppm (three
 * channels), .pnm (either); capital letters are as good. `a` is uint8 or uint16, and has the shape of
 * a picture, (height, width) or (height, width, channels) with 1 to 4 channels; for others, floats
 * say, scale and gnd_astype. Waits for the array's value. The new file replaces one of this name at
 * the end, as gnd_save does it. GND_ERROR_INVALID for another ending, GND_ERROR_SHAPE and
 * GND_ERROR_DTYPE for what is no picture or does not go into the format.
 */
GND_API gnd_status gnd_save_image(const char *path, const gnd_array *a);

GND_END

#endif
