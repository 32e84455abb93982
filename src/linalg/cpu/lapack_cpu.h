/*
 * lapack_cpu.h: what the CPU's parts of the `lapack` hook share.
 *
 *     lapack_cpu.c             which part does what; the batch, its threads, what failed
 *     lapack_cpu_factor.c      LU, Cholesky, triangles: factors and systems
 *     lapack_cpu_decompose.c   QR, singular values, eigenvalues
 */
#ifndef GNDI_LAPACK_CPU_H
#define GNDI_LAPACK_CPU_H

#include "linalg/lapack_plan.h"
#include "libraries/library_tables.h"

gnd_status gndi_cpu_lapack_factor(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);
gnd_status gndi_cpu_lapack_decompose(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);

/* LAPACK's letters for the four dtypes, as numbers: GNDI_LAPACK_OF(blas, type, getrf) is sgetrf_,
   dgetrf_, cgetrf_ or zgetrf_ of the table. */
enum { GNDI_LAPACK_S, GNDI_LAPACK_D, GNDI_LAPACK_C, GNDI_LAPACK_Z };
static inline int gndi_lapack_type(int dtype) {
    return dtype == GND_FLOAT32     ? GNDI_LAPACK_S
           : dtype == GND_FLOAT64   ? GNDI_LAPACK_D
           : dtype == GND_COMPLEX64 ? GNDI_LAPACK_C
                                    : GNDI_LAPACK_Z;
}
#define GNDI_LAPACK_OF(blas, type, name)                                                                               \
    ((type) == GNDI_LAPACK_S   ? (blas)->s##name##_                                                                    \
     : (type) == GNDI_LAPACK_D ? (blas)->d##name##_                                                                    \
     : (type) == GNDI_LAPACK_C ? (blas)->c##name##_                                                                    \
                               : (blas)->z##name##_)

/* What is done to each matrix of a batch. */
typedef struct gndi_lapack_job gndi_lapack_job;
struct gndi_lapack_job {
    const gndi_lapack_plan *plan;
    const gndi_openblas *blas;
    int type;
    /* Does matrix i, and returns LAPACK's info: above 0 if the matrix failed. `work` is this thread's
       workspace, of work_bytes, aligned to 64. Called by several threads at once. */
    int (*body)(const gndi_lapack_job *job, int64_t i, char *work);
    /* Fills the results of a failed matrix with NaN, and its fault. NULL: none fails. */
    void (*spoil)(const gndi_lapack_job *job, int64_t i);
    int fault;
    size_t work_bytes;
    double flops;      /* of one matrix, about: which way is the faster one */
    const void *extra; /* the body's own */
};

/* Runs a job: on gnd's threads, each with its own calls of LAPACK, or one call after the other on
   OpenBLAS's threads. Memory is allocated before anything is written. */
gnd_status gndi_lapack_run(gnd_stream *s, const gndi_lapack_job *job, const char *fn);

/* Matrix i of a batch, and its leading dimension for LAPACK. */
static inline char *gndi_lapack_at(const gndi_lapack_matrix *m, int64_t i) {
    return m->data + i * m->step;
}
static inline int gndi_lapack_ld(const gndi_lapack_matrix *m) {
    return (int)m->ld;
}

/* Fills matrix i, or the i-th group of `count` packed numbers, with NaN. */
void gndi_lapack_spoil(const gndi_lapack_matrix *m, int64_t i, int64_t rows, int64_t columns, int dtype);
void gndi_lapack_spoil_numbers(char *packed, int64_t i, int64_t count, int dtype);

#endif
