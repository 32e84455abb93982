/* compact_kernels.cu: what a mask names, packed together, in one pass.
 *
 * A warp reads 512 bytes of the mask at a time, 16 a lane, and keeps each 16 as bits, with the number
 * of true points before them in the warp, in shared memory. Tiles find what comes before them as the
 * scans do. Then 32 neighbouring points at a time, a lane a point, are moved by those lanes whose bit
 * is set: what a warp reads and writes lies together, and no element goes through shared memory. */
#include "index/cuda/compact_edges.cuh"

namespace gnd {

enum { take_kind, indices_kind, put_kind, put_at_kind, count_kind }; /* gndi_compact_kind */

constexpr int compact_warps = GNDI_COMPACT_THREADS / 32, compact_direct = 4;

/* What lookback adds up: a tile has at most 2^15 true points, a launch 2^30. */
struct count_sum {
    typedef int32_t value;
    GNDI_MEMBER value join(value a, value b) { return a + b; }
};

/* ---- the mask ------------------------------------------------------------------------------- */

/* A bit for each byte that is not zero. */
GNDI_FN uint32_t bits_of_word(uint32_t w) {
    const uint32_t high = (((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u;
    return (high >> 7) * 0x01020408u >> 24;
}
[[maybe_unused]] GNDI_FN uint32_t bits_of_pack(uint4 w) {
    return bits_of_word(w.x) | bits_of_word(w.y) << 4 | bits_of_word(w.z) << 8 | bits_of_word(w.w) << 12;
}

/* Leaves out what lies before the first point and after the last one. */
GNDI_FN uint32_t trim(const gndi_compact_params &p, uint32_t bits, int32_t at) {
    if (at < p.skip) bits &= 0xffffu << (p.skip - at < 16 ? p.skip - at : 16);
    if (at + 16 > p.end) bits &= p.end > at ? (1u << (p.end - at)) - 1 : 0;
    return bits;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Where x has a point, in bytes. */
template <bool Strided, int Size> GNDI_FN int64_t offset_in_x(const gndi_compact_params &p, int32_t number) {
    if constexpr (!Strided) {
        return (int64_t)number * Size;
    } else {
        int64_t index = p.first - p.skip + number, at = 0;
        for (int a = p.ndim - 1; a > 0; a--) at += take_digit(index, p.shape[a]) * p.stride[a];
        return at + index * p.stride[0];
    }
}

/* A point's indices along the axes of the indices. */
template <bool Strided> GNDI_FN void write_indices(const gndi_compact_params &p, char *out, int32_t number) {
    int64_t index = p.first - p.skip + number;
    if constexpr (Strided)
        for (int a = p.ndim - 1; a > 0; a--) *(int64_t *)(out + a * p.axis_step) = take_digit(index, p.shape[a]);
    *(int64_t *)out = index;
}

/* Of points 32 * t to 32 * t + 31 of a pack of the warp's, the one that is the lane's. */
struct compact_point {
    bool set;
    int32_t rank; /* in the warp */
};
GNDI_FN compact_point point_of(const uint32_t *pack, int t) {
    const int lane = threadIdx.x & 31;
    const uint32_t part = pack[2 * t + (lane >> 4)];
    compact_point point;
    point.set = part >> (lane & 15) & 1;
    point.rank = (int32_t)(part >> 16) + __popc(part & ((1u << (lane & 15)) - 1));
    return point;
}

/* What a warp does with the 512 points of a pack, some at a time. */
template <int Kind, int Size, bool Strided> struct mover {
    typedef typename element_of<Size>::type T;
    static constexpr int batch = Strided ? 2 : Size <= 4 ? 16 : Size == 8 ? 8 : 4;

    const gndi_compact_params &p;
    char *out;
    int64_t rest; /* PUT: rank of the warp's first true point, modulo wrap; PUT_AT: of number 0 */
    int32_t limit;

    /* Before it is known where they go. `number`: that of the lane's first point. */
    __device__ __forceinline__ void read(const uint32_t *pack, int32_t number, T (&value)[batch]) {
        if constexpr (Kind == take_kind) {
#pragma unroll
            for (int t = 0; t < batch; t++)
                if (point_of(pack, t).set)
                    value[t] = *(const T *)(p.x + offset_in_x<Strided, Size>(p, number + 32 * t));
        }
    }
    __device__ __forceinline__ void write(const uint32_t *pack, int32_t number, const T (&value)[batch]) {
#pragma unroll
        for (int t = 0; t < batch; t++) {
            const compact_point point = point_of(pack, t);
            if (!point.set || point.rank >= limit) continue;
            if constexpr (Kind == take_kind)
                *(T *)(out + point.rank * p.step) = value[t];
            else if constexpr (Kind == indices_kind)
                write_indices<Strided>(p, out + point.rank * p.step, number + 32 * t);
            else if constexpr (Kind == put_kind || Kind == put_at_kind)
                *(T *)(p.x + offset_in_x<Strided, Size>(p, number + 32 * t)) =
                    *(const T *)(out + source(point.rank, number + 32 * t) * p.step);
        }
    }
    __device__ __forceinline__ int64_t source(int32_t rank, int32_t number) {
        int64_t r = rest + (Kind == put_at_kind ? number : rank);
        return p.wraps && r >= p.wrap ? take_digit(r, p.wrap) : r;
    }
};

/* ---- indices along one axis ------------------------------------------------------------------ */

/* They are listed in shared memory first, so that a warp writes whole lines, 16 bytes a lane. A line has
   16 indices; the list begins where the pack's first index stands in its line. */
constexpr int places_of_line = 16, list_capacity = 512 + places_of_line;

/* A lane looks at four neighbours of 128. `shift`: from ranks in the warp to indices in the list. */
GNDI_FN void list_points(const uint32_t *pack, int32_t shift, uint16_t *list) {
    const int lane = threadIdx.x & 31, quarter = 4 * (lane & 3);
#pragma unroll
    for (int t = 0; t < 4; t++) {
        const uint32_t part = pack[8 * t + (lane >> 2)];
        const uint32_t bits = part >> quarter, point = t * 128 + lane * 4;
        int32_t at = (int32_t)(part >> 16) + shift + __popc(part & ((1u << quarter) - 1));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (bits >> i & 1) list[at] = (uint16_t)(point + i);
            at += bits >> i & 1;
        }
    }
}

/* Those in the list from `begin` to `end`, the first line of which begins at `out`. */
GNDI_FN void write_listed(const uint16_t *list, int32_t begin, int32_t end, int64_t first, int64_t *out) {
    const uint32_t *pairs = (const uint32_t *)list;
#pragma unroll 4
    for (int32_t at = 2 * (threadIdx.x & 31); at < end; at += 64) {
        const uint32_t two = pairs[at / 2];
        const int64_t low = first + (two & 0xffff), high = first + (two >> 16);
        if (at >= begin && at + 1 < end)
            *(longlong2 *)(out + at) = longlong2{low, high};
        else if (at >= begin)
            out[at] = low;
        else if (at + 1 >= begin && at + 1 < end)
            out[at + 1] = high;
    }
}

/* The indices of a warp, the first of which has rank `base`. `number`: of the warp's first point. */
[[maybe_unused]] GNDI_FN void write_in_lines(const gndi_compact_params &p, const uint32_t (*packs)[32], uint16_t *list,
                                             int64_t base, int32_t limit, int32_t number) {
    for (int k = 0; k < p.depth; k++) {
        const int32_t first = (int32_t)(packs[k][0] >> 16);
        int32_t next = (int32_t)(packs[k][31] >> 16) + __popc(packs[k][31] & 0xffff);
        if (next > limit) next = limit;
        if (next <= first) continue;
        const int64_t rank = base + first;
        const int32_t begin = (int32_t)(rank % places_of_line);
        list_points(packs[k], begin - first, list);
        __syncwarp();
        write_listed(list, begin, begin + next - first, p.first - p.skip + number + k * 512,
                     (int64_t *)p.out + (rank - begin));
        __syncwarp();
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* The counts of a warp's packs: how many true points come before each of them in the warp goes into
   its upper half; the result is how many there are. */
template <int Depth> GNDI_FN int32_t rank_packs(uint32_t (&pack)[Depth]) {
    const int lane = threadIdx.x & 31;
    int32_t total = 0;
#pragma unroll
    for (int k = 0; k < Depth; k += 2) {
        const uint32_t own = __popc(pack[k]) | __popc(pack[k + 1]) << 16;
        uint32_t sum = own;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const uint32_t other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += other;
        }
        const uint32_t all = __shfl_sync(0xffffffffu, sum, 31), before = sum - own;
        pack[k] |= (total + (before & 0xffff)) << 16;
        total += all & 0xffff;
        pack[k + 1] |= (total + (before >> 16)) << 16;
        total += all >> 16;
    }
    return total;
}

GNDI_FN void report_count(const gndi_compact_params &p, int64_t count) {
    count *= p.scale;
    if (p.after) *(volatile int64_t *)p.after = count; /* now, if it is the host that waits */
    if (p.fault && count != p.expected && atomicCAS(&p.fault->code, 0, (int)GNDI_FAULT_COUNT) == 0)
        p.fault->value = count, p.fault->size = p.expected;
}

/* The bits of the lane's packs, `number` being the warp's first point. */
template <int Depth> GNDI_FN void read_mask(const gndi_compact_params &p, int32_t number, uint32_t (&pack)[Depth]) {
    uint4 words[Depth];
#pragma unroll
    for (int k = 0; k < Depth; k++) {
        const int32_t at = number + k * 512 + (threadIdx.x & 31) * 16;
        words[k] = uint4{0, 0, 0, 0};
        if (k < p.depth && at < p.end) words[k] = *(const uint4 *)(p.mask + at);
    }
#pragma unroll
    for (int k = 0; k < Depth; k++)
        pack[k] = trim(p, bits_of_pack(words[k]), number + k * 512 + (threadIdx.x & 31) * 16);
}
template <int Size, int Depth>
GNDI_FN void find_edges(const gndi_compact_params &p, int32_t number, uint32_t (&pack)[Depth]) {
#pragma unroll
    for (int k = 0; k < Depth; k++) {
        const int32_t at = number + k * 512 + (threadIdx.x & 31) * 16;
        pack[k] = k < p.depth ? trim(p, edges_of_pack<Size>(p, number + k * 512), at) : 0;
    }
}

/* Edges: the size of the elements that are compared; 0: the mask is read. */
template <int Kind, int Size, bool Strided, int Edges = 0>
__global__ void __launch_bounds__(GNDI_COMPACT_THREADS, Kind == take_kind || Edges >= 8 ? 4 : 6)
    compact_kernel(const __grid_constant__ gndi_compact_params p) {
    constexpr int depth = GNDI_COMPACT_DEPTH;
    typedef mover<Kind, Size, Strided> move;
    __shared__ scan_ticket shared_ticket;
    __shared__ uint32_t packs[compact_warps][depth][32];
    __shared__ int32_t warp_total[compact_warps], tile_total, tile_before;
    __shared__ int32_t parts[scan_part_count<compact_direct>];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) shared_ticket = take_ticket(p.state, p.tiles), tile_before = 0;
    __syncthreads();
    const scan_position t = {(int32_t)shared_ticket.tile, 0, shared_ticket.flag};
    const int32_t number = (t.tile * compact_warps + warp) * p.depth * 512;

    uint32_t pack[depth];
    if constexpr (Edges == 0)
        read_mask<depth>(p, number, pack);
    else
        find_edges<Edges, depth>(p, number, pack);
    const int32_t total = rank_packs<depth>(pack);
#pragma unroll
    for (int k = 0; k < depth; k++) packs[warp][k][lane] = pack[k];
    if (lane == 0) warp_total[warp] = total;
    __syncthreads();
    int32_t earlier = 0, all = 0;
#pragma unroll
    for (int w = 0; w < compact_warps; w++) {
        if (w < warp) earlier += warp_total[w];
        all += warp_total[w];
    }
    typename move::T value[move::batch] = {};
    move m = {p, p.out, 0, 0};
    m.read(packs[warp][0], number + lane, value);
    if (Kind != put_at_kind && p.tiles > 1) {
        if (threadIdx.x == 0) tile_total = all;
        __syncthreads();
        lookback<count_sum, compact_direct, compact_warps, 1>(p.state, t, t.tile == 0, 0, 1, &tile_total, &tile_before,
                                                              parts);
    }
    const int64_t before_launch = p.before ? *p.before : 0;
    if (Kind != put_at_kind && threadIdx.x == 0 && t.tile == p.tiles - 1)
        report_count(p, before_launch + tile_before + all);
    if constexpr (Kind == count_kind) return;

    const int64_t base = before_launch + tile_before + earlier;
    const int64_t rest = p.capacity - base;
    m.limit = rest < total ? (rest > 0 ? (int32_t)rest : 0) : total;
    if (m.limit == 0) return;
    if constexpr (Kind == indices_kind && !Strided) {
        __shared__ __align__(16) uint16_t list[compact_warps][list_capacity];
        if (p.lines) {
            write_in_lines(p, packs[warp], list[warp], base, m.limit, number);
            return;
        }
    }
    if constexpr (Kind == put_kind) {
        int64_t r = base;
        m.rest = p.wraps ? take_digit(r, p.wrap) : base;
    } else if constexpr (Kind == put_at_kind) {
        m.rest = p.first - p.skip;
    } else {
        m.out += base * p.step;
    }
    const uint32_t *at = packs[warp][0];
    for (int steps = 0; steps < p.depth * 16; steps += move::batch, at += 2 * move::batch) {
        if (steps > 0) m.read(at, number + steps * 32 + lane, value);
        m.write(at, number + steps * 32 + lane, value);
    }
}

/* Zeros to the results from the count to the capacity. */
template <int Size>
__global__ void compact_pad_kernel(char *out, int64_t step, const int64_t *count, int64_t capacity) {
    typedef typename element_of<Size>::type T;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t r = *count + blockIdx.x * (int64_t)blockDim.x + threadIdx.x; r < capacity; r += threads)
        *(T *)(out + r * step) = T{};
}

template <int Kind, bool Strided> const void *compact_of_size(int size) {
    switch (size) {
    case 1: return reinterpret_cast<const void *>(&compact_kernel<Kind, 1, Strided>);
    case 2: return reinterpret_cast<const void *>(&compact_kernel<Kind, 2, Strided>);
    case 4: return reinterpret_cast<const void *>(&compact_kernel<Kind, 4, Strided>);
    case 8: return reinterpret_cast<const void *>(&compact_kernel<Kind, 8, Strided>);
    default: return reinterpret_cast<const void *>(&compact_kernel<Kind, 16, Strided>);
    }
}

/* Elements, or indices, of edges. */
template <int Size> const void *compact_edges_of_size(bool indices) {
    return indices ? reinterpret_cast<const void *>(&compact_kernel<indices_kind, 8, false, Size>)
                   : reinterpret_cast<const void *>(&compact_kernel<take_kind, Size, false, Size>);
}

} // namespace gnd

/* ---- the parts that this is compiled in ------------------------------------------------------- */

using namespace gnd;

#ifdef GNDI_PART_take
extern "C" const void *gndi_cuda_compact_take_kernel(int size, bool strided) {
    return strided ? compact_of_size<take_kind, true>(size) : compact_of_size<take_kind, false>(size);
}
#endif

#ifdef GNDI_PART_indices
extern "C" const void *gndi_cuda_compact_indices_kernel(bool strided) {
    return strided ? reinterpret_cast<const void *>(&compact_kernel<indices_kind, 8, true>)
                   : reinterpret_cast<const void *>(&compact_kernel<indices_kind, 8, false>);
}
extern "C" const void *gndi_cuda_compact_count_kernel(void) {
    return reinterpret_cast<const void *>(&compact_kernel<count_kind, 1, false>);
}
extern "C" const void *gndi_cuda_compact_pad_kernel(int size) {
    switch (size) {
    case 1: return reinterpret_cast<const void *>(&compact_pad_kernel<1>);
    case 2: return reinterpret_cast<const void *>(&compact_pad_kernel<2>);
    case 4: return reinterpret_cast<const void *>(&compact_pad_kernel<4>);
    case 8: return reinterpret_cast<const void *>(&compact_pad_kernel<8>);
    default: return reinterpret_cast<const void *>(&compact_pad_kernel<16>);
    }
}
#endif

#ifdef GNDI_PART_put
extern "C" const void *gndi_cuda_compact_put_kernel(bool at, int size, bool strided) {
    if (at) return strided ? compact_of_size<put_at_kind, true>(size) : compact_of_size<put_at_kind, false>(size);
    return strided ? compact_of_size<put_kind, true>(size) : compact_of_size<put_kind, false>(size);
}
#endif

#ifdef GNDI_PART_edges_small
extern "C" const void *gndi_cuda_compact_edges_small_kernel(bool indices, int size) {
    return size == 1 ? compact_edges_of_size<1>(indices) : compact_edges_of_size<2>(indices);
}
#endif

#ifdef GNDI_PART_edges_4
extern "C" const void *gndi_cuda_compact_edges_4_kernel(bool indices) {
    return compact_edges_of_size<4>(indices);
}
#endif

#ifdef GNDI_PART_edges_8
extern "C" const void *gndi_cuda_compact_edges_8_kernel(bool indices) {
    return compact_edges_of_size<8>(indices);
}
#endif

#ifdef GNDI_PART_edges_16
extern "C" const void *gndi_cuda_compact_edges_16_kernel(bool indices) {
    return compact_edges_of_size<16>(indices);
}
#endif
