/*
 * random_ties.h: equal random keys. Keys of 32 bits sort fast, but among many keys some are equal. The elements of
 * equal keys are ordered by their words of Philox in further attempts, so that all permutations are equally likely.
 * Shared by both backends.
 */
#ifndef GNDI_RANDOM_TIES_H
#define GNDI_RANDOM_TIES_H

#include "random/random_engines.h"

namespace gnd {

/* 64 bits of the element that stood at `index` in its row: those behind its key. */
GNDI_FN uint64_t tie_breaker(const gndi_random_ties &t, const gndi_random_state &state, int64_t row, int64_t index) {
    philox_source source(state, state.position + (uint64_t)(row * t.length + index), 1);
    source.next();
    return next64(source);
}

/* Handles key i of all rows: if a run of equal keys begins there, orders their indices. */
GNDI_FN void break_ties(const gndi_random_ties &t, const gndi_random_state &state, int64_t i) {
    const int64_t row = i / t.length, end = (row + 1) * t.length;
    const uint32_t key = t.keys[i];
    if (i + 1 == end || t.keys[i + 1] != key) return;
    if (i > row * t.length && t.keys[i - 1] == key) return;
    int64_t *index = t.indices + i;
    for (int64_t k = 1; i + k < end && t.keys[i + k] == key; k++) {
        const int64_t moved = index[k];
        const uint64_t own = tie_breaker(t, state, row, moved);
        int64_t at = k;
        for (; at > 0 && tie_breaker(t, state, row, index[at - 1]) > own; at--) index[at] = index[at - 1];
        index[at] = moved;
    }
}

} // namespace gnd

#endif
