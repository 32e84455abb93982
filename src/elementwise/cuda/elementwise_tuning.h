/*
 * elementwise_tuning.h: the numbers the elementwise kernels' speed hangs on. The values are what
 * bench/ew_kernels.sh found best on an H200; it builds variants by defining them.
 */
#ifndef GNDI_ELEMENTWISE_TUNING_H
#define GNDI_ELEMENTWISE_TUNING_H

#ifndef GNDI_TUNE_DENSE_THREADS
#    define GNDI_TUNE_DENSE_THREADS 256 /* a block */
#endif
#ifndef GNDI_TUNE_DENSE
#    define GNDI_TUNE_DENSE 1 /* 16-byte vectors a thread has in flight for each operand */
#endif
#ifndef GNDI_TUNE_ROWS_THREADS
#    define GNDI_TUNE_ROWS_THREADS 128 /* a block */
#endif
#ifndef GNDI_TUNE_MIXED_THREADS
#    define GNDI_TUNE_MIXED_THREADS 64 /* the same, with casts */
#endif
#ifndef GNDI_TUNE_ROWS
#    define GNDI_TUNE_ROWS 4 /* vectors a thread, with any strides */
#endif
#ifndef GNDI_TUNE_MIXED
#    define GNDI_TUNE_MIXED 8 /* elements a thread, with casts */
#endif
#ifndef GNDI_TUNE_TILE
#    define GNDI_TUNE_TILE 8 /* vectors a thread in a tile */
#endif
#ifndef GNDI_TUNE_TILE_X
#    define GNDI_TUNE_TILE_X 64 /* 4-byte elements along x */
#endif
#ifndef GNDI_TUNE_TILE_BAND
#    define GNDI_TUNE_TILE_BAND 1 /* rows of tiles that blocks walk through together */
#endif
#ifndef GNDI_TUNE_STREAM
#    define GNDI_TUNE_STREAM 0 /* 1: stores marked as not to be kept in cache; 2: loads too */
#endif

#endif
