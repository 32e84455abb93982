/*
 * scan_cuda.c: carries out a scan on a GPU: picks one of the kernels of scan_*.cuh by where the
 * lines lie in memory, and gives its tiles the words through which they tell each other their
 * totals.
 *
 * What no kernel reads well, casts and inputs that lie across the output, is first copied to the
 * output by the elementwise engine, and scanned there; all memory is there before that.
 */
#include "elementwise/cuda/copy_launch.h"
#include "scan/cuda/scan_cuda.h"
#include "scan/cuda/scan_params.h"
#include "scan/cuda/scan_parts.h"
#include "scan/scan_plan.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    THREADS = GNDI_SCAN_THREADS,
    WARPS = THREADS / 32,
    SERIAL_THREADS = 64,
    NARROW_ELEMENTS = 1024, /* in a matrix, at least */
    NARROW_TILE = 45056,    /* bytes, at most */
    NARROW_TILES = 128,     /* wanted at least */
    NARROW_SCAN = 14,       /* warps of a block that scan, if they can be shared out evenly */
    NARROW_OWN = 2048,      /* of a block: what it needs beside tiles and values, */
    NARROW_VALUES = 288,    /* and values beside those of parts */
    TILES = 256,            /* wanted at least */
    WORTH_A_COPY = 65536,   /* elements, which then come to the fastest kernels */
    PRODUCTS_PART = 256,    /* elements of a line that a thread mends */
    FEW_LINES = 8,          /* that leave most lanes of COLUMNS idle */
    CHAIN_GROUPS = 128,     /* blocks across the lines, from which on a chain of tiles is no wait */
    LARGEST_GRID = 2147483647,
};

/* Vectors of 16 bytes want addresses that are multiples of that. */
enum { VECTOR = 16 };

/* ---- the table of kernels -------------------------------------------------------------------- */

static gndi_scan_table table;
static gndi_once table_once;

#define PART(fill) void fill(gndi_scan_table *);
GNDI_SCAN_PARTS
#undef PART
unsigned long long *gndi_scan_words(void);        /* scan_state_cuda.cu */
const void *gndi_scan_products_kernel(bool wide); /* scan_products_cuda.cu */
const void *gndi_scan_start_kernel(void);         /* scan_start_cuda.cu */

static void fill_table(void) {
#define PART(fill) fill(&table);
    GNDI_SCAN_PARTS
#undef PART
}

/* ---- small things ---------------------------------------------------------------------------- */

static int64_t greatest_common_divisor(int64_t a, int64_t b) {
    return b ? greatest_common_divisor(b, a % b) : a;
}

/* A scan that is being carried out. */
typedef struct scan {
    gnd_stream *stream;
    const char *fn;
    const gndi_scan_kernels *kernels;
    gndi_scan_plan plan;
    const gndi_scan_plan *copied; /* whose input is copied to the output before; NULL: none is */
} scan;

/* Casts the input into the output. */
static gnd_status copy_to_output(const scan *r) {
    const gndi_scan_plan *from = r->copied;
    gndi_cuda_copy copy =
        gndi_cuda_copy_new(from->out.data, (uint8_t)from->loop, from->in.data, (uint8_t)from->in.dtype);
    for (int a = 0; a < from->ndim; a++)
        gndi_cuda_copy_axis(&copy, from->shape[a], from->out.stride[a], from->in.stride[a]);
    gndi_cuda_copy_axis(&copy, from->length, from->out.step, from->in.step);
    return gndi_cuda_copy_run(r->stream, &copy, r->fn);
}

static gnd_status launch(const scan *r, const void *kernel, int64_t blocks, int threads, size_t shared, void *params) {
    if (blocks > LARGEST_GRID)
        return gndi_raise(GND_ERROR_VALUE, r->fn, "the scan would take %lld blocks, of which a GPU starts at most %d",
                          (long long)blocks, LARGEST_GRID);
    const gnd_status status = r->copied ? copy_to_output(r) : GND_OK;
    return status ? status : gndi_cuda_launch(r->stream, kernel, blocks, threads, shared, params, r->fn);
}

