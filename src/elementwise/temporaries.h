/*
 * temporaries.h: the intermediate arrays of a formula. A formula is written as a sequence of elementwise
 * operators on views; its intermediate arrays are released together. Once a step has failed, the following
 * ones do nothing, so a formula checks for failure once, at its end.
 */
#ifndef GNDI_ELEMENTWISE_TEMPORARIES_H
#define GNDI_ELEMENTWISE_TEMPORARIES_H

#include "elementwise/elementwise.h"

enum { GNDI_MAX_TEMPORARIES = 64 };

typedef struct gndi_temporaries {
    const char *fn;
    bool failed;
    int count;
    gnd_array *made[GNDI_MAX_TEMPORARIES];
} gndi_temporaries;

/* Records an array made by a step and returns it. NULL: the step failed. */
gnd_array *gndi_temporaries_keep(gndi_temporaries *s, gnd_array *made);
/* Releases all arrays but `result` (may be NULL). Returns `result`, or NULL if a step failed. */
gnd_array *gndi_temporaries_end(gndi_temporaries *s, gnd_array *result);

/* Hands over one of several results: *out = result, which is then no longer released at the end, or NULL
   if a step failed. NULL out: the result is not wanted. */
void gndi_temporaries_give(gndi_temporaries *s, gnd_array *result, gnd_array **out);

/* Ends a function that returns a status: releases all arrays that were not handed over. */
static inline gnd_status gndi_temporaries_status(gndi_temporaries *s) {
    const bool failed = s->failed;
    gndi_temporaries_end(s, NULL);
    return failed ? gndi_ew_pending() : GND_OK;
}

/* Releases the arrays of a part of a formula that kept its own list. If the part failed, so did the whole. */
static inline void gndi_temporaries_end_part(gndi_temporaries *whole, gndi_temporaries *part) {
    gndi_temporaries_end(part, NULL);
    whole->failed |= part->failed;
}

/* op(a, b), a new array. */
gnd_array *gndi_step(gndi_temporaries *s, gndi_op op, gnd_arg a, gnd_arg b);
/* out = op(a, b), where `where` is true (NULL: everywhere); any cast. */
void gndi_step_into(gndi_temporaries *s, gndi_op op, gnd_array *out, gnd_arg a, gnd_arg b, const gnd_array *where);
/* op(a, b), in a's own memory if the result has a's shape and dtype. */
gnd_array *gndi_step_in_place(gndi_temporaries *s, gndi_op op, gnd_array *a, gnd_arg b);
/* `count` elements of x along an axis, from `first` on, `step` apart: a view. */
gnd_array *gndi_step_part(gndi_temporaries *s, const gnd_array *x, int axis, int64_t first, int64_t count,
                          int64_t step);
/* The elements at an index along an axis; the axis is removed: a view. */
gnd_array *gndi_step_at(gndi_temporaries *s, const gnd_array *x, int axis, int64_t index);
/* The element at `index` of a 1-d array: a 0-d view. */
static inline gnd_array *gndi_step_element(gndi_temporaries *s, const gnd_array *x, int64_t index) {
    return gndi_step_at(s, x, 0, index);
}
/* A 1-d array as a view with `ndim` axes: its elements along `axis`, the other axes of size 1. */
gnd_array *gndi_step_along(gndi_temporaries *s, const gnd_array *x, int axis, int ndim);
/* x as float64 if it is an integer array, else x itself. */
const gnd_array *gndi_step_floating(gndi_temporaries *s, const gnd_array *x);

#endif
