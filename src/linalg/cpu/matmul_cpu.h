/*
 * matmul_cpu.h: what the CPU's parts of the `matmul` hook share.
 *
 *     matmul_cpu.c          which part does what; the batch and its threads; OpenBLAS
 *     matmul_cpu_half.c     float16 and bfloat16, a block at a time in float32
 *     matmul_loops.hpp      gnd's own loops: integers, bool, and small matrices of any dtype
 */
#ifndef GNDI_MATMUL_CPU_H
#define GNDI_MATMUL_CPU_H

#include "elementwise/cpu/cpu_kernels.h"
#include "linalg/cpu/matmul_loops.h"
#include "linalg/matmul_plan.h"
#include "libraries/library_tables.h"

/* The three matrices of one product of the batch. */
typedef struct gndi_cpu_matmul_data {
    const char *a, *b;
    char *c;
} gndi_cpu_matmul_data;

gndi_cpu_matmul_data gndi_cpu_matmul_at(const gndi_matmul_plan *plan, int64_t index);

/* One product by OpenBLAS, in float32 or float64, real or complex: of any size. beta replaces that of
   the plan. */
void gndi_cpu_gemm(const gndi_openblas *blas, const gndi_matmul_plan *plan, const gndi_cpu_matmul_data *x,
                   const double *beta);

gnd_status gndi_cpu_matmul_half(gnd_stream *s, const gndi_matmul_plan *plan, int64_t count, const gndi_openblas *blas,
                                const char *fn);

#endif
