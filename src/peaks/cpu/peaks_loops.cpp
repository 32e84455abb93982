/*
 * peaks_loops.cpp: extrema and peaks on the CPU.
 */
#include "peaks/cpu/peaks_loops.h"
#include "peaks/peaks_ops.h"
#include <algorithm>

namespace gnd {
namespace peaks {

/* Elements begin .. end - 1, whose neighbours up to `order` steps are all within their line: the nearest ones in
   vectors, then the others of the few that are left. */
template <class T, class Compare>
static void inner_extrema(const extrema_t &p, int64_t begin, int64_t end, Compare good) {
    const T *x = static_cast<const T *>(p.x);
    const int64_t step = p.inner;
    bool *out = p.out;
#pragma GCC ivdep
    for (int64_t i = begin; i < end; i++) out[i] = good(x[i], x[i - step]) & good(x[i], x[i + step]);
    for (int64_t i = begin; p.order > 1 && i < end; i++)
        for (int64_t reach = 2 * step; out[i] && reach <= p.order * step; reach += step)
            out[i] = good(x[i], x[i - reach]) && good(x[i], x[i + reach]);
}
template <class T> static void extrema(const extrema_t &p, int64_t begin, int64_t end) {
    const int64_t line = p.n * p.inner, border = p.order * p.inner;
    while (begin < end) {
        const int64_t start = begin - begin % line, last = start + line - border;
        const int64_t stop = std::min<int64_t>(end, start + line);
        const int64_t first_inner = std::min<int64_t>(std::max<int64_t>(begin, start + border), stop);
        const int64_t end_inner = std::max<int64_t>(std::min<int64_t>(stop, last), first_inner);
        for (int64_t i = begin; i < first_inner; i++) put_extremum<T>(p, i);
        switch (p.comparison) {
#define CASE(name, relation)                                                                                           \
    case GNDI_IS_##name: inner_extrema<T>(p, first_inner, end_inner, [](T a, T b) { return a relation b; }); break;
            CASE(GREATER, >)
            CASE(LESS, <)
            CASE(GREATER_EQUAL, >=)
        default: inner_extrema<T>(p, first_inner, end_inner, [](T a, T b) { return a <= b; });
#undef CASE
        }
        for (int64_t i = end_inner; i < stop; i++) put_extremum<T>(p, i);
        begin = stop;
    }
}

/* Marks peaks of one element; true: some elements above the one before have an equal one behind them. */
template <class T> static bool sharp_peaks(const extrema_t &p, int64_t begin, int64_t end) {
    const T *x = static_cast<const T *>(p.x);
    bool *out = p.out;
    uint8_t flat = 0;
    begin = std::max<int64_t>(begin, 1), end = std::min<int64_t>(end, p.n - 1);
#pragma GCC ivdep
    for (int64_t i = begin; i < end; i++) {
        const bool rises = x[i - 1] < x[i];
        out[i] = rises & (x[i + 1] < x[i]);
        flat |= rises & (x[i + 1] == x[i]);
    }
    return flat != 0;
}
/* Marks the others. Their middles may lie beyond `end`. */
template <class T> static void flat_peaks(const extrema_t &p, int64_t begin, int64_t end) {
    const T *x = static_cast<const T *>(p.x);
    for (int64_t i = std::max<int64_t>(begin, 1); i < std::min<int64_t>(end, p.n - 1); i++)
        if (x[i + 1] == x[i]) put_peak<T>(p, i);
}

template <class T> static void prominence(const peaks_t &p, int64_t k) {
    const T *x = static_cast<const T *>(p.x);
    const int64_t peak = p.peaks[k];
    const auto ends = [](bool end) { return end ? 0 : 1; };
    put_prominence<T>(p, k, find_base(x, peak, first_of(p, peak), -1, 0, 1, ends),
                      find_base(x, peak, last_of(p, peak), 1, 0, 1, ends));
}

template <class T> static void properties(const peaks_t &p, int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; k++) {
        switch (p.kind) {
        case GNDI_PEAKS_EDGES: edges<T>(p, k); break;
        case GNDI_PEAKS_VALUES: values<T>(p, k); break;
        case GNDI_PEAKS_PROMINENCES: prominence<T>(p, k); break;
        default: widths<T>(p, k); break;
        }
    }
}

} // namespace peaks
} // namespace gnd

void gndi_extrema_values(const gndi_extrema_plan *p, int64_t begin, int64_t end) {
    switch (p->dtype) {
    case GND_FLOAT32: return gnd::peaks::extrema<float>(*p, begin, end);
    case GND_FLOAT64: return gnd::peaks::extrema<double>(*p, begin, end);
    case GND_INT64: return gnd::peaks::extrema<int64_t>(*p, begin, end);
    default: return gnd::peaks::extrema<uint64_t>(*p, begin, end);
    }
}

bool gndi_sharp_peaks(const gndi_extrema_plan *p, int64_t begin, int64_t end) {
    return p->dtype == GND_FLOAT32 ? gnd::peaks::sharp_peaks<float>(*p, begin, end)
                                   : gnd::peaks::sharp_peaks<double>(*p, begin, end);
}

void gndi_flat_peaks(const gndi_extrema_plan *p, int64_t begin, int64_t end) {
    if (p->dtype == GND_FLOAT32)
        gnd::peaks::flat_peaks<float>(*p, begin, end);
    else
        gnd::peaks::flat_peaks<double>(*p, begin, end);
}

void gndi_peaks_values(const gndi_peaks_plan *p, int64_t begin, int64_t end) {
    if (p->dtype == GND_FLOAT32)
        gnd::peaks::properties<float>(*p, begin, end);
    else
        gnd::peaks::properties<double>(*p, begin, end);
}
