// upfirdn_device.cuh: what the kernels of polyphase filters share: elements and what stands outside of their line,
// phases and their taps.
#ifndef GNDI_UPFIRDN_DEVICE_CUH
#define GNDI_UPFIRDN_DEVICE_CUH

#include "kernels/border.h"
#include "kernels/cuda/products.cuh"
#include "resample/cuda/upfirdn_params.h"

namespace gnd {

constexpr int THREADS = GNDI_UPFIRDN_THREADS, WARP = 32;

// What stands at index i outside of a line.
template <class T> static __device__ __noinline__ T outside(const gndi_upfirdn_params &p, const T *line, int64_t i) {
    typedef real_t<T> real;
    const gndi_border_parts parts = gndi_border_at(i, p.length, (gndi_border)p.border);
    T sum{};
    if (parts.count == 0) {
        if constexpr (is_complex<T>)
            sum.re = (real)p.cval[0], sum.im = (real)p.cval[1];
        else
            sum = (T)p.cval[0];
    }
    for (int k = 0; k < parts.count; k++) add_product(sum, line[parts.index[k]], (real)parts.weight[k]);
    return sum;
}

template <class T> GNDI_FN T element(const gndi_upfirdn_params &p, const T *line, int64_t i) {
    return i >= 0 && i < p.length ? line[i] : outside(p, line, i);
}

// The filter's own number of phase q, whose tap j sees the element first_base + base - j of its period.
GNDI_FN int phase_of(const gndi_upfirdn_params &p, int q, int *base) {
    const unsigned s = (unsigned)q * (unsigned)p.down + (unsigned)p.first_phase;
    *base = (int)(s / (unsigned)p.up);
    return (int)(s % (unsigned)p.up);
}
template <class K> GNDI_FN K tap(const gndi_upfirdn_params &p, int64_t phase, int64_t j) {
    const int64_t at = phase + j * p.up;
    K k{};
    if (j < 0 || at >= p.taps) return k;
    k = *reinterpret_cast<const K *>(p.h + at * p.h_step);
    if constexpr (is_complex<K>)
        k.re *= (real_t<K>)p.scale, k.im *= (real_t<K>)p.scale;
    else
        k *= (K)p.scale;
    return k;
}

template <class T> GNDI_FN const T *line_of(const gndi_upfirdn_params &p, int64_t line) {
    return reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
}
template <class T> GNDI_FN T *out_of(const gndi_upfirdn_params &p, int64_t line) {
    return reinterpret_cast<T *>(p.out + gndi_line_of_out(&p.grid, line));
}

extern __shared__ __align__(16) char shared[];

// The taps in the order in which windows meet them: table[q][residue][a] is tap base(q) - residue + (a - ahead) * down
// of phase q, which sees the element of that residue a - ahead periods before the output's.
template <class K> GNDI_FN void fill_rows(const gndi_upfirdn_params &p, K *table) {
    const int all = p.up * p.down * p.row_taps;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int a = e % p.row_taps, row = e / p.row_taps, residue = row % p.down, q = row / p.down;
        int base;
        const int phase = phase_of(p, q, &base);
        const int64_t j = base - residue + (int64_t)(a - p.ahead) * p.down;
        table[e] = j < p.phase_taps ? tap<K>(p, phase, j) : K{};
    }
}

} // namespace gnd

#endif
