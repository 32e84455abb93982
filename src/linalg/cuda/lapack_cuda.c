/*
 * lapack_cuda.c: the `lapack` hook on CUDA: which part does what, and what the parts share: workspaces
 * from the pool, loops over batches on several streams, infos.
 *
 * Nothing here waits for the GPU. Some of cuSOLVER's routines do: those for eigenvalues and singular values of
 * single matrices read intermediate results on the host.
 */
#include "linalg/cuda/lapack_cuda.h"
#include "runtime/graph.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- workspaces ----------------------------------------------------------------------------- */

gnd_status gndi_solver_begin(gndi_solver_job *j, int which) {
    j->which = which;
    return gndi_cuda_handles_take(j->s, which, &j->h, j->fn);
}

void *gndi_solver_workspace(gndi_solver_job *j, int64_t count, int64_t bytes) {
    size_t all;
    if (__builtin_mul_overflow((size_t)count, (size_t)bytes, &all)) all = SIZE_MAX;
    gndi_buffer *b = gndi_buffer_new(j->fn, j->s, all ? all : 1);
    if (!b) return NULL;
    j->held[j->buffers++] = b;
    return b->base;
}

gnd_status gndi_solver_may_wait(const gndi_solver_job *j, const char *routine) {
    if (!gndi_cuda_is_captured(j->s)) return GND_OK;
    char because[160];
    snprintf(because, sizeof because, "%s, which matrices of this size take, waits for the device as it goes", routine);
    return gndi_cuda_check_not_captured(j->s, because, j->fn);
}

gnd_status gndi_solver_host_workspace(gndi_solver_job *j, size_t bytes, void **workspace) {
    *workspace = NULL;
    if (bytes == 0) return GND_OK;
    *workspace = gndi_malloc(j->fn, bytes);
    return *workspace ? GND_OK : GND_ERROR_MEMORY;
}

static void CUDART_CB free_host_workspace(void *workspace) {
    gndi_free(workspace);
}

void gndi_solver_host_free(gnd_stream *s, void *workspace) {
    if (!workspace) return;
    if (s->capture) { /* needed whenever the graph runs; without memory for this the recording is dropped */
        gndi_graph_keep(s, workspace, gndi_free, "gnd_graph_end");
        return;
    }
    if (gndi_cuda_is_captured(s)) return; /* the same, and nobody says when it ends */
    if (cudaLaunchHostFunc(s->native, free_host_workspace, workspace) == cudaSuccess) return;
    cudaGetLastError();
    cudaStreamSynchronize(s->native);
    gndi_free(workspace);
}

/* ---- batches -------------------------------------------------------------------------------- */

static bool has_free_streams(gndi_device *d) {
    int taken = 0;
    for (int slot = 0; slot < GNDI_MAX_STREAMS; slot++) {
        gnd_stream *s = atomic_load_explicit(&d->streams[slot], memory_order_relaxed);
        if (s && atomic_load_explicit(&s->in_use, memory_order_relaxed)) taken++;
    }
    return taken <= GNDI_MAX_STREAMS - 2 * GNDI_SIDE_STREAMS;
}

/* `s` waits for all work queued on `other` so far, counted or not. */
static gnd_status wait_for(gnd_stream *s, gnd_stream *other, const char *fn) {
    gndi_lock_take(&other->device->order_lock);
    const gnd_status status = s->device->backend->stream_wait_stream(s, other, fn);
    gndi_lock_give(&other->device->order_lock);
    return status;
}

/* Side streams, lent by the device; they begin when the caller's stream has reached this point. While the caller's
   stream is captured none are lent, since later work on a lent stream would be captured, too. */
static gnd_status fork_side_streams(gndi_solver_job *j, gndi_side_stream *streams, int wanted, int *count) {
    *count = 1;
    if (gndi_cuda_is_captured(j->s) || !has_free_streams(j->s->device)) return GND_OK;
    gnd_status status = GND_OK;
    while (*count < wanted && !status) {
        gndi_side_stream *stream = &streams[*count];
        stream->s = gndi_stream_new_on(j->s->device, false, j->fn);
        if (!stream->s) return GND_ERROR_UNAVAILABLE;
        ++*count;
        status = wait_for(stream->s, j->s, j->fn);
        if (!status) status = gndi_cuda_handles_take(stream->s, j->which, &stream->h, j->fn);
    }
    return status;
}

/* The caller's stream waits for the side streams, even if the call failed: they use its memory. */
static gnd_status join_side_streams(gndi_solver_job *j, gndi_side_stream *streams, int count) {
    gnd_status status = GND_OK;
    for (int i = 1; i < count; i++) {
        if (streams[i].h) gndi_cuda_handles_return(streams[i].h);
        const gnd_status joined = wait_for(j->s, streams[i].s, j->fn);
        if (joined) {
            cudaStreamSynchronize(streams[i].s->native);
            status = joined;
        }
        gnd_stream_release(streams[i].s);
    }
    return status;
}

