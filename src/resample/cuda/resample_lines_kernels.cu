// resample_lines_kernels.cu: gnd_resample of long real lines, n = N A numbers to num = N B, in three launches (D. H.
// Bailey, "FFTs in external or hierarchical memory", 1990). With w(n) = exp(-2 pi i / n):
//
//     forth    G[k][a] = w(n)^(k a) sum over j of x[A j + a] w(N)^(k j)                          k <= N / 2
//     rows     X[k + N l] = sum over a of G[k][a] w(A)^(l a), the spectrum of x
//              V[k][b] = sum over l of Y[k + N l] w(B)^(-l b), with Y the spectrum of the result
//     back     y[B j + b] = sum over k of w(num)^(-k b) V[k][b] w(N)^(-k j) / n
//
// Row k of X is cut off in the middle, or zeros are put there, and is row k of Y. Rows up to N / 2 have all of it, since
// x and y are real: neighbouring columns a and a + 1, b and b + 1 are the parts of complex numbers, z. The element at
// half of the shorter length, in row 0 as A and B are even, stands for two frequencies. It is kept at the negative one,
// twice if num < n: the sum over row 0 has the same real part, and columns take no other of it.
//
// 1e7 numbers to 8e6 read and write 80, 72 and 64 MB, 50 us at 4.3 TB/s. Columns, of 1000 or 512 elements, are three
// passes of 10 or 8; a thread has those of four neighbouring columns, which share roots of unity and addresses. Rows
// are passes over pairs of neighbours, which do so too, but for the first pass.
#include "fft/cuda/fft_mixed.cuh"
#include "kernels/cuda/early_start.cuh"
#include "resample/cuda/resample_lines_params.h"

namespace gnd {

namespace resampling {

using mixed::pair, mixed::small, mixed::two_real;

extern __shared__ __align__(16) char shared[];

GNDI_FN void put(float4 *to, pair a, pair b) {
    *to = float4{a.re, a.im, b.re, b.im};
}
GNDI_FN void get(float4 from, pair &a, pair &b) {
    a = {from.x, from.y}, b = {from.z, from.w};
}

// x[k] times w^k, and y[k], by w and w^(r / 2).
template <int r> GNDI_FN void multiply_powers(pair *x, pair *y, pair w, pair middle) {
    constexpr int h = r / 2;
    pair power = w;
    x[h] = x[h] * middle, y[h] = y[h] * middle;
#pragma unroll
    for (int k = 1; k < h; k++) {
        const pair above = power * middle;
        x[k] = x[k] * power, y[k] = y[k] * power;
        x[h + k] = x[h + k] * above, y[h + k] = y[h + k] * above;
        power = power * w;
    }
    if (r % 2) {
        const pair above = middle * middle;
        x[r - 1] = x[r - 1] * above, y[r - 1] = y[r - 1] * above;
    }
}

template <int r> GNDI_FN void multiply_powers(pair *x, pair w, pair middle) {
    constexpr int h = r / 2;
    pair power = w;
    x[h] = x[h] * middle;
#pragma unroll
    for (int k = 1; k < h; k++) {
        x[k] = x[k] * power, x[h + k] = x[h + k] * (power * middle);
        power = power * w;
    }
}

// ---- columns ------------------------------------------------------------------------------------

// exp(-2 pi i t / R^3) for t < R^2, and exp(-pi i t / R^2), by series from the nearest quarter of the circle.
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
            at[i / (R * R)][i % (R * R)] = {(float)(quarters % 4 >= 2 ? -re : re), (float)(quarters % 4 >= 2 ? im : -im)};
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

// The factors w^(k a) to w^(k (a + 3)) for k = t, t + PART, ... with w = exp(-2 pi i / n), n = R PART m.
template <int R> struct turns {
    pair first, next, first_step, next_step;
    GNDI_FN_MEMBER static turns of(int t, int a, int m, float factor) {
        constexpr int PART = R * R;
        const float angle = 6.283185307179586477f / ((float)m * (float)(R * PART));
        return {mixed::times(factor, small_turn(angle * (float)(t * a))), small_turn(angle * (float)t),
                small_turn(angle * (float)(PART * a)), small_turn(angle * (float)PART)};
    }
    GNDI_FN_MEMBER void step() { first = first * first_step, next = next * next_step; }
};

GNDI_FN pair root_of(int k, int n) { // exp(-2 pi i k / n)
    const int quarters = (4 * k + n / 2) / n;
    const pair w = small_turn((float)(4 * k - quarters * n) * (1.57079632679489661923f / (float)n));
    const pair v = quarters % 2 ? quarter<-1>(w) : w;
    return quarters % 4 >= 2 ? pair{-v.re, -v.im} : v;
}

template <int R>
__global__ void __launch_bounds__(column<R>::THREADS, 800 / column<R>::THREADS)
    forth_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    using column = resampling::column<R>;
    constexpr int PART = column::PART, N = column::N, LANES = column::LANES;
    const int lane = (int)threadIdx.x % LANES, t = (int)threadIdx.x / LANES;
    const int quads = p.plan.from / 4, tiles = (quads + LANES - 1) / LANES;
    const int line = (int)blockIdx.x / tiles, quad = ((int)blockIdx.x - line * tiles) * LANES + lane;
    float4 *const frame = reinterpret_cast<float4 *>(shared) + lane;
    pair a[R], b[R];
    start_early();
    const float4 *const x = reinterpret_cast<const float4 *>(p.plan.x) + (int64_t)line * N * quads + quad;
#pragma unroll
    for (int j = 0; j < R; j++)
        get(quad < quads ? __ldcs(x + (t + j * PART) * quads) : float4{0, 0, 0, 0}, a[j], b[j]);
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
    if (quad >= quads) return;
    const float4 *const mirror = frame + LANES * column::slot(N - t);
    float4 *out = reinterpret_cast<float4 *>(p.work) + ((int64_t)line * (N / 2 + 1) + t) * (p.pitch / 2) + 2 * quad;
    turns<R> w = turns<R>::of(t, 4 * quad, p.plan.from, 0.5f);
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        if (j == R / 2 && t > 0) break; // row N / 2 is that thread's that has row 0
        pair c = a[j], d = b[j];
        if (j < R / 2 && (j > 0 || t > 0)) get(mirror[-LANES * j * column::STEP], c, d);
        const two_real u = two_real::of(a[j], c), v = two_real::of(b[j], d);
        const pair second = w.first * w.next, third = second * w.next, fourth = third * w.next;
        put(out, u.a * w.first, u.b * second);
        put(out + 1, v.a * third, v.b * fourth);
        out += PART * (p.pitch / 2);
        w.step();
    }
}

