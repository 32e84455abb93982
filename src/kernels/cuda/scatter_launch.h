/*
 * scatter_launch.h: updates brought into the order of the places that they name, for ufunc.at and for
 * assignments whose last value has to hold. Only *_cuda.* files include it.
 */
#ifndef GNDI_SCATTER_LAUNCH_H
#define GNDI_SCATTER_LAUNCH_H

#include "kernels/scatter_plan.h"
#include "runtime/runtime.h"

/* Updates in the order of their places, those of one place in their own order. */
typedef struct gndi_sorted_updates {
    gndi_buffer *keys, *values; /* values: positions or elements; NULL: neither is needed */
    int key_bytes, value_bytes;
    bool elements; /* values are the elements themselves */
} gndi_sorted_updates;

/* Sorts them: `keys` are the numbers of places in C order of the plan's indices, or `places` where one
   is out of range, which is reported. The caller releases both buffers, also if this fails. */
gnd_status gndi_cuda_sort_updates(gnd_stream *s, const gndi_scatter_plan *plan,
                                  gndi_sorted_updates *to, const char *fn);

#endif
