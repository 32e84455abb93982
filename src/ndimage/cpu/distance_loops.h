/*
 * distance_loops.h: distances to the nearest zero on the CPU.
 */
#ifndef GNDI_DISTANCE_LOOPS_H
#define GNDI_DISTANCE_LOOPS_H

#include "ndimage/distance_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lines are taken in groups next to each other; how many lines a group has, and the bytes of memory it needs. */
int64_t gndi_distance_group(const struct gndi_distance_plan *plan);
int64_t gndi_distance_work(const struct gndi_distance_plan *plan);
/* Groups begin .. end - 1. */
void gndi_distance_groups(const struct gndi_distance_plan *plan, int64_t begin, int64_t end, void *work);
/* RASTER, all of it; and the bytes of memory it needs. */
int64_t gndi_distance_raster_work(const struct gndi_distance_plan *plan);
void gndi_distance_raster(const struct gndi_distance_plan *plan, void *work);

#ifdef __cplusplus
}
#endif

#endif
