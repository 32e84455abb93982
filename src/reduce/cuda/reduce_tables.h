/*
 * reduce_tables.h: the arrays of kernels that are compiled apart from those of reduce_params.h, so that a process's
 * first reduction loads less: those of float64, and mixed ones of complex elements.
 */
#ifndef GNDI_REDUCE_TABLES_H
#define GNDI_REDUCE_TABLES_H

#include "reduce/cuda/reduce_params.h"

extern const gndi_reduce_kernels gndi_reduce_sum_kernels_doubles[16], gndi_reduce_product_kernels_doubles[16],
    gndi_reduce_minimum_kernels_doubles[16], gndi_reduce_maximum_kernels_doubles[16],
    gndi_reduce_count_kernels_doubles[16], gndi_reduce_fmin_kernels_doubles[16], gndi_reduce_fmax_kernels_doubles[16];
extern const gndi_reduce_mixed_kernel gndi_reduce_mixed_sums_doubles[GNDI_CLASSES],
    gndi_reduce_mixed_extents_doubles[GNDI_CLASSES], gndi_reduce_mixed_means_doubles[GNDI_CLASSES],
    gndi_reduce_mixed_means_complex[GNDI_CLASSES], gndi_reduce_mixed_indices_doubles[GNDI_CLASSES],
    gndi_reduce_mixed_indices_complex[GNDI_CLASSES], gndi_reduce_mixed_variances_doubles[GNDI_CLASSES],
    gndi_reduce_mixed_variances_complex[GNDI_CLASSES];

#endif
