/*
 * vector_loops.hpp: loops that take the place of dense_loops.hpp's: float64 functions on whole vectors
 * (vector_math.hpp), powers with exponents that repeat, divisions with a rest, float16 by way of float32. Included by
 * vector_loops.cpp.in once for each instruction set, and called when the other loops are in the table.
 */
#ifndef GNDI_VECTOR_LOOPS_HPP
#define GNDI_VECTOR_LOOPS_HPP

/* Two vectors at a time are computed side by side: their instructions are mixed before registers are given out, which
   g++ does not do by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
#include "elementwise/cpu/vector_elements.hpp"
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#    define GNDI_WITH_VECTORS
#    include "elementwise/cpu/vector_complex.hpp"
#    include "elementwise/cpu/vector_faddeeva.hpp"
#    include "elementwise/cpu/vector_math.hpp"
#    include "elementwise/cpu/vector_singles.hpp"
#    include "elementwise/cpu/vector_special.hpp"
#endif

namespace {

using namespace gnd;

#ifdef GNDI_WITH_VECTORS

/* ---- float64 functions ---------------------------------------------------------------------- */

template <class F, class = void> struct has_odd { static constexpr bool value = false; };
template <class F> struct has_odd<F, decltype((void)F::one(0.0))> { static constexpr bool value = true; };

template <class F> __attribute__((noinline)) v::vec mended(v::vec x, v::vec result, unsigned odd) {
    double from[v::W], to[v::W];
    v::store(from, x), v::store(to, result);
    for (; odd; odd &= odd - 1) to[__builtin_ctz(odd)] = F::one(from[__builtin_ctz(odd)]);
    return v::load(to);
}
template <class F> GNDI_FN v::vec apply(v::vec x) {
    const v::vec result = F::apply(x);
    if constexpr (has_odd<F>::value) {
        const unsigned odd = v::bits(F::odd(x));
        if (__builtin_expect(odd != 0, 0)) return mended<F>(x, result, odd);
    }
    return result;
}
template <class F, class T = double> int unary(char *const *operand, int64_t n, const double *) {
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1];
    const int64_t whole = n & ~(int64_t)(v::W - 1);
    int64_t begin = 0;
    for (; begin + 2 * v::W <= n; begin += 2 * v::W) {
        const v::vec a = v::load(x + begin), b = v::load(x + begin + v::W);
        v::vec f = F::apply(a), g = F::apply(b);
        if constexpr (has_odd<F>::value) {
            const unsigned odd = v::bits(F::odd(a)), other = v::bits(F::odd(b));
            if (__builtin_expect((odd | other) != 0, 0)) f = mended<F>(a, f, odd), g = mended<F>(b, g, other);
        }
        v::store(out + begin, f), v::store(out + begin + v::W, g);
    }
    for (int64_t i = begin; i < whole; i += v::W) v::store(out + i, apply<F>(v::load(x + i)));
    if (whole < n) {
        T part[v::W] = {};
        for (int64_t i = whole; i < n; i++) part[i - whole] = x[i];
        v::store(part, apply<F>(v::load(part)));
        for (int64_t i = whole; i < n; i++) out[i] = part[i - whole];
    }
    return 0;
}

template <class F> __attribute__((noinline)) v::vec mended(v::vec x, v::vec y, v::vec result, unsigned odd) {
    double a[v::W], b[v::W], to[v::W];
    v::store(a, x), v::store(b, y), v::store(to, result);
    for (; odd; odd &= odd - 1) {
        const int j = __builtin_ctz(odd);
        to[j] = F::one(a[j], b[j]);
    }
    return v::load(to);
}
template <class F> GNDI_FN v::vec apply(v::vec x, v::vec y) {
    v::mask mask;
    const v::vec result = F::apply(x, y, mask);
    const unsigned odd = v::bits(mask);
    return __builtin_expect(odd != 0, 0) ? mended<F>(x, y, result, odd) : result;
}
/* `Ahead`: for what reads a block twice, the first time faster than the hardware fetches; then the next one is fetched
   while this one is computed. */
