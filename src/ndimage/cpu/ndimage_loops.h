/*
 * ndimage_loops.h: filters of pictures and fields on the CPU.
 */
#ifndef GNDI_NDIMAGE_LOOPS_H
#define GNDI_NDIMAGE_LOOPS_H

#include "ndimage/lines_plan.h"
#include "ndimage/neighbours_plan.h"
#include "ndimage/sample_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Separable filters: a unit is a block of output rows of a matrix. */
int64_t gndi_lines_block(const struct gndi_lines_plan *plan);
/* Bytes that a thread works in. */
int64_t gndi_lines_work(const struct gndi_lines_plan *plan);
void gndi_lines_units(const struct gndi_lines_plan *plan, int64_t begin, int64_t end, void *work);

/* Outputs begin .. end - 1 of a window. */
void gndi_neighbours_outputs(const struct gndi_neighbours_plan *plan, int64_t begin, int64_t end);

/* Outputs begin .. end - 1 of all results of a spline. Taps of zooms and shifts, which all outputs share, are found
   before: in so many bytes (0: there are none). Work: the bytes that a thread then works in. */
int64_t gndi_sample_taps(const struct gndi_sample_plan *plan);
void gndi_sample_find_taps(const struct gndi_sample_plan *plan, void *taps);
int64_t gndi_sample_work(const struct gndi_sample_plan *plan);
void gndi_sample_outputs(const struct gndi_sample_plan *plan, void *taps, int64_t begin, int64_t end, void *work);

#ifdef __cplusplus
}
#endif

#endif
