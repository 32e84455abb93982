/*
 * vector_elements.hpp: loops of light operators in forms that g++ vectorises, where those of dense_loops.hpp, made of
 * one element's function, do not become vectors: integers, rounding, extrema of complex numbers.
 */
#ifndef GNDI_VECTOR_ELEMENTS_HPP
#define GNDI_VECTOR_ELEMENTS_HPP

#include "elementwise/cpu/cpu_kernels.h"
#include "elementwise/cpu/repeated.h"
#include "kernels/scalar/scalar_ops.h"

namespace {

using namespace gnd;

typedef gndi_cpu_kernel (*op_rows)[GND_DTYPE_COUNT];

/* The loops of dense_loops.hpp, for what is left to them. */
gndi_cpu_kernel plain[GNDI_OP_COUNT][GND_DTYPE_COUNT];

constexpr int BLOCK = 256;

/* Whether n numbers are the same to the bit. */
template <class T> GNDI_FN bool are_same(const T *x, int64_t n) {
    bits_t<T> first, other = 0;
    memcpy(&first, x, sizeof first);
    for (int64_t i = 0; i < n; i++) {
        bits_t<T> bits;
        memcpy(&bits, x + i, sizeof bits);
        other = (bits_t<T>)(other | (bits ^ first));
    }
    return other == 0;
}

/* ---- 64-bit integers that a double holds ---------------------------------------------------- */

enum division { FLOOR, REMAINDER, FMOD, DIVMOD };

/* Vectors have no division of integers; that of doubles gives the right quotient up to 2^53. */
template <int Which, class T> int divide_long(char *const *operand, int64_t n, const double *params) {
    constexpr gndi_op op[] = {GNDI_OP_floor_divide, GNDI_OP_remainder, GNDI_OP_fmod, GNDI_OP_divmod};
    constexpr int first = Which == DIVMOD ? 2 : 1;
    const uint64_t least = is_signed_int<T> ? (uint64_t)1 << 52 : 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i, *other = (T *)operand[first - 1] + i;
        const T *x = (const T *)operand[first] + i, *y = (const T *)operand[first + 1] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        uint64_t large = 0;
        for (int64_t j = 0; j < m; j++)
            large |= (((uint64_t)x[j] + least) | ((uint64_t)y[j] + least)) >> 53 | (uint64_t)(y[j] == 0);
        if (large) {
            char *part[4] = {(char *)out, (char *)other};
            part[first] = (char *)x, part[first + 1] = (char *)y;
            plain[op[Which]][dtype_of<T>](part, m, params);
            continue;
        }
#pragma GCC ivdep
        for (int64_t j = 0; j < m; j++) {
            const int64_t a = (int64_t)x[j], b = (int64_t)y[j], q = (int64_t)((double)a / (double)b);
            const int64_t rest = a - q * b;
            const bool below = is_signed_int<T> && (rest != 0) & ((rest ^ b) < 0);
            const T quotient = (T)(q - below), remainder = (T)(rest + (below ? b : 0));
            out[j] = Which == FMOD ? (T)rest : Which == REMAINDER ? remainder : quotient;
            if constexpr (Which == DIVMOD) other[j] = remainder;
        }
    }
    return 0;
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* The bits of |x|: pairs, nibbles and bytes are added up side by side. */
template <class T> int count_bits(char *const *operand, int64_t n, const double *) {
    typedef bits_t<T> U;
    uint8_t *out = (uint8_t *)operand[0];
    const T *x = (const T *)operand[1];
    const U ones = (U)0x5555555555555555u, twos = (U)0x3333333333333333u, fours = (U)0x0f0f0f0f0f0f0f0fu;
    for (int64_t i = 0; i < n; i++) {
        U a = (U)ops::absolute(x[i]);
        a = (U)(a - ((a >> 1) & ones));
        a = (U)((a & twos) + ((a >> 2) & twos));
        a = (U)((a + (a >> 4)) & fours);
        if constexpr (sizeof(T) >= 2) a = (U)(a + (a >> 8));
        if constexpr (sizeof(T) >= 4) a = (U)(a + (a >> 16));
        if constexpr (sizeof(T) >= 8) a = (U)(a + (a >> 32));
        out[i] = (uint8_t)(a & 127);
    }
    return 0;
}

/* Whether decimals that are asked for change an integer. */
template <class T> int round_integers(char *const *operand, int64_t n, const double *params) {
    if (params[0] < 0) return plain[GNDI_OP_round][dtype_of<T>](operand, n, params);
    memmove(operand[0], operand[1], (size_t)n * sizeof(T));
    return 0;
}

template <class T> int reciprocal_integers(char *const *operand, int64_t n, const double *) {
    typedef bits_t<T> U;
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1];
    const U of_nothing = is_signed_int<T> && sizeof(T) >= 4 ? (U)1 << (sizeof(T) * 8 - 1) : 0;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const U a = (U)x[i], one = is_signed_int<T> ? (U)(a + 1) <= 2 : a == 1;
        out[i] = (T)(a == 0 ? of_nothing : one ? a : (U)0);
    }
    return 0;
}

