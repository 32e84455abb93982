/*
 * vector_division.hpp: quotients of integers by one number, and products of bytes, in forms that g++ vectorises.
 * Included by vector_loops.hpp.
 */
#ifndef GNDI_VECTOR_DIVISION_HPP
#define GNDI_VECTOR_DIVISION_HPP

#include "elementwise/cpu/vector_elements.hpp"
#ifdef __AVX512F__
#    include <immintrin.h>
#endif

namespace {

using namespace gnd;

/* x / d of bytes, rounded down: 16 bits of 65536 / d are enough. Pairs stay in their 16 bits, so that vectors neither
   widen nor pack. */
template <class T> GNDI_FN void divide_bytes(const T *x, T *out, int64_t n, T by) {
    typedef uint16_t pair __attribute__((aligned(1), may_alias));
    const int sign = is_negative(by) ? -1 : 1, d = by * sign;
    const int above = is_signed_int<T> ? (128 + d - 1) / d : 0; /* no number is negative then */
    const uint16_t moved = (uint16_t)(above * d), over = (uint16_t)(65536 / d + 1);
    const auto quotient = [=](int a) {
        return (uint16_t)((((uint32_t)(uint16_t)(a * sign + moved) * over) >> 16) - (uint32_t)above);
    };
    if (d == 1) {
        for (int64_t i = 0; i < n; i++) out[i] = (T)(x[i] * sign);
        return;
    }
    const int64_t pairs = n / 2;
    const pair *two = (const pair *)x;
    pair *to = (pair *)out;
#pragma GCC ivdep
    for (int64_t i = 0; i < pairs; i++) {
        const uint16_t low = (uint16_t)(T)two[i];
        const uint16_t high = is_signed_int<T> ? (uint16_t)((int16_t)two[i] >> 8) : (uint16_t)(two[i] >> 8);
        to[i] = (uint16_t)((quotient(low) & 255) | quotient(high) << 8);
    }
    if (n % 2) out[n - 1] = (T)quotient(x[n - 1]);
}
#ifdef __AVX512F__
/* Whole vectors of divide_words' loop, and how many numbers they were: g++ takes the products of 32 bits apart. */
template <class T> GNDI_FN int64_t divide_vectors(const T *x, T *out, int64_t n, uint32_t over, int first, int second) {
    const __m512i factor = _mm512_set1_epi32((int)over), none = _mm512_setzero_si512();
    const __m128i one = _mm_cvtsi32_si128(first), other = _mm_cvtsi32_si128(second);
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i a = _mm512_loadu_si512(x + i), sign = is_signed_int<T> ? _mm512_srai_epi32(a, 31) : none;
        const __m512i from = _mm512_xor_si512(a, sign);
        const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(from, factor), 32);
        const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(from, 32), factor);
        const __m512i high = _mm512_mask_mov_epi32(even, 0xaaaa, odd);
        const __m512i half = _mm512_srl_epi32(_mm512_sub_epi32(from, high), one);
        const __m512i quotient = _mm512_srl_epi32(_mm512_add_epi32(high, half), other);
        _mm512_storeu_si512(out + i, _mm512_xor_si512(quotient, sign));
    }
    return i;
}
#endif
/* The same of 16 and 32 bits, d > 0: T. Granlund, P. L. Montgomery, "Division by Invariant Integers using
   Multiplication", PLDI 1994, figure 4.1. Negative numbers go as their complements. */
template <class T> GNDI_FN void divide_words(const T *x, T *out, int64_t n, T d) {
    typedef bits_t<T> U;
    typedef choose_t<sizeof(T) == 2, uint32_t, uint64_t> Wide;
    constexpr int width = sizeof(T) * 8;
    int bits = 0;
    while (((uint64_t)1 << bits) < (uint64_t)d) bits++;
    const U over = (U)(((((uint64_t)1 << bits) - (uint64_t)d) << width) / (uint64_t)d + 1);
    /* The mask tells g++ that the shift is less than the width: else it shifts lanes of 32 bits. */
    const int first = bits > 0, second = (bits > 0 ? bits - 1 : 0) & (width - 1);
    int64_t done = 0;
#ifdef __AVX512F__
    if constexpr (width == 32) done = divide_vectors(x, out, n, over, first, second);
#endif
#pragma GCC ivdep
    for (int64_t i = done; i < n; i++) {
        const U sign = is_signed_int<T> ? (U)(x[i] >> (width - 1)) : 0;
        const U from = (U)(x[i] ^ sign), high = (U)(((Wide)from * over) >> width);
        const U half = (U)((U)(from - high) >> first);
        out[i] = (T)((U)((U)(high + half) >> second) ^ sign);
    }
}
/* Divisors are often one number: quotients are products with its inverse then. */
template <class T> int floor_divide_often(char *const *operand, int64_t n, const double *params) {
    const bool known = params == gndi_cpu_repeated;
    const int64_t step = known ? n : BLOCK;
    for (int64_t i = 0; i < n; i += step) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < step ? n - i : step;
        const T d = y[0];
        const bool same = d != 0 && (known || are_same(y, m));
        char *part[] = {(char *)out, (char *)x, (char *)y};
        if constexpr (sizeof(T) == 1) {
            if (same)
                divide_bytes(x, out, m, d);
            else
                plain[GNDI_OP_floor_divide][dtype_of<T>](part, m, params);
        } else {
            if (same && d > 0)
                divide_words(x, out, m, d);
            else
                plain[GNDI_OP_floor_divide][dtype_of<T>](part, m, params);
        }
    }
    return 0;
}
/* Products of bytes, two in 16 bits, as above. */
template <class T> int multiply_bytes(char *const *operand, int64_t n, const double *params) {
    typedef uint16_t pair __attribute__((aligned(1), may_alias));
    const T *x = (const T *)operand[1], *y = (const T *)operand[2];
    const pair *two = (const pair *)x, *others = (const pair *)y;
    pair *to = (pair *)operand[0];
    const int64_t pairs = n / 2;
    if (params == gndi_cpu_repeated) {
        const uint16_t by = (uint8_t)y[0];
#pragma GCC ivdep
        for (int64_t i = 0; i < pairs; i++)
            to[i] = (uint16_t)(((uint16_t)(two[i] * by) & 255) | (uint16_t)((uint16_t)(two[i] & 0xff00) * by));
    } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < pairs; i++) {
            const uint32_t a = two[i], b = others[i]; /* not as int, which their product overflows */
            to[i] = (uint16_t)(((uint16_t)(a * b) & 255) | (uint16_t)((a & 0xff00) * (b >> 8)));
        }
    }
    if (n % 2) ((T *)operand[0])[n - 1] = (T)(x[n - 1] * y[n - 1]);
    return 0;
}

} // namespace

#endif
