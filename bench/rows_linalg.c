/*
 * rows_linalg.c: solving and decomposing, by name: one matrix of the order named, or a batch
 * ("10000x32": 10000 of 32 x 32). Matrices are float32, dense and random in [0, 1); those that must
 * be symmetric or positive definite are made so.
 */
#include "bench.h"

#include <math.h>

/* ---- operands ------------------------------------------------------------------------------- */

static gnd_array *matrix(int64_t rows, int64_t columns) {
    return bench_random(GND_SHAPE(bench_size(rows), bench_size(columns)), GND_FLOAT32);
}
static gnd_array *batch(int64_t count, int64_t side) {
    return bench_random(GND_SHAPE(bench_size(count), bench_size(side), bench_size(side)), GND_FLOAT32);
}
/* a + a^T + shift I, in the memory order of `a`; `a` is given back. */
static gnd_array *symmetric(gnd_array *a, double shift) {
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *sum = gnd_add(a, gnd_swapaxes(a, -1, -2));
        gnd_array *unit = gnd_identity(gnd_dim(a, -1), GND_FLOAT32);
        result = gnd_keep(gnd_ascontiguous(gnd_add(sum, gnd_multiply(unit, shift))));
    }
    gnd_release(a);
    return result;
}
/* Diagonally dominant, so positive definite. */
static gnd_array *definite(gnd_array *a) {
    return symmetric(a, 2.0 * (double)gnd_dim(a, -1));
}

/* Scaled so that determinants are of the order of 1, which float32 can hold; `a` is given back. */
static gnd_array *scaled(gnd_array *a) {
    gnd_array *result = gnd_multiply(a, sqrt(12 * exp(1.0) / (double)gnd_dim(a, -1)));
    gnd_release(a);
    return result;
}

/* One random matrix, or a batch, as x; and with right sides y. */
#define MATRIX(name, rows, columns)                                                                                    \
    static void name(operands *o) {                                                                                    \
        o->x = matrix(rows, columns);                                                                                  \
    }
#define BATCH(name, count, side)                                                                                       \
    static void name(operands *o) {                                                                                    \
        o->x = batch(count, side);                                                                                     \
    }
#define SCALED(name, count, side)                                                                                      \
    static void name(operands *o) {                                                                                    \
        o->x = scaled(batch(count, side));                                                                             \
    }
#define SYSTEMS(name, count, side)                                                                                     \
    static void name(operands *o) {                                                                                    \
        o->x = batch(count, side);                                                                                     \
        o->y = bench_random(GND_SHAPE(bench_size(count), bench_size(side), 1), GND_FLOAT32);                           \
    }
#define SYMMETRIC(name, count, side)                                                                                   \
    static void name(operands *o) {                                                                                    \
        o->x = symmetric(batch(count, side), 0);                                                                       \
    }
#define DEFINITE(name, count, side)                                                                                    \
    static void name(operands *o) {                                                                                    \
        o->x = definite(batch(count, side));                                                                           \
    }

MATRIX(matrix_64, 64, 64)
MATRIX(matrix_128, 128, 128)
MATRIX(matrix_256, 256, 256)
MATRIX(matrix_512, 512, 512)
MATRIX(matrix_1024, 1024, 1024)
MATRIX(matrix_2048, 2048, 2048)
MATRIX(matrix_6000, 6000, 6000)
BATCH(batch_32, 10000, 32)
BATCH(batch_128, 1000, 128)
BATCH(batch_512, 64, 512)
SCALED(scaled_32, 10000, 32)
SCALED(scaled_128, 1000, 128)
SYSTEMS(systems_32, 10000, 32)
SYSTEMS(systems_128, 1000, 128)
SYSTEMS(systems_512, 64, 512)
SYMMETRIC(symmetric_32, 10000, 32)
SYMMETRIC(symmetric_128, 1000, 128)
SYMMETRIC(symmetric_512, 64, 512)
DEFINITE(definite_32, 10000, 32)
DEFINITE(definite_128, 1000, 128)
DEFINITE(definite_512, 64, 512)

