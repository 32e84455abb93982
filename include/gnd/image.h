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
 * Loads a picture onto the current device. The format is recognized by its first bytes.
 *
 * PNG: every kind, interlaced ones too. Palettes become colours, fewer than 8 bits become 8, a transparent
 * colour becomes an alpha channel, 16 bits become uint16. Values are as in the file: gamma and colour
 * profiles are ignored. PGM and PPM, binary (P5, P6) and as text (P2, P3): uint8 if the largest value is
 * below 256, else uint16, scaled to the dtype's range if the largest value is not that of the dtype.
 *
 * GND_ERROR_IO if the file cannot be read, is truncated, damaged, or no picture of these formats.
 * GND_ERROR_UNAVAILABLE for PNG without libpng (Debian: libpng16-16).
 */
GND_API gnd_array *gnd_load_image(const char *path);

/**
 * Writes a picture in the format of the path's extension: .png, .pgm (grey), .ppm (three channels), .pnm
 * (either), in any case. `a` is uint8 or uint16, and has the shape of a picture, (height, width) or (height,
 * width, channels) with 1 to 4 channels; for others, floats say, scale and gnd_astype. Waits for the array's
 * value. An existing file is replaced at the end, as by gnd_save. GND_ERROR_INVALID for another ending,
 * GND_ERROR_SHAPE and GND_ERROR_DTYPE for what is no picture or does not go into the format.
 */
GND_API gnd_status gnd_save_image(const char *path, const gnd_array *a);

GND_END

#endif
