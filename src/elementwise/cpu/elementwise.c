/*
 * elementwise.c: carries an elementwise plan out on the CPU.
 *
 * The loops of cpu_kernels.h take dense elements of one dtype. Operands that are so already are
 * used where they lie; the others go through tile buffers that stay in cache: gathered, repeated,
 * cast on the way in, cast, scattered or masked on the way out. How the index space is cut into
 * tiles:
 *
 *     dense   one axis, nothing to convert: a loop over the whole piece
 *     rows    along the fastest axis, when it is long
 *     flat    across several rows at once, when the fastest axis is short
 *     blocks  rows x columns, when an input is contiguous along another axis than the output: so
 *             that all of each cache line of it is used while it is in cache
 */
#include "elementwise/cpu/elementwise.h"
#include "kernels/cpu/indices.h"
#include "elementwise/cpu/repeated.h"

/* ---- the job -------------------------------------------------------------------------------- */

static int log2_size(int dtype) {
    return gndi_dtype_sizes[dtype] == 16 ? 4 : __builtin_ctz(gndi_dtype_sizes[dtype]);
}

static void set_operand(ew_job *job, int k, gnd_dtype loop_dtype) {
    const gndi_ew_plan *plan = job->plan;
    ew_operand *o = &job->operand[k];
    o->dtype = plan->operand[k].dtype;
    o->loop_dtype = loop_dtype;
    o->itemsize = gndi_dtype_sizes[o->dtype];
    o->loop_itemsize = gndi_dtype_sizes[loop_dtype];
    o->size_log2 = (uint8_t)log2_size(o->dtype);
    o->loop_size_log2 = (uint8_t)log2_size(loop_dtype);
    o->cast = o->dtype == loop_dtype ? NULL : job->kernels->cast[o->dtype][loop_dtype];
    o->repeated = plan->operand[k].immediate && k >= plan->nout;
    o->transposed = false;
    o->data = o->repeated ? (char *)&plan->operand[k].value : plan->operand[k].data;
    if (k < plan->nout && o->cast) o->cast = job->kernels->cast[loop_dtype][o->dtype];
    /* Dense across all axes: then any run of elements can be used where it lies. */
    o->flat = !o->repeated && !o->cast;
    int64_t step = o->itemsize;
    for (int axis = plan->ndim - 1; axis >= 0; axis--) {
        o->stride[axis] = o->repeated ? 0 : plan->stride[k][axis];
        if (o->stride[axis] != step) o->flat = false;
        step *= plan->shape[axis];
    }
    o->step = plan->ndim ? o->stride[plan->ndim - 1] : 0;
}

/* Whether the inputs after the first are numbers: then kernels are told so. */
static bool are_numbers(const ew_job *job) {
    if (job->nin < 2 || gndi_ops[job->plan->op].flags & PARAMS) return false;
    for (int k = job->nout + 1; k < job->nout + job->nin; k++)
        if (!job->operand[k].repeated) return false;
    return true;
}

static void set_job(ew_job *job, const gndi_ew_plan *plan, bool looks_up) {
    const gndi_op_info *info = &gndi_ops[plan->op];
    job->plan = plan;
    job->kernels = gndi_cpu_kernels_get();
    job->kernel = job->kernels->op[plan->op][plan->loop];
    job->nout = plan->nout, job->nin = plan->nin;
    job->count = plan->nout + plan->nin + plan->masked;
    job->checked = (info->flags & CHECKED) != 0;
    job->is_copy = plan->op == GNDI_OP_copy;
    job->widest = 1;
    for (int k = 0; k < job->count; k++) {
        char letter = k < job->nout ? info->out[k] : k < job->nout + job->nin ? info->in[k - job->nout] : 'B';
        set_operand(job, k, looks_up ? plan->operand[k].dtype : gndi_letter_dtype(letter, plan->loop));
        if (job->operand[k].itemsize > job->widest) job->widest = job->operand[k].itemsize;
        if (job->operand[k].loop_itemsize > job->widest) job->widest = job->operand[k].loop_itemsize;
    }
    job->tile = EW_TILE_BYTES / job->widest;
    if (job->tile > EW_TILE_MOST) job->tile = EW_TILE_MOST;
    job->params = are_numbers(job) ? gndi_cpu_repeated : plan->params;
    /* These loops look at one of the numbers alone, and a tile of 4096 bytes takes 80 ns, of which to begin is 10. */
    if (job->params == gndi_cpu_repeated &&
        ((plan->op == GNDI_OP_floor_divide && job->widest <= 2) || (plan->op == GNDI_OP_multiply && job->widest == 1)))
        job->tile = EW_BUFFER_BYTES / 2;
    atomic_init(&job->fault, 0);
}

