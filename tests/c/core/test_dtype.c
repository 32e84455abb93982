/*
 * test_dtype.c: the dtypes: names, promotion and casting against NumPy's tables, weak numbers, the
 * 16-bit floats, and numbers that become elements.
 */
#include "tap.h"
#include <math.h>

#define DTYPES 15
static const char *const codes[] = {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8",
                                    "u8", "f2", "bf", "f4", "f8", "c8", "cg"};

/* numpy.promote_types; bfloat16 as gnd/dtype.h says. Rows and columns in the order of the enum. */
static const char *const promoted[DTYPES] = {
    "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 bf f4 f8 c8 cg", "i1 i1 i2 i2 i4 i4 i8 i8 f8 f2 bf f4 f8 c8 cg",
    "u1 i2 u1 i2 u2 i4 u4 i8 u8 f2 bf f4 f8 c8 cg", "i2 i2 i2 i2 i4 i4 i8 i8 f8 f4 f4 f4 f8 c8 cg",
    "u2 i4 u2 i4 u2 i4 u4 i8 u8 f4 f4 f4 f8 c8 cg", "i4 i4 i4 i4 i4 i4 i8 i8 f8 f8 f8 f8 f8 cg cg",
    "u4 i8 u4 i8 u4 i8 u4 i8 u8 f8 f8 f8 f8 cg cg", "i8 i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8 f8 cg cg",
    "u8 f8 u8 f8 u8 f8 u8 f8 u8 f8 f8 f8 f8 cg cg", "f2 f2 f2 f4 f4 f8 f8 f8 f8 f2 f4 f4 f8 c8 cg",
    "bf bf bf f4 f4 f8 f8 f8 f8 f4 bf f4 f8 c8 cg", "f4 f4 f4 f4 f4 f8 f8 f8 f8 f4 f4 f4 f8 c8 cg",
    "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 cg cg", "c8 c8 c8 c8 c8 cg cg cg cg c8 c8 c8 cg c8 cg",
    "cg cg cg cg cg cg cg cg cg cg cg cg cg cg cg",
};

/* numpy.can_cast(row, column, "safe") and "same_kind". */
static const char *const safe[DTYPES] = {
    "111111111111111", "010101010111111", "001111111111111", "000101010001111", "000011111001111",
    "000001010000101", "000000111000101", "000000010000101", "000000001000101", "000000000101111",
    "000000000011111", "000000000001111", "000000000000101", "000000000000011", "000000000000001",
};
static const char *const same_kind[DTYPES] = {
    "111111111111111", "010101010111111", "011111111111111", "010101010111111", "011111111111111",
    "010101010111111", "011111111111111", "010101010111111", "011111111111111", "000000000111111",
    "000000000111111", "000000000111111", "000000000111111", "000000000000011", "000000000000011",
};

static gnd_dtype nth(int i) {
    return (gnd_dtype)(GND_BOOL + i);
}

TEST(names_sizes_and_kinds) {
    static const char *const names[] = {"bool",     "int8",    "uint8",   "int16",     "uint16",
                                        "int32",    "uint32",  "int64",   "uint64",    "float16",
                                        "bfloat16", "float32", "float64", "complex64", "complex128"};
    static const size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
    const char *kinds = "biuiuiuiuffffcc";
    for (int i = 0; i < DTYPES; i++) {
        CHECK(strcmp(gnd_dtype_name(nth(i)), names[i]) == 0);
        CHECK(gnd_dtype_from_name(names[i]) == nth(i));
        CHECK(gnd_dtype_size(nth(i)) == sizes[i]);
        CHECK(gnd_dtype_kind(nth(i)) == kinds[i]);
    }
    CHECK(GND_DTYPE_COUNT == DTYPES + 1);
    CHECK(strcmp(gnd_dtype_name(GND_DTYPE_NONE), "none") == 0);
    CHECK(gnd_dtype_size(GND_DTYPE_NONE) == 0 && gnd_dtype_size((gnd_dtype)99) == 0);
    CHECK_ERROR(gnd_dtype_from_name("float23"), GND_ERROR_DTYPE, "gnd_dtype_from_name: there is no dtype 'float23'");
    CHECK_ERROR(gnd_dtype_from_name("none"), GND_ERROR_DTYPE, "'none'");
    CHECK_ERROR(gnd_dtype_from_name(NULL), GND_ERROR_INVALID, "NULL");
}

