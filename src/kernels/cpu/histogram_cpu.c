/*
 * histogram_cpu.c: to come.
 */
#include "kernels/histogram_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_histogram(gnd_stream *s, const gndi_histogram_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "has no kernels yet");
}
