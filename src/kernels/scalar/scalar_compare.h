/*
 * scalar_compare.h: comparisons, exact ones between int64 and uint64, logical operators, where.
 * Complex numbers compare by real, then imaginary part; a NaN anywhere makes every order false.
 */
#ifndef GNDI_SCALAR_COMPARE_H
#define GNDI_SCALAR_COMPARE_H

#include "scalar_cast.h"
#include "scalar_math.h"

namespace gnd {
namespace ops {

template <class T> GNDI_FN bool equal(T a, T b) {
    if constexpr (is_complex<T>)
        return (a.re == b.re) & (a.im == b.im);
    else
        return a == b;
}
template <class T> GNDI_FN bool not_equal(T a, T b) {
    return !equal(a, b);
}
template <class T> GNDI_FN bool less(T a, T b) {
    if constexpr (is_complex<T>)
        return ((a.re < b.re) & !m::isnan(a.im) & !m::isnan(b.im)) | ((a.re == b.re) & (a.im < b.im));
    else
        return a < b;
}
template <class T> GNDI_FN bool less_equal(T a, T b) {
    if constexpr (is_complex<T>)
        return ((a.re < b.re) & !m::isnan(a.im) & !m::isnan(b.im)) | ((a.re == b.re) & (a.im <= b.im));
    else
        return a <= b;
}
template <class T> GNDI_FN bool greater(T a, T b) {
    return less(b, a);
}
template <class T> GNDI_FN bool greater_equal(T a, T b) {
    return less_equal(b, a);
}

/* int64 against uint64, by value. */
template <class I = int64_t> GNDI_FN bool equal_iu(I a, uint64_t b) {
    return (a >= 0) & ((uint64_t)a == b);
}
template <class I = int64_t> GNDI_FN bool not_equal_iu(I a, uint64_t b) {
    return !equal_iu(a, b);
}
template <class I = int64_t> GNDI_FN bool less_iu(I a, uint64_t b) {
    return (a < 0) | ((uint64_t)a < b);
}
template <class I = int64_t> GNDI_FN bool less_equal_iu(I a, uint64_t b) {
    return (a < 0) | ((uint64_t)a <= b);
}
template <class I = int64_t> GNDI_FN bool greater_iu(I a, uint64_t b) {
    return !less_equal_iu(a, b);
}
template <class I = int64_t> GNDI_FN bool greater_equal_iu(I a, uint64_t b) {
    return !less_iu(a, b);
}

template <class T> GNDI_FN bool logical_and(T a, T b) {
    return is_nonzero(a) & is_nonzero(b);
}
template <class T> GNDI_FN bool logical_or(T a, T b) {
    return is_nonzero(a) | is_nonzero(b);
}
template <class T> GNDI_FN bool logical_xor(T a, T b) {
    return is_nonzero(a) != is_nonzero(b);
}
template <class T> GNDI_FN bool logical_not(T a) {
    return !is_nonzero(a);
}
template <class T> GNDI_FN T where(bool condition, T a, T b) {
    return condition ? a : b;
}

} // namespace ops
} // namespace gnd

#endif
