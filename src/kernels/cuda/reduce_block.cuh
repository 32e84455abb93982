/*
 * reduce_block.cuh: what all reduction kernels share: vector loads, folding, how the threads of a
 * block and the blocks of a group join their accumulators, and how a result is stored.
 *
 * Everything is joined in an order fixed by the geometry alone, so a reduction gives the same bits
 * on every run. Blocks of a group leave their partial results in memory; the last one to take its
 * ticket joins them, in the members' order.
 */
#ifndef GNDI_REDUCE_BLOCK_CUH
#define GNDI_REDUCE_BLOCK_CUH

#include "kernels/cuda/reduce_params.h"
#include "kernels/reduce_ops.h"

/* A function of a class, where GNDI_FN's `static` has another meaning. */
#define GNDI_MEMBER __device__ __forceinline__

namespace gnd {

/* ---- memory --------------------------------------------------------------------------- */

template <int Bytes> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };
template <> struct word<8> { typedef uint2 type; };
template <> struct word<16> { typedef uint4 type; };

template <class S, int Count> struct pack { S at[Count]; };
/* What a pack is loaded as: one word, or (a lone element) the element itself. */
template <class S, int Count> struct pack_word {
    typedef typename word<sizeof(S) * Count>::type type;
};
template <class S> struct pack_word<S, 1> { typedef S type; };
template <class S, int Count> using pack_word_t = typename pack_word<S, Count>::type;

template <class S, int Count> GNDI_FN pack<S, Count> unpack(pack_word_t<S, Count> w) {
    pack<S, Count> x;
    if constexpr (sizeof(S) == 1 &&
                  Count > 4) { /* by shifts: bytes of an array would go to memory */
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
    typedef typename word<sizeof(A)>::type W;
    const W w = __ldcg((const W *)p);
    A x;
    memcpy(&x, &w, sizeof w);
    return x;
}

/* index / size, with index becoming the remainder's quotient: one digit of a mixed-radix number. */
GNDI_FN int64_t take_digit(int64_t &index, int64_t size) {
    if ((((uint64_t)index | (uint64_t)size) >> 32) == 0) {
        const uint32_t quotient = (uint32_t)index / (uint32_t)size;
        const uint32_t digit = (uint32_t)index - quotient * (uint32_t)size;
        index = quotient;
        return digit;
    }
    const int64_t quotient = index / size, digit = index - quotient * size;
    index = quotient;
    return digit;
}
/* Where the index-th element of some axes lies, the last axis fastest. */
GNDI_FN int64_t offset_of(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int a = ndim - 1; a > 0; a--) offset += take_digit(index, shape[a]) * stride[a];
    return ndim ? offset + index * stride[0] : 0;
}

/* ---- joining -------------------------------------------------------------------------- */

/* All of x folded into x[0], as a tree. */
template <class R, int Count> GNDI_FN typename R::narrow fold_all(typename R::narrow (&x)[Count]) {
#pragma unroll
    for (int width = Count / 2; width > 0; width /= 2)
#pragma unroll
        for (int i = 0; i < width; i++) x[i] = R::fold(x[i], x[i + width]);
    return x[0];
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

/* Joins `lanes` neighbouring threads (a power of two); the first of them gets the result. */
template <class R>
GNDI_FN typename R::acc join_neighbours(typename R::acc x, int lanes, typename R::acc *scratch) {
    for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
        x = R::combine(x, shuffle_down(x, d));
    if (lanes > 32) {
        const int t = threadIdx.x;
        __syncthreads();
        if (t % 32 == 0) scratch[t / 32] = x;
        __syncthreads();
        if (t % lanes == 0)
            for (int w = 1; w < lanes / 32; w++) x = R::combine(x, scratch[t / 32 + w]);
    }
    return x;
}

/* Joins the threads t, t + across, t + 2 across, ... (`lanes` of them); the first gets the result.
 */
template <class R, int V>
GNDI_FN void join_across(typename R::acc (&x)[V], int across, int lanes, typename R::acc *scratch) {
    const int t = threadIdx.x, lane = t / across;
    for (int d = lanes / 2; d > 0; d /= 2) {
        __syncthreads();
        if (lane >= d && lane < 2 * d)
#pragma unroll
            for (int v = 0; v < V; v++) scratch[(t - d * across) * V + v] = x[v];
        __syncthreads();
        if (lane < d)
#pragma unroll
            for (int v = 0; v < V; v++) x[v] = R::combine(x[v], scratch[t * V + v]);
    }
}

/* Whether this block is the last of its group to come here; it then sees what the others wrote. */
GNDI_FN bool last_of_group(const gndi_reduce_params &p, int group) {
    __shared__ unsigned arrived;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        arrived = atomicAdd(&p.tickets[group], 1u);
        if (arrived == (unsigned)p.members - 1) p.tickets[group] = 0; /* for the next launch */
    }
    __syncthreads();
    __threadfence();
    return arrived == (unsigned)p.members - 1;
}

/* ---- results -------------------------------------------------------------------------- */

