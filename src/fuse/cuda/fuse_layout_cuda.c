/*
 * fuse_layout_cuda.c: how the interpreter divides the elements of a plan among threads, and the shared memory that
 * they need.
 */
#include "kernels/cuda/divisor.h"
#include "fuse/cuda/fuse_launch.h"

enum { OWN = 2 << 10 };            /* shared memory of a block that the kernel and the system use */
#define LARGEST (INT64_C(1) << 30) /* numbers of chunks are below 2^31 */

static int log_at_least(int64_t n) {
    int log = 0;
    while ((INT64_C(1) << log) < n) log++;
    return log;
}

/* Writes axes from .. to - 1 of the plan as the group of axes that starts at `at`. An empty group has one index. */
static void write_axes(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int at, int from, int to) {
    for (int a = from; a < to; a++) l->params.head.axis[at + a - from] = gndi_cuda_divide_by(plan->shape[a]);
}

/* Writes the axes of both groups, the strides in their order, and which operands' chunks are vectors. */
static bool write_space(gndi_fuse_launch *l, const gndi_fuse_plan *plan, bool columns) {
    gndi_fuse_head *h = &l->params.head;
    gndi_fuse_program *p = &l->program;
    const int kept = plan->shape_of == GNDI_FUSE_MAP ? 0 : plan->kept, ndim = plan->ndim;
    const int first_from = columns ? kept : 0, first_to = columns ? ndim : kept;
    const int second_from = columns ? 0 : kept, second_to = columns ? kept : ndim;
    const int firsts = first_to - first_from, seconds = second_to - second_from;
    const int axes = firsts + (seconds ? seconds : 1);
    if (axes > GNDI_FUSE_AXES || axes * plan->operands > GNDI_FUSE_STRIDES) return false;
    h->columns = columns, h->axes = (uint8_t)axes, h->first_axes = (uint8_t)firsts;
    write_axes(l, plan, 0, first_from, first_to);
    write_axes(l, plan, firsts, second_from, second_to);
    const int each = 16 / gndi_dtype_sizes[l->dtype];
    for (int k = 0; k < plan->operands; k++) {
        int64_t *stride = p->stride + k * axes;
        uintptr_t apart = 0;
        for (int a = 0; a < firsts; a++) stride[a] = plan->stride[k][first_from + a];
        for (int a = 0; a < seconds; a++) stride[firsts + a] = plan->stride[k][second_from + a];
        if (!seconds) stride[axes - 1] = 0;
        for (int a = 0; a < axes - 1; a++) apart |= (uintptr_t)stride[a];
        const int size = gndi_dtype_sizes[plan->operand[k].dtype];
        const uintptr_t vector = (uintptr_t)(size * each < 16 ? size * each : 16);
        p->data[k] = plan->operand[k].data;
        p->vectors[k] = p->data[k] && stride[axes - 1] == size && ((apart | (uintptr_t)p->data[k]) & (vector - 1)) == 0;
    }
    int64_t first_size = 1, outer = 1;
    for (int a = first_from; a < first_to; a++) first_size *= plan->shape[a];
    for (int a = second_from; a < second_to - 1; a++) outer *= plan->shape[a];
    const int64_t run = seconds ? plan->shape[second_to - 1] : 1, chunks = gndi_ceil_div(run, each);
    if (first_size > LARGEST || outer * chunks > LARGEST || run > UINT32_MAX - 64) return false;
    h->firsts = (uint32_t)first_size, h->run = (uint32_t)run;
    h->chunks = (uint32_t)(outer * chunks);
    h->in_line = !columns && firsts <= 1 && axes == firsts + 1;
    h->whole_chunks = (uint32_t)(run / each);
    h->per_run = gndi_cuda_divide_by(chunks ? chunks : 1);
    h->length = (uint64_t)plan->length;
    return true;
}

/* Divides the shared memory of a block of `threads` threads; false if there is not enough. */
static bool fits_shared(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int threads, int slots, int mine) {
    gndi_fuse_head *h = &l->params.head;
    gndi_fuse_program *p = &l->program;
    h->file_bytes = (uint32_t)(l->registers * threads * l->loop->words * 4);
    h->row_bytes = (uint32_t)(plan->reductions * slots * 16);
    uint32_t at = 0;
    for (int r = 0; r < plan->reductions; r++) {
        p->result[r].offset = at;
        h->acc_bytes[r] = (uint16_t)(l->loop->acc_bytes[p->result[r].reducer] * mine);
        at += (uint32_t)(h->acc_bytes[r] * threads);
    }
    l->shared_bytes = (size_t)h->file_bytes + h->row_bytes + at, l->threads = threads;
    return l->shared_bytes + OWN <= l->shared_most;
}