template <class F, class T, bool Ahead = false> int binary(char *const *operand, int64_t n, const double *) {
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1], *y = (const T *)operand[2];
    const int64_t whole = n & ~(int64_t)(v::W - 1);
    int64_t begin = 0;
    for (; begin + 2 * v::W <= n; begin += 2 * v::W) {
        const v::vec a = v::load(x + begin), b = v::load(y + begin);
        const v::vec c = v::load(x + begin + v::W), d = v::load(y + begin + v::W);
        if constexpr (Ahead)
            for (int64_t i = begin + BLOCK; i < begin + BLOCK + 2 * v::W; i += 64 / (int64_t)sizeof(T))
                __builtin_prefetch(x + i), __builtin_prefetch(y + i), __builtin_prefetch(out + i, 1);
        v::mask first, second;
        v::vec f = F::apply(a, b, first), g = F::apply(c, d, second);
        const unsigned odd = v::bits(first), other = v::bits(second);
        if (__builtin_expect((odd | other) != 0, 0)) f = mended<F>(a, b, f, odd), g = mended<F>(c, d, g, other);
        v::store(out + begin, f), v::store(out + begin + v::W, g);
    }
    for (int64_t i = begin; i < whole; i += v::W) v::store(out + i, apply<F>(v::load(x + i), v::load(y + i)));
    if (whole < n) {
        T a[v::W], b[v::W];
        for (int i = 0; i < v::W; i++) a[i] = b[i] = 1;
        for (int64_t i = whole; i < n; i++) a[i - whole] = x[i], b[i - whole] = y[i];
        v::store(a, apply<F>(v::load(a), v::load(b)));
        for (int64_t i = whole; i < n; i++) out[i] = a[i - whole];
    }
    return 0;
}

struct sinc {
    static inline __attribute__((always_inline)) v::vec apply(v::vec x) {
        const v::vec angle = x * v::all(3.14159265358979323846);
        return v::choose(v::equal(x, v::all(0)), v::all(1), ::apply<v::sin>(angle) / angle);
    }
};
/* log(e^x + e^y), and of 2. */
template <bool Two> struct sum_of_powers {
    static inline __attribute__((always_inline)) v::vec apply(v::vec x, v::vec y, v::mask &odd) {
        const v::vec gap = x - y, larger = v::choose(v::less(v::all(0), gap), x, y), below = -v::abs(gap);
        odd = v::not_in(gap, v::all(-1e300), v::all(1e300));
        const v::vec part = Two ? v::exp2::apply(below) : v::exp::apply(below);
        const v::vec more = v::log1p::apply(part);
        return larger + (Two ? more * v::all(1.44269504088896340736) : more);
    }
    static double one(double x, double y) { return Two ? ops::logaddexp2(x, y) : ops::logaddexp(x, y); }
};

/* |z| of complex128. */
int magnitudes(char *const *operand, int64_t n, const double *) {
    double *out = (double *)operand[0];
    const double *z = (const double *)operand[1];
    for (int64_t i = 0; i < n; i += BLOCK) {
        double x[BLOCK], y[BLOCK];
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t j = 0; j < m; j++) x[j] = z[2 * (i + j)], y[j] = z[2 * (i + j) + 1];
        char *part[] = {(char *)(out + i), (char *)x, (char *)y};
        binary<v::hypot, double>(part, m, nullptr);
    }
    return 0;
}

