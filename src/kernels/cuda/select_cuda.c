/*
 * select_cuda.c: to be written.
 */
#include "kernels/select_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cuda_select(gnd_stream *s, const gndi_select_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "is being written");
}
