/*
 * rows_products.c: products of matrices, vectors and batches, by name, and cuBLAS's own call for the
 * same product beside some (`bare.` before the name). Arrays are float32 and random in [0, 1) unless
 * a name says otherwise. Where a row has a floor it is what the operands and the result take.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#    include <stdio.h>
#    include <stdlib.h>
#endif

/* ---- operands ------------------------------------------------------------------------------- */

static gnd_array *matrix(int64_t rows, int64_t columns, gnd_dtype dtype) {
    return bench_random(GND_SHAPE(bench_size(rows), bench_size(columns)), dtype);
}
static gnd_array *stack(int64_t batch, int64_t rows, int64_t columns) {
    return bench_random(GND_SHAPE(bench_size(batch), bench_size(rows), bench_size(columns)), GND_FLOAT32);
}
static void squares(operands *o, int64_t side, gnd_dtype dtype) {
    o->x = matrix(side, side, dtype);
    o->y = matrix(side, side, dtype);
}
static void squares_f32(operands *o) {
    squares(o, 4096, GND_FLOAT32);
}
static void squares_f64(operands *o) {
    squares(o, 4096, GND_FLOAT64);
}
static void squares_f16(operands *o) {
    squares(o, 4096, GND_FLOAT16);
}
static void squares_bf16(operands *o) {
    squares(o, 4096, GND_BFLOAT16);
}
static void squares_c64(operands *o) {
    squares(o, 4096, GND_COMPLEX64);
}
/* Integers in [0, 100). */
static gnd_array *whole_numbers(int64_t rows, int64_t columns, gnd_dtype dtype) {
    gnd_array *x = matrix(rows, columns, GND_FLOAT32), *result = NULL;
    GND_SCOPE {
        result = gnd_keep(gnd_astype(gnd_multiply(x, 100), dtype));
    }
    gnd_release(x);
    return result;
}
static void whole_squares(operands *o, gnd_dtype dtype) {
    o->x = whole_numbers(2048, 2048, dtype);
    o->y = whole_numbers(2048, 2048, dtype);
}
static void squares_i8(operands *o) {
    whole_squares(o, GND_INT8);
}
static void squares_i32(operands *o) {
    whole_squares(o, GND_INT32);
}
static void squares_i64(operands *o) {
    whole_squares(o, GND_INT64);
}
static void small_squares(operands *o) {
    o->x = bench_random(GND_SHAPE(64, 64), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(64, 64), GND_FLOAT32);
}
/* x is a view: transposed, the inner part of a larger matrix, or every other column of one. */
static void left_transposed(operands *o) {
    gnd_array *x = matrix(4096, 4096, GND_FLOAT32);
    o->x = gnd_transpose(x);
    o->y = matrix(4096, 4096, GND_FLOAT32);
    gnd_release(x);
}
static void left_inner(operands *o) {
    gnd_array *x = matrix(4096 + 512, 4096 + 512, GND_FLOAT32);
    const int end = (int)(bench_size(256) + bench_size(4096)), from = (int)bench_size(256);
    o->x = gnd_slice(x, "%d:%d, %d:%d", from, end, from, end);
    o->y = matrix(4096, 4096, GND_FLOAT32);
    gnd_release(x);
}
static void left_stepped(operands *o) {
    gnd_array *x = bench_random(GND_SHAPE(bench_size(4096), 2 * bench_size(4096)), GND_FLOAT32);
    o->x = gnd_slice(x, ":, ::2");
    o->y = matrix(4096, 4096, GND_FLOAT32);
    gnd_release(x);
}
static void batch_2x4x5(operands *o) {
    o->x = stack(1000, 2, 4);
    o->y = stack(1000, 4, 5);
}
static void batch_32(operands *o) {
    o->x = stack(10000, 32, 32);
    o->y = stack(10000, 32, 32);
}
static void batch_128(operands *o) {
    o->x = stack(1000, 128, 128);
    o->y = stack(1000, 128, 128);
}
static void batch_512(operands *o) {
    o->x = stack(64, 512, 512);
    o->y = stack(64, 512, 512);
}
static void batch_32_and_matrix(operands *o) {
    o->x = stack(10000, 32, 32);
    o->y = matrix(32, 32, GND_FLOAT32);
}
static void matrix_and_vector(operands *o) {
    o->x = matrix(10000, 10000, GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(bench_size(10000)), GND_FLOAT32);
}
static void vectors(operands *o) {
    o->x = bench_random(GND_SHAPE(bench_size(BENCH_N)), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(bench_size(BENCH_N)), GND_FLOAT32);
}
static void sides(operands *o) {
    o->x = bench_random(GND_SHAPE(bench_size(10000)), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(bench_size(10000)), GND_FLOAT32);
}
static void hundreds(operands *o) {
    squares(o, 100, GND_FLOAT32);
}
static void large_squares(operands *o) {
    squares(o, 10000, GND_FLOAT32);
}
/* Queries and keys of 16 sequences of 512 with 16 heads of 64. */
static void attention_operands(operands *o) {
    const gnd_shape shape = GND_SHAPE(bench_size(16), bench_size(512), 16, 64);
    o->x = bench_random(shape, GND_FLOAT32);
    o->y = bench_random(shape, GND_FLOAT32);
}
/* (4096 x 16) (16 x 4096) (4096 x 16): from the left it takes 100 times the work. */
static void chain_operands(operands *o) {
    o->x = matrix(4096, 16, GND_FLOAT32);
    o->y = matrix(16, 4096, GND_FLOAT32);
    o->z = matrix(4096, 16, GND_FLOAT32);
}
static void cubes(operands *o) {
    o->x = stack(256, 256, 256);
    o->y = stack(256, 256, 256);
}

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(matmul, gnd_matmul(o->x, o->y))
BENCH_RUN(matvec, gnd_matvec(o->x, o->y))
BENCH_RUN(vecmat, gnd_vecmat(o->y, o->x))
BENCH_RUN(dot, gnd_dot(o->x, o->y))
BENCH_RUN(outer, gnd_linalg_outer(o->x, o->y))
BENCH_RUN(kron, gnd_kron(o->x, o->y))
BENCH_RUN(multi_dot, gnd_multi_dot(GND_ARRAYS(o->x, o->y, o->z)))
BENCH_RUN(einsum_matmul, gnd_einsum("ij,jk->ik", GND_ARRAYS(o->x, o->y)))
BENCH_RUN(einsum_batch, gnd_einsum("bij,bjk->bik", GND_ARRAYS(o->x, o->y)))
BENCH_RUN(einsum_frobenius, gnd_einsum("ij,ij->", GND_ARRAYS(o->x, o->y)))
BENCH_RUN(einsum_attention, gnd_einsum("bqhd,bkhd->bhqk", GND_ARRAYS(o->x, o->y)))
BENCH_RUN(einsum_chain, gnd_einsum("ij,jk,kl->il", GND_ARRAYS(o->x, o->y, o->z)))
BENCH_RUN(einsum_permuted, gnd_einsum("ijk,jil->kl", GND_ARRAYS(o->x, o->y)))
BENCH_RUN(einsum_diagonal, gnd_einsum("ii->i", GND_ARRAYS(o->x)))

