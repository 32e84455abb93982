/*
 * truths.h: loose bool arrays (core/loose.h) as kernels can read them.
 */
#ifndef GNDI_TRUTHS_H
#define GNDI_TRUTHS_H

#include "core/loose.h"

/* `a`; or if it is loose, a new array of its truths, which *made then is, too, for the caller to release (else
   it is NULL). NULL and an error if there is no memory for it. */
const gnd_array *gndi_truths(const char *fn, const gnd_array *a, gnd_array **made);
/* The new array alone. */
gnd_array *gndi_truths_of(const char *fn, const gnd_array *a);
/* The memory of a bool array as uint8, a view. */
static inline gnd_array *gndi_bytes_of(const char *fn, const gnd_array *a) {
    return gndi_array_view(fn, a, a->ndim, a->shape, a->strides, gndi_data(a), GND_UINT8);
}
/* The truths of a bool array as a new uint8 array of 0 and 1, a view if that goes. */
gnd_array *gndi_truths_as_bytes(const char *fn, const gnd_array *a);

#endif
