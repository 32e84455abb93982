/*
 * test_signal.c: sliding sums and phases as C programs use them, and sums of many products. The oracle
 * tests compare dtypes, modes and lengths with NumPy.
 */
#include "values.h"
#include <math.h>

TEST(lines_slide_over_each_other) {
    gnd_array *a = gnd_arange(1, 5, 1, GND_FLOAT32), *v = gnd_arange(1, 3, 1, GND_INT8);
    CHECK(HOLDS(gnd_convolve(a, v, GND_FULL), 1, 4, 7, 10, 8));
    CHECK(HOLDS(gnd_convolve(v, a, GND_SAME), 1, 4, 7, 10));
    CHECK(HOLDS(gnd_correlate(a, v, GND_VALID), 5, 8, 11));
    CHECK(HOLDS(gnd_correlate(v, a, GND_VALID), 11, 8, 5));
    CHECK(gnd_dtype_of(gnd_convolve(v, v, GND_FULL)) == GND_INT8);
    CHECK(HOLDS(gnd_convolve(gnd_full(GND_SHAPE(2), 100, GND_INT8), v, GND_VALID), 44));
    CHECK_ERROR(gnd_convolve(a, gnd_zeros(GND_SHAPE(2, 2), GND_INT8), GND_FULL), GND_ERROR_SHAPE, "(2, 2)");
    CHECK_ERROR(gnd_correlate(a, NULL, GND_FULL), GND_ERROR_INVALID, "'v' is NULL");
}

TEST(many_products_add_up) {
    const int64_t n = 1000003, taps = 257;
    float *got = malloc((size_t)n * sizeof *got);
    gnd_array *ones = gnd_ones(GND_SHAPE(n), GND_FLOAT32);
    gnd_array *sums = gnd_correlate(ones, gnd_ones(GND_SHAPE(taps), GND_FLOAT32), GND_SAME);
    CHECK(gnd_to_host(sums, got, (size_t)n * sizeof *got) == GND_OK);
    bool right = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t before = taps / 2 < i ? taps / 2 : i, behind = n - 1 - i;
        const int64_t after = taps - taps / 2 - 1 < behind ? taps - taps / 2 - 1 : behind;
        right = right && got[i] == (float)(before + 1 + after);
    }
    CHECK(right);
    /* One sum of all products, and few sums of nearly all. */
    CHECK(gnd_item_double(gnd_correlate(ones, ones, GND_VALID)) == (double)n);
    gnd_array *part = gnd_slice(ones, ":-9");
    gnd_array *few = gnd_correlate(ones, part, GND_VALID);
    CHECK(gnd_size(few) == 10 && gnd_item_double(gnd_min(few, GND_ALL)) == (double)(n - 9));
    free(got);
}

TEST(phases_unwrap) {
    gnd_array *turns = DOUBLES(0, 1, 2, 3, -3, -2);
    double got[6];
    CHECK(gnd_to_host(gnd_unwrap(turns, GND_NONE, -1, GND_NONE), got, sizeof got) == GND_OK);
    CHECK(fabs(got[5] - (2 * 3.14159265358979 - 2)) < 1e-12 && got[3] == 3);
    gnd_array *hours = gnd_from_host((int32_t[]){22, 23, 0, 1}, GND_SHAPE(4), GND_INT32);
    CHECK(HOLDS(gnd_unwrap(hours, GND_NONE, 0, 24), 22, 23, 24, 25));
    CHECK_ERROR(gnd_unwrap(hours, GND_NONE, 1, 24), GND_ERROR_AXIS, "axis 1");
}

TEST(bits_are_packed) {
    gnd_array *a = gnd_from_host((uint8_t[]){1, 0, 0, 0, 0, 0, 1, 1, 1}, GND_SHAPE(9), GND_UINT8);
    CHECK(HOLDS(gnd_packbits(a, 0, GND_BIG), 131, 128));
    CHECK(HOLDS(gnd_packbits(a, 0, GND_LITTLE), 193, 1));
    gnd_array *back = gnd_unpackbits(gnd_packbits(a, 0, GND_BIG), 0, 9, GND_BIG);
    CHECK(HOLDS(back, 1, 0, 0, 0, 0, 0, 1, 1, 1));
    CHECK_ERROR(gnd_packbits(gnd_zeros(GND_SHAPE(3), GND_FLOAT32), 0, GND_BIG), GND_ERROR_DTYPE, "float32");
}

TEST_MAIN
