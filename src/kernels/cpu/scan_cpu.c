/*
 * scan_cpu.c: to be written.
 */
#include "kernels/scan_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_scan(gnd_stream *s, const gndi_scan_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "is being written");
}
