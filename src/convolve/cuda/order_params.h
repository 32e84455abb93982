/*
 * order_params.h: the parameter blocks of the kernels of filters by order (order_kernels.cu).
 */
#ifndef GNDI_ORDER_PARAMS_H
#define GNDI_ORDER_PARAMS_H

#include <stdint.h>

enum {
    GNDI_ORDER_TILE_WARPS = 4, /* of a block */
    GNDI_ORDER_WIDE = 4,       /* outputs of a thread along a row */
    GNDI_ORDER_COLUMNS = 128,  /* of a tile: those of a warp */
    GNDI_ORDER_PITCH = 136,    /* keys of a tile's row, with the windows' */
    GNDI_ORDER_THREADS = 256,  /* of a block that sorts or searches */
    GNDI_ORDER_AXES = 64,      /* GND_MAX_DIMS */
    GNDI_ORDER_SORT_AXES = 3,  /* of windows that are sorted */
    GNDI_ORDER_SORT_MOST = 64, /* elements of one */
};

/* Rows of outputs of a warp, for keys of so many bytes. */
#define GNDI_ORDER_ROWS(bytes) ((bytes) == 8 ? 4 : 8)

/* Which kernel: a median or an element of any rank by a network, a sort of windows of at most so many elements, or a
   search of a window along at most two axes, or along any. */
enum {
    GNDI_ORDER_MEDIAN_3,
    GNDI_ORDER_MEDIAN_5,
    GNDI_ORDER_MEDIAN_7,
    GNDI_ORDER_MEDIAN_9,
    GNDI_ORDER_MEDIAN_3_3,
    GNDI_ORDER_MEDIAN_5_5,
    GNDI_ORDER_LOW_3_3, /* ranks below the median's */
    GNDI_ORDER_HIGH_3_3,
    GNDI_ORDER_LOW_5_5,
    GNDI_ORDER_HIGH_5_5,
    GNDI_ORDER_SORT_16,
    GNDI_ORDER_SORT_32,
    GNDI_ORDER_SORT_64,
    GNDI_ORDER_SEARCH_2,
    GNDI_ORDER_SEARCH_ANY,
};

/* Matrices, `matrices` of them: a window lies within one, from `first` on of an element's index. Of windows of one row
   a segment is 4 outputs, and a band one row. */
typedef struct gndi_order_tile_params {
    const char *x;
    char *out;
    int64_t rows, columns;
    int64_t x_stride[3], out_stride[3]; /* bytes, from matrix to matrix, row to row, column to column */
    int32_t segments, bands, units;     /* tiles along a row; along a column; all */
    int32_t rank;
    int32_t first[2];            /* along a column; along a row */
    uint64_t fill;               /* the bits of the constant beyond the ends */
    uint64_t floats, flip, most; /* how elements become keys: all ones of floats; the bit that is flipped; the
                                     largest bits that are no NaN */
    uint8_t border[2];
    uint8_t bytes; /* of an element */
    uint8_t packs; /* 4 elements of x from a multiple of 4 on may be loaded at once */
} gndi_order_tile_params;

/* Windows of few elements along at most three axes; axes that an array lacks have one element. */
typedef struct gndi_order_sort_params {
    const char *x;
    char *out;
    const uint8_t *mask;
    int64_t outputs;
    int32_t elements, rank; /* elements: of the window, with those that the mask lacks */
    uint8_t dtype;
    int32_t window[GNDI_ORDER_SORT_AXES];
    int64_t shape[GNDI_ORDER_SORT_AXES], x_stride[GNDI_ORDER_SORT_AXES], out_stride[GNDI_ORDER_SORT_AXES];
} gndi_order_sort_params;

/* Elements of a byte, matrices of them; the outputs of a warp are a strip of columns. */
typedef struct gndi_order_counts_params {
    const char *x;
    char *out;
    int64_t matrices, rows, columns;
    int64_t x_stride[3], out_stride[3]; /* bytes, from matrix to matrix, row to row, column to column */
    int32_t segments, bands, height;    /* strips along a row; along a column; rows of one */
    int32_t window_rows, window_columns, rank;
    uint8_t dtype;
} gndi_order_counts_params;

/* Any number of axes: what the plan has. */
typedef struct gndi_order_search_params {
    const char *x;
    char *out;
    const uint8_t *mask;
    int64_t outputs, window_rows; /* of all axes but the last */
    int64_t rank;
    int32_t ndim;
    uint8_t dtype;
    int64_t shape[GNDI_ORDER_AXES], window[GNDI_ORDER_AXES];
    int64_t x_stride[GNDI_ORDER_AXES], out_stride[GNDI_ORDER_AXES];
} gndi_order_search_params;

#endif
