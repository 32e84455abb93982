/*
 * histogram_loops.h: the inner loops of histograms as their driver (histogram_cpu.c) sees them.
 */
#ifndef GNDI_CPU_HISTOGRAM_LOOPS_H
#define GNDI_CPU_HISTOGRAM_LOOPS_H

#include "histogram/histogram_plan.h"

enum { GNDI_CPU_NARROW = 4096 }; /* up to so many bins are counted in four tables at once */

/* What the elements are, and what was wrong with them. */
typedef struct gndi_cpu_histogram_job {
    const gndi_histogram_plan *plan;
    double first, last;        /* of EVEN: the range, known by now */
    int64_t smallest, largest; /* of EXTENT */
    double least, greatest;    /* of EVEN: NaN if there is one */
    /* INTEGERS from 0 on, up to GNDI_CPU_NARROW of them, a power of two: the counts are of use only if no
       element is another one, which ends them. */
    bool guesses;
    bool is_outside; /* INTEGERS: an element is in no bin: */
    int64_t outside; /* this one, unless it `guesses` */
    char *part;      /* counts or sums of the elements: as many as `out` has of them */
} gndi_cpu_histogram_job;

#ifdef __cplusplus
extern "C" {
#endif

/* The smallest and the largest of elements begin .. end - 1, at least one. */
void gndi_cpu_histogram_extent(gndi_cpu_histogram_job *job, int64_t begin, int64_t end);
/* Pushes `first` and `last` apart if they are equal. False if they are not finite. */
bool gndi_cpu_histogram_spread(gndi_cpu_histogram_job *job);
/* Stores the edges of EVEN bins. False if two are the same. */
bool gndi_cpu_histogram_edges(const gndi_cpu_histogram_job *job);
/* Whether the edges of EDGES go up. */
bool gndi_cpu_histogram_ordered(const gndi_histogram_plan *plan);
/* Adds elements begin .. end - 1 to job->part, and stores their numbers, as the plan asks. */
void gndi_cpu_histogram_add(gndi_cpu_histogram_job *job, int64_t begin, int64_t end);
/* to[b] += from[b] for the bins. */
void gndi_cpu_histogram_join(const gndi_histogram_plan *plan, char *to, const char *from);

#ifdef __cplusplus
}
#endif

#endif
