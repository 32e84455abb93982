/*
 * item.h: one element read by the host, for functions whose answer or whose result's shape depends on
 * data.
 */
#ifndef GNDI_MATH_ITEM_H
#define GNDI_MATH_ITEM_H

#include "core/core.h"

/* The one element of `a` (which may have any shape of size 1), as bytes. Waits, and reports what went
   wrong on the device in the name of `fn`. */
gnd_status gndi_item(const char *fn, const gnd_array *a, gndi_scalar *out);

#endif
