/*
 * group.h: the ranks along an axis of the mesh, among which a split axis is cut; and agreement before elements move.
 */
#ifndef GNDI_DIST_GROUP_H
#define GNDI_DIST_GROUP_H

#include "dist/dist.h"

/* The ranks beside this one along an axis of the mesh. */
typedef struct gndi_group {
    gnd_mesh *mesh;
    int k, size, here;
} gndi_group;

static inline gndi_group gndi_group_of(gnd_mesh *mesh, int k) {
    return (gndi_group){mesh, k, mesh->grid[k], mesh->place[k]};
}

/* The parts of all ranks of the group, of this shape and dtype, as (size, shape...); collective over the mesh. `part`
   may be NULL on a rank that failed. NULL on an error of this rank, which has taken part. */
gnd_array *gndi_group_gather(const gndi_group *g, const char *fn, const gnd_array *part, gnd_shape shape,
                             gnd_dtype dtype);
/* Adds up `number` over all ranks of the mesh into *sum (NULL: not). False if any rank is not `good`: the first such
   one's pending error is then everybody's. Waits. */
bool gndi_mesh_all_good(gnd_mesh *mesh, const char *fn, bool good, int64_t number, int64_t *sum);
/* Whether x has a block here; if not, why becomes the pending error. */
bool gndi_dist_here(const gnd_dist *x, const char *fn);

#endif
