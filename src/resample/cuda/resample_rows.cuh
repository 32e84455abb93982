// resample_rows.cuh: the second kernel of those that resample long lines (resample_lines_kernels.cu). Rows become rows
// of another length, by transforms in shared memory, there and back (T. G. Stockham).
#ifndef GNDI_RESAMPLE_ROWS_CUH
#define GNDI_RESAMPLE_ROWS_CUH

#include "fft/cuda/fft_mixed.cuh"
#include "kernels/cuda/early_start.cuh"
#include "resample/cuda/resample_lines_params.h"

namespace gnd {

namespace resampling {

using mixed::divisor, mixed::pair, mixed::small, mixed::times, mixed::two_real;

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

// ---- rows of any length -------------------------------------------------------------------------

// A pass over rows of n elements, of radix r: threads have elements 2 u and 2 u + 1 of a row, and those n / r, `part`
// pairs, further on. A thread that has none beside others of its warp that have, computes those of row 0 in vain.
struct place {
    float4 *row; // in shared memory
    int u, part;
    int at, step; // where it reads there: at + j step
    bool there, gaps;
};

// Which pairs of the spectrum of x are those of the result's: those below `low`, and those from `high` on, `skip`
// before. Between them are zeros.
struct cut {
    int low, high, skip;
};

// The first of Stockham's passes: from memory, or from the spectrum of x in shared memory if `from` is NULL.
template <int r> GNDI_FN void first_pass(place m, const float4 *from, const pair *roots, cut spectrum) {
    pair x[r], y[r];
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
    __syncthreads();
    if (m.there) {
        float4 *const to = m.row + m.u * r + (r % 4 == 0 && m.gaps ? m.u * r / 8 : 0);
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
    pair x[r], y[r];
#pragma unroll
    for (int j = 0; j < r; j++) get(m.row[m.at + j * m.step], x[j], y[j]);
    small<r>(x);
    small<r>(y);
    if (roots) multiply_powers<r>(x, y, roots[2 * turn], roots[r / 2 * 2 * turn]);
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
            if ((int)(threadIdx.x & ~31u) >= rows * (int)g.part) { // a warp that has nothing to do
                __syncthreads();
                __syncthreads();
                continue;
            }
            const int thread = (int)threadIdx.x < rows * (int)g.part ? (int)threadIdx.x : 0;
            const int which = divisor{g.part, g.part_inverse}.quotient(thread);
            const int u = thread - which * (int)g.part, stride = (int)g.stride;
            const int turn = i == 0 ? u : divisor{g.stride, g.stride_inverse}.quotient(u) * stride;
            const int gap = i == 1 && transform.gaps ? 3 : 31, part = (int)g.part;
            const place m = {
                frames + which * p.frame, u, part, u + (u >> gap), part + (part >> gap), thread == (int)threadIdx.x,
                transform.gaps != 0};
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
            float4 *const middle = frames + spectrum.high - spectrum.skip;
            if (threadIdx.x == 0) middle->x *= 2, middle->y *= 2;
            __syncthreads();
        }
    }
}

// ---- rows of 1000 a elements to rows of 1000 b --------------------------------------------------
//
// Passes of radix 10, and one of radix a and of radix b. The first transform's last pass leaves a thread the elements
// u + 1000 k of the spectrum, k < a, and the second one's first pass takes those with k < b: they are cut in registers.
// Against conflicts of banks there are gaps behind the blocks of pairs that a pass writes.

// Where pair i is behind a first pass, whose threads have r pairs each.
template <int r> GNDI_FN int behind_first(int i) {
    return r == 8 ? i + i / 8 : i + i / 40;
}

// Where it is behind a pass of radix 10, S pairs between a thread's results. Threads that are neighbours write to
// neighbouring banks, at the ends of blocks too.
template <int S> struct spaced {
    static constexpr int BLOCK = 10 * S, STEP = BLOCK + (8 - S % 8) % 8;
    GNDI_FN_MEMBER static int slot(int i) { return i / BLOCK * STEP + i % BLOCK; }
};

template <int r> GNDI_FN void put_first(float4 *row, int u, const pair *x, const pair *y) {
    float4 *const to = row + behind_first<r>(r * u);
#pragma unroll
    for (int k = 0; k < r; k += 2) {
        put(to + k / 2, x[k], x[k + 1]);
        put(to + (r + k) / 2, y[k], y[k + 1]);
    }
}

// How a pass reads pairs u + j part, u < part.
template <int r> struct from_first {
    static constexpr int EQUAL = r == 8 ? 8 : 40; // a multiple of it changes addresses of all pairs alike
    GNDI_FN_MEMBER static int slot(int u, int behind) {
        return behind_first<r>(u + behind % EQUAL) + behind_first<r>(behind - behind % EQUAL);
    }
};
template <int S> struct from_spaced {
    GNDI_FN_MEMBER static int slot(int u, int behind) { return spaced<S>::slot(u) + spaced<S>::slot(behind); }
};

// A pass of radix 10 over a row of n elements, where FROM says, S pairs between a thread's results. In a warp that has
// threads without any, they compute in vain.
template <int S, int n, class FROM> GNDI_FN void middle_pass(float4 *row, const pair *roots) {
    constexpr int PART = n / 20;
    if ((int)(threadIdx.x & ~31u) >= PART) {
        __syncthreads();
        __syncthreads();
        return;
    }
    const bool there = (int)threadIdx.x < PART;
    const int u = there ? (int)threadIdx.x : 0, turn = u / S * S;
    const pair w = roots[2 * turn], middle = roots[10 * turn];
    pair x[10], y[10];
#pragma unroll
    for (int j = 0; j < 10; j++) get(row[FROM::slot(u, j * PART)], x[j], y[j]);
    small<10>(x);
    small<10>(y);
    multiply_powers<10>(x, y, w, middle);
    __syncthreads();
    float4 *const to = row + u / S * spaced<S>::STEP + u % S;
    if (there) {
#pragma unroll
        for (int k = 0; k < 10; k++) put(to + S * k, x[k], y[k]);
    }
    __syncthreads();
}

// A thread's a elements of the one spectrum become b of the other, conjugate for the way back, and go through its first
// pass, by the roots w and w^(b / 2).
template <int a, int b> GNDI_FN void cut_and_back(const pair *x, pair *y, pair w, pair middle) {
    constexpr int half = (a < b ? a : b) / 2;
#pragma unroll
    for (int j = 0; j < b; j++) {
        y[j] = {0, 0};
        if (j < half) y[j] = conj(x[j]);
        if (j >= b - half) y[j] = conj(x[j + a - b]);
    }
    small<b>(y);
    multiply_powers<b>(y, w, middle);
}

// The last pass forth, and the first one back. `lowest`: row 0.
template <int a, int b> GNDI_FN void joint_pass(float4 *row, const pair *roots, bool lowest) {
    constexpr int PART = 500;
    const bool there = (int)threadIdx.x < PART;
    const int u = there ? (int)threadIdx.x : 0;
    const pair *const at = roots + 2 * u, *const middle = roots + b * u;
    const pair w = at[0], v = at[1], w_half = middle[0], v_half = middle[b / 2];
    pair x[a], y[a], first[b], second[b];
#pragma unroll
    for (int j = 0; j < a; j++) get(row[u + spaced<50>::slot(j * PART)], x[j], y[j]);
    small<a>(x);
    // The element at half of the result's length is added to the one at minus that frequency.
    if (b < a && lowest && threadIdx.x == 0) x[a - b / 2] = times(2, x[a - b / 2]);
    cut_and_back<a, b>(x, first, w, w_half);
    small<a>(y);
    cut_and_back<a, b>(y, second, v, v_half);
    __syncthreads();
    if (there) put_first<b>(row, u, first, second);
    __syncthreads();
}

template <int a, int b> __global__ void __launch_bounds__(GNDI_RESAMPLE_THREADS, 2)
    thousands_kernel(const __grid_constant__ gndi_resample_lines_params p) {
    constexpr int FROM = 1000 * a, TO = 1000 * b, PART_FROM = FROM / 20, PART_TO = TO / 20;
    const int half = p.plan.rows / 2 + 1, u = (int)threadIdx.x;
    float4 *const row = reinterpret_cast<float4 *>(shared);
    float4 *const work = reinterpret_cast<float4 *>(p.work) + (int64_t)blockIdx.x * (p.pitch / 2);
    const pair *const roots = reinterpret_cast<const pair *>(p.roots), *const back = roots + FROM;
    start_early();
    if (u < PART_FROM) {
        pair x[10], y[10];
#pragma unroll
        for (int j = 0; j < 10; j++) get(work[u + j * PART_FROM], x[j], y[j]);
        const pair *const at = roots + 2 * u, *const middle = roots + 10 * u;
        const pair w = at[0], v = at[1], w_half = middle[0], v_half = middle[5];
        small<10>(x);
        small<10>(y);
        multiply_powers<10>(x, w, w_half);
        multiply_powers<10>(y, v, v_half);
        put_first<10>(row, u, x, y);
    }
    __syncthreads();
    middle_pass<5, FROM, from_first<10>>(row, roots);
    middle_pass<50, FROM, from_spaced<5>>(row, roots);
    joint_pass<a, b>(row, back, (int)blockIdx.x % half == 0);
    middle_pass<b / 2, TO, from_first<b>>(row, back);
    middle_pass<5 * b, TO, from_spaced<b / 2>>(row, back);
    if (u >= PART_TO) return;
    pair x[10], y[10];
#pragma unroll
    for (int j = 0; j < 10; j++) get(row[u + spaced<5 * b>::slot(j * PART_TO)], x[j], y[j]);
    small<10>(x);
    small<10>(y);
#pragma unroll
    for (int k = 0; k < 10; k++) put(work + u + k * PART_TO, x[k], y[k]);
}

} // namespace resampling

} // namespace gnd

#endif
