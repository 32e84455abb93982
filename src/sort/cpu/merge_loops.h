/*
 * merge_loops.h: the inner loop of merges as its driver (merge_cpu.c) sees it.
 */
#ifndef GNDI_CPU_MERGE_LOOPS_H
#define GNDI_CPU_MERGE_LOOPS_H

#include "sort/merge_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements begin .. end - 1 of the result. */
void gndi_cpu_merge_part(const gndi_merge_plan *plan, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif
