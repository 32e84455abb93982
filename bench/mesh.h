/*
 * mesh.h: rows of the benchmark over many ranks: a workload by its name, with what prepares it and the one call that is
 * timed. All ranks do the same.
 */
#ifndef GNDB_MESH_H
#define GNDB_MESH_H

#include <gnd_dist.h>

/* The operands of a row; what is there is released after it. */
typedef struct mesh_operands {
    gnd_mesh *mesh;
    int64_t times; /* what the leading size is multiplied by: 1, or of weak scaling the number of ranks */
    int64_t n;
    gnd_dist *x, *y;
    gnd_array *a, *b, *c;
    gnd_stream *stream;
    gnd_random *g;
} mesh_operands;

typedef struct mesh_row {
    const char *name;
    void (*prepare)(mesh_operands *o);
    void (*run)(mesh_operands *o); /* in a scope of its own */
    int64_t n;                     /* o->n: of communication, bytes */
    bool fixed;                    /* there is no weak variant */
} mesh_row;

extern const mesh_row mesh_rows[], mesh_rows_library[], mesh_rows_moves[];

/* A size: n, or with GND_BENCH_SMALL=1 in the environment (a test that rows run at all) a small part of it. */
int64_t mesh_size(int64_t n);
/* Uniform numbers in [0, 1), which differ from rank to rank. */
gnd_dist *mesh_random(gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, gnd_layout layout);

#endif
