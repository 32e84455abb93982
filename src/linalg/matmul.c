/* matmul.c: being written. */
#include "linalg/linalg.h"

gnd_array *gndi_matmul(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate_a) {
    (void)a, (void)b, (void)conjugate_a;
    return gndi_fail(GND_ERROR_UNAVAILABLE, fn, "not built yet");
}
gnd_status gndi_matmul_into(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b,
                            gnd_arg alpha, gnd_arg beta) {
    (void)a, (void)b, (void)alpha, (void)beta, (void)out;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "not built yet");
}
