// label_kernels.cu: connected components. A block has a tile of 256 words, a thread a word. Runs of a tile are joined
// in shared memory; the components of tiles, numbered densely, in global memory. A root is always the component whose
// first element comes first, so that links never make a ring.
#include "labels/cuda/labels_params.h"
#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

enum { THREADS = GNDI_LABEL_TILE, WARPS = THREADS / 32 };
constexpr unsigned ALL = 0xffffffffu;
template <bool Joined> constexpr int NODES = THREADS *MOST_RUNS<Joined>; /* most components of a tile */

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

/* The lanes' words, which the warp reads one after the other, an element a lane. */
template <class U> static __device__ uint32_t read_words(const label_t &p, const stretch &own) {
    const U *x = static_cast<const U *>(p.x);
    const U significant = (U)p.significant;
    const int lane = (int)(threadIdx.x & 31);
    uint32_t mine = 0;
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
        const int64_t offset = __shfl_sync(ALL, (long long)own.offset, k);
        const int length = __shfl_sync(ALL, own.length, k);
        const bool set = lane < length && (x[offset + lane] & significant) != 0;
        const uint32_t mask = __ballot_sync(ALL, set);
        if (lane == k) mine = mask;
    }
    return mine;
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

template <class U, class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    local_kernel(const __grid_constant__ gndi_label_plan p) {
    constexpr int MOST = MOST_RUNS<Joined>;
    extern __shared__ __align__(8) unsigned char workspace[];
    __shared__ uint32_t masks[THREADS];
    int *parent = reinterpret_cast<int *>(workspace); /* once numbered: -1 - the component's number */
    const int thread = (int)threadIdx.x, first = thread * MOST;
    const uint32_t tile = blockIdx.x;
    const int64_t word = (int64_t)tile * THREADS + thread;
    const place at = place_in_tile(p, tile, thread);
    const uint32_t mask = read_words<U>(p, stretch_of(p, at)), starts = starts_of<Joined>(mask);
    const int count = count_bits(starts);
    const int64_t raster = row_of(p, at) * p.words + at.w;
    masks[thread] = mask, p.masks[word] = mask;
    if (is_inside(p, at)) p.firsts[raster] = 0;
    for (int k = first; k < first + count; k++) parent[k] = k;
    __syncthreads();
    if (mask)
        each_neighbour(p, at, mask, [&](const place &to, int side, unsigned flags) {
            const tile_word other = tile_word_of(p, to);
            if (other.tile != tile) return;
            const uint32_t near = masks[other.word], near_starts = starts_of<Joined>(near);
            each_contact<Joined>(mask, near, side, flags, [&](int bit, int near_bit) {
                unite_runs(parent, first + run_at(starts, bit), other.word * MOST + run_at(near_starts, near_bit));
            });
        });
    __syncthreads();
    int roots = 0, total;
    for (int k = first; k < first + count; k++) roots += parent[k] == k;
    int number = block_prefix(roots, &total);
    int k = first;
    for (uint32_t left = starts; left; left &= left - 1, k++) {
        if (parent[k] != k) continue;
        const int64_t node = (int64_t)tile * NODES<Joined> + number;
        static_cast<T *>(p.parent)[node] = (T)node;
        static_cast<T *>(p.first)[node] = (T)(raster * 32 + lowest_bit(left));
        parent[k] = -1 - number++;
    }
    __syncthreads();
    for (k = 0; k < count; k++) {
        int root = first + k;
        while (parent[root] >= 0) root = parent[root];
        p.ids[word * MOST + k] = (uint16_t)(-1 - parent[root]);
    }
    if (thread == 0) p.roots[tile] = total;
}

/* ---- across tiles --------------------------------------------------------------------------- */

static __device__ int link_node(int32_t *parent, int32_t expected, int32_t to) {
    return atomicCAS(parent, expected, to);
}
static __device__ int64_t link_node(int64_t *parent, int64_t expected, int64_t to) {
    return (int64_t)atomicCAS(reinterpret_cast<unsigned long long *>(parent), (unsigned long long)expected,
                              (unsigned long long)to);
}

/* The root; halves the way. Only nodes that are no roots are changed, and to nodes above them. */
template <class T> static __device__ T find_node(volatile T *parent, T a) {
    for (;;) {
        const T above = parent[a];
        if (above == a) return a;
        const T top = parent[above];
        if (top == above) return above;
        parent[a] = top;
        a = top;
    }
}
template <class T> static __device__ void unite_nodes(T *parent, const T *first, T a, T b) {
    for (;;) {
        a = find_node<T>(parent, a), b = find_node<T>(parent, b);
        if (a == b) return;
        const bool in_order = first[a] < first[b];
        const T low = in_order ? a : b, high = in_order ? b : a;
        const T before = link_node(parent + high, high, low);
        if (before == high) return;
        a = before, b = low;
    }
}

template <class T, bool Joined> static __device__ T node_of(const label_t &p, const tile_word &at, int run) {
    const int64_t word = (int64_t)at.tile * THREADS + at.word;
    return (T)((int64_t)at.tile * NODES<Joined> + p.ids[word * MOST_RUNS<Joined> + run]);
}