static bool starts(const scan *r) {
    return r->plan.start.data != NULL;
}

/* The same, of tiles that tell each other their totals. If lines start from values, those are totals of `first` tiles 0
   before them (scan_start_cuda.cu). */
static gnd_status launch_tiles(const scan *r, const gndi_scan_state *state, int64_t first, const void *kernel,
                               int64_t blocks, int threads, size_t shared, void *params) {
    const gndi_scan_plan *plan = &r->plan;
    if (!starts(r) || blocks > LARGEST_GRID) return launch(r, kernel, blocks, threads, shared, params);
    gndi_scan_start_lines p = {.state = *state,
                               .tiles = first,
                               .size = gndi_dtype_sizes[gndi_scan_carried(plan->op, plan->loop)],
                               .of = {.in = plan->start.data, .lines = plan->lines, .ndim = plan->ndim}};
    const size_t axes = (size_t)plan->ndim * sizeof(int64_t);
    memcpy(p.of.shape, plan->shape, axes);
    memcpy(p.of.in_stride, plan->start.stride, axes);
    gnd_status status = r->copied ? copy_to_output(r) : GND_OK;
    if (!status)
        status = gndi_cuda_launch(r->stream, gndi_scan_start_kernel(), gndi_ceil_div(plan->lines, THREADS), THREADS, 0,
                                  &p, r->fn);
    return status ? status : gndi_cuda_launch(r->stream, kernel, blocks, threads, shared, params, r->fn);
}

/* Moves the first element of lines by so many, so that theirs are those from there on. */
static void begin_before(gndi_scan_lines *lines, int64_t elements) {
    lines->length += elements;
    lines->in -= elements * lines->in_step, lines->out -= elements * lines->out_step;
}

static void describe_lines(gndi_scan_lines *lines, const gndi_scan_plan *plan) {
    const size_t axes = (size_t)plan->ndim * sizeof(int64_t);
    lines->in = plan->in.data, lines->out = plan->out.data;
    lines->length = plan->length, lines->lines = plan->lines;
    lines->in_step = plan->in.step, lines->out_step = plan->out.step;
    lines->ndim = plan->ndim, lines->skip_nan = plan->skip_nan;
    memcpy(lines->shape, plan->shape, axes);
    memcpy(lines->in_stride, plan->in.stride, axes);
    memcpy(lines->out_stride, plan->out.stride, axes);
}

/* ---- what tiles tell each other -------------------------------------------------------------- */

/* This stream's own words: work in one stream does not overlap. */
static unsigned long long *words_of(const gnd_stream *s) {
    static unsigned long long *_Atomic base[GNDI_MAX_GPUS];
    const int device = s->device->id.index;
    unsigned long long *words = atomic_load_explicit(&base[device], memory_order_relaxed);
    if (gndi_unlikely(!words)) {
        words = gndi_scan_words();
        atomic_store_explicit(&base[device], words, memory_order_relaxed);
    }
    return words ? words + (size_t)s->slot * GNDI_SCAN_STATE : NULL;
}

/* Words for `values` values of `words` words. What does not fit the stream's own is in *buffer, and
   made if that is NULL. */
static gnd_status make_words(gnd_stream *s, gndi_scan_state *state, int64_t values, int words, gndi_buffer **buffer,
                             const char *fn) {
    if (values * words < GNDI_SCAN_STATE) {
        state->ticket = words_of(s);
        if (!state->ticket) return gndi_cuda_check((int)cudaGetLastError(), fn, "finding the scans' words");
    } else {
        const size_t bytes = (size_t)(values * words + 1) * sizeof *state->words;
        if (!*buffer) *buffer = gndi_buffer_new(fn, s, bytes);
        if (!*buffer) return GND_ERROR_MEMORY;
        state->ticket = (*buffer)->base;
        const cudaError_t error = cudaMemsetAsync(state->ticket, 0, bytes, (cudaStream_t)s->native);
        if (error) return gndi_cuda_check((int)error, fn, "clearing the scan's words");
    }
    state->words = state->ticket + 1;
    return GND_OK;
}

