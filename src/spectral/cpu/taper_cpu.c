/*
 * taper_cpu.c: windows with the factor of a transform or of its inverse, on the CPU.
 */
#include "runtime/hooks.h"
#include "spectral/stft_plan.h"
#include <math.h>

gnd_status gndi_cpu_taper(gnd_stream *s, const gndi_taper_plan *p, const char *fn) {
    double sum = 0, squares = 0;
    (void)s, (void)fn;
    for (int64_t i = 0; i < p->n; i++) {
        const double w = gndi_taper_value(p, i);
        sum += w, squares += w * w;
    }
    const double factor = gndi_taper_factor(p, sum, squares);
    for (int64_t i = 0; i < p->n; i++) gndi_taper_store(p, i, factor);
    return GND_OK;
}
