/*
 * lapack_cpu.c: LAPACK on the CPU, by OpenBLAS: which part does what, and the loop over a batch.
 *
 * Many matrices are divided among gnd's threads, each of which calls LAPACK for one at a time; a few large ones
 * are done one after the other, and OpenBLAS's threads share each of them.
 */
#include "linalg/cpu/lapack_cpu.h"
#include "kernels/cpu/indices.h"
#include "linalg/cpu/openblas_threads.h"
#include "runtime/hooks.h"
#include <math.h>

enum {
    MOST_THREADS = 64, /* that call OpenBLAS at once: it has a table of buffers for them */
    ALIGNMENT = 64,
};

gnd_status gndi_cpu_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    return plan->op < GNDI_LAPACK_QR ? gndi_cpu_lapack_factor(s, plan, fn) : gndi_cpu_lapack_decompose(s, plan, fn);
}

/* ---- NaN ------------------------------------------------------------------------------------ */

static void fill_nan(char *to, int64_t count, int dtype) {
    const bool narrow = dtype == GND_FLOAT32 || dtype == GND_COMPLEX64;
    if (gndi_dtype_is_complex(dtype)) count *= 2;
    for (int64_t i = 0; i < count; i++)
        if (narrow)
            ((float *)(void *)to)[i] = NAN;
        else
            ((double *)(void *)to)[i] = NAN;
}

void gndi_lapack_spoil(const gndi_lapack_matrix *m, int64_t i, int64_t rows, int64_t columns, int dtype) {
    char *to = gndi_lapack_at(m, i);
    for (int64_t k = 0; k < columns; k++, to += m->ld * gndi_dtype_sizes[dtype]) fill_nan(to, rows, dtype);
}

void gndi_lapack_spoil_numbers(char *packed, int64_t i, int64_t count, int dtype) {
    fill_nan(packed + i * count * gndi_dtype_sizes[dtype], count, dtype);
}

/* ---- the batch ------------------------------------------------------------------------------ */

/* A running job. Each of its threads takes a workspace slot. */
typedef struct run {
    const gndi_lapack_job *job;
    char *work;
    size_t work_step;
    int slots;
    atomic_bool taken[MOST_THREADS];
    int64_t failed; /* under failure_lock: the first matrix that failed (-1: none), and its info */
    int info;
} run;

static gndi_lock failure_lock;

/* Takes a free slot: there is one for every thread that may take part. */
static int take_slot(run *r) {
    for (int i = 0;; i = (i + 1) % r->slots)
        if (!atomic_exchange_explicit(&r->taken[i], true, memory_order_acquire)) return i;
}

static void note_failure(run *r, int64_t i, int info) {
    gndi_lock_take(&failure_lock);
    if (r->failed < 0 || i < r->failed) r->failed = i, r->info = info;
    gndi_lock_give(&failure_lock);
}

static void do_matrices(run *r, int64_t begin, int64_t end, char *work) {
    const gndi_lapack_job *job = r->job;
    for (int64_t i = begin; i < end; i++) {
        const int info = job->body(job, i, work);
        if (info <= 0 || !job->spoil) continue;
        job->spoil(job, i);
        note_failure(r, i, info);
    }
}

static void piece(void *context, int64_t begin, int64_t end) {
    run *r = context;
    const int slot = take_slot(r);
    gndi_openblas_alone_here(r->job->blas);
    do_matrices(r, begin, end, r->work + (size_t)slot * r->work_step);
    atomic_store_explicit(&r->taken[slot], false, memory_order_release);
}

static void report(gnd_stream *s, const run *r) {
    const gndi_fault fault = {.code = r->job->fault, .axis = r->info, .value = r->failed, .size = r->job->plan->batch};
    if (r->failed >= 0 && !r->job->plan->quiet) gndi_report(s, &fault);
}

/* How many of gnd's threads take matrices; 0: OpenBLAS's threads share each matrix. Their efficiency is about
   n / (n + 64 threads). They gain nothing below 5e6 operations (0.2 ms), and lose much where other programs
   use the cores, since they spin while they wait for each other (LU of 128 x 128 doubles on 2 busy cores:
   0.1 ms with one thread, 7 ms with two). */
static int threads_for(const gndi_lapack_job *job) {
    const int64_t batch = job->plan->batch;
    const int threads = gndi_thread_count() < MOST_THREADS ? gndi_thread_count() : MOST_THREADS;
    const int64_t rounds = (batch + threads - 1) / threads;
    const double n = cbrt(job->flops), share = n / (n + 64.0 * threads);
    if (job->flops >= 5e6 && (double)(rounds * threads) * share > (double)batch) return 0;
    return batch < threads ? (int)batch : threads;
}

static gnd_status check_sizes(const gndi_lapack_plan *p, const char *fn) {
    const int64_t sizes[] = {p->m, p->n, p->k, p->a.ld, p->b.ld, p->u.ld, p->v.ld};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] > INT32_MAX)
            return gndi_raise(GND_ERROR_SHAPE, fn,
                              "LAPACK counts in 32 bits, and takes no matrix with %lld rows or "
                              "columns",
                              (long long)sizes[i]);
    return GND_OK;
}

/* Bytes to have behind the workspaces: OpenBLAS 0.3.21 reads complex vectors one element too far, and a row of a matrix
   a column too far. */
static size_t bytes_behind(const gndi_lapack_plan *p) {
    const int64_t longest = gndi_max(gndi_max(p->m, p->n), p->k);
    return gndi_dtype_is_complex(p->dtype) ? (size_t)longest * gndi_dtype_sizes[p->dtype] : 0;
}

gnd_status gndi_lapack_run(gnd_stream *s, const gndi_lapack_job *job, const char *fn) {
    const int64_t batch = job->plan->batch;
    const int threads = threads_for(job);
    run r = {.job = job, .slots = threads ? threads : 1, .failed = -1};
    r.work_step = (job->work_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    gnd_status status = check_sizes(job->plan, fn);
    if (status) return status;
    gndi_buffer *memory = gndi_buffer_new(fn, s, r.work_step * (size_t)r.slots + bytes_behind(job->plan));
    if (!memory) return GND_ERROR_MEMORY;
    r.work = memory->base;
    if (threads == 0) {
        do_matrices(&r, 0, batch, r.work);
    } else {
        const int64_t shortest = (int64_t)(20000 / (job->flops / 2 + 500)) + 1;
        const int64_t least = (batch + MOST_THREADS - 1) / MOST_THREADS;
        gndi_openblas_alone(job->blas);
        gndi_parallel_for(batch, shortest > least ? shortest : least, piece, &r);
        gndi_openblas_together(job->blas);
    }
    gndi_buffer_release(memory);
    report(s, &r);
    return GND_OK;
}
