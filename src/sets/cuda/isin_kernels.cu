/* isin_kernels.cu: membership on a GPU. Threads that put keys into the set at the same time agree by
 * compare-and-swap; which of them comes first changes where keys are, not which are there. A set of up
 * to some millions of keys stays in the L2 cache, and each look takes little more than one access. */
#include "sets/cuda/isin_params.h"
#include "sets/isin_ops.h"

namespace gnd {

template <class Key> struct swapped_as; /* what atomicCAS takes */
template <> struct swapped_as<uint32_t> { typedef unsigned int type; };
template <> struct swapped_as<uint64_t> { typedef unsigned long long type; };

template <class Kind> __global__ void __launch_bounds__(GNDI_ISIN_THREADS)
    isin_fill_kernel(const __grid_constant__ gndi_isin_params p) {
    typedef typename Kind::key Key;
    typedef typename swapped_as<Key>::type Swapped;
    const Key none = ~(Key)0;
    Swapped *slots = static_cast<Swapped *>(p.slots);
    const int64_t all = (int64_t)gridDim.x * GNDI_ISIN_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * GNDI_ISIN_THREADS + threadIdx.x; i < p.plan.length; i += all) {
        Key k;
        const char *element = p.plan.sorted + i * p.plan.step;
        if (!Kind::has_key(*reinterpret_cast<const typename Kind::raw *>(element), &k)) continue;
        if (k == none) {
            slots[p.mask + 1] = 0;
            continue;
        }
        for (uint64_t at = isin_hash(k) & p.mask;; at = (at + 1) & p.mask) {
            Key old = (Key)slots[at]; /* a key that is there stays: many are looked at alone */
            if (old == none) old = (Key)atomicCAS(&slots[at], (Swapped)none, (Swapped)k);
            if (old == none || old == k) break;
        }
    }
}

template <class Kind> __global__ void __launch_bounds__(GNDI_ISIN_THREADS)
    isin_look_up_kernel(const __grid_constant__ gndi_isin_params p) {
    constexpr int threads = GNDI_ISIN_THREADS, each = GNDI_ISIN_EACH;
    typedef typename Kind::key Key;
    const Key *slots = static_cast<const Key *>(p.slots);
    const int64_t all = (int64_t)gridDim.x * (threads * each);
    for (int64_t i = (int64_t)blockIdx.x * (threads * each) + threadIdx.x; i < p.plan.points; i += all) {
        typename Kind::raw value[each];
#pragma unroll
        for (int j = 0; j < each; j++) {
            const int64_t at = i + j * threads < p.plan.points ? i + j * threads : i;
            value[j] = *reinterpret_cast<const typename Kind::raw *>(p.plan.value + at * p.plan.value_step);
        }
        Key k[each], found[each];
        bool has[each];
#pragma unroll
        for (int j = 0; j < each; j++) {
            has[j] = Kind::has_key(value[j], &k[j]);
            found[j] = slots[isin_hash(k[j]) & p.mask];
        }
#pragma unroll
        for (int j = 0; j < each; j++) {
            if (i + j * threads >= p.plan.points) break;
            const bool is_there = has[j] && isin_find(slots, p.mask, k[j], isin_hash(k[j]) & p.mask, found[j]);
            reinterpret_cast<bool *>(p.plan.out)[i + j * threads] = is_there;
        }
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_isin_fill_kernel(int dtype) {
    return gnd::with_isin_kind(
        dtype, [](auto kind) { return reinterpret_cast<const void *>(&gnd::isin_fill_kernel<decltype(kind)>); });
}
extern "C" const void *gndi_cuda_isin_look_up_kernel(int dtype) {
    return gnd::with_isin_kind(
        dtype, [](auto kind) { return reinterpret_cast<const void *>(&gnd::isin_look_up_kernel<decltype(kind)>); });
}
extern "C" int64_t gndi_cuda_isin_slot(int dtype) {
    return gnd::with_isin_kind(dtype, [](auto kind) { return (int64_t)sizeof(typename decltype(kind)::key); });
}
