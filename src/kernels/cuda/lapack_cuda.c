/* lapack_cuda.c: being written. */
#include "kernels/lapack_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cuda_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "not built yet");
}
