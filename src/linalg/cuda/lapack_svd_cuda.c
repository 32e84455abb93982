/*
 * lapack_svd_cuda.c: singular values on CUDA. Up to GNDI_SVD_MOST columns gnd's own kernels compute them
 * (lapack_jacobi_cuda.c). Wider matrices: if tall, from R, with U = Q U_R; else one after the other by gesvdj,
 * or by gesvd for the values of large ones and for vectors of complex ones, since gesvdj's U of some of those
 * was not orthonormal. gesvdaStridedBatched is not used because it works on A^H A and loses half of the
 * digits, gesvdp because it shifts singular values near zero.
 */
#include "linalg/cuda/lapack_jacobi_cuda.h"

static int64_t u_columns(const gndi_lapack_plan *plan) {
    return plan->full ? plan->m : plan->n;
}

/* ---- single matrices -------------------------------------------------------------------------- */

static char *w_of(const gndi_solver_job *j, int64_t i) {
    return j->plan->w + i * j->plan->n * j->real_bytes;
}

/* V^H from V. */
static gnd_status transpose_v(gndi_solver_job *j, int64_t i, char *v) {
    const gndi_lapack_plan *plan = j->plan;
    if (!plan->vectors) return GND_OK;
    const gndi_matrices from = {v, plan->n, plan->n * plan->n * j->bytes};
    const gndi_matrices to = {gndi_matrix_at(&plan->v, i), plan->v.ld, plan->v.step};
    return gndi_solver_transpose(j, from, to, plan->n, 1);
}

static signed char job_u(const gndi_lapack_plan *plan) {
    return !plan->vectors ? 'N' : plan->full ? 'A' : 'S';
}
static signed char job_v(const gndi_lapack_plan *plan) {
    return plan->vectors ? 'S' : 'N';
}

/* These two routines wait on the host. U goes to j->other; V is transposed to V^H afterwards. */
static gnd_status gesvdj_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const gnd_status status = gndi_cuda_solver_check(
        GNDI_OF_TYPE(j, stream->h->solver, cusolverDn, gesvdj, gesvdj)(
            stream->h->solver_handle, plan->vectors, !plan->full, (int)plan->m, (int)plan->n,
            gndi_matrix_at(&plan->a, i), (int)plan->a.ld, w_of(j, i), gndi_matrix_at(&j->other, i), (int)j->other.ld,
            j->extra, (int)plan->n, stream->device, j->work_size, j->info + i, j->options),
        j->fn, "cusolverDnGesvdj");
    return status ? status : transpose_v(j, i, j->extra);
}

/* Computes V^H directly. Without vectors U and V are not touched. */
static gnd_status gesvd_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const bool vectors = plan->vectors;
    return gndi_cuda_solver_check(
        stream->h->solver->cusolverDnXgesvd(
            stream->h->solver_handle, stream->h->solver_params, job_u(plan), job_v(plan), plan->m, plan->n,
            j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->real_type, w_of(j, i), j->data_type,
            vectors ? gndi_matrix_at(&plan->u, i) : stream->device, vectors ? plan->u.ld : plan->m, j->data_type,
            vectors ? gndi_matrix_at(&plan->v, i) : stream->device, vectors ? plan->v.ld : plan->n, j->data_type,
            stream->device, stream->device_bytes, stream->host, stream->host_bytes, j->info + i),
        j->fn, "cusolverDnXgesvd");
}

/* Space for U even without vectors: the documentation does not say that it is not touched. */
static gnd_status make_workspace(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    j->extra = gndi_solver_workspace(j, plan->n * plan->n, j->bytes);
    j->other = plan->u;
    if (!plan->vectors && j->extra)
        j->other = (gndi_lapack_matrix){gndi_solver_workspace(j, plan->m * u_columns(plan), j->bytes), plan->m, 0};
    return j->extra && j->other.data ? GND_OK : GND_ERROR_MEMORY;
}

static gnd_status by_jacobi(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const gndi_cusolver *solver = j->h->solver;
    gnd_status status = gndi_solver_may_wait(j, "cusolverDnGesvdj");
    if (!status) status = make_workspace(j);
    if (!status) status = gndi_solver_check_int(j, "cusolverDnGesvdj", plan->m, j->other.ld, plan->a.ld);
    if (status) return status;
    status =
        gndi_cuda_solver_check(solver->cusolverDnCreateGesvdjInfo(&j->options), j->fn, "cusolverDnCreateGesvdjInfo");
    if (status) return status;
    status = gndi_cuda_solver_check(GNDI_OF_TYPE(j, solver, cusolverDn, gesvdj_bufferSize, gesvdj_bufferSize)(
                                        j->h->solver_handle, plan->vectors, !plan->full, (int)plan->m, (int)plan->n,
                                        plan->a.data, (int)plan->a.ld, plan->w, j->other.data, (int)j->other.ld,
                                        j->extra, (int)plan->n, &j->work_size, j->options),
                                    j->fn, "cusolverDnGesvdj_bufferSize");
    if (!status) status = gndi_solver_each(j, (size_t)j->work_size * (size_t)j->bytes, 0, false, gesvdj_one);
    solver->cusolverDnDestroyGesvdjInfo(j->options); /* host memory alone */
    return status;
}

