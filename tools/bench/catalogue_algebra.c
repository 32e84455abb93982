/*
 * catalogue_algebra.c: products of matrices, systems and decompositions, and Fourier transforms.
 * Matrices are float32 and square, of about n elements, where nothing else is said. Operations are
 * counted as LAPACK's working notes and FFTW's benchmark do.
 */
#include "catalogue.h"

#include <math.h>

/* ---- inputs ----------------------------------------------------------------------------------- */

static void two_squares_of(operands *o, int64_t n, gnd_dtype dtype) {
    const int64_t side = side_of(n);
    for (o->count = 0; o->count < 2; o->count++) o->in[o->count] = uniform(GND_SHAPE(side, side), dtype);
}
static void two_squares(operands *o, int64_t n) {
    two_squares_of(o, n, GND_FLOAT32);
}
static void two_squares_f64(operands *o, int64_t n) {
    two_squares_of(o, n, GND_FLOAT64);
}
static void square_and_vector(operands *o, int64_t n) {
    one_square(o, n);
    o->in[1] = uniform(GND_SHAPE(side_of(n)), GND_FLOAT32);
    o->count = 2;
}
/* Pairs of 32 x 32 matrices, or one of less. */
static void many_squares(operands *o, int64_t n) {
    const int64_t side = n < 1024 ? side_of(n) : 32;
    const int64_t many = n < 2048 ? 1 : n / (side * side);
    for (o->count = 0; o->count < 2; o->count++) o->in[o->count] = uniform(GND_SHAPE(many, side, side), GND_FLOAT32);
}

/* a + a.T + 2 side: symmetric, positive definite and well conditioned. */
static void definite(operands *o, int64_t n) {
    const int64_t side = side_of(n);
    gnd_array *a = uniform(GND_SHAPE(side, side), GND_FLOAT32);
    gnd_array *unit = gnd_multiply(gnd_identity(side, GND_FLOAT32), 2.0 * (double)side);
    o->in[0] = gnd_ascontiguous(gnd_add(gnd_add(a, gnd_transpose(a)), unit));
    o->count = 1;
}
static void system_of(operands *o, int64_t n) {
    definite(o, n);
    o->in[1] = uniform(GND_SHAPE(side_of(n)), GND_FLOAT32);
    o->count = 2;
}
/* Systems of 32 unknowns, diagonally dominant. */
static void many_systems(operands *o, int64_t n) {
    many_squares(o, n);
    const int64_t side = gnd_dim(o->in[0], -1);
    gnd_array *unit = gnd_multiply(gnd_identity(side, GND_FLOAT32), 2.0 * (double)side);
    o->in[0] = gnd_add(o->in[0], unit);
}

static void complex_line(operands *o, int64_t n) {
    o->in[0] = gnd_astype(uniform(GND_SHAPE(n), GND_FLOAT32), GND_COMPLEX64);
    o->count = 1;
}
static void complex_square(operands *o, int64_t n) {
    const int64_t side = side_of(n);
    o->in[0] = gnd_astype(uniform(GND_SHAPE(side, side), GND_FLOAT32), GND_COMPLEX64);
    o->count = 1;
}
/* Lines of 1024, or one shorter line. */
static void complex_rows(operands *o, int64_t n) {
    const int64_t length = n < 1024 ? n : 1024;
    o->in[0] = gnd_astype(uniform(GND_SHAPE(n / length, length), GND_FLOAT32), GND_COMPLEX64);
    o->count = 1;
}
static void line_and_filter(operands *o, int64_t n) {
    one_line(o, n);
    o->in[1] = uniform(GND_SHAPE(n < 1000 ? n : 1000), GND_FLOAT32);
    o->count = 2;
}

/* ---- operations ------------------------------------------------------------------------------- */

