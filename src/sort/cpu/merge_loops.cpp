/*
 * merge_loops.cpp: a part of two lines merged, by one thread: from where the lines are divided, element by element.
 */
#include "sort/cpu/merge_loops.h"
#include "sort/cpu/sort_keys.hpp"
#include "sort/merge_ops.h"

namespace gnd {

template <class Order> struct merge_line {
    typedef typename Order::element element;
    const char *data;
    int64_t step;
    const element &operator[](int64_t i) const { return *reinterpret_cast<const element *>(data + i * step); }
};

/* Whether v comes before u. */
template <class Order>
static bool comes_first(const typename Order::element &v, const typename Order::element &u, uint64_t flip) {
    const uint64_t s = Order::lead(v) ^ flip, t = Order::lead(u) ^ flip;
    if (s != t) return s < t;
    return flip ? Order::before(u, v) : Order::before(v, u);
}

template <class Order> static void merge_part(const gndi_merge_plan &p, int64_t begin, int64_t end) {
    typedef typename Order::element element;
    const merge_line<Order> a = {p.data[0], p.step[0]}, b = {p.data[1], p.step[1]};
    const int64_t n = p.count[0], m = p.count[1];
    const uint64_t flip = p.descending ? ~(uint64_t)0 : 0;
    element *out = reinterpret_cast<element *>(p.out);
    int64_t i = merge_split(begin, n, m, [&](int64_t y, int64_t x) { return comes_first<Order>(b[y], a[x], flip); });
    int64_t j = begin - i;
    for (int64_t k = begin; k < end; k++) {
        const bool from_b = i == n || (j < m && comes_first<Order>(b[j], a[i], flip));
        out[k] = from_b ? b[j] : a[i];
        if (p.indices) p.indices[k] = from_b ? n + j : i;
        i += !from_b, j += from_b;
    }
}

} // namespace gnd

extern "C" void gndi_cpu_merge_part(const gndi_merge_plan *plan, int64_t begin, int64_t end) {
    gnd::with_order(plan->dtype, [=](auto order) { gnd::merge_part<decltype(order)>(*plan, begin, end); });
}
