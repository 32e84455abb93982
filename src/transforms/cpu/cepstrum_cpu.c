/*
 * cepstrum_cpu.c: logarithms of magnitudes on the CPU.
 */
#include "runtime/hooks.h"
#include "transforms/cepstrum_plan.h"
#include <math.h>

static void share(void *context, int64_t begin, int64_t end) {
    const gndi_log_magnitude_plan *p = context;
    for (int64_t i = begin; i < end; i++) {
        if (p->wide) {
            double *z = (double *)p->z + 2 * i;
            z[0] = p->factor * log(hypot(z[0], z[1])), z[1] = 0;
        } else {
            float *z = (float *)p->z + 2 * i;
            const double re = (double)z[0], im = (double)z[1];
            z[0] = (float)(p->factor / 2 * log(re * re + im * im)), z[1] = 0;
        }
    }
}

gnd_status gndi_cpu_log_magnitude(gnd_stream *s, const gndi_log_magnitude_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->count, 4096, share, (void *)(uintptr_t)p);
    return GND_OK;
}
