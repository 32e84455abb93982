/*
 * search_cpu.c: to come.
 */
#include "kernels/search_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "has no kernels yet");
}
