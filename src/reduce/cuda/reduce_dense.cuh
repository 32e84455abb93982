/*
 * reduce_dense.cuh: how the dense kernels fold packs of a reducer's own element type: packs of one
 * run or of neighbouring outputs, batches of them in flight, and the indices that ARG* want.
 */
#ifndef GNDI_REDUCE_DENSE_CUH
#define GNDI_REDUCE_DENSE_CUH

#include "reduce/cuda/reduce_skeleton.cuh"
#include "reduce/cuda/reduce_words.cuh"

namespace gnd {

/* Elements of a vector, and how many vectors a thread has in flight. */
template <class S> constexpr int row_vector = 16 / (int)sizeof(S);
template <class S> constexpr int column_vector = sizeof(S) <= 4 ? 4 : 16 / (int)sizeof(S);
template <class S, int V> constexpr int in_flight = sizeof(S) * V >= 16 ? 4 : 8;

/* Where neighbouring outputs are a vector of a thread: how many they are, how many such vectors it has
   in flight, and how many blocks share a multiprocessor. Moments take so many registers that a few
   threads with all they want are faster than twice as many with less (var of 10^4 x 10^4 floats along
   axis 0: 100 us; with two outputs a thread and four blocks, 117 (m)). */
template <class R> constexpr int column_outputs = has_index<R> && sizeof(typename R::element) == 4
                                                      ? 2
                                                      : column_vector<typename R::element>;
template <class R> constexpr int column_flight = has_moments<R> ? 8 : in_flight<typename R::element, column_outputs<R>>;
template <class R> constexpr int column_resident = has_moments<R> ? 2 : 4;

/* Where the elements of a run are, for ARG*: the index of a thread's first element (of the first one
   for each accumulator), how far the next pack of the thread is, and the next element of a pack. */
template <int V> struct run_index {
    int64_t at[V];
    int64_t pack, element;
    bool reversed;
};

/* N elements of a thread into one accumulator; Each of them are a pack. */
template <class R, int N, int Each, int V>
GNDI_FN void absorb(piece_t<R> &acc, const typename R::element (&x)[N], const run_index<V> &index, int v, int u) {
    typedef typename R::element S;
    if constexpr (has_index<R>) {
        S y[N];
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = reversed_if(index.reversed, x[i]);
        R::template absorb<N, Each>(acc, y, all_of<N>, index.at[v] + u * index.pack, index.pack, index.element);
    } else {
        R::template absorb<N>(acc, x, all_of<N>);
    }
}

/* U packs of V elements folded into V accumulators (Apart) or all into one; the first of them is
   number `first` of the thread's. */
template <class R, int V, int U, bool Apart> GNDI_FN void fold_packs(const pack_word_t<typename R::element, V> (&w)[U],
                                                                     const run_index<Apart ? V : 1> &index, int first,
                                                                     piece_t<R> (&acc)[Apart ? V : 1]) {
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
template <class R> GNDI_FN void fold_one(typename R::element x, int64_t at, bool reversed, piece_t<R> &acc) {
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
    GNDI_INLINE pack_word_t<S, V> load(const char *p) const { return *(const pack_word_t<S, V> *)p; }
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
template <class R, int V, bool Apart, class Packs = whole_packs<typename R::element, V>,
          int U = in_flight<typename R::element, V>>
GNDI_FN void fold_run(const char *p, int i, int n, int64_t step, int lanes, batch_share share,
                      run_index<Apart ? V : 1> index, piece_t<R> (&acc)[Apart ? V : 1], Packs packs = Packs()) {
    typedef pack_word_t<typename R::element, V> W;
    const int64_t stride = step * lanes;
    const int hop = U * lanes * share.of;
    if (share.mine) {
        i += share.mine * U * lanes, p += share.mine * U * stride;
        if (has_index<R>)
            for (int v = 0; v < (Apart ? V : 1); v++) index.at[v] += share.mine * U * index.pack;
    }
    W w[U];
    for (; i + (U - 1) * lanes < n; i += hop, p += hop * step) {
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = packs.load(p + u * stride);
        fold_packs<R, V, U, Apart>(w, index, 0, acc);
        if (has_index<R>)
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

/* Where outputs and runs lie. */
template <class R> struct dense_view {
    const gndi_reduce_params &p;
    const char *base;

    GNDI_INLINE void prepare(int64_t output) { base = p.in + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_in); }
    GNDI_INLINE char *out(int64_t output) const {
        return p.out + offset_of(output, p.kept_ndim, p.kept_shape, p.kept_out);
    }
    GNDI_INLINE const char *at(int64_t segment, int64_t begin) const {
        return base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_in) + begin * p.run_step;
    }
    /* The index of element `begin` of a run. */
    GNDI_INLINE int64_t index_at(int64_t segment, int64_t begin) const {
        if (!has_index<R>) return 0;
        return p.index_base + offset_of(segment, p.outer_ndim, p.outer_shape, p.outer_index) + begin * p.index_step;
    }
    GNDI_INLINE void store(int64_t output, const typename R::acc (&total)[1]) const {
        store_result<R>(p, out(output), total[0]);
    }
    GNDI_INLINE void store_one(int64_t output, int, const typename R::acc &total) const {
        store_result<R>(p, out(output), total);
    }
};

} // namespace gnd

#endif
