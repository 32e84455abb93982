/*
 * lapack_factor_cuda.c: LU, Cholesky and triangles on CUDA. gnd's own kernel factors small matrices, a warp
 * each, and does what follows in the same launch. For matrices of middle size lapack_lu_cuda.c does LU, and
 * cuSOLVER's batched routine Cholesky; larger ones are factored one by one by cuSOLVER's 64-bit routines.
 */
#include "linalg/cuda/lapack_lu_cuda.h"

enum { SMALL_LU, SMALL_CHOLESKY, SMALL_PRODUCT }; /* lapack_small_kernels.cu */

/* The number 1, real or complex, in the job's type. */
static const void *one(const gndi_solver_job *j) {
    static const double doubles[2] = {1, 0};
    static const float floats[2] = {1, 0};
    return j->real_bytes == 4 ? (const void *)floats : (const void *)doubles;
}

static int trans_of(const gndi_solver_job *j) {
    if (j->plan->transpose == GNDI_LAPACK_PLAIN) return GNDI_PLAIN;
    return j->plan->transpose == GNDI_LAPACK_CONJUGATED ? gndi_solver_conjugated(j) : GNDI_TRANSPOSED;
}

/* ---- small matrices -------------------------------------------------------------------------- */

static bool is_small(const gndi_lapack_plan *plan) {
    return plan->m <= GNDI_SMALL_MOST && plan->n <= GNDI_SMALL_MOST;
}

static gnd_status run_small(gndi_solver_job *j, int kernel, int what, int code) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_small_params p = {.a = gndi_kernel_matrices(&plan->a),
                           .b = gndi_kernel_matrices(&plan->b),
                           .pivots = plan->pivots,
                           .sign = plan->sign,
                           .w = plan->w,
                           .batch = plan->batch,
                           .columns = plan->columns,
                           .m = (int)plan->m,
                           .n = (int)plan->n,
                           .what = (uint8_t)what,
                           .lower = plan->lower,
                           .clears = plan->clears,
                           .failure = gndi_solver_failure(j, code)};
    if (what == GNDI_SMALL_SOLVE && kernel == SMALL_LU) {
        p.transposed = plan->transpose != GNDI_LAPACK_PLAIN;
        p.conjugated = plan->transpose == GNDI_LAPACK_CONJUGATED;
    }
    const size_t each = (size_t)(GNDI_SMALL_LD(p.m) * p.n) * (size_t)j->bytes; /* of a warp */
    const size_t capacity = (size_t)j->s->device->shared_bytes;
    int warps = GNDI_SMALL_WARPS;
    while (warps > 1 && (size_t)warps * each > capacity) warps--;
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_small_kernel(j->type, kernel), (p.batch + warps - 1) / warps,
                            32 * warps, (size_t)warps * each, &p, j->fn);
}

/* ---- LU --------------------------------------------------------------------------------------- */

/* Whether a library's batched routine does all matrices: they are many, square, and too small to fill the GPU each. */
static bool is_batched(const gndi_lapack_plan *plan, int64_t most) {
    const int few = plan->n <= GNDI_FEW_ROWS ? 1 : GNDI_FEW;
    return plan->batch > few && plan->m == plan->n && plan->n <= most &&
           gndi_solver_fits_int(plan->a.ld, plan->b.ld, plan->columns);
}

static int chunk_of(int64_t batch, int64_t first) {
    return (int)(batch - first < GNDI_BATCH_MOST ? batch - first : GNDI_BATCH_MOST);
}

static gnd_status getrf_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t steps = plan->m < plan->n ? plan->m : plan->n;
    return gndi_cuda_solver_check(
        stream->h->solver->cusolverDnXgetrf(stream->h->solver_handle, stream->h->solver_params, plan->m, plan->n,
                                            j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld, j->wide + i * steps,
                                            j->data_type, stream->device, stream->device_bytes, stream->host,
                                            stream->host_bytes, j->info + i),
        j->fn, "cusolverDnXgetrf");
}

/* Workspace for infos, and for pivots in cuSOLVER's form. */
static gnd_status make_workspace(gndi_solver_job *j, bool wide) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t steps = plan->m < plan->n ? plan->m : plan->n;
    j->info = gndi_solver_workspace(j, plan->batch, sizeof *j->info);
    if (!j->info) return GND_ERROR_MEMORY;
    if (!wide) return GND_OK;
    j->wide = gndi_solver_workspace(j, plan->batch * steps, sizeof *j->wide);
    return j->wide ? GND_OK : GND_ERROR_MEMORY;
}