static bool lay_out_map(gndi_fuse_launch *l, const gndi_fuse_plan *plan) {
    gndi_fuse_head *h = &l->params.head;
    if (!write_space(l, plan, false)) return false;
    int threads = GNDI_TUNE_FUSE_THREADS;
    while (threads > 32 && !fits_shared(l, plan, threads, 0, 1)) threads /= 2;
    if (!fits_shared(l, plan, threads, 0, 1)) return false;
    h->log_lanes = (uint8_t)log_at_least(threads), h->log_across = 0;
    l->blocks = gndi_ceil_div(h->chunks, (int64_t)threads * (l->loop->words / 4));
    h->parts = (uint32_t)l->blocks;
    h->groups = gndi_cuda_divide_by(l->blocks);
    return true;
}

/* Lays out one row at a time, or several, each in one tile. */
static bool lay_out_at_once(gndi_fuse_launch *l, const gndi_fuse_plan *plan) {
    gndi_fuse_head *h = &l->params.head;
    const int many = l->loop->words / 4;
    if (!write_space(l, plan, false)) return false;
    int lanes = log_at_least(gndi_ceil_div(h->chunks, many));
    if (lanes > GNDI_FUSE_LOG_THREADS) return false;
    int threads = lanes > 5 ? 1 << lanes : 128;
    while (threads > 32 && threads > 1 << lanes && lanes <= 5 && !fits_shared(l, plan, threads, threads >> lanes, 1))
        threads /= 2;
    if (!fits_shared(l, plan, threads, threads >> lanes, 1)) return false;
    h->log_lanes = (uint8_t)lanes, h->log_across = 0;
    h->parts = 1;
    l->blocks = gndi_ceil_div(h->firsts, threads >> lanes);
    h->groups = gndi_cuda_divide_by(1);
    return true;
}

/* Chooses how many blocks share each group. */
static void share(gndi_fuse_launch *l, int64_t groups, int64_t tiles, int processors) {
    gndi_fuse_head *h = &l->params.head;
    const size_t bytes = l->shared_bytes + (1 << 10);
    int64_t resident = 65536 / ((int64_t)l->threads * 80);
    const int64_t fit = (int64_t)(l->shared_most / bytes);
    if (resident > fit) resident = fit;
    if (resident < 1) resident = 1;
    const int64_t parts = gndi_cuda_fuse_parts(groups, tiles, processors * resident);
    h->parts = (uint32_t)parts;
    h->groups = gndi_cuda_divide_by(parts);
    l->blocks = groups * parts;
}

static bool lay_out_rows(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors) {
    gndi_fuse_head *h = &l->params.head;
    const int many = l->loop->words / 4;
    if (!write_space(l, plan, false)) return false;
    int threads = 256;
    while (threads > 64 && !fits_shared(l, plan, threads, 1, 1)) threads /= 2;
    if (!fits_shared(l, plan, threads, 1, 1)) return false;
    h->log_lanes = (uint8_t)log_at_least(threads), h->log_across = 0;
    share(l, h->firsts, gndi_ceil_div(h->chunks, (int64_t)threads * many), processors);
    l->partial_bytes = h->parts > 1 ? (size_t)l->blocks * plan->reductions * GNDI_FUSE_PARTIAL : 0;
    return true;
}

static bool lay_out_columns(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors) {
    gndi_fuse_head *h = &l->params.head;
    const int many = l->loop->words / 4, each = 16 / gndi_dtype_sizes[l->dtype];
    if (!write_space(l, plan, true)) return false;
    int across = log_at_least(h->chunks), threads = 256;
    if (across > 5) across = 5;
    while (threads > 32 && !fits_shared(l, plan, threads, 1 << across, each)) threads /= 2;
    if (!fits_shared(l, plan, threads, 1 << across, each)) return false;
    h->log_across = (uint8_t)across;
    h->log_lanes = (uint8_t)(log_at_least(threads) - across);
    const int64_t groups = gndi_ceil_div(h->chunks, 1 << across);
    share(l, groups, gndi_ceil_div(h->firsts, (int64_t)many << h->log_lanes), processors);
    l->partial_bytes =
        h->parts > 1 ? (size_t)l->blocks * plan->reductions * GNDI_FUSE_PARTIAL * ((size_t)each << across) : 0;
    return true;
}

/* Whether the loads are contiguous along the last kept axis rather than the last reduced one. */
static bool prefers_columns(const gndi_fuse_plan *plan, int dtype) {
    if (plan->kept == 0 || plan->kept == plan->ndim) return false;
    for (int r = 0; r < plan->count; r++) { /* results must fit in slots */
        const gndi_fuse_code *c = &plan->code[r];
        if (c->kind == GNDI_FUSE_REDUCE && gndi_dtype_sizes[c->dtype] > gndi_dtype_sizes[dtype]) return false;
    }
    int64_t rows = 0, columns = 0;
    for (int k = 0; k < plan->operands; k++) {
        const int64_t *stride = plan->stride[k];
        if (plan->operand[k].store || !plan->operand[k].data) continue;
        const int64_t along_row = stride[plan->ndim - 1], along = stride[plan->kept - 1];
        const int size = gndi_dtype_sizes[plan->operand[k].dtype];
        rows += along_row == size, columns += along == size && along_row != size;
    }
    return columns > rows && plan->shape[plan->kept - 1] >= 4;
}

