/*
 * test_products.c: products of vectors and matrices: values, layouts, results into arrays that there
 * are, bad input, no memory, no OpenBLAS. Axes too long for an int are test_large.c's; the oracle tests
 * compare many more cases with NumPy.
 */
#define _GNU_SOURCE
#include "reads.h"
#include "values.h"
#include <unistd.h>

static gnd_array *counted(int64_t rows, int64_t columns, gnd_dtype dtype) {
    return count_up(GND_SHAPE(rows, columns), dtype);
}

TEST(matrices) {
    gnd_array *a = counted(2, 3, GND_FLOAT64), *b = counted(3, 2, GND_FLOAT64);
    CHECK(HOLDS_AS(gnd_matmul(a, b), GND_FLOAT64, 10, 13, 28, 40));
    CHECK(HOLDS(gnd_matmul(gnd_transpose(a), gnd_transpose(b)), 3, 9, 15, 4, 14, 24, 5, 19, 33));
    CHECK(HOLDS(gnd_matmul(gnd_slice(a, "::-1, ::-1"), b), 20, 32, 2, 5));
    CHECK(HOLDS(gnd_matmul(gnd_slice(a, "0"), b), 10, 13));
    CHECK(HOLDS(gnd_matmul(a, gnd_slice(b, ":, 1")), 13, 40));
    CHECK(reads(gnd_matmul(gnd_astype(a, GND_INT8), gnd_astype(b, GND_INT16)),
                "array([[10, 13],\n       [28, 40]], dtype=int16)"));
    CHECK(reads(gnd_matmul(gnd_greater(a, 2), gnd_less(b, 1)), "array([[False, False],\n       [ True, False]])"));
    gnd_array *stack = count_up(GND_SHAPE(2, 2, 3), GND_FLOAT32);
    CHECK(HOLDS_AS(gnd_matmul(stack, b), GND_FLOAT64, 10, 13, 28, 40, 46, 67, 64, 94));
    gnd_array *none = gnd_matmul(gnd_slice(a, ":, :0"), gnd_slice(b, ":0"));
    CHECK(HOLDS(none, 0, 0, 0, 0));
    gnd_array *spread = gnd_broadcast_to(gnd_slice(a, ":1"), GND_SHAPE(2, 3));
    CHECK(HOLDS(gnd_matmul(spread, b), 10, 13, 10, 13));
}

TEST(into_arrays_that_there_are) {
    gnd_array *a = counted(2, 3, GND_FLOAT32), *b = counted(3, 2, GND_FLOAT32);
    gnd_array *out = gnd_full(GND_SHAPE(2, 2), NAN, GND_FLOAT32);
    CHECK(gnd_matmul_into(out, a, b, 1, 0) == GND_OK && HOLDS(out, 10, 13, 28, 40));
    CHECK(gnd_matmul_into(out, a, b, -1, 0.5) == GND_OK && HOLDS(out, -5, -6.5, -14, -20));
    CHECK(gnd_matmul_into(gnd_transpose(out), a, b, 1, 0) == GND_OK && HOLDS(out, 10, 28, 13, 40));
    gnd_array *wide = gnd_zeros(GND_SHAPE(4, 6), GND_COMPLEX128);
    gnd_array *part = gnd_slice(wide, "::-3, 1::4");
    CHECK(gnd_matmul_into(part, a, b, gnd_arg_parts(0, 1), 0) == GND_OK);
    CHECK(HOLDS(gnd_imag(part), 10, 13, 28, 40));
    CHECK(gnd_item_double(gnd_sum(gnd_imag(wide), GND_ALL)) == 91);
    gnd_array *square = gnd_slice(a, ":, :2");
    CHECK(gnd_matmul_into(square, square, square, 1, 1) == GND_OK);
    CHECK(HOLDS(a, 3, 5, 2, 15, 23, 5));
    gnd_array *whole = gnd_ones(GND_SHAPE(2, 2), GND_INT64);
    gnd_array *m = counted(2, 2, GND_INT32);
    CHECK(gnd_matmul_into(whole, m, m, 3, -1) == GND_OK && HOLDS(whole, 5, 8, 17, 32));
}

