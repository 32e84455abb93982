/*
 * scan_params.h: what the host's selector (scan_cuda.c) and the scan kernels (scan_*.cuh) agree on:
 * parameter blocks and the table of kernels. C and C++.
 */
#ifndef GNDI_SCAN_PARAMS_H
#define GNDI_SCAN_PARAMS_H

#include "kernels/ops/op_sets.h"

#define GNDI_SCAN_MAX_AXES 64
#define GNDI_SCAN_LEVELS 4 /* of aggregates; the highest may have any number of entries */
#define GNDI_SCAN_THREADS 256
#define GNDI_SCAN_WIDTH 16                /* columns that NARROW takes at most */
#define GNDI_SCAN_NARROW_WARPS 15         /* of a block that scan, at most */
#define GNDI_SCAN_NARROW_LOOKBACK_WARPS 4 /* that look back; one more moves tiles */
#define GNDI_SCAN_NARROW_BUFFERS 5        /* tiles of a block, at most */
#define GNDI_SCAN_NARROW_MOST (GNDI_SCAN_NARROW_WARPS + GNDI_SCAN_NARROW_LOOKBACK_WARPS + 1) /* warps */
#define GNDI_SCAN_NARROW_SLOTS 5  /* tiles of whose totals it has several */
#define GNDI_SCAN_NARROW_GROUP 96 /* tiles of a matrix that are a group */
/* Words that each stream has at hand (enough for 10^8 floats one after the other); larger scans bring
   their own, which have to be cleared. */
#define GNDI_SCAN_STATE 10240

/*
 * What tiles tell each other. Entry i of level 0 is tile i's total; entry i of level l + 1 that of
 * entries 32 i to 32 i + 31 of level l. A value is kept in words of 8 bytes, four of them its data
 * and four a flag that says for which launch it is there. `ticket` counts tiles out in its lower
 * half, and launches in its upper half. NULL: tiles do not depend on each other. NARROW has its own
 * two levels (scan_narrow_lookback.cuh).
 */
typedef struct gndi_scan_state {
    unsigned long long *ticket, *words;
    int64_t level[GNDI_SCAN_LEVELS]; /* the first entry of each level */
    int64_t column;                  /* FLAT: entries of a column, all levels */
    int32_t levels;                  /* COLUMNS */
    int32_t chained;                 /* COLUMNS: entry i of level 0 is the running value at the end of tile i */
} gndi_scan_state;

/* Lines by strides; axes as in a gndi_scan_plan. */
typedef struct gndi_scan_lines {
    const char *in;
    char *out;
    int64_t length, lines, in_step, out_step;
    int32_t ndim;
    int32_t skip_nan;
    int64_t shape[GNDI_SCAN_MAX_AXES], in_stride[GNDI_SCAN_MAX_AXES], out_stride[GNDI_SCAN_MAX_AXES];
} gndi_scan_lines;

/* FLAT: the lines one after the other, cut into tiles of `span` elements wherever that falls. */
typedef struct gndi_scan_flat {
    gndi_scan_state state;
    int64_t size;       /* elements in all lines */
    int64_t tiles;      /* blocks */
    int32_t span;       /* elements in a tile: a multiple of the vector */
    int32_t depth;      /* vectors in a thread; span is at most that of all threads */
    uint32_t near;      /* a line's length, or, if that is longer, a tile's */
    uint32_t magic;     /* x / near = x * magic >> 32 */
    gndi_scan_lines of; /* last: the dense kernels read no further than out_step */
} gndi_scan_flat;

/* COLUMNS: a lane a line, several rows of each. */
typedef struct gndi_scan_columns {
    gndi_scan_state state;
    int64_t columns;           /* entries of a row of words: lines, rounded up to full blocks */
    int32_t row_tiles, groups; /* blocks along the lines' length, and across the lines */
    int32_t share;             /* warps that share a line: 1, 2, 4 or 8 */
    gndi_scan_lines of;
} gndi_scan_columns;

/* NARROW: rows of `width` dense elements, `length` rows in each of `outer` matrices. */
typedef struct gndi_scan_narrow {
    gndi_scan_state state;
    const char *in;
    char *out;
    int64_t length, outer;
    int32_t row_tiles, width;
    int32_t chunks, rows;         /* a tile: `chunks` chunks of `rows` rows, a thread a chunk and column */
    int32_t side, parts;          /* columns next to each other in a warp; warps that have the same columns */
    int32_t tile_bytes;           /* bytes of shared memory for a tile, of which there are `buffers` */
    int32_t buffers, ahead, late; /* see scan_narrow.cuh; buffers is ahead + late, or one more */
    int32_t vectors;              /* all tiles begin at multiples of 16 bytes */
    int32_t skip_nan;
} gndi_scan_narrow;

/* PRODUCTS: a thread for `part` elements of a line, the last one for fewer. */
typedef struct gndi_scan_products {
    int64_t part, parts;
    int32_t in_dtype;
    gndi_scan_lines of;
} gndi_scan_products;

/* START: what the lines `of` start from, values of `size` bytes at of.in. Entry i of level 0 becomes that of line i,
   and the tickets of `tiles` tiles 0 are taken. */
typedef struct gndi_scan_start_lines {
    gndi_scan_state state;
    int64_t tiles;
    int32_t size;
    gndi_scan_lines of;
} gndi_scan_start_lines;

/* SERIAL: a thread a line. */
typedef struct gndi_scan_serial {
    int *fault;
    gndi_scan_lines of;
} gndi_scan_serial;

/* The kernels of one operator and loop; NULL: there is no such kernel. The loop's dtype in memory,
   but for those in the arrays, which cast from the dtype that is the index. */
typedef struct gndi_scan_kernels {
    const void *dense;       /* gndi_scan_flat */
    const void *narrow;      /* gndi_scan_narrow */
    const void *flat[16];    /* gndi_scan_flat */
    const void *columns[16]; /* gndi_scan_columns */
    const void *serial;      /* gndi_scan_serial */
    int32_t depth, vector;   /* of `dense` and `flat`: most vectors in a thread, elements in each */
    int32_t rows;            /* of a thread in `columns` */
    int32_t words;           /* of a value */
} gndi_scan_kernels;

typedef gndi_scan_kernels gndi_scan_table[GNDI_OP_COUNT][16];

#endif
