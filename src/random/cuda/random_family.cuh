/*
 * random_family.cuh: the kernels of one distribution. An element's index determines its words, so that
 * threads share nothing: a thread computes a block of four words, and the one, two or four elements
 * that own it. Where a draw does not begin with a block, results are still stored as vectors: each lane of a
 * warp gets the missing elements from the next lane; the last lane stores none.
 *
 * The cost is the number of instructions: 10^8 elements take 3.4 us for each on an H200 (a 64-bit product is
 * four, other integer products two). So the round keys of Philox are computed once a thread, offsets from a
 * block's first element have 32 bits, and rare cases are tested once a vector.
 */
#ifndef GNDI_RANDOM_FAMILY_CUH
#define GNDI_RANDOM_FAMILY_CUH

#include "random/cuda/random_params.h"
#include "kernels/cuda/report_fault.cuh"
#include "random/random_rows.h"

namespace gnd {

/* A distribution whose sampler computes in T, whose results are stored as S, and whose elements own W
   words (of the other generators: as many as the plan says). */
template <int Distribution, class T, class S, int W> struct cuda_draws {
    typedef random_maker<Distribution, T> maker;
    static constexpr int each = 4 / W; // elements of a block
    /* Distributions of few instructions: two blocks at once, and the keys in registers. */
    static constexpr bool quick = Distribution <= GNDI_RANDOM_exponential;
    static constexpr int at_once = quick ? 2 : 1;
    static constexpr bool is_normal = Distribution == GNDI_RANDOM_standard_normal || Distribution == GNDI_RANDOM_normal;
    static constexpr bool is_narrow = Distribution == GNDI_RANDOM_integers && W == 1;

    struct alignas(each * sizeof(S) > 16 ? 16 : each * sizeof(S)) vector {
        S lane[each];
    };

    template <class Sampler, class Source> GNDI_FN S element(const Sampler &sampler, Source &source) {
        return (S)sampler.draw(source);
    }
    /* Draws one element whose parameters may be arrays. */
    template <class Source> GNDI_FN void put_own(const gndi_random_params &p, int64_t e, Source &source) {
        gndi_random_value values[GNDI_RANDOM_PARAMETERS];
        maker::load(p.plan, e, values);
        if (maker::valid(values)) {
            maker::template put<S>(p.plan, e, maker::make(values), source);
            return;
        }
        report_fault(p.fault, GNDI_FAULT_RANDOM, e, p.plan.distribution, p.plan.size);
        maker::template put_refused<S>(p.plan, e);
    }

    /* Elements from `skip` on of the own values followed by the next lane's. */
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

    /* The elements of a block of words. `few`: for integers, the number of low halves that are rejected. */
    template <class Sampler> GNDI_FN void elements(const Sampler &sampler, uint32_t few, const gndi_random_state &state,
                                                   uint64_t block, const philox_block &words, vector &v) {
        if constexpr (is_normal) {
            normals(sampler, words, v);
        } else if constexpr (is_narrow) {
            bool any = false;
            uint32_t rest[each];
#pragma unroll
            for (int k = 0; k < each; k++) {
                v.lane[k] = (S)sampler.of_word(words.word[k], &rest[k]);
                any |= rest[k] < few;
            }
            if (!any) return;
#pragma unroll
            for (int k = 0; k < each; k++)
                if (rest[k] < few) v.lane[k] = general(sampler, state, block, k, words);
        } else {
#pragma unroll
            for (int k = 0; k < each; k++) v.lane[k] = general(sampler, state, block, k, words);
        }
    }
    template <class Sampler> GNDI_FN S general(const Sampler &sampler, const gndi_random_state &state, uint64_t block,
                                               int k, const philox_block &words) {
        philox_source source(state, 4 * block + (uint64_t)(k * W), W, words);
        return element(sampler, source);
    }
    template <class Sampler> GNDI_FN void normals(const Sampler &sampler, const philox_block &words, vector &v) {
        T x[each], log2[each], z[each];
        bool any = false;
#pragma unroll
        for (int k = 0; k < each; k++) {
            const normal_sample<T> sample(own_word(words, k));
            x[k] = sample.x, log2[k] = sample.log2, z[k] = sample.middle();
            any |= sample.in_tail();
        }
        if (any) {
#pragma unroll
            for (int k = 0; k < each; k++) {
                const normal_sample<T> sample(own_word(words, k), x[k], log2[k]);
                if (sample.in_tail()) z[k] = sample.tail();
            }
        }
#pragma unroll
        for (int k = 0; k < each; k++) v.lane[k] = sampler.of_normal(z[k]);
    }
    GNDI_FN auto own_word(const philox_block &b, int k) {
        if constexpr (W == 1)
            return b.word[k];
        else
            return (uint64_t)b.word[2 * k] << 32 | b.word[2 * k + 1];
    }

    /* Vectors of 32 bytes are stored in halves. So that each store of a warp covers 512 bytes without gaps, a pair of
       lanes takes a vector from the first 16 and one from the others, exchanges halves, and each lane stores a half of
       either vector. (10^8 int64 on an H200: 216 us; exchanged between neighbouring vectors, with gaps, 225; without an
       exchange 348.) */
    static constexpr bool in_pairs = each * sizeof(S) == 32;
    struct alignas(16) half_vector {
        S lane[each / 2];
    };
    GNDI_FN void store_pairs(S *to, uint32_t warp, const vector &v) {
        const int lane = (int)threadIdx.x & 31;
        const bool odd = lane & 1;
        half_vector own, other;
#pragma unroll
        for (int k = 0; k < each / 2; k++) {
            const S low = v.lane[k], high = v.lane[each / 2 + k];
            own.lane[k] = odd ? high : low;
            other.lane[k] = __shfl_xor_sync(0xffffffffu, odd ? low : high, 1);
        }
        half_vector *sample = reinterpret_cast<half_vector *>(to) + 2 * (uint64_t)warp + lane;
        sample[0] = odd ? other : own;
        sample[32] = odd ? own : other;
    }

    /* Stores a vector at index `at` from `to` on: whole if `at` is below `whole`, else as far as `left` elements go. */
    GNDI_FN void store(S *to, uint32_t at, int whole, int64_t left, const vector &v) {
        if ((int)at < whole) {
            reinterpret_cast<vector *>(to)[at] = v;
            return;
        }
#pragma unroll
        for (int k = 0; k < each; k++)
            if ((int64_t)at * each + k < left) to[(int64_t)at * each + k] = v.lane[k];
    }
};

template <int Distribution, class T, class S, int W> __global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_numbers_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, W> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const uint64_t first = gndi_aligned_position(state.position, W);
    const int skip = (int)(first & 3) / W; // elements of the first block that belong to earlier draws
    gndi_random_value values[GNDI_RANDOM_PARAMETERS];
    D::maker::numbers(p.plan, values);
    const auto sampler = D::maker::make(values);
    uint32_t few = 0;
    if constexpr (D::is_narrow) few = sampler.favours();
    philox_keys keys(state.key);
    if constexpr (D::quick) keys.pin();

    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x - lane;
    const int step = skip ? GNDI_RANDOM_THREADS / 32 * GNDI_RANDOM_VECTORS : GNDI_RANDOM_THREADS;
    /* From the thread block's first vector on. */
    const int64_t begin = (int64_t)blockIdx.x * p.each * step, left = p.plan.size - begin * D::each;
    const int whole = (int)(left / D::each < INT32_MAX ? left / D::each : INT32_MAX);
    const uint64_t block = (first >> 2) + (uint64_t)begin;
    S *const to = reinterpret_cast<S *>(p.plan.out) + begin * D::each;
    uint32_t at = skip ? (uint32_t)(warp / 32 * GNDI_RANDOM_VECTORS + lane) : threadIdx.x;
    if (D::in_pairs && !skip) at = (uint32_t)(warp + (lane >> 1) + (lane & 1) * 16);
    for (int i = 0; i < p.each; i += D::at_once) {
#pragma unroll
        for (int j = 0; j < D::at_once; j++, at += (uint32_t)step) {
            const philox_block words = philox(keys, block + at, 0, state.stream);
            typename D::vector v;
            D::elements(sampler, few, state, block + at, words, v);
            if (skip) {
                D::shift(v, skip);
                if (lane == GNDI_RANDOM_VECTORS) continue;
            } else if constexpr (D::in_pairs) {
                const int beginning = warp + (i + j) * GNDI_RANDOM_THREADS;
                if (beginning + 32 <= whole) {
                    D::store_pairs(to, (uint32_t)beginning, v);
                    continue;
                }
            }
            D::store(to, at, whole, left, v);
        }
    }
}

