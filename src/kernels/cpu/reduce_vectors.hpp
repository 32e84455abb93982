/*
 * reduce_vectors.hpp: folding in vectors of a reducer's narrow type, as wide as the instruction set
 * has them. Compilers do not turn loops over maxima that keep NaN, or over halves, into vectors by
 * themselves.
 */
#ifndef GNDI_CPU_REDUCE_VECTORS_HPP
#define GNDI_CPU_REDUCE_VECTORS_HPP

#include "kernels/reduce_ops.h"

#if defined(__AVX512F__)
#    define GNDI_VECTOR_BYTES 64
#elif defined(__AVX2__)
#    define GNDI_VECTOR_BYTES 32
#else
#    define GNDI_VECTOR_BYTES 16
#endif

namespace gnd {

template <class T, int Lanes> struct vector_type {
    typedef T type __attribute__((vector_size(sizeof(T) * Lanes)));
};

template <class V> struct lane_of {
    typedef __typeof__(V{}[0]) reference;
    template <class T> struct plain { typedef T type; };
    template <class T> struct plain<T &> { typedef T type; };
    template <class T> struct plain<const T &> { typedef T type; };
    typedef typename plain<reference>::type type;
};

/* Loads elements S as a vector of N, one of each for each. */
template <class S, class N, int Lanes> struct vector_load {
    typedef typename vector_type<N, Lanes>::type V;
    typedef typename vector_type<choose_t<is_half<S>, uint16_t, S>, Lanes>::type Raw;
    GNDI_FN void from(const S *x, V &to) {
        Raw raw;
        memcpy(&raw, x, sizeof raw);
        if constexpr (is_half<S>) {
            typedef typename vector_type<uint32_t, Lanes>::type U;
            const U bits = __builtin_convertvector(raw, U);
            if constexpr (is_same<S, bfloat16>) {
                to = (V)(bits << 16);
            } else { /* as to_float(float16) does it */
                const U magnitude = (bits & 0x7fffu) << 13;
                const U u =
                    (U)((V)magnitude * 0x1p112f) | ((U)(magnitude >= 0x0f800000u) & 0x7f800000u);
                to = (V)(u | (bits & 0x8000u) << 16);
            }
        } else if constexpr (is_same<S, N>) {
            to = raw;
        } else if constexpr (is_signed_int<S> && sizeof(N) == 8) {
            typedef typename vector_type<int64_t, Lanes>::type I;
            to = (V) __builtin_convertvector(raw, I);
        } else {
            to = __builtin_convertvector(raw, V);
        }
    }
};

/* How a reducer folds vectors; `on` where it can. */
template <class R> struct vector_fold { static constexpr bool on = false; };
template <class S> struct vector_fold<reduce_sum<S>> {
    static constexpr bool on = !is_complex<S>, exact = false;
    template <class V> GNDI_FN void fold(V &a, const V &b) { a = a + b; }
};
template <class S> struct vector_fold<reduce_product<S>> {
    static constexpr bool on = !is_complex<S>, exact = false;
    template <class V> GNDI_FN void fold(V &a, const V &b) { a = a * b; }
};
template <bool Largest, class S> struct vector_fold<reduce_extreme<Largest, S>> {
    static constexpr bool on = !is_complex<S>, exact = true;
    template <class V> GNDI_FN void fold(V &a, const V &b) {
        if constexpr (is_float<S>) {
            const auto first = (Largest ? a >= b : a <= b) | (a != a);
            a = first ? a : b;
        } else {
            const auto first = Largest ? a >= b : a <= b;
            a = first ? a : b;
        }
    }
};

/* x[0] .. x[n-1], n a multiple of four vectors: four independent chains, joined as a tree until
   `left` lanes are left. */
template <class R> struct vector_run {
    typedef typename R::element S;
    typedef typename R::narrow N;
    static constexpr int lanes = GNDI_VECTOR_BYTES / (int)sizeof(N), step = 4 * lanes;
    typedef vector_load<S, N, lanes> load;
    typedef vector_fold<R> op;
    typedef typename load::V V;

    GNDI_FN void fold_to(const S *x, int64_t n, int left, N *lane) {
        V a, b, c, d, e;
        load::from(x, a), load::from(x + lanes, b);
        load::from(x + 2 * lanes, c), load::from(x + 3 * lanes, d);
        for (int64_t i = step; i < n; i += step) {
            load::from(x + i, e), op::fold(a, e);
            load::from(x + i + lanes, e), op::fold(b, e);
            load::from(x + i + 2 * lanes, e), op::fold(c, e);
            load::from(x + i + 3 * lanes, e), op::fold(d, e);
        }
        op::fold(a, b), op::fold(c, d), op::fold(a, c);
        memcpy(lane, &a, sizeof a);
        for (int width = lanes / 2; width >= left; width /= 2)
            for (int k = 0; k < width; k++) lane[k] = R::fold(lane[k], lane[k + width]);
    }
};

/* Whether each of some elements is not zero, counted in integers of their size: up to
   127 vectors. */
template <class S> struct vector_count {
    typedef bits_t<S> U;
    static constexpr int lanes = GNDI_VECTOR_BYTES / (int)sizeof(S), most = 127;
    typedef typename vector_type<U, lanes>::type V;

    GNDI_FN int32_t count(const S *x, int64_t vectors) {
        V sum = {};
        for (int64_t i = 0; i < vectors; i++) {
            V bits;
            memcpy(&bits, x + i * lanes, sizeof bits);
            if constexpr (is_float<S>) bits = bits << 1; /* -0.0 is zero */
            sum -= (V)(bits != 0);
        }
        U lane[lanes];
        memcpy(lane, &sum, sizeof sum);
        int32_t total = 0;
        for (int k = 0; k < lanes; k++) total += (int32_t)lane[k];
        return total;
    }
};

} // namespace gnd

#endif
