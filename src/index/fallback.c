/*
 * fallback.c: stands in for what masks need until it is there.
 */
#include "index/index.h"

__attribute__((weak)) gnd_array *gndi_mask_get(const char *fn, const gnd_array *a,
                                               const gnd_array *mask) {
    (void)a, (void)mask;
    return gndi_fail(GND_ERROR_UNAVAILABLE, fn, "has no masks yet");
}
__attribute__((weak)) gnd_status gndi_mask_set(const char *fn, gnd_array *a, const gnd_array *mask,
                                               gnd_arg value) {
    (void)a, (void)mask, (void)value;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "has no masks yet");
}
__attribute__((weak)) gnd_status gndi_nonzero(const char *fn, const gnd_array *mask,
                                              gnd_array **places) {
    (void)mask, (void)places;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "has no masks yet");
}
