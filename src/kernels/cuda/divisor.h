/*
 * divisor.h: a divisor that is known on the host before a kernel runs: n / size without a division, by Granlund
 * and Montgomery, "Division by invariant integers using multiplication", 1994.
 */
#ifndef GNDI_DIVISOR_H
#define GNDI_DIVISOR_H

#include <stdint.h>

/* n / size for n < 2^31: (high half of n * magic + n) >> shift. */
typedef struct gndi_cuda_divisor {
    uint32_t size, magic, shift;
} gndi_cuda_divisor;

static inline gndi_cuda_divisor gndi_cuda_divide_by(int64_t size) {
    gndi_cuda_divisor d = {(uint32_t)size, 0, 0};
    while ((UINT64_C(1) << d.shift) < (uint64_t)size) d.shift++;
    d.magic = (uint32_t)((UINT64_C(1) << 32) * ((UINT64_C(1) << d.shift) - (uint64_t)size) / (uint64_t)size + 1);
    return d;
}

#endif
