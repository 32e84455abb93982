/*
 * rearrange.h: what the functions of gnd/rearrange.h share. Most of them make a new array and copy
 * each input straight to the part of it where it belongs (elementwise/temporaries.h: steps on views).
 *
 *     join.c       concatenate, stack and their kin, append
 *     block.c      block
 *     split.c      split and its kin, unstack
 *     repeat.c     tile, repeat, resize
 *     pad.c        pad: the frame, constants, edges, ramps and statistics
 *     pad_periodic.c   pad: mirrors and repetitions
 *     pad_function.c   pad: borders that a function fills in
 *     roll.c       roll, rot90, fliplr, flipud
 *     insert.c     insert and delete at an index or a range, trim_zeros
 *     triangle.c   tri, tril, triu, diag, diagflat, vander
 *     grid.c       meshgrid, indices
 *     window.c     sliding_window_view, as_strided, atleast_1d and its kin
 *     bits.c       packbits, unpackbits
 *
 * What takes arrays of indices or counts needs sorting and searching, and is in src/sets/repeat_insert.c.
 */
#ifndef GNDI_REARRANGE_H
#define GNDI_REARRANGE_H

#include "array/view.h"
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "scan/scan.h"

/* How an array is seen by a join. */
typedef enum gndi_reading {
    GNDI_AS_IT_IS,
    GNDI_FLATTENED,
    GNDI_NEW_AXIS, /* with a further axis of size 1 where the arrays are joined */
    GNDI_AT_LEAST, /* leading axes of size 1, up to `at_least` dimensions */
    GNDI_COLUMNS,  /* up to one dimension: as a column of a matrix */
    GNDI_IN_DEPTH, /* as by gnd_atleast_3d */
} gndi_reading;

typedef struct gndi_join {
    const char *fn;
    int count;
    const gnd_array *const *arrays;
    gndi_reading reading;
    int at_least;
    int axis; /* as given */
    gnd_join_options options;
} gndi_join;

/* Checks and carries out a join. */
gnd_array *gndi_join_run(const gndi_join *join);

/* A new array in C order on the device of `like`, not filled. */
gnd_array *gndi_new_on_device_of(const char *fn, const gnd_array *like, int ndim, const int64_t *shape,
                                 gnd_dtype dtype);
/* The same, in Fortran order if `like` is that and not C-contiguous, as many functions of NumPy do. */
gnd_array *gndi_new_in_its_order(const char *fn, const gnd_array *like, const int64_t *shape);
/* a's elements in C order as a 1-d array: a view if strides can express it, else a copy. */
gnd_array *gndi_flat(const char *fn, const gnd_array *a);
/* to[first : first + count] = from, along an axis; nothing if count is 0. */
void gndi_copy_to_part(gndi_temporaries *s, const gnd_array *to, int axis, int64_t first, int64_t count,
                       const gnd_array *from);
/* gnd_roll_each, in the name of `fn`. */
gnd_array *gndi_roll_each(const char *fn, const gnd_array *a, const int64_t *by, const gnd_axes *axes);
/* `number` arrays of a list that failed: released, and set to NULL. Gives `status` back. */
gnd_status gndi_drop_list(gnd_status status, int64_t made, int64_t number, gnd_array *out[]);
/* gnd_insert of a block of values at one index along an axis counted from the front; `moved`: the block's
   axis 0 stands for that axis. */
gnd_array *gndi_insert_block(const char *fn, const gnd_array *a, int64_t index, gnd_arg values, int axis, bool moved);
/* Checks a number, or an array's device, that is to be written to `a` as `name`: whole numbers must fit its
   dtype, and complex ones not be lost. */
gnd_status gndi_check_written(const char *fn, const gnd_array *a, gnd_arg value, const char *name);
/* Whether values can be inserted at `count` positions along an axis; raises if not. */
bool gndi_insert_check(gndi_temporaries *s, const gnd_array *a, gnd_arg values, int axis, int64_t count);
/* A read-only bool view of shape (rows, columns), neither 0, true where column <= row + k. */
const gnd_array *gndi_below_diagonal(gndi_temporaries *s, gndi_device *device, int64_t rows, int64_t columns,
                                     int64_t k);
/* gnd_tril and gnd_triu, in the name of `fn`. */
gnd_array *gndi_triangle(const char *fn, const gnd_array *a, int64_t k, bool upper);
/* An array's dimensions, shape and strides with `ones` axes of size 1 in front of axis `at`. */
int gndi_shape_with_ones(const gnd_array *a, int at, int ones, int64_t *shape, int64_t *strides);
/* The same as gnd_atleast_3d gives them. */
int gndi_shape_in_depth(const gnd_array *a, int64_t *shape, int64_t *strides);

#endif
