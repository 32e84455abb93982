// label_kernels.cu: connected components. A block has a tile of 256 words, a thread a word. Runs of a tile are joined
// in shared memory: first each with one that it touches before it, which needs no atomics, then with the others. The
// components of tiles, numbered densely, are joined in global memory, by links in the order of a hash of their numbers:
// in the order of the numbers themselves trees would be as high as there are tiles.
#include "kernels/cuda/early_start.cuh"
#include "labels/cuda/labels_params.h"
#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

enum { THREADS = GNDI_LABEL_TILE, WARPS = THREADS / 32 };
constexpr unsigned ALL = 0xffffffffu;
template <bool Joined> constexpr int NODES = THREADS *MOST_RUNS<Joined>; /* most components of a tile */
/* From one word's runs to the next one's in shared memory: an odd number, for its banks. */
template <bool Joined> constexpr int PITCH = MOST_RUNS<Joined> + 1;

/* ---- words and tiles ------------------------------------------------------------------------ */

static __device__ place place_in_tile(const label_t &p, uint32_t tile, int word) {
    const uint32_t above = tile / p.tiles_w, rest = above / p.tiles_y;
    place at;
    at.rest = rest / p.tiles_z;
    at.z = ((int64_t)(rest % p.tiles_z) << p.log_z) + (word >> (p.log_w + p.log_y));
    at.y = ((int64_t)(above % p.tiles_y) << p.log_y) + (word >> p.log_w & ((1 << p.log_y) - 1));
    at.w = ((int64_t)(tile % p.tiles_w) << p.log_w) + (word & ((1 << p.log_w) - 1));
    return at;
}
static __device__ bool is_inside(const label_t &p, const place &at) {
    return at.z < p.extent[p.outer - 2] && at.y < p.extent[p.outer - 1] && at.w < p.words;
}

struct tile_word {
    uint32_t tile;
    int word;
};
static __device__ tile_word tile_word_of(const label_t &p, const place &at) {
    const uint32_t z = (uint32_t)(at.z >> p.log_z), y = (uint32_t)(at.y >> p.log_y), w = (uint32_t)(at.w >> p.log_w);
    const int in_z = (int)(at.z & ((1 << p.log_z) - 1)), in_y = (int)(at.y & ((1 << p.log_y) - 1));
    const int in_w = (int)(at.w & ((1 << p.log_w) - 1));
    return {(((uint32_t)at.rest * p.tiles_z + z) * p.tiles_y + y) * p.tiles_w + w,
            (((in_z << p.log_y) + in_y) << p.log_w) + in_w};
}

/* The elements of a word; none outside. */
struct stretch {
    int64_t offset;
    int length;
};
static __device__ stretch stretch_of(const label_t &p, const place &at) {
    if (!is_inside(p, at)) return {0, 0};
    const int64_t left = p.width - at.w * 32;
    return {row_of(p, at) * p.width + at.w * 32, left < 32 ? (int)left : 32};
}

/* A bit for each element of 16 bytes that has a significant bit. */
template <class U> static __device__ uint32_t bits_of(const uint4 &pack, U significant) {
    const uint32_t part[4] = {pack.x, pack.y, pack.z, pack.w};
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if constexpr (sizeof(U) == 1) { /* all bits of a byte are significant */
            const uint32_t set = (((part[k] & 0x7f7f7f7f) + 0x7f7f7f7f) | part[k]) & 0x80808080;
            bits |= ((set >> 7) * 0x01020408 >> 24) << 4 * k;
        } else if constexpr (sizeof(U) == 2) {
            bits |= (uint32_t)((part[k] & significant) != 0) << 2 * k;
            bits |= (uint32_t)((part[k] >> 16 & significant) != 0) << (2 * k + 1);
        } else if constexpr (sizeof(U) == 4) {
            bits |= (uint32_t)((part[k] & significant) != 0) << k;
        } else if (k % 2 == 0) {
            const uint64_t element = (uint64_t)part[k + 1] << 32 | part[k];
            bits |= (uint32_t)((element & significant) != 0) << k / 2;
        }
    }
    return bits;
}

