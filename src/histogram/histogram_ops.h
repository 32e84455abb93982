/*
 * histogram_ops.h: which bin an element belongs to, for the kernels of both backends. Bins of one width
 * are those whose edges numpy.linspace makes; NumPy finds them by rounding (numpy/lib/
 * _histograms_impl.py) and puts right by the edges what rounding got wrong. Here a bin is taken from
 * rounding only where no error of it can reach an edge; elsewhere the edges decide, as they do there.
 */
#ifndef GNDI_HISTOGRAM_OPS_H
#define GNDI_HISTOGRAM_OPS_H

#include "histogram/histogram_plan.h"
#include "kernels/scalar/scalar_cast.h"
#include "kernels/scalar/scalar_math.h"
#include "sort/search_ops.h"

namespace gnd {

/* ---- edges of one width --------------------------------------------------------------------- */

/* x rounded to a floating dtype. */
GNDI_FN double round_number(int dtype, double x) {
    switch (dtype) {
    case GND_FLOAT16: return (double)to_float(to_float16(x));
    case GND_BFLOAT16: return (double)to_float(to_bfloat16(x));
    case GND_FLOAT32: return (double)(float)x;
    default: return x;
    }
}
GNDI_FN double epsilon_of(int dtype) {
    return dtype == GND_FLOAT16 ? 0x1p-11 : dtype == GND_BFLOAT16 ? 0x1p-8 : dtype == GND_FLOAT32 ? 0x1p-24 : 0x1p-53;
}
GNDI_FN void store_real(char *out, int dtype, int64_t i, double x) {
    switch (dtype) {
    case GND_FLOAT16: reinterpret_cast<float16 *>(out)[i] = to_float16(x); break;
    case GND_BFLOAT16: reinterpret_cast<bfloat16 *>(out)[i] = to_bfloat16(x); break;
    case GND_FLOAT32: reinterpret_cast<float *>(out)[i] = (float)x; break;
    default: reinterpret_cast<double *>(out)[i] = x; break;
    }
}

/* Bins of one width, at most 2^30, compared in C: float (of dtypes up to float32) or double. */
template <class C> struct even_bins {
    C low, high;         /* the first and the last edge */
    C scale, sure, most; /* a position between two edges is known if it is in (sure, most), */
    C limit;             /* or not so far from the middle; below 0: no position is */
    int bins;
    int step_dtype, dtype;
    double first, step, last;
};

/* Edge i. A step of 0 (too narrow a range) is reported by whoever compares the edges. */
template <class C> GNDI_FN double edge_of(const even_bins<C> &b, int64_t i) {
    if (i == b.bins) return round_number(b.dtype, b.last);
    const double count = round_number(b.step_dtype, (double)i);
    const double along = round_number(b.step_dtype, m::mul(count, b.step));
    return round_number(b.dtype, round_number(b.step_dtype, m::add(along, b.first)));
}

/* The least C that is not below x: what is compared with x in C is compared with that. */
template <class C> GNDI_FN C least_from(double x) {
    const C close = (C)x;
    if constexpr (sizeof(C) == 4) {
        const uint32_t bits = to_bits(close);
        if ((double)close < x) return from_bits(close == 0 ? 1 : close > 0 ? bits + 1 : bits - 1);
    }
    return close;
}

GNDI_FN bool is_finite(double x) {
    return x - x == 0;
}
/* Pushes a first and last that are equal half a unit out; false, and 0 to 1, if one is not finite. */
GNDI_FN bool spread_range(int step_dtype, double *first, double *last) {
    if (!is_finite(*first) || !is_finite(*last)) {
        *first = 0, *last = 1;
        return false;
    }
    if (*first == *last) {
        *first = round_number(step_dtype, m::add(*first, -0.5));
        *last = round_number(step_dtype, m::add(*last, 0.5));
    }
    return true;
}

template <class C>
GNDI_FN even_bins<C> make_bins(const gndi_histogram_range &range, int64_t bins, double first, double last) {
    even_bins<C> b;
    b.bins = (int)bins, b.step_dtype = range.step_dtype, b.dtype = range.dtype;
    b.first = first, b.last = last;
    const double width = round_number(b.step_dtype, m::add(last, -first));
    b.step = round_number(b.step_dtype, width / (double)bins);
    b.low = least_from<C>(edge_of(b, 0)), b.high = -least_from<C>(-edge_of(b, bins));
    const double scale = (double)bins / (last - first);
    b.scale = scale < 0x1p120 ? (C)scale : (C)0; /* others are not used */
    /* The error of a position, in bins, twice over. Of edges: three roundings along the range, one of
       their sum, one in the end; of the element: four along the range, and the first edge's. */
    const double far = first < 0 ? -first : first, farther = last < 0 ? -last : last;
    const double ends = far > farther ? far : farther, own = sizeof(C) == 4 ? 0x1p-24 : 0x1p-53;
    const double step = epsilon_of(b.step_dtype), rounded = epsilon_of(b.dtype), edge = rounded > own ? rounded : own;
    const double error = 16 * (double)bins * (step > own ? step : own) + 2 * ends * scale * (step + 2 * edge);
    b.sure = (C)2, b.most = (C)0, b.limit = (C)-1;
    const bool fits = scale < 0x1p120 && is_finite((double)(C)(b.high - b.low));
    if (error < 0.5 && fits) b.sure = (C)error, b.most = (C)(1 - error), b.limit = (C)(0.5 - error);
    return b;
}

/* The bin of x from one near it; -1 if x is outside. */
template <class C> GNDI_FN int settle(const even_bins<C> &b, C x, int near) {
    if (!(x >= b.low && x <= b.high)) return -1;
    int i = near < 0 ? 0 : near >= b.bins ? b.bins - 1 : near;
    while (i > 0 && (double)x < edge_of(b, i)) i--;
    while (i < b.bins - 1 && (double)x >= edge_of(b, i + 1)) i++;
    return i;
}

/* How many bins x is from the first edge, roughly; 0 to `bins`. */
template <class C> GNDI_FN C position_of(const even_bins<C> &b, C x, bool inside) {
    const C position = inside ? (x - b.low) * b.scale : (C)0;
    return position < (C)b.bins ? position : (C)b.bins;
}
/* The bin of x, -1 if it is in none. */
template <class C> GNDI_FN int bin_of(const even_bins<C> &b, C x) {
    const bool inside = (x >= b.low) & (x <= b.high);
    const C position = position_of(b, x, inside);
    const int i = (int)position;
    const C past = position - (C)i;
    if (inside & (past > b.sure) & (past < b.most) & (i < b.bins)) return i;
    return inside ? settle(b, x, i) : -1;
}

/* ---- edges of any kind ---------------------------------------------------------------------- */

/* The bin of x between edges in C (double, int64 or uint64) that go up; -1 if it is in none. */
template <class C> GNDI_FN int64_t bin_between(const C *edges, int64_t bins, C x) {
    int64_t position = 0, left = bins + 1; /* how many edges are not above x */
    while (left > 1) {
        const int64_t half = left / 2;
        position += !stands_before(x, edges[position + half - 1]) ? half : 0;
        left -= half;
    }
    position += !stands_before(x, edges[position]);
    if (position <= bins) return position - 1;
    return !stands_before(edges[bins], x) ? bins - 1 : -1;
}

} // namespace gnd

#endif
