/*
 * sort_split_cuda.c: launches the kernels of sort_split.cuh: partitions, and the first few of long
 * rows, by the key of a rank. The host waits for nothing: a level that finds its row's key chosen
 * ends at once.
 */
#include "kernels/cuda/sort_launch.h"
#include "runtime/runtime_cuda.h"

enum { SELECT_BLOCKS = 4 /* on a multiprocessor */ };

static const gndi_sort_split_kernels *const kernels[GNDI_SORT_CLASSES] = {
    &gndi_sort_split_1, &gndi_sort_split_2,  &gndi_sort_split_4,
    &gndi_sort_split_8, &gndi_sort_split_c8, &gndi_sort_split_c16};

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t quotient_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
static size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

static gnd_status launch_all(gnd_stream *s, gndi_sort_split *p, const gndi_sort_split_kernels *k,
                             const char *fn) {
    const int64_t tiles =
        quotient_up(p->plan.length, GNDI_SORT_SELECT_THREADS * GNDI_SORT_COUNT_EACH);
    const int64_t blocks = (int64_t)s->device->processors * SELECT_BLOCKS;
    gnd_status status = GND_OK;
    p->parts = (int32_t)smaller(tiles, quotient_up(blocks, p->plan.rows));
    for (p->level = 0; p->level < k->levels && !status; p->level++)
        status = gndi_cuda_launch(s, k->select, p->parts * p->plan.rows, GNDI_SORT_SELECT_THREADS,
                                  0, p, fn);
    if (!status)
        status = gndi_cuda_launch(s, k->split, p->row_tiles * p->plan.rows, GNDI_SORT_SPLIT_THREADS,
                                  0, p, fn);
    return status;
}

gnd_status gndi_sort_split_rows(gnd_stream *s, const gndi_sort_plan *plan, int64_t rank,
                                const char *fn) {
    const gndi_sort_split_kernels *k = kernels[gndi_sort_class(plan->dtype)];
    const size_t rows = (size_t)plan->rows;
    gndi_sort_split p;
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending), p.rank = rank;
    p.row_tiles =
        (uint32_t)quotient_up(plan->length, GNDI_SORT_SPLIT_THREADS * GNDI_SORT_SPLIT_EACH);
    const size_t choices = aligned(rows * sizeof(gndi_sort_choice) + 4);
    const size_t bins = aligned(rows * GNDI_SORT_SELECT_BINS * 8);
    const size_t looks = aligned(rows * p.row_tiles * 8);
    const size_t lists = rows * GNDI_SORT_SELECT_LIST * (size_t)k->order_bytes;
    gndi_buffer *state = gndi_buffer_new(fn, s, choices + bins + looks + lists);
    if (!state) return GND_ERROR_MEMORY;
    char *at = state->base;
    p.choices = (gndi_sort_choice *)at;
    p.counter = (uint32_t *)(at + rows * sizeof(gndi_sort_choice));
    p.bins = (unsigned long long *)(at + choices);
    p.looks = (unsigned long long *)(at + choices + bins);
    p.lists = at + choices + bins + looks;
    gnd_status status = gndi_cuda_check(
        (int)cudaMemsetAsync(at, 0, choices + bins + looks, s->native), fn, "clearing counts");
    if (!status) status = launch_all(s, &p, k, fn);
    gndi_buffer_release(state);
    return status;
}
