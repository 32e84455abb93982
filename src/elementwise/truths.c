/*
 * truths.c: converts loose bool memory to 0 and 1: it is read as uint8 and cast to bool.
 */
#include "elementwise/truths.h"
#include "elementwise/elementwise.h"

static gnd_array *bytes_of(const char *fn, const gnd_array *a) {
    return gndi_array_view(fn, a, a->ndim, a->shape, a->strides, gndi_data(a), GND_UINT8);
}

gnd_array *gndi_truths_of(const char *fn, const gnd_array *a) {
    gnd_array *bytes = bytes_of(fn, a);
    gnd_array *truths = bytes ? gndi_copy_as(fn, bytes, GND_BOOL, 'K') : NULL;
    gnd_release(bytes);
    return truths;
}

const gnd_array *gndi_truths(const char *fn, const gnd_array *a, gnd_array **made) {
    *made = NULL;
    return !a || gndi_likely(!gndi_is_loose(a)) ? a : (*made = gndi_truths_of(fn, a));
}

gnd_array *gndi_truths_as_bytes(const char *fn, const gnd_array *a) {
    gnd_array *made, *bytes = (a = gndi_truths(fn, a, &made)) ? bytes_of(fn, a) : NULL;
    gnd_release(made);
    return bytes;
}
