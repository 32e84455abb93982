/*
 * reduce_mixed.cuh: the reductions that take everything: any strides and any number of axes, a
 * mask, a second operand, elements that are cast to the loop's dtype and mapped as they are loaded.
 * A thread loads a batch of elements before it uses the first: packs of neighbours, where they are
 * contiguous and aligned, else one by one, neighbouring threads reading neighbouring elements. The
 * dtype of the input is looked at once a run, so that the loop over it is as good as a specialised
 * kernel's.
 */
#ifndef GNDI_REDUCE_MIXED_CUH
#define GNDI_REDUCE_MIXED_CUH

#include "reduce/cuda/reduce_skeleton.cuh"
#include "kernels/scalar/scalar_arith.h"

namespace gnd {

/* gndi_reduce_map */
enum { map_none, map_skip_nan, map_absolute, map_square, map_power, map_times, map_conjugate };

/* What is done with a batch. */
enum reduce_family { sums, dots, products, means, extents, indices, variances, counts };
template <int Family, class T> struct reducer_of;
template <class T> struct reducer_of<sums, T> { typedef reduce_sum<T> type; };
template <class T> struct reducer_of<dots, T> { typedef reduce_sum<T> type; };
template <class T> struct reducer_of<products, T> { typedef reduce_product<T> type; };
template <class T> struct reducer_of<means, T> { typedef reduce_mean<T> type; };
template <class T> struct reducer_of<extents, T> { typedef reduce_extent<T> type; };
template <class T> struct reducer_of<indices, T> { typedef reduce_index<T> type; };
template <class T> struct reducer_of<variances, T> { typedef reduce_variance<T> type; };
template <class T> struct reducer_of<counts, T> { typedef reduce_count<uint8_t> type; };

/* |x|^power, too long to be everywhere. */
template <class T> static __device__ __noinline__ T power_of(T x, double power) {
    return m::pow(x, (T)power);
}

/* Elements of a pack, and packs in flight: about 64 bytes a thread. */
template <class L> constexpr int pack_of = is_complex<L> ? 2 : 4;
template <class L, class S> constexpr int packs_of = sizeof(S) * pack_of<L> * 4 <= 64 ? 4
                                                                                      : 64 / (sizeof(S) * pack_of<L>);

/* Count elements from an address aligned to all of them, or to 16 bytes. */
template <class S, int Count> GNDI_FN void load_pack(const char *p, S *to) {
    constexpr int bytes = sizeof(S) * Count, each = bytes < 16 ? bytes : 16;
    typedef typename word<each>::type W;
    W w[bytes / each];
#pragma unroll
    for (int i = 0; i < bytes / each; i++) w[i] = ((const W *)p)[i];
    memcpy(to, w, bytes);
}

/* T: what is accumulated; L: what elements are cast to; the same, unless L is complex and mapped to
   real numbers. */
template <int Family, class T, class L, int Most = 4> struct mixed_view {
    typedef typename reducer_of<Family, T>::type R;
    typedef typename R::acc A;
    typedef piece_t<R> P;
    static constexpr int V = 1, E = pack_of<L>;
    static constexpr bool inexact = is_float<L> || is_complex<L>;

    const gndi_reduce_mixed &g;
    const char *in, *second, *mask;

    GNDI_INLINE void prepare(int64_t output) {
        in = g.base.in + offset_of(output, g.base.kept_ndim, g.shape, g.in_stride);
        if (Family == dots) second = g.second + offset_of(output, g.base.kept_ndim, g.shape, g.second_stride);
        if (g.mask) mask = g.mask + offset_of(output, g.base.kept_ndim, g.shape, g.mask_stride);
    }
    GNDI_INLINE void store_one(int64_t output, int, const A &total) const {
        char *out = g.base.out + offset_of(output, g.base.kept_ndim, g.shape, g.result_stride);
        if constexpr (Family == sums && is_float<T>)
            if (g.base.finish == finish_root) {
                const T sum = with_start<R>(g.base, total);
                store_value(out, power_of(sum, 1 / g.base.power), g.base.out_dtype);
                return;
            }
        store_result<R>(g.base, out, total);
    }
    GNDI_INLINE void store(int64_t output, const A (&total)[1]) const { store_one(output, 0, total[0]); }

    /* What NaN counts as where it is skipped: the worst number, and in NumPy a real one. */
    GNDI_FN T stand_in() {
        if constexpr (is_complex<T>)
            return T{worst<true, real_t<T>>(), 0};
        else
            return worst<true, T>();
    }

    /* The elements of a batch: element i is `i / E * group + i % E * step` elements behind the
       first, and below `left` if `exists` has its bit. */
    struct batch {
        int group, step;
        uint32_t exists;
        bool full;
        GNDI_INLINE int at(int i) const { return i / E * group + i % E * step; }
    };

    template <class S, int N>
    GNDI_INLINE void load(const char *p, int64_t stride, bool vectors, const batch &b, S (&x)[N]) const {
        constexpr uint32_t pack = all_of<E>;
        if (vectors) {
#pragma unroll
            for (int u = 0; u < N / E; u++)
                if ((b.exists >> u * E & pack) == pack)
                    load_pack<S, E>(p + u * b.group * (int64_t)sizeof(S), x + u * E);
            if (b.full) return;
        }
#pragma unroll
        for (int i = 0; i < N; i++)
            if (b.exists >> i & 1 && !(vectors && (b.exists >> i / E * E & pack) == pack))
                x[i] = *(const S *)(p + b.at(i) * stride);
    }
    template <int N> GNDI_INLINE uint32_t load_mask(const char *p, const batch &b) const {
        uint8_t yes[N] = {};
        load<uint8_t, N>(p, g.mask_step, g.mask_vectors, b, yes);
        uint32_t bits = 0;
#pragma unroll
        for (int i = 0; i < N; i++) bits |= (uint32_t)(yes[i] != 0) << i;
        return bits & b.exists;
    }

    /* Elements as they are accumulated; takes NaN out of `taken` where they are skipped. */
    template <int N> GNDI_INLINE void map(const L (&x)[N], T (&y)[N], uint32_t &taken) const {
        if constexpr (is_same<T, L>) {
#pragma unroll
            for (int i = 0; i < N; i++) y[i] = x[i];
        }
        if constexpr (inexact && Family != indices && Family != extents) {
            if (g.map == map_skip_nan)
#pragma unroll
                for (int i = 0; i < N; i++)
                    if (is_nan_of(x[i])) taken &= ~(1u << i);
        }
        if constexpr (inexact && !is_complex<T> && (Family == sums || Family == extents)) {
            if (g.map == map_absolute || g.map == map_power) {
#pragma unroll
                for (int i = 0; i < N; i++) y[i] = ops::absolute(x[i]);
            } else if (g.map == map_square) {
#pragma unroll
                for (int i = 0; i < N; i++) y[i] = norm_square(x[i]);
            }
            if constexpr (Family == sums)
                if (g.map == map_power)
#pragma unroll
                    for (int i = 0; i < N; i++) y[i] = power_of(y[i], g.power);
        }
    }

    template <int N> GNDI_INLINE void absorb(P &acc, T (&x)[N], uint32_t taken) const {
        if constexpr (Family == sums || Family == dots || Family == products) {
            typename R::narrow folded[N];
#pragma unroll
            for (int i = 0; i < N; i++) folded[i] = taken >> i & 1 ? R::lift(x[i]) : R::none();
            acc = R::combine(acc, R::widen(fold_all<R>(folded)));
        } else {
            R::template absorb<N>(acc, x, taken);
        }
    }

    /* A batch of elements of storage type S. */
    template <class S, int N>
    GNDI_INLINE void take(const char *p, const char *q, const char *m, const batch &b, int64_t index, P &acc) const {
        constexpr uint32_t all = all_of<N>;
        S raw[N] = {};
        load<S, N>(p, g.base.run_step, g.vectors, b, raw);
        uint32_t taken = b.exists;
        if constexpr (Family == counts) {
            if (m) taken = load_mask<N>(m, b);
            uint32_t bits = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
                bool yes = is_nonzero(raw[i]);
                if constexpr (!is_int<S>)
                    if (g.map == map_skip_nan) yes = !is_nan_of(to_compute(raw[i]));
                bits |= (uint32_t)yes << i;
            }
            bits &= taken;
            if (g.base.store_as == GNDI_STORE_ALL) bits |= b.exists & ~taken;
            acc += (uint64_t)bit_count(bits);
        } else {
            /* Everything is on its way before the first of it is looked at. */
            S other[Family == dots ? N : 1] = {};
            if constexpr (Family == dots) load<S, N>(q, g.second_step, g.second_vectors, b, other);
            if (m) taken = load_mask<N>(m, b);
            L x[N];
            T y[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = load_as<L>(raw[i]);
            if constexpr (Family == dots) {
#pragma unroll
                for (int i = 0; i < N; i++) {
                    L z = load_as<L>(other[i]);
                    if constexpr (is_complex<L>) {
                        if (g.map == map_conjugate) x[i].im = -x[i].im;
                        x[i] = L{x[i].re * z.re - x[i].im * z.im, x[i].re * z.im + x[i].im * z.re};
                    } else {
                        if constexpr (is_int<L>)
                            if (g.boolean) x[i] = x[i] != 0, z = z != 0;
                        x[i] = x[i] * z;
                    }
                }
            }
            map<N>(x, y, taken);
            if constexpr (Family == indices) {
                const bool skip = g.map == map_skip_nan;
#pragma unroll
                for (int i = 0; i < N; i++) {
                    if constexpr (inexact)
                        if (skip) {
                            if (taken >> i & 1 && !is_nan_of(y[i])) acc.number = 1;
                        }
                    y[i] = reversed_if(g.base.reversed, y[i]);
                    if constexpr (inexact)
                        if (skip && is_nan_of(y[i])) y[i] = stand_in();
                }
                const int64_t group_step = b.group * g.base.index_step, step = b.step * g.base.index_step;
                if (taken == all)
                    R::template absorb<N, E>(acc, y, all, index, group_step, step);
                else
                    R::template absorb<N, E>(acc, y, taken, index, group_step, step);
            } else if (taken == all) {
                absorb<N>(acc, y, all);
            } else {
                absorb<N>(acc, y, taken);
            }
        }
    }

    template <class S> GNDI_INLINE void run(const char *p, const char *q, const char *m, int64_t index, int n, int r,
                                            batch_share share, P &acc) const {
        constexpr int packs = packs_of<L, S> < Most ? packs_of<L, S> : Most;
        constexpr int N = E * (Family == dots && packs > 1 ? packs / 2 : packs);
        const int lanes = g.base.run_lanes, width = lanes * N, hop = width * share.of;
        const int first = (g.vectors ? r * E : r) + share.mine * width;
        batch b;
        b.group = lanes * E, b.step = g.vectors ? 1 : lanes;
        p += first * g.base.run_step;
        if (Family == dots) q += first * g.second_step;
        if (m) m += first * g.mask_step;
        index += first * g.base.index_step;
        const int start = share.mine * width - first; /* of a batch, seen from its `at` */
        for (int at = first; at + start < n; at += hop) {
            b.full = at + start + width <= n;
            b.exists = all_of<N>;
            if (!b.full) {
                b.exists = 0;
#pragma unroll
                for (int i = 0; i < N; i++) b.exists |= (uint32_t)(at + b.at(i) < n) << i;
            }
            take<S, N>(p, q, m, b, index, acc);
            p += hop * g.base.run_step;
            if (Family == dots) q += hop * g.second_step;
            if (m) m += hop * g.mask_step;
            index += hop * g.base.index_step;
        }
    }

    static constexpr uint32_t bit(int dtype) {
        return 1u << dtype;
    }
    /* The dtypes that are cast here; others are converted beforehand. */
    static constexpr uint32_t sources() {
        constexpr uint32_t unsigneds = 1u << 3 | 1u << 5 | 1u << 7 | 1u << 9;
        constexpr uint32_t signeds = 1u << 2 | 1u << 4 | 1u << 6 | 1u << 8;
        constexpr uint32_t halves = 1u << 10 | 1u << 11;
        if (Family == counts) return unsigneds | halves | 0xf000u;
        if (is_same<L, int64_t>) return signeds;
        if (is_same<L, uint64_t>) return unsigneds | 1u << 1 | (Family == extents || Family == indices ? 0 : signeds);
        if (is_same<L, float>) return halves | 1u << 12;
        if (is_same<L, double>)
            return Family == sums || Family == means || Family == variances ? (1u << 14) - 2
                   : Family == dots                                         ? 1u << 13 | 1u << 12
                                                                            : 1u << 13;
        return bit(dtype_of<L>);
    }
    template <int Dtype> GNDI_INLINE void run_as(const char *p, const char *q, const char *m, int64_t index, int n,
                                                 int r, batch_share share, P &acc) const {
        if constexpr (sources() >> Dtype & 1) run<storage_of<Dtype>>(p, q, m, index, n, r, share, acc);
    }
    /* One look at the dtype, and then a loop made for it. */
    GNDI_INLINE void run_any(const char *p, const char *q, const char *m, int64_t index, int n, int r,
                             batch_share share, P &acc) const {
        switch (g.in_dtype) {
        case 1: return run_as<1>(p, q, m, index, n, r, share, acc);
        case 2: return run_as<2>(p, q, m, index, n, r, share, acc);
        case 3: return run_as<3>(p, q, m, index, n, r, share, acc);
        case 4: return run_as<4>(p, q, m, index, n, r, share, acc);
        case 5: return run_as<5>(p, q, m, index, n, r, share, acc);
        case 6: return run_as<6>(p, q, m, index, n, r, share, acc);
        case 7: return run_as<7>(p, q, m, index, n, r, share, acc);
        case 8: return run_as<8>(p, q, m, index, n, r, share, acc);
        case 9: return run_as<9>(p, q, m, index, n, r, share, acc);
        case 10: return run_as<10>(p, q, m, index, n, r, share, acc);
        case 11: return run_as<11>(p, q, m, index, n, r, share, acc);
        case 12: return run_as<12>(p, q, m, index, n, r, share, acc);
        case 13: return run_as<13>(p, q, m, index, n, r, share, acc);
        case 14: return run_as<14>(p, q, m, index, n, r, share, acc);
        default: return run_as<15>(p, q, m, index, n, r, share, acc);
        }
    }
    GNDI_INLINE void read(int64_t segment, int64_t begin, int n, int r, batch_share share, P (&acc)[1]) const {
        const int ndim = g.base.outer_ndim, first = g.base.kept_ndim;
        const int64_t *shape = g.shape + first;
        const char *p = in + offset_of(segment, ndim, shape, g.in_stride + first) + begin * g.base.run_step;
        const char *q = nullptr, *m = nullptr;
        int64_t index = 0;
        if (Family == dots)
            q = second + offset_of(segment, ndim, shape, g.second_stride + first) + begin * g.second_step;
        if (g.mask) m = mask + offset_of(segment, ndim, shape, g.mask_stride + first) + begin * g.mask_step;
        if (Family == indices)
            index = g.base.index_base + offset_of(segment, ndim, shape, g.result_stride + first) +
                    begin * g.base.index_step;
        run_any(p, q, m, index, n, r, share, acc[0]);
    }
};

/* Blocks at a time on a multiprocessor. */
template <int Family, class T> constexpr int mixed_resident = sizeof(T) > 4                      ? 2
                                                              : Family == sums || Family == dots ? 4
                                                                                                 : 3;

template <int Family, class T, class L> __global__
__launch_bounds__(GNDI_REDUCE_THREADS,
                  (mixed_resident<Family, T>)) void reduce_mixed(const __grid_constant__ gndi_reduce_mixed g) {
    typedef mixed_view<Family, T, L> view;
    reduce_block<typename view::R>(g.base, view{g, nullptr, nullptr, nullptr});
}

/* Dense rows of g.base.run elements, g.base.part of them a block, which reads them as the stream of
   bytes they are into shared memory; there g.base.lanes (at most 32) threads share a row. */
template <int Family, class T, class L> __global__
__launch_bounds__(GNDI_REDUCE_THREADS, 4) void reduce_mixed_short(const __grid_constant__ gndi_reduce_mixed g) {
    typedef mixed_view<Family, T, L, 1> view_type;
    typedef typename view_type::R R;
    constexpr int vectors = GNDI_REDUCE_TILE / 16 / GNDI_REDUCE_THREADS;
    __shared__ __align__(16) char tile[GNDI_REDUCE_TILE];
    const gndi_reduce_params &p = g.base;
    const int t = threadIdx.x, n = (int)p.run, row_bytes = n * (int)p.run_step;
    const int64_t first = (int64_t)blockIdx.x * p.part;
    const int rows = (int)(p.outputs - first < p.part ? p.outputs - first : p.part);
    const int bytes = rows * row_bytes;
    const char *from = p.in + first * row_bytes;
    uint4 x[vectors];
#pragma unroll
    for (int u = 0; u < vectors; u++) {
        const int b = (t + u * GNDI_REDUCE_THREADS) * 16;
        if (b + 16 <= bytes) x[u] = *(const uint4 *)(from + b);
    }
#pragma unroll
    for (int u = 0; u < vectors; u++) {
        const int b = (t + u * GNDI_REDUCE_THREADS) * 16;
        if (b + 16 <= bytes) *(uint4 *)(tile + b) = x[u];
    }
    for (int b = (bytes & ~15) + t; b < bytes; b += GNDI_REDUCE_THREADS) tile[b] = from[b];
    __syncthreads();

    view_type view{g, nullptr, nullptr, nullptr};
    const int shift = 31 - __clz(p.lanes), lane = t & (p.lanes - 1);
    for (int row = t >> shift; row - (t >> shift) < rows; row += GNDI_REDUCE_THREADS >> shift) {
        piece_t<R> piece = empty_piece<R>();
        if (row < rows) {
            view.prepare(first + row);
            view.run_any(tile + row * row_bytes, view.second, view.mask, Family == indices ? g.base.index_base : 0, n,
                         lane, batch_share{0, 1}, piece);
        }
        const typename R::acc acc = join_neighbours<R>(settled_piece<R>(piece), p.lanes, nullptr);
        if (row < rows && lane == 0) view.store_one(first + row, 0, acc);
    }
}

template <int Family, class T, class L = T> constexpr gndi_reduce_mixed_kernel mixed_kernel_of() {
    typedef mixed_view<Family, T, L> view;
    return {(const void *)&reduce_mixed<Family, T, L>, (const void *)&reduce_mixed_short<Family, T, L>,
            sizeof(typename view::A), mixed_resident<Family, T>, view::sources()};
}

} // namespace gnd

#endif
