/*
 * reduce_cuda.c: carries out a reduction on a GPU: looks at how many outputs there are, how long
 * each is and which axis is contiguous, picks one of the kernels of reduce_kernels.cuh, and decides
 * how many threads and blocks share an output.
 *
 * The aim is the same everywhere: every load a full vector along the contiguous axis, enough loads
 * in flight on every multiprocessor, and a fixed order of additions.
 */
#include "kernels/cuda/reduce_params.h"
#include "kernels/reduce_plan.h"
#include "runtime/backend_kernels.h"
#include "runtime/runtime_cuda.h"

enum {
    THREADS = GNDI_REDUCE_THREADS,
    BLOCKS_RESIDENT = 4,  /* on a multiprocessor: what the kernels' launch bounds promise */
    WAVES = 4,            /* of resident blocks, where outputs are shared by several blocks */
    MEMBER_BYTES = 16384, /* least work for a block that shares its outputs */
    CHAIN = 128,          /* most batches of loads a thread adds up before it starts afresh */
    SHORT_ROW = 64,       /* elements */
    SHORT_ROW_BYTES = 512,
    FLAT_COLUMNS = 512,
    FLAT_ELEMENTS = 8192,  /* least in a group */
    FLAT_PARTIALS = 65536, /* most that the last block joins */
};

/* A launch being put together. */
typedef struct launch {
    gndi_reduce_general general; /* its base is what all kernels take */
    const void *kernel;
    bool is_general;
    unsigned blocks, threads;
    int processors;
    int64_t partials; /* accumulators a member leaves behind */
    int accumulator;  /* bytes */
} launch;

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static int64_t quotient_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
static int64_t round_up(int64_t a, int64_t to) {
    return quotient_up(a, to) * to;
}

/* ---- which kernels --------------------------------------------------------------------------- */

static const gndi_reduce_kernels *const kernels_by_reducer[GNDI_REDUCERS] = {
    [GNDI_REDUCE_SUM] = gndi_reduce_sum_kernels,
    [GNDI_REDUCE_PRODUCT] = gndi_reduce_product_kernels,
    [GNDI_REDUCE_MINIMUM] = gndi_reduce_minimum_kernels,
    [GNDI_REDUCE_MAXIMUM] = gndi_reduce_maximum_kernels,
    [GNDI_REDUCE_ANY] = gndi_reduce_count_kernels,
    [GNDI_REDUCE_ALL] = gndi_reduce_count_kernels,
    [GNDI_REDUCE_COUNT] = gndi_reduce_count_kernels,
};
static const void *const *const general_by_reducer[GNDI_REDUCERS] = {
    [GNDI_REDUCE_SUM] = gndi_reduce_sum_general,
    [GNDI_REDUCE_PRODUCT] = gndi_reduce_product_general,
    [GNDI_REDUCE_MINIMUM] = gndi_reduce_minimum_general,
    [GNDI_REDUCE_MAXIMUM] = gndi_reduce_maximum_general,
    [GNDI_REDUCE_ANY] = gndi_reduce_count_general,
    [GNDI_REDUCE_ALL] = gndi_reduce_count_general,
    [GNDI_REDUCE_COUNT] = gndi_reduce_count_general,
};

static bool is_integer(int dtype) {
    return dtype == GND_BOOL || gndi_dtype_is_int(dtype);
}
static bool is_half(int dtype) {
    return dtype == GND_FLOAT16 || dtype == GND_BFLOAT16;
}

/* Whether lifting an element of the input's dtype is all the casting that the loop needs. Sums and
   products modulo 2^64 are right modulo any smaller power of two. */
static bool casts_nothing(const gndi_reduce_plan *plan) {
    const int in = plan->in.dtype, loop = (int)plan->loop;
    switch (plan->reducer) {
    case GNDI_REDUCE_SUM:
    case GNDI_REDUCE_PRODUCT:
        return in == loop || (is_integer(in) && is_integer(loop)) ||
               (is_half(in) && loop == GND_FLOAT32);
    case GNDI_REDUCE_MINIMUM:
    case GNDI_REDUCE_MAXIMUM: return in == loop;
    default: return true;
    }
}

