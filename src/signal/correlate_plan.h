/*
 * correlate_plan.h: sliding sums of products of two lines, as the front end (src/signal) hands them
 * to a backend:
 *
 *     out[i] = sum over j of x[first + i + j] * k[j],   0 <= j < taps, 0 <= first + i + j < length
 */
#ifndef GNDI_CORRELATE_PLAN_H
#define GNDI_CORRELATE_PLAN_H

#include "core/core.h"

/* All have one dtype (bool: or of ands); float16 and bfloat16 add up in float32. Steps are in bytes
   and may be negative. count, length and taps are at least 1, and taps is at most length. */
struct gndi_correlate_plan {
    uint8_t dtype;
    bool conjugate; /* the taps */
    int64_t first, count, length, taps;
    struct gndi_correlate_operand {
        char *data;
        int64_t step;
    } x, k, out;
};

#endif
