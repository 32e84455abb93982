/*
 * samples_loops.h: samples on the CPU.
 */
#ifndef GNDI_SAMPLES_LOOPS_H
#define GNDI_SAMPLES_LOOPS_H

#include "samples/samples_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs of numbers begin .. end - 1; the last one may be a single number. */
void gndi_samples_pairs(const struct gndi_samples_plan *plan, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif
