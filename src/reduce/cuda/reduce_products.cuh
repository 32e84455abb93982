/*
 * reduce_products.cuh: sums of products of two operands of one dtype that lie in memory alike, the
 * second one `p.second` bytes behind the first: whole vectors of both, a batch of them in flight.
 * Dense rows and dense columns have kernels here; what is not aligned, cast or masked is left to the
 * mixed ones.
 */
#ifndef GNDI_REDUCE_PRODUCTS_CUH
#define GNDI_REDUCE_PRODUCTS_CUH

#include "reduce/cuda/reduce_kernels.cuh"

namespace gnd {

template <class S> GNDI_FN accumulator_t<S> product_of(S x, S y, bool conjugate) {
    accumulator_t<S> a = to_accumulator(x);
    const accumulator_t<S> b = to_accumulator(y);
    if constexpr (is_complex<S>) {
        if (conjugate) a.im = -a.im;
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    } else {
        return a * b;
    }
}

/* Vectors of each operand that a thread has in flight. */
template <class S, int V> constexpr int products_flight = sizeof(S) * V >= 16 ? 4 : 8;

/* A batch of packs of V products, number i and then every lanes-th below n. */
template <class S, int V> struct product_batch {
    static constexpr int U = products_flight<S, V>;
    typedef pack_word_t<S, V> W;
    typedef accumulator_t<S> A;
    typedef reduce_sum<S> R;
    W x[U], y[U];

    template <bool All> GNDI_INLINE void load(const char *p, int64_t second, int64_t stride, int i, int n, int lanes) {
#pragma unroll
        for (int u = 0; u < U; u++)
            if (All || i + u * lanes < n) {
                x[u] = *(const W *)(p + u * stride);
                y[u] = *(const W *)(p + second + u * stride);
            }
    }
    template <bool All> GNDI_INLINE void fold(int i, int n, int lanes, bool conjugate, A (&sum)[V]) const {
        A part[V][U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool there = All || i + u * lanes < n;
            const pack<S, V> a = unpack<S, V>(x[u]), b = unpack<S, V>(y[u]);
#pragma unroll
            for (int v = 0; v < V; v++) part[v][u] = there ? product_of(a.at[v], b.at[v], conjugate) : R::identity();
        }
#pragma unroll
        for (int v = 0; v < V; v++) sum[v] = joined<0, U>(part[v], op_plus());
    }
};

/* Adds up n packs of V products, `step` bytes apart, of which lane r of `lanes` takes every
   lanes-th: into V accumulators (Apart) or all into one. All lanes of a warp stay together. */
template <class S, int V, bool Apart> GNDI_FN void fold_products(const gndi_reduce_params &p, const char *from, int r,
                                                                 int n, int64_t step, int lanes, batch_share share,
                                                                 accumulator_t<S> (&acc)[Apart ? V : 1]) {
    typedef accumulator_t<S> A;
    typedef product_batch<S, V> batch;
    constexpr int U = batch::U;
    const int width = U * lanes, hop = width * share.of;
    const auto add = [&](const A(&sum)[V]) {
        if constexpr (Apart) {
#pragma unroll
            for (int v = 0; v < V; v++) acc[v] = plus(acc[v], sum[v]);
        } else {
            acc[0] = plus(acc[0], joined<0, V>(sum, op_plus()));
        }
    };
    int first = share.mine * width;
    from += (first + r) * step;
    batch b;
    A sum[V];
    for (; first + width <= n; first += hop, from += hop * step) {
        b.template load<true>(from, p.second, step * lanes, first + r, n, lanes);
        b.template fold<true>(first + r, n, lanes, p.conjugate, sum);
        add(sum);
    }
    if (first + r < n) {
        b.template load<false>(from, p.second, step * lanes, first + r, n, lanes);
        b.template fold<false>(first + r, n, lanes, p.conjugate, sum);
        add(sum);
    }
}

template <class S> struct products_of_rows : dense_view<reduce_sum<S>> {
    static constexpr int V = 1;
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share,
                          accumulator_t<S> (&acc)[1]) const {
        constexpr int W = row_vector<S>;
        const gndi_reduce_params &p = this->p;
        const char *from = this->at(segment, begin);
        fold_products<S, W, false>(p, from, r, n / W, 16, p.run_lanes, share, acc);
        if (share.mine == 0) /* what is behind the vectors */
            for (int i = n / W * W + r; i < n; i += p.run_lanes)
                acc[0] = plus(acc[0], product_of(((const S *)from)[i], ((const S *)(from + p.second))[i], p.conjugate));
    }
};
template <class S, int Vector> struct products_of_columns : columns_view<reduce_sum<S>, Vector> {
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share,
                          accumulator_t<S> (&acc)[Vector]) const {
        const gndi_reduce_params &p = this->p;
        fold_products<S, Vector, true>(p, this->at(segment, begin), r, n, p.run_step, p.run_lanes, share, acc);
    }
};

/* Blocks at a time on a multiprocessor. */
constexpr int products_resident = 3;

template <class S> __global__
__launch_bounds__(GNDI_REDUCE_THREADS,
                  products_resident) void reduce_products_rows(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<reduce_sum<S>>(p, products_of_rows<S>{{p, nullptr}});
}
template <class S, int V> __global__
__launch_bounds__(GNDI_REDUCE_THREADS,
                  products_resident) void reduce_products_columns(const __grid_constant__ gndi_reduce_params p) {
    reduce_block<reduce_sum<S>>(p, products_of_columns<S, V>{{{p, nullptr}, 0, V}});
}

template <class S> constexpr gndi_reduce_kernels products_of() {
    constexpr int V = column_vector<S>;
    gndi_reduce_kernels k = {};
    k.rows = (const void *)&reduce_products_rows<S>;
    k.columns = (const void *)&reduce_products_columns<S, V>;
    k.accumulator = sizeof(accumulator_t<S>);
    k.column_vector = V;
    k.out_size = sizeof(S);
    k.flight = products_flight<S, row_vector<S>>, k.columns_flight = products_flight<S, V>;
    k.rows_resident = k.columns_resident = products_resident;
    return k;
}

} // namespace gnd

#endif
