/*
 * gnd/linalg.h: what holds for all of linear algebra; gnd/products.h, gnd/einsum.h, gnd/solve.h and
 * gnd/decompose.h have the functions.
 *
 * Matrices are the last two axes of an array, and the axes before them a batch: each function works on
 * all matrices of it at once, of any strides. On a GPU the work is done by cuBLAS and cuSOLVER, on the
 * CPU by OpenBLAS, which are loaded at first use; without them a call fails with
 * GND_ERROR_UNAVAILABLE and says which package has them.
 *
 * On a GPU each stream has handles of these libraries of its own, and a workspace of cuBLAS's in the
 * pool: 32 MiB (4 MiB before Hopper), taken at the stream's first call that needs cuBLAS and kept. A
 * stream that is captured into a CUDA graph must have had that first call before. cuSOLVER's routines for
 * eigenvalues and singular values of single matrices that are not small, and of general matrices of any size, wait
 * for the device as they go, and so does gnd_expm: in a capture such a call is refused, and the capture goes
 * on. Products of matrices
 * of up to 16 rows and columns, a few of somewhat larger ones, and products of integers or bool of any
 * size need no library; nor do determinants, LU factors and systems with few right sides, where LU is gnd's
 * own (below).
 *
 * A matrix that is singular, not positive definite, or on which an iteration does not converge is
 * found by the device: nobody waits for it. The next call that waits fails with GND_ERROR_VALUE, and
 * its sentence names the function and the matrix of the batch, or any one of several; what was
 * computed of such a matrix is NaN, and a rank of 0.
 *
 * Batches of small matrices, on a GPU: of up to 32 x 32, kernels of gnd's own do LU, systems, inverses,
 * determinants and Cholesky factors, a warp each, and their system has up to 512 right sides; QR of up to
 * 64 columns (of complex128, 160) is done in shared memory, a block each, as far as a matrix fits there.
 * QR of more, LU, systems, inverses and determinants go in steps of 32 columns (16 or 8 where no more fit),
 * kernels of gnd's own and products, cuBLAS's, for all matrices; Q of one alone of 192 rows or more is
 * cuSOLVER's. On an H200 that is so for one matrix of up to 1024 rows (of float64 and complex64 512, of
 * complex128 not at all), for two of up to 2048 (1024; 512), for four of up to 2048 (complex128: 1024). Of
 * more than 8 larger ones (of several, up to 128 rows), cuBLAS's geqrfBatched takes those of up to 64
 * columns, its trsmBatched systems with triangles of up to 512, and cuSOLVER's potrfBatched those of up to
 * 1024. Eigenvalues of symmetric ones of up to 64 x 64 and singular values of up to 1024 columns are gnd's
 * own (gnd_svd); XsyevBatched takes eigenvalues of symmetric ones of up to 512. What is left is done one by
 * one, on up to four streams. On the CPU each thread takes matrices for itself.
 */
#ifndef GND_LINALG_H
#define GND_LINALG_H

#include <gnd/base.h>

GND_BEGIN

/**
 * Whether this thread's linear algebra waits and reports a failed matrix at once: each call that could
 * meet one then waits for its own work, and fails itself. It waits before, too: what an earlier call left
 * behind fails it under that call's name, and nothing is computed. Gives what held before; false at first.
 */
GND_API bool gnd_linalg_strict(bool strict);

/**
 * Whether this thread's products of float32 matrices may round their factors to 10 bits (TF32), which
 * tensor cores of GPUs multiply several times faster; sums stay float32. Gives what held before; false
 * at first. The CPU takes no notice.
 */
GND_API bool gnd_allow_tf32(bool allow);

GND_END

#endif
