/*
 * digits.cuh: splits an index into digits, in 32 bits if it fits: a division of 64 bits takes dozens of
 * instructions.
 */
#ifndef GNDI_DIGITS_CUH
#define GNDI_DIGITS_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

/* Returns index % size, and divides index by size: one digit of a mixed-radix number. */
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
