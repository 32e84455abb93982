/*
 * reduce_kernels.cuh: the reduction kernels over memory of the reducer's own element type: runs of
 * contiguous elements (vectors along the run), contiguous outputs (a vector of them a thread,
 * several rows in flight) and any other strides; and the table of all dense kernels.
 * reduce_params.h explains the layout of the work.
 */
#ifndef GNDI_REDUCE_KERNELS_CUH
#define GNDI_REDUCE_KERNELS_CUH

#include "reduce/cuda/reduce_single_run.cuh"
#include "reduce/cuda/reduce_streams.cuh"

namespace gnd {

/* ---- views: how a unit of work is read ---------------------------------------------------- */

/* Contiguous runs, wherever they start: up to 15 bytes by the element, then whole vectors, Flight of
   them in flight. */
template <class R, int Flight> struct rows_view : dense_view<R> {
    static constexpr int V = 1; /* outputs a thread */
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share, piece_t<R> (&acc)[1]) const {
        read_run(this->p, this->at(segment, begin), this->index_at(segment, begin), n, r, this->p.run_lanes, share,
                 acc);
    }
    GNDI_FN void read_run(const gndi_reduce_params &p, const char *from, int64_t index, int n, int r, int lanes,
                          batch_share share, piece_t<R> (&acc)[1]) {
        typedef typename R::element S;
        constexpr int W = row_vector<S>;
        const int64_t step = has_index<R> ? p.index_step : 0;
        const bool reversed = has_index<R> && p.reversed;
        if constexpr (W > 1) {
            int head = (int)((16 - ((uintptr_t)from & 15)) & 15) / (int)sizeof(S);
            head = head < n ? head : n;
            const int vectors = (n - head) / W, body = vectors * W;
            const int odd = share.mine ? 0 : n - body;
            /* What is before and behind the vectors; most often one element a thread, at most. */
            S x = S{};
            const int first_odd = r < head ? r : r + body;
            if (r < odd) x = ((const S *)from)[first_odd];
            fold_run<R, W, false, whole_packs<S, W>, Flight>(
                from + head * (int64_t)sizeof(S) + (int64_t)r * 16, r, vectors, 16, lanes, share,
                run_index<1>{{index + (head + r * W) * step}, lanes * W * step, step, reversed}, acc);
            if (r < odd) fold_one<R>(x, index + first_odd * step, reversed, acc[0]);
            for (int i = r + lanes; i < odd; i += lanes) {
                const int at = i < head ? i : i + body;
                fold_one<R>(((const S *)from)[at], index + at * step, reversed, acc[0]);
            }
        } else {
            fold_run<R, 1, false, whole_packs<S, 1>, Flight>(
                from + (int64_t)r * sizeof(S), r, n, sizeof(S), lanes, share,
                run_index<1>{{index + r * step}, lanes * step, step, reversed}, acc);
        }
    }
};

