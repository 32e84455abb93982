/*
 * segments_cuda.c: reduceat on CUDA. Where elements may be regrouped, long segments are made of
 * tiles that are reduced beforehand, whatever the indices are: no segment is one thread's work.
 */
#include "reduce/cuda/operator_cuda.h"
#include "ufunc/segment_plan.h"
#include <stdlib.h>

enum {
    LOG_TILE = 10,
    LOG_NARROW_TILE = 7, /* where a tile is one thread's work */
    WARP = 5,
    EACH = 16, /* elements that a lane should have */
};

static void describe(gndi_fold_params *p, const gndi_segment_plan *plan) {
    p->mode = GNDI_FOLD_SEGMENTS;
    p->in_dtype = plan->in.dtype;
    p->items = plan->segments, p->columns = plan->columns, p->length = plan->length;
    p->in = plan->in.data, p->out = plan->out.data;
    p->in_step = plan->in.step, p->out_step = plan->out.step;
    p->index = plan->index.data, p->index_dtype = plan->index.dtype;
    p->index_step = plan->index.step, p->axis = plan->axis;
    p->column_ndim = plan->ndim;
    gndi_fold_copy(p->shape, plan->ndim, plan->shape);
    gndi_fold_copy(p->in_stride, plan->ndim, plan->in.stride);
    gndi_fold_copy(p->out_stride, plan->ndim, plan->out.stride);
}

gnd_status gndi_cuda_reduce_segments(gnd_stream *s, const gndi_segment_plan *plan, const char *fn) {
    const gndi_fold_kernel *k = gndi_fold_get(plan->op, plan->loop);
    const int last = plan->ndim - 1;
    gndi_buffer *tiles = NULL;
    gndi_fold_params p;
    if (!k->kernel || !k->closed)
        return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" cannot be reduced in %s", gndi_ops[plan->op].name,
                          gnd_dtype_name(plan->loop));
    gndi_fold_clear(&p, s);
    describe(&p, plan);
    /* Neighbouring threads read neighbouring columns, where these are nearer than elements. */
    p.columns_first = last >= 0 && plan->shape[last] >= 8 && llabs(plan->in.stride[last]) < llabs(plan->in.step);
    p.rounds = !k->associative;
    gnd_status status = GND_OK;
    if (k->associative) {
        p.log_lanes = p.columns_first ? 0 : WARP;
        p.log_tile = p.columns_first ? LOG_NARROW_TILE : LOG_TILE;
        status = gndi_fold_tiles(s, k, &p, &tiles, fn);
        const int64_t each = plan->length / plan->segments;
        p.log_lanes = 0;
        while (!p.columns_first && p.log_lanes < WARP && each >> (p.log_lanes + 1) >= EACH) p.log_lanes++;
    }
    if (!status) status = gndi_fold_launch(s, k, &p, fn);
    if (!status && plan->op == GNDI_OP_multiply && gndi_dtype_is_complex((int)plan->loop)) {
        p.mends = true, p.log_lanes = 0;
        memset(p.partials, 0, sizeof p.partials);
        status = gndi_fold_launch(s, k, &p, fn);
    }
    if (tiles) gndi_buffer_release(tiles);
    return status;
}
