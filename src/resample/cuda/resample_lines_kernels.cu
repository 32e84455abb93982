// resample_lines_kernels.cu: gnd_resample of long real lines, n = N A numbers to num = N B, in three launches (D. H.
// Bailey, "FFTs in external or hierarchical memory", 1990). With w(n) = exp(-2 pi i / n):
//
//     forth    G[k][a] = w(n)^(k a) sum over j of x[A j + a] w(N)^(k j)                          k <= N / 2
//     rows     X[k + N l] = sum over a of G[k][a] w(A)^(l a), the spectrum of x
//              V[k][b] = sum over l of Y[k + N l] w(B)^(-l b), with Y the spectrum of the result
//     back     y[B j + b] = sum over k of w(num)^(-k b) V[k][b] w(N)^(-k j) / n
//
// Row k of X is cut in the middle, or zeros are put there, and is row k of Y. Rows up to N / 2 have all of it, since x
// and y are real, and a complex transform does two columns, which are neighbours. The element at half of the shorter
// length, in row 0 as A and B are even, stands for two frequencies. It is kept at the negative one, twice if num < n:
// the sum over row 0 has the same real part, and columns take no other of it.
//
// Columns, of 1000 or 512 elements, are three passes of radix 10 or 8. A thread has those of two pairs of neighbours,
// which share roots of unity and addresses; so do two neighbours in rows (resample_rows.cuh), but for the first pass.
//
// 1e7 numbers to 8e6: the launches read and write 80, 72 and 64 MB, 50 us at 4.3 TB/s.
#include "fft/cuda/fft_mixed.cuh"
#include "kernels/cuda/early_start.cuh"
#include "resample/cuda/resample_rows.cuh"

namespace gnd {

namespace resampling {

// ---- columns ------------------------------------------------------------------------------------

// exp(-2 pi i t / R^3) for t < R^2, and their powers R / 2, by series from the nearest quarter of the circle.
template <int R> struct roots_table {
    pair at[2][R * R];
    constexpr roots_table() : at() {
        constexpr int n = R * R * R;
        for (int i = 0; i < 2 * R * R; i++) {
            const int turn = 4 * (i % (R * R)) * (i < R * R ? 1 : R / 2), quarters = (turn + n / 2) / n;
            const double x = 1.570796326794896619231 * (turn - quarters * n) / n;
            double cosine = 1, sine = x, c = 1, s = x;
            for (int k = 1; k < 10; k++) {
                c *= -x * x / ((2 * k - 1) * (2 * k)), s *= -x * x / ((2 * k) * (2 * k + 1));
                cosine += c, sine += s;
            }
            const double re = quarters % 2 ? -sine : cosine, im = quarters % 2 ? cosine : sine;
            const double sign = quarters % 4 >= 2 ? -1 : 1;
            at[i / (R * R)][i % (R * R)] = {(float)(sign * re), (float)(-sign * im)};
        }
    }
};
template <int R> __device__ constexpr roots_table<R> roots_of_columns{};

// A block transforms 16 columns of R^3 numbers, by threads (t, lane) of four columns and of elements t + j PART.
template <int R> struct column {
    static constexpr int PART = R * R, N = R * PART, LANES = GNDI_RESAMPLE_TILE / 4, THREADS = LANES * PART;
    static constexpr int STEP = PART + R; // from element t to t + PART

    // Where element i is in shared memory; multiples of R are behind a gap.
    GNDI_FN_MEMBER static int slot(int i) { return i + i / R; }
    // Two complex transforms, in order (T. G. Stockham); `frame` is the lane's. The frame may be read before.
    static __device__ __forceinline__ void transform(pair *a, pair *b, float4 *frame, int t) {
        const roots_table<R> &roots = roots_of_columns<R>;
        const int low = t % R, high = t / R;
        small<R>(a), small<R>(b);
        multiply_powers<R>(a, b, roots.at[0][t], roots.at[1][t]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < R; k++) put(frame + LANES * (t * (R + 1) + k), a[k], b[k]);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < R; j++) get(frame[LANES * (t + high + j * STEP)], a[j], b[j]);
        small<R>(a), small<R>(b);
        multiply_powers<R>(a, b, roots.at[0][high * R], roots.at[1][high * R]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < R; k++) put(frame + LANES * (high * STEP + low + k * (R + 1)), a[k], b[k]);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < R; j++) get(frame[LANES * (t + high + j * STEP)], a[j], b[j]);
        small<R>(a), small<R>(b);
    }
};

