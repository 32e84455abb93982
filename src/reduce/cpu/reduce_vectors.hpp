/*
 * reduce_vectors.hpp: folding in vectors as wide as the instruction set has them. Compilers do not
 * turn loops over maxima that keep NaN, over halves or over complex numbers into vectors by
 * themselves. A vector holds lanes of a reducer's narrow type; complex numbers are two lanes each.
 */
#ifndef GNDI_CPU_REDUCE_VECTORS_HPP
#define GNDI_CPU_REDUCE_VECTORS_HPP

#include "reduce/reduce_ops.h"
#include <utility>
#if defined(__SSE2__)
#    include <immintrin.h>
#endif

#if defined(__AVX512F__)
#    define GNDI_VECTOR_BYTES 64
#elif defined(__AVX2__)
#    define GNDI_VECTOR_BYTES 32
#else
#    define GNDI_VECTOR_BYTES 16
#endif

namespace gnd {

template <class T, int Lanes> struct vector_type { typedef T type __attribute__((vector_size(sizeof(T) * Lanes))); };

/* The signed integer of T's size: lanes of comparisons and of shuffles. */
template <class T> using lane_int =
    choose_t<sizeof(T) == 1, int8_t, choose_t<sizeof(T) == 2, int16_t, choose_t<sizeof(T) == 4, int32_t, int64_t>>>;

/* The vector of f(0), f(1) and so on: a constant. (Filled in a loop, it would be put together at run time, which takes
   longer than folding a short run.) */
template <class I, class F, int... K>
GNDI_FN typename vector_type<I, (int)sizeof...(K)>::type numbered(F f, std::integer_sequence<int, K...>) {
    return typename vector_type<I, (int)sizeof...(K)>::type{(I)f(K)...};
}
template <class I, int Lanes, class F> GNDI_FN typename vector_type<I, Lanes>::type lane_numbers(F f) {
    return numbered<I>(f, std::make_integer_sequence<int, Lanes>());
}
/* Of pairs of lanes: the other one, the first, the second. */
template <class I, int Lanes> GNDI_FN typename vector_type<I, Lanes>::type other_lanes() {
    return lane_numbers<I, Lanes>([](int k) { return k ^ 1; });
}
template <class I, int Lanes> GNDI_FN typename vector_type<I, Lanes>::type first_lanes() {
    return lane_numbers<I, Lanes>([](int k) { return k & ~1; });
}
template <class I, int Lanes> GNDI_FN typename vector_type<I, Lanes>::type second_lanes() {
    return lane_numbers<I, Lanes>([](int k) { return k | 1; });
}
/* -1 and 1 by turns. */
template <class T, int Lanes> GNDI_FN typename vector_type<T, Lanes>::type signs() {
    return lane_numbers<T, Lanes>([](int k) { return k & 1 ? 1 : -1; });
}

/* sum + x y, rounded once where there is an instruction for it. */
template <class T, class V> GNDI_FN V plus_product(const V &sum, const V &x, const V &y) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return (V)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)sum);
    else
        return (V)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)sum);
#elif defined(__AVX2__) && defined(__FMA__)
    if constexpr (sizeof(T) == 4)
        return (V)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)sum);
    else
        return (V)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)sum);
#else
    return sum + x * y;
#endif
}

/* Which lanes of v are as those of `same`, or are NaN if `nan` says so: `lane_bits` of them a lane, the lowest
   first. */