/* ---- rows and flat tiles -------------------------------------------------------------------- */

/* Where a linear index lies: an index along each axis, and each operand's address. */
typedef struct position {
    int64_t index[GND_MAX_DIMS];
    char *at[GNDI_MAX_OPERANDS];
} position;

static void seek(const ew_job *job, int64_t linear, position *at) {
    for (int k = 0; k < job->count; k++) at->at[k] = job->operand[k].data;
    for (int axis = job->plan->ndim - 1; axis >= 0; axis--) {
        int64_t i = linear % job->plan->shape[axis];
        linear /= job->plan->shape[axis];
        at->index[axis] = i;
        for (int k = 0; k < job->count; k++) at->at[k] += i * job->operand[k].stride[axis];
    }
}

/* n elements further along the fastest axis, which end at or before the row's end. */
static void advance(const ew_job *job, int64_t n, position *at) {
    int axis = job->plan->ndim - 1;
    at->index[axis] += n;
    for (int k = 0; k < job->count; k++) at->at[k] += n * job->operand[k].step;
    for (; axis > 0 && at->index[axis] == job->plan->shape[axis]; axis--) {
        at->index[axis] = 0, at->index[axis - 1]++;
        for (int k = 0; k < job->count; k++)
            at->at[k] += job->operand[k].stride[axis - 1] - job->operand[k].stride[axis] * job->plan->shape[axis];
    }
}

/* Whether rows need nothing but the loop: operands are dense along the row, or one element. */
static bool are_rows_plain(const ew_job *job) {
    if (job->streams || job->plan->masked || job->is_copy || job->checked) return false;
    for (int k = 0; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        if (o->repeated || (!o->cast && o->step == o->itemsize)) continue;
        if (o->cast || o->step != 0 || k < job->nout) return false;
    }
    return true;
}

static void run_plain_rows(ew_job *job, int64_t rows, position *at, ew_buffers *buffers) {
    const int64_t n = job->plan->shape[job->plan->ndim - 1];
    for (; rows > 0; rows--) {
        char *dense[GNDI_MAX_OPERANDS];
        for (int k = 0; k < job->count; k++) {
            const ew_operand *o = &job->operand[k];
            dense[k] = o->step == 0 ? buffers->operand[k] : at->at[k];
            if (o->step == 0 && !o->repeated) job->kernels->repeat[o->size_log2](at->at[k], dense[k], n);
        }
        job->kernel(dense, n, job->params);
        advance(job, n, at);
    }
}

/* The same of a part of the only row, a tile at a time. */
static void run_plain_tiles(ew_job *job, int64_t begin, int64_t end, ew_buffers *buffers) {
    char *dense[GNDI_MAX_OPERANDS];
    for (int k = 0; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        dense[k] = o->step == 0 ? buffers->operand[k] : o->data + begin * o->step;
        if (o->step == 0 && !o->repeated) job->kernels->repeat[o->size_log2](o->data, dense[k], job->tile);
    }
    for (; begin < end; begin += job->tile) {
        job->kernel(dense, end - begin < job->tile ? end - begin : job->tile, job->params);
        for (int k = 0; k < job->count; k++) dense[k] += job->operand[k].step * job->tile;
    }
}

/* Asks for what the next tile of up to n elements reads. */
static void fetch_next(const ew_job *job, const position *at, int64_t n) {
    for (int k = job->nout; k < job->count; k++) {
        const int64_t bytes = n * job->operand[k].itemsize;
        if (job->operand[k].step == job->operand[k].itemsize) gndi_fetch(at->at[k] + bytes, bytes);
    }
}

static void run_rows(void *context, int64_t begin, int64_t end) {
    ew_job *job = context;
    ew_buffers buffers;
    int last = job->plan->ndim - 1;
    int64_t row = job->plan->shape[last];
    position at;
    ew_fill_repeated(job, row < end - begin ? row : end - begin, &buffers);
    seek(job, begin, &at);
    if (are_rows_plain(job)) {
        if (last == 0) return run_plain_tiles(job, begin, end, &buffers);
        if (row <= job->tile && begin % row == 0 && end % row == 0)
            return run_plain_rows(job, (end - begin) / row, &at, &buffers);
    }
    while (begin < end) {
        int64_t n = row - at.index[last];
        if (n > end - begin) n = end - begin;
        if (n > job->tile) n = job->tile;
        if (job->streams) fetch_next(job, &at, n);
        ew_do_run(job, at.at, NULL, n, &buffers);
        advance(job, n, &at);
        begin += n;
    }
    if (job->streams) job->kernels->stream_end();
}

