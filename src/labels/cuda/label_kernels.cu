// label_kernels.cu: connected components. A block has a tile of 256 words, a thread a word. Runs of a tile are joined
// in shared memory: first each with one that it touches in the row before, which needs no atomics, then with others.
// The components of tiles, numbered densely, are joined in global memory. Links lead to the component whose first
// element comes first, so that they never make a ring, and the root has the whole component's first element.
#include "kernels/cuda/early_start.cuh"
#include "labels/cuda/label_words.cuh"
#include "labels/cuda/labels_params.h"

namespace gnd {
namespace labels {

enum { THREADS = GNDI_LABEL_TILE, WARPS = THREADS / 32 };
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
static __device__ stretch stretch_of(const label_t &p, const place &at) {
    if (!is_inside(p, at)) return {0, 0};
    const int64_t left = p.width - at.w * 32;
    return {row_of(p, at) * p.width + at.w * 32, left < 32 ? (int)left : 32};
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

/* ---- links ---------------------------------------------------------------------------------- */

static __device__ int32_t link_node(int32_t *parent, int32_t expected, int32_t to) {
    return atomicCAS(parent, expected, to);
}
static __device__ int64_t link_node(int64_t *parent, int64_t expected, int64_t to) {
    return (int64_t)atomicCAS(reinterpret_cast<unsigned long long *>(parent), (unsigned long long)expected,
                              (unsigned long long)to);
}

/* Rem's union: goes up from both nodes until their parents are the same, and makes ways shorter. Links lead to nodes
   whose key is less: first[node], or without `first` the node's number; only those of roots are ever made by two
   threads at once. Returns the key of the root that is none any more; -1: there is none. */
template <class T> static __device__ T unite(T *parent, const T *first, T a, T b) {
    volatile T *const link = parent;
    T above_a = link[a], above_b = link[b];
    while (above_a != above_b) {
        T key_a = first ? first[above_a] : above_a;
        const T key_b = first ? first[above_b] : above_b;
        if (key_a < key_b) {
            const T node = a, above = above_a;
            a = b, above_a = above_b, key_a = key_b;
            b = node, above_b = above;
        }
        if (above_a == a) {
            const T before = link_node(parent + a, a, above_b);
            if (before == a) return key_a;
            above_a = before;
        } else {
            const T top = link[above_a];
            if (top != above_a) link[a] = top;
            a = above_a, above_a = top;
        }
    }
    return -1;
}

/* ---- a tile --------------------------------------------------------------------------------- */

enum { NEAR = 4 }; /* a row's own line among those of the same z, and of the one before, that come first */

/* A word's place in a tile. */
struct inner_place {
    int z, y, w;
};
static __device__ inner_place inner_place_of(const label_t &p, int word) {
    return {word >> (p.log_w + p.log_y), word >> p.log_w & ((1 << p.log_y) - 1), word & ((1 << p.log_w) - 1)};
}
/* Whether near line k leads to a row of the tile. */
static __device__ bool is_in_tile(const label_t &p, const inner_place &at, int k) {
    const int y = at.y + k % 3 - 1;
    return y >= 0 && y >> p.log_y == 0 && (k >= 3 || at.z > 0);
}

/* Calls visit(word, side, flags, k) for each word of the tile before this one that may touch it; see each_neighbour. */
template <class Visit> static __device__ void each_in_tile(const label_t &p, int word, uint32_t mask, Visit visit) {
    const inner_place at = inner_place_of(p, word);
#pragma unroll 1
    for (int k = 0; k <= NEAR; k++) {
        const unsigned flags = p.flags[p.own - NEAR + k];
        if (!flags || !is_in_tile(p, at, k)) continue;
        const int to = word + (((k / 3 - 1) * (1 << p.log_y) + k % 3 - 1) << p.log_w);
        if ((flags & 1) && (mask & 1) && at.w > 0) visit(to - 1, -1, flags, k);
        if (k == NEAR) break;
        visit(to, 0, flags, k);
        if ((flags & 4) && mask >> 31 && at.w + 1 < 1 << p.log_w) visit(to + 1, 1, flags, k);
    }
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
    volatile int *const link = parent;
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
    /* The first contacts of runs with the row before, if the structure connects the two: no other thread links them. */
    uint32_t linked = 0;
    if ((p.flags[p.own - 1] & 2) && inner_place_of(p, thread).y > 0) {
        const int before = thread - (1 << p.log_w);
        const uint32_t near = masks[before], near_starts = starts_of<Joined>(near);
        uint32_t contacts = mask & near;
        if (Joined) contacts &= ~(contacts << 1);
        linked = Joined ? ((mask & ~contacts) + starts) & contacts : contacts;
        each_bit(linked, 0, [&](int bit, int) {
            parent[first + run_at(starts, bit)] = before * PITCH<Joined> + run_at(near_starts, bit);
        });
    }
    __syncthreads();
    for (int k = first; k < first + count; k++) {
        int root = k;
        for (int above; (above = link[root]) != root;) root = above;
        link[k] = root;
    }
    __syncthreads();
    each_in_tile(p, thread, mask, [&](int to, int side, unsigned flags, int k) {
        const uint32_t near = masks[to], near_starts = starts_of<Joined>(near);
        const auto join = [&](int bit, int near_bit) {
            unite<int>(parent, nullptr, first + run_at(starts, bit),
                       to * PITCH<Joined> + run_at(near_starts, near_bit));
        };
        each_contact<Joined>(mask, near, side, flags, join, k == NEAR - 1 ? linked : 0);
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
        int above = link[k];
        while (above >= 0) above = link[above];
        link[k] = above;
    }
    write_ids<Joined>(p, word, count, parent + first);
    if (thread == 0) p.roots[tile] = total;
    if (thread == 0 && tile == 0) *p.done = 0;
}

/* ---- across tiles --------------------------------------------------------------------------- */

/* Calls visit(word, side, flags) for each word of other tiles before this one that may touch it. */
template <class Visit>
static __device__ void each_outside(const label_t &p, const tile_word &own, uint32_t mask, Visit visit) {
    const inner_place in = inner_place_of(p, own.word);
    const place at = place_in_tile(p, own.tile, own.word);
#pragma unroll 1
    for (int line = 0; line <= p.own; line++) {
        const unsigned flags = p.flags[line];
        const int k = line - (p.own - NEAR);
        const bool near = k >= 0 && is_in_tile(p, in, k);
        const bool before = (flags & 1) && (mask & 1) && at.w > 0 && !(near && in.w > 0);
        const bool here = line < p.own && flags && !near;
        const bool after =
            line < p.own && (flags & 4) && mask >> 31 && at.w + 1 < p.words && !(near && in.w + 1 < 1 << p.log_w);
        place to;
        if (!(before || here || after) || !neighbour(p, line, at, &to)) continue;
#pragma unroll 1
        for (int side = -1; side <= 1; side++) {
            if (!(side < 0 ? before : side == 0 ? here : after)) continue;
            to.w = at.w + side;
            visit(tile_word_of(p, to), side, flags);
        }
    }
}

template <class T, bool Joined> static __device__ T node_of(const label_t &p, const tile_word &at, int run) {
    const int64_t word = (int64_t)at.tile * THREADS + at.word;
    return (T)((int64_t)at.tile * NODES<Joined> + p.ids[word * MOST_RUNS<Joined> + run]);
}

/* A component of a tile that is linked is none of the whole: its first element's bit is cleared. */
template <class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    across_kernel(const __grid_constant__ gndi_label_plan p) {
    const tile_word own = {blockIdx.x, (int)threadIdx.x};
    start_early();
    const uint32_t mask = p.masks[(int64_t)own.tile * THREADS + own.word], starts = starts_of<Joined>(mask);
    if (!mask) return;
    each_outside(p, own, mask, [&](const tile_word &other, int side, unsigned flags) {
        const uint32_t near = p.masks[(int64_t)other.tile * THREADS + other.word],
                       near_starts = starts_of<Joined>(near);
        each_contact<Joined>(mask, near, side, flags, [&](int bit, int near_bit) {
            const T a = node_of<T, Joined>(p, own, run_at(starts, bit)),
                    b = node_of<T, Joined>(p, other, run_at(near_starts, near_bit));
            const T none = unite<T>(static_cast<T *>(p.parent), static_cast<const T *>(p.first), a, b);
            if (none >= 0) atomicAnd(p.firsts + none / 32, ~(1u << (none & 31)));
        });
    });
}

/* ---- numbers -------------------------------------------------------------------------------- */

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

/* The labels of the components of a tile, whose nodes begin at `begin`; four a thread at a time. */
template <class L, class T> static __device__ void write_numbers(const label_t &p, int64_t begin, int roots, L *label) {
    enum { EACH = 4 };
    volatile T *const link = static_cast<T *>(p.parent);
    for (int k = (int)threadIdx.x; k < roots; k += EACH * THREADS) {
        T root[EACH], above[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) above[e] = link[begin + (k + e * THREADS < roots ? k + e * THREADS : k)];
#pragma unroll
        for (int e = 0; e < EACH; e++) root[e] = above[e], above[e] = link[root[e]];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            for (; above[e] != root[e]; above[e] = link[root[e]]) root[e] = above[e];
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int64_t first = static_cast<const T *>(p.first)[root[e]], at = first / 32;
            const int here = __popc(p.firsts[at] & ((1u << (first & 31)) - 1));
            if (k + e * THREADS < roots)
                label[k + e * THREADS] = (L)(p.before[at / GNDI_LABEL_CHUNK] + p.prefix[at] + here + 1);
        }
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
    write_numbers<L, T>(p, (int64_t)tile * NODES<Joined>, roots, label);
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
    case GNDI_CUDA_LABEL_COUNT: return (const void *)count_kernel;
    default: break;
    }
    return wide ? (const void *)write_kernel<int64_t, T, Joined> : (const void *)write_kernel<int32_t, T, Joined>;
}

} // namespace labels
} // namespace gnd

// The kernels of each step, where offsets have 32 bits and where they are far.
#define KERNELS(part, T)                                                                                               \
    extern "C" const void *gndi_cuda_label_local_##part(int size, bool joined) {                                       \
        return joined ? gnd::labels::local<T, true>(size) : gnd::labels::local<T, false>(size);                        \
    }                                                                                                                  \
    extern "C" const void *gndi_cuda_label_##part(gndi_cuda_label_step step, bool joined, bool wide) {                 \
        return joined ? gnd::labels::step_kernel<T, true>(step, wide)                                                  \
                      : gnd::labels::step_kernel<T, false>(step, wide);                                                \
    }
#ifdef GNDI_PART_near
KERNELS(near, int32_t)
#endif
#ifdef GNDI_PART_far
KERNELS(far, int64_t)
#endif
