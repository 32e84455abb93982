/*
 * operator_fold.c: runs of elements folded with an operator. Where they may be regrouped, blocks of
 * them go through the operator's elementwise loop, which is in vectors, into as many accumulators
 * side by side; elsewhere they go one after the other.
 */
#include "reduce/cpu/bit_folds.h"
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"

/* Elements from which on blocks of accumulators are quicker than a few chains, and loops over vectors than
   an element at a time. */
enum { BLOCKS_FROM = 4 * FOLD_BLOCK, NUMBERS_FROM = 16 };

static int log2_of(int size) {
    return __builtin_ctz((unsigned)size);
}

static const gndi_cpu_reduction *bits_of(gndi_op op, int log2_size) {
    const gndi_cpu_bit_folds *folds = gndi_cpu_bit_folds_get();
    switch (op) {
    case GNDI_OP_bitwise_and:
    case GNDI_OP_logical_and:
    case GNDI_OP_minimum:
    case GNDI_OP_fmin: return &(*folds)[GNDI_CPU_AND][log2_size];
    case GNDI_OP_bitwise_or:
    case GNDI_OP_logical_or:
    case GNDI_OP_maximum:
    case GNDI_OP_fmax: return &(*folds)[GNDI_CPU_OR][log2_size];
    case GNDI_OP_bitwise_xor:
    case GNDI_OP_logical_xor: return &(*folds)[GNDI_CPU_XOR][log2_size];
    default: return NULL;
    }
}

static void find_loops(fold_job *job) {
    const gndi_op op = job->op;
    const gnd_dtype work = job->work;
    const bool bits = op == GNDI_OP_bitwise_and || op == GNDI_OP_bitwise_or || op == GNDI_OP_bitwise_xor;
    const bool wide = work >= GND_FLOAT32; /* real or complex */
    if (bits && gndi_dtype_is_int((int)work)) {
        job->loops = bits_of(op, job->work_log2), job->relation = FOLD_SAME;
    } else if (op == GNDI_OP_subtract && gndi_dtype_is_int((int)work)) {
        job->loops = &(*gndi_cpu_bit_folds_get())[GNDI_CPU_ADD][job->work_log2];
        job->relation = FOLD_SUBTRACTED;
    } else if ((op == GNDI_OP_fmax || op == GNDI_OP_fmin) && wide) {
        const int fold = op == GNDI_OP_fmax ? GNDI_CPU_MAXIMUM : GNDI_CPU_MINIMUM;
        job->loops = &gndi_cpu_reductions_get()->fold[fold][work], job->relation = FOLD_NO_NAN;
    }
}

void gndi_fold_tight(fold_job *job) {
    if (job->work != GND_BOOL || job->in_dtype != GND_BOOL) return;
    job->loops = bits_of(job->op, 0), job->relation = FOLD_SAME;
    /* Of 0 and 1 the loop of bytes gives the same by one comparison: bool's reads one operand under the mask that the
       other makes, which the hardware does not fetch ahead. */
    const gndi_cpu_kernel of_bytes = job->kernels->op[job->op][GND_UINT8];
    if (gndi_ops[job->op].out[0] == 'B' && of_bytes) job->dense = of_bytes;
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
        job->numbers = gndi_cpu_reductions_get()->numbers_extreme[op == GNDI_OP_fmax][job->work == GND_FLOAT64];
    job->loops = NULL;
    find_loops(job);
    atomic_init(&job->fault, 0);
}

static void note(fold_job *job, int fault) {
    if (gndi_unlikely(fault)) atomic_store_explicit(&job->fault, (int)job->op + 1, memory_order_relaxed);
}

void gndi_fold_end(gnd_stream *s, fold_job *job) {
    const int fault = atomic_load_explicit(&job->fault, memory_order_relaxed);
    if (gndi_unlikely(fault)) gndi_report_fault(s, fault, 0, 0, 0);
}

/* ---- elements as dense ones of the working dtype -------------------------------------------- */

