/*
 * gnd/bits.h: bits packed into bytes. Each call is one launch; nothing here waits for the device.
 */
#ifndef GND_BITS_H
#define GND_BITS_H

#include <gnd/base.h>
#include <gnd/rearrange.h>
#include <gnd/view.h>

GND_BEGIN

/** Which bit of a byte comes first: the highest (NumPy's default), or the lowest. */
typedef enum gnd_bit_order { GND_BIG = 0, GND_LITTLE } gnd_bit_order;

/**
 * Packs the truth values of eight elements along an axis into one uint8 (numpy.packbits). The axis becomes an
 * eighth as long; the last byte is padded with zeros. GND_FLAT: the elements in C order. GND_ERROR_DTYPE for
 * anything but bool and integers.
 */
GND_API gnd_array *gnd_packbits(const gnd_array *a, int axis, gnd_bit_order order);

/**
 * Unpacks uint8 along an axis into bits, as uint8 elements 0 or 1 (numpy.unpackbits). The axis becomes eight
 * times as long. `count` limits it: that many bits, padded with zeros; if negative, that many fewer;
 * GND_OPEN: all. GND_ERROR_DTYPE for other dtypes, GND_ERROR_VALUE if a negative count removes more bits than
 * there are.
 */
GND_API gnd_array *gnd_unpackbits(const gnd_array *a, int axis, int64_t count, gnd_bit_order order);

GND_END

#endif
