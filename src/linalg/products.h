/*
 * products.h: a product of matrices in the front: its arrays and sizes.
 *
 *     matmul.c            the rules of matmul; a product into an existing array
 *     matmul_plan.c       layouts, axes, submission
 *     products.c          dot, inner, outer, matvec, vecmat, kron, matrix_power
 *     products_axes.c     tensordot, kron and cross: products over given axes
 *     matmul_with.c       matmul with NumPy's keywords; what options and casts are allowed
 *     multi_dot.c         products of many matrices, in the order that costs least
 */
#ifndef GNDI_PRODUCTS_H
#define GNDI_PRODUCTS_H

#include "linalg/linalg.h"

/* Whether the dtype and the casting rule are valid; raises if not. */
bool gndi_check_product_options(const char *fn, const gnd_product_options *options);
/* Whether arrays may be cast to the dtype of the computation, and that to `out` (NULL: none); raises if not. */
bool gndi_check_casts(const char *fn, int count, const gnd_array *const arrays[], gnd_dtype dtype, const gnd_array *out,
                      gnd_casting casting);

typedef struct gndi_product {
    const char *fn;
    const gnd_array *a, *b;      /* vectors or matrices */
    bool a_vector, b_vector;     /* 1-d: a row, a column; the result has no axis for it */
    bool conjugate;              /* a */
    gnd_dtype dtype, factors;    /* of the result, and of a and b as they are multiplied (matmul_plan.h) */
    int batch, ndim;             /* axes of the batch, and of the result */
    int64_t shape[GND_MAX_DIMS]; /* of the result */
    int64_t m, n, k;
} gndi_product;

/* out = alpha a b + beta out; alpha and beta each have two parts. Copies a and b where no layout of BLAS
   describes them, or to cast them. gndi_product_takes must accept out, k is at least 1, alpha is not
   0, and neither operand may be empty. */
gnd_status gndi_product_run(const gndi_product *p, gnd_array *out, gndi_parts alpha, gndi_parts beta);
/* Whether the backends can write the product straight to `out`. */
bool gndi_product_takes(const gndi_product *p, const gnd_array *out);

#endif
