// mel_kernels.cu: mel bands of frames.
//
// frames_kernel  A block reads the samples of some frames, times their window, as half as many complex numbers,
//                transforms these in registers and shared memory (fft_columns.cuh), makes of them the powers of the
//                bins, and adds up the bands: no spectrum goes to memory.
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

// The squares of bins k and n - k of 2 n real samples, from elements k and n - k of the transform of n complex
// numbers that were halved.
GNDI_FN columns::pair two_squares(columns::pair a, columns::pair b, int k, int n) {
    const columns::pair even = {a.x + b.x, a.y - b.y}, odd = {a.y + b.y, b.x - a.x};
    columns::pair turn;
    sincospif(-(float)k / (float)n, &turn.y, &turn.x);
    const columns::pair turned = columns::multiply(turn, odd);
    const columns::pair sum = columns::add(even, turned), difference = columns::subtract(even, turned);
    return {sum.x * sum.x + sum.y * sum.y, difference.x * difference.x + difference.y * difference.y};
}

template <int BITS> __global__ void __launch_bounds__(256, 4)
    frames_kernel(const __grid_constant__ gndi_mel_frames_plan p) {
    constexpr int SIDE = GNDI_ROWS_SIDE(BITS);
    using column = columns::column<BITS, SIDE>;
    constexpr int N = column::N, PART = column::PART, EACH = column::EACH;
    static_assert(column::THREADS == 256, "");
    extern __shared__ columns::pair shared[];
    const gndi_stft_plan &q = p.stft;
    const int lane = (int)threadIdx.x / PART, t = (int)threadIdx.x % PART;
    const int64_t row = (int64_t)blockIdx.x * SIDE + lane, line = row / q.count, frame = row - line * q.count;
    const bool there = line < q.grid.lines;
    columns::pair v[EACH] = {};
    if (there) {
        const float *x = reinterpret_cast<const float *>(q.x + gndi_line_of_x(&q.grid, line));
        const columns::pair *window = reinterpret_cast<const columns::pair *>(q.window);
        const int64_t start = frame * q.hop - q.extend;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const columns::pair w = window[t + i * PART], s = two_samples(q, x, start, t + i * PART);
            v[i] = {s.x * w.x, s.y * w.y};
        }
    }
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) shared[column::slot(t + i * PART, lane)] = column::result(v, i, 1);
    __syncthreads();
    // Powers take the places of the elements that they are made of: those of bin k, and of bin N beside bin 0.
    const float power = (float)p.power;
    for (int k = t; k <= N / 2; k += PART) {
        columns::pair *one = shared + column::slot(k, lane), *two = shared + column::slot((N - k) & (N - 1), lane);
        const columns::pair squares = two_squares(*one, *two, k, N);
        const float a = raised(squares.x, power), b = raised(squares.y, power);
        two->x = b;
        one->x = a;
        if (k == 0) one->y = b;
    }
    __syncthreads();
    if (!there) return;
    float *out = p.out + row * p.m.bands;
    for (int b = t; b < p.m.bands; b += PART)
        out[b] = band<float>(
            p.m, b, [&](int k) { return k < N ? shared[column::slot(k, lane)].x : shared[column::slot(0, lane)].y; });
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
