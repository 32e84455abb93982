/*
 * lapack_decompose_cuda.c: QR and eigenvalues on CUDA. gnd's own kernels do QR of matrices that fit a block's
 * shared memory, in batches of any size (cuSOLVER needs a launch or more for each column, and has no batched
 * routine that forms Q), and eigenvalues of small symmetric matrices (lapack_eigh_cuda.c).
 */
#include "linalg/cuda/lapack_eigh_cuda.h"
#include "linalg/cuda/lapack_qr_cuda.h"

/* ---- QR, a block a matrix -------------------------------------------------------------------- */

enum { ELEMENTS_EACH = 32 /* elements of a thread */ };

static int64_t power_below(int64_t x, int64_t most) {
    int64_t power = 1;
    while (2 * power <= x && power < most) power *= 2;
    return power;
}

/* The layout of x, which is m x n, in a block: the threads, the lanes of a column, and the distance between
   columns, which avoids bank conflicts between lanes of neighbouring columns. */
static size_t shape_block(gndi_householder_params *p, int64_t bytes, int *threads) {
    *threads = 32 * (int)power_below((int64_t)p->m * p->n / (32 * ELEMENTS_EACH), GNDI_HOUSEHOLDER_THREADS / 32);
    p->lanes = (int)power_below(*threads / (p->n < *threads ? p->n : *threads), 32);
    p->ld = p->lanes == 32 ? p->m : p->m + (p->lanes - p->m % 32 + 32) % 32;
    return (size_t)((p->m + 1 + (int64_t)p->ld * p->n) * bytes);
}

/* Fills in p and *shared if blocks are to do it: matrices that fit shared memory, and many larger ones. */
static bool use_blocks(const gndi_solver_job *j, gndi_householder_params *p, int64_t m, int64_t n, int *threads,
                       size_t *shared) {
    const int64_t batch = j->plan->batch;
    const size_t capacity = (size_t)j->s->device->shared_bytes;
    if (m > INT16_MAX || n > INT16_MAX) return false;
    p->m = (int)m;
    p->n = (int)n;
    *shared = shape_block(p, j->bytes, threads);
    p->shared = *shared <= capacity && n <= GNDI_HOUSEHOLDER_MOST;
    if (p->shared) return true;
    p->lanes = 32; /* neighbours in memory */
    *threads = GNDI_HOUSEHOLDER_THREADS;
    *shared = (size_t)((m + 1) * j->bytes);
    return batch >= GNDI_HOUSEHOLDER_MANY && m <= GNDI_HOUSEHOLDER_IN_PLACE && n <= GNDI_HOUSEHOLDER_IN_PLACE &&
           *shared <= capacity;
}

/* Whether that many reflectors are best applied in a block's shared memory: a few, or those of complex128, for which a
   step has 16 columns at most. */
static bool is_for_block(gndi_solver_job *j, const gndi_householder_params *p, int64_t reflectors) {
    return p->shared && (reflectors <= GNDI_QR_BY_BLOCK || j->bytes == 16 || !gndi_cuda_qr_takes(j));
}

static gnd_status run_blocks(gndi_solver_job *j, gndi_householder_params *p, int what, int threads, size_t shared) {
    const int64_t most = (int64_t)1 << 20; /* a block takes several of more */
    p->batch = j->plan->batch;
    p->tau = j->plan->tau;
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_householder_kernel(j->type, what), p->batch < most ? p->batch : most,
                            threads, shared, p, j->fn);
}

/* ---- QR --------------------------------------------------------------------------------------- */

static gnd_status geqrf_batched(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t steps = plan->m < plan->n ? plan->m : plan->n;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_BLAS);
    if (status) return status;
    void **a = gndi_solver_pointers(j, plan->a.data, plan->a.step);
    void **tau = a ? gndi_solver_pointers(j, plan->tau, steps * j->bytes) : NULL;
    if (!tau) return GND_ERROR_MEMORY;
    for (int64_t i = 0; i < plan->batch && !status; i += GNDI_BATCH_MOST) {
        const int64_t left = plan->batch - i;
        int refused = 0; /* the number of a refused argument: then there is a status, too */
        status = gndi_cuda_blas_check(GNDI_OF_TYPE(j, j->h->blas, cublas, geqrfBatched, geqrfBatched)(
                                          j->h->blas_handle, (int)plan->m, (int)plan->n, a + i, (int)plan->a.ld,
                                          tau + i, &refused, (int)(left < GNDI_BATCH_MOST ? left : GNDI_BATCH_MOST)),
                                      j->fn, "cublasGeqrfBatched");
    }
    return status;
}

