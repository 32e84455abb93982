/*
 * reduce_skeleton.cuh: what all reductions but those of short rows and of narrow columns do: a
 * block reads its pieces of a group, joins what its threads found, and stores it or leaves it to the
 * last block of the group. A view says how a piece is read.
 */
#ifndef GNDI_REDUCE_SKELETON_CUH
#define GNDI_REDUCE_SKELETON_CUH

#include "reduce/cuda/reduce_results.cuh"

namespace gnd {

/* A block's position among those that share its batches. */
struct batch_share {
    int mine, of;
};

/* What pieces give, added up. Sums of floating numbers are compensated (Knuth's TwoSum): their error
   does not grow with the number of pieces. */
template <class T> struct compensated_sum {
    T total, carry;
    GNDI_INLINE void add(T x) {
        const T sum = total + x, part = sum - total;
        carry += (total - (sum - part)) + (x - part);
        total = sum;
    }
    /* Nothing is carried past infinity, and -0.0 stays what it is. */
    GNDI_INLINE T value() const { return carry != 0 && carry == carry ? total + carry : total; }
};
template <class T> struct running_sum {
    static constexpr bool compensated = true;
    compensated_sum<T> sum = {-(T)0, 0};
    GNDI_INLINE void add(T x) { sum.add(x); }
    GNDI_INLINE T value() const { return sum.value(); }
};
template <class T> struct running_sum<complex<T>> {
    static constexpr bool compensated = true;
    compensated_sum<T> re = {-(T)0, 0}, im = {-(T)0, 0};
    GNDI_INLINE void add(complex<T> x) { re.add(x.re), im.add(x.im); }
    GNDI_INLINE complex<T> value() const { return {re.value(), im.value()}; }
};
template <class R> struct running_total { static constexpr bool compensated = false; };
template <> struct running_total<reduce_sum<float>> : running_sum<float> {};
template <> struct running_total<reduce_sum<float16>> : running_sum<float> {};
template <> struct running_total<reduce_sum<bfloat16>> : running_sum<float> {};
template <> struct running_total<reduce_sum<double>> : running_sum<double> {};
template <class T> struct running_total<reduce_sum<complex<T>>> : running_sum<complex<T>> {};
template <class S> struct running_total<reduce_squares<S>> : running_total<reduce_sum<S>> {};

/* The accumulators of a thread over its pieces. */
template <class R, int V> struct thread_total {
    typedef typename R::acc A;
    typedef running_total<R> running;
    A total[V];
    running sum[V];
    GNDI_INLINE thread_total() {
#pragma unroll
        for (int v = 0; v < V; v++) total[v] = R::identity();
    }
    /* read(piece) folds a piece into what it is given. */
    template <class Read> GNDI_INLINE void add_piece(const Read &read) {
        if constexpr (running::compensated) {
            A acc[V];
#pragma unroll
            for (int v = 0; v < V; v++) acc[v] = R::identity();
            read(acc);
#pragma unroll
            for (int v = 0; v < V; v++) sum[v].add(acc[v]);
        } else if constexpr (is_same<piece_t<R>, A>) {
            read(total);
        } else {
            piece_t<R> piece[V] = {};
            read(piece);
#pragma unroll
            for (int v = 0; v < V; v++) total[v] = R::combine(total[v], R::settled(piece[v]));
        }
    }
    GNDI_INLINE void finish() {
        if constexpr (running::compensated)
#pragma unroll
            for (int v = 0; v < V; v++) total[v] = sum[v].value();
    }
};

/*
 * A view has V accumulators a thread, and
 *
 *     prepare(output)                        goes to an output (pack)
 *     read(segment, begin, n, r, share, acc) n elements of a run into V pieces; lane r of p.run_lanes
 *     store(output, total)                   V results
 *     store_one(output, v, total)            one of them
 */
template <class R, class View> GNDI_FN void reduce_block(const gndi_reduce_params &p, View view) {
    typedef typename R::acc A;
    constexpr int V = View::V;
    __shared__ __align__(16) char bytes[GNDI_REDUCE_THREADS * V * sizeof(A)];
    A *const scratch = (A *)bytes;
    const int t = threadIdx.x;
    const int member = p.members > 1 ? (int)(blockIdx.x / (unsigned)p.groups) : 0;
    const int group = (int)blockIdx.x - member * p.groups;
    /* Threads that share an output are neighbours, or else outputs are. */
    const int r = p.lanes_inner ? t & (p.lanes - 1) : t / p.across;
    const int column = p.lanes_inner ? t / p.lanes : t - r * p.across;
    const int64_t output = (int64_t)group * p.across + column;
    const bool live = output < p.outputs && r < p.lanes;

    thread_total<R, V> mine;
    if (live) {
        view.prepare(output);
        const batch_share share = {p.interleaved ? member : 0, p.interleaved ? p.members : 1};
        const int spread = p.lanes / p.run_lanes, along = r / p.run_lanes;
        const int step = (p.interleaved ? 1 : p.members) * spread;
        int64_t piece = (p.interleaved ? 0 : member) * spread + along;
        for (; piece < p.pieces; piece += step) {
            int64_t segment = piece;
            const int64_t begin = p.parts > 1 ? take_digit(segment, p.parts) * p.part : 0;
            const int n = (int)(p.run - begin < p.part ? p.run - begin : p.part);
            mine.add_piece(
                [&](piece_t<R>(&acc)[V]) { view.read(segment, begin, n, r - along * p.run_lanes, share, acc); });
        }
    }
    mine.finish();
    A(&total)[V] = mine.total;
    if (V == 1 && p.lanes_inner)
        total[0] = join_neighbours<R>(total[0], p.lanes, scratch);
    else
        join_across<R, V>(total, p.across, p.lanes, scratch);
    if (p.members == 1) {
        if (r == 0 && live) view.store(output, total);
        return;
    }
    const int width = p.across * V;
    A *const to = (A *)p.partials + ((int64_t)group * p.members + member) * width + column * V;
    if (r == 0)
#pragma unroll
        for (int v = 0; v < V; v++) to[v] = total[v];
    int ways = 1;
    while (ways * 2 * width <= GNDI_REDUCE_THREADS) ways *= 2;
    if (!join_members<R>(p, group, member, width, ways, scratch)) return;
    for (int c = t; c < width; c += GNDI_REDUCE_THREADS) {
        const int64_t joined = (int64_t)group * p.across + c / V;
        if (joined < p.outputs) view.store_one(joined, c % V, scratch[c]);
    }
}

} // namespace gnd

#endif