/* The argument of complex128, in degrees if the parameter is not 0. */
int angles(char *const *operand, int64_t n, const double *params) {
    double *out = (double *)operand[0];
    const double *z = (const double *)operand[1];
    for (int64_t i = 0; i < n; i += BLOCK) {
        double x[BLOCK], y[BLOCK];
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t j = 0; j < m; j++) x[j] = z[2 * (i + j)], y[j] = z[2 * (i + j) + 1];
        char *part[] = {(char *)(out + i), (char *)y, (char *)x};
        binary<v::arctan2, double>(part, m, nullptr);
        if (params[0] != 0)
            for (int64_t j = 0; j < m; j++) out[i + j] *= 180 / 3.14159265358979323846;
    }
    return 0;
}
/* isclose of complex128, as ops::isclose_on. */
int close_complex(char *const *operand, int64_t n, const double *params) {
    uint8_t *out = (uint8_t *)operand[0];
    const double *a = (const double *)operand[1], *b = (const double *)operand[2];
    const bool nans = params[2] != 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        double x[BLOCK], y[BLOCK], u[BLOCK], w[BLOCK], distance[BLOCK], size[BLOCK];
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t j = 0; j < m; j++) {
            u[j] = b[2 * (i + j)], w[j] = b[2 * (i + j) + 1];
            x[j] = a[2 * (i + j)] - u[j], y[j] = a[2 * (i + j) + 1] - w[j];
        }
        char *first[] = {(char *)distance, (char *)x, (char *)y};
        char *second[] = {(char *)size, (char *)u, (char *)w};
        binary<v::hypot, double>(first, m, nullptr), binary<v::hypot, double>(second, m, nullptr);
        for (int64_t j = 0; j < m; j++) {
            const double re = a[2 * (i + j)], im = a[2 * (i + j) + 1];
            const double bound = params[1] + params[0] * size[j];
            const bool finite =
                (m::abs(u[j]) < limits<double>::infinity()) & (m::abs(w[j]) < limits<double>::infinity());
            const bool same = (re == u[j]) & (im == w[j]);
            const bool both = nans & ((re != re) | (im != im)) & ((u[j] != u[j]) | (w[j] != w[j]));
            out[i + j] = ((distance[j] <= bound) & finite) | same | both;
        }
    }
    return 0;
}

/* ---- division of floating numbers with a rest ----------------------------------------------- */

template <class T> struct rest {
    static inline __attribute__((always_inline)) v::vec apply(v::vec x, v::vec y, v::mask &odd) {
        return v::rest_of(x, y, odd);
    }
    static double one(double x, double y) { return ops::fmod((T)x, (T)y); }
};
template <class T> struct remainder {
    static inline __attribute__((always_inline)) v::vec apply(v::vec x, v::vec y, v::mask &odd) {
        return v::divided<T>(x, y, odd).lo;
    }
    static double one(double x, double y) { return ops::remainder((T)x, (T)y); }
};
template <class T> struct floor_divide {
    static inline __attribute__((always_inline)) v::vec apply(v::vec x, v::vec y, v::mask &odd) {
        return v::divided<T>(x, y, odd).hi;
    }
    static double one(double x, double y) { return ops::floor_divide((T)x, (T)y); }
};
template <class T> int divmod(char *const *operand, int64_t n, const double *params) {
    const T *x = (const T *)operand[2], *y = (const T *)operand[3];
    for (int64_t i = 0; i < n; i += BLOCK) {
        T quotient[BLOCK], left[BLOCK];
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char *first[] = {(char *)quotient, (char *)(x + i), (char *)(y + i)};
        char *second[] = {(char *)left, (char *)(x + i), (char *)(y + i)};
        binary<floor_divide<T>, T>(first, m, params), binary<remainder<T>, T>(second, m, params);
        memcpy((T *)operand[0] + i, quotient, (size_t)m * sizeof(T));
        memcpy((T *)operand[1] + i, left, (size_t)m * sizeof(T));
    }
    return 0;
}

/* ---- float16 as float32 --------------------------------------------------------------------- */

gndi_cpu_kernel single[GNDI_OP_COUNT];

