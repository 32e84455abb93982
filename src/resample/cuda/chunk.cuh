// chunk.cuh: a chunk of a signal joined to what is kept of the chunks before (chunk_plan.h), line by line.
#ifndef GNDI_CHUNK_CUH
#define GNDI_CHUNK_CUH

#include "kernels/scalar/scalar_types.h"
#include "resample/cuda/chunk_params.h"

namespace gnd {

template <class T> struct chunk_line {
    const gndi_chunk_plan &p;
    const char *x;
    T *kept, *joined;
    int64_t keeps, n; // items

    static __device__ __forceinline__ chunk_line of(const gndi_chunk_plan &p, int64_t number) {
        const int64_t keeps = p.keeps * p.width, n = p.n * p.width;
        return {p,
                p.x + gndi_line_of_x(&p.grid, number),
                reinterpret_cast<T *>(p.kept) + number * keeps,
                reinterpret_cast<T *>(p.joined) + number * (keeps + n),
                keeps,
                n};
    }
    __device__ __forceinline__ T item(int64_t i) const {
        const bool narrow = (i | p.width) >> 31 == 0; // divisions of 64 bits take long
        const int64_t element = p.width == 1 ? i : narrow ? (uint32_t)i / (uint32_t)p.width : i / p.width;
        return *reinterpret_cast<const T *>(x + element * p.x_step + (i - element * p.width) * p.x_item);
    }
};

// What is kept, moved down by n < keeps items, by a block.
template <class T> GNDI_FN void shift(const chunk_line<T> &l) {
    constexpr int ITEMS = GNDI_CHUNK_ITEMS;
    for (int64_t begin = 0; begin < l.keeps; begin += blockDim.x * ITEMS) {
        T old[ITEMS], next[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int64_t i = begin + k * blockDim.x + threadIdx.x;
            if (i >= l.keeps) continue;
            old[k] = l.kept[i];
            next[k] = i + l.n < l.keeps ? l.kept[i + l.n] : l.item(i + l.n - l.keeps);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int64_t i = begin + k * blockDim.x + threadIdx.x;
            if (i >= l.keeps) continue;
            l.joined[i] = old[k];
            l.kept[i] = next[k];
        }
    }
}

// All of a line, for a kernel whose blocks have a line each: the first thing that it does.
template <class T> GNDI_FN void join_line(const gndi_chunk_plan &p, int64_t number) {
    const chunk_line<T> l = chunk_line<T>::of(p, number);
    const bool shifts = l.n < l.keeps;
    if (shifts) shift(l);
    for (int64_t i = (shifts ? l.keeps : 0) + threadIdx.x; i < l.keeps + l.n; i += blockDim.x) {
        l.joined[i] = i < l.keeps ? l.kept[i] : l.item(i - l.keeps);
        if (i < l.keeps) l.kept[i] = l.item(i + l.n - l.keeps);
    }
    __syncthreads();
}

} // namespace gnd

#endif
