/*
 * rows_products.c: products of matrices, vectors and batches, by name, and cuBLAS's own call for the
 * same product beside some (`bare.` before the name). Where a row has a floor it is what the operands and the result
 * take.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#    include <stdio.h>
#    include <stdlib.h>
#endif

/* ---- operands ------------------------------------------------------------------------------- */

/* x becomes a view: transposed, the inner part of a larger matrix, or every other column of one. */
static void left_transposed(operands *o) {
    bench_replace(&o->x, gnd_transpose(o->x));
}
static void left_inner(operands *o) {
    const int from = (int)(gnd_dim(o->x, 0) - gnd_dim(o->y, 0)) / 2, end = from + (int)gnd_dim(o->y, 0);
    bench_replace(&o->x, gnd_slice(o->x, "%d:%d, %d:%d", from, end, from, end));
}
static void left_stepped(operands *o) {
    bench_replace(&o->x, gnd_slice(o->x, ":, ::2"));
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
static void room_f32(operands *o) {
    make_room(o, GNDB_FLOAT32);
}
static void room_f64(operands *o) {
    make_room(o, GNDB_FLOAT64);
}
static void room_f16(operands *o) {
    make_room(o, GNDB_FLOAT16);
}
static void room_bf16(operands *o) {
    make_room(o, GNDB_BFLOAT16);
}
static void room_c64(operands *o) {
    make_room(o, GNDB_COMPLEX64);
}
static void room_transposed(operands *o) {
    left_transposed(o);
    make_room(o, GNDB_FLOAT32);
}

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
    {"bare.small.matmul_64", room_f32, cublas_f32, 0, "float32[64,64] float32[64,64]"},
    {"bare.la.matmul_4096_float32", room_f32, cublas_f32, 0, "float32[4096,4096] float32[4096,4096]"},
    {"bare.la.matmulT_4096_float32", room_transposed, cublas_f32, 0, "float32[4096,4096] float32[4096,4096]"},
    {"bare.la.matmul_4096_tf32", room_f32, cublas_tf32, 0, "float32[4096,4096] float32[4096,4096]"},
    {"bare.la.matmul_4096_float64", room_f64, cublas_f64, 0, "float64[4096,4096] float64[4096,4096]"},
    {"bare.la.matmul_4096_float16", room_f16, cublas_f16, 0, "float16[4096,4096] float16[4096,4096]"},
    {"bare.la.matmul_4096_bfloat16", room_bf16, cublas_bf16, 0, "bfloat16[4096,4096] bfloat16[4096,4096]"},
    {"bare.la.matmul_4096_complex64", room_c64, cublas_c64, 0, "complex64[4096,4096] complex64[4096,4096]"},
    {"bare.la.bmm_1000x2x4x5", room_f32, cublas_f32, 0, "float32[1000,2,4] float32[1000,4,5]"},
    {"bare.la.bmm_10000x32", room_f32, cublas_f32, 0, "float32[1e4,32,32] float32[1e4,32,32]"},
    {"bare.la.bmm_1000x128", room_f32, cublas_f32, 0, "float32[1000,128,128] float32[1000,128,128]"},
    {"bare.la.bmm_64x512", room_f32, cublas_f32, 0, "float32[64,512,512] float32[64,512,512]"},
#endif
    {"small.matmul_64", NULL, matmul, 0, "float32[64,64] float32[64,64]"},
    {"la.matmul_4096_float32", NULL, matmul, 0, "float32[4096,4096] float32[4096,4096]"},
    {"la.matmulT_4096_float32", left_transposed, matmul, 0, "float32[4096,4096] float32[4096,4096]"},
    {"la.matmul_inner_4096_float32", left_inner, matmul, 0, "float32[4608,4608] float32[4096,4096]"},
    {"la.matmul_strided2_4096_float32", left_stepped, matmul, 0, "float32[4096,8192] float32[4096,4096]"},
    {"la.matmul_4096_tf32", NULL, matmul_tf32, 0, "float32[4096,4096] float32[4096,4096]"},
    {"la.matmul_4096_float64", NULL, matmul, 0, "float64[4096,4096] float64[4096,4096]"},
    {"la.matmul_4096_float16", NULL, matmul, 0, "float16[4096,4096] float16[4096,4096]"},
    {"la.matmul_4096_bfloat16", NULL, matmul, 0, "bfloat16[4096,4096] bfloat16[4096,4096]"},
    {"la.matmul_4096_complex64", NULL, matmul, 0, "complex64[4096,4096] complex64[4096,4096]"},
    {"la.matmul_2048_int8", NULL, matmul, 0, "int8[2048,2048]<100 int8[2048,2048]<100"},
    {"la.matmul_2048_int32", NULL, matmul, 0, "int32[2048,2048]<100 int32[2048,2048]<100"},
    {"la.matmul_2048_int64", NULL, matmul, 0, "int64[2048,2048]<100 int64[2048,2048]<100"},
    {"la.bmm_1000x2x4x5", NULL, matmul, 0, "float32[1000,2,4] float32[1000,4,5]"},
    {"la.bmm_10000x32", NULL, matmul, 1.2288e8, "float32[1e4,32,32] float32[1e4,32,32]"},
    {"la.bmm_1000x128", NULL, matmul, 0, "float32[1000,128,128] float32[1000,128,128]"},
    {"la.bmm_64x512", NULL, matmul, 0, "float32[64,512,512] float32[64,512,512]"},
    {"la.bmm_10000x32_one_matrix", NULL, matmul, 8.192e7, "float32[1e4,32,32] float32[32,32]"},
    {"la.matvec_1e4x1e4", NULL, matvec, 4e8, "float32[1e4,1e4] float32[1e4]"},
    {"la.vecmat_1e4x1e4", NULL, vecmat, 4e8, "float32[1e4,1e4] float32[1e4]"},
    {"la.dot_1e8", NULL, dot, 8e8, "float32[1e8] float32[1e8]"},
    {"la.outer_1e4", NULL, outer, 4e8, "float32[1e4] float32[1e4]"},
    {"la.kron_100x100", NULL, kron, 4e8, "float32[100,100] float32[100,100]"},
    /* (4096 x 16) (16 x 4096) (4096 x 16): from the left it takes 100 times the work. */
    {"la.multi_dot_4096x16", NULL, multi_dot, 0, "float32[4096,16] float32[16,4096] float32[4096,16]"},
    {"la.einsum_matmul_4096", NULL, einsum_matmul, 0, "float32[4096,4096] float32[4096,4096]"},
    {"la.einsum_batch_10000x32", NULL, einsum_batch, 1.2288e8, "float32[1e4,32,32] float32[1e4,32,32]"},
    {"la.einsum_frobenius_1e4x1e4", NULL, einsum_frobenius, 8e8, "float32[1e4,1e4] float32[1e4,1e4]"},
    {"la.einsum_attention_16x512x16x64", NULL, einsum_attention, 0, "float32[16,512,16,64] float32[16,512,16,64]"},
    {"la.einsum_chain_4096x16", NULL, einsum_chain, 0, "float32[4096,16] float32[16,4096] float32[4096,16]"},
    {"la.einsum_permuted_256", NULL, einsum_permuted, 0, "float32[256,256,256] float32[256,256,256]"},
    {"la.einsum_diagonal_1e4x1e4", NULL, einsum_diagonal, 0, "float32[1e4,1e4]"},
    {0},
};
