/*
 * compact_params.h: what the host (compact_cuda.c) and the packing kernels (compact_kernels.cu) agree
 * on. C and C++.
 */
#ifndef GNDI_COMPACT_PARAMS_H
#define GNDI_COMPACT_PARAMS_H

#include "reduce/cuda/operator_params.h"
#include "scan/cuda/scan_params.h"

enum {
    GNDI_COMPACT_THREADS = 256,
    GNDI_COMPACT_DEPTH = 8,                       /* packs of 16 points in a thread, at most */
    GNDI_COMPACT_ROW = 16 * GNDI_COMPACT_THREADS, /* points of a tile of depth 1 */
    GNDI_COMPACT_PART = 1 << 30,                  /* points of a launch, at most */
};

/* How neighbours are compared where edges are asked for; any other dtype by its bits. */
typedef enum gndi_compact_edges {
    GNDI_EDGES_BITS,
    GNDI_EDGES_FLOAT16,
    GNDI_EDGES_BFLOAT16,
    GNDI_EDGES_REAL,
    GNDI_EDGES_COMPLEX,
} gndi_compact_edges;

/* One launch: points `first` to `first + points - 1` of a plan. Within it points are numbered from
   the multiple of 16 bytes at or before the mask's first byte (of edges: x's): the first point has
   number `skip`. */
typedef struct gndi_compact_params {
    gndi_scan_state state;
    const char *mask; /* a byte a point, at a multiple of 16; unused for edges */
    char *x, *out;    /* x: where point number 0 of the plan is; dense: number 0 of the launch */
    int64_t first;
    int32_t skip, end; /* numbers of the launch's first point, and past its last */
    int32_t tiles, depth;
    const int64_t *before; /* how many points were true before this launch; NULL: none */
    int64_t *after;        /* and after it; may be NULL */
    int64_t capacity, wrap, step, axis_step;
    int64_t scale, expected; /* what a point counts for; how many there should be */
    gndi_fault *fault;       /* NULL: the count is not checked */
    int32_t wraps;           /* PUT: ranks are taken modulo `wrap` */
    int32_t lines;           /* INDICES along one axis: dense, and at a multiple of 16 bytes */
    int32_t edges;           /* gndi_compact_edges */
    int32_t equal_nan;
    int32_t ndim; /* axes of x, or of the indices */
    int64_t shape[GNDI_FOLD_AXES], stride[GNDI_FOLD_AXES];
} gndi_compact_params;

#endif
