/*
 * lapack_eigh_cuda.c: eigenvalues of small symmetric matrices on CUDA, in one launch for all of them. A block's
 * shared memory holds two copies of its matrix (lapack_eigh_kernels.cu).
 */
#include "linalg/cuda/lapack_eigh_cuda.h"
#include "linalg/cuda/lapack_eigh_params.h"
#include "linalg/cuda/lapack_jacobi_plan.h"

typedef struct shape {
    int each, threads;
    size_t shared;
} shape;

/* The layout is that of whole matrices of singular values (gndi_jacobi_whole). */
static gndi_eigh_params describe(const gndi_solver_job *j, shape *s) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_jacobi_params like = {.n = (int)plan->n};
    gndi_jacobi_shape of;
    gndi_jacobi_whole(&like, &of, j->bytes, j->real_bytes, 0);
    *s = (shape){.each = of.which == GNDI_JACOBI_WHOLE_1 ? 1 : 2, .threads = of.threads};
    s->shared = 2 * (size_t)like.width * (size_t)like.ldx * GNDI_JACOBI_LINE +
                (size_t)(GNDI_EIGH_NOTES(plan->n, j->real_bytes));
    return (gndi_eigh_params){.a = gndi_kernel_matrices(&plan->a),
                              .w = plan->w,
                              .info = j->info,
                              .batch = plan->batch,
                              .tolerance = gndi_jacobi_tolerance(like.n, j->real_bytes),
                              .n = like.n,
                              .width = like.width,
                              .lines = like.lines_x,
                              .ld = like.ldx,
                              .lanes = like.lanes,
                              .lower = plan->lower,
                              .vectors = plan->vectors};
}

bool gndi_cuda_eigh_takes(gndi_solver_job *j) {
    if (j->plan->n > GNDI_EIGH_MOST) return false;
    shape s;
    describe(j, &s);
    return s.shared <= (size_t)j->s->device->shared_bytes;
}

gnd_status gndi_cuda_eigh(gndi_solver_job *j) {
    const int64_t most = (int64_t)1 << 20; /* a block takes several of more */
    shape s;
    gndi_eigh_params p = describe(j, &s);
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_eigh_kernel(j->type, s.each), p.batch < most ? p.batch : most,
                            s.threads, s.shared, &p, j->fn);
}
