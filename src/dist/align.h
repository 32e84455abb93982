/*
 * align.h: operands that are broadcast together: the shape and layout they have in common, and their blocks in it.
 */
#ifndef GNDI_DIST_ALIGN_H
#define GNDI_DIST_ALIGN_H

#include "dist/dist.h"

/* What operands have in common. */
typedef struct gndi_common {
    gnd_mesh *mesh;
    gnd_shape shape;
    gndi_layout layout;     /* with cuts, borrowed from an operand, where an axis is split into several blocks */
    bool fixed;             /* it is that of an array to be written: operands must not split anything else */
    const gnd_dist *failed; /* the first operand that has failed on this rank */
} gndi_common;

/* Finds it for `count` operands, with `target`'s layout unless that is NULL; raises on all ranks alike. */
bool gndi_align(gndi_common *out, const char *fn, int count, const gnd_dist_arg *operands, const gnd_dist *target);
/* Whether blocks move in gndi_aligned. */
bool gndi_aligned_moves(const gndi_common *common, int count, const gnd_dist_arg *operands);
/* An operand's block: aligned with the others', of fewer axes or of length 1 where it is broadcast. Collective if it
   moves. Numbers stay as they are. If it has failed, an empty array of its dtype stands for it. */
gnd_arg gndi_aligned(gndi_common *common, const char *fn, gnd_dist_arg operand);
/* Whether two meshes have the same ranks at the same places. */
bool gndi_same_mesh(const gnd_mesh *a, const gnd_mesh *b);

/* x in another layout: a view where every rank has its block, else it moves. To be released. */
gnd_dist *gndi_dist_to(const gnd_dist *x, gndi_layout layout, const char *fn);

#endif
