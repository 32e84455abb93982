/*
 * reduce_kernels.cuh: the reduction kernels over memory of the reducer's own element type: runs of
 * contiguous elements (vectors along the run), contiguous outputs (a vector of them a thread,
 * several rows in flight) and any other strides; two more kernels read dense short rows and dense
 * narrow columns as the streams of bytes they are. reduce_params.h explains the layout of the work.
 */
#ifndef GNDI_REDUCE_KERNELS_CUH
#define GNDI_REDUCE_KERNELS_CUH

#include "kernels/cuda/reduce_skeleton.cuh"
#include "kernels/cuda/reduce_words.cuh"

namespace gnd {

/* Elements of a vector, and how many vectors a thread has in flight. */
template <class S> constexpr int row_vector = 16 / (int)sizeof(S);
template <class S> constexpr int column_vector = sizeof(S) <= 4 ? 4 : 16 / (int)sizeof(S);
template <class S, int V> constexpr int in_flight = sizeof(S) * V >= 16 ? 4 : 8;

/* Where the elements of a run are, for ARG*: the index of a thread's first element (of the first one
   for each accumulator), how far the next pack of the thread is, and the next element of a pack. */
template <int V> struct run_index {
    int64_t at[V];
    int64_t pack, element;
    bool reversed;
};

/* N elements of a thread into one accumulator; Each of them are a pack. */
template <class R, int N, int Each, int V>
GNDI_FN void absorb(typename R::acc &acc, const typename R::element (&x)[N],
                    const run_index<V> &index, int v, int u) {
    typedef typename R::element S;
    if constexpr (has_places<R>) {
        S y[N];
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = reversed_if(index.reversed, x[i]);
        R::template absorb<N, Each>(acc, y, all_of<N>, index.at[v] + u * index.pack, index.pack,
                                    index.element);
    } else {
        R::template absorb<N>(acc, x, all_of<N>);
    }
}

/* U packs of V elements folded into V accumulators (Apart) or all into one; the first of them is
   number `first` of the thread's. */
template <class R, int V, int U, bool Apart>
GNDI_FN void fold_packs(const pack_word_t<typename R::element, V> (&w)[U],
                        const run_index<Apart ? V : 1> &index, int first,
                        typename R::acc (&acc)[Apart ? V : 1]) {
    typedef typename R::element S;
    if constexpr (is_in_batches<R>) {
        pack<S, V> x[U];
#pragma unroll
        for (int u = 0; u < U; u++) x[u] = unpack<S, V>(w[u]);
        if constexpr (Apart) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                S column[U];
#pragma unroll
                for (int u = 0; u < U; u++) column[u] = x[u].at[v];
                absorb<R, U, 1>(acc[v], column, index, v, first);
            }
        } else {
            S all[U * V];
#pragma unroll
            for (int i = 0; i < U * V; i++) all[i] = x[i / V].at[i % V];
            absorb<R, U * V, V>(acc[0], all, index, 0, first);
        }
    } else if constexpr (Apart) {
        pack<S, V> x[U];
#pragma unroll
        for (int u = 0; u < U; u++) x[u] = unpack<S, V>(w[u]);
#pragma unroll
        for (int v = 0; v < V; v++) {
            typename R::narrow folded[U];
#pragma unroll
            for (int u = 0; u < U; u++) folded[u] = R::lift(x[u].at[v]);
            acc[v] = R::combine(acc[v], R::widen(fold_all<R>(folded)));
        }
    } else if constexpr (word_fold<R>::on && sizeof(S) * V == 16) {
        acc[0] = R::combine(acc[0], R::widen(fold_words<R, U, 16>(w)));
    } else {
        typename R::narrow folded[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const pack<S, V> x = unpack<S, V>(w[u]);
            typename R::narrow part[V];
#pragma unroll
            for (int v = 0; v < V; v++) part[v] = R::lift(x.at[v]);
            folded[u] = fold_all<R>(part);
        }
        acc[0] = R::combine(acc[0], R::widen(fold_all<R>(folded)));
    }
}
/* One element, with the index `at`. */
template <class R>
GNDI_FN void fold_one(typename R::element x, int64_t at, bool reversed, typename R::acc &acc) {
    if constexpr (is_in_batches<R>) {
        const typename R::element one[1] = {x};
        absorb<R, 1, 1>(acc, one, run_index<1>{{at}, 0, 0, reversed}, 0, 0);
    } else {
        acc = R::combine(acc, R::widen(R::lift(x)));
    }
}

