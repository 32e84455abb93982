/*
 * spline_ops.h: a spline at one point. For both backends.
 */
#ifndef GNDI_SPLINE_OPS_H
#define GNDI_SPLINE_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "splines/spline_plan.h"
#include "waveforms/wave_formulas.h"

namespace gnd {
namespace splines {

typedef gndi_spline_plan plan_t;

/* Where a point is between the knots 0 and last, mirrored there as often as it takes. */
GNDI_FN double mirrored(double x, double last) {
    x = m::abs(x);
    if (x <= last) return x;
    if (last == 0) return x - x;
    x = m::fmod(x, 2 * last);
    return x > last ? 2 * last - x : x;
}

/* Stores the spline at point i. C, P: of coefficients, of points. */
template <bool quadratic, class C, class P> GNDI_FN void put(const plan_t &p, int64_t i) {
    const C *c = static_cast<const C *>(p.coefficients);
    const double last = (double)(p.knots - 1);
    const double x = mirrored(((double)static_cast<const P *>(p.points)[i] - p.x0) / p.dx, last);
    const bool finite = x - x == 0;
    const int64_t lowest = finite ? (int64_t)m::floor(x - (quadratic ? 1.5 : 2)) + 1 : 0;
    double re = 0, im = 0;
    for (int k = 0; k < (quadratic ? 3 : 4); k++) {
        const int64_t j = lowest + k, at = j < 0 ? 0 : j < p.knots ? j : p.knots - 1;
        const double b = quadratic ? waves::quadratic_spline(x - (double)j) : waves::cubic_spline(x - (double)j);
        re += (double)c[p.pairs ? 2 * at : at] * b;
        if (p.pairs) im += (double)c[2 * at + 1] * b;
    }
    if (quadratic) {
        static_cast<P *>(p.out)[i] = (P)re;
    } else if (p.pairs) {
        static_cast<C *>(p.out)[2 * i] = (C)re, static_cast<C *>(p.out)[2 * i + 1] = (C)im;
    } else {
        static_cast<C *>(p.out)[i] = (C)re;
    }
}

} // namespace splines
} // namespace gnd

#endif
