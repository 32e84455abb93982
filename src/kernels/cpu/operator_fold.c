/*
 * operator_fold.c: runs of elements folded with an operator. Where they may be regrouped, blocks of
 * them go through the operator's elementwise loop, which is in vectors, into as many accumulators
 * side by side; elsewhere they go one after the other.
 */
#include "kernels/cpu/indices.h"
#include "kernels/cpu/operator_fold.h"

/* Elements from which on blocks of accumulators are quicker than a few chains. */
enum { BLOCKS_FROM = 4 * FOLD_BLOCK, NUMBERS_FROM = 16 };

static int log2_of(int size) {
    return __builtin_ctz((unsigned)size);
}

void gndi_fold_begin(fold_job *job, gndi_op op, gnd_dtype loop, int in_dtype) {
    const gndi_cpu_kernels *kernels = gndi_cpu_kernels_get();
    const bool half = loop == GND_FLOAT16 || loop == GND_BFLOAT16;
    job->op = op, job->kernels = kernels;
    job->associative = (gndi_ops[op].flags & ASSOCIATIVE) != 0;
    job->work = half && job->associative ? GND_FLOAT32 : loop;
    job->in_dtype = (uint8_t)in_dtype;
    job->in_size = gndi_dtype_sizes[in_dtype], job->in_log2 = log2_of(job->in_size);
    job->work_size = gndi_dtype_sizes[job->work], job->work_log2 = log2_of(job->work_size);
    job->cast_in = in_dtype == (int)job->work ? NULL : kernels->cast[in_dtype][job->work];
    job->cast_out = loop == job->work ? NULL : kernels->cast[job->work][loop];
    job->dense = kernels->op[op][job->work];
    job->fold = gndi_cpu_operator_get(op, (int)job->work)->fold;
    const bool extreme = op == GNDI_OP_fmax || op == GNDI_OP_fmin;
    job->numbers = NULL;
    if (extreme && (job->work == GND_FLOAT32 || job->work == GND_FLOAT64))
        job->numbers =
            kernels->reduce.numbers_extreme[op == GNDI_OP_fmax][job->work == GND_FLOAT64];
    atomic_init(&job->fault, 0);
}

static void note(fold_job *job, int fault) {
    if (gndi_unlikely(fault))
        atomic_store_explicit(&job->fault, (int)job->op + 1, memory_order_relaxed);
}

void gndi_fold_end(gnd_stream *s, fold_job *job) {
    const int fault = atomic_load_explicit(&job->fault, memory_order_relaxed);
    if (gndi_unlikely(fault)) gndi_report_fault(s, fault, 0, 0, 0);
}

/* ---- elements as dense ones of the working dtype -------------------------------------------- */

static const char *fetch(const fold_job *job, const char *x, int64_t step, int64_t n, char *raw,
                         char *ready) {
    const gndi_cpu_kernels *k = job->kernels;
    char *gathered = job->cast_in ? raw : ready;
    if (step != job->in_size && n > 1) {
        if (step == 0)
            k->repeat[job->in_log2](x, gathered, n);
        else
            k->gather[job->in_log2](x, step, gathered, n);
        x = gathered;
    }
    if (!job->cast_in) return x;
    job->cast_in(x, ready, n);
    return ready;
}

/* Leaves out what the mask leaves out; the number that stays. */
static int64_t compress(const fold_job *job, const char *x, const char *mask, int64_t mask_step,
                        int64_t n, char *to) {
    const size_t size = (size_t)job->work_size;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask[i * mask_step]) memcpy(to + size * (size_t)kept++, x + size * (size_t)i, size);
    return kept;
}

/* ---- folding -------------------------------------------------------------------------------- */

static void fold_in_order(fold_job *job, char *acc, bool *started, const char *x, int64_t step,
                          int64_t n) {
    if (!*started && n > 0) {
        memcpy(acc, x, (size_t)job->work_size);
        x += step, n--;
        *started = true;
    }
    if (n > 0) note(job, job->fold(acc, x, step, n));
}

void gndi_fold_join(fold_job *job, char *acc, bool *started, const char *with) {
    fold_in_order(job, acc, started, with, 0, 1);
}

