/*
 * neighbours_loops.cpp: windows of any shape on the CPU, a piece of a line of outputs at a time: each element of the
 * window is a line of the input, beside which the borders are looked up one by one.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include "ndimage/neighbours_ops.h"
#include <algorithm>
#include <cstring>

namespace gnd {
namespace neighbours {

constexpr int64_t PIECE = 1024;

/* Outputs next to each other: their first index along each axis, that along the last one as it is in x. */
struct piece {
    int64_t index[GNDI_NEIGHBOURS_AXES];
    int64_t output, count;
};

/* Calls f for the pieces of the outputs begin .. end - 1. */
template <class F> static void for_pieces(const plan_t &p, int64_t begin, int64_t end, F f) {
    const int last = p.ndim - 1;
    const int64_t n = p.out_shape[last];
    while (begin < end) {
        piece at;
        const int64_t column = begin % n;
        int64_t rest = begin / n;
        at.output = begin, at.count = std::min({n - column, end - begin, PIECE});
        at.index[last] = column + p.first[last];
        for (int a = last - 1; a >= 0; a--) {
            at.index[a] = rest % p.out_shape[a] + p.first[a];
            rest /= p.out_shape[a];
        }
        f(at);
        begin += at.count;
    }
}

/* The line of x at an index and, of the window, line number `line`; NULL: the constant. */
template <class T> static const T *line_of(const plan_t &p, const int64_t *index, int64_t line) {
    const int last = p.ndim - 1;
    int64_t at = 0, stride = p.x_shape[last];
    for (int a = last - 1; a >= 0; a--) {
        const int64_t j = gndi_border_index(index[a] + line % p.window[a], p.x_shape[a], (gndi_border)p.border[a]);
        if (j < 0) return nullptr;
        line /= p.window[a];
        at += j * stride;
        stride *= p.x_shape[a];
    }
    return static_cast<const T *>(p.x) + at;
}

/* The outputs of a piece that lie within the line, for the element of the window that is at `column` of the first. */
static inline void within(const plan_t &p, int64_t column, int64_t count, int64_t &begin, int64_t &end) {
    begin = std::min(std::max<int64_t>(-column, 0), count);
    end = std::max(std::min(p.x_shape[p.ndim - 1] - column, count), begin);
}

template <class T> static T border_element(const plan_t &p, const T *line, int64_t column) {
    const int last = p.ndim - 1;
    const int64_t j = line ? gndi_border_index(column, p.x_shape[last], (gndi_border)p.border[last]) : -1;
    return j < 0 ? constant<T>(p) : line[j];
}

/* ---- arrays that are continued -------------------------------------------------------------- */

template <class T> static void extend_all(const plan_t &p, int64_t begin, int64_t end) {
    const int last = p.ndim - 1;
    for_pieces(p, begin, end, [&](const piece &at) {
        const T *line = line_of<T>(p, at.index, 0);
        T *out = static_cast<T *>(p.out) + at.output;
        const int64_t column = at.index[last];
        int64_t from, to;
        within(p, column, at.count, from, to);
        if (!line) to = from;
        for (int64_t i = 0; i < from; i++) out[i] = border_element(p, line, column + i);
        if (to > from) memcpy(out + from, line + column + from, (size_t)(to - from) * sizeof(T));
        for (int64_t i = to; i < at.count; i++) out[i] = border_element(p, line, column + i);
    });
}

/* ---- extremes ------------------------------------------------------------------------------- */

/* best = the better of best and the elements plus or less the window's value; or these, where there is none yet. */
template <int kind, bool valued, class T>
static void combine(T *best, const T *from, int64_t count, T value, bool any) {
    const auto element = [&](int64_t i) -> T {
        if constexpr (!valued) return from[i];
        return (T)(kind == GNDI_NEIGHBOURS_MAXIMUM ? from[i] + value : from[i] - value);
    };
    if (any)
        for (int64_t i = 0; i < count; i++) best[i] = better<kind>(best[i], element(i));
    else
        for (int64_t i = 0; i < count; i++) best[i] = element(i);
}

/* The same of the element of the window at `column` of a line, with its borders. */
template <int kind, bool valued, class T>
static void combine_line(const plan_t &p, const T *line, int64_t column, int64_t count, T value, bool any, T *best) {
    int64_t from, to;
    within(p, column, count, from, to);
    if (!line) to = from;
    for (int64_t i = 0; i < from; i++) {
        const T v = border_element(p, line, column + i);
        combine<kind, valued>(best + i, &v, 1, value, any);
    }
    if (to > from) combine<kind, valued>(best + from, line + column + from, to - from, value, any);
    for (int64_t i = to; i < count; i++) {
        const T v = border_element(p, line, column + i);
        combine<kind, valued>(best + i, &v, 1, value, any);
    }
}

template <int kind, bool valued, class T> static void extremes(const plan_t &p, int64_t begin, int64_t end) {
    const int last = p.ndim - 1;
    const T *x = static_cast<const T *>(p.x), *values = static_cast<const T *>(p.values);
    const int64_t width = p.window[last];
    int64_t lines = 1;
    for (int a = 0; a < last; a++) lines *= p.window[a];
    for_pieces(p, begin, end, [&](const piece &at) {
        T best[PIECE];
        bool any = false;
        for (int64_t e = 0, line = 0; line < lines; line++) {
            const T *from = line_of<T>(p, at.index, line);
            for (int64_t k = 0; k < width; k++, e++) {
                if (p.mask && !p.mask[e]) continue;
                combine_line<kind, valued>(p, from, at.index[last] + k, at.count, valued ? values[e] : T(), any, best);
                any = true;
            }
        }
        T *out = static_cast<T *>(p.out) + at.output;
        const T none = sizeof(T) == 1 && kind == GNDI_NEIGHBOURS_MINIMUM ? 1 : 0; /* of no truths all are true */
        if (!any) std::fill_n(best, at.count, none);
        if (!p.kept)
            memcpy(out, best, (size_t)at.count * sizeof(T));
        else
            for (int64_t i = 0; i < at.count; i++) out[i] = p.kept[at.output + i] ? best[i] : x[at.output + i];
    });
}

template <class T> static void either(const plan_t &p, int64_t begin, int64_t end) {
    const bool largest = p.kind == GNDI_NEIGHBOURS_MAXIMUM;
    if (p.values)
        (largest ? extremes<GNDI_NEIGHBOURS_MAXIMUM, true, T> : extremes<GNDI_NEIGHBOURS_MINIMUM, true, T>)(p, begin,
                                                                                                            end);
    else
        (largest ? extremes<GNDI_NEIGHBOURS_MAXIMUM, false, T> : extremes<GNDI_NEIGHBOURS_MINIMUM, false, T>)(p, begin,
                                                                                                              end);
}

} // namespace neighbours
} // namespace gnd

void gndi_neighbours_outputs(const gndi_neighbours_plan *p, int64_t begin, int64_t end) {
    using namespace gnd::neighbours;
    if (p->kind != GNDI_NEIGHBOURS_EXTEND) {
        if (p->dtype == GND_UINT8) return either<uint8_t>(*p, begin, end);
        if (p->dtype == GND_FLOAT32) return either<float>(*p, begin, end);
        return either<double>(*p, begin, end);
    }
    switch (p->dtype) {
    case GND_UINT8: return extend_all<uint8_t>(*p, begin, end);
    case GND_UINT16: return extend_all<uint16_t>(*p, begin, end);
    case GND_UINT32: return extend_all<uint32_t>(*p, begin, end);
    default: return extend_all<uint64_t>(*p, begin, end);
    }
}
