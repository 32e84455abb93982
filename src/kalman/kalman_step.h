/*
 * kalman_step.h: a prediction and an update of a Kalman filter (kalman_plan.h), for both backends. V is a number, or a
 * vector of those of several tracks; T its element. D has the sizes, known to the compiler or not.
 */
#ifndef GNDI_KALMAN_STEP_H
#define GNDI_KALMAN_STEP_H

#include "kernels/scalar/scalar_types.h"

#if GNDI_ON_DEVICE
#    define GNDI_UNROLL _Pragma("unroll")
#else
#    define GNDI_UNROLL
#endif

namespace gnd {
namespace kalman {

template <int X, int Z> struct fixed_sizes { static constexpr int x = X, z = Z; };
struct sizes {
    int x, z;
};

/* Numbers that a step needs beside the state, for `x` and `z` of D. */
template <class V> struct scratch {
    V *t, *a;        /* x * x */
    V *w, *k;        /* x * z */
    V *s;            /* z * z */
    V *y, *over, *v; /* z, z, x */
};

/* Where the element of a symmetric matrix is whose lower triangle there is. */
GNDI_FN int lower(int i, int j, int n) {
    return i > j ? i * n + j : j * n + i;
}

/* x = F x;  P = fading F P F^T + Q. */
template <class T, class V, class D>
GNDI_FN void predict(const D &d, V *x, V *p, const V *f, const V *q, T fading, const scratch<V> &s) {
    const int n = d.x;
    GNDI_UNROLL
    for (int i = 0; i < n; i++) {
        V sum = f[i * n] * x[0];
        GNDI_UNROLL
        for (int k = 1; k < n; k++) sum += f[i * n + k] * x[k];
        s.v[i] = sum;
    }
    GNDI_UNROLL
    for (int i = 0; i < n; i++) x[i] = s.v[i];
    GNDI_UNROLL
    for (int i = 0; i < n; i++) GNDI_UNROLL
    for (int j = 0; j < n; j++) {
        V sum = f[i * n] * p[lower(0, j, n)];
        GNDI_UNROLL
        for (int k = 1; k < n; k++) sum += f[i * n + k] * p[lower(k, j, n)];
        s.t[i * n + j] = sum;
    }
    GNDI_UNROLL
    for (int i = 0; i < n; i++) GNDI_UNROLL
    for (int j = 0; j <= i; j++) {
        V sum = s.t[i * n] * f[j * n];
        GNDI_UNROLL
        for (int k = 1; k < n; k++) sum += s.t[i * n + k] * f[j * n + k];
        p[i * n + j] = fading * sum + q[i * n + j];
    }
}

/* W = H P, S = W H^T + R as L D L^T: L below the diagonal of s, D on it, 1 / D in `over`. */
template <class T, class V, class D>
GNDI_FN void factor(const D &d, const V *p, const V *h, const V *r, const scratch<V> &s) {
    const int n = d.x, m = d.z;
    GNDI_UNROLL
    for (int i = 0; i < m; i++) GNDI_UNROLL
    for (int j = 0; j < n; j++) {
        V sum = h[i * n] * p[lower(0, j, n)];
        GNDI_UNROLL
        for (int k = 1; k < n; k++) sum += h[i * n + k] * p[lower(k, j, n)];
        s.w[i * n + j] = sum;
    }
    GNDI_UNROLL
    for (int j = 0; j < m; j++) {
        GNDI_UNROLL
        for (int i = j; i < m; i++) {
            V sum = r[i * m + j];
            GNDI_UNROLL
            for (int k = 0; k < n; k++) sum += s.w[i * n + k] * h[j * n + k];
            GNDI_UNROLL
            for (int k = 0; k < j; k++) sum -= s.s[i * m + k] * s.s[j * m + k] * s.s[k * m + k];
            s.s[i * m + j] = sum;
        }
        s.over[j] = (T)1 / s.s[j * m + j];
        GNDI_UNROLL
        for (int i = j + 1; i < m; i++) s.s[i * m + j] = s.s[i * m + j] * s.over[j];
    }
}

/* Row i of K = P H^T S^-1. */
template <class V, class D> GNDI_FN void solve_row(const D &d, int i, const scratch<V> &s) {
    const int n = d.x, m = d.z;
    V *k = s.k + i * m;
    GNDI_UNROLL
    for (int a = 0; a < m; a++) {
        V sum = s.w[a * n + i];
        GNDI_UNROLL
        for (int b = 0; b < a; b++) sum -= s.s[a * m + b] * k[b];
        k[a] = sum;
    }
    GNDI_UNROLL
    for (int a = 0; a < m; a++) k[a] = k[a] * s.over[a];
    GNDI_UNROLL
    for (int a = m - 1; a >= 0; a--) GNDI_UNROLL
    for (int b = a + 1; b < m; b++) k[a] -= s.s[b * m + a] * k[b];
}

/* P = (1 - K H) P (1 - K H)^T + K R K^T. */
template <class T, class V, class D>
GNDI_FN void narrow(const D &d, V *p, const V *h, const V *r, const scratch<V> &s) {
    const int n = d.x, m = d.z;
    GNDI_UNROLL
    for (int i = 0; i < n; i++) GNDI_UNROLL
    for (int j = 0; j < n; j++) {
        V sum = V{} + (T)(i == j);
        GNDI_UNROLL
        for (int k = 0; k < m; k++) sum -= s.k[i * m + k] * h[k * n + j];
        s.a[i * n + j] = sum;
    }
    GNDI_UNROLL
    for (int i = 0; i < n; i++) {
        GNDI_UNROLL
        for (int j = 0; j < n; j++) {
            V sum = s.a[i * n] * p[lower(0, j, n)];
            GNDI_UNROLL
            for (int k = 1; k < n; k++) sum += s.a[i * n + k] * p[lower(k, j, n)];
            s.t[i * n + j] = sum;
        }
        GNDI_UNROLL
        for (int j = 0; j < m; j++) {
            V sum = s.k[i * m] * r[j];
            GNDI_UNROLL
            for (int k = 1; k < m; k++) sum += s.k[i * m + k] * r[k * m + j];
            s.w[i * m + j] = sum;
        }
    }
    GNDI_UNROLL
    for (int i = 0; i < n; i++) GNDI_UNROLL
    for (int j = 0; j <= i; j++) {
        V sum = s.t[i * n] * s.a[j * n];
        GNDI_UNROLL
        for (int k = 1; k < n; k++) sum += s.t[i * n + k] * s.a[j * n + k];
        GNDI_UNROLL
        for (int k = 0; k < m; k++) sum += s.w[i * m + k] * s.k[j * m + k];
        p[i * n + j] = sum;
    }
}

template <class T, class V, class D>
GNDI_FN void update(const D &d, V *x, V *p, const V *h, const V *r, const V *z, const scratch<V> &s) {
    const int n = d.x, m = d.z;
    factor<T>(d, p, h, r, s);
    GNDI_UNROLL
    for (int i = 0; i < m; i++) {
        V sum = z[i];
        GNDI_UNROLL
        for (int k = 0; k < n; k++) sum -= h[i * n + k] * x[k];
        s.y[i] = sum;
    }
    GNDI_UNROLL
    for (int i = 0; i < n; i++) {
        solve_row(d, i, s);
        GNDI_UNROLL
        for (int k = 0; k < m; k++) x[i] += s.k[i * m + k] * s.y[k];
    }
    narrow<T>(d, p, h, r, s);
}

} // namespace kalman
} // namespace gnd

#endif
