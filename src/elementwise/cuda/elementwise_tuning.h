/*
 * elementwise_tuning.h: tuning parameters of the elementwise kernels. The values were the best on an H200.
 */
#ifndef GNDI_ELEMENTWISE_TUNING_H
#define GNDI_ELEMENTWISE_TUNING_H

#define GNDI_TUNE_DENSE_THREADS 256 /* a block */
#define GNDI_TUNE_DENSE 1           /* 16-byte vectors a thread has in flight for each operand */
#define GNDI_TUNE_ROWS_THREADS 128  /* a block */
#define GNDI_TUNE_MIXED_THREADS 64  /* the same, with casts */
#define GNDI_TUNE_ROWS 4            /* vectors a thread, with any strides */
#define GNDI_TUNE_MIXED 8           /* elements a thread, with casts */
#define GNDI_TUNE_TILE 8            /* vectors a thread in a tile */
#define GNDI_TUNE_TILE_X 64         /* 4-byte elements along x */
#define GNDI_TUNE_TILE_BAND 1       /* rows of tiles that blocks walk through together */

#endif
