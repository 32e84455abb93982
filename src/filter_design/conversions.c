/*
 * conversions.c: the forms of a filter's coefficients, from each to the others (scipy.signal).
 */
#include "filter_design/design.h"

gnd_array *gnd_zpk2sos(const gnd_array *z, const gnd_array *p, double k, gnd_sos_pairing pairing, bool analog) {
    gndi_scratch s = {.fn = "gnd_zpk2sos"};
    const gndi_zpk *f = gndi_zpk_read(&s, z, p, k);
    gnd_array *sos = f ? gndi_design_sos(&s, f, pairing, analog) : NULL;
    gndi_scratch_end(&s);
    return sos;
}
