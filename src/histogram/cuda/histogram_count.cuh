/*
 * histogram_count.cuh: what the kernels of histograms share: elements in vectors, tables of counts, and
 * faults.
 */
#ifndef GNDI_HISTOGRAM_COUNT_CUH
#define GNDI_HISTOGRAM_COUNT_CUH

#include "histogram/cuda/histogram_params.h"
#include "kernels/cuda/report_fault.cuh"
#include "histogram/histogram_ops.h"

namespace gnd {

enum { HISTOGRAM_THREADS = GNDI_HISTOGRAM_THREADS };

static __device__ __noinline__ void report_histogram(gndi_fault *fault, int code, int64_t value, int64_t size) {
    report_fault(fault, code, value, 0, size);
}

/* ---- elements ------------------------------------------------------------------------------- */

/* A block's share of the elements: dense ones in vectors of 16 bytes, several on their way at once, others
   one by one. The first are asked for when a reader is made, and are on their way while its block does
   something else. */
template <class X> struct reader {
    static constexpr int V = 16 / sizeof(X), AHEAD = sizeof(X) < 4 ? 2 : 4;
    union packed {
        uint4 bits;
        X element[V];
        __device__ packed() {}
    };
    const gndi_histogram_plan &p;
    int64_t head, vectors, next;
    packed pack[AHEAD];

    __device__ explicit reader(const gndi_histogram_plan &plan)
        : p(plan), head(0), vectors(0), next((int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x) {
        if (p.x_step != (int64_t)sizeof(X)) return;
        const int64_t beyond = (int64_t)(reinterpret_cast<uintptr_t>(p.x) % 16 / sizeof(X));
        head = beyond ? V - beyond : 0;
        if (head > p.points) head = p.points;
        vectors = (p.points - head) / V;
        load();
    }
    static __device__ int64_t all() { return (int64_t)gridDim.x * HISTOGRAM_THREADS; }
    __device__ __forceinline__ void load() {
        const uint4 *body = reinterpret_cast<const uint4 *>(reinterpret_cast<const X *>(p.x) + head);
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            if (next + a * all() < vectors) pack[a].bits = __ldg(body + next + a * all());
    }
    /* Calls use(element) for each. */
    template <class Use> __device__ __forceinline__ void each(Use use) {
        const int64_t thread = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
        if (p.x_step != (int64_t)sizeof(X)) {
            for (int64_t i = thread; i < p.points; i += all()) use(*reinterpret_cast<const X *>(p.x + i * p.x_step));
            return;
        }
        while (next < vectors) {
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                if (next + a * all() < vectors) {
#pragma unroll
                    for (int v = 0; v < V; v++) use(pack[a].element[v]);
                }
            next += all() * AHEAD;
            load();
        }
        const X *x = reinterpret_cast<const X *>(p.x);
        const int64_t tail = vectors * V; /* before and behind the vectors: fewer than 2 V */
        if (thread < p.points - tail) use(x[thread < head ? thread : tail + thread]);
    }
};

/* ---- counts --------------------------------------------------------------------------------- */

typedef unsigned long long count_t;

/* One more for a bin of global memory, or of few tables: where many lanes agree with the first of
   them, it counts for all. */
template <class C> static __device__ __forceinline__ void add_together(C *counts, int64_t bin) {
    const unsigned active = __activemask();
    const int first = __ffs(active) - 1, lane = (int)(threadIdx.x & 31);
    const int64_t common = __shfl_sync(active, bin, first);
    const unsigned same = __ballot_sync(active, bin == common);
    if (bin != common)
        atomicAdd(counts + bin, (C)1);
    else if (lane == first)
        atomicAdd(counts + bin, (C)__popc(same));
}

/* A block's counts. `Copies`: in four tables of shared memory or more; else in one, or in global
   memory. */
template <bool Copies> struct tables {
    uint32_t *shared; /* [bin][copy]; NULL: in global memory */
    count_t *global;
    int log_copies, copy;

    __device__ __forceinline__ void add(int64_t bin) const {
        if constexpr (Copies)
            atomicAdd(shared + (((uint32_t)bin << log_copies) + (uint32_t)copy), 1u);
        else if (shared)
            add_together(shared, bin);
        else
            add_together(global, bin);
    }
};

template <bool Copies>
static __device__ tables<Copies> open_tables(const gndi_histogram_params &p, uint32_t *workspace) {
    tables<Copies> t;
    t.global = reinterpret_cast<count_t *>(p.plan.out);
    t.shared = p.in_shared ? workspace : nullptr;
    t.log_copies = p.log_copies, t.copy = (int)threadIdx.x & ((1 << p.log_copies) - 1);
    if (p.in_shared) {
        const int words = (int)p.plan.bins << p.log_copies;
        for (int i = (int)threadIdx.x; i < words; i += HISTOGRAM_THREADS) workspace[i] = 0;
        __syncthreads();
    }
    return t;
}

template <bool Copies> static __device__ void close_tables(const gndi_histogram_params &p, const tables<Copies> &t) {
    if (!t.shared) return;
    __syncthreads();
    const int copies = 1 << t.log_copies;
    for (int bin = (int)threadIdx.x; bin < (int)p.plan.bins; bin += HISTOGRAM_THREADS) {
        const uint32_t *row = t.shared + (bin << t.log_copies);
        uint32_t sum = 0;
        for (int c = 0; c < copies; c++) sum += row[(c + bin) & (copies - 1)]; /* one a bank */
        if (sum) atomicAdd(t.global + bin, (count_t)sum);
    }
}

/* ---- the extent of a block ------------------------------------------------------------------- */

/* Joins what the threads of a block have; thread 0 gets all of it. */
template <class T> struct extent {
    T least, greatest;
    bool nan;

    __device__ void join(T low, T high, bool more_nan) {
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
        nan |= more_nan;
    }
};
template <class T> static __device__ void join_block(extent<T> &e) {
    constexpr int WARPS = HISTOGRAM_THREADS / 32;
    __shared__ T low[WARPS], high[WARPS];
    __shared__ bool nan[WARPS];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    for (int far = 16; far; far >>= 1)
        e.join(__shfl_xor_sync(~0u, e.least, far), __shfl_xor_sync(~0u, e.greatest, far),
               __shfl_xor_sync(~0u, (int)e.nan, far));
    if (lane == 0) low[warp] = e.least, high[warp] = e.greatest, nan[warp] = e.nan;
    __syncthreads();
    if (warp != 0) return;
    const int from = lane & (WARPS - 1); /* a power of two of them */
    e.least = low[from], e.greatest = high[from], e.nan = nan[from];
    for (int far = 16; far; far >>= 1)
        e.join(__shfl_xor_sync(~0u, e.least, far), __shfl_xor_sync(~0u, e.greatest, far),
               __shfl_xor_sync(~0u, (int)e.nan, far));
}

/* What an element of storage type X is measured in, and how it is handed on. */
template <class X> using measure_t = choose_t<is_float<X> || is_same<X, uint64_t>, compute_t<X>, int64_t>;

GNDI_FN int64_t pack_number(double x) {
    return (int64_t)to_bits(x);
}
GNDI_FN int64_t pack_number(int64_t x) {
    return x;
}
GNDI_FN double unpack_double(int64_t bits) {
    return from_bits((uint64_t)bits);
}

/* The whole extent, from those of the blocks, which T is wide enough for: in thread 0. The first block
   has seen an element if any has. */
template <class T> static __device__ extent<T> join_extents(const gndi_histogram_params &p) {
    extent<T> e;
    const int k = (int)threadIdx.x < p.extents_count ? (int)threadIdx.x : 0;
    for (int i = k; i < p.extents_count; i += HISTOGRAM_THREADS) {
        T low, high;
        if constexpr (is_same<T, double>)
            low = unpack_double(p.extents[i].least), high = unpack_double(p.extents[i].greatest);
        else
            low = (T)p.extents[i].least, high = (T)p.extents[i].greatest;
        if (i == k) e = {low, high, low != low};
        e.join(low, high, low != low);
    }
    join_block(e);
    return e;
}

} // namespace gnd

#endif
