/*
 * label_loops.cpp: components on the CPU: union-find over runs of foreground. A run's number is its word's times the
 * most that a word has, plus its place there, so that numbers increase in C order, and the root of a component, the
 * smallest number, is the run with its first element.
 */
#include "labels/cpu/labels_loops.h"
#include "labels/labels_ops.h"
#include <string.h>

namespace gnd {
namespace labels {

/* ---- words ---------------------------------------------------------------------------------- */

template <class U> static uint32_t read_word(const label_t &p, int64_t row, int64_t w) {
    const U *x = static_cast<const U *>(p.x) + row * p.width + w * 32;
    const int64_t left = p.width - w * 32;
    const U significant = (U)p.significant;
    uint32_t mask = 0;
    if (left >= 32 && sizeof(U) == 1) {
        for (int k = 0; k < 4; k++) {
            uint64_t bytes;
            memcpy(&bytes, x + 8 * k, 8);
            const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
            const uint64_t nonzero = (((bytes & low) + low) | bytes) & ~low;
            mask |= (uint32_t)((nonzero >> 7) * UINT64_C(0x0102040810204080) >> 56) << (8 * k);
        }
        return mask;
    }
    const int count = left < 32 ? (int)left : 32;
    for (int k = 0; k < count; k++) mask |= (uint32_t)((x[k] & significant) != 0) << k;
    return mask;
}

static uint32_t read_word(const label_t &p, int64_t row, int64_t w) {
    switch (p.size) {
    case 1: return read_word<uint8_t>(p, row, w);
    case 2: return read_word<uint16_t>(p, row, w);
    case 4: return read_word<uint32_t>(p, row, w);
    default: return read_word<uint64_t>(p, row, w);
    }
}

static place place_of(const label_t &p, int64_t row) {
    const int64_t y = p.extent[p.outer - 1], z = p.extent[p.outer - 2];
    return {row / y / z, row / y % z, row % y, 0};
}

/* ---- union-find ----------------------------------------------------------------------------- */

/* A root's parent is itself; once it is numbered, minus its label, which others of its band may have, too. */
template <class T> static T find(T *parent, T a) {
    while (parent[a] >= 0 && parent[a] != a) {
        const T above = parent[a];
        if (parent[above] >= 0) parent[a] = parent[above];
        a = above;
    }
    return a;
}
template <class T> static void unite(T *parent, T a, T b) {
    a = find(parent, a), b = find(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

template <class T, bool Joined> struct labeller {
    static constexpr int MOST = MOST_RUNS<Joined>;
    const label_t &p;
    T *parent;
    explicit labeller(const label_t &plan) : p(plan), parent(static_cast<T *>(plan.parent)) {}

    /* Joins a word with those before it whose rows are from `low` to `high` - 1. */
    void join(const place &at, int64_t row, uint32_t mask, int64_t low, int64_t high) {
        const uint32_t starts = starts_of<Joined>(mask);
        const T own = (T)((row * p.words + at.w) * MOST);
        each_neighbour(p, at, mask, [&](const place &to, int side, unsigned flags) {
            const int64_t other_row = row_of(p, to), word = other_row * p.words + to.w;
            if (other_row < low || other_row >= high) return;
            const uint32_t other = p.masks[word], other_starts = starts_of<Joined>(other);
            const T first = (T)(word * MOST);
            each_contact<Joined>(mask, other, side, flags, [&](int bit, int other_bit) {
                unite<T>(parent, own + (T)run_at(starts, bit), first + (T)run_at(other_starts, other_bit));
            });
        });
    }
    void band(int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            place at = place_of(p, row);
            for (at.w = 0; at.w < p.words; at.w++) {
                const int64_t word = row * p.words + at.w;
                const uint32_t mask = p.masks[word] = read_word(p, row, at.w);
                const int count = count_bits(starts_of<Joined>(mask));
                for (int k = 0; k < count; k++) parent[word * MOST + k] = (T)(word * MOST + k);
                if (mask) join(at, row, mask, begin, end);
            }
        }
    }
    void across(int64_t begin, int64_t end) {
        int64_t reach = 0, stride = 1; /* how far the rows around a row are from it */
        for (int k = p.outer - 1; k >= 0; stride *= p.extent[k--]) reach += p.extent[k] > 1 ? stride : 0;
        for (int64_t row = begin; row < end && row - begin <= reach; row++) {
            place at = place_of(p, row);
            for (at.w = 0; at.w < p.words; at.w++)
                if (const uint32_t mask = p.masks[row * p.words + at.w]) join(at, row, mask, 0, begin);
        }
    }
    /* Runs below a numbered one of the band get its label, too: those above a run come before it. */
    int64_t number(int64_t begin, int64_t end, int64_t number, bool count) {
        const int64_t low = begin * p.words * MOST;
        for (int64_t word = begin * p.words; word < end * p.words; word++) {
            const int64_t first = word * MOST;
            const int many = count_bits(starts_of<Joined>(p.masks[word]));
            for (int64_t run = first; run < first + many; run++) {
                const T above = parent[run];
                if (above == (T)run) {
                    if (!count) parent[run] = (T)-number;
                    number++;
                } else if (!count && above >= low && parent[above] < 0) {
                    parent[run] = parent[above];
                }
            }
        }
        return number;
    }
    template <class Label> void write(int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++)
            for (int64_t w = 0; w < p.words; w++) {
                const int64_t word = row * p.words + w, left = p.width - w * 32;
                Label *out = static_cast<Label *>(p.labels) + row * p.width + w * 32;
                const uint32_t mask = p.masks[word];
                const int count = left < 32 ? (int)left : 32;
                if (mask)
                    write_word(word, mask, count, out);
                else
                    memset(out, 0, (size_t)count * sizeof(Label));
            }
    }
    /* Each element has the label of the last run that began, where it is of the foreground: no branches. */
    template <class Label> void write_word(int64_t word, uint32_t mask, int count, Label *out) {
        const uint32_t starts = starts_of<Joined>(mask);
        const int runs = count_bits(starts);
        Label label[MOST + 1] = {0};
        for (int k = 0; k < runs; k++) {
            /* Other bands read what is above a run, and do not change it. */
            T root = (T)(word * MOST + k);
            while (parent[root] >= 0) root = parent[root];
            label[k + 1] = (Label)-parent[root];
        }
        for (int i = 0, run = 0; i < count; i++) {
            run += starts >> i & 1;
            out[i] = label[run] & -(Label)(mask >> i & 1);
        }
    }
};

/* Calls use(labeller) of the plan's kind. */
template <class Use> static void with_labeller(const label_t &p, Use use) {
    if (p.far && p.joined) use(labeller<int64_t, true>(p));
    if (p.far && !p.joined) use(labeller<int64_t, false>(p));
    if (!p.far && p.joined) use(labeller<int32_t, true>(p));
    if (!p.far && !p.joined) use(labeller<int32_t, false>(p));
}

} // namespace labels
} // namespace gnd

using gnd::labels::with_labeller;

void gndi_label_band(const gndi_label_plan *p, int64_t begin, int64_t end) {
    with_labeller(*p, [=](auto labeller) { labeller.band(begin, end); });
}
void gndi_label_across(const gndi_label_plan *p, int64_t begin, int64_t end) {
    with_labeller(*p, [=](auto labeller) { labeller.across(begin, end); });
}
int64_t gndi_label_number(const gndi_label_plan *p, int64_t begin, int64_t end, int64_t number, bool count) {
    int64_t after = number;
    with_labeller(*p, [&](auto labeller) { after = labeller.number(begin, end, number, count); });
    return after;
}
void gndi_label_write(const gndi_label_plan *p, int64_t begin, int64_t end) {
    with_labeller(*p, [=](auto labeller) {
        if (p->wide)
            labeller.template write<int64_t>(begin, end);
        else
            labeller.template write<int32_t>(begin, end);
    });
}
