/*
 * scalar_special.h: conjugate, angle, and SciPy's special functions i0, erf, erfc, erfinv, gamma,
 * lgamma.
 */
#ifndef GNDI_SCALAR_SPECIAL_H
#define GNDI_SCALAR_SPECIAL_H

#include "scalar_elementary.h"
#include "scalar_faddeeva.h"
#include "scalar_gamma.h"
#include "scalar_special_real.h"

namespace gnd {
namespace ops {

template <class T> GNDI_FN T conjugate(T a) {
    if constexpr (is_complex<T>)
        return T{a.re, -a.im};
    else
        return a;
}

/* The argument, in degrees if p[0] is not 0. */
template <class T> GNDI_FN auto angle(T a, const double *p) {
    typedef real_t<T> R;
    R radians;
    if constexpr (is_complex<T>)
        radians = m::atan2(a.im, a.re);
    else
        radians = m::isnan(a) ? a : m::signbit(a) ? (R)3.14159265358979323846 : (R)0;
    return p[0] != 0 ? radians * (R)(180 / 3.14159265358979323846) : radians;
}

template <class T> GNDI_FN T i0(T a) {
    return special::i0(a);
}
template <class T> GNDI_FN T erf(T a) {
    if constexpr (is_complex<T>)
        return c::erf(a);
    else
        return m::erf(a);
}
template <class T> GNDI_FN T erfc(T a) {
    if constexpr (is_complex<T>)
        return c::erfc(a);
    else
        return m::erfc(a);
}
template <class T> GNDI_FN T erfinv(T a) {
    return special::erfinv(a);
}
template <class T> GNDI_FN T gamma(T a) {
    if constexpr (is_complex<T>)
        return c::gamma(a);
    else
        return special::gamma(a);
}
template <class T> GNDI_FN T lgamma(T a) {
    return special::lgamma(a);
}

} // namespace ops
} // namespace gnd

#endif
