/*
 * search_loops.h: the inner loops of searches as their driver (search_cpu.c) sees them.
 */
#ifndef GNDI_CPU_SEARCH_LOOPS_H
#define GNDI_CPU_SEARCH_LOOPS_H

#include "sort/search_plan.h"

/* A plan whose line goes up: a descending one has been reversed. */
typedef struct gndi_cpu_search_job {
    const gndi_search_plan *plan;
    bool reversed;       /* indices are length - index */
    bool is_fault;       /* a position of the sorter was outside the line: */
    int64_t fault_value; /* this one */
} gndi_cpu_search_job;

#ifdef __cplusplus
extern "C" {
#endif

/* Values begin .. end - 1. */
void gndi_cpu_search_values(gndi_cpu_search_job *job, int64_t begin, int64_t end);
/* Whether the line goes down, as its ends tell; sets `broken` if it then is not in order. */
bool gndi_cpu_search_goes_down(const gndi_search_plan *plan, bool *broken);

#ifdef __cplusplus
}
#endif

#endif