gnd_status gndi_solver_each(gndi_solver_job *j, size_t bytes, size_t host_bytes, bool overlaps, gndi_solver_one one) {
    gndi_side_stream streams[1 + GNDI_SIDE_STREAMS] = {{.s = j->s, .h = j->h}};
    const int64_t batch = j->plan->batch;
    const int most = overlaps ? 1 + GNDI_SIDE_STREAMS : 1;
    const int wanted = batch < most ? (int)batch : most;
    /* Before the fork, so that the side streams may use it after what is queued on the caller's stream. */
    char *workspace = bytes ? gndi_solver_workspace(j, wanted, (int64_t)((bytes + 511) & ~(size_t)511)) : NULL;
    if (bytes && !workspace) return GND_ERROR_MEMORY;
    int count = 1;
    gnd_status status = wanted > 1 ? fork_side_streams(j, streams, wanted, &count) : GND_OK;
    for (int i = 0; i < count; i++) {
        streams[i].device = workspace ? workspace + (size_t)i * ((bytes + 511) & ~(size_t)511) : NULL;
        streams[i].device_bytes = bytes;
        streams[i].host_bytes = host_bytes;
    }
    for (int64_t i = 0; i < batch && !status; i++) {
        gndi_side_stream *stream = &streams[i % count];
        status = gndi_solver_host_workspace(j, host_bytes, &stream->host);
        if (status) break;
        status = one(j, stream, i);
        gndi_solver_host_free(stream->s, stream->host);
    }
    const gnd_status joined = join_side_streams(j, streams, count);
    return status ? status : joined;
}

bool gndi_solver_packed(const gndi_solver_job *j, const gndi_lapack_matrix *a, int64_t columns) {
    return j->plan->batch == 1 || a->step == a->ld * columns * j->bytes;
}

bool gndi_solver_fits_int(int64_t a, int64_t b, int64_t c) {
    return a <= INT32_MAX && b <= INT32_MAX && c <= INT32_MAX;
}

gnd_status gndi_solver_check_int(const gndi_solver_job *j, const char *routine, int64_t m, int64_t n, int64_t ld) {
    if (gndi_solver_fits_int(m, n, ld)) return GND_OK;
    return gndi_raise(GND_ERROR_UNAVAILABLE, j->fn,
                      "%s takes matrices of fewer than 2^31 rows and columns; this one has %lld "
                      "rows and %lld columns",
                      routine, (long long)m, (long long)n);
}

/* ---- kernels -------------------------------------------------------------------------------- */

gnd_status gndi_solver_launch(gndi_solver_job *j, int which, int64_t threads, void *params) {
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_kernel(j->type, which),
                            (threads + GNDI_LAPACK_THREADS - 1) / GNDI_LAPACK_THREADS, GNDI_LAPACK_THREADS, 0, params,
                            j->fn);
}

void *gndi_solver_pointers(gndi_solver_job *j, const char *base, int64_t step) {
    const int64_t batch = j->plan->batch;
    char **to = gndi_solver_workspace(j, batch, sizeof *to);
    if (!to) return NULL;
    gndi_pointers_params p = {.base = (char *)base, .step = step, .to = to, .batch = batch};
    return gndi_solver_launch(j, GNDI_LAPACK_POINTERS, batch, &p) ? NULL : to;
}

gndi_result gndi_solver_result(const gndi_solver_job *j, const gndi_lapack_matrix *a, int64_t rows, int64_t columns) {
    const int64_t words = j->bytes / j->real_bytes; /* of an element */
    return (gndi_result){.data = a->data,
                         .rows = rows * words,
                         .columns = columns,
                         .ld = a->ld * words,
                         .step = a->step,
                         .word = (int)j->real_bytes};
}

gndi_result gndi_solver_vector(const char *data, int64_t words, int64_t word) {
    return (gndi_result){
        .data = (char *)data, .rows = words, .columns = 1, .ld = words, .step = words * word, .word = (int)word};
}

gndi_failure gndi_solver_failure(const gndi_solver_job *j, int code) {
    return (gndi_failure){.fault = j->plan->quiet ? NULL : gndi_fault_record(j->s->device), .code = code};
}

gnd_status gndi_solver_check_finite(gndi_solver_job *j, bool lower, bool upper, bool shrinks) {
    const gndi_lapack_plan *plan = j->plan;
    gndi_finite_params p = {.a = gndi_kernel_matrices(&plan->a),
                            .batch = plan->batch,
                            .m = plan->m,
                            .n = plan->n,
                            .lower = lower,
                            .upper = upper,
                            .shrinks = shrinks};
    j->state = p.state = gndi_solver_workspace(j, plan->batch, sizeof *p.state);
    if (!p.state) return GND_ERROR_MEMORY;
    const int64_t most = (int64_t)1 << 20; /* a block takes several of more */
    const int64_t each = (p.m * p.n + GNDI_FINITE_EACH - 1) / GNDI_FINITE_EACH;
    const int threads = each < GNDI_FINITE_THREADS ? (int)((each + 31) / 32 * 32) : GNDI_FINITE_THREADS;
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_kernel(j->type, GNDI_LAPACK_FINITE), p.batch < most ? p.batch : most,
                            threads, 0, &p, j->fn);
}