/* Converts cuSOLVER's pivots to LAPACK's. */
static gnd_status convert_pivots(gndi_solver_job *j, int32_t *to) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t steps = plan->m < plan->n ? plan->m : plan->n;
    gndi_pivots_params p = {.wide = j->wide, .narrow = to, .count = plan->batch * steps};
    return gndi_solver_launch(j, GNDI_LAPACK_PIVOTS, p.count, &p);
}

static gnd_status getrf_each(gndi_solver_job *j, int handles) {
    const gndi_lapack_plan *plan = j->plan;
    size_t device = 0, host = 0;
    gnd_status status = gndi_solver_begin(j, handles);
    if (!status) status = make_workspace(j, true);
    if (!status)
        status = gndi_cuda_solver_check(j->h->solver->cusolverDnXgetrf_bufferSize(
                                            j->h->solver_handle, j->h->solver_params, plan->m, plan->n, j->data_type,
                                            plan->a.data, plan->a.ld, j->data_type, &device, &host),
                                        j->fn, "cusolverDnXgetrf_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, true, getrf_one);
}

/* For lapack_lu_cuda.c: the handles and the infos. */
static gnd_status begin_steps(gndi_solver_job *j) {
    const gnd_status status = gndi_solver_begin(j, gndi_cuda_lu_handles(j->plan));
    return status ? status : make_workspace(j, false);
}

static gnd_status lu(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    if (is_small(plan)) return run_small(j, SMALL_LU, GNDI_SMALL_LU, 0);
    if (gndi_cuda_lu_takes(j)) {
        const gnd_status status = begin_steps(j);
        return status ? status : gndi_cuda_lu_factor(j, plan->pivots, true);
    }
    const gnd_status status = getrf_each(j, GNDI_HANDLES_SOLVER);
    return status ? status : convert_pivots(j, plan->pivots);
}

/* The permutation that the exchanges make; a block computes it in shared memory if it fits. */
static gnd_status make_permutation(gndi_solver_job *j, const int32_t *pivots, int64_t *to) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_permutation_params p = {
        .pivots = pivots, .to = to, .batch = plan->batch, .m = plan->m, .steps = plan->m < plan->n ? plan->m : plan->n};
    const size_t bytes = (size_t)(p.m + p.steps) * sizeof(int32_t);
    p.shared = bytes <= (size_t)j->s->device->shared_bytes;
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_kernel(j->type, GNDI_LAPACK_EXCHANGES), p.batch, GNDI_LAPACK_THREADS,
                            p.shared ? bytes : 0, &p, j->fn);
}

/* ---- systems whose factors are known ----------------------------------------------------------- */

/* Solves with two triangles in turn, for one of the matrices: cuSOLVER's getrs takes three times as long for one right
   side of 4096 rows (1.2 ms against 0.4), and a third longer for 6000 of them. j->other: the right sides. */
static gnd_status trsm_pair(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i, int side, bool upper_first,
                            int trans, int64_t columns) {
    const gndi_lapack_plan *plan = j->plan;
    const bool right = side == GNDI_RIGHT;
    gnd_status status = GND_OK;
    for (int which = 0; which < 2 && !status; which++) {
        const bool upper = upper_first == (which == 0);
        status = gndi_cuda_blas_check(GNDI_OF_TYPE(j, stream->h->blas, cublas, trsm_v2_64, trsm_v2_64)(
                                          stream->h->blas_handle, side, upper ? GNDI_UPPER : GNDI_LOWER, trans, !upper,
                                          right ? columns : plan->n, right ? plan->n : columns, one(j),
                                          gndi_matrix_at(&plan->a, i), plan->a.ld, gndi_matrix_at(&j->other, i),
                                          j->other.ld),
                                      j->fn, "cublasTrsm");
    }
    return status;
}

static gnd_status solve_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const int trans = trans_of(j);
    return trsm_pair(j, stream, i, GNDI_LEFT, trans != GNDI_PLAIN, trans, j->plan->columns);
}
static gnd_status invert_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    return trsm_pair(j, stream, i, GNDI_RIGHT, true, GNDI_PLAIN, j->plan->n);
}

static gnd_status exchange(gndi_solver_job *j, const gndi_lapack_matrix *from, const gndi_lapack_matrix *to,
                           const int64_t *order, int64_t columns, int what) {
    gndi_order_params p = {.from = gndi_kernel_matrices(from),
                           .to = gndi_kernel_matrices(to),
                           .order = order,
                           .batch = j->plan->batch,
                           .rows = j->plan->n,
                           .columns = columns,
                           .what = (uint8_t)what};
    return gndi_solver_order(j, &p);
}

