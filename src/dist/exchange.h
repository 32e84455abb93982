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
} gndi_piece;

static inline gndi_piece gndi_piece_of(int rank, const gnd_array *array) {
    return (gndi_piece){rank, array, gnd_nbytes(array)};
}

/*
 * Sends and receives pieces, all at once; collective. At most 4 (ranks + 2) of each. The n-th piece for a rank is the
 * n-th that this rank receives from here. Pieces for the rank itself are copied, and must have the same shape and
 * dtype on both sides. Pieces without bytes cost nothing. Packs what is not contiguous, and stages what is not in
 * the memory that the transport moves. On an error of its own (no memory to pack) the rank still takes part.
 */
gnd_status gndi_mesh_exchange(gnd_mesh *mesh, const char *fn, int sends, const gndi_piece *send, int receives,
                              const gndi_piece *receive);

/*
 * Everyone's `part`, which has this shape and dtype on all ranks, as one array (ranks, shape...) on the current
 * device; collective. `part` may be NULL on a rank that failed. NULL on an error of this rank, which has taken part.
 */
gnd_array *gndi_mesh_all_gather(gnd_mesh *mesh, const char *fn, const gnd_array *part, gnd_shape shape,
                                gnd_dtype dtype);

/* The number of elements of a shape. */
int64_t gndi_shape_count(gnd_shape shape);

#endif
