/*
 * dtype.c: NumPy 2's promotion and casting rules (NEP 50), and conversion of C numbers to elements. The
 * promotion table was generated from NumPy; the other rules follow from it.
 */
#include "core/core.h"
#include <inttypes.h>
#include <math.h>

const uint8_t gndi_dtype_sizes[GND_DTYPE_COUNT] = {
    [GND_BOOL] = 1,     [GND_INT8] = 1,    [GND_UINT8] = 1,   [GND_INT16] = 2,     [GND_UINT16] = 2,
    [GND_INT32] = 4,    [GND_UINT32] = 4,  [GND_INT64] = 8,   [GND_UINT64] = 8,    [GND_FLOAT16] = 2,
    [GND_BFLOAT16] = 2, [GND_FLOAT32] = 4, [GND_FLOAT64] = 8, [GND_COMPLEX64] = 8, [GND_COMPLEX128] = 16,
};

static const char *const names[GND_DTYPE_COUNT] = {
    "none",  "bool",   "int8",    "uint8",    "int16",   "uint16",  "int32",     "uint32",
    "int64", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
};

size_t gnd_dtype_size(gnd_dtype dtype) {
    return gndi_dtype_valid(dtype) ? gndi_dtype_sizes[dtype] : 0;
}

const char *gnd_dtype_name(gnd_dtype dtype) {
    return gndi_dtype_valid(dtype) ? names[dtype] : dtype == GND_DTYPE_NONE ? "none" : "not a dtype";
}

gnd_dtype gnd_dtype_from_name(const char *name) {
    if (name == NULL) {
        gndi_raise_null("gnd_dtype_from_name", "name");
        return GND_DTYPE_NONE;
    }
    for (int d = GND_BOOL; d < GND_DTYPE_COUNT; d++)
        if (strcmp(name, names[d]) == 0) return (gnd_dtype)d;
    gndi_raise(GND_ERROR_DTYPE, "gnd_dtype_from_name",
               "there is no dtype '%.60s'; names are as in NumPy: bool, int8, ..., float32, complex128", name);
    return GND_DTYPE_NONE;
}

char gnd_dtype_kind(gnd_dtype dtype) {
    static const char kinds[GND_DTYPE_COUNT + 1] = "?biuiuiuiuffffcc";
    return gndi_dtype_valid(dtype) ? kinds[dtype] : '?';
}

/* ---- promotion and casting ------------------------------------------------------------------ */

/* clang-format off */
enum {
    b1 = GND_BOOL, i1 = GND_INT8, u1 = GND_UINT8, i2 = GND_INT16, u2 = GND_UINT16, i4 = GND_INT32,
    u4 = GND_UINT32, i8 = GND_INT64, u8 = GND_UINT64, f2 = GND_FLOAT16, bf = GND_BFLOAT16,
    f4 = GND_FLOAT32, f8 = GND_FLOAT64, cf = GND_COMPLEX64, cd = GND_COMPLEX128,
};
static const uint8_t promoted[GND_DTYPE_COUNT][GND_DTYPE_COUNT] = {
    /*             b1  i1  u1  i2  u2  i4  u4  i8  u8  f2  bf  f4  f8  cf  cd */
    [b1] = { 0,    b1, i1, u1, i2, u2, i4, u4, i8, u8, f2, bf, f4, f8, cf, cd },
    [i1] = { 0,    i1, i1, i2, i2, i4, i4, i8, i8, f8, f2, bf, f4, f8, cf, cd },
    [u1] = { 0,    u1, i2, u1, i2, u2, i4, u4, i8, u8, f2, bf, f4, f8, cf, cd },
    [i2] = { 0,    i2, i2, i2, i2, i4, i4, i8, i8, f8, f4, f4, f4, f8, cf, cd },
    [u2] = { 0,    u2, i4, u2, i4, u2, i4, u4, i8, u8, f4, f4, f4, f8, cf, cd },
    [i4] = { 0,    i4, i4, i4, i4, i4, i4, i8, i8, f8, f8, f8, f8, f8, cd, cd },
    [u4] = { 0,    u4, i8, u4, i8, u4, i8, u4, i8, u8, f8, f8, f8, f8, cd, cd },
    [i8] = { 0,    i8, i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8, cd, cd },
    [u8] = { 0,    u8, f8, u8, f8, u8, f8, u8, f8, u8, f8, f8, f8, f8, cd, cd },
    [f2] = { 0,    f2, f2, f2, f4, f4, f8, f8, f8, f8, f2, f4, f4, f8, cf, cd },
    [bf] = { 0,    bf, bf, bf, f4, f4, f8, f8, f8, f8, f4, bf, f4, f8, cf, cd },
    [f4] = { 0,    f4, f4, f4, f4, f4, f8, f8, f8, f8, f4, f4, f4, f8, cf, cd },
    [f8] = { 0,    f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, cd, cd },
    [cf] = { 0,    cf, cf, cf, cf, cf, cd, cd, cd, cd, cf, cf, cf, cd, cf, cd },
    [cd] = { 0,    cd, cd, cd, cd, cd, cd, cd, cd, cd, cd, cd, cd, cd, cd, cd },
};
/* clang-format on */