static void matmul_tf32(operands *o) {
    const bool before = gnd_allow_tf32(true);
    gnd_release(gnd_matmul(o->x, o->y));
    gnd_allow_tf32(before);
}

#ifdef GNDB_WITH_CUDA
/* What is timed is cuBLAS's call alone, into a product that is there. */
static void cublas(const operands *o, gndb_kind kind) {
    const gndb_product p = {
        .m = gnd_dim(o->x, -2),
        .n = gnd_dim(o->y, -1),
        .k = gnd_dim(o->x, -1),
        .batch = gnd_ndim(o->x) > 2 ? gnd_dim(o->x, 0) : 1,
        .a_transposed = gnd_stride(o->x, -1) > gnd_itemsize(o->x),
        .a = gnd_data(o->x),
        .b = gnd_data(o->y),
        .c = gnd_data(o->out),
    };
    const int code = gndb_cublas_matmul(&p, kind, gnd_stream_native(gnd_current_stream()));
    if (code) {
        fprintf(stderr, "cuBLAS by itself: error %d\n", code);
        exit(1);
    }
}
/* Room for the product, and a look at whether both come to the same. */
static void make_room(operands *o, gndb_kind kind) {
    gnd_array *expected = gnd_matmul(o->x, o->y);
    o->out = gnd_zeros_like(expected, GND_DTYPE_NONE);
    if (gnd_error()) return; /* of the row */
    cublas(o, kind);
    const bool is_half = kind == GNDB_FLOAT16 || kind == GNDB_BFLOAT16;
    if (!gnd_allclose(o->out, expected, is_half ? 2e-2 : 1e-4, 0, false) && !gnd_error()) {
        fprintf(stderr, "cuBLAS by itself: another product than gnd's\n");
        exit(1);
    }
    gnd_release(expected);
}
#    define WITH_ROOM(name, fill, kind)                                                                                \
        static void name(operands *o) {                                                                                \
            fill(o);                                                                                                   \
            make_room(o, kind);                                                                                        \
        }
WITH_ROOM(bare_squares_f32, squares_f32, GNDB_FLOAT32)
WITH_ROOM(bare_squares_f64, squares_f64, GNDB_FLOAT64)
WITH_ROOM(bare_squares_f16, squares_f16, GNDB_FLOAT16)
WITH_ROOM(bare_squares_bf16, squares_bf16, GNDB_BFLOAT16)
WITH_ROOM(bare_squares_c64, squares_c64, GNDB_COMPLEX64)
WITH_ROOM(bare_small_squares, small_squares, GNDB_FLOAT32)
WITH_ROOM(bare_left_transposed, left_transposed, GNDB_FLOAT32)
WITH_ROOM(bare_batch_2x4x5, batch_2x4x5, GNDB_FLOAT32)
WITH_ROOM(bare_batch_32, batch_32, GNDB_FLOAT32)
WITH_ROOM(bare_batch_128, batch_128, GNDB_FLOAT32)
WITH_ROOM(bare_batch_512, batch_512, GNDB_FLOAT32)

