/*
 * call_result.h: what a C function of the user's gave back, for the functions that call one.
 */
#ifndef GNDI_CALL_RESULT_H
#define GNDI_CALL_RESULT_H

#include "core/core.h"

/* What a call came to: false if it returned NULL or left an error pending, which says so. `pending`: one was
   before the call. */
bool gndi_call_succeeded(const char *fn, const void *result, bool pending);
/* The same of a function that returns an array, called in a scope that is still open: a reference of the
   caller's to the elements, whoever has the array; NULL if the call failed. */
gnd_array *gndi_call_result(const char *fn, const gnd_array *result, bool pending);

#endif
