/* matmul_cuda.c: being written. */
#include "kernels/matmul_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cuda_matmul(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "not built yet");
}
