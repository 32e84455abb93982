/*
 * view.h: the functions of view.c and slice.c that other topics use.
 */
#ifndef GNDI_ARRAY_VIEW_H
#define GNDI_ARRAY_VIEW_H

#include "core/core.h"

/* The most items an index can have: every axis, as many new axes, and an ellipsis. */
#define GNDI_MAX_ITEMS (2 * GND_MAX_DIMS + 1)
/* Items with those of strings in place of the strings, into room for GNDI_MAX_ITEMS of them; how many
   they are, and how many of them are arrays. -1 and an error if they cannot be read. */
int gndi_expand_items(const char *fn, int count, const gnd_index *items, gnd_index *all, int *arrays);
/* a[items]: integers, ranges, new axes, an ellipsis. */
gnd_array *gndi_slice(const char *fn, const gnd_array *a, int count, const gnd_index *items);

/* The view whose axis k is axis order[k] of `a`. */
gnd_array *gndi_permuted(const char *fn, const gnd_array *a, const int *order);
/* The view with two axes, counted from the front, exchanged. */
gnd_array *gndi_swapped(const char *fn, const gnd_array *a, int axis1, int axis2);
/* The view with all axes in reverse order. */
gnd_array *gndi_transposed(const char *fn, const gnd_array *a);
/* The real or the imaginary parts of a complex array: a view. */
gnd_array *gndi_complex_part(const char *fn, const gnd_array *a, bool imaginary);
/* gnd_diagonal, in the name of `fn`. */
gnd_array *gndi_diagonal(const char *fn, const gnd_array *a, int64_t offset, int axis1, int axis2);
/* Checks a new shape for `a` and finds the size given as -1; false and an error if it does
   not fit. */
bool gndi_resolve_shape(const char *fn, const gnd_array *a, gnd_shape *shape);
/* `a` in a shape of the same size, row-major, without a copy: false if strides cannot express it,
   else true, and *out is the view (NULL, and an error, if there is no memory for it). */
bool gndi_reshape_view(const char *fn, const gnd_array *a, int ndim, const int64_t *shape, gnd_array **out);
/* The axes of `a` from the one with the longest stride to the shortest, as they lie in memory.
   Broadcast axes (stride 0) come last if `zero_last`, as for NumPy's empty_like, else they keep
   their position among the others, as for its ravel. */
void gndi_memory_order(const gnd_array *a, bool zero_last, int *order);
/* start:stop:step on an axis of size n, by Python's rules: negative bounds count from the end, and
   what still lies outside is clipped. Returns the length; `first` is the first index taken. */
int64_t gndi_clip_range(const gnd_index *item, int64_t n, int64_t step, int64_t *first);
/* The dtype of the parts of a complex dtype; a real dtype itself. */
static inline gnd_dtype gndi_real_dtype(int dtype) {
    return dtype == GND_COMPLEX64 ? GND_FLOAT32 : dtype == GND_COMPLEX128 ? GND_FLOAT64 : (gnd_dtype)dtype;
}

#endif