TEST(products_of_vectors) {
    gnd_array *x = DOUBLES(1, 2, 3), *y = DOUBLES(4, 5, 6), *m = counted(2, 3, GND_FLOAT64);
    CHECK(gnd_item_double(gnd_dot(x, y)) == 32 && gnd_item_double(gnd_inner(x, y)) == 32);
    CHECK(HOLDS(gnd_linalg_outer(gnd_slice(x, ":2"), y), 4, 5, 6, 8, 10, 12));
    CHECK(HOLDS(gnd_cross(x, y, -1), -3, 6, -3));
    CHECK(HOLDS(gnd_cross_axes(m, y, 1, 0, 0), -4, -1, 8, 2, -4, -1));
    CHECK(HOLDS(gnd_matvec(m, x), 8, 26));
    CHECK(HOLDS(gnd_vecmat(gnd_slice(x, ":2"), m), 6, 9, 12));
    CHECK(HOLDS(gnd_kron(gnd_slice(x, ":2"), gnd_slice(y, ":2")), 4, 5, 8, 10));
    CHECK(HOLDS(gnd_inner(m, x), 8, 26));
    CHECK(HOLDS(gnd_tensordot(m, m, 2), 55));
    CHECK(HOLDS(gnd_tensordot_axes(m, m, GND_AXES(0), GND_AXES(0)), 9, 12, 15, 12, 17, 22, 15, 22, 29));
    gnd_array *out = gnd_zeros(GND_SHAPE(2), GND_FLOAT64);
    CHECK(gnd_dot_into(out, m, x) == GND_OK && HOLDS(out, 8, 26));
}

TEST(several_products) {
    gnd_array *fibonacci = gnd_reshape(INTEGERS(1, 1, 1, 0), GND_SHAPE(2, 2));
    CHECK(HOLDS_AS(gnd_matrix_power(fibonacci, 10), GND_INT64, 89, 55, 55, 34));
    CHECK(HOLDS_AS(gnd_matrix_power(fibonacci, 0), GND_INT64, 1, 0, 0, 1));
    CHECK(gnd_matrix_power(gnd_astype(fibonacci, GND_UINT8), INT64_MAX) != NULL);
    gnd_array *a = counted(2, 3, GND_INT64), *b = counted(3, 4, GND_INT64), *c = counted(4, 1, GND_INT64);
    CHECK(HOLDS(gnd_multi_dot(GND_ARRAYS(a, b, c)), 162, 504));
    CHECK(HOLDS(gnd_multi_dot(GND_ARRAYS(gnd_slice(a, "1"), b, c)), 504));
}

