/*
 * sort_block_cuda.c: launches the kernels of sort_block.cuh, which sort rows that fit a block.
 */
#include "sort/cuda/sort_launch.h"
#include "runtime/cuda/runtime_cuda.h"

static const gndi_sort_block_kernels *const kernels[GNDI_SORT_CLASSES] = {&gndi_sort_block_1,  &gndi_sort_block_2,
                                                                          &gndi_sort_block_4,  &gndi_sort_block_8,
                                                                          &gndi_sort_block_c8, &gndi_sort_block_c16};

static int log2_up(int64_t n) {
    int log = 0;
    while ((int64_t)1 << log < n) log++;
    return log;
}

/* The smallest blocks that rows of this length fit; NULL: none. Complex numbers alone are sorted
   with their indices, too: keys do not order them. */
static const gndi_sort_block_kernel *kernel_for(gnd_stream *s, const gndi_sort_plan *plan) {
    const int class = gndi_sort_class(plan->dtype);
    const bool indexed = plan->indices.data || gndi_dtype_is_complex(plan->dtype);
    for (int large = 0; large < 2; large++) {
        const gndi_sort_block_kernel *k = &kernels[class]->of[large][indexed];
        if (k->kernel && log2_up(plan->length) <= k->log_tile)
            return !large || k->shared_bytes <= gndi_sort_shared_bytes(s) ? k : NULL;
    }
    return NULL;
}

int64_t gndi_sort_block_rows(gnd_stream *s, const gndi_sort_plan *plan) {
    const gndi_sort_block_kernel *k = kernel_for(s, plan);
    return k ? (int64_t)1 << (k->log_tile - log2_up(plan->length)) : 0;
}

gnd_status gndi_sort_in_blocks(const gndi_cuda_run *run, const gndi_sort_plan *plan, bool gathers) {
    const gndi_sort_block_kernel *k = kernel_for(run->stream, plan);
    gndi_sort_block p;
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending);
    p.log_length = log2_up(plan->length);
    p.gathers = gathers && plan->start.data;
    p.in_across = gndi_sort_lies_across(plan, &plan->in);
    p.out_across = gndi_sort_lies_across(plan, plan->out.data ? &plan->out : &plan->indices);
    const int64_t rows = (int64_t)1 << (k->log_tile - p.log_length);
    return gndi_cuda_run_launch(run, k->kernel, (plan->rows + rows - 1) / rows, k->threads, (size_t)k->shared_bytes,
                                &p);
}
