/*
 * pieces.h: blocks that are moved in pieces (stage.c says how many), each worked on before.
 */
#ifndef GNDI_DIST_FFT_PIECES_H
#define GNDI_DIST_FFT_PIECES_H

#include "dist/fft/fft.h"

/* Each rank's block of x is cut into `count` pieces along an axis. The last one is sent in strips, by a cut of the
   receivers' blocks of `to` along another axis; of one strip (1, and no axis), in whole. */
typedef struct gndi_pieces {
    const gnd_dist *x, *to;
    int axis, count, strip_axis, strips;
    gndi_fft_then then; /* on each strip of the whole block of `to`, when all of it has come */
    int at, strip;      /* in work */
} gndi_pieces;

enum { GNDI_MOST_STRIPS = 3 };

/* Works on all pieces of f's block (`work` NULL: nothing), which then belong to p->x, and moves them to p->to, whose
   block is `into`. Collective; false if this rank failed, which has taken part. */
bool gndi_pieces_move(gndi_fft *f, gndi_fft_work *work, const void *context, const gndi_pieces *p, gnd_array *into);

#endif
