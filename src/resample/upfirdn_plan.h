/*
 * upfirdn_plan.h: upsampling, an FIR filter and downsampling in one, as the front end (upfirdn.c) hands it to a
 * backend. With s = i * down + offset, phase = s mod up and b = s div up, output i of a line is
 *
 *     y[i] = sum over j of scale * h[phase + j * up] * x[b - j],   0 <= j < ceil(taps / up)
 *
 * where h is zero from `taps` on, and x is continued beyond its ends by the border.
 *
 * Outputs and elements have numbers that do not depend on where a line is cut: the first output in memory is
 * number out_first, the first element of x number x_first. In which order a sum is added up depends on i and
 * the filter alone, so chunks of a line are the whole line bit for bit.
 */
#ifndef GNDI_UPFIRDN_PLAN_H
#define GNDI_UPFIRDN_PLAN_H

#include "core/core.h"
#include "resample/chunk_plan.h"

/* x and out are float32, float64, complex64 or complex128, dense along the line. The taps are of that dtype or
   of its real one. up, down, taps, length and count are at least 1; offset and out_first are not negative. */
struct gndi_upfirdn_plan {
    uint8_t dtype, taps_dtype;
    uint8_t border; /* gndi_border */
    double cval[2], scale;
    int64_t up, down, offset, taps;
    const char *h;
    int64_t h_step; /* bytes */
    const char *x;
    int64_t length, x_first;
    char *out;
    int64_t count, out_first;
    gndi_line_grid grid;
    bool joins; /* a GPU's only: x is what is joined by this plan, before all else */
    struct gndi_chunk_plan chunk;
};

#endif
