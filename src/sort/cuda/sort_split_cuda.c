/*
 * sort_split_cuda.c: launches the kernels of sort_split.cuh: partitions, and the first few of long rows, by the
 * key of a rank. The host does not wait: a level returns immediately if its row's key is already found. Rows
 * are processed in groups, to limit the memory for their state.
 */
#include "sort/cuda/sort_launch.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    SELECT_BLOCKS = 4,      /* on a multiprocessor */
    MOST_STATE = 128 << 20, /* bytes, if there are several rows */
};

static const gndi_sort_split_kernels *const kernels[GNDI_SORT_CLASSES] = {&gndi_sort_split_1,  &gndi_sort_split_2,
                                                                          &gndi_sort_split_4,  &gndi_sort_split_8,
                                                                          &gndi_sort_split_c8, &gndi_sort_split_c16};

/* Lays out what is kept of `rows` rows; what begins as zeros comes first. Returns how much that is. */
static size_t lay_out(gndi_cuda_run *run, gndi_sort_split *p, const gndi_sort_split_kernels *k, int64_t rows) {
    p->choices = gndi_cuda_take(run, rows * (int64_t)sizeof *p->choices);
    p->counter = gndi_cuda_take(run, sizeof *p->counter);
    p->bins = gndi_cuda_take(run, rows * GNDI_SORT_SELECT_BINS * 8);
    p->looks = gndi_cuda_take(run, rows * p->row_tiles * 8);
    p->lists = gndi_cuda_take(run, rows * p->list_capacity * k->order_bytes);
    return (size_t)(p->lists - (char *)p->choices);
}

static gnd_status split(const gndi_cuda_run *run, gndi_sort_split *p, const gndi_sort_split_kernels *k) {
    const int64_t tiles = gndi_ceil_div(p->plan.length, GNDI_SORT_SELECT_THREADS * GNDI_SORT_COUNT_EACH);
    const int64_t blocks = (int64_t)run->stream->device->processors * SELECT_BLOCKS;
    gnd_status status = GND_OK;
    p->parts = (int32_t)gndi_min(tiles, gndi_ceil_div(blocks, p->plan.rows));
    for (p->level = 0; p->level < k->levels && !status; p->level++)
        status = gndi_cuda_run_launch(run, k->select, p->parts * p->plan.rows, GNDI_SORT_SELECT_THREADS, 0, p);
    if (!status)
        status = gndi_cuda_run_launch(run, k->split, p->row_tiles * p->plan.rows, GNDI_SORT_SPLIT_THREADS, 0, p);
    return status;
}

gnd_status gndi_sort_split_rows(gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t rank) {
    const gndi_sort_split_kernels *k = kernels[gndi_sort_class(plan->dtype)];
    const size_t used = run->used;
    gndi_sort_split p;
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending), p.rank = rank;
    p.row_tiles = (uint32_t)gndi_ceil_div(plan->length, GNDI_SORT_SPLIT_THREADS * GNDI_SORT_SPLIT_EACH);
    p.list_capacity = (int32_t)gndi_min(plan->length, GNDI_SORT_SELECT_LIST);
    const int64_t row_state = (int64_t)sizeof *p.choices + GNDI_SORT_SELECT_BINS * 8 + p.row_tiles * 8 +
                              (int64_t)p.list_capacity * k->order_bytes;
    const int64_t chunk = gndi_min(plan->rows, gndi_max(1, MOST_STATE / row_state));
    const size_t cleared = lay_out(run, &p, k, chunk);
    gnd_status status = GND_OK;
    for (; !status && p.first_row < plan->rows; p.first_row += chunk) {
        p.plan.rows = gndi_min(chunk, plan->rows - p.first_row);
        status = gndi_cuda_run_clear(run, p.choices, cleared);
        if (!status) status = split(run, &p, k);
    }
    run->used = used;
    return status;
}
