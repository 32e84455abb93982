/*
 * lapack_reflector.cuh: a Householder reflector from a column's first element and its length, as larfg makes
 * it. The kernels add up the squares.
 */
#ifndef GNDI_LAPACK_REFLECTOR_CUH
#define GNDI_LAPACK_REFLECTOR_CUH

#include "linalg/cuda/lapack_numbers.cuh"

namespace gnd {
namespace la {

// A reflector I - tau v v^H that makes a column beta times the first unit vector: v is 1 in the first row,
// and below it the column times `shift` (a power of two, 1 but for extreme numbers) and `by`.
template <class T> struct reflector {
    T tau, by;
    real<T> shift, beta;
};

// The power of two that scales a column whose largest element is `top` so that squares neither underflow nor
// overflow.
template <class R> GNDI_FN R shift_for(R top) {
    int e = top < R(INFINITY) ? -exponent_of(top) : 0;
    e = e > range<R>::widest ? range<R>::widest : e < -range<R>::widest ? -range<R>::widest : e;
    return power_of_two(R(), e);
}

// `alpha`: the column's first element; `all`: the sum of all squares; both of the column times h.shift.
template <class T> GNDI_FN void complete(reflector<T> &h, T alpha, real<T> all) {
    typedef real<T> R;
    const R size = root(all), beta = is_negative(real_of(alpha)) ? size : -size;
    if constexpr (is_complex<T>) {
        h.tau = T{(beta - alpha.re) / beta, -alpha.im / beta};
        h.by = reciprocal(T{alpha.re - beta, alpha.im});
    } else {
        h.tau = (beta - alpha) / beta;
        h.by = 1 / (alpha - beta);
    }
    h.beta = beta / h.shift;
}

} // namespace la
} // namespace gnd

#endif
