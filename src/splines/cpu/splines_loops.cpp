/*
 * splines_loops.cpp: splines at points on the CPU.
 */
#include "splines/cpu/splines_loops.h"
#include "splines/spline_ops.h"

namespace gnd {
namespace splines {

template <class C, class P> static void values(const plan_t &p, int64_t begin, int64_t end) {
    if (p.quadratic)
        for (int64_t i = begin; i < end; i++) put<true, C, P>(p, i);
    else
        for (int64_t i = begin; i < end; i++) put<false, C, P>(p, i);
}

template <class C> static void of_points(const plan_t &p, int64_t begin, int64_t end) {
    if (p.of_points == GND_FLOAT32)
        values<C, float>(p, begin, end);
    else
        values<C, double>(p, begin, end);
}

} // namespace splines
} // namespace gnd

void gndi_spline_values(const gndi_spline_plan *p, int64_t begin, int64_t end) {
    if (p->of_coefficients == GND_FLOAT32)
        gnd::splines::of_points<float>(*p, begin, end);
    else
        gnd::splines::of_points<double>(*p, begin, end);
}
