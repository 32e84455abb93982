// special_loops.cpp: the loops of special functions (kernels/ops/special.def), in the instructions that all CPUs have.
// Vectors gain nothing: each element takes its own way through series and continued fractions.
#define gnd gnd_special
#include "elementwise/cpu/dense_loops.hpp"
#include "kernels/scalar/special_ops.h"

extern "C" void gndi_cpu_special(gndi_cpu_kernel (*table)[GND_DTYPE_COUNT]);

extern "C" void gndi_cpu_special(gndi_cpu_kernel (*table)[GND_DTYPE_COUNT]) {
#define OP(family, name, signature, loops, identity, flags) fill_from<gnd::op_##name, loops, true, 0, 1>(table);
#include "kernels/ops/special.def"
#undef OP
}
