/*
 * bit_folds.h: "and", "or", "xor" and sums of integers as reductions, in vectors of the integers' own size: loops of
 * reduce_loops.h, for the CPU's reductions with an operator. Compiled once for each instruction set, as the loops of
 * cpu_kernels.h are.
 */
#ifndef GNDI_CPU_BIT_FOLDS_H
#define GNDI_CPU_BIT_FOLDS_H

#include "reduce/cpu/reduce_loops.h"

enum { GNDI_CPU_AND, GNDI_CPU_OR, GNDI_CPU_XOR, GNDI_CPU_ADD, GNDI_CPU_BIT_FOLDS };

/* By the logarithm of the integers' size: 1, 2, 4, 8 bytes. */
typedef gndi_cpu_reduction gndi_cpu_bit_folds[GNDI_CPU_BIT_FOLDS][4];

/* Those for this CPU. Thread-safe. */
const gndi_cpu_bit_folds *gndi_cpu_bit_folds_get(void);

#endif
