// distance_kernels.cu: distances to the nearest zero.
//
// The first axis: a warp has 128 rows of 32 columns as bits in registers, a lane a column; the warps of a block tell
// each other where their first and last zeros are.
//
// A later axis: a block has lines in shared memory. Each element looks for its nearest up to 16 elements away; where
// that does not decide, the line's marks, every 32nd element, find theirs by division: since the nearest element never
// decreases along the line, a mark between two others only looks between their nearest ones, a warp for each mark. The
// 32 elements between two marks then look between those, all of a warp at the same element of the line.
#include "ndimage/cuda/distance_params.h"
#include "ndimage/distance_ops.h"

namespace gnd {
namespace distance {

typedef gndi_cuda_distance_params params_t;

enum { THREADS = GNDI_CUDA_DISTANCE_THREADS, MOST = GNDI_CUDA_DISTANCE_MOST, ROWS = GNDI_DISTANCE_ROWS };
enum { WORDS = ROWS / 32, SEGMENT = GNDI_DISTANCE_SEGMENT, WARPS = THREADS / 32 };
enum { NEAR = 16, SOON = 4 }; /* how far an element looks, and after how many steps it gives up if all is far */
constexpr unsigned ALL = 0xffffffffu;
constexpr int32_t BEHIND = 0x7fffffff; /* no zero there */
constexpr int32_t OPEN = (int32_t)0x80000000;

/* ---- the first axis ------------------------------------------------------------------------- */

/* Where a thread is: its column, the first of its rows; false: the column is outside. */
struct strip {
    int64_t column, row, block;
    int warp, chunk;
    bool inside;
};
static __device__ strip strip_of(const params_t &p) {
    strip at;
    at.warp = (int)(threadIdx.x >> 5), at.chunk = at.warp % p.warps;
    const int64_t block = (int64_t)blockIdx.x, across = (p.all_strips + p.strips - 1) / p.strips;
    at.block = block / across;
    at.column = ((block % across) * p.strips + at.warp / p.warps) * 32 + (threadIdx.x & 31);
    at.row = (at.block * p.warps + at.chunk) * ROWS;
    at.inside = at.column < p.plan.inner;
    return at;
}

/* The zeros of a thread's rows, a bit each. */
static __device__ void read_zeros(const plan_t &p, const strip &at, uint32_t word[WORDS]) {
    const int64_t size = p.n * p.inner;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        word[k] = 0;
#pragma unroll
        for (int b = 0; b < 32; b++) {
            const int64_t row = at.row + k * 32 + b, i = row * p.inner + at.column;
            if (at.inside && row < p.n && p.truths[p.mirrored ? size - 1 - i : i] == 0) word[k] |= 1u << b;
        }
    }
}

/* The last zero before a thread's rows, -1, and the first one behind them, BEHIND: of the block's other warps, and of
   other blocks. */
static __device__ int32_t look_before(const params_t &p, const strip &at, const int32_t (*last)[32]) {
    const int lane = (int)(threadIdx.x & 31);
    for (int w = 1; w <= at.chunk; w++)
        if (last[at.warp - w][lane] >= 0) return last[at.warp - w][lane];
    for (int64_t b = at.block - 1; b >= 0; b--) {
        const int32_t row = p.plan.edges[(2 * b + 1) * p.plan.inner + at.column];
        if (row >= 0) return row;
    }
    return -1;
}
static __device__ int32_t look_behind(const params_t &p, const strip &at, const int32_t (*first)[32]) {
    const int lane = (int)(threadIdx.x & 31);
    for (int w = 1; at.chunk + w < p.warps; w++)
        if (first[at.warp + w][lane] != BEHIND) return first[at.warp + w][lane];
    for (int64_t b = at.block + 1; b < p.blocks; b++) {
        const int32_t row = p.plan.edges[2 * b * p.plan.inner + at.column];
        if (row != BEHIND) return row;
    }
    return BEHIND;
}

template <int metric, class D> static __device__ void write_nearest(const plan_t &p, const strip &at,
                                                                    const uint32_t word[WORDS], int32_t before,
                                                                    const int32_t behind[WORDS]) {
    const D spacing = (D)p.spacing;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const int32_t base = (int32_t)at.row + k * 32;
#pragma unroll 8
        for (int b = 0; b < 32; b++) {
            const int32_t row = base + b;
            if (row >= p.n) return;
            const uint32_t up = word[k] & ((2u << b) - 1), down = word[k] >> b;
            const int32_t low = up ? base + 31 - __clz((int)up) : before;
            const int32_t high = down ? row + __ffs((int)down) - 1 : behind[k];
            const bool is_none = low < 0 && high == BEHIND;
            const int32_t nearest = high == BEHIND || (low >= 0 && row - low <= high - row) ? low : high;
            const D value = is_none ? none<D>() : step<metric>(distance_between(row, nearest), spacing);
            store<D>(p, (int64_t)row * p.inner + at.column, value, (int64_t)nearest * p.inner + at.column);
        }
        if (word[k]) before = base + 31 - __clz((int)word[k]);
    }
}

