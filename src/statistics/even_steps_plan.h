/*
 * even_steps_plan.h: whether all steps between coordinates are the same, for gradients on a GPU: one small kernel in
 * the place of a comparison and a reduction, of which a process's first call would load much more.
 */
#ifndef GNDI_EVEN_STEPS_PLAN_H
#define GNDI_EVEN_STEPS_PLAN_H

#include <stdint.h>

struct gndi_even_steps_plan {
    const void *steps; /* dense */
    void *even;        /* a bool */
    int64_t count;
    uint8_t dtype; /* a float or complex one */
};

#endif
