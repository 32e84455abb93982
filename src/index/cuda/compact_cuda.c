/*
 * compact_cuda.c: stream compaction on a GPU, in one pass over the mask (compact_kernels.cu). The kernels need
 * a mask of dense bytes; the elementwise engine converts any other. More than 2^30 points take several
 * launches, each continuing from the previous count.
 */
#include "index/compact_plan.h"
#include "index/cuda/compact_params.h"
#include "scan/cuda/scan_cuda.h"
#include "elementwise/plan.h"

/* compact_kernels.cu: for blocks of GNDI_COMPACT_THREADS threads. `strided`: x is not dense, or the indices have
   several axes. */
const void *gndi_cuda_compact_take_kernel(int size, bool strided);
const void *gndi_cuda_compact_indices_kernel(bool strided);
const void *gndi_cuda_compact_count_kernel(void);
const void *gndi_cuda_compact_put_kernel(bool at, int size, bool strided);
/* The same for edges between elements of this size: up to 2 bytes, 4, 8 and 16. */
const void *gndi_cuda_compact_edges_small_kernel(bool indices, int size);
const void *gndi_cuda_compact_edges_4_kernel(bool indices);
const void *gndi_cuda_compact_edges_8_kernel(bool indices);
const void *gndi_cuda_compact_edges_16_kernel(bool indices);
/* Takes (out, step, count, capacity). */
const void *gndi_cuda_compact_pad_kernel(int size);

static const void *kernel_of(gndi_compact_kind kind, int size, bool strided) {
    switch (kind) {
    case GNDI_COMPACT_TAKE: return gndi_cuda_compact_take_kernel(size, strided);
    case GNDI_COMPACT_INDICES: return gndi_cuda_compact_indices_kernel(strided);
    case GNDI_COMPACT_PUT:
    case GNDI_COMPACT_PUT_AT: return gndi_cuda_compact_put_kernel(kind == GNDI_COMPACT_PUT_AT, size, strided);
    default: return gndi_cuda_compact_count_kernel();
    }
}

static const void *edges_kernel_of(bool indices, int size) {
    return size == 16  ? gndi_cuda_compact_edges_16_kernel(indices)
           : size == 8 ? gndi_cuda_compact_edges_8_kernel(indices)
           : size == 4 ? gndi_cuda_compact_edges_4_kernel(indices)
                       : gndi_cuda_compact_edges_small_kernel(indices, size);
}

enum {
    TILES = 512, /* wanted at least */
    VECTOR = 16,
    TILE_BYTES = 64 << 10, /* of elements that are read twice, to be compared and to be moved: what
                              all blocks have at a time stays in the L2 cache */
};

/* Whether the points follow each other in the operand's memory, whatever keeps the axes apart. */
static bool is_dense(const gndi_compact_plan *plan, const struct gndi_compact_operand *x, int64_t size) {
    for (int a = plan->ndim - 1; a >= 0; a--) {
        if (x->stride[a] != size) return false;
        size *= plan->shape[a];
    }
    return true;
}

/* ---- the mask ------------------------------------------------------------------------------- */

/* The mask as dense bools, in C order of the points. */
static gnd_status make_mask(gnd_stream *s, const gndi_compact_plan *plan, gndi_buffer **buffer, const char *fn) {
    gndi_ew_plan copy = {.op = GNDI_OP_copy, .loop = GND_BOOL, .nin = 1, .nout = 1};
    *buffer = gndi_buffer_new(fn, s, (size_t)plan->points);
    if (!*buffer) return GND_ERROR_MEMORY;
    copy.operand[0] = (gndi_ew_operand){.data = (*buffer)->base, .dtype = GND_BOOL};
    copy.operand[1] = (gndi_ew_operand){.data = plan->mask.data, .dtype = plan->mask_dtype};
    copy.size = plan->points, copy.uniform = plan->mask_dtype == GND_BOOL;
    int64_t step = 1;
    for (int a = plan->ndim - 1; a >= 0; a--) {
        copy.shape[a] = plan->shape[a];
        copy.stride[0][a] = step, copy.stride[1][a] = plan->mask.stride[a];
        step *= plan->shape[a];
    }
    copy.ndim = 0;
    for (int a = 0; a < plan->ndim; a++) { /* axes that the mask crosses as one */
        const int to = copy.ndim - 1;
        if (to >= 0 && copy.stride[1][to] == copy.stride[1][a] * copy.shape[a]) {
            copy.shape[to] *= copy.shape[a];
            copy.stride[0][to] = copy.stride[0][a], copy.stride[1][to] = copy.stride[1][a];
            continue;
        }
        copy.shape[to + 1] = copy.shape[a];
        copy.stride[0][to + 1] = copy.stride[0][a], copy.stride[1][to + 1] = copy.stride[1][a];
        copy.ndim++;
    }
    copy.contiguous = copy.ndim == 0 || (copy.ndim == 1 && copy.stride[1][0] == gndi_dtype_sizes[plan->mask_dtype]);
    return gndi_cuda_elementwise(s, &copy, fn);
}

