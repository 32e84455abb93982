/*
 * fuse_cpu_run.c: a worker runs the steps over a tile, one after the other.
 */
#include "random/cpu/random_loops.h"
#include "fuse/cpu/fuse_cpu.h"

void gndi_fuse_ready(fuse_worker *w) {
    const fuse_job *job = w->job;
    const gndi_fuse_plan *plan = job->plan;
    const int64_t most = job->tile > job->group ? job->tile : job->group;
    for (int v = 0; v < job->values; v++) {
        if (job->value[v].home == FUSE_NOWHERE) continue;
        w->at[v] = fuse_home_of(w, v);
        w->filled[v] = (fuse_filled){.group = -1};
    }
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_CONST && job->value[i].home == FUSE_PINNED)
            job->kernels->repeat[job->value[i].size_log2]((const char *)&plan->constant[plan->code[i].at], w->at[i],
                                                          most);
    for (int r = 0; r < plan->reductions; r++) w->reduce[r] = job->reduction[r].job;
    w->group_number = 0;
    w->ready = true;
}

/* A value's buffer. The address of a kept value is set for each tile. */
static char *buffer_of(fuse_worker *w, int value) {
    return w->job->value[value].home == FUSE_KEPT ? w->at[value] : fuse_home_of(w, value);
}

/* The destination of a step's k-th value: its buffer, or the output's memory. */
static char *target(fuse_worker *w, const fuse_tile *t, const fuse_step *step, int k) {
    const int value = k ? step->second : step->to;
    char *p = NULL;
    if (step->output[k] >= 0 && !w->job->streams) p = gndi_fuse_in_place(w->job, t, step->output[k]);
    return w->at[value] = p ? p : buffer_of(w, value);
}