template <int metric, class D> __global__ void __launch_bounds__(MOST)
    nearest_kernel(const __grid_constant__ params_t p) {
    __shared__ int32_t first[MOST / 32][32], last[MOST / 32][32];
    const int lane = (int)(threadIdx.x & 31);
    const strip at = strip_of(p);
    uint32_t word[WORDS];
    int32_t behind[WORDS], low = BEHIND, high = -1;
    read_zeros(p.plan, at, word);
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const int32_t base = (int32_t)at.row + k * 32;
        if (word[k] && low == BEHIND) low = base + __ffs((int)word[k]) - 1;
        if (word[k]) high = base + 31 - __clz((int)word[k]);
    }
    first[at.warp][lane] = low, last[at.warp][lane] = high;
    __syncthreads();
    if (!at.inside) return;
    if (p.looks) {
        if (at.chunk > 0) return;
        for (int w = 1; w < p.warps; w++) {
            if (low == BEHIND) low = first[at.warp + w][lane];
            if (last[at.warp + w][lane] >= 0) high = last[at.warp + w][lane];
        }
        p.plan.edges[2 * at.block * p.plan.inner + at.column] = low;
        p.plan.edges[(2 * at.block + 1) * p.plan.inner + at.column] = high;
        return;
    }
    int32_t next = look_behind(p, at, first);
#pragma unroll
    for (int k = WORDS - 1; k >= 0; k--) {
        behind[k] = next;
        if (word[k]) next = (int32_t)at.row + k * 32 + __ffs((int)word[k]) - 1;
    }
    write_nearest<metric, D>(p.plan, at, word, look_before(p, at, last), behind);
}

/* ---- a later axis --------------------------------------------------------------------------- */

/* A line's distances: in shared memory, or where they are. */
template <class D, bool Held> struct line {
    const D *far;
    int64_t stride, base;
    int32_t *marks;
    __device__ D at(int j) const { return Held ? far[j] : far[j * stride]; }
};

template <class D, bool Held>
static __device__ line<D, Held> line_of(const params_t &p, unsigned char *memory, int64_t number, int c) {
    line<D, Held> l;
    D *held = reinterpret_cast<D *>(memory);
    l.base = line_base(p.plan, number), l.stride = p.plan.inner;
    l.far = Held ? held + (int64_t)c * p.pitch : static_cast<const D *>(p.plan.from) + l.base;
    l.marks = Held ? reinterpret_cast<int32_t *>(held + (int64_t)p.lines * p.pitch) + c * p.marks
                   : p.plan.edges + number * p.marks;
    return l;
}

/* Reads the block's lines; whether any element of them has a distance. */
template <class D, bool Held>
static __device__ bool read_lines(const params_t &p, unsigned char *memory, int64_t first, int count) {
    D *held = reinterpret_cast<D *>(memory);
    const D *from = static_cast<const D *>(p.plan.from);
    const int n = (int)p.plan.n, all = n * count;
    bool any = false;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const bool along = count == 1 || p.plan.inner == 1;
        const int c = count == 1 ? 0 : along ? e / n : e % count, j = count == 1 ? e : along ? e - c * n : e / count;
        const D value = from[line_base(p.plan, first + c) + j * p.plan.inner];
        if (Held) held[c * p.pitch + j] = value;
        any |= value < none<D>();
    }
    return __syncthreads_or(any);
}

