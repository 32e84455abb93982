/*
 * sequence_plan.h: first + i * step for i < n into contiguous memory: integers exact, floating numbers
 * computed in float64 and rounded once.
 */
#ifndef GNDI_SEQUENCE_PLAN_H
#define GNDI_SEQUENCE_PLAN_H

#include "core/core.h"

struct gndi_sequence_plan {
    void *out;
    gnd_dtype dtype;
    int64_t n;
    gnd_arg first, step;
    gnd_arg last; /* unless GND_NONE, what out[n - 1] is exactly (linspace) */
};

/* Submits a plan, `out` being in memory of `a` (range.c). */
gnd_status gndi_sequence(const char *fn, const gnd_array *a, const struct gndi_sequence_plan *plan);

#endif
