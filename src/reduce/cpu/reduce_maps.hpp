/*
 * reduce_maps.hpp: sums of squares, magnitudes, products and of numbers that are not NaN, of dense
 * float32 and float64, and of complex products, in one pass and without a buffer: what norms and dot
 * products are made of; and sums of every other number.
 * Everything else is mapped in buffers (reduce_fetch.c).
 */
#ifndef GNDI_CPU_REDUCE_MAPS_HPP
#define GNDI_CPU_REDUCE_MAPS_HPP

#include "reduce/cpu/reduce_loops.h"
#include "reduce/cpu/reduce_vectors.hpp"

namespace gnd {

/* Dots fetch nothing ahead: on a Zen 4 that took a tenth to a fourth longer, wherever the operands lie. */
enum { PRODUCTS_BLOCK = 256 }; /* vectors */

template <int Map, class T> struct mapped_sum {
    typedef vector_run<reduce_sum<T>> vectors;
    typedef typename vectors::V V;

    /* Lanes of a vector, or one number. */
    template <class X> GNDI_FN X mapped(const X &x, const X &y) {
        if constexpr (Map == GNDI_CPU_SQUARES) {
            return x * x;
        } else if constexpr (Map == GNDI_CPU_PRODUCTS) {
            return x * y;
        } else if constexpr (Map == GNDI_CPU_MAGNITUDES) {
            return x < 0 ? -x : x + (T)0; /* -0.0 + 0 is 0 */
        } else {
            return x == x ? x : X{}; /* the sum has other terms, or starts from 0 */
        }
    }
    struct source {
        static constexpr bool two = Map == GNDI_CPU_PRODUCTS;
        static constexpr int block = two ? PRODUCTS_BLOCK : vectors::source::block;
        const T *x, *y;
        V operator[](int64_t k) const {
            const V a = vectors::at(x + k * vectors::lanes);
            if constexpr (Map == GNDI_CPU_PRODUCTS) {
                return mapped(a, vectors::at(y + k * vectors::lanes));
            } else
                return mapped(a, a);
        }
        void skip(int64_t n) { x += n * vectors::lanes, y += n * vectors::lanes; }
    };

    static void run(const char *x_bytes, const char *y_bytes, int64_t n, void *acc) {
        const T *x = (const T *)x_bytes, *y = (const T *)y_bytes;
        if (Map != GNDI_CPU_PRODUCTS) y = x;
        const int64_t whole = n / vectors::lanes, rest = n % vectors::lanes;
        T sum = -(T)0;
        if (whole) {
            V sums = vectors::many(source{x, y}, whole);
            if (rest) { /* the last vector's worth, without the elements that were summed already */
                const auto numbers = lane_numbers<typename vectors::I, vectors::lanes>([](int k) { return k; });
                const V more = mapped(vectors::at(x + n - vectors::lanes), vectors::at(y + n - vectors::lanes));
                sums += numbers >= (lane_int<T>)(vectors::lanes - rest) ? more : V{} - (T)0;
            }
            sum = vectors::across(sums);
        } else {
            for (int64_t i = 0; i < n; i++) sum += mapped(x[i], y[i]);
        }
        *(T *)acc += sum;
    }
};

/* Every other number of x, n of them. */
template <class T> struct sum_of_evens {
    typedef vector_run<reduce_sum<T>> vectors;
    typedef typename vectors::V V;

    struct source {
        static constexpr bool two = false;
        static constexpr int block = vectors::source::block;
        const T *x;
        V operator[](int64_t k) const {
            const T *from = x + 2 * k * vectors::lanes;
            return __builtin_shuffle(
                vectors::at(from), vectors::at(from + vectors::lanes),
                lane_numbers<typename vectors::I, vectors::lanes>([](int lane) { return 2 * lane; }));
        }
        void skip(int64_t n) { x += 2 * n * vectors::lanes; }
    };

    static void run(const char *x_bytes, const char *, int64_t n, void *acc) {
        const T *x = (const T *)x_bytes;
        /* A vector is read with what lies behind its last element: not at the end. */
        const int64_t whole = n > 0 ? (n - 1) / vectors::lanes : 0;
        T sum = whole ? vectors::across(vectors::many(source{x}, whole)) : -(T)0;
        for (int64_t i = whole * vectors::lanes; i < n; i++) sum += x[2 * i];
        *(T *)acc += sum;
    }
};

/* Sums of products of complex numbers, pairs of lanes: those of x and y, and those of x and y with the lanes of each
   pair exchanged, are apart until the end of a block. */
template <bool Conjugate, class T> struct complex_products {
    typedef vector_run<reduce_sum<complex<T>>> vectors;
    typedef typename vectors::V V;
    typedef typename vectors::I I;
    static constexpr int lanes = vectors::lanes;

    struct chain {
        V same, crossed;
        GNDI_FN V exchanged(const V &v) { return __builtin_shuffle(v, other_lanes<I, lanes>()); }
        /* Keeps v in a register: g++ reads an operand of two instructions from memory twice. */
        GNDI_FN V held(V v) {
#if defined(__x86_64__)
            __asm__("" : "+v"(v));
#endif
            return v;
        }
        GNDI_FN void multiply(chain &c, const V &x, const V &y) {
            c.same = x * y, c.crossed = x * exchanged(y);
        }
        GNDI_FN void add(chain &c, const V &x, const V &y) {
            const V a = held(x), b = held(y);
            c.same = plus_product<T>(c.same, a, b), c.crossed = plus_product<T>(c.crossed, a, exchanged(b));
        }
        GNDI_FN void join(chain &c, const chain &d) {
            c.same += d.same, c.crossed += d.crossed;
        }
        /* Real parts: the first lane of `same` less the second one, or with it; imaginary ones: the lanes of `crossed`
           the other way round. */
        GNDI_FN V sums(const chain &c) {
            const V sign = signs<T, lanes>(), other = exchanged(c.same), next = exchanged(c.crossed);
            const V re = Conjugate ? c.same + other : c.same - other,
                    im = Conjugate ? next - c.crossed : next + c.crossed;
            return sign < V{} ? re : im;
        }
    };
    struct source {
        static constexpr bool two = true;
        static constexpr int block = PRODUCTS_BLOCK;
        const T *x, *y;
        void skip(int64_t n) { x += n * lanes, y += n * lanes; }

        /* n vectors in four chains. */
        V block_of(int64_t n) const {
            const T *a = x, *b = y;
            chain c[4];
            chain::multiply(c[0], vectors::at(a), vectors::at(b));
            a += lanes, b += lanes, n--;
            if (n >= 7) {
#pragma GCC unroll 3
                for (int k = 1; k < 4; k++, a += lanes, b += lanes) {
                    chain::multiply(c[k], vectors::at(a), vectors::at(b));
                }
                n -= 3;
#pragma GCC unroll 1
                for (; n >= 4; a += 4 * lanes, b += 4 * lanes, n -= 4)
#pragma GCC unroll 4
                    for (int k = 0; k < 4; k++) {
                        chain::add(c[k], vectors::at(a + k * lanes), vectors::at(b + k * lanes));
                    }
                chain::join(c[0], c[2]), chain::join(c[1], c[3]), chain::join(c[0], c[1]);
            }
#pragma GCC unroll 1
            for (; n > 0; a += lanes, b += lanes, n--) {
                chain::add(c[0], vectors::at(a), vectors::at(b));
            }
            return chain::sums(c[0]);
        }
    };

    static void run(const char *x_bytes, const char *y_bytes, int64_t n, void *acc) {
        const T *x = (const T *)x_bytes, *y = (const T *)y_bytes, sign = Conjugate ? -1 : 1;
        const int64_t total = 2 * n, whole = total / lanes, rest = total % lanes;
        complex<T> sum = {-(T)0, -(T)0};
        if (whole) {
            V sums = vectors::many(source{x, y}, whole);
            if (rest) { /* the last vector's worth, without the elements that were summed already */
                const auto keep = lane_numbers<I, lanes>([](int k) { return k; }) >= (lane_int<T>)(lanes - rest);
                const V a = vectors::at(x + total - lanes), b = vectors::at(y + total - lanes);
                chain c;
                chain::multiply(c, keep ? a : V{}, keep ? b : V{});
                sums += chain::sums(c);
            }
            sum = vectors::across(sums);
        } else {
            for (int64_t i = 0; i < total; i += 2) {
                sum.re += x[i] * y[i] - sign * x[i + 1] * y[i + 1];
                sum.im += x[i] * y[i + 1] + sign * x[i + 1] * y[i];
            }
        }
        complex<T> *to = (complex<T> *)acc;
        to->re += sum.re, to->im += sum.im;
    }
};

template <class T> static void fill_maps(gndi_cpu_mapped_run (*table)[2], int dtype) {
    table[GNDI_CPU_SQUARES][dtype] = mapped_sum<GNDI_CPU_SQUARES, T>::run;
    table[GNDI_CPU_PRODUCTS][dtype] = mapped_sum<GNDI_CPU_PRODUCTS, T>::run;
    table[GNDI_CPU_MAGNITUDES][dtype] = mapped_sum<GNDI_CPU_MAGNITUDES, T>::run;
    table[GNDI_CPU_NUMBERS][dtype] = mapped_sum<GNDI_CPU_NUMBERS, T>::run;
    table[GNDI_CPU_EVENS][dtype] = sum_of_evens<T>::run;
    table[GNDI_CPU_COMPLEX_PRODUCTS][dtype] = complex_products<false, T>::run;
    table[GNDI_CPU_CONJUGATE_PRODUCTS][dtype] = complex_products<true, T>::run;
}

} // namespace gnd

#endif
