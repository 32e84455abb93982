/*
 * lapack_cuda.h: what the CUDA parts of the `lapack` hook share.
 *
 *     lapack_cuda.c                   which part does what; workspaces, infos, batches
 *     lapack_factor_cuda.c            LU, Cholesky, triangles: factors and systems
 *     lapack_decompose_cuda.c         QR and eigenvalues
 *     lapack_svd_cuda.c               singular values
 *     lapack_jacobi_cuda.c            those by gnd's own kernels
 *     lapack_eigh_cuda.c, .h, _kernels.cu eigenvalues of small symmetric matrices
 *     lapack_kernels.cu               conversions between gnd's matrices and the libraries'
 *     lapack_lu_cuda.c, .h, _kernels.cu   LU of matrices of middle size
 *     lapack_qr_cuda.c, .h, _kernels.cu   QR of matrices of middle size
 *     lapack_small_kernels.cu         factors of small matrices, a warp each
 *     lapack_householder_kernels.cu   QR in shared memory, a block a matrix
 *     lapack_jacobi_kernels.cu        one-sided Jacobi, a block a matrix or a pair of slices of one
 */
#ifndef GNDI_LAPACK_CUDA_H
#define GNDI_LAPACK_CUDA_H

#include "linalg/cuda/blas_cuda.h"
#include "linalg/cuda/lapack_params.h"
#include "linalg/lapack_plan.h"

/* Tuning parameters: where one method gives way to another. Those with figures were measured on an H200 in float32;
   the others are guesses. */
enum {
    /* Batches of up to this many matrices are done one by one, unless these have few rows (4 of 64 x 64: Cholesky 53 us
       batched, 71 one by one). */
    GNDI_FEW = 8,
    GNDI_FEW_ROWS = 128,
    /* 64 of 512: 0.74 ms, of 1024: 2.8; one by one 10.3 and 21.0. */
    GNDI_POTRF_BATCHED = 1024,
    GNDI_TRSM_BATCHED = 512,
    /* Columns up to which geqrfBatched is used for matrices too tall for steps (64 of 2000 x 200: 312 ms; cuSOLVER's
       geqrf takes 0.97 for one of them). */
    GNDI_GEQRF_BATCHED = 64,
    GNDI_SMALL_COLUMNS = 512,         /* right sides up to which a warp does a whole system */
    GNDI_BATCH_MOST = 32768,          /* matrices of a batched call: grids have 65535 blocks along y and z */
    GNDI_SIDE_STREAMS = 3,            /* that share a batch of single calls with the caller's */
    GNDI_HOUSEHOLDER_MOST = 160,      /* columns of a matrix that one block does in shared memory */
    GNDI_HOUSEHOLDER_MANY = 32,       /* matrices from which larger ones have a block each, too */
    GNDI_HOUSEHOLDER_IN_PLACE = 1024, /* rows and columns of those */
    GNDI_SYEV_BATCHED = 512,
    /* Rows up to which singular values alone come from gesvdj (512: 18 ms, gesvd 28; 1024: 52 and 67;
       2048: 181 and 173; 4096: 903 and 530). */
    GNDI_VALUES_BY_JACOBI = 1536,
    GNDI_TALL = 2, /* rows for each column from which singular values are those of R */
};
/* Workspace up to which a batched call gets more matrices (syevBatched of 10000 x 32: 5.5 ms with the 3.5 GB
   that it wants, 5.6 with 0.9, 6.1 with 0.45). */
#define GNDI_BATCH_WORKSPACE ((size_t)1 << 30)

/* Values of the libraries' enums. */
enum {
    GNDI_PLAIN = 0, /* cublasOperation_t */
    GNDI_TRANSPOSED = 1,
    GNDI_CONJUGATED = 2,
    GNDI_LOWER = 0, /* cublasFillMode_t */
    GNDI_UPPER = 1,
    GNDI_LEFT = 0, /* cublasSideMode_t */
    GNDI_RIGHT = 1,
};

