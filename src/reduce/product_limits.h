/*
 * product_limits.h: products of complex numbers that are not finite, for C and CUDA. Which of their parts are
 * infinite and which are NaN depends on the order of the factors.
 */
#ifndef GNDI_PRODUCT_LIMITS_H
#define GNDI_PRODUCT_LIMITS_H

enum {
    /* A product that is not finite is computed again in the order of the elements, as NumPy has it, if it has
       at most so many; of more it becomes NaN in both parts. That is what NumPy's is, too, unless the first
       infinity comes up among the last four. */
    GNDI_PRODUCT_IN_ORDER = 1024,
    /* So many elements behind the first that is not finite, a running product is NaN in both parts:
       (inf, x), (inf, inf), (inf, nan), (nan, nan). */
    GNDI_PRODUCT_UNTIL_NAN = 4,
};

#endif
