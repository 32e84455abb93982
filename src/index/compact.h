/*
 * compact.h: packing what a mask names, as the functions of this folder ask for it.
 *
 * The result's size is known only on the device. On a GPU, memory for the maximum number of results is
 * allocated, the kernel runs once, and the host reads the count. A result that fills a third of the memory or
 * more keeps it; a smaller one is copied to memory of its size. If that memory is not available, the true
 * points are counted first. The CPU always counts first, since counting is cheap there and fresh pages are
 * expensive.
 */
#ifndef GNDI_INDEX_COMPACT_H
#define GNDI_INDEX_COMPACT_H

#include "index/compact_plan.h"
#include "runtime/runtime.h"

/* What to pack: indices, or elements of x. The mask has `ndim` axes; strides of 0 are allowed. */
typedef struct gndi_packing {
    const char *fn;
    const gnd_array *mask, *x; /* x: NULL for indices */
    int ndim;
    int64_t shape[GND_MAX_DIMS], mask_stride[GND_MAX_DIMS], x_stride[GND_MAX_DIMS];
    bool by_rows;   /* indices: (count, axes), else (axes, count) */
    bool flat;      /* indices along one axis: numbers of points in C order */
    bool edges;     /* of a dense, sorted mask in one dimension, which is x: see compact_plan.h */
    bool equal_nan; /* for edges */
} gndi_packing;

/* A packing over the mask's own axes. */
void gndi_packing_begin(gndi_packing *p, const char *fn, const gnd_array *mask);
/* Axes, operands and sizes of a plan; the rest of it is cleared. */
void gndi_packing_plan(const gndi_packing *p, gndi_compact_plan *plan, gndi_compact_kind kind);
/* How many points are true; waits. -1 and an error if that fails. */
int64_t gndi_packing_count(const gndi_packing *p);
/* The results: elements in one axis of x's dtype, or int64 indices in two. Waits. */
gnd_array *gndi_packing_run(const gndi_packing *p);
/* The same where there are at most so many. */
gnd_array *gndi_packing_run_most(const gndi_packing *p, int64_t most);
/* The same without waiting: `capacity` results, those past the count zero; *count becomes a new 0-d
   int64 array. */
gnd_array *gndi_packing_bounded(const gndi_packing *p, int64_t capacity, gnd_array **count);
/* The same where the count is known. */
gnd_array *gndi_packing_exact(const gndi_packing *p, int64_t count);
/* Submits a plan of the packing. `out`, `count`: the memory it writes (`out` of PUT: reads), or NULL. */
gnd_status gndi_packing_submit(const gndi_packing *p, const gndi_compact_plan *plan, gndi_buffer *out,
                               gndi_buffer *count);
/* (axes, count) indices as that many vectors: all of them, or an error and none. Takes `indices` over. */
gnd_status gndi_indices_split(const char *fn, gnd_array *indices, gnd_array **out);

#endif
