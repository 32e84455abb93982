/*
 * lapack_lu_params.h: the parameter blocks of lapack_lu_kernels.cu and lapack_lu_update_kernels.cu: LU of many
 * matrices in steps of a few columns, and triangular systems with the factors.
 *
 * Two lists describe a step's exchanges, so that all rows can move at once: row i of the step's block comes from
 * row `source[i]`, and the former row i goes to row `target[i]`, if that is below the block. Both count from the
 * step's first row.
 */
#ifndef GNDI_LAPACK_LU_PARAMS_H
#define GNDI_LAPACK_LU_PARAMS_H

#include "linalg/cuda/lapack_params.h"

enum { GNDI_LU_PANEL, GNDI_LU_BLOCK_ROW, GNDI_LU_ORDER, GNDI_LU_VECTOR };
enum {
    GNDI_LU_TILE = 64,      /* columns of a block of BLOCK_ROW, and its threads */
    GNDI_LU_LEAF = 32,      /* rows of a triangle that BLOCK_ROW solves */
    GNDI_LU_THREADS = 512,  /* of PANEL, at most */
    GNDI_LU_ORDERED = 256,  /* threads of ORDER */
    GNDI_LU_COLUMNS = 32,   /* columns of a block of ORDER */
    GNDI_LU_VECTORED = 256, /* threads of VECTOR */
    GNDI_LU_UPDATED = 256,  /* threads of the update: 8 warps */
};

/* Bytes of shared memory of PANEL: U's rows, L's columns, what each warp found. */
#define GNDI_LU_PANEL_BYTES(width, rows, bytes)                                                                        \
    ((size_t)(width) * (size_t)((width) + (rows)) * (size_t)(bytes) + 32 * 16)

/* PANEL, a block a matrix: factors columns k to k + width, from row k on. */
typedef struct gndi_lu_panel_params {
    gndi_matrices a;
    int32_t *pivots; /* `all` of a matrix, counted from 1 */
    int32_t *moves;  /* source and target of this step, of all matrices */
    int *info;       /* the first zero pivot, counted from 1, or 0 */
    int m, k, width, all;
} gndi_lu_panel_params;

/* BLOCK_ROW: rows k to k + width of x become T^-1 x, T a triangle of a; first, if there are `moves`, the
   rows of x are exchanged. */
typedef struct gndi_lu_block_params {
    gndi_matrices a, x;
    const int32_t *moves;
    int64_t first, columns; /* of x */
    int64_t tiles;          /* blocks of a matrix */
    int k, width;
    uint8_t backward; /* T is upper, seen as op(a): from its last row to the first */
    uint8_t unit;
    uint8_t transposed, conjugated;
} gndi_lu_block_params;

/* Rows of a tile of the update for each lane, and columns for each warp. */
#define GNDI_LU_UPDATE_ROWS(bytes) ((bytes) < 16 ? 2 : 1)
#define GNDI_LU_UPDATE_COLUMNS(bytes) ((bytes) < 8 ? 8 : 4)

/* UPDATE: from the matrix behind row and column k + width, subtracts the step's columns below its block times the rows
   to the right of it. */
typedef struct gndi_lu_update_params {
    gndi_matrices a;
    int k, rows, columns;
    unsigned tiles, tiles_down; /* of a matrix, and of a column of tiles */
} gndi_lu_update_params;

/* ORDER: all exchanges at once. LEFT: for the columns of L of each step, those of the later steps; a block for each
   step and matrix. Else those of all steps, or of `pivots`, for columns of x. */
enum { GNDI_LU_LEFT, GNDI_LU_TAKE, GNDI_LU_PUT, GNDI_LU_UNIT };
typedef struct gndi_lu_order_params {
    gndi_matrices x;
    const int32_t *moves;  /* of all steps; or NULL, and */
    const int32_t *pivots; /* `all` of a matrix */
    int64_t batch, columns;
    int64_t parts; /* blocks of a matrix */
    int rows, all, width, steps;
    int columns_at_once; /* in shared memory */
    uint8_t what;        /* TAKE: x = P^T x. PUT: x = P x. UNIT: x = P^T */
} gndi_lu_order_params;

/* VECTOR, a block a column: x = op(A)^-1 x, exchanges and all. */
typedef struct gndi_lu_vector_params {
    gndi_matrices a, x;
    const int32_t *moves, *pivots;
    int64_t batch, columns;
    int n, width, steps;
    uint8_t transposed, conjugated;
} gndi_lu_vector_params;

#endif
