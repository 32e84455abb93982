/*
 * scan_cpu.c: carries out a scan on the CPU.
 *
 * Lines that lie side by side are scanned as rows: one loop of the operator combines the row before
 * with the next row of input. Others are scanned line by line, through a small buffer where they are
 * not dense elements of the loop's dtype. float16 and bfloat16 that carry float32 are cast around
 * the loops of float32.
 *
 * If there are few lines, they are cut into blocks. A block is scanned by itself, and what came
 * before it is combined with each element. One thread does this as it goes; several take some blocks
 * at a time, first for their totals, then, while the input is still in cache, for the results. The
 * blocks depend on the geometry alone, so all numbers of threads give the same bits.
 */
#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/cpu/isa.h"
#include "scan/cpu/scan_loops.h"
#include "kernels/cpu/indices.h"
#include "reduce/cpu/products_cpu.h"
#include "scan/scan_plan.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_scans, gndi_cpu_scans_get, scans)

enum {
    TILE = 1024,           /* elements on their way through a buffer */
    ROW = 1024,            /* lines that are scanned as rows of so many elements */
    GROUP = 16,            /* lines that lie side by side, but are too few for rows */
    ROWS_LEAST = 32,       /* lines for rows; lines shorter than this become rows too */
    DENSE_LEAST = 6,       /* lines for rows whose elements are neighbours */
    BLOCK = 32768,         /* elements of a task where lines are cut */
    TASKS = 64,            /* if there are fewer of them, lines are cut */
    TASKS_EACH = 4,        /* blocks a thread takes in one go */
    GRAIN = 32768,         /* elements that are worth a thread */
    FEW_THREADS = 2,       /* do not keep the memory busy */
    PAST_CACHES = 24 << 20 /* bytes of a result that nobody would find in the caches */
};

typedef char buffer[TILE * 16] __attribute__((aligned(64)));

/* Everything the pieces of one scan need to know. */
typedef struct job {
    const gndi_scan_plan *plan;
    const gndi_cpu_kernels *kernels;
    gndi_cpu_kernel op; /* both in dtype `work` */
    gndi_cpu_scan_line line;
    gnd_dtype work;
    int in_size, out_size, work_size;
    bool exact;   /* the operator rounds nothing: a block can go on from the one before */
    bool streams; /* the result goes past the caches */
    bool by_rows;
    bool starts;                   /* lines start from values */
    int64_t in_stride, out_stride; /* bytes between the lines of a group */
    int64_t width, group;          /* lines along the fastest of their axes, and in a group */
    int64_t groups_across, groups;
    int64_t block, blocks; /* elements of a line in a block */
    atomic_int fault;
} job;

/* A group of lines, or a part of them: where it lies, and what it is to give. */
typedef struct piece {
    const char *in;
    char *out; /* NULL: only the totals are asked for */
    int64_t count, length;
    const char *before; /* the results before it, one for each line; NULL: it begins the lines */
    char *total;        /* the last results of it; without `before` unless `exact` */
} piece;

/* ---- elements in and out -------------------------------------------------------------------- */

static int log2_size(int size) {
    return size == 16 ? 4 : __builtin_ctz((unsigned)size);
}

static void replace_nan(const job *j, char *x, int64_t n) {
    const int unit = j->plan->op == GNDI_OP_multiply;
    switch (j->work) {
    case GND_FLOAT32: {
        float *p = (float *)x;
        for (int64_t i = 0; i < n; i++) p[i] = p[i] == p[i] ? p[i] : (float)unit;
        break;
    }
    case GND_FLOAT64: {
        double *p = (double *)x;
        for (int64_t i = 0; i < n; i++) p[i] = p[i] == p[i] ? p[i] : (double)unit;
        break;
    }
    case GND_COMPLEX64: {
        float *p = (float *)x;
        for (int64_t i = 0; i < 2 * n; i += 2)
            if (p[i] != p[i] || p[i + 1] != p[i + 1]) p[i] = (float)unit, p[i + 1] = 0;
        break;
    }
    default: {
        double *p = (double *)x;
        for (int64_t i = 0; i < 2 * n; i += 2)
            if (p[i] != p[i] || p[i + 1] != p[i + 1]) p[i] = (double)unit, p[i + 1] = 0;
    }
    }
}

/* n elements (at most TILE), `step` bytes apart, as dense ones of dtype `work`: where they lie if
   they are so, else in `to`. */
