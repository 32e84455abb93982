/*
 * sample_ops.h: a spline at one coordinate. For both backends. The rules at the ends are SciPy's
 * (scipy/ndimage/src/ni_interpolation.c).
 */
#ifndef GNDI_SAMPLE_OPS_H
#define GNDI_SAMPLE_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "ndimage/sample_plan.h"

#ifdef __CUDACC__
#    define GNDI_SAMPLE_UNROLL _Pragma("unroll")
#else
#    define GNDI_SAMPLE_UNROLL _Pragma("GCC unroll 6")
#endif

namespace gnd {
namespace sample {

typedef gndi_sample_plan plan_t;

/* A coordinate, brought between the ends; -1: the constant. Between the last element and the first one that is repeated
   it may stay beyond the last. */
GNDI_FN double inside(double x, int64_t n, int mode) {
    const double last = (double)(n - 1);
    if (x >= 0 && x <= last) return x;
    switch (mode) {
    case GND_IMAGE_MIRROR: {
        if (n <= 1) return 0;
        const double period = 2 * last;
        x = m::abs(x);
        x -= period * m::trunc(x / period);
        return x > last ? period - x : x;
    }
    case GND_IMAGE_REFLECT: {
        if (n <= 1) return 0;
        const double period = 2.0 * (double)n;
        if (x < 0) {
            if (x < -period) x += period * m::trunc(-x / period);
            return x < -(double)n ? x + period : (x > -1e-15 ? 1e-15 : -x) - 1;
        }
        x -= period * m::trunc(x / period);
        return x >= (double)n ? period - x - 1 : x;
    }
    case GND_IMAGE_WRAP:
        if (n <= 1) return 0;
        return x < 0 ? x + last * (m::trunc(-x / last) + 1) : x - last * m::trunc(x / last);
    case GND_IMAGE_GRID_WRAP:
        if (n <= 1) return 0;
        return x < 0 ? x + (double)n * (m::trunc((-1 - x) / (double)n) + 1) : x - (double)n * m::trunc(x / (double)n);
    case GND_IMAGE_NEAREST: return x < 0 ? 0 : last;
    case GND_IMAGE_GRID_CONSTANT: return x;
    default: return -1;
    }
}

/* The weights of the order + 1 coefficients around x, which is as far from the middle one (even orders) or from the one
   before it. T: what they are computed in. */
template <class T> GNDI_FN void weights(T x, int order, T *w) {
    const T one = 1;
    if (order == 0) {
        w[0] = 1;
    } else if (order == 1) {
        w[0] = one - x, w[1] = x;
    } else if (order == 2) {
        const T y = (T)0.5 - x;
        w[1] = (T)0.75 - x * x, w[0] = (T)0.5 * y * y, w[2] = one - w[0] - w[1];
    } else if (order == 3) {
        const T z = one - x, sixth = (T)(1 / 6.0);
        w[1] = (x * x * (x - 2) * 3 + 4) * sixth;
        w[2] = (z * z * (z - 2) * 3 + 4) * sixth;
        w[0] = z * z * z * sixth;
        w[3] = one - w[0] - w[1] - w[2];
    } else if (order == 4) {
        const T t = x * x, y = one + x, z = one - x, h = (T)0.5 - x;
        w[2] = t * (t * (T)0.25 - (T)0.625) + (T)(115 / 192.0);
        w[1] = y * (y * (y * (5 - y) * (T)(1 / 6.0) - (T)1.25) + (T)(5 / 24.0)) + (T)(55 / 96.0);
        w[3] = z * (z * (z * (5 - z) * (T)(1 / 6.0) - (T)1.25) + (T)(5 / 24.0)) + (T)(55 / 96.0);
        w[0] = h * h * h * h * (T)(1 / 24.0);
        w[4] = one - w[0] - w[1] - w[2] - w[3];
    } else {
        const T t = x * x, z = one - x, u = z * z, y = one + x, v = 2 - x;
        w[2] = t * (t * ((T)0.25 - x * (T)(1 / 12.0)) - (T)0.5) + (T)0.55;
        w[3] = u * (u * ((T)0.25 - z * (T)(1 / 12.0)) - (T)0.5) + (T)0.55;
        w[1] = y * (y * (y * (y * (y * (T)(1 / 24.0) - (T)0.375) + (T)1.25) - (T)1.75) + (T)0.625) + (T)0.425;
        w[4] = v * (v * (v * (v * (v * (T)(1 / 24.0) - (T)0.375) + (T)1.25) - (T)1.75) + (T)0.625) + (T)0.425;
        w[0] = z * u * u * (T)(1 / 120.0);
        w[5] = one - w[0] - w[1] - w[2] - w[3] - w[4];
    }
}

/* The coefficients along an axis that a coordinate needs: where they are (-1: the constant) and their weights. */
template <class T, int order> struct axis_taps {
    int64_t at[order + 1];
    T weight[order + 1];
};

/* False: the result is the constant. */
template <class T, int order> GNDI_FN bool find_taps(const plan_t &p, int axis, double x, axis_taps<T, order> &taps) {
    const int64_t n = p.x_shape[axis];
    x += p.pad;
    if (p.mode == GND_IMAGE_NEAREST) { /* the coefficients are those of the ends, wherever beyond them x is */
        x = x < -8 ? -8 : x > (double)(n + 7) ? (double)(n + 7) : x;
    } else {
        x = inside(x, n, p.mode);
        if (p.mode != GND_IMAGE_GRID_CONSTANT && !(x > -1)) return false;
    }
    if (!(m::abs(x) < 1e15)) return false;
    const double middle = m::floor(order % 2 == 1 ? x : x + 0.5);
    const int64_t first = (int64_t)middle - order / 2;
    weights((T)(x - middle), order, taps.weight);
    if (first >= 0 && first + order < n) {
        GNDI_SAMPLE_UNROLL
        for (int k = 0; k <= order; k++) taps.at[k] = first + k;
        return true;
    }
    const int mode = p.mode == GND_IMAGE_CONSTANT || p.mode == GND_IMAGE_WRAP ? GND_IMAGE_MIRROR : (int)p.mode;
    for (int k = 0; k <= order; k++) {
        const int64_t i = first + k;
        const bool outside = mode == GND_IMAGE_GRID_CONSTANT && (i < 0 || i >= n);
        taps.at[k] = outside ? -1 : (int64_t)inside((double)i, n, mode);
    }
    return true;
}

template <class T> GNDI_FN T rounded(const plan_t &p, T v) {
    if (p.rounding == GNDI_SAMPLE_EXACT) return v;
    if (p.rounding == GNDI_SAMPLE_SIGNED) return m::trunc(v > 0 ? v + (T)0.5 : v - (T)0.5);
    v = v > 0 ? v + (T)0.5 : 0;
    return m::trunc(v > (T)p.most ? (T)p.most : v);
}

/* The coordinates of output number o of a result. */
GNDI_FN void locate(const plan_t &p, int64_t o, double *x) {
    if (p.coordinates) {
        for (int i = 0; i < p.ndim; i++) {
            const int64_t at = i * p.count + o;
            x[i] = p.coordinates_dtype == GND_FLOAT32 ? (double)static_cast<const float *>(p.coordinates)[at]
                                                      : static_cast<const double *>(p.coordinates)[at];
        }
        return;
    }
    double index[GNDI_SAMPLE_AXES] = {};
    for (int j = p.out_ndim - 1; j >= 0; j--) {
        const int64_t n = p.out_shape[j];
        int64_t rest;
        if (o < INT32_MAX && n < INT32_MAX)
            rest = (uint32_t)o / (uint32_t)n;
        else
            rest = o / n;
        index[j] = m::add((double)(o - rest * n), p.ahead[j]);
        o = rest;
    }
    for (int i = 0; i < p.ndim; i++) {
        double sum = 0;
        for (int j = 0; j < p.out_ndim; j++) sum = m::add(sum, m::mul(p.matrix[i][j], index[j]));
        x[i] = m::add(sum, p.offset[i]);
    }
}

/* Of two dimensions. */
template <class T, int order> GNDI_FN T at_two(const plan_t &p, const T *x, const double *c) {
    axis_taps<T, order> rows, columns;
    if (!find_taps(p, 0, c[0], rows) || !find_taps(p, 1, c[1], columns)) return (T)p.fill;
    T sum = 0;
    GNDI_SAMPLE_UNROLL
    for (int r = 0; r <= order; r++) {
        const T *row = x + rows.at[r] * p.x_shape[1];
        T part = 0;
        GNDI_SAMPLE_UNROLL
        for (int k = 0; k <= order; k++) {
            const T v = rows.at[r] < 0 || columns.at[k] < 0 ? (T)p.fill : row[columns.at[k]];
            part += columns.weight[k] * v;
        }
        sum += rows.weight[r] * part;
    }
    return sum;
}

/* Of any number. */
template <class T, int order> GNDI_FN_HEAVY T at_any(const plan_t &p, const T *x, const double *c) {
    axis_taps<T, order> taps[GNDI_SAMPLE_AXES];
    int64_t products = 1;
    for (int a = 0; a < p.ndim; a++) {
        if (!find_taps(p, a, c[a], taps[a])) return (T)p.fill;
        products *= order + 1;
    }
    T sum = 0;
    for (int64_t k = 0; k < products; k++) {
        int64_t rest = k, at = 0, stride = 1;
        bool outside = false;
        T weight = 1;
        for (int a = p.ndim - 1; a >= 0; a--) {
            const int tap = (int)(rest % (order + 1));
            rest /= order + 1;
            outside |= taps[a].at[tap] < 0;
            at += taps[a].at[tap] * stride;
            stride *= p.x_shape[a];
            weight *= taps[a].weight[tap];
        }
        sum += weight * (outside ? (T)p.fill : x[at]);
    }
    return sum;
}

/* Stores output o of all results. */
template <class T, int order, bool two> GNDI_FN void put(const plan_t &p, int64_t o) {
    double c[GNDI_SAMPLE_AXES] = {};
    locate(p, o, c);
    int64_t elements = 1;
    for (int a = 0; a < p.ndim; a++) elements *= p.x_shape[a];
    const T *x = static_cast<const T *>(p.x);
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += elements, out += p.count) {
        if constexpr (two)
            *out = rounded(p, at_two<T, order>(p, x, c));
        else
            *out = rounded(p, at_any<T, order>(p, x, c));
    }
}

} // namespace sample
} // namespace gnd

#endif