// exp(-i x) for |x| up to pi / 4.
GNDI_FN pair small_turn(float x) {
    const float y = x * x;
    const float c = 1 - y * (0.5f - y * (1 / 24.f - y * (1 / 720.f - y * (1 / 40320.f - y * (1 / 3628800.f)))));
    const float s = 1 - y * (1 / 6.f - y * (1 / 120.f - y * (1 / 5040.f - y * (1 / 362880.f))));
    return {c, -x * s};
}

GNDI_FN pair root_of(int k, int n) { // exp(-2 pi i k / n)
    const int quarters = (4 * k + n / 2) / n;
    const pair w = small_turn((float)(4 * k - quarters * n) * (1.57079632679489661923f / (float)n));
    const pair v = quarters % 2 ? quarter<-1>(w) : w;
    return quarters % 4 >= 2 ? pair{-v.re, -v.im} : v;
}

// A thread's columns: two neighbours, and those 8 further on, so that a warp's threads, four to a row, read and write
// whole sectors of 32 bytes.
struct columns_of {
    int line, first, second;
    bool there, both;
    GNDI_FN_MEMBER static columns_of of(int columns, int lane) {
        const int tiles = (columns + GNDI_RESAMPLE_TILE - 1) / GNDI_RESAMPLE_TILE, line = (int)blockIdx.x / tiles;
        const int at = ((int)blockIdx.x - line * tiles) * GNDI_RESAMPLE_TILE + 2 * lane;
        const bool there = at < columns, both = at + 8 < columns;
        return {line, there ? at : 0, both ? at + 8 : 0, there, both};
    }
};

// The factors w^(k a), w^k and w^(8 k), for k = t, t + PART, ... with w = exp(-i angle).
template <int R> struct turns {
    pair first, next, far, first_step, next_step, far_step;
    GNDI_FN_MEMBER static turns of(int t, int a, float angle, float factor) {
        constexpr int PART = R * R;
        return {mixed::times(factor, small_turn(angle * (float)(t * a))),
                small_turn(angle * (float)t),
                small_turn(angle * (float)(8 * t)),
                small_turn(angle * (float)(PART * a)),
                small_turn(angle * (float)PART),
                small_turn(angle * (float)(8 * PART))};
    }
    GNDI_FN_MEMBER void step() { first = first * first_step, next = next * next_step, far = far * far_step; }
};

template <int R> __global__ void __launch_bounds__(column<R>::THREADS, 800 / column<R>::THREADS)
    forth_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    using column = resampling::column<R>;
    constexpr int PART = column::PART, N = column::N, LANES = column::LANES;
    const int lane = (int)threadIdx.x % LANES, t = (int)threadIdx.x / LANES;
    const columns_of at = columns_of::of(p.plan.from, lane);
    float4 *const frame = reinterpret_cast<float4 *>(shared) + lane;
    pair a[R], b[R];
    turns<R> w = turns<R>::of(t, at.first, p.angle_from, 0.5f);
    start_early();
    const float *x = p.plan.x + ((int64_t)at.line * N + t) * p.plan.from;
#pragma unroll
    for (int j = 0; j < R; j++) {
        const float2 c = __ldcs(reinterpret_cast<const float2 *>(x + at.first));
        const float2 d = __ldcs(reinterpret_cast<const float2 *>(x + at.second));
        a[j] = {c.x, c.y}, b[j] = {d.x, d.y};
        x += PART * p.plan.from;
    }
    // The roots of the next kernel.
    const int both = p.plan.from + p.plan.to, threads = (int)gridDim.x * column::THREADS;
    for (int k = (int)(blockIdx.x * column::THREADS + threadIdx.x); k < both; k += threads)
        reinterpret_cast<pair *>(p.roots)[k] =
            k < p.plan.from ? root_of(k, p.plan.from) : root_of(k - p.plan.from, p.plan.to);
    column::transform(a, b, frame, t);
    // The upper half of z to the threads that have the lower one: to where this thread has read last.