/* Elements of a segment that are near to a zero; false: some are not, and nothing is written. */
template <int metric, class D, bool Held>
static __device__ bool look_near(const plan_t &p, const line<D, Held> &l, int segment) {
    const D spacing = (D)p.spacing;
    const int n = (int)p.n, x = segment * SEGMENT + (int)(threadIdx.x & 31);
    int nearest = x;
    D best = x < n ? l.at(x) : (D)0;
    bool open = x < n;
    for (int r = 1; r <= NEAR; r++) {
        const D away = step<metric>((uint32_t)r, spacing);
        open &= away <= best && (x >= r || x + r < n);
        if (!__any_sync(ALL, open)) break;
        if (r == SOON && __any_sync(ALL, open && best > step<metric>(4 * NEAR, spacing))) return false;
        if (!open) continue;
        const D left = x >= r ? join<metric>(l.at(x - r), away) : none<D>();
        const D right = x + r < n ? join<metric>(l.at(x + r), away) : none<D>();
        if (left <= best) best = left, nearest = x - r;
        if (right < best) best = right, nearest = x + r;
    }
    if (__any_sync(ALL, open)) return false;
    if (x < n) store<D>(p, l.base + x * l.stride, best, at_of(p, l.base, nearest));
    return true;
}

/* The nearest of element x, among low .. high; n if none of them has a distance. All lanes. */
template <int metric, class D, bool Held>
static __device__ int look_between(const plan_t &p, const line<D, Held> &l, int x, int low, int high) {
    const D spacing = (D)p.spacing;
    int nearest = (int)p.n;
    D best = none<D>();
    for (int j = low + (int)(threadIdx.x & 31); j <= high; j += 32) {
        const D value = join<metric>(l.at(j), step<metric>(distance_between(x, j), spacing));
        if (value < best) best = value, nearest = j;
    }
    for (int far = 16; far > 0; far /= 2) {
        const D other = __shfl_xor_sync(ALL, best, far);
        const int its = __shfl_xor_sync(ALL, nearest, far);
        if (other < best || (other == best && its < nearest)) best = other, nearest = its;
    }
    return nearest;
}

/* The nearest of each mark. All threads. */
template <int metric, class D, bool Held>
static __device__ void find_marks(const params_t &p, unsigned char *memory, int64_t first, int count) {
    const int warp = (int)(threadIdx.x >> 5), last = p.marks - 1, n = (int)p.plan.n;
    const auto set = [&](int c, int k, int below, int above) {
        const line<D, Held> l = line_of<D, Held>(p, memory, first + c, c);
        const int x = k == last ? n - 1 : k * SEGMENT;
        const int low = below < 0 ? 0 : l.marks[below] & ~OPEN, high = above < 0 ? n - 1 : l.marks[above] & ~OPEN;
        const int nearest = look_between<metric, D, Held>(p.plan, l, x, low, high < n ? high : n - 1);
        if ((threadIdx.x & 31) == 0) l.marks[k] = (l.marks[k] & OPEN) | nearest;
    };
    for (int u = warp; u < 2 * count; u += WARPS) set(u / 2, u % 2 ? last : 0, -1, -1);
    __syncthreads();
    int reach = 1;
    while (reach < last) reach *= 2;
    for (reach /= 2; reach > 0; reach /= 2) {
        const int each = (last - 1 + reach) / (2 * reach); /* reach, 3 reach, ... < last */
        for (int u = warp; u < each * count; u += WARPS) {
            const int k = (2 * (u % each) + 1) * reach;
            set(u / each, k, k - reach, k + reach < last ? k + reach : last);
        }
        __syncthreads();
    }
}

/* Elements of a segment, between the nearest ones of its marks. */
template <int metric, class D, bool Held>
static __device__ void look_along(const plan_t &p, const line<D, Held> &l, int segment) {
    const D spacing = (D)p.spacing;
    const int n = (int)p.n, x = segment * SEGMENT + (int)(threadIdx.x & 31);
    const int low = l.marks[segment] & ~OPEN, high = l.marks[segment + 1] & ~OPEN;
    int nearest = 0;
    D best = none<D>();
#pragma unroll 4
    for (int j = low; j <= high && j < n; j++) {
        const D value = join<metric>(l.at(j), step<metric>(distance_between(x, j), spacing));
        if (value < best) best = value, nearest = j;
    }
    if (x < n) store<D>(p, l.base + x * l.stride, best, at_of(p, l.base, nearest));
}

