/*
 * gnd/dtype.h: the element types, and NumPy 2's rules for promoting and casting between them.
 */
#ifndef GND_DTYPE_H
#define GND_DTYPE_H

#include <gnd/arg.h>
#include <gnd/base.h>

GND_BEGIN

/** The element types. Zero is "not given" wherever a dtype is optional. */
typedef enum gnd_dtype {
    GND_DTYPE_NONE = 0,
    GND_BOOL, /**< one byte, 0 or 1 */
    GND_INT8,
    GND_UINT8,
    GND_INT16,
    GND_UINT16,
    GND_INT32,
    GND_UINT32,
    GND_INT64,
    GND_UINT64,
    GND_FLOAT16,  /**< IEEE binary16; computed in float32 */
    GND_BFLOAT16, /**< the upper half of a float32; computed in float32 */
    GND_FLOAT32,
    GND_FLOAT64,
    GND_COMPLEX64,  /**< two float32: real, imaginary */
    GND_COMPLEX128, /**< two float64: real, imaginary */
} gnd_dtype;
/** How many dtypes there are, GND_DTYPE_NONE counted. */
#define GND_DTYPE_COUNT 16

/** How much a cast may lose, from strict to loose; as NumPy's `casting=`. */
typedef enum gnd_casting {
    GND_SAME_KIND = 0, /**< safe casts, and within a kind (float64 to float32); the default */
    GND_NO_CASTING,    /**< the dtypes must be the same */
    GND_EQUIV,         /**< the same but for byte order; arrays are always native: the same as "no" */
    GND_SAFE,          /**< only casts that keep every value */
    GND_UNSAFE,        /**< any cast */
} gnd_casting;

/** The size of an element in bytes; 0 for GND_DTYPE_NONE or an invalid dtype. */
GND_API size_t gnd_dtype_size(gnd_dtype dtype);
/** NumPy's name: "float32", "bool"; "none" for GND_DTYPE_NONE. Lives for ever. */
GND_API const char *gnd_dtype_name(gnd_dtype dtype);
/** The dtype with this name; GND_DTYPE_NONE, and an error, if there is none. */
GND_API gnd_dtype gnd_dtype_from_name(const char *name);
/** NumPy's kind letter: 'b' bool, 'i' signed, 'u' unsigned, 'f' real floating, 'c' complex. */
GND_API char gnd_dtype_kind(gnd_dtype dtype);

/**
 * The smallest dtype both can be cast to safely (numpy.promote_types). float16 with bfloat16 gives
 * float32; bfloat16 with other dtypes goes as float16 does, but with (u)int8 it stays bfloat16.
 */
GND_API gnd_dtype gnd_promote_types(gnd_dtype a, gnd_dtype b);
/** Whether `from` may be cast to `to` under a casting rule (numpy.can_cast). */
GND_API bool gnd_can_cast(gnd_dtype from, gnd_dtype to, gnd_casting casting);
/**
 * The dtype of an operation on these arguments (numpy.result_type, NEP 50: C numbers are weak).
 * GND_DTYPE_NONE, and an error, if `count` is not 1 to 64 or an argument is NULL.
 */
GND_API gnd_dtype gnd_result_type_n(int count, const gnd_arg *args);
/** The same with the arguments in the call: gnd_result_type(x, 2.5, y). Up to eight. */
#define gnd_result_type(...) gnd_result_type_n(GND_ARGS(__VA_ARGS__))

/** float32 value of a float16 or bfloat16 bit pattern, and the nearest (ties to even) back. */
GND_API float gnd_float16_to_float(uint16_t bits);
GND_API uint16_t gnd_float_to_float16(float value);
GND_API float gnd_bfloat16_to_float(uint16_t bits);
GND_API uint16_t gnd_float_to_bfloat16(float value);

GND_END

#endif
