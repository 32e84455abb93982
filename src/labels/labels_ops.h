/*
 * labels_ops.h: runs of foreground in words of 32 elements, which of them touch, and groups of labels, for both
 * backends.
 */
#ifndef GNDI_LABELS_OPS_H
#define GNDI_LABELS_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "labels/labels_plan.h"

namespace gnd {
namespace labels {

typedef gndi_label_plan label_t;
typedef gndi_label_sums_plan sums_t;

/* ---- runs of a word ------------------------------------------------------------------------- */

GNDI_FN int count_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __popc(bits);
#elif defined __POPCNT__
    return __builtin_popcount(bits);
#else /* which would be a call */
    bits -= bits >> 1 & 0x55555555;
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
    return (int)(((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24);
#endif
}
GNDI_FN int lowest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __ffs((int)bits) - 1;
#else
    return __builtin_ctz(bits);
#endif
}

/* `Joined`: neighbours along the last axis are connected, and what is labelled is a run of them; else an element. */
template <bool Joined> constexpr int MOST_RUNS = Joined ? 16 : 32;
template <bool Joined> GNDI_FN uint32_t starts_of(uint32_t mask) {
    return Joined ? mask & ~(mask << 1) : mask;
}
/* The number of the run that has an element. */
GNDI_FN int run_at(uint32_t starts, int bit) {
    return count_bits(starts & ((2u << bit) - 1)) - 1;
}

/* ---- which words touch ---------------------------------------------------------------------- */

struct place {
    int64_t rest; /* the index of the axes before z, together */
    int64_t z, y, w;
};
GNDI_FN int64_t row_of(const label_t &p, const place &at) {
    return (at.rest * p.extent[p.outer - 2] + at.z) * p.extent[p.outer - 1] + at.y;
}

/* The row that line number `line` of the structure leads to; false: it is outside. */
GNDI_FN bool neighbour(const label_t &p, int line, const place &at, place *to) {
    const int64_t y = at.y + line % 3 - 1, z = at.z + line / 3 % 3 - 1;
    if (y < 0 || y >= p.extent[p.outer - 1] || z < 0 || z >= p.extent[p.outer - 2]) return false;
    *to = at;
    to->y = y, to->z = z;
    int64_t left = at.rest, stride = 1;
    int steps = line / 9;
    for (int k = p.outer - 3; k >= 0; k--, steps /= 3) {
        const int64_t index = left % p.extent[k], step = steps % 3 - 1;
        if (index + step < 0 || index + step >= p.extent[k]) return false;
        to->rest += step * stride;
        left /= p.extent[k], stride *= p.extent[k];
    }
    return true;
}

/* Calls visit(place, side, flags) for each word before this one, in C order, that may touch it: `side` -1, 0 or 1, the
   word before, at or after the same place in its row. */
template <class Visit> GNDI_FN void each_neighbour(const label_t &p, const place &at, uint32_t mask, Visit visit) {
    for (int line = 0; line <= p.own; line++) {
        const unsigned flags = p.flags[line];
        place to;
        if (!flags || !neighbour(p, line, at, &to)) continue;
        if ((flags & 1) && (mask & 1) && at.w > 0) {
            to.w = at.w - 1;
            visit(to, -1, flags);
        }
        if (line == p.own) break;
        to.w = at.w;
        visit(to, 0, flags);
        if ((flags & 4) && mask >> 31 && at.w + 1 < p.words) {
            to.w = at.w + 1;
            visit(to, 1, flags);
        }
    }
}

template <class Join> GNDI_FN void each_bit(uint32_t bits, int step, Join join) {
    for (; bits; bits &= bits - 1) join(lowest_bit(bits), lowest_bit(bits) + step);
}

/* Calls join(bit, other bit) for elements of two words that are connected: enough of them for all runs. `known`: of
   elements at the same place these are left out. */
template <bool Joined, class Join>
GNDI_FN void each_contact(uint32_t mask, uint32_t other, int side, unsigned flags, Join join, uint32_t known = 0) {
    if (side < 0 && (other >> 31)) join(0, 31);
    if (side > 0 && (other & 1)) join(31, 0);
    if (side != 0) return;
    uint32_t at = flags & 2 ? mask & other : 0;
    uint32_t before = flags & 1 ? mask & (other << 1) : 0, after = flags & 4 ? mask & (other >> 1) : 0;
    if (Joined && (flags & 2)) { /* those that `at` has joined */
        before &= ~other & ~(mask << 1);
        after &= ~other & ~(mask >> 1);
    }
    if (Joined) at &= ~(at << 1), before &= ~(before << 1), after &= ~(after << 1);
    each_bit(at & ~known, 0, join);
    each_bit(before, -1, join);
    each_bit(after, 1, join);
}

/* ---- groups of labels ----------------------------------------------------------------------- */

/* Which group a label is of. Labels that follow each other need no table; others are hashed. Of equal labels in the
   index the first one's group has the sums. */
struct groups {
    const int64_t *index;
    int64_t count, first;
    const int32_t *table; /* NULL: index[k] = first + k */
    int bits;             /* log2 of the table's length */
};
GNDI_FN uint32_t hash_label(int64_t label, int bits) {
    return (uint32_t)(((uint64_t)label * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}
/* -1: none. */
GNDI_FN int64_t group_of(const groups &g, int64_t label) {
    if (!g.table) {
        const uint64_t k = (uint64_t)label - (uint64_t)g.first;
        return k < (uint64_t)g.count ? (int64_t)k : -1;
    }
    const uint32_t mask = (1u << g.bits) - 1;
    for (uint32_t h = hash_label(label, g.bits);; h = (h + 1) & mask) {
        const int32_t k = g.table[h];
        if (k < 0 || g.index[k] == label) return k;
    }
}
/* log2 of the length of a table for so many: at least twice as many. */
GNDI_FN int table_bits(int64_t count) {
    int bits = 1;
    while (((int64_t)1 << bits) < 2 * count) bits++;
    return bits;
}

} // namespace labels
} // namespace gnd

#endif
