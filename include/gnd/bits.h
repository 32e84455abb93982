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
 * The truth of eight elements along an axis as the bits of a uint8 (numpy.packbits), which makes the
 * axis an eighth as long; the last byte is filled up with zeros. GND_FLAT: the elements in C order.
 * GND_ERROR_DTYPE for anything but bool and integers.
 */
GND_API gnd_array *gnd_packbits(const gnd_array *a, int axis, gnd_bit_order order);

/**
 * The bits of uint8 along an axis as elements of uint8, 0 or 1 (numpy.unpackbits), which makes the
 * axis eight times as long. `count`: so many of them, zeros behind the last bit; negative: all but so
 * many at the end; GND_OPEN: all. GND_ERROR_DTYPE for other dtypes, GND_ERROR_VALUE for a count that
 * takes away more than there is.
 */
GND_API gnd_array *gnd_unpackbits(const gnd_array *a, int axis, int64_t count, gnd_bit_order order);

GND_END

#endif
