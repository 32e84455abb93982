// scatter_kernels.cu: from indices to the numbers of the targets that they name, by which few updates are also sorted.
#include "index/cuda/scatter_params.h"

namespace gnd {

/* uint64 above 2^63 - 1 becomes the largest int64, which is out of range everywhere. */
static __device__ __forceinline__ int64_t load_index(const char *p, int dtype) {
    switch (dtype) {
    case 1: return *(const uint8_t *)p != 0;
    case 2: return *(const int8_t *)p;
    case 3: return *(const uint8_t *)p;
    case 4: return *(const int16_t *)p;
    case 5: return *(const uint16_t *)p;
    case 6: return *(const int32_t *)p;
    case 7: return *(const uint32_t *)p;
    case 9: {
        const uint64_t index = *(const uint64_t *)p;
        return index >> 63 ? INT64_MAX : (int64_t)index;
    }
    default: return *(const int64_t *)p;
    }
}

static __device__ __noinline__ void report(const gndi_key_params &p, int a, int64_t index) {
    if (atomicCAS(&p.fault->code, 0, (int)GNDI_FAULT_INDEX) == 0)
        p.fault->value = index, p.fault->axis = p.axis[a].axis, p.fault->size = p.axis[a].size;
}

static __device__ __forceinline__ int64_t key_of(const gndi_key_params &p, int64_t i) {
    int64_t key = 0;
    for (int a = 0; a < p.axes; a++) {
        const gndi_key_axis &axis = p.axis[a];
        const int64_t index = load_index(axis.data + i * axis.step, axis.dtype);
        if (index < -axis.size || index >= axis.size) {
            report(p, a, index);
            return p.targets;
        }
        key = key * axis.size + (index < 0 ? index + axis.size : index);
    }
    return key;
}

static __device__ __forceinline__ void store_word(void *to, int bytes, int64_t i, uint64_t word) {
    if (bytes == 4)
        ((uint32_t *)to)[i] = (uint32_t)word;
    else
        ((uint64_t *)to)[i] = word;
}

__global__ void __launch_bounds__(GNDI_KEY_THREADS) keys_kernel(const __grid_constant__ gndi_key_params p) {
    const int64_t block = (int64_t)blockIdx.x * (GNDI_KEY_THREADS * GNDI_KEY_EACH);
#pragma unroll
    for (int k = 0; k < GNDI_KEY_EACH; k++) {
        const int64_t i = block + k * GNDI_KEY_THREADS + threadIdx.x;
        if (i >= p.updates) return;
        const int64_t key = key_of(p, i);
        store_word(p.keys, p.key_bytes, i, (uint64_t)key);
        if (p.position_bytes) store_word(p.positions, p.position_bytes, i, (uint64_t)i);
    }
}

/* Up to GNDI_KEY_FEW updates, a thread each: it counts those that come before its own. */
__global__ void __launch_bounds__(GNDI_KEY_FEW) few_updates_kernel(const __grid_constant__ gndi_key_params p) {
    __shared__ uint64_t order[GNDI_KEY_FEW];
    static_assert(GNDI_KEY_FEW <= 256, "a number of an update is a byte");
    const int i = threadIdx.x;
    const bool mine = i < p.updates;
    const uint64_t key = mine ? (uint64_t)key_of(p, i) : 0, at = key << 8 | (uint64_t)i;
    int rank = 0;
    order[i] = mine ? at : UINT64_MAX;
    __syncthreads();
    if (!mine) return;
#pragma unroll 8
    for (int k = 0; k < GNDI_KEY_FEW; k++) rank += order[k] < at;
    store_word(p.keys, p.key_bytes, rank, key);
    if (!p.position_bytes) return;
    uint64_t value = (uint64_t)i;
    if (p.elements)
        value = p.position_bytes == 4 ? ((const uint32_t *)p.elements)[i] : ((const uint64_t *)p.elements)[i];
    store_word(p.positions, p.position_bytes, rank, value);
}

} // namespace gnd

/* For blocks of GNDI_KEY_THREADS threads, GNDI_KEY_EACH updates each. */
extern "C" const void *gndi_cuda_keys_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::keys_kernel);
}

/* For one block of GNDI_KEY_FEW threads. */
extern "C" const void *gndi_cuda_few_updates_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::few_updates_kernel);
}
