/*
 * cyclic.h: matrices in the layout of ScaLAPACK and cuSOLVERMp: square blocks dealt out in turn to the rows and columns
 * of a grid, each rank's blocks as one matrix by columns.
 */
#ifndef GNDI_DIST_CYCLIC_H
#define GNDI_DIST_CYCLIC_H

#include "dist/dist.h"

typedef struct gndi_cyclic {
    gnd_mesh *grid;
    int64_t m, n, block;
    int64_t rounds[2]; /* blocks that each rank has along both axes, the last ones perhaps beyond the matrix */
    gnd_array *store;  /* (rounds[1], block, rounds[0], block); NULL: this rank has failed */
} gndi_cyclic;

/* The grid that solvers use, of a mesh's ranks. */
gnd_mesh *gndi_cyclic_grid(gnd_mesh *mesh);
/* Rows of a rank's matrix: its leading dimension. */
static inline int64_t gndi_cyclic_rows(const gndi_cyclic *c) {
    return c->rounds[0] * c->block;
}

/* Deals out a matrix. Collective. */
gndi_cyclic gndi_cyclic_from(const gnd_dist *x, int64_t block, const char *fn);
/* The block of `to`, which has the matrix' first rows. Collective. NULL on an error of this rank. */
gnd_array *gndi_cyclic_to(const gndi_cyclic *c, const gnd_dist *to, const char *fn);

#endif
