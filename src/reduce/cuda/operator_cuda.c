/*
 * operator_cuda.c: launches folds (operator_params.h), and the reductions with any binary operator.
 */
#include "reduce/cuda/operator_cuda.h"
#include "reduce/cuda/operator_parts.h"
#include <stdlib.h>

/* ---- the table ------------------------------------------------------------------------------ */

#define PART(fill) void fill(gndi_fold_table *);
GNDI_OPERATOR_PARTS
#undef PART

static gndi_fold_table table;
static gndi_once table_filled;

static void fill_table(void) {
#define PART(fill) fill(&table);
    GNDI_OPERATOR_PARTS
#undef PART
}

const gndi_fold_kernel *gndi_fold_get(gndi_op op, gnd_dtype loop) {
    gndi_once_do(&table_filled, fill_table);
    return &table[op][loop];
}

/* ---- launches ------------------------------------------------------------------------------- */

void gndi_fold_clear(gndi_fold_params *p, const gnd_stream *s) {
    memset(p, 0, sizeof *p);
    p->columns = 1;
    p->fault = gndi_fault_record(s->device);
}

void gndi_fold_copy(int64_t *to, int ndim, const int64_t *from) {
    memcpy(to, from, (size_t)ndim * sizeof *to);
}

gnd_status gndi_fold_launch(gnd_stream *s, const gndi_fold_kernel *k, const gndi_fold_params *p, const char *fn) {
    const int64_t a_block = GNDI_FOLD_THREADS >> p->log_lanes;
    const int64_t blocks = (p->items * p->columns + a_block - 1) / a_block;
    if (blocks == 0) return GND_OK;
    return gndi_cuda_launch(s, k->kernel, blocks, GNDI_FOLD_THREADS, 0, (void *)p, fn);
}

enum { LEAST_TILES = 4 };

gnd_status gndi_fold_tiles(gnd_stream *s, const gndi_fold_kernel *k, gndi_fold_params *p, gndi_buffer **buffer,
                           const char *fn) {
    int64_t count[GNDI_FOLD_LEVELS], all = 0;
    int levels = 0;
    *buffer = NULL;
    for (int64_t n = p->length >> p->log_tile; levels < GNDI_FOLD_LEVELS && n >= LEAST_TILES; n >>= p->log_tile)
        all += count[levels++] = n;
    if (levels == 0) return GND_OK;
    *buffer = gndi_buffer_new(fn, s, (size_t)(all * p->columns) * k->accumulator);
    if (!*buffer) return GND_ERROR_MEMORY;

    gndi_fold_params tiles = *p;
    tiles.mode = GNDI_FOLD_TILES, tiles.start = GNDI_FOLD_NOTHING;
    tiles.rounds = false, tiles.to_partials = true;
    tiles.checks_keys = p->keys != NULL;
    tiles.out = (*buffer)->base;
    gnd_status status = GND_OK;
    for (int level = 0; level < levels && !status; level++) {
        tiles.level = (uint8_t)level, tiles.items = count[level];
        status = gndi_fold_launch(s, k, &tiles, fn);
        p->partials[level] = tiles.out;
        tiles.partials[level] = tiles.out;
        tiles.out += count[level] * p->columns * k->accumulator;
    }
    if (!status) return GND_OK;
    gndi_buffer_release(*buffer);
    *buffer = NULL;
    return status;
}

/* ---- reductions ----------------------------------------------------------------------------- */

enum {
    WARP = 5,
    BLOCK = 8,
    RESIDENT = 2048, /* threads of a multiprocessor */
    EACH = 8,        /* elements of a run that a lane should have */
};

static void describe(gndi_fold_params *p, const gndi_reduce_plan *plan) {
    p->mode = GNDI_FOLD_REDUCE;
    p->in_dtype = plan->in.dtype;
    p->columns = plan->outputs, p->length = p->part = plan->length;
    p->items = 1;
    p->in = plan->in.data, p->out = plan->out.data;
    p->mask = plan->masked ? plan->mask.data : NULL;
    if (plan->has_start) {
        p->start = plan->start_data ? GNDI_FOLD_DATA : GNDI_FOLD_VALUE;
        p->start_data = plan->start_data;
        memcpy(p->start_value, &plan->start, sizeof p->start_value);
    }
    const int kept = p->column_ndim = plan->kept_ndim, inner = p->inner_ndim = plan->reduced_ndim;
    gndi_fold_copy(p->shape, kept, plan->kept_shape);
    gndi_fold_copy(p->in_stride, kept, plan->in.kept_stride);
    gndi_fold_copy(p->out_stride, kept, plan->out.kept_stride);
    gndi_fold_copy(p->mask_stride, kept, plan->mask.kept_stride);
    gndi_fold_copy(p->shape + kept, inner, plan->reduced_shape);
    gndi_fold_copy(p->in_stride + kept, inner, plan->in.reduced_stride);
    gndi_fold_copy(p->mask_stride + kept, inner, plan->mask.reduced_stride);
}

