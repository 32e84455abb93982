/*
 * chamfer_loops.cpp: chamfer distances on the CPU, in two sweeps over the rows along the last axis. Of the neighbours
 * that a sweep has passed, those in other rows are taken for a whole row at a time, in vectors; only the one in the
 * element's own row is a chain, which is a running maximum within each vector and one carried to the next vector.
 */
#include "ndimage/cpu/distance_loops.h"
#include "ndimage/cpu/distance_rows.hpp"
#include <string.h>
#include <utility>

namespace gnd {
namespace distance {

/* Rows hold how near the nearest zero is: MOST less the distance, 0: there is none, which a step back leaves below all.
   Each row is followed by an element of 0, and one comes before the first row: neighbours beyond the ends. */
template <class D> constexpr D MOST = sizeof(D) == 2 ? 0x7fff : 0x7fffffff;

/* The neighbours in a row that a sweep has passed. */
struct line {
    int64_t offset; /* of the row, in rows; forward */
    int8_t step[8]; /* along each outer axis */
    bool has[3];    /* the neighbours before, at and after the same element */
};
enum { MOST_LINES = 3 * 3 * 3 * 3 * 3 * 3 * 3 / 2 };

struct lines {
    line of[MOST_LINES];
    int count;
    bool own; /* the one in the same row */
};

static bool in_structure(const plan_t &p, int e, int away) {
    if (p.structure) return p.structure[e];
    return p.metric == GNDI_DISTANCE_CHESSBOARD || away == 1;
}

/* The first half of the structure, or of the metric's. */
static void find_lines(const plan_t &p, lines *all) {
    const int outer = p.ndim - 1;
    int half = 1;
    for (int a = 0; a < outer; a++) half *= 3;
    half /= 2;
    all->count = 0, all->own = in_structure(p, 3 * half, 1);
    for (int number = 0; number < half; number++) {
        line made = {};
        int64_t stride = 1;
        int away = 0, digits = number;
        for (int a = outer - 1; a >= 0; stride *= p.shape[a], digits /= 3, a--) {
            made.step[a] = (int8_t)(digits % 3 - 1);
            made.offset += made.step[a] * stride;
            away += made.step[a] != 0;
        }
        for (int k = 0; k < 3; k++) made.has[k] = in_structure(p, 3 * number + k, away + (k != 1));
        if (made.has[0] || made.has[1] || made.has[2]) all->of[all->count++] = made;
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* One step from each of other's elements; with `at`, where the nearest zeros are. */
template <class D> static void step_from(D *__restrict row, const D *__restrict other, int64_t n) {
    for (int64_t x = 0; x < n; x++) {
        const D near = (D)(other[x] - 1);
        row[x] = near > row[x] ? near : row[x];
    }
}
template <class D, class A> static void step_from(D *__restrict row, const D *__restrict other, A *__restrict at,
                                                  const A *__restrict other_at, int64_t n) {
    for (int64_t x = 0; x < n; x++) {
        const D near = (D)(other[x] - 1), own = row[x];
        row[x] = near > own ? near : own;
        at[x] = near > own ? other_at[x] : at[x];
    }
}

template <class D> struct wide {
    static constexpr int LANES = 16 / (int)sizeof(D);
    typedef D V __attribute__((vector_size(16)));
    typedef std::make_integer_sequence<int, LANES> every_lane;

    static V load(const D *from) {
        V v;
        memcpy(&v, from, sizeof v);
        return v;
    }
    static V larger(V a, V b) { return a > b ? a : b; }
    template <bool back, int... Lane> static V steps(std::integer_sequence<int, Lane...>) {
        return V{(D)(back ? LANES - Lane : Lane + 1)...};
    }
    /* The last lane that a sweep comes to, in all lanes. */
    template <bool back, int... Lane> static V last(V v, std::integer_sequence<int, Lane...>) {
        return __builtin_shuffle(v, V{(D)(back ? 0 * Lane : LANES - 1)...});
    }
    /* Lanes moved on by `by`; 0 comes in. */
    template <int by, bool back, int... Lane> static V moved(V v, std::integer_sequence<int, Lane...>) {
        return __builtin_shuffle(v, V{}, V{(D)(back ? Lane + by : Lane < by ? LANES : Lane - by)...});
    }
    /* What lanes take from those before them. */
    template <bool back> static V scan(V v) {
        v = larger(v, moved<1, back>(v, every_lane()) - (D)1);
        v = larger(v, moved<2, back>(v, every_lane()) - (D)2);
        if constexpr (LANES == 8) v = larger(v, moved<4, back>(v, every_lane()) - (D)4);
        return v;
    }
};

/* Along elements begin .. end - 1, one by one, forward or back; the one before the first is taken, too. */
template <bool back, class D> static void chain_few(D *row, int64_t begin, int64_t end) {
    for (int64_t k = 0; k < end - begin; k++) {
        D *at = row + (back ? end - 1 - k : begin + k);
        const D near = (D)(at[back ? 1 : -1] - 1);
        *at = near > *at ? near : *at;
    }
}
/* Along a row. */
template <bool back, class D> static void chain(D *row, int64_t n) {
    typedef wide<D> W;
    const int64_t lanes = W::LANES, whole = n / lanes * lanes;
    const typename W::V steps = W::template steps<back>(typename W::every_lane());
    typename W::V carry = {};
    if (back) chain_few<back>(row, whole, n);
    if (back && whole < n) carry += row[whole];
    for (int64_t k = 0; k < whole; k += lanes) {
        D *at = row + (back ? whole - lanes - k : k);
        const typename W::V v = W::template scan<back>(W::load(at)), out = W::larger(v, carry - steps);
        memcpy(at, &out, sizeof out);
        carry = W::larger(W::template last<back>(v, typename W::every_lane()), carry - (D)lanes);
    }
    if (!back) chain_few<back>(row, whole, n);
}
template <bool back, class D, class A> static void chain(D *row, A *at, int64_t n) {
    D near = 0;
    A nearest = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t x = back ? n - 1 - k : k;
        const D own = row[x];
        const bool nearer = near - 1 > own;
        nearest = nearer ? nearest : at[x];
        near = nearer ? (D)(near - 1) : own;
        row[x] = near, at[x] = nearest;
    }
}

/* ---- sweeps --------------------------------------------------------------------------------- */

template <class D, class A> struct sweeps {
    const plan_t &p;
    lines all;
    int64_t width, stride, rows;
    D *near;
    A *at; /* NULL: not wanted */

    /* Takes what the row's neighbours in other rows have. `index`: the row's, along the outer axes. */
    template <bool back> void take(int64_t row, const int64_t *index) {
        for (int l = 0; l < all.count; l++) {
            const line &from = all.of[l];
            bool inside = true;
            for (int a = 0; a < p.ndim - 1; a++) {
                const int64_t to = index[a] + (back ? -from.step[a] : from.step[a]);
                inside &= to >= 0 && to < p.shape[a];
            }
            if (!inside) continue;
            const int64_t own = row * stride, other = (back ? row - from.offset : row + from.offset) * stride;
            for (int k = 0; k < 3; k++) {
                const int64_t first = other + (back ? 1 - k : k - 1);
                if (from.has[k] && at) step_from<D, A>(near + own, near + first, at + own, at + first, width);
                if (from.has[k] && !at) step_from<D>(near + own, near + first, width);
            }
        }
        if (all.own && at) chain<back, D, A>(near + row * stride, at + row * stride, width);
        if (all.own && !at) chain<back, D>(near + row * stride, width);
    }
    void open(int64_t row) {
        const uint8_t *truths = p.truths + row * width;
        D *to = near + row * stride;
        for (int64_t x = 0; x < width; x++) to[x] = truths[x] ? (D)0 : MOST<D>;
        to[width] = 0;
        if (!at) return;
        for (int64_t x = 0; x < width; x++) at[row * stride + x] = (A)(row * width + x);
        at[row * stride + width] = 0;
    }
    void close(int64_t row) {
        const D *from = near + row * stride;
        if (p.distances) {
            int32_t *to = static_cast<int32_t *>(p.distances) + row * width;
            for (int64_t x = 0; x < width; x++) to[x] = from[x] ? MOST<D> - from[x] : -1;
        }
        if (p.indices) write_row(p, row * width, at + row * stride, width);
    }
    void run() {
        int64_t index[GND_MAX_DIMS] = {0};
        near[-1] = 0;
        if (at) at[-1] = 0;
        for (int64_t row = 0; row < rows; row++) {
            open(row);
            take<false>(row, index);
            for (int a = p.ndim - 2; a >= 0 && ++index[a] == p.shape[a]; a--) index[a] = 0;
        }
        for (int64_t row = rows - 1; row >= 0; row--) {
            for (int a = p.ndim - 2; a >= 0 && --index[a] < 0; a--) index[a] = p.shape[a] - 1;
            take<true>(row, index);
            close(row);
        }
    }
};

/* More than any distance. A sweep's way goes along the first axis by that axis' length at most, and along a later one
   by its length and once more for each step along those before it. */
static double longest(const plan_t &p) {
    double steps = 0;
    for (int a = 0; a < p.ndim; a++) steps = 2 * steps + (double)p.shape[a];
    return 2 * steps;
}
static bool is_short(const plan_t &p) {
    return !p.indices && longest(p) < MOST<int16_t>;
}
static int64_t row_stride(const plan_t &p) {
    return p.shape[p.ndim - 1] + 1;
}

template <class D, class A> static void sweep(const plan_t &p, void *work) {
    const int64_t stride = row_stride(p), rows = p.n / p.shape[p.ndim - 1], size = rows * stride + 1;
    A *at = p.indices ? static_cast<A *>(work) + 1 : nullptr;
    D *near = static_cast<D *>(p.indices ? static_cast<void *>(at + size - 1) : work) + 1;
    sweeps<D, A> s = {p, {}, stride - 1, stride, rows, near, at};
    find_lines(p, &s.all);
    s.run();
}

} // namespace distance
} // namespace gnd

using namespace gnd::distance;

int64_t gndi_distance_raster_work(const gndi_distance_plan *p) {
    const int64_t size = p->n / p->shape[p->ndim - 1] * row_stride(*p) + 1;
    return size * ((is_short(*p) ? 2 : 4) + (p->indices ? p->far ? 8 : 4 : 0));
}
void gndi_distance_raster(const gndi_distance_plan *p, void *work) {
    if (is_short(*p))
        sweep<int16_t, int32_t>(*p, work);
    else if (p->indices && p->far)
        sweep<int32_t, int64_t>(*p, work);
    else
        sweep<int32_t, int32_t>(*p, work);
}
