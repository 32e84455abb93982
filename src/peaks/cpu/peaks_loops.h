/*
 * peaks_loops.h: extrema and peaks on the CPU.
 */
#ifndef GNDI_PEAKS_LOOPS_H
#define GNDI_PEAKS_LOOPS_H

#include "peaks/peaks_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements begin .. end - 1, whether they are extrema; not IS_PEAK. */
void gndi_extrema_values(const struct gndi_extrema_plan *plan, int64_t begin, int64_t end);
/* IS_PEAK in two passes, since the middle of equal elements may be another thread's: peaks of one element, true if
   there may be others; and these, once all threads are done. */
bool gndi_sharp_peaks(const struct gndi_extrema_plan *plan, int64_t begin, int64_t end);
void gndi_flat_peaks(const struct gndi_extrema_plan *plan, int64_t begin, int64_t end);
/* Peaks number begin .. end - 1. */
void gndi_peaks_values(const struct gndi_peaks_plan *plan, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif
