/*
 * sample_loops.cpp: splines at coordinates on the CPU. Where each axis of the input has one of the result (zooms and
 * shifts), taps along an axis are found once for all lines: a line of the result is made of a sum of lines of the
 * input, of which elements are taken. Outputs of other transforms are computed one by one, those of planes along a row.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include "ndimage/sample_ops.h"
#include <algorithm>

namespace gnd {
namespace sample {

/* v without its fraction, as m::trunc, which is a call where the instruction set has none. */
template <class T> static inline T whole(T v) {
    return v > (T)-0x1p51 && v < (T)0x1p51 ? (T)(int64_t)v : v;
}
template <int rounding, class T> static inline T stored(const plan_t &p, T v) {
    if constexpr (rounding == GNDI_SAMPLE_EXACT) return v;
    if constexpr (rounding == GNDI_SAMPLE_SIGNED) return whole(v > 0 ? v + (T)0.5 : v - (T)0.5);
    v = v > 0 ? v + (T)0.5 : 0;
    return whole(v > (T)p.most ? (T)p.most : v);
}

/* ---- an axis of the result for each of the input -------------------------------------------- */

static bool is_separable(const plan_t &p) {
    if (p.coordinates || p.out_ndim != p.ndim) return false;
    for (int i = 0; i < p.ndim; i++)
        for (int j = 0; j < p.ndim; j++)
            if (i != j && p.matrix[i][j] != 0) return false;
    return true;
}

/* The taps of all outputs of an axis; at[0] of an output that is the constant is NONE. */
constexpr int64_t NONE = INT64_MIN;
template <class T, int order> static const axis_taps<T, order> *taps_of(const plan_t &p, const void *memory, int axis) {
    const axis_taps<T, order> *taps = static_cast<const axis_taps<T, order> *>(memory);
    for (int a = 0; a < axis; a++) taps += p.out_shape[a];
    return taps;
}
template <class T, int order> static void find_all(const plan_t &p, void *memory) {
    axis_taps<T, order> *taps = static_cast<axis_taps<T, order> *>(memory);
    for (int a = 0; a < p.ndim; a++)
        for (int64_t o = 0; o < p.out_shape[a]; o++, taps++) {
            const double x = m::add(m::mul(p.matrix[a][a], m::add((double)o, p.ahead[a])), p.offset[a]);
            if (!find_taps(p, a, x, *taps)) taps->at[0] = NONE;
        }
}

/* Elements `low` .. `high` - 1 of a line of the input, summed over the taps of the axes before the last, into `sum`;
   behind the line is what stands for the constant. Or, where that is one line as it is, this line. NULL: all outputs
   of the line are the constant. */
template <class T, int order> static const T *sum_lines(const plan_t &p, const void *taps, const T *x, int64_t line,
                                                        int64_t low, int64_t high, T *sum) {
    const int last = p.ndim - 1;
    const int64_t n = p.x_shape[last];
    const axis_taps<T, order> *of[GNDI_SAMPLE_AXES];
    int64_t products = 1;
    for (int a = last - 1; a >= 0; a--) {
        of[a] = taps_of<T, order>(p, taps, a) + line % p.out_shape[a];
        if (of[a]->at[0] == NONE) return nullptr;
        line /= p.out_shape[a];
        products *= order + 1;
    }
    T total = 0;
    for (int64_t k = 0; k < products; k++) {
        int64_t rest = k, at = 0, stride = n;
        bool outside = false;
        T weight = 1;
        for (int a = last - 1; a >= 0; a--) {
            const int tap = (int)(rest % (order + 1));
            rest /= order + 1;
            outside |= of[a]->at[tap] < 0;
            at += of[a]->at[tap] * stride;
            stride *= p.x_shape[a];
            weight *= of[a]->weight[tap];
        }
        const T *from = x + at, fill = (T)p.fill;
        if (products == 1 && !outside && low >= 0) return from;
        if (k == 0) std::fill(sum + std::max<int64_t>(low, 0), sum + high, (T)0);
        if (outside)
            for (int64_t c = std::max<int64_t>(low, 0); c < high; c++) sum[c] += weight * fill;
        else
            for (int64_t c = std::max<int64_t>(low, 0); c < high; c++) sum[c] += weight * from[c];
        total += weight;
    }
    sum[n] = total * (T)p.fill;
    return sum;
}

