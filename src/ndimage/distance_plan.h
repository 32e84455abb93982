/*
 * distance_plan.h: distances to the nearest element that is zero, as the front (distance.c) hands them to a backend: a
 * pass along an axis. The first axis takes the nearest zero in each line; each later axis the least, over a line, of a
 * combination of the distances so far with the distance along it.
 */
#ifndef GNDI_DISTANCE_PLAN_H
#define GNDI_DISTANCE_PLAN_H

#include <gnd/base.h>
#include <gnd/dtype.h>

enum gndi_distance_kind {
    GNDI_DISTANCE_NEAREST, /* of `truths`, dense, a line of the first axis; outer is 1 */
    GNDI_DISTANCE_LEAST,   /* of `from` */
    GNDI_DISTANCE_RASTER,  /* both passes of a chamfer with a structure; see below */
};
enum gndi_distance_metric { GNDI_DISTANCE_EUCLIDEAN, GNDI_DISTANCE_TAXICAB, GNDI_DISTANCE_CHESSBOARD };
/* What a pass writes: what the next one reads; the root in double; int32, -1 for none; uint32, UINT32_MAX for none. */
enum gndi_distance_result {
    GNDI_DISTANCE_PARTIAL,
    GNDI_DISTANCE_ROOT,
    GNDI_DISTANCE_SIGNED,
    GNDI_DISTANCE_UNSIGNED,
};
/* Where nothing is zero. EUCLID: as if there were a zero at -1, 0, 0, ..., as SciPy's; OWN: the element's own indices,
   and no distance; ORIGIN: zeros, and the root of the largest number or no distance. */
enum gndi_distance_none { GNDI_DISTANCE_NONE_EUCLID, GNDI_DISTANCE_NONE_OWN, GNDI_DISTANCE_NONE_ORIGIN };

/* Lines of n elements, `inner` apart. Distances are squares in EUCLIDEAN; uint32, or with `wide` double, which only
   EUCLIDEAN has. Of equal distances the one with the smallest index along the axis counts. `at`: the flat index of the
   nearest zero, int32 or with `far` int64; -1: none. */
struct gndi_distance_plan {
    const uint8_t *truths;
    const void *from, *from_at; /* from_at NULL: indices are not wanted */
    void *to, *to_at;           /* PARTIAL; from and to are different memory */
    void *distances;            /* other results; NULL: not wanted */
    int32_t *indices;           /* other results: an array of indices for each axis; NULL: not wanted */
    int32_t *edges;             /* on a GPU, of long lines: see gndi_distance_edges; else NULL */
    int64_t outer, n, inner;
    double spacing; /* between elements along the axis */
    uint8_t kind, metric, result, none;
    bool wide, far;
    bool mirrored; /* truths, distances and indices are stored from the last element to the first, and axes from the
                      last to the first: ties go to the largest index along the first axis, then the next one */
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    double spacings[GND_MAX_DIMS];
    const uint8_t *structure; /* RASTER: 3 to the power of ndim truths; on the CPU NULL: those of the metric. On a GPU
                                 distances are int32 in `to`, `at` in `to_at`; on the CPU in `distances` */
};

/* Elements of a line that a warp of a GPU takes at once; whose first elements are the line's marks. Lines whose
   distances and marks need more bytes than a block has read them from global memory. */
enum { GNDI_DISTANCE_SEGMENT = 32, GNDI_DISTANCE_SHARED = 48 << 10 };
static inline int64_t gndi_distance_marks(int64_t n) {
    return (n + GNDI_DISTANCE_SEGMENT - 1) / GNDI_DISTANCE_SEGMENT + 1;
}
static inline bool gndi_distance_is_short(int64_t n, bool wide) {
    return (n + 8) * (wide ? 8 : 4) + gndi_distance_marks(n) * 4 <= GNDI_DISTANCE_SHARED;
}

/* Rows that a warp and a block of a GPU take of NEAREST. Several blocks' first and last zeros are in `edges`: two
   numbers for each block and line. */
enum { GNDI_DISTANCE_ROWS = 128, GNDI_DISTANCE_BLOCK_ROWS = 32 * GNDI_DISTANCE_ROWS };
/* How many numbers `edges` has: of NEAREST, of LEAST the marks of all lines; 0: none. */
static inline int64_t gndi_distance_edges(const struct gndi_distance_plan *p) {
    const int64_t blocks = (p->n + GNDI_DISTANCE_BLOCK_ROWS - 1) / GNDI_DISTANCE_BLOCK_ROWS;
    if (p->kind == GNDI_DISTANCE_NEAREST) return blocks > 1 ? 2 * blocks * p->inner : 0;
    return gndi_distance_is_short(p->n, p->wide) ? 0 : gndi_distance_marks(p->n) * p->outer * p->inner;
}

#endif