template <int Distribution, class T, class S, int W> __global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_arrays_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, W> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const uint64_t first = gndi_aligned_position(state.position, W);
    const int64_t e = (int64_t)blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    if (e >= p.plan.size) return;
    philox_source source(state, first + (uint64_t)gndi_random_index(&p.plan, e) * W, W);
    D::put_own(p, e, source);
}

/* The other generators: a thread for each state, one element after the other. */
template <int Distribution, class T, class S> __global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_others_kernel(const __grid_constant__ gndi_random_params p) {
    typedef cuda_draws<Distribution, T, S, 4> D;
    const gndi_random_state state = state_of(p.plan.engine);
    const int64_t index = (int64_t)blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    gndi_random_engine engine = p.plan.engine;
    engine.state = state;
    other_source source(engine, p.plan.words);
    const bool sobol = state.kind == GNDI_SOBOL;
    int64_t e = sobol ? index : (int64_t)(((uint64_t)index - state.position) & (GNDI_RANDOM_STATES - 1));
    if (e >= p.plan.size) return;
    if (!sobol) source.load(engine.states, index);
    for (; e < p.plan.size; e += GNDI_RANDOM_STATES) {
        if (sobol) source.begin(engine, state.position + (uint64_t)gndi_random_index(&p.plan, e));
        D::put_own(p, e, source);
    }
    if (!sobol) source.store(engine.states, index);
}