#if defined(__AVX512BW__)
template <class A> constexpr int lane_bits = 1;
/* Masks are converted explicitly: g++ 12 may read more of one than it stored on the stack. */
template <class A, class V> GNDI_FN uint64_t lanes_like(const V &v, const V &same, bool nan) {
    if constexpr (is_same<A, float>)
        return _cvtmask16_u32(nan ? _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) : _mm512_cmp_ps_mask(v, same, _CMP_EQ_OQ));
    else if constexpr (is_same<A, double>)
        return _cvtmask8_u32(nan ? _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q) : _mm512_cmp_pd_mask(v, same, _CMP_EQ_OQ));
    else if constexpr (sizeof(A) == 1)
        return _cvtmask64_u64(_mm512_cmpeq_epi8_mask((__m512i)v, (__m512i)same));
    else if constexpr (sizeof(A) == 2)
        return _cvtmask32_u32(_mm512_cmpeq_epi16_mask((__m512i)v, (__m512i)same));
    else if constexpr (sizeof(A) == 4)
        return _cvtmask16_u32(_mm512_cmpeq_epi32_mask((__m512i)v, (__m512i)same));
    else
        return _cvtmask8_u32(_mm512_cmpeq_epi64_mask((__m512i)v, (__m512i)same));
}
#else
template <class A> constexpr int lane_bits = (int)sizeof(A);
template <class A, class V> GNDI_FN uint64_t lanes_like(const V &v, const V &same, bool nan) {
    const auto like = nan ? v != v : v == same;
#    if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_epi8((__m256i)like);
#    elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8((__m128i)like);
#    else
    typedef typename vector_type<uint8_t, GNDI_VECTOR_BYTES>::type Bytes;
    uint64_t mask = 0;
    for (int k = 0; k < GNDI_VECTOR_BYTES; k++) mask |= (uint64_t)(((Bytes)like)[k] & 1) << k;
    return mask;
#    endif
}
#endif

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
                const U u = (U)((V)magnitude * 0x1p112f) | ((U)(magnitude >= 0x0f800000u) & 0x7f800000u);
                to = (V)(u | (bits & 0x8000u) << 16);
            }
        } else if constexpr (is_same<S, N>) {
            to = raw;
        } else if constexpr (is_signed_int<S> && sizeof(N) == 8) {
            typedef typename vector_type<int64_t, Lanes>::type I;
            to = (V) __builtin_convertvector(raw, I);
        } else if constexpr (sizeof(S) == 1 && sizeof(N) == 4) {
            /* In two steps: g++ takes a direct one apart. */
            typedef choose_t<is_signed_int<S>, int16_t, uint16_t> Two;
            typedef typename vector_type<Two, Lanes>::type Twos;
            to = __builtin_convertvector(__builtin_convertvector(raw, Twos), V);
        } else {
            to = __builtin_convertvector(raw, V);
        }
    }
};

/* ---- how reducers fold vectors -------------------------------------------------------------- */

/* `on` where a reducer can; `exact` where the order makes no difference. */
template <class R> struct vector_fold { static constexpr bool on = false, exact = false; };
template <class S> struct vector_fold<reduce_sum<S>> {
    static constexpr bool on = true, exact = is_int<S>;
    template <class V> GNDI_FN void fold(V &a, const V &b) { a = a + b; }
};
/* Pairs of lanes that are complex numbers. */
template <class T, class V> GNDI_FN void multiply_pairs(V &a, const V &b) {
    constexpr int lanes = (int)(sizeof(V) / sizeof(T));
    typedef lane_int<T> I;
    a = __builtin_shuffle(a, first_lanes<I, lanes>()) * b +
        __builtin_shuffle(a, second_lanes<I, lanes>()) *
            (signs<T, lanes>() * __builtin_shuffle(b, other_lanes<I, lanes>()));
}
template <class S> struct vector_fold<reduce_product<S>> {
    static constexpr bool on = true, exact = is_int<S>;
    template <class V> GNDI_FN void fold(V &a, const V &b) {
        if constexpr (is_complex<S>)
            multiply_pairs<real_t<S>>(a, b);
        else
            a = a * b;
    }
};

/* Pairs of lanes that are complex numbers: the better one, the first NaN before all. */
template <bool Largest, class T, class V> GNDI_FN void fold_pairs(V &a, const V &b) {
    constexpr int lanes = (int)(sizeof(V) / sizeof(T));
    typedef typename vector_type<lane_int<T>, lanes>::type I;
    const I partner = other_lanes<lane_int<T>, lanes>(), real = first_lanes<lane_int<T>, lanes>();
    const I better = Largest ? b > a : b < a, equal = a == b, nan_a = a != a, nan_b = b != b;
    const I wins = better | (equal & __builtin_shuffle(better, partner));
    const I first = __builtin_shuffle(wins, real) | nan_b | __builtin_shuffle(nan_b, partner);
    const I stays = nan_a | __builtin_shuffle(nan_a, partner);
    a = (first & ~stays) ? b : a;
}

