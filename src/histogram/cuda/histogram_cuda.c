/*
 * histogram_cuda.c: histograms on a GPU. A range computed from the data takes an additional kernel. Its blocks
 * write their extents, and every block of the next kernel combines them, so nothing waits for the host. Weights
 * are summed as in ufunc.at: elements are sorted by bin, then added in order.
 */
#include "histogram/cuda/histogram_params.h"
#include "kernels/ops/ops.h"
#include "index/scatter_plan.h"
#include "runtime/hooks.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    MOST_LOG_COPIES = 5,     /* a table for each lane of a warp */
    SHARED_BYTES = 36 << 10, /* of tables; any block may have 48 KiB, */
    EDGES_BYTES = 8 << 10,   /* and some are for edges */
    OWN_SHARED = 4 << 10,    /* what kernels have beside tables, if those are large */
    FEW_ELEMENTS = 4,        /* a block that has fewer for a bin does without a large table, one that
                                has fewer for as many bins without any */
};

/* A histogram that is being carried out. */
typedef struct histogram {
    gnd_stream *stream;
    const char *fn;
    gndi_histogram_params p;
    gndi_buffer *extents, *numbers;
} histogram;

static gnd_status launch(histogram *h, const void *kernel, int64_t blocks, size_t shared) {
    return gndi_cuda_launch(h->stream, kernel, blocks, GNDI_HISTOGRAM_THREADS, shared, &h->p, h->fn);
}

/* As many blocks as fill the card, or as there is work for. */
static int64_t blocks_for(const histogram *h) {
    const int64_t size = gndi_dtype_sizes[h->p.plan.x_dtype];
    const int64_t share = (int64_t)GNDI_HISTOGRAM_THREADS * 16 / size;
    const int64_t wanted = (h->p.plan.points + share - 1) / share;
    const int64_t resident = h->stream->device->processors;
    return wanted < 1 ? 1 : wanted < resident ? wanted : resident;
}

/* ---- the range ------------------------------------------------------------------------------- */

/* Launches the kernel that measures; it also clears the counts of EVEN bins. */
static gnd_status measure(histogram *h) {
    const int64_t blocks = blocks_for(h);
    h->extents = gndi_buffer_new(h->fn, h->stream, (size_t)blocks * sizeof(gndi_histogram_extent));
    if (!h->extents) return GND_ERROR_MEMORY;
    h->p.extents = h->extents->base, h->p.extents_count = (int)blocks;
    return launch(h, gndi_cuda_histogram_extent_kernel(h->p.plan.x_dtype), blocks, 0);
}

static gnd_status clear(histogram *h, size_t bytes) {
    return h->stream->device->backend->set_zero(h->stream, h->p.plan.out, bytes, h->fn);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Whether a block's elements are worth one large table, and there is room for it. */
static bool wants_large_table(const histogram *h, int64_t elements) {
    const int64_t bins = h->p.plan.bins;
    if (elements < bins * FEW_ELEMENTS) return false;
    return bins * (int64_t)sizeof(uint32_t) <= h->stream->device->shared_bytes - OWN_SHARED;
}

/* Where counts are made: in as many tables of shared memory as there is room for. */
static void choose_tables(histogram *h, int64_t blocks) {
    const int64_t bins = h->p.plan.bins, elements = h->p.plan.points / blocks;
    const int64_t bytes = bins * (int64_t)sizeof(uint32_t);
    h->p.log_copies = 0;
    h->p.in_shared = bytes <= SHARED_BYTES ? elements >= bins / FEW_ELEMENTS : wants_large_table(h, elements);
    while (h->p.in_shared && h->p.log_copies < MOST_LOG_COPIES && bytes << (h->p.log_copies + 1) <= SHARED_BYTES)
        h->p.log_copies++;
    if (h->p.log_copies < 2) h->p.log_copies = 0; /* lanes then look for what they have in common */
}

static size_t table_bytes(const histogram *h) {
    return h->p.in_shared ? (size_t)h->p.plan.bins * sizeof(uint32_t) << h->p.log_copies : 0;
}

/* Edges behind the tables, at a multiple of eight bytes. */
static size_t choose_edges(histogram *h) {
    const bool narrow = gndi_dtype_is_float(h->p.plan.x_dtype) && gndi_dtype_sizes[h->p.plan.x_dtype] <= 4;
    const size_t edges = ((size_t)h->p.plan.bins + 1) * (narrow ? sizeof(float) : sizeof(double));
    h->p.edges_in_shared = h->p.in_shared && edges <= EDGES_BYTES;
    return h->p.edges_in_shared ? edges + sizeof(uint32_t) : 0;
}

static const void *even_kernel(int dtype, bool copies) {
    switch (dtype) {
    case GND_INT8:
    case GND_UINT8: return gndi_cuda_histogram_even_bytes(dtype, copies);
    case GND_INT16:
    case GND_UINT16: return gndi_cuda_histogram_even_shorts(dtype, copies);
    case GND_INT32:
    case GND_UINT32: return gndi_cuda_histogram_even_words(dtype, copies);
    case GND_INT64:
    case GND_UINT64: return gndi_cuda_histogram_even_longs(dtype, copies);
    case GND_FLOAT16:
    case GND_BFLOAT16: return gndi_cuda_histogram_even_halves(dtype, copies);
    case GND_FLOAT32: return gndi_cuda_histogram_even_floats(dtype, copies);
    default: return gndi_cuda_histogram_even_doubles(dtype, copies);
    }
}
static const void *integer_kernel(int dtype, bool copies) {
    switch (gndi_dtype_sizes[dtype]) {
    case 1: return gndi_cuda_histogram_integer_bytes(dtype, copies);
    case 2: return gndi_cuda_histogram_integer_shorts(dtype, copies);
    case 4: return gndi_cuda_histogram_integer_words(dtype, copies);
    default: return gndi_cuda_histogram_integer_longs(dtype, copies);
    }
}

static gnd_status count_even(histogram *h) {
    gndi_histogram_plan *plan = &h->p.plan;
    const bool measured = plan->range.from_data && plan->points > 0;
    gnd_status status = GND_OK;
    if (measured)
        status = measure(h);
    else if (plan->out)
        status = clear(h, (size_t)plan->bins * sizeof(int64_t));
    const int64_t blocks = plan->out ? blocks_for(h) : 1 + plan->bins / GNDI_HISTOGRAM_THREADS;
    if (plan->out) choose_tables(h, blocks);
    const size_t shared = plan->out ? table_bytes(h) + choose_edges(h) : 0;
    if (status) return status;
    return launch(h, even_kernel(plan->x_dtype, h->p.log_copies >= 2), blocks, shared);
}

static gnd_status count_integers(histogram *h) {
    gnd_status status = clear(h, (size_t)h->p.plan.bins * sizeof(int64_t));
    const int64_t blocks = blocks_for(h);
    if (status || h->p.plan.points == 0) return status;
    choose_tables(h, blocks);
    return launch(h, integer_kernel(h->p.plan.x_dtype, h->p.log_copies >= 2), blocks, table_bytes(h));
}

/* The kernels that look at one element at a time have room for two blocks on a multiprocessor. */
static int64_t blocks_of_two(const histogram *h) {
    const int64_t wanted = (h->p.plan.points + GNDI_HISTOGRAM_THREADS - 1) / GNDI_HISTOGRAM_THREADS;
    const int64_t resident = 2 * (int64_t)h->stream->device->processors;
    return wanted < 1 ? 1 : wanted < resident ? wanted : resident;
}

static gnd_status count_between(histogram *h) {
    const int64_t bins = h->p.plan.bins, blocks = blocks_of_two(h);
    gnd_status status = GND_OK;
    if (h->p.plan.out) status = clear(h, (size_t)bins * sizeof(int64_t));
    h->p.log_copies = 0;
    h->p.in_shared = bins * (int64_t)sizeof(uint32_t) <= SHARED_BYTES / 2 && /* beside the edges */
                     h->p.plan.points / blocks >= bins / FEW_ELEMENTS;
    if (status) return status;
    return launch(h, gndi_cuda_histogram_between_kernel(h->p.plan.edges_dtype), blocks,
                  h->p.plan.out ? table_bytes(h) : 0);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Edges of bins of one width, without counting. */
static gnd_status make_edges(histogram *h) {
    char *numbers = h->p.plan.numbers, *out = h->p.plan.out;
    h->p.plan.numbers = h->p.plan.out = NULL;
    gnd_status status = count_even(h);
    h->p.plan.numbers = numbers, h->p.plan.out = out;
    return status;
}

static gnd_status number(histogram *h) {
    char *out = h->p.plan.out;
    gnd_status status = GND_OK;
    h->p.plan.out = NULL;
    if (h->p.plan.kind == GNDI_HISTOGRAM_EVEN) status = make_edges(h);
    if (!status && h->p.plan.points > 0)
        status = h->p.plan.kind == GNDI_HISTOGRAM_EDGES
                     ? count_between(h)
                     : launch(h, gndi_cuda_histogram_number_kernel(h->p.plan.kind), blocks_of_two(h), 0);
    h->p.plan.out = out;
    return status;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* out[number] += weight, what has the number -1 behind all bins. */
static gnd_status add_weights(histogram *h) {
    const gndi_histogram_plan *plan = &h->p.plan;
    const int64_t size = gndi_dtype_sizes[plan->weight_dtype];
    gndi_scatter_plan *sums = gndi_calloc(h->fn, sizeof *sums);
    if (!sums) return GND_ERROR_MEMORY;
    sums->op = GNDI_OP_add, sums->loop = (gnd_dtype)plan->weight_dtype;
    sums->updates = plan->points, sums->targets = plan->bins + 1, sums->columns = 1;
    sums->indices = 1;
    sums->index[0].data = plan->numbers, sums->index[0].dtype = plan->number_dtype;
    sums->index[0].step = gndi_dtype_sizes[plan->number_dtype];
    sums->index[0].size = plan->bins + 1, sums->index[0].stride = size;
    sums->target.data = plan->out, sums->target.dtype = plan->weight_dtype;
    sums->value.data = plan->weight, sums->value.dtype = plan->weight_dtype;
    sums->value.step = plan->weight_step;
    const gnd_status status = h->stream->device->backend->scatter(h->stream, sums, h->fn);
    gndi_free(sums);
    return status;
}

static gnd_status sum(histogram *h) {
    gndi_histogram_plan *plan = &h->p.plan;
    const bool narrow = plan->bins < INT32_MAX;
    gnd_status status = clear(h, (size_t)(plan->bins + 1) * gndi_dtype_sizes[plan->weight_dtype]);
    if (status) return status;
    h->numbers = gndi_buffer_new(h->fn, h->stream, (size_t)plan->points * (narrow ? 4 : 8));
    if (!h->numbers) return GND_ERROR_MEMORY;
    plan->numbers = h->numbers->base, plan->folds = false;
    plan->number_dtype = narrow ? GND_INT32 : GND_INT64;
    status = number(h);
    if (status || plan->points == 0) return status;
    return add_weights(h);
}

/* ---- the backend's function ------------------------------------------------------------------- */

static gnd_status find_extent(histogram *h) {
    const gnd_status status = measure(h);
    if (status) return status;
    return launch(h, gndi_cuda_histogram_join_kernel(h->p.plan.x_dtype), 1, 0);
}

gnd_status gndi_cuda_histogram(gnd_stream *s, const gndi_histogram_plan *plan, const char *fn) {
    histogram h = {.stream = s, .fn = fn};
    gnd_status status;
    h.p.plan = *plan, h.p.fault = gndi_fault_record(s->device);
    if (plan->kind == GNDI_HISTOGRAM_EXTENT)
        status = find_extent(&h);
    else if (plan->out && plan->weight)
        status = sum(&h);
    else if (plan->numbers)
        status = number(&h);
    else if (plan->kind == GNDI_HISTOGRAM_EVEN)
        status = count_even(&h);
    else if (plan->kind == GNDI_HISTOGRAM_INTEGERS)
        status = count_integers(&h);
    else
        status = count_between(&h);
    if (h.extents) gndi_buffer_release(h.extents);
    if (h.numbers) gndi_buffer_release(h.numbers);
    return status;
}
