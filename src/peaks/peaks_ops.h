/*
 * peaks_ops.h: one element or one peak of the plans in peaks_plan.h, for both backends.
 */
#ifndef GNDI_PEAKS_OPS_H
#define GNDI_PEAKS_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "peaks/peaks_plan.h"

namespace gnd {
namespace peaks {

typedef gndi_extrema_plan extrema_t;
typedef gndi_peaks_plan peaks_t;

/* ---- extrema -------------------------------------------------------------------------------- */

template <class T> GNDI_FN bool compares(int comparison, T a, T b) {
    switch (comparison) {
    case GNDI_IS_GREATER: return a > b;
    case GNDI_IS_LESS: return a < b;
    case GNDI_IS_GREATER_EQUAL: return a >= b;
    default: return a <= b;
    }
}

/* Element `at` of all. */
template <class T> GNDI_FN void put_extremum(const extrema_t &p, int64_t at) {
    const T *x = static_cast<const T *>(p.x);
    int64_t i = p.inner == 1 ? at : at / p.inner; /* its index along the axis */
    if (p.total != p.n * p.inner) i %= p.n;
    const T here = x[at];
    bool good = true;
    for (int64_t shift = 1; shift <= p.order && good; shift++) {
        int64_t after = i + shift, before = i - shift;
        if (p.wrap)
            after %= p.n, before = before % p.n < 0 ? before % p.n + p.n : before % p.n;
        else
            after = after < p.n ? after : p.n - 1, before = before > 0 ? before : 0;
        good = compares(p.comparison, here, x[at + (after - i) * p.inner]) &&
               compares(p.comparison, here, x[at + (before - i) * p.inner]);
    }
    p.out[at] = good;
}

/* The peak whose first element is i, if there is one. */
template <class T> GNDI_FN void put_peak(const extrema_t &p, int64_t i) {
    const T *x = static_cast<const T *>(p.x);
    if (i < 1 || i >= p.n - 1 || !(x[i - 1] < x[i])) return;
    int64_t after = i + 1;
    while (after < p.n - 1 && x[after] == x[i]) after++;
    if (x[after] < x[i]) p.out[(i + after - 1) / 2] = true;
}

/* ---- properties of peak number k ------------------------------------------------------------ */

template <class T> GNDI_FN void edges(const peaks_t &p, int64_t k) {
    const T *x = static_cast<const T *>(p.x);
    int64_t left = p.peaks[k], right = left;
    while (left > 0 && x[left - 1] == x[left]) left--;
    while (right < p.n - 1 && x[right + 1] == x[right]) right++;
    p.left[k] = left, p.right[k] = right;
}

template <class T> GNDI_FN void values(const peaks_t &p, int64_t k) {
    const T *x = static_cast<const T *>(p.x) + p.peaks[k];
    p.a[k] = (double)x[0];
    p.b[k] = (double)x[0] - (double)x[-1];
    p.c[k] = (double)x[0] - (double)x[1];
}

/* Where a base is: the smallest element on the way from the peak to a higher one, and the nearest such. */
template <class T> struct base {
    T smallest;
    int64_t index;
};

/* Elements from the peak on, `step` (1 or -1) apart, up to `last`, of which this takes every `threads`-th, from number
   `thread` on. `ends` says whether any thread's element is the end of the way. */
template <class T, class Ends>
GNDI_FN base<T> find_base(const T *x, int64_t peak, int64_t last, int step, int thread, int threads, Ends ends) {
    const T height = x[peak];
    base<T> found = {height, peak};
    for (int64_t i = peak + (int64_t)step * thread;; i += (int64_t)step * threads) {
        const bool within = step < 0 ? i >= last : i <= last;
        const bool goes_on = within && x[within ? i : peak] <= height;
        const int first_end = ends(!goes_on); /* the number of the first thread that ends, or `threads` */
        if (thread < first_end && x[i] < found.smallest) found = {x[i], i};
        if (first_end < threads) return found;
    }
}

template <class T> GNDI_FN void put_prominence(const peaks_t &p, int64_t k, const base<T> &left, const base<T> &right) {
    const T higher = left.smallest > right.smallest ? left.smallest : right.smallest;
    p.a[k] = (double)static_cast<const T *>(p.x)[p.peaks[k]] - (double)higher;
    p.left[k] = left.index, p.right[k] = right.index;
}
GNDI_FN int64_t first_of(const peaks_t &p, int64_t peak) {
    return peak > p.reach ? peak - p.reach : 0;
}
GNDI_FN int64_t last_of(const peaks_t &p, int64_t peak) {
    return p.n - 1 - peak > p.reach ? peak + p.reach : p.n - 1;
}

/* The way from the peak to `last`, or to where it falls to the height, which is interpolated. */
template <class T> GNDI_FN double crossing(const T *x, int64_t peak, int64_t last, int step, double height) {
    int64_t i = peak;
    while (i != last && height < (double)x[i]) i += step;
    const double here = (double)x[i];
    return i != peak && here < height ? (double)i - step * ((height - here) / ((double)x[i - step] - here)) : (double)i;
}

template <class T> GNDI_FN void widths(const peaks_t &p, int64_t k) {
    const T *x = static_cast<const T *>(p.x);
    const int64_t peak = p.peaks[k];
    /* Two roundings: elements are compared with it, and may be equal. */
    const double height = m::sub((double)x[peak], m::mul(p.a[k], p.rel_height));
    const double left = crossing(x, peak, p.left[k], -1, height), right = crossing(x, peak, p.right[k], 1, height);
    p.b[k] = right - left, p.c[k] = height, p.d[k] = left, p.e[k] = right;
}

} // namespace peaks
} // namespace gnd

#endif
