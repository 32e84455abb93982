/*
 * elementwise_cuda.c: the CUDA backend's entry for elementwise plans. The common case, dense
 * operands in the loop's own dtypes, fills a small parameter block and launches; the rest is
 * decided in gndi_cuda_elementwise_general.
 */
#include "elementwise/cuda/elementwise_launch.h"
#include "elementwise/cuda/elementwise_parts.h"

/* ---- the table of kernels ------------------------------------------------------------------- */

static gndi_cuda_table table;
static gndi_once table_once;
static atomic_bool table_filled;

#define PART(fill) void fill(gndi_cuda_table *);
GNDI_ELEMENTWISE_PARTS
#undef PART

static void fill_table(void) {
#define PART(fill) fill(&table);
    GNDI_ELEMENTWISE_PARTS
#undef PART
    atomic_store_explicit(&table_filled, true, memory_order_release);
}

const gndi_cuda_kernels *gndi_cuda_kernels_of(const gndi_ew_plan *plan) {
    if (gndi_unlikely(!atomic_load_explicit(&table_filled, memory_order_acquire)))
        gndi_once_do(&table_once, fill_table);
    return &table[plan->op][plan->loop];
}

/* ---- launching ------------------------------------------------------------------------------ */

/* Whether every operand's vectors are aligned. */
static bool dense_aligned(const gndi_ew_plan *plan, int width) {
    uintptr_t misaligned = 0;
    for (int k = 0; k < plan->nout + plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[k];
        if (operand->immediate) continue;
        uintptr_t bytes = (uintptr_t)width * gndi_dtype_sizes[operand->dtype];
        misaligned |= (uintptr_t)operand->data & ((bytes < 16 ? bytes : 16) - 1);
    }
    return misaligned == 0;
}

static gnd_status launch_dense(gnd_stream *s, const gndi_ew_plan *plan, const gndi_cuda_kernels *kernels,
                               const char *fn) {
    gndi_dense_params params;
    for (int k = 0; k < plan->nout; k++) params.out[k] = plan->operand[k].data;
    for (int k = 0; k < plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[plan->nout + k];
        params.in[k] = operand->immediate ? NULL : operand->data;
        if (operand->immediate) memcpy(&params.value[k], &operand->value, sizeof params.value[k]);
    }
    params.n = (uint32_t)plan->size;
    params.fault = gndi_op_fault(s, plan->op);
    memcpy(params.params, plan->params, sizeof params.params);
    enum { THREADS = GNDI_CUDA_DENSE_THREADS };
    uint32_t block = (uint32_t)kernels->dense_width * kernels->dense_unroll * THREADS;
    uint32_t blocks = (params.n + block - 1) / block;
    return gndi_cuda_launch_early(s, kernels->dense, blocks, THREADS, 0, &params, fn);
}

/* ---- all other plans ------------------------------------------------------------------------ */

/* Every way through this function ends in a launch, or in simpler plans that come back here. */
static gnd_status elementwise_general(gnd_stream *s, const gndi_ew_plan *plan, const gndi_cuda_kernels *kernels,
                                      const char *fn) {
    uint32_t needs_cast = plan->uniform ? 0 : gndi_cuda_needs_cast(plan);
    if (needs_cast) return gndi_cuda_through_copies(s, plan, needs_cast, needs_cast, false, fn);
    if (plan->size > GNDI_CUDA_LARGEST) return gndi_cuda_in_halves(s, plan, fn);
    if (plan->ndim > GNDI_CUDA_AXES && plan->op != GNDI_OP_copy) {
        uint32_t all = (1u << gndi_plan_operands(plan)) - 1;
        return gndi_cuda_through_copies(s, plan, all, 0, true, fn);
    }
    gndi_tile_choice tile;
    if (plan->ndim <= GNDI_CUDA_AXES && gndi_cuda_choose_tile(plan, &tile)) {
        if (kernels->tile && plan->uniform && !plan->masked) return gndi_cuda_launch_tile(s, plan, &tile, fn);
        return gndi_cuda_through_copies(s, plan, tile.crossed << plan->nout, 0, false, fn);
    }
    return gndi_cuda_launch_rows(s, plan, fn);
}

gnd_status gndi_cuda_elementwise(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    if (gndi_unlikely(plan->size == 0)) return GND_OK;
    if (gndi_unlikely(gndi_op_is_special(plan->op))) return gndi_cuda_special(s, plan, fn);
    const gndi_cuda_kernels *kernels = gndi_cuda_kernels_of(plan);
    if (gndi_likely(plan->contiguous && plan->uniform && !plan->masked && plan->size <= GNDI_CUDA_LARGEST &&
                    dense_aligned(plan, kernels->dense_width)))
        return launch_dense(s, plan, kernels, fn);
    return elementwise_general(s, plan, kernels, fn);
}
