// products.cuh: sums of products of elements and taps, which may be real where the other is complex. The parts of a
// complex product are added one by one, in one order.
#ifndef GNDI_PRODUCTS_CUH
#define GNDI_PRODUCTS_CUH

#include "kernels/scalar/scalar_cast.h"

namespace gnd {

template <class T> GNDI_FN void add_product(T &sum, T x, T k) {
    sum += x * k;
}
template <class R> GNDI_FN void add_product(complex<R> &sum, R x, R k) {
    sum.re += x * k;
}
template <class R> GNDI_FN void add_product(complex<R> &sum, complex<R> x, R k) {
    sum.re += x.re * k;
    sum.im += x.im * k;
}
template <class R> GNDI_FN void add_product(complex<R> &sum, complex<R> x, complex<R> k) {
    sum.re += x.re * k.re;
    sum.re -= x.im * k.im;
    sum.im += x.re * k.im;
    sum.im += x.im * k.re;
}

} // namespace gnd

#endif
