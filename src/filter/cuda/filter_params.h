/*
 * filter_params.h: the parameter blocks of the kernels of recursive filters (filter_tile.cuh, filter_serial.cuh), and
 * the tables that go with a filter.
 *
 * A filter is a linear system of N states, z' = A z + B x. A line is cut into tiles, a tile into runs of RUN samples,
 * one for each thread. The tables are powers of the matrix, computed on the host once for each filter. They are those
 * of A in other coordinates, s = T z, in which |s|^2 is the energy of what a state adds to the output: there no power
 * of a stable filter is large, so that no rounding of a state is amplified.
 */
#ifndef GNDI_FILTER_PARAMS_H
#define GNDI_FILTER_PARAMS_H

#include <stdint.h>

enum {
    GNDI_FILTER_THREADS = 128,
    GNDI_FILTER_RUN = 32, /* samples of a thread */
    GNDI_FILTER_WARPS = GNDI_FILTER_THREADS / 32,
    GNDI_FILTER_MOST = 16,    /* states of a kernel */
    GNDI_FILTER_NUMBERS = 40, /* coefficients of one: 8 sections, or 2 x 17 */
    GNDI_SERIAL_THREADS = 128,
    GNDI_FILTER_AXES = 8,
    GNDI_FILTER_KEPT_VECTORS = 67, /* of states, that a stream keeps of each line */
};

/* Scans over a warp's runs, over tiles and over groups of tiles: of each the powers 1, 2, 4, 8 and 16 of the matrix of
   one; behind them the powers of that of a warp's runs. */
enum { GNDI_FILTER_OF_RUNS, GNDI_FILTER_OF_TILES, GNDI_FILTER_OF_GROUPS, GNDI_FILTER_SCANS };
enum { GNDI_FILTER_MATRICES = 5 * GNDI_FILTER_SCANS + GNDI_FILTER_WARPS };

/* Where each table begins, in doubles, for N states. */
#define GNDI_FILTER_INPUTS(n) 0                      /* [RUN][N]: what each sample of a run adds to its end */
#define GNDI_FILTER_STEPS(n) (GNDI_FILTER_RUN * (n)) /* [MATRICES][N][N] */
#define GNDI_FILTER_LANE(n) (GNDI_FILTER_STEPS(n) + GNDI_FILTER_MATRICES * (n) * (n)) /* [N][N][32]: A^(RUN lane) */
#define GNDI_FILTER_FORTH(n) (GNDI_FILTER_LANE(n) + 32 * (n) * (n))                   /* [N][N]: T, lower triangle */
#define GNDI_FILTER_BACK(n) (GNDI_FILTER_FORTH(n) + (n) * (n))                        /* [N][N]: its inverse */
#define GNDI_FILTER_TABLES(n) (GNDI_FILTER_BACK(n) + (n) * (n))                       /* all of them */

/* The lines, as in gndi_filter_lines; a complex line counts as `parts` real ones. */
typedef struct gndi_filter_layout {
    const char *x;
    char *y;
    int64_t x_step, y_step, length, lines; /* bytes; samples; real lines */
    int32_t ndim, parts;
    int64_t shape[GNDI_FILTER_AXES], x_stride[GNDI_FILTER_AXES], y_stride[GNDI_FILTER_AXES];
    int64_t y_first, y_every; /* y_every: at least 1 */
} gndi_filter_layout;

typedef struct gndi_filter_params {
    gndi_filter_layout at;
    const double *tables;
    const double *before;  /* states before the first sample; NULL: zeros */
    double *after;         /* states behind the last one; NULL: not wanted */
    int64_t state_line;    /* doubles from line to line (complex: from pair of parts to the next) */
    int32_t states;        /* how many of the kernel's states there are in memory */
    int32_t kernel_states; /* N */
    /* A short call of a stream: a block has a line, and keeps what filter_keep_kernel does. */
    int32_t keeps;
    int64_t tiles, groups;              /* of each line, at most: room for so many */
    uint32_t *ticket;                   /* zeros: the next tile of all; blocks that are done with keeping */
    double *ends, *group_ends, *starts; /* zeros: N for each tile; for each group; for each group and one more */
    /* Of a stream, see gndi_filter_history; NULL: none. */
    int64_t *clock; /* the number of the first sample in its signal */
    double *kept;
    char *samples;
    double numbers[GNDI_FILTER_NUMBERS]; /* of sections: b0 b1 b2 a1 a2 each; else b[0 .. N], a[1 .. N] */
} gndi_filter_params;

/* Zeros, where tiles publish: so many pairs of doubles. */
typedef struct gndi_filter_clear_params {
    double *to;
    int64_t pairs;
} gndi_filter_clear_params;

/* One thread for each line. */
typedef struct gndi_serial_params {
    gndi_filter_layout at;
    double *state;       /* in and out, as in the plan, `order` of each line */
    const double *b, *a; /* device memory: for kernels of any order */
    int64_t state_line;
    int32_t order, states, sections;
    int32_t begins; /* there is a state before */
    double numbers[GNDI_FILTER_NUMBERS];
} gndi_serial_params;

#endif
