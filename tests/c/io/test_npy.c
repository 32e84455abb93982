/* .npy files: what is written, what is read, and what is refused. */
#include "reads.h"

/* A file of its own for each test program, in the directory the tests run in. */
static const char path[] = "test_npy_scratch.npy";

/* An open file with these bytes in it. */
static FILE *file_of(const void *bytes, size_t length) {
    FILE *file = tmpfile();
    if (file) {
        fwrite(bytes, 1, length, file);
        rewind(file);
    }
    return file;
}

/* A file of version 1.0 with this dictionary and this data behind it, loaded. */
static gnd_array *load_with(const char *dictionary, const char *data, size_t data_bytes) {
    char bytes[4096] = "\x93NUMPY\x01";
    size_t length = strlen(dictionary);
    bytes[8] = (char)(length & 0xff), bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    if (data) memcpy(bytes + 10 + length, data, data_bytes);
    FILE *file = file_of(bytes, 10 + length + data_bytes);
    gnd_array *a = gnd_load_file(file);
    fclose(file);
    return a;
}

/* The same with zeros as data. */
static gnd_array *load_header(const char *dictionary, size_t data_bytes) {
    return load_with(dictionary, NULL, data_bytes);
}

static gnd_array *load_bytes(const void *bytes, size_t length) {
    FILE *file = file_of(bytes, length);
    gnd_array *a = gnd_load_file(file);
    fclose(file);
    return a;
}

/* Whether two arrays have the same dtype, shape, order and bytes. */
static bool same(const gnd_array *a, const gnd_array *b) {
    if (!a || !b || gnd_dtype_of(a) != gnd_dtype_of(b) || gnd_ndim(a) != gnd_ndim(b)) return false;
    for (int k = 0; k < gnd_ndim(a); k++)
        if (gnd_dim(a, k) != gnd_dim(b, k)) return false;
    size_t bytes = (size_t)gnd_nbytes(a);
    char *x = malloc(bytes + 1), *y = malloc(bytes + 1);
    bool equal = gnd_to_host(a, x, bytes) == GND_OK && gnd_to_host(b, y, bytes) == GND_OK && memcmp(x, y, bytes) == 0;
    free(x);
    free(y);
    return equal;
}

TEST(every_dtype_and_order_comes_back) {
    for (int dtype = GND_BOOL; dtype <= GND_COMPLEX128; dtype++) {
        gnd_array *a = gnd_astype(gnd_reshape(gnd_arange(0, 24, 1, GND_INT8), GND_SHAPE(2, 3, 4)), (gnd_dtype)dtype);
        gnd_array *forms[] = {a,
                              gnd_transpose(a),
                              gnd_slice(a, "::-1, 1:, ::2"),
                              gnd_slice(a, "0, 0, 0"),
                              gnd_slice(a, ":, 0:0"),
                              gnd_broadcast_to(gnd_slice(a, "0"), GND_SHAPE(2, 3, 4))};
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            CHECK(gnd_save(path, forms[k]) == GND_OK);
            CHECK(same(gnd_load(path), forms[k]));
        }
        CHECK(gnd_save(path, gnd_transpose(a)) == GND_OK && gnd_is_f_contiguous(gnd_load(path)));
    }
    remove(path);
}

TEST(the_bytes_are_numpys) {
    /* numpy.save of numpy.array([[1, 2]], "<i2") */
    static const char start[] = "\x93NUMPY\x01\0v\0{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }";
    char expected[132], got[256];
    memset(expected, ' ', sizeof expected);
    memcpy(expected, start, sizeof start - 1);
    memcpy(expected + 127, "\n\1\0\2\0", 5);
    FILE *file = tmpfile();
    CHECK(gnd_save_file(file, gnd_reshape(gnd_arange(1, 3, 1, GND_INT16), GND_SHAPE(1, 2))) == GND_OK);
    rewind(file);
    size_t length = fread(got, 1, sizeof got, file);
    fclose(file);
    CHECK(length == sizeof expected && memcmp(got, expected, length) == 0);
}

TEST(several_arrays_in_one_file) {
    FILE *file = tmpfile();
    CHECK(gnd_save_file(file, gnd_arange(0, 3, 1, GND_INT8)) == GND_OK);
    CHECK(gnd_save_file(file, gnd_full(GND_SCALAR, 2.5, GND_FLOAT32)) == GND_OK);
    rewind(file);
    CHECK(reads(gnd_load_file(file), "array([0, 1, 2], dtype=int8)"));
    CHECK(reads(gnd_load_file(file), "array(2.5, dtype=float32)"));
    CHECK_ERROR(gnd_load_file(file), GND_ERROR_IO, "first bytes");
    fclose(file);
}

