/*
 * gnd/linalg.h: rules for all of linear algebra; the functions are in gnd/products.h, gnd/einsum.h,
 * gnd/solve.h and gnd/decompose.h.
 *
 * Matrices are the last two axes of an array, and the axes before them are a batch: each function works on
 * the whole batch at once, with any strides. The work is done by cuBLAS and cuSOLVER on a GPU and by OpenBLAS
 * on the CPU. They are loaded at first use; if one is missing, the call fails with GND_ERROR_UNAVAILABLE and
 * names the package.
 *
 * On a GPU each stream has its own library handles and a cuBLAS workspace of 32 MiB (4 MiB before Hopper),
 * taken from the pool at the stream's first call that needs cuBLAS, and kept. Make that first call before
 * capturing the stream into a CUDA graph. cuSOLVER's routines for eigenvalues and singular values wait for
 * the device while they run, for single matrices that are not small and for general matrices of any size. So
 * does gnd_expm. During a capture such a call is refused, and the capture goes on. No library is needed for
 * products of matrices of up to 16 rows and columns, a few of somewhat larger ones, and products of integers
 * or bool; nor for determinants, LU factors and systems with few right sides, where LU is gnd's own (below).
 *
 * Matrices that are singular, not positive definite, or on which an iteration does not converge are detected
 * on the device, without waiting. The next call that waits fails with GND_ERROR_VALUE and names the function
 * and the matrix of the batch (one of them, if there are several). The results of such a matrix are NaN, its
 * rank is 0.
 *
 * Batches of small matrices on a GPU: up to 32 x 32, gnd's own kernels compute LU, systems (up to 512 right
 * sides), inverses, determinants and Cholesky factors with one warp a matrix. QR of up to 64 columns
 * (complex128: 160) runs in shared memory with one block a matrix, as far as a matrix fits there. Larger QR,
 * LU, systems, inverses and determinants proceed in steps of 32 columns (16 or 8 where no more fit), with
 * gnd's own kernels and cuBLAS products for all matrices at once; Q of a single matrix of 192 rows or more is
 * cuSOLVER's. On an H200 this applies to one matrix of up to 1024 rows (float64 and complex64: 512,
 * complex128: never), to two of up to 2048 (1024; 512), and to four of up to 2048 (complex128: 1024). For
 * more than 8 larger matrices (or several of up to 128 rows), cuBLAS's geqrfBatched does QR of up to 64
 * columns, its trsmBatched systems with triangles of up to 512, and cuSOLVER's potrfBatched Cholesky factors
 * of up to 1024. Eigenvalues of symmetric matrices of up to 64 x 64 and singular values of up to 1024 columns
 * are gnd's own (gnd_svd); XsyevBatched computes eigenvalues of symmetric matrices of up to 512. Everything
 * else is done one by one, on up to four streams. On the CPU each thread processes matrices of its own.
 */
#ifndef GND_LINALG_H
#define GND_LINALG_H

#include <gnd/base.h>

GND_BEGIN

/**
 * Whether this thread's linear algebra waits and reports a failed matrix immediately. If set, each call that
 * could meet one waits for its own work and fails itself. It first waits for earlier work: an error found
 * there makes the call fail under the earlier call's name, without computing anything. Returns the previous
 * setting; false by default.
 */
GND_API bool gnd_linalg_strict(bool strict);

/**
 * Whether this thread's products of float32 matrices may round their factors to 10 bits (TF32), which the
 * tensor cores of GPUs multiply several times faster; sums stay float32. Returns the previous setting; false
 * by default. No effect on the CPU.
 */
GND_API bool gnd_allow_tf32(bool allow);

GND_END

#endif
