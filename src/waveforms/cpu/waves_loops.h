/*
 * waves_loops.h: waveforms on the CPU.
 */
#ifndef GNDI_WAVES_LOOPS_H
#define GNDI_WAVES_LOOPS_H

#include "waveforms/wave_plan.h"

#ifdef __cplusplus
extern "C"
#endif
    /* Computes elements begin .. end - 1. */
    void
    gndi_wave_values(const struct gndi_wave_plan *plan, int64_t begin, int64_t end);

#endif
