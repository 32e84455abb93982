/*
 * fuse_reduce.cuh: REDUCE steps. A thread folds its elements, tile after tile, into its own accumulators in shared
 * memory: one, or by columns one for each element of a chunk. Then lanes join: at once if there is one tile, so
 * that the steps behind have the result; else after the last tile. Then the last block to arrive of those that
 * share a row joins their accumulators in block order. The order depends only on the geometry.
 */
#ifndef GNDI_FUSE_REDUCE_CUH
#define GNDI_FUSE_REDUCE_CUH

#include "fuse/cuda/fuse_machine.cuh"
#include "reduce/cuda/reduce_block.cuh"

namespace gnd {

template <class R> constexpr bool in_batches = false;
template <class T> constexpr bool in_batches<reduce_variance<T>> = true;
template <class R> constexpr bool adds = false;
template <class S> constexpr bool adds<reduce_sum<S>> = true;
template <class R> constexpr bool counts = false;
template <class S> constexpr bool counts<reduce_count<S>> = true;

/* Bytes of an accumulator in shared memory, or of the piece that becomes one. */
template <class R>
constexpr int acc_bytes_of = (largest((int)sizeof(piece_t<R>), (int)sizeof(typename R::acc)) + 15) / 16 * 16;

/* Calls `todo` with the reducer of a result, which is known only at the launch, and the type that it reduces. */
template <class R, class T> struct reducer_of {
    typedef R reducer;
    typedef T value;
};
template <class S, class Do> GNDI_FN void with_reducer(const gndi_fuse_result &r, const Do &todo) {
    switch (r.reducer) {
    case GNDI_FUSE_SUMS: todo(reducer_of<reduce_sum<S>, S>()); break;
    case GNDI_FUSE_PRODUCTS: todo(reducer_of<reduce_product<S>, S>()); break;
    case GNDI_FUSE_MINIMA: todo(reducer_of<reduce_minimum<S>, S>()); break;
    case GNDI_FUSE_MAXIMA: todo(reducer_of<reduce_maximum<S>, S>()); break;
    case GNDI_FUSE_VARIANCES:
        if constexpr (is_float<S> || is_complex<S>) todo(reducer_of<reduce_variance<compute_t<S>>, S>());
        break;
    default:
        if (r.of_bools)
            todo(reducer_of<reduce_count<bool>, bool>());
        else
            todo(reducer_of<reduce_count<S>, S>());
    }
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Folds Count elements of the words, every Step-th from the j-th on; `taken` has a bit for each that counts. */
template <class S, class R, class T, int Count, int Step, int W>
GNDI_FN void fold_words(piece_t<R> &acc, const uint32_t (&w)[W], int j, uint32_t taken) {
    if constexpr (in_batches<R>) {
        typename R::element x[Count];
        uint32_t of = 0;
#pragma unroll
        for (int i = 0; i < Count; i++) {
            x[i] = to_compute(value_in<S, T>(w, j + i * Step));
            of |= (taken >> (j + i * Step) & 1) << i;
        }
        R::template absorb<Count>(acc, x, of);
    } else {
        typename R::narrow x[Count];
#pragma unroll
        for (int i = 0; i < Count; i++)
            x[i] = taken >> (j + i * Step) & 1 ? R::lift(value_in<S, T>(w, j + i * Step)) : R::none();
        acc = R::combine(acc, R::widen(fold_all<R>(x)));
    }
}

/* Folds the interpreter's accumulator in a REDUCE step. */
template <class S, int W> struct take_elements {
    const machine<S, W> &m;
    char *own; /* the thread's accumulators */
    uint32_t taken;
    bool first_tile;

    template <class Of> GNDI_INLINE void operator()(const Of &) const {
        typedef typename Of::reducer R;
        typedef typename Of::value T;
        if (!m.p.columns) {
            piece_t<R> *const to = (piece_t<R> *)own;
            piece_t<R> acc = first_tile ? empty_piece<R>() : *to;
            fold_words<S, R, T, machine<S, W>::elements, 1>(acc, m.acc, 0, taken);
            *to = acc;
        } else {
#pragma unroll
            for (int j = 0; j < machine<S, W>::each; j++) {
                piece_t<R> *const to = (piece_t<R> *)(own + j * acc_bytes_of<R>);
                piece_t<R> acc = first_tile ? empty_piece<R>() : *to;
                fold_words<S, R, T, machine<S, W>::many, machine<S, W>::each>(acc, m.acc, j, taken);
                *to = acc;
            }
        }
    }
};

/* ---- results -------------------------------------------------------------------------------- */

/* Stores slot j of a result, also values that are larger than a slot. */
template <class S, class V> GNDI_FN void put_result(uint32_t (&w)[4], int j, V x) {
    if constexpr (size_of<V> <= size_of<S>) {
        set_value<S>(w, j, x);
    } else {
        const uint64_t bits = bits_of(x);
        w[0] = (uint32_t)bits, w[1] = (uint32_t)(bits >> 32), w[2] = w[3] = 0;
    }
}
template <class S, class R> GNDI_FN void finish_into(uint32_t (&w)[4], int j, const gndi_fuse_head &p,
                                                     const gndi_fuse_result &r, const typename R::acc &x) {
    typedef typename R::acc A;
    const bool divides = r.finish == 1, roots = r.finish == 2; /* gndi_reduce_finish */
    if constexpr (counts<R>) {
        if (divides)
            put_result<S>(w, j, (double)x / r.divisor);
        else if (r.reducer == GNDI_FUSE_COUNTS)
            put_result<S>(w, j, x);
        else
            put_result<S>(w, j, r.reducer == GNDI_FUSE_ALLS ? x == p.length : x != 0);
    } else if constexpr (in_batches<R>) {
        typedef real_t<typename R::element> real;
        const double freedom = x.count - r.ddof;
        real variance = limits<real>::nan();
        if (x.count > 0) variance = x.m2 / (real)(freedom > 0 || freedom != freedom ? freedom : 0);
        if (roots) variance = m::sqrt(variance);
        put_result<S>(w, j, from_compute<real_t<S>>(variance));
    } else if constexpr (is_int<A>) {
        if (divides)
            put_result<S>(w, j, (r.is_signed ? (double)(int64_t)x : (double)x) / r.divisor);
        else if constexpr (is_bool<S>)
            put_result<S>(w, j, x != 0);
        else
            put_result<S>(w, j, (S)x);
    } else {
        A y = x;
        if constexpr (is_complex<A>) {
            if (adds<R>) y = A{0 + x.re, 0 + x.im}; /* a sum begins with 0, so that a sum of -0.0 is 0.0 */
            if (divides) y = A{y.re / (real_t<A>)r.divisor, y.im / (real_t<A>)r.divisor};
        } else if constexpr (is_float<A>) {
            if (adds<R>) y = 0 + x;
            if (divides) y = y / (A)r.divisor;
            if (roots) y = m::sqrt(y);
        }
        put_result<S>(w, j, from_compute<S>(y));
    }
}

/* ---- joining -------------------------------------------------------------------------------- */

enum fuse_stage { fuse_at_once, fuse_lanes, fuse_parts };

/* The accumulators of a result, after all elements. */
struct fuse_joining {
    const gndi_fuse_head &p;
    uint4 *row; /* where the result goes */
    char *accumulators;
    uint32_t lane, group, part;
    int number, stage;

    template <class S, class R> struct of {
        typedef typename R::acc A;
        const fuse_joining &c;
        const gndi_fuse_result &r;
        int mine; /* accumulators of a thread */

        GNDI_INLINE A *slot(int thread, int j) const {
            return (A *)(c.accumulators + (thread * mine + j) * acc_bytes_of<R>);
        }
        GNDI_INLINE void settle() const {
#pragma unroll 1
            for (int j = 0; j < mine; j++) {
                A *const at = slot(threadIdx.x, j);
                const A x = settled_piece<R>(*(const piece_t<R> *)at);
                *at = x;
            }
        }
        GNDI_INLINE void join_at_once() const {
            const int lanes = 1 << c.p.log_lanes, t = threadIdx.x;
            A x = *slot(t, 0);
#pragma unroll 1
            for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2) x = R::combine(x, shuffle_down(x, d));
            if (lanes > 32) { /* of warps */
                if (t % 32 == 0) *slot(t, 0) = x;
                __syncthreads();
                x = *slot(0, 0);
#pragma unroll 1
                for (int w = 32; w < lanes; w += 32) x = R::combine(x, *slot(w, 0));
            }
            if (c.lane == 0) {
                uint32_t w[4];
#pragma unroll
                for (int j = 0; j < 16 / size_of<S>; j++) finish_into<S, R>(w, j, c.p, r, x);
                *c.row = uint4{w[0], w[1], w[2], w[3]};
            }
            if (lanes > 32)
                __syncthreads();
            else
                __syncwarp();
        }
        /* Joins the accumulators of lanes into those of the first one. */
        GNDI_INLINE void join_lanes() const {
            const int t = threadIdx.x, apart = 1 << c.p.log_across;
#pragma unroll 1
            for (int d = (1 << c.p.log_lanes) / 2; d > 0; d /= 2) {
                __syncthreads();
                if ((int)c.lane < d)
#pragma unroll 1
                    for (int j = 0; j < mine; j++) {
                        A *const to = slot(t, j);
                        *to = R::combine(*to, *slot(t + d * apart, j));
                    }
            }
            __syncthreads();
        }
        GNDI_INLINE A *partial(uint32_t part, int j) const {
            const int across = 1 << c.p.log_across, x = (int)threadIdx.x & (across - 1);
            const int64_t line = ((int64_t)c.group * c.p.parts + part) * c.p.results + c.number;
            return (A *)(c.p.partials + ((line * across + x) * mine + j) * GNDI_FUSE_PARTIAL);
        }
        GNDI_INLINE void leave() const {
            if (c.lane == 0)
#pragma unroll 1
                for (int j = 0; j < mine; j++) *partial(c.part, j) = *slot(threadIdx.x, j);
        }
        GNDI_INLINE void collect() const {
#pragma unroll 1
            for (int j = 0; j < mine; j++) {
                A x = R::identity();
#pragma unroll 1
                for (uint32_t part = c.lane; part < c.p.parts; part += 1u << c.p.log_lanes)
                    x = R::combine(x, load_shared_result((const A *)partial(part, j)));
                *slot(threadIdx.x, j) = x;
            }
        }
        GNDI_INLINE void conclude() const {
            if (c.lane) return;
            uint32_t w[4];
#pragma unroll
            for (int j = 0; j < 16 / size_of<S>; j++)
                finish_into<S, R>(w, j, c.p, r, *slot(threadIdx.x, mine > 1 ? j : 0));
            *c.row = uint4{w[0], w[1], w[2], w[3]};
        }
        GNDI_INLINE void work() const {
            if (c.stage != fuse_parts) settle();
            if (c.stage == fuse_at_once) {
                join_at_once();
                return;
            }
            if (c.stage == fuse_parts) collect();
            join_lanes();
            if (c.stage == fuse_lanes && c.p.parts > 1)
                leave();
            else
                conclude();
        }
    };
};
template <class S> struct join_result {
    const fuse_joining &c;
    const gndi_fuse_result &r;
    template <class Of> GNDI_INLINE void operator()(const Of &) const {
        const int mine = c.p.columns ? 16 / size_of<S> : 1;
        const fuse_joining::of<S, typename Of::reducer> x = {c, r, mine};
        x.work();
    }
};
/* `lane`: of the thread. */
template <class S> GNDI_FN_HEAVY void finish_result(const gndi_fuse_head &p, uint4 *row, char *accumulators,
                                                    uint32_t lane, uint32_t group, uint32_t part, int number,
                                                    int stage) {
    const gndi_fuse_result &r = part_of<gndi_fuse_result>(p, p.result)[number];
    const fuse_joining c = {p, row, accumulators + r.offset, lane, group, part, number, stage};
    with_reducer<S>(r, join_result<S>{c, r});
}

} // namespace gnd

#endif
