// bare_cub.cu: see bare_cuda.h.
#include "bare_cuda.h"
#include <cub/device/device_radix_sort.cuh>

namespace {

void *work;
size_t work_bytes;

// Room for CUB's temporary storage, allocated once: what is timed is the sort alone.
bool room(size_t bytes) {
    if (bytes <= work_bytes) return true;
    cudaFree(work);
    work_bytes = cudaMalloc(&work, bytes) == cudaSuccess ? bytes : 0;
    return work_bytes != 0;
}

} // namespace

extern "C" int gndb_cub_sort(const float *in, float *out, int64_t n, void *stream) {
    size_t bytes = 0;
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n, 0, 32, s);
    if (!room(bytes)) return cudaGetLastError();
    return cub::DeviceRadixSort::SortKeys(work, bytes, in, out, n, 0, 32, s);
}

extern "C" int gndb_cub_sort_pairs(const float *in, float *out, const int32_t *values_in, int32_t *values_out,
                                   int64_t n, void *stream) {
    size_t bytes = 0;
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, values_in, values_out, n, 0, 32, s);
    if (!room(bytes)) return cudaGetLastError();
    return cub::DeviceRadixSort::SortPairs(work, bytes, in, out, values_in, values_out, n, 0, 32, s);
}
