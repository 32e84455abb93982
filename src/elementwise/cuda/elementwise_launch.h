/*
 * elementwise_launch.h: what the files of the CUDA elementwise launcher share. A plan goes the
 * first way it qualifies for: dense, tile, rows, mixed; elementwise_cuda.c makes it
 * qualify where it doesn't.
 */
#ifndef GNDI_ELEMENTWISE_LAUNCH_H
#define GNDI_ELEMENTWISE_LAUNCH_H

#include "elementwise/cuda/elementwise_params.h"
#include "elementwise/plan.h"
#include "runtime/cuda/runtime_cuda.h"

/* Kernels index in 32 bits, and divide numbers below 2^31; larger problems are cut up. */
#define GNDI_CUDA_LARGEST (INT64_C(1) << 30)

/* The kernels of the plan's operator and loop. */
const gndi_cuda_kernels *gndi_cuda_kernels_of(const gndi_ew_plan *plan);

/* Any plan of at most GNDI_CUDA_LARGEST elements in GNDI_CUDA_AXES axes whose casts the kernels
   make
   (`copy`: in any number of axes). */
gnd_status gndi_cuda_launch_rows(gnd_stream *s, const gndi_ew_plan *plan, const char *fn);

/* special_cuda.c: the operands of a special function (kernels/ops/special.def) whose dtype is not that of the loop, a
   bit each; and the launch of a plan without those, of at most GNDI_CUDA_LARGEST elements in GNDI_CUDA_AXES axes. */
uint32_t gndi_cuda_special_needs_cast(const gndi_ew_plan *plan);
gnd_status gndi_cuda_launch_special(gnd_stream *s, const gndi_ew_plan *plan, const char *fn);

/* How a tile kernel would walk a plan. */
typedef struct gndi_tile_choice {
    int x, y;         /* axes of the plan */
    uint32_t crossed; /* a bit for each input that is contiguous along y */
} gndi_tile_choice;
/* Whether some inputs lie along another axis than the outputs, and enough is at stake. */
bool gndi_cuda_choose_tile(const gndi_ew_plan *plan, gndi_tile_choice *choice);
gnd_status gndi_cuda_launch_tile(gnd_stream *s, const gndi_ew_plan *plan, const gndi_tile_choice *choice,
                                 const char *fn);

/* The operands whose casts no kernel of the operator makes: a bit each, outputs, inputs, mask. */
uint32_t gndi_cuda_needs_cast(const gndi_ew_plan *plan);

/* The size of operand k in memory, and the dtype its signature letter has in the loop. */
static inline int64_t gndi_plan_itemsize(const gndi_ew_plan *plan, int k) {
    return gndi_dtype_sizes[plan->operand[k].dtype];
}
gnd_dtype gndi_plan_letter_dtype(const gndi_ew_plan *plan, int k);
static inline int gndi_plan_operands(const gndi_ew_plan *plan) {
    return plan->nout + plan->nin + plan->masked;
}

#endif
