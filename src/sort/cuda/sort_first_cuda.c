/*
 * sort_first_cuda.c: launches the kernels of sort_first.cuh. Few rows are cut into parts, so that there is work for
 * all of the GPU; the first of each part are then sorted.
 */
#include "sort/cuda/sort_launch.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    LEAST_LENGTH = 256, /* shorter rows are sorted whole */
    MOST_PICKED = 4096, /* elements of all parts of a row, which a block sorts */
    LEAST_PART = 4096,
    PARTS_EACH = 4, /* blocks of parts for each multiprocessor */
    ROWS_EACH = 16, /* rows for each multiprocessor, from which on a warp takes one by itself */
};

static const void *const *const kernels[GNDI_SORT_CLASSES] = {&gndi_sort_first_1,  &gndi_sort_first_2,
                                                              &gndi_sort_first_4,  &gndi_sort_first_8,
                                                              &gndi_sort_first_c8, &gndi_sort_first_c16};

bool gndi_sort_first_takes(const gndi_sort_plan *plan) {
    return !plan->partial && !plan->start.data && plan->keep <= GNDI_SORT_FIRST_MOST && plan->length >= LEAST_LENGTH &&
           plan->length <= GNDI_SORT_MOST_SPLIT;
}

int64_t gndi_sort_first_parts(const gnd_stream *s, const gndi_sort_plan *plan) {
    const int64_t wanted = (int64_t)s->device->processors * PARTS_EACH;
    const int64_t most = MOST_PICKED / plan->keep, long_enough = plan->length / LEAST_PART;
    int64_t parts = (wanted + plan->rows - 1) / plan->rows;
    if (parts > most) parts = most;
    if (parts > long_enough) parts = long_enough;
    return parts > 1 ? parts : 1;
}

gnd_status gndi_sort_first_rows(const gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t parts) {
    enum { WARPS = GNDI_SORT_FIRST_THREADS / 32 };
    const int64_t items = plan->rows * parts;
    gndi_sort_first p;
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending);
    p.parts = parts;
    p.shares = items < (int64_t)run->stream->device->processors * ROWS_EACH;
    return gndi_cuda_run_launch(run, *kernels[gndi_sort_class(plan->dtype)],
                                p.shares ? items : (items + WARPS - 1) / WARPS, GNDI_SORT_FIRST_THREADS, 0, &p);
}