static double cube(double n) {
    const double side = (double)side_of((int64_t)n);
    return side * side * side;
}
static double of_product(double n) {
    return 2 * cube(n);
}
static double of_product_32(double n) {
    return n < 1024 ? of_product(n) : 2 * 32 * n;
}
static double of_lu(double n) {
    return 2.0 / 3 * cube(n);
}
static double of_lu_32(double n) { /* with as many right sides as unknowns */
    return 8.0 / 3 * (n < 1024 ? cube(n) : 32 * n);
}
static double of_cholesky(double n) {
    return 1.0 / 3 * cube(n);
}
static double of_qr(double n) {
    return 4.0 / 3 * cube(n);
}
static double of_inverse(double n) {
    return 2 * cube(n);
}
static double of_values(double n) { /* of the reduction to two or three diagonals, which rules */
    return 4.0 / 3 * cube(n);
}
static double of_singular(double n) {
    return 8.0 / 3 * cube(n);
}
static double of_fft(double n) {
    return 5 * n * log2(n > 2 ? n : 2);
}
static double of_real_fft(double n) {
    return of_fft(n) / 2;
}
static double of_fft_rows(double n) {
    return 5 * n * log2(n < 1024 ? n : 1024);
}

/* ---- workloads -------------------------------------------------------------------------------- */

#define RUN(name, expression)                                                                                          \
    static gnd_array *name(const operands *o) {                                                                        \
        return expression;                                                                                             \
    }

RUN(product, gnd_matmul(o->in[0], o->in[1]))
RUN(by_vector, gnd_matvec(o->in[0], o->in[1]))
RUN(solve, gnd_solve(o->in[0], o->in[1]))
RUN(inverse, gnd_inv(o->in[0]))
RUN(cholesky, gnd_cholesky(o->in[0], false))
RUN(singular_values, gnd_svdvals(o->in[0]))
RUN(eigenvalues, gnd_eigvalsh(o->in[0], false))
RUN(fft, gnd_fft(o->in[0], -1, -1, GND_FFT_BACKWARD))
RUN(real_fft, gnd_rfft(o->in[0], -1, -1, GND_FFT_BACKWARD))
RUN(fft_2d, gnd_fft2(o->in[0], GND_SCALAR, GND_AXES(0, 1), GND_FFT_BACKWARD))
RUN(convolve, gnd_fftconvolve(o->in[0], o->in[1], GND_SAME, GND_ALL))

static gnd_array *triangle(const operands *o) {
    gnd_array *r = NULL;
    gnd_qr(NULL, &r, o->in[0], GND_QR_R);
    return r;
}

const workload workloads_algebra[] = {
    {"matmul.float32", "a b", two_squares, product, COMPUTES, of_product},
    {"matmul.float64", "a b, float64", two_squares_f64, product, COMPUTES, of_product},
    {"matmul.batch", "many products of 32 x 32", many_squares, product, COMPUTES, of_product_32},
    {"matmul.vector", "a matrix by a vector", square_and_vector, by_vector, IN_MEMORY, NULL},
    {"solve.solve", "a x = b", system_of, solve, COMPUTES, of_lu},
    {"solve.batch", "many systems of 32 x 32, 32 right sides", many_systems, solve, COMPUTES, of_lu_32},
    {"solve.inverse", "the inverse", definite, inverse, COMPUTES, of_inverse},
    {"solve.cholesky", "Cholesky's factor", definite, cholesky, COMPUTES, of_cholesky},
    {"solve.qr", "the triangle of QR", one_square, triangle, COMPUTES, of_qr},
    {"solve.eigvalsh", "the eigenvalues of a symmetric matrix", definite, eigenvalues, COMPUTES, of_values},
    {"solve.svdvals", "the singular values", one_square, singular_values, COMPUTES, of_singular},
    {"fft.line", "of one line, complex64", complex_line, fft, IN_MEMORY, of_fft},
    {"fft.real", "of one real line", one_line, real_fft, IN_MEMORY, of_real_fft},
    {"fft.rows", "of lines of 1024, complex64", complex_rows, fft, IN_MEMORY, of_fft_rows},
    {"fft.image", "in two dimensions, complex64", complex_square, fft_2d, IN_MEMORY, of_fft},
    {"fft.convolve", "a line by a filter of 1000", line_and_filter, convolve, IN_MEMORY, NULL},
    {NULL, NULL, NULL, NULL, 0, NULL},
};
