/*
 * mirrored_loops.cpp: mirrored filters on the CPU: forward into y, and backward in its place. Neighbouring inner
 * elements are filtered side by side.
 */
#include "filter/cpu/mirrored_loops.h"
#include "filter/mirrored_ops.h"

namespace gnd {
namespace mirrored {

constexpr int LANES = GNDI_MIRRORED_LANES;

/* Lanes of a line: sample i of lane k is at [i * inner + k]. */
template <class X, class T, int order, int lanes> static void filter(const plan_t &p, const X *x, T *y) {
    const int64_t n = p.length, inner = p.inner;
    double first[lanes][2], last[lanes][2], before[lanes] = {}, earlier[lanes] = {};
    for (int k = 0; k < lanes; k++) {
        first_of(
            p, [&](int64_t i) { return (double)x[i * inner + k]; }, first[k]);
        const auto from_end = [&](int64_t i) { return (double)x[(n - 1 - i) * inner + k]; };
        if constexpr (order == 1)
            first[k][0] += sum(p, p.far, from_end);
        else
            last_of(p, from_end, last[k]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < lanes; k++) {
            const double in = (double)x[i * inner + k];
            const double v = i < order ? first[k][i] : step<order>(p, p.gain * in, before[k], earlier[k]);
            earlier[k] = before[k], before[k] = v;
            y[i * inner + k] = (T)v;
        }
    for (int k = 0; k < lanes; k++) before[k] = earlier[k] = 0;
    for (int64_t i = n - 1; i >= 0; i--)
        for (int k = 0; k < lanes; k++) {
            const double u = (double)y[i * inner + k];
            double v = step<order>(p, p.gain_back * u, before[k], earlier[k]);
            if (i >= n - order) v = order == 1 ? p.last * u : last[k][n - 1 - i];
            if (order == 1 && i == n - 1 && i > 0) v += p.last_before * (double)y[(i - 1) * inner + k];
            earlier[k] = before[k], before[k] = v;
            y[i * inner + k] = (T)v;
        }
}

template <class X, class T, int order> static void units(const plan_t &p, int64_t begin, int64_t end) {
    const int64_t each = (p.inner + LANES - 1) / LANES;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t column = unit % each * LANES, at = unit / each * p.length * p.inner + column;
        const X *x = static_cast<const X *>(p.x) + at;
        T *y = static_cast<T *>(p.y) + at;
        if (column + LANES <= p.inner)
            filter<X, T, order, LANES>(p, x, y);
        else
            for (int64_t k = 0; k < p.inner - column; k++) filter<X, T, order, 1>(p, x + k, y + k);
    }
}

template <class X, class T> static void of_order(const plan_t &p, int64_t begin, int64_t end) {
    if (p.order == 1)
        units<X, T, 1>(p, begin, end);
    else
        units<X, T, 2>(p, begin, end);
}

} // namespace mirrored
} // namespace gnd

void gndi_mirrored_units(const gndi_mirrored_plan *p, int64_t begin, int64_t end) {
    using namespace gnd::mirrored;
    if (p->to == GND_FLOAT32)
        of_order<float, float>(*p, begin, end);
    else if (p->from == GND_FLOAT32)
        of_order<float, double>(*p, begin, end);
    else
        of_order<double, double>(*p, begin, end);
}
