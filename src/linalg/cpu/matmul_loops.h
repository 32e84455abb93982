/*
 * matmul_loops.h: the interface of gnd's own loops for products of matrices, for the driver (matmul_cpu.c).
 */
#ifndef GNDI_CPU_MATMUL_LOOPS_H
#define GNDI_CPU_MATMUL_LOOPS_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    GNDI_MATMUL_EDGE = 128,    /* the most rows and columns of c that one call computes */
    GNDI_MATMUL_INNER = 128,   /* float16 and bfloat16: the most columns of a, which are not cut */
    GNDI_MATMUL_BYTES = 65536, /* of a, and of b, that are packed at a time */
};

/* c = alpha a b + beta c for matrices of one dtype in any strides, in bytes. Integers and bool: alpha
   is 1 and beta 0 or 1. */
typedef struct gndi_cpu_product {
    const char *a, *b;
    char *c;
    int64_t m, n, k;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column;
    bool conjugate_a, conjugate_b;
    const double *alpha, *beta; /* two parts each */
} gndi_cpu_product;

typedef void (*gndi_cpu_multiply)(const gndi_cpu_product *x);

typedef struct gndi_cpu_products {
    gndi_cpu_multiply multiply[GND_DTYPE_COUNT]; /* NULL: no such loop */
} gndi_cpu_products;

#endif