/* How a pack is loaded: as one word; or, if it may reach beyond its axis, as one word where that is
   still the array's memory (a pack is aligned, so that its front always is), else by the element. */
template <class S, int V> struct whole_packs {
    GNDI_INLINE pack_word_t<S, V> load(const char *p) const {
        return *(const pack_word_t<S, V> *)p;
    }
};
template <class S, int V> struct edge_packs {
    const char *end; /* of the array */
    int last;        /* elements that are there */
    GNDI_INLINE pack_word_t<S, V> load(const char *p) const {
        if (p + V * sizeof(S) <= end) return *(const pack_word_t<S, V> *)p;
        pack<S, V> x = {};
#pragma unroll
        for (int v = 0; v < V; v++)
            if (v < last) x.at[v] = ((const S *)p)[v];
        pack_word_t<S, V> w;
        memcpy(&w, &x, sizeof w);
        return w;
    }
};

/*
 * Folds packs of V elements, `step` bytes apart, number i at p and then every `lanes`-th below n:
 * into V accumulators (Apart) or all into one. U of them, a batch, are loaded before the first is
 * used; if blocks share the batches, this one takes every share.of-th.
 */
template <class R, int V, bool Apart, class Packs = whole_packs<typename R::element, V>>
GNDI_FN void fold_run(const char *p, int i, int n, int64_t step, int lanes, batch_share share,
                      run_index<Apart ? V : 1> index, typename R::acc (&acc)[Apart ? V : 1],
                      Packs packs = Packs()) {
    typedef pack_word_t<typename R::element, V> W;
    constexpr int U = in_flight<typename R::element, V>;
    const int64_t stride = step * lanes;
    const int hop = U * lanes * share.of;
    if (share.mine) {
        i += share.mine * U * lanes, p += share.mine * U * stride;
        if (has_places<R>)
            for (int v = 0; v < (Apart ? V : 1); v++) index.at[v] += share.mine * U * index.pack;
    }
    W w[U];
    for (; i + (U - 1) * lanes < n; i += hop, p += hop * step) {
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = packs.load(p + u * stride);
        fold_packs<R, V, U, Apart>(w, index, 0, acc);
        if (has_places<R>)
#pragma unroll
            for (int v = 0; v < (Apart ? V : 1); v++) index.at[v] += U * share.of * index.pack;
    }
#pragma unroll
    for (int u = 0; u < U - 1; u++)
        if (i + u * lanes < n) w[u] = packs.load(p + u * stride);
#pragma unroll
    for (int u = 0; u < U - 1; u++)
        if (i + u * lanes < n) {
            const W one[1] = {w[u]};
            fold_packs<R, V, 1, Apart>(one, index, u, acc);
        }
}

/* ---- views: how a unit of work is read ---------------------------------------------------- */

template <class R> struct dense_view {
    const gndi_reduce_params &p;
    const char *base;

    GNDI_INLINE void prepare(int64_t output) {
        base = p.in + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_in);
    }
    GNDI_INLINE char *out(int64_t output) const {
        return p.out + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_out);
    }
    GNDI_INLINE const char *at(int64_t segment, int64_t begin) const {
        return base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_in) +
               begin * p.run_step;
    }
    /* The index of element `begin` of a run. */
    GNDI_INLINE int64_t index_at(int64_t segment, int64_t begin) const {
        if (!has_places<R>) return 0;
        return p.index_base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_index) +
               begin * p.index_step;
    }
    GNDI_INLINE void store(int64_t output, const typename R::acc (&total)[1]) const {
        store_result<R>(p, out(output), total[0]);
    }
    GNDI_INLINE void store_one(int64_t output, int, const typename R::acc &total) const {
        store_result<R>(p, out(output), total);
    }
};