void ew_repeat_each(int size_log2, const char *from, int64_t stride, int64_t times, char *to, int64_t rows) {
    for (int64_t r = 0; r < rows; r++, from += stride) {
        switch (size_log2) {
        case 0: memset(to, *from, (size_t)times), to += times; break;
        case 1: {
            const uint16_t value = *(const uint16_t *)(const void *)from;
            for (int64_t i = 0; i < times; i++, to += 2) *(uint16_t *)(void *)to = value;
            break;
        }
        case 2: {
            const uint32_t value = *(const uint32_t *)(const void *)from;
            for (int64_t i = 0; i < times; i++, to += 4) *(uint32_t *)(void *)to = value;
            break;
        }
        case 3: {
            const uint64_t value = *(const uint64_t *)(const void *)from;
            for (int64_t i = 0; i < times; i++, to += 8) *(uint64_t *)(void *)to = value;
            break;
        }
        default:
            for (int64_t i = 0; i < times; i++, to += 16) memcpy(to, from, 16);
        }
    }
}

/* At the end of an axis the one before it advances. */
static void carry(const ew_job *job, const ew_operand *o, int from, int64_t *index, char **p) {
    const int64_t *shape = job->plan->shape;
    for (int axis = from; axis > 0 && index[axis] == shape[axis]; axis--) {
        index[axis] = 0, index[axis - 1]++;
        *p += o->stride[axis - 1] - o->stride[axis] * shape[axis];
    }
}

/* Brings n elements from `at` on, of operand k alone, into `buffer` (or back, if `out`). */
static void walk(const ew_job *job, int k, const position *start, int64_t n, char *buffer, const uint8_t *mask,
                 bool out) {
    const ew_operand *o = &job->operand[k];
    const gndi_ew_plan *plan = job->plan;
    int last = plan->ndim - 1;
    int64_t index[GND_MAX_DIMS], row = plan->shape[last];
    memcpy(index, start->index, (size_t)plan->ndim * sizeof *index);
    char *p = start->at[k];
    const bool repeats = !mask && !out && o->step == 0 && last > 0;
    while (n > 0) {
        int64_t run = row - index[last];
        /* All whole rows of the axis before. What is periodic goes on behind its end, row by row. */
        int64_t rows = repeats && index[last] == 0 ? plan->shape[last - 1] - index[last - 1] : 0;
        if (rows > n / row) rows = n / row;
        if (rows > 0) {
            ew_repeat_each(o->size_log2, p, o->stride[last - 1], row, buffer, rows);
            buffer += rows * row * o->itemsize, n -= rows * row;
            index[last - 1] += rows, p += rows * o->stride[last - 1];
            carry(job, o, last - 1, index, &p);
            continue;
        }
        if (run > n) run = n;
        if (mask)
            job->kernels->scatter_masked[o->size_log2](buffer, p, o->step, mask, run), mask += run;
        else if (out)
            job->kernels->scatter[o->size_log2](buffer, p, o->step, run);
        else if (o->step == 0)
            job->kernels->repeat[o->size_log2](p, buffer, run);
        else
            job->kernels->gather[o->size_log2](p, o->step, buffer, run);
        buffer += run * o->itemsize, n -= run;
        index[last] += run, p += run * o->step;
        carry(job, o, last, index, &p);
    }
}

/* Whether the operand is the same in every row: its strides along the outer axes are 0. */
static bool is_periodic(const ew_job *job, int k) {
    if (job->operand[k].repeated) return false;
    for (int axis = 0; axis < job->plan->ndim - 1; axis++)
        if (job->operand[k].stride[axis] != 0) return false;
    return true;
}

/* Such operands are laid out once for a whole piece of work: a tile and a row of them, so that a
   tile may begin anywhere in a row. */
static void fill_periodic(const ew_job *job, int64_t n, ew_buffers *buffers) {
    position start;
    seek(job, 0, &start);
    if (n > job->tile) n = job->tile;
    n += job->plan->shape[job->plan->ndim - 1];
    for (int k = job->nout; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        if (!o->periodic) continue;
        char *raw = o->cast ? buffers->scratch : buffers->operand[k];
        walk(job, k, &start, n, raw, NULL, false);
        if (o->cast) o->cast(raw, buffers->operand[k], n);
    }
}

