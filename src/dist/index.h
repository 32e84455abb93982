/*
 * index.h: indices into a split axis: which rank has each, and what goes there and comes back.
 */
#ifndef GNDI_DIST_INDEX_H
#define GNDI_DIST_INDEX_H

#include "dist/align.h"
#include "dist/group.h"

/* Indices of a group's ranks, in the order of the ranks that have their elements. */
typedef struct gndi_routing {
    gndi_group group;
    const int64_t *cuts; /* of the axis */
    int axis;            /* for messages */
    bool copies;         /* all ranks of the group have the same indices: each serves its own of them */
    int64_t *count;      /* of rank r's indices, count[r * size + p] are rank p's */
    gnd_array *order;    /* where each of this rank's indices stood */
    gnd_array *asked;    /* the indices that this rank is asked for, by rank, counted in its block */
} gndi_routing;

/* A block of indices as a vector of int64 in [0, length), where they are in range (else outside of it). */
gnd_array *gndi_plain_indices(const gnd_array *indices, int64_t length, gnd_index_mode mode);
/* Sends this rank's indices, as gndi_plain_indices made them, to the ranks that have their elements. Collective over
   the mesh; waits. False, and the same error, on all ranks if one fails, was not `good` before, or has an index out of
   range. gndi_route_release on every path. */
bool gndi_route(gndi_routing *r, const char *fn, bool good, const gnd_array *indices);
void gndi_route_release(gndi_routing *r);
/* Rows that belong to this rank's indices, in their order before gndi_route, to where the indices went: (asked, rest).
   Or the other way round: rows for `asked` back to the ranks that asked, again in the order before gndi_route. `rows`
   may be NULL on a rank that failed. NULL on an error of this rank, which has taken part. */
gnd_array *gndi_route_there(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                            gnd_dtype dtype);
gnd_array *gndi_route_back(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                           gnd_dtype dtype);

#endif
