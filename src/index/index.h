/*
 * index.h: how the rest of the library picks elements by index arrays and masks.
 *
 *     compact.c          plans for the `compact` hook: what a mask names, packed
 *     mask.c             elements under a mask, read and assigned
 *     nonzero.c          the indices of nonzero elements
 *     items.c            what the items of an index name: NumPy's rules
 *     index_run.c        plans for the `index` hook
 *     get_set.c          a[items], and assignment to it
 *     take.c             indices along one axis, or into all elements
 *     ufunc_at.c         operators applied at indices, duplicates included
 *     choose.c           one of several values at each point
 *     indices.c          indices computed: raveled, unraveled, of diagonals and triangles
 */
#ifndef GNDI_INDEX_H
#define GNDI_INDEX_H

#include "index/compact_plan.h"
#include "index/index_plan.h"
#include "runtime/runtime.h"

/* ---- masks (mask.c, nonzero.c) -------------------------------------------------------------- */

/* a[mask]: the mask, on a's device, has the shape of a's leading axes, which callers have checked; any
   dtype, what is not zero is true. New, of shape (count, a's other axes); waits for the count. */
gnd_array *gndi_mask_get(const char *fn, const gnd_array *a, const gnd_array *mask);
/* a[mask] = value, an array or a number, without waiting; mask as above, and `a` may be written. A
   number, and an array that does not have one row for each true element (its first axis is missing or
   1), are broadcast to all of them; else value's shape is (count, a's other axes) as far as it
   broadcasts to that, and another count than the mask's is a fault at the next wait. */
gnd_status gndi_mask_set(const char *fn, gnd_array *a, const gnd_array *mask, gnd_arg value);
/* out = value, which is broadcast and cast to it; only where `where` is true (any dtype), if that is not
   NULL. */
gnd_status gndi_assign_where(const char *fn, gnd_array *out, gnd_arg value, const gnd_array *where);
/* The indices of the mask's true elements: mask->ndim new int64 arrays, in C order; waits. The mask
   may have any dtype, and at least one dimension. */
gnd_status gndi_nonzero(const char *fn, const gnd_array *mask, gnd_array **indices);

/* ---- indices named by index arrays (items.c, index_run.c) ------------------------------------ */

/*
 * What an index names: points of a shape, the element of each in `view`, which is an array after all
 * items that are no arrays. The index arrays broadcast to the axes first .. first + fancy - 1 of that
 * shape; what they say is added up, axis by axis of view, and to it where the point lies by `stride`.
 */
typedef struct gndi_indexing {
    const char *fn;
    const gnd_array *view; /* held in `temporary` */
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    int64_t stride[GND_MAX_DIMS]; /* bytes; 0 along axes that only index arrays make */
    int first, fancy;
    int count;
    struct gndi_indexed_axis {
        const gnd_array *array; /* integers */
        int64_t size, divide, modulo, step;
        int axis; /* as index_plan.h has them */
    } index[GND_MAX_DIMS];
    gndi_index_mode mode;
    bool distinct;   /* a set names no element twice: the caller knows */
    bool offsets;    /* a get's results are int64: the sums of what the indices say; view is not read */
    int64_t outside; /* the result of such a get where an index is out of range */
    int temporaries;
    gnd_array *temporary[6 * GND_MAX_DIMS];
} gndi_indexing;

/* What expanded items (array/view.h) name in `a`: items are checked, masks become the indices of what is true (which
   waits), shapes are brought together. Ends with gndi_indexing_end, also if it fails. */
gnd_status gndi_indexing_begin(gndi_indexing *ix, const char *fn, const gnd_array *a, int count,
                               const gnd_index *items);
/* An empty description, for index arrays that the caller fills in. */
void gndi_indexing_clear(gndi_indexing *ix, const char *fn);
void gndi_indexing_end(gndi_indexing *ix);
/* Has x released at the end; x itself, also if it is NULL. */
gnd_array *gndi_indexing_keep(gndi_indexing *ix, gnd_array *x);

/* Raises if `a`, which is to be written, is NULL or read-only. */
gnd_status gndi_check_target(const char *fn, const gnd_array *a);
/* Raises if the value to assign is neither an array nor a number. */
gnd_status gndi_check_value(const char *fn, gnd_arg value);
/* The plan's mode, `raise` for GND_RAISE. */
gnd_status gndi_check_mode(const char *fn, gnd_index_mode mode, gndi_index_mode raise, gndi_index_mode *to);
/* x is an array of integers, or of bool, which count as 0 and 1, on the device of `a`; raises if not. */
gnd_status gndi_check_indices(const char *fn, const gnd_array *a, const gnd_array *x, const char *what);
/* Indices into an axis of size 0: raises. */
gnd_status gndi_check_empty_axes(const gndi_indexing *ix);
/* The elements at all points in a new array in C order. */
gnd_array *gndi_indexing_get(gndi_indexing *ix);
/* The same into `out`, which has the shape and dtype, and meets neither view nor indices. */
gnd_status gndi_indexing_get_into(gndi_indexing *ix, gnd_array *out);
/* Assigns to all points: an array that broadcasts to the shape (leading axes of size 1 that it does
   not have fall away) or a number, cast to the dtype of `a`. Indices and value may share memory with
   it. */
gnd_status gndi_indexing_set(gndi_indexing *ix, gnd_arg value);
/* x seen under the shape of ix, any dtype; NULL and an error if it does not broadcast to it. Where it
   `trims`, leading axes of size 1 that the shape does not have fall away. */
gnd_array *gndi_indexing_spread(gndi_indexing *ix, const gnd_array *x, bool trims, const char *what);

#endif
