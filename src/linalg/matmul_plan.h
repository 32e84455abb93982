/*
 * matmul_plan.h: products of many matrices, c = alpha a b + beta c, as the `matmul` hook takes them.
 *
 * Floating-point and complex matrices come as BLAS describes them: one of the two strides is the item's
 * size, and the other is that of at least a whole row or column, a multiple of the item's size; c is
 * column-major (its rows are neighbours). The front ensures this by exchanging a and b or by copying.
 * Integers and bool may have any strides.
 */
#ifndef GNDI_MATMUL_PLAN_H
#define GNDI_MATMUL_PLAN_H

#include "runtime/runtime.h"

typedef struct gndi_matmul_operand {
    char *data;
    int64_t row, column;        /* bytes from one row, and from one column, to the next */
    int64_t step[GND_MAX_DIMS]; /* bytes along each axis of the batch; 0: the same matrix again */
    bool conjugate;             /* of a and b, complex */
} gndi_matmul_operand;

struct gndi_matmul_plan {
    uint8_t dtype;   /* of c. float16 and bfloat16 add up in float32, bool is an or of ands */
    uint8_t factors; /* dtype of a and b: that of c, or, if that is float32, a GPU's float16 or bfloat16 */
    bool tf32;       /* float32 factors may be rounded to 10 bits (CUDA's tensor cores) */
    int64_t m, n, k; /* a is m x k, b is k x n, c is m x n; k may be 0: c = beta c */
    int ndim;        /* axes of the batch, merged where all operands allow it; the last is the fastest */
    int64_t shape[GND_MAX_DIMS];
    gndi_matmul_operand a, b, c;
    double alpha[2], beta[2]; /* real and imaginary parts. alpha is not 0; beta == 0: c is not read. Integers:
                    1 and 0 or 1 */
};

#endif
