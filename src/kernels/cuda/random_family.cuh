/*
 * random_family.cuh: the kernels of one distribution. An element's words follow from its number, so that
 * threads share nothing: a thread computes a block of four words, and the one, two or four elements
 * that own it. Where a draw does not begin with a block, results still go out as vectors: each lane of a
 * warp gets what is missing from the next one, and the last lane only gives.
 */
#ifndef GNDI_RANDOM_FAMILY_CUH
#define GNDI_RANDOM_FAMILY_CUH

#include "kernels/cuda/random_params.h"
#include "kernels/cuda/report_fault.cuh"
#include "kernels/random_rows.h"

namespace gnd {

/* A distribution whose sampler computes in T, whose results are stored as S, and whose elements own W
   words (of the other generators: as many as the plan says). */
template <int Distribution, class T, class S, int W> struct cuda_draws {
    typedef random_maker<Distribution, T> maker;
    static constexpr int each = 4 / W; // elements of a block

    struct alignas(each * sizeof(S) > 16 ? 16 : each * sizeof(S)) vector {
        S lane[each];
    };

    template <class Sampler, class Source>
    GNDI_FN S element(const Sampler &sampler, Source &source) {
        return (S)sampler.draw(source);
    }
    /* One element whose parameters may be arrays. */
    template <class Source>
    GNDI_FN void put_own(const gndi_random_params &p, int64_t e, Source &source) {
        gndi_random_value values[GNDI_RANDOM_PARAMETERS];
        maker::load(p.plan, e, values);
        if (maker::valid(values)) {
            maker::template put<S>(p.plan, e, maker::make(values), source);
            return;
        }
        report_fault(p.fault, GNDI_FAULT_RANDOM, e, p.plan.distribution, p.plan.size);
        maker::template put_refused<S>(p.plan, e);
    }

    /* The next lane's values behind the own ones: those from `skip` on. */
    GNDI_FN void shift(vector &v, int skip) {
        S all[2 * each];
#pragma unroll
        for (int k = 0; k < each; k++) {
            all[k] = v.lane[k];
            all[each + k] = next_lane(v.lane[k]);
        }
#pragma unroll
        for (int s = 0; s < each; s++)
            if (s == skip) {
#pragma unroll
                for (int k = 0; k < each; k++) v.lane[k] = all[k + s];
            }
    }
    template <class V> GNDI_FN V next_lane(V v) {
        if constexpr (sizeof(V) < 4)
            return (V)__shfl_down_sync(0xffffffffu, (unsigned)v, 1);
        else
            return __shfl_down_sync(0xffffffffu, v, 1);
    }

    GNDI_FN void store(const gndi_random_plan &p, int64_t first, const vector &v) {
        S *to = reinterpret_cast<S *>(p.out) + first;
        if (first + each <= p.size) {
            *reinterpret_cast<vector *>(to) = v;
            return;
        }
#pragma unroll
        for (int k = 0; k < each; k++)
            if (first + k < p.size) to[k] = v.lane[k];
    }
};

template <int Distribution, class T, class S, int W>
__global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_numbers_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, W> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const uint64_t first = gndi_aligned_position(state.position, W);
    const int skip =
        (int)(first & 3) / W; // elements of the first block that belong to earlier draws
    gndi_random_value values[GNDI_RANDOM_PARAMETERS];
    D::maker::numbers(p.plan, values);
    const auto sampler = D::maker::make(values);
    const int lane = (int)threadIdx.x & 31;
#pragma unroll 1
    for (int i = 0; i < GNDI_RANDOM_EACH; i++) {
        const int64_t thread =
            ((int64_t)blockIdx.x * GNDI_RANDOM_EACH + i) * GNDI_RANDOM_THREADS + threadIdx.x;
        const int64_t block = skip ? (thread >> 5) * GNDI_RANDOM_VECTORS + lane : thread;
        typename D::vector v;
        const uint64_t position = (first & ~(uint64_t)3) + 4 * (uint64_t)block;
        const philox_block words = philox(state.key, position >> 2, 0, state.stream);
#pragma unroll
        for (int k = 0; k < D::each; k++) {
            philox_source source(state, position + k * W, W, words);
            v.lane[k] = D::element(sampler, source);
        }
        if (skip) {
            D::shift(v, skip);
            if (lane == GNDI_RANDOM_VECTORS) continue;
        }
        if (block * D::each < p.plan.size) D::store(p.plan, block * D::each, v);
    }
}

template <int Distribution, class T, class S, int W>
__global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_arrays_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, W> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const uint64_t first = gndi_aligned_position(state.position, W);
    const int64_t e = (int64_t)blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    if (e >= p.plan.size) return;
    philox_source source(state, first + (uint64_t)e * W, W);
    D::put_own(p, e, source);
}

/* The other generators: a thread a lane, for one element after the other. */
template <int Distribution, class T, class S> __global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_others_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, 4> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const int64_t lane = (int64_t)blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    gndi_random_engine engine = p.plan.engine;
    engine.state = state;
    other_source source(engine, p.plan.words);
    const bool sobol = state.kind == GNDI_SOBOL;
    int64_t e =
        sobol ? lane : (int64_t)(((uint64_t)lane - state.position) & (GNDI_RANDOM_LANES - 1));
    if (e >= p.plan.size) return;
    if (!sobol) source.load(engine.lanes, lane);
    for (; e < p.plan.size; e += GNDI_RANDOM_LANES) {
        if (sobol) source.begin(engine, state.position + (uint64_t)e);
        D::put_own(p, e, source);
    }
    if (!sobol) source.store(engine.lanes, lane);
}

template <int Distribution, class T, class S, int W> void fill_variant(const void **kernels) {
    if constexpr (!random_maker<Distribution, T>::writes_rows)
        kernels[GNDI_RANDOM_NUMBERS] =
            reinterpret_cast<const void *>(&random_numbers_kernel<Distribution, T, S, W>);
    if constexpr (random_row<Distribution>::count > 0)
        kernels[GNDI_RANDOM_ARRAYS] =
            reinterpret_cast<const void *>(&random_arrays_kernel<Distribution, T, S, W>);
    kernels[GNDI_RANDOM_OTHERS] =
        reinterpret_cast<const void *>(&random_others_kernel<Distribution, T, S>);
}

template <bool Mine, int Distribution> void fill_row(gndi_cuda_random_kernels &kernels) {
    typedef random_row<Distribution> row;
    if constexpr (!Mine) {
        return;
    } else if constexpr (row::result == 'F' || row::result == 'V') {
        fill_variant<Distribution, float, float, row::words32>(kernels[0]);
        fill_variant<Distribution, double, double, row::words64>(kernels[1]);
    } else if constexpr (row::result == 'I' || row::result == 'M') {
        fill_variant<Distribution, double, int64_t, row::words64>(kernels[1]);
    } else {
        fill_variant<Distribution, double, uint8_t, 1>(kernels[0]);
        fill_variant<Distribution, double, uint8_t, 2>(kernels[1]);
        fill_variant<Distribution, double, uint16_t, 1>(kernels[2]);
        fill_variant<Distribution, double, uint16_t, 2>(kernels[3]);
        fill_variant<Distribution, double, uint32_t, 1>(kernels[4]);
        fill_variant<Distribution, double, uint32_t, 2>(kernels[5]);
        fill_variant<Distribution, double, uint64_t, 1>(kernels[6]);
        fill_variant<Distribution, double, uint64_t, 2>(kernels[7]);
    }
}

} // namespace gnd

#endif
