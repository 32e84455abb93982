/*
 * test_decompose.c: decompositions and what is computed with them: small values, results that are not
 * wanted, failures that the next wait reports or, if the thread is strict, the call itself. The oracle
 * tests compare many more cases with NumPy and SciPy.
 */
#include "reads.h"
#include "values.h"

static gnd_array *matrix(int64_t m, int64_t n, const double *values) {
    return gnd_from_host(values, GND_SHAPE(m, n), GND_FLOAT64);
}
#define MATRIX(m, n, ...) matrix(m, n, (const double[]){__VA_ARGS__})

/* Whether a product of two matrices is a third one, up to rounding. */
static bool is_product(const gnd_array *a, const gnd_array *b, const gnd_array *c) {
    return gnd_allclose(gnd_matmul(a, b), c, 1e-12, 1e-12, false);
}

/* Two matrices, of which the second has a NaN in it. */
static gnd_array *not_finite(void) {
    const double values[] = {1, 0, 0, 1, NAN, 0, 0, 1};
    return gnd_from_host(values, GND_SHAPE(2, 2, 2), GND_FLOAT64);
}

TEST(orthogonal_factors) {
    gnd_array *a = MATRIX(3, 2, 3, 1, 4, 2, 0, 5), *q = NULL, *r = NULL;
    CHECK(gnd_qr(&q, &r, a, GND_QR_REDUCED) == GND_OK);
    CHECK(is_product(q, r, a) && gnd_size(q) == 6 && gnd_size(r) == 4);
    CHECK(is_product(gnd_transpose(q), q, gnd_eye(2, 2, 0, GND_FLOAT64)));
    CHECK(gnd_qr(&q, &r, a, GND_QR_COMPLETE) == GND_OK);
    CHECK(is_product(q, r, a) && gnd_size(q) == 9 && gnd_size(r) == 6);
    CHECK(gnd_qr(NULL, &r, a, GND_QR_REDUCED) == GND_OK && gnd_size(r) == 4);
    CHECK(gnd_qr(&q, NULL, a, GND_QR_REDUCED) == GND_OK && gnd_size(q) == 6);
    CHECK(gnd_qr(&q, &r, a, GND_QR_R) == GND_OK && q == NULL && gnd_size(r) == 4);
    CHECK(gnd_qr(&q, &r, a, GND_QR_RAW) == GND_OK && gnd_size(q) == 6 && gnd_size(r) == 2);
}

static bool is_near(const gnd_array *a, const gnd_array *b) {
    return gnd_allclose(a, b, 1e-14, 1e-14, false);
}

TEST(singular_values) {
    gnd_array *a = MATRIX(2, 3, 3, 0, 0, 0, 0, -4), *u = NULL, *s = NULL, *vh = NULL;
    CHECK(is_near(gnd_svdvals(a), DOUBLES(4, 3)));
    CHECK(gnd_svd(&u, &s, &vh, a, false) == GND_OK && is_near(s, DOUBLES(4, 3)));
    CHECK(gnd_size(vh) == 6);
    CHECK(is_product(gnd_multiply(u, s), vh, a));
    CHECK(gnd_svd(&u, NULL, &vh, a, true) == GND_OK && gnd_size(u) == 4 && gnd_size(vh) == 9);
    CHECK(gnd_svd(NULL, &s, NULL, a, true) == GND_OK && is_near(s, DOUBLES(4, 3)));
    CHECK(gnd_allclose(gnd_pinv(a, NULL), MATRIX(3, 2, 1 / 3., 0, 0, 0, 0, -0.25), 1e-12, 1e-12, false));
    gnd_rank_options options = {.rtol = gnd_arg_real(0.9)};
    CHECK(gnd_item_int(gnd_matrix_rank(a, NULL)) == 2);
    CHECK(gnd_item_int(gnd_matrix_rank(a, &options)) == 1);
    options = (gnd_rank_options){.tol = gnd_arg_real(4)};
    CHECK(gnd_item_int(gnd_matrix_rank(a, &options)) == 0);
}