template <int R>
__global__ void __launch_bounds__(column<R>::THREADS, 800 / column<R>::THREADS)
    back_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    using column = resampling::column<R>;
    constexpr int PART = column::PART, N = column::N, LANES = column::LANES;
    const int lane = (int)threadIdx.x % LANES, t = (int)threadIdx.x / LANES;
    const int quads = p.plan.to / 4, tiles = (quads + LANES - 1) / LANES;
    const int line = (int)blockIdx.x / tiles, quad = ((int)blockIdx.x - line * tiles) * LANES + lane;
    float4 *const frame = reinterpret_cast<float4 *>(shared) + lane;
    float4 *const mirror = frame + LANES * column::slot(N - t);
    const bool there = quad < quads;
    turns<R> w = turns<R>::of(t, 4 * quad, p.plan.to, 1 / ((float)N * (float)p.plan.from));
    pair a[R], b[R];
    float4 low[R / 2 + 1], high[R / 2 + 1];
    start_early();
    const float4 *const in =
        reinterpret_cast<const float4 *>(p.work) + ((int64_t)line * (N / 2 + 1) + t) * (p.pitch / 2) + 2 * quad;
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        const bool mine = there && (j < R / 2 || t == 0);
        low[j] = mine ? __ldcs(in + j * PART * (p.pitch / 2)) : float4{0, 0, 0, 0};
        high[j] = mine ? __ldcs(in + j * PART * (p.pitch / 2) + 1) : float4{0, 0, 0, 0};
    }
    // Rows hold conjugates, for a transform forward. With the columns of pairs C and D, z is C - i D in row k, and the
    // conjugate of C + i D in row N - k.
#pragma unroll
    for (int j = 0; j <= R / 2; j++) {
        const bool alone = j == R / 2 || (j == 0 && t == 0);
        const pair second = w.first * w.next, third = second * w.next, fourth = third * w.next;
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
    if (!there) return;
    float4 *const out = reinterpret_cast<float4 *>(p.plan.out) + (int64_t)line * N * quads + quad;
#pragma unroll
    for (int j = 0; j < R; j++) __stcs(out + (t + j * PART) * quads, float4{a[j].re, -a[j].im, b[j].re, -b[j].im});
}

// ---- rows ---------------------------------------------------------------------------------------

GNDI_FN int quotient(int e, uint32_t by, uint32_t inverse) { // of numbers below 2^16
    return by > 1 ? (int)__umulhi((uint32_t)e, inverse) : e;
}

// A pass over rows of n elements, of radix r: threads have elements 2 u and 2 u + 1 of a row, and those n / r, `part`
// pairs, further on.
struct place {
    float4 *row; // in shared memory
    int u, part;
    bool there; // a row that the block has
};

// Which pairs of the spectrum of x are those of the result's: those below `low`, and those from `high` on, `skip`
// before. Between them are zeros.
struct cut {
    int low, high, skip;
};

