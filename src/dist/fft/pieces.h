/*
 * pieces.h: blocks that are moved in pieces (stage.c says how many), each worked on before.
 */
#ifndef GNDI_DIST_FFT_PIECES_H
#define GNDI_DIST_FFT_PIECES_H

#include "dist/fft/fft.h"

/* Each rank's block of x is cut into as many pieces along an axis. `at` is the piece in work. */
typedef struct gndi_pieces {
    const gnd_dist *x;
    int axis, count, at;
} gndi_pieces;

/* The part of this rank's block of `at` that a piece is made of, and where it begins; NULL if there is no block. */
gnd_array *gndi_pieces_part(const gndi_pieces *p, const gnd_dist *at, const gnd_array *block, int64_t *start);
/* Works on all pieces of f's block (`work` NULL: nothing), which then belong to p->x, and moves them to `to`, whose
   block is `into`. Collective; false if this rank failed, which has taken part. */
bool gndi_pieces_move(gndi_fft *f, gndi_fft_work *work, const void *context, const gndi_pieces *p, const gnd_dist *to,
                      gnd_array *into);

#endif
