/*
 * values_plan.h: steps of value_indices on a GPU. Kernels of one small object do what comparisons, `take`, a second
 * sort and divisions would: a process's first call would load five objects more.
 */
#ifndef GNDI_VALUES_PLAN_H
#define GNDI_VALUES_PLAN_H

#include <gnd.h>
#include <stdbool.h>

typedef enum gndi_values_step {
    GNDI_VALUES_DIFFER, /* out[i], a byte: whether x[i] is not `ignored` */
    GNDI_VALUES_TAKE,   /* out[i] = x[at[i]], or x[through[at[i]]] */
    GNDI_VALUES_PLACE,  /* out[i], a byte: whether x[at[i]] is not x[at[i - 1]]; indices: at[i] along each axis */
} gndi_values_step;

/* All arrays are dense. */
typedef struct gndi_values_plan {
    gndi_values_step step;
    const void *x; /* elements of so many bytes, of `all` in all */
    int64_t bytes, all;
    uint64_t ignored;            /* its bits */
    const int64_t *at, *through; /* flat positions; or NULL */
    void *out;
    int64_t count;    /* of `out` */
    int64_t *indices; /* a row of `count` for each axis */
    int ndim;
    int64_t shape[GND_MAX_DIMS];
} gndi_values_plan;

/* On a device that has the steps: values, where each one's elements begin, and their indices along each axis, of an
   array in C order with an axis at least; in a scope. False, and raised. */
#ifndef __cplusplus
bool gndi_place_values(const gnd_array *a, const int64_t *ignored, gnd_array *made[3]);
#endif

#endif
