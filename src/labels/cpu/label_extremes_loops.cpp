/*
 * label_extremes_loops.cpp: extremes over labels on the CPU: a table for each part of the elements.
 */
#include "labels/cpu/labels_loops.h"
#include "labels/extremes_ops.h"

namespace gnd {
namespace labels {

typedef gndi_label_extreme extreme;

/* Elements begin .. end - 1, in order: the first of equal ones is kept. */
template <class X, class L>
static void find_each(const extremes_t &p, const groups &g, extreme *found, int64_t begin, int64_t end) {
    int64_t last = 0, group = p.labels ? group_of(g, 0) : 0;
    for (int64_t i = begin; i < end; i++) {
        if (p.labels) {
            const int64_t label = label_at<L>(p, i);
            if (label != last) last = label, group = group_of(g, label);
        }
        if (group < 0) continue;
        const uint64_t key = key_at<X>(p, i), low = low_key(p, key);
        extreme *of = found + group;
        if (low < of->low || of->low_at < 0) of->low = low, of->low_at = i;
        if (key > of->high || of->high_at < 0) of->high = key, of->high_at = i;
    }
}
/* Of elements with labels above 0: those of a block are looked at one by one if one of them is beyond all before. */
template <class X, class L>
static void find_positive(const extremes_t &p, const groups &g, extreme *found, int64_t begin, int64_t end) {
    constexpr int64_t BLOCK = 512, LANES = 8;
    const X *x = static_cast<const X *>(p.x);
    const L *labels = static_cast<const L *>(p.labels);
    for (int64_t first = begin; first < end; first += BLOCK) {
        const int64_t stop = first + BLOCK < end ? first + BLOCK : end;
        X least, most;
        from_key(found->low, &least), from_key(found->high, &most);
        int beyond[LANES] = {0};
        for (int64_t i = first; i + LANES <= stop && found->low_at >= 0; i += LANES)
            for (int k = 0; k < LANES; k++) {
                const X own = x[i + k];
                const int is_beyond = (own < least) | (own > most) | ((own != own) & (most == most));
                beyond[k] |= (labels[i + k] > 0) & is_beyond;
            }
        bool any = found->low_at < 0;
        for (int k = 0; k < LANES; k++) any |= beyond[k] != 0;
        find_each<X, L>(p, g, found, any ? first : first + (stop - first) / LANES * LANES, stop);
    }
}

template <class X, class L>
static void find_extremes(const extremes_t &p, const groups &g, extreme *found, int64_t begin, int64_t end) {
    if constexpr (!is_same<X, void>)
        if (p.labels && !p.index) return find_positive<X, L>(p, g, found, begin, end);
    find_each<X, L>(p, g, found, begin, end);
}
template <class X>
static void find_extremes(const extremes_t &p, const groups &g, extreme *found, int64_t begin, int64_t end) {
    if (p.label_dtype == GND_INT64)
        find_extremes<X, int64_t>(p, g, found, begin, end);
    else
        find_extremes<X, int32_t>(p, g, found, begin, end);
}

template <class X> static void write_group(const extremes_t &p, int64_t k, const extreme &e) {
    write_extremes<X>(p, k, e.low_at >= 0, e.low, e.high);
    if (!p.at) return;
    p.at[2 * k] = e.low_at < 0 ? 0 : e.low_at;
    p.at[2 * k + 1] = e.high_at < 0 ? 0 : e.high_at;
}

} // namespace labels
} // namespace gnd

using namespace gnd::labels;

static groups groups_of(const gndi_label_extremes_plan *p, const int32_t *table) {
    return {p->index, p->groups, p->index ? p->index[0] : 1, table, table ? table_bits(p->groups) : 0};
}

void gndi_label_extremes_part(const gndi_label_extremes_plan *p, const int32_t *table, struct gndi_label_extreme *found,
                              int64_t begin, int64_t end) {
    const groups g = groups_of(p, table);
    for (int64_t k = 0; k < p->groups; k++) found[k] = {UINT64_MAX, 0, -1, -1};
    if (!p->x) return find_extremes<void>(*p, g, found, begin, end);
    switch (p->x_dtype) {
    case GND_FLOAT32: return find_extremes<float>(*p, g, found, begin, end);
    case GND_FLOAT64: return find_extremes<double>(*p, g, found, begin, end);
    case GND_UINT64: return find_extremes<uint64_t>(*p, g, found, begin, end);
    default: return find_extremes<int64_t>(*p, g, found, begin, end);
    }
}

void gndi_label_extremes_join(const gndi_label_extremes_plan *p, const int32_t *table,
                              const struct gndi_label_extreme *found, int64_t parts) {
    const groups g = groups_of(p, table);
    for (int64_t k = 0; k < p->groups; k++) {
        const int64_t from = table ? group_of(g, p->index[k]) : k;
        extreme all = {UINT64_MAX, 0, -1, -1};
        for (int64_t part = 0; part < parts; part++) {
            const extreme &e = found[part * p->groups + from];
            if (e.low_at < 0) continue;
            if (all.low_at < 0 || e.low < all.low) all.low = e.low, all.low_at = e.low_at;
            if (all.high_at < 0 || e.high > all.high) all.high = e.high, all.high_at = e.high_at;
        }
        if (!p->x) {
            write_group<void>(*p, k, all);
            continue;
        }
        switch (p->x_dtype) {
        case GND_FLOAT32: write_group<float>(*p, k, all); break;
        case GND_FLOAT64: write_group<double>(*p, k, all); break;
        case GND_UINT64: write_group<uint64_t>(*p, k, all); break;
        default: write_group<int64_t>(*p, k, all);
        }
    }
}
