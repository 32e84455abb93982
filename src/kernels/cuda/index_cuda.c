/*
 * index_cuda.c: to come.
 */
#include "kernels/index_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cuda_index(gnd_stream *s, const gndi_index_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "has no kernels yet");
}