static char *load_flat(const ew_job *job, int k, const position *at, int64_t n, ew_buffers *buffers) {
    const ew_operand *o = &job->operand[k];
    if (o->repeated) return buffers->operand[k];
    if (o->periodic) return buffers->operand[k] + at->index[job->plan->ndim - 1] * o->loop_itemsize;
    if (o->flat) return at->at[k];
    char *raw = o->cast ? buffers->scratch : buffers->operand[k];
    walk(job, k, at, n, raw, NULL, false);
    if (o->cast) o->cast(raw, buffers->operand[k], n);
    return buffers->operand[k];
}

static void store_flat(const ew_job *job, int k, const position *at, char *from, const uint8_t *mask, int64_t n,
                       ew_buffers *buffers) {
    const ew_operand *o = &job->operand[k];
    if (from == at->at[k]) return;
    if (o->flat && !mask) {
        memcpy(at->at[k], from, (size_t)(n * o->itemsize));
        return;
    }
    if (o->cast) o->cast(from, buffers->scratch, n), from = buffers->scratch;
    walk(job, k, at, n, from, mask, true);
}

static void run_flat(void *context, int64_t begin, int64_t end) {
    ew_job *job = context;
    ew_buffers buffers;
    position at;
    ew_fill_repeated(job, end - begin, &buffers);
    fill_periodic(job, end - begin, &buffers);
    for (; begin < end; begin += job->tile) {
        int64_t n = end - begin < job->tile ? end - begin : job->tile;
        char *dense[GNDI_MAX_OPERANDS];
        const uint8_t *mask = NULL;
        seek(job, begin, &at);
        for (int k = job->nout; k < job->count; k++) dense[k] = load_flat(job, k, &at, n, &buffers);
        if (job->plan->masked) mask = (const uint8_t *)dense[job->count - 1];
        for (int k = 0; k < job->nout; k++) dense[k] = job->operand[k].flat && !mask ? at.at[k] : buffers.operand[k];
        if (job->is_copy)
            dense[0] = dense[1];
        else
            ew_compute(job, dense, mask, n);
        for (int k = 0; k < job->nout; k++) store_flat(job, k, &at, dense[k], mask, n, &buffers);
    }
}

/* ---- dense problems ------------------------------------------------------------------------- */

/* Of a large operand of cbrt of float64, a function of libm, the next tile is asked for: a sixth less. The loops of
   others gain nothing, and those of two operands lose a fifth. */
static void run_dense(void *context, int64_t begin, int64_t end) {
    ew_job *job = context;
    const bool asks = job->plan->op == GNDI_OP_cbrt && job->widest == 8 && (end - begin) * 8 >= EW_LARGE / 4;
    const int64_t tile = asks ? job->tile : end - begin;
    for (; begin < end; begin += tile) {
        const int64_t n = end - begin < tile ? end - begin : tile;
        char *dense[GNDI_MAX_OPERANDS];
        for (int k = 0; k < job->count; k++) {
            const int64_t size = job->operand[k].itemsize;
            dense[k] = job->operand[k].data + begin * size;
            if (n < end - begin && k >= job->nout) gndi_fetch(dense[k] + n * size, n * size);
        }
        if (job->is_copy)
            memcpy(dense[0], dense[1], (size_t)(n * job->operand[0].itemsize));
        else
            ew_compute(job, dense, NULL, n);
    }
}

static bool is_dense(const gndi_ew_plan *plan) {
    if (!plan->contiguous || !plan->uniform || plan->masked) return false;
    for (int i = 0; i < plan->nin; i++)
        if (plan->operand[plan->nout + i].immediate) return false;
    return true;
}

/* ---- the backend's function ----------------------------------------------------------------- */

enum { GRAIN = 32768, ROW_SHORT = 48, MEMORY_TILE = 1024 /* bytes */, NEAR_TILE = 4096, SMALL = 16384 };

/* Families whose operators are a few instructions: they wait for memory, not for arithmetic. */
static bool is_cheap(gndi_op op) {
    static const bool cheap[GNDI_OP_COUNT] = {
#define CHEAP_move true
#define CHEAP_arith true
#define CHEAP_integer false
#define CHEAP_power false
#define CHEAP_rounding true
#define CHEAP_extremum true
#define CHEAP_exponential false
#define CHEAP_trig false
#define CHEAP_hyperbolic false
#define CHEAP_floating false
#define CHEAP_compare true
#define CHEAP_logical true
#define CHEAP_bitwise true
#define CHEAP_special false
#define CHEAP_weights true
#define OP(family, name, signature, loops, identity, flags) CHEAP_##family,
#include "kernels/ops/ops.def"
#undef OP
    };
    return cheap[op];
}

/*
 * Large results of cheap operators bypass the caches, which could not hold them anyway. And where memory is the limit
 * tiles are short, so that the operands advance together and are fetched ahead; of one operand alone they stay long.
 */