/* Fills in the kernels in `Kernels`, a bit each. */
template <int Kernels, int Distribution, class T, class S, int W> void fill_variant(const void **kernels) {
    if constexpr ((Kernels >> GNDI_RANDOM_NUMBERS & 1) && !random_maker<Distribution, T>::writes_rows)
        kernels[GNDI_RANDOM_NUMBERS] = reinterpret_cast<const void *>(&random_numbers_kernel<Distribution, T, S, W>);
    if constexpr ((Kernels >> GNDI_RANDOM_ARRAYS & 1) && random_row<Distribution>::count > 0)
        kernels[GNDI_RANDOM_ARRAYS] = reinterpret_cast<const void *>(&random_arrays_kernel<Distribution, T, S, W>);
    if constexpr (Kernels >> GNDI_RANDOM_OTHERS & 1)
        kernels[GNDI_RANDOM_OTHERS] = reinterpret_cast<const void *>(&random_others_kernel<Distribution, T, S>);
}

/* `Variants`: types of results, a bit each; even ones are of T = float or one word, odd ones of double or two. */
template <bool Mine, int Distribution, int Variants, int Kernels> void fill_row(gndi_cuda_random_kernels &kernels) {
    typedef random_row<Distribution> row;
    constexpr bool floats = Variants & 1, doubles = Variants & 2;
    if constexpr (!Mine) {
        return;
    } else if constexpr (row::result == 'F' || row::result == 'V') {
        if constexpr (floats) fill_variant<Kernels, Distribution, float, float, row::words32>(kernels[0]);
        if constexpr (doubles) fill_variant<Kernels, Distribution, double, double, row::words64>(kernels[1]);
    } else if constexpr (row::result == 'I' || row::result == 'M') {
        if constexpr (doubles) fill_variant<Kernels, Distribution, double, int64_t, row::words64>(kernels[1]);
    } else {
        if constexpr (floats) {
            fill_variant<Kernels, Distribution, double, uint8_t, 1>(kernels[0]);
            fill_variant<Kernels, Distribution, double, uint16_t, 1>(kernels[2]);
            fill_variant<Kernels, Distribution, double, uint32_t, 1>(kernels[4]);
            fill_variant<Kernels, Distribution, double, uint64_t, 1>(kernels[6]);
        }
        if constexpr (doubles) {
            fill_variant<Kernels, Distribution, double, uint8_t, 2>(kernels[1]);
            fill_variant<Kernels, Distribution, double, uint16_t, 2>(kernels[3]);
            fill_variant<Kernels, Distribution, double, uint32_t, 2>(kernels[5]);
            fill_variant<Kernels, Distribution, double, uint64_t, 2>(kernels[7]);
        }
    }
}

} // namespace gnd

#endif