void widen(const uint16_t *from, float *to, int64_t n) {
    int64_t i = 0;
#    ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
#    endif
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    for (; i < n; i++) to[i] = _cvtsh_ss(from[i]);
}
void narrow(const float *from, uint16_t *to, int64_t n) {
    int64_t i = 0;
#    ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#    endif
    for (; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
    for (; i < n; i++) to[i] = _cvtss_sh(from[i], 0);
}
template <int Op> int by_float32(char *const *operand, int64_t n, const double *params) {
    typedef op_traits<Op> row;
    constexpr int count = row::nout + row::nin, step = 4 * BLOCK; /* loops begin anew for each */
    for (int64_t i = 0; i < n; i += step) {
        const int64_t m = n - i < step ? n - i : step;
        float block[count][step];
        char *part[count];
        for (int k = 0; k < count; k++) {
            part[k] = (char *)block[k];
            if (k >= row::nout) widen((const uint16_t *)operand[k] + i, block[k], m);
        }
        single[Op](part, m, params);
        for (int k = 0; k < row::nout; k++) narrow(block[k], (uint16_t *)operand[k] + i, m);
    }
    return 0;
}
/* Whether all operands are T, and float16 computes what float32 does. */
template <int Op> constexpr bool is_by_float32(const char *signature, bool is_checked) {
    for (const char *c = signature; *c; c++)
        if (*c != 'T' && *c != '_') return false;
    typedef functor<Op, float16> F;
    return !F::on_bits && !op_traits<Op>::has_params && (!is_checked || Op == op_power) && Op != op_fma &&
           Op != op_nextafter && Op != op_spacing && Op != op_round && Op != op_nan_to_num;
}
template <int Op, bool Yes> void by_float32_if(op_rows table) {
    if constexpr (Yes) {
        single[Op] = table[Op][GND_FLOAT32];
        if (single[Op] && table[Op][GND_FLOAT16]) table[Op][GND_FLOAT16] = by_float32<Op>;
    }
}
#    ifdef GNDI_WITH_SINGLES
/* A function of vector_singles.hpp, and what float16 takes for it. */
template <class F, class Half = F> void fill_singles(op_rows table, gndi_op op) {
    table[op][GND_FLOAT32] = singles::unary<F, float>;
    table[op][GND_FLOAT16] = singles::unary<Half, uint16_t>;
}
#    endif

void fill_vectors(op_rows table) {
    static const struct {
        gndi_op op;
        gndi_cpu_kernel loop;
    } loops[] = {
        {GNDI_OP_exp, unary<v::exp>},
        {GNDI_OP_exp2, unary<v::exp2>},
        {GNDI_OP_expm1, unary<v::expm1>},
        {GNDI_OP_log, unary<v::log>},
        {GNDI_OP_log2, unary<v::log2>},
        {GNDI_OP_log10, unary<v::log10>},
        {GNDI_OP_log1p, unary<v::log1p>},
        {GNDI_OP_sin, unary<v::sin>},
        {GNDI_OP_cos, unary<v::cos>},
        {GNDI_OP_tan, unary<v::tan>},
        {GNDI_OP_arcsin, unary<v::arcsin>},
        {GNDI_OP_arccos, unary<v::arccos>},
        {GNDI_OP_arctan, unary<v::arctan>},
        {GNDI_OP_sinh, unary<v::sinh>},
        {GNDI_OP_cosh, unary<v::cosh>},
        {GNDI_OP_tanh, unary<v::tanh>},
        {GNDI_OP_arccosh, unary<v::arccosh>},
        {GNDI_OP_sinc, unary<sinc>},
        {GNDI_OP_gamma, unary<v::gamma>},
        {GNDI_OP_i0, unary<v::i0>},
        {GNDI_OP_lgamma, unary<v::lgamma>},
        {GNDI_OP_erfc, unary<v::erfc>},
        {GNDI_OP_arctan2, binary<v::arctan2, double>},
        {GNDI_OP_hypot, binary<v::hypot, double>},
        {GNDI_OP_logaddexp, binary<sum_of_powers<false>, double>},
        {GNDI_OP_logaddexp2, binary<sum_of_powers<true>, double>},
        {GNDI_OP_fmod, binary<rest<double>, double>},
        {GNDI_OP_remainder, binary<remainder<double>, double>},
        {GNDI_OP_floor_divide, binary<floor_divide<double>, double>},
        {GNDI_OP_divmod, divmod<double>},
    };
    for (auto &l : loops) table[l.op][GND_FLOAT64] = l.loop;
    table[GNDI_OP_absolute][GND_COMPLEX128] = magnitudes;
    table[GNDI_OP_angle][GND_COMPLEX128] = angles;
    table[GNDI_OP_isclose][GND_COMPLEX128] = close_complex;
    table[GNDI_OP_gamma][GND_FLOAT32] = unary<v::gamma, float>;
    table[GNDI_OP_i0][GND_FLOAT32] = unary<v::i0, float>;
    table[GNDI_OP_lgamma][GND_FLOAT32] = unary<v::lgamma, float>;
    table[GNDI_OP_erfc][GND_FLOAT32] = unary<v::erfc, float>;
    table[GNDI_OP_fmod][GND_FLOAT32] = binary<rest<float>, float>;
    table[GNDI_OP_remainder][GND_FLOAT32] = binary<remainder<float>, float>;
    table[GNDI_OP_floor_divide][GND_FLOAT32] = binary<floor_divide<float>, float>;
    table[GNDI_OP_divmod][GND_FLOAT32] = divmod<float>;
}
/* Functions of complex numbers. */
template <class R> void fill_complex(op_rows table, gnd_dtype dtype) {
    static const struct {
        gndi_op op;
        gndi_cpu_kernel loop;
    } loops[] = {
        {GNDI_OP_sqrt, v::complex_unary<v::complex_sqrt<R>, R>},
        {GNDI_OP_rsqrt, v::complex_unary<v::complex_rsqrt<R>, R>},
        {GNDI_OP_exp, v::complex_unary<v::complex_exp<R>, R>},
        {GNDI_OP_exp2, v::complex_unary<v::complex_exp2<R>, R>},
        {GNDI_OP_log, v::complex_unary<v::complex_log<R>, R>},
        {GNDI_OP_log2, v::complex_unary<v::complex_log2<R>, R>},
        {GNDI_OP_log10, v::complex_unary<v::complex_log10<R>, R>},
        {GNDI_OP_sin, v::complex_unary<v::complex_sin<R>, R>},
        {GNDI_OP_cos, v::complex_unary<v::complex_cos<R>, R>},
        {GNDI_OP_tan, v::complex_unary<v::complex_tan<R>, R>},
        {GNDI_OP_sinh, v::complex_unary<v::complex_sinh<R>, R>},
        {GNDI_OP_cosh, v::complex_unary<v::complex_cosh<R>, R>},
        {GNDI_OP_tanh, v::complex_unary<v::complex_tanh<R>, R>},
        {GNDI_OP_arcsin, v::complex_unary<v::complex_arcsin<R>, R>},
        {GNDI_OP_arccos, v::complex_unary<v::complex_arccos<R>, R>},
        {GNDI_OP_arctan, v::complex_unary<v::complex_arctan<R>, R>},
        {GNDI_OP_arcsinh, v::complex_unary<v::complex_arcsinh<R>, R>},
        {GNDI_OP_arccosh, v::complex_unary<v::complex_arccosh<R>, R>},
        {GNDI_OP_arctanh, v::complex_unary<v::complex_arctanh<R>, R>},
        {GNDI_OP_erf, v::complex_unary<v::complex_erf<false, R>, R>},
        {GNDI_OP_erfc, v::complex_unary<v::complex_erf<true, R>, R>},
    };
    for (auto &l : loops) table[l.op][dtype] = l.loop;
}
#endif

/* ---- powers --------------------------------------------------------------------------------- */

/* Powers of a block. float32 calls libm's vector function, in whole vectors. */
template <class T> GNDI_FN void power_block(const T *x, const T *y, T *out, int64_t n) {
    [[maybe_unused]] char *const operand[] = {(char *)out, (char *)x, (char *)y};
#ifdef GNDI_WITH_VECTORS
    if constexpr (is_same<T, double>) {
        binary<v::power, double, true>(operand, n, nullptr);
        return;
    }
#endif
#ifdef GNDI_WITH_SINGLES
    if constexpr (is_same<T, float>) {
        singles::binary<singles::power>(operand, n, nullptr);
        return;
    }
#endif
    if constexpr (is_same<T, float>) {
        float a[BLOCK], b[BLOCK];
        const int64_t whole = (n + 31) & ~(int64_t)31;
        memcpy(a, x, (size_t)n * sizeof *a), memcpy(b, y, (size_t)n * sizeof *b);
        for (int64_t i = n; i < whole; i++) a[i] = b[i] = 1;
#pragma GCC ivdep
        for (int64_t i = 0; i < whole; i++) a[i] = m::pow(a[i], b[i]);
        memcpy(out, a, (size_t)n * sizeof *a);
    } else {
        for (int64_t i = 0; i < n; i++) out[i] = m::pow(x[i], y[i]);
    }
}
template <class T> GNDI_FN void power_by(const T *x, T e, T *out, int64_t n) {
    if (e == 2)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = x[i] * x[i];
    else if (e == 1)
        memmove(out, x, (size_t)n * sizeof *x);
    else if (e == -1)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = 1 / x[i];
    else if (e == 3)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = ops::cube(x[i]);
    else
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = ops::root(x[i]);
}
/* Powers of which a few have simple exponents: those one by one. */
template <class T> GNDI_FN void power_some(const T *x, const T *y, const T *general, T *out, int64_t n) {
    uint8_t simple[BLOCK];
    int count = 0;
    for (int64_t j = 0; j < n; j++) simple[j] = ops::is_simple_exponent(y[j]);
    for (int64_t j = 0; j < n; j++) count += simple[j];
    if (count > n / 8) {
        for (int64_t j = 0; j < n; j++) out[j] = ops::power_or(x[j], y[j], general[j]);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        out[j] = __builtin_expect(simple[j], 0) ? ops::power_or(x[j], y[j], x[j]) : general[j];
}
/* Whether x to the power y is x, without computing it. */
template <class T> GNDI_FN bool is_settled(T x, T y) {
    return (x == 1) | ((x == limits<T>::infinity()) & (y > 0));
}
/* Whether most powers are so: a few of them tell whether to count. */
template <class T> GNDI_FN bool are_settled(const T *x, const T *y, int64_t n) {
    int some = 0, all = 0;
    for (int64_t j = 0; j < n; j += 31) some += is_settled(x[j], y[j]);
    if (some == 0) return false;
    for (int64_t j = 0; j < n; j++) all += is_settled(x[j], y[j]);
    return all > n / 2;
}
/* Where those are many: the others are brought together. */
template <class T> GNDI_FN void power_of_others(const T *x, const T *y, T *out, int64_t n) {
    T a[BLOCK], b[BLOCK], general[BLOCK];
    int index[BLOCK], count = 0;
    for (int64_t j = 0; j < n; j++) {
        if (is_settled(x[j], y[j]))
            out[j] = x[j];
        else
            a[count] = x[j], b[count] = y[j], index[count++] = (int)j;
    }
    power_block(a, b, general, count);
    power_some(a, b, general, general, count);
    for (int k = 0; k < count; k++) out[index[k]] = general[k];
}
template <class T> int power_real(char *const *operand, int64_t n, const double *) {
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const T first = y[0];
        bits_t<T> fraction = 0, low = ~(bits_t<T>)0;
        for (int64_t j = 0; j < m; j++) { /* simple exponents have a bit of a fraction at most */
            bits_t<T> bits;
            memcpy(&bits, y + j, sizeof bits);
            bits &= ((bits_t<T>)1 << (limits<T>::digits - 2)) - 1;
            low = bits < low ? bits : low, fraction |= bits;
        }
        int other = fraction != 0, simple = 0;
        if (low == 0)
            for (int64_t j = 0; j < m; j++) other |= y[j] != first, simple |= ops::is_simple_exponent(y[j]);
        if (other && are_settled(x, y, m)) { /* as where powers are raised again */
            power_of_others(x, y, out, m);
        } else if (!simple) {
            power_block(x, y, out, m);
        } else if (!other) {
            power_by(x, first, out, m);
        } else {
            T general[BLOCK];
            power_block(x, y, general, m);
            power_some(x, y, general, out, m);
        }
    }
    return 0;
}

/* Complex powers of a block. */
template <class R> GNDI_FN void power_complex_block(char *const *operand, int64_t n, const double *params) {
#ifdef GNDI_WITH_VECTORS
    v::complex_binary<v::complex_power<R>, R>(operand, n, params);
#else
    plain[GNDI_OP_power][dtype_of<complex<R>>](operand, n, params);
#endif
}
/* Where all exponents of a block are 1, 2 or 3, complex powers are copies or products. */
template <class R> int power_complex(char *const *operand, int64_t n, const double *params) {
    typedef complex<R> T;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const T e = y[0];
        int other = (e.im != 0) | ((e.re != 1) & (e.re != 2) & (e.re != 3));
        for (int64_t j = 0; j < m; j++) other |= (y[j].re != e.re) | (y[j].im != 0);
        if (other) {
            char *part[] = {(char *)out, (char *)x, (char *)y};
            power_complex_block<R>(part, m, params);
            continue;
        }
        /* Real and imaginary parts apart: of complex products g++ 12 makes fused ones, -ffp-contract=off or not. */
        R re[BLOCK], im[BLOCK];
        for (int64_t j = 0; j < m; j++) re[j] = x[j].re, im[j] = x[j].im;
        for (int64_t j = 0; j < m; j++) {
            const R a = re[j], b = im[j], a2 = a * a - b * b, b2 = a * b + b * a;
            const R real = e.re == 1 ? a : e.re == 2 ? a2 : a * a2 - b * b2;
            const R imaginary = e.re == 1 ? b : e.re == 2 ? b2 : a * b2 + b * a2;
            const bool nothing = (a == 0) & (b == 0);
            re[j] = nothing ? 0 : real, im[j] = nothing ? 0 : imaginary;
        }
        for (int64_t j = 0; j < m; j++) out[j] = {re[j], im[j]};
    }
    return 0;
}