/* Factors rounded to 10 bits, where that is allowed and the device does it; float64 never. */
TEST(tf32) {
    gnd_array *a = gnd_full(GND_SHAPE(64, 64), 1 + 0x1p-9, GND_FLOAT32);
    gnd_array *wide = gnd_astype(a, GND_FLOAT64);
    const double exact = 64 * (1 + 0x1p-9) * (1 + 0x1p-9);
    CHECK(fabs(gnd_item_double(gnd_slice(gnd_matmul(a, a), "0, 0")) - exact) < 1e-4);
    CHECK(gnd_allow_tf32(true) == false);
    CHECK(fabs(gnd_item_double(gnd_slice(gnd_matmul(a, a), "0, 0")) - exact) < 0.3);
    CHECK(fabs(gnd_item_double(gnd_slice(gnd_matmul(wide, wide), "0, 0")) - exact) < 1e-10);
    CHECK(gnd_allow_tf32(false) == true);
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(bad_input) {
    gnd_array *a = counted(2, 3, GND_FLOAT32), *out = gnd_ones(GND_SHAPE(2, 2), GND_FLOAT32);
    CHECK_ERROR(gnd_matmul(a, a), GND_ERROR_SHAPE, "gnd_matmul: a must have as many columns");
    CHECK_ERROR(gnd_matmul(a, NULL), GND_ERROR_INVALID, "'b' is NULL");
    CHECK_ERROR(gnd_matmul_into(out, a, a, 1, 0), GND_ERROR_SHAPE, "(2, 3)");
    CHECK_ERROR(gnd_matmul_into(out, a, gnd_transpose(a), GND_NONE, 0), GND_ERROR_INVALID, "alpha");
    CHECK_ERROR(gnd_multi_dot(0, NULL), GND_ERROR_INVALID, "at least two");
    CHECK_ERROR(gnd_multi_dot(GND_ARRAYS(a, gnd_transpose(a), NULL)), GND_ERROR_INVALID, "arrays[2]");
    CHECK_ERROR(gnd_multi_dot(3, NULL), GND_ERROR_INVALID, "'arrays' is NULL");
    CHECK_ERROR(gnd_dot_into(out, a, a), GND_ERROR_SHAPE, "axis 1 of a");
    CHECK_ERROR(gnd_matrix_power(a, -1), GND_ERROR_SHAPE, "gnd_matrix_power");
    CHECK_ERROR(gnd_tensordot_axes(a, a, GND_AXES(5), GND_AXES(0)), GND_ERROR_AXIS, "5");
    CHECK(HOLDS(out, 1, 1, 1, 1));
}

static gnd_array *product_into(const gnd_array *out, const gnd_array *a, const gnd_array *b) {
    gnd_array *copy = gnd_copy(out);
    if (copy && gnd_matmul_into(gnd_transpose(copy), a, b, 2, 1) == GND_OK) return copy;
    gnd_release(copy);
    return NULL;
}

TEST(out_of_memory) {
    gnd_array *a = counted(3, 3, GND_INT32), *b = counted(3, 3, GND_FLOAT16);
    gnd_array *backwards = gnd_slice(b, "::-1, ::-1"), *stack = count_up(GND_SHAPE(2, 3, 3), GND_FLOAT32);
    CHECK_FAILS_CLEANLY(gnd_matmul(a, b));
    CHECK_FAILS_CLEANLY(gnd_matmul(backwards, backwards));
    CHECK_FAILS_CLEANLY(product_into(a, a, a));
    CHECK_FAILS_CLEANLY(gnd_dot(stack, stack));
    CHECK_FAILS_CLEANLY(gnd_tensordot(stack, gnd_transpose(stack), 2));
    CHECK_FAILS_CLEANLY(gnd_kron(a, stack));
    CHECK_FAILS_CLEANLY(gnd_cross(stack, stack, 1));
    CHECK_FAILS_CLEANLY(gnd_vecmat(gnd_slice(b, ":2"), stack));
    CHECK_FAILS_CLEANLY(gnd_matrix_power(stack, 7));
    CHECK_FAILS_CLEANLY(gnd_multi_dot(GND_ARRAYS(a, b, a, b)));
}

/* ---- OpenBLAS ------------------------------------------------------------------------------- */

/* In a process of its own: what a product of large matrices says without the library. */
static int child_product(void) {
    gnd_use(gnd_cpu());
    GND_SCOPE {
        gnd_array *a = gnd_ones(GND_SHAPE(100, 100), GND_FLOAT64);
        gnd_array *whole = gnd_astype(a, GND_INT32);
        gnd_matmul(a, a);
        printf("%s\n", gnd_error() ? gnd_error()->message : "no error");
        gnd_error_clear();
        gnd_array *product = gnd_matmul(whole, whole);
        printf("integers: %lld\n", product ? (long long)gnd_item_int(gnd_slice(product, "99, 99")) : -1LL);
    }
    return 0;
}

TEST(a_missing_library) {
    char command[640], self[512], text[2048];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(length > 0);
    if (length <= 0) return;
    self[length] = 0;
    snprintf(command, sizeof command, "GND_WITHOUT=OpenBLAS '%s' child", self);
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    if (!pipe) return;
    text[fread(text, 1, sizeof text - 1, pipe)] = 0;
    CHECK(pclose(pipe) == 0);
    CHECK(strstr(text, "gnd_matmul: this needs OpenBLAS, which is missing"));
    CHECK(strstr(text, "libopenblas0"));
    CHECK(strstr(text, "integers: 100\n"));
}

/* ---- axes that an int cannot count ---------------------------------------------------------- */

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "child") == 0) return child_product();
    return tap_main(argc, argv);
}