TEST(promotion_is_numpys) {
    for (int a = 0; a < DTYPES; a++)
        for (int b = 0; b < DTYPES; b++) {
            gnd_dtype d = gnd_promote_types(nth(a), nth(b));
            if (strncmp(promoted[a] + 3 * b, codes[d - GND_BOOL], 2) == 0) continue;
            printf("# %s with %s gives %s\n", gnd_dtype_name(nth(a)), gnd_dtype_name(nth(b)), gnd_dtype_name(d));
            CHECK(!"as NumPy");
        }
    CHECK_ERROR(gnd_promote_types(GND_INT8, (gnd_dtype)77), GND_ERROR_DTYPE, "77 is not a dtype");
    CHECK_ERROR(gnd_promote_types(GND_DTYPE_NONE, GND_INT8), GND_ERROR_DTYPE, "0 is not a dtype");
}

TEST(casting_is_numpys) {
    for (int a = 0; a < DTYPES; a++)
        for (int b = 0; b < DTYPES; b++) {
            CHECK(gnd_can_cast(nth(a), nth(b), GND_SAFE) == (safe[a][b] == '1'));
            CHECK(gnd_can_cast(nth(a), nth(b), GND_SAME_KIND) == (same_kind[a][b] == '1'));
            CHECK(gnd_can_cast(nth(a), nth(b), GND_NO_CASTING) == (a == b));
            CHECK(gnd_can_cast(nth(a), nth(b), GND_EQUIV) == (a == b));
            CHECK(gnd_can_cast(nth(a), nth(b), GND_UNSAFE));
        }
    CHECK_ERROR(gnd_can_cast((gnd_dtype)-1, GND_INT8, GND_UNSAFE), GND_ERROR_DTYPE, "-1 is not a dtype");
    CHECK_ERROR(gnd_can_cast(GND_INT8, GND_INT8, (gnd_casting)9), GND_ERROR_INVALID, "casting");
}

static gnd_array *one(gnd_dtype d) {
    return gnd_empty(GND_SHAPE(1), d);
}

TEST(numbers_are_weak) {
    /* what dtype an array of each dtype has beside an int, a double and a complex number */
    static const char *const with_int = "i8 i1 u1 i2 u2 i4 u4 i8 u8 f2 bf f4 f8 c8 cg";
    static const char *const with_real = "f8 f8 f8 f8 f8 f8 f8 f8 f8 f2 bf f4 f8 c8 cg";
    static const char *const with_complex = "cg cg cg cg cg cg cg cg cg c8 c8 c8 cg c8 cg";
    gnd_arg imaginary = gnd_arg_parts(0, 1);
    for (int i = 0; i < DTYPES; i++) {
        gnd_array *a = one(nth(i));
        CHECK(strncmp(with_int + 3 * i, codes[gnd_result_type(a, 1) - GND_BOOL], 2) == 0);
        CHECK(strncmp(with_int + 3 * i, codes[gnd_result_type(7u, a) - GND_BOOL], 2) == 0);
        CHECK(strncmp(with_real + 3 * i, codes[gnd_result_type(a, 1.5) - GND_BOOL], 2) == 0);
        CHECK(strncmp(with_complex + 3 * i, codes[gnd_result_type(a, imaginary) - GND_BOOL], 2) == 0);
        CHECK(gnd_result_type(a, (bool)true) == nth(i));
        CHECK(gnd_result_type(a, 1, 2.0) == gnd_result_type(2.0, 1, a));
    }
    CHECK(gnd_result_type(one(GND_INT8), one(GND_UINT8), 1.0f) == GND_FLOAT64);
    CHECK(gnd_result_type(one(GND_FLOAT16), 2.0, imaginary) == GND_COMPLEX64);
    CHECK(gnd_result_type(one(GND_BOOL), UINT64_MAX) == GND_UINT64);
    /* not what promoting from left to right gives */
    gnd_array *i = one(GND_INT16), *u = one(GND_UINT16);
    CHECK(gnd_result_type(i, u) == GND_INT32 && gnd_result_type(i, u, one(GND_FLOAT32)) == GND_FLOAT32);
    CHECK(gnd_result_type(u, one(GND_FLOAT16), i, 1.5, imaginary) == GND_COMPLEX64);
}

