// phase_lines_kernels.cu: complex logarithms of spectra with a continuous phase, in two launches. A jump of more than
// half a turn between neighbours is made up for by a whole turn, so that what is added up is integers, in any order:
// blocks count the turns of their parts of a line, and then add up those of the parts before their own.
#include "kernels/cuda/early_start.cuh"
#include "kernels/scalar/scalar_math.h"
#include "transforms/cuda/phase_lines_params.h"

namespace gnd {

namespace phase_lines {

constexpr int THREADS = GNDI_PHASE_THREADS, EACH = GNDI_PHASE_EACH, PART = GNDI_PHASE_PART, WARPS = THREADS / 32;
constexpr double PI = 3.14159265358979323846;

// Called, not inlined eight times.
template <class V> GNDI_FN_HEAVY double angle_of(V z) {
    return (double)m::atan2(z.y + 0, z.x); // of real numbers 0 or pi
}

template <class V> GNDI_FN_HEAVY double log_magnitude(V z) {
    const double re = (double)z.x, im = (double)z.y;
    return sizeof z == 16 ? m::log(m::hypot(re, im)) : 0.5 * m::log(re * re + im * im);
}

// A part of a line. Elements of a thread are THREADS apart, so that those of a row, of all threads, are beside each
// other.
template <class V> struct part {
    const V *z; // the line
    int64_t number, first;

    GNDI_FN_MEMBER static part of(const gndi_phase_lines_params &p) {
        const int64_t line = blockIdx.x / p.parts, number = blockIdx.x - line * p.parts;
        return {reinterpret_cast<const V *>(p.plan.z) + line * p.plan.half, number, number * PART};
    }

    // The turns at element k, whose angle is given, as lanes that have a turn up or down.
    __device__ __forceinline__ void jumps(int64_t k, int64_t half, double angle, unsigned *up, unsigned *down) const {
        double before = __shfl_up_sync(~0u, angle, 1);
        if (threadIdx.x % 32 == 0 && k > 0 && k < half) before = angle_of(z[k - 1]);
        const bool inside = k > 0 && k < half;
        const double step = angle - before;
        *up = __ballot_sync(~0u, inside && step < -PI);
        *down = __ballot_sync(~0u, inside && step > PI);
    }
};

GNDI_FN int count(unsigned up, unsigned down) {
    return __popc(up) - __popc(down);
}

template <class V> __global__ void __launch_bounds__(THREADS)
    turns_kernel(const __grid_constant__ gndi_phase_lines_params p) {
    __shared__ int of_warp[WARPS];
    const part<V> own = part<V>::of(p);
    const int64_t half = p.plan.half;
    int turns = 0;
    start_early();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int64_t k = own.first + j * THREADS + threadIdx.x;
        unsigned up, down;
        own.jumps(k, half, k < half ? angle_of(own.z[k]) : 0, &up, &down);
        turns += count(up, down);
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = turns;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < WARPS; w++) turns += of_warp[w];
    p.turns[blockIdx.x] = turns;
}

// The turns of the parts before a block's own, and of all, in all threads.
GNDI_FN void add_up_parts(const int32_t *turns, int64_t parts, int64_t own, int *before, int *all) {
    __shared__ int sums[2][WARPS];
    *before = *all = 0;
    for (int64_t i = threadIdx.x; i < parts; i += THREADS) {
        const int here = turns[i];
        *all += here;
        if (i < own) *before += here;
    }
    for (int width = 16; width > 0; width /= 2) {
        *before += __shfl_xor_sync(~0u, *before, width);
        *all += __shfl_xor_sync(~0u, *all, width);
    }
    if (threadIdx.x % 32 == 0) sums[0][threadIdx.x / 32] = *before, sums[1][threadIdx.x / 32] = *all;
    __syncthreads();
    *before = *all = 0;
    for (int w = 0; w < WARPS; w++) *before += sums[0][w], *all += sums[1][w];
}

template <class V> __global__ void __launch_bounds__(THREADS)
    logarithms_kernel(const __grid_constant__ gndi_phase_lines_params p) {
    typedef decltype(V::x) R;
    __shared__ int of_row[EACH][WARPS];
    const part<V> own = part<V>::of(p);
    const int64_t half = p.plan.half, line = blockIdx.x / p.parts;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    V v[EACH];
    double angle[EACH];
    int turns[EACH], before, all;
    start_early();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int64_t k = own.first + j * THREADS + threadIdx.x;
        unsigned up, down;
        v[j] = k < half ? own.z[k] : V{1, 0};
        angle[j] = angle_of(v[j]);
        own.jumps(k, half, angle[j], &up, &down);
        turns[j] = count(up & (2u << lane) - 1, down & (2u << lane) - 1); // of the lanes up to this one
        if (lane == 0) of_row[j][warp] = count(up, down);
    }
    add_up_parts(p.turns + line * p.parts, p.parts, own.number, &before, &all); // which waits for all threads
    const double delay = rint((angle_of(own.z[half - 1]) + 2 * PI * all) / PI);
    V *const out = reinterpret_cast<V *>(p.plan.out) + line * half;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int64_t k = own.first + j * THREADS + threadIdx.x;
        for (int w = 0; w < WARPS; w++) {
            if (w < warp) turns[j] += of_row[j][w];
        }
        const double phase = angle[j] + 2 * PI * (before + turns[j]);
        for (int w = 0; w < WARPS; w++) before += of_row[j][w];
        if (k >= half) continue;
        const double rest = phase - delay * PI * (double)k / (double)(half - 1);
        const bool real = k == 0 || k == half - 1; // of the spectrum of real numbers
        out[k] = V{(R)(p.plan.factor * log_magnitude(v[j])), real ? (R)0 : (R)(p.plan.factor * rest)};
    }
    if (p.plan.delay && own.number == 0 && threadIdx.x == 0) reinterpret_cast<R *>(p.plan.delay)[line] = (R)delay;
}

} // namespace phase_lines

} // namespace gnd

extern "C" const void *gndi_cuda_phase_kernel(bool wide, bool logarithms) {
    using namespace gnd::phase_lines;
    if (logarithms) return wide ? (const void *)logarithms_kernel<double2> : (const void *)logarithms_kernel<float2>;
    return wide ? (const void *)turns_kernel<double2> : (const void *)turns_kernel<float2>;
}