static const char *fetch(const fold_job *job, const char *x, int64_t step, int64_t n, char *raw, char *ready) {
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
static int64_t compress(const fold_job *job, const char *x, const char *mask, int64_t mask_step, int64_t n, char *to) {
    const size_t size = (size_t)job->work_size;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask[i * mask_step]) memcpy(to + size * (size_t)kept++, x + size * (size_t)i, size);
    return kept;
}

/* ---- folding -------------------------------------------------------------------------------- */

/* Whether one of n values is NaN. */
static bool any_nan(const fold_job *job, const char *x, int64_t n) {
    char nan[FOLD_TILE];
    for (int64_t i = 0; i < n; i += FOLD_TILE) {
        const int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
        char *operand[2] = {nan, (char *)(uintptr_t)(x + i * job->work_size)};
        job->kernels->op[GNDI_OP_isnan][job->work](operand, some, NULL);
        if (memchr(nan, 1, (size_t)some)) return true;
    }
    return false;
}

static void combine(fold_job *job, char *acc, const char *with, int64_t n) {
    char *operand[3] = {acc, acc, (char *)with};
    note(job, job->dense(operand, n, NULL));
}

/* Neighbours into an accumulator that holds one, by a reduction's loop. False: it does not compute the same. */
static bool fold_by_loop(fold_job *job, char *acc, const char *x, int64_t n) {
    char result[16] __attribute__((aligned(16)));
    if (job->relation == FOLD_SAME) {
        job->loops->runs(x, 0, n, 1, acc);
        return true;
    }
    job->loops->clear(result, 1);
    job->loops->runs(x, 0, n, 1, result);
    if (job->relation == FOLD_NO_NAN && any_nan(job, result, 1)) return false;
    combine(job, acc, result, 1);
    return true;
}

static void fold_in_order(fold_job *job, char *acc, bool *started, const char *x, int64_t step, int64_t n) {
    if (!*started && n > 0) {
        memcpy(acc, x, (size_t)job->work_size);
        x += step, n--;
        *started = true;
    }
    if (n >= NUMBERS_FROM && job->loops && step == job->work_size && fold_by_loop(job, acc, x, n)) return;
    if (n > 0) note(job, job->fold(acc, x, step, n));
}

void gndi_fold_join(fold_job *job, char *acc, bool *started, const char *with) {
    fold_in_order(job, acc, started, with, 0, 1);
}

void gndi_fold_join_row(fold_job *job, char *acc, bool first, const char *with, int64_t n) {
    if (first)
        memcpy(acc, with, (size_t)(n * job->work_size));
    else
        combine(job, acc, with, n);
}

/* Neighbouring accumulators, and how many of them are in use. */
typedef struct block {
    _Alignas(64) char at[FOLD_BLOCK * 16];
    int64_t filled;
} block;

static void fold_in_blocks(fold_job *job, block *b, const char *x, int64_t n) {
    const int64_t size = job->work_size;
    if (n > 0 && b->filled < FOLD_BLOCK) {
        const int64_t space = FOLD_BLOCK - b->filled, some = n < space ? n : space;
        memcpy(b->at + b->filled * size, x, (size_t)(some * size));
        b->filled += some, x += some * size, n -= some;
    }
    for (; n > 0; x += FOLD_BLOCK * size, n -= FOLD_BLOCK) combine(job, b->at, x, n < FOLD_BLOCK ? n : FOLD_BLOCK);
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
    const double value =
        job->work == GND_FLOAT32 ? *(const float *)(const void *)best : *(const double *)(const void *)best;
    if (__builtin_isinf(value)) return false;
    gndi_fold_join(job, acc, started, best);
    return true;
}