/* Contiguous runs, wherever they start: up to 15 bytes by the element, then whole vectors. */
template <class R> struct rows_view : dense_view<R> {
    static constexpr int V = 1; /* outputs a thread */
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share,
                          typename R::acc (&acc)[1]) const {
        read_run(this->p, this->at(segment, begin), this->index_at(segment, begin), n, r,
                 this->p.run_lanes, share, acc);
    }
    GNDI_FN void read_run(const gndi_reduce_params &p, const char *from, int64_t index, int n,
                          int r, int lanes, batch_share share, typename R::acc (&acc)[1]) {
        typedef typename R::element S;
        constexpr int W = row_vector<S>;
        const int64_t step = has_places<R> ? p.index_step : 0;
        const bool reversed = has_places<R> && p.reversed;
        if constexpr (W > 1) {
            int head = (int)((16 - ((uintptr_t)from & 15)) & 15) / (int)sizeof(S);
            head = head < n ? head : n;
            const int vectors = (n - head) / W, body = vectors * W;
            const int odd = share.mine ? 0 : n - body;
            /* What is before and behind the vectors; most often one element a thread, at most. */
            S x = S{};
            const int first_odd = r < head ? r : r + body;
            if (r < odd) x = ((const S *)from)[first_odd];
            fold_run<R, W, false>(
                from + head * (int64_t)sizeof(S) + (int64_t)r * 16, r, vectors, 16, lanes, share,
                run_index<1>{{index + (head + r * W) * step}, lanes * W * step, step, reversed},
                acc);
            if (r < odd) fold_one<R>(x, index + first_odd * step, reversed, acc[0]);
            for (int i = r + lanes; i < odd; i += lanes) {
                const int at = i < head ? i : i + body;
                fold_one<R>(((const S *)from)[at], index + at * step, reversed, acc[0]);
            }
        } else {
            fold_run<R, 1, false>(from + (int64_t)r * sizeof(S), r, n, sizeof(S), lanes, share,
                                  run_index<1>{{index + r * step}, lanes * step, step, reversed},
                                  acc);
        }
    }
};

/* Elements at any step. */
template <class R> struct scattered_view : dense_view<R> {
    static constexpr int V = 1;
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share,
                          typename R::acc (&acc)[1]) const {
        const gndi_reduce_params &p = this->p;
        fold_run<R, 1, true>(this->at(segment, begin + r), r, n, p.run_step, p.run_lanes, share,
                             run_index<1>{{this->index_at(segment, begin + r)},
                                          p.run_lanes * p.index_step,
                                          0,
                                          (bool)p.reversed},
                             acc);
    }
};

/* Rows of packs of Vector outputs; the packs are aligned, and the first and the last of an axis may
   reach beyond it. */
template <class R, int Vector> struct columns_view : dense_view<R> {
    static constexpr int V = Vector;
    typedef typename R::element S;
    int first, last; /* elements of this pack */

    /* Which of a pack's elements are there. */
    GNDI_INLINE void bounds(int64_t output, int &from, int &to) const {
        const gndi_reduce_params &p = this->p;
        const int64_t column = take_digit(output, p.kept_shape[p.kept_ndim - 1]) * V - p.before;
        from = column < 0 ? (int)-column : 0;
        to = p.columns - column < V ? (int)(p.columns - column) : V;
    }
    GNDI_INLINE void prepare(int64_t output) {
        dense_view<R>::prepare(output);
        bounds(output, first, last);
    }
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share,
                          typename R::acc (&acc)[V]) const {
        const char *from = this->at(segment, begin + r);
        const int64_t step = this->p.run_step;
        const int lanes = this->p.run_lanes;
        run_index<V> index = {{}, lanes * this->p.index_step, 0, (bool)this->p.reversed};
#pragma unroll
        for (int v = 0; v < V; v++) index.at[v] = this->index_at(segment, begin + r);
        if (!this->p.edges)
            fold_run<R, V, true>(from, r, n, step, lanes, share, index, acc);
        else
            fold_run<R, V, true>(from, r, n, step, lanes, share, index, acc,
                                 edge_packs<S, V>{this->p.in_end, last});
    }
    GNDI_INLINE void store(int64_t output, const typename R::acc (&total)[V]) const {
        char *to = this->out(output);
        if (this->p.dense_out) {
            store_dense<R, V>(this->p, to, total);
            return;
        }
#pragma unroll
        for (int v = 0; v < V; v++)
            if (v >= first && v < last)
                store_result<R>(this->p, to + v * this->p.column_out, total[v]);
    }
    GNDI_INLINE void store_one(int64_t output, int v, const typename R::acc &total) const {
        int from, to;
        bounds(output, from, to);
        if (v >= from && v < to)
            store_result<R>(this->p, this->out(output) + v * this->p.column_out, total);
    }
};