TEST(eigenvalues) {
    gnd_array *a = MATRIX(2, 2, 2, 1, 1, 2), *w = NULL, *v = NULL;
    CHECK(gnd_eigh(&w, &v, a, false) == GND_OK);
    CHECK(is_near(w, DOUBLES(1, 3)));
    CHECK(is_product(a, v, gnd_multiply(v, w)));
    CHECK(gnd_eigh(&w, NULL, a, true) == GND_OK && gnd_eigh(NULL, &v, a, true) == GND_OK);
    CHECK(gnd_allclose(gnd_eigvalsh(a, true), w, 1e-14, 1e-14, false));
    gnd_array *turn = MATRIX(2, 2, 0, -1, 1, 0);
    CHECK(gnd_eig(&w, &v, turn) == GND_OK && gnd_dtype_of(w) == GND_COMPLEX128);
    CHECK(is_product(gnd_astype(turn, GND_COMPLEX128), v, gnd_multiply(v, w)));
    CHECK(gnd_allclose(gnd_absolute(gnd_imag(gnd_eigvals(turn))), 1, 1e-14, 1e-14, false));
    CHECK(gnd_eig(&w, NULL, turn) == GND_OK && gnd_eig(NULL, &v, turn) == GND_OK);
    gnd_array *e = gnd_expm(gnd_multiply(turn, 0.5));
    CHECK(gnd_allclose(e, MATRIX(2, 2, cos(0.5), -sin(0.5), sin(0.5), cos(0.5)), 1e-14, 1e-15, false));
}

TEST(least_squares) {
    gnd_array *a = MATRIX(3, 2, 1, 0, 1, 1, 1, 2), *b = DOUBLES(1, 3, 8);
    gnd_array *x = NULL, *left = NULL, *rank = NULL, *s = NULL;
    CHECK(gnd_lstsq(&x, &left, &rank, &s, a, b, NULL) == GND_OK);
    CHECK(gnd_allclose(x, DOUBLES(0.5, 3.5), 1e-12, 1e-12, false));
    CHECK(gnd_allclose(left, DOUBLES(1.5), 1e-12, 1e-12, false));
    CHECK(gnd_item_int(rank) == 2 && gnd_size(s) == 2);
    const gnd_lstsq_options by_qr = {.method = GND_LSTSQ_QR};
    CHECK(gnd_lstsq(&x, &left, NULL, NULL, a, b, &by_qr) == GND_OK);
    CHECK(gnd_allclose(x, DOUBLES(0.5, 3.5), 1e-12, 1e-12, false));
    CHECK(gnd_allclose(left, DOUBLES(1.5), 1e-12, 1e-12, false));
    CHECK(gnd_lstsq(&x, &left, NULL, NULL, gnd_transpose(a), DOUBLES(3, 3), NULL) == GND_OK);
    CHECK(gnd_size(x) == 3 && gnd_size(left) == 0);
}

TEST(numbers) {
    gnd_array *a = MATRIX(2, 2, 3, 0, 0, -4);
    CHECK(gnd_item_double(gnd_norm(a, NULL, GND_ALL)) == 5);
    CHECK(gnd_item_double(gnd_norm(a, "nuc", GND_ALL)) == 7);
    CHECK(gnd_item_double(gnd_norm(a, "-2", GND_AXES(1, 0))) == 3);
    CHECK(HOLDS(gnd_norm(a, "inf", GND_AXES(0)), 3, 4));
    CHECK(gnd_ndim(gnd_matrix_norm(a, "1", true)) == 2);
    CHECK(gnd_item_double(gnd_cond(MATRIX(2, 2, 4, 0, 0, 2), "1")) == 2);
    CHECK(gnd_item_double(gnd_cond(MATRIX(2, 2, 4, 0, 0, 0), "fro")) == INFINITY);
    CHECK(gnd_item_double(gnd_trace(a, 0, 0, 1)) == -1);
    CHECK(gnd_item_double(gnd_trace(a, 1, 0, 1)) == 0);
}