#pragma unroll
    for (int j = R / 2; j < R; j++) put(frame + LANES * (column::slot(t) + j * column::STEP), a[j], b[j]);
    __syncthreads();
    if (!at.there) return;
    const float4 *const mirror = frame + LANES * column::slot(N - t);
    float4 *out = reinterpret_cast<float4 *>(p.work) + ((int64_t)at.line * (N / 2 + 1) + t) * (p.pitch / 2);
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        if (j == R / 2 && t > 0) break; // row N / 2 is that thread's that has row 0
        pair c = a[j], d = b[j];
        if (j < R / 2 && (j > 0 || t > 0)) get(mirror[-LANES * j * column::STEP], c, d);
        const two_real u = two_real::of(a[j], c), v = two_real::of(b[j], d);
        const pair second = w.first * w.next, third = w.first * w.far, fourth = third * w.next;
        put(out + at.first / 2, u.a * w.first, u.b * second);
        if (at.both) put(out + at.second / 2, v.a * third, v.b * fourth);
        out += PART * (p.pitch / 2);
        w.step();
    }
}

template <int R> __global__ void __launch_bounds__(column<R>::THREADS, 800 / column<R>::THREADS)
    back_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    using column = resampling::column<R>;
    constexpr int PART = column::PART, N = column::N, LANES = column::LANES;
    const int lane = (int)threadIdx.x % LANES, t = (int)threadIdx.x / LANES;
    const columns_of at = columns_of::of(p.plan.to, lane);
    float4 *const frame = reinterpret_cast<float4 *>(shared) + lane;
    float4 *const mirror = frame + LANES * column::slot(N - t);
    turns<R> w = turns<R>::of(t, at.first, p.angle_to, p.factor);
    pair a[R], b[R];
    float4 low[R / 2 + 1], high[R / 2 + 1];
    start_early();
    const float4 *in = reinterpret_cast<const float4 *>(p.work) + ((int64_t)at.line * (N / 2 + 1) + t) * (p.pitch / 2);
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        if (j == R / 2 && t > 0) in -= PART * (p.pitch / 2); // whatever is there: only one thread has row N / 2
        low[j] = __ldcs(in + at.first / 2), high[j] = __ldcs(in + at.second / 2);
        in += PART * (p.pitch / 2);
    }
    // Rows hold conjugates, for a transform forward. With the columns of pairs C and D, z is C - i D in row k, and the
    // conjugate of C + i D in row N - k.
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        const bool alone = j == R / 2 || (j == 0 && t == 0);
        const pair second = w.first * w.next, third = w.first * w.far, fourth = third * w.next;
        pair c[] = {pair{low[j].x, low[j].y} * w.first, pair{high[j].x, high[j].y} * third};
        pair d[] = {pair{low[j].z, low[j].w} * second, pair{high[j].z, high[j].w} * fourth};
        pair own[2], other[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (alone) c[i].im = d[i].im = 0;
            own[i] = {c[i].re + d[i].im, c[i].im - d[i].re};
            other[i] = {c[i].re - d[i].im, -c[i].im - d[i].re};
        }
        if (j < R / 2) a[j] = own[0], b[j] = own[1];
        if (j < R / 2 ? j > 0 || t > 0 : t == 0) put(mirror - LANES * j * column::STEP, other[0], other[1]);
        w.step();
    }
    __syncthreads();
#pragma unroll
    for (int j = R / 2; j < R; j++) get(frame[LANES * (column::slot(t) + j * column::STEP)], a[j], b[j]);
    column::transform(a, b, frame, t);
    if (!at.there) return;
    float *out = p.plan.out + ((int64_t)at.line * N + t) * p.plan.to;
#pragma unroll
    for (int j = 0; j < R; j++) {
        __stcs(reinterpret_cast<float2 *>(out + at.first), float2{a[j].re, -a[j].im});
        if (at.both) __stcs(reinterpret_cast<float2 *>(out + at.second), float2{b[j].re, -b[j].im});
        out += PART * p.plan.to;
    }
}

} // namespace resampling

} // namespace gnd

extern "C" const void *gndi_cuda_resample_kernel(gndi_resample_step step, int rows, bool thousands) {
    using namespace gnd::resampling;
    if (step == GNDI_RESAMPLE_ROWS)
        return thousands ? (const void *)thousands_kernel<10, 8> : (const void *)rows_kernel;
    if (step == GNDI_RESAMPLE_FORTH)
        return rows == 1000 ? (const void *)forth_kernel<10> : (const void *)forth_kernel<8>;
    return rows == 1000 ? (const void *)back_kernel<10> : (const void *)back_kernel<8>;
}
