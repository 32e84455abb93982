/*
 * elementwise_blocks.c: plans in which an input is contiguous along another axis than the output,
 * as in x + y.T. The two axes are cut into blocks of rows x columns; such an input is transposed
 * into a tile buffer block by block, whole cache lines at a time, and then read along with the
 * others.
 *
 * Blocks are visited down the rows first, within a band of columns narrow enough that the pages and
 * lines touched at its many columns are still at hand for the next block.
 */
#include "elementwise/cpu/elementwise.h"

enum { LEAST = 4, BAND = 1024, GRAIN = 32768 };

/* The axis that operand k is best read along, if that is not the fastest one; else -1. */
static int other_axis(const ew_job *job, int k) {
    const ew_operand *o = &job->operand[k];
    const gndi_ew_plan *plan = job->plan;
    int best = -1;
    int64_t least = gndi_magnitude(o->step);
    if (o->repeated || least <= o->itemsize) return -1;
    for (int axis = 0; axis < plan->ndim - 1; axis++) {
        int64_t stride = gndi_magnitude(o->stride[axis]);
        if (stride == 0 || stride >= least || plan->shape[axis] < LEAST) continue;
        least = stride, best = axis;
    }
    return best;
}

bool ew_blocks_suit(ew_job *job) {
    if (job->plan->shape[job->plan->ndim - 1] < LEAST) return false;
    job->row_axis = -1;
    for (int k = job->nout; k < job->count; k++) {
        int axis = other_axis(job, k);
        if (axis < 0) continue;
        if (job->row_axis < 0) job->row_axis = axis, job->row_itemsize = job->operand[k].itemsize;
        job->operand[k].transposed = axis == job->row_axis;
    }
    return job->row_axis >= 0;
}

/* ---- one block ------------------------------------------------------------------------------ */

typedef struct block {
    char *at[GNDI_MAX_OPERANDS]; /* addresses of its first element */
    int64_t rows, columns;
} block;

static void transpose(const ew_job *job, int k, const block *b, char *to, int64_t row_stride, bool streams) {
    const ew_operand *o = &job->operand[k];
    job->kernels->transpose[o->size_log2](b->at[k], o->stride[job->row_axis], o->step, to, row_stride, b->rows,
                                          b->columns, streams);
}

/* A copy without a cast needs no buffer: it goes straight to its position. */
static bool goes_straight(const ew_job *job) {
    const ew_operand *out = &job->operand[0], *in = &job->operand[1];
    return job->is_copy && !job->plan->masked && !out->cast && !in->cast && in->transposed &&
           out->step == out->itemsize;
}

static void do_block(ew_job *job, const block *b, ew_buffers *buffers) {
    if (goes_straight(job)) {
        transpose(job, 1, b, b->at[0], job->operand[0].stride[job->row_axis], job->streams);
        return;
    }
    for (int k = job->nout; k < job->count; k++) {
        const ew_operand *o = &job->operand[k];
        if (!o->transposed) continue;
        char *to = o->cast ? buffers->scratch : buffers->operand[k];
        transpose(job, k, b, to, b->columns * o->itemsize, false);
        if (o->cast) o->cast(to, buffers->operand[k], b->rows * b->columns);
    }
    for (int64_t r = 0; r < b->rows; r++) {
        char *p[GNDI_MAX_OPERANDS], *ready[GNDI_MAX_OPERANDS];
        for (int k = 0; k < job->count; k++) {
            const ew_operand *o = &job->operand[k];
            p[k] = b->at[k] + r * o->stride[job->row_axis];
            ready[k] = o->transposed ? buffers->operand[k] + r * b->columns * o->loop_itemsize : NULL;
        }
        ew_do_run(job, p, ready, b->columns, buffers);
    }
}

/* ---- all blocks ----------------------------------------------------------------------------- */

/* Work is numbered: outer axes slowest, then bands of columns, then blocks of rows. */
static void run_blocks(void *context, int64_t begin, int64_t end) {
    ew_job *job = context;
    const gndi_ew_plan *plan = job->plan;
    int last = plan->ndim - 1, rows_at = job->row_axis;
    ew_buffers buffers;
    ew_fill_repeated(job, job->tile, &buffers);
    for (int64_t item = begin; item < end; item++) {
        int64_t row_block = item % job->row_blocks, rest = item / job->row_blocks;
        int64_t band = rest % job->bands, outer = rest / job->bands;
        char *start[GNDI_MAX_OPERANDS];
        int64_t r = row_block * job->block_rows, c = band * BAND;
        for (int k = 0; k < job->count; k++)
            start[k] = job->operand[k].data + r * job->operand[k].stride[rows_at] + c * job->operand[k].step;
        for (int axis = last - 1; axis >= 0; axis--) {
            if (axis == rows_at) continue;
            int64_t i = outer % plan->shape[axis];
            outer /= plan->shape[axis];
            for (int k = 0; k < job->count; k++) start[k] += i * job->operand[k].stride[axis];
        }
        block b;
        b.rows = plan->shape[rows_at] - r;
        if (b.rows > job->block_rows) b.rows = job->block_rows;
        int64_t columns = plan->shape[last] - c;
        if (columns > BAND) columns = BAND;
        for (int64_t done = 0; done < columns; done += b.columns) {
            b.columns = columns - done;
            if (b.columns > job->block_columns) b.columns = job->block_columns;
            for (int k = 0; k < job->count; k++) b.at[k] = start[k] + done * job->operand[k].step;
            do_block(job, &b, &buffers);
        }
    }
    if (job->streams) job->kernels->stream_end();
}

void ew_run_blocks(ew_job *job) {
    const gndi_ew_plan *plan = job->plan;
    int64_t rows = plan->shape[job->row_axis], columns = plan->shape[plan->ndim - 1];
    /* A block is one cache line of the transposed input tall, and fills a buffer. */
    job->block_rows = 64 / job->row_itemsize;
    if (job->block_rows < 8) job->block_rows = 8;
    if (job->block_rows > 32) job->block_rows = 32;
    job->block_columns = EW_BUFFER_BYTES / job->widest / job->block_rows;
    job->tile = job->block_columns;
    job->row_blocks = (rows + job->block_rows - 1) / job->block_rows;
    job->bands = (columns + BAND - 1) / BAND;
    int64_t items = plan->size / (rows * columns) * job->row_blocks * job->bands;
    int64_t per_item = job->block_rows * (columns < BAND ? columns : BAND);
    gndi_parallel_for(items, per_item >= GRAIN ? 1 : GRAIN / per_item, run_blocks, job);
}