TEST(what_does_not_converge) {
    gnd_array *a = not_finite(), *w = NULL, *v = NULL;
    CHECK(gnd_eigh(&w, &v, a, false) == GND_OK && w && v);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "gnd_eigh");
    CHECK(gnd_eig(&w, NULL, a) == GND_OK);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "matrix 1 of 2");
    CHECK(!gnd_linalg_strict(true));
    CHECK_ERROR(gnd_eigh(&w, &v, a, false), GND_ERROR_VALUE, "gnd_eigh");
    CHECK(w == NULL && v == NULL);
    CHECK_ERROR(gnd_svdvals(a), GND_ERROR_VALUE, "gnd_svdvals");
    CHECK_ERROR(gnd_lstsq(&w, NULL, NULL, &v, a, DOUBLES(1, 2), NULL), GND_ERROR_VALUE, "gnd_lstsq");
    CHECK(w == NULL && v == NULL);
    CHECK(gnd_linalg_strict(false));
    CHECK(gnd_sync() == GND_OK);
}

TEST(bad_input) {
    gnd_array *a = MATRIX(2, 3, 1, 2, 3, 4, 5, 6), *line = DOUBLES(1, 2), *p = a, *q = a;
    CHECK_ERROR(gnd_qr(&p, &q, line, GND_QR_REDUCED), GND_ERROR_SHAPE, "(2,)");
    CHECK(p == NULL && q == NULL);
    CHECK_ERROR(gnd_qr(NULL, NULL, a, GND_QR_REDUCED), GND_ERROR_INVALID, "q and r are NULL");
    CHECK_ERROR(gnd_svd(&p, NULL, NULL, NULL, true), GND_ERROR_INVALID, "gnd_svd");
    CHECK_ERROR(gnd_eigh(&p, &q, a, false), GND_ERROR_SHAPE, "square");
    CHECK_ERROR(gnd_eigvals(gnd_astype(MATRIX(1, 1, 2), GND_FLOAT16)), GND_ERROR_DTYPE, "float16");
    CHECK_ERROR(gnd_cond(gnd_zeros(GND_SHAPE(0, 0), GND_FLOAT64), NULL), GND_ERROR_VALUE, "empty");
    CHECK_ERROR(gnd_norm(a, "three", GND_ALL), GND_ERROR_INVALID, "\"three\"");
    CHECK_ERROR(gnd_lstsq(NULL, NULL, &p, NULL, a, line, &(gnd_lstsq_options){GND_LSTSQ_QR, 0}), GND_ERROR_INVALID,
                "rank and s must be NULL");
    CHECK_ERROR(gnd_expm(a), GND_ERROR_SHAPE, "gnd_expm");
}

static gnd_array *q_of(const gnd_array *a) {
    gnd_array *q = NULL, *r = NULL;
    if (gnd_qr(&q, &r, a, GND_QR_COMPLETE)) return NULL;
    gnd_release(r);
    return q;
}

static gnd_array *x_of(const gnd_array *a, const gnd_array *b) {
    gnd_array *x = NULL, *left = NULL, *rank = NULL;
    if (gnd_lstsq(&x, &left, &rank, NULL, a, b, NULL)) return NULL;
    gnd_release(left);
    gnd_release(rank);
    return x;
}

TEST(out_of_memory) {
    gnd_array *a = MATRIX(3, 3, 2, 1, 0, 1, 3, 1, 0, 1, 4), *b = DOUBLES(1, 2, 3);
    gnd_array *tall = gnd_slice(a, ":, :2");
    gnd_svdvals(a); /* the library is loaded */
    CHECK_FAILS_CLEANLY(q_of(tall));
    CHECK_FAILS_CLEANLY(x_of(tall, b));
    CHECK_FAILS_CLEANLY(gnd_pinv(tall, NULL));
    CHECK_FAILS_CLEANLY(gnd_eigvals(a));
    CHECK_FAILS_CLEANLY(gnd_expm(gnd_multiply(a, 10)));
    CHECK_FAILS_CLEANLY(gnd_cond(a, "nuc"));
}

TEST_MAIN
