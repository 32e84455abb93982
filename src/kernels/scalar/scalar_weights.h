/*
 * scalar_weights.h: the family weights: operators of the statistics, which refuse some weights. A fault raises
 * its error at the next wait.
 */
#ifndef GNDI_SCALAR_WEIGHTS_H
#define GNDI_SCALAR_WEIGHTS_H

#include "scalar_arith.h"
#include "scalar_rounding.h"

namespace gnd {
namespace ops {

/* A weighted sum over the sum of the weights, which must not be 0. */
template <class T> GNDI_FN T weighted(T a, T b) {
    return divide(a, b);
}
template <class T> GNDI_FN bool weighted_faults(T, T b) {
    if constexpr (is_complex<T>)
        return b.re == 0 && b.im == 0;
    else
        return b == 0;
}

/* The weight itself, which must not be negative; whole, if `whole` is 1. NaN is not whole. */
template <class T> GNDI_FN T check_weight(T, T weight) {
    return weight;
}
template <class T> GNDI_FN bool check_weight_faults(T whole, T weight) {
    return weight < 0 || (whole == 1 && !(rint(weight) == weight));
}

template <class T> GNDI_FN T slope(T a, T b, T c) {
    return divide(subtract(a, b), c);
}

} // namespace ops
} // namespace gnd

#endif