/* `name` of a library's table, of the job's type. */
#define GNDI_OF_TYPE(job, table, before, real, complex)                                                                \
    ((job)->type == 0   ? (table)->before##S##real                                                                     \
     : (job)->type == 1 ? (table)->before##D##real                                                                     \
     : (job)->type == 2 ? (table)->before##C##complex                                                                  \
                        : (table)->before##Z##complex)

enum { GNDI_JOB_BUFFERS = 12 };

/* One call of the hook. */
typedef struct gndi_solver_job {
    gnd_stream *s;
    const gndi_lapack_plan *plan;
    const char *fn;
    int type;      /* 0 float32, 1 float64, 2 complex64, 3 complex128 */
    int data_type; /* the same as a cudaDataType_t, */
    int real_type; /* and that of its real numbers */
    int64_t bytes, real_bytes;
    gndi_cuda_handles *h; /* of s, once gndi_solver_begin took them */
    int which;
    gndi_buffer *held[GNDI_JOB_BUFFERS];
    int buffers;
    /* Callback-specific fields for gndi_solver_each. */
    int *info;
    int *state; /* of gndi_solver_check_finite, or NULL */
    int64_t *wide;
    gndi_lapack_matrix other;
    char *extra;
    int work_size;
    void *options;
} gndi_solver_job;

/* A stream that takes every n-th matrix of a batch, of n streams. */
typedef struct gndi_side_stream {
    gnd_stream *s;
    gndi_cuda_handles *h;
    void *device, *host; /* workspaces; host: for one matrix at a time */
    size_t device_bytes, host_bytes;
} gndi_side_stream;
typedef gnd_status (*gndi_solver_one)(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i);

gnd_status gndi_cuda_lapack_factor(gndi_solver_job *j);
gnd_status gndi_cuda_lapack_decompose(gndi_solver_job *j);
gnd_status gndi_cuda_lapack_svd(gndi_solver_job *j);

/* ---- lapack_cuda.c ---------------------------------------------------------------------------- */

/* Takes the stream's handles, for as long as the job runs. */
gnd_status gndi_solver_begin(gndi_solver_job *j, int which);
/* Refuses a stream that is captured into a CUDA graph: `routine` waits for the device. */
gnd_status gndi_solver_may_wait(const gndi_solver_job *j, const char *routine);
/* Device memory for as long as the job's work runs; NULL and an error if there is none. */
void *gndi_solver_workspace(gndi_solver_job *j, int64_t count, int64_t bytes);
/* Host memory that a library wants until the stream's work is done; and its release behind that work.
   0 bytes are NULL, and no error. */
gnd_status gndi_solver_host_workspace(gndi_solver_job *j, size_t bytes, void **workspace);
void gndi_solver_host_free(gnd_stream *s, void *workspace);
/* Calls `one` for each matrix of the batch, on a few streams if `overlaps` (a routine that waits on the
   host gains nothing by it), with `bytes` of workspace and host memory. */
gnd_status gndi_solver_each(gndi_solver_job *j, size_t bytes, size_t host_bytes, bool overlaps, gndi_solver_one one);

/* The operation of the conjugate transpose: for real matrices the libraries want the plain transpose. */
static inline int gndi_solver_conjugated(const gndi_solver_job *j) {
    return j->type >= 2 ? GNDI_CONJUGATED : GNDI_TRANSPOSED;
}
/* The triangle that the plan names. */
static inline int gndi_solver_triangle(const gndi_solver_job *j) {
    return j->plan->lower ? GNDI_LOWER : GNDI_UPPER;
}
static inline char *gndi_matrix_at(const gndi_lapack_matrix *a, int64_t i) {
    return a->data + i * a->step;
}
static inline gndi_matrices gndi_kernel_matrices(const gndi_lapack_matrix *a) {
    return (gndi_matrices){a->data, a->ld, a->step};
}
/* Whether matrices are packed without gaps, as some batched routines want them. */
bool gndi_solver_packed(const gndi_solver_job *j, const gndi_lapack_matrix *a, int64_t columns);
/* Whether sizes fit the libraries' int; raises if not. */
gnd_status gndi_solver_check_int(const gndi_solver_job *j, const char *routine, int64_t m, int64_t n, int64_t ld);
bool gndi_solver_fits_int(int64_t a, int64_t b, int64_t c);

/* Parts of the batch's matrices that begin at a row and a column. */
typedef struct gndi_matrix_part {
    const gndi_lapack_matrix *of;
    int64_t row, column;
} gndi_matrix_part;
/* c = alpha op(a) b + beta c, of m x k and k x n, by cublasGemmStridedBatchedEx. Steps are multiples of the item's
   size. */
gnd_status gndi_solver_product(gndi_solver_job *j, int trans, gndi_matrix_part a, gndi_matrix_part b,
                               gndi_matrix_part c, int64_t m, int64_t n, int64_t k, double alpha, double beta);

/* The shape of a panel of a few columns in a block's registers, at most 64 of a thread: rows of a thread, more than one
   if there are more than `many`, and threads. */
static inline int gndi_panel_rows(int64_t row_bytes, int64_t rows, int many) {
    int each = 1;
    while (each < 256 / row_bytes && each < 4 && rows > each * many) each *= 2;
    return each;
}
static inline int gndi_panel_threads(int64_t rows, int each) {
    return (int)((rows + each * 32 - 1) / (each * 32) * 32);
}

/* Addresses of the batch's matrices. */
void *gndi_solver_pointers(gndi_solver_job *j, const char *base, int64_t step);
/* Looks for NaN and infinity in a's matrices, or in a triangle of them. No iteration would converge for such matrices,
   so they become 0, and gndi_solver_report counts them as failed. */
gnd_status gndi_solver_check_finite(gndi_solver_job *j, bool lower, bool upper, bool shrinks);
/* Reports the faults that infos mean, and fills up to four results of failed matrices with NaN. */
gndi_result gndi_solver_result(const gndi_solver_job *j, const gndi_lapack_matrix *a, int64_t rows, int64_t columns);
gndi_result gndi_solver_vector(const char *data, int64_t words, int64_t word);
gnd_status gndi_solver_report(gndi_solver_job *j, int code, int count, const gndi_result *results);
gndi_failure gndi_solver_failure(const gndi_solver_job *j, int code);
/* Copies one part of matrices to another (GNDI_LAPACK_BLOCK). */
gnd_status gndi_solver_block(gndi_solver_job *j, gndi_block_params *p);
/* Reorders rows or columns (GNDI_LAPACK_ORDER). */
gnd_status gndi_solver_order(gndi_solver_job *j, gndi_order_params *p);
/* b = the identity. */
gnd_status gndi_solver_identity(gndi_solver_job *j, const gndi_lapack_matrix *b, int64_t n);
/* to = from^H, both n x n. */
gnd_status gndi_solver_transpose(gndi_solver_job *j, gndi_matrices from, gndi_matrices to, int64_t n, int64_t batch);
gnd_status gndi_solver_launch(gndi_solver_job *j, int which, int64_t threads, void *params);

/* The kernels (.cu). */
const void *gndi_cuda_lapack_kernel(int type, int which);
const void *gndi_cuda_lapack_small_kernel(int type, int which);
const void *gndi_cuda_lapack_householder_kernel(int type, int what);

#endif
