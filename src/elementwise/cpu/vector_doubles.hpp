/*
 * vector_doubles.hpp: a vector of float64 and what instructions there are for it, once for AVX-512 and once for AVX2
 * with FMA; sums and products in two parts (T. J. Dekker, 1971), and polynomials. vector_math.hpp is written in these.
 */
#ifndef GNDI_VECTOR_DOUBLES_HPP
#define GNDI_VECTOR_DOUBLES_HPP

/* g++ 12 warns of its own _mm512_undefined_pd, wherever that is inlined. */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {
namespace v {

#define INLINE static inline __attribute__((always_inline, unused))

/* ---- vectors -------------------------------------------------------------------------------- */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
typedef __m512d vec;
typedef __mmask8 mask;
static const int W = 8;
INLINE vec load(const double *p) {
    return _mm512_loadu_pd(p);
}
INLINE void store(double *p, vec x) {
    _mm512_storeu_pd(p, x);
}
INLINE vec all(double x) {
    return _mm512_set1_pd(x);
}
INLINE vec fma(vec a, vec b, vec c) {
    return _mm512_fmadd_pd(a, b, c);
}
INLINE vec fnma(vec a, vec b, vec c) { /* c - a b */
    return _mm512_fnmadd_pd(a, b, c);
}
INLINE vec sqrt(vec x) {
    return _mm512_sqrt_pd(x);
}
INLINE vec rint(vec x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE vec trunc(vec x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
INLINE vec floor(vec x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
/* As many float numbers. */
INLINE vec load(const float *p) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
INLINE void store(float *p, vec x) {
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(x));
}
INLINE vec to_float(vec x) {
    return _mm512_cvtps_pd(_mm512_cvtpd_ps(x));
}
INLINE vec bit_and(vec a, vec b) {
    return _mm512_and_pd(a, b);
}
INLINE vec bit_or(vec a, vec b) {
    return _mm512_or_pd(a, b);
}
INLINE vec bit_xor(vec a, vec b) {
    return _mm512_xor_pd(a, b);
}
INLINE mask less(vec a, vec b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
INLINE mask equal(vec a, vec b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
INLINE mask not_in(vec x, vec low, vec high) { /* !(low <= x <= high), NaN too */
    return (mask)(_mm512_cmp_pd_mask(x, low, _CMP_NGE_UQ) | _mm512_cmp_pd_mask(x, high, _CMP_NLE_UQ));
}
/* NaN or infinite; those and zeros and what is below the normal numbers. */
INLINE mask not_finite(vec x) {
    return _mm512_fpclass_pd_mask(x, 0x99);
}
INLINE mask not_normal(vec x) {
    return _mm512_fpclass_pd_mask(x, 0xbf);
}
/* x, or the nearest bound, numbers. */
INLINE vec within(vec x, double low, double high) {
    return _mm512_min_pd(_mm512_max_pd(x, all(low)), all(high));
}
/* The same from above alone; NaN stays NaN. */
INLINE vec at_most(vec x, double high) {
    return _mm512_min_pd(all(high), x);
}
INLINE vec abs(vec x) {
    return _mm512_abs_pd(x);
}
/* x >= 0 with the sign of y. */
INLINE vec with_sign(vec x, vec y) {
    const __m512i a = _mm512_castpd_si512(x), b = _mm512_castpd_si512(y);
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(a, b, _mm512_castpd_si512(all(-0.0)), 0xf8)); /* a | b & c */
}
INLINE vec choose(mask m, vec a, vec b) { /* m ? a : b */
    return _mm512_mask_blend_pd(m, b, a);
}
INLINE mask either(mask a, mask b) {
    return (mask)(a | b);
}
INLINE mask both(mask a, mask b) {
    return (mask)(a & b);
}
INLINE unsigned bits(mask m) {
    return m;
}
/* 1 / x, to 14 bits at least. */
INLINE vec about_inverse(vec x) {
    return _mm512_rcp14_pd(x);
}
/* x 2^k, k whole; one rounding. */
INLINE vec scale(vec x, vec k) {
    return _mm512_scalef_pd(x, k);
}
/* The same of k rounded down. */
INLINE vec scale_down(vec x, vec k) {
    return _mm512_scalef_pd(x, k);
}
/* 2^k, k whole and <= 1023; or a normal number near 0 where that is none */
INLINE vec power_of_two(vec k) {
    return _mm512_scalef_pd(all(1), _mm512_max_pd(k, all(-1022)));
}
/* x > 0 = 2^exponent m, 1 <= m < 2 */
INLINE vec mantissa(vec x, vec &exponent) {
    exponent = _mm512_getexp_pd(x);
    return _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
}
INLINE vec exponent_of(vec x) {
    return _mm512_getexp_pd(x);
}
/* The nearest multiple of 1 / 32. */
INLINE vec to_32nds(vec x) {
    return _mm512_roundscale_pd(x, 5 << 4 | _MM_FROUND_TO_NEAREST_INT);
}
/* table[the first four bits behind the point of x's mantissa] */
INLINE vec look_up(const double *table, vec x) {
    const __m512i index = _mm512_srli_epi64(_mm512_castpd_si512(x), 48);
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
}
/* table[the last four bits of x] */
INLINE vec look_up_last(const double *table, vec x) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), _mm512_castpd_si512(x), _mm512_loadu_pd(table + 8));
}
/* table[the last three bits of x's exponent and the first behind the point of its mantissa] */
INLINE vec look_up_half_octave(const double *table, vec x) {
    const __m512i index = _mm512_srli_epi64(_mm512_castpd_si512(x), 51);
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
}
/* Of pairs in two vectors their first numbers, or their second ones; and of those the pairs again. */
INLINE vec firsts(vec a, vec b) {
    return _mm512_unpacklo_pd(a, b);
}
INLINE vec seconds(vec a, vec b) {
    return _mm512_unpackhi_pd(a, b);
}
/* The order of the pairs again, after firsts and seconds. */
INLINE vec in_order(vec x) {
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x);
}
/* Whether the whole number k has bit 0, or 1, set; as the sign of a number that is else 0. */
INLINE mask has_bit(vec k, int bit) {
    const __m512i n = _mm512_castpd_si512(k + all(0x1.8p52));
    return _mm512_test_epi64_mask(n, _mm512_set1_epi64(1 << bit));
}
#else
typedef __m256d vec;
typedef __m256d mask;
static const int W = 4;
INLINE vec load(const double *p) {
    return _mm256_loadu_pd(p);
}
INLINE void store(double *p, vec x) {
    _mm256_storeu_pd(p, x);
}
INLINE vec all(double x) {
    return _mm256_set1_pd(x);
}
INLINE vec fma(vec a, vec b, vec c) {
    return _mm256_fmadd_pd(a, b, c);
}
INLINE vec fnma(vec a, vec b, vec c) {
    return _mm256_fnmadd_pd(a, b, c);
}
INLINE vec sqrt(vec x) {
    return _mm256_sqrt_pd(x);
}
INLINE vec rint(vec x) {
    return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE vec trunc(vec x) {
    return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
INLINE vec floor(vec x) {
    return _mm256_round_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
INLINE vec load(const float *p) {
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
INLINE void store(float *p, vec x) {
    _mm_storeu_ps(p, _mm256_cvtpd_ps(x));
}
INLINE vec to_float(vec x) {
    return _mm256_cvtps_pd(_mm256_cvtpd_ps(x));
}
INLINE vec bit_and(vec a, vec b) {
    return _mm256_and_pd(a, b);
}
INLINE vec bit_or(vec a, vec b) {
    return _mm256_or_pd(a, b);
}
INLINE vec bit_xor(vec a, vec b) {
    return _mm256_xor_pd(a, b);
}
INLINE mask less(vec a, vec b) {
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
INLINE mask equal(vec a, vec b) {
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
INLINE mask not_in(vec x, vec low, vec high) {
    return _mm256_or_pd(_mm256_cmp_pd(x, low, _CMP_NGE_UQ), _mm256_cmp_pd(x, high, _CMP_NLE_UQ));
}
INLINE vec abs(vec x) {
    return _mm256_andnot_pd(all(-0.0), x);
}
INLINE mask not_finite(vec x) {
    return not_in(x, all(-0x1.fffffffffffffp1023), all(0x1.fffffffffffffp1023));
}
INLINE mask not_normal(vec x) {
    return not_in(abs(x), all(0x1p-1022), all(0x1.fffffffffffffp1023));
}
INLINE vec within(vec x, double low, double high) {
    return _mm256_min_pd(_mm256_max_pd(x, all(low)), all(high));
}
INLINE vec at_most(vec x, double high) {
    return _mm256_min_pd(all(high), x);
}
INLINE vec with_sign(vec x, vec y) {
    return _mm256_or_pd(x, _mm256_and_pd(y, all(-0.0)));
}
INLINE vec choose(mask m, vec a, vec b) {
    return _mm256_blendv_pd(b, a, m);
}
INLINE mask either(mask a, mask b) {
    return _mm256_or_pd(a, b);
}
INLINE mask both(mask a, mask b) {
    return _mm256_and_pd(a, b);
}
INLINE unsigned bits(mask m) {
    return (unsigned)_mm256_movemask_pd(m);
}
INLINE vec about_inverse(vec x) {
    return all(1) / x;
}
INLINE vec power_of_two(vec k) {
    const __m256i n = _mm256_castpd_si256(_mm256_max_pd(k, all(-1022)) + all(0x1.8p52 + 1023));
    return _mm256_castsi256_pd(_mm256_slli_epi64(n, 52));
}
INLINE vec scale(vec x, vec k) {
    k = choose(less(k, all(-2000)), all(-2000), choose(less(all(2000), k), all(2000), k));
    const vec half = rint(k * all(0.5)), rest = k - half;
    return x * power_of_two(half) * power_of_two(rest);
}
INLINE vec scale_down(vec x, vec k) {
    return scale(x, floor(k));
}
INLINE vec exponent_of(vec x) {
    const __m256i e = _mm256_srli_epi64(_mm256_castpd_si256(x), 52);
    return _mm256_castsi256_pd(_mm256_or_si256(e, _mm256_set1_epi64x(0x4330000000000000))) - all(0x1p52 + 1023);
}
INLINE vec mantissa(vec x, vec &exponent) {
    exponent = exponent_of(x);
    return bit_or(bit_and(x, _mm256_castsi256_pd(_mm256_set1_epi64x(0xfffffffffffff))), all(1));
}
INLINE vec to_32nds(vec x) {
    return _mm256_round_pd(x * all(32), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC) * all(1 / 32.0);
}
INLINE vec look_up(const double *table, vec x) {
    __m256i index = _mm256_srli_epi64(_mm256_castpd_si256(x), 48);
    index = _mm256_and_si256(index, _mm256_set1_epi64x(15));
    return _mm256_i64gather_pd(table, index, 8);
}
INLINE vec look_up_last(const double *table, vec x) {
    const __m256i index = _mm256_and_si256(_mm256_castpd_si256(x), _mm256_set1_epi64x(15));
    return _mm256_i64gather_pd(table, index, 8);
}
INLINE vec look_up_half_octave(const double *table, vec x) {
    __m256i index = _mm256_srli_epi64(_mm256_castpd_si256(x), 51);
    index = _mm256_and_si256(index, _mm256_set1_epi64x(15));
    return _mm256_i64gather_pd(table, index, 8);
}
INLINE vec firsts(vec a, vec b) {
    return _mm256_unpacklo_pd(a, b);
}
INLINE vec seconds(vec a, vec b) {
    return _mm256_unpackhi_pd(a, b);
}
INLINE vec in_order(vec x) {
    return _mm256_permute4x64_pd(x, 0xd8);
}
INLINE mask has_bit(vec k, int bit) {
    const __m256i n = _mm256_castpd_si256(k + all(0x1.8p52));
    return _mm256_castsi256_pd(_mm256_slli_epi64(n, 63 - bit));
}
#endif

INLINE vec sign_of(vec x) {
    return bit_and(x, all(-0.0));
}

/* A number in two parts, hi the sum rounded. */
struct two {
    vec hi, lo;
};
/* a + b where |a| >= |b|, or a is 0. */
INLINE two fast_sum(vec a, vec b) {
    const vec s = a + b;
    return {s, b - (s - a)};
}
INLINE two exact_sum(vec a, vec b) {
    const vec s = a + b, other = s - a;
    return {s, (a - (s - other)) + (b - other)};
}
INLINE two exact_product(vec a, vec b) {
    const vec p = a * b;
    return {p, fma(a, b, -p)};
}
/* a / b to a last place and a bit. */
INLINE two quotient(two a, two b) {
    const vec inverse = all(1) / b.hi, q = a.hi * inverse;
    return {q, (fnma(q, b.hi, a.hi) + fnma(q, b.lo, a.lo)) * inverse};
}

/* c[0] + c[1] x + ..., even and odd powers apart: two short chains instead of a long one. */
template <int N> INLINE vec polynomial(const double (&c)[N], vec x) {
    const vec square = x * x;
    vec last = all(c[N - 1]), other = all(c[N - 2]);
    for (int i = N - 3; i >= 0; i -= 2) last = fma(last, square, all(c[i]));
    for (int i = N - 4; i >= 0; i -= 2) other = fma(other, square, all(c[i]));
    return N % 2 ? fma(other, x, last) : fma(last, x, other);
}

} // namespace v
} // namespace

#endif
