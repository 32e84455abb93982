/*
 * gnd/limits.h: what dtypes can hold. Nothing here waits.
 */
#ifndef GND_LIMITS_H
#define GND_LIMITS_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/** The limits of a floating dtype; of a complex one, those of its parts. */
typedef struct gnd_float_info {
    gnd_dtype dtype;           /**< the real dtype that this is about */
    int bits;                  /**< of a number */
    int nmant, nexp;           /**< bits of the mantissa (without the leading 1), and of the exponent */
    int precision;             /**< decimal digits that always hold */
    int machep, negep;         /**< eps is 2^machep, epsneg 2^negep */
    int minexp, maxexp;        /**< tiny is 2^minexp; 2^maxexp is the first power that overflows */
    double eps;                /**< the next number above 1, less 1 */
    double epsneg;             /**< 1 less the next number below it */
    double min, max;           /**< the lowest and the largest finite number */
    double smallest_normal;    /**< the smallest positive number of full precision; NumPy's `tiny` */
    double smallest_subnormal; /**< the smallest positive number */
    double resolution;         /**< 10^-precision, rounded to the dtype */
} gnd_float_info;

/** The limits of an integer dtype. */
typedef struct gnd_integer_info {
    gnd_dtype dtype;
    int bits;
    int64_t min;
    uint64_t max;
} gnd_integer_info;

/** What a floating or complex dtype can hold (numpy.finfo), float16 and bfloat16 too. Any other dtype is
    GND_ERROR_DTYPE, and all is 0. */
GND_API gnd_float_info gnd_finfo(gnd_dtype dtype);
/** What an integer dtype can hold (numpy.iinfo). Any other dtype, bool too, is GND_ERROR_DTYPE, and all is
    0. */
GND_API gnd_integer_info gnd_iinfo(gnd_dtype dtype);

GND_END

#endif
