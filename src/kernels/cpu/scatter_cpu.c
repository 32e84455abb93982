/*
 * scatter_cpu.c: to be written.
 */
#include "kernels/scatter_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_scatter_op(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "is being written");
}