/* The bits that the input's address and strides have set: what they are aligned to. */
static uintptr_t alignment_bits(const gndi_reduce_plan *plan, bool skip_kept, bool skip_run) {
    uintptr_t bits = (uintptr_t)plan->in.data;
    for (int a = 0; a < plan->kept_ndim - skip_kept; a++)
        bits |= (uintptr_t)plan->in.kept_stride[a];
    for (int a = 0; a < plan->reduced_ndim - skip_run; a++)
        bits |= (uintptr_t)plan->in.reduced_stride[a];
    return bits;
}

/* Outputs that follow each other can be stored as vectors, if their dtype is the natural one. */
static bool stores_vectors(const gndi_reduce_plan *plan, int out_size) {
    if (plan->kept_ndim == 0 || plan->out.kept_stride[plan->kept_ndim - 1] != out_size)
        return false;
    if (plan->reducer >= GNDI_REDUCE_ANY) {
        if (plan->reducer != GNDI_REDUCE_COUNT) return false;
    } else if (is_integer(plan->in.dtype) && plan->reducer <= GNDI_REDUCE_PRODUCT) {
        if (plan->out.dtype != GND_INT64 && plan->out.dtype != GND_UINT64) return false;
    } else if (plan->out.dtype != plan->in.dtype) {
        return false;
    }
    uintptr_t bits = (uintptr_t)plan->out.data;
    for (int a = 0; a < plan->kept_ndim - 1; a++) bits |= (uintptr_t)plan->out.kept_stride[a];
    return bits % 16 == 0;
}

/* ---- how the work is shared ------------------------------------------------------------------ */

/* Cuts the reduced axes for `members` blocks a group, so that no thread's chain of additions gets
   long (batch: elements of a run that a block takes at a time; grain: what parts are rounded to).
 */
static void share_run(launch *l, int64_t members, int64_t batch, int64_t grain) {
    gndi_reduce_params *p = &l->general.base;
    if (members > 1 && (p->groups > GNDI_REDUCE_GROUPS || p->lanes == 1)) members = 1;
    int64_t parts = larger(quotient_up(members, p->segments), quotient_up(p->run, batch * CHAIN));
    if (p->segments == 1) parts = round_up(parts, members);
    p->part = round_up(quotient_up(p->run, parts), grain);
    p->parts = (int32_t)quotient_up(p->run, p->part);
    p->units = p->length ? p->segments * p->parts : 0;
    p->members = (int32_t)larger(1, smaller(members, p->units));
}

/* How many blocks should share a group's outputs, of `bytes` of input a group. */
static int64_t members_wanted(const launch *l, int64_t groups, int64_t bytes) {
    const int64_t resident = (int64_t)l->processors * BLOCKS_RESIDENT;
    const int64_t wanted =
        groups * 8 <= resident ? resident / groups : quotient_up(resident * WAVES, groups);
    return groups >= resident * WAVES ? 1 : larger(1, smaller(wanted, bytes / MEMBER_BYTES));
}

/* Threads along the reduced run, neighbours in the block; `vector` elements a load. */
static void lay_out_rows(launch *l, int vector, int in_flight, int size) {
    gndi_reduce_params *p = &l->general.base;
    const int64_t packs = quotient_up(p->run, vector);
    int lanes = 1;
    while (lanes < 32 && lanes * 8 <= packs) lanes *= 2;
    while (lanes < THREADS && lanes < packs &&
           (p->outputs * lanes < (int64_t)l->processors * THREADS * BLOCKS_RESIDENT ||
            packs * 16 >= MEMBER_BYTES))
        lanes *= 2;
    p->lanes_inner = 1, p->lanes = lanes, p->across = THREADS / lanes;
    p->groups = (int32_t)quotient_up(p->outputs, p->across);
    const int64_t members = lanes == THREADS ? members_wanted(l, p->groups, p->length * size) : 1;
    share_run(l, members, (int64_t)lanes * vector * in_flight, (int64_t)lanes * vector);
    l->partials = p->across;
}