/* Outputs begin .. end - 1 of a line. */
template <class T, int order, int rounding>
static void along(const plan_t &p, const axis_taps<T, order> *taps, const T *line, int64_t begin, int64_t end, T *out) {
    const int64_t n = p.x_shape[p.ndim - 1];
    for (int64_t o = begin; o < end; o++, out++) {
        const axis_taps<T, order> &t = taps[o];
        if (t.at[0] == NONE) {
            *out = stored<rounding>(p, (T)p.fill);
            continue;
        }
        T sum = 0;
        GNDI_SAMPLE_UNROLL
        for (int k = 0; k <= order; k++) sum += t.weight[k] * line[t.at[k] < 0 ? n : t.at[k]];
        *out = stored<rounding>(p, sum);
    }
}

template <class T, int order, int rounding>
static void by_lines(const plan_t &p, const void *memory, int64_t begin, int64_t end, T *sum) {
    const int last = p.ndim - 1;
    const int64_t n = p.out_shape[last];
    const axis_taps<T, order> *taps = taps_of<T, order>(p, memory, last);
    int64_t low = p.x_shape[last], high = 0, elements = 1;
    for (int a = 0; a < p.ndim; a++) elements *= p.x_shape[a];
    for (int64_t o = 0; o < n; o++)
        for (int k = 0; k <= order && taps[o].at[0] != NONE; k++)
            low = std::min(low, taps[o].at[k]),
            high = std::max(high, taps[o].at[k] + 1); /* low < 0: some are outside */
    low = std::min(low, high);                        /* all outputs of a line are the constant */
    for (int64_t outer = 0; outer < p.outer; outer++) {
        const T *x = static_cast<const T *>(p.x) + outer * elements;
        for (int64_t o = begin; o < end;) {
            const int64_t first = o % n, count = std::min(n - first, end - o);
            T *out = static_cast<T *>(p.out) + outer * p.count + o;
            const T *line = sum_lines<T, order>(p, memory, x, o / n, low, high, sum);
            if (line)
                along<T, order, rounding>(p, taps, line, first, first + count, out);
            else
                std::fill_n(out, count, stored<rounding>(p, (T)p.fill));
            o += count;
        }
    }
}

/* ---- other transforms ----------------------------------------------------------------------- */

/* Coordinates of an axis whose taps are next to each other within the line. */
struct interior {
    double low, high, last;
    bool has(double x) const { return x >= low && x < high && x <= last; }
    bool beyond(double x) const { return x < 0 || x > last; }
};
template <int order> static interior interior_of(const plan_t &p, int axis) {
    const double n = (double)p.x_shape[axis], half = order % 2 == 0 ? 0.5 : 0;
    return {std::max(order / 2 - half, 0.0), n - order + order / 2 - half, n - 1};
}

/* at_two where all taps are within. */
template <class T, int order> static inline T at_two_within(const plan_t &p, const T *x, double r, double c) {
    const int64_t row = (int64_t)(order % 2 == 1 ? r : r + 0.5), column = (int64_t)(order % 2 == 1 ? c : c + 0.5);
    T down[order + 1], across[order + 1], sum = 0;
    weights((T)(r - (double)row), order, down);
    weights((T)(c - (double)column), order, across);
    const T *from = x + (row - order / 2) * p.x_shape[1] + (column - order / 2);
    GNDI_SAMPLE_UNROLL
    for (int i = 0; i <= order; i++, from += p.x_shape[1]) {
        T part = 0;
        GNDI_SAMPLE_UNROLL
        for (int k = 0; k <= order; k++) part += across[k] * from[k];
        sum += down[i] * part;
    }
    return sum;
}

/* The output at coordinates, of all results. */
template <class T, int order, int rounding> struct planes {
    const plan_t &p;
    const interior rows, columns;
    const int64_t elements;
    const T fill;
    explicit planes(const plan_t &plan)
        : p(plan), rows(interior_of<order>(plan, 0)), columns(interior_of<order>(plan, 1)),
          elements(plan.x_shape[0] * plan.x_shape[1]), fill(stored<rounding>(plan, (T)plan.fill)) {}

    void put(int64_t o, const double *c) const {
        T *out = static_cast<T *>(p.out) + o;
        if (p.mode == GND_IMAGE_CONSTANT && (rows.beyond(c[0]) || columns.beyond(c[1]))) {
            for (int64_t k = 0; k < p.outer; k++, out += p.count) *out = fill;
            return;
        }
        const double r = c[0] + p.pad, column = c[1] + p.pad;
        const bool within = rows.has(r) && columns.has(column);
        const T *x = static_cast<const T *>(p.x);
        for (int64_t k = 0; k < p.outer; k++, x += elements, out += p.count)
            *out = stored<rounding>(p, within ? at_two_within<T, order>(p, x, r, column) : at_two<T, order>(p, x, c));
    }
};

