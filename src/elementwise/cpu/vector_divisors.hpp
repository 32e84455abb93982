/*
 * vector_divisors.hpp: greatest common divisors and least common multiples of integers, in vectors. Included by
 * vector_loops.hpp.
 */
#ifndef GNDI_VECTOR_DIVISORS_HPP
#define GNDI_VECTOR_DIVISORS_HPP

#include "elementwise/cpu/vector_elements.hpp"
#ifdef __AVX512CD__
#    include <immintrin.h>
#endif

namespace {

using namespace gnd;

/* ---- any vectors ---------------------------------------------------------------------------- */

/* Of a block at a time, a bit of all numbers a step (J. Stein, J. Comput. Phys. 1, 1967). A step of all costs less
   than a division for each. */
template <class U> GNDI_FN void common_divisors(U *a, U *b, int64_t n) {
    U twos[BLOCK], any = 0;
    for (int64_t j = 0; j < n; j++) {
        const U x = a[j];
        a[j] = x == 0 ? b[j] : x, b[j] = x == 0 ? (U)0 : b[j]; /* a is 0 only if both are */
        twos[j] = 1;
        any |= (U) ~(a[j] | b[j]) & 1;
    }
    for (int step = 0; (any & 1) && step < (int)sizeof(U) * 8; step++) { /* common factors of 2 */
        any = 0;
        for (int64_t j = 0; j < n; j++) {
            const U both = (U) ~(a[j] | b[j]) & 1;
            a[j] = both ? (U)(a[j] >> 1) : a[j], b[j] = both ? (U)(b[j] >> 1) : b[j];
            twos[j] = both ? (U)(twos[j] + twos[j]) : twos[j];
            any |= (U) ~(a[j] | b[j]) & 1;
        }
    }
    for (int64_t j = 0; j < n; j++) { /* a is odd from now on */
        const bool even = (a[j] & 1) == 0;
        const U x = a[j];
        a[j] = even ? b[j] : x, b[j] = even ? x : b[j];
    }
    for (any = 1; any;) {
        any = 0;
        for (int64_t j = 0; j < n; j++) {
            const U x = a[j], y = b[j], least = x < y ? x : y, gap = (U)((x < y ? y : x) - least);
            const bool odd = y & 1;
            a[j] = odd ? least : x, b[j] = (U)((odd ? gap : y) >> 1);
            any |= b[j];
        }
    }
    for (int64_t j = 0; j < n; j++) a[j] = (U)(a[j] * twos[j]);
}
template <bool Multiple, class T> int divisors(char *const *operand, int64_t n, const double *params) {
    typedef bits_t<T> U;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (m < 16) { /* too few for steps of all */
            char *part[] = {(char *)out, (char *)x, (char *)y};
            plain[Multiple ? GNDI_OP_lcm : GNDI_OP_gcd][dtype_of<T>](part, m, params);
            break;
        }
        U a[BLOCK], b[BLOCK];
        for (int64_t j = 0; j < m; j++) a[j] = ops::magnitude(x[j]), b[j] = ops::magnitude(y[j]);
        common_divisors(a, b, m);
        for (int64_t j = 0; j < m; j++) {
            if (Multiple) {
                const U first = ops::magnitude(x[j]), divisor = a[j] == 0 ? (U)1 : a[j];
                const U quotient = sizeof(T) < 8 ? ops::quotient_int(first, divisor) : (U)(first / divisor);
                out[j] = (T)(U)(quotient * ops::magnitude(y[j]));
            } else {
                out[j] = (T)a[j];
            }
        }
    }
    return 0;
}

/* ---- vectors that count zeros --------------------------------------------------------------- */

#ifdef __AVX512CD__