/* One contiguous run an output, and p.lanes threads for all of it: as little as possible happens
   before the loads and after them. */
template <class R> GNDI_FN void reduce_whole_row(const gndi_reduce_params &p) {
    typedef typename R::acc A;
    __shared__ __align__(16) char bytes[GNDI_REDUCE_THREADS / 32 * sizeof(A)];
    const int shift = 31 - __clz(p.lanes), t = threadIdx.x;
    const int64_t output = (int64_t)blockIdx.x * p.across + (t >> shift);
    const bool live = output < p.outputs;
    rows_view<R> view{{p, nullptr}};
    A acc[1] = {R::identity()};
    if (live) {
        view.prepare(output);
        view.read_run(p, view.base, p.index_base, (int)p.run, t & (p.lanes - 1), p.lanes,
                      batch_share{0, 1}, acc);
    }
    acc[0] = join_neighbours<R>(acc[0], p.lanes, (A *)bytes);
    if (live && (t & (p.lanes - 1)) == 0) view.store(output, acc);
}

/* Blocks at a time on a multiprocessor: what the registers are shared out for. */
template <class R>
constexpr int whole_resident = sizeof(typename R::acc) <= 4 && sizeof(typename R::element) == 4 ? 6
                                                                                                : 4;

template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             4) void reduce_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, rows_view<R>{{p, nullptr}});
}
template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS, whole_resident<R>) void reduce_whole_rows(
    const __grid_constant__ gndi_reduce_params p) {
    reduce_whole_row<R>(p);
}
template <class R, int V>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             4) void reduce_columns(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, columns_view<R, V>{{p, nullptr}, 0, V});
}
template <class R> __global__
__launch_bounds__(GNDI_REDUCE_THREADS,
                  4) void reduce_scattered(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, scattered_view<R>{{p, nullptr}});
}

/* ---- short rows ------------------------------------------------------------------------------ */

/* Where byte b of the tile lies in shared memory: a gap every 128 bytes keeps threads that walk
   along neighbouring rows in different banks. */
template <int Unit> GNDI_FN int tile_offset(int b) {
    return b + (b >> 7) * Unit;
}

/* Dense rows of p.run elements, p.part of them a block; p.lanes (at most 32) threads share a row.
 */
template <class R> __global__ __launch_bounds__(GNDI_REDUCE_THREADS) void reduce_short_rows(
    const __grid_constant__ gndi_reduce_params p) {
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
        if (b + 16 <= bytes)
            x[u] = unpack<U, 16 / unit>(*(const pack_word_t<U, 16 / unit> *)(from + b));
    }
