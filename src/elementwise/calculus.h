/*
 * calculus.h: what the functions of gnd/calculus.h are written in: steps of elementwise operators
 * on views, whose intermediate arrays are released together. After a step that failed, the others
 * do nothing, so that a formula is checked once, at its end.
 *
 *     calculus.c            diff, ediff1d, trapezoid
 *     calculus_gradient.c   gradient
 *     temporaries.c      the steps
 */
#ifndef GNDI_MATH_CALCULUS_H
#define GNDI_MATH_CALCULUS_H

#include "elementwise/elementwise.h"

enum { GNDI_STEPS = 64 };

typedef struct gndi_steps {
    const char *fn;
    bool failed;
    int count;
    gnd_array *made[GNDI_STEPS];
} gndi_steps;

/* Notes an array that a step made (NULL: the step failed); gives it back. */
gnd_array *gndi_steps_keep(gndi_steps *s, gnd_array *made);
/* Releases what was made, but for `result` (NULL: all), which it gives back unless a step failed. */
gnd_array *gndi_steps_end(gndi_steps *s, gnd_array *result);

/* One of several results: *out = result, which the end then does not release, or NULL if a step has
   failed. NULL out: the result is not wanted. */
void gndi_steps_give(gndi_steps *s, gnd_array *result, gnd_array **out);

/* The end of a function that gives back a status: all is released that was not given. */
static inline gnd_status gndi_steps_status(gndi_steps *s) {
    const bool failed = s->failed;
    gndi_steps_end(s, NULL);
    return failed ? gndi_ew_pending() : GND_OK;
}

/* Releases what a part of a formula made, which was kept in steps of its own; the whole has failed if
   the part has. */
static inline void gndi_steps_end_part(gndi_steps *whole, gndi_steps *part) {
    gndi_steps_end(part, NULL);
    whole->failed |= part->failed;
}

/* op(a, b), a new array. */
gnd_array *gndi_step(gndi_steps *s, gndi_op op, gnd_arg a, gnd_arg b);
/* out = op(a, b), where `where` is true (NULL: everywhere); any cast. */
void gndi_step_into(gndi_steps *s, gndi_op op, gnd_array *out, gnd_arg a, gnd_arg b, const gnd_array *where);
/* op(a, b), in a's own memory if the result has a's shape and dtype. */
gnd_array *gndi_step_in_place(gndi_steps *s, gndi_op op, gnd_array *a, gnd_arg b);
/* `count` elements of x along an axis, from `first` on, `step` apart: a view. */
gnd_array *gndi_step_part(gndi_steps *s, const gnd_array *x, int axis, int64_t first, int64_t count, int64_t step);
/* The elements at a place of an axis, which is gone: a view. */
gnd_array *gndi_step_at(gndi_steps *s, const gnd_array *x, int axis, int64_t place);
/* The element at `place` of a 1-d array: a 0-d view. */
static inline gnd_array *gndi_step_element(gndi_steps *s, const gnd_array *x, int64_t place) {
    return gndi_step_at(s, x, 0, place);
}
/* A 1-d array seen with `ndim` axes: it lies along `axis`, the others have size 1. */
gnd_array *gndi_step_along(gndi_steps *s, const gnd_array *x, int axis, int ndim);
/* x as float64 if it is an integer array, else x itself. */
const gnd_array *gndi_step_floating(gndi_steps *s, const gnd_array *x);

#endif