TEST(more_than_one_piece) {
    /* Strided, and longer than the buffer it goes through. */
    gnd_array *a = gnd_slice(gnd_arange(0, 12000000, 1, GND_INT32), "::-1");
    CHECK(gnd_save(path, gnd_reshape(a, GND_SHAPE(3, -1))) == GND_OK);
    gnd_array *b = gnd_load(path);
    CHECK(same(gnd_reshape(b, GND_SHAPE(-1)), a));
    CHECK(gnd_save(path, gnd_transpose(gnd_slice(b, ":, 1:"))) == GND_OK);
    CHECK(same(gnd_load(path), gnd_transpose(gnd_slice(b, ":, 1:"))));
    remove(path);
}

TEST(other_writers) {
    const char *i4 = "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }\n";
    char bytes[256] = "\x93NUMPY\x02";
    size_t length = strlen(i4);
    bytes[8] = (char)length; /* version 2.0: four bytes of length */
    memcpy(bytes + 12, i4, length);
    memcpy(bytes + 12 + length, "\0\0\1\2\377\377\377\376trailing", 16);
    CHECK(reads(load_bytes(bytes, 12 + length + 16), "array([258,  -2], dtype=int32)"));
    bytes[6] = 3;
    CHECK(reads(load_bytes(bytes, 12 + length + 8), "array([258,  -2], dtype=int32)"));

    CHECK(reads(load_header("{\"shape\":(1,2L),u'descr':'|b1','fortran_order':True}", 2), "array([[False, False]])"));
    CHECK(reads(load_header("  { 'descr' : 'float32' ,\n'fortran_order':False, 'shape':() }  \n", 4),
                "array(0., dtype=float32)"));
    CHECK(reads(load_header("{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}", 2),
                "array([0.], dtype=bfloat16)"));
    CHECK(reads(load_header("{'descr': 'bfloat16', 'fortran_order': False, 'shape': (1,)}", 2),
                "array([0.], dtype=bfloat16)"));
    CHECK(reads(load_header("{'descr': '=c8', 'fortran_order': False, 'shape': (0, 99)}", 0),
                "array([], shape=(0, 99), dtype=complex64)"));
}

TEST(bools_and_byte_order) {
    CHECK(reads(load_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\2\377", 3),
                "array([False,  True,  True])"));
    CHECK(reads(load_with("{'descr': '>c16', 'fortran_order': False, 'shape': (1,)}",
                          "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16),
                "array([1.-2.j])"));
    CHECK(reads(load_with("{'descr': '>f2', 'fortran_order': True, 'shape': (1, 2)}", "\x3c\0\xc0\0", 4),
                "array([[ 1., -2.]], dtype=float16)"));
}

#define ENTRY(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

TEST(refused_headers) {
    CHECK_ERROR(load_header("", 0), GND_ERROR_IO, "expected a dictionary");
    CHECK_ERROR(load_header("[1, 2]", 0), GND_ERROR_IO, "expected a dictionary");
    CHECK_ERROR(load_header("{'descr': '<f4'}", 0), GND_ERROR_IO, "'shape'");
    CHECK_ERROR(load_header("{'descr': '<f4', 'shape': (1,)}", 0), GND_ERROR_IO, "'fortran_order'");
    CHECK_ERROR(load_header("{'descr': '<f4', 'descr': '<f8'}", 0), GND_ERROR_IO, "once");
    CHECK_ERROR(load_header("{'extra': 1}", 0), GND_ERROR_IO, "no other");
    CHECK_ERROR(load_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4), GND_ERROR_IO, "True or False");
    CHECK_ERROR(load_header("{'descr' '<f4'}", 0), GND_ERROR_IO, "colon");
    CHECK_ERROR(load_header("{'descr': '<f4' 'shape': (1,)}", 0), GND_ERROR_IO, "comma");
    CHECK_ERROR(load_header("{'descr': '<f4", 0), GND_ERROR_IO, "end of the string");
    CHECK_ERROR(load_header("{'descr': __import__('os')}", 0), GND_ERROR_IO, "a string");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1)"), 4), GND_ERROR_IO, "(3,)");
    CHECK_ERROR(load_header(ENTRY("<f4", "[1]"), 4), GND_ERROR_IO, "tuple");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1, 2"), 4), GND_ERROR_IO, "size");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1 2)"), 4), GND_ERROR_IO, "comma");
    CHECK_ERROR(load_header(ENTRY("<f4", "(-1,)"), 4), GND_ERROR_IO, "negative");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1.5,)"), 4), GND_ERROR_IO, "comma");
    CHECK_ERROR(load_header(ENTRY("<f4", "(99999999999999999999,)"), 4), GND_ERROR_IO, "64 bits");
    CHECK_ERROR(load_header(ENTRY("<f4", "(9223372036854775807, 2)"), 4), GND_ERROR_IO, "more elements");
    CHECK_ERROR(load_header(ENTRY("<f4", "(0, 9223372036854775807, 2)"), 0), GND_ERROR_IO, "more elements");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1000000000000,)"), 4), GND_ERROR_IO, "truncated");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"
                                         ",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
                            4),
                GND_ERROR_IO, "more than 64 dimensions");
    CHECK_ERROR(load_header(ENTRY("<f4", "(1,)") "; import os", 4), GND_ERROR_IO, "nothing behind");
    CHECK_ERROR(load_header("{'descr': '\xff\xfe', 'fortran_order': False, 'shape': ()}", 4), GND_ERROR_DTYPE,
                "no dtype that gnd knows");
}

