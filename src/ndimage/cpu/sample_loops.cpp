/*
 * sample_loops.cpp: splines at coordinates on the CPU.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

template <class T, int order> static void of_order(const plan_t &p, int64_t begin, int64_t end) {
    if (p.ndim == 2)
        for (int64_t o = begin; o < end; o++) put<T, order, true>(p, o);
    else
        for (int64_t o = begin; o < end; o++) put<T, order, false>(p, o);
}

template <class T> static void of_type(const plan_t &p, int64_t begin, int64_t end) {
    switch (p.order) {
    case 0: return of_order<T, 0>(p, begin, end);
    case 1: return of_order<T, 1>(p, begin, end);
    case 2: return of_order<T, 2>(p, begin, end);
    case 3: return of_order<T, 3>(p, begin, end);
    case 4: return of_order<T, 4>(p, begin, end);
    default: return of_order<T, 5>(p, begin, end);
    }
}

} // namespace sample
} // namespace gnd

void gndi_sample_outputs(const gndi_sample_plan *p, int64_t begin, int64_t end) {
    if (p->dtype == GND_FLOAT32)
        gnd::sample::of_type<float>(*p, begin, end);
    else
        gnd::sample::of_type<double>(*p, begin, end);
}