static gnd_status copy_back(gndi_solver_job *j, int64_t columns) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_block_params p = {.from = gndi_kernel_matrices(&j->other),
                           .to = gndi_kernel_matrices(&plan->b),
                           .batch = plan->batch,
                           .m = plan->n,
                           .n = columns,
                           .rows = plan->n,
                           .columns = columns};
    return gndi_solver_block(j, &p);
}

/* b = op(A)^-1 b, where a holds A = P L U and `pivots` P. */
static gnd_status solve_factored(gndi_solver_job *j, const int32_t *pivots) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t n = plan->n, columns = plan->columns;
    int64_t *order = gndi_solver_workspace(j, plan->batch * n, sizeof *order);
    char *workspace = order ? gndi_solver_workspace(j, plan->batch * n * columns, j->bytes) : NULL;
    if (!workspace) return GND_ERROR_MEMORY;
    const gndi_lapack_matrix spare = {workspace, n, n * columns * j->bytes};
    gnd_status status = make_permutation(j, pivots, order);
    if (plan->transpose == GNDI_LAPACK_PLAIN) { /* L U x = P^T b */
        j->other = spare;
        if (!status) status = exchange(j, &plan->b, &spare, order, columns, GNDI_ORDER_SCATTER);
        if (!status) status = gndi_solver_each(j, 0, 0, true, solve_one);
    } else { /* U^T L^T (P^T x) = b */
        j->other = plan->b;
        if (!status) status = gndi_solver_each(j, 0, 0, true, solve_one);
        if (!status) status = exchange(j, &plan->b, &spare, order, columns, GNDI_ORDER_GATHER);
        j->other = spare;
    }
    return status ? status : copy_back(j, columns);
}

/* b = A^-1 = U^-1 L^-1 P^T. */
static gnd_status invert_factored(gndi_solver_job *j, const int32_t *pivots) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t n = plan->n;
    int64_t *order = gndi_solver_workspace(j, plan->batch * n, sizeof *order);
    char *workspace = order ? gndi_solver_workspace(j, plan->batch * n * n, j->bytes) : NULL;
    if (!workspace) return GND_ERROR_MEMORY;
    j->other = (gndi_lapack_matrix){workspace, n, n * n * j->bytes};
    gnd_status status = make_permutation(j, pivots, order);
    if (!status) status = gndi_solver_identity(j, &j->other, n);
    if (!status) status = gndi_solver_each(j, 0, 0, true, invert_one);
    return status ? status : exchange(j, &j->other, &plan->b, order, n, GNDI_ORDER_COLUMNS);
}

static gnd_status lu_solve(gndi_solver_job *j) {
    const bool in_steps = gndi_cuda_lu_takes(j);
    const gnd_status status = gndi_solver_begin(j, in_steps ? gndi_cuda_lu_handles(j->plan) : GNDI_HANDLES_BLAS);
    if (status) return status;
    return in_steps ? gndi_cuda_lu_solve(j, trans_of(j)) : solve_factored(j, j->plan->pivots);
}

static gnd_status solve_each(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = getrf_each(j, GNDI_HANDLES_SOLVER | GNDI_HANDLES_BLAS);
    int32_t *pivots = status ? NULL : gndi_solver_workspace(j, plan->batch * plan->n, sizeof *pivots);
    if (!pivots) return status ? status : GND_ERROR_MEMORY;
    status = convert_pivots(j, pivots);
    if (status) return status;
    return plan->op == GNDI_LAPACK_INVERSE ? invert_factored(j, pivots) : solve_factored(j, pivots);
}

static gnd_status solve_in_steps(gndi_solver_job *j) {
    const gnd_status status = begin_steps(j);
    if (status) return status;
    return gndi_cuda_lu_systems(j, j->plan->op == GNDI_LAPACK_INVERSE ? GNDI_PLAIN : trans_of(j));
}

static gnd_status solve(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool inverse = plan->op == GNDI_LAPACK_INVERSE;
    if (is_small(plan) && (inverse || plan->columns <= GNDI_SMALL_COLUMNS))
        return run_small(j, SMALL_LU, inverse ? GNDI_SMALL_INVERSE : GNDI_SMALL_SOLVE, GNDI_FAULT_SINGULAR);
    const gnd_status status = gndi_cuda_lu_takes(j) ? solve_in_steps(j) : solve_each(j);
    if (status) return status;
    const gndi_result b = gndi_solver_result(j, &plan->b, plan->n, inverse ? plan->n : plan->columns);
    return gndi_solver_report(j, GNDI_FAULT_SINGULAR, 1, &b);
}