/* Threads of a unit, and how many parts an output's elements are cut into: by the geometry and the
   device's size alone. */
static void share(gndi_fold_params *p, const gndi_reduce_plan *plan, int64_t processors) {
    const int kept = plan->kept_ndim - 1, reduced = plan->reduced_ndim - 1;
    const int64_t run = reduced >= 0 ? plan->reduced_shape[reduced] : 1;
    const bool along_outputs = kept >= 0 && plan->outputs >= 32 &&
                               (reduced < 0 || plan->in.kept_stride[kept] < plan->in.reduced_stride[reduced]);
    if (!along_outputs) {
        const bool scattered = run < EACH && plan->reduced_ndim > 1;
        const int64_t line = scattered ? plan->length : run;
        while (p->log_lanes < WARP && line >> (p->log_lanes + 1) >= EACH) p->log_lanes++;
        p->by_element = scattered;
    }
    p->columns_first = true;
    const int64_t lanes = (int64_t)1 << p->log_lanes;
    const int64_t units = processors * RESIDENT / lanes;
    const int64_t wanted = gndi_min(units / gndi_max(1, plan->outputs), plan->length / (lanes * 64));
    if (wanted < 2) return;
    p->part = (plan->length + wanted - 1) / wanted;
    p->items = (plan->length + p->part - 1) / p->part;
}

/* In two launches: parts of each output, then what they came to. */
static gnd_status reduce_parts(gnd_stream *s, const gndi_fold_kernel *k, gndi_fold_params *p, const char *fn) {
    gndi_buffer *buffer = gndi_buffer_new(fn, s, (size_t)(p->items * p->columns) * k->accumulator);
    if (!buffer) return GND_ERROR_MEMORY;
    gndi_fold_params join = *p;
    p->to_partials = true, p->start = GNDI_FOLD_NOTHING;
    p->out = buffer->base;
    gnd_status status = gndi_fold_launch(s, k, p, fn);
    join.mode = GNDI_FOLD_JOIN;
    join.partials[0] = buffer->base, join.length = p->items, join.items = 1;
    join.log_lanes = p->items >= 512 ? BLOCK : p->columns >= 4096 ? 0 : WARP;
    if (!status) status = gndi_fold_launch(s, k, &join, fn);
    gndi_buffer_release(buffer);
    return status;
}

gnd_status gndi_cuda_reduce_operator(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    const gndi_fold_kernel *k = gndi_fold_get(plan->op, plan->loop);
    gndi_fold_params p;
    if (!k->kernel || !k->closed)
        return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" cannot be reduced in %s", gndi_ops[plan->op].name,
                          gnd_dtype_name(plan->loop));
    gndi_fold_clear(&p, s);
    describe(&p, plan);
    if (k->associative)
        share(&p, plan, s->device->processors);
    else
        p.rounds = true;
    return p.items > 1 ? reduce_parts(s, k, &p, fn) : gndi_fold_launch(s, k, &p, fn);
}

/* ---- products of complex numbers ------------------------------------------------------------ */

enum { FEW_FACTORS = 32, FEW_PRODUCTS = 1 << 14 };

bool gndi_cuda_few_products(const gndi_reduce_plan *plan) {
    return plan->length <= FEW_FACTORS && plan->outputs <= FEW_PRODUCTS;
}

gnd_status gndi_cuda_products_in_order(gnd_stream *s, const gndi_reduce_plan *plan, bool mends, const char *fn) {
    gndi_fold_params p;
    gndi_fold_clear(&p, s);
    describe(&p, plan);
    for (int a = 0; a < plan->reduced_ndim; a++) { /* from the first element on */
        const int inner = plan->kept_ndim + a;
        if (plan->index_stride[a] >= 0) continue;
        p.in += (p.shape[inner] - 1) * p.in_stride[inner];
        if (p.mask) p.mask += (p.shape[inner] - 1) * p.mask_stride[inner];
        p.in_stride[inner] = -p.in_stride[inner], p.mask_stride[inner] = -p.mask_stride[inner];
    }
    p.mends = mends, p.skip_nan = plan->map == GNDI_MAP_SKIP_NAN;
    p.columns_first = true;
    return gndi_fold_launch(s, gndi_fold_get(GNDI_OP_multiply, plan->loop), &p, fn);
}
