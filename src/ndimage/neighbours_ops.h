/*
 * neighbours_ops.h: one output of a window. For both backends.
 */
#ifndef GNDI_NEIGHBOURS_OPS_H
#define GNDI_NEIGHBOURS_OPS_H

#include "kernels/scalar/scalar_types.h"
#include "ndimage/neighbours_plan.h"

namespace gnd {
namespace neighbours {

typedef gndi_neighbours_plan plan_t;

template <class T> GNDI_FN T constant(const plan_t &p) {
    T v;
    memcpy(&v, &p.fill, sizeof v);
    return v;
}

/* out[output] = x[output + first]. T: an unsigned type of the elements' size. */
template <class T> GNDI_FN void extend(const plan_t &p, int64_t output) {
    int64_t rest = output, at = 0, stride = 1;
    bool outside = false;
    for (int a = p.ndim - 1; a >= 0; a--) {
        const int64_t i = rest % p.out_shape[a] + p.first[a];
        rest /= p.out_shape[a];
        const int64_t j = gndi_border_index(i, p.x_shape[a], (gndi_border)p.border[a]);
        outside |= j < 0;
        at += j * stride;
        stride *= p.x_shape[a];
    }
    static_cast<T *>(p.out)[output] = outside ? constant<T>(p) : static_cast<const T *>(p.x)[at];
}

template <int kind, class T> GNDI_FN T better(T a, T b) {
    if (kind == GNDI_NEIGHBOURS_MAXIMUM) return b > a ? b : a;
    return b < a ? b : a;
}

/* The window's elements are gone through a line along the last axis at a time. */
template <int kind, class T> GNDI_FN void extreme(const plan_t &p, int64_t output) {
    const T *x = static_cast<const T *>(p.x), *values = static_cast<const T *>(p.values);
    T *out = static_cast<T *>(p.out);
    if (p.kept && !p.kept[output]) {
        out[output] = x[output];
        return;
    }
    const int last = p.ndim - 1;
    int64_t index[GNDI_NEIGHBOURS_AXES] = {}, rest = output, lines = 1;
    for (int a = last; a >= 0; a--) {
        index[a] = rest % p.out_shape[a] + p.first[a];
        rest /= p.out_shape[a];
        if (a < last) lines *= p.window[a];
    }
    const int64_t width = p.window[last], n = p.x_shape[last], column = index[last];
    const gndi_border border = (gndi_border)p.border[last];
    const bool within = column >= 0 && column + width <= n;
    T best = sizeof(T) == 1 && kind == GNDI_NEIGHBOURS_MINIMUM ? 1 : 0; /* of no truths all are true */
    bool any = false;
    for (int64_t line = 0; line < lines; line++) {
        int64_t at = 0, stride = n;
        bool outside = false;
        rest = line;
        for (int a = last - 1; a >= 0; a--) {
            const int64_t i = index[a] + rest % p.window[a];
            rest /= p.window[a];
            const int64_t j = gndi_border_index(i, p.x_shape[a], (gndi_border)p.border[a]);
            outside |= j < 0;
            at += j * stride;
            stride *= p.x_shape[a];
        }
        for (int64_t k = 0; k < width; k++) {
            const int64_t e = line * width + k;
            if (p.mask && !p.mask[e]) continue;
            const int64_t j = within ? column + k : gndi_border_index(column + k, n, border);
            T v = outside || j < 0 ? constant<T>(p) : x[at + j];
            if (values) v = (T)(kind == GNDI_NEIGHBOURS_MAXIMUM ? v + values[e] : v - values[e]);
            best = any ? better<kind>(best, v) : v;
            any = true;
        }
    }
    out[output] = best;
}

} // namespace neighbours
} // namespace gnd

#endif
