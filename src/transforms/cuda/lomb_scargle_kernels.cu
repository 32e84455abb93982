// lomb_scargle_kernels.cu: the sums of Lomb-Scargle periodograms.
//
// A thread has some neighbouring frequencies, and goes over the samples of a slice, which the block holds in shared
// memory tile by tile. If the block's frequencies are evenly spaced, to some roundings, as they mostly are, sines and
// cosines are computed of a thread's first frequency; those of the others follow by a rotation that belongs to the
// sample, which the block computes once for each. A chain of 7 rotations is wrong by a few roundings, less than those of
// a phase of some turns. Sums of float32 are moved to float64 after each tile.
#include "kernels/cuda/report_fault.cuh"
#include "transforms/cuda/block_sum.cuh"
#include "transforms/cuda/periods_params.h"
#include "transforms/lomb_scargle_ops.h"

namespace gnd {
namespace periods {

enum { THREADS = GNDI_PERIODS_THREADS, TILE = GNDI_PERIODS_TILE };

template <class T, bool plain> struct lomb {
    static constexpr int each = sizeof(T) == 4 ? GNDI_PERIODS_FREQS / 2 : GNDI_PERIODS_FREQS;
    static constexpr int count = plain ? C : SUMS;
    static constexpr bool narrow = sizeof(T) == 4;

    struct memory {
        double t[TILE];
        T w[TILE], wy[TILE], rotation[TILE][2];
    };

    GNDI_FN double freq(const lomb_plan &p, int64_t i) {
        const int64_t at = i < p.count ? i : p.count - 1;
        return (double)static_cast<const T *>(p.freqs)[at];
    }

    // The step between the block's frequencies, in quarters of a turn; false: they are not even.
    static __device__ bool is_even(const lomb_plan &p, int64_t begin, int64_t first, double *step) {
        const int64_t after = begin + THREADS * each, last = (after < p.count ? after : p.count) - 1;
        const double from = freq(p, begin), to = freq(p, last), gap = last > begin ? (to - from) / (last - begin) : 0;
        const double near = (m::abs(from) + m::abs(to)) * (narrow ? 1.2e-7 : 4.5e-16);
        bool even = true;
#pragma unroll
        for (int k = 0; k < each; k++) {
            const double expected = from + gap * (double)(first + k - begin);
            if (first + k < p.count) even = even && m::abs(freq(p, first + k) - expected) <= near;
        }
        *step = gap * phases::QUARTERS_OF_RADIAN;
        // Rotations of rounded float32 frequencies would differ from them by more than these sums show.
        return __syncthreads_and(even && !narrow);
    }

    // Samples begin .. of a tile; what they add to the totals.
    static __device__ void load(const lomb_plan &p, memory &m, int64_t begin, int n, double step, bool even, totals &of,
                                bool &good) {
        for (int j = (int)threadIdx.x; j < TILE; j += THREADS) {
            const bool there = j < n;
            const double t = there ? (double)static_cast<const T *>(p.x)[begin + j] : 0;
            const T y = there ? static_cast<const T *>(p.y)[begin + j] : T(0);
            const T w = !there ? T(0) : p.weights ? static_cast<const T *>(p.weights)[begin + j] : T(1);
            m.t[j] = t, m.w[j] = w, m.wy[j] = w * y;
            if (even) phases::sincos_of(step, t, &m.rotation[j][1], &m.rotation[j][0]);
            good = good && (w >= T(0));
            of.w += (double)w, of.y += (double)w * (double)y, of.yy += (double)w * (double)y * (double)y;
        }
    }

    GNDI_FN void add(T (&sums)[count][each], int k, T w, T wy, T c, T s) {
        const T wc = plain ? c : w * c;
        sums[CC][k] += wc * c, sums[CS][k] += wc * s;
        sums[YC][k] += wy * c, sums[YS][k] += wy * s;
        if constexpr (!plain) sums[C][k] += wc, sums[S][k] += w * s;
    }

    GNDI_FN void tile_sums(const memory &m, int n, const double (&quarters)[each], bool even, T (&sums)[count][each]) {
        if (even) {
#pragma unroll 1
            for (int j = 0; j < n; j++) {
                T s, c;
                phases::sincos_of(quarters[0], m.t[j], &s, &c);
                const T w = m.w[j], wy = m.wy[j], rc = m.rotation[j][0], rs = m.rotation[j][1];
#pragma unroll
                for (int k = 0; k < each; k++) {
                    add(sums, k, w, wy, c, s);
                    const T next = c * rc - s * rs;
                    s = s * rc + c * rs, c = next;
                }
            }
        } else {
#pragma unroll 1
            for (int j = 0; j < n; j++) {
                const T w = m.w[j], wy = m.wy[j];
#pragma unroll
                for (int k = 0; k < each; k++) {
                    T s, c;
                    phases::sincos_of(quarters[k], m.t[j], &s, &c);
                    add(sums, k, w, wy, c, s);
                }
            }
        }
    }
};

template <class T, bool plain> __global__ void __launch_bounds__(THREADS)
    sums_kernel(const __grid_constant__ gndi_lomb_scargle_params p) {
    typedef lomb<T, plain> L;
    __shared__ typename L::memory m;
    const lomb_plan &plan = p.plan;
    const int64_t group = blockIdx.x % p.groups, slice = blockIdx.x / p.groups;
    const int64_t begin = group * THREADS * L::each, first = begin + (int64_t)threadIdx.x * L::each;
    const int64_t from = slice * p.length, to = from + p.length < plan.samples ? from + p.length : plan.samples;
    double quarters[L::each], step, wide[L::narrow ? L::count : 1][L::each] = {};
    T sums[L::count][L::each] = {};
    totals of = {0, 0, 0};
    bool good = true;
#pragma unroll
    for (int k = 0; k < L::each; k++) quarters[k] = L::freq(plan, first + k) * phases::QUARTERS_OF_RADIAN;
    const bool even = L::is_even(plan, begin, first, &step);
    for (int64_t j = from; j < to; j += TILE) {
        const int n = to - j < TILE ? (int)(to - j) : TILE;
        __syncthreads();
        L::load(plan, m, j, n, step, even, of, good);
        __syncthreads();
        L::tile_sums(m, n, quarters, even, sums);
        if constexpr (L::narrow) {
#pragma unroll
            for (int q = 0; q < L::count; q++) {
#pragma unroll
                for (int k = 0; k < L::each; k++) wide[q][k] += (double)sums[q][k], sums[q][k] = 0;
            }
        }
    }
#pragma unroll
    for (int q = 0; q < L::count; q++) {
        double *row = p.sums + (slice * SUMS + q) * plan.count;
#pragma unroll
        for (int k = 0; k < L::each; k++)
            if (first + k < plan.count) row[first + k] = L::narrow ? wide[L::narrow ? q : 0][k] : (double)sums[q][k];
    }
    if (group > 0) return;
    if (!good) report_fault(p.fault, GNDI_FAULT_WEIGHTS, 0, 0, 0);
    of.w = block_sum<THREADS>(of.w), of.y = block_sum<THREADS>(of.y), of.yy = block_sum<THREADS>(of.yy);
    if (threadIdx.x == 0) p.totals[3 * slice] = of.w, p.totals[3 * slice + 1] = of.y, p.totals[3 * slice + 2] = of.yy;
}

template <class T, bool plain> __global__ void __launch_bounds__(THREADS)
    power_kernel(const __grid_constant__ gndi_lomb_scargle_params p) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.plan.count) return;
    double sums[SUMS] = {};
    totals of = {0, 0, 0};
    for (int64_t slice = 0; slice < p.slices; slice++) {
#pragma unroll
        for (int q = 0; q < (plain ? C : SUMS); q++) sums[q] += p.sums[(slice * SUMS + q) * p.plan.count + i];
        of.w += p.totals[3 * slice], of.y += p.totals[3 * slice + 1], of.yy += p.totals[3 * slice + 2];
    }
    if (i == 0 && !(of.w > 0)) report_fault(p.fault, GNDI_FAULT_WEIGHTS, 0, 0, 0);
    put_power<T>(p.plan, i, sums, of);
}

template <class T, bool plain> static const void *kernel(bool finishes) {
    return finishes ? (const void *)power_kernel<T, plain> : (const void *)sums_kernel<T, plain>;
}

} // namespace periods
} // namespace gnd

extern "C" const void *gndi_cuda_lomb_scargle_kernel(int dtype, bool plain, bool finishes) {
    using namespace gnd::periods;
    if (dtype == GND_FLOAT32) return plain ? kernel<float, true>(finishes) : kernel<float, false>(finishes);
    return plain ? kernel<double, true>(finishes) : kernel<double, false>(finishes);
}
