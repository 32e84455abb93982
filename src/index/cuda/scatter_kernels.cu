// scatter_kernels.cu: from indices to the numbers of the targets that they name.
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

__global__ void __launch_bounds__(GNDI_KEY_THREADS) keys_kernel(const __grid_constant__ gndi_key_params p) {
    const int64_t block = (int64_t)blockIdx.x * (GNDI_KEY_THREADS * GNDI_KEY_EACH);
#pragma unroll
    for (int k = 0; k < GNDI_KEY_EACH; k++) {
        const int64_t i = block + k * GNDI_KEY_THREADS + threadIdx.x;
        if (i >= p.updates) return;
        const int64_t key = key_of(p, i);
        if (p.key_bytes == 4)
            ((uint32_t *)p.keys)[i] = (uint32_t)key;
        else
            ((int64_t *)p.keys)[i] = key;
        if (p.position_bytes == 4)
            ((uint32_t *)p.positions)[i] = (uint32_t)i;
        else if (p.position_bytes == 8)
            ((int64_t *)p.positions)[i] = i;
    }
}

} // namespace gnd

/* For blocks of GNDI_KEY_THREADS threads, GNDI_KEY_EACH updates each. */
extern "C" const void *gndi_cuda_keys_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::keys_kernel);
}
