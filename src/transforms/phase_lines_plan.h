/*
 * phase_lines_plan.h: complex logarithms of spectra whose phase is continuous and ends at 0, on GPUs. Of each line of
 * z, the first half of the spectrum of 2 (half - 1) real numbers:
 *
 *     out[k] = factor (log|z[k]| + i (phase[k] - delay pi k / (half - 1)))
 *
 * where the phase is that of z without jumps of more than half a turn from one k to the next (NumPy's unwrap), and the
 * delay is the last one over pi, rounded.
 */
#ifndef GNDI_PHASE_LINES_PLAN_H
#define GNDI_PHASE_LINES_PLAN_H

#include <stdint.h>

struct gndi_phase_lines_plan {
    const char *z; /* complex64, or complex128 if `wide`, dense; so is out */
    char *out;
    char *delay; /* a real number of a line; NULL: not wanted */
    int64_t lines, half;
    double factor;
    int wide;
};

#endif