/* For `tiles` tiles one after the other: the levels of one column after those of another, or all
   columns of a level together. */
static gnd_status make_columns(gnd_stream *s, gndi_scan_state *state, int64_t tiles, int64_t columns, int words,
                               gndi_buffer **buffer, const char *fn) {
    int64_t entries = 0;
    for (int level = 0; level < GNDI_SCAN_LEVELS; level++, tiles /= 32) {
        state->level[level] = entries;
        entries += tiles;
    }
    state->column = entries;
    return make_words(s, state, entries * columns, words, buffer, fn);
}
gnd_status gndi_cuda_scan_tiles(gnd_stream *s, gndi_scan_state *state, int64_t tiles, int words, gndi_buffer **buffer,
                                const char *fn) {
    memset(state, 0, sizeof *state);
    return tiles > 1 ? make_columns(s, state, tiles, 1, words, buffer, fn) : GND_OK;
}

static gnd_status make_rows(gnd_stream *s, gndi_scan_state *state, int64_t tiles, int64_t columns, int words,
                            gndi_buffer **buffer, const char *fn) {
    int64_t entries = 0;
    for (state->levels = 0; tiles > 0 && state->levels < GNDI_SCAN_LEVELS; tiles /= 32) {
        state->level[state->levels++] = entries * words;
        entries += tiles * columns;
        if (state->chained) break;
    }
    return make_words(s, state, entries, words, buffer, fn);
}

/* ---- one stream of elements ------------------------------------------------------------------ */

/* Whether the operand's lines follow each other without gaps, at a multiple of 16 bytes. */
static bool is_dense(const gndi_scan_plan *plan, const struct gndi_scan_operand *x) {
    const int64_t size = gndi_dtype_sizes[x->dtype];
    return x->step == size && (uintptr_t)x->data % VECTOR == 0 && plan->ndim <= 1 &&
           (plan->ndim == 0 || x->stride[0] == size * plan->length);
}

/* Cuts the stream into tiles: as deep as leaves enough of them for a large card
   (for every card the same, so that all give the same bits); of whole lines,
   if they fill most of it. */
static void cut_stream(gndi_scan_flat *p, const gndi_scan_kernels *k) {
    const int64_t length = p->of.length;
    const int vector = k->vector;
    p->size = length * p->of.lines;
    p->depth = k->depth;
    while (p->depth > 1 && p->size < (int64_t)TILES * THREADS * vector * p->depth) p->depth /= 2;
    const int capacity = THREADS * vector * p->depth;
    p->near = (uint32_t)(length < capacity ? length : capacity);
    p->magic = (uint32_t)(((UINT64_C(1) << 32) + p->near - 1) / p->near);
    p->span = capacity;
    const int64_t unit = length / greatest_common_divisor(length, vector) * vector;
    const int64_t whole = unit <= capacity ? capacity / unit * unit : 0;
    if (whole * 10 >= (int64_t)capacity * 9) p->span = (int32_t)whole;
    p->tiles = gndi_ceil_div(p->size, p->span);
}

static gnd_status scan_flat(const scan *r) {
    const gndi_scan_plan *plan = &r->plan;
    const gndi_scan_kernels *k = r->kernels;
    gndi_scan_flat p;
    gndi_buffer *buffer = NULL;
    memset(&p.state, 0, sizeof p.state);
    describe_lines(&p.of, plan);
    const bool dense =
        k->dense && plan->in.dtype == plan->loop && is_dense(plan, &plan->in) && is_dense(plan, &plan->out);
    cut_stream(&p, k);
    const int64_t blocks = p.tiles;
    if (starts(r)) { /* of one line */
        p.tiles++, p.size += p.span;
        begin_before(&p.of, p.span);
    }
    gnd_status status = GND_OK;
    if (starts(r) || (p.tiles > 1 && p.span % plan->length != 0))
        status = make_columns(r->stream, &p.state, p.tiles, 1, k->words, &buffer, r->fn);
    if (!status)
        status = launch_tiles(r, &p.state, 1, dense ? k->dense : k->flat[plan->in.dtype], blocks, THREADS, 0, &p);
    if (buffer) gndi_buffer_release(buffer);
    return status;
}

