/*
 * merge_ops.h: how two lines are divided for a merge by several threads, on both backends.
 */
#ifndef GNDI_MERGE_OPS_H
#define GNDI_MERGE_OPS_H

#include "kernels/scalar/scalar_types.h"

namespace gnd {

/* How many of the first `count` elements of the merged line are a's. `before(j, i)`: whether element j of b comes
   before element i of a. */
template <class Before> GNDI_FN int64_t merge_split(int64_t count, int64_t n, int64_t m, const Before &before) {
    int64_t low = count > m ? count - m : 0, high = count < n ? count : n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (before(count - 1 - middle, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

} // namespace gnd

#endif