template <class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    across_kernel(const __grid_constant__ gndi_label_plan p) {
    const tile_word own = {blockIdx.x, (int)threadIdx.x};
    const uint32_t mask = p.masks[(int64_t)own.tile * THREADS + own.word], starts = starts_of<Joined>(mask);
    if (!mask) return;
    each_neighbour(p, place_in_tile(p, own.tile, own.word), mask, [&](const place &to, int side, unsigned flags) {
        const tile_word other = tile_word_of(p, to);
        if (other.tile == own.tile) return;
        const uint32_t near = p.masks[(int64_t)other.tile * THREADS + other.word],
                       near_starts = starts_of<Joined>(near);
        each_contact<Joined>(mask, near, side, flags, [&](int bit, int near_bit) {
            unite_nodes<T>(static_cast<T *>(p.parent), static_cast<const T *>(p.first),
                           node_of<T, Joined>(p, own, run_at(starts, bit)),
                           node_of<T, Joined>(p, other, run_at(near_starts, near_bit)));
        });
    });
}

/* ---- numbers -------------------------------------------------------------------------------- */

template <class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    mark_kernel(const __grid_constant__ gndi_label_plan p) {
    for (int k = (int)threadIdx.x; k < p.roots[blockIdx.x]; k += THREADS) {
        const int64_t node = (int64_t)blockIdx.x * NODES<Joined> + k;
        if (static_cast<const T *>(p.parent)[node] != (T)node) continue;
        const int64_t first = static_cast<const T *>(p.first)[node];
        atomicOr(p.firsts + first / 32, 1u << (first & 31));
    }
}

static __global__ void __launch_bounds__(THREADS) count_kernel(const __grid_constant__ gndi_label_plan p) {
    constexpr int EACH = GNDI_LABEL_CHUNK / THREADS;
    const int64_t begin = (int64_t)blockIdx.x * GNDI_LABEL_CHUNK + threadIdx.x * EACH, words = p.rows * p.words;
    int count[EACH], sum = 0, total;
    for (int k = 0; k < EACH; k++) sum += count[k] = begin + k < words ? __popc(p.firsts[begin + k]) : 0;
    int before = block_prefix(sum, &total);
    for (int k = 0; k < EACH && begin + k < words; before += count[k++]) p.prefix[begin + k] = (uint16_t)before;
    if (threadIdx.x == 0) p.before[blockIdx.x] = total;
}

/* One block: what chunks have becomes what those before them have. */
static __global__ void __launch_bounds__(1024) before_kernel(const __grid_constant__ gndi_label_plan p) {
    __shared__ int64_t sums[32];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    const int64_t chunks = (p.rows * p.words + GNDI_LABEL_CHUNK - 1) / GNDI_LABEL_CHUNK;
    int64_t carried = 0;
    for (int64_t begin = 0; begin < chunks; begin += 1024) {
        const int64_t k = begin + threadIdx.x;
        const int64_t own = k < chunks ? p.before[k] : 0;
        long long sum = own;
        for (int far = 1; far < 32; far *= 2) {
            const long long before = __shfl_up_sync(ALL, sum, far);
            if (lane >= far) sum += before;
        }
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        int64_t before = carried + sum - own;
        for (int w = 0; w < 32; w++) {
            if (w < warp) before += sums[w];
            carried += sums[w];
        }
        if (k < chunks) p.before[k] = before;
        __syncthreads();
    }
    if (threadIdx.x == 0) *p.count = carried;
}

template <class L, class T, bool Joined> __global__ void __launch_bounds__(THREADS)
    write_kernel(const __grid_constant__ gndi_label_plan p) {
    extern __shared__ __align__(8) unsigned char workspace[];
    L *label = reinterpret_cast<L *>(workspace);
    const uint32_t tile = blockIdx.x;
    const int thread = (int)threadIdx.x, lane = thread & 31;
    for (int k = thread; k < p.roots[tile]; k += THREADS) {
        const T root = find_node<T>(static_cast<T *>(p.parent), (T)((int64_t)tile * NODES<Joined> + k));
        const int64_t first = static_cast<const T *>(p.first)[root], word = first / 32;
        const int here = __popc(p.firsts[word] & ((1u << (first & 31)) - 1));
        label[k] = (L)(p.before[word / GNDI_LABEL_CHUNK] + p.prefix[word] + here + 1);
    }
    __syncthreads();
    const stretch own = stretch_of(p, place_in_tile(p, tile, thread));
    const uint32_t mask = p.masks[(int64_t)tile * THREADS + thread];
    const uint16_t *ids = p.ids + ((int64_t)tile * THREADS + (thread & ~31)) * MOST_RUNS<Joined>;
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const int64_t offset = __shfl_sync(ALL, (long long)own.offset, k);
        const int length = __shfl_sync(ALL, own.length, k);
        const uint32_t bits = __shfl_sync(ALL, mask, k);
        if (lane >= length) continue;
        const int run = run_at(starts_of<Joined>(bits), lane);
        static_cast<L *>(p.labels)[offset + lane] = bits >> lane & 1 ? label[ids[k * MOST_RUNS<Joined> + run]] : (L)0;
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
    case GNDI_CUDA_LABEL_MARK: return (const void *)mark_kernel<T, Joined>;
    case GNDI_CUDA_LABEL_COUNT: return (const void *)count_kernel;
    case GNDI_CUDA_LABEL_BEFORE: return (const void *)before_kernel;
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