TEST(refused_dtypes) {
    CHECK_ERROR(load_header(ENTRY("|O", "(1,)"), 8), GND_ERROR_DTYPE, "pickle");
    CHECK_ERROR(load_header(ENTRY("<U3", "(1,)"), 12), GND_ERROR_DTYPE, "text");
    CHECK_ERROR(load_header(ENTRY("|S3", "(1,)"), 3), GND_ERROR_DTYPE, "text");
    CHECK_ERROR(load_header(ENTRY("<M8[ns]", "(1,)"), 8), GND_ERROR_DTYPE, "dates");
    CHECK_ERROR(load_header(ENTRY("<f16", "(1,)"), 16), GND_ERROR_DTYPE, "floating-point");
    CHECK_ERROR(load_header(ENTRY("|V8", "(1,)"), 8), GND_ERROR_DTYPE, "raw bytes");
    CHECK_ERROR(load_header(ENTRY("<i3", "(1,)"), 3), GND_ERROR_DTYPE, "'<i3'");
    CHECK_ERROR(load_header(ENTRY("", "(1,)"), 3), GND_ERROR_DTYPE, "''");
    CHECK_ERROR(load_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4), GND_ERROR_DTYPE,
                "structured");
}

TEST(every_truncation_is_refused) {
    char bytes[512];
    FILE *file = tmpfile();
    CHECK(gnd_save_file(file, gnd_arange(0, 5, 1, GND_FLOAT64)) == GND_OK);
    rewind(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut < length; cut++) CHECK_ERROR(load_bytes(bytes, cut), GND_ERROR_IO, "");
    CHECK(load_bytes(bytes, length) != NULL);
    for (size_t at = 0; at < length; at++) { /* any one byte changed: an array or an error, no crash */
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
            gnd_release(load_bytes(bytes, length));
            gnd_error_clear();
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
        }
    }
}

TEST(refused_files) {
    CHECK_ERROR(gnd_load("no such file.npy"), GND_ERROR_IO, "cannot open \"no such file.npy\"");
    CHECK_ERROR(gnd_load("."), GND_ERROR_IO, "\".\"");
    CHECK_ERROR(gnd_load(NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(load_bytes("PK\3\4xxxxxxxxxx", 14), GND_ERROR_IO, ".npz");
    CHECK_ERROR(load_bytes("\x93NUMPY\x04\0\0\0\0\0", 12), GND_ERROR_IO, "version 4.0");
    CHECK_ERROR(load_bytes("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), GND_ERROR_IO, "4294967295 bytes");
}

TEST(failed_saves) {
    gnd_array *a = gnd_arange(0, 100000, 1, GND_FLOAT64);
    CHECK_ERROR(gnd_save("no such folder/x.npy", a), GND_ERROR_IO, "cannot write \"no such folder/x.npy\"");
    CHECK_ERROR(gnd_save(path, NULL), GND_ERROR_INVALID, "gnd_save");
    CHECK_ERROR(gnd_save(NULL, a), GND_ERROR_INVALID, "path");
    FILE *full = fopen("/dev/full", "r+");
    if (full) {
        fclose(full);
        CHECK_ERROR(gnd_save("/dev/full", a), GND_ERROR_IO, "/dev/full");
    }
    /* A failed save leaves the file that was there. */
    CHECK(gnd_save(path, gnd_arange(0, 3, 1, GND_INT8)) == GND_OK);
    for (int n = 1; n < 20; n++) {
        gndi_fail_alloc_at(n);
        gnd_status status = gnd_save(path, gnd_slice(a, "::2"));
        gndi_fail_alloc_at(0);
        if (status == GND_OK) break;
        gnd_error_clear();
        CHECK(reads(gnd_load(path), "array([0, 1, 2], dtype=int8)"));
    }
    CHECK(gnd_size(gnd_load(path)) == 50000);
    CHECK_FAILS_CLEANLY(gnd_load(path));
    remove(path);
}

TEST_MAIN
