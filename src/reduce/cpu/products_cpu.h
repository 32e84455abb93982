/*
 * products_cpu.h: products of complex numbers that are not finite, on the CPU. Which of their parts are
 * infinite and which are NaN depends on the order of the factors, so these results are computed again in the
 * order of the elements, as NumPy has it. Reductions are here; scans and segments do the same in their folders.
 */
#ifndef GNDI_CPU_PRODUCTS_CPU_H
#define GNDI_CPU_PRODUCTS_CPU_H

#include "elementwise/cpu/cpu_kernels.h"
#include "reduce/product_limits.h"
#include "reduce/reduce_plan.h"
#include "runtime/hooks.h"

enum { GNDI_FACTORS_GRAIN = 1 << 14 }; /* results that are worth a thread */

/* What is multiplied, and how. */
typedef struct gndi_factors {
    const gndi_cpu_kernels *kernels;
    gnd_dtype loop;
    int in_dtype;
    bool skip_nan; /* NaN count as 1 */
    size_t size;   /* of an element of `loop` */
    const void *plan;
} gndi_factors;

/* Of a plan; false if its loop is not complex: then there is nothing to do. */
bool gndi_factors_begin(gndi_factors *f, gnd_dtype loop, int in_dtype, bool skip_nan, const void *plan);
/* An element, as it is multiplied. */
void gndi_factors_load(const gndi_factors *f, const char *from, char *to);
/* to = product * x; `to` may be `product`. */
void gndi_factors_multiply(const gndi_factors *f, char *to, const char *product, const char *x);
void gndi_factors_set(const gndi_factors *f, char *x, double real, double imaginary);
bool gndi_factors_is_finite(const gndi_factors *f, const char *x);
/* Whether the result of so many factors is to stay. One that is not finite, and of too many, becomes NaN. */
bool gndi_factors_is_settled(const gndi_factors *f, char *result, int64_t count);

/* Carries out a plan of complex products in the order of the elements if they are few and the results neighbours, as
   the elements are; false: it is carried out in another order, and its results are to be mended. */
bool gndi_cpu_products_in_order(const gndi_reduce_plan *plan);
/* Takes a plan that was carried out. */
void gndi_cpu_mend_products(const gndi_reduce_plan *plan);

#endif
