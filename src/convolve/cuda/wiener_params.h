/*
 * wiener_params.h: the parameter block of the kernels of the Wiener filter (wiener_kernels.cu).
 */
#ifndef GNDI_WIENER_PARAMS_H
#define GNDI_WIENER_PARAMS_H

#include <stdint.h>

enum {
    GNDI_WIENER_THREADS = 256,
    GNDI_WIENER_LINE = 2048,   /* outputs of a line's tile */
    GNDI_WIENER_ROWS = 32,     /* rows of a matrix's tile */
    GNDI_WIENER_COLUMNS = 64,  /* its columns, or half as many: a power of 2 */
    GNDI_WIENER_EACH_LINE = 2, /* neighbouring outputs of a thread, of a line and of a matrix */
    GNDI_WIENER_EACH = 4,
};

/* Elements of a window along an axis that are in front of its middle; the others are behind. */
#define GNDI_WIENER_FRONT(size) ((size) / 2)

/* Elements of a tile of a line in shared memory with what is unused between them: see line_tile. */
#define GNDI_WIENER_LINE_ELEMENTS(n, item) ((n) + (n) / (128 / (item)) + 1)
/* Elements from one row of a matrix's tile to the next: odd, so that the rows' elements are in different banks. */
#define GNDI_WIENER_PITCH(columns) ((columns) | 1)

/* Which kernel. */
enum { GNDI_WIENER_VARIANCES, GNDI_WIENER_FILTER };

typedef struct gndi_wiener_params {
    const char *x;
    double *out;
    double *sums; /* of v, of each block's tiles; NULL: the noise is `given` */
    double given;
    int64_t rows, columns, x_stride[2]; /* bytes */
    int64_t tiles, tiles_across;
    int32_t parts; /* blocks that find the sums */
    int32_t tile_columns;
    int32_t window[2];
} gndi_wiener_params;

#endif
