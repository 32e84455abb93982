/*
 * lapack_cpu.c: LAPACK on the CPU, out of OpenBLAS: which part does what.
 */
#include "kernels/cpu/lapack_cpu.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    return plan->op < GNDI_LAPACK_QR ? gndi_cpu_lapack_factor(s, plan, fn)
                                     : gndi_cpu_lapack_decompose(s, plan, fn);
}
