/*
 * sort_loops.h: the loops that order rows, as their driver (sort_cpu.c) sees them.
 */
#ifndef GNDI_CPU_SORT_LOOPS_H
#define GNDI_CPU_SORT_LOOPS_H

#include "kernels/sort_plan.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void gndi_cpu_sort_rows(const gndi_sort_plan *plan, char *room);

#ifdef __cplusplus
}
#endif

#endif
