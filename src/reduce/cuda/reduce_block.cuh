/*
 * reduce_block.cuh: what all reduction kernels share: vector loads, folding, and how the threads of
 * a block and the blocks that meet in a group join their accumulators.
 *
 * Everything is joined in an order fixed by the geometry alone, so a reduction gives the same bits
 * on every run. Blocks that share outputs leave lines of accumulators in memory; the last one to
 * take its ticket joins them, in the members' order.
 */
#ifndef GNDI_REDUCE_BLOCK_CUH
#define GNDI_REDUCE_BLOCK_CUH

#include "kernels/cuda/digits.cuh"
#include "reduce/cuda/reduce_params.h"
#include "reduce/reduce_ops.h"

namespace gnd {

/* ---- memory --------------------------------------------------------------------------- */

template <int Bytes> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };
template <> struct word<8> { typedef uint2 type; };
template <> struct word<16> { typedef uint4 type; };

template <class S, int Count> struct pack { S at[Count]; };
/* What a pack is loaded as: one word, or (a single element) the element itself. */
template <class S, int Count> struct pack_word { typedef typename word<sizeof(S) * Count>::type type; };
template <class S> struct pack_word<S, 1> { typedef S type; };
template <class S, int Count> using pack_word_t = typename pack_word<S, Count>::type;

template <class S, int Count> GNDI_FN pack<S, Count> unpack(pack_word_t<S, Count> w) {
    pack<S, Count> x;
    if constexpr (sizeof(S) == 1 && Count > 4) { /* by shifts: bytes of an array would go to memory */
        uint32_t part[Count / 4];
        memcpy(part, &w, sizeof w);
#pragma unroll
        for (int i = 0; i < Count; i++) x.at[i] = (S)(part[i / 4] >> (i % 4 * 8));
    } else {
        memcpy(&x, &w, sizeof x);
    }
    return x;
}
/* Past the first-level cache, which does not see other blocks' writes. */
template <class A> GNDI_FN A load_shared_result(const A *p) {
    constexpr int bytes = sizeof(A) % 16 == 0 ? 16 : sizeof(A) % 8 == 0 ? 8 : sizeof(A);
    typedef typename word<bytes>::type W;
    W w[sizeof(A) / bytes];
#pragma unroll
    for (int i = 0; i < (int)sizeof(A) / bytes; i++) w[i] = __ldcg((const W *)p + i);
    A x;
    memcpy(&x, w, sizeof x);
    return x;
}

/* Where the index-th element of some axes lies, the last axis fastest. */
GNDI_FN int64_t offset_of(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
#pragma unroll 1
    for (int a = ndim - 1; a > 0; a--) offset += take_digit(index, shape[a]) * stride[a];
    return ndim ? offset + index * stride[0] : 0;
}

/* ---- joining -------------------------------------------------------------------------- */

/* All of x folded, as a tree. */
template <class R> struct op_fold {
    typedef typename R::narrow narrow;
    GNDI_INLINE narrow operator()(narrow a, narrow b) const { return R::fold(a, b); }
};
template <class R, int Count> GNDI_FN typename R::narrow fold_all(const typename R::narrow (&x)[Count]) {
    return joined<0, Count>(x, op_fold<R>());
}

template <class A> GNDI_FN A shuffle_down(A x, int distance) {
    constexpr int words = (sizeof(A) + 3) / 4;
    uint32_t w[words] = {};
    memcpy(w, &x, sizeof x);
#pragma unroll
    for (int i = 0; i < words; i++) w[i] = __shfl_down_sync(0xffffffffu, w[i], distance);
    memcpy(&x, w, sizeof x);
    return x;
}

/* Joins `lanes` neighbouring threads (a power of two); the first of them gets the result. `scratch`
   holds an accumulator a warp, and must not be in use. */
template <class R> GNDI_FN typename R::acc join_neighbours(typename R::acc x, int lanes, typename R::acc *scratch) {
    for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2) x = R::combine(x, shuffle_down(x, d));
    if (lanes > 32) {
        const int t = threadIdx.x, warps = lanes / 32;
        if (t % 32 == 0) scratch[t / 32] = x;
        __syncthreads();
        if (t % lanes < 32) { /* whole warps */
            if (t % 32 < warps) x = scratch[t / 32 + t % 32];
            for (int d = warps / 2; d > 0; d /= 2) x = R::combine(x, shuffle_down(x, d));
        }
    }
    return x;
}

