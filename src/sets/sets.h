/*
 * sets.h: what the set functions share.
 *
 *     sets.c          the public functions of two sets
 *     sets_unique.c   unique: the public functions, and the values of all elements, sorted
 *     sets_rows.c     unique along an axis
 *     sets_table.c    unique of integers that span few values: counted, not sorted
 *     sets_runs.c     runs of equal elements in a sorted array, which all of it is built on
 *     sets_isin.c     isin
 */
#ifndef GNDI_SETS_H
#define GNDI_SETS_H

#include "elementwise/temporaries.h"
#include "sort/sort.h"

/* What is wanted beside the values. */
typedef enum gndi_unique_wish {
    GNDI_UNIQUE_INDEX = 1,
    GNDI_UNIQUE_INVERSE = 2,
    GNDI_UNIQUE_COUNTS = 4,
} gndi_unique_wish;

typedef struct gndi_unique {
    const char *fn;
    const gnd_array *x;
    int wishes;
    bool equal_nan;
    gnd_array *values, *index, *inverse, *counts; /* the results; NULL: not wanted, or failed */
} gndi_unique;

/* The values of all of x; false, and no result, if it fails. */
bool gndi_unique_flat(gndi_unique *u);
/* The same if they can be counted: *done. `few`: a look at the first elements did not speak against it, and
   need not be had again. */
bool gndi_unique_table(gndi_unique *u, bool few, bool *done);
/* Whether to sort unless the first elements span fewer values than the result says, and to look for a table
   only then; 0: to look for a table first. */
uint64_t gndi_unique_worthwhile(const gndi_unique *u);
/* The smallest and the largest of integers in one dimension (uint64: modulo 2^64; of one byte: of all
   that there are). Waits, but for those. */
bool gndi_sets_extent(gndi_temporaries *s, const gnd_array *x, int64_t extent[2]);
/* How often origin, origin + 1, ... stand among them, which all must lie in the table. */
gnd_array *gndi_sets_count(gndi_temporaries *s, const gnd_array *x, int64_t origin, int64_t bins);
/* The parts of x along an axis; x has two dimensions or more. */
bool gndi_unique_rows(gndi_unique *u, int axis);

/* ---- runs (sets_runs.c) --------------------------------------------------------------------- */

/* A new array in C order on the device of `like`, kept by s. */
gnd_array *gndi_sets_new(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape, gnd_dtype dtype);
/* 0, 1, ..., n - 1. */
gnd_array *gndi_sets_numbers(gndi_temporaries *s, const gnd_array *like, int64_t n, gnd_dtype dtype);
/* x's elements in C order in one dimension. */
const gnd_array *gndi_sets_flat(gndi_temporaries *s, const gnd_array *x, bool *copied);
/* All elements in order, and their indices if asked for. `worthwhile`, if not 0: NULL, without failing, if
   the first of them span fewer values. */
gnd_array *gndi_sets_sorted(gndi_temporaries *s, const gnd_array *x, gnd_array **indices, uint64_t worthwhile);
/* out = whether elements of two arrays differ: bool, as elements of a sorted array do. */
void gndi_sets_differ(gndi_temporaries *s, gnd_array *out, const gnd_array *a, const gnd_array *b, bool equal_nan);
/* Which elements (or rows) of a sorted array begin a run: bool, the first one left false. */
gnd_array *gndi_sets_edges(gndi_temporaries *s, const gnd_array *sorted, bool equal_nan);
/* x[indices] along axis 0 of x, without waiting. */
gnd_array *gndi_sets_take(gndi_temporaries *s, const gnd_array *x, const gnd_array *indices);
/* The results of u: its values are the first of each run of sorted elements, or rows. `edges`: which
   begin a run, the first one still false; without an inverse NULL will do for elements. `indices`: where
   they stood; NULL if neither index nor inverse is wanted. The inverse gets a shape. */
void gndi_sets_results(gndi_temporaries *s, gndi_unique *u, const gnd_array *sorted, gnd_array *edges,
                       const gnd_array *indices, int ndim, const int64_t *shape);
/* Takes an array out of what s releases. */
gnd_array *gndi_sets_give(gndi_temporaries *s, gnd_array *x);
/* Ends the steps of u: true, or no result. */
bool gndi_sets_end(gndi_temporaries *s, gndi_unique *u);

/* Whether elements of x, any shape, are among those of test (both promoted to one dtype already or
   not): a new bool array of x's shape. */
gnd_array *gndi_isin(const char *fn, const gnd_array *x, const gnd_array *test, bool invert, gnd_isin_kind kind);

#endif
