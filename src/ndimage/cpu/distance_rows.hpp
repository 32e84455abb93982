/*
 * distance_rows.hpp: indices of the nearest zeros on the CPU, written for many elements at once.
 */
#ifndef GNDI_DISTANCE_ROWS_HPP
#define GNDI_DISTANCE_ROWS_HPP

#include "ndimage/distance_ops.h"

namespace gnd {
namespace distance {

/* x / n and x % n of x from 0 to 2^31 - 1, in vectors: x + 1/2 divided by n is no nearer to a whole number than half of
   1 / n, which is more than double's error. */
static inline void divide_row(int32_t *x, int32_t *rest, int32_t n, int count) {
    const double inverse = 1.0 / n;
    for (int k = 0; k < count; k++) {
        const int32_t quotient = (int32_t)((x[k] + 0.5) * inverse);
        rest[k] = x[k] - quotient * n;
        x[k] = quotient;
    }
}

/* Of elements base .. base + n - 1, from the flat indices of what is nearest to them. */
template <class A> static void write_row(const plan_t &p, int64_t base, const A *at, int64_t n) {
    constexpr int64_t BLOCK = 512;
    const int64_t size = p.outer * p.n * p.inner;
    if (sizeof(A) == 8 || p.mirrored || at[0] < 0) { /* where one element has none, all have none */
        for (int64_t k = 0; k < n; k++) write_indices(p, base + k, at[k], size);
        return;
    }
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int count = (int)(n - first < BLOCK ? n - first : BLOCK);
        int32_t left[BLOCK];
        for (int k = 0; k < count; k++) left[k] = (int32_t)at[first + k];
        for (int a = p.ndim - 1; a > 0; a--)
            divide_row(left, p.indices + a * size + base + first, (int32_t)p.shape[a], count);
        for (int k = 0; k < count; k++) p.indices[base + first + k] = left[k];
    }
}

} // namespace distance
} // namespace gnd

#endif
