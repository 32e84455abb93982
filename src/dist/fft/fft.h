/*
 * fft.h: a transform of a split array as a list of transforms along one axis each, and the state between them.
 */
#ifndef GNDI_DIST_FFT_H
#define GNDI_DIST_FFT_H

#include "dist/dist.h"

/* One axis. Those of the list come in its order, or in another if they are of different axes. */
typedef struct gndi_fft_step {
    gnd_fft_kind kind;
    int axis;
    int64_t n;
    bool done;
} gndi_fft_step;

typedef struct gndi_fft {
    const char *fn;
    gnd_fft_norm norm;
    int count;
    gndi_fft_step step[GND_MAX_DIMS];
    gnd_dist *at;     /* what the array is by now; its block is below */
    gnd_array *block; /* NULL: this rank has failed */
} gndi_fft;

/* The work on a block, or on the part of it that begins at `start`. */
typedef gnd_array *gndi_fft_work(const gndi_fft *f, const void *context, const gnd_array *a, const int64_t *start);

/* Bytes from which blocks are transformed in pieces, while others are sent; of a block whose exchange has a stream of
   its own; of a line that is done in six steps; and the length of one that is several times as fast where its elements
   are behind each other. Tests change them. */
extern int64_t gndi_fft_piece_bytes, gndi_fft_beside_bytes, gndi_fft_line_bytes, gndi_fft_dense_length;

/* Work that is done in place on blocks when they have been moved, and the axes that it needs whole; NULL: none. */
typedef struct gndi_fft_then {
    gndi_fft_work *work;
    const void *context;
    uint64_t whole;
} gndi_fft_then;

/*
 * Works on the blocks, which then belong to `made` (released by this; split as f->at is), and moves them to `to` (NULL:
 * they stay). Axes with a bit in `whole` must not be cut in pieces. `work` may be NULL. Lines along the axis `dense`
 * (-1: any) have their elements behind each other in the blocks that come of a move. Collective if something moves.
 */
void gndi_fft_stage(gndi_fft *f, gndi_fft_work *work, const void *context, uint64_t whole, gnd_dist *made, gnd_dist *to,
                    int dense);
/* The same, and `then` on what has been moved: on one strip of it while the next comes. */
void gndi_fft_stage_then(gndi_fft *f, gndi_fft_work *work, const void *context, uint64_t whole, gnd_dist *made,
                         gnd_dist *to, int dense, gndi_fft_then then);

/* Whether a line of n elements on so many ranks is done in six steps; if so n = n1 n2. */
bool gndi_fft_line_fits(const gnd_dist *x, int axis, int64_t n, int ranks, int64_t *n1);
/* A transform along an axis that is split along axis k of the mesh, where no other can be split in its place. */
void gndi_fft_line(gndi_fft *f, const gndi_fft_step *step, int k, int64_t n1);

/* The dtypes of transforms of arrays of this one. */
gnd_dtype gndi_fft_complex(gnd_dtype t);
gnd_dtype gndi_fft_real(gnd_dtype t);

#endif