static gnd_status by_qr_iteration(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool vectors = plan->vectors;
    size_t device = 0, host = 0;
    gnd_status status = gndi_solver_may_wait(j, "cusolverDnXgesvd");
    if (status) return status;
    status = gndi_cuda_solver_check(j->h->solver->cusolverDnXgesvd_bufferSize(
                                        j->h->solver_handle, j->h->solver_params, job_u(plan), job_v(plan), plan->m,
                                        plan->n, j->data_type, plan->a.data, plan->a.ld, j->real_type, plan->w,
                                        j->data_type, vectors ? plan->u.data : NULL, vectors ? plan->u.ld : plan->m,
                                        j->data_type, vectors ? plan->v.data : NULL, vectors ? plan->v.ld : plan->n,
                                        j->data_type, &device, &host),
                                    j->fn, "cusolverDnXgesvd_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, false, gesvd_one);
}

/* ---- tall matrices ----------------------------------------------------------------------------- */

/* A = Q R, R = U_R S V^H, U = Q U_R: three plans of this hook. The second reports what does not converge, and the
   third carries its NaN on to U; what is not finite is found before the first. */
static gnd_status tall_matrices(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t n = plan->n, step = n * n * j->bytes;
    char *tau = gndi_solver_workspace(j, plan->batch * n, j->bytes);
    char *r = tau ? gndi_solver_workspace(j, plan->batch, step) : NULL;
    char *u = r && plan->vectors ? gndi_solver_workspace(j, plan->batch, step) : r;
    if (!u) return GND_ERROR_MEMORY;
    gndi_lapack_plan part = *plan;
    part.op = GNDI_LAPACK_QR;
    part.tau = tau;
    gnd_status status = gndi_cuda_lapack(j->s, &part, j->fn);
    if (status) return status;
    gndi_block_params triangle = {.from = gndi_kernel_matrices(&plan->a),
                                  .to = {r, n, step},
                                  .batch = plan->batch,
                                  .m = n,
                                  .n = n,
                                  .rows = n,
                                  .columns = n,
                                  .upper = true};
    status = gndi_solver_block(j, &triangle);
    if (status) return status;
    part = *plan;
    part.m = n;
    part.full = false;
    part.a = (gndi_lapack_matrix){r, n, step};
    part.u = (gndi_lapack_matrix){u, n, step};
    status = gndi_cuda_lapack(j->s, &part, j->fn);
    if (status || !plan->vectors) return status;
    gndi_block_params spread = {.from = {u, n, step},
                                .to = gndi_kernel_matrices(&plan->u),
                                .batch = plan->batch,
                                .m = plan->m,
                                .n = u_columns(plan),
                                .rows = n,
                                .columns = n,
                                .unit = plan->full};
    status = gndi_solver_block(j, &spread);
    if (status) return status;
    part = *plan;
    part.op = GNDI_LAPACK_QR_APPLY;
    part.transpose = GNDI_LAPACK_PLAIN;
    part.k = n;
    part.tau = tau;
    part.b = plan->u;
    part.columns = u_columns(plan);
    return gndi_cuda_lapack(j->s, &part, j->fn);
}

static gnd_status iterate(gndi_solver_job *j) {
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (status) return status;
    j->info = gndi_solver_workspace(j, j->plan->batch, sizeof *j->info);
    if (!j->info) return GND_ERROR_MEMORY;
    const bool is_real = j->type < 2;
    const bool jacobi = j->plan->vectors ? is_real : j->plan->m <= GNDI_VALUES_BY_JACOBI;
    return jacobi ? by_jacobi(j) : by_qr_iteration(j);
}

gnd_status gndi_cuda_lapack_svd(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = gndi_solver_check_finite(j, false, false, true);
    if (status) return status;
    j->info = j->state; /* tall matrices have no other */
    status = gndi_cuda_use_jacobi(j)          ? gndi_cuda_lapack_jacobi(j)
             : plan->m >= GNDI_TALL * plan->n ? tall_matrices(j)
                                              : iterate(j);
    const gndi_result results[] = {gndi_solver_vector(plan->w, plan->n, j->real_bytes),
                                   gndi_solver_result(j, &plan->u, plan->m, u_columns(plan)),
                                   gndi_solver_result(j, &plan->v, plan->n, plan->n)};
    return status ? status : gndi_solver_report(j, GNDI_FAULT_NO_CONVERGENCE, plan->vectors ? 3 : 1, results);
}
