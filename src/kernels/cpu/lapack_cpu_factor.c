/* lapack_cpu_factor.c: being written. */
#include "kernels/cpu/lapack_cpu.h"

gnd_status gndi_cpu_lapack_factor(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "not built yet");
}
