// filter_publish.cuh: float64 numbers that one block writes and others wait for. They are published with their bits
// inverted: zeros, with which the memory begins, mean that a number is not there yet. So one store and one load pass it
// on, without a flag and without a fence.
#pragma once
#include "kernels/scalar/scalar_types.h"
#include <stdint.h>

namespace gnd {

GNDI_FN void publish_number(double *to, double v) {
    const uint64_t bits = v == v ? (uint64_t)__double_as_longlong(v) : 0x7ff8000000000000u; // no NaN is all ones
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(~bits) : "memory");
}
GNDI_FN uint64_t read_number(const double *from) {
    uint64_t bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(from) : "memory");
    return bits;
}
GNDI_FN void read_pair(const double *from, uint64_t (&bits)[2]) { // aligned to both
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(bits[0]), "=l"(bits[1]) : "l"(from) : "memory");
}
GNDI_FN double published(uint64_t bits) {
    return __longlong_as_double((long long)~bits);
}

} // namespace gnd
