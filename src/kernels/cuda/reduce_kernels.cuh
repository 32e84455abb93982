/*
 * reduce_kernels.cuh: the reduction kernels over memory of the reducer's own element type. One
 * skeleton, reduce_block, serves runs of contiguous elements (vectors along the run), contiguous
 * outputs (a vector of them a thread, several rows in flight) and any other strides; two more
 * kernels read dense short rows and dense narrow columns as the streams of bytes they are.
 * reduce_params.h explains the layout of the work.
 */
#ifndef GNDI_REDUCE_KERNELS_CUH
#define GNDI_REDUCE_KERNELS_CUH

#include "kernels/cuda/reduce_block.cuh"

namespace gnd {

/* Elements of a vector, and how many vectors a thread has in flight. */
template <class S> constexpr int row_vector = 16 / (int)sizeof(S);
template <class S> constexpr int column_vector = sizeof(S) <= 4 ? 4 : 16 / (int)sizeof(S);
template <class S, int V> constexpr int in_flight = sizeof(S) * V >= 16 ? 4 : 8;

/* V elements folded into V accumulators (Apart) or into one. */
template <class R, int V, bool Apart> GNDI_FN void
fold_pack(pack_word_t<typename R::element, V> w, typename R::acc (&acc)[Apart ? V : 1]) {
    const pack<typename R::element, V> x = unpack<typename R::element, V>(w);
    if constexpr (Apart) {
#pragma unroll
        for (int v = 0; v < V; v++) acc[v] = R::combine(acc[v], R::widen(R::lift(x.at[v])));
    } else {
        typename R::narrow folded[V];
#pragma unroll
        for (int v = 0; v < V; v++) folded[v] = R::lift(x.at[v]);
        acc[0] = R::combine(acc[0], R::widen(fold_all<R>(folded)));
    }
}

/*
 * Folds packs of V elements, `step` bytes apart, number i at p and then every `lanes`-th below n:
 * into V accumulators (Apart) or all into one. U of them are loaded before the first is used.
 */
template <class R, int V, bool Apart> GNDI_FN void fold_run(const char *p, int64_t i, int64_t n,
                                                            int64_t step, int lanes,
                                                            typename R::acc (&acc)[Apart ? V : 1]) {
    typedef typename R::element S;
    typedef pack_word_t<S, V> W;
    constexpr int U = in_flight<S, V>;
    const int64_t stride = step * lanes;
    W w[U];
    for (; i + (int64_t)(U - 1) * lanes < n; i += (int64_t)U * lanes, p += U * stride) {
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = *(const W *)(p + u * stride);
        if constexpr (Apart) {
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
#pragma unroll
    for (int u = 0; u < U - 1; u++)
        if (i + (int64_t)u * lanes < n) w[u] = *(const W *)(p + u * stride);
#pragma unroll
    for (int u = 0; u < U - 1; u++)
        if (i + (int64_t)u * lanes < n) fold_pack<R, V, Apart>(w[u], acc);
}

/* ---- views: how a unit of work is read ------------------------------------------------------- */

/* Contiguous runs, wherever they start: up to 15 bytes by the element, then whole vectors. */
template <class R> struct rows_view {
    static constexpr int V = 1; /* outputs a thread */
    const gndi_reduce_params &p;
    const char *base;

    GNDI_MEMBER void prepare(int64_t output) {
        base = p.in + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_in);
    }
    GNDI_MEMBER char *out(int64_t output) const {
        return p.out + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_out);
    }
    GNDI_MEMBER void read(int64_t segment, int64_t begin, int64_t n, int r,
                          typename R::acc (&acc)[1]) const {
        typedef typename R::element S;
        constexpr int W = row_vector<S>;
        const char *from = base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_in) +
                           begin * (int64_t)sizeof(S);
        if constexpr (W > 1) {
            int64_t head = ((16 - ((uintptr_t)from & 15)) & 15) / sizeof(S);
            head = head < n ? head : n;
            const int64_t vectors = (n - head) / W, rest = head + vectors * W;
            for (int64_t i = r; i < head; i += p.lanes) single(from, i, acc);
            fold_run<R, W, false>(from + head * (int64_t)sizeof(S) + (int64_t)r * 16, r, vectors,
                                  16, p.lanes, acc);
            for (int64_t i = rest + r; i < n; i += p.lanes) single(from, i, acc);
        } else {
            fold_run<R, 1, false>(from + (int64_t)r * sizeof(S), r, n, sizeof(S), p.lanes, acc);
        }
    }
    GNDI_FN void single(const char *from, int64_t i, typename R::acc (&acc)[1]) {
        acc[0] = R::combine(acc[0], R::widen(R::lift(((const typename R::element *)from)[i])));
    }
};

