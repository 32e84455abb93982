/* operator_extremes_cuda.cu: reductions with fmin and fmax (nanmin and nanmax) of real floating
 * numbers, by the reductions' own dense kernels. Their identity is NaN, which loses against every
 * number. */
#include "reduce/cuda/operator_extremes.h"
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

} // namespace gnd

using namespace gnd;

#define GNDI_NUMBER_EXTREMES(largest)                                                                                  \
    {                                                                                                                  \
        {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, kernels_of<reduce_number_extreme<largest, float16>>(),                 \
            kernels_of<reduce_number_extreme<largest, bfloat16>>(),                                                    \
            kernels_of<reduce_number_extreme<largest, float>>(), kernels_of<reduce_number_extreme<largest, double>>(), \
    }
const gndi_reduce_kernels gndi_reduce_fmin_kernels[16] = GNDI_NUMBER_EXTREMES(false);
const gndi_reduce_kernels gndi_reduce_fmax_kernels[16] = GNDI_NUMBER_EXTREMES(true);
