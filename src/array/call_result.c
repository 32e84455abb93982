/*
 * call_result.c: what a C function of the user's gave back.
 */
#include "array/call_result.h"

static const char returned[] = "what the function returned";

bool gndi_call_succeeded(const char *fn, const void *result, bool pending) {
    if (result) return pending || !gnd_error();
    if (!gnd_error()) gndi_raise(GND_ERROR_INVALID, fn, "the function returned NULL, and recorded no error");
    return false;
}

gnd_array *gndi_call_result(const char *fn, const gnd_array *result, bool pending) {
    if (gndi_optional_missing(fn, result, returned)) return NULL;
    if (!gndi_call_succeeded(fn, result, pending)) return NULL;
    return gnd_keep(gndi_array_alias(fn, result));
}
