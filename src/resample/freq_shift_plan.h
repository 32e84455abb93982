/*
 * freq_shift_plan.h: lines times a complex oscillation, as the front end (freq_shift.c) hands them to a backend:
 *
 *     out[i] = x[i] exp(-2 pi i freq / fs sqrt(-1))
 *
 * and how its phase is found without an error that grows.
 */
#ifndef GNDI_FREQ_SHIFT_PLAN_H
#define GNDI_FREQ_SHIFT_PLAN_H

#include "resample/line_offset.h"
#include <math.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

enum { GNDI_SHIFT_THREADS = 256, GNDI_SHIFT_EACH = 8 }; /* on a GPU: of a block; elements of a thread, of float32 */

/* x is float32, float64, complex64 or complex128, dense along the line; out is complex, of the same precision. */
struct gndi_freq_shift_plan {
    const char *x;
    char *out;
    int64_t n;
    double freq, fs;
    double turns_step; /* on a GPU: turns from an element of a thread to its next one */
    gndi_line_grid grid;
    uint8_t dtype;
};

/* The turns of element i but for whole ones, between -1/2 and 1/2 (or a little beyond): i * freq in two parts, exactly,
   less the nearest multiple of fs, which is exact too, and only then divided. Good while i * freq / fs is below
   2^52. */
GNDI_BORDER_FN double gndi_shift_turns(int64_t i, double freq, double fs) {
    const double n = (double)i, product = n * freq, rest = fma(n, freq, -product);
    const double whole = rint(product / fs);
    return (fma(-whole, fs, product) + rest) / fs;
}

#endif
