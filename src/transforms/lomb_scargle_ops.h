/*
 * lomb_scargle_ops.h: from the sums over all samples to the periodogram at one frequency, as scipy.signal.lombscargle
 * has it (Zechmeister and Kuerster, 2009). For both backends.
 */
#ifndef GNDI_LOMB_SCARGLE_OPS_H
#define GNDI_LOMB_SCARGLE_OPS_H

#include "transforms/phases.h"
#include "transforms/periods_plan.h"

namespace gnd {
namespace periods {

typedef gndi_lomb_scargle_plan lomb_plan;

enum { CC, CS, YC, YS, C, S, SUMS }; /* of weights times products of cosine, sine and y; C and S for a floating mean */

/* Of the samples alone: the sum of weights, and of weights times y and its square. */
struct totals {
    double w, y, yy;
};

template <class T> constexpr double smallest = sizeof(T) == 4 ? 5.9604644775390625e-8 : 1.1102230246251565e-16;

/* Stores result i. The second time around sums are about tau, for which cosines and sines are orthogonal: they follow
   from the first ones. */
template <class T> GNDI_FN void put_power(const lomb_plan &p, int64_t i, const double *sums, const totals &of) {
    const double y = of.y / of.w;
    double cc = sums[CC] / of.w, ss = 1 - cc, cs = sums[CS] / of.w, c = 0, s = 0;
    double yc = sums[YC] / of.w, ys = sums[YS] / of.w;
    if (p.floating_mean) {
        c = sums[C] / of.w, s = sums[S] / of.w;
        cc -= c * c, ss -= s * s, cs -= c * s, yc -= y * c, ys -= y * s;
    }
    const double tau = 0.5 * m::atan2(2 * cs, cc - ss);
    double st, ct;
    m::sincos(tau, &st, &ct);
    double cct = ct * ct * cc + 2 * ct * st * cs + st * st * ss, sst = cc + ss - cct;
    const double yct = yc * ct + ys * st, yst = ys * ct - yc * st;
    if (cct < smallest<T>) cct = smallest<T>;
    if (sst < smallest<T>) sst = smallest<T>;
    const double a = yct / cct, b = yst / sst;
    T *out = static_cast<T *>(p.out);
    if (p.normalize == 2) {
        out[2 * i] = (T)(a * ct - b * st), out[2 * i + 1] = (T)(a * st + b * ct);
        return;
    }
    double power = 2 * (a * yct + b * yst);
    if (p.normalize == 0)
        power *= (double)p.samples / 4;
    else
        power *= 0.5 / (of.yy / of.w - (p.floating_mean ? y * y : 0));
    out[i] = (T)power;
}

} // namespace periods
} // namespace gnd

#endif
