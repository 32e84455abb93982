/*
 * create.h: what creation shares: new arrays filled with one value. On failure these release what
 * they were given and return NULL, and they pass NULL on, so they can be nested.
 */
#ifndef GNDI_ELEMENTWISE_CREATE_H
#define GNDI_ELEMENTWISE_CREATE_H

#include "core/core.h"

/* A new array like `a` on its device, in K order, not filled; GND_DTYPE_NONE: a's dtype. */
gnd_array *gndi_new_like(const char *fn, const gnd_array *a, gnd_dtype dtype);
/* The strides of a dense array whose axes lie in memory in this order, the last one closest. */
void gndi_dense_strides(int ndim, const int64_t *shape, gnd_dtype dtype, const int *order, int64_t *strides);
/* A new array in such strides, on a stream. */
gnd_array *gndi_new_strided_on(const char *fn, gnd_stream *stream, int ndim, const int64_t *shape,
                               const int64_t *strides, gnd_dtype dtype);
/* Fills a new array with zero bytes. */
gnd_array *gndi_zero(const char *fn, gnd_array *fresh);
/* Fills a new array with a number or an array that broadcasts to it. */
gnd_array *gndi_filled(const char *fn, gnd_array *fresh, gnd_arg value);

/* gnd_asarray, in the name of `fn`. */
gnd_array *gndi_asarray(const char *fn, const gnd_array *x, const gnd_asarray_options *options);

#endif
