// chunk_kernels.cu: a chunk of a signal joined to what is kept of the chunks before. What is kept is replaced in
// place: where all of it comes from the chunk, each thread reads the item that it replaces; else one block moves the
// items of a line down, and all of its threads have read before one writes.
#include "kernels/cuda/early_start.cuh"
#include "resample/cuda/chunk.cuh"

namespace gnd {

constexpr int THREADS = GNDI_CHUNK_THREADS, ITEMS = GNDI_CHUNK_ITEMS;

template <class T> __global__ void __launch_bounds__(THREADS)
    chunk_kernel(const __grid_constant__ gndi_chunk_params p) {
    start_early();
    const uint32_t parts = (uint32_t)p.parts, line = blockIdx.x / parts, part = blockIdx.x - line * parts;
    const chunk_line<T> l = chunk_line<T>::of(p.plan, line);
    if (p.shifts && part == 0) {
        shift(l);
        return;
    }
    const int64_t skipped = p.shifts ? l.keeps : 0, begin = skipped + ((int64_t)part - p.shifts) * (THREADS * ITEMS);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int64_t i = begin + k * THREADS + threadIdx.x;
        if (i >= l.keeps + l.n) return;
        if (i >= l.keeps) {
            if (p.plan.joined) l.joined[i] = l.item(i - l.keeps);
        } else {
            if (p.plan.joined) l.joined[i] = l.kept[i];
            l.kept[i] = l.item(i + l.n - l.keeps);
        }
    }
}

} // namespace gnd

// The kernel for items of so many bytes.
extern "C" const void *gndi_cuda_chunk_kernel(int item) {
    using namespace gnd;
    switch (item) {
    case 4: return (const void *)chunk_kernel<float>;
    case 8: return (const void *)chunk_kernel<complex<float>>;
    default: return (const void *)chunk_kernel<complex<double>>;
    }
}
