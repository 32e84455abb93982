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

#endif