/* ---- many lines side by side ----------------------------------------------------------------- */

static gnd_status scan_columns(const scan *r) {
    const gndi_scan_plan *plan = &r->plan;
    const gndi_scan_kernels *k = r->kernels;
    gndi_scan_columns p;
    gndi_buffer *buffer = NULL;
    memset(&p.state, 0, sizeof p.state);
    describe_lines(&p.of, plan);
    p.share = 1;
    while (p.share < WARPS && p.share * k->rows < plan->length) p.share *= 2;
    const int64_t rows = (int64_t)p.share * k->rows, across = WARPS / p.share * 32;
    const int64_t row_tiles = gndi_ceil_div(plan->length, rows) + starts(r);
    const int64_t groups = gndi_ceil_div(plan->lines, across);
    if (starts(r)) begin_before(&p.of, rows);
    if (row_tiles > LARGEST_GRID / groups) return launch(r, NULL, INT64_MAX, 0, 0, NULL);
    p.row_tiles = (int32_t)row_tiles, p.groups = (int32_t)groups;
    p.columns = groups * across;
    gnd_status status = GND_OK;
    if (row_tiles > 1) {
        p.state.chained = groups >= CHAIN_GROUPS;
        status = make_rows(r->stream, &p.state, row_tiles, p.columns, k->words, &buffer, r->fn);
    }
    if (!status)
        status = launch_tiles(r, &p.state, groups, k->columns[plan->in.dtype], (row_tiles - starts(r)) * groups,
                              THREADS, 0, &p);
    if (buffer) gndi_buffer_release(buffer);
    return status;
}

/* Whether the operand is a stack of dense matrices of few columns, whose rows are scanned down. */
static bool is_narrow(const gndi_scan_plan *plan, const struct gndi_scan_operand *x) {
    const int64_t size = gndi_dtype_sizes[x->dtype], last = plan->ndim - 1;
    if (last < 0 || last > 1 || x->stride[last] != size) return false;
    const int64_t width = plan->shape[last];
    return width >= 2 && width <= GNDI_SCAN_WIDTH && x->step == width * size &&
           width * plan->length >= NARROW_ELEMENTS && (last == 0 || x->stride[0] == width * size * plan->length);
}

/* Cuts the matrices into tiles, the same on every card: as large ones as leave enough of them, and no
   larger than a short matrix needs. */
static void cut_narrow(gndi_scan_narrow *p, const gndi_scan_plan *plan) {
    const int size = gndi_dtype_sizes[plan->loop], width = p->width;
    const int warps = size > 8 ? NARROW_SCAN / 2 : NARROW_SCAN;
    p->side = (int)greatest_common_divisor(width, 32);
    const int sets = width / p->side, chunks = 32 / p->side; /* warps, and chunks, of a part */
    p->parts = warps > sets ? warps / sets : 1;
    p->chunks = p->parts * chunks;
    const int64_t most = NARROW_TILE / (p->chunks * width * size);
    const int64_t some = gndi_ceil_div(plan->length * p->outer, NARROW_TILES * p->chunks);
    p->rows = some < most ? (int)some | 1 : (int)(most - 1) | 1; /* odd: see narrow_block */
    if (plan->length <= (int64_t)(p->parts - 1) * chunks * p->rows) {
        p->parts = (int)gndi_ceil_div(plan->length, chunks * p->rows);
        if (p->parts * sets < 2) p->parts = 2;
        p->chunks = p->parts * chunks;
        p->rows = (int)gndi_ceil_div(plan->length, p->chunks) | 1;
    }
    p->tile_bytes = p->chunks * p->rows * width * size;
    const int64_t matrix = plan->length * width * size;
    p->vectors = (p->outer == 1 || matrix % VECTOR == 0) && ((uintptr_t)p->in | (uintptr_t)p->out) % VECTOR == 0;
}

