/*
 * elementwise_tiles.c: runs of elements through the kernel: what is strided, repeated or of another dtype goes in and
 * out by way of dense buffers.
 */
#include "elementwise/cpu/elementwise.h"
#include "elementwise/cpu/repeated.h"

const double gndi_cpu_repeated[4];

/* n elements of operand k at `from`, `step` bytes apart, as dense elements of the loop's dtype:
   where they lie if they are so, else in `buffer`. */
static char *load_run(const ew_job *job, int k, char *from, int64_t step, int64_t n, ew_buffers *buffers,
                      char *buffer) {
    const ew_operand *o = &job->operand[k];
    const gndi_cpu_kernels *kernels = job->kernels;
    if (step == o->itemsize || n == 1) {
        if (!o->cast) return from;
        o->cast(from, buffer, n);
        return buffer;
    }
    if (step == 0) {
        char value[16];
        if (o->cast) o->cast(from, value, 1), from = value;
        kernels->repeat[o->loop_size_log2](from, buffer, n);
        return buffer;
    }
    if (!o->cast) {
        job->gather[o->size_log2](from, step, buffer, n);
        return buffer;
    }
    job->gather[o->size_log2](from, step, buffers->scratch, n);
    o->cast(buffers->scratch, buffer, n);
    return buffer;
}

/* n dense elements of the loop's dtype to operand k; where `mask` is not 0, if there is one. */
static void store_run(const ew_job *job, int k, char *from, char *to, int64_t step, const uint8_t *mask, int64_t n,
                      ew_buffers *buffers) {
    const ew_operand *o = &job->operand[k];
    const gndi_cpu_kernels *kernels = job->kernels;
    if (from == to) return; /* the loop wrote it in place */
    if (job->streams && !mask && !o->cast && step == o->itemsize) {
        kernels->stream(from, to, n * o->itemsize);
        return;
    }
    if (o->cast) {
        bool direct = !mask && step == o->itemsize;
        char *cast = direct ? to : buffers->scratch;
        o->cast(from, cast, n);
        if (direct) return;
        from = cast;
    }
    if (mask)
        kernels->scatter_masked[o->size_log2](from, to, step, mask, n);
    else
        kernels->scatter[o->size_log2](from, to, step, n);
}

static void note_fault(ew_job *job) {
    atomic_store_explicit(&job->fault, (int)job->plan->op + 1, memory_order_relaxed);
}

/* The loop over one tile. A CHECKED operator looks only at what the mask lets through. */
void ew_compute(ew_job *job, char **dense, const uint8_t *mask, int64_t n) {
    const double *params = job->params;
    if (!mask || !job->checked) {
        if (gndi_unlikely(job->kernel(dense, n, params))) note_fault(job);
        return;
    }
    for (int64_t i = 0; i < n;) {
        if (!mask[i]) {
            i++;
            continue;
        }
        int64_t first = i;
        while (i < n && mask[i]) i++;
        char *part[GNDI_MAX_OPERANDS];
        for (int k = 0; k < job->nout + job->nin; k++) part[k] = dense[k] + first * job->operand[k].loop_itemsize;
        if (gndi_unlikely(job->kernel(part, i - first, params))) note_fault(job);
    }
}

bool ew_copies_directly(const ew_job *job) {
    const ew_operand *to = &job->operand[0], *from = &job->operand[1];
    if (!job->is_copy || job->count != 2 || job->streams || (to->cast && from->cast)) return false;
    return to->step == to->itemsize && !from->repeated && from->step == from->itemsize;
}

/* Copies dense elements to dense ones, cast or not, if that is the whole operation; whether it was. */
static bool copy_run(const ew_job *job, char *const *p, int64_t n) {
    const ew_operand *to = &job->operand[0], *from = &job->operand[1];
    if (!ew_copies_directly(job)) return false;
    if (to->cast || from->cast)
        (to->cast ? to->cast : from->cast)(p[1], p[0], n);
    else
        memcpy(p[0], p[1], (size_t)(n * to->itemsize));
    return true;
}

void ew_do_run(ew_job *job, char *const *p, char *const *ready, int64_t n, ew_buffers *buffers) {
    if (!ready && copy_run(job, p, n)) return;
    char *dense[GNDI_MAX_OPERANDS];
    const uint8_t *mask = NULL;
    for (int k = job->nout; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        char *buffer = buffers->operand[k];
        if (ready && ready[k])
            dense[k] = ready[k];
        else if (o->repeated)
            dense[k] = buffer;
        else
            dense[k] = load_run(job, k, p[k], o->step, n, buffers, buffer);
    }
    if (job->plan->masked) mask = (const uint8_t *)dense[job->count - 1];
    for (int k = 0; k < job->nout; k++) {
        const ew_operand *o = &job->operand[k];
        bool in_place = !mask && !o->cast && (o->step == o->itemsize || n == 1) && !job->streams;
        dense[k] = in_place ? p[k] : buffers->operand[k];
    }
    if (job->is_copy)
        dense[0] = dense[1]; /* nothing to compute: what was loaded is stored */
    else
        ew_compute(job, dense, mask, n);
    for (int k = 0; k < job->nout; k++) store_run(job, k, dense[k], p[k], job->operand[k].step, mask, n, buffers);
}

void ew_fill_repeated(const ew_job *job, int64_t n, ew_buffers *buffers) {
    if (n > job->tile) n = job->tile;
    for (int k = job->nout; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        if (o->repeated) job->kernels->repeat[o->loop_size_log2](o->data, buffers->operand[k], n);
    }
}