gnd_status gndi_solver_report(gndi_solver_job *j, int code, int count, const gndi_result *results) {
    gndi_report_params p = {.info = j->info,
                            .state = j->state,
                            .batch = j->plan->batch,
                            .results = count,
                            .failure = gndi_solver_failure(j, code)};
    for (int i = 0; i < count; i++) p.result[i] = results[i];
    return gndi_solver_launch(j, GNDI_LAPACK_REPORT, p.batch, &p);
}

gnd_status gndi_solver_block(gndi_solver_job *j, gndi_block_params *p) {
    const int64_t most = (int64_t)j->s->device->processors * 16 * GNDI_LAPACK_THREADS;
    const int64_t all = p->m * p->n * p->batch;
    return gndi_solver_launch(j, GNDI_LAPACK_BLOCK, all < most ? all : most, p);
}

gnd_status gndi_solver_order(gndi_solver_job *j, gndi_order_params *p) {
    const int64_t most = (int64_t)j->s->device->processors * 16 * GNDI_LAPACK_THREADS;
    const int64_t all = p->rows * p->columns * p->batch;
    return gndi_solver_launch(j, GNDI_LAPACK_ORDER, all < most ? all : most, p);
}

gnd_status gndi_solver_identity(gndi_solver_job *j, const gndi_lapack_matrix *b, int64_t n) {
    gndi_block_params p = {.to = gndi_kernel_matrices(b), .batch = j->plan->batch, .m = n, .n = n, .unit = true};
    return gndi_solver_block(j, &p);
}

gnd_status gndi_solver_transpose(gndi_solver_job *j, gndi_matrices from, gndi_matrices to, int64_t n, int64_t batch) {
    gndi_block_params p = {
        .from = from, .to = to, .batch = batch, .m = n, .n = n, .rows = n, .columns = n, .transposed = true};
    return gndi_solver_block(j, &p);
}

/* ---- products --------------------------------------------------------------------------------- */

static char *address(const gndi_solver_job *j, gndi_matrix_part p, int64_t matrix) {
    return gndi_matrix_at(p.of, matrix) + (p.row + p.column * p.of->ld) * j->bytes;
}

gnd_status gndi_solver_product(gndi_solver_job *j, int trans, gndi_matrix_part a, gndi_matrix_part b,
                               gndi_matrix_part c, int64_t m, int64_t n, int64_t k, double alpha, double beta) {
    enum { COMPUTE_32F = 68, COMPUTE_64F = 70, GEMM_DEFAULT = -1 }; /* cublasComputeType_t ... */
    const double doubles[2][2] = {{alpha, 0}, {beta, 0}};
    const float floats[2][2] = {{(float)alpha, 0}, {(float)beta, 0}};
    const bool wide = j->real_bytes == 8;
    const int type = j->data_type;
    gnd_status status = GND_OK;
    for (int64_t i = 0; i < j->plan->batch && !status; i += GNDI_BATCH_MOST) {
        const int64_t rest = j->plan->batch - i;
        status = gndi_cuda_blas_check(
            j->h->blas->cublasGemmStridedBatchedEx_64(
                j->h->blas_handle, trans, GNDI_PLAIN, m, n, k, wide ? (const void *)doubles[0] : floats[0],
                address(j, a, i), type, a.of->ld, a.of->step / j->bytes, address(j, b, i), type, b.of->ld,
                b.of->step / j->bytes, wide ? (const void *)doubles[1] : floats[1], address(j, c, i), type, c.of->ld,
                c.of->step / j->bytes, rest < GNDI_BATCH_MOST ? rest : GNDI_BATCH_MOST,
                wide ? COMPUTE_64F : COMPUTE_32F, GEMM_DEFAULT),
            j->fn, "cublasGemmStridedBatchedEx");
    }
    return status;
}

/* ---- the hook ------------------------------------------------------------------------------- */

static gnd_status run(gndi_solver_job *j) {
    switch (j->plan->op) {
    case GNDI_LAPACK_SVD: return gndi_cuda_lapack_svd(j);
    case GNDI_LAPACK_QR:
    case GNDI_LAPACK_QR_Q:
    case GNDI_LAPACK_QR_APPLY:
    case GNDI_LAPACK_EIGH:
    case GNDI_LAPACK_EIG: return gndi_cuda_lapack_decompose(j);
    default: return gndi_cuda_lapack_factor(j);
    }
}

gnd_status gndi_cuda_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    static const int data_types[] = {0, 1, 4, 5}; /* CUDA_R_32F, R_64F, C_32F, C_64F */
    gndi_solver_job j = {.s = s, .plan = plan, .fn = fn};
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    const bool is_complex = plan->dtype == GND_COMPLEX64 || plan->dtype == GND_COMPLEX128;
    j.type = wide + 2 * is_complex;
    j.data_type = data_types[j.type];
    j.real_type = data_types[wide];
    j.real_bytes = wide ? 8 : 4;
    j.bytes = j.real_bytes << is_complex;
    const gnd_status status = run(&j);
    if (j.h) gndi_cuda_handles_return(j.h);
    /* The pool reuses them behind the stream's work. */
    for (int i = 0; i < j.buffers; i++) gndi_buffer_release(j.held[i]);
    return status;
}
