/*
 * segments_cpu.h: what the files of reduceat on the CPU share.
 */
#ifndef GNDI_SEGMENTS_CPU_H
#define GNDI_SEGMENTS_CPU_H

#include "runtime/hooks.h"
#include "ufunc/segment_plan.h"

/* The elements of segment i; false if its index is out of range. */
bool gndi_segment_extent(const gndi_segment_plan *plan, int64_t i, int64_t *begin, int64_t *end);
/* Takes a plan that was carried out; does nothing for other operators and dtypes (segments_products.c). */
void gndi_cpu_mend_segments(const gndi_segment_plan *plan);

#endif
