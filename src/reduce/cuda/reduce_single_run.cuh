/*
 * reduce_single_run.cuh: one output of one long contiguous run: all elements of an array, mostly. There is
 * as little as possible before the loads and after them: 10^8 floats take 93 us where the kernel for any
 * number of outputs and runs takes 96 (m).
 */
#ifndef GNDI_REDUCE_SINGLE_RUN_CUH
#define GNDI_REDUCE_SINGLE_RUN_CUH

#include "reduce/cuda/reduce_dense.cuh"

namespace gnd {

/* Batches of vectors that a thread adds up before it starts afresh. */
constexpr int single_run_chain = 32;

/* Counts and sums of elements of one or two bytes: whole numbers of less than 2^51, in whatever order. One word
   is enough for them, whose upper 12 bits hold how many blocks have added theirs. And the vectors of a batch lie
   a whole grid apart, so that all threads end with the same one (10^8 bytes: 25.7 us for 27.4 (m)); six to a
   batch do (any: 25.2 for 25.6 (m)). */
template <class R> constexpr bool fits_a_word = false;
template <class S> constexpr bool fits_a_word<reduce_sum<S>> = sums_in_int32<S>;
template <class S> constexpr bool fits_a_word<reduce_count<S>> = sizeof(S) <= 2;

/* Adds x to the word; true, and the total of all blocks, in the thread that is the last. */
GNDI_FN bool add_to_word(const gndi_reduce_params &p, uint64_t &x) {
    unsigned long long *const word = (unsigned long long *)p.tickets;
    const unsigned long long mine = (1ull << 52) + x, all = atomicAdd(word, mine) + mine;
    if ((all + (1ull << 51)) >> 52 != (unsigned long long)p.members) return false;
    *word = 0; /* for the next launch */
    x = (uint64_t)((int64_t)(all << 12) >> 12);
    return true;
}

/* Joins what the blocks found, in their order, in the block that comes last: true there. The others'
   writes are seen by the one thread that takes the last ticket, and by its block after a barrier. */
template <class R>
GNDI_FN bool join_single_run(const gndi_reduce_params &p, typename R::acc &x, typename R::acc *scratch) {
    typedef typename R::acc A;
    __shared__ bool last;
    A *const partials = (A *)p.partials;
    const int t = threadIdx.x;
    if (t == 0) {
        unsigned before = 0;
        partials[blockIdx.x] = x;
#if GNDI_ON_DEVICE
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(p.tickets) : "memory");
#else
        before = atomicAdd(p.tickets, 1u);
#endif
        last = before == (unsigned)p.members - 1;
        if (last) *p.tickets = 0; /* for the next launch */
    }
    __syncthreads();
    if (!last) return false;
    x = R::identity();
    for (int k = t; k < p.members; k += GNDI_REDUCE_SINGLE_RUN_THREADS)
        x = R::combine(x, load_shared_result(partials + k));
    x = join_neighbours<R>(x, GNDI_REDUCE_SINGLE_RUN_THREADS, scratch);
    return true;
}

/* A vector, which takes no room in the L1 cache (10^8 bytes, of floats or of others: 0.8 us less (m)). */
template <class W> GNDI_FN W load_single_run(const char *p) {
#if GNDI_ON_DEVICE
    uint4 bits;
    W w;
    static_assert(sizeof w == sizeof bits, "a vector");
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(p));
    memcpy(&w, &bits, sizeof w);
    return w;
#else
    return *(const W *)p;
#endif
}

template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_SINGLE_RUN_THREADS, GNDI_REDUCE_SINGLE_RUN_RESIDENT) void reduce_single_run(
    const __grid_constant__ gndi_reduce_params p) {
    typedef typename R::element S;
    typedef typename R::acc A;
    constexpr int W = row_vector<S>, T = GNDI_REDUCE_SINGLE_RUN_THREADS;
    constexpr int U = fits_a_word<R> ? 6 : has_index<R> ? 4 : 8, width = U * T;
    typedef pack_word_t<S, W> word_type;
    __shared__ __align__(16) char bytes[T / 32 * sizeof(A)];
    A *const scratch = (A *)bytes;
    const int t = threadIdx.x;
    /* Whole vectors, and up to 15 bytes before and behind them. */
    const int head = (int)((16 - ((uintptr_t)p.in & 15)) & 15) / (int)sizeof(S);
    const uint32_t vectors = (uint32_t)((p.run - head) / W), hop = gridDim.x * width;
    const uint32_t step = fits_a_word<R> ? gridDim.x * T : T; /* from vector to vector of a batch */
    uint32_t i = blockIdx.x * (fits_a_word<R> ? T : width) + t;
    const char *from = p.in + head * (int64_t)sizeof(S) + (int64_t)i * 16;

    const int64_t along = has_index<R> ? p.index_step : 0;
    run_index<1> index{
        {p.index_base + (head + (int64_t)i * W) * along}, (int64_t)step * W * along, along, has_index<R> && p.reversed};
    thread_total<R, 1> mine;
    word_type w[U];
    const auto add_batch = [&](A(&acc)[1]) {
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = load_single_run<word_type>(from + u * (int64_t)step * 16);
        fold_packs<R, W, U, false>(w, index, 0, acc);
        i += hop, from += (int64_t)hop * 16;
        if (has_index<R>) index.at[0] += (int64_t)hop * W * along;
    };
    if constexpr (running_total<R>::compensated) {
        while (i + (U - 1) * step < vectors)
            mine.add_piece([&](A(&acc)[1]) {
                for (int b = 0; b < single_run_chain && i + (U - 1) * step < vectors; b++) add_batch(acc);
            });
    } else {
        while (i + (U - 1) * step < vectors) add_batch(mine.total);
    }
    mine.add_piece([&](A(&acc)[1]) {
#pragma unroll
        for (int u = 0; u < U - 1; u++)
            if (i + u * step < vectors) w[u] = load_single_run<word_type>(from + u * (int64_t)step * 16);
#pragma unroll
        for (int u = 0; u < U - 1; u++)
            if (i + u * step < vectors) {
                const word_type one[1] = {w[u]};
                fold_packs<R, W, 1, false>(one, index, u, acc);
            }
        const int64_t body = (int64_t)vectors * W;
        const int odd = (int)(p.run - body);
        if (blockIdx.x == 0 && t < odd) {
            const int64_t at = t < head ? t : t + body;
            fold_one<R>(((const S *)p.in)[at], p.index_base + at * along, index.reversed, acc[0]);
        }
    });
    mine.finish();
    A x = join_neighbours<R>(mine.total[0], T, scratch);
    if constexpr (fits_a_word<R>) {
        if (t == 0 && add_to_word(p, x)) store_result<R>(p, p.out, x);
    } else {
        __syncthreads(); /* `scratch` is used again */
        if (join_single_run<R>(p, x, scratch) && t == 0) store_result<R>(p, p.out, x);
    }
}

} // namespace gnd

#endif