/* Whether the kernels can read the mask as it is: bytes that are true if any bit is set. */
static bool is_ready(const gndi_compact_plan *plan) {
    return plan->mask_dtype <= GND_UINT8 && is_dense(plan, &plan->mask, 1);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static gndi_compact_edges edges_of(int dtype) {
    switch (dtype) {
    case GND_FLOAT16: return GNDI_EDGES_FLOAT16;
    case GND_BFLOAT16: return GNDI_EDGES_BFLOAT16;
    case GND_FLOAT32:
    case GND_FLOAT64: return GNDI_EDGES_REAL;
    case GND_COMPLEX64:
    case GND_COMPLEX128: return GNDI_EDGES_COMPLEX;
    default: return GNDI_EDGES_BITS;
    }
}

/* The kernel compares x, which is what stands for the mask. Counts are of results that have no room. */
static const void *prepare_edges(const gndi_compact_plan *plan, gndi_compact_params *p) {
    const int size = gndi_dtype_sizes[plan->mask_dtype];
    const char *first = plan->mask.data + p->first * size;
    p->edges = edges_of(plan->mask_dtype), p->equal_nan = plan->equal_nan;
    p->skip = (int32_t)((uintptr_t)first % VECTOR / (unsigned)size);
    p->mask = NULL, p->x = (char *)first - p->skip * size;
    if (plan->kind == GNDI_COMPACT_COUNT) p->capacity = 0;
    return edges_kernel_of(plan->kind == GNDI_COMPACT_INDICES, size);
}

/* ---- the launches --------------------------------------------------------------------------- */

static void describe(gndi_compact_params *p, const gndi_compact_plan *plan, gnd_stream *s) {
    p->out = plan->out;
    p->step = plan->step, p->axis_step = plan->axis_step;
    p->wrap = plan->wrap, p->expected = plan->expected;
    p->capacity = plan->capacity < 0 ? INT64_MAX : plan->capacity;
    p->wraps = plan->kind == GNDI_COMPACT_PUT      ? p->capacity > plan->wrap
               : plan->kind == GNDI_COMPACT_PUT_AT ? plan->points > plan->wrap
                                                   : false;
    p->fault = plan->kind == GNDI_COMPACT_PUT && plan->expected >= 0 ? gndi_fault_record(s->device) : NULL;
    const bool indices = plan->kind == GNDI_COMPACT_INDICES;
    p->lines = indices && plan->step == 8 && (uintptr_t)plan->out % VECTOR == 0;
    p->ndim = indices ? plan->index_ndim : plan->ndim;
    for (int a = 0; a < p->ndim; a++) {
        p->shape[a] = indices ? plan->index_shape[a] : plan->shape[a];
        p->stride[a] = indices ? 0 : plan->x.stride[a];
    }
}

/* One launch: `points` points from `first` on. The first has the most tiles: later ones make do with
   its words. */
static gnd_status launch(gnd_stream *s, const gndi_compact_plan *plan, gndi_compact_params *p, const char *mask,
                         int64_t points, bool strided, gndi_buffer **words, const char *fn) {
    const void *kernel;
    if (plan->edges) {
        kernel = prepare_edges(plan, p);
    } else {
        p->skip = (int32_t)((uintptr_t)(mask + p->first) % VECTOR);
        p->mask = mask + p->first - p->skip;
        p->x = plan->x.data;
        if (!strided && p->x) p->x += (p->first - p->skip) * plan->itemsize;
        kernel = kernel_of(plan->kind, plan->itemsize, strided);
    }
    p->end = p->skip + (int32_t)points;
    p->depth = GNDI_COMPACT_DEPTH;
    if (plan->edges && plan->kind == GNDI_COMPACT_TAKE)
        while (p->depth > 1 && p->depth * GNDI_COMPACT_ROW * plan->itemsize > TILE_BYTES) p->depth /= 2;
    while (p->depth > 1 && points < (int64_t)TILES * GNDI_COMPACT_ROW * p->depth) p->depth /= 2;
    const int32_t tile = p->depth * GNDI_COMPACT_ROW;
    p->tiles = (p->end + tile - 1) / tile;
    const bool alone = plan->kind == GNDI_COMPACT_PUT_AT; /* tiles need not know of each other */
    const gnd_status status = gndi_cuda_scan_tiles(s, &p->state, alone ? 1 : p->tiles, 1, words, fn);
    return status ? status : gndi_cuda_launch(s, kernel, p->tiles, GNDI_COMPACT_THREADS, 0, p, fn);
}

static gnd_status launch_all(gnd_stream *s, const gndi_compact_plan *plan, const char *mask, int64_t scale,
                             const char *fn) {
    gndi_compact_params p;
    gndi_buffer *counts = NULL, *words = NULL;
    const int64_t part = GNDI_COMPACT_PART, parts = (plan->points + part - 1) / part;
    const bool strided = plan->kind == GNDI_COMPACT_INDICES ? plan->index_ndim > 1
                         : plan->kind == GNDI_COMPACT_COUNT ? false
                                                            : !is_dense(plan, &plan->x, plan->itemsize);
    memset(&p, 0, sizeof p);
    describe(&p, plan, s);
    gndi_fault *fault = p.fault;
    if (parts > 1 && plan->kind != GNDI_COMPACT_PUT_AT) {
        counts = gndi_buffer_new(fn, s, (size_t)parts * sizeof(int64_t));
        if (!counts) return GND_ERROR_MEMORY;
    }
    gnd_status status = GND_OK;
    for (int64_t i = 0; i < parts && !status; i++) {
        const bool last = i == parts - 1;
        const int64_t points = last ? plan->points - i * part : part;
        int64_t *count = counts ? counts->base : NULL;
        p.first = i * part;
        p.before = count && i > 0 ? count + i - 1 : NULL;
        p.after = last ? plan->count : count ? count + i : NULL;
        p.fault = last ? fault : NULL;
        p.scale = last ? scale : 1;
        status = launch(s, plan, &p, mask, points, strided, &words, fn);
    }
    if (counts) gndi_buffer_release(counts);
    if (words) gndi_buffer_release(words);
    return status;
}

static gnd_status pad(gnd_stream *s, const gndi_compact_plan *plan, const char *fn) {
    enum { THREADS = 256, BLOCKS = 1024 };
    const bool take = plan->kind == GNDI_COMPACT_TAKE;
    const int64_t wanted = (plan->capacity + THREADS - 1) / THREADS;
    const void *kernel = gndi_cuda_compact_pad_kernel(take ? plan->itemsize : 8);
    cudaError_t error = cudaSuccess;
    if (wanted > 0) gndi_cuda_use(kernel);
    for (int a = 0; a < (take ? 1 : plan->index_ndim) && wanted > 0 && !error; a++) {
        char *out = plan->out + a * plan->axis_step;
        int64_t step = plan->step, capacity = plan->capacity;
        int64_t *count = plan->count;
        error = cudaLaunchKernel(kernel, (dim3){(unsigned)gndi_min(wanted, BLOCKS), 1, 1}, (dim3){THREADS, 1, 1},
                                 (void *[]){&out, &step, &count, &capacity}, 0, (cudaStream_t)s->native);
    }
    if (error) cudaGetLastError();
    return gndi_cuda_check((int)error, fn, "clearing what lies past the count");
}

/* Two neighbours along the last axis that the mask does not tell apart become one element, as far as
   sizes and addresses allow: how many elements a point then is. */
static int64_t widen(gndi_compact_plan *plan) {
    const int last = plan->ndim - 1;
    const bool puts = plan->kind == GNDI_COMPACT_PUT;
    int64_t scale = 1;
    if ((plan->kind != GNDI_COMPACT_TAKE && !puts) || plan->edges || last < 0) return 1;
    if (plan->mask.stride[last] != 0 || plan->x.stride[last] != plan->itemsize) return 1;
    while (plan->itemsize < VECTOR && plan->shape[last] % 2 == 0 && plan->step == plan->itemsize) {
        const int64_t wide = plan->itemsize * 2;
        int64_t odd = (int64_t)((uintptr_t)plan->x.data | (uintptr_t)plan->out) % wide;
        for (int a = 0; a < last; a++) odd |= plan->x.stride[a] % wide;
        if (plan->capacity > 0) odd |= plan->capacity % 2;
        if (puts) odd |= plan->wrap % 2;
        if (odd) break;
        plan->itemsize = (uint8_t)wide, plan->step = plan->x.stride[last] = wide;
        plan->shape[last] /= 2, plan->points /= 2, scale *= 2;
        if (plan->capacity > 0) plan->capacity /= 2;
        if (puts) plan->wrap /= 2;
    }
    if (plan->shape[last] == 1) plan->ndim = last; /* the mask may be dense along the others */
    return scale;
}

gnd_status gndi_cuda_compact(gnd_stream *s, const gndi_compact_plan *plan, const char *fn) {
    gndi_compact_plan wide = *plan;
    gndi_buffer *made = NULL;
    gnd_status status = GND_OK;
    const int64_t scale = plan->pads ? 1 : widen(&wide);
    if (!plan->edges && !is_ready(&wide)) status = make_mask(s, &wide, &made, fn);
    if (!status) status = launch_all(s, &wide, made ? made->base : plan->mask.data, scale, fn);
    if (!status && plan->pads) status = pad(s, plan, fn);
    if (made) gndi_buffer_release(made);
    return status;
}