/* Neighbouring accumulators, and how many of them are in use. */
typedef struct block {
    _Alignas(64) char at[FOLD_BLOCK * 16];
    int64_t filled;
} block;

static void combine(fold_job *job, char *acc, const char *with, int64_t n) {
    char *operand[3] = {acc, acc, (char *)with};
    note(job, job->dense(operand, n, NULL));
}

static void fold_in_blocks(fold_job *job, block *b, const char *x, int64_t n) {
    const int64_t size = job->work_size;
    if (n > 0 && b->filled < FOLD_BLOCK) {
        const int64_t room = FOLD_BLOCK - b->filled, some = n < room ? n : room;
        memcpy(b->at + b->filled * size, x, (size_t)(some * size));
        b->filled += some, x += some * size, n -= some;
    }
    for (; n > 0; x += FOLD_BLOCK * size, n -= FOLD_BLOCK)
        combine(job, b->at, x, n < FOLD_BLOCK ? n : FOLD_BLOCK);
}

static void join_block(fold_job *job, block *b, char *acc, bool *started) {
    int64_t n = b->filled;
    while (n > 1) {
        const int64_t half = (n + 1) / 2;
        combine(job, b->at, b->at + half * job->work_size, n - half);
        n = half;
    }
    if (n) gndi_fold_join(job, acc, started, b->at);
}

/* fmax or fmin of neighbours. A worst value may stand for nothing but NaN: then it is looked for by the others. */
static bool fold_numbers(fold_job *job, char *acc, bool *started, const char *x, int64_t n) {
    char best[8];
    job->numbers(x, n, best);
    const double value = job->work == GND_FLOAT32 ? *(const float *)(const void *)best
                                                  : *(const double *)(const void *)best;
    if (__builtin_isinf(value)) return false;
    gndi_fold_join(job, acc, started, best);
    return true;
}

void gndi_fold_line(fold_job *job, char *acc, bool *started, const char *x, int64_t step, int64_t n,
                    const char *mask, int64_t mask_step) {
    const bool blocks = job->associative && n >= BLOCKS_FROM, straight = !job->cast_in && !mask;
    if (straight && job->numbers && step == job->work_size && n >= NUMBERS_FROM &&
        fold_numbers(job, acc, started, x, n))
        return;
    if (straight && !blocks) {
        fold_in_order(job, acc, started, x, step, n);
        return;
    }
    block b;
    b.filled = 0;
    if (straight && step == job->work_size) {
        fold_in_blocks(job, &b, x, n);
    } else {
        _Alignas(64) char raw[FOLD_TILE * 16], ready[FOLD_TILE * 16], chosen[FOLD_TILE * 16];
        for (int64_t i = 0; i < n; i += FOLD_TILE) {
            int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
            const char *dense = fetch(job, x + i * step, step, some, raw, ready);
            if (mask) {
                some = compress(job, dense, mask + i * mask_step, mask_step, some, chosen);
                dense = chosen;
            }
            if (blocks)
                fold_in_blocks(job, &b, dense, some);
            else
                fold_in_order(job, acc, started, dense, job->work_size, some);
        }
    }
    if (blocks) join_block(job, &b, acc, started);
}

void gndi_fold_row(fold_job *job, char *acc, bool first, const char *x, int64_t step, int64_t n) {
    _Alignas(64) char raw[FOLD_TILE * 16], ready[FOLD_TILE * 16];
    for (int64_t i = 0; i < n; i += FOLD_TILE) {
        const int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
        const char *dense = fetch(job, x + i * step, step, some, raw, ready);
        if (first)
            memcpy(acc + i * job->work_size, dense, (size_t)(some * job->work_size));
        else
            combine(job, acc + i * job->work_size, dense, some);
    }
}

void gndi_fold_store(const fold_job *job, const char *acc, char *out, int64_t step, int64_t n) {
    char cast[FOLD_TILE * 16];
    for (int64_t i = 0; i < n; i += FOLD_TILE) {
        const int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
        const char *from = acc + i * job->work_size;
        int log2_size = job->work_log2;
        if (job->cast_out) {
            job->cast_out(from, cast, some);
            from = cast, log2_size = 1; /* only halves are computed wider */
        }
        job->kernels->scatter[log2_size](from, out + i * step, step, some);
    }
}
