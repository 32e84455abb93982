/*
 * axes.h: the axes that several operands are walked along, in the order of memory and as few as possible. All plans
 * get their axes by these functions:
 *
 *     int64_t *const stride[] = {plan->out.stride, plan->in.stride};
 *     int64_t offset[2] = {0};
 *     gndi_walk w = {.operands = 2, .leaders = 1, .shape = plan->shape, .stride = stride, .offset = offset};
 *     gndi_walk_arrays(&w, (const gnd_array *[]){out, in}, axis);
 *     gndi_walk_flip(&w);
 *     plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
 *     plan->out.data += offset[0], plan->in.data += offset[1];
 */
#ifndef GNDI_AXES_H
#define GNDI_AXES_H

#include "core/core.h"

/* The fastest axis is the last one. The arrays belong to the caller, mostly to a plan, and are changed in place. */
typedef struct gndi_walk {
    int ndim, operands;
    int leaders; /* the first so many operands decide the order of the axes */
    bool (*is_faster)(const struct gndi_walk *w, int a, int b); /* or this does: whether axis a belongs inside b */
    int64_t *shape;                                             /* of all */
    int64_t *const *stride;                                     /* of each operand: bytes along each axis */
    int64_t *offset; /* of each: how many bytes its first element has moved as axes were reversed; NULL: none may be */
} gndi_walk;

/* Appends an axis inside the others, unless its size is 1. */
static inline void gndi_walk_add(gndi_walk *w, int64_t size, const int64_t *strides) {
    if (size == 1) return;
    w->shape[w->ndim] = size;
    for (int k = 0; k < w->operands; k++) w->stride[k][w->ndim] = strides[k];
    w->ndim++;
}
/* Appends the axes of arrays of one shape, but for axis number `skipped` (-1: all of them). A NULL array has strides
   of 0; the first one is not NULL. */
void gndi_walk_arrays(gndi_walk *w, const gnd_array *const *arrays, int skipped);
/* Leaves out axes of size 1. */
void gndi_walk_drop_single(gndi_walk *w);

/* Walks along an axis from the other end. */
void gndi_walk_reverse(gndi_walk *w, int axis);
/* Reverses the axes that the first operand to move along them crosses backwards; whether there are any. */
bool gndi_walk_flip(gndi_walk *w);

/* Sorts the axes begin .. end - 1: by the shorter step, of the first leader whose steps along both axes differ and
   are not 0. Axes of which no leader can tell keep their order. */
void gndi_walk_sort(gndi_walk *w, int begin, int end);
/* Of the axes begin .. end - 1, makes one of neighbours that every operand crosses as one. How many are left. */
int gndi_walk_merge(gndi_walk *w, int begin, int end);
/* Sorts and merges. Most small calls have one axis, with nothing to do. */
static inline int gndi_walk_collapse(gndi_walk *w, int begin, int end) {
    if (end - begin < 2) return end - begin;
    gndi_walk_sort(w, begin, end);
    return gndi_walk_merge(w, begin, end);
}

/* How many points are walked through. */
int64_t gndi_walk_size(const gndi_walk *w);

/* Whether `count` axes of x, the slowest first (NULL: x's first ones), are crossed in one step, and how long it is
   (of one element: *step stays). With `offset` axes may run backwards: they are reversed, and the walk begins *offset
   bytes from x's first element. */
bool gndi_axes_step(const gnd_array *x, const int *axes, int count, int64_t *step, int64_t *offset);

#endif