gnd_dtype gnd_promote_types(gnd_dtype a, gnd_dtype b) {
    if (gndi_unlikely(!gndi_dtype_valid(a) || !gndi_dtype_valid(b))) {
        gndi_raise(GND_ERROR_DTYPE, "gnd_promote_types", "%d is not a dtype", (int)(gndi_dtype_valid(a) ? b : a));
        return GND_DTYPE_NONE;
    }
    return (gnd_dtype)promoted[a][b];
}

/* bool < unsigned < signed < real < complex: what "same kind" lets a cast climb. */
static int kind_rank(gnd_dtype d) {
    switch (gnd_dtype_kind(d)) {
    case 'b': return 0;
    case 'u': return 1;
    case 'i': return 2;
    case 'f': return 3;
    default: return 4;
    }
}

bool gnd_can_cast(gnd_dtype from, gnd_dtype to, gnd_casting casting) {
    if (gndi_unlikely(!gndi_dtype_valid(from) || !gndi_dtype_valid(to))) {
        gndi_raise(GND_ERROR_DTYPE, "gnd_can_cast", "%d is not a dtype", (int)(gndi_dtype_valid(from) ? to : from));
        return false;
    }
    switch (casting) {
    case GND_NO_CASTING:
    case GND_EQUIV: return from == to;
    case GND_SAFE: return promoted[from][to] == to;
    case GND_SAME_KIND: return promoted[from][to] == to || kind_rank(from) <= kind_rank(to);
    case GND_UNSAFE: return true;
    }
    gndi_raise(GND_ERROR_INVALID, "gnd_can_cast", "%d is not a casting rule (GND_SAFE and so on)", (int)casting);
    return false;
}

gnd_dtype gndi_arg_default_dtype(gnd_arg arg) {
    switch (arg.kind) {
    case GND_ARG_BOOL: return GND_BOOL;
    case GND_ARG_INT: return GND_INT64;
    case GND_ARG_UINT: return arg.u > INT64_MAX ? GND_UINT64 : GND_INT64;
    case GND_ARG_REAL: return GND_FLOAT64;
    case GND_ARG_COMPLEX: return GND_COMPLEX128;
    case GND_ARG_ARRAY: return gndi_missing(arg.array) ? GND_DTYPE_NONE : (gnd_dtype)arg.array->dtype;
    case GND_ARG_NONE: break;
    }
    return GND_DTYPE_NONE;
}

gndi_parts gndi_arg_parts(gnd_arg arg) {
    switch (arg.kind) {
    case GND_ARG_BOOL:
    case GND_ARG_INT: return (gndi_parts){(double)arg.i, 0};
    case GND_ARG_UINT: return (gndi_parts){(double)arg.u, 0};
    case GND_ARG_REAL: return (gndi_parts){arg.re, 0};
    case GND_ARG_COMPLEX: return (gndi_parts){arg.re, arg.im};
    case GND_ARG_ARRAY:
    case GND_ARG_NONE: break;
    }
    return (gndi_parts){0, 0};
}

gnd_dtype gndi_promote_weak(gnd_dtype array_dtype, gnd_arg arg) {
    if (array_dtype == GND_DTYPE_NONE) return gndi_arg_default_dtype(arg);
    switch (arg.kind) {
    case GND_ARG_INT:
    case GND_ARG_UINT: return array_dtype == GND_BOOL ? gndi_arg_default_dtype(arg) : array_dtype;
    case GND_ARG_REAL: return array_dtype < GND_FLOAT16 ? GND_FLOAT64 : array_dtype;
    case GND_ARG_COMPLEX:
        if (gndi_dtype_is_complex(array_dtype)) return array_dtype;
        return array_dtype < GND_FLOAT16 || array_dtype == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64;
    default: return array_dtype; /* bool is weaker than all; nothing adds nothing */
    }
}