#if defined(__AVX512BW__)
GNDI_FN __m512i largest(int8_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epi8((__mmask64)-1, a, b);
}
GNDI_FN __m512i largest(int16_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epi16((__mmask32)-1, a, b);
}
GNDI_FN __m512i largest(int32_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epi32((__mmask16)-1, a, b);
}
GNDI_FN __m512i largest(int64_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epi64((__mmask8)-1, a, b);
}
GNDI_FN __m512i largest(uint8_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epu8((__mmask64)-1, a, b);
}
GNDI_FN __m512i largest(uint16_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epu16((__mmask32)-1, a, b);
}
GNDI_FN __m512i largest(uint32_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epu32((__mmask16)-1, a, b);
}
GNDI_FN __m512i largest(uint64_t, __m512i a, __m512i b) {
    return _mm512_maskz_max_epu64((__mmask8)-1, a, b);
}
GNDI_FN __m512i smallest(int8_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epi8((__mmask64)-1, a, b);
}
GNDI_FN __m512i smallest(int16_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epi16((__mmask32)-1, a, b);
}
GNDI_FN __m512i smallest(int32_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epi32((__mmask16)-1, a, b);
}
GNDI_FN __m512i smallest(int64_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epi64((__mmask8)-1, a, b);
}
GNDI_FN __m512i smallest(uint8_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epu8((__mmask64)-1, a, b);
}
GNDI_FN __m512i smallest(uint16_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epu16((__mmask32)-1, a, b);
}
GNDI_FN __m512i smallest(uint32_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epu32((__mmask16)-1, a, b);
}
GNDI_FN __m512i smallest(uint64_t, __m512i a, __m512i b) {
    return _mm512_maskz_min_epu64((__mmask8)-1, a, b);
}
#endif
/* The larger or smaller integers, lane by lane. With AVX-512, g++ 12 makes a comparison and a blend of it. */
template <bool Largest, class S, class V> GNDI_FN V extreme_integers(const V &a, const V &b) {
#if defined(__AVX512BW__)
    return (V)(Largest ? largest(S{}, (__m512i)a, (__m512i)b) : smallest(S{}, (__m512i)a, (__m512i)b));
#else
    const auto first = Largest ? a >= b : a <= b;
    return first ? a : b;
#endif
}

template <bool Largest, class S> struct vector_fold<reduce_extreme<Largest, S>> {
    static constexpr bool on = true, exact = true;
    template <class V> GNDI_FN void fold(V &a, const V &b) {
        if constexpr (is_complex<S>) {
            fold_pairs<Largest, real_t<S>>(a, b);
        } else if constexpr (is_float<S>) {
            const auto first = (Largest ? a >= b : a <= b) | (a != a);
            a = first ? a : b;
        } else {
            a = extreme_integers<Largest, S>(a, b);
        }
    }
};

/* Extremes of floating numbers by the CPU's own instructions, which lose NaN: whether there were
   any is watched on the side, two vectors at a time. */
