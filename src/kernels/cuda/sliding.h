/*
 * sliding.h: how the kernels of sliding sums (sliding.cuh) cut their work.
 */
#ifndef GNDI_SLIDING_H
#define GNDI_SLIDING_H

enum {
    GNDI_SLIDING_THREADS = 128,
    GNDI_SLIDING_VECTORS = 4, /* of 16 bytes: the sums of a thread */
    GNDI_SLIDING_TAPS = 240,  /* at a time: a multiple of what a window of one vector more holds, of any type */
};
#define GNDI_SLIDING_TILE(bytes) (GNDI_SLIDING_THREADS * GNDI_SLIDING_VECTORS * 16 / (bytes)) /* sums of a block */

#endif
