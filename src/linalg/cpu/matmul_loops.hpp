/*
 * matmul_loops.hpp: c = a b by gnd's own loops. Parts of a and b are packed into panels, two registers of
 * rows of a and four columns of b, in a work type: integers of 8 and 16 bits are multiplied modulo 2^16,
 * bool as bytes under "and" and "or", float16 and bfloat16 as float. Eight registers hold a tile of c while
 * the loop goes along the columns of one panel and the rows of the other.
 *
 * float32, float64 and complex numbers are OpenBLAS's, except for products of a few dozen multiplications,
 * which cost less than a call of it and are computed one element of c after the other.
 */
#include "linalg/cpu/matmul_loops.h"
#include "kernels/scalar/scalar_cast.h"

#if defined(__AVX512F__)
#    define GNDI_MATMUL_REGISTER 64
#elif defined(__AVX2__)
#    define GNDI_MATMUL_REGISTER 32
#else
#    define GNDI_MATMUL_REGISTER 16
#endif

namespace gnd {

/* ---- elements ------------------------------------------------------------------------------- */

/* How elements of storage type S become work values, and those become elements. */
template <class S> struct matmul_work {
    typedef choose_t<sizeof(S) == 8, uint64_t, choose_t<sizeof(S) == 4, uint32_t, uint16_t>> type;
    GNDI_FN type in(S x) { return (type)x; }
    GNDI_FN S out(type x) { return (S)x; }
};
template <> struct matmul_work<uint8_t> { /* bool: bytes that are 0 or 1 */
    typedef uint8_t type;
    GNDI_FN type in(uint8_t x) { return x != 0; }
    GNDI_FN uint8_t out(type x) { return x; }
};
template <class S> struct matmul_work_half {
    typedef float type;
    GNDI_FN float in(S x) { return to_compute(x); }
    GNDI_FN S out(float x) { return from_compute<S>(x); }
};
template <> struct matmul_work<float16> : matmul_work_half<float16> {};
template <> struct matmul_work<bfloat16> : matmul_work_half<bfloat16> {};

/* ---- panels --------------------------------------------------------------------------------- */

template <class S> struct panels {
    typedef typename matmul_work<S>::type W;
    typedef W V __attribute__((vector_size(GNDI_MATMUL_REGISTER)));
    static constexpr bool logical = is_same<S, uint8_t>;
    static constexpr bool floating = is_same<W, float>;
    static constexpr int lanes = GNDI_MATMUL_REGISTER / (int)sizeof(W);
    static constexpr int rows = 2 * lanes, columns = 4;
    static constexpr int64_t capacity = GNDI_MATMUL_BYTES / (int64_t)sizeof(W);

    /* `lines` rows of a (or columns of b), `width` a panel; short panels end in zeros. */
    template <int width>
    GNDI_FN void pack(const char *from, int64_t line, int64_t step, int64_t lines, int64_t length, W *to) {
        for (int64_t i = 0; i < lines; i += width, to += width * length, from += width * line) {
            const int count = (int)(lines - i < width ? lines - i : width);
            if (count < width) __builtin_memset(to, 0, sizeof(W) * (size_t)(width * length));
            if (line == (int64_t)sizeof(S) && count == width) {
                for (int64_t p = 0; p < length; p++)
                    for (int r = 0; r < width; r++)
                        to[p * width + r] = matmul_work<S>::in(((const S *)(const void *)(from + p * step))[r]);
            } else {
                for (int r = 0; r < count; r++) {
                    const char *at = from + r * line;
                    for (int64_t p = 0; p < length; p++, at += step)
                        to[p * width + r] = matmul_work<S>::in(*(const S *)(const void *)at);
                }
            }
        }
    }

    GNDI_FN V joined(V sum, V a, V b) {
        if constexpr (logical)
            return sum | (a & b);
        else
            return sum + a * b;
    }

    /* The product of two panels: a tile in column-major order. */
    GNDI_FN void tile(const W *a, const W *b, int64_t k, W *sums) {
        V s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
        for (int64_t p = 0; p < k; p++, a += rows, b += columns) {
            const V low = *(const V *)(const void *)a, high = *(const V *)(const void *)(a + lanes);
            const V b0 = b[0] - V{}, b1 = b[1] - V{}, b2 = b[2] - V{}, b3 = b[3] - V{};
            s0 = joined(s0, low, b0), s1 = joined(s1, high, b0);
            s2 = joined(s2, low, b1), s3 = joined(s3, high, b1);
            s4 = joined(s4, low, b2), s5 = joined(s5, high, b2);
            s6 = joined(s6, low, b3), s7 = joined(s7, high, b3);
        }
        V *to = (V *)(void *)sums;
        to[0] = s0, to[1] = s1, to[2] = s2, to[3] = s3;
        to[4] = s4, to[5] = s5, to[6] = s6, to[7] = s7;
    }

    /* Stores one element of c from a sum. `adds`: adds to the element that is there. */
    GNDI_FN void store_one(S *to, W sum, const gndi_cpu_product *x, bool adds) {
        typedef matmul_work<S> work;
        if constexpr (floating) {
            const W scaled = (W)x->alpha[0] * sum;
            *to = work::out(adds ? scaled + (W)x->beta[0] * work::in(*to) : scaled);
        } else if constexpr (logical) {
            *to = (uint8_t)(adds ? sum | work::in(*to) : sum);
        } else {
            *to = work::out((W)(adds ? sum + work::in(*to) : sum));
        }
    }

    GNDI_FN void store(const W *sums, const gndi_cpu_product *x, int64_t i, int64_t j, bool adds) {
        const int m = (int)(x->m - i < rows ? x->m - i : rows);
        const int n = (int)(x->n - j < columns ? x->n - j : columns);
        for (int column = 0; column < n; column++, sums += rows) {
            char *to = x->c + i * x->c_row + (j + column) * x->c_column;
            if (m == rows && x->c_row == (int64_t)sizeof(S))
                for (int r = 0; r < rows; r++) store_one((S *)(void *)to + r, sums[r], x, adds);
            else
                for (int r = 0; r < m; r++, to += x->c_row) store_one((S *)(void *)to, sums[r], x, adds);
        }
    }

    static void multiply(const gndi_cpu_product *x) {
        alignas(64) W a[capacity], b[capacity], sums[rows * columns];
        const int64_t most = capacity / GNDI_MATMUL_EDGE;
        bool adds = x->beta[0] != 0;
        for (int64_t p = 0; p < x->k; p += most, adds = true) {
            const int64_t k = x->k - p < most ? x->k - p : most;
            pack<rows>(x->a + p * x->a_column, x->a_row, x->a_column, x->m, k, a);
            pack<columns>(x->b + p * x->b_row, x->b_column, x->b_row, x->n, k, b);
            for (int64_t j = 0; j < x->n; j += columns)
                for (int64_t i = 0; i < x->m; i += rows) {
                    tile(a + i * k, b + j * k, k, sums);
                    store(sums, x, i, j, adds);
                }
        }
    }
};

/* ---- one element after the other ------------------------------------------------------------ */

/* A sum of products of S, and alpha times it plus beta times an element. */
template <class S> struct plain_sum {
    S sum = 0;
    GNDI_FN void add(plain_sum &to, S a, S b, S, S) { to.sum += a * b; }
    GNDI_FN S scaled(plain_sum x, const double *alpha) { return (S)alpha[0] * x.sum; }
    GNDI_FN S joined(S x, const double *beta, S old) { return x + (S)beta[0] * old; }
};
template <class T> struct complex_sum {
    typedef complex<T> S;
    T re = 0, im = 0;
    /* Signs of the imaginary parts: -1 of a conjugate. */
    GNDI_FN void add(complex_sum &to, S a, S b, T sign_a, T sign_b) {
        const T a_im = sign_a * a.im, b_im = sign_b * b.im;
        to.re += a.re * b.re - a_im * b_im;
        to.im += a.re * b_im + a_im * b.re;
    }
    GNDI_FN S times(const double *f, T re, T im) {
        const T f_re = (T)f[0], f_im = (T)f[1];
        if (f_im == 0) return {f_re * re, f_re * im};
        return {f_re * re - f_im * im, f_re * im + f_im * re};
    }
    GNDI_FN S scaled(complex_sum x, const double *alpha) { return times(alpha, x.re, x.im); }
    GNDI_FN S joined(S x, const double *beta, S old) {
        const S part = times(beta, old.re, old.im);
        return {x.re + part.re, x.im + part.im};
    }
};

template <class S, class Sum> struct one_by_one {
    typedef real_t<S> T;

    static void multiply(const gndi_cpu_product *x) {
        const T sign_a = x->conjugate_a ? -1 : 1, sign_b = x->conjugate_b ? -1 : 1;
        const bool adds = x->beta[0] != 0 || x->beta[1] != 0;
        for (int64_t j = 0; j < x->n; j++)
            for (int64_t i = 0; i < x->m; i++) {
                const char *a = x->a + i * x->a_row, *b = x->b + j * x->b_column;
                char *to = x->c + i * x->c_row + j * x->c_column;
                Sum sum;
                for (int64_t p = 0; p < x->k; p++, a += x->a_column, b += x->b_row)
                    Sum::add(sum, *(const S *)(const void *)a, *(const S *)(const void *)b, sign_a, sign_b);
                S *c = (S *)(void *)to;
                const S product = Sum::scaled(sum, x->alpha);
                *c = adds ? Sum::joined(product, x->beta, *c) : product;
            }
    }
};

/* By dtype numbers (scalar_types.h). Integers of either sign are one. */
static void fill_products(gndi_cpu_multiply *table) {
    table[dtype_of<bool>] = panels<uint8_t>::multiply;
    table[dtype_of<int8_t>] = table[dtype_of<uint8_t>] = panels<int8_t>::multiply;
    table[dtype_of<int16_t>] = table[dtype_of<uint16_t>] = panels<int16_t>::multiply;
    table[dtype_of<int32_t>] = table[dtype_of<uint32_t>] = panels<int32_t>::multiply;
    table[dtype_of<int64_t>] = table[dtype_of<uint64_t>] = panels<int64_t>::multiply;
    table[dtype_of<float16>] = panels<float16>::multiply;
    table[dtype_of<bfloat16>] = panels<bfloat16>::multiply;
    table[dtype_of<float>] = one_by_one<float, plain_sum<float>>::multiply;
    table[dtype_of<double>] = one_by_one<double, plain_sum<double>>::multiply;
    table[dtype_of<complex<float>>] = one_by_one<complex<float>, complex_sum<float>>::multiply;
    table[dtype_of<complex<double>>] = one_by_one<complex<double>, complex_sum<double>>::multiply;
}

} // namespace gnd
