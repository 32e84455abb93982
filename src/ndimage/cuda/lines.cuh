// lines.cuh: what the kernels of separable filters share: packs of 16 bytes, and windows along rows in shared memory.
#ifndef GNDI_NDIMAGE_LINES_CUH
#define GNDI_NDIMAGE_LINES_CUH

#include "kernels/cuda/async_copy.cuh"
#include "kernels/scalar/scalar_types.h"
#include "ndimage/cuda/ndimage_params.h"

namespace gnd {
namespace lines {

enum { TWO = 2 }; // rows that a thread goes along at a time

template <int kind, class T> GNDI_FN T join(T a, T b) {
    if (kind == GNDI_LINES_SUM) return a + b;
    if (kind == GNDI_LINES_MAXIMUM) return b > a ? b : a;
    return b < a ? b : a;
}

// ---- packs --------------------------------------------------------------------------------------

template <class T> constexpr int PACK = 16 / sizeof(T);
template <class T> struct alignas(16) pack { T v[PACK<T>]; };

template <class T> GNDI_FN pack<T> get(const T *x) {
    return *reinterpret_cast<const pack<T> *>(x);
}
template <class T> GNDI_FN void put_pack(T *x, const pack<T> &v) {
    *reinterpret_cast<pack<T> *>(x) = v;
}
template <int kind, class T> GNDI_FN void join_to(pack<T> &a, const pack<T> &b) {
#pragma unroll
    for (int c = 0; c < PACK<T>; c++) a.v[c] = join<kind>(a.v[c], b.v[c]);
}

// The mean of a sum of `size` elements, correctly rounded: a quotient from the reciprocal is corrected by its rest.
template <class T> GNDI_FN T mean(T sum, T size, T part) {
    const T quotient = sum * part, better = fma(fma(-quotient, size, sum), part, quotient);
    return fabs(quotient) < (T)INFINITY ? better : quotient;
}
template <int kind, class T> GNDI_FN void finish(pack<T> &out, T size, T part) {
    if constexpr (kind == GNDI_LINES_SUM) {
#pragma unroll
        for (int c = 0; c < PACK<T>; c++) out.v[c] = mean(out.v[c], size, part);
    }
}

// ---- along the rows -----------------------------------------------------------------------------

// Pack number `half` of the two that a thread has of each row.
template <class T> GNDI_FN void take(T (&w)[TWO][2 * PACK<T>], int half, const T *x, int pitch) {
#pragma unroll
    for (int q = 0; q < TWO; q++) {
        const pack<T> element = get(x + q * pitch);
#pragma unroll
        for (int c = 0; c < PACK<T>; c++) w[q][half * PACK<T> + c] = element.v[c];
    }
}

// The next COUNT elements of the windows of a pack of outputs beside each other, which begin at w.
template <int kind, int COUNT, class T>
GNDI_FN void add_along(const T (&w)[TWO][2 * PACK<T>], const T *taps, pack<T> *out) {
    pack<T> weight;
    if (kind == GNDI_LINES_CORRELATE) weight = get(taps);
#pragma unroll
    for (int q = 0; q < TWO; q++)
#pragma unroll
        for (int k = 0; k < COUNT; k++)
#pragma unroll
            for (int c = 0; c < PACK<T>; c++) {
                if (kind == GNDI_LINES_CORRELATE)
                    out[q].v[c] += weight.v[k] * w[q][k + c];
                else
                    out[q].v[c] = k == 0 ? w[q][c] : join<kind>(out[q].v[c], w[q][k + c]);
            }
}

template <int kind, class T> GNDI_FN void slide_along(const T *x, int pitch, int size, const T *taps, pack<T> *out) {
    constexpr int V = PACK<T>;
    T w[TWO][2 * V];
    take(w, 0, x, pitch);
    if (kind == GNDI_LINES_CORRELATE) {
        out[0] = out[1] = pack<T>{};
#pragma unroll 2
        for (; size >= V; size -= V, taps += V) {
            take(w, 1, x += V, pitch);
            add_along<kind, V>(w, taps, out);
#pragma unroll
            for (int q = 0; q < TWO; q++)
#pragma unroll
                for (int c = 0; c < V; c++) w[q][c] = w[q][V + c];
        }
        if (size == 0) return;
    }
    take(w, 1, x + V, pitch);
    if (size == 1) add_along<kind, 1>(w, taps, out);
    if constexpr (V > 2) {
        if (size == 2) add_along<kind, 2>(w, taps, out);
        if (size == 3) add_along<kind, 3>(w, taps, out);
    }
}

// The last COUNT elements that all outputs have, and those behind them; out: what is before.
template <int kind, int COUNT, class T> GNDI_FN void end_share(const T *x, int pitch, T *middle, pack<T> *out) {
    constexpr int V = PACK<T>, packs = (COUNT + 2 * V - 2) / V;
#pragma unroll
    for (int q = 0; q < TWO; q++) {
        pack<T> e[packs];
#pragma unroll
        for (int k = 0; k < packs; k++) e[k] = get(x + q * pitch + k * V);
#pragma unroll
        for (int k = 0; k < COUNT; k++) middle[q] = join<kind>(middle[q], e[k / V].v[k % V]);
#pragma unroll
        for (int c = 0; c < V - 1; c++) out[q].v[c] = join<kind>(out[q].v[c], middle[q]);
        out[q].v[V - 1] = middle[q];
        T behind = e[COUNT / V].v[COUNT % V];
#pragma unroll
        for (int c = 1; c < V; c++) {
            if (c > 1) behind = join<kind>(behind, e[(COUNT + c - 1) / V].v[(COUNT + c - 1) % V]);
            out[q].v[c] = join<kind>(out[q].v[c], behind);
        }
    }
}

// Sums and extremes of size >= PACK.
template <int kind, class T> GNDI_FN void share_along(const T *x, int pitch, int size, pack<T> *out) {
    constexpr int V = PACK<T>;
    T middle[TWO];
#pragma unroll
    for (int q = 0; q < TWO; q++) {
        out[q] = get(x + q * pitch), middle[q] = out[q].v[V - 1];
#pragma unroll
        for (int c = V - 3; c >= 0; c--) out[q].v[c] = join<kind>(out[q].v[c], out[q].v[c + 1]);
    }
    const int rest = size % V;
    x += V;
#pragma unroll 2
    for (int k = V; k < size - rest; k += V, x += V)
#pragma unroll
        for (int q = 0; q < TWO; q++) {
            const pack<T> element = get(x + q * pitch);
            T some = join<kind>(element.v[0], element.v[1]);
            if constexpr (V > 2) some = join<kind>(some, join<kind>(element.v[2], element.v[3]));
            middle[q] = join<kind>(middle[q], some);
        }
    if (rest == 0) end_share<kind, 0>(x, pitch, middle, out);
    if (rest == 1) end_share<kind, 1>(x, pitch, middle, out);
    if constexpr (V > 2) {
        if (rest == 2) end_share<kind, 2>(x, pitch, middle, out);
        if (rest == 3) end_share<kind, 3>(x, pitch, middle, out);
    }
}

template <int kind, class T> GNDI_FN void go_along(const T *x, int pitch, int size, const T *taps, pack<T> *out) {
    if (kind == GNDI_LINES_CORRELATE || size < PACK<T>)
        slide_along<kind>(x, pitch, size, taps, out);
    else
        share_along<kind>(x, pitch, size, out);
}

} // namespace lines
} // namespace gnd

#endif