static void cublas_f32(operands *o) {
    cublas(o, GNDB_FLOAT32);
}
static void cublas_tf32(operands *o) {
    cublas(o, GNDB_TF32);
}
static void cublas_f64(operands *o) {
    cublas(o, GNDB_FLOAT64);
}
static void cublas_f16(operands *o) {
    cublas(o, GNDB_FLOAT16);
}
static void cublas_bf16(operands *o) {
    cublas(o, GNDB_BFLOAT16);
}
static void cublas_c64(operands *o) {
    cublas(o, GNDB_COMPLEX64);
}
#endif

const bench_row bench_rows_products[] = {
#ifdef GNDB_WITH_CUDA
    {"bare.small.matmul_64", bare_small_squares, cublas_f32, 0},
    {"bare.la.matmul_4096_float32", bare_squares_f32, cublas_f32, 0},
    {"bare.la.matmulT_4096_float32", bare_left_transposed, cublas_f32, 0},
    {"bare.la.matmul_4096_tf32", bare_squares_f32, cublas_tf32, 0},
    {"bare.la.matmul_4096_float64", bare_squares_f64, cublas_f64, 0},
    {"bare.la.matmul_4096_float16", bare_squares_f16, cublas_f16, 0},
    {"bare.la.matmul_4096_bfloat16", bare_squares_bf16, cublas_bf16, 0},
    {"bare.la.matmul_4096_complex64", bare_squares_c64, cublas_c64, 0},
    {"bare.la.bmm_1000x2x4x5", bare_batch_2x4x5, cublas_f32, 0},
    {"bare.la.bmm_10000x32", bare_batch_32, cublas_f32, 0},
    {"bare.la.bmm_1000x128", bare_batch_128, cublas_f32, 0},
    {"bare.la.bmm_64x512", bare_batch_512, cublas_f32, 0},
#endif
    {"small.matmul_64", small_squares, matmul, 0},
    {"la.matmul_4096_float32", squares_f32, matmul, 0},
    {"la.matmulT_4096_float32", left_transposed, matmul, 0},
    {"la.matmul_inner_4096_float32", left_inner, matmul, 0},
    {"la.matmul_strided2_4096_float32", left_stepped, matmul, 0},
    {"la.matmul_4096_tf32", squares_f32, matmul_tf32, 0},
    {"la.matmul_4096_float64", squares_f64, matmul, 0},
    {"la.matmul_4096_float16", squares_f16, matmul, 0},
    {"la.matmul_4096_bfloat16", squares_bf16, matmul, 0},
    {"la.matmul_4096_complex64", squares_c64, matmul, 0},
    {"la.matmul_2048_int8", squares_i8, matmul, 0},
    {"la.matmul_2048_int32", squares_i32, matmul, 0},
    {"la.matmul_2048_int64", squares_i64, matmul, 0},
    {"la.bmm_1000x2x4x5", batch_2x4x5, matmul, 0},
    {"la.bmm_10000x32", batch_32, matmul, 1.2288e8},
    {"la.bmm_1000x128", batch_128, matmul, 0},
    {"la.bmm_64x512", batch_512, matmul, 0},
    {"la.bmm_10000x32_one_matrix", batch_32_and_matrix, matmul, 8.192e7},
    {"la.matvec_1e4x1e4", matrix_and_vector, matvec, 4e8},
    {"la.vecmat_1e4x1e4", matrix_and_vector, vecmat, 4e8},
    {"la.dot_1e8", vectors, dot, 8e8},
    {"la.outer_1e4", sides, outer, 4e8},
    {"la.kron_100x100", hundreds, kron, 4e8},
    {"la.multi_dot_4096x16", chain_operands, multi_dot, 0},
    {"la.einsum_matmul_4096", squares_f32, einsum_matmul, 0},
    {"la.einsum_batch_10000x32", batch_32, einsum_batch, 1.2288e8},
    {"la.einsum_frobenius_1e4x1e4", large_squares, einsum_frobenius, 8e8},
    {"la.einsum_attention_16x512x16x64", attention_operands, einsum_attention, 0},
    {"la.einsum_chain_4096x16", chain_operands, einsum_chain, 0},
    {"la.einsum_permuted_256", cubes, einsum_permuted, 0},
    {"la.einsum_diagonal_1e4x1e4", large_squares, einsum_diagonal, 0},
    {NULL, NULL, NULL, 0},
};
