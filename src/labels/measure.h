/*
 * measure.h: what the fronts of measurements over labels share: arguments checked and broadcast, results.
 */
#ifndef GNDI_LABELS_MEASURE_H
#define GNDI_LABELS_MEASURE_H

#include "array/view.h"
#include "elementwise/temporaries.h"
#include "labels/labels_plan.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"

/* What is measured: the input and its labels, dense and of one shape. Without labels everything is one group, without
   an index what is labelled above 0. */
typedef struct gndi_measured {
    const gnd_array *x, *labels, *index; /* int32 or int64 or NULL; int64 or NULL */
    int64_t groups;
} gndi_measured;

/* False, and raised. `real`: complex input is refused. */
bool gndi_measured_check(const char *fn, const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                         bool real);
/* All of it, x in a dtype. */
gndi_measured gndi_measured_of(gndi_temporaries *s, const gnd_array *input, const gnd_array *labels,
                               const gnd_array *index, gnd_dtype dtype);
/* The dtype, float32 or float64, in which elements are summed: exact but for long integers. */
gnd_dtype gndi_measured_summed(int dtype);
/* Labels as the hooks take them. */
const gnd_array *gndi_measured_labels(gndi_temporaries *s, const gnd_array *labels);
/* Dense, of a dtype. */
const gnd_array *gndi_measured_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype);
/* A new array of the index's shape, and of `last` elements behind it unless that is -1. */
gnd_array *gndi_measured_result(gndi_temporaries *s, const gnd_array *x, const gnd_array *index, int64_t last,
                                gnd_dtype dtype);
/* Which group each element is of, 1-d and int64, as an index into the sorted index; those of none have `groups`. */
const gnd_array *gndi_measured_groups(gndi_temporaries *s, const gndi_measured *m, const gnd_array *sorted);

#endif
