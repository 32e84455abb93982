/*
 * operator_cpu.h: the CPU's reductions with any binary operator, as gndi_cpu_reduce calls them.
 */
#ifndef GNDI_CPU_OPERATOR_CPU_H
#define GNDI_CPU_OPERATOR_CPU_H

#include "reduce/reduce_plan.h"
#include "runtime/runtime.h"

gnd_status gndi_cpu_reduce_operator(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn);

#endif
