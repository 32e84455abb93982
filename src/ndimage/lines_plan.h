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
    const gndi_lines_axis *others; /* NULL, or on the host those of another filter, whose result is added */
    double fill;                   /* the constant, beyond either axis */
    uint8_t dtype;                 /* of both: float32 or float64 */
    uint8_t kind;                  /* sums are divided by each axis' size */
    bool adds;                     /* to what is in out */
};

/* A block's tile on a GPU: rows of outputs, those of a thread down the columns; the most bytes and threads. */
enum { GNDI_LINES_ROWS = 64, GNDI_LINES_RUN = 8, GNDI_LINES_SHARED = 96 << 10, GNDI_LINES_THREADS = 320 };

/* The tile's layout in shared memory, in elements. Rows are copied in packs of 16 bytes from the multiple of one that
   is `before` elements ahead of the first window. */
typedef struct gndi_lines_tile {
    int32_t width;        /* columns of outputs: 8, 16 or 32 packs */
    int32_t before, wide; /* columns that are read, in whole packs */
    int32_t height;       /* rows that are read */
    int32_t pitch;        /* from row to row */
    int32_t threads;
    int64_t weights, bytes; /* elements of both axes' weights; of these and the tile */
} gndi_lines_tile;

static inline int64_t gndi_lines_whole(int64_t n, int64_t pack) {
    return (n + pack - 1) / pack * pack;
}

/* The tile of `packs` packs of a plan's windows. What is between the axes takes the place of what is read, so each
   thread has one part of it. */
static inline gndi_lines_tile gndi_lines_tile_of(const gndi_lines_axis *down, const gndi_lines_axis *along,
                                                 int itemsize, int packs) {
    const int64_t pack = 16 / itemsize, before = along->size > 0 ? (along->first % pack + pack) % pack : 0;
    const int64_t more = along->size > 0 ? before + along->size - 1 : 0;
    const int64_t wide = gndi_lines_whole(packs * pack + more, pack), pitch = wide + pack;
    const int64_t height = GNDI_LINES_ROWS + (down->size > 0 ? down->size - 1 : 0);
    const int64_t weights = gndi_lines_whole(down->size, pack) + gndi_lines_whole(along->size, pack);
    const int64_t units = wide / pack * (GNDI_LINES_ROWS / GNDI_LINES_RUN);
    gndi_lines_tile t = {0, 0, 0, 0, 0, 0, weights, (weights + height * pitch) * itemsize};
    if (t.bytes > GNDI_LINES_SHARED || units > GNDI_LINES_THREADS) return t;
    t.width = (int32_t)(packs * pack), t.before = (int32_t)before, t.wide = (int32_t)wide;
    t.height = (int32_t)height, t.pitch = (int32_t)pitch;
    t.threads = (int32_t)(units < 256 ? 256 : gndi_lines_whole(units, 32));
    return t;
}

/* The widest tile of 32 packs or fewer, down to 8; of width 0: there is none. */
static inline gndi_lines_tile gndi_lines_widest(const gndi_lines_axis *down, const gndi_lines_axis *along,
                                                int itemsize) {
    gndi_lines_tile t = gndi_lines_tile_of(down, along, itemsize, 32);
    for (int packs = 16; packs >= 8 && t.width == 0; packs /= 2) t = gndi_lines_tile_of(down, along, itemsize, packs);
    return t;
}

#endif
