/*
 * elementwise_kernels_cuda.c: which kernels of operators there are, and which casts of operands they make.
 */
#include "elementwise/cuda/elementwise_launch.h"
#include "elementwise/cuda/elementwise_parts.h"

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

gnd_dtype gndi_plan_letter_dtype(const gndi_ew_plan *plan, int k) {
    if (k == plan->nout + plan->nin) return GND_BOOL;
    const gndi_op_info *op = &gndi_ops[plan->op];
    return gndi_letter_dtype(k < plan->nout ? op->out[k] : op->in[k - plan->nout], plan->loop);
}

uint32_t gndi_cuda_needs_cast(const gndi_ew_plan *plan) {
    uint32_t needs_cast = 0;
    for (int k = 0; k < plan->nout + plan->nin; k++) {
        if (plan->operand[k].immediate) continue;
        int dtype = plan->operand[k].dtype, wanted = gndi_plan_letter_dtype(plan, k);
        bool native = k < plan->nout ? gndi_cuda_stores((int)plan->op, wanted, dtype)
                                     : gndi_cuda_loads((int)plan->op, dtype, wanted);
        if (!native) needs_cast |= 1u << k;
    }
    return needs_cast;
}
