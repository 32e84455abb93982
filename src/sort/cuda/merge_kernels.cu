/*
 * merge_kernels.cu: two lines in order merged tile by tile. A block brings the parts of both lines that make its tile
 * into shared memory; each thread finds where its elements begin by a search there, and merges them one by one. What it
 * notes is where each element stands in the tile's memory, so that results leave in whole lines, indices too.
 */
#include "sort/cuda/merge_params.h"
#include "sort/cuda/sort_keys.cuh"
#include "sort/merge_ops.h"

namespace gnd {

template <class Keys> struct merge_tile {
    typedef typename Keys::Bits Bits;
    static constexpr int size = GNDI_MERGE_TILE((int)sizeof(Bits)), each = size / GNDI_MERGE_THREADS;
};

template <class Keys> GNDI_FN typename Keys::Order merge_order(const gndi_sort_rule &rule, typename Keys::Bits bits) {
    return Keys::order(rule, Keys::encode(rule, bits));
}

template <class Keys> __global__ void __launch_bounds__(GNDI_MERGE_THREADS)
    merge_split_kernel(const __grid_constant__ gndi_merge_params p) {
    typedef typename Keys::Bits Bits;
    const int64_t tile = (int64_t)blockIdx.x * GNDI_MERGE_THREADS + threadIdx.x;
    const int64_t n = p.plan.count[0], m = p.plan.count[1];
    if (tile > p.tiles) return;
    const int64_t begin = tile * merge_tile<Keys>::size, total = n + m;
    p.splits[tile] = merge_split(begin < total ? begin : total, n, m, [&](int64_t j, int64_t i) {
        const Bits y = load_at<Bits>(p.plan.data[1] + j * p.plan.step[1]);
        const Bits x = load_at<Bits>(p.plan.data[0] + i * p.plan.step[0]);
        return merge_order<Keys>(p.rule, y) < merge_order<Keys>(p.rule, x);
    });
}

template <class Keys> __global__ void __launch_bounds__(GNDI_MERGE_THREADS)
    merge_kernel(const __grid_constant__ gndi_merge_params p) {
    typedef typename Keys::Bits Bits;
    typedef typename Keys::Order Order;
    constexpr int tile = merge_tile<Keys>::size, each = merge_tile<Keys>::each;
    __shared__ Bits elements[tile]; /* the part of a, then that of b */
    __shared__ uint16_t from[tile]; /* where in `elements` each of the tile is */
    const int64_t n = p.plan.count[0], m = p.plan.count[1], total = n + m;
    const int64_t begin = (int64_t)blockIdx.x * tile, first_a = p.splits[blockIdx.x];
    const int64_t first_b = begin - first_a;
    const int count = (int)(total - begin < tile ? total - begin : tile);
    const int64_t split = p.splits[blockIdx.x + 1] - first_a; /* of lines that are not in order it may be anything */
    const int64_t least = count > m - first_b ? count - (m - first_b) : 0,
                  most = n - first_a < count ? n - first_a : count;
    const int of_a = (int)(split < least ? least : split > most ? most : split), of_b = count - of_a;
    for (int i = (int)threadIdx.x; i < count; i += GNDI_MERGE_THREADS)
        elements[i] = i < of_a ? load_at<Bits>(p.plan.data[0] + (first_a + i) * p.plan.step[0])
                               : load_at<Bits>(p.plan.data[1] + (first_b + (i - of_a)) * p.plan.step[1]);
    __syncthreads();
    const int own = (int)threadIdx.x * each;
    if (own < count) {
        int i = (int)merge_split(own, of_a, of_b, [&](int64_t y, int64_t x) {
            return merge_order<Keys>(p.rule, elements[of_a + (int)y]) < merge_order<Keys>(p.rule, elements[(int)x]);
        });
        int j = own - i;
        Order a = i < of_a ? merge_order<Keys>(p.rule, elements[i]) : 0;
        Order b = j < of_b ? merge_order<Keys>(p.rule, elements[of_a + j]) : 0;
        for (int k = 0; k < each && own + k < count; k++) {
            const bool of_second = i == of_a || (j < of_b && b < a);
            const int at = of_second ? of_a + j : i;
            from[own + k] = (uint16_t)at;
            of_second ? j++ : i++;
            if (of_second ? j == of_b : i == of_a) continue;
            /* Not elements[i] and elements[of_a + j]: for these ptxas 13.0 adds 1 to i twice. */
            const Order next = merge_order<Keys>(p.rule, elements[at + 1]);
            (of_second ? b : a) = next;
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += GNDI_MERGE_THREADS) {
        const int at = from[i];
        store_at<Bits>(p.plan.out + (begin + i) * (int64_t)sizeof(Bits), elements[at]);
        if (p.plan.indices) p.plan.indices[begin + i] = at < of_a ? first_a + at : n + first_b + (at - of_a);
    }
}

template <class Keys> struct merge_kernels_of {
    static const void *of(bool split) {
        return split ? reinterpret_cast<const void *>(&merge_split_kernel<Keys>)
                     : reinterpret_cast<const void *>(&merge_kernel<Keys>);
    }
};

static const void *kernel_of(int key_class, bool split) {
    switch (key_class) {
    case GNDI_SORT_1: return merge_kernels_of<real_keys<uint8_t>>::of(split);
    case GNDI_SORT_2: return merge_kernels_of<real_keys<uint16_t>>::of(split);
    case GNDI_SORT_4: return merge_kernels_of<real_keys<uint32_t>>::of(split);
    case GNDI_SORT_8: return merge_kernels_of<real_keys<uint64_t>>::of(split);
    case GNDI_SORT_C8: return merge_kernels_of<complex64_keys>::of(split);
    default: return merge_kernels_of<complex128_keys>::of(split);
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_merge_split_kernel(int key_class) {
    return gnd::kernel_of(key_class, true);
}

extern "C" const void *gndi_cuda_merge_kernel(int key_class) {
    return gnd::kernel_of(key_class, false);
}