/* The word of a stretch, which may begin anywhere: 16 bytes at a time. */
template <class U> static __device__ uint32_t read_word(const label_t &p, const stretch &own) {
    constexpr int EACH = 16 / sizeof(U);
    const U *x = static_cast<const U *>(p.x);
    const int ahead = (int)((uintptr_t)(x + own.offset) % 16 / sizeof(U));
    const int64_t first = own.offset - ahead, n = p.rows * p.width;
    uint64_t bits = 0;
#pragma unroll
    for (int k = 0; k < 32 + EACH; k += EACH) {
        if (k >= own.length + ahead) break;
        union {
            uint4 whole;
            U element[EACH];
        } pack = {};
        const int64_t at = first + k;
        if (at >= 0 && at + EACH <= n)
            pack.whole = *reinterpret_cast<const uint4 *>(x + at);
        else
            for (int e = 0; e < EACH; e++) pack.element[e] = at + e >= 0 && at + e < n ? x[at + e] : (U)0;
        bits |= (uint64_t)bits_of<U>(pack.whole, (U)p.significant) << k;
    }
    return (uint32_t)(bits >> ahead) & (uint32_t)((UINT64_C(1) << own.length) - 1);
}

/* The sum of what the threads before have, and of all of the block's. Once a kernel. */
static __device__ int block_prefix(int own, int *total) {
    __shared__ int sums[WARPS];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    int sum = own;
    for (int far = 1; far < 32; far *= 2) {
        const int before = __shfl_up_sync(ALL, sum, far);
        if (lane >= far) sum += before;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    int before = sum - own;
    *total = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += sums[w];
        *total += sums[w];
    }
    return before;
}

/* ---- a tile --------------------------------------------------------------------------------- */

static __device__ int find_run(const volatile int *parent, int a) {
    for (int above; (above = parent[a]) != a;) a = above;
    return a;
}
static __device__ void unite_runs(int *parent, int a, int b) {
    for (;;) {
        a = find_run(parent, a), b = find_run(parent, b);
        if (a == b) return;
        const int low = a < b ? a : b, high = a < b ? b : a;
        const int before = atomicCAS(parent + high, high, low);
        if (before == high) return;
        a = before, b = low; /* another thread has linked it meanwhile */
    }
}

/* Calls join(run, other run) for runs of a thread's word and of words before it in the tile that touch. */
template <bool Joined, class Join>
static __device__ void each_pair(const label_t &p, const place &at, const uint32_t *masks, Join join) {
    const int thread = (int)threadIdx.x;
    const uint32_t mask = masks[thread], starts = starts_of<Joined>(mask);
    if (!mask) return;
    each_neighbour(p, at, mask, [&](const place &to, int side, unsigned flags) {
        const tile_word other = tile_word_of(p, to);
        if (other.tile != blockIdx.x) return;
        const uint32_t near = masks[other.word], near_starts = starts_of<Joined>(near);
        each_contact<Joined>(mask, near, side, flags, [&](int bit, int near_bit) {
            join(run_at(starts, bit), other.word * PITCH<Joined> + run_at(near_starts, near_bit));
        });
    });
}