#pragma unroll
    for (int u = 0; u < vectors / GNDI_REDUCE_THREADS; u++) {
        const int b = (t + u * GNDI_REDUCE_THREADS) * 16;
        if (b + 16 <= bytes)
#pragma unroll
            for (int k = 0; k < 16 / unit; k++)
                *(U *)(tile + tile_offset<unit>(b + k * unit)) = x[u].at[k];
    }
    for (int b = (bytes & ~15) + t * size; b < bytes; b += GNDI_REDUCE_THREADS * size)
        *(S *)(tile + tile_offset<unit>(b)) = *(const S *)(from + b);
    __syncthreads();

    const int shift = 31 - __clz(p.lanes), lane = t & (p.lanes - 1);
    for (int row = t >> shift; row - (t >> shift) < rows; row += GNDI_REDUCE_THREADS >> shift) {
        const auto element = [&](int e) {
            return *(const S *)(tile + tile_offset<unit>((row * n + e) * size));
        };
        typename R::acc x = R::identity();
        if constexpr (is_in_batches<R>) {
            constexpr int N = 8;
            for (int e = lane; e < n && row < rows; e += N * p.lanes) {
                S batch[N] = {};
                uint32_t taken = 0;
#pragma unroll
                for (int i = 0; i < N; i++)
                    if (e + i * p.lanes < n) {
                        batch[i] = element(e + i * p.lanes), taken |= 1u << i;
                        if constexpr (has_places<R>) batch[i] = reversed_if(p.reversed, batch[i]);
                    }
                if constexpr (has_places<R>)
                    R::template absorb<N, 1>(x, batch, taken, p.index_base + e * p.index_step,
                                             p.lanes * p.index_step, 0);
                else
                    R::template absorb<N>(x, batch, taken);
            }
        } else {
            typename R::narrow folded = R::none();
            if (row < rows)
                for (int e = lane; e < n; e += p.lanes)
                    folded = R::fold(folded, R::lift(element(e)));
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
/* What fits into shared memory. */
template <class R, int V> constexpr int flat_threads = sizeof(typename R::acc) * V > 64 ? 256 : 512;

template <class R, int V>
__global__ __launch_bounds__((flat_threads<R, V>),
                             2) void reduce_flat(const __grid_constant__ gndi_reduce_params p) {
    typedef typename R::element S;
    typedef typename R::acc A;
    constexpr int U = in_flight<S, V>, steps_apart = 32 * U;
    __shared__ __align__(16) char bytes[flat_threads<R, V> * V * sizeof(A)];
    A *const place = (A *)bytes;
    const int t = threadIdx.x, group = blockIdx.x % p.groups, member = blockIdx.x / p.groups;
    const int columns = (int)p.columns, ways = p.across, positions = p.lanes * V;
    const int64_t elements = p.length * columns;
    const int64_t begin = member * p.part * positions;
    const int64_t end =
        begin + p.part * positions < elements ? begin + p.part * positions : elements;
    const char *from =
        p.in + offset_of((int64_t)group * columns, p.kept_ndim, p.kept_shape, p.kept_in);

    thread_total<R, V> mine;
    if (t < p.lanes) {
        int64_t at = begin + t * V; /* element, not byte */
        run_index<V> index = {{}, positions / columns * p.index_step, 0, (bool)p.reversed};
        if (has_places<R>)
#pragma unroll
            for (int v = 0; v < V; v++)
                index.at[v] = p.index_base + (at + v) / columns * p.index_step;
        while (at + V <= end) { /* some steps apart, so that errors do not pile up */
            const int64_t left = (end - at - V) / positions + 1;
            const int n = (int)(left < steps_apart ? left : steps_apart);
            mine.add_piece([&](A(&acc)[V]) {
                fold_run<R, V, true>(from + at * (int64_t)sizeof(S), 0, n,
                                     positions * (int64_t)sizeof(S), 1, batch_share{0, 1}, index,
                                     acc);
            });
            at += (int64_t)n * positions;
            if (has_places<R>)
#pragma unroll
                for (int v = 0; v < V; v++) index.at[v] += n * index.pack;
        }
        mine.finish();
#pragma unroll
        for (int v = 0; v < V; v++) {
            if (at + v < end)
                fold_one<R>(((const S *)from)[at + v], index.at[v], (bool)p.reversed,
                            mine.total[v]);
            place[t * V + v] = mine.total[v];
        }
    }
    __syncthreads();
    A x = R::identity();
    if (t < columns * ways)
        for (int k = t; k < positions; k += columns * ways) x = R::combine(x, place[k]);
    join_columns<R>(x, columns, ways, place);

    const dense_view<R> view{p, nullptr};
    if (p.members > 1) {
        A *const lines = (A *)p.partials + (int64_t)group * p.members * columns;
        if (t < columns) lines[(int64_t)member * columns + t] = place[t];
        if (!join_members<R>(p, group, member, columns, ways, place)) return;
    }
    if (t < columns) view.store_one((int64_t)group * columns + t, 0, place[t]);
}

/* ---- the table ---------------------------------------------------------------------------- */

template <class R> constexpr gndi_reduce_kernels kernels_of() {
    typedef typename R::element S;
    constexpr int V = column_vector<S>;
    return {(const void *)&reduce_rows<R>,
            (const void *)&reduce_whole_rows<R>,
            (const void *)&reduce_columns<R, V>,
            (const void *)&reduce_scattered<R>,
            (const void *)&reduce_short_rows<R>,
            (const void *)&reduce_flat<R, V>,
            sizeof(typename R::acc),
            V,
            V,
            sizeof(natural_output_t<R>),
            flat_threads<R, V>};
}

} // namespace gnd

#endif