/* Whether all of some exponents are 2; the first one tells it mostly. */
template <class T> GNDI_FN bool are_squares(const T *y, int64_t n) {
    bits_t<T> others = (bits_t<T>)y[0] ^ 2;
    if (!others)
        for (int64_t j = 1; j < n; j++) others |= (bits_t<T>)y[j] ^ 2;
    return !others;
}

/* By squaring, a bit of all exponents of a block at a time. */
template <class T> int power_integers(char *const *operand, int64_t n, const double *) {
    typedef wrap_t<T> wide;
    int fault = 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (are_squares(y, m)) {
            for (int64_t j = 0; j < m; j++) out[j] = (T)((wide)x[j] * (wide)x[j]);
            continue;
        }
        bits_t<T> left[BLOCK], any = 0;
        wide result[BLOCK], base[BLOCK];
        int below = 0;
        for (int64_t j = 0; j < m; j++) {
            below |= ops::power_faults(x[j], y[j]);
            left[j] = is_negative(y[j]) ? 0 : (bits_t<T>)y[j];
            any |= left[j];
            result[j] = 1, base[j] = (wide)x[j];
        }
        for (; any; any >>= 1) {
            for (int64_t j = 0; j < m; j++) {
                result[j] *= left[j] & 1 ? base[j] : 1;
                left[j] >>= 1;
            }
            if (any > 1)
                for (int64_t j = 0; j < m; j++) base[j] *= base[j];
        }
        for (int64_t j = 0; j < m; j++) out[j] = (T)result[j];
        fault |= below;
    }
    return fault;
}

