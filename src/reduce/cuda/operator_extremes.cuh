/*
 * operator_extremes.cuh: reductions with fmin and fmax (nanmin and nanmax) of real floating numbers, by the
 * reductions' own dense kernels. Their identity is NaN, which loses against every number.
 */
#ifndef GNDI_OPERATOR_EXTREMES_CUH
#define GNDI_OPERATOR_EXTREMES_CUH

#include "reduce/cuda/reduce_kernels.cuh"

namespace gnd {

template <bool Largest, class S> struct reduce_number_extreme {
    typedef S element;
    typedef compute_t<S> acc;
    typedef acc narrow;
    GNDI_FN acc fold(acc a, acc b) {
        if constexpr (is_same<acc, float>)
            return Largest ? fmaxf(a, b) : fminf(a, b);
        else
            return Largest ? fmax(a, b) : fmin(a, b);
    }
    GNDI_FN acc lift(S x) { return to_compute(x); }
    GNDI_FN acc none() { return limits<acc>::nan(); }
    GNDI_FN acc widen(acc x) { return x; }
    GNDI_FN acc combine(acc a, acc b) { return fold(a, b); }
    GNDI_FN acc identity() { return limits<acc>::nan(); }
};

template <class S> using reduce_fmin = reduce_number_extreme<false, S>;
template <class S> using reduce_fmax = reduce_number_extreme<true, S>;

} // namespace gnd

#endif