/* What differs between lanes of 32 and of 64 bits. */
struct lanes32 {
    typedef __mmask16 mask;
    static constexpr int count = 16;
    GNDI_FN __m512i load(mask m, const void *p) { return _mm512_maskz_loadu_epi32(m, p); }
    GNDI_FN void store(void *p, mask m, __m512i x) { _mm512_mask_storeu_epi32(p, m, x); }
    GNDI_FN __m512i magnitude(__m512i x) { return _mm512_abs_epi32(x); }
    GNDI_FN mask nonzero(__m512i x) { return _mm512_test_epi32_mask(x, x); }
    GNDI_FN mask not_one(mask m, __m512i x) { return _mm512_mask_cmpneq_epi32_mask(m, x, _mm512_set1_epi32(1)); }
    GNDI_FN __m512i choose(mask m, __m512i no, __m512i yes) { return _mm512_mask_mov_epi32(no, m, yes); }
    /* How many zeros follow a number's last bit; -1 of 0, by which shifts leave 0. */
    GNDI_FN __m512i zeros(__m512i x) {
        const __m512i last = _mm512_and_si512(x, _mm512_sub_epi32(_mm512_setzero_si512(), x));
        return _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(last));
    }
    GNDI_FN __m512i down(__m512i x, __m512i by) { return _mm512_srlv_epi32(x, by); }
    GNDI_FN __m512i up(__m512i x, __m512i by) { return _mm512_sllv_epi32(x, by); }
    GNDI_FN __m512i times(__m512i x, __m512i y) { return _mm512_mullo_epi32(x, y); }
    /* One step: the smaller number, and their difference. */
    GNDI_FN void step(mask m, __m512i &a, __m512i &b) {
        const __m512i other = down(b, zeros(b)), least = _mm512_min_epu32(a, other);
        b = _mm512_mask_sub_epi32(b, m, _mm512_max_epu32(a, other), least);
        a = _mm512_mask_mov_epi32(a, m, least);
    }
    /* 1 / x of odd numbers, to 5 bits, 10, 20, 40. */
    GNDI_FN __m512i inverse(__m512i x) {
        const __m512i two = _mm512_set1_epi32(2);
        __m512i y = _mm512_xor_si512(_mm512_add_epi32(x, _mm512_add_epi32(x, x)), two);
        for (int k = 0; k < 3; k++) y = times(y, _mm512_sub_epi32(two, times(x, y)));
        return y;
    }
    GNDI_FN void bring_near(__m512i &, __m512i &) {}
};
struct lanes64 {
    typedef __mmask8 mask;
    static constexpr int count = 8;
    GNDI_FN __m512i load(mask m, const void *p) { return _mm512_maskz_loadu_epi64(m, p); }
    GNDI_FN void store(void *p, mask m, __m512i x) { _mm512_mask_storeu_epi64(p, m, x); }
    GNDI_FN __m512i magnitude(__m512i x) { return _mm512_abs_epi64(x); }
    GNDI_FN mask nonzero(__m512i x) { return _mm512_test_epi64_mask(x, x); }
    GNDI_FN mask not_one(mask m, __m512i x) { return _mm512_mask_cmpneq_epi64_mask(m, x, _mm512_set1_epi64(1)); }
    GNDI_FN __m512i choose(mask m, __m512i no, __m512i yes) { return _mm512_mask_mov_epi64(no, m, yes); }
    GNDI_FN __m512i zeros(__m512i x) {
        const __m512i last = _mm512_and_si512(x, _mm512_sub_epi64(_mm512_setzero_si512(), x));
        return _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(last));
    }
    GNDI_FN __m512i down(__m512i x, __m512i by) { return _mm512_srlv_epi64(x, by); }
    GNDI_FN __m512i up(__m512i x, __m512i by) { return _mm512_sllv_epi64(x, by); }
    GNDI_FN __m512i times(__m512i x, __m512i y) { return _mm512_mullo_epi64(x, y); }
    GNDI_FN void step(mask m, __m512i &a, __m512i &b) {
        const __m512i other = down(b, zeros(b)), least = _mm512_min_epu64(a, other);
        b = _mm512_mask_sub_epi64(b, m, _mm512_max_epu64(a, other), least);
        a = _mm512_mask_mov_epi64(a, m, least);
    }
    GNDI_FN __m512i inverse(__m512i x) {
        const __m512i two = _mm512_set1_epi64(2);
        __m512i y = _mm512_xor_si512(_mm512_add_epi64(x, _mm512_add_epi64(x, x)), two);
        for (int k = 0; k < 4; k++) y = times(y, _mm512_sub_epi64(two, times(x, y)));
        return y;
    }
    /* Of numbers far apart the larger one becomes one that leaves the same rest: a quotient of doubles is wrong by
       2^12 / x + 1 at most, so that the rest is below x + 2^12. Beyond 2^50 a rest could wrap around. */
    GNDI_FN void bring_near(__m512i &a, __m512i &b) {
        const __m512i least = _mm512_min_epu64(a, b), most = _mm512_max_epu64(a, b);
        const mask usual = _mm512_mask_cmplt_epu64_mask(nonzero(least), least, _mm512_set1_epi64((int64_t)1 << 50));
        const mask far = _mm512_mask_cmplt_epu64_mask(usual, _mm512_slli_epi64(least, 13), most);
        if (!far) return;
        const __m512i quotient = _mm512_maskz_cvttpd_epu64(
            far, _mm512_maskz_div_pd(far, _mm512_cvtepu64_pd(most), _mm512_cvtepu64_pd(least)));
        a = _mm512_mask_mov_epi64(a, far, least);
        b = _mm512_mask_abs_epi64(b, far, _mm512_sub_epi64(most, times(quotient, least)));
    }
};