template <class R> struct watched_fold { static constexpr bool on = false; };
#if defined(__AVX512F__)
template <class T> struct watch;
template <> struct watch<float> {
    __mmask16 seen = 0;
    void look(__m512 a, __m512 b) { seen |= _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
    bool any() const { return seen != 0; }
    static __m512 largest(__m512 a, __m512 b) { return _mm512_maskz_max_ps((__mmask16)-1, a, b); }
    static __m512 smallest(__m512 a, __m512 b) { return _mm512_maskz_min_ps((__mmask16)-1, a, b); }
};
template <> struct watch<double> {
    __mmask8 seen = 0;
    void look(__m512d a, __m512d b) { seen |= _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
    bool any() const { return seen != 0; }
    static __m512d largest(__m512d a, __m512d b) { return _mm512_maskz_max_pd((__mmask8)-1, a, b); }
    static __m512d smallest(__m512d a, __m512d b) { return _mm512_maskz_min_pd((__mmask8)-1, a, b); }
};
#elif defined(__AVX2__)
template <class T> struct watch;
template <> struct watch<float> {
    __m256 seen = _mm256_setzero_ps();
    void look(__m256 a, __m256 b) { seen = _mm256_or_ps(seen, _mm256_cmp_ps(a, b, _CMP_UNORD_Q)); }
    bool any() const { return _mm256_movemask_ps(seen) != 0; }
    static __m256 largest(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
    static __m256 smallest(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
};
template <> struct watch<double> {
    __m256d seen = _mm256_setzero_pd();
    void look(__m256d a, __m256d b) { seen = _mm256_or_pd(seen, _mm256_cmp_pd(a, b, _CMP_UNORD_Q)); }
    bool any() const { return _mm256_movemask_pd(seen) != 0; }
    static __m256d largest(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
    static __m256d smallest(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
};
#elif defined(__SSE2__)
template <class T> struct watch;
template <> struct watch<float> {
    __m128 seen = _mm_setzero_ps();
    void look(__m128 a, __m128 b) { seen = _mm_or_ps(seen, _mm_cmpunord_ps(a, b)); }
    bool any() const { return _mm_movemask_ps(seen) != 0; }
    static __m128 largest(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
    static __m128 smallest(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
};
template <> struct watch<double> {
    __m128d seen = _mm_setzero_pd();
    void look(__m128d a, __m128d b) { seen = _mm_or_pd(seen, _mm_cmpunord_pd(a, b)); }
    bool any() const { return _mm_movemask_pd(seen) != 0; }
    static __m128d largest(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
    static __m128d smallest(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
};
#endif
#if defined(__SSE2__)
template <bool Largest, class S> struct watched_fold<reduce_extreme<Largest, S>> {
    static constexpr bool on = is_float<S>;
    typedef watch<choose_t<is_same<S, double>, double, float>> watcher;
    /* A NaN in b stays; one in a is lost. */
    template <class V> GNDI_FN V fold(const V &a, const V &b) {
        return (V)(Largest ? watcher::largest(a, b) : watcher::smallest(a, b));
    }
};
#endif

/* ---- runs of vectors ------------------------------------------------------------------------ */

template <class R> struct vector_run {
    typedef typename R::element S;
    static constexpr bool pairs = is_complex<S>;
    typedef choose_t<pairs, real_t<S>, S> E;                  /* in memory */
    typedef choose_t<pairs, real_t<S>, typename R::narrow> N; /* a lane */
    static constexpr int lanes = GNDI_VECTOR_BYTES / (int)sizeof(N), each = pairs ? 2 : 1, chains = 8;
    typedef vector_load<E, N, lanes> load;
    typedef vector_fold<R> op;
    typedef typename load::V V;
    typedef lane_int<N> I;

    GNDI_FN N none() {
        if constexpr (pairs)
            return R::none().re;
        else
            return R::none();
    }
    GNDI_FN V nones() {
        V v = V{} + none();
        if constexpr (pairs)
            for (int k = 1; k < lanes; k += 2) v[k] = R::none().im;
        return v;
    }
    GNDI_FN V fold(V a, const V &b) {
        op::fold(a, b);
        return a;
    }
    GNDI_FN V at(const E *x) {
        V v;
        load::from(x, v);
        return v;
    }

    /* Where vectors come from: memory, or something computed from it (reduce_maps.hpp), from two operands or one; and
       how many of them make a block. */
    struct source {
        static constexpr bool two = false;
        static constexpr int block = 16 * chains;
        const E *x;
        V operator[](int64_t k) const { return at(x + k * lanes); }
        void skip(int64_t vectors) { x += vectors * lanes; }
    };

    /* n vectors in eight independent chains. */
    template <class Source> __attribute__((noinline)) static V block_of(Source x, int64_t n) {
        V chain[chains];
        if (n < chains) {
            chain[0] = x[0];
            for (x.skip(1); --n > 0; x.skip(1)) op::fold(chain[0], x[0]);
            return chain[0];
        }
#pragma GCC unroll 8
        for (int k = 0; k < chains; k++) chain[k] = x[k];
        x.skip(chains), n -= chains;
        /* Unrolled further, the compiler would go through the block chain by chain, and the CPU's
           prefetching would not follow. */
#pragma GCC unroll 1
        for (; n >= chains; x.skip(chains), n -= chains)
#pragma GCC unroll 8
            for (int k = 0; k < chains; k++) op::fold(chain[k], x[k]);
#pragma GCC unroll 8
        for (int k = 0; k < chains - 1; k++)
            if (k < n) op::fold(chain[k], x[k]);
        op::fold(chain[0], chain[4]), op::fold(chain[1], chain[5]);
        op::fold(chain[2], chain[6]), op::fold(chain[3], chain[7]);
        op::fold(chain[0], chain[2]), op::fold(chain[1], chain[3]);
        return fold(chain[0], chain[1]);
    }

    /* The same in four, of two operands: two loads at a time are made, which are one vector. */
    template <class Source> __attribute__((noinline)) static V block_of_two(Source x, int64_t n) {
        V a = x[0];
        x.skip(1), n--;
        if (n >= 7) {
            V b = x[0], c = x[1], d = x[2];
            x.skip(3), n -= 3;
#pragma GCC unroll 1
            for (; n >= 4; x.skip(4), n -= 4)
                op::fold(a, x[0]), op::fold(b, x[1]), op::fold(c, x[2]), op::fold(d, x[3]);
            op::fold(a, c), op::fold(b, d), op::fold(a, b);
        }
#pragma GCC unroll 1
        for (; n > 0; x.skip(1), n--) op::fold(a, x[0]);
        return a;
    }
    template <class Source> GNDI_FN V one_block(const Source &x, int64_t n) {
        if constexpr (pairs && Source::two)
            return x.block_of(n);
        else if constexpr (Source::two)
            return block_of_two(x, n);
        else
            return block_of(x, n);
    }

    /* n > 0 vectors. Where rounding matters, blocks are joined pairwise, so that the error of a sum
       grows with the logarithm of its length: bit l of `done` says that level[l] holds the sum of
       2^l blocks. */
    template <class Source> static V many(Source x, int64_t n) {
        constexpr int block = Source::block;
        if (op::exact || n <= block) return one_block(x, n);
        V level[48];
        uint64_t done = 0;
        for (; n >= block; n -= block, x.skip(block), done++) {
            V sum = one_block(x, block);
            int l = 0;
            for (; done >> l & 1; l++) sum = fold(level[l], sum);
            level[l] = sum;
        }
        int l = __builtin_ctzll(done);
        V sum = n ? fold(level[l], one_block(x, n)) : level[l];
        for (l++; done >> l; l++)
            if (done >> l & 1) sum = fold(level[l], sum);
        return sum;
    }
    /* The last `some` lanes before `end`, neutral ones in front. */
    GNDI_FN V last(const E *end, int some) {
        const auto numbers = lane_numbers<I, lanes>([](int k) { return k; });
        return numbers >= (I)(lanes - some) ? at(end - lanes) : nones();
    }

    /* All lanes folded, as a tree. */
    template <int Width> GNDI_FN V halves_exchanged(const V &v) {
        return __builtin_shuffle(v, lane_numbers<I, lanes>([](int k) { return (k + Width) % lanes; }));
    }
    template <int Width> GNDI_FN void fold_across(V &v) {
        if constexpr (Width >= each) { /* a vector may be one complex number */
            op::fold(v, halves_exchanged<Width>(v));
            fold_across<Width / 2>(v);
        }
    }
    GNDI_FN typename R::narrow across(V v) {
        fold_across<lanes / 2>(v);
        if constexpr (pairs)
            return typename R::narrow{v[0], v[1]};
        else
            return v[0];
    }

    template <int Width> GNDI_FN void watched_across(V &v) {
        v = watched_fold<R>::fold(halves_exchanged<Width>(v), v);
        if constexpr (Width > 1) watched_across<Width / 2>(v);
    }
    /* A run by watched instructions: n >= lanes; false if there is a NaN. */
    static bool watched_run(const E *x, int64_t n, N &to) {
        typedef watched_fold<R> quick;
        typename quick::watcher watcher;
        V chain[chains], next[chains];
        int64_t left = n / lanes;
        const int rest = (int)(n % lanes);
        if (left < chains) {
            chain[0] = at(x);
            for (watcher.look(chain[0], chain[0]); --left > 0;) {
                next[0] = at(x += lanes), watcher.look(next[0], next[0]);
                chain[0] = quick::fold(next[0], chain[0]);
            }
            x += lanes;
        } else {
#pragma GCC unroll 8
            for (int k = 0; k < chains; k++) chain[k] = at(x + k * lanes);
#pragma GCC unroll 4
            for (int k = 0; k < chains; k += 2) watcher.look(chain[k], chain[k + 1]);
            x += chains * lanes, left -= chains;
#pragma GCC unroll 1
            for (; left >= chains; x += chains * lanes, left -= chains) {
#pragma GCC unroll 8
                for (int k = 0; k < chains; k++) next[k] = at(x + k * lanes);
#pragma GCC unroll 8
                for (int k = 0; k < chains; k++) chain[k] = quick::fold(next[k], chain[k]);
#pragma GCC unroll 4
                for (int k = 0; k < chains; k += 2) watcher.look(next[k], next[k + 1]);
            }
#pragma GCC unroll 8
            for (int k = 0; k < chains - 1; k++)
                if (k < left) {
                    next[k] = at(x + k * lanes), watcher.look(next[k], next[k]);
                    chain[k] = quick::fold(next[k], chain[k]);
                }
            x += left * lanes;
#pragma GCC unroll 3
            for (int width = chains / 2; width > 0; width /= 2)
#pragma GCC unroll 4
                for (int k = 0; k < width; k++) chain[k] = quick::fold(chain[k + width], chain[k]);
        }
        if (rest) {
            next[0] = last(x + rest, rest), watcher.look(next[0], next[0]);
            chain[0] = quick::fold(next[0], chain[0]);
        }
        watched_across<lanes / 2>(chain[0]);
        to = chain[0][0];
        return !watcher.any();
    }

    /* The best of the elements that are not NaN; none() if there are none. */
    static N numbers(const E *x, int64_t n) {
        typedef watched_fold<R> quick;
        V chain[4];
        for (int k = 0; k < 4; k++) chain[k] = V{} + none();
        int64_t left = n / lanes;
        for (; left >= 4; left -= 4, x += 4 * lanes)
            for (int k = 0; k < 4; k++) chain[k] = quick::fold(at(x + k * lanes), chain[k]);
        for (; left > 0; left--, x += lanes) chain[0] = quick::fold(at(x), chain[0]);
        chain[0] = quick::fold(quick::fold(chain[1], chain[0]), quick::fold(chain[2], chain[3]));
        N best = chain[0][0];
        for (int k = 1; k < lanes; k++) best = better(chain[0][k], best);
        for (int64_t i = 0; i < n % lanes; i++) best = better(x[i], best);
        return best;
    }
    GNDI_FN N better(N a, N best) {
        return (R::largest ? a > best : a < best) ? a : best;
    }

    /* n elements, at least as many as fill a vector. */
    static typename R::narrow run(const S *x, int64_t n) {
        const E *from = (const E *)x;
        const int64_t total = n * each;
        if constexpr (watched_fold<R>::on) {
            N quick;
            if (watched_run(from, total, quick)) return quick;
        }
        V v = many(source{from}, total / lanes);
        if (total % lanes) op::fold(v, last(from + total, (int)(total % lanes)));
        return across(v);
    }
};

} // namespace gnd

#endif
