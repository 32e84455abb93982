// chunk_kernels.cu: a chunk of a signal joined to what is kept of the chunks before. What is kept is replaced in
// place: where all of it comes from the chunk, each thread reads the item that it replaces; else one block moves the
// items of a line down, and all of its threads have read before one writes.
#include "resample/cuda/chunk_params.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {

constexpr int THREADS = GNDI_CHUNK_THREADS, ITEMS = GNDI_CHUNK_ITEMS;

template <class T> struct line {
    const gndi_chunk_plan &p;
    const char *x;
    T *kept, *joined;
    int64_t keeps, n; // items

    static __device__ __forceinline__ line of(const gndi_chunk_plan &p, int64_t number) {
        const int64_t keeps = p.keeps * p.width, n = p.n * p.width;
        return {p,
                p.x + gndi_line_of_x(&p.grid, number),
                reinterpret_cast<T *>(p.kept) + number * keeps,
                reinterpret_cast<T *>(p.joined) + number * (keeps + n),
                keeps,
                n};
    }
    __device__ __forceinline__ T item(int64_t i) const {
        const char *from = p.width == 1 ? x + i * p.x_step : x + i / p.width * p.x_step + i % p.width * p.x_item;
        return *reinterpret_cast<const T *>(from);
    }
};

// What is kept, moved down by n < keeps items.
template <class T> static __device__ __forceinline__ void shift(const line<T> &l) {
    for (int64_t begin = 0; begin < l.keeps; begin += THREADS * ITEMS) {
        T old[ITEMS], next[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int64_t i = begin + k * THREADS + threadIdx.x;
            if (i >= l.keeps) continue;
            old[k] = l.kept[i];
            next[k] = i + l.n < l.keeps ? l.kept[i + l.n] : l.item(i + l.n - l.keeps);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int64_t i = begin + k * THREADS + threadIdx.x;
            if (i >= l.keeps) continue;
            l.joined[i] = old[k];
            l.kept[i] = next[k];
        }
    }
}

template <class T> __global__ void __launch_bounds__(THREADS)
    chunk_kernel(const __grid_constant__ gndi_chunk_params p) {
    const line<T> l = line<T>::of(p.plan, blockIdx.x / p.parts);
    const int64_t part = blockIdx.x % p.parts;
    if (p.shifts && part == 0) {
        shift(l);
        return;
    }
    const int64_t skipped = p.shifts ? l.keeps : 0, begin = skipped + (part - p.shifts) * (THREADS * ITEMS);
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