static gnd_status determinant(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    if (is_small(plan)) return run_small(j, SMALL_LU, GNDI_SMALL_DETERMINANT, 0);
    gndi_product_params p = {
        .a = gndi_kernel_matrices(&plan->a), .sign = plan->sign, .w = plan->w, .batch = plan->batch, .n = plan->n};
    gnd_status status;
    if (gndi_cuda_lu_takes(j)) {
        status = begin_steps(j);
        int32_t *pivots = status ? NULL : gndi_solver_workspace(j, plan->batch * plan->n, sizeof *pivots);
        if (!pivots) return status ? status : GND_ERROR_MEMORY;
        status = gndi_cuda_lu_factor(j, pivots, false);
        p.narrow = pivots;
    } else {
        status = getrf_each(j, GNDI_HANDLES_SOLVER);
        p.wide = j->wide;
    }
    if (status) return status;
    p.info = j->info;
    const int64_t matrices = GNDI_LAPACK_THREADS / 32; /* of a block */
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_small_kernel(j->type, SMALL_PRODUCT),
                            (p.batch + matrices - 1) / matrices, GNDI_LAPACK_THREADS, 0, &p, j->fn);
}

/* ---- Cholesky ---------------------------------------------------------------------------------- */

static gnd_status potrf_batched(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = make_workspace(j, false);
    void **a = status ? NULL : gndi_solver_pointers(j, plan->a.data, plan->a.step);
    if (!a) return GND_ERROR_MEMORY;
    for (int64_t i = 0; i < plan->batch && !status; i += GNDI_BATCH_MOST)
        status = gndi_cuda_solver_check(GNDI_OF_TYPE(j, j->h->solver, cusolverDn, potrfBatched, potrfBatched)(
                                            j->h->solver_handle, gndi_solver_triangle(j), (int)plan->n, a + i,
                                            (int)plan->a.ld, j->info + i, chunk_of(plan->batch, i)),
                                        j->fn, "cusolverDnPotrfBatched");
    return status;
}

static gnd_status potrf_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_solver_check(
        stream->h->solver->cusolverDnXpotrf(stream->h->solver_handle, stream->h->solver_params, gndi_solver_triangle(j),
                                            plan->n, j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld,
                                            j->data_type, stream->device, stream->device_bytes, stream->host,
                                            stream->host_bytes, j->info + i),
        j->fn, "cusolverDnXpotrf");
}

static gnd_status potrf_each(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    size_t device = 0, host = 0;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_SOLVER);
    if (!status) status = make_workspace(j, false);
    if (!status)
        status = gndi_cuda_solver_check(j->h->solver->cusolverDnXpotrf_bufferSize(
                                            j->h->solver_handle, j->h->solver_params, gndi_solver_triangle(j), plan->n,
                                            j->data_type, plan->a.data, plan->a.ld, j->data_type, &device, &host),
                                        j->fn, "cusolverDnXpotrf_bufferSize");
    return status ? status : gndi_solver_each(j, device, host, true, potrf_one);
}

static gnd_status cholesky(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    if (is_small(plan)) return run_small(j, SMALL_CHOLESKY, 0, GNDI_FAULT_NOT_POSITIVE);
    gnd_status status = is_batched(plan, GNDI_POTRF_BATCHED) ? potrf_batched(j) : potrf_each(j);
    if (!status && plan->clears) {
        gndi_block_params p = {.to = gndi_kernel_matrices(&plan->a),
                               .batch = plan->batch,
                               .m = plan->n,
                               .n = plan->n,
                               .keeps_lower = plan->lower,
                               .keeps_upper = !plan->lower};
        status = gndi_solver_block(j, &p);
    }
    const gndi_result a = gndi_solver_result(j, &plan->a, plan->n, plan->n);
    return status ? status : gndi_solver_report(j, GNDI_FAULT_NOT_POSITIVE, 1, &a);
}

/* ---- triangles --------------------------------------------------------------------------------- */