static gnd_status geqrf_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t steps = plan->m < plan->n ? plan->m : plan->n;
    return gndi_cuda_solver_check(
        stream->h->solver->cusolverDnXgeqrf(stream->h->solver_handle, stream->h->solver_params, plan->m, plan->n,
                                            j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->data_type,
                                            plan->tau + i * steps * j->bytes, j->data_type, stream->device,
                                            stream->device_bytes, stream->host, stream->host_bytes, j->info + i),
        j->fn, "cusolverDnXgeqrf");
}

static gnd_status make_infos(gndi_solver_job *j) {
    j->info = gndi_solver_workspace(j, j->plan->batch, sizeof *j->info);
    return j->info ? GND_OK : GND_ERROR_MEMORY;
}

static gnd_status qr(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_householder_params p = {.x = gndi_kernel_matrices(&plan->a)};
    int threads;
    size_t shared;
    p.taus = plan->m < plan->n ? plan->m : plan->n;
    const bool blocks = use_blocks(j, &p, plan->m, plan->n, &threads, &shared);
    if (blocks && is_for_block(j, &p, p.taus)) return run_blocks(j, &p, GNDI_HOUSEHOLDER_QR, threads, shared);
    if (gndi_cuda_qr_takes(j)) return gndi_cuda_qr_factor(j);
    if (plan->batch > GNDI_FEW && plan->n <= GNDI_GEQRF_BATCHED && gndi_solver_fits_int(plan->m, plan->n, plan->a.ld))
        return geqrf_batched(j);
    if (blocks) return run_blocks(j, &p, GNDI_HOUSEHOLDER_QR, threads, shared);
    size_t device = 0, host = 0;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = make_infos(j);
    if (!status)
        status =
            gndi_cuda_solver_check(j->h->solver->cusolverDnXgeqrf_bufferSize(
                                       j->h->solver_handle, j->h->solver_params, plan->m, plan->n, j->data_type,
                                       plan->a.data, plan->a.ld, j->data_type, plan->tau, j->data_type, &device, &host),
                                   j->fn, "cusolverDnXgeqrf_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, true, geqrf_one);
}

static gnd_status orgqr_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_solver_check(GNDI_OF_TYPE(j, stream->h->solver, cusolverDn, orgqr, ungqr)(
                                      stream->h->solver_handle, (int)plan->m, (int)plan->n, (int)plan->k,
                                      gndi_matrix_at(&plan->a, i), (int)plan->a.ld, plan->tau + i * plan->k * j->bytes,
                                      stream->device, j->work_size, j->info + i),
                                  j->fn, "cusolverDnOrgqr");
}

static gnd_status qr_q(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_householder_params p = {.x = gndi_kernel_matrices(&plan->a), .taus = plan->k, .k = (int)plan->k};
    int threads;
    size_t shared;
    const bool blocks = use_blocks(j, &p, plan->m, plan->n, &threads, &shared);
    const bool own = blocks && is_for_block(j, &p, plan->k);
    if (!own && gndi_cuda_qr_takes(j)) return gndi_cuda_qr_q(j);
    if (blocks) return run_blocks(j, &p, GNDI_HOUSEHOLDER_Q, threads, shared);
    gnd_status status = gndi_solver_check_int(j, "cusolverDnOrgqr", plan->m, plan->n, plan->a.ld);
    if (!status) status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = make_infos(j);
    if (!status)
        status = gndi_cuda_solver_check(GNDI_OF_TYPE(j, j->h->solver, cusolverDn, orgqr_bufferSize, ungqr_bufferSize)(
                                            j->h->solver_handle, (int)plan->m, (int)plan->n, (int)plan->k, plan->a.data,
                                            (int)plan->a.ld, plan->tau, &j->work_size),
                                        j->fn, "cusolverDnOrgqr_bufferSize");
    return status ? status : gndi_solver_each(j, (size_t)j->work_size * (size_t)j->bytes, 0, true, orgqr_one);
}

static int trans_of(const gndi_solver_job *j) {
    return j->plan->transpose == GNDI_LAPACK_PLAIN ? GNDI_PLAIN : gndi_solver_conjugated(j);
}

static gnd_status ormqr_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_solver_check(GNDI_OF_TYPE(j, stream->h->solver, cusolverDn, ormqr, unmqr)(
                                      stream->h->solver_handle, GNDI_LEFT, trans_of(j), (int)plan->m,
                                      (int)plan->columns, (int)plan->k, gndi_matrix_at(&plan->a, i), (int)plan->a.ld,
                                      plan->tau + i * plan->k * j->bytes, gndi_matrix_at(&plan->b, i), (int)plan->b.ld,
                                      stream->device, j->work_size, j->info + i),
                                  j->fn, "cusolverDnOrmqr");
}