/* Assigns threads to the elements of a plan of this shape; false if no launch can. */
static bool lay_out(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors) {
    l->partial_bytes = 0;
    if (plan->shape_of == GNDI_FUSE_MAP) return lay_out_map(l, plan);
    if (l->params.head.at_once) return lay_out_at_once(l, plan);
    if (l->params.head.columns) return lay_out_columns(l, plan, processors);
    return lay_out_rows(l, plan, processors);
}

static uint16_t pack(gndi_fuse_launch *l, size_t *used, const void *part, size_t bytes) {
    const size_t at = *used;
    memcpy((char *)l->params.pool + at, part, bytes);
    *used = (at + bytes + 15) / 16 * 16;
    return (uint16_t)at;
}
/* Packs the used parts of the program behind the head, and chooses the kernel with enough parameters. */
static void pack_program(gndi_fuse_launch *l, const gndi_fuse_plan *plan) {
    gndi_fuse_head *h = &l->params.head;
    const gndi_fuse_program *p = &l->program;
    const size_t operands = (size_t)plan->operands;
    size_t used = 0;
    pack(l, &used, p->step, h->steps * sizeof *p->step);
    h->data = pack(l, &used, p->data, operands * sizeof *p->data);
    h->stride = pack(l, &used, p->stride, operands * h->axes * sizeof *p->stride);
    h->vectors = pack(l, &used, p->vectors, operands);
    h->result = pack(l, &used, p->result, (size_t)plan->reductions * sizeof *p->result);
    h->number = pack(l, &used, p->number, (size_t)l->numbers * sizeof *p->number);
    h->params = pack(l, &used, p->params, (size_t)plan->parameters * sizeof *p->params);
    h->splat = pack(l, &used, p->splat, (size_t)l->splats * sizeof *p->splat);
    const bool brief = l->loop->brief && used <= GNDI_FUSE_BRIEF;
    l->kernel = brief ? l->loop->brief : l->loop->kernel;
}

static bool prepare_as(gndi_fuse_launch *l, const gndi_fuse_plan *plan, bool columns, bool at_once, int processors) {
    l->params.head.columns = columns;
    if (!gndi_cuda_fuse_write(l, plan, l->dtype, at_once)) return false;
    if (!lay_out(l, plan, processors)) return false;
    pack_program(l, plan);
    return true;
}

static bool prepare(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int dtype, int processors) {
    l->dtype = dtype;
    if (plan->shape_of == GNDI_FUSE_MAP) return prepare_as(l, plan, false, false, processors);
    if (plan->length == 0) return false;
    const bool rows = plan->shape_of == GNDI_FUSE_ROWS;
    if (!rows && prefers_columns(plan, dtype) && prepare_as(l, plan, true, false, processors)) return true;
    /* All blocks share a single long row; a few threads each do many short ones. */
    const int64_t chunks = gndi_ceil_div(plan->length, 16 / gndi_dtype_sizes[dtype]);
    const int64_t most = (int64_t)GNDI_FUSE_THREADS * (gndi_cuda_fuse_loop(dtype)->words / 4);
    if (chunks <= most && (rows || plan->rows >= processors || plan->length <= 4096) &&
        prepare_as(l, plan, false, true, processors))
        return true;
    return !rows && prepare_as(l, plan, false, false, processors);
}

gnd_dtype gndi_cuda_fuse_prepare(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, size_t shared_most) {
    l->shared_most = shared_most;
    uint32_t loops = 0, values = 0;
    if (plan->operands > GNDI_FUSE_ARRAYS || plan->reductions > GNDI_FUSE_RESULTS ||
        plan->parameters > GNDI_FUSE_PARAMS || plan->ndim > GNDI_FUSE_AXES)
        return GND_DTYPE_NONE;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind == GNDI_FUSE_OP) loops |= 1u << c->loop;
        if (c->kind != GNDI_FUSE_CONST) values |= 1u << c->dtype;
    }
    loops &= ~(1u << GND_BOOL);
    if (loops & (loops - 1)) return GND_DTYPE_NONE; /* of several loops */
    if (!loops) loops = values;
    for (int d = GND_DTYPE_COUNT - 1; d > 0; d--)
        if (loops >> d & 1 && prepare(l, plan, d, processors)) return (gnd_dtype)d;
    return GND_DTYPE_NONE;
}