template <int Dtype> void fill_integers(op_rows table) {
    if constexpr (Dtype <= GND_UINT64) {
        typedef storage_of<Dtype> T;
        table[GNDI_OP_power][Dtype] = power_integers<T>;
        table[GNDI_OP_bitwise_count][Dtype] = count_bits<T>;
        table[GNDI_OP_reciprocal][Dtype] = reciprocal_integers<T>;
        table[GNDI_OP_clip][Dtype] = clip_often<T>;
        if (table[GNDI_OP_round][Dtype]) table[GNDI_OP_round][Dtype] = round_integers<T>;
#ifdef __AVX2__
        table[GNDI_OP_gcd][Dtype] = divisors<false, T>;
        table[GNDI_OP_lcm][Dtype] = divisors<true, T>;
#endif
        if constexpr (sizeof(T) < 8) table[GNDI_OP_floor_divide][Dtype] = floor_divide_often<T>;
        fill_integers<Dtype + 1>(table);
    }
}

void fill(op_rows table) {
    memcpy(plain, table, sizeof plain);
    fill_integers<GND_INT8>(table);
    fill_floats<float>(table, GND_FLOAT32, GND_COMPLEX64);
    fill_floats<double>(table, GND_FLOAT64, GND_COMPLEX128);
#ifdef __AVX512DQ__ /* which converts 64-bit integers */
    table[GNDI_OP_floor_divide][GND_INT64] = divide_long<FLOOR, int64_t>;
    table[GNDI_OP_remainder][GND_INT64] = divide_long<REMAINDER, int64_t>;
    table[GNDI_OP_fmod][GND_INT64] = divide_long<FMOD, int64_t>;
    table[GNDI_OP_divmod][GND_INT64] = divide_long<DIVMOD, int64_t>;
    table[GNDI_OP_floor_divide][GND_UINT64] = divide_long<FLOOR, uint64_t>;
    table[GNDI_OP_remainder][GND_UINT64] = divide_long<REMAINDER, uint64_t>;
    table[GNDI_OP_fmod][GND_UINT64] = divide_long<FMOD, uint64_t>;
    table[GNDI_OP_divmod][GND_UINT64] = divide_long<DIVMOD, uint64_t>;
#endif
    table[GNDI_OP_power][GND_FLOAT32] = power_real<float>;
    table[GNDI_OP_power][GND_FLOAT64] = table[GNDI_OP_float_power][GND_FLOAT64] = power_real<double>;
    table[GNDI_OP_power][GND_COMPLEX64] = power_complex<float>;
    table[GNDI_OP_power][GND_COMPLEX128] = table[GNDI_OP_float_power][GND_COMPLEX128] = power_complex<double>;
#ifdef GNDI_WITH_VECTORS
    fill_vectors(table);
    fill_complex<float>(table, GND_COMPLEX64), fill_complex<double>(table, GND_COMPLEX128);
#    define OP(family, name, signature, loops, identity, flags)                                                        \
        by_float32_if<op_##name, is_by_float32<op_##name>(#signature, op_traits<op_##name>::checked)>(table);
#    include "kernels/ops/ops.def"
#    undef OP
#endif
#ifdef GNDI_WITH_SINGLES
    fill_singles<singles::exp>(table, GNDI_OP_exp);
    fill_singles<singles::exp2>(table, GNDI_OP_exp2);
    fill_singles<singles::log_of<v::natural>, singles::half_log<v::natural>>(table, GNDI_OP_log);
    fill_singles<singles::log_of<v::binary>, singles::half_log<v::binary>>(table, GNDI_OP_log2);
    fill_singles<singles::log_of<v::decimal>, singles::half_log<v::decimal>>(table, GNDI_OP_log10);
    fill_singles<singles::sinh, singles::half_hyperbolic<false>>(table, GNDI_OP_sinh);
    fill_singles<singles::tanh>(table, GNDI_OP_tanh);
    fill_singles<singles::log1p>(table, GNDI_OP_log1p);
    fill_singles<singles::arccosh>(table, GNDI_OP_arccosh);
    fill_singles<singles::circular<0>>(table, GNDI_OP_sin);
    fill_singles<singles::circular<1>>(table, GNDI_OP_cos);
    table[GNDI_OP_cosh][GND_FLOAT16] = singles::unary<singles::half_hyperbolic<true>, uint16_t>;
    table[GNDI_OP_arcsin][GND_FLOAT16] = singles::unary<singles::half_arc<false>, uint16_t>;
    table[GNDI_OP_arccos][GND_FLOAT16] = singles::unary<singles::half_arc<true>, uint16_t>;
#endif
}

} // namespace

#endif