TEST(numbers_alone) {
    CHECK(gnd_result_type(1) == GND_INT64);
    CHECK(gnd_result_type(1u) == GND_INT64);
    CHECK(gnd_result_type(UINT64_MAX) == GND_UINT64);
    CHECK(gnd_result_type(UINT64_MAX, 1) == GND_UINT64);
    CHECK(gnd_result_type(1, UINT64_MAX) == GND_UINT64);
    CHECK(gnd_result_type((bool)true) == GND_BOOL);
    CHECK(gnd_result_type((bool)true, 1) == GND_INT64);
    CHECK(gnd_result_type(1, 2.5) == GND_FLOAT64);
    CHECK(gnd_result_type(1.5f) == GND_FLOAT64);
    CHECK(gnd_result_type(2.5, gnd_arg_parts(1, 1), 3) == GND_COMPLEX128);
    CHECK_ERROR(gnd_result_type_n(0, NULL), GND_ERROR_INVALID, "1 to 64");
    CHECK_ERROR(gnd_result_type((gnd_array *)NULL, 1), GND_ERROR_INVALID, "NULL");
}

/* The values of all float16 (or bfloat16) in order, so that each neighbour pair can be rounded in
   between: below the middle down, above it up, the middle to the even one. */
static void check_rounding(uint16_t (*narrow)(float), float (*widen)(uint16_t), uint16_t infinity) {
    int wrong = 0;
    for (uint32_t bits = 0; bits < infinity; bits++) {
        float low = widen((uint16_t)bits), high = widen((uint16_t)(bits + 1));
        /* infinity stands where the next power of two would: a double holds that middle */
        double top = isinf(high) ? 2 * (double)widen((uint16_t)(bits + 1 - 1)) - widen((uint16_t)(bits - 1)) : high;
        float middle = (float)(low / 2.0 + top / 2);
        uint16_t even = (uint16_t)(bits & 1 ? bits + 1 : bits);
        wrong += narrow(low) != bits || narrow(-low) != (bits | 0x8000);
        wrong += narrow(middle) != even || narrow(-middle) != (even | 0x8000);
        wrong += narrow(nextafterf(middle, 0)) != bits;
        wrong += narrow(nextafterf(middle, INFINITY)) != bits + 1;
    }
    CHECK(wrong == 0);
    CHECK(narrow(INFINITY) == infinity && narrow(-INFINITY) == (infinity | 0x8000));
    CHECK(isinf(widen(infinity)) && widen(infinity) > 0);
    for (uint32_t bits = infinity + 1u; bits < 0x8000; bits++) {
        CHECK(isnan(widen((uint16_t)bits)) && isnan(widen((uint16_t)(bits | 0x8000))));
        CHECK(isnan(widen(narrow(widen((uint16_t)bits)))));
    }
    CHECK(isnan(widen(narrow(NAN))));
}

TEST(float16_rounds_to_nearest_even) {
    check_rounding(gnd_float_to_float16, gnd_float16_to_float, 0x7c00);
    CHECK(gnd_float16_to_float(1) == 0x1p-24f);
    CHECK(gnd_float16_to_float(0x3c00) == 1 && gnd_float16_to_float(0x7bff) == 65504);
    CHECK(gnd_float_to_float16(65519.996f) == 0x7bff && gnd_float_to_float16(65520) == 0x7c00);
    CHECK(gnd_float_to_float16(0x1p-25f) == 0 && gnd_float_to_float16(0x1.000002p-25f) == 1);
    CHECK(gnd_float_to_float16(1e-45f) == 0 && gnd_float_to_float16(-1e-45f) == 0x8000);
}

TEST(bfloat16_rounds_to_nearest_even) {
    check_rounding(gnd_float_to_bfloat16, gnd_bfloat16_to_float, 0x7f80);
    CHECK(gnd_bfloat16_to_float(0x3f80) == 1 && gnd_bfloat16_to_float(1) == 0x1p-133f);
    uint32_t tricky = 0x7f800001; /* a NaN whose upper half alone would be infinity */
    float nan_value;
    memcpy(&nan_value, &tricky, 4);
    CHECK(isnan(gnd_bfloat16_to_float(gnd_float_to_bfloat16(nan_value))));
}

