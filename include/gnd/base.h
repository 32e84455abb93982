/*
 * gnd/base.h: what every other header of gnd needs: symbol visibility, the version, the limits and
 * the status codes.
 */
#ifndef GND_BASE_H
#define GND_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GND_VERSION_MAJOR 0
#define GND_VERSION_MINOR 1
#define GND_VERSION_PATCH 0
/** The version as one number, 10000 major + 100 minor + patch, for `#if GND_VERSION >= ...`. */
#define GND_VERSION (10000 * GND_VERSION_MAJOR + 100 * GND_VERSION_MINOR + GND_VERSION_PATCH)

#if defined(__GNUC__)
#    define GND_API __attribute__((visibility("default")))
#    define GND_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#    define GND_API
#    define GND_PRINTF(fmt, first)
#endif

#ifdef __cplusplus
#    define GND_BEGIN extern "C" {
#    define GND_END }
#else
#    define GND_BEGIN
#    define GND_END
#endif

/** The most dimensions an array can have. */
#define GND_MAX_DIMS 64

GND_BEGIN

/** An n-dimensional array on a device: opaque, reference-counted. See gnd/array.h. */
typedef struct gnd_array gnd_array;
/** A queue of work on a device. See gnd/stream.h. */
typedef struct gnd_stream gnd_stream;
/** A point in a stream that can be waited for and timed. See gnd/stream.h. */
typedef struct gnd_event gnd_event;

/** What a call came to. Everything but GND_OK has a sentence of its own in gnd_error(). */
typedef enum gnd_status {
    GND_OK = 0,
    GND_ERROR_INVALID, /**< an argument is wrong in itself: NULL, a bad axis, a bad slice string */
    GND_ERROR_SHAPE,   /**< shapes do not fit each other or the operation */
    GND_ERROR_DTYPE,   /**< a dtype the operation does not take, or a cast that is not allowed */
    GND_ERROR_INDEX,   /**< an index out of range */
    GND_ERROR_VALUE,   /**< a value the operation does not take (integer to a negative power) */
    GND_ERROR_DEVICE,  /**< arrays on different devices, no such device, a device that failed */
    GND_ERROR_MEMORY,  /**< out of memory, or a size no memory could hold */
    GND_ERROR_IO,      /**< a file that cannot be read or written, or is not what it says */
    GND_ERROR_UNAVAILABLE, /**< a library or feature this machine or build does not have */
} gnd_status;

/** The version of the library that is running, "0.1.0". Lives for ever. */
GND_API const char *gnd_version(void);

GND_END

#endif
