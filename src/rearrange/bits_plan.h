/*
 * bits_plan.h: bits packed into bytes and back, along lines, as the front end (src/rearrange) hands
 * them to a backend:
 *
 *     pack:    byte[b] has the truth of element[8 b], element[8 b + 1] ... as its bits
 *     unpack:  element[i] = bit i of byte[i / 8]
 *
 * The first bit is the highest of a byte, or, if `little`, the lowest. What is beyond the end of a line
 * of elements (pack) or of bytes (unpack) counts as 0.
 */
#ifndef GNDI_BITS_PLAN_H
#define GNDI_BITS_PLAN_H

#include "core/core.h"

/* There is at least one line, one element and one byte. The axes are those of the lines: sizes of 1
   dropped, sorted by the stride of what is written, the fastest LAST, and merged. */
struct gndi_bits_plan {
    bool unpack, little;
    uint8_t itemsize;        /* of elements: whole numbers or bool; unpack: 1 */
    int64_t elements, bytes; /* of a line */
    int ndim;
    int64_t lines, shape[GND_MAX_DIMS];
    struct gndi_bits_operand {
        char *data;
        int64_t step; /* along the line, in memory bytes */
        int64_t stride[GND_MAX_DIMS];
    } element, byte;
};

#endif