template <int metric, class D, bool Held> __global__ void __launch_bounds__(THREADS)
    least_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int64_t all = p.plan.outer * p.plan.inner, first = (int64_t)blockIdx.x * p.lines;
    const int count = (int)(all - first < p.lines ? all - first : p.lines), warp = (int)(threadIdx.x >> 5);
    const int segments = p.marks - 1, units = segments * count;
    const bool any = read_lines<D, Held>(p, memory, first, count);
    bool open = false;
    for (int u = warp; u < units; u += WARPS) {
        const int c = u / segments, segment = u % segments, x = segment * SEGMENT + (int)(threadIdx.x & 31);
        const line<D, Held> l = line_of<D, Held>(p, memory, first + c, c);
        if (!any) {
            if (x < p.plan.n) store<D>(p.plan, l.base + x * l.stride, none<D>(), -1);
            continue;
        }
        const bool done = look_near<metric, D, Held>(p.plan, l, segment);
        if ((threadIdx.x & 31) == 0) l.marks[segment] = done ? 0 : OPEN;
        open |= !done;
    }
    for (int c = (int)threadIdx.x; c < count; c += THREADS)
        line_of<D, Held>(p, memory, first + c, c).marks[segments] = 0;
    if (!__syncthreads_or(open)) return;
    find_marks<metric, D, Held>(p, memory, first, count);
    for (int u = warp; u < units; u += WARPS) {
        const line<D, Held> l = line_of<D, Held>(p, memory, first + u / segments, u / segments);
        if (l.marks[u % segments] & OPEN) look_along<metric, D, Held>(p.plan, l, u % segments);
    }
}

/* ---- a chamfer with a structure ------------------------------------------------------------- */

/* Element number k of those with x[last] + 2 x[last - 1] + 4 ... = diagonal: an element's neighbours in the structure's
   first half are of lower diagonals. All axes but the last are chosen, which then has one index; -1: none. */
static __device__ int64_t on_diagonal(const plan_t &p, int64_t k, int64_t diagonal) {
    int64_t i = 0, stride = p.shape[p.ndim - 1], weight = 2;
    for (int a = p.ndim - 2; a >= 0; a--, weight *= 2) {
        const int64_t index = k % p.shape[a];
        k /= p.shape[a];
        i += index * stride, stride *= p.shape[a];
        diagonal -= index * weight;
    }
    return diagonal >= 0 && diagonal < p.shape[p.ndim - 1] ? i + diagonal : -1;
}

/* One block. */
static __global__ void __launch_bounds__(MOST) raster_kernel(const __grid_constant__ params_t p) {
    const int64_t size = p.plan.n, others = size / p.plan.shape[p.plan.ndim - 1];
    int64_t diagonals = 1, weight = 1;
    for (int a = p.plan.ndim - 1; a >= 0; a--, weight *= 2) diagonals += (p.plan.shape[a] - 1) * weight;
    for (int64_t i = threadIdx.x; i < size; i += MOST) open_chamfer(p.plan, i);
    for (int back = 0; back < 2; back++)
        for (int64_t d = 0; d < diagonals; d++) {
            __syncthreads();
            for (int64_t k = threadIdx.x; k < others; k += MOST) {
                const int64_t i = on_diagonal(p.plan, k, back ? diagonals - 1 - d : d);
                if (i >= 0) chamfer(p.plan, i, back);
            }
        }
    __syncthreads();
    for (int64_t i = threadIdx.x; p.plan.indices && i < size; i += MOST) close_chamfer(p.plan, i);
}

/* ---- tables --------------------------------------------------------------------------------- */

template <int metric, class D> static const void *kernel_of(int kind, bool held) {
    if (kind == GNDI_DISTANCE_NEAREST) return (const void *)nearest_kernel<metric, D>;
    return held ? (const void *)least_kernel<metric, D, true> : (const void *)least_kernel<metric, D, false>;
}

} // namespace distance
} // namespace gnd

#ifdef GNDI_PART_words
extern "C" const void *gndi_cuda_distance_words(const gndi_distance_plan *p, bool held) {
    using namespace gnd::distance;
    if (p->kind == GNDI_DISTANCE_RASTER) return (const void *)raster_kernel;
    if (p->metric == GNDI_DISTANCE_EUCLIDEAN) return kernel_of<GNDI_DISTANCE_EUCLIDEAN, uint32_t>(p->kind, held);
    if (p->metric == GNDI_DISTANCE_TAXICAB) return kernel_of<GNDI_DISTANCE_TAXICAB, uint32_t>(p->kind, held);
    return kernel_of<GNDI_DISTANCE_CHESSBOARD, uint32_t>(p->kind, held);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_distance_doubles(const gndi_distance_plan *p, bool held) {
    return gnd::distance::kernel_of<GNDI_DISTANCE_EUCLIDEAN, double>(p->kind, held);
}
#endif
