// sort_cuda.cu: CUB's radix sort behind the C function of sort_cuda.h.
#include "kernels/cuda/sort_cuda.h"
#include <cub/device/device_radix_sort.cuh>

extern "C" void gndi_cuda_use(const void *symbol); // runtime/cuda/runtime_cuda.h

namespace {

// CUB launches its kernels by itself: the object is used by this name.
__device__ char here;

struct request {
    void *work;
    size_t *bytes;
    const void *keys_in;
    void *keys_out;
    const void *values_in;
    void *values_out;
    int64_t n;
    int begin_bit, end_bit;
    cudaStream_t stream;
};

template <class Key> cudaError_t sort_keys(const request &r) {
    return cub::DeviceRadixSort::SortKeys(r.work, *r.bytes, static_cast<const Key *>(r.keys_in),
                                          static_cast<Key *>(r.keys_out), r.n, r.begin_bit, r.end_bit, r.stream);
}
template <class Key, class Value> cudaError_t sort_pairs(const request &r) {
    return cub::DeviceRadixSort::SortPairs(r.work, *r.bytes, static_cast<const Key *>(r.keys_in),
                                           static_cast<Key *>(r.keys_out), static_cast<const Value *>(r.values_in),
                                           static_cast<Value *>(r.values_out), r.n, r.begin_bit, r.end_bit, r.stream);
}
template <class Key> cudaError_t sort(const request &r, int value_bytes) {
    switch (value_bytes) {
    case 0: return sort_keys<Key>(r);
    case 4: return sort_pairs<Key, uint32_t>(r);
    case 8: return sort_pairs<Key, uint64_t>(r);
    default: return cudaErrorInvalidValue;
    }
}

} // namespace

#define SORT(part, Key)                                                                                                \
    extern "C" int gndi_cuda_radix_sort_##part(void *work, size_t *bytes, const void *keys_in, void *keys_out,         \
                                               const void *values_in, void *values_out, int value_bytes, int64_t n,    \
                                               int begin_bit, int end_bit, void *stream) {                             \
        const request r = {work,       bytes, keys_in,   keys_out, values_in,                                          \
                           values_out, n,     begin_bit, end_bit,  static_cast<cudaStream_t>(stream)};                 \
        gndi_cuda_use(&here);                                                                                          \
        return sort<Key>(r, value_bytes);                                                                              \
    }
#ifdef GNDI_PART_words
SORT(words, uint32_t)
#endif
#ifdef GNDI_PART_longs
SORT(longs, uint64_t)
#endif
