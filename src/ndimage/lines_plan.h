/*
 * lines_plan.h: separable filters along one or two axes, as the fronts of src/ndimage hand them to a backend.
 *
 * A dense array is seen as `outer` matrices of rows and columns. It is filtered along the rows' direction (down the
 * columns, axis 0), then along the rows (axis 1). An axis of size 0 is not filtered.
 */
#ifndef GNDI_LINES_PLAN_H
#define GNDI_LINES_PLAN_H

#include "kernels/border.h"
#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

enum gndi_lines_kind { GNDI_LINES_CORRELATE, GNDI_LINES_SUM, GNDI_LINES_MAXIMUM, GNDI_LINES_MINIMUM };

/* So many weights are in the plan; more are in memory. */
enum { GNDI_LINES_FEW = 100 };

/* out[i] = of x[i + first + j], 0 <= j < size. */
typedef struct gndi_lines_axis {
    int64_t size, first;
    uint8_t border;     /* gndi_border: constant, or one that repeats elements */
    const double *taps; /* on the device; NULL: those in `few` */
    double few[GNDI_LINES_FEW];
} gndi_lines_axis;

struct gndi_lines_plan {
    const void *x;
    void *out;
    int64_t outer, rows, columns;
    gndi_lines_axis axis[2];
    double fill;   /* the constant, beyond either axis */
    uint8_t dtype; /* of both: float32 or float64 */
    uint8_t kind;  /* sums are divided by each axis' size */
    bool adds;     /* to what is in out */
};

/* A block's tile on a GPU: outputs along both axes, and those of a thread, next to each other. */
enum { GNDI_LINES_ROWS = 64, GNDI_LINES_RUN = 8, GNDI_LINES_SHARED = 96 << 10 };

static inline int64_t gndi_lines_width(int itemsize) {
    return itemsize == 4 ? 64 : 32;
}
/* The tile's parts in shared memory, in elements: the weights of both axes; what is read (rows - 1 more than the
   tile's), copied 16 bytes at a time from an address before the first; and what is between the axes, at an odd pitch,
   so that a column's elements are in different banks. */
static inline int64_t gndi_lines_whole(int64_t n, int itemsize) {
    const int64_t pack = 16 / itemsize;
    return (n + pack - 1) / pack * pack;
}
static inline int64_t gndi_lines_wide(int64_t size, int itemsize) {
    return gndi_lines_width(itemsize) + (size > 1 ? size - 1 : 0);
}
static inline int64_t gndi_lines_pitch_read(int64_t size, int itemsize) {
    return gndi_lines_whole(gndi_lines_wide(size, itemsize) + 16 / itemsize - 1, itemsize);
}
static inline int64_t gndi_lines_bytes(int64_t rows_size, int64_t columns_size, int itemsize) {
    const int64_t height = GNDI_LINES_ROWS + (rows_size > 0 ? rows_size - 1 : 0);
    return (gndi_lines_whole(rows_size, itemsize) + gndi_lines_whole(columns_size, itemsize) +
            height * gndi_lines_pitch_read(columns_size, itemsize) +
            GNDI_LINES_ROWS * (gndi_lines_wide(columns_size, itemsize) | 1)) *
           itemsize;
}

#endif