void gndi_fold_line(fold_job *job, char *acc, bool *started, const char *x, int64_t step, int64_t n, const char *mask,
                    int64_t mask_step) {
    const bool straight = !job->cast_in && !mask, dense = straight && step == job->work_size;
    const bool by_loop = dense && job->loops && job->relation == FOLD_SAME;
    const bool steps = job->op == GNDI_OP_gcd; /* once it is 1, a step costs next to nothing: operator_loops.hpp */
    const bool blocks = job->associative && n >= BLOCKS_FROM && !by_loop && !steps;
    if (dense && job->numbers && n >= NUMBERS_FROM && fold_numbers(job, acc, started, x, n)) return;
    if (straight && !blocks) {
        fold_in_order(job, acc, started, x, step, n);
        return;
    }
    block b;
    b.filled = 0;
    if (dense) {
        fold_in_blocks(job, &b, x, n);
    } else {
        _Alignas(64) char raw[FOLD_TILE * 16], ready[FOLD_TILE * 16], chosen[FOLD_TILE * 16];
        for (int64_t i = 0; i < n; i += FOLD_TILE) {
            int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
            const char *elements = fetch(job, x + i * step, step, some, raw, ready);
            if (mask) {
                some = compress(job, elements, mask + i * mask_step, mask_step, some, chosen);
                elements = chosen;
            }
            if (blocks)
                fold_in_blocks(job, &b, elements, some);
            else
                fold_in_order(job, acc, started, elements, job->work_size, some);
        }
    }
    if (blocks) join_block(job, &b, acc, started);
}

void gndi_fold_row(fold_job *job, char *acc, bool first, const char *x, int64_t step, int64_t n) {
    _Alignas(64) char raw[FOLD_TILE * 16], ready[FOLD_TILE * 16];
    for (int64_t i = 0; i < n; i += FOLD_TILE) {
        const int64_t some = n - i < FOLD_TILE ? n - i : FOLD_TILE;
        const char *row = fetch(job, x + i * step, step, some, raw, ready);
        gndi_fold_join_row(job, acc + i * job->work_size, first, row, some);
    }
}

bool gndi_fold_rows_by_loop(const fold_job *job) {
    return job->loops && job->relation != FOLD_SUBTRACTED && !job->cast_in;
}

/* Neighbours by a reduction's loop, a few rows at a time. False: it does not compute the same. */
static bool fold_rows_by_loop(fold_job *job, char *acc, bool first, const char *x, int64_t apart, int64_t rows,
                              int64_t n) {
    _Alignas(64) char result[FOLD_TILE * 16];
    const bool same = job->relation == FOLD_SAME;
    if (same && first) {
        memcpy(acc, x, (size_t)(n * job->work_size));
        x += apart, rows--;
    }
    if (!same) job->loops->clear(result, n);
    job->loops->rows(x, apart, rows, n, same ? acc : result);
    if (same) return true;
    if (any_nan(job, result, n)) return false;
    gndi_fold_join_row(job, acc, first, result, n);
    return true;
}

void gndi_fold_rows(fold_job *job, char *acc, bool first, const char *x, int64_t apart, int64_t rows, int64_t step,
                    int64_t n) {
    enum { ROWS = 128 };
    const bool by_loop = gndi_fold_rows_by_loop(job) && step == job->work_size && n <= FOLD_TILE;
    for (int64_t i = 0; i < rows; i += ROWS) {
        const int64_t some = rows - i < ROWS ? rows - i : ROWS;
        if (by_loop && fold_rows_by_loop(job, acc, first && !i, x + i * apart, apart, some, n)) continue;
        for (int64_t k = i; k < i + some; k++) gndi_fold_row(job, acc, first && !k, x + k * apart, step, n);
    }
}

void gndi_fold_runs(fold_job *job, char *acc, bool first, const char *x, int64_t across, int64_t step, int64_t n,
                    int64_t count) {
    if (job->loops && job->relation == FOLD_SAME && !job->cast_in && step == job->work_size) {
        if (first) job->loops->clear(acc, count);
        job->loops->runs(x, across, n, count, acc);
        return;
    }
    _Alignas(64) char columns[FOLD_BUFFER];
    const int64_t row = count * job->in_size, most = FOLD_BUFFER / row;
    for (int64_t i = 0; i < n; i += most) {
        const int64_t some = n - i < most ? n - i : most;
        job->kernels->transpose[job->in_log2](x + i * step, step, across, columns, row, some, count, false);
        for (int64_t k = 0; k < some; k++, first = false)
            gndi_fold_row(job, acc, first, columns + k * row, job->in_size, count);
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
