/*
 * exchange.h: arrays that move between ranks. Everything of the library that moves elements goes through here.
 */
#ifndef GNDI_DIST_EXCHANGE_H
#define GNDI_DIST_EXCHANGE_H

#include "dist/mesh.h"

/* What goes to a rank or comes from one: an array or view with any strides. A receiver's has as many bytes as its
   sender's, in C order. NULL: this rank has none, because it failed; it takes part with `bytes` all the same. */
typedef struct gndi_piece {
    int rank;
    const gnd_array *array;
    int64_t bytes;
    void *spare; /* memory of the transport's, with which this rank takes part if it fails; NULL: any */
} gndi_piece;

static inline gndi_piece gndi_piece_at(int rank, const gnd_array *array, int64_t bytes) {
    return (gndi_piece){rank, array, bytes, NULL};
}
static inline gndi_piece gndi_piece_of(int rank, const gnd_array *array) {
    return gndi_piece_at(rank, array, gnd_nbytes(array));
}

/*
 * Sends and receives pieces, all at once; collective. At most 4 (ranks + 2) of each. The n-th piece for a rank is the
 * n-th that this rank receives from here. Pieces for the rank itself must have the same shape and dtype on both sides;
 * they are copied before the others move, or meanwhile. Pieces without bytes cost nothing. Packs what has gaps, and
 * stages what is not in the memory that the transport moves. On an error of its own (no memory to pack) the rank
 * still takes part. The status is not GND_OK if a piece of this rank had no array; nothing is raised then.
 */
gnd_status gndi_mesh_exchange(gnd_mesh *mesh, const char *fn, int sends, const gndi_piece *send, int receives,
                              const gndi_piece *receive);

/*
 * Everyone's `part`, which has this shape and dtype on all ranks, as one array (ranks, shape...) on the current
 * device; collective. `part` may be NULL on a rank that failed. NULL on an error of this rank, which has taken part.
 */
gnd_array *gndi_mesh_all_gather(gnd_mesh *mesh, const char *fn, const gnd_array *part, gnd_shape shape,
                                gnd_dtype dtype);

/* The same of few bytes, at most link->small, into `all`, by the transport's all_gather, which is faster with so few.
   Only if there is a link->from. On a rank that failed `part` or `all` may be NULL; the status is not GND_OK then. */
gnd_status gndi_mesh_gather_few(gnd_mesh *mesh, const char *fn, const gnd_array *part, gnd_array *all, int64_t bytes);

/* A barrier: all ranks come to here, in the order of the current stream; by the same call of few bytes. */
gnd_status gndi_mesh_meet(gnd_mesh *mesh, const char *fn);

/* A partial result that every rank has: `count` elements of this dtype, which a gnd_combined_part may have. NULL: this
   rank failed, and takes part all the same. */
typedef struct gndi_combined {
    const gnd_array *from;
    gnd_array *to;
    int64_t count;
    gnd_dtype dtype;
    gnd_combine how;
} gndi_combined;
enum { GNDI_MOST_COMBINED = 4 };
/* Combines at most GNDI_MOST_COMBINED partial results of all ranks, by the transport's all_reduce, which there is;
   collective. Like gndi_mesh_exchange if an array is missing, or on another error. */
gnd_status gndi_mesh_all_reduce(gnd_mesh *mesh, const char *fn, int count, const gndi_combined *part);

/* Row i of an array, as a view; NULL stays NULL. */
gnd_array *gndi_row(const gnd_array *a, int64_t i);
/* The number of elements of a shape. */
int64_t gndi_shape_count(gnd_shape shape);

#endif