/* Threads along the outputs, `vector` of them each, and several rows of the block along the run. */
static void lay_out_columns(launch *l, int vector, int in_flight, int size) {
    gndi_reduce_params *p = &l->general.base;
    int lanes = 8;
    while (lanes > 1 && lanes * in_flight > p->length) lanes /= 2;
    while (lanes < THREADS && lanes * 2 * in_flight <= p->length &&
           (int64_t)(THREADS / lanes / 2) * vector >= p->outputs)
        lanes *= 2;
    p->lanes_inner = 0, p->lanes = lanes, p->across = THREADS / lanes;
    const int64_t width = (int64_t)p->across * vector;
    p->groups = (int32_t)quotient_up(p->outputs, width);
    int64_t members = 1;
    if (width <= THREADS) {
        members = members_wanted(l, p->groups, p->length * smaller(width, p->outputs) * size);
        members = larger(1, smaller(members, p->length / ((int64_t)lanes * in_flight)));
    }
    share_run(l, members, (int64_t)lanes * in_flight, lanes);
    l->partials = width;
}

static void lay_out_short_rows(launch *l, int size) {
    gndi_reduce_params *p = &l->general.base;
    const int64_t row = p->run * size;
    p->part = GNDI_REDUCE_TILE / row / 16 * 16;
    p->lanes = 1, p->members = 1;
    while (p->lanes < 32 && p->part * p->lanes < THREADS) p->lanes *= 2;
    p->groups = (int32_t)quotient_up(p->outputs, p->part);
}

static int greatest_common_divisor(int a, int b) {
    return b ? greatest_common_divisor(b, a % b) : a;
}

