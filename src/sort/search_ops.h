/*
 * search_ops.h: what the kernels of searches compute, on both backends: NumPy's order of elements, and
 * linear interpolation between two points (numpy.interp, numpy/_core/src/multiarray/compiled_base.c).
 */
#ifndef GNDI_SEARCH_OPS_H
#define GNDI_SEARCH_OPS_H

#include "kernels/scalar/scalar_cast.h"
#include "kernels/scalar/scalar_math.h"
#include "sort/search_plan.h"

namespace gnd {

/* ---- order ---------------------------------------------------------------------------------- */

/* Whether a stands before b in sorted order, given in compute types: NaN come last, of complex
   numbers those whose real part is NaN after those whose imaginary part is. */
template <class T> GNDI_FN bool stands_before(T a, T b) {
    if constexpr (is_complex<T>) {
        const bool nan_a = m::isnan(a.im), nan_b = m::isnan(b.im);
        if (a.re < b.re) return !nan_a || nan_b;
        if (a.re > b.re) return nan_b && !nan_a;
        if (a.re == b.re || (m::isnan(a.re) && m::isnan(b.re))) return a.im < b.im || (nan_b && !nan_a);
        return m::isnan(b.re);
    } else if constexpr (is_float<T>) {
        return (a < b) | ((b != b) & (a == a));
    } else {
        return a < b;
    }
}
/* Whether b may stand behind a, the sorted element: what a search counts. */
template <class T> GNDI_FN bool counts(T a, T b, bool right) {
    return right ? !stands_before(b, a) : stands_before(a, b);
}
template <class T> GNDI_FN bool same_number(T a, T b) {
    if constexpr (is_complex<T>)
        return (a.re == b.re) & (a.im == b.im);
    else
        return a == b;
}
/* Whether a line that goes up must not have b behind a; NaN never break an order here. */
template <class T> GNDI_FN bool breaks_order(T a, T b) {
    if constexpr (is_complex<T>)
        return false;
    else
        return a > b;
}
/* Whether a line of bins counts as descending, by NumPy's rule (check_array_monotonic in
   compiled_base.c): the first element and the first one that differs from it decide, and a NaN
   differs from everything and ascends to nothing. So NaN may stand at the front of descending bins. */
template <class T, class Line> GNDI_FN bool goes_down(const Line &line, int64_t n) {
    if constexpr (!is_complex<T>) {
        for (int64_t i = 1; i < n; i++)
            if (!(line(i) == line(0))) return !(line(0) < line(i));
    }
    return false;
}

/* ---- numbers by dtype ----------------------------------------------------------------------- */

/* A real element as a double; 64-bit integers are rounded. */
GNDI_FN double real_number(const char *p, int dtype) {
    switch (dtype) {
    case GND_BOOL: return (double)(*reinterpret_cast<const uint8_t *>(p) != 0);
    case GND_INT8: return (double)*reinterpret_cast<const int8_t *>(p);
    case GND_UINT8: return (double)*reinterpret_cast<const uint8_t *>(p);
    case GND_INT16: return (double)*reinterpret_cast<const int16_t *>(p);
    case GND_UINT16: return (double)*reinterpret_cast<const uint16_t *>(p);
    case GND_INT32: return (double)*reinterpret_cast<const int32_t *>(p);
    case GND_UINT32: return (double)*reinterpret_cast<const uint32_t *>(p);
    case GND_INT64: return (double)*reinterpret_cast<const int64_t *>(p);
    case GND_UINT64: return (double)*reinterpret_cast<const uint64_t *>(p);
    case GND_FLOAT16: return (double)to_float(*reinterpret_cast<const float16 *>(p));
    case GND_BFLOAT16: return (double)to_float(*reinterpret_cast<const bfloat16 *>(p));
    case GND_FLOAT32: return (double)*reinterpret_cast<const float *>(p);
    default: return *reinterpret_cast<const double *>(p);
    }
}
/* An integer or bool as int64; uint64 above 2^63 - 1 becomes the largest, which is outside anything. */
GNDI_FN int64_t whole_number(const char *p, int dtype) {
    switch (dtype) {
    case GND_BOOL: return *reinterpret_cast<const uint8_t *>(p) != 0;
    case GND_UINT8: return *reinterpret_cast<const uint8_t *>(p);
    case GND_INT8: return *reinterpret_cast<const int8_t *>(p);
    case GND_INT16: return *reinterpret_cast<const int16_t *>(p);
    case GND_UINT16: return *reinterpret_cast<const uint16_t *>(p);
    case GND_INT32: return *reinterpret_cast<const int32_t *>(p);
    case GND_UINT32: return *reinterpret_cast<const uint32_t *>(p);
    case GND_UINT64: {
        const uint64_t value = *reinterpret_cast<const uint64_t *>(p);
        return value >> 63 ? INT64_MAX : (int64_t)value;
    }
    default: return *reinterpret_cast<const int64_t *>(p);
    }
}

/* ---- curves --------------------------------------------------------------------------------- */

/* One part of the interpolation at x, between the points (x0, y0) and (x1, y1); x is neither NaN nor x0. */
GNDI_FN double interpolate_part(double x, double x0, double x1, double y0, double y1, bool is_complex) {
    const double width = m::add(x1, -x0), height = m::add(y1, -y0);
    const double slope = is_complex ? m::mul(height, 1.0 / width) : height / width;
    const double from_left = m::add(m::mul(slope, m::add(x, -x0)), y0);
    if (!m::isnan(from_left)) return from_left;
    const double from_right = m::add(m::mul(slope, m::add(x, -x1)), y1);
    return m::isnan(from_right) && y0 == y1 ? y0 : from_right;
}

/* Part k (0 or 1) of the interpolation at x, where `index` elements of the line are not above x. */
template <class Line> GNDI_FN double interp_part(const gndi_search_interp &interp, const Line &line, int64_t n,
                                                 int64_t index, double x, int k) {
    const int parts = interp.is_complex ? 2 : 1;
    const double *y = reinterpret_cast<const double *>(interp.heights) + k;
    if (m::isnan(x)) return n == 1 && !interp.is_complex ? y[0] : k == 0 ? x : 0.0; /* as NumPy */
    if (index == 0) return interp.has_left ? interp.left[k] : y[0];
    if (index == n) {
        const double end = y[(n - 1) * parts];
        if (line(n - 1) == x) return end;
        return interp.has_right ? interp.right[k] : end;
    }
    const int64_t j = index - 1;
    const double x0 = line(j), y0 = y[j * parts];
    if (x0 == x) return y0;
    return interpolate_part(x, x0, line(index), y0, y[index * parts], interp.is_complex);
}

} // namespace gnd

#endif