/* The numbers of a word's components, 16 bits each. */
template <bool Joined>
static __device__ void write_ids(const label_t &p, int64_t word, int count, const int *numbered) {
    constexpr int MOST = MOST_RUNS<Joined>;
    uint4 *to = reinterpret_cast<uint4 *>(p.ids + word * MOST);
#pragma unroll
    for (int k = 0; k < MOST; k += 8) {
        if (k >= count) break;
        uint32_t pair[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int one = k + 2 * e;
            const uint32_t low = one < count ? (uint32_t)(-1 - numbered[one]) : 0;
            const uint32_t high = one + 1 < count ? (uint32_t)(-1 - numbered[one + 1]) : 0;
            pair[e] = low | high << 16;
        }
        to[k / 8] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
}

template <class U, class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    local_kernel(const __grid_constant__ gndi_label_plan p) {
    extern __shared__ __align__(8) unsigned char workspace[];
    __shared__ uint32_t masks[THREADS];
    int *parent = reinterpret_cast<int *>(workspace); /* once numbered: -1 - the component's number */
    const int thread = (int)threadIdx.x, first = thread * PITCH<Joined>;
    const uint32_t tile = blockIdx.x;
    const int64_t word = (int64_t)tile * THREADS + thread;
    const place at = place_in_tile(p, tile, thread);
    start_early();
    const uint32_t mask = read_word<U>(p, stretch_of(p, at)), starts = starts_of<Joined>(mask);
    const int count = count_bits(starts);
    masks[thread] = mask, p.masks[word] = mask;
    for (int k = first; k < first + count; k++) parent[k] = k;
    __syncthreads();
    uint32_t linked = 0; /* runs that have one before them */
    each_pair<Joined>(p, at, masks, [&](int run, int other) {
        if (!(linked >> run & 1)) parent[first + run] = other;
        linked |= 1u << run;
    });
    __syncthreads();
    for (int k = first; k < first + count; k++) *const_cast<volatile int *>(parent + k) = find_run(parent, k);
    __syncthreads();
    each_pair<Joined>(p, at, masks, [&](int run, int other) {
        if (!(linked >> run & 1)) unite_runs(parent, first + run, other);
        linked &= ~(1u << run);
    });
    __syncthreads();
    int roots = 0, total;
    for (int k = first; k < first + count; k++) roots += parent[k] == k;
    int number = block_prefix(roots, &total);
    const int64_t raster = row_of(p, at) * p.words + at.w;
    uint32_t firsts = 0;
    int k = first;
    for (uint32_t left = starts; left; left &= left - 1, k++) {
        if (parent[k] != k) continue;
        const int64_t node = (int64_t)tile * NODES<Joined> + number;
        static_cast<T *>(p.parent)[node] = (T)node;
        static_cast<T *>(p.first)[node] = (T)(raster * 32 + lowest_bit(left));
        firsts |= 1u << lowest_bit(left);
        parent[k] = -1 - number++;
    }
    if (is_inside(p, at)) p.firsts[raster] = firsts;
    __syncthreads();
    for (k = first; k < first + count; k++) {
        volatile int *const link = parent;
        int above = link[k];
        while (above >= 0) above = link[above];
        link[k] = above;
    }
    write_ids<Joined>(p, word, count, parent + first);
    if (thread == 0) p.roots[tile] = total;
    if (thread == 0 && tile == 0) *p.done = 0;
}

/* ---- across tiles --------------------------------------------------------------------------- */

static __device__ int link_node(int32_t *parent, int32_t expected, int32_t to) {
    return atomicCAS(parent, expected, to);
}
static __device__ int64_t link_node(int64_t *parent, int64_t expected, int64_t to) {
    return (int64_t)atomicCAS(reinterpret_cast<unsigned long long *>(parent), (unsigned long long)expected,
                              (unsigned long long)to);
}

/* The order of links. */
static __device__ uint32_t order_of(int32_t node) {
    return (uint32_t)node * 0x9e3779b1u;
}
static __device__ uint64_t order_of(int64_t node) {
    return (uint64_t)node * UINT64_C(0x9e3779b97f4a7c15);
}

/* Rem's union: goes up from both nodes until their parents are the same, and makes ways shorter. Links lead to nodes
   that are earlier in the order of links; only those of roots are ever made by two threads at once. */
template <class T> static __device__ void unite_nodes(T *parent, T a, T b) {
    volatile T *const link = parent;
    T above_a = link[a], above_b = link[b];
    while (above_a != above_b) {
        if (order_of(above_a) < order_of(above_b)) {
            T kept = a;
            a = b, b = kept;
            kept = above_a, above_a = above_b, above_b = kept;
        }
        if (above_a == a) {
            const T before = link_node(parent + a, a, above_b);
            if (before == a) return;
            above_a = before;
        } else {
            const T top = link[above_a];
            if (top != above_a) link[a] = top;
            a = above_a, above_a = top;
        }
    }
}

template <class T, bool Joined> static __device__ T node_of(const label_t &p, const tile_word &at, int run) {
    const int64_t word = (int64_t)at.tile * THREADS + at.word;
    return (T)((int64_t)at.tile * NODES<Joined> + p.ids[word * MOST_RUNS<Joined> + run]);
}

template <class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    across_kernel(const __grid_constant__ gndi_label_plan p) {
    start_early();
    const tile_word own = {blockIdx.x, (int)threadIdx.x};
    const uint32_t mask = p.masks[(int64_t)own.tile * THREADS + own.word], starts = starts_of<Joined>(mask);
    if (!mask) return;
    each_neighbour(p, place_in_tile(p, own.tile, own.word), mask, [&](const place &to, int side, unsigned flags) {
        const tile_word other = tile_word_of(p, to);
        if (other.tile == own.tile) return;
        const uint32_t near = p.masks[(int64_t)other.tile * THREADS + other.word],
                       near_starts = starts_of<Joined>(near);
        each_contact<Joined>(mask, near, side, flags, [&](int bit, int near_bit) {
            unite_nodes<T>(static_cast<T *>(p.parent), node_of<T, Joined>(p, own, run_at(starts, bit)),
                           node_of<T, Joined>(p, other, run_at(near_starts, near_bit)));
        });
    });
}

/* ---- numbers -------------------------------------------------------------------------------- */

static __device__ int32_t lower(int32_t *to, int32_t value) {
    return atomicMin(to, value);
}
static __device__ int64_t lower(int64_t *to, int64_t value) {
    return (int64_t)atomicMin(reinterpret_cast<long long *>(to), (long long)value);
}

/* Links all nodes with their roots, and gives each root the first element of its nodes. Of two first elements one is
   none of the whole: its bit is cleared. */
template <class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    least_kernel(const __grid_constant__ gndi_label_plan p) {
    volatile T *const link = static_cast<T *>(p.parent);
    T *first = static_cast<T *>(p.first);
    start_early();
    const int roots = p.roots[blockIdx.x];
    for (int k = (int)threadIdx.x; k < roots; k += THREADS) {
        const T node = (T)((int64_t)blockIdx.x * NODES<Joined> + k);
        T root = link[node];
        if (root == node) continue;
        for (T above; (above = link[root]) != root;) root = above;
        link[node] = root;
        const T own = first[node];
        T other = *const_cast<volatile T *>(first + root);
        if (own < other) other = lower(first + root, own);
        if (own > other) other = own;
        atomicAnd(p.firsts + other / 32, ~(1u << (other & 31)));
    }
}

/* What the chunks have becomes what those before them have; the last block's work. */
static __device__ void add_chunks(const label_t &p) {
    __shared__ int64_t sums[WARPS];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    const int64_t chunks = gridDim.x;
    int64_t carried = 0;
    for (int64_t begin = 0; begin < chunks; begin += 4 * THREADS) {
        int64_t own[4];
        long long sum = 0;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int64_t k = begin + 4 * (int64_t)threadIdx.x + e;
            sum += own[e] = k < chunks ? __ldcg(reinterpret_cast<const long long *>(p.before) + k) : 0;
        }
        const long long all = sum;
        for (int far = 1; far < 32; far *= 2) {
            const long long before = __shfl_up_sync(ALL, sum, far);
            if (lane >= far) sum += before;
        }
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        int64_t before = carried + sum - all;
        for (int w = 0; w < WARPS; w++) {
            if (w < warp) before += sums[w];
            carried += sums[w];
        }
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int64_t k = begin + 4 * (int64_t)threadIdx.x + e;
            if (k < chunks) p.before[k] = before;
            before += own[e];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *p.count = carried;
}

static __global__ void __launch_bounds__(THREADS) count_kernel(const __grid_constant__ gndi_label_plan p) {
    constexpr int EACH = GNDI_LABEL_CHUNK / THREADS;
    const int64_t begin = (int64_t)blockIdx.x * GNDI_LABEL_CHUNK + threadIdx.x * EACH, words = p.rows * p.words;
    int count[EACH], sum = 0, total;
    start_early();
    for (int k = 0; k < EACH; k++) sum += count[k] = begin + k < words ? __popc(p.firsts[begin + k]) : 0;
    int before = block_prefix(sum, &total);
    for (int k = 0; k < EACH && begin + k < words; before += count[k++]) p.prefix[begin + k] = (uint16_t)before;
    bool last = false;
    if (threadIdx.x == 0) {
        p.before[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(p.done, 1u) + 1 == gridDim.x;
    }
    if (!__syncthreads_or(last)) return;
    __threadfence();
    add_chunks(p);
}

template <class L> struct alignas(16) four { L of[4]; };

/* The numbers of a word's components, from memory to a block's. */
template <bool Joined> static __device__ void read_ids(const label_t &p, int64_t word, int count, uint16_t *ids) {
#pragma unroll
    for (int k = 0; k < MOST_RUNS<Joined>; k += 8) {
        if (k >= count) break;
        const uint4 pack = reinterpret_cast<const uint4 *>(p.ids + word * MOST_RUNS<Joined>)[k / 8];
        const uint32_t pair[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
        for (int e = 0; e < 8; e++) ids[k + e] = (uint16_t)(pair[e / 2] >> 16 * (e % 2));
    }
}

/* Whether a block has memory for the numbers of its words' components beside their labels, in 64 KiB, which a block can
   have on any GPU. */
template <class L, bool Joined> constexpr bool HOLDS_IDS = Joined || sizeof(L) == 4;

template <class L, class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    write_kernel(const __grid_constant__ gndi_label_plan p) {
    extern __shared__ __align__(8) unsigned char workspace[];
    L *label = reinterpret_cast<L *>(workspace), *labels = static_cast<L *>(p.labels);
    uint16_t *ids = reinterpret_cast<uint16_t *>(label + NODES<Joined>);
    const uint32_t tile = blockIdx.x;
    const int thread = (int)threadIdx.x, lane = thread & 31, warp = thread & ~31;
    const int64_t word = (int64_t)tile * THREADS + thread;
    const stretch own = stretch_of(p, place_in_tile(p, tile, thread));
    start_early();
    const uint32_t mask = p.masks[word];
    const int roots = p.roots[tile];
    if constexpr (HOLDS_IDS<L, Joined>)
        read_ids<Joined>(p, word, count_bits(starts_of<Joined>(mask)), ids + thread * PITCH<Joined>);
#pragma unroll 4
    for (int k = thread; k < roots; k += THREADS) {
        const T root = static_cast<const T *>(p.parent)[(int64_t)tile * NODES<Joined> + k];
        const int64_t first = static_cast<const T *>(p.first)[root], at = first / 32;
        const int here = __popc(p.firsts[at] & ((1u << (first & 31)) - 1));
        label[k] = (L)(p.before[at / GNDI_LABEL_CHUNK] + p.prefix[at] + here + 1);
    }
    __syncthreads();
    const auto label_of = [&](int its, uint32_t bits, int bit) {
        const int run = run_at(starts_of<Joined>(bits), bit);
        if (!(bits >> bit & 1)) return (L)0;
        if constexpr (HOLDS_IDS<L, Joined>) return label[ids[its * PITCH<Joined> + run]];
        return label[p.ids[((int64_t)tile * THREADS + its) * MOST_RUNS<Joined> + run]];
    };
    if (p.width % 4 == 0 && (uintptr_t)labels % 16 == 0) {
        const int bit = 4 * (lane & 7);
#pragma unroll 2
        for (int k = lane >> 3; k < 32; k += 4) {
            const int64_t offset = __shfl_sync(ALL, (long long)own.offset, k);
            const int length = __shfl_sync(ALL, own.length, k);
            const uint32_t bits = __shfl_sync(ALL, mask, k);
            four<L> pack;
#pragma unroll
            for (int e = 0; e < 4; e++) pack.of[e] = label_of(warp + k, bits, bit + e);
            if (bit < length) *reinterpret_cast<four<L> *>(labels + offset + bit) = pack;
        }
        return;
    }
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const int64_t offset = __shfl_sync(ALL, (long long)own.offset, k);
        const int length = __shfl_sync(ALL, own.length, k);
        const uint32_t bits = __shfl_sync(ALL, mask, k);
        if (lane < length) labels[offset + lane] = label_of(warp + k, bits, lane);
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

template <class T, bool Joined> static const void *local(int size) {
    switch (size) {
    case 1: return (const void *)local_kernel<uint8_t, T, Joined>;
    case 2: return (const void *)local_kernel<uint16_t, T, Joined>;
    case 4: return (const void *)local_kernel<uint32_t, T, Joined>;
    default: return (const void *)local_kernel<uint64_t, T, Joined>;
    }
}
template <class T, bool Joined> static const void *step_kernel(gndi_cuda_label_step step, bool wide) {
    switch (step) {
    case GNDI_CUDA_LABEL_ACROSS: return (const void *)across_kernel<T, Joined>;
    case GNDI_CUDA_LABEL_LEAST: return (const void *)least_kernel<T, Joined>;
    case GNDI_CUDA_LABEL_COUNT: return (const void *)count_kernel;
    default: break;
    }
    return wide ? (const void *)write_kernel<int64_t, T, Joined> : (const void *)write_kernel<int32_t, T, Joined>;
}

} // namespace labels
} // namespace gnd

extern "C" const void *gndi_cuda_label_local_kernel(int size, bool far, bool joined) {
    using namespace gnd::labels;
    if (far) return joined ? local<int64_t, true>(size) : local<int64_t, false>(size);
    return joined ? local<int32_t, true>(size) : local<int32_t, false>(size);
}

extern "C" const void *gndi_cuda_label_kernel(gndi_cuda_label_step step, bool far, bool joined, bool wide) {
    using namespace gnd::labels;
    if (far) return joined ? step_kernel<int64_t, true>(step, wide) : step_kernel<int64_t, false>(step, wide);
    return joined ? step_kernel<int32_t, true>(step, wide) : step_kernel<int32_t, false>(step, wide);
}