static const char *fetch(const job *j, const char *from, int64_t step, int64_t n, char *to) {
    const gndi_cpu_kernels *kernels = j->kernels;
    const int in = j->plan->in.dtype, loop = (int)j->plan->loop, work = (int)j->work;
    const bool clean = !j->plan->skip_nan;
    buffer raw;
    if (in == loop && loop == work && step == j->in_size && clean) return from;
    if (step != j->in_size && n > 1) {
        char *dense = in == work ? to : raw;
        if (step == 0)
            kernels->repeat[log2_size(j->in_size)](from, dense, n);
        else
            kernels->gather[log2_size(j->in_size)](from, step, dense, n);
        from = dense;
    }
    if (in != loop && loop != work) { /* rounded to 16 bits first */
        buffer half;
        kernels->cast[in][loop](from, half, n);
        kernels->cast[loop][work](half, to, n);
    } else if (in != work) {
        kernels->cast[in][work](from, to, n);
    } else if (from != to) {
        memcpy(to, from, (size_t)(n * j->work_size));
    }
    if (!clean) replace_nan(j, to, n);
    return to;
}

/* Whether results can be computed where they are to lie. */
static bool stays(const job *j, int64_t step) {
    return j->work == j->plan->loop && step == j->out_size && !j->streams;
}

static void put(const job *j, const char *from, char *to, int64_t step, int64_t n) {
    const gndi_cpu_kernels *kernels = j->kernels;
    buffer half;
    if (from == to) return;
    if (j->work != j->plan->loop) {
        char *cast = step == j->out_size && !j->streams ? to : half;
        kernels->cast[j->work][j->plan->loop](from, cast, n);
        from = cast;
    }
    if (from == to) return;
    if (step != j->out_size)
        kernels->scatter[log2_size(j->out_size)](from, to, step, n);
    else if (j->streams)
        kernels->stream(from, to, n * j->out_size);
    else
        memcpy(to, from, (size_t)(n * j->out_size));
}