/* ---- floating numbers ----------------------------------------------------------------------- */

/* As ops::round_real, with one of its two scales. */
template <class T> int round_floats(const T *x, T *out, int64_t n, const double *params) {
    const int decimals = (int)params[0], size = decimals < 0 ? -decimals : decimals;
    const T scale = (T)(size <= 22 ? ops::powers_of_ten[size] : m::pow(10.0, (double)size));
    if (decimals > 0)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = m::rint(x[i] * scale) / scale;
    else if (decimals < 0)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = m::rint(x[i] / scale) * scale;
    else
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = m::rint(x[i]);
    return 0;
}
/* `Parts`: 2 for complex numbers. */
template <class T, int Parts> int round_parts(char *const *operand, int64_t n, const double *params) {
    return round_floats((const T *)operand[1], (T *)operand[0], Parts * n, params);
}

/* The distance to the next larger magnitude, with the number's sign; as ops::spacing. */
template <class T> int spacings(char *const *operand, int64_t n, const double *) {
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const T a = m::abs(x[i]), gap = from_bits((bits_t<T>)(to_bits(a) + 1)) - a;
        const T signed_gap = x[i] < 0 ? -gap : gap;
        out[i] = a < limits<T>::infinity() ? signed_gap : limits<T>::nan();
    }
    return 0;
}

/* Whether a bound is neither NaN nor -0. */
template <class T> GNDI_FN bool is_usual_bound(T x) {
    if constexpr (is_float<T>)
        return x < 0 || x > 0 || (x == 0 && !m::signbit(x));
    else
        return true;
}
/* clip to two numbers: an instruction each. Of equal zeros a bound wins, as in ops::clip: x + 0 makes -0 to 0, where
   x - 0 changes nothing. */
template <class T> int clip_often(char *const *operand, int64_t n, const double *params) {
    const T low = *(const T *)operand[2], high = *(const T *)operand[3];
    if (params != gndi_cpu_repeated || !is_usual_bound(low) || !is_usual_bound(high))
        return plain[GNDI_OP_clip][dtype_of<T>](operand, n, params);
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1];
    const T nothing = is_float<T> && low != 0 && high != 0 ? (T)-0.0 : (T)0;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const T raised = low > x[i] ? low : x[i];
        out[i] = (T)((high < raised ? high : raised) + nothing);
    }
    return 0;
}

/* Extrema of complex numbers, as in scalar_rounding.h. */
template <int Op, class R> int complex_extrema(char *const *operand, int64_t n, const double *) {
    constexpr bool largest = Op == op_maximum || Op == op_fmax;
    constexpr bool keeps_nan = Op == op_maximum || Op == op_minimum;
    for (int64_t i = 0; i < n; i += BLOCK) {
        R *out = (R *)operand[0] + 2 * i;
        const R *x = (const R *)operand[1] + 2 * i, *y = (const R *)operand[2] + 2 * i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        R a[BLOCK], b[BLOCK], c[BLOCK], d[BLOCK];
        for (int64_t j = 0; j < m; j++) a[j] = x[2 * j], b[j] = x[2 * j + 1], c[j] = y[2 * j], d[j] = y[2 * j + 1];
        for (int64_t j = 0; j < m; j++) {
            const bool ordered = (b[j] == b[j]) & (d[j] == d[j]);
            const bool further = largest ? c[j] < a[j] : a[j] < c[j];
            const bool even = (a[j] == c[j]) & (largest ? d[j] <= b[j] : b[j] <= d[j]);
            const bool nan = keeps_nan ? (a[j] != a[j]) | (b[j] != b[j]) : (c[j] != c[j]) | (d[j] != d[j]);
            const bool first = (further & ordered) | even | nan;
            a[j] = first ? a[j] : c[j], b[j] = first ? b[j] : d[j];
        }
        for (int64_t j = 0; j < m; j++) out[2 * j] = a[j], out[2 * j + 1] = b[j];
    }
    return 0;
}

