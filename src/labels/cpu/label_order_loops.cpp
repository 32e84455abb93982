/*
 * label_order_loops.cpp: elements by their labels on the CPU: each group's are counted, then dealt out.
 */
#include "labels/cpu/labels_loops.h"
#include "labels/labels_ops.h"
#include <algorithm>

namespace gnd {
namespace labels {

static groups groups_of(const sums_t &p, const int32_t *table) {
    return {p.index, p.groups, p.index[0], table, table ? table_bits(p.groups) : 0};
}

/* The group of each element, those of none behind the others; `end`: where each group ends. */
template <class L> static void count_groups(const sums_t &p, const groups &g, int32_t *group, int64_t *end) {
    const L *labels = static_cast<const L *>(p.labels);
    const auto number_of = [&](int64_t label) {
        const int64_t found = group_of(g, label);
        return (int32_t)(found < 0 ? p.groups : found);
    };
    for (int64_t k = 0; k <= p.groups; k++) end[k] = 0;
    int64_t last = 0;
    int32_t number = number_of(0);
    for (int64_t i = 0; i < p.n; i++) {
        if (labels[i] != last) last = labels[i], number = number_of(last);
        group[i] = number;
        end[number]++;
    }
    for (int64_t k = 0, begin = 0; k <= p.groups; k++) {
        const int64_t count = end[k];
        end[k] = begin, begin += count;
    }
}

/* Moves the beginnings of groups to their ends. */
template <class Take> static void deal_out(const sums_t &p, const int32_t *group, int64_t *next, Take take) {
    for (int64_t i = 0; i < p.n; i++) take(next[group[i]]++, i);
}
template <class X> static void deal_out(const sums_t &p, const int32_t *group, int64_t *next, X *values) {
    const X *x = static_cast<const X *>(p.x);
    deal_out(p, group, next, [=](int64_t to, int64_t i) { values[to] = x[i]; });
}

/* The two elements in the middle, once where there is one; NaN is above all numbers. */
template <class X> static void middles(X *x, int64_t n, X *below, X *above) {
    const auto is_less = [](X a, X b) { return a < b || (b != b && a == a); };
    *below = *above = 0;
    if (n == 0) return;
    std::nth_element(x, x + n / 2, x + n, is_less);
    *above = x[n / 2];
    *below = n % 2 ? *above : *std::max_element(x, x + n / 2, is_less);
}
template <class X>
static void middles(const sums_t &p, const groups &g, const int64_t *end, X *values, int64_t first, int64_t last) {
    X *below = static_cast<X *>(p.below), *above = static_cast<X *>(p.above);
    for (int64_t k = first; k < last; k++) {
        const int64_t of = group_of(g, p.index[k]), begin = of > 0 ? end[of - 1] : 0;
        if (of == k) middles(values + begin, end[of] - begin, below + k, above + k);
    }
}
template <class X> static void copy_middles(const sums_t &p, const groups &g) {
    X *below = static_cast<X *>(p.below), *above = static_cast<X *>(p.above);
    for (int64_t k = 0; k < p.groups; k++) {
        const int64_t of = group_of(g, p.index[k]);
        below[k] = below[of], above[k] = above[of];
    }
}

} // namespace labels
} // namespace gnd

using namespace gnd::labels;

void gndi_label_order(const gndi_label_sums_plan *p, const int32_t *table, int32_t *group, int64_t *end, void *values) {
    const groups g = groups_of(*p, table);
    if (p->label_dtype == GND_INT64)
        count_groups<int64_t>(*p, g, group, end);
    else
        count_groups<int32_t>(*p, g, group, end);
    if (p->order)
        deal_out(*p, group, end, [=](int64_t to, int64_t i) { p->order[to] = i; });
    else if (p->x_dtype == GND_FLOAT64)
        deal_out(*p, group, end, static_cast<double *>(values));
    else
        deal_out(*p, group, end, static_cast<float *>(values));
    for (int64_t k = 0; k < p->groups; k++) {
        const int64_t of = group_of(g, p->index[k]);
        p->low[k] = of > 0 ? end[of - 1] : 0, p->high[k] = end[of];
    }
}

void gndi_label_middles(const gndi_label_sums_plan *p, const int32_t *table, const int64_t *end, void *values,
                        int64_t first, int64_t last) {
    const groups g = groups_of(*p, table);
    if (p->x_dtype == GND_FLOAT64)
        middles(*p, g, end, static_cast<double *>(values), first, last);
    else
        middles(*p, g, end, static_cast<float *>(values), first, last);
}

void gndi_label_copy_middles(const gndi_label_sums_plan *p, const int32_t *table) {
    const groups g = groups_of(*p, table);
    if (p->x_dtype == GND_FLOAT64)
        copy_middles<double>(*p, g);
    else
        copy_middles<float>(*p, g);
}