/* Joins the threads t, t + across, t + 2 across, ... (`lanes` of them); the first gets the result.
   `scratch` holds V accumulators a thread. */
template <class R, int V>
GNDI_FN void join_across(typename R::acc (&x)[V], int across, int lanes, typename R::acc *scratch) {
    const int t = threadIdx.x, lane = t / across;
    int left = lanes; /* threads that still have something, the first ones */
    while (left > 1) {
        const int d = (left + 1) / 2;
        __syncthreads();
        if (lane >= d && lane < left)
#pragma unroll
            for (int v = 0; v < V; v++) scratch[(t - d * across) * V + v] = x[v];
        __syncthreads();
        if (lane + d < left)
#pragma unroll
            for (int v = 0; v < V; v++) x[v] = R::combine(x[v], scratch[t * V + v]);
        left = d;
    }
}

/* Joins the accumulators of a column: thread t < columns * ways starts with one of column
   t % columns in x; afterwards scratch[c] is column c's. */
template <class R> GNDI_FN void join_columns(typename R::acc x, int columns, int ways, typename R::acc *scratch) {
    const int t = threadIdx.x;
    __syncthreads();
    if (t < columns * ways) scratch[t] = x;
    for (int d = ways / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < columns * d) scratch[t] = R::combine(scratch[t], scratch[t + columns * d]);
    }
    __syncthreads();
}

/* Whether this block is the last of `count` to come to a ticket; it then sees what the others
   wrote. */
GNDI_FN bool is_last(unsigned *ticket, int count) {
    __shared__ unsigned arrived;
    __syncthreads();
    if (threadIdx.x == 0) { /* for the whole block, which the barriers tie to it */
        __threadfence();
        const unsigned before = atomicAdd(ticket, 1u);
        if (before == (unsigned)count - 1) *ticket = 0; /* for the next launch */
        __threadfence();
        arrived = before;
    }
    __syncthreads();
    const bool last = arrived == (unsigned)count - 1;
    __syncthreads(); /* `arrived` may be written again */
    return last;
}

/* Joins `count` lines, `step` lines apart, `columns` wide. */
template <class R> GNDI_FN void join_lines(const typename R::acc *lines, int count, int step, int columns, int ways,
                                           typename R::acc *scratch) {
    typedef typename R::acc A;
    const int t = threadIdx.x, threads = (int)blockDim.x;
    if (columns <= threads) {
        const int column = t % columns, way = t / columns;
        const A *const from = lines + column;
        A x = R::identity();
        if (way < ways)
#pragma unroll 4
            for (int k = way; k < count; k += ways)
                x = R::combine(x, load_shared_result(from + (int64_t)k * step * columns));
        join_columns<R>(x, columns, ways, scratch);
    } else {
        __syncthreads();
        for (int column = t; column < columns; column += threads) {
            A x = R::identity();
#pragma unroll 4
            for (int k = 0; k < count; k++)
                x = R::combine(x, load_shared_result(lines + (int64_t)k * step * columns + column));
            scratch[column] = x;
        }
        __syncthreads();
    }
}

/*
 * Joins the lines of a group's members, when this block has written its own: true in the block that
 * comes last, where scratch[c] then is column c's result. Many lines are joined in bundles, and then
 * the bundles. `ways` threads (a power of two) share a column.
 */
template <class R> GNDI_FN bool join_members(const gndi_reduce_params &p, int group, int member, int columns, int ways,
                                             typename R::acc *scratch) {
    typedef typename R::acc A;
    const int begin = group * p.members; /* the group's first line */
    A *const lines = (A *)p.partials + (int64_t)begin * columns;
    const int first = member / p.bundle * p.bundle;
    const int size = p.members - first < p.bundle ? p.members - first : p.bundle;
    if (p.bundle < p.members) {
        if (!is_last(p.tickets + GNDI_REDUCE_SHARING + begin + first, size)) return false;
        join_lines<R>(lines + (int64_t)first * columns, size, 1, columns, ways, scratch);
        for (int c = threadIdx.x; c < columns; c += (int)blockDim.x) lines[(int64_t)first * columns + c] = scratch[c];
    }
    const int bundles = (p.members + p.bundle - 1) / p.bundle;
    const bool bundled = p.bundle < p.members;
    if (!is_last(p.tickets + group, bundled ? bundles : p.members)) return false;
    join_lines<R>(lines, bundled ? bundles : p.members, bundled ? p.bundle : 1, columns, ways, scratch);
    return true;
}

} // namespace gnd

#endif