/* Of norm 16 or so, whose exponential float32 can hold. */
static void exponent_512(operands *o) {
    gnd_array *x = matrix(512, 512);
    o->x = gnd_multiply(x, 32.0 / (double)gnd_dim(x, 0));
    gnd_release(x);
}
static void tall_system(operands *o) { /* 4096 x 512, and a right side */
    o->x = matrix(4096, 512);
    o->y = bench_random(GND_SHAPE(bench_size(4096)), GND_FLOAT32);
}
static void very_tall_system(operands *o) { /* 100000 x 50, and a right side */
    o->x = bench_random(GND_SHAPE(bench_size(100000), 50), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(bench_size(100000)), GND_FLOAT32);
}
static void system_4096(operands *o) {
    o->x = matrix(4096, 4096);
    o->y = bench_random(GND_SHAPE(bench_size(4096)), GND_FLOAT32);
}
static void definite_4096(operands *o) {
    o->x = definite(matrix(4096, 4096));
}
static void scaled_512(operands *o) {
    o->x = scaled(matrix(512, 512));
}
static void symmetric_1024(operands *o) {
    o->x = symmetric(matrix(1024, 1024), 0);
}
static void two_6000(operands *o) {
    o->x = matrix(6000, 6000);
    o->y = matrix(6000, 6000);
    for (int i = 0; i < 2; i++) o->streams[i] = gnd_stream_new();
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(solve, gnd_solve(o->x, o->y))
BENCH_RUN(inverse, gnd_inv(o->x))
BENCH_RUN(determinant, gnd_det(o->x))
BENCH_RUN(cholesky, gnd_cholesky(o->x, false))
BENCH_RUN(singular_values, gnd_svdvals(o->x))
BENCH_RUN(eigenvalues_symmetric, gnd_eigvalsh(o->x, false))
BENCH_RUN(eigenvalues, gnd_eigvals(o->x))
BENCH_RUN(exponential, gnd_expm(o->x))
BENCH_RUN(pseudoinverse, gnd_pinv(o->x, NULL))

static void qr(operands *o) {
    gnd_array *q, *r;
    gnd_qr(&q, &r, o->x, GND_QR_REDUCED);
    gnd_release(q), gnd_release(r);
}
static void svd(operands *o) {
    gnd_array *u, *s, *vh;
    gnd_svd(&u, &s, &vh, o->x, false);
    gnd_release(u), gnd_release(s), gnd_release(vh);
}
static void eigh(operands *o) {
    gnd_array *w, *v;
    gnd_eigh(&w, &v, o->x, false);
    gnd_release(w), gnd_release(v);
}
/* By QR, for matrices of full rank, as PyTorch does it. */
static void least_squares(operands *o) {
    gnd_array *x;
    const gnd_lstsq_options by_qr = {.method = GND_LSTSQ_QR};
    gnd_lstsq(&x, NULL, NULL, NULL, o->x, o->y, &by_qr);
    gnd_release(x);
}
/* By singular values, as NumPy and CuPy do it. */
static void least_squares_of_any_rank(operands *o) {
    gnd_array *x, *residuals, *rank, *s;
    gnd_lstsq(&x, &residuals, &rank, &s, o->x, o->y, NULL);
    gnd_release(x), gnd_release(residuals), gnd_release(rank), gnd_release(s);
}
static void two_inverses(operands *o) {
    gnd_release(gnd_inv(o->x));
    gnd_release(gnd_inv(o->y));
}
static void two_inverses_on_streams(operands *o) {
    GND_STREAM(o->streams[0]) {
        gnd_release(gnd_inv(o->x));
    }
    GND_STREAM(o->streams[1]) {
        gnd_release(gnd_inv(o->y));
    }
}

const bench_row bench_rows_linalg[] = {
    {"la.solve_4096", system_4096, solve, 0},
    {"la.inv_6000", matrix_6000, inverse, 0},
    {"la.inv_2x6000", two_6000, two_inverses, 0},
    {"la.inv_2x6000_two_streams", two_6000, two_inverses_on_streams, 0},
    {"la.det_512", scaled_512, determinant, 0},
    {"la.cholesky_4096", definite_4096, cholesky, 0},
    {"la.qr_64", matrix_64, qr, 0},
    {"la.qr_128", matrix_128, qr, 0},
    {"la.qr_256", matrix_256, qr, 0},
    {"la.qr_512", matrix_512, qr, 0},
    {"la.qr_1024", matrix_1024, qr, 0},
    {"la.qr_2048", matrix_2048, qr, 0},
    {"la.svd_1024", matrix_1024, svd, 0},
    {"la.svdvals_1024", matrix_1024, singular_values, 0},
    {"la.eigh_1024", symmetric_1024, eigh, 0},
    {"la.eigvalsh_1024", symmetric_1024, eigenvalues_symmetric, 0},
    {"la.eigvals_512", matrix_512, eigenvalues, 0},
    {"la.lstsq_4096x512", tall_system, least_squares, 0},
    {"la.lstsq_svd_4096x512", tall_system, least_squares_of_any_rank, 0},
    {"la.lstsq_1e5x50", very_tall_system, least_squares, 0},
    {"la.lstsq_svd_1e5x50", very_tall_system, least_squares_of_any_rank, 0},
    {"la.pinv_512", matrix_512, pseudoinverse, 0},
    {"la.expm_512", exponent_512, exponential, 0},

    {"la.solve_batch_10000x32", systems_32, solve, 0},
    {"la.solve_batch_1000x128", systems_128, solve, 0},
    {"la.solve_batch_64x512", systems_512, solve, 0},
    {"la.inv_batch_10000x32", batch_32, inverse, 0},
    {"la.inv_batch_1000x128", batch_128, inverse, 0},
    {"la.inv_batch_64x512", batch_512, inverse, 0},
    {"la.det_batch_10000x32", scaled_32, determinant, 0},
    {"la.det_batch_1000x128", scaled_128, determinant, 0},
    {"la.cholesky_batch_10000x32", definite_32, cholesky, 0},
    {"la.cholesky_batch_1000x128", definite_128, cholesky, 0},
    {"la.cholesky_batch_64x512", definite_512, cholesky, 0},
    {"la.qr_batch_10000x32", batch_32, qr, 0},
    {"la.qr_batch_1000x128", batch_128, qr, 0},
    {"la.qr_batch_64x512", batch_512, qr, 0},
    {"la.svd_batch_10000x32", batch_32, svd, 0},
    {"la.svd_batch_1000x128", batch_128, svd, 0},
    {"la.svd_batch_64x512", batch_512, svd, 0},
    {"la.eigh_batch_10000x32", symmetric_32, eigh, 0},
    {"la.eigh_batch_1000x128", symmetric_128, eigh, 0},
    {"la.eigh_batch_64x512", symmetric_512, eigh, 0},
    {NULL, NULL, NULL, 0},
};
