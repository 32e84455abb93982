/*
 * item.h: reads a few elements on the host, for functions whose answer or result shape depends on data.
 */
#ifndef GNDI_ELEMENTWISE_ITEM_H
#define GNDI_ELEMENTWISE_ITEM_H

#include "core/core.h"

/* All elements of `a`, a C-contiguous array that has some, as bytes. Waits, and reports what went
   wrong on the device in the name of `fn`. */
gnd_status gndi_read(const char *fn, const gnd_array *a, void *out);
/* The one element of `a`, whose shape must be of size 1, or this raises. */
gnd_status gndi_item(const char *fn, const gnd_array *a, gndi_scalar *out);

/* gnd_to_device, in the name of `fn`. */
gnd_array *gndi_to_device(const char *fn, const gnd_array *a, gnd_device device);

/* An array over foreign memory, as gnd_wrap makes it. */
gnd_array *gndi_wrap(const char *fn, void *data, const gnd_shape *shape, const int64_t *strides, gnd_dtype dtype,
                     gnd_device device, gnd_deleter *deleter, void *context);
/* The same of memory that `d` is known to reach. */
gnd_array *gndi_wrap_reached(const char *fn, void *data, const gnd_shape *shape, const int64_t *strides,
                             gnd_dtype dtype, gndi_device *d, gnd_deleter *deleter, void *context);

#endif