/* Elements (or rows of Vector contiguous outputs) at any step. */
template <class R, int Vector> struct columns_view {
    static constexpr int V = Vector;
    const gndi_reduce_params &p;
    const char *base;

    GNDI_MEMBER void prepare(int64_t output) {
        base = p.in + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_in);
    }
    GNDI_MEMBER char *out(int64_t output) const {
        return p.out + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_out);
    }
    GNDI_MEMBER void read(int64_t segment, int64_t begin, int64_t n, int r,
                          typename R::acc (&acc)[V]) const {
        const char *from = base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_in) +
                           (begin + r) * p.run_step;
        fold_run<R, V, true>(from, r, n, p.run_step, p.lanes, acc);
    }
};

/* ---- the skeleton ---------------------------------------------------------------------------- */

/* Joins what the members of a group left in p.partials and stores `width` outputs. */
template <class R, class View> GNDI_FN void join_members(const gndi_reduce_params &p,
                                                         const View &view, int group, int width,
                                                         typename R::acc *scratch) {
    typedef typename R::acc A;
    const int t = threadIdx.x, lanes = GNDI_REDUCE_THREADS / width, j = t & (width - 1);
    const A *from = (const A *)p.partials + (int64_t)group * p.members * width;
    A x[1] = {R::identity()};
#pragma unroll 4
    for (int s = t / width; s < p.members; s += lanes)
        x[0] = R::combine(x[0], load_shared_result(from + (int64_t)s * width + j));
    join_across<R, 1>(x, width, lanes, scratch);
    const int64_t output = (int64_t)group * width + j;
    if (t < width && output < p.outputs) store_result<R>(p, view.out(output), x[0]);
}

template <class R, class View> GNDI_FN void reduce_block(const gndi_reduce_params &p, View view) {
    typedef typename R::acc A;
    constexpr int V = View::V;
    __shared__ __align__(16) char bytes[GNDI_REDUCE_THREADS * V * sizeof(A)];
    A *const scratch = (A *)bytes;
    const int t = threadIdx.x, group = blockIdx.x % p.groups, member = blockIdx.x / p.groups;
    const int shift = 31 - __clz(p.lanes_inner ? p.lanes : p.across);
    const int low = t & ((1 << shift) - 1), high = t >> shift;
    const int r = p.lanes_inner ? low : high, place = p.lanes_inner ? high : low;
    const int64_t output = ((int64_t)group * p.across + place) * V;
    const bool live = output < p.outputs;

    A total[V];
#pragma unroll
    for (int v = 0; v < V; v++) total[v] = R::identity();
    if (live) {
        view.prepare(output);
        for (int64_t unit = member; unit < p.units; unit += p.members) {
            int64_t segment = unit;
            const int64_t begin = take_digit(segment, p.parts) * p.part;
            const int64_t n = p.run - begin < p.part ? p.run - begin : p.part;
            A acc[V];
#pragma unroll
            for (int v = 0; v < V; v++) acc[v] = R::identity();
            view.read(segment, begin, n, r, acc);
#pragma unroll
            for (int v = 0; v < V; v++) total[v] = R::combine(total[v], acc[v]);
        }
    }
    if (V == 1 && p.lanes_inner)
        total[0] = join_neighbours<R>(total[0], p.lanes, scratch);
    else
        join_across<R, V>(total, p.across, p.lanes, scratch);

    if (p.members > 1) {
        const int width = p.across * V;
        A *const to = (A *)p.partials + ((int64_t)group * p.members + member) * width + place * V;
        if (r == 0)
#pragma unroll
            for (int v = 0; v < V; v++) to[v] = total[v];
        if (last_of_group(p, group)) join_members<R>(p, view, group, width, scratch);
    } else if (r == 0 && live) {
        char *out = view.out(output);
        if (V > 1 && p.dense_out)
            store_dense<R, V>(p, out, total);
        else
#pragma unroll
            for (int v = 0; v < V; v++)
                store_result<R>(p, out + v * (V > 1 ? p.kept_out[p.kept_ndim - 1] : 0), total[v]);
    }
}

template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             4) void reduce_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, rows_view<R>{p, nullptr});
}
template <class R, int V>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             4) void reduce_columns(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, columns_view<R, V>{p, nullptr});
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
        typename R::narrow folded = R::none();
        if (row < rows)
            for (int e = lane; e < n; e += p.lanes)
                folded = R::fold(
                    folded, R::lift(*(const S *)(tile + tile_offset<unit>((row * n + e) * size))));
        const typename R::acc x = join_neighbours<R>(R::widen(folded), p.lanes, nullptr);
        if (row < rows && lane == 0) store_result<R>(p, p.out + (first + row) * p.kept_out[0], x);
    }
}

