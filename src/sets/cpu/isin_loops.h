/*
 * isin_loops.h: the inner loops of membership as their driver (isin_cpu.c) sees them.
 */
#ifndef GNDI_CPU_MEMBER_LOOPS_H
#define GNDI_CPU_MEMBER_LOOPS_H

#include "sort/search_plan.h"
#include <stddef.h>

/* The elements of a plan's line as a set: `mask` + 2 slots (sets/isin_ops.h). */
typedef struct gndi_cpu_isin_set {
    const gndi_search_plan *plan;
    void *slots;
    uint64_t mask;
} gndi_cpu_isin_set;

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a slot. */
size_t gndi_cpu_isin_slot(int dtype);
/* All elements of the line into the slots, which are free. */
void gndi_cpu_isin_fill(const gndi_cpu_isin_set *set);
/* Whether values begin .. end - 1 are in it. */
void gndi_cpu_isin_look_up(const gndi_cpu_isin_set *set, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif
