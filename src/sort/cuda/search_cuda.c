/*
 * search_cuda.c: searches on a GPU. Few values are searched by small blocks with a small table of the first
 * steps; many by one large block a multiprocessor, with as large a table as its shared memory holds, which a
 * kernel gathers first. Interpolations whose points all fit there use buckets (interp_kernels.cu); others that
 * fit into the L1 cache use small blocks.
 */
#include "sort/cuda/search_params.h"
#include "runtime/hooks.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    FEW_THREADS = 256,
    FEW_BLOCKS = 8, /* on a multiprocessor */
    FEW_LEVELS = 9,
    MANY_POINTS = 1 << 18,
    MOST_TABLE = 128 << 10,  /* bytes */
    MOST_CACHED = 192 << 10, /* bytes of an interpolation's points and heights */
    FEWEST_BUCKETS = 64,
    MOST_BUCKETS = 1 << 14,
    OWN_SHARED = 1024,  /* bytes of shared memory that kernels have anyway */
    BUCKETS_WORTH = 64, /* values for each point, at least: every block makes buckets of its own */
};

/* A search that is being carried out. */
typedef struct search {
    gnd_stream *stream;
    const char *fn;
    gndi_search_params p;
    int element; /* bytes of one in the table */
} search;

static gnd_status launch(search *r, const void *kernel, int64_t blocks, int threads, size_t shared) {
    return gndi_cuda_launch(r->stream, kernel, blocks, threads, shared, &r->p, r->fn);
}

/* How many steps a table of so many bytes holds, of those that there are. */
static int levels_within(const search *r, int bytes) {
    int levels = 1;
    while (levels <= r->p.log_top && r->element << (levels + 1) <= bytes) levels++;
    return levels;
}

static gnd_status run(search *r, int threads, int64_t resident) {
    const gndi_search_plan *plan = &r->p.plan;
    const int64_t share = (int64_t)threads * GNDI_SEARCH_EACH;
    const int64_t wanted = (plan->points + share - 1) / share;
    const void *kernel = plan->interp ? gndi_cuda_interp_kernel() : gndi_cuda_search_kernel(plan->dtype);
    return launch(r, kernel, wanted < resident ? wanted : resident, threads, (size_t)r->element << r->p.levels);
}

static gnd_status search_many(search *r, int shared_bytes) {
    r->p.levels = levels_within(r, shared_bytes < MOST_TABLE ? shared_bytes : MOST_TABLE);
    const int64_t entries = (int64_t)1 << r->p.levels;
    gndi_buffer *table = gndi_buffer_new(r->fn, r->stream, (size_t)entries * (size_t)r->element);
    if (!table) return GND_ERROR_MEMORY;
    r->p.table = table->base;
    const int dtype = r->p.plan.interp ? GND_FLOAT64 : r->p.plan.dtype;
    gnd_status status =
        launch(r, gndi_cuda_search_gather_kernel(dtype), (entries + FEW_THREADS - 1) / FEW_THREADS, FEW_THREADS, 0);
    if (!status) status = run(r, GNDI_SEARCH_THREADS, r->stream->device->processors);
    gndi_buffer_release(table);
    return status;
}

/* Interpolates by buckets, if the points and the buckets fit in `shared_bytes` bytes. */
static gnd_status interp_in_buckets(search *r, int64_t shared_bytes, bool *done) {
    const int64_t n = r->p.plan.length, line = n * (int64_t)sizeof(double);
    const int64_t share = (int64_t)GNDI_SEARCH_THREADS * GNDI_INTERP_EACH;
    int64_t buckets = FEWEST_BUCKETS;
    while (buckets < MOST_BUCKETS && buckets * 2 < n * 3) buckets *= 2;
    r->p.buckets = (int)buckets - 1; /* and an end, which completes a vector */
    const int64_t least = GNDI_INTERP_STARTS(r->p.buckets) + line;
    const bool heights = !r->p.interp.is_complex && least + line <= shared_bytes;
    *done = least <= shared_bytes;
    if (!*done) return GND_OK;
    const int64_t wanted = (r->p.plan.points + share - 1) / share, most = r->stream->device->processors;
    return launch(r, gndi_cuda_interp_buckets_kernel(heights), wanted < most ? wanted : most, GNDI_SEARCH_THREADS,
                  (size_t)(heights ? least + line : least));
}

static bool is_cached(const gndi_search_plan *plan) {
    return plan->interp && plan->length <= MOST_CACHED / (int64_t)sizeof(double) / (plan->interp->is_complex ? 3 : 2);
}

gnd_status gndi_cuda_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    search r = {.stream = s, .fn = fn};
    r.p.plan = *plan, r.p.fault = gndi_fault_record(s->device);
    if (plan->interp) r.p.interp = *plan->interp;
    if (plan->length > 0) r.p.log_top = 63 - __builtin_clzll((uint64_t)plan->length);
    const bool is_half = plan->dtype == GND_FLOAT16 || plan->dtype == GND_BFLOAT16;
    r.element = plan->interp ? (int)sizeof(double) : is_half ? 4 : gndi_dtype_sizes[plan->dtype];
    if (plan->points >= MANY_POINTS) {
        const int shared_bytes = s->device->shared_bytes;
        bool done = false;
        if (plan->interp && plan->points / BUCKETS_WORTH >= plan->length) {
            const gnd_status status = interp_in_buckets(&r, shared_bytes - OWN_SHARED, &done);
            if (status || done) return status;
        }
        if (r.p.log_top >= FEW_LEVELS && !is_cached(plan)) return search_many(&r, shared_bytes);
    }
    r.p.levels = r.p.log_top + 1 < FEW_LEVELS ? r.p.log_top + 1 : FEW_LEVELS;
    return run(&r, FEW_THREADS, (int64_t)s->device->processors * FEW_BLOCKS);
}
