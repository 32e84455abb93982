/*
 * sort.h: what the functions that order share.
 *
 *     sort.c       the public functions: what is refused, and where results go
 *     sort_run.c   sorts and partitions of given arrays: the plan and its submission
 *     lexsort.c    several keys
 */
#ifndef GNDI_SORT_H
#define GNDI_SORT_H

#include "sort/sort_plan.h"
#include "runtime/runtime.h"

/* Rows of x along an axis in order, into arrays that are given. */
typedef struct gndi_sort_request {
    const char *fn;
    const gnd_array *x;
    int axis;
    gnd_direction direction;
    gnd_array *values;      /* of x's dtype; x itself, or apart from it; NULL: not wanted */
    gnd_array *indices;     /* int64, apart from both; NULL: not wanted */
    const gnd_array *start; /* int64, an order to begin from; may be `indices` (sort_plan.h) */
    int kths;
    const int64_t *kth;  /* partition at these indices, ascending; NULL: sort */
    uint64_t worthwhile; /* what elements must span to be sorted at all (sort_plan.h), */
    bool *declined;      /* where it is said that they were not; NULL: they are */
} gndi_sort_request;

/*
 * Runs a request. values and indices have x's shape, but may be shorter along the axis: they get so much of the
 * sorted rows. Nothing is done if they are empty.
 */
gnd_status gndi_sort_run(const gndi_sort_request *r);

/* Whether `a` is the same elements in memory as `b`. */
bool gndi_same_elements(const gnd_array *a, const gnd_array *b);

/* All elements of x in C order as one dimension: a view if x is crossed in one step, else a copy
   (*copied). */
gnd_array *gndi_sort_flat(const char *fn, const gnd_array *x, bool *copied);

/* The axis that is meant, of an x of one dimension at least; raises if none or several are. */
bool gndi_sort_axis(const char *fn, const gnd_axes *axes, int ndim, int *axis);
/* Refuses the options of gnd_axes that have no meaning here. */
bool gndi_sort_check_options(const char *fn, const gnd_axes *axes);

#endif
