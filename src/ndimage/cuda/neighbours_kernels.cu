// neighbours_kernels.cu: windows of any shape: a thread for each output, which reads through the cache.
//
// near_kernel    Windows of at most 512 elements in arrays of less than 2^31: a block lists the elements that the mask
//                has, as offsets in shared memory. A thread goes through them for 4 outputs next to each other, whose
//                windows lie within the array.
// extend_kernel  Arrays of less than 2^31 elements that are continued beyond their ends, 4 outputs a thread.
// window_kernel  Any window, and any array that is continued.
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/neighbours_ops.h"

namespace gnd {
namespace neighbours {

enum {
    THREADS = GNDI_CUDA_NEIGHBOURS_THREADS,
    NEAR = GNDI_CUDA_NEIGHBOURS_NEAR,
    RUN = GNDI_CUDA_NEIGHBOURS_RUN,
    WARP = 32
};

GNDI_FN int64_t outputs_of(const plan_t &p) {
    int64_t outputs = 1;
    for (int a = 0; a < p.ndim; a++) outputs *= p.out_shape[a];
    return outputs;
}

// ---- near ---------------------------------------------------------------------------------------

// The window's elements that count, in order: how far from the first one, and which of `values`.
struct offsets {
    int32_t from_first[NEAR];
    int16_t element[NEAR];
    int count;
};

// The first warp's work.
[[maybe_unused]] GNDI_FN void find_offsets(const plan_t &p, offsets &o) {
    int elements = 1, count = 0;
    for (int a = 0; a < p.ndim; a++) elements *= (int)p.window[a];
    const int lane = (int)threadIdx.x;
    for (int first = 0; first < elements; first += WARP) {
        const int e = first + lane;
        const bool kept = e < elements && (!p.mask || p.mask[e]);
        const unsigned all = __ballot_sync(~0u, kept);
        if (kept) {
            const int at = count + __popc(all & ((1u << lane) - 1));
            int32_t rest = e, offset = 0, stride = 1;
            for (int a = p.ndim - 1; a >= 0; a--) {
                offset += rest % (int32_t)p.window[a] * stride;
                rest /= (int32_t)p.window[a];
                stride *= (int32_t)p.x_shape[a];
            }
            o.from_first[at] = offset, o.element[at] = (int16_t)e;
        }
        count += __popc(all);
    }
    if (lane == 0) o.count = count;
}

template <class T> struct alignas(RUN * sizeof(T)) run { T v[RUN]; };

// RUN outputs next to each other along the last axis.
template <class T, int kind> GNDI_FN run<T> best_of(const plan_t &p, const offsets &o, const T *first) {
    const T *values = static_cast<const T *>(p.values);
    run<T> best;
    for (int k = 0; k < o.count; k++) {
        const T *from = first + o.from_first[k];
        const T value = values ? values[o.element[k]] : (T)0;
#pragma unroll
        for (int r = 0; r < RUN; r++) {
            T v = from[r];
            if (values) v = (T)(kind == GNDI_NEIGHBOURS_MAXIMUM ? v + value : v - value);
            best.v[r] = k == 0 ? v : better<kind>(best.v[r], v);
        }
    }
    return best;
}

template <class T, int kind> __device__ __noinline__ void at_the_ends(const plan_t &p, int64_t output, uint32_t count) {
#pragma unroll 1
    for (uint32_t r = 0; r < count; r++) extreme<kind, T>(p, output + r);
}

template <class T, int kind> __global__ void __launch_bounds__(THREADS, 3)
    near_kernel(const __grid_constant__ plan_t p) {
    __shared__ offsets o;
    if (threadIdx.x < WARP) find_offsets(p, o);
    __syncthreads();
    const T *x = static_cast<const T *>(p.x);
    T *out = static_cast<T *>(p.out);
    const uint32_t columns = (uint32_t)p.out_shape[p.ndim - 1], runs = (columns + RUN - 1) / RUN;
    const uint32_t units = (uint32_t)(outputs_of(p) / columns) * runs;
    const bool aligned = columns % RUN == 0 && (uintptr_t)out % (RUN * sizeof(T)) == 0;
    for (uint32_t unit = blockIdx.x * THREADS + threadIdx.x; unit < units; unit += gridDim.x * THREADS) {
        uint32_t rest = unit / runs;
        const uint32_t column = (unit - rest * runs) * RUN, output = rest * columns + column;
        const uint32_t count = columns - column < RUN ? columns - column : RUN;
        int32_t at = (int32_t)column + (int32_t)p.first[p.ndim - 1], stride = (int32_t)columns;
        bool inside = o.count > 0 && at >= 0 && at + RUN - 1 + (int32_t)p.window[p.ndim - 1] <= (int32_t)columns;
        for (int a = p.ndim - 2; a >= 0; a--) {
            const uint32_t n = (uint32_t)p.out_shape[a], before = rest / n;
            const int32_t i = (int32_t)(rest - before * n) + (int32_t)p.first[a];
            inside = inside && i >= 0 && i + (int32_t)p.window[a] <= (int32_t)n;
            at += i * stride;
            stride *= (int32_t)n;
            rest = before;
        }
        if (inside) {
            run<T> best = best_of<T, kind>(p, o, x + at);
            if (p.kept) {
#pragma unroll
                for (int r = 0; r < RUN; r++)
                    if (!p.kept[output + r]) best.v[r] = x[output + r];
            }
            if (aligned) {
                *reinterpret_cast<run<T> *>(out + output) = best;
            } else {
#pragma unroll
                for (int r = 0; r < RUN; r++) out[output + r] = best.v[r];
            }
        } else {
            at_the_ends<T, kind>(p, output, count);
        }
    }
}

// ---- any ----------------------------------------------------------------------------------------

// RUN outputs next to each other of arrays of less than 2^31 elements.
template <class T> GNDI_FN void extend_run(const plan_t &p, uint32_t unit, uint32_t columns, uint32_t runs) {
    const int last = p.ndim - 1;
    uint32_t rest = unit / runs;
    const uint32_t column = (unit - rest * runs) * RUN;
    T *out = static_cast<T *>(p.out) + (int64_t)rest * columns + column;
    const int64_t n = p.x_shape[last];
    int64_t at = 0, stride = n;
    bool outside = false;
    for (int a = last - 1; a >= 0; a--) {
        const uint32_t length = (uint32_t)p.out_shape[a], before = rest / length;
        const int64_t i = (int64_t)(rest - before * length) + p.first[a];
        const int64_t j = gndi_border_index(i, p.x_shape[a], (gndi_border)p.border[a]);
        outside |= j < 0;
        at += j * stride;
        stride *= p.x_shape[a];
        rest = before;
    }
    const T *x = static_cast<const T *>(p.x) + at;
    const int64_t first = column + p.first[last];
    if (!outside && first >= 0 && first + RUN <= n && column + RUN <= columns) {
#pragma unroll
        for (int r = 0; r < RUN; r++) out[r] = x[first + r];
        return;
    }
#pragma unroll 1
    for (uint32_t r = 0; r < RUN && column + r < columns; r++) {
        const int64_t j = gndi_border_index(first + r, n, (gndi_border)p.border[last]);
        out[r] = outside || j < 0 ? constant<T>(p) : x[j];
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) extend_kernel(const __grid_constant__ plan_t p) {
    const uint32_t columns = (uint32_t)p.out_shape[p.ndim - 1], runs = (columns + RUN - 1) / RUN;
    const uint32_t unit = blockIdx.x * THREADS + threadIdx.x;
    if (unit < (uint32_t)(outputs_of(p) / columns) * runs) extend_run<T>(p, unit, columns, runs);
}

template <class T, int kind> __global__ void __launch_bounds__(THREADS)
    window_kernel(const __grid_constant__ plan_t p) {
    const int64_t output = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (output >= outputs_of(p)) return;
    if constexpr (kind == GNDI_NEIGHBOURS_EXTEND)
        extend<T>(p, output);
    else
        extreme<kind, T>(p, output);
}

template <class T, int kind> static const void *kernel_of(bool runs) {
    if constexpr (kind == GNDI_NEIGHBOURS_EXTEND)
        return runs ? (const void *)extend_kernel<T> : (const void *)window_kernel<T, kind>;
    else
        return runs ? (const void *)near_kernel<T, kind> : (const void *)window_kernel<T, kind>;
}
template <int kind> static const void *extreme_of(int dtype, bool runs) {
    if (dtype == GND_UINT8) return kernel_of<uint8_t, kind>(runs);
    if (dtype == GND_FLOAT32) return kernel_of<float, kind>(runs);
    return kernel_of<double, kind>(runs);
}

} // namespace neighbours
} // namespace gnd

// runs: RUN outputs a thread, in arrays of less than 2^31 elements.
#ifdef GNDI_PART_maxima
extern "C" const void *gndi_cuda_neighbours_maxima(int dtype, bool runs) {
    return gnd::neighbours::extreme_of<GNDI_NEIGHBOURS_MAXIMUM>(dtype, runs);
}
#endif
#ifdef GNDI_PART_minima
extern "C" const void *gndi_cuda_neighbours_minima(int dtype, bool runs) {
    return gnd::neighbours::extreme_of<GNDI_NEIGHBOURS_MINIMUM>(dtype, runs);
}
#endif
#ifdef GNDI_PART_extend
extern "C" const void *gndi_cuda_neighbours_extend(int dtype, bool runs) {
    using namespace gnd::neighbours;
    switch (dtype) {
    case GND_UINT8: return kernel_of<uint8_t, GNDI_NEIGHBOURS_EXTEND>(runs);
    case GND_UINT16: return kernel_of<uint16_t, GNDI_NEIGHBOURS_EXTEND>(runs);
    case GND_UINT32: return kernel_of<uint32_t, GNDI_NEIGHBOURS_EXTEND>(runs);
    default: return kernel_of<uint64_t, GNDI_NEIGHBOURS_EXTEND>(runs);
    }
}
#endif
