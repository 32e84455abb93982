/*
 * fuse_compiled_rows.cuh: generated kernels with reductions. Some lanes, of one warp or of several, share a
 * row, and keep all of its elements in registers. They fold their own elements first, then join as a tree,
 * and all of them get the result; the order depends only on the layout.
 */
#ifndef GNDI_FUSE_COMPILED_ROWS_CUH
#define GNDI_FUSE_COMPILED_ROWS_CUH

#include "fuse/cuda/fuse_compiled.cuh"
#include "reduce/reduce_ops.h"

namespace gnd {

template <class R> constexpr bool takes_batches = false;
template <class T> constexpr bool takes_batches<reduce_variance<T>> = true;
template <class R> constexpr bool takes_counts = false;
template <class S> constexpr bool takes_counts<reduce_count<S>> = true;

/* Folds the first `count` elements of a unit: none if it is below 0, all from V on. */
template <class R, class S, int V> GNDI_FN void fold_unit(piece_t<R> &part, const S (&x)[V], int count) {
    if constexpr (takes_batches<R>) {
        typename R::element batch[V];
#pragma unroll
        for (int j = 0; j < V; j++) batch[j] = to_compute(x[j]);
        R::template absorb<V>(part, batch, count >= V ? all_of<V> : count > 0 ? all_of<V> >> (V - count) : 0);
    } else {
        typename R::narrow sum = R::none();
#pragma unroll
        for (int j = 0; j < V; j++) sum = R::fold(sum, j < count ? R::lift(x[j]) : R::none());
        part = R::combine(part, R::widen(sum));
    }
}

/* The value of the lane `apart` lanes further. */
template <class A> GNDI_FN A from_lane(A x, int apart) {
    if constexpr (sizeof(A) < 4) {
        return (A)__shfl_down_sync(0xffffffffu, (int)x, apart);
    } else {
        uint32_t word[sizeof(A) / 4];
        memcpy(word, &x, sizeof x);
#pragma unroll
        for (int i = 0; i < (int)(sizeof(A) / 4); i++) word[i] = __shfl_down_sync(0xffffffffu, word[i], apart);
        memcpy(&x, word, sizeof x);
        return x;
    }
}

/* `shared` has an accumulator for each warp. */
template <class R, int Lanes> GNDI_FN typename R::acc join_lanes(typename R::acc x, typename R::acc *shared) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) x = R::combine(x, from_lane(x, apart));
    const int warp = (int)threadIdx.x / 32, first = warp / (Lanes / 32) * (Lanes / 32);
    if (threadIdx.x % 32 == 0) shared[warp] = x;
    if constexpr (Lanes > 32)
        __syncthreads();
    else
        __syncwarp();
    x = shared[first];
#pragma unroll
    for (int i = 1; i < Lanes / 32; i++) x = R::combine(x, shared[first + i]);
    return x;
}

/* An accumulator as a result: gndi_reducer and gndi_reduce_finish by their numbers. */
enum { reduce_total = 0, reduce_any = 4, reduce_all = 5, reduce_number = 6, finish_divide = 1, finish_sqrt = 2 };

template <class R, int Reducer, int Finish, class S, class To>
GNDI_FN To reduced(const typename R::acc &x, const double *numbers, uint64_t length) {
    typedef typename R::acc A;
    const double divisor = numbers[0], ddof = numbers[1];
    if constexpr (takes_counts<R>) {
        if constexpr (Finish == finish_divide)
            return (To)((double)x / divisor);
        else if constexpr (Reducer == reduce_number)
            return (To)x;
        else
            return Reducer == reduce_all ? x == length : x != 0;
    } else if constexpr (takes_batches<R>) {
        typedef real_t<typename R::element> real;
        const double freedom = x.count - ddof;
        real variance = limits<real>::nan();
        if (x.count > 0) variance = x.m2 / (real)(freedom > 0 || freedom != freedom ? freedom : 0);
        if constexpr (Finish == finish_sqrt) variance = m::sqrt(variance);
        return from_compute<To>(variance);
    } else if constexpr (is_int<A>) {
        if constexpr (Finish == finish_divide)
            return (To)((is_signed_int<S> ? (double)(int64_t)x : (double)x) / divisor);
        else if constexpr (is_bool<S>)
            return x != 0;
        else
            return (To)x;
    } else if constexpr (is_complex<A>) {
        const A y = Reducer == reduce_total ? A{0 + x.re, 0 + x.im} : x;
        if constexpr (Finish == finish_divide)
            return A{y.re / (real_t<A>)divisor, y.im / (real_t<A>)divisor};
        else
            return y;
    } else if constexpr (is_bool<A>) {
        return x;
    } else {
        /* A sum begins with 0, so that a sum of -0.0 is 0.0. */
        A y = Reducer == reduce_total && is_float<A> ? 0 + x : x;
        if constexpr (Finish == finish_divide) y = y / (A)divisor;
        if constexpr (Finish == finish_sqrt) y = m::sqrt(y);
        return from_compute<To>(y);
    }
}

/* VARIANCE of real numbers in the lanes' registers: once the mean is known, up to rounding, the sum of the differences
   from it, and the sum of their squares. */
template <class T> struct spread { T apart, squares; };
template <class T> struct reduce_spread {
    typedef spread<T> acc;
    GNDI_FN acc identity() { return {0, 0}; }
    GNDI_FN acc combine(acc a, acc b) { return {a.apart + b.apart, a.squares + b.squares}; }
    GNDI_FN acc of(T apart) { return {apart, apart * apart}; }
};
template <int Finish, class To, class T>
GNDI_FN To spread_result(const spread<T> &x, const double *numbers, uint64_t length) {
    const double freedom = (double)length - numbers[1];
    const T m2 = x.squares - x.apart * (x.apart / (T)length);
    T variance = (m2 < 0 ? 0 : m2) / (T)(freedom > 0 || freedom != freedom ? freedom : 0);
    if constexpr (Finish == finish_sqrt) variance = m::sqrt(variance);
    return from_compute<To>(variance);
}

/* p.n rows, of p.length elements each; lanes beyond the end compute the first row again, and store nothing. */
template <class P> GNDI_FN void run_lanes(const typename P::parameters &p) {
    constexpr int V = P::width, U = P::unroll, lanes = P::lanes, last = P::axes - 1;
    const uint32_t lane = threadIdx.x % lanes;
    const uint32_t number = blockIdx.x * (P::threads / lanes) + threadIdx.x / lanes;
    const bool inside = number < p.n;
    uint32_t rest = inside ? number : 0;
    row_position<P::axes> row;
#pragma unroll
    for (int i = last - 1; i > 0; i--) row.index[i] = digit(p.axis[i], rest);
    row.index[0] = rest;
    row.index[last] = 0;
    typename P::template unit<V> x[U] = {};
    int count[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        row_position<P::axes> at = row;
        at.index[last] = (u * lanes + lane) * V;
        count[u] = P::ragged ? (int)p.length - (int)at.index[last] : V;
        P::load(p, at, count[u], x[u]);
    }
    P::row(p, row, inside && lane == 0, count, x);
    if (!inside) return;
#pragma unroll
    for (int u = 0; u < U; u++) {
        row_position<P::axes> at = row;
        at.index[last] = (u * lanes + lane) * V;
        P::store(p, at, count[u], x[u]);
    }
}

} // namespace gnd

#endif