/* Decides how many tiles a block has under way, by what shared memory there is, and how many blocks
   there are on a multiprocessor; gives back the shared memory of a block. */
static gnd_status choose_buffers(gndi_scan_narrow *p, int value, const gndi_device *device, size_t *shared,
                                 int *resident, const char *fn) {
    static const struct { int ahead, late; } ways[GNDI_SCAN_NARROW_BUFFERS] = {{1, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 3}};
    const int block = device->shared_bytes;
    int processor = 0;
    const int error = cudaDeviceGetAttribute(&processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device->id.index);
    if (error) return gndi_cuda_check(error, fn, "asking how much shared memory there is");
    const int own = NARROW_OWN + NARROW_VALUES * value, totals = GNDI_SCAN_NARROW_SLOTS * p->parts * p->width * value;
    for (p->buffers = GNDI_SCAN_NARROW_BUFFERS;; p->buffers--) {
        *shared = (size_t)(p->buffers * p->tile_bytes + totals);
        if (*shared + (size_t)own <= (size_t)block || p->buffers == 1) break;
    }
    p->ahead = ways[p->buffers - 1].ahead, p->late = ways[p->buffers - 1].late;
    const int warps = p->chunks * p->width / 32 + GNDI_SCAN_NARROW_LOOKBACK_WARPS + 1;
    *resident = GNDI_SCAN_NARROW_MOST / warps;
    if (*resident > processor / ((int)*shared + own)) *resident = processor / ((int)*shared + own);
    if (*resident < 1) *resident = 1;
    return GND_OK;
}

/* Words for the totals of tiles, and for what comes before groups of them. */
static gnd_status make_groups(gnd_stream *s, gndi_scan_narrow *p, int words, gndi_buffer **buffer, const char *fn) {
    const int64_t groups = gndi_ceil_div(p->row_tiles, GNDI_SCAN_NARROW_GROUP);
    const int64_t columns = p->outer * p->width;
    p->state.level[1] = p->row_tiles * columns;
    return make_words(s, &p->state, (p->row_tiles + groups) * columns, words, buffer, fn);
}

static gnd_status scan_narrow(const scan *r) {
    const gndi_scan_plan *plan = &r->plan;
    const gndi_scan_kernels *k = r->kernels;
    gndi_scan_narrow p = {.in = plan->in.data, .out = plan->out.data, .length = plan->length};
    gndi_buffer *buffer = NULL;
    size_t shared = 0;
    int resident = 1;
    p.width = (int32_t)plan->shape[plan->ndim - 1];
    p.outer = plan->lines / p.width;
    p.skip_nan = plan->skip_nan;
    cut_narrow(&p, plan);
    const int64_t rows = (int64_t)p.chunks * p.rows, row_tiles = gndi_ceil_div(plan->length, rows) + starts(r);
    if (starts(r)) /* of one matrix */
        p.length += rows, p.in -= p.tile_bytes, p.out -= p.tile_bytes;
    if (row_tiles > LARGEST_GRID / p.outer) return scan_columns(r);
    p.row_tiles = (int32_t)row_tiles;
    gnd_status status = choose_buffers(&p, k->words * 4, r->stream->device, &shared, &resident, r->fn);
    if (!status && row_tiles > 1) status = make_groups(r->stream, &p, k->words, &buffer, r->fn);
    int64_t blocks = (int64_t)r->stream->device->processors * resident;
    const int64_t tiles = (row_tiles - starts(r)) * p.outer;
    if (blocks > tiles) blocks = tiles;
    const int others = (GNDI_SCAN_NARROW_LOOKBACK_WARPS + 1) * 32;
    if (!status) status = launch_tiles(r, &p.state, 1, k->narrow, blocks, p.chunks * p.width + others, shared, &p);
    if (buffer) gndi_buffer_release(buffer);
    return status;
}

