/*
 * products_cpu.h: products of complex numbers that are not finite, on the CPU. Which of their parts are
 * infinite and which are NaN depends on the order of the factors, so these results are computed again in the
 * order of the elements, as NumPy has it. Each function does nothing for other operators and dtypes.
 */
#ifndef GNDI_CPU_PRODUCTS_CPU_H
#define GNDI_CPU_PRODUCTS_CPU_H

#include "reduce/product_limits.h"
#include "reduce/reduce_plan.h"
#include "scan/scan_plan.h"
#include "ufunc/segment_plan.h"
#include "runtime/backend_kernels.h"

/* The elements of segment i (segments_cpu.c); false if its index is out of range. */
bool gndi_segment_extent(const gndi_segment_plan *plan, int64_t i, int64_t *begin, int64_t *end);

/* Each takes a plan that was carried out. */
void gndi_cpu_mend_products(const gndi_reduce_plan *plan);
void gndi_cpu_mend_segments(const gndi_segment_plan *plan);
void gndi_cpu_mend_running(const gndi_scan_plan *plan);

#endif
