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
    uint8_t border;      /* gndi_border: constant, or one that repeats elements */
    const double *taps;  /* on the device; NULL: those in `few` */
    double few[GNDI_LINES_FEW];
} gndi_lines_axis;

struct gndi_lines_plan {
    const void *x;
    void *out;
    int64_t outer, rows, columns;
    gndi_lines_axis axis[2];
    double fill;    /* the constant, beyond either axis */
    uint8_t dtype;  /* of both: float32 or float64 */
    uint8_t kind;   /* sums are divided by each axis' size */
    bool adds;      /* to what is in out */
};

/* A block's tile on a GPU: outputs along both axes, and those of a thread, next to each other. */
enum { GNDI_LINES_ROWS = 64, GNDI_LINES_RUN = 8, GNDI_LINES_SHARED = 96 << 10 };

static inline int64_t gndi_lines_width(int itemsize) {
    return itemsize == 4 ? 64 : 32;
}
/* The tile's parts in shared memory, in elements: what is read (rows - 1 more than the tile's), and what is between
   the axes. Pitches are odd, so that a column's elements are in different banks. */
static inline int64_t gndi_lines_pitch(int64_t size, int itemsize) {
    return (gndi_lines_width(itemsize) + (size > 1 ? size - 1 : 0)) | 1;
}
static inline int64_t gndi_lines_bytes(int64_t rows_size, int64_t columns_size, int itemsize) {
    const int64_t pitch = gndi_lines_pitch(columns_size, itemsize), down = rows_size > 0 ? rows_size - 1 : 0;
    return ((GNDI_LINES_ROWS + down) * pitch + GNDI_LINES_ROWS * pitch + rows_size + columns_size) * itemsize;
}

#endif
