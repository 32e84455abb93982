/*
 * partial.h: partial sums, of which each rank along an axis of the mesh has one.
 */
#ifndef GNDI_DIST_PARTIAL_H
#define GNDI_DIST_PARTIAL_H

#include "dist/dist.h"

/* Beyond so many bytes each rank adds up a part alone. */
enum { GNDI_ALL_ADD_BYTES = 256 << 10 };

/*
 * Adds up what ranks along axis k of the mesh have, in the order of their places. *x describes an array that is in
 * copies along axis k, of which each has a partial sum; `part` is this rank's block of it (NULL: it has failed). With
 * `axis`, the sum is split along that axis of the array, else everybody gets it. *x is replaced by what describes it.
 * The sum of bool is "or". Collective. NULL on an error of this rank, which has taken part.
 */
gnd_array *gndi_partial_sum(gnd_dist **x, int k, int axis, const gnd_array *part, const char *fn);

/*
 * The same of a strip: elements `from` to `till` of the block along axis `strip`, which is not the one that the sum is
 * split along; -1: everything. `old` and `sum` describe the partial sums and their sum, `part` is the strip alone, and
 * `into`, if that is not NULL, where its sum goes.
 */
gnd_array *gndi_partial_strip(const gnd_dist *old, const gnd_dist *sum, int k, int strip, int64_t from, int64_t till,
                              const gnd_array *part, gnd_array *into, const char *fn);

#endif
