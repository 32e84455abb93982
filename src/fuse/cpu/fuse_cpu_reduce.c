/*
 * fuse_cpu_reduce.c: the reductions of fused programs, by the methods of ordinary reductions (reduce_cpu.h): a
 * tile is a piece to them, whose rows or columns are the rows of a group. Sums of many tiles are joined in
 * levels of partial sums, and blocks of a row as a tree: the order depends only on the geometry.
 */
#include "fuse/cpu/fuse_cpu.h"

static void set_plan(const fuse_job *job, fuse_reduction *r, const gndi_fuse_code *c) {
    const gndi_fuse_reduction *what = &job->plan->reduction[c->at];
    gndi_reduce_plan *p = &r->plan;
    const int64_t size = gndi_dtype_sizes[what->loop];
    const bool tests =
        what->reducer == GNDI_REDUCE_ANY || what->reducer == GNDI_REDUCE_ALL || what->reducer == GNDI_REDUCE_COUNT;
    memset(p, 0, sizeof *p);
    p->reducer = (gndi_reducer)what->reducer, p->finish = (gndi_reduce_finish)what->finish;
    p->loop = tests ? GND_BOOL : (gnd_dtype)what->loop;
    p->divisor = what->divisor, p->ddof = what->ddof;
    p->has_start = what->reducer == GNDI_REDUCE_SUM; /* begins with 0: a sum of -0.0 is 0.0 */
    p->kept_ndim = p->reduced_ndim = 1;
    p->outputs = p->kept_shape[0] = job->group;
    p->length = p->reduced_shape[0] = job->plan->length;
    p->in.dtype = what->loop, p->out.dtype = c->dtype;
    p->in.kept_stride[0] = job->layout == FUSE_COLUMNS ? size : size * p->length;
    p->in.reduced_stride[0] = job->layout == FUSE_COLUMNS ? size * job->group : size;
}

/* Bytes of an output's accumulators. */
static int64_t accumulator_bytes(const reduce_job *j) {
    if (j->method == &gndi_reduce_variances)
        return 3 * (int64_t)sizeof(double) * (gndi_dtype_is_complex((int)j->work) ? 2 : 1);
    return j->component[0].loops->size;
}

bool gndi_fuse_reductions(fuse_job *job, gnd_stream *s, const char *fn) {
    const gndi_fuse_plan *plan = job->plan;
    if (!plan->reductions) return true;
    job->reduction = gndi_malloc(fn, (size_t)plan->reductions * sizeof *job->reduction);
    if (!job->reduction) return false;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind != GNDI_FUSE_REDUCE) continue;
        fuse_reduction *r = &job->reduction[c->at];
        set_plan(job, r, c);
        r->to = (uint16_t)i, r->phase = job->value[i].phase;
        gndi_reduce_describe(&r->job, s, &r->plan);
        r->job.by_rows = job->layout == FUSE_COLUMNS;
        r->job.tile = job->group;
        r->job.acc_bytes = (job->group * accumulator_bytes(&r->job) + 63) / 64 * 64;
        r->levels = gndi_reduce_cascades(&r->job) ? job->levels : 0;
        r->offset = job->memory;
        job->memory += r->job.acc_bytes * (1 + r->levels);
        r->partial = job->partial_bytes;
        job->partial_bytes += r->job.acc_bytes;
    }
    return true;
}

static char *accumulators(fuse_worker *w, const fuse_reduction *r) {
    return (char *)w + r->offset;
}

static reduce_cascade parts_of(fuse_worker *w, int number) {
    const fuse_reduction *r = &w->job->reduction[number];
    const int64_t bytes = r->job.acc_bytes;
    return (reduce_cascade){r->levels, w->pieces[number], bytes, accumulators(w, r) + bytes};
}

void gndi_fuse_reduce_begin(fuse_worker *w, int phase, int64_t rows) {
    for (int k = 0; k < w->job->plan->reductions; k++) {
        const fuse_reduction *r = &w->job->reduction[k];
        if (r->phase != phase) continue;
        reduce_cascade parts = parts_of(w, k);
        r->job.method->clear(&r->job, accumulators(w, r), rows);
        gndi_reduce_cascade_begin(&r->job, &parts, rows);
        w->pieces[k] = 0;
    }
}

void gndi_fuse_reduce_tile(fuse_worker *w, const fuse_tile *t, int number, const char *x) {
    const fuse_reduction *r = &w->job->reduction[number];
    reduce_job *j = &w->reduce[number];
    const int64_t size = gndi_dtype_sizes[r->plan.in.dtype];
    const int64_t outputs = j->by_rows ? t->columns : t->rows;
    const reduce_piece piece = {.in = x, .rows = t->rows, .columns = t->columns};
    reduce_cascade parts = parts_of(w, number);
    j->in = (reduce_steps){t->columns * size, size};
    j->method->take(j, &piece, r->levels ? parts.part : accumulators(w, r));
    if (!r->levels) return;
    gndi_reduce_cascade_on(j, &parts, outputs);
    w->pieces[number] = parts.pieces;
}

static void join_parts(fuse_worker *w, int number, int64_t rows) {
    const fuse_reduction *r = &w->job->reduction[number];
    const reduce_cascade parts = parts_of(w, number);
    gndi_reduce_cascade_end(&r->job, &parts, rows, accumulators(w, r));
}

void gndi_fuse_reduce_end(fuse_worker *w, int phase, int64_t rows) {
    for (int k = 0; k < w->job->plan->reductions; k++) {
        const fuse_reduction *r = &w->job->reduction[k];
        if (r->phase != phase) continue;
        join_parts(w, k, rows);
        r->job.method->store(&r->job, accumulators(w, r), rows, w->at[r->to], gndi_dtype_sizes[r->plan.out.dtype]);
    }
}

void gndi_fuse_reduce_leave(fuse_worker *w, int64_t task, int64_t rows) {
    for (int k = 0; k < w->job->plan->reductions; k++) {
        const fuse_reduction *r = &w->job->reduction[k];
        join_parts(w, k, rows);
        memcpy(w->job->partials + task * w->job->partial_bytes + r->partial, accumulators(w, r),
               (size_t)r->job.acc_bytes);
    }
}

void gndi_fuse_reduce_join(fuse_worker *w, int64_t group, int64_t rows) {
    const fuse_job *job = w->job;
    const int64_t bytes = job->partial_bytes;
    for (int k = 0; k < job->plan->reductions; k++) {
        const fuse_reduction *r = &job->reduction[k];
        char *first = job->partials + group * job->blocks * bytes + r->partial;
        for (int64_t apart = 1; apart < job->blocks; apart *= 2)
            for (int64_t b = 0; b + apart < job->blocks; b += 2 * apart)
                r->job.method->join(&r->job, first + b * bytes, first + (b + apart) * bytes, rows);
        r->job.method->store(&r->job, first, rows, w->at[r->to], gndi_dtype_sizes[r->plan.out.dtype]);
    }
}
