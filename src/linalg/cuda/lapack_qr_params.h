/*
 * lapack_qr_params.h: the parameter blocks of lapack_qr_kernels.cu: QR in steps of a few columns, whose
 * reflectors are applied together: H_1 ... H_w = I - V T V^H, with T upper triangular (Schreiber and Van
 * Loan's compact WY form). The kernels write V, with its ones and zeros, and Y = V T out for products.
 */
#ifndef GNDI_LAPACK_QR_PARAMS_H
#define GNDI_LAPACK_QR_PARAMS_H

#include "linalg/cuda/lapack_params.h"

enum { GNDI_QR_FACTOR, GNDI_QR_BLOCK };
enum {
    GNDI_QR_THREADS = 512, /* at most */
    GNDI_QR_GROUPS = 8,    /* parts of the rows, at most, whose inner products are added up by themselves */
};

/* Elements from row to row of V in shared memory: an odd multiple of 16 bytes. */
#define GNDI_QR_LD(width, bytes) ((width) + 16 / (bytes))
/* Bytes of shared memory: V; a square for each group, or, in a step, the sums of each warp, what each warp subtracts,
   and the step's row for each warp; T; one number of each warp. */
#define GNDI_QR_BYTES(width, rows, bytes)                                                                              \
    ((size_t)(rows) * (size_t)GNDI_QR_LD(width, bytes) * (size_t)(bytes) +                                             \
     (size_t)GNDI_QR_GROUPS * (size_t)(width) * (size_t)(width) * (size_t)(bytes) +                                    \
     2 * (size_t)(width) * (size_t)(width) * (size_t)(bytes) + 32 * 8)

/* A block a matrix. FACTOR: factors columns k to k + width of a from row k on; R and the reflectors stay in a. BLOCK:
   a already has the reflectors. */
typedef struct gndi_qr_params {
    gndi_matrices a, v, y; /* v and y: from row k on */
    char *tau;             /* `taus` of a matrix */
    int64_t taus;
    int m, k, width;
    int becomes;    /* BLOCK: this many columns of a from column k on become those of the identity */
    uint8_t writes; /* FACTOR: v and y are wanted */
} gndi_qr_params;

#endif
