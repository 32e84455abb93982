/*
 * fuse_cpu.c: fused programs on the CPU.
 */
#include "kernels/fuse_plan.h"
#include "runtime/backend_kernels.h"

const char *gndi_cpu_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan) {
    (void)s, (void)plan;
    return NULL;
}

gnd_status gndi_cpu_fuse(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "no launch carries this program out");
}
