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

/*
 * GND_ONCE_(x, select): select(v) for a variable v with x's value; `select` is a macro that chooses a
 * function by the type of v with _Generic. _Generic writes its operand twice, so without the variable n
 * nested calls would expand to 2^n copies of the innermost argument.
 * (The comma turns a bit-field into a plain value. Clang warns that the v of a nested call shadows the
 * outer one; GCC does not.)
 */
#if defined(__GNUC__)
#    if defined(__clang__)
#        define GND_SHADOW_(state) _Pragma(state)
#    else
#        define GND_SHADOW_(state)
#    endif
#    define GND_ONCE_(x, select)                                                                                       \
        __extension__({                                                                                                \
            GND_SHADOW_("clang diagnostic push")                                                                       \
            GND_SHADOW_("clang diagnostic ignored \"-Wshadow\"")                                                       \
            __auto_type gnd_once_ = ((void)0, (x));                                                                    \
            GND_SHADOW_("clang diagnostic pop") select(gnd_once_);                                                     \
        })
#else
#    define GND_ONCE_(x, select) select(x)
#endif

/* How many arguments there are, 1 to 64, each of which appears once. */
#define GND_COUNT_ONCE_(...)                                                                                           \
    GND_PICK_65TH_(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44,    \
                   43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, \
                   18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GND_PICK_65TH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, \
                       a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40,  \
                       a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59,  \
                       a60, a61, a62, a63, a64, n, ...)                                                                \
    n

/** The most dimensions an array can have. */
#define GND_MAX_DIMS 64

GND_BEGIN

/** An n-dimensional array on a device: opaque, reference-counted. See gnd/array.h. */
typedef struct gnd_array gnd_array;
/**
 * A list of arrays, as gnd_stack() takes it: `gnd_array *list[]` or `const gnd_array *list[]`, or a pointer
 * to either. A pointer to anything else is a compile error. In the calling convention it is a pointer, `const
 * gnd_array *const *`; C++ and bindings see that type.
 */
#if defined(__GNUC__) && !defined(__cplusplus)
typedef union gnd_array_list {
    const gnd_array *const *list;
    gnd_array *const *writable;
} gnd_array_list __attribute__((transparent_union));
/*
 * Functions that take one also have a macro of the same name; without it -Wpedantic would warn about the
 * union.
 */
#    define GND_WITH_LIST_ __extension__
#else
typedef const gnd_array *const *gnd_array_list;
#    define GND_WITH_LIST_
#endif
/** A queue of work on a device. See gnd/stream.h. */
typedef struct gnd_stream gnd_stream;
/** A point in a stream that can be waited for and timed. See gnd/stream.h. */
typedef struct gnd_event gnd_event;

/** The outcome of a call. For everything but GND_OK, gnd_error() has the details. */
typedef enum gnd_status {
    GND_OK = 0,
    GND_ERROR_INVALID,     /**< an argument is invalid by itself: NULL, a bad slice string */
    GND_ERROR_SHAPE,       /**< shapes do not fit each other or the operation */
    GND_ERROR_DTYPE,       /**< a dtype the operation does not take, or a cast that is not allowed */
    GND_ERROR_INDEX,       /**< an index out of range */
    GND_ERROR_VALUE,       /**< a value the operation does not take (integer to a negative power) */
    GND_ERROR_DEVICE,      /**< arrays on different devices, no such device, a device that failed */
    GND_ERROR_MEMORY,      /**< out of memory, or a size no memory could hold */
    GND_ERROR_IO,          /**< a file that cannot be read or written, or is malformed */
    GND_ERROR_UNAVAILABLE, /**< a library or feature this machine or build does not have */
    GND_ERROR_AXIS,        /**< an axis that does not exist, or is given twice */
} gnd_status;

/** The version of the library that is running, "0.1.0". Lives for ever. */
GND_API const char *gnd_version(void);

GND_END

#endif