/* p->run is the number of columns here, and p->length that of rows. */
static void lay_out_flat(launch *l, int columns, int vector) {
    gndi_reduce_params *p = &l->general.base;
    const int period = columns / greatest_common_divisor(columns, vector);
    const int active = FLAT_COLUMNS / period * period, positions = active * vector;
    p->run = columns, p->lanes = active;
    p->groups = (int32_t)(p->outputs / columns);
    p->across = 1;
    while (p->across * 2 * columns <= active) p->across *= 2;
    const int64_t steps = quotient_up(p->length * columns, positions);
    const int64_t wanted = p->groups == 1 ? (int64_t)l->processors * 2
                                          : quotient_up((int64_t)l->processors * 8, p->groups);
    int64_t members = smaller(smaller(wanted, steps / 8), FLAT_PARTIALS / columns);
    if (members < 1 || p->groups > GNDI_REDUCE_GROUPS) members = 1;
    p->part = quotient_up(steps, members);
    p->members = (int32_t)quotient_up(steps, p->part);
    l->threads = (unsigned)round_up(active, 32);
    l->partials = columns;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool choose_flat(launch *l, const gndi_reduce_plan *plan, const gndi_reduce_kernels *k,
                        int size, uintptr_t bits) {
    gndi_reduce_params *p = &l->general.base;
    if (plan->reduced_ndim != 1) return false;
    const int64_t columns = plan->kept_shape[plan->kept_ndim - 1];
    const int vector = k->flat_vector, bytes = vector * size;
    if (columns > FLAT_COLUMNS || p->run_step != columns * size) return false;
    uintptr_t group_bits = (uintptr_t)p->in;
    for (int a = 0; a < plan->kept_ndim - 1; a++) group_bits |= (uintptr_t)plan->in.kept_stride[a];
    if (group_bits % bytes || columns * p->length < FLAT_ELEMENTS) return false;
    if (columns / greatest_common_divisor((int)columns, vector) > FLAT_COLUMNS) return false;
    const bool narrow = columns * size < 256;
    if (!narrow && bits % bytes == 0 && columns % vector == 0) return false;
    l->kernel = k->flat;
    lay_out_flat(l, (int)columns, vector);
    return true;
}

static bool choose_special(launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->general.base;
    const gndi_reduce_kernels *k = &kernels_by_reducer[plan->reducer][plan->in.dtype];
    if (!k->rows || plan->masked || !casts_nothing(plan) || plan->kept_ndim > GNDI_REDUCE_AXES ||
        p->outer_ndim > GNDI_REDUCE_AXES)
        return false;
    const int size = gndi_dtype_sizes[plan->in.dtype], kept = plan->kept_ndim;
    const bool run_dense = plan->reduced_ndim && p->run_step == size && p->length;
    const bool kept_dense = kept && plan->in.kept_stride[kept - 1] == size && p->length;
    const int flight = size * k->column_vector >= 16 ? 4 : 8;
    l->accumulator = k->accumulator;
    l->threads = THREADS;

    if (run_dense && alignment_bits(plan, false, false) % size == 0) {
        const int64_t row = p->run * size;
        if (kept == 1 && !p->outer_ndim && p->run <= SHORT_ROW && row <= SHORT_ROW_BYTES &&
            plan->in.kept_stride[0] == row && (uintptr_t)p->in % 16 == 0 &&
            p->outputs * row >= MEMBER_BYTES) {
            l->kernel = k->short_rows;
            lay_out_short_rows(l, size);
        } else {
            l->kernel = k->rows;
            lay_out_rows(l, 16 / size, 4, size);
        }
        return true;
    }
    if (kept_dense) {
        const uintptr_t bits = alignment_bits(plan, true, false);
        const int vector = k->column_vector;
        if (choose_flat(l, plan, k, size, bits)) return true;
        if (bits % (uintptr_t)(vector * size) == 0 && plan->kept_shape[kept - 1] % vector == 0) {
            l->kernel = k->columns;
            p->dense_out = stores_vectors(plan, k->out_size);
            lay_out_columns(l, vector, flight, size);
            return true;
        }
    }
    l->kernel = k->scattered;
    const bool inner =
        !kept || (plan->reduced_ndim && p->run_step < plan->in.kept_stride[kept - 1]);
    if (inner)
        lay_out_rows(l, 1, 8, size);
    else
        lay_out_columns(l, 1, 8, size);
    return true;
}

static void choose_general(launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_general *g = &l->general;
    gndi_reduce_params *p = &g->base;
    const int kept = plan->kept_ndim, outer = p->outer_ndim;
    const size_t kept_bytes = (size_t)kept * sizeof(int64_t),
                 outer_bytes = (size_t)outer * sizeof(int64_t);
    l->is_general = true;
    l->kernel =
        general_by_reducer[plan->reducer][plan->reducer >= GNDI_REDUCE_ANY ? GND_BOOL : plan->loop];
    l->accumulator = plan->loop == GND_COMPLEX128 ? 16 : 8;
    l->threads = THREADS;
    g->in_dtype = plan->in.dtype, g->loop = (uint8_t)plan->loop;
    g->mask = plan->masked ? plan->mask.data : NULL;
    g->mask_step = plan->masked && plan->reduced_ndim ? plan->mask.reduced_stride[outer] : 0;
    memcpy(g->kept_shape, plan->kept_shape, kept_bytes);
    memcpy(g->kept_in, plan->in.kept_stride, kept_bytes);
    memcpy(g->kept_out, plan->out.kept_stride, kept_bytes);
    memcpy(g->kept_mask, plan->mask.kept_stride, kept_bytes);
    memcpy(g->outer_shape, plan->reduced_shape, outer_bytes);
    memcpy(g->outer_in, plan->in.reduced_stride, outer_bytes);
    memcpy(g->outer_mask, plan->mask.reduced_stride, outer_bytes);
    const int size = gndi_dtype_sizes[plan->in.dtype];
    const bool inner =
        !kept || (plan->reduced_ndim && p->run_step < plan->in.kept_stride[kept - 1]);
    if (inner)
        lay_out_rows(l, 1, 4, size);
    else
        lay_out_columns(l, 1, 4, size);
}

/* What does not depend on the kernel. */
static void describe(launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->general.base;
    const int reduced = plan->reduced_ndim, outer = reduced ? reduced - 1 : 0;
    memset(p, 0, sizeof *p);
    l->is_general = false;
    l->partials = 0;
    p->in = plan->in.data, p->out = plan->out.data;
    p->outputs = plan->outputs, p->length = plan->length;
    p->run = reduced ? plan->reduced_shape[outer] : 1;
    p->run_step = reduced ? plan->in.reduced_stride[outer] : 0;
    p->segments = p->length ? p->length / p->run : 1;
    p->kept_ndim = plan->kept_ndim, p->outer_ndim = outer;
    for (int a = 0; a < plan->kept_ndim && a < GNDI_REDUCE_AXES; a++) {
        p->kept_shape[a] = plan->kept_shape[a];
        p->kept_in[a] = plan->in.kept_stride[a];
        p->kept_out[a] = plan->out.kept_stride[a];
    }
    for (int a = 0; a < outer && a < GNDI_REDUCE_AXES; a++) {
        p->outer_shape[a] = plan->reduced_shape[a];
        p->outer_in[a] = plan->in.reduced_stride[a];
    }
    p->divisor = plan->divisor;
    p->has_start = plan->has_start, p->start_data = plan->start_data;
    memcpy(p->start, &plan->start, sizeof p->start);
    p->start_dtype = (uint8_t)plan->loop, p->out_dtype = plan->out.dtype;
    p->signed_sum = gnd_dtype_kind(plan->loop) == 'i';
    p->count_as = plan->reducer == GNDI_REDUCE_ANY ? 1 : plan->reducer == GNDI_REDUCE_ALL ? 2 : 0;
}

/* The stream's own tickets: work in one stream does not overlap. */
static unsigned *tickets_of(const gnd_stream *s) {
    static unsigned *_Atomic base[GNDI_MAX_GPUS];
    const int device = s->device->id.index;
    unsigned *tickets = atomic_load_explicit(&base[device], memory_order_relaxed);
    if (gndi_unlikely(!tickets)) {
        tickets = gndi_reduce_tickets();
        atomic_store_explicit(&base[device], tickets, memory_order_relaxed);
    }
    return tickets ? tickets + (size_t)s->slot * GNDI_REDUCE_GROUPS : NULL;
}

gnd_status gndi_cuda_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    launch l;
    gndi_reduce_params *p = &l.general.base;
    gndi_buffer *workspace = NULL;
    l.processors = s->device->processors;
    describe(&l, plan);
    if (!choose_special(&l, plan)) choose_general(&l, plan);
    l.blocks = (unsigned)p->groups * (unsigned)p->members;
    if (p->members > 1) {
        p->tickets = tickets_of(s);
        if (!p->tickets)
            return gndi_cuda_check((int)cudaGetLastError(), fn, "finding the reductions' tickets");
        workspace = gndi_buffer_new(fn, s, (size_t)(l.blocks * l.partials) * (size_t)l.accumulator);
        if (!workspace) return GND_ERROR_MEMORY;
        p->partials = workspace->base;
    }
    void *argument = &l.general;
    const cudaError_t error =
        cudaLaunchKernel(l.kernel, (dim3){l.blocks, 1, 1}, (dim3){l.threads, 1, 1}, &argument, 0,
                         (cudaStream_t)s->native);
    if (workspace) gndi_buffer_release(workspace);
    return gndi_cuda_check((int)error, fn, "launching a reduction");
}
