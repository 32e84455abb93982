/*
 * reduce_streams.cuh: dense short rows and dense narrow columns, which are read as the streams of
 * bytes they are.
 */
#ifndef GNDI_REDUCE_STREAMS_CUH
#define GNDI_REDUCE_STREAMS_CUH

#include "reduce/cuda/reduce_dense.cuh"

namespace gnd {

/* ---- short rows ------------------------------------------------------------------------------ */

/* Where byte b of the tile lies in shared memory: a gap every 128 bytes keeps threads that walk
   along neighbouring rows in different banks. */
template <int Unit> GNDI_FN int tile_offset(int b) {
    return b + (b >> 7) * Unit;
}

/* The elements lane, lane + lanes, ... below n, which are at hand, as one piece. */
template <class R, class Element> GNDI_FN piece_t<R> fold_at_hand(const Element &element, int lane, int lanes, int n) {
    constexpr int N = 4;
    piece_t<R> piece = empty_piece<R>();
    int e = lane;
    for (; e + (N - 1) * lanes < n; e += N * lanes) {
        typename R::element x[N];
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = element(e + i * lanes);
        R::template absorb<N>(piece, x, all_of<N>);
    }
    for (; e < n; e += lanes) {
        const typename R::element one[1] = {element(e)};
        R::template absorb<1>(piece, one, 1);
    }
    return piece;
}

/* Dense rows of p.run elements, p.part of them a block; p.lanes (at most 32) threads share a row.
 */
template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS) void reduce_short_rows(const __grid_constant__ gndi_reduce_params p) {
    typedef typename R::element S;
    constexpr int size = sizeof(S), unit = size < 4 ? 4 : size, vectors = GNDI_REDUCE_TILE / 16;
    typedef typename word<unit>::type U;
    __shared__ __align__(16) char tile[GNDI_REDUCE_TILE + GNDI_REDUCE_TILE / 128 * unit];

    const int t = threadIdx.x, n = (int)p.run;
    const int64_t first = (int64_t)blockIdx.x * p.part;
    const int rows = (int)(p.outputs - first < p.part ? p.outputs - first : p.part);
    const int bytes = rows * n * size;
    const char *from = p.in + first * n * size;
    pack<U, 16 / unit> x[vectors / GNDI_REDUCE_THREADS];
#pragma unroll
    for (int u = 0; u < vectors / GNDI_REDUCE_THREADS; u++) {
        const int b = (t + u * GNDI_REDUCE_THREADS) * 16;
        if (b + 16 <= bytes) x[u] = unpack<U, 16 / unit>(*(const pack_word_t<U, 16 / unit> *)(from + b));
    }
#pragma unroll
    for (int u = 0; u < vectors / GNDI_REDUCE_THREADS; u++) {
        const int b = (t + u * GNDI_REDUCE_THREADS) * 16;
        if (b + 16 <= bytes)
#pragma unroll
            for (int k = 0; k < 16 / unit; k++) *(U *)(tile + tile_offset<unit>(b + k * unit)) = x[u].at[k];
    }
    for (int b = (bytes & ~15) + t * size; b < bytes; b += GNDI_REDUCE_THREADS * size)
        *(S *)(tile + tile_offset<unit>(b)) = *(const S *)(from + b);
    __syncthreads();

    const int shift = 31 - __clz(p.lanes), lane = t & (p.lanes - 1);
    for (int row = t >> shift; row - (t >> shift) < rows; row += GNDI_REDUCE_THREADS >> shift) {
        const auto element = [&](int e) { return *(const S *)(tile + tile_offset<unit>((row * n + e) * size)); };
        typename R::acc x = R::identity();
        if constexpr (has_index<R>) {
            /* In the order of the indices, so that of equals the first stays. */
            if (row < rows && lane < n) {
                const bool backwards = p.index_step < 0;
                int best = backwards ? n - 1 - lane : lane;
                x.value = reversed_if(p.reversed, element(best));
                for (int i = lane + p.lanes; i < n; i += p.lanes) {
                    const int e = backwards ? n - 1 - i : i;
                    const S y = reversed_if(p.reversed, element(e));
                    if (larger(y, x.value)) x.value = y, best = e;
                }
                x.index = p.index_base + best * p.index_step;
            }
        } else if constexpr (is_in_batches<R>) {
            piece_t<R> piece = empty_piece<R>();
            if (row < rows) piece = fold_at_hand<R>(element, lane, p.lanes, n);
            if (p.lanes == 1) { /* nothing to join, and divisors that are the same for all rows */
                piece.count = n;
                if (row < rows) store_result<R>(p, p.out + (first + row) * p.kept_out[0], settled_piece<R>(piece));
                continue;
            }
            x = settled_piece<R>(piece);
        } else {
            typename R::narrow folded = R::none();
            if (row < rows)
                for (int e = lane; e < n; e += p.lanes) folded = R::fold(folded, R::lift(element(e)));
            x = R::widen(folded);
        }
        x = join_neighbours<R>(x, p.lanes, nullptr);
        if (row < rows && lane == 0) store_result<R>(p, p.out + (first + row) * p.kept_out[0], x);
    }
}

