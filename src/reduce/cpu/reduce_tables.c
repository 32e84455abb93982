/*
 * reduce_tables.c: the table of the reductions' loops, for the instruction set of this CPU.
 */
#include "kernels/cpu/isa.h"
#include "reduce/cpu/bit_folds.h"
#include "reduce/cpu/reduce_loops.h"

GNDI_CPU_TABLE(gndi_cpu_reductions, gndi_cpu_reductions_get, reductions)
GNDI_CPU_TABLE(gndi_cpu_bit_folds, gndi_cpu_bit_folds_get, bit_folds)
