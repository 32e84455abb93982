/*
 * compression_params.h: the parameter block of the kernels of pulse compression (compression_kernels.cu).
 */
#ifndef GNDI_COMPRESSION_PARAMS_H
#define GNDI_COMPRESSION_PARAMS_H

#include "radar/compression_plan.h"

/* Rows of complex64. */
typedef struct gndi_compression_params {
    const char *in, *filter;
    char *out;       /* dense; may be `in` */
    int64_t in_row;  /* bytes */
    int64_t samples; /* of a row */
    int64_t rows;
    uint32_t filters; /* rows of the filter, a power of two: row i gets number i % filters */
    uint32_t line;    /* element n of row i gets exp(+ 2 pi i n (i % filters) / 2^line), behind all else; 0: no */
} gndi_compression_params;

/* Tiles of complex64, and of complex128: elements of a thread, blocks of a processor, and how many of a thread's
   elements of the spectrum are in shared memory. */
#define GNDI_COMPRESSION_TILE_EACH(wide) ((wide) ? 16 : 32)
#define GNDI_COMPRESSION_TILE_THREADS(wide) (GNDI_COMPRESSION_TILE(wide) / GNDI_COMPRESSION_TILE_EACH(wide))
#define GNDI_COMPRESSION_TILE_BLOCKS(wide) ((wide) ? 2 : 1)
#define GNDI_COMPRESSION_TILE_KEPT(wide) ((wide) ? 4 : 12)
/* Elements of shared memory: a tile with gaps, roots of unity, and a part of the spectrum. */
#define GNDI_COMPRESSION_TILE_SHARED(wide)                                                                             \
    (GNDI_COMPRESSION_TILE(wide) + GNDI_COMPRESSION_TILE_THREADS(wide) * (1 + GNDI_COMPRESSION_TILE_KEPT(wide)) +      \
     (2 + GNDI_COMPRESSION_TILE_EACH(wide) / 4) * (GNDI_COMPRESSION_TILE_THREADS(wide) + 16))

/* Lines of n results. Strides are in elements. */
typedef struct gndi_compression_tiles_params {
    const void *x;
    void *out;      /* dense; NULL: the spectrum is written, of x, which is the pulse */
    void *spectrum; /* conjugate, in the order in which threads have the elements */
    int64_t x_line;
    int32_t n, samples, taps; /* samples: of x; behind them a line is 0 */
    int32_t step;             /* results of a tile */
    uint32_t each, units;     /* tiles of a line, or of two lines that share their last one; of all */
    uint32_t lines;           /* that share tiles, each half of them; 0: none do */
    uint32_t fetches;         /* tiles come to the L2 cache ahead */
    double scale;             /* of a spectrum that is written */
} gndi_compression_tiles_params;

#endif
