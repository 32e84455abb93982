/*
 * lapack_svd_cuda.c: singular values on CUDA. Up to 32 x 32: gesvdjBatched. Tall matrices: those of R, with
 * U = Q U_R. Others: one of cuSOLVER's three routines for single matrices. gesvdaStridedBatched has no
 * place here: it works on A^H A, and loses half of the digits.
 */
#include "kernels/cuda/lapack_cuda.h"

enum {
    JACOBI,       /* gesvdj: as accurate as NumPy's, and the quickest that is */
    QR_ITERATION, /* gesvd */
    POLAR,        /* gesvdp: quick; singular values near zero are shifted */
};
/* The choice, with vectors and without. To be measured; then the losers go. */
enum { WITH_VECTORS = JACOBI, VALUES_ALONE = QR_ITERATION };

enum { JACOBI_MOST = 32 /* rows and columns that gesvdjBatched takes */ };

/* What U and V of one matrix are in, as the routine gives them: V, or V^H. */
typedef struct factors {
    char *u, *v;
    int64_t ldu, ldv;
} factors;

static int64_t u_columns(const gndi_lapack_plan *plan) {
    return plan->full ? plan->m : plan->n;
}

/* ---- single matrices -------------------------------------------------------------------------- */

/* Where the routine puts U and V. Without vectors gesvd does not touch them, but the others may: they get
   room of their own (`extra`), V before U. */
static factors factors_of(const gndi_solver_job *j, const gndi_solver_lane *lane, int64_t i,
                          bool own_v) {
    const gndi_lapack_plan *plan = j->plan;
    if (!plan->vectors && own_v)
        return (factors){j->extra + plan->n * plan->n * j->bytes, j->extra, plan->m, plan->n};
    if (!plan->vectors) return (factors){lane->device, lane->device, plan->m, plan->n};
    return (factors){gndi_matrix_at(&plan->u, i), own_v ? j->extra : gndi_matrix_at(&plan->v, i),
                     plan->u.ld, own_v ? plan->n : plan->v.ld};
}

static char *w_of(const gndi_solver_job *j, int64_t i) {
    return j->plan->w + i * j->plan->n * j->real_bytes;
}

/* V^H from V. */
static gnd_status turn_v(gndi_solver_job *j, int64_t i, char *v, int64_t count) {
    const gndi_lapack_plan *plan = j->plan;
    if (!plan->vectors) return GND_OK;
    const gndi_matrices from = {v, plan->n, plan->n * plan->n * j->bytes};
    const gndi_matrices to = {gndi_matrix_at(&plan->v, i), plan->v.ld, plan->v.step};
    return gndi_solver_turn(j, from, to, plan->n, count);
}

/* These three wait on the host as they go. */
static gnd_status gesvdj_one(gndi_solver_job *j, const gndi_solver_lane *lane, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const factors f = factors_of(j, lane, i, true);
    const gnd_status status = gndi_cuda_solver_check(
        GNDI_OF_TYPE(j, lane->h->solver, cusolverDn, gesvdj, gesvdj)(
            lane->h->solver_handle, plan->vectors, !plan->full, (int)plan->m, (int)plan->n,
            gndi_matrix_at(&plan->a, i), (int)plan->a.ld, w_of(j, i), f.u, (int)f.ldu, f.v,
            (int)f.ldv, lane->device, j->room, j->info + i, j->options),
        j->fn, "cusolverDnGesvdj");
    return status ? status : turn_v(j, i, j->extra, 1);
}

static gnd_status gesvd_one(gndi_solver_job *j, const gndi_solver_lane *lane, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const factors f = factors_of(j, lane, i, false);
    const signed char job_u = !plan->vectors ? 'N' : plan->full ? 'A' : 'S';
    void *host;
    gnd_status status = gndi_solver_host_room(j, lane->host_bytes, &host);
    if (status) return status;
    status = gndi_cuda_solver_check(
        lane->h->solver->cusolverDnXgesvd(
            lane->h->solver_handle, lane->h->solver_params, job_u, plan->vectors ? 'A' : 'N',
            plan->m, plan->n, j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->real_type,
            w_of(j, i), j->data_type, f.u, f.ldu, j->data_type, f.v, f.ldv, j->data_type,
            lane->device, lane->device_bytes, host, lane->host_bytes, j->info + i),
        j->fn, "cusolverDnXgesvd");
    gndi_solver_host_free(lane->s, host);
    return status;
}

