/* Arrays as text. The expected strings are what NumPy 2.4 prints. */
#include "reads.h"
#include <math.h>

static bool prints(const gnd_array *a, const char *text) {
    char *got = gnd_to_string(a);
    bool same = got && strcmp(got, text) == 0;
    if (!same) printf("# prints: %s\n", got ? got : "(NULL)");
    gnd_string_free(got);
    return same;
}

static gnd_array *floats(int n, const double *values, gnd_dtype dtype) {
    return gnd_astype(gnd_from_host(values, GND_SHAPE(n), GND_FLOAT64), dtype);
}
#define FLOATS(dtype, ...)                                                                                             \
    floats((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}, dtype)

TEST(integers_and_bools) {
    CHECK(prints(gnd_arange(-2, 9, 5, GND_INT16), "[-2  3  8]"));
    CHECK(prints(gnd_full(GND_SHAPE(1), UINT64_MAX, GND_UINT64), "[18446744073709551615]"));
    CHECK(prints(gnd_eye(2, -1, 0, GND_BOOL), "[[ True False]\n [False  True]]"));
    CHECK(reads(gnd_full(GND_SHAPE(1), 1, GND_BOOL), "array([ True])"));
    CHECK(reads(gnd_full(GND_SCALAR, 1, GND_BOOL), "array(True)"));
}

TEST(digits) {
    CHECK(prints(FLOATS(GND_FLOAT64, 0.1, 1.0 / 3, 2), "[0.1        0.33333333 2.        ]"));
    CHECK(prints(FLOATS(GND_FLOAT32, 0.1, 1.0 / 3, 2), "[0.1        0.33333334 2.        ]"));
    CHECK(prints(FLOATS(GND_FLOAT16, 0.1, 1.0 / 3, 2), "[0.1    0.3333 2.    ]"));
    CHECK(prints(FLOATS(GND_BFLOAT16, 0.1, 1.0 / 3, 2), "[0.1   0.334 2.   ]"));
    CHECK(prints(FLOATS(GND_FLOAT64, 1e-5, 1), "[1.e-05 1.e+00]"));
    CHECK(prints(FLOATS(GND_FLOAT64, 1e8, 1), "[1.e+08 1.e+00]"));
    CHECK(prints(FLOATS(GND_FLOAT64, 99999999, 99999998), "[99999999. 99999998.]"));
    CHECK(prints(FLOATS(GND_FLOAT32, 1e6, 999999), "[1.00000e+06 9.99999e+05]"));
    CHECK(prints(FLOATS(GND_FLOAT16, 1000, 999), "[1.00e+03 9.99e+02]"));
    CHECK(prints(FLOATS(GND_FLOAT64, 5e-324, 1e300), "[5.e-324 1.e+300]"));
    CHECK(prints(FLOATS(GND_FLOAT64, NAN, -INFINITY, 1.5), "[ nan -inf  1.5]"));
    CHECK(prints(FLOATS(GND_FLOAT64, -0.0, 0), "[-0.  0.]"));
}

TEST(scalars) {
    CHECK(prints(gnd_full(GND_SCALAR, 1.0 / 3, GND_FLOAT64), "0.3333333333333333"));
    CHECK(prints(gnd_full(GND_SCALAR, 0x1p-44, GND_FLOAT64), "5.684341886080802e-14"));
    CHECK(prints(gnd_full(GND_SCALAR, 9007199254740993.0, GND_FLOAT64), "9007199254740992.0"));
    CHECK(prints(gnd_full(GND_SCALAR, 1e16, GND_FLOAT64), "1e+16"));
    CHECK(prints(gnd_full(GND_SCALAR, 0.1, GND_FLOAT32), "0.1"));
    CHECK(prints(gnd_full(GND_SCALAR, 16777216, GND_FLOAT32), "1.6777216e+07"));
    CHECK(prints(gnd_full(GND_SCALAR, 65504, GND_FLOAT16), "6.55e+04"));
    CHECK(prints(gnd_full(GND_SCALAR, gnd_arg_parts(0, -2), GND_COMPLEX64), "-2j"));
    CHECK(prints(gnd_full(GND_SCALAR, gnd_arg_parts(1, INFINITY), GND_COMPLEX128), "(1+infj)"));
    CHECK(prints(gnd_full(GND_SCALAR, -7, GND_INT8), "-7"));
    char *text = gnd_array2string(gnd_full(GND_SCALAR, 2, GND_FLOAT64), NULL, NULL, NULL);
    CHECK(text && strcmp(text, "2.") == 0);
    gnd_string_free(text);
}

TEST(complex_numbers) {
    gnd_array *z = gnd_zeros(GND_SHAPE(2), GND_COMPLEX64);
    CHECK(gnd_copyto(gnd_real(z), FLOATS(GND_FLOAT32, 1.5, -20)) == GND_OK);
    CHECK(gnd_copyto(gnd_imag(z), FLOATS(GND_FLOAT32, NAN, 0.125)) == GND_OK);
    CHECK(prints(z, "[  1.5  +nanj -20. +0.125j]"));
}

TEST(shapes) {
    CHECK(prints(gnd_zeros(GND_SHAPE(0, 3), GND_INT8), "[]"));
    CHECK(reads(gnd_zeros(GND_SHAPE(0, 3), GND_FLOAT64), "array([], shape=(0, 3), dtype=float64)"));
    CHECK(reads(gnd_zeros(GND_SHAPE(0), GND_BOOL), "array([], dtype=bool)"));
    CHECK(prints(gnd_zeros(GND_SHAPE(2, 1, 2), GND_INT8), "[[[0 0]]\n\n [[0 0]]]"));
    CHECK(prints(gnd_arange(0, 30, 1, GND_INT64),
                 "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
                 " 24 25 26 27 28 29]"));
    /* A dtype that does not fit goes on a line of its own. */
    CHECK(reads(gnd_full(GND_SHAPE(6), 123456789.0, GND_FLOAT32),
                "array([1.2345679e+08, 1.2345679e+08, 1.2345679e+08, 1.2345679e+08,\n"
                "       1.2345679e+08, 1.2345679e+08], dtype=float32)"));
    CHECK(reads(gnd_arange(0, 18, 1, GND_UINT8),
                "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
                "       17], dtype=uint8)"));
}

