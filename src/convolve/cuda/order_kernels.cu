// order_kernels.cu: the element of a rank in a window around each element.
//
// sort_kernel    Windows of at most 64 elements: a thread for an output, which sorts all of them in registers.
// search_kernel  Any window: a thread for an output. The key is found bit by bit, from the highest on: a bit is 1 if
//                no more than `rank` keys of the window lie below the key that has it. Nothing is stored.
#include "convolve/cuda/order_params.h"
#include "convolve/cuda/order_network.cuh"
#include "kernels/border.h"

namespace gnd {

static_assert(sizeof(gndi_order_search_params) <= 4096, "what every GPU takes as parameters");
enum { WARP = 32 };

// ---- a sort of each window ------------------------------------------------------------------------

enum { SORT_AXES = GNDI_ORDER_SORT_AXES, SORT_MOST = GNDI_ORDER_SORT_MOST };

// The elements of a window: how far each is from the first one, along each axis and in bytes.
struct offsets {
    int64_t bytes[SORT_MOST];
    short along[SORT_AXES][SORT_MOST];
    int count;
};

// Those that the mask has, in any order: the first warp's work.
[[maybe_unused]] GNDI_FN void find_offsets(const gndi_order_sort_params &p, offsets &o) {
    int count = 0;
    for (int first = 0; first < p.elements; first += WARP) {
        const int e = first + (int)threadIdx.x, lane = (int)threadIdx.x;
        const bool kept = e < p.elements && (!p.mask || p.mask[e]);
        const unsigned all = __ballot_sync(~0u, kept);
        if (kept) {
            const int at = count + __popc(all & ((1u << lane) - 1));
            int rest = e;
            int64_t bytes = 0;
            for (int a = SORT_AXES - 1; a >= 0; a--) {
                const int j = rest % p.window[a];
                rest /= p.window[a];
                o.along[a][at] = (short)j;
                bytes += j * p.x_stride[a];
            }
            o.bytes[at] = bytes;
        }
        count += __popc(all);
    }
    if (threadIdx.x == 0) o.count = count;
}

// The key of a window's element that may lie beyond the edges.
template <class U> GNDI_FN_HEAVY U key_at_edge(const gndi_order_sort_params &p, const offsets &o, const int64_t *first,
                                               const char *x, int e) {
    bool there = true;
    for (int a = 0; a < SORT_AXES; a++)
        there = there && gndi_border_index(first[a] + o.along[a][e], p.shape[a], GNDI_BORDER_CONSTANT) >= 0;
    return order_key(there ? *reinterpret_cast<const U *>(x + o.bytes[e]) : (U)0, order_kind_of(p.dtype));
}

template <class U> struct sort_key { typedef uint32_t type; };
template <> struct sort_key<uint64_t> { typedef uint64_t type; };

// N: at least the window's elements. Missing ones have the largest key.
template <class U, int N> __global__ void __launch_bounds__(GNDI_ORDER_THREADS)
    sort_kernel(const __grid_constant__ gndi_order_sort_params p) {
    typedef typename sort_key<U>::type K;
    __shared__ offsets o;
    const int kind = order_kind_of(p.dtype);
    if (threadIdx.x < WARP) find_offsets(p, o);
    __syncthreads();
    const int count = o.count;
    for (int64_t output = (int64_t)blockIdx.x * GNDI_ORDER_THREADS + threadIdx.x; output < p.outputs;
         output += (int64_t)gridDim.x * GNDI_ORDER_THREADS) {
        int64_t first[SORT_AXES], rest = output;
        const char *x = p.x;
        char *out = p.out;
        bool inside = true;
        for (int a = SORT_AXES - 1; a >= 0; a--) {
            const int64_t i = rest % p.shape[a];
            rest /= p.shape[a];
            first[a] = i - p.window[a] / 2;
            inside = inside && first[a] >= 0 && first[a] + p.window[a] <= p.shape[a];
            x += first[a] * p.x_stride[a];
            out += i * p.out_stride[a];
        }
        K v[N];
        if (inside) {
#pragma unroll
            for (int e = 0; e < N; e++)
                v[e] = e < count ? (K)order_key(*reinterpret_cast<const U *>(x + o.bytes[e]), kind) : (K) ~(K)0;
        } else {
#pragma unroll
            for (int e = 0; e < N; e++) v[e] = e < count ? (K)key_at_edge<U>(p, o, first, x, e) : (K) ~(K)0;
        }
        *reinterpret_cast<U *>(out) = order_bits((U)order_of_rank<1, N, 0, N - 1>(v, p.rank), kind);
    }
}

// ---- a search -----------------------------------------------------------------------------------

// What a thread knows of its window.
template <int AXES> struct window {
    int64_t first[AXES]; // the index of its first element, of each axis
};

// How many elements of the window have keys below `pivot`, zeros beyond the array, too. AXES: 2, or any number.
template <class U, int AXES>
GNDI_FN int64_t count_below(const gndi_order_search_params &p, const window<AXES> &w, U pivot, int kind) {
    const int last = AXES == 2 ? 1 : p.ndim - 1;
    const int64_t width = p.window[last], n = p.shape[last], first = w.first[last];
    const int64_t begin = first < 0 ? -first : 0, end = first + width > n ? n - first : width;
    const bool zero_below = order_key((U)0, kind) < pivot;
    int64_t count = 0;
    for (int64_t row = 0; row < p.window_rows; row++) {
        const char *x = p.x + first * p.x_stride[last];
        const uint8_t *mask = p.mask ? p.mask + row * width : nullptr;
        bool outside = false;
        int64_t rest = row;
        for (int a = last - 1; a >= 0; a--) {
            const int64_t j = AXES == 2 ? row : rest % p.window[a];
            if (AXES != 2) rest /= p.window[a];
            const int64_t i = gndi_border_index(w.first[a] + j, p.shape[a], GNDI_BORDER_CONSTANT);
            outside |= i < 0;
            x += i * p.x_stride[a];
        }
        const int64_t from = outside ? width : begin, to = outside ? width : end; // of what lies in the array
        if (!mask) {
            if (zero_below) count += from + width - to;
            for (int64_t j = from; j < to; j++)
                count += order_key(*reinterpret_cast<const U *>(x + j * p.x_stride[last]), kind) < pivot;
        } else {
            for (int64_t j = 0; j < width; j++) {
                if (!mask[j]) continue;
                const bool inside = j >= from && j < to;
                count += inside ? order_key(*reinterpret_cast<const U *>(x + j * p.x_stride[last]), kind) < pivot
                                : zero_below;
            }
        }
    }
    return count;
}

template <class U, int AXES> __global__ void __launch_bounds__(GNDI_ORDER_THREADS)
    search_kernel(const __grid_constant__ gndi_order_search_params p) {
    const int kind = order_kind_of(p.dtype), last = AXES == 2 ? 1 : p.ndim - 1;
    for (int64_t output = (int64_t)blockIdx.x * GNDI_ORDER_THREADS + threadIdx.x; output < p.outputs;
         output += (int64_t)gridDim.x * GNDI_ORDER_THREADS) {
        window<AXES> w;
        int64_t rest = output;
        char *out = p.out;
        for (int a = last; a >= 0; a--) {
            const int64_t i = rest % p.shape[a];
            rest /= p.shape[a];
            w.first[a] = i - p.window[a] / 2;
            out += i * p.out_stride[a];
        }
        U key = 0;
        for (int bit = 8 * (int)sizeof(U) - 1; bit >= 0; bit--) {
            const U pivot = (U)(key | (U)((U)1 << bit));
            if (count_below<U, AXES>(p, w, pivot, kind) <= p.rank) key = pivot;
        }
        *reinterpret_cast<U *>(out) = order_bits(key, kind);
    }
}

template <class U> static const void *sort_of(int which) {
    switch (which) {
    case GNDI_ORDER_SORT_16: return (const void *)sort_kernel<U, 16>;
    case GNDI_ORDER_SORT_32: return (const void *)sort_kernel<U, 32>;
    default: return (const void *)sort_kernel<U, 64>;
    }
}
template <class U> static const void *search_of(int which) {
    return which == GNDI_ORDER_SEARCH_2 ? (const void *)search_kernel<U, 2>
                                        : (const void *)search_kernel<U, GNDI_ORDER_AXES>;
}

} // namespace gnd

// The kernels for elements of so many bytes, in parts by kind.
#ifdef GNDI_PART_small_sorts
extern "C" const void *gndi_cuda_order_small_sort(int bytes, int which) {
    return bytes == 1 ? gnd::sort_of<uint8_t>(which) : gnd::sort_of<uint16_t>(which);
}
#endif
#ifdef GNDI_PART_sorts
extern "C" const void *gndi_cuda_order_sort(int which) {
    return gnd::sort_of<uint32_t>(which);
}
#endif
#ifdef GNDI_PART_long_sorts
extern "C" const void *gndi_cuda_order_long_sort(int which) {
    return gnd::sort_of<uint64_t>(which);
}
#endif
#ifdef GNDI_PART_searches
extern "C" const void *gndi_cuda_order_search(int bytes, int which) {
    switch (bytes) {
    case 1: return gnd::search_of<uint8_t>(which);
    case 2: return gnd::search_of<uint16_t>(which);
    case 4: return gnd::search_of<uint32_t>(which);
    default: return gnd::search_of<uint64_t>(which);
    }
}
#endif
