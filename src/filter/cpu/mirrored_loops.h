/*
 * mirrored_loops.h: mirrored filters on the CPU.
 */
#ifndef GNDI_MIRRORED_LOOPS_H
#define GNDI_MIRRORED_LOOPS_H

#include "filter/mirrored_plan.h"

/* Inner elements that are filtered side by side. */
enum { GNDI_MIRRORED_LANES = 16 };

#ifdef __cplusplus
extern "C"
#endif
    /* Units begin .. end - 1 of a plan: a unit is up to that many neighbouring inner elements of a line. */
    void
    gndi_mirrored_units(const struct gndi_mirrored_plan *plan, int64_t begin, int64_t end);

#endif
