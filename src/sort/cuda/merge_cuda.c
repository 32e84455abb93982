/*
 * merge_cuda.c: merges on a GPU: a kernel divides both lines where tiles of the result begin, another one merges the
 * tiles. Elements are read and written once, in two launches.
 */
#include "sort/cuda/merge_params.h"
#include "sort/cuda/sort_launch.h"
#include "runtime/cuda/runtime_cuda.h"

gnd_status gndi_cuda_merge(gnd_stream *s, const gndi_merge_plan *plan, const char *fn) {
    const int key_class = gndi_sort_class(plan->dtype), size = gndi_dtype_sizes[plan->dtype];
    const int64_t total = plan->count[0] + plan->count[1];
    gndi_merge_params p = {.plan = *plan, .rule = gndi_sort_rule_of(plan->dtype, plan->descending)};
    p.tiles = gndi_ceil_div(total, GNDI_MERGE_TILE(size));
    gndi_buffer *splits = gndi_buffer_new(fn, s, (size_t)(p.tiles + 1) * sizeof *p.splits);
    if (!splits) return GND_ERROR_MEMORY;
    p.splits = splits->base;
    const int64_t blocks = gndi_ceil_div(p.tiles + 1, GNDI_MERGE_THREADS);
    gnd_status status =
        gndi_cuda_launch(s, gndi_cuda_merge_split_kernel(key_class), blocks, GNDI_MERGE_THREADS, 0, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_merge_kernel(key_class), p.tiles, GNDI_MERGE_THREADS, 0, &p, fn);
    gndi_buffer_release(splits);
    return status;
}
