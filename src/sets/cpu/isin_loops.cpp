/*
 * isin_loops.cpp: membership on the CPU. Slots that lie anywhere in memory are asked for several
 * values at a time, so that one is not waited for after the other.
 */
#include "sets/cpu/isin_loops.h"
#include "sets/isin_ops.h"

namespace gnd {

enum { TOGETHER = 16 }; /* values side by side */

template <class Kind> static void fill(const gndi_cpu_isin_set &set) {
    typedef typename Kind::key Key;
    const gndi_search_plan &p = *set.plan;
    const Key none = ~(Key)0;
    Key *slots = static_cast<Key *>(set.slots), k;
    for (int64_t i = 0; i < p.length; i++) {
        const auto a = *reinterpret_cast<const typename Kind::raw *>(p.sorted + i * p.step);
        if (!Kind::has_key(a, &k)) continue;
        if (k == none) {
            slots[set.mask + 1] = 0;
            continue;
        }
        uint64_t at = isin_hash(k) & set.mask;
        while (slots[at] != k && slots[at] != none) at = (at + 1) & set.mask;
        slots[at] = k;
    }
}

/* `count` values from `first` on, as many as stand side by side or fewer. */
template <class Kind> GNDI_FN void look_up_some(const gndi_cpu_isin_set &set, int64_t first, int count) {
    typedef typename Kind::key Key;
    const gndi_search_plan &p = *set.plan;
    const Key *slots = static_cast<const Key *>(set.slots);
    Key k[TOGETHER];
    uint64_t at[TOGETHER];
    bool has[TOGETHER];
    for (int j = 0; j < count; j++) {
        const char *value = p.value + (first + j) * p.value_step;
        has[j] = Kind::has_key(*reinterpret_cast<const typename Kind::raw *>(value), &k[j]);
        at[j] = isin_hash(k[j]) & set.mask;
        __builtin_prefetch(slots + at[j]);
    }
    for (int j = 0; j < count; j++) p.out[first + j] = has[j] && isin_find(slots, set.mask, k[j], at[j], slots[at[j]]);
}

template <class Kind> static void look_up(const gndi_cpu_isin_set &set, int64_t begin, int64_t end) {
    for (; begin + TOGETHER <= end; begin += TOGETHER) look_up_some<Kind>(set, begin, TOGETHER);
    look_up_some<Kind>(set, begin, (int)(end - begin));
}

} // namespace gnd

size_t gndi_cpu_isin_slot(int dtype) {
    return gnd::with_isin_kind(dtype, [](auto kind) { return sizeof(typename decltype(kind)::key); });
}
void gndi_cpu_isin_fill(const gndi_cpu_isin_set *set) {
    gnd::with_isin_kind(set->plan->dtype, [=](auto kind) { gnd::fill<decltype(kind)>(*set); });
}
void gndi_cpu_isin_look_up(const gndi_cpu_isin_set *set, int64_t begin, int64_t end) {
    gnd::with_isin_kind(set->plan->dtype, [=](auto kind) { gnd::look_up<decltype(kind)>(*set, begin, end); });
}