/* What a reducer stores unless told otherwise. */
template <class R> struct natural_output {
    typedef choose_t<is_same<typename R::acc, uint64_t>, uint64_t, typename R::element> type;
};
template <class S> struct natural_output<reduce_count<S>> { typedef uint64_t type; };
template <class R> using natural_output_t = typename natural_output<R>::type;

/* Bytes of an integer dtype, as gndi_dtype_sizes has them. */
GNDI_FN int integer_bytes(int dtype) {
    return dtype <= 3 ? 1 : dtype <= 5 ? 2 : dtype <= 7 ? 4 : 8;
}

template <class A> GNDI_FN A load_value(const char *p, int dtype) {
    if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float16>) return to_float(*(const float16 *)p);
        if (dtype == dtype_of<bfloat16>) return to_float(*(const bfloat16 *)p);
        return *(const float *)p;
    } else if constexpr (is_int<A> && sizeof(A) == 8) {
        const int bytes = integer_bytes(dtype);
        if (bytes == 8) return *(const A *)p;
        const bool is_negative_possible = dtype == 2 || dtype == 4 || dtype == 6;
        if (bytes == 4)
            return is_negative_possible ? (A) * (const int32_t *)p : (A) * (const uint32_t *)p;
        if (bytes == 2)
            return is_negative_possible ? (A) * (const int16_t *)p : (A) * (const uint16_t *)p;
        return is_negative_possible ? (A) * (const int8_t *)p : (A) * (const uint8_t *)p;
    } else {
        return *(const A *)p;
    }
}
template <class A> GNDI_FN void store_value(char *p, A x, int dtype) {
    if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float16>)
            *(float16 *)p = to_float16(x);
        else if (dtype == dtype_of<bfloat16>)
            *(bfloat16 *)p = to_bfloat16(x);
        else
            *(float *)p = x;
    } else if constexpr (is_int<A> && sizeof(A) == 8) {
        const int bytes = integer_bytes(dtype);
        if (bytes == 8)
            *(A *)p = x;
        else if (bytes == 4)
            *(uint32_t *)p = (uint32_t)x;
        else if (bytes == 2)
            *(uint16_t *)p = (uint16_t)x;
        else
            *(uint8_t *)p = (uint8_t)x;
    } else {
        *(A *)p = x;
    }
}

template <class R>
GNDI_FN typename R::acc with_start(const gndi_reduce_params &p, typename R::acc x) {
    if (!p.has_start) return x;
    const char *from = p.start_data ? p.start_data : (const char *)p.start;
    return R::combine(load_value<typename R::acc>(from, p.start_dtype), x);
}
template <class A> GNDI_FN A divided(A x, double by) {
    if constexpr (is_complex<A>)
        return A{x.re / (real_t<A>)by, x.im / (real_t<A>)by};
    else
        return x / (A)by;
}

/* One finished accumulator, to its place. */
template <class R>
GNDI_FN void store_result(const gndi_reduce_params &p, char *out, typename R::acc x) {
    typedef typename R::acc A;
    if constexpr (is_same<R, reduce_count<typename R::element>>) {
        bool yes = p.count_as == 2 ? x == (uint64_t)p.length : x != 0;
        if (p.count_as == 0) {
            *(uint64_t *)out = x;
        } else {
            const char *from = p.start_data ? p.start_data : (const char *)p.start;
            if (p.has_start) yes = p.count_as == 2 ? yes & (*from != 0) : yes | (*from != 0);
            *(bool *)out = yes;
        }
    } else {
        x = with_start<R>(p, x);
        if constexpr (is_same<A, uint64_t>) {
            if (p.out_dtype == dtype_of<double>) {
                const double sum = p.signed_sum ? (double)(int64_t)x : (double)x;
                *(double *)out = sum / p.divisor;
                return;
            }
        } else if constexpr (!is_int<A>) {
            if (p.divisor != 0) x = divided(x, p.divisor);
        }
        store_value<A>(out, x, p.out_dtype);
    }
}

/* The same as a value, where the output's dtype is the natural one. */
template <class R>
GNDI_FN natural_output_t<R> natural_result(const gndi_reduce_params &p, typename R::acc x) {
    typedef typename R::acc A;
    if constexpr (is_same<R, reduce_count<typename R::element>>) {
        return x;
    } else {
        x = with_start<R>(p, x);
        if constexpr (!is_int<A>)
            if (p.divisor != 0) x = divided(x, p.divisor);
        if constexpr (is_half<typename R::element>)
            return from_compute<typename R::element>(x);
        else
            return x;
    }
}

/* V neighbouring outputs, natural and dense, in 16-byte stores. */
template <class R, int V>
GNDI_FN void store_dense(const gndi_reduce_params &p, char *out, const typename R::acc (&x)[V]) {
    typedef natural_output_t<R> S;
    constexpr int bytes = sizeof(S) * V, step = bytes < 16 ? bytes : 16, each = step / sizeof(S);
    typedef typename word<step>::type W;
#pragma unroll
    for (int b = 0; b < bytes / step; b++) {
        pack<S, each> results;
#pragma unroll
        for (int v = 0; v < each; v++) results.at[v] = natural_result<R>(p, x[b * each + v]);
        W w;
        memcpy(&w, &results, step);
        ((W *)out)[b] = w;
    }
}

} // namespace gnd

#endif