/* The first element of gnd_full, as bits. */
static uint64_t filled(gnd_arg value, gnd_dtype dtype) {
    uint64_t bits[2] = {0, 0};
    gnd_item((gnd_full)(GND_SHAPE(1), value, dtype), bits);
    return bits[0];
}
#define FILLED(value, dtype) filled(GND_ARG(value), dtype)

TEST(integers_must_fit) {
    CHECK(FILLED(255, GND_UINT8) == 255 && FILLED(-128, GND_INT8) == 0x80);
    CHECK(FILLED(UINT64_MAX, GND_UINT64) == UINT64_MAX && FILLED(INT64_MIN, GND_INT64) == UINT64_C(1) << 63);
    CHECK(FILLED(300, GND_BOOL) == 1 && FILLED(0u, GND_BOOL) == 0);
    CHECK_ERROR(FILLED(300, GND_UINT8), GND_ERROR_VALUE, "300 is out of bounds for uint8 (0 to 255)");
    CHECK_ERROR(FILLED(-1, GND_UINT8), GND_ERROR_VALUE, "-1 is out of bounds for uint8");
    CHECK_ERROR(FILLED(128, GND_INT8), GND_ERROR_VALUE, "128 is out of bounds for int8 (-128 to 127)");
    CHECK_ERROR(FILLED(-129, GND_INT8), GND_ERROR_VALUE, "-129");
    CHECK_ERROR(FILLED(1 << 15, GND_INT16), GND_ERROR_VALUE, "(-32768 to 32767)");
    CHECK_ERROR(FILLED(1 << 16, GND_UINT16), GND_ERROR_VALUE, "(0 to 65535)");
    CHECK_ERROR(FILLED(INT64_C(1) << 31, GND_INT32), GND_ERROR_VALUE, "(-2147483648 to 2147483647)");
    CHECK_ERROR(FILLED(INT64_C(1) << 32, GND_UINT32), GND_ERROR_VALUE, "(0 to 4294967295)");
    CHECK_ERROR(FILLED(UINT64_C(1) << 63, GND_INT64), GND_ERROR_VALUE,
                "9223372036854775808 is out of bounds for int64 (-9223372036854775808 to "
                "9223372036854775807)");
    CHECK_ERROR(FILLED(-1, GND_UINT64), GND_ERROR_VALUE, "(0 to 18446744073709551615)");
}

TEST(numbers_become_floats_with_one_rounding) {
    CHECK(FILLED(100000, GND_FLOAT16) == 0x7c00);
    CHECK(FILLED(1.5, GND_FLOAT16) == 0x3e00 && FILLED(1, GND_BFLOAT16) == 0x3f80);
    /* just above a middle between two float16, by less than a float32 can hold */
    CHECK(FILLED(1 + 0x1p-11 + 0x1p-40, GND_FLOAT16) == 0x3c01);
    CHECK(FILLED(1 + 0x1p-11, GND_FLOAT16) == 0x3c00);
    CHECK(FILLED(1 + 0x3p-11 - 0x1p-40, GND_FLOAT16) == 0x3c01);
    CHECK(FILLED(-1 - 0x1p-8 - 0x1p-45, GND_BFLOAT16) == 0xbf81);
    CHECK(FILLED(1e300, GND_FLOAT16) == 0x7c00 && FILLED(-1e300, GND_BFLOAT16) == 0xff80);
    CHECK(FILLED(0x1p-25 + 0x1p-70, GND_FLOAT16) == 1 && FILLED(0x1p-1000, GND_FLOAT16) == 0);
}

TEST(doubles_become_integers_as_in_numpy) {
    CHECK(FILLED(2.9, GND_INT32) == 2 && FILLED(-2.9, GND_INT8) == 0xfe);
    CHECK(FILLED(300.0, GND_UINT8) == 44 && FILLED(-1.5, GND_UINT8) == 255);
    CHECK(FILLED(1e30, GND_INT32) == 0x80000000 && FILLED((double)NAN, GND_INT64) == UINT64_C(1) << 63);
    CHECK(FILLED(1.8e19, GND_UINT64) == UINT64_C(18000000000000000000));
    CHECK(FILLED((double)NAN, GND_BOOL) == 1 && FILLED(0.1, GND_BOOL) == 1 && FILLED(-0.0, GND_BOOL) == 0);
}

TEST_MAIN