static gnd_status qr_apply(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_householder_params p = {.x = gndi_kernel_matrices(&plan->b),
                                 .v = gndi_kernel_matrices(&plan->a),
                                 .taus = plan->k,
                                 .k = (int)plan->k,
                                 .conjugated = plan->transpose != GNDI_LAPACK_PLAIN};
    int threads;
    size_t shared;
    /* The kernel reads reflectors from memory one after the other, which suits few reflectors, or many matrices. */
    const bool few = plan->k <= GNDI_HOUSEHOLDER_MOST || plan->batch >= GNDI_HOUSEHOLDER_MANY;
    const bool blocks = few && use_blocks(j, &p, plan->m, plan->columns, &threads, &shared);
    if (!(blocks && p.shared) && gndi_cuda_qr_takes(j)) return gndi_cuda_qr_apply(j);
    if (blocks) return run_blocks(j, &p, GNDI_HOUSEHOLDER_APPLY, threads, shared);
    gnd_status status = gndi_solver_check_int(j, "cusolverDnOrmqr", plan->m, plan->columns,
                                              plan->a.ld > plan->b.ld ? plan->a.ld : plan->b.ld);
    if (!status) status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = make_infos(j);
    if (!status)
        status = gndi_cuda_solver_check(GNDI_OF_TYPE(j, j->h->solver, cusolverDn, ormqr_bufferSize, unmqr_bufferSize)(
                                            j->h->solver_handle, GNDI_LEFT, trans_of(j), (int)plan->m,
                                            (int)plan->columns, (int)plan->k, plan->a.data, (int)plan->a.ld, plan->tau,
                                            plan->b.data, (int)plan->b.ld, &j->work_size),
                                        j->fn, "cusolverDnOrmqr_bufferSize");
    return status ? status : gndi_solver_each(j, (size_t)j->work_size * (size_t)j->bytes, 0, true, ormqr_one);
}

/* ---- eigenvalues ------------------------------------------------------------------------------ */

/* The routine waits on the host for matrices that are not small. */
static gnd_status syevd_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_solver_check(
        stream->h->solver->cusolverDnXsyevd(
            stream->h->solver_handle, stream->h->solver_params, plan->vectors, gndi_solver_triangle(j), plan->n,
            j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->real_type, plan->w + i * plan->n * j->real_bytes,
            j->data_type, stream->device, stream->device_bytes, stream->host, stream->host_bytes, j->info + i),
        j->fn, "cusolverDnXsyevd");
}