static gnd_status gesvdp_one(gndi_solver_job *j, const gndi_solver_lane *lane, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const factors f = factors_of(j, lane, i, true);
    double shift = 0;
    void *host;
    gnd_status status = gndi_solver_host_room(j, lane->host_bytes, &host);
    if (status) return status;
    status = gndi_cuda_solver_check(
        lane->h->solver->cusolverDnXgesvdp(
            lane->h->solver_handle, lane->h->solver_params, plan->vectors, !plan->full, plan->m,
            plan->n, j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->real_type,
            w_of(j, i), j->data_type, f.u, f.ldu, j->data_type, f.v, f.ldv, j->data_type,
            lane->device, lane->device_bytes, host, lane->host_bytes, j->info + i, &shift),
        j->fn, "cusolverDnXgesvdp");
    gndi_solver_host_free(lane->s, host);
    return status ? status : turn_v(j, i, j->extra, 1);
}

static gnd_status jacobi(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const factors f = {plan->u.data, j->extra, plan->vectors ? plan->u.ld : plan->m, plan->n};
    const gndi_cusolver *solver = j->h->solver;
    gnd_status status = gndi_solver_check_int(j, "cusolverDnGesvdj", plan->m, f.ldu, plan->a.ld);
    if (!status)
        status = gndi_cuda_solver_check(solver->cusolverDnCreateGesvdjInfo(&j->options), j->fn,
                                        "cusolverDnCreateGesvdjInfo");
    if (status) return status;
    status = gndi_cuda_solver_check(
        GNDI_OF_TYPE(j, solver, cusolverDn, gesvdj_bufferSize, gesvdj_bufferSize)(
            j->h->solver_handle, plan->vectors, !plan->full, (int)plan->m, (int)plan->n,
            plan->a.data, (int)plan->a.ld, plan->w, f.u, (int)f.ldu, f.v, (int)f.ldv, &j->room,
            j->options),
        j->fn, "cusolverDnGesvdj_bufferSize");
    if (!status)
        status = gndi_solver_each(j, (size_t)j->room * (size_t)j->bytes, 0, false, gesvdj_one);
    solver->cusolverDnDestroyGesvdjInfo(j->options); /* host memory alone */
    return status;
}

