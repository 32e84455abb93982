/*
 * periods_loops.h: sums of sines and cosines on the CPU.
 */
#ifndef GNDI_PERIODS_LOOPS_H
#define GNDI_PERIODS_LOOPS_H

#include "transforms/periods_plan.h"

/* Frequencies that are summed up side by side, and events of a part of the sum. */
enum { GNDI_PERIODS_LANES = 16, GNDI_EVENTS_PART = 1 << 15 };

typedef struct gndi_cpu_periods {
    /* Results of groups begin .. end - 1 of so many frequencies. totals: of weights, of weights times y, times y^2. */
    void (*power)(const struct gndi_lomb_scargle_plan *plan, const double *totals, int64_t begin, int64_t end);
    /* false: a negative weight, or none above 0. */
    bool (*totals)(const struct gndi_lomb_scargle_plan *plan, double *totals);
    /* The sums of cosines and sines over a part of the events, and the results from those of all parts. */
    void (*events)(const struct gndi_vector_strength_plan *plan, int64_t period, int64_t part, double *sums);
    void (*strength)(const struct gndi_vector_strength_plan *plan, int64_t period, const double *sums);
} gndi_cpu_periods;

#endif
