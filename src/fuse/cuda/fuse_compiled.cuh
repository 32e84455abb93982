/*
 * fuse_compiled.cuh: the parts of generated kernels (fuse_generate.c). NVRTC compiles it at run time, once for each
 * program; so it is small, and includes little.
 */
#ifndef GNDI_FUSE_COMPILED_CUH
#define GNDI_FUSE_COMPILED_CUH

#include "kernels/cuda/vectors.cuh"
#include "random/random_engines.h"
#include "kernels/scalar/scalar_ops.h"

namespace gnd {

/* n / size for n < 2^31. */
struct fused_axis {
    uint32_t size, magic, shift, unused;
};

/* Splits an axis' index off a unit's number; `rest` becomes the quotient. */
GNDI_FN uint32_t digit(const fused_axis &axis, uint32_t &rest) {
    const uint32_t quotient = (__umulhi(rest, axis.magic) + rest) >> axis.shift;
    const uint32_t d = rest - quotient * axis.size;
    rest = quotient;
    return d;
}

template <class S> GNDI_FN S constant_as(const uint64_t *words) {
    S x;
    memcpy(&x, words, sizeof x);
    return x;
}

/* ---- values --------------------------------------------------------------------------------- */

/* x, made opaque to the compiler, which might otherwise contract a product inside one operator with a sum inside the
   next. `zero` is 0. */
GNDI_FN float opaque(float x, uint32_t zero) {
    return from_bits(to_bits(x) ^ zero);
}
GNDI_FN double opaque(double x, uint32_t zero) {
    return from_bits(to_bits(x) ^ zero);
}
template <class R> GNDI_FN complex<R> opaque(complex<R> x, uint32_t zero) {
    return complex<R>{opaque(x.re, zero), opaque(x.im, zero)};
}

/* Operator F of values in storage types; two results are returned as a pair. */
template <class F, class... A> GNDI_FN auto fused_call(const double *parameters, A... a) {
    if constexpr (F::has_params)
        return F::apply(a..., parameters);
    else
        return F::apply(a...);
}
template <class F> GNDI_FN auto fused_results(const double *parameters, typename F::template in<0> a) {
    return fused_call<F>(parameters, operand_of<F>(a));
}
template <class F>
GNDI_FN auto fused_results(const double *parameters, typename F::template in<0> a, typename F::template in<1> b) {
    return fused_call<F>(parameters, operand_of<F>(a), operand_of<F>(b));
}
template <class F> GNDI_FN auto fused_results(const double *parameters, typename F::template in<0> a,
                                              typename F::template in<1> b, typename F::template in<2> c) {
    return fused_call<F>(parameters, operand_of<F>(a), operand_of<F>(b), operand_of<F>(c));
}
template <int Op, class S, class... A> GNDI_FN auto fused(const double *parameters, A... a) {
    typedef functor<Op, S> F;
    if constexpr (F::nout == 2) {
        typedef typename F::template out<0> first;
        typedef typename F::template out<1> second;
        const auto both = fused_results<F>(parameters, a...);
        return pair<first, second>{result_of<F, first>(both.first), result_of<F, second>(both.second)};
    } else {
        return result_of<F, typename F::template out<0>>(fused_results<F>(parameters, a...));
    }
}

/*
 * x / c, where c is the same for all elements, by its rounded reciprocal: a quotient with an error of at most an
 * ulp, then one Newton step, whose result equals that of a division (Markstein, "Computation of elementary functions
 * on the IBM RISC System/6000 processor", 1990). No step may overflow or underflow: x that are too large or too
 * small for that are *odd*, and a thread that meets one computes all its elements again, Exact. So there is no
 * branch that would make the other threads of the warp wait.
 */
struct fused_divisor {
    float reciprocal;
    float limit; /* 2^60; 0 where c itself is too large or small */
};
template <bool Exact> GNDI_FN float divided(float x, float c, const uint64_t &word, bool &odd) {
    if constexpr (Exact) {
        return x / c;
    } else {
        const fused_divisor by = constant_as<fused_divisor>(&word);
        odd |= !(m::abs(x) < by.limit) | ((m::abs(x) < 0x1p-60f) & (x != 0));
        const float first = m::mul(x, by.reciprocal);
        const float near = m::fma(m::fma(-first, c, x), by.reciprocal, first);
        const float quotient = m::fma(m::fma(-near, c, x), by.reciprocal, near);
        return x != 0 ? quotient : first; /* -0.0 */
    }
}

/* The same where c > 0 and its reciprocal is so accurate that the first quotient's error is less than an ulp: one step
   is enough, and keeps the sign of a zero. */
template <bool Exact> GNDI_FN float divided_once(float x, float c, const uint64_t &word, bool &odd) {
    if constexpr (Exact) {
        return x / c;
    } else {
        const float by = constant_as<fused_divisor>(&word).reciprocal;
        /* Compares twice the bits, minus 1, for which a zero is not small. */
        odd |= !(m::abs(x) < 0x1p60f) | (2 * to_bits(x) - 1 < 2 * to_bits(0x1p-60f));
        const float first = m::mul(x, by);
        return m::fma(m::fma(first, c, -x), -by, first);
    }
}

/* first + index * step: integers modulo 2^64, the rest in float64, rounded after each step. */
template <class S> GNDI_FN S in_range(const uint64_t *first, const uint64_t *step, int64_t index) {
    if constexpr (is_bool<S>) {
        return *first + (uint64_t)index * *step != 0;
    } else if constexpr (is_int<S>) {
        return (S)(*first + (uint64_t)index * *step);
    } else {
        const complex<double> from = constant_as<complex<double>>(first);
        const complex<double> by = constant_as<complex<double>>(step);
        const double re = m::add(from.re, m::mul((double)(uint64_t)index, by.re));
        if constexpr (is_complex<S>) {
            typedef real_t<S> R;
            return S{(R)re, (R)m::add(from.im, m::mul((double)(uint64_t)index, by.im))};
        } else {
            return cast<S>(re);
        }
    }
}

/* ---- uniform numbers ------------------------------------------------------------------------ */

struct fused_words {
    uint32_t word[2];
    GNDI_METHOD uint32_t next() {
        const uint32_t first = word[0];
        word[0] = word[1];
        return first;
    }
};

/* Numbers index[0], index[1] and so on of a draw: T is float, of one word each, or double, of two. */
template <class T, int V>
GNDI_FN void uniform_numbers(const uint64_t *constants, const int64_t (&index)[V], T (&x)[V]) {
    const uint64_t key = constants[0], position = constants[2];
    const uint32_t stream = (uint32_t)constants[4];
    uint64_t block = (position + (uint64_t)index[0] * (sizeof(T) / 4)) >> 2;
    philox_block words = philox(key, block, 0, stream);
#pragma unroll
    for (int j = 0; j < V; j++) {
        const uint64_t at = position + (uint64_t)index[j] * (sizeof(T) / 4);
        if (at >> 2 != block) words = philox(key, block = at >> 2, 0, stream);
        const bool two = at & 2, one = at & 1;
        const uint32_t w0 = two ? words.word[2] : words.word[0];
        const uint32_t w1 = two ? words.word[3] : words.word[1];
        fused_words own = {{one ? w1 : w0, w1}};
        x[j] = unit<T>(own);
    }
}

/* ---- units ---------------------------------------------------------------------------------- */

/* A unit's position in a kernel of one axis, and in one of several. `to` is its offset in an operand, in bytes: for
   elements that are dense along the last axis, of Size bytes; Size 0: by its strides; Same has a bit for each axis
   whose stride is 0. */
struct dense_position {
    uint64_t index;
    template <int Size, unsigned Same> GNDI_METHOD int64_t to(const int64_t *stride) const {
        if constexpr ((Same & 1) != 0)
            return 0;
        else
            return (int64_t)index * (Size ? Size : *stride);
    }
};
template <int Axes> struct row_position {
    uint32_t index[Axes];
    template <int Size, unsigned Same> GNDI_METHOD int64_t to(const int64_t *stride) const {
        int64_t sum = 0;
#pragma unroll
        for (int i = 0; i < Axes; i++)
            if (!(Same >> i & 1)) sum += Size && i == Axes - 1 ? (int64_t)index[i] * Size : index[i] * stride[i];
        return sum;
    }
};

enum { ELEMENTS, VECTOR, SAME, SHIFTED };

/* The elements that a unit has, of V: those from number `first` on and below `count`, which may be below 0 or above V.
   `count` is not clamped to 0 .. V: for max(0, min(V, n)) == V the ptxas of CUDA 13.0 uses a predicate of VIMNMX.RELU
   on Hopper that is also set for n = 0. */
struct fused_span {
    int first, count;
    GNDI_METHOD fused_span(int n) : first(0), count(n) {}
    GNDI_METHOD fused_span(int from, int n) : first(from), count(n) {}
    template <int V> GNDI_METHOD bool all() const { return first == 0 && count >= V; }
};

/* Neighbours that begin Shift elements behind an aligned vector, from that vector and the next one. Both hold some of
   them, so that nothing is read beyond the aligned 16 bytes around an element. */
template <int Shift, class S, int V> GNDI_FN void load_shifted(const char *from, S (&x)[V]) {
    S low[V], high[V];
    load_vector(from - Shift * (int)sizeof(S), low);
    load_vector(from + (V - Shift) * (int)sizeof(S), high);
#pragma unroll
    for (int j = 0; j < V; j++) x[j] = j + Shift < V ? low[(j + Shift) % V] : high[(j + Shift) % V];
}

/* An operand's elements of one unit: neighbours in memory, `step` bytes apart, or one for all. */
template <int Access, class S, int V>
GNDI_FN void load_unit(const char *from, int64_t step, fused_span there, S (&x)[V]) {
    if constexpr (Access == SAME) {
        x[0] = *(const S *)from;
        return;
    } else if constexpr (Access == VECTOR) {
        if (there.all<V>()) return load_vector(from, x);
    } else if constexpr (Access > SHIFTED && V > Access - SHIFTED) {
        if (there.all<V>()) return load_shifted<Access - SHIFTED>(from, x);
    }
#pragma unroll
    for (int j = 0; j < V; j++)
        if (j >= there.first && j < there.count) x[j] = *(const S *)(from + j * step);
}
template <int Access, class S, int V>
GNDI_FN void store_unit(char *to, int64_t step, fused_span there, const S (&x)[V]) {
    if (Access == VECTOR && there.all<V>()) {
        store_vector(to, x);
    } else {
#pragma unroll
        for (int j = 0; j < V; j++)
            if (j >= there.first && j < there.count) *(S *)(to + j * step) = x[j];
    }
}
/* The numbers of an index sequence. */
template <int V> GNDI_FN void count_from(int64_t first, int64_t step, int64_t (&x)[V]) {
#pragma unroll
    for (int j = 0; j < V; j++) x[j] = first + j * step;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* A program P is generated: width and unroll, its parameters, the elements of a unit, and functions that
   load, compute and store them; compute<false> returns whether it met an odd number. */

template <class P, class Unit> GNDI_FN void compute(const typename P::parameters &p, Unit &x) {
    if (P::template compute<!P::divides>(p, x)) P::template compute<true>(p, x);
}

/* One axis of p.n elements. All blocks but the last are full; a few elements follow the last block's vectors. */
template <class P> GNDI_FN void run_dense(const typename P::parameters &p) {
    constexpr int V = P::width, U = P::unroll, threads = P::threads;
    const uint64_t begin = (uint64_t)blockIdx.x * (threads * U * V);
    if (begin + threads * U * V <= p.n) {
        typename P::template unit<V> x[U];
#pragma unroll
        for (int u = 0; u < U; u++) P::load(p, dense_position{begin + (u * threads + threadIdx.x) * V}, V, x[u]);
#pragma unroll
        for (int u = 0; u < U; u++) {
            compute<P>(p, x[u]);
            P::store(p, dense_position{begin + (u * threads + threadIdx.x) * V}, V, x[u]);
        }
        return;
    }
    const uint64_t whole = p.n - p.n % V;
#pragma unroll 1
    for (uint64_t i = begin + threadIdx.x * V; i < whole; i += threads * V) {
        typename P::template unit<V> x;
        P::load(p, dense_position{i}, V, x);
        compute<P>(p, x);
        P::store(p, dense_position{i}, V, x);
    }
    if (whole + threadIdx.x < p.n) {
        typename P::template unit<1> x;
        P::load(p, dense_position{whole + threadIdx.x}, 1, x);
        compute<P>(p, x);
        P::store(p, dense_position{whole + threadIdx.x}, 1, x);
    }
}

/* The elements that a unit has, from its index along the axis of vectors. */
template <class P> GNDI_FN fused_span span_at(const typename P::parameters &p, uint32_t index) {
    const int first = P::before && index < (uint32_t)p.skip ? (int)p.skip : 0;
    return fused_span(first, P::ragged ? min(P::width, (int)((uint32_t)p.length - index)) : P::width);
}

/* Several axes: p.n units. Beyond the end a thread loads the first unit again, and stores nothing. */
template <class P> GNDI_FN void run_rows(const typename P::parameters &p) {
    constexpr int V = P::width, U = P::unroll, axes = P::axes;
    const uint32_t first = blockIdx.x * (uint32_t)(P::threads * U) + threadIdx.x;
    const uint32_t n = (uint32_t)p.n;
    row_position<axes> at[U];
    typename P::template unit<V> x[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        uint32_t rest = first + u * P::threads < n ? first + u * P::threads : 0;
#pragma unroll
        for (int i = axes - 1; i > 0; i--) at[u].index[i] = digit(p.axis[i], rest);
        at[u].index[0] = rest;
        at[u].index[P::along] *= V;
        P::load(p, at[u], span_at<P>(p, at[u].index[P::along]), x[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (first + u * P::threads >= n) break;
        compute<P>(p, x[u]);
        P::store(p, at[u], span_at<P>(p, at[u].index[P::along]), x[u]);
    }
}

/* Several axes in tiles: a block has P::across units along the last axis, and along axis P::down a row for each of its
   other threads and their units. Beyond the end a thread loads nothing, but one element for all of the first row. */
template <class P> GNDI_FN void run_tiles(const typename P::parameters &p) {
    constexpr int V = P::width, U = P::unroll, last = P::axes - 1, rows = P::threads / P::across;
    row_position<P::axes> at;
    uint32_t rest = blockIdx.x;
#pragma unroll
    for (int i = last; i > 0; i--) at.index[i] = digit(p.axis[i], rest);
    at.index[0] = rest;
    at.index[last] = (at.index[last] * P::across + threadIdx.x % P::across) * V;
    const uint32_t row = at.index[P::down] * (rows * U) + threadIdx.x / P::across;
    const int left = (int)((uint32_t)p.length - at.index[last]);
    const int first = P::before && at.index[last] < (uint32_t)p.skip ? (int)p.skip : 0;
    typename P::template unit<V> x[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const bool inside = row + u * rows < (uint32_t)p.rows;
        at.index[P::down] = inside ? row + u * rows : 0;
        P::load(p, at, fused_span(first, inside ? left : 0), x[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (left <= 0 || row + u * rows >= (uint32_t)p.rows) break;
        at.index[P::down] = row + u * rows;
        compute<P>(p, x[u]);
        P::store(p, at, fused_span(first, left), x[u]);
    }
}

} // namespace gnd

#endif