TEST(summaries) {
    CHECK(prints(gnd_arange(0, 1001, 1, GND_INT64), "[   0    1    2 ...  998  999 1000]"));
    CHECK(reads(gnd_arange(0, 2000, 1, GND_INT32),
                "array([   0,    1,    2, ..., 1997, 1998, 1999],\n      shape=(2000,), dtype=int32)"));
    gnd_array *a = gnd_reshape(gnd_arange(0, 4000, 1, GND_INT16), GND_SHAPE(2, 2000));
    CHECK(prints(gnd_transpose(a), "[[   0 2000]\n [   1 2001]\n [   2 2002]\n ...\n [1997 3997]\n "
                                   "[1998 3998]\n [1999 3999]]"));
    /* More elements than any memory holds: only the corners move. */
    gnd_array *huge = gnd_broadcast_to(gnd_full(GND_SCALAR, 1, GND_INT8), GND_SHAPE(1 << 30, 1 << 30));
    CHECK(prints(gnd_slice(huge, ":, :4"),
                 "[[1 1 1 1]\n [1 1 1 1]\n [1 1 1 1]\n ...\n [1 1 1 1]\n [1 1 1 1]\n [1 1 1 1]]"));
}

TEST(options) {
    gnd_print_options o = gnd_get_printoptions();
    CHECK(o.precision == 8 && o.threshold == 1000 && o.edgeitems == 3 && o.linewidth == 75);
    gnd_array *x = FLOATS(GND_FLOAT64, 1.23456, -1e-10, NAN);
    o.precision = 2, o.suppress = true, o.sign = '+';
    strcpy(o.nanstr, "missing");
    char *text = gnd_array2string(x, &o, ", ", "x = ");
    CHECK(text && strcmp(text, "[  +1.23,   -0.  , +missing]") == 0);
    gnd_string_free(text);
    CHECK(gnd_set_printoptions(&o) == GND_OK);
    CHECK(prints(x, "[  +1.23   -0.   +missing]"));
    CHECK(gnd_set_printoptions(NULL) == GND_OK);
    CHECK(prints(x, "[ 1.23456e+00 -1.00000e-10          nan]"));
    o = gnd_get_printoptions(), o.floatmode = GND_FLOATMODE_FIXED, o.precision = 3;
    text = gnd_array2string(x, &o, NULL, NULL);
    CHECK(text && strcmp(text, "[ 1.235e+00 -1.000e-10        nan]") == 0);
    gnd_string_free(text);
}

TEST(refused_options) {
    gnd_print_options good = gnd_get_printoptions(), o = good;
    o.precision = -1;
    CHECK_ERROR(gnd_set_printoptions(&o), GND_ERROR_INVALID, "precision is -1");
    o = good, o.edgeitems = -1;
    CHECK_ERROR(gnd_set_printoptions(&o), GND_ERROR_INVALID, "edgeitems");
    o = good, o.sign = 'x';
    CHECK_ERROR(gnd_set_printoptions(&o), GND_ERROR_INVALID, "sign");
    o = good, o.floatmode = (gnd_floatmode)7;
    CHECK_ERROR(gnd_set_printoptions(&o), GND_ERROR_INVALID, "floatmode");
    o = good, memset(o.infstr, 'i', sizeof o.infstr);
    CHECK_ERROR(gnd_array2string(gnd_ones(GND_SHAPE(1), 0), &o, NULL, NULL), GND_ERROR_INVALID, "infstr");
    CHECK(prints(gnd_ones(GND_SHAPE(1), GND_FLOAT64), "[1.]"));
}

TEST(printing_to_files) {
    char line[32] = "";
    FILE *file = tmpfile();
    if (!file) SKIP("no temporary file");
    CHECK(gnd_fprint(file, gnd_arange(0, 3, 1, GND_INT64)) == GND_OK);
    rewind(file);
    CHECK(fgets(line, sizeof line, file) && strcmp(line, "[0 1 2]\n") == 0);
    fclose(file);
    CHECK_ERROR(gnd_fprint(NULL, gnd_zeros(GND_SCALAR, 0)), GND_ERROR_INVALID, "stream");
    CHECK_ERROR(gnd_print(NULL), GND_ERROR_INVALID, "gnd_print");
    CHECK_ERROR(gnd_to_string(NULL), GND_ERROR_INVALID, "gnd_to_string");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        CHECK_ERROR(gnd_fprint(full, gnd_zeros(GND_SCALAR, 0)), GND_ERROR_IO, "could not be written");
        fclose(full);
    }
    gnd_string_free(NULL);
}

TEST(out_of_memory) {
    gnd_array *a = gnd_arange(0, 2000, 1, GND_FLOAT64);
    for (int n = 1; n < 50; n++) {
        gndi_fail_alloc_at(n);
        char *text = gnd_to_repr(a);
        gndi_fail_alloc_at(0);
        gnd_error_record e;
        bool failed = gnd_error_take(&e);
        CHECK(failed ? text == NULL && e.code == GND_ERROR_MEMORY : text != NULL);
        gnd_string_free(text);
        if (!failed) break;
    }
}

TEST_MAIN
