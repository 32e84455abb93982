/*
 * truths.c: loose bool memory as 0 and 1 where it is needed.
 */
#include "elementwise/truths.h"
#include "elementwise/elementwise.h"

const gnd_array *gndi_truths(const char *fn, const gnd_array *a, gnd_array **made) {
    *made = NULL;
    return !a || gndi_likely(!gndi_is_loose(a)) ? a : (*made = gndi_truths_of(fn, a));
}

gnd_array *gndi_truths_as_bytes(const char *fn, const gnd_array *a) {
    gnd_array *made, *bytes = (a = gndi_truths(fn, a, &made)) ? gndi_bytes_of(fn, a) : NULL;
    gnd_release(made);
    return bytes;
}