static gnd_status qr_iteration(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t ldu = plan->vectors ? plan->u.ld : plan->m,
                  ldv = plan->vectors ? plan->v.ld : plan->n;
    const signed char job_u = !plan->vectors ? 'N' : plan->full ? 'A' : 'S';
    size_t device = 0, host = 0;
    const gnd_status status = gndi_cuda_solver_check(
        j->h->solver->cusolverDnXgesvd_bufferSize(
            j->h->solver_handle, j->h->solver_params, job_u, plan->vectors ? 'A' : 'N', plan->m,
            plan->n, j->data_type, plan->a.data, plan->a.ld, j->real_type, plan->w, j->data_type,
            plan->u.data, ldu, j->data_type, plan->v.data, ldv, j->data_type, &device, &host),
        j->fn, "cusolverDnXgesvd_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, false, gesvd_one);
}

static gnd_status polar(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    size_t device = 0, host = 0;
    const gnd_status status = gndi_cuda_solver_check(
        j->h->solver->cusolverDnXgesvdp_bufferSize(
            j->h->solver_handle, j->h->solver_params, plan->vectors, !plan->full, plan->m, plan->n,
            j->data_type, plan->a.data, plan->a.ld, j->real_type, plan->w, j->data_type,
            plan->u.data, plan->vectors ? plan->u.ld : plan->m, j->data_type, j->extra, plan->n,
            j->data_type, &device, &host),
        j->fn, "cusolverDnXgesvdp_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, false, gesvdp_one);
}

static gnd_status single_matrices(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int routine = plan->vectors ? WITH_VECTORS : VALUES_ALONE;
    const int64_t u = plan->vectors ? 0 : plan->m * u_columns(plan);
    if (routine != QR_ITERATION &&
        !(j->extra = gndi_solver_room(j, plan->n * plan->n + u, j->bytes)))
        return GND_ERROR_MEMORY;
    return routine == JACOBI ? jacobi(j) : routine == POLAR ? polar(j) : qr_iteration(j);
}

/* ---- small matrices ---------------------------------------------------------------------------- */

/* gesvdjBatched wants matrices one behind the other, and gives all of U, and V. `u` and `v`: room for a
   call's, where they can't go to their places at once. */
static gnd_status jacobi_batched(gndi_solver_job *j, char *u, char *v, int64_t each) {
    const gndi_lapack_plan *plan = j->plan;
    const int m = (int)plan->m, n = (int)plan->n, lda = (int)plan->a.ld;
    void *work = NULL;
    gnd_status status = GND_OK;
    for (int64_t i = 0; i < plan->batch && !status; i += each) {
        const int64_t left = plan->batch - i;
        const int count = (int)(left < each ? left : each);
        char *a = gndi_matrix_at(&plan->a, i);
        if (!work) {
            status = gndi_cuda_solver_check(
                GNDI_OF_TYPE(j, j->h->solver, cusolverDn, gesvdjBatched_bufferSize,
                             gesvdjBatched_bufferSize)(j->h->solver_handle, plan->vectors, m, n, a,
                                                       lda, plan->w, u, m, v, n, &j->room,
                                                       j->options, count),
                j->fn, "cusolverDnGesvdjBatched_bufferSize");
            if (status) return status;
            work = gndi_solver_room(j, j->room, j->bytes);
            if (!work) return GND_ERROR_MEMORY;
        }
        status = gndi_cuda_solver_check(
            GNDI_OF_TYPE(j, j->h->solver, cusolverDn, gesvdjBatched, gesvdjBatched)(
                j->h->solver_handle, plan->vectors, m, n, a, lda, w_of(j, i), u, m, v, n, work,
                j->room, j->info + i, j->options, count),
            j->fn, "cusolverDnGesvdjBatched");
        if (!status) status = turn_v(j, i, v, count);
        if (status || !plan->vectors) continue;
        gndi_block_params p = {
            .from = {u, m, plan->m * plan->m * j->bytes},
            .to = {gndi_matrix_at(&plan->u, i), plan->u.ld, plan->u.step},
            .batch = count,
            .m = m,
            .n = u_columns(plan),
            .rows = m,
            .columns = m,
        };
        status = gndi_solver_block(j, &p);
    }
    return status;
}

static gnd_status small_matrices(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    /* At most 2048 elements of 16 bytes for a matrix: thousands fit. */
    const int64_t room = (plan->m * plan->m + plan->n * plan->n) * j->bytes;
    const int64_t fit = (int64_t)GNDI_BATCH_ROOM / room;
    const int64_t most = fit < GNDI_BATCH_MOST ? fit : GNDI_BATCH_MOST;
    int64_t each = plan->batch < most ? plan->batch : most;
    if (!gndi_solver_packed(j, &plan->a, plan->n)) each = 1;
    /* Without vectors, too: nothing says that they are not touched. */
    char *u = gndi_solver_room(j, each * plan->m * plan->m, j->bytes);
    char *v = u ? gndi_solver_room(j, each * plan->n * plan->n, j->bytes) : NULL;
    if (!v) return GND_ERROR_MEMORY;
    const gndi_cusolver *solver = j->h->solver;
    gnd_status status = gndi_cuda_solver_check(solver->cusolverDnCreateGesvdjInfo(&j->options),
                                               j->fn, "cusolverDnCreateGesvdjInfo");
    if (status) return status;
    status = jacobi_batched(j, u, v, each);
    solver->cusolverDnDestroyGesvdjInfo(j->options); /* host memory alone */
    return status;
}

/* ---- tall matrices ----------------------------------------------------------------------------- */

/* A = Q R, R = U_R S V^H, U = Q U_R: three plans of this hook. Faults come from the second; the third makes
   NaN of U out of NaN. */
static gnd_status tall_matrices(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t n = plan->n, step = n * n * j->bytes;
    char *tau = gndi_solver_room(j, plan->batch * n, j->bytes);
    char *r = tau ? gndi_solver_room(j, plan->batch, step) : NULL;
    char *u = r && plan->vectors ? gndi_solver_room(j, plan->batch, step) : r;
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

gnd_status gndi_cuda_lapack_svd(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool small = plan->m <= JACOBI_MOST && plan->n <= JACOBI_MOST;
    const bool thin = plan->n <= JACOBI_MOST || plan->m >= GNDI_TALL * plan->n;
    if (!small && thin && plan->m > plan->n) return tall_matrices(j);
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (status) return status;
    j->info = gndi_solver_room(j, plan->batch, sizeof *j->info);
    if (!j->info) return GND_ERROR_MEMORY;
    status = small ? small_matrices(j) : single_matrices(j);
    const gndi_result results[] = {gndi_solver_vector(plan->w, plan->n, j->real_bytes),
                                   gndi_solver_result(j, &plan->u, plan->m, u_columns(plan)),
                                   gndi_solver_result(j, &plan->v, plan->n, plan->n)};
    return status
               ? status
               : gndi_solver_report(j, GNDI_FAULT_NO_CONVERGENCE, plan->vectors ? 3 : 1, results);
}