static gnd_status trsm_batched(gndi_solver_job *j, void **a, void **b, int trans, bool unit) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = GND_OK;
    for (int64_t i = 0; i < plan->batch && !status; i += GNDI_BATCH_MOST)
        status = gndi_cuda_blas_check(GNDI_OF_TYPE(j, j->h->blas, cublas, trsmBatched_64, trsmBatched_64)(
                                          j->h->blas_handle, GNDI_LEFT, gndi_solver_triangle(j), trans, unit, plan->n,
                                          plan->columns, one(j), a + i, plan->a.ld, b + i, plan->b.ld,
                                          chunk_of(plan->batch, i)),
                                      j->fn, "cublasTrsmBatched");
    return status;
}

static gnd_status trsm_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_blas_check(GNDI_OF_TYPE(j, stream->h->blas, cublas, trsm_v2_64, trsm_v2_64)(
                                    stream->h->blas_handle, GNDI_LEFT, gndi_solver_triangle(j), trans_of(j), plan->unit,
                                    plan->n, plan->columns, one(j), gndi_matrix_at(&plan->a, i), plan->a.ld,
                                    gndi_matrix_at(&plan->b, i), plan->b.ld),
                                j->fn, "cublasTrsm");
}

static gnd_status triangular(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_BLAS);
    if (status) return status;
    if (is_batched(plan, GNDI_TRSM_BATCHED)) {
        void **a = gndi_solver_pointers(j, plan->a.data, plan->a.step);
        void **b = a ? gndi_solver_pointers(j, plan->b.data, plan->b.step) : NULL;
        status = b ? trsm_batched(j, a, b, trans_of(j), plan->unit) : GND_ERROR_MEMORY;
    } else {
        status = gndi_solver_each(j, 0, 0, true, trsm_one);
    }
    if (status || plan->unit) return status;
    if ((status = make_workspace(j, false))) return status;
    gndi_diagonal_params p = {.a = gndi_kernel_matrices(&plan->a), .info = j->info, .batch = plan->batch, .n = plan->n};
    status = gndi_solver_launch(j, GNDI_LAPACK_DIAGONAL, 32 * plan->batch, &p);
    const gndi_result b = gndi_solver_result(j, &plan->b, plan->n, plan->columns);
    return status ? status : gndi_solver_report(j, GNDI_FAULT_SINGULAR, 1, &b);
}

static gnd_status potrs_one(gndi_solver_job *j, const gndi_side_stream *stream, int64_t i) {
    const gndi_lapack_plan *plan = j->plan;
    return gndi_cuda_solver_check(stream->h->solver->cusolverDnXpotrs(
                                      stream->h->solver_handle, stream->h->solver_params, gndi_solver_triangle(j),
                                      plan->n, plan->columns, j->data_type, gndi_matrix_at(&plan->a, i), plan->a.ld,
                                      j->data_type, gndi_matrix_at(&plan->b, i), plan->b.ld, j->info + i),
                                  j->fn, "cusolverDnXpotrs");
}

/* Many systems are two triangular ones each: potrsBatched takes one right side alone. */
static gnd_status cholesky_solve(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool batched = is_batched(plan, GNDI_TRSM_BATCHED);
    gnd_status status = gndi_solver_begin(j, batched ? GNDI_HANDLES_BLAS : GNDI_HANDLES_SOLVER);
    if (status) return status;
    if (!batched) {
        status = make_workspace(j, false);
        return status ? status : gndi_solver_each(j, 0, 0, true, potrs_one);
    }
    void **a = gndi_solver_pointers(j, plan->a.data, plan->a.step);
    void **b = a ? gndi_solver_pointers(j, plan->b.data, plan->b.step) : NULL;
    if (!b) return GND_ERROR_MEMORY;
    const int first = plan->lower ? GNDI_PLAIN : gndi_solver_conjugated(j);
    status = trsm_batched(j, a, b, first, false);
    return status ? status : trsm_batched(j, a, b, plan->lower ? gndi_solver_conjugated(j) : GNDI_PLAIN, false);
}

gnd_status gndi_cuda_lapack_factor(gndi_solver_job *j) {
    switch (j->plan->op) {
    case GNDI_LAPACK_LU: return lu(j);
    case GNDI_LAPACK_PERMUTATION: return make_permutation(j, j->plan->pivots, j->plan->permutation);
    case GNDI_LAPACK_LU_SOLVE: return lu_solve(j);
    case GNDI_LAPACK_SOLVE:
    case GNDI_LAPACK_INVERSE: return solve(j);
    case GNDI_LAPACK_DETERMINANT: return determinant(j);
    case GNDI_LAPACK_CHOLESKY: return cholesky(j);
    case GNDI_LAPACK_CHOLESKY_SOLVE: return cholesky_solve(j);
    default: return triangular(j);
    }
}
