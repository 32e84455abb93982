/*
 * rows_linalg.c: solving and decomposing, by name: one matrix of the order named, or a batch
 * ("10000x32": 10000 of 32 x 32). Those that must be symmetric or positive definite are made so.
 */
#include "bench.h"

#include <math.h>

/* ---- operands ------------------------------------------------------------------------------- */

/* x becomes x + x^T + shift I, in its own memory order. */
static void add_transposed(operands *o, double shift) {
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *sum = gnd_add(o->x, gnd_swapaxes(o->x, -1, -2));
        gnd_array *unit = gnd_identity(gnd_dim(o->x, -1), GND_FLOAT32);
        result = gnd_keep(gnd_ascontiguous(gnd_add(sum, gnd_multiply(unit, shift))));
    }
    bench_replace(&o->x, result);
}
static void symmetric(operands *o) {
    add_transposed(o, 0);
}
/* Diagonally dominant, so positive definite. */
static void definite(operands *o) {
    add_transposed(o, 2.0 * (double)gnd_dim(o->x, -1));
}
/* Scaled so that determinants are of the order of 1, which float32 can hold. */
static void scaled(operands *o) {
    bench_replace(&o->x, gnd_multiply(o->x, sqrt(12 * exp(1.0) / (double)gnd_dim(o->x, -1))));
}
/* Of norm 16 or so, whose exponential float32 can hold. */
static void exponents(operands *o) {
    bench_replace(&o->x, gnd_multiply(o->x, 32.0 / (double)gnd_dim(o->x, 0)));
}
static void streams(operands *o) {
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
    {"la.solve_4096", NULL, solve, 0, "float32[4096,4096] float32[4096]"},
    {"la.inv_6000", NULL, inverse, 0, "float32[6000,6000]"},
    {"la.inv_2x6000", streams, two_inverses, 0, "float32[6000,6000] float32[6000,6000]"},
    {"la.inv_2x6000_two_streams", streams, two_inverses_on_streams, 0, "float32[6000,6000] float32[6000,6000]"},
    {"la.det_512", scaled, determinant, 0, "float32[512,512]"},
    {"la.cholesky_4096", definite, cholesky, 0, "float32[4096,4096]"},
    {"la.qr_64", NULL, qr, 0, "float32[64,64]"},
    {"la.qr_128", NULL, qr, 0, "float32[128,128]"},
    {"la.qr_256", NULL, qr, 0, "float32[256,256]"},
    {"la.qr_512", NULL, qr, 0, "float32[512,512]"},
    {"la.qr_1024", NULL, qr, 0, "float32[1024,1024]"},
    {"la.qr_2048", NULL, qr, 0, "float32[2048,2048]"},
    {"la.svd_1024", NULL, svd, 0, "float32[1024,1024]"},
    {"la.svdvals_1024", NULL, singular_values, 0, "float32[1024,1024]"},
    {"la.eigh_1024", symmetric, eigh, 0, "float32[1024,1024]"},
    {"la.eigvalsh_1024", symmetric, eigenvalues_symmetric, 0, "float32[1024,1024]"},
    {"la.eigvals_512", NULL, eigenvalues, 0, "float32[512,512]"},
    {"la.lstsq_4096x512", NULL, least_squares, 0, "float32[4096,512] float32[4096]"},
    {"la.lstsq_svd_4096x512", NULL, least_squares_of_any_rank, 0, "float32[4096,512] float32[4096]"},
    {"la.lstsq_1e5x50", NULL, least_squares, 0, "float32[1e5,50] float32[1e5]"},
    {"la.lstsq_svd_1e5x50", NULL, least_squares_of_any_rank, 0, "float32[1e5,50] float32[1e5]"},
    {"la.pinv_512", NULL, pseudoinverse, 0, "float32[512,512]"},
    {"la.expm_512", exponents, exponential, 0, "float32[512,512]"},

    {"la.solve_batch_10000x32", NULL, solve, 0, "float32[1e4,32,32] float32[1e4,32,1]"},
    {"la.solve_batch_1000x128", NULL, solve, 0, "float32[1000,128,128] float32[1000,128,1]"},
    {"la.solve_batch_64x512", NULL, solve, 0, "float32[64,512,512] float32[64,512,1]"},
    {"la.inv_batch_10000x32", NULL, inverse, 0, "float32[1e4,32,32]"},
    {"la.inv_batch_1000x128", NULL, inverse, 0, "float32[1000,128,128]"},
    {"la.inv_batch_64x512", NULL, inverse, 0, "float32[64,512,512]"},
    {"la.det_batch_10000x32", scaled, determinant, 0, "float32[1e4,32,32]"},
    {"la.det_batch_1000x128", scaled, determinant, 0, "float32[1000,128,128]"},
    {"la.cholesky_batch_10000x32", definite, cholesky, 0, "float32[1e4,32,32]"},
    {"la.cholesky_batch_1000x128", definite, cholesky, 0, "float32[1000,128,128]"},
    {"la.cholesky_batch_64x512", definite, cholesky, 0, "float32[64,512,512]"},
    {"la.qr_batch_10000x32", NULL, qr, 0, "float32[1e4,32,32]"},
    {"la.qr_batch_1000x128", NULL, qr, 0, "float32[1000,128,128]"},
    {"la.qr_batch_64x512", NULL, qr, 0, "float32[64,512,512]"},
    {"la.svd_batch_10000x32", NULL, svd, 0, "float32[1e4,32,32]"},
    {"la.svd_batch_1000x128", NULL, svd, 0, "float32[1000,128,128]"},
    {"la.svd_batch_64x512", NULL, svd, 0, "float32[64,512,512]"},
    {"la.eigh_batch_10000x32", symmetric, eigh, 0, "float32[1e4,32,32]"},
    {"la.eigh_batch_1000x128", symmetric, eigh, 0, "float32[1000,128,128]"},
    {"la.eigh_batch_64x512", symmetric, eigh, 0, "float32[64,512,512]"},
    {0},
};
