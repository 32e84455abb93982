/*
 * upfirdn_params.h: the parameter block of the polyphase kernels (upfirdn_kernels.cu), and how their work is cut.
 */
#ifndef GNDI_UPFIRDN_PARAMS_H
#define GNDI_UPFIRDN_PARAMS_H

#include "resample/chunk_plan.h"

enum {
    GNDI_UPFIRDN_THREADS = 256,
    GNDI_UPFIRDN_OUTPUTS = 4,  /* of a thread of the kernel of phases */
    GNDI_UPFIRDN_TOGETHER = 4, /* phases of a thread of the kernel of groups */
    GNDI_UPFIRDN_GROUP_THREADS = 512,
    GNDI_UPFIRDN_NO_GAPS = 31, /* as gap_shift */
    GNDI_RATIO_PERIODS = 320,  /* of a warp's tile in the kernels of a ratio */
};
#define GNDI_UPFIRDN_GROUP_PERIODS(item) ((item) <= 4 ? 64 : 32) /* of a tile of the kernel of groups */
#define GNDI_RATIO_RESIDENT(item) ((item) <= 4 ? 3 : 2)          /* blocks of a kernel of a ratio on a processor */

/* The kernels: windows in registers, of four vectors of periods a thread or of two, groups of phases, phases, a warp
   for each output; the table of taps; and windows of all phases, of a ratio of small numbers. */
enum {
    GNDI_UPFIRDN_WINDOWS,
    GNDI_UPFIRDN_SMALL_WINDOWS,
    GNDI_UPFIRDN_GROUPS,
    GNDI_UPFIRDN_PHASES,
    GNDI_UPFIRDN_WARPS,
    GNDI_UPFIRDN_TABLE,
    GNDI_UPFIRDN_RATIO,
    GNDI_UPFIRDN_KERNELS
};

typedef struct gndi_upfirdn_params {
    const char *x, *h;
    char *out, *table; /* table: in memory, where it does not fit shared memory; else NULL */
    int64_t h_step;
    int64_t offset, taps, length, x_first, count, out_first;
    int64_t tiles;        /* of a line */
    int64_t first_period; /* the one that output number out_first is in */
    int64_t first_base;   /* offset div up: b of output 0 */
    double cval[2], scale;
    int64_t phase_taps;  /* ceil(taps / up) */
    int up, down;        /* warps: any that fit; else up * (down + 1) fits 31 bits */
    int first_phase;     /* offset mod up */
    int row_taps;        /* windows: taps of each residue, a multiple of a vector's elements */
    int ahead;           /* windows: periods behind an output's own that its elements may be of: 0 or 1 */
    int periods;         /* of a tile: each is `up` outputs and `down` elements */
    int elements;        /* phases, groups: elements of a tile */
    int groups;          /* groups: of phases */
    int spread;          /* groups: elements that the last phase of a group may be further on than the first */
    int gap_shift;       /* groups: a gap in shared memory after each 2^gap_shift elements */
    int row_vectors;     /* windows: vectors of a row in shared memory, gaps included */
    int elements_bytes;  /* of a tile's elements in shared memory */
    int buffers;         /* windows: for elements */
    int64_t table_bytes; /* of the taps, wherever they are */
    gndi_line_grid grid;
    uint8_t border;
    uint8_t joins; /* a block has a line, and joins its chunk first */
    struct gndi_chunk_plan chunk;
} gndi_upfirdn_params;

#endif
