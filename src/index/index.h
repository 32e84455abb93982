/*
 * index.h: how the rest of the library picks elements by index arrays and masks.
 *
 *     compact.c          plans for the `compact` hook: what a mask names, packed
 *     mask.c             elements under a mask, read and assigned
 *     nonzero.c          the places of what is not zero
 */
#ifndef GNDI_INDEX_H
#define GNDI_INDEX_H

#include "kernels/compact_plan.h"
#include "runtime/runtime.h"

/* ---- masks (mask.c, nonzero.c) -------------------------------------------------------------- */

/* a[mask]: the mask has the shape of a's leading axes (or this raises); any dtype, what is not zero
   is true. New, of shape (count, a's other axes); waits for the count. */
gnd_array *gndi_mask_get(const char *fn, const gnd_array *a, const gnd_array *mask);
/* a[mask] = value, without waiting. A number, and an array that does not have one row for each true
   element (its first axis is missing or 1), are broadcast to all of them; else value's shape is
   (count, a's other axes) as far as it broadcasts to that, and another count than the mask's is a
   fault at the next wait. */
gnd_status gndi_mask_set(const char *fn, gnd_array *a, const gnd_array *mask, gnd_arg value);
/* The places of the mask's true elements: mask->ndim new int64 arrays, in C order; waits. The mask
   may have any dtype, and at least one dimension. */
gnd_status gndi_nonzero(const char *fn, const gnd_array *mask, gnd_array **places);

#endif