/* Outputs first .. end - 1 of a row of an affine transform of planes, whose coordinates are those of locate. */
template <class P> static void affine_row(const P &to, int64_t row, int64_t first, int64_t end) {
    const plan_t &p = to.p;
    const double down = m::add((double)row, p.ahead[0]);
    const double started[2] = {m::mul(p.matrix[0][0], down), m::mul(p.matrix[1][0], down)};
    for (int64_t column = first; column < end; column++) {
        const double across = m::add((double)column, p.ahead[1]);
        double c[2];
        for (int i = 0; i < 2; i++) c[i] = m::add(m::add(started[i], m::mul(p.matrix[i][1], across)), p.offset[i]);
        to.put(row * p.out_shape[1] + column, c);
    }
}

/* In tiles, so that outputs below each other find the input's rows in the cache. */
template <class P> static void affine_planes(const P &to, int64_t begin, int64_t end) {
    constexpr int64_t TILE = 64;
    const int64_t n = to.p.out_shape[1], rows = (end + n - 1) / n;
    for (int64_t top = begin / n; top < rows; top += TILE)
        for (int64_t left = 0; left < n; left += TILE)
            for (int64_t row = top; row < std::min(top + TILE, rows); row++)
                affine_row(to, row, std::max(left, begin - row * n), std::min({left + TILE, n, end - row * n}));
}

template <class T, int order, int rounding> static void of_planes(const plan_t &p, int64_t begin, int64_t end) {
    const planes<T, order, rounding> to(p);
    if (!p.coordinates && p.out_ndim == 2) return affine_planes(to, begin, end);
    for (int64_t o = begin; o < end; o++) {
        double c[GNDI_SAMPLE_AXES];
        locate(p, o, c);
        to.put(o, c);
    }
}

template <class T, int order, int rounding>
static void of_rounding(const plan_t &p, const void *taps, int64_t begin, int64_t end, void *work) {
    if (taps) return by_lines<T, order, rounding>(p, taps, begin, end, static_cast<T *>(work));
    if (p.ndim == 2) return of_planes<T, order, rounding>(p, begin, end);
    for (int64_t o = begin; o < end; o++) put<T, order, false>(p, o);
}

template <class T, int order>
static void of_order(const plan_t &p, void *taps, int64_t begin, int64_t end, void *work, bool finds) {
    if (finds) return find_all<T, order>(p, taps);
    switch (p.rounding) {
    case GNDI_SAMPLE_EXACT: return of_rounding<T, order, GNDI_SAMPLE_EXACT>(p, taps, begin, end, work);
    case GNDI_SAMPLE_SIGNED: return of_rounding<T, order, GNDI_SAMPLE_SIGNED>(p, taps, begin, end, work);
    default: return of_rounding<T, order, GNDI_SAMPLE_UNSIGNED>(p, taps, begin, end, work);
    }
}

template <class T>
static void of_type(const plan_t &p, void *taps, int64_t begin, int64_t end, void *work, bool finds) {
    switch (p.order) {
    case 0: return of_order<T, 0>(p, taps, begin, end, work, finds);
    case 1: return of_order<T, 1>(p, taps, begin, end, work, finds);
    case 2: return of_order<T, 2>(p, taps, begin, end, work, finds);
    case 3: return of_order<T, 3>(p, taps, begin, end, work, finds);
    case 4: return of_order<T, 4>(p, taps, begin, end, work, finds);
    default: return of_order<T, 5>(p, taps, begin, end, work, finds);
    }
}

static void run(const plan_t &p, void *taps, int64_t begin, int64_t end, void *work, bool finds) {
    if (p.dtype == GND_FLOAT32)
        of_type<float>(p, taps, begin, end, work, finds);
    else
        of_type<double>(p, taps, begin, end, work, finds);
}

} // namespace sample
} // namespace gnd

int64_t gndi_sample_taps(const gndi_sample_plan *p) {
    int64_t outputs = 0;
    if (!gnd::sample::is_separable(*p)) return 0;
    for (int a = 0; a < p->ndim; a++) outputs += p->out_shape[a];
    return outputs * (p->order + 1) * 16;
}
int64_t gndi_sample_work(const gndi_sample_plan *p) {
    return (p->x_shape[p->ndim - 1] + 1) * 8;
}
void gndi_sample_find_taps(const gndi_sample_plan *p, void *taps) {
    gnd::sample::run(*p, taps, 0, 0, nullptr, true);
}
void gndi_sample_outputs(const gndi_sample_plan *p, void *taps, int64_t begin, int64_t end, void *work) {
    gnd::sample::run(*p, taps, begin, end, work, false);
}
