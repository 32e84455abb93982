/*
 * fft_cosine.cuh: cosine and sine transforms of n numbers by Fourier transforms of rows: one element of such a row,
 * and one element of the result. Compiles on the host, too.
 *
 *     types 2  real, n: even elements, then odd ones from the end (Makhoul, 1980)
 *           3  the inverse of that: complex, n / 2 + 1
 *           1  real, the line and its mirror image: 2 (n - 1) or 2 (n + 1)
 *           4  complex: n / 2 pairs of the elements from both ends, or for odd n the n elements and n zeros
 *
 * A sine transform is the cosine transform of the same elements with other signs, or of the reversed ones:
 * DST-2(x)[k] = DCT-2((-1)^j x[j])[n - 1 - k], and DST(x)[k] = (-1)^k DCT(x reversed)[k] for types 3 and 4.
 */
#ifndef GNDI_FFT_COSINE_CUH
#define GNDI_FFT_COSINE_CUH

#include "fft/cuda/fft_cosine_params.h"
#include "kernels/scalar/scalar_types.h"
#if !GNDI_ON_DEVICE
#    include <math.h>
#endif

namespace gnd {
namespace dct {

enum { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 }; // gndi_fft_dct

// exp(i pi a / b)
GNDI_FN complex<float> twiddle(int64_t a, int64_t b, float) {
    complex<float> t;
    const float x = (float)a / (float)b;
#if GNDI_ON_DEVICE
    sincospif(x, &t.im, &t.re);
#else
    t.re = (float)cos(3.14159265358979323846 * x), t.im = (float)sin(3.14159265358979323846 * x);
#endif
    return t;
}
GNDI_FN complex<double> twiddle(int64_t a, int64_t b, double) {
    complex<double> t;
    const double x = (double)a / (double)b;
#if GNDI_ON_DEVICE
    sincospi(x, &t.im, &t.re);
#else
    t.re = cos(3.14159265358979323846 * x), t.im = sin(3.14159265358979323846 * x);
#endif
    return t;
}
template <class T> GNDI_FN complex<T> times(complex<T> a, complex<T> b) {
    complex<T> c;
    c.re = a.re * b.re - a.im * b.im, c.im = a.re * b.im + a.im * b.re;
    return c;
}
template <class T> GNDI_FN complex<T> pair_of(T re, T im) {
    complex<T> c;
    c.re = re, c.im = im;
    return c;
}

// Element j of a line, with the factor that makes the transform orthogonal.
template <class T> GNDI_FN T read(const gndi_dct_params &p, const T *line, int64_t j) {
    const T x = line[j * p.step];
    const bool end = p.orthogonal && ((j == 0 && (p.dct == dct1 || p.dct == dct3)) ||
                                      (j == p.n - 1 && (p.dct == dct1 || p.dct == dst3)));
    return end ? x * (T)1.41421356237309504880 : x;
}
// The same, of the reversed line for a sine transform.
template <class T> GNDI_FN T read_reversed(const gndi_dct_params &p, const T *line, int64_t j) {
    return read(p, line, p.dct == dst3 || p.dct == dst4 ? p.n - 1 - j : j);
}

// Element j of a real row: types 1 and 2.
template <class T> GNDI_FN T real_before(const gndi_dct_params &p, const T *line, int64_t j) {
    const int64_t n = p.n;
    if (p.dct == dct1) return read(p, line, j < n ? j : 2 * (n - 1) - j);
    if (p.dct == dst1) {
        if (j == 0 || j == n + 1) return 0;
        return j <= n ? read(p, line, j - 1) : -read(p, line, 2 * n + 1 - j);
    }
    const int64_t from = j < (n + 1) / 2 ? 2 * j : 2 * (n - 1 - j) + 1;
    const T x = read(p, line, from);
    return p.dct == dst2 && from % 2 ? -x : x;
}

// Element j of a complex row: types 3 and 4.
template <class T> GNDI_FN complex<T> complex_before(const gndi_dct_params &p, const T *line, int64_t j) {
    const int64_t n = p.n;
    if (p.dct == dct3 || p.dct == dst3) {
        const T x = read_reversed(p, line, j), y = j ? read_reversed(p, line, n - j) : (T)0;
        return times(pair_of(x, -y), twiddle(j, 2 * n, T()));
    }
    if (n % 2 == 0) {
        const T x = read_reversed(p, line, 2 * j), y = read_reversed(p, line, n - 1 - 2 * j);
        return times(pair_of(x, y), twiddle(-(4 * j + 1), 4 * n, T()));
    }
    if (j >= n) return pair_of((T)0, (T)0);
    return times(pair_of(read_reversed(p, line, j), (T)0), twiddle(-j, 2 * n, T()));
}

// Element k of the result, from the row's transform.
template <class T> GNDI_FN T behind(const gndi_dct_params &p, const void *row, int64_t k) {
    const complex<T> *z = static_cast<const complex<T> *>(row);
    const int64_t n = p.n;
    T y;
    if (p.dct == dct1 || p.dct == dst1) {
        y = p.dct == dct1 ? z[k].re : -z[k + 1].im;
        if (p.dct == dct1 && p.orthogonal && (k == 0 || k == n - 1)) y *= (T)0.70710678118654752440;
    } else if (p.dct == dct2 || p.dct == dst2) {
        const int64_t at = p.dct == dct2 ? k : n - 1 - k;
        const int64_t i = at <= n / 2 ? at : n - at;
        const complex<T> t = times(z[i], twiddle(-i, 2 * n, T()));
        y = at <= n / 2 ? 2 * t.re : -2 * t.im;
        if (at == 0 && p.orthogonal) y *= (T)0.70710678118654752440;
    } else if (p.dct == dct3 || p.dct == dst3) {
        const T *v = static_cast<const T *>(row);
        y = k % 2 ? v[n - 1 - k / 2] : v[k / 2];
    } else if (n % 2 == 0) {
        const int64_t i = k % 2 ? (n - 1 - k) / 2 : k / 2;
        const complex<T> t = times(z[i], twiddle(-i, n, T()));
        y = k % 2 ? -2 * t.im : 2 * t.re;
    } else {
        y = 2 * times(z[k], twiddle(-(2 * k + 1), 4 * n, T())).re;
    }
    if (k % 2 && (p.dct == dst3 || p.dct == dst4)) y = -y;
    return y * (T)p.factor;
}

// Computes element e of a kernel's output.
template <class T, class Index> GNDI_FN void make_before(const gndi_dct_params &p, Index e) {
    const Index length = (Index)p.row_length, line = e / length, j = e % length;
    const T *from = reinterpret_cast<const T *>(p.line) + (int64_t)line * p.distance;
    if (p.dct == dct1 || p.dct == dst1 || p.dct == dct2 || p.dct == dst2)
        reinterpret_cast<T *>(p.row)[e] = real_before(p, from, (int64_t)j);
    else
        reinterpret_cast<complex<T> *>(p.row)[e] = complex_before(p, from, (int64_t)j);
}
template <class T, class Index> GNDI_FN void make_behind(const gndi_dct_params &p, Index e) {
    const Index n = (Index)p.n, line = e / n, k = e % n;
    const bool real = p.dct == dct3 || p.dct == dst3; // rows of real numbers
    const int64_t bytes = (real ? 1 : 2) * (int64_t)sizeof(T) * p.row_length;
    T *to = reinterpret_cast<T *>(p.line) + (int64_t)line * p.distance + (int64_t)k * p.step;
    *to = behind<T>(p, p.row + (int64_t)line * bytes, (int64_t)k);
}

} // namespace dct
} // namespace gnd

#endif