static gnd_status scan_serial(const scan *r) {
    gndi_scan_serial p = {.fault = gndi_op_fault(r->stream, r->plan.op)};
    describe_lines(&p.of, &r->plan);
    return launch(r, r->kernels->serial, gndi_ceil_div(r->plan.lines, SERIAL_THREADS), SERIAL_THREADS, 0, &p);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Whether the elements of a line lie closer together than those of different lines. */
static bool lies_along(const gndi_scan_plan *plan, const struct gndi_scan_operand *x) {
    for (int a = 0; a < plan->ndim; a++)
        if (gndi_magnitude(x->stride[a]) < gndi_magnitude(x->step)) return false;
    return true;
}

/* Makes it the scan of the output in place, to which `plan`'s input is copied. */
static void scan_copied(scan *r, const gndi_scan_plan *plan) {
    r->copied = plan, r->plan.in = plan->out;
}

/* Whether the lines are narrow columns, or taken one after the other. */
static bool takes_narrow(const gndi_scan_kernels *k, const gndi_scan_plan *plan) {
    return k->narrow && is_narrow(plan, &plan->out);
}
static bool takes_along(const gndi_scan_kernels *k, const gndi_scan_plan *plan) {
    return !takes_narrow(k, plan) && (lies_along(plan, &plan->out) || plan->lines < FEW_LINES);
}

static gnd_status scan_associative(scan *r, const gndi_scan_plan *plan) {
    const gndi_scan_kernels *k = r->kernels;
    const bool narrow = takes_narrow(k, plan), along = takes_along(k, plan);
    const bool crossed = plan->lines >= FEW_LINES && plan->length >= FEW_LINES &&
                         lies_along(plan, &plan->in) != lies_along(plan, &plan->out);
    const bool dense = along && k->dense && is_dense(plan, &plan->out) && plan->lines * plan->length >= WORTH_A_COPY;
    const bool same = plan->in.dtype == plan->loop;
    const bool ready =
        (!narrow || (same && is_narrow(plan, &plan->in))) && (!dense || (same && is_dense(plan, &plan->in)));
    if (!k->columns[plan->in.dtype] || crossed || !ready) scan_copied(r, plan);
    if (narrow) return scan_narrow(r);
    return along && plan->length > 1 ? scan_flat(r) : scan_columns(r);
}

/* Running products of complex numbers that are not finite, in a second launch. */
static gnd_status mend_products(gnd_stream *s, const gndi_scan_plan *plan, const char *fn) {
    const scan r = {.stream = s, .fn = fn, .plan = *plan};
    gndi_scan_products p = {.part = PRODUCTS_PART, .in_dtype = plan->in.dtype};
    p.parts = gndi_ceil_div(plan->length, p.part);
    describe_lines(&p.of, plan);
    return launch(&r, gndi_scan_products_kernel(plan->loop == GND_COMPLEX128),
                  gndi_ceil_div(p.parts * plan->lines, THREADS), THREADS, 0, &p);
}

/* Lines one after the other share tiles, and matrices of narrow columns have no room between them: there a start would
   have to be the first one's only. */
bool gndi_cuda_scan_starts(const gndi_scan_plan *plan) {
    gndi_once_do(&table_once, fill_table);
    const gndi_scan_kernels *k = &table[plan->op][plan->loop];
    if (k->serial) return false;
    if (takes_narrow(k, plan)) return plan->ndim == 1;
    return plan->lines == 1 || plan->length == 1 || !takes_along(k, plan);
}

gnd_status gndi_cuda_scan(gnd_stream *s, const gndi_scan_plan *plan, const char *fn) {
    gndi_once_do(&table_once, fill_table);
    scan r = {.stream = s, .fn = fn, .kernels = &table[plan->op][plan->loop], .plan = *plan};
    if (!r.kernels->serial) {
        const gnd_status status = scan_associative(&r, plan);
        const bool mends = plan->op == GNDI_OP_multiply && gndi_dtype_is_complex((int)plan->loop);
        return status || !mends ? status : mend_products(s, plan, fn);
    }
    if (plan->in.dtype != plan->loop) scan_copied(&r, plan);
    return scan_serial(&r);
}
