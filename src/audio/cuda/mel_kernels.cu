// mel_kernels.cu: mel bands of frames.
//
// frames_kernel  A block reads the samples of some frames, times their window, as half as many complex numbers,
//                transforms these in registers and shared memory (fft_columns.cuh), makes of them the powers of the
//                bins, and adds up the bands: no spectrum goes to memory. A warp adds up neighbouring bands of a few
//                frames, which have about as many bins each.
// rows_kernel    A warp adds up the bands of a row of a spectrum.
#include "audio/mel_plan.h"
#include "fft/cuda/fft_columns.cuh"
#include "kernels/scalar/scalar_types.h"

namespace gnd {
namespace mel {

enum { WARP = 32, WARPS = 8 };

GNDI_FN float raised(float square, float power) {
    if (power == 2) return square;
    return power == 1 ? sqrtf(square) : powf(square, 0.5f * power);
}
GNDI_FN double raised(double square, double power) {
    if (power == 2) return square;
    return power == 1 ? sqrt(square) : pow(square, 0.5 * power);
}

// Band b of a row whose bins have the power at(k).
template <class R, class At> GNDI_FN R band(const gndi_mel_bands &m, int b, At at) {
    const R *rise = (const R *)m.rise, *fall = (const R *)m.fall;
    const int first = m.start[b], middle = m.start[b + 1], end = m.start[b + 2];
    R sum = 0;
    for (int k = first; k < middle; k++) sum += rise[k] * at(k);
    for (int k = middle; k < end; k++) sum += fall[k] * at(k);
    return sum;
}

template <class R> __global__ void __launch_bounds__(WARP *WARPS)
    rows_kernel(const __grid_constant__ gndi_mel_rows_plan p) {
    const int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (row >= p.rows) return;
    const complex<R> *z = (const complex<R> *)p.z + row * p.bins;
    const int64_t line = row / p.group;
    R *out = (R *)p.out + line * p.out_line + (row - line * p.group) * p.m.bands;
    const R power = (R)p.power;
    for (int b = (int)threadIdx.x % WARP; b < p.m.bands; b += WARP)
        out[b] = band<R>(p.m, b, [&](int k) { return raised(z[k].re * z[k].re + z[k].im * z[k].im, power); });
}

// Samples 2 i and 2 i + 1 of a frame that begins at `start`.
GNDI_FN columns::pair two_samples(const gndi_stft_plan &q, const float *x, int64_t start, int i) {
    const int64_t at = start + 2 * i, n = q.length;
    if (at >= 0 && at + 1 < n) return {x[at], x[at + 1]};
    const int64_t one = gndi_border_index(at, n, (gndi_border)q.border),
                  two = gndi_border_index(at + 1, n, (gndi_border)q.border);
    return {one < 0 ? 0 : x[one], two < 0 ? 0 : x[two]};
}

// exp(-pi i k / N).
template <int N> GNDI_FN columns::pair turn_of(int k) {
    if constexpr (2 * N <= columns::ROOTS) return columns::roots_of_stage<2, N>.at[k];
    columns::pair turn;
    sincospif(-(float)k / (float)N, &turn.y, &turn.x);
    return turn;
}

// The squares of bins k and N - k of 2 N real samples, from elements k and N - k of the transform of N complex
// numbers that were halved.
template <int N> GNDI_FN columns::pair two_squares(columns::pair a, columns::pair b, int k) {
    const columns::pair even = {a.x + b.x, a.y - b.y}, odd = {a.y + b.y, b.x - a.x};
    const columns::pair turned = columns::multiply(turn_of<N>(k), odd);
    const columns::pair sum = columns::add(even, turned), difference = columns::subtract(even, turned);
    return {sum.x * sum.x + sum.y * sum.y, difference.x * difference.x + difference.y * difference.y};
}

// A thread's elements of row number `row` of all lines' frames, times their window.
template <class column> GNDI_FN void load_frame(const gndi_stft_plan &q, int64_t row, int t, columns::pair *v) {
    constexpr int PART = column::PART, EACH = column::EACH;
    const int64_t line = row >> 31 == 0 && q.count >> 31 == 0 ? (uint32_t)row / (uint32_t)q.count : row / q.count;
    const int64_t start = (row - line * q.count) * q.hop - q.extend;
    const float *x = reinterpret_cast<const float *>(q.x + gndi_line_of_x(&q.grid, line)), *from = x + start + 2 * t;
    const columns::pair *window = reinterpret_cast<const columns::pair *>(q.window) + t;
    const bool inside = start >= 0 && start + 2 * column::N <= q.length;
    if (inside && reinterpret_cast<uint64_t>(from) % sizeof(columns::pair) == 0) {
#pragma unroll
        for (int i = 0; i < EACH; i++) v[i] = *reinterpret_cast<const columns::pair *>(from + 2 * i * PART);
    } else {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            v[i] = inside ? columns::pair{from[2 * i * PART], from[2 * i * PART + 1]}
                          : two_samples(q, x, start, t + i * PART);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const columns::pair w = window[i * PART];
        v[i] = {v[i].x * w.x, v[i].y * w.y};
    }
}

template <int BITS> __global__ void __launch_bounds__(256, 4)
    frames_kernel(const __grid_constant__ gndi_mel_frames_plan p) {
    constexpr int SIDE = GNDI_ROWS_SIDE(BITS);
    using column = columns::column<BITS, SIDE>;
    constexpr int N = column::N, PART = column::PART, EACH = column::EACH;
    static_assert(column::THREADS == 256, "");
    extern __shared__ columns::pair shared[];
    const int lane = (int)threadIdx.x / PART, t = (int)threadIdx.x % PART;
    const int64_t first = (int64_t)blockIdx.x * SIDE, rows = p.stft.grid.lines * p.stft.count;
    columns::pair v[EACH] = {};
    if (first + lane < rows) load_frame<column>(p.stft, first + lane, t, v);
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) shared[column::slot(t + i * PART, lane)] = column::result(v, i, 1);
    __syncthreads();
    // Powers take the places of the elements that they are made of; that of bin N is behind them.
    const float power = (float)p.power;
    for (int k = t; k <= N / 2; k += PART) {
        columns::pair *const one = shared + column::slot(k, lane), *const two = shared + column::slot(N - k, lane);
        const columns::pair squares = two_squares<N>(*one, k == 0 ? *one : *two, k);
        two->x = raised(squares.y, power);
        one->x = raised(squares.x, power);
    }
    __syncthreads();
    // The widest bands first. OF_WARP: frames of a warp, which has as many bands of each as there are threads for.
    constexpr int OF_WARP = SIDE < 8 ? SIDE : 8, BANDS = WARP / OF_WARP, GROUPS = SIDE / OF_WARP;
    const int warp = (int)threadIdx.x / WARP, thread = (int)threadIdx.x % WARP;
    const int items = (int)((p.m.bands + BANDS - 1) / BANDS) * GROUPS;
    for (int item = items - 1 - warp; item >= 0; item -= WARPS) {
        const int b = item / GROUPS * BANDS + thread % BANDS, f = item % GROUPS * OF_WARP + thread / BANDS;
        if (b >= p.m.bands || first + f >= rows) continue;
        p.out[(first + f) * p.m.bands + b] = band<float>(p.m, b, [&](int k) { return shared[column::slot(k, f)].x; });
    }
}

} // namespace mel
} // namespace gnd

extern "C" const void *gndi_cuda_mel_rows_kernel(bool wide) {
    using namespace gnd::mel;
    return wide ? (const void *)rows_kernel<double> : (const void *)rows_kernel<float>;
}

// Of frames of 2^bits samples.
extern "C" const void *gndi_cuda_mel_frames_kernel(int bits) {
    using namespace gnd::mel;
    switch (bits - 1) {
    case 6: return (const void *)frames_kernel<6>;
    case 7: return (const void *)frames_kernel<7>;
    case 8: return (const void *)frames_kernel<8>;
    case 9: return (const void *)frames_kernel<9>;
    case 10: return (const void *)frames_kernel<10>;
    case 11: return (const void *)frames_kernel<11>;
    default: return (const void *)frames_kernel<12>;
    }
}
