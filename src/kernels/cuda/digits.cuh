/*
 * digits.cuh: an index taken apart digit by digit, in 32 bits where it fits: divisions of 64 bits
 * are dozens of instructions.
 */
#ifndef GNDI_DIGITS_CUH
#define GNDI_DIGITS_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

/* index % size, and index becomes the quotient: one digit of a mixed-radix number. */
GNDI_FN int64_t take_digit(int64_t &index, int64_t size) {
    if ((((uint64_t)index | (uint64_t)size) >> 32) == 0) {
        const uint32_t quotient = (uint32_t)index / (uint32_t)size;
        const uint32_t digit = (uint32_t)index - quotient * (uint32_t)size;
        index = quotient;
        return digit;
    }
    const int64_t quotient = index / size, digit = index - quotient * size;
    index = quotient;
    return digit;
}

} // namespace gnd

#endif