/* ---- narrow columns -------------------------------------------------------------------------- */

/* Joins the accumulators of a column: thread t < columns * ways starts with one of column
   t % columns in x; afterwards place[c] is column c's. */
template <class R>
GNDI_FN void join_columns(typename R::acc x, int columns, int ways, typename R::acc *place) {
    const int t = threadIdx.x;
    __syncthreads();
    if (t < columns * ways) place[t] = x;
    for (int d = ways / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < columns * d) place[t] = R::combine(place[t], place[t + columns * d]);
    }
    __syncthreads();
}

/*
 * p.run dense columns of p.length rows, read as one stream: p.lanes threads of V elements advance
 * by a multiple of the columns' number, so that each accumulator stays with one column. p.across is
 * the number of threads (a power of two) that join a column in the end.
 */
template <class R, int V> __global__
__launch_bounds__(512, 2) void reduce_flat(const __grid_constant__ gndi_reduce_params p) {
    typedef typename R::element S;
    typedef typename R::acc A;
    constexpr int U = in_flight<S, V>, steps_apart = 64 * U;
    __shared__ __align__(16) char bytes[512 * V * sizeof(A)];
    A *const place = (A *)bytes;
    const int t = threadIdx.x, group = blockIdx.x % p.groups, member = blockIdx.x / p.groups;
    const int columns = (int)p.run, ways = p.across, positions = p.lanes * V;
    const int64_t elements = p.length * columns;
    const int64_t begin = member * p.part * positions;
    const int64_t end =
        begin + p.part * positions < elements ? begin + p.part * positions : elements;
    const char *from =
        p.in + offset_of((int64_t)group * columns, p.kept_ndim, p.kept_shape, p.kept_in);

    A total[V];
#pragma unroll
    for (int v = 0; v < V; v++) total[v] = R::identity();
    if (t < p.lanes) {
        int64_t at = begin + t * V; /* element, not byte */
        while (at + V <= end) {     /* some steps apart, so that errors do not pile up */
            A acc[V];
#pragma unroll
            for (int v = 0; v < V; v++) acc[v] = R::identity();
            const int64_t left = (end - at - V) / positions + 1;
            const int64_t n = left < steps_apart ? left : steps_apart;
            fold_run<R, V, true>(from + at * (int64_t)sizeof(S), 0, n,
                                 positions * (int64_t)sizeof(S), 1, acc);
#pragma unroll
            for (int v = 0; v < V; v++) total[v] = R::combine(total[v], acc[v]);
            at += n * positions;
        }
#pragma unroll
        for (int v = 0; v < V; v++)
            if (at + v < end)
                total[v] = R::combine(total[v], R::widen(R::lift(((const S *)from)[at + v])));
#pragma unroll
        for (int v = 0; v < V; v++) place[t * V + v] = total[v];
    }
    __syncthreads();
    A x = R::identity();
    if (t < columns * ways)
        for (int k = t; k < positions; k += columns * ways) x = R::combine(x, place[k]);
    join_columns<R>(x, columns, ways, place);

    const rows_view<R> view{p, nullptr};
    const int64_t output = (int64_t)group * columns + t;
    if (p.members > 1) {
        A *const partials = (A *)p.partials + (int64_t)group * p.members * columns;
        if (t < columns) partials[(int64_t)member * columns + t] = place[t];
        if (!last_of_group(p, group)) return;
        x = R::identity();
        if (t < columns * ways)
#pragma unroll 4
            for (int k = t; k < p.members * columns; k += columns * ways)
                x = R::combine(x, load_shared_result(partials + k));
        join_columns<R>(x, columns, ways, place);
    }
    if (t < columns) store_result<R>(p, view.out(output), place[t]);
}

/* ---- the table ------------------------------------------------------------------------------- */

template <class R> constexpr gndi_reduce_kernels kernels_of() {
    typedef typename R::element S;
    constexpr int V = column_vector<S>;
    return {(const void *)&reduce_rows<R>,
            (const void *)&reduce_columns<R, V>,
            (const void *)&reduce_columns<R, 1>,
            (const void *)&reduce_short_rows<R>,
            (const void *)&reduce_flat<R, V>,
            sizeof(typename R::acc),
            V,
            V,
            sizeof(natural_output_t<R>)};
}

} // namespace gnd

#endif