/* Elements at any step. */
template <class R> struct scattered_view : dense_view<R> {
    static constexpr int V = 1;
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share, piece_t<R> (&acc)[1]) const {
        const gndi_reduce_params &p = this->p;
        fold_run<R, 1, true>(
            this->at(segment, begin + r), r, n, p.run_step, p.run_lanes, share,
            run_index<1>{{this->index_at(segment, begin + r)}, p.run_lanes * p.index_step, 0, (bool)p.reversed}, acc);
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
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share, piece_t<R> (&acc)[V]) const {
        const char *from = this->at(segment, begin + r);
        const int64_t step = this->p.run_step;
        const int lanes = this->p.run_lanes;
        run_index<V> index = {{}, lanes * this->p.index_step, 0, (bool)this->p.reversed};
#pragma unroll
        for (int v = 0; v < V; v++) index.at[v] = this->index_at(segment, begin + r);
        constexpr int U = column_flight<R>;
        if (!this->p.edges)
            fold_run<R, V, true, whole_packs<S, V>, U>(from, r, n, step, lanes, share, index, acc);
        else
            fold_run<R, V, true, edge_packs<S, V>, U>(from, r, n, step, lanes, share, index, acc,
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
            if (v >= first && v < last) store_result<R>(this->p, to + v * this->p.column_out, total[v]);
    }
    GNDI_INLINE void store_one(int64_t output, int v, const typename R::acc &total) const {
        int from, to;
        bounds(output, from, to);
        if (v >= from && v < to) store_result<R>(this->p, this->out(output) + v * this->p.column_out, total);
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
    rows_view<R, in_flight<typename R::element, row_vector<typename R::element>>> view{{p, nullptr}};
    piece_t<R> piece[1] = {empty_piece<R>()};
    if (live) {
        view.prepare(output);
        view.read_run(p, view.base, p.index_base, (int)p.run, t & (p.lanes - 1), p.lanes, batch_share{0, 1}, piece);
    }
    const A acc[1] = {join_neighbours<R>(settled_piece<R>(piece[0]), p.lanes, (A *)bytes)};
    if (live && (t & (p.lanes - 1)) == 0) view.store(output, acc);
}

/* One, two or three dense rows of dense outputs: a thread has eight packs in flight, those of one
   output after the other. */
template <class R, int V> GNDI_FN void reduce_few_rows_columns(const gndi_reduce_params &p) {
    typedef typename R::element S;
    typedef typename R::acc A;
    constexpr int U = 8;
    const int rows = (int)p.length, packs = U / rows, used = packs * rows;
    const int64_t first = (int64_t)blockIdx.x * packs * GNDI_REDUCE_THREADS + threadIdx.x;
    pack_word_t<S, V> w[U];
    int row = 0, pack = 0;
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int64_t output = first + pack * GNDI_REDUCE_THREADS;
        if (u < used && output < p.outputs)
            w[u] = *(const pack_word_t<S, V> *)(p.in + output * (int64_t)(V * sizeof(S)) + row * p.run_step);
        if (++row == rows) row = 0, pack++;
    }
    A acc[V];
    row = 0, pack = 0;
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (row == 0)
#pragma unroll
            for (int v = 0; v < V; v++) acc[v] = R::identity();
        const int64_t output = first + pack * GNDI_REDUCE_THREADS;
        const pack_word_t<S, V> one[1] = {w[u]};
        if (u < used && output < p.outputs) {
            fold_packs<R, V, 1, true>(one, run_index<V>{}, 0, acc);
            if (row == rows - 1) store_dense<R, V>(p, p.out + output * (int64_t)(V * sizeof(natural_output_t<R>)), acc);
        }
        if (++row == rows) row = 0, pack++;
    }
}

/* Blocks at a time on a multiprocessor: what the registers are shared out for. */
template <class R> constexpr int whole_resident = sizeof(typename R::acc) <= 4 && sizeof(typename R::element) == 4 ? 6
                                                                                                                   : 4;

/* Vectors that a thread of `rows` has in flight, and what they leave room for. */
template <class R> constexpr int rows_flight = is_in_batches<R> ? 4 : 8;
template <class R> constexpr int rows_resident = is_in_batches<R> ? 4 : 3;

template <class R, int Flight, int Resident> __global__
__launch_bounds__(GNDI_REDUCE_THREADS, Resident) void reduce_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, rows_view<R, Flight>{{p, nullptr}});
}
template <class R>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             whole_resident<R>) void reduce_whole_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_whole_row<R>(p);
}
template <class R, int V>
__global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                             column_resident<R>) void reduce_columns(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, columns_view<R, V>{{p, nullptr}, 0, V});
}
template <class R, int V> __global__
__launch_bounds__(GNDI_REDUCE_THREADS, 3) void reduce_few_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_few_rows_columns<R, V>(p);
}
template <class R> __global__ __launch_bounds__(GNDI_REDUCE_THREADS,
                                                4) void reduce_scattered(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<R>(p, scattered_view<R>{{p, nullptr}});
}

/* ---- the table ---------------------------------------------------------------------------- */

template <class R, int V> constexpr const void *few_rows_kernel() {
    if constexpr (is_in_batches<R>)
        return nullptr;
    else
        return (const void *)&reduce_few_rows<R, V>;
}
template <class R> constexpr const void *single_run_kernel() {
    if constexpr (has_moments<R>)
        return nullptr;
    else
        return (const void *)&reduce_single_run<R>;
}
template <class R> constexpr gndi_reduce_kernels kernels_of() {
    constexpr int V = column_outputs<R>;
    return {(const void *)&reduce_rows<R, rows_flight<R>, rows_resident<R>>,
            (const void *)&reduce_rows<R, GNDI_REDUCE_FLIGHT, GNDI_REDUCE_RESIDENT>,
            single_run_kernel<R>(),
            (const void *)&reduce_whole_rows<R>,
            (const void *)&reduce_columns<R, V>,
            few_rows_kernel<R, V>(),
            (const void *)&reduce_scattered<R>,
            (const void *)&reduce_short_rows<R>,
            (const void *)&reduce_flat<R, V>,
            sizeof(typename R::acc),
            V,
            V,
            sizeof(natural_output_t<R>),
            rows_flight<R>,
            rows_resident<R>,
            column_flight<R>,
            column_resident<R>,
            flat_resident<R, V>,
            flat_threads<R, V>};
}

} // namespace gnd

#endif