/* Two dtypes that numbers have by themselves: int64 beside uint64 stays whole, as one
   dtype would. */
static gnd_dtype join_numbers(gnd_dtype a, gnd_dtype b) {
    if (a == GND_DTYPE_NONE) return b;
    if (gndi_dtype_is_int(a) && gndi_dtype_is_int(b)) return a == GND_UINT64 ? a : b;
    return (gnd_dtype)promoted[a][b];
}

gnd_dtype gndi_promote_list(int count, const gnd_dtype *dtypes) {
    gnd_dtype result = GND_DTYPE_NONE;
    /* Floats first, as in NumPy: int16 and uint16 beside a float32 give float32, although together
       they are an int32, and that with float32 is a float64. */
    for (int floats = 1; floats >= 0; floats--)
        for (int i = 0; i < count; i++) {
            if ((dtypes[i] >= GND_FLOAT16) != floats) continue;
            result = result ? (gnd_dtype)promoted[result][dtypes[i]] : dtypes[i];
        }
    return result;
}

gnd_dtype gnd_result_type_n(int count, const gnd_arg *args) {
    const char *fn = "gnd_result_type";
    enum { MOST = 64 };
    if (count <= 0 || count > MOST || args == NULL) {
        gndi_raise(GND_ERROR_INVALID, fn, "1 to %d arrays and numbers are needed; %d are given", MOST,
                   args ? count : 0);
        return GND_DTYPE_NONE;
    }
    gnd_dtype arrays[MOST], numbers = GND_DTYPE_NONE;
    int array_count = 0;
    for (int i = 0; i < count; i++) {
        gnd_dtype d = gndi_arg_default_dtype(args[i]);
        if (d == GND_DTYPE_NONE) {
            gndi_raise_null(fn, "args");
            return GND_DTYPE_NONE;
        }
        if (args[i].kind == GND_ARG_ARRAY)
            arrays[array_count++] = d;
        else
            numbers = join_numbers(numbers, d);
    }
    if (array_count == 0) return numbers;
    gnd_dtype result = gndi_promote_list(array_count, arrays);
    for (int i = 0; i < count; i++)
        if (args[i].kind != GND_ARG_ARRAY) result = gndi_promote_weak(result, args[i]);
    return result;
}

/* ---- 16-bit floats -------------------------------------------------------------------------- */

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float gnd_float16_to_float(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 31) return float_from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact */
        float value = (float)fraction * 0x1p-24f;
        return float_from_bits(sign | float_bits(value));
    }
    return float_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t gnd_float_to_float16(float value) {
    uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and up round to infinity */
    if (magnitude < 0x38800000) { /* below 2^-14: adding 0.5 leaves the rounded fraction in the last bits */
        float shifted = float_from_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (float_bits(shifted) - 0x3f000000));
    }
    uint32_t odd = magnitude >> 13 & 1; /* ties to even */
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

float gnd_bfloat16_to_float(uint16_t bits) {
    return float_from_bits((uint32_t)bits << 16);
}

uint16_t gnd_float_to_bfloat16(float value) {
    uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40); /* NaN stays NaN */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float gndi_double_to_odd_float(double value) {
    float nearest = (float)value;
    if ((double)nearest == value || isnan(value)) return nearest;
    uint32_t bits = float_bits(nearest);
    if (fabs((double)nearest) > fabs(value)) bits--; /* towards zero; from infinity to the largest */
    return float_from_bits(bits | 1);
}

/* ---- elements from C numbers ---------------------------------------------------------------- */

/* Out of range as x86-64 converts, and NumPy with it: to the most negative int64 or int32; small
   integers go through int32, and uint64 keeps what lies above int64. */
static int64_t double_to_int64(double v) {
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}
static int32_t double_to_int32(double v) {
    return v > -0x1p31 - 1 && v < 0x1p31 ? (int32_t)v : INT32_MIN;
}
static uint64_t double_to_uint64(double v) {
    if (v < 0x1p63) return (uint64_t)double_to_int64(v);
    return (uint64_t)double_to_int64(v - 0x1p63) ^ UINT64_C(1) << 63;
}

