/*
 * peaks_loops.cpp: extrema and peaks on the CPU.
 */
#include "peaks/cpu/peaks_loops.h"
#include "peaks/peaks_ops.h"

namespace gnd {
namespace peaks {

template <class T> static void extrema(const extrema_t &p, int64_t begin, int64_t end) {
    if (p.comparison == GNDI_IS_PEAK)
        for (int64_t i = begin; i < end; i++) put_peak<T>(p, i);
    else
        for (int64_t i = begin; i < end; i++) put_extremum<T>(p, i);
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

void gndi_peaks_values(const gndi_peaks_plan *p, int64_t begin, int64_t end) {
    if (p->dtype == GND_FLOAT32)
        gnd::peaks::properties<float>(*p, begin, end);
    else
        gnd::peaks::properties<double>(*p, begin, end);
}