/* The greatest common divisors of two pairs of vectors. Each step drops all zeros at b's end. A lane is ready once b
   is 0 or a is 1: running divisors soon are. */
template <class L> GNDI_FN void common_divisors(__m512i &a, __m512i &b, __m512i &c, __m512i &d) {
    typedef typename L::mask mask;
    const __m512i none = _mm512_setzero_si512();
    const __m512i twos = L::zeros(_mm512_or_si512(a, b)), others = L::zeros(_mm512_or_si512(c, d));
    L::bring_near(a, b), L::bring_near(c, d);
    const mask first = L::nonzero(a), second = L::nonzero(c);
    a = L::choose(first, b, a), b = L::choose(first, none, b);
    c = L::choose(second, d, c), d = L::choose(second, none, d);
    a = L::down(a, L::zeros(a)), c = L::down(c, L::zeros(c)); /* odd from now on */
    for (;;) {
        const mask left = L::not_one(L::nonzero(b), a), right = L::not_one(L::nonzero(d), c);
        if (!(left | right)) break;
        L::step(left, a, b), L::step(right, c, d);
    }
    a = L::up(a, twos), c = L::up(c, others);
}

/* x / divisor * y, where nothing is left over: quotients are products with the inverse modulo 2^bits. */
template <class L> GNDI_FN __m512i multiples(__m512i x, __m512i y, __m512i divisor) {
    const __m512i zeros = L::zeros(divisor);
    return L::times(L::times(L::down(x, zeros), L::inverse(L::down(divisor, zeros))), y);
}

template <bool Multiple, class T, class L> int divisors_by_lanes(char *const *operand, int64_t n, const double *) {
    typedef typename L::mask mask;
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1], *y = (const T *)operand[2];
    const auto of = [](mask m, const T *p) {
        const __m512i v = L::load(m, p);
        return is_signed_int<T> ? L::magnitude(v) : v;
    };
    for (int64_t i = 0; i < n; i += 2 * L::count) {
        const uint64_t valid = n - i >= 2 * L::count ? ~(uint64_t)0 : ((uint64_t)1 << (n - i)) - 1;
        const mask low = (mask)valid, high = (mask)(valid >> L::count);
        const __m512i x0 = of(low, x + i), x1 = of(high, x + i + L::count);
        const __m512i y0 = of(low, y + i), y1 = of(high, y + i + L::count);
        __m512i a = x0, b = y0, c = x1, d = y1;
        common_divisors<L>(a, b, c, d);
        L::store(out + i, low, Multiple ? multiples<L>(x0, y0, a) : a);
        L::store(out + i + L::count, high, Multiple ? multiples<L>(x1, y1, c) : c);
    }
    return 0;
}
#endif

/* ---- which ---------------------------------------------------------------------------------- */

template <bool Multiple, class T> constexpr gndi_cpu_kernel divisors_loop() {
#ifdef __AVX512CD__
    if constexpr (sizeof(T) == 8)
        return divisors_by_lanes<Multiple, T, lanes64>;
    else if constexpr (sizeof(T) == 4)
        return divisors_by_lanes<Multiple, T, lanes32>;
    else
#endif
        return divisors<Multiple, T>;
}

} // namespace

#endif