uint64_t gndi_arg_integer(gnd_arg arg) {
    bool whole = arg.kind != GND_ARG_REAL && arg.kind != GND_ARG_COMPLEX;
    return whole ? arg.u : (uint64_t)double_to_int64(arg.re);
}

static void store_real(double re, double im, gnd_dtype dtype, gndi_scalar *out) {
    switch (dtype) {
    case GND_BOOL: out->b = re != 0 || im != 0; break;
    case GND_INT8:
    case GND_UINT8: out->u8 = (uint8_t)double_to_int32(re); break;
    case GND_INT16:
    case GND_UINT16: out->u16 = (uint16_t)double_to_int32(re); break;
    case GND_INT32: out->i32 = double_to_int32(re); break;
    case GND_UINT32: out->u32 = (uint32_t)double_to_int64(re); break;
    case GND_INT64: out->i64 = double_to_int64(re); break;
    case GND_UINT64: out->u64 = double_to_uint64(re); break;
    case GND_FLOAT16: out->u16 = gnd_float_to_float16(gndi_double_to_odd_float(re)); break;
    case GND_BFLOAT16: out->u16 = gnd_float_to_bfloat16(gndi_double_to_odd_float(re)); break;
    case GND_FLOAT32: out->f32 = (float)re; break;
    case GND_FLOAT64: out->f64 = re; break;
    case GND_COMPLEX64: out->c64[0] = (float)re, out->c64[1] = (float)im; break;
    case GND_COMPLEX128: out->c128[0] = re, out->c128[1] = im; break;
    case GND_DTYPE_NONE: break;
    }
}

/* A whole number, as sign and magnitude so that int64 and uint64 are one case. */
static bool store_integer(const char *fn, bool negative, uint64_t magnitude, gnd_dtype dtype, gndi_scalar *out) {
    if (!gndi_dtype_is_int(dtype)) {
        store_real(negative ? -(double)magnitude : (double)magnitude, 0, dtype, out);
        return true;
    }
    bool is_signed = gnd_dtype_kind(dtype) == 'i';
    int bits = 8 * gndi_dtype_sizes[dtype] - is_signed;
    uint64_t highest = UINT64_MAX >> (64 - bits), lowest = is_signed ? highest + 1 : 0; /* magnitudes */
    if (gndi_unlikely(magnitude > (negative ? lowest : highest))) {
        gndi_raise(GND_ERROR_VALUE, fn, "integer %s%" PRIu64 " is out of bounds for %s (%s%" PRIu64 " to %" PRIu64 ")",
                   negative ? "-" : "", magnitude, gnd_dtype_name(dtype), lowest ? "-" : "", lowest, highest);
        return false;
    }
    uint64_t value = negative ? -magnitude : magnitude;
    switch (gndi_dtype_sizes[dtype]) { /* two's complement: the low bytes are the value */
    case 1: out->u8 = (uint8_t)value; break;
    case 2: out->u16 = (uint16_t)value; break;
    case 4: out->u32 = (uint32_t)value; break;
    default: out->u64 = value; break;
    }
    return true;
}

bool gndi_scalar_from_arg(const char *fn, gnd_arg arg, gnd_dtype dtype, gndi_scalar *out) {
    if (gndi_unlikely(!gndi_dtype_valid(dtype))) {
        gndi_raise(GND_ERROR_DTYPE, fn, "%d is not a dtype", (int)dtype);
        return false;
    }
    memset(out, 0, sizeof *out);
    switch (arg.kind) {
    case GND_ARG_BOOL: return store_integer(fn, false, arg.i != 0, dtype, out);
    case GND_ARG_INT: return store_integer(fn, arg.i < 0, arg.i < 0 ? -(uint64_t)arg.i : (uint64_t)arg.i, dtype, out);
    case GND_ARG_UINT: return store_integer(fn, false, arg.u, dtype, out);
    case GND_ARG_REAL: store_real(arg.re, 0, dtype, out); return true;
    case GND_ARG_COMPLEX: store_real(arg.re, arg.im, dtype, out); return true;
    case GND_ARG_ARRAY:
    case GND_ARG_NONE: break;
    }
    gndi_raise(GND_ERROR_INVALID, fn, "a number is needed here");
    return false;
}
