/*
 * dtype_limits.c: the limits of dtypes: finfo and iinfo. The number of mantissa and exponent bits determines
 * a floating-point format; everything else is derived from them.
 */
#include "core/core.h"
#include <math.h>

static double rounded_to(gnd_dtype dtype, double x) {
    switch (dtype) {
    case GND_FLOAT16: return gnd_float16_to_float(gnd_float_to_float16((float)x));
    case GND_BFLOAT16: return gnd_bfloat16_to_float(gnd_float_to_bfloat16((float)x));
    case GND_FLOAT32: return (float)x;
    default: return x;
    }
}

gnd_float_info gnd_finfo(gnd_dtype dtype) {
    static const struct {
        int nmant, nexp;
    } formats[GND_DTYPE_COUNT] = {
        [GND_FLOAT16] = {10, 5},  [GND_BFLOAT16] = {7, 8},   [GND_FLOAT32] = {23, 8},
        [GND_FLOAT64] = {52, 11}, [GND_COMPLEX64] = {23, 8}, [GND_COMPLEX128] = {52, 11},
    };
    gnd_float_info x = {0};
    if (!gndi_dtype_valid((int)dtype) || formats[dtype].nmant == 0) {
        gndi_raise(GND_ERROR_DTYPE, "gnd_finfo", "%s is no floating or complex dtype", gnd_dtype_name(dtype));
        return x;
    }
    x.dtype = dtype == GND_COMPLEX64 ? GND_FLOAT32 : dtype == GND_COMPLEX128 ? GND_FLOAT64 : dtype;
    x.nmant = formats[dtype].nmant, x.nexp = formats[dtype].nexp;
    x.bits = 1 + x.nmant + x.nexp;
    x.precision = (int)(x.nmant * log10(2));
    x.machep = -x.nmant, x.negep = -x.nmant - 1;
    x.maxexp = 1 << (x.nexp - 1), x.minexp = 2 - x.maxexp;
    x.eps = ldexp(1, x.machep), x.epsneg = ldexp(1, x.negep);
    x.max = ldexp(2 - x.eps, x.maxexp - 1), x.min = -x.max;
    x.smallest_normal = ldexp(1, x.minexp);
    x.smallest_subnormal = ldexp(1, x.minexp - x.nmant);
    x.resolution = rounded_to(x.dtype, pow(10, -x.precision));
    return x;
}

gnd_integer_info gnd_iinfo(gnd_dtype dtype) {
    gnd_integer_info x = {0};
    const char kind = gnd_dtype_kind(dtype);
    if (kind != 'i' && kind != 'u') {
        gndi_raise(GND_ERROR_DTYPE, "gnd_iinfo", "%s is no integer dtype", gnd_dtype_name(dtype));
        return x;
    }
    x.dtype = dtype, x.bits = 8 * (int)gnd_dtype_size(dtype);
    x.max = UINT64_MAX >> (64 - x.bits);
    if (kind == 'i') x.max >>= 1, x.min = -(int64_t)x.max - 1;
    return x;
}
