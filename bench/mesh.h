/*
 * mesh.h: rows of the benchmark over many ranks: a workload by its name, with what prepares it and the one call that is
 * timed. All ranks do the same.
 */
#ifndef GNDB_MESH_H
#define GNDB_MESH_H

#include "operands.h"
#include <gnd_dist.h>

/* The operands of a row: those that it states, and what `prepare` makes; everything is released after the row. */
typedef struct mesh_operands {
    gnd_mesh *mesh;
    int64_t n; /* a size */
    gnd_dist *x, *y;
    gnd_array *a, *b, *c;
    gnd_stream *stream;
    gnd_random *g;
} mesh_operands;

/*
 * The operands of a row are stated once, for gnd and its peers (peers_mesh.py), in the language of bench.h:
 *
 *     "float32[*4e8]/0 int64[*1e7]/0<*4e8"
 *
 * Arrays become x and y; they are split over the ranks along the axis that follows "/", and without it every rank has
 * all of it. Sizes after a "*" are multiplied by the number of ranks for weak scaling; a row without any has no weak
 * variant. A size becomes n. Arrays are uniform, or filled by "<" or "="; there are no parameters.
 */
typedef struct mesh_row {
    const char *name;
    void (*prepare)(mesh_operands *o); /* makes what the work needs of what is stated; NULL: nothing more */
    void (*run)(mesh_operands *o);     /* in a scope of its own */
    const char *operands;
} mesh_row;

extern const mesh_row mesh_rows[], mesh_rows_library[], mesh_rows_moves[];

/* Uniform numbers in [0, 1), which differ from rank to rank. */
gnd_dist *mesh_random(gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, gnd_layout layout);

#endif
