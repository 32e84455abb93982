/*
 * cpu_kernels.c: the table of the loops, for the instruction set of this CPU.
 */
#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/cpu/isa.h"

GNDI_CPU_TABLE(gndi_cpu_kernels, gndi_cpu_kernels_get, elementwise)