static void suit_memory(ew_job *job, const gndi_ew_plan *plan) {
    int64_t bytes = plan->size * job->operand[0].itemsize;
    const bool near = plan->size * job->widest * (job->count + 1) <= EW_SECOND; /* a strided one is read whole */
    job->streams = false;
    job->gather = near ? job->kernels->gather_near : job->kernels->gather;
    for (int k = job->nout; near && k < job->count; k++) /* buffers stay in the nearest cache beside what is read */
        if (job->operand[k].step > job->operand[k].itemsize && job->tile > NEAR_TILE / job->widest)
            job->tile = NEAR_TILE / job->widest;
    if (!is_cheap(plan->op) || bytes < EW_LARGE / 4) return;
    job->streams = bytes * plan->nout >= EW_LARGE;
    int read = 0; /* operands that come from memory */
    bool gathers = false, rows = false;
    for (int k = job->nout; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        const int64_t row_bytes = plan->ndim > 1 && o->step == o->itemsize && is_periodic(job, k)
                                      ? plan->shape[plan->ndim - 1] * o->itemsize
                                      : 0;
        const bool row = row_bytes > EW_NEAR && row_bytes <= EW_CACHED;
        read += !o->repeated && !row;
        rows |= row;
        gathers |= o->step < 0 || o->step > o->itemsize;
    }
    if (rows && read < 2 && !gathers) { /* beside rows from a cache, stores past it are slower */
        job->streams = false;
        return;
    }
    if (read < 2 && !job->streams && !gathers) return;
    const int64_t most = MEMORY_TILE / job->widest / (gathers ? 2 : 1); /* a gather takes turns with the others */
    if (job->tile > most) job->tile = most;
}

static void run_job(ew_job *job, const gndi_ew_plan *plan) {
    suit_memory(job, plan);
    if (plan->ndim == 1 && ew_copies_directly(job)) job->tile = plan->size; /* there are no buffers to fill */
    if (is_dense(plan) && !job->streams) {
        gndi_parallel_for(plan->size, GRAIN, run_dense, job);
    } else if (plan->ndim >= 2 && ew_blocks_suit(job)) {
        ew_run_blocks(job);
    } else if (plan->ndim >= 2 && plan->shape[plan->ndim - 1] < ROW_SHORT) {
        for (int k = job->nout; k < job->count; k++) job->operand[k].periodic = is_periodic(job, k);
        gndi_parallel_for(plan->size, GRAIN, run_flat, job);
    } else {
        gndi_parallel_for(plan->size, GRAIN, run_rows, job);
    }
}

static void report_fault(gnd_stream *s, int fault) {
    if (gndi_unlikely(fault)) gndi_report_fault(s, fault, 0, 0, 0);
}

/* A small dense problem is one call of its loop. */
static bool run_small(gnd_stream *s, const gndi_ew_plan *plan) {
    if (plan->size > SMALL || plan->op == GNDI_OP_copy || !is_dense(plan)) return false;
    gndi_cpu_kernel kernel = gndi_cpu_kernels_get()->op[plan->op][plan->loop];
    char *dense[GNDI_MAX_OPERANDS];
    if (!kernel) return false;
    for (int k = 0; k < plan->nout + plan->nin; k++) dense[k] = plan->operand[k].data;
    report_fault(s, kernel(dense, plan->size, plan->params) ? (int)plan->op + 1 : 0);
    return true;
}

gnd_status gndi_cpu_elementwise(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    if (plan->size == 0 || run_small(s, plan)) return GND_OK;
    ew_job job;
    gndi_ew_plan single;
    if (plan->ndim == 0) { /* one element: an axis of size 1 */
        memcpy(&single, plan, sizeof single);
        single.ndim = 1, single.shape[0] = 1;
        for (int k = 0; k < GNDI_MAX_OPERANDS; k++) single.stride[k][0] = 0;
        plan = &single;
    }
    const bool looks_up = ew_lookup_suits(plan);
    set_job(&job, plan, looks_up);
    if (gndi_unlikely(!job.kernel))
        return gndi_raise(GND_ERROR_DTYPE, fn, "the CPU has no loop of \"%s\" for %s", gndi_ops[plan->op].name,
                          gnd_dtype_name(plan->loop));
    double *const table = looks_up ? ew_lookup_begin(&job, plan->loop, fn) : NULL;
    if (looks_up && !table) return GND_ERROR_MEMORY;
    if (table) job.params = table;
    run_job(&job, plan);
    gndi_free(table);
    report_fault(s, atomic_load_explicit(&job.fault, memory_order_relaxed));
    return GND_OK;
}
