/*
 * settings.c: what a thread asks of linear algebra.
 */
#include "runtime/runtime.h"

bool gnd_linalg_strict(bool strict) {
    const bool before = gndi_tls.linalg_strict;
    gndi_tls.linalg_strict = strict;
    return before;
}

bool gnd_allow_tf32(bool allow) {
    const bool before = gndi_tls.tf32;
    gndi_tls.tf32 = allow;
    return before;
}