/* Quotients of complex numbers, to the bit those of scalar_arith.h. What is divided is chosen first, in a loop of its
   own: else g++ computes both cases of Smith's method, with twice the divisions. Parts are apart, since of complex
   products g++ 12 makes fused ones. */
template <class R> int complex_quotients(char *const *operand, int64_t n, const double *) {
    for (int64_t i = 0; i < n; i += BLOCK) {
        R *out = (R *)operand[0] + 2 * i;
        const R *x = (const R *)operand[1] + 2 * i, *y = (const R *)operand[2] + 2 * i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        R first[BLOCK], second[BLOCK], high[BLOCK], low[BLOCK], real[BLOCK];
        for (int64_t j = 0; j < m; j++)
            first[j] = x[2 * j], second[j] = x[2 * j + 1], high[j] = y[2 * j], low[j] = y[2 * j + 1];
        for (int64_t j = 0; j < m; j++) {
            const R a = first[j], b = second[j], c = high[j], d = low[j];
            const bool is_real = m::abs(c) >= m::abs(d); /* the larger part of the divisor */
            high[j] = is_real ? c : d, low[j] = is_real ? d : c;
            first[j] = is_real ? a : b, second[j] = is_real ? b : a;
            real[j] = is_real ? (R)1 : (R)0;
        }
        for (int64_t j = 0; j < m; j++) {
            const R ratio = low[j] / high[j], scale = (R)1 / (high[j] + low[j] * ratio);
            const R re = first[j] + second[j] * ratio, turned = first[j] * ratio;
            const R im = real[j] != 0 ? second[j] - turned : turned - second[j];
            const bool zero = (real[j] != 0) & (high[j] == 0); /* x / 0 is x times infinity */
            first[j] = (zero ? first[j] : re) * (zero ? limits<R>::infinity() : scale);
            second[j] = (zero ? second[j] : im) * (zero ? limits<R>::infinity() : scale);
        }
        for (int64_t j = 0; j < m; j++) out[2 * j] = first[j], out[2 * j + 1] = second[j];
    }
    return 0;
}
/* As in scalar_elementary.h. */
template <class R> int complex_reciprocals(char *const *operand, int64_t n, const double *) {
    for (int64_t i = 0; i < n; i += BLOCK) {
        R *out = (R *)operand[0] + 2 * i;
        const R *x = (const R *)operand[1] + 2 * i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        R high[BLOCK], low[BLOCK], real[BLOCK];
        for (int64_t j = 0; j < m; j++) high[j] = x[2 * j], low[j] = x[2 * j + 1];
        for (int64_t j = 0; j < m; j++) {
            const R c = high[j], d = low[j];
            const bool is_real = m::abs(d) <= m::abs(c);
            high[j] = is_real ? c : d, low[j] = is_real ? d : c;
            real[j] = is_real ? (R)1 : (R)0;
        }
        R first[BLOCK], second[BLOCK];
        for (int64_t j = 0; j < m; j++) {
            const R ratio = low[j] / high[j];
            high[j] = high[j] + low[j] * ratio;
            first[j] = real[j] != 0 ? (R)1 : ratio, second[j] = real[j] != 0 ? -ratio : (R)-1;
        }
        for (int64_t j = 0; j < m; j++) out[2 * j] = first[j] / high[j], out[2 * j + 1] = second[j] / high[j];
    }
    return 0;
}

template <class T> void fill_floats(op_rows table, gnd_dtype real, gnd_dtype complex) {
    table[GNDI_OP_round][real] = round_parts<T, 1>;
    table[GNDI_OP_round][complex] = round_parts<T, 2>;
    table[GNDI_OP_spacing][real] = spacings<T>;
    table[GNDI_OP_clip][real] = clip_often<T>;
    table[GNDI_OP_divide][complex] = complex_quotients<T>;
    table[GNDI_OP_reciprocal][complex] = complex_reciprocals<T>;
    table[GNDI_OP_maximum][complex] = complex_extrema<op_maximum, T>;
    table[GNDI_OP_minimum][complex] = complex_extrema<op_minimum, T>;
    table[GNDI_OP_fmax][complex] = complex_extrema<op_fmax, T>;
    table[GNDI_OP_fmin][complex] = complex_extrema<op_fmin, T>;
}

} // namespace

#endif
