/*
 * vector_functions.hpp: loops of float64 functions on whole vectors (vector_math.hpp), some of which serve float32 too,
 * and of complex functions (vector_complex.hpp). Included by vector_loops.hpp.
 */
#ifndef GNDI_VECTOR_FUNCTIONS_HPP
#define GNDI_VECTOR_FUNCTIONS_HPP

namespace {

using namespace gnd;

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

/* f(x, y, out, m) for blocks of m complex128 numbers x + iy. */
template <class F> GNDI_FN int by_parts(char *const *operand, int64_t n, F f) {
    double *out = (double *)operand[0];
    const double *z = (const double *)operand[1];
    for (int64_t i = 0; i < n; i += BLOCK) {
        double x[BLOCK], y[BLOCK];
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t j = 0; j < m; j++) x[j] = z[2 * (i + j)], y[j] = z[2 * (i + j) + 1];
        f(x, y, out + i, m);
    }
    return 0;
}
/* |z| of complex128. */
int magnitudes(char *const *operand, int64_t n, const double *) {
    double *out = (double *)operand[0];
    const double *z = (const double *)operand[1];
    int64_t i = 0;
    for (; i + 2 * v::W <= n; i += 2 * v::W) {
        const v::parts a = v::load_parts(z + 2 * i), b = v::load_parts(z + 2 * (i + v::W));
        v::mask first, second;
        v::vec f = v::hypot::apply(a.re, a.im, first), g = v::hypot::apply(b.re, b.im, second);
        const unsigned odd = v::bits(first), other = v::bits(second);
        if (__builtin_expect((odd | other) != 0, 0))
            f = mended<v::hypot>(a.re, a.im, f, odd), g = mended<v::hypot>(b.re, b.im, g, other);
        v::store(out + i, v::in_order(f)), v::store(out + i + v::W, v::in_order(g));
    }
    char *part[] = {(char *)(out + i), (char *)(z + 2 * i)};
    return by_parts(part, n - i, [](double *x, double *y, double *to, int64_t m) {
        char *rest[] = {(char *)to, (char *)x, (char *)y};
        binary<v::hypot, double>(rest, m, nullptr);
    });
}
/* The argument of complex128, in degrees if the parameter is not 0. */
int angles(char *const *operand, int64_t n, const double *params) {
    const bool degrees = params[0] != 0;
    return by_parts(operand, n, [degrees](double *x, double *y, double *out, int64_t m) {
        char *part[] = {(char *)out, (char *)y, (char *)x};
        binary<v::arctan2, double>(part, m, nullptr);
        for (int64_t j = 0; degrees && j < m; j++) out[j] *= 180 / 3.14159265358979323846;
    });
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

/* ---- the table ------------------------------------------------------------------------------ */

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
        {GNDI_OP_erf, unary<v::erf>},
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
#ifdef GNDI_WITH_SINGLES
/* One vector: fractions from 1/2 to 1 and exponents of 2; of 0, infinity and NaN the number itself and 0. */
#    define VECTOR_FREXP(T, vec, mask, letter, store)                                                                  \
        GNDI_FN void vector_frexp(const T *x, T *fraction, int32_t *exponent, mask part) {                             \
            const vec a = _mm512_maskz_loadu_p##letter(part, x);                                                       \
            const vec next = _mm512_getexp_p##letter(a) + _mm512_set1_p##letter(1);                                    \
            const vec half = _mm512_getmant_p##letter(a, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src);                       \
            const mask none = _mm512_fpclass_p##letter##_mask(a, 0x9f);                                                \
            _mm512_mask_storeu_p##letter(fraction, part, _mm512_mask_blend_p##letter(none, half, a));                  \
            store(exponent, part, _mm512_maskz_cvtp##letter##_epi32((mask)~none, next));                               \
        }
VECTOR_FREXP(float, __m512, __mmask16, s, _mm512_mask_storeu_epi32)
VECTOR_FREXP(double, __m512d, __mmask8, d, _mm256_mask_storeu_epi32)
#    undef VECTOR_FREXP
template <class T, class Mask> int frexp(char *const *operand, int64_t n, const double *) {
    T *fraction = (T *)operand[0];
    int32_t *exponent = (int32_t *)operand[1];
    const T *x = (const T *)operand[2];
    constexpr int64_t W = 64 / sizeof(T);
    int64_t i = 0;
    for (; i + W <= n; i += W) vector_frexp(x + i, fraction + i, exponent + i, (Mask)-1);
    if (i < n) vector_frexp(x + i, fraction + i, exponent + i, (Mask)((1u << (n - i)) - 1));
    return 0;
}
void fill_frexp(op_rows table) {
    table[GNDI_OP_frexp][GND_FLOAT32] = frexp<float, __mmask16>;
    table[GNDI_OP_frexp][GND_FLOAT64] = frexp<double, __mmask8>;
}
#endif
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
        {GNDI_OP_expm1, v::complex_unary<v::complex_expm1<R>, R>},
        {GNDI_OP_log, v::complex_unary<v::complex_log<R>, R>},
        {GNDI_OP_log2, v::complex_unary<v::complex_log2<R>, R>},
        {GNDI_OP_log10, v::complex_unary<v::complex_log10<R>, R>},
        {GNDI_OP_sin, v::complex_unary<v::complex_sin<R>, R>},
        {GNDI_OP_cos, v::complex_unary<v::complex_cos<R>, R>},
        {GNDI_OP_tan, v::complex_unary<v::complex_tan<R>, R>},
        {GNDI_OP_sinc, v::complex_unary<v::complex_sinc<R>, R>},
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

} // namespace

#endif
