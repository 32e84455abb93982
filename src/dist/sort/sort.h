/*
 * sort.h: what sorting split arrays is made of: exact cuts of the ranks' sorted runs, and their exchange.
 */
#ifndef GNDI_DIST_SORT_H
#define GNDI_DIST_SORT_H

#include "dist/group.h"

/* ---- sorted runs of a group's ranks (split.c) ---------------------------------------------------------- */

/* Where sorted runs are cut: part p of rank r's goes from at[r * (size + 1) + p] to the next number. */
typedef struct gndi_cutting {
    gndi_group group;
    gnd_direction direction;
    const int64_t *start;  /* where each rank's run begins among all elements, and their number: size + 1 */
    const int64_t *target; /* how many elements, in their order, stand before part p: size + 1 */
    int64_t *at;
    void *workspace; /* of the host */
} gndi_cutting;

/* Sets aside what cutting needs; false, and an error of this rank, without memory. */
bool gndi_cutting_prepare(gndi_cutting *c, const char *fn);
void gndi_cutting_release(gndi_cutting *c);
/* Finds the cuts for runs of elements in order: equal ones count in the order of ranks. Collective over the mesh;
   waits. False, and the same error, on all ranks if one fails or was not `good` before. */
bool gndi_cutting_find(gndi_cutting *c, const char *fn, bool good, const gnd_array *run, gnd_dtype dtype);
/* Part `here` of all ranks' arrays (1-d, each as long as the run), one behind the other, for up to four arrays at once.
   An array may be NULL on a rank that failed. False on an error of this rank, which has taken part. */
bool gndi_cutting_exchange(const gndi_cutting *c, const char *fn, int count, gnd_array *const *array,
                           const gnd_dtype *dtype, gnd_array **part);
/* The same between arrays that are there; `back`: from the parts to the runs. */
bool gndi_cutting_move(const gndi_cutting *c, const char *fn, int count, gnd_array *const *run, const gnd_dtype *dtype,
                       gnd_array *const *part, bool back);
/* Moves the cuts, so that equal elements are on one side of each: to before the first of those that are. Runs have no
   element twice. Collective over the mesh; waits. False, and the same error, on all ranks if one fails. */
bool gndi_cutting_before_equal(gndi_cutting *c, const char *fn, const gnd_array *run, gnd_dtype dtype);
/* How many elements of rank r's run go to rank p. */
static inline int64_t gndi_cutting_count(const gndi_cutting *c, int r, int p) {
    const int64_t *at = c->at + r * (c->group.size + 1) + p;
    return at[1] - at[0];
}

#endif