static gnd_status syevd_each(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    size_t device = 0, host = 0;
    gnd_status status = gndi_solver_may_wait(j, "cusolverDnXsyevd");
    if (status) return status;
    status = gndi_cuda_solver_check(
        j->h->solver->cusolverDnXsyevd_bufferSize(j->h->solver_handle, j->h->solver_params, plan->vectors,
                                                  gndi_solver_triangle(j), plan->n, j->data_type, plan->a.data,
                                                  plan->a.ld, j->real_type, plan->w, j->data_type, &device, &host),
        j->fn, "cusolverDnXsyevd_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, false, syevd_one);
}

/* As many matrices at a time as there is workspace for, which can be a hundred times their size. */
static gnd_status syev_batched(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    int64_t each = plan->batch < GNDI_BATCH_MOST ? plan->batch : GNDI_BATCH_MOST;
    size_t device = 0, host_bytes = 0;
    gnd_status status;
    for (;; each = (each + 1) / 2) {
        status = gndi_cuda_solver_check(j->h->solver->cusolverDnXsyevBatched_bufferSize(
                                            j->h->solver_handle, j->h->solver_params, plan->vectors,
                                            gndi_solver_triangle(j), plan->n, j->data_type, plan->a.data, plan->a.ld,
                                            j->real_type, plan->w, j->data_type, &device, &host_bytes, each),
                                        j->fn, "cusolverDnXsyevBatched_bufferSize");
        if (status || device <= GNDI_BATCH_WORKSPACE || each == 1) break;
    }
    if (status) return status;
    void *workspace = gndi_solver_workspace(j, 1, (int64_t)device);
    if (!workspace) return GND_ERROR_MEMORY;
    for (int64_t i = 0; i < plan->batch && !status; i += each) {
        const int64_t left = plan->batch - i;
        void *host;
        status = gndi_solver_host_workspace(j, host_bytes, &host);
        if (status) break;
        status = gndi_cuda_solver_check(
            j->h->solver->cusolverDnXsyevBatched(
                j->h->solver_handle, j->h->solver_params, plan->vectors, gndi_solver_triangle(j), plan->n, j->data_type,
                gndi_matrix_at(&plan->a, i), plan->a.ld, j->real_type, plan->w + i * plan->n * j->real_bytes,
                j->data_type, workspace, device, host, host_bytes, j->info + i, left < each ? left : each),
            j->fn, "cusolverDnXsyevBatched");
        gndi_solver_host_free(j->s, host);
    }
    return status;
}

static gnd_status eigh_by_library(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = gndi_solver_check_finite(j, plan->lower, !plan->lower, false);
    if (status) return status;
    const bool batched = plan->batch > 1 && plan->n <= GNDI_SYEV_BATCHED && gndi_solver_packed(j, &plan->a, plan->n);
    return batched ? syev_batched(j) : syevd_each(j);
}

static gnd_status eigh(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = make_infos(j);
    if (!status) status = gndi_cuda_eigh_takes(j) ? gndi_cuda_eigh(j) : eigh_by_library(j);
    const gndi_result results[] = {gndi_solver_vector(plan->w, plan->n, j->real_bytes),
                                   gndi_solver_result(j, &plan->a, plan->n, plan->n)};
    return status ? status : gndi_solver_report(j, GNDI_FAULT_NO_CONVERGENCE, 1 + plan->vectors, results);
}

/* The right eigenvectors of a real matrix are real numbers, those of a conjugate pair in two columns. The routine
   computes partly on the host, and waits for that. */
static gnd_status geev_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const bool real = j->type < 2;
    const int w_type = j->real_type + 4; /* CUDA_C_32F, CUDA_C_64F */
    char *w = plan->w + i * plan->n * 2 * j->real_bytes;
    char *v = !plan->vectors ? NULL : real ? j->extra : gndi_matrix_at(&plan->v, i);
    const gnd_status status =
        gndi_cuda_solver_check(stream->h->solver->cusolverDnXgeev(
                                   stream->h->solver_handle, stream->h->solver_params, 0, plan->vectors, plan->n,
                                   j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, w_type, w, j->data_type, NULL,
                                   plan->n, j->data_type, v, real || !v ? plan->n : plan->v.ld, j->data_type,
                                   stream->device, stream->device_bytes, stream->host, stream->host_bytes, j->info + i),
                               j->fn, "cusolverDnXgeev");
    if (status || !plan->vectors || !real) return status;
    gndi_eigenvectors_params p = {
        .w = w, .packed = v, .v = gndi_matrix_at(&plan->v, i), .n = plan->n, .ld = plan->v.ld};
    const int64_t most = (int64_t)j->s->device->processors * 16 * GNDI_LAPACK_THREADS;
    return gndi_solver_launch(j, GNDI_LAPACK_EIGENVECTORS, p.n * p.n < most ? p.n * p.n : most, &p);
}

static gnd_status eig(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool real = j->type < 2;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = gndi_solver_may_wait(j, "cusolverDnXgeev");
    if (!status) status = make_infos(j);
    if (status) return status;
    if (real && plan->vectors && !(j->extra = gndi_solver_workspace(j, plan->n * plan->n, j->bytes)))
        return GND_ERROR_MEMORY;
    status = gndi_solver_check_finite(j, false, false, false);
    if (status) return status;
    size_t device = 0, host = 0;
    status = gndi_cuda_solver_check(j->h->solver->cusolverDnXgeev_bufferSize(
                                        j->h->solver_handle, j->h->solver_params, 0, plan->vectors, plan->n,
                                        j->data_type, plan->a.data, plan->a.ld, j->real_type + 4, plan->w, j->data_type,
                                        NULL, plan->n, j->data_type, real ? j->extra : plan->v.data,
                                        real || !plan->vectors ? plan->n : plan->v.ld, j->data_type, &device, &host),
                                    j->fn, "cusolverDnXgeev_bufferSize");
    if (!status) status = gndi_solver_each(j, device, host, false, geev_one);
    gndi_result results[] = {gndi_solver_vector(plan->w, 2 * plan->n, j->real_bytes),
                             gndi_solver_result(j, &plan->v, plan->n, plan->n)};
    results[1].rows = 2 * plan->n; /* complex in any case */
    results[1].ld = 2 * plan->v.ld;
    return status ? status : gndi_solver_report(j, GNDI_FAULT_NO_CONVERGENCE, 1 + plan->vectors, results);
}

gnd_status gndi_cuda_lapack_decompose(gndi_solver_job *j) {
    switch (j->plan->op) {
    case GNDI_LAPACK_QR: return qr(j);
    case GNDI_LAPACK_QR_Q: return qr_q(j);
    case GNDI_LAPACK_QR_APPLY: return qr_apply(j);
    case GNDI_LAPACK_EIGH: return eigh(j);
    default: return eig(j);
    }
}