/* out[i] = op(a[i], b[i]) */
static void combine(job *j, char *out, const char *a, const char *b, int64_t n) {
    char *const operand[3] = {out, (char *)(uintptr_t)a, (char *)(uintptr_t)b};
    if (gndi_unlikely(j->op(operand, n, NULL)))
        atomic_store_explicit(&j->fault, (int)j->plan->op + 1, memory_order_relaxed);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Up to TILE elements of one line of a piece, from element `first` of the line on. */
static void scan_part(job *j, const piece *p, int64_t line, int64_t first, int64_t n, char *carry, const char *before) {
    const gndi_scan_plan *plan = j->plan;
    buffer input, result;
    const char *x = fetch(j, p->in + line * j->in_stride + first * plan->in.step, plan->in.step, n, input);
    char *out = p->out ? p->out + line * j->out_stride + first * plan->out.step : NULL;
    char *to = out && stays(j, plan->out.step) ? out : result;
    if (gndi_unlikely(j->line(x, to, n, carry, first == 0 && !(j->exact && p->before))))
        atomic_store_explicit(&j->fault, (int)plan->op + 1, memory_order_relaxed);
    if (!out) return;
    if (before) combine(j, to, before, to, n);
    put(j, to, out, plan->out.step, n);
}

static void scan_lines(job *j, const piece *p) {
    const int size = j->work_size;
    const bool joins = p->before && !j->exact && p->out;
    char carry[GROUP * 16] __attribute__((aligned(16)));
    buffer before;
    if (j->exact && p->before) memcpy(carry, p->before, (size_t)(p->count * size));
    for (int64_t first = 0; first < p->length; first += TILE) {
        const int64_t n = p->length - first < TILE ? p->length - first : TILE;
        for (int64_t line = 0; line < p->count; line++) {
            if (joins && (first == 0 || p->count > 1))
                j->kernels->repeat[log2_size(size)](p->before + line * size, before, n);
            scan_part(j, p, line, first, n, carry + line * size, joins ? before : NULL);
        }
    }
    if (p->total) memcpy(p->total, carry, (size_t)(p->count * size));
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void copy_row(const job *j, char *to, const char *from, int64_t n) {
    if (j->work != GND_BOOL) {
        memmove(to, from, (size_t)(n * j->work_size));
        return;
    }
    for (int64_t i = 0; i < n; i++) to[i] = from[i] != 0;
}

/* `rows` rows of input, one behind the other in `to`, or where they lie if they lie so. */
static const char *fetch_rows(const job *j, const char *from, int64_t rows, int64_t n, char *to) {
    const int64_t step = j->plan->in.step;
    if (j->in_stride == j->in_size && step == n * j->in_size) return fetch(j, from, j->in_size, rows * n, to);
    for (int64_t i = 0; i < rows; i++) {
        char *row = to + i * n * j->work_size;
        const char *at = fetch(j, from + i * step, j->in_stride, n, row);
        if (at != row) memcpy(row, at, (size_t)(n * j->work_size));
    }
    return to;
}

static void put_rows(const job *j, const char *from, char *to, int64_t rows, int64_t n) {
    const int64_t step = j->plan->out.step;
    if (j->out_stride == j->out_size && step == n * j->out_size) {
        put(j, from, to, j->out_size, rows * n);
        return;
    }
    for (int64_t i = 0; i < rows; i++) put(j, from + i * n * j->work_size, to + i * step, j->out_stride, n);
}

/* Rows that are computed where they are to lie. */
static void scan_rows_in_place(job *j, const piece *p) {
    buffer input;
    const char *last = j->exact ? p->before : NULL;
    char *out = p->out;
    for (int64_t i = 0; i < p->length; i++, out += j->plan->out.step) {
        const char *x = fetch(j, p->in + i * j->plan->in.step, j->in_stride, p->count, input);
        if (last)
            combine(j, out, last, x, p->count);
        else
            copy_row(j, out, x, p->count);
        last = out;
    }
    if (p->total) memcpy(p->total, last, (size_t)(p->count * j->work_size));
}

/* Some rows at a time: scanned, joined with what comes before, and put where they belong. */
static void scan_rows(job *j, const piece *p) {
    const bool joins = p->before && !j->exact && p->out;
    const int64_t n = p->count, row = n * j->work_size;
    const int64_t most = (int64_t)sizeof(buffer) / row;
    buffer input, rows, before, carry;
    bool first = true;
    if (p->out && !joins && stays(j, j->out_stride)) {
        scan_rows_in_place(j, p);
        return;
    }
    if (j->exact && p->before) memcpy(carry, p->before, (size_t)row), first = false;
    for (int64_t i = 0; joins && i < most; i++) memcpy(before + i * row, p->before, (size_t)row);
    for (int64_t i = 0; i < p->length; i += most) {
        const int64_t some = p->length - i < most ? p->length - i : most;
        const char *x = fetch_rows(j, p->in + i * j->plan->in.step, some, n, input);
        for (int64_t k = 0; k < some; k++, first = false) {
            char *to = rows + k * row;
            if (first)
                copy_row(j, to, x + k * row, n);
            else
                combine(j, to, k ? to - row : carry, x + k * row, n);
        }
        memcpy(carry, rows + (some - 1) * row, (size_t)row);
        if (joins) combine(j, rows, before, rows, some * n);
        if (p->out) put_rows(j, rows, p->out + i * j->plan->out.step, some, n);
    }
    if (p->total) memcpy(p->total, carry, (size_t)row);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Task number `task`: a block of a group of lines; first the first block of all groups. */
static piece piece_of(const job *j, int64_t task) {
    const gndi_scan_plan *plan = j->plan;
    const int64_t first = task / j->groups * j->block, group = task % j->groups;
    const int64_t across = group % j->groups_across * j->group;
    int64_t index = group / j->groups_across;
    piece p = {.in = plan->in.data + first * plan->in.step + across * j->in_stride,
               .out = plan->out.data + first * plan->out.step + across * j->out_stride};
    for (int i = plan->ndim - 2; i >= 0; i--) {
        const int64_t digit = index % plan->shape[i];
        index /= plan->shape[i];
        p.in += digit * plan->in.stride[i], p.out += digit * plan->out.stride[i];
    }
    p.count = j->width - across < j->group ? j->width - across : j->group;
    p.length = plan->length - first < j->block ? plan->length - first : j->block;
    return p;
}

/* What the lines of a task's group start from, one behind the other in `to`, which is returned; NULL if they start from
   nothing. */
static const char *starts_of(const job *j, int64_t task, char *to) {
    const gndi_scan_plan *plan = j->plan;
    if (!j->starts) return NULL;
    const int64_t group = task % j->groups, across = group % j->groups_across * j->group;
    const int64_t step = plan->ndim ? plan->start.stride[plan->ndim - 1] : 0;
    const int64_t count = j->width - across < j->group ? j->width - across : j->group;
    const char *from = plan->start.data + across * step;
    int64_t index = group / j->groups_across;
    for (int i = plan->ndim - 2; i >= 0; i--) {
        from += index % plan->shape[i] * plan->start.stride[i];
        index /= plan->shape[i];
    }
    for (int64_t i = 0; i < count; i++) memcpy(to + i * j->work_size, from + i * step, (size_t)j->work_size);
    return to;
}

static void scan_piece(job *j, const piece *p) {
    if (j->by_rows)
        scan_rows(j, p);
    else
        scan_lines(j, p);
}

/* Whole lines. */
static void scan_groups(void *context, int64_t begin, int64_t end) {
    job *j = context;
    buffer start;
    for (int64_t task = begin; task < end; task++) {
        piece p = piece_of(j, task);
        p.before = starts_of(j, task, start);
        scan_piece(j, &p);
    }
    if (j->streams) j->kernels->stream_end();
}

/* Whether something comes before a task's elements: earlier ones, or what its lines start from. */
static bool goes_on(const job *j, int64_t task) {
    return j->starts || task >= j->groups;
}

/* The last results of each group's lines, after a task that gave this total: one that begins its
   group, or whose `total` has what came before in it (`whole`), replaces them. */
static void advance(job *j, int64_t task, char *so_far, const char *total, bool whole) {
    char *mine = so_far + task % j->groups * j->group * j->work_size;
    if (whole || !goes_on(j, task))
        memcpy(mine, total, (size_t)(j->group * j->work_size));
    else
        combine(j, mine, mine, total, j->group);
}

/* One thread: task after task. `workspace` has `so_far`, and a total. */
static void scan_in_order(job *j, char *workspace) {
    const int64_t bytes = j->group * j->work_size;
    char *total = workspace + j->groups * bytes;
    for (int64_t task = 0; task < j->groups * j->blocks; task++) {
        piece p = piece_of(j, task);
        p.before = goes_on(j, task) ? workspace + task % j->groups * bytes : NULL, p.total = total;
        scan_piece(j, &p);
        advance(j, task, workspace, total, j->exact);
    }
    if (j->streams) j->kernels->stream_end();
}

/* Several threads: some tasks from `first` on. Their totals; then what comes before each of them. */
typedef struct wave {
    job *j;
    int64_t first;
    char *totals, *before;
} wave;

static void wave_totals(void *context, int64_t begin, int64_t end) {
    const wave *w = context;
    const int64_t bytes = w->j->group * w->j->work_size;
    for (int64_t i = begin; i < end; i++) {
        piece p = piece_of(w->j, w->first + i);
        p.out = NULL, p.total = w->totals + i * bytes;
        scan_piece(w->j, &p);
    }
}

static void wave_results(void *context, int64_t begin, int64_t end) {
    const wave *w = context;
    const int64_t bytes = w->j->group * w->j->work_size;
    for (int64_t i = begin; i < end; i++) {
        piece p = piece_of(w->j, w->first + i);
        if (goes_on(w->j, w->first + i)) p.before = w->before + i * bytes;
        scan_piece(w->j, &p);
    }
    if (w->j->streams) w->j->kernels->stream_end();
}

static void scan_in_waves(job *j, int64_t at_once, char *workspace) {
    const int64_t bytes = j->group * j->work_size, tasks = j->groups * j->blocks;
    char *totals = workspace + j->groups * bytes;
    wave w = {.j = j, .totals = totals, .before = totals + at_once * bytes};
    for (w.first = 0; w.first < tasks; w.first += at_once) {
        const int64_t n = tasks - w.first < at_once ? tasks - w.first : at_once;
        gndi_parallel_for(n, 1, wave_totals, &w);
        for (int64_t i = 0; i < n; i++) {
            const int64_t task = w.first + i;
            memcpy(w.before + i * bytes, workspace + task % j->groups * bytes, (size_t)bytes);
            advance(j, task, workspace, w.totals + i * bytes, false);
        }
        gndi_parallel_for(n, 1, wave_results, &w);
    }
}

/* ---- the work ------------------------------------------------------------------------------- */

static bool is_exact(gndi_op op, gnd_dtype loop) {
    return gndi_dtype_is_int((int)loop) || loop == GND_BOOL || (op >= GNDI_OP_maximum && op <= GNDI_OP_fmin);
}

/* How the lines are grouped, and cut. */
static void divide(job *j, bool associative) {
    const gndi_scan_plan *plan = j->plan;
    const int last = plan->ndim - 1;
    j->width = plan->ndim ? plan->shape[last] : 1;
    j->in_stride = plan->ndim ? plan->in.stride[last] : 0;
    j->out_stride = plan->ndim ? plan->out.stride[last] : 0;
    const bool side_by_side = plan->ndim && j->out_stride < gndi_magnitude(plan->out.step);
    const bool dense = j->in_stride == j->in_size && j->out_stride == j->out_size;
    j->by_rows = side_by_side ? j->width >= (dense ? DENSE_LEAST : ROWS_LEAST)
                              : j->width >= ROWS_LEAST && plan->length < ROWS_LEAST;
    j->group = j->by_rows ? ROW : side_by_side ? GROUP : 1;
    if (j->group > j->width) j->group = j->width;
    j->groups_across = (j->width + j->group - 1) / j->group;
    j->groups = plan->lines / j->width * j->groups_across;
    j->block = plan->length;
    if (associative && j->groups < TASKS) j->block = (BLOCK / j->group + TILE - 1) / TILE * TILE;
    if (j->by_rows && associative && j->groups < TASKS) j->block = BLOCK / j->group;
    if (j->block > plan->length) j->block = plan->length;
    j->blocks = (plan->length + j->block - 1) / j->block;
}

static void describe(job *j, const gndi_scan_plan *plan) {
    const bool associative = (gndi_ops[plan->op].flags & ASSOCIATIVE) != 0;
    j->plan = plan;
    j->kernels = gndi_cpu_kernels_get();
    j->work = gndi_scan_carried(plan->op, plan->loop);
    j->starts = plan->start.data != NULL;
    j->op = j->kernels->op[plan->op][j->work];
    j->line = gndi_cpu_scans_get()->line[plan->op][j->work];
    j->in_size = gndi_dtype_sizes[plan->in.dtype], j->out_size = gndi_dtype_sizes[plan->out.dtype];
    j->work_size = gndi_dtype_sizes[j->work];
    j->exact = is_exact(plan->op, plan->loop);
    atomic_init(&j->fault, 0);
    divide(j, associative);
    /* Past the caches goes what is copied there anyway; the rest if all cores share the memory. */
    const bool direct = j->work == plan->loop && !(j->by_rows && j->blocks > 1 && !j->exact);
    j->streams = plan->in.data != plan->out.data && plan->length * plan->lines * j->out_size >= PAST_CACHES &&
                 (!direct || gndi_thread_count() > FEW_THREADS);
}

gnd_status gndi_cpu_scan(gnd_stream *s, const gndi_scan_plan *plan, const char *fn) {
    job j;
    describe(&j, plan);
    if (!j.op || !j.line)
        return gndi_raise(GND_ERROR_DTYPE, fn, "the CPU has no scan of \"%s\" for %s", gndi_ops[plan->op].name,
                          gnd_dtype_name(plan->loop));
    if (j.blocks == 1) {
        const int64_t each = j.group * plan->length;
        gndi_parallel_for(j.groups, each < GRAIN ? GRAIN / each : 1, scan_groups, &j);
    } else {
        const int threads = gndi_thread_count();
        const int64_t at_once = (int64_t)threads * TASKS_EACH;
        const int64_t entries = j.groups + (threads > 1 ? 2 * at_once : 1);
        char *workspace = gndi_calloc(fn, (size_t)(entries * j.group * j.work_size));
        if (!workspace) return GND_ERROR_MEMORY;
        for (int64_t g = 0; g < j.groups; g++) starts_of(&j, g, workspace + g * j.group * j.work_size);
        if (threads > 1)
            scan_in_waves(&j, at_once, workspace);
        else
            scan_in_order(&j, workspace);
        gndi_free(workspace);
        gndi_cpu_mend_running(plan);
    }
    const int fault = atomic_load_explicit(&j.fault, memory_order_relaxed);
    if (gndi_unlikely(fault)) gndi_report_fault(s, fault, 0, 0, 0);
    return GND_OK;
}
