/*
 * chunk_plan.h: a chunk of a signal joined to what a stream keeps of the chunks before, as the fronts of streams hand
 * it to a backend. For each line
 *
 *     joined = kept, then x          (keeps + n elements)
 *     kept   = the last `keeps` elements of joined
 *
 * An element has `width` items (a sample has one, a spectrum one for each bin), which lie side by side in kept and
 * joined. C and CUDA.
 */
#ifndef GNDI_CHUNK_PLAN_H
#define GNDI_CHUNK_PLAN_H

#include "resample/line_offset.h"

/* Items are of 4, 8 or 16 bytes, copied as they are. kept and joined are dense, line by line; joined is NULL, and n is
   keeps, where x is only to be kept. x_step is from element to element, x_item from item to item, in bytes. Of the grid
   only lines of x count. */
struct gndi_chunk_plan {
    int item; /* bytes */
    int64_t width, keeps, n;
    char *kept, *joined;
    const char *x;
    int64_t x_step, x_item;
    gndi_line_grid grid;
};

#endif
