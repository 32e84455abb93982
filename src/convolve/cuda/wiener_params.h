/*
 * wiener_params.h: the parameter block of the kernels of the Wiener filter (wiener_kernels.cu).
 */
#ifndef GNDI_WIENER_PARAMS_H
#define GNDI_WIENER_PARAMS_H

#include <stdint.h>

enum {
    GNDI_WIENER_THREADS = 256,
    GNDI_WIENER_OUTPUTS = 1024, /* of a tile */
    GNDI_WIENER_SQUARE = 32,    /* rows and columns of a tile of a matrix; a line's tile is one row */
    GNDI_WIENER_JOIN_THREADS = 1024,
};

/* Elements of a window along an axis that are in front of its middle; the others are behind. */
#define GNDI_WIENER_FRONT(size) ((size) / 2)

/* Which kernel. */
enum { GNDI_WIENER_VARIANCES, GNDI_WIENER_JOIN, GNDI_WIENER_FILTER };

typedef struct gndi_wiener_params {
    const char *x;
    double *out;
    double *noise; /* then the sum of v of each tile; NULL: the noise is `given` */
    double given;
    int64_t rows, columns, x_stride[2]; /* bytes */
    int64_t tiles, tiles_across;
    int32_t tile_rows, tile_columns;
    int32_t window[2];
} gndi_wiener_params;

#endif