/* ---- narrow columns ----------------------------------------------------------------------- */

/*
 * p.columns dense columns of p.length rows, read as one stream: p.lanes threads of V elements
 * advance by a multiple of the columns' number, so that each accumulator stays with one column.
 * p.across is the number of threads (a power of two) that join a column in the end. A member takes
 * p.part steps of all threads.
 */
/* What fits into shared memory, and how many such blocks share a multiprocessor. */
template <class R, int V> constexpr int flat_threads = has_moments<R> || sizeof(typename R::acc) * V > 64 ? 256 : 512;
template <class R, int V> constexpr int flat_resident = has_moments<R> ? 2 : 1024 / flat_threads<R, V>;

template <class R, int V>
__global__ __launch_bounds__((flat_threads<R, V>),
                             (flat_resident<R, V>)) void reduce_flat(const __grid_constant__ gndi_reduce_params p) {
    typedef typename R::element S;
    typedef typename R::acc A;
    constexpr int U = column_flight<R>, run_steps = 32 * U;
    __shared__ __align__(16) char bytes[flat_threads<R, V> * V * sizeof(A)];
    A *const scratch = (A *)bytes;
    const int t = threadIdx.x, group = blockIdx.x % p.groups, member = blockIdx.x / p.groups;
    const int columns = (int)p.columns, ways = p.across, positions = p.lanes * V;
    const int64_t elements = p.length * columns;
    const int64_t begin = member * p.part * positions;
    const int64_t end = begin + p.part * positions < elements ? begin + p.part * positions : elements;
    const char *from = p.in + offset_of((int64_t)group * columns, p.kept_ndim, p.kept_shape, p.kept_in);

    thread_total<R, V> mine;
    if (t < p.lanes) {
        int64_t at = begin + t * V; /* element, not byte */
        run_index<V> index = {{}, positions / columns * p.index_step, 0, (bool)p.reversed};
        if (has_index<R>)
#pragma unroll
            for (int v = 0; v < V; v++) index.at[v] = p.index_base + (at + v) / columns * p.index_step;
        while (at + V <= end) { /* some steps apart, so that errors do not pile up */
            const int64_t left = (end - at - V) / positions + 1;
            const int n = (int)(left < run_steps ? left : run_steps);
            mine.add_piece([&](piece_t<R>(&acc)[V]) {
                fold_run<R, V, true, whole_packs<S, V>, U>(from + at * (int64_t)sizeof(S), 0, n,
                                                           positions * (int64_t)sizeof(S), 1, batch_share{0, 1}, index,
                                                           acc);
            });
            at += (int64_t)n * positions;
            if (has_index<R>)
#pragma unroll
                for (int v = 0; v < V; v++) index.at[v] += n * index.pack;
        }
        mine.finish();
#pragma unroll
        for (int v = 0; v < V; v++) {
            if (at + v < end) {
                piece_t<R> one = empty_piece<R>();
                fold_one<R>(((const S *)from)[at + v], index.at[v], (bool)p.reversed, one);
                mine.total[v] = R::combine(mine.total[v], settled_piece<R>(one));
            }
            scratch[t * V + v] = mine.total[v];
        }
    }
    __syncthreads();
    A x = R::identity();
    if (t < columns * ways)
        for (int k = t; k < positions; k += columns * ways) x = R::combine(x, scratch[k]);
    join_columns<R>(x, columns, ways, scratch);

    const dense_view<R> view{p, nullptr};
    if (p.members > 1) {
        A *const lines = (A *)p.partials + (int64_t)group * p.members * columns;
        if (t < columns) lines[(int64_t)member * columns + t] = scratch[t];
        if (!join_members<R>(p, group, member, columns, ways, scratch)) return;
    }
    if (t < columns) view.store_one((int64_t)group * columns + t, 0, scratch[t]);
}

} // namespace gnd

#endif
