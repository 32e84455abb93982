/*
 * mirrored_ops.h: the first results of a mirrored filter, and its last ones, from the samples near the ends. For both
 * backends.
 */
#ifndef GNDI_MIRRORED_OPS_H
#define GNDI_MIRRORED_OPS_H

#include "filter/mirrored_plan.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {
namespace mirrored {

typedef gndi_mirrored_plan plan_t;

/* The next result after two, from the input times its gain. */
template <int order> GNDI_FN double step(const plan_t &p, double in, double before, double earlier) {
    if constexpr (order == 2) in += p.a3 * earlier;
    return in + p.a2 * before;
}

/* sum of weight[k] sample(k). */
template <class Sample> GNDI_FN double sum(const plan_t &p, const gndi_mirrored_sum &s, Sample sample) {
    double before = s.weight[1], weight = s.weight[2], total = 0;
    for (int64_t k = 0; k < s.count; k++) {
        if (k < 3) {
            total += s.weight[k] * sample(k);
            continue;
        }
        const double next = p.a2 * weight + p.a3 * before;
        before = weight, weight = next;
        total += weight * sample(k);
    }
    return total;
}

/* u[0] and, of order 2, u[1]; x(k): sample k. */
template <class X> GNDI_FN void first_of(const plan_t &p, X x, double (&u)[2]) {
    u[0] = p.first[0] * x(0) + sum(p, p.start[0], x);
    u[1] = 0;
    if (p.order == 2) u[1] = p.first[1] * x(0) + p.first[2] * x(1) + sum(p, p.start[1], x);
}

/* Of order 2: y[length - 1] and y[length - 2]; x(k): sample k from the end. */
template <class X> GNDI_FN void last_of(const plan_t &p, X x, double (&y)[2]) {
    y[0] = sum(p, p.end[0], x), y[1] = sum(p, p.end[1], x);
}

} // namespace mirrored
} // namespace gnd

#endif