// The first of Stockham's passes: from memory, or from the spectrum of x in shared memory if `from` is NULL.
template <int r>
GNDI_FN void first_pass(place m, const float4 *from, const pair *roots, cut spectrum) {
    pair x[r] = {}, y[r] = {}; // so that they need no registers before
    if (m.there) {
        if (from) {
#pragma unroll
            for (int j = 0; j < r; j++) get(from[m.u + j * m.part], x[j], y[j]);
        } else {
#pragma unroll
            for (int j = 0; j < r; j++) {
                const int i = m.u + j * m.part, at = i < spectrum.low ? i : i - spectrum.skip;
                float4 v{0, 0, 0, 0};
                if (i < spectrum.low || i >= spectrum.high) v = m.row[at];
                x[j] = {v.x, -v.y}; // conjugates, for the inverse
                y[j] = {v.z, -v.w};
            }
        }
        small<r>(x);
        small<r>(y);
        const pair *const middle = roots + r * m.u;
        multiply_powers<r>(x, roots[2 * m.u], middle[0]);
        multiply_powers<r>(y, roots[2 * m.u + 1], middle[r / 2]);
    }
    __syncthreads();
    if (m.there) {
        float4 *const to = m.row + m.u * r;
#pragma unroll
        for (int k = 0; k < r; k += 2) {
            put(to + k / 2, x[k], x[k + 1]);
            put(to + (r + k) / 2, y[k], y[k + 1]);
        }
    }
    __syncthreads();
}

// Another one, behind passes whose product is `stride` pairs, in place, or to `out`. The last one has no roots.
template <int r> GNDI_FN void pass(place m, float4 *out, const pair *roots, int turn, int stride) {
    pair x[r] = {}, y[r] = {};
    if (m.there) {
#pragma unroll
        for (int j = 0; j < r; j++) get(m.row[m.u + j * m.part], x[j], y[j]);
        small<r>(x);
        small<r>(y);
        if (roots) multiply_powers<r>(x, y, roots[2 * turn], roots[r / 2 * 2 * turn]);
    }
    __syncthreads();
    const int at = turn * (r - 1) + m.u;
    if (m.there && out) {
#pragma unroll
        for (int k = 0; k < r; k++) put(out + at + k * stride, x[k], y[k]);
    } else if (m.there) {
#pragma unroll
        for (int k = 0; k < r; k++) put(m.row + at + k * stride, x[k], y[k]);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(GNDI_RESAMPLE_THREADS, 2)
    rows_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    const int half = p.plan.rows / 2 + 1, tiles = (half + p.group - 1) / p.group, pitch = p.pitch / 2;
    const int line = (int)blockIdx.x / tiles, first = ((int)blockIdx.x - line * tiles) * p.group;
    const int rows = half - first < p.group ? half - first : p.group;
    float4 *const frames = reinterpret_cast<float4 *>(shared);
    float4 *const work = reinterpret_cast<float4 *>(p.work) + ((int64_t)line * half + first) * pitch;
    const int low = (p.plan.from < p.plan.to ? p.plan.from : p.plan.to) / 4;
    const cut spectrum = {low, p.plan.to / 2 - low, (p.plan.to - p.plan.from) / 2};
    start_early();
#pragma unroll 1
    for (int back = 0; back < 2; back++) {
        const gndi_resample_transform &transform = back ? p.back : p.forth;
        const pair *const roots = reinterpret_cast<const pair *>(p.roots) + (back ? p.plan.from : 0);
#pragma unroll 1
        for (int i = 0; i < transform.passes; i++) {
            const gndi_resample_pass &g = transform.pass[i];
            const int which = quotient((int)threadIdx.x, g.part, g.part_inverse);
            const int u = (int)threadIdx.x - which * (int)g.part, stride = (int)g.stride;
            const int turn = i == 0 ? u : quotient(u, g.stride, g.stride_inverse) * stride;
            const place m = {frames + which * pitch, u, (int)g.part, which < rows};
            const bool last = i + 1 == transform.passes;
            const float4 *const from = back ? nullptr : work + which * pitch;
            float4 *const out = last && back ? work + which * pitch : nullptr;
            const pair *const w = last ? nullptr : roots;
            switch (i == 0 ? -(int)g.radix : (int)g.radix) {
            case -10: first_pass<10>(m, from, roots, spectrum); break;
            case -8: first_pass<8>(m, from, roots, spectrum); break;
            case -6: first_pass<6>(m, from, roots, spectrum); break;
            case -4: first_pass<4>(m, from, roots, spectrum); break;
            case 10: pass<10>(m, out, w, turn, stride); break;
            case 8: pass<8>(m, out, w, turn, stride); break;
            case 6: pass<6>(m, out, w, turn, stride); break;
            case 5: pass<5>(m, out, w, turn, stride); break;
            case 4: pass<4>(m, out, w, turn, stride); break;
            default: pass<3>(m, out, w, turn, stride);
            }
        }
        // Of x's spectrum, the element at half of the result's length is added to the one at minus that frequency.
        if (!back && first == 0 && spectrum.skip < 0) {
            if (threadIdx.x == 0) frames[spectrum.high - spectrum.skip].x *= 2, frames[spectrum.high - spectrum.skip].y *= 2;
            __syncthreads();
        }
    }
}

} // namespace resampling

} // namespace gnd

extern "C" const void *gndi_cuda_resample_kernel(gndi_resample_step step, int rows) {
    using namespace gnd::resampling;
    if (step == GNDI_RESAMPLE_ROWS) return (const void *)rows_kernel;
    if (step == GNDI_RESAMPLE_FORTH) return rows == 1000 ? (const void *)forth_kernel<10> : (const void *)forth_kernel<8>;
    return rows == 1000 ? (const void *)back_kernel<10> : (const void *)back_kernel<8>;
}