static void run_op(fuse_worker *w, const fuse_tile *t, const fuse_step *step) {
    char *operand[GNDI_MAX_OUT + GNDI_MAX_IN];
    int count = 0;
    for (int k = 0; k < step->nout; k++) operand[count++] = target(w, t, step, k);
    for (int k = 0; k < step->nin; k++) operand[count++] = w->at[step->in[k]];
    step->op(operand, t->n, step->params);
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* As gndi_cpu_sequence computes them: integers modulo 2^64, the others in float64. */
static void run_range(fuse_worker *w, const fuse_tile *t, const fuse_step *step) {
    enum { PIECE = 256 };
    const fuse_job *job = w->job;
    const gndi_scalar *first = &job->plan->constant[step->at], *by = first + 1;
    const int dtype = job->value[step->to].dtype, size = gndi_dtype_sizes[dtype];
    const int64_t *index = (const int64_t *)(const void *)w->at[step->in[0]];
    char *to = target(w, t, step, 0);
    for (int64_t k = 0; k < t->n; k += PIECE, index += PIECE, to += PIECE * size) {
        const int64_t n = t->n - k < PIECE ? t->n - k : PIECE;
        if (dtype < GND_FLOAT16) {
            uint64_t x[PIECE];
            for (int64_t i = 0; i < n; i++) x[i] = first->u64 + (uint64_t)index[i] * by->u64;
            job->kernels->cast[GND_UINT64][dtype]((const char *)x, to, n);
        } else if (!gndi_dtype_is_complex(dtype)) {
            double x[PIECE];
            job->kernels->cast[GND_INT64][GND_FLOAT64]((const char *)index, (char *)x, n);
            for (int64_t i = 0; i < n; i++) x[i] = first->f64 + x[i] * by->f64;
            job->kernels->cast[GND_FLOAT64][dtype]((const char *)x, to, n);
        } else {
            double x[2 * PIECE];
            for (int64_t i = 0; i < n; i++) {
                x[2 * i] = first->c128[0] + (double)index[i] * by->c128[0];
                x[2 * i + 1] = first->c128[1] + (double)index[i] * by->c128[1];
            }
            job->kernels->cast[GND_COMPLEX128][dtype]((const char *)x, to, n);
        }
    }
}

/* ---- uniform numbers ------------------------------------------------------------------------ */

/* n consecutive numbers of a draw, from index `first` on. */
static void uniform_run(const gndi_scalar *state, int dtype, int64_t first, int64_t n, char *to) {
    _Alignas(64) uint32_t words[GNDI_RANDOM_CHUNK];
    _Alignas(64) char made[GNDI_RANDOM_CHUNK * 4];
    static const gndi_random_value no_values[GNDI_RANDOM_PARAMETERS];
    const gndi_cpu_random_vectors *random = gndi_cpu_random_vectors_get();
    const int wide = dtype != GND_FLOAT32;
    const int64_t each = wide ? 2 : 1, size = gndi_dtype_sizes[dtype];
    uint64_t position = state[1].u64 + (uint64_t)(first * each); /* in words */
    while (n > 0) {
        const int64_t skip = (int64_t)(position % 4) / each, most = GNDI_RANDOM_CHUNK / each - skip;
        const int64_t here = n < most ? n : most;
        const int64_t count = ((skip + here) * each + GNDI_RANDOM_STEP - 1) / GNDI_RANDOM_STEP * GNDI_RANDOM_STEP;
        random->philox(state[0].u64, position / 4, (uint32_t)state[2].u64, words, count);
        random->transform[GNDI_RANDOM_random][wide](words, count / each, no_values, made);
        memcpy(to, made + skip * size, (size_t)(here * size));
        position += (uint64_t)(here * each), n -= here, to += here * size;
    }
}

/* Numbers with consecutive indices, or with the same index, are computed together. */
static void run_uniform(fuse_worker *w, const fuse_tile *t, const fuse_step *step) {
    const fuse_job *job = w->job;
    const gndi_scalar *state = &job->plan->constant[step->at];
    const int dtype = job->value[step->to].dtype, log2 = job->value[step->to].size_log2;
    const int64_t *index = (const int64_t *)(const void *)w->at[step->in[0]];
    char *to = target(w, t, step, 0);
    for (int64_t i = 0, end; i < t->n; i = end) {
        const int64_t by = i + 1 < t->n && index[i + 1] == index[i] ? 0 : 1;
        for (end = i + 1; end < t->n && index[end] == index[end - 1] + by;) end++;
        uniform_run(state, dtype, index[i], by ? end - i : 1, to + (i << log2));
        if (!by) job->kernels->repeat[log2](to + (i << log2), to + (i << log2), end - i);
    }
}

/* ---- a tile's steps ------------------------------------------------------------------------- */

void gndi_fuse_run(fuse_worker *w, const fuse_steps *steps, const fuse_tile *t) {
    const fuse_job *job = w->job;
    const fuse_step *step = steps->step;
    for (const fuse_step *end = step + steps->count; step < end; step++) {
        switch (step->kind) {
        case GNDI_FUSE_LOAD: w->at[step->to] = gndi_fuse_load(w, t, step, buffer_of(w, step->to)); break;
        case GNDI_FUSE_OP: run_op(w, t, step); break;
        case GNDI_FUSE_CAST: step->cast(w->at[step->in[0]], target(w, t, step, 0), t->n); break;
        case GNDI_FUSE_STORE: gndi_fuse_store(job, t, step->at, w->at[step->in[0]]); break;
        case GNDI_FUSE_REDUCE: gndi_fuse_reduce_tile(w, t, step->at, w->at[step->in[0]]); break;
        case FUSE_STEP_SPREAD: gndi_fuse_spread(w, t, step); break;
        case GNDI_FUSE_CONST:
            job->kernels->repeat[job->value[step->to].size_log2]((const char *)&job->plan->constant[step->at],
                                                                 w->at[step->to], t->n);
            break;
        case GNDI_FUSE_INDEX: gndi_fuse_index(job, t, step->at, (int64_t *)(void *)w->at[step->to]); break;
        case GNDI_FUSE_RANGE: run_range(w, t, step); break;
        default: run_uniform(w, t, step); break;
        }
    }
}
