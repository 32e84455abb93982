/*
 * reduce_products.hpp: products of complex numbers along rows, each in the order of its elements, which decides
 * what parts of a product that is not finite are infinite or NaN.
 */
#ifndef GNDI_CPU_REDUCE_PRODUCTS_HPP
#define GNDI_CPU_REDUCE_PRODUCTS_HPP

#include "reduce/cpu/reduce_loops.h"
#include "reduce/cpu/reduce_vectors.hpp"

namespace gnd {

template <class T> struct ordered_products {
    static constexpr int lanes = GNDI_VECTOR_BYTES / (int)sizeof(T), strip = 8,
                         ahead = 24; /* rows whose elements are asked for */
    typedef typename vector_type<T, lanes>::type V;
    typedef typename vector_type<lane_int<T>, lanes>::type I;

    /* The factors; 1 + 0i for those with a NaN if these are skipped. */
    template <bool SkipNan> GNDI_FN V factors(const char *x) {
        V v;
        memcpy(&v, x, sizeof v);
        if constexpr (SkipNan) {
            const I nan = v != v, either = nan | __builtin_shuffle(nan, other_lanes<lane_int<T>, lanes>());
            const V one = lane_numbers<T, lanes>([](int k) { return 1 - k % 2; });
            v = either ? one : v;
        }
        return v;
    }

    /* `Count` vectors side by side, from the first row to the last; those that would go beyond the end of a row of so
       many bytes lie at its end, and may be the same. */
    template <bool SkipNan, int Count>
    GNDI_FN void columns(const char *x, int64_t step, int64_t rows, int64_t bytes, char *acc) {
        constexpr int64_t size = sizeof(V);
        V product[Count];
        int64_t at[Count];
        for (int k = 0; k < Count; k++) at[k] = (k + 1) * size <= bytes ? k * size : bytes - size;
        for (int k = 0; k < Count; k++) memcpy(&product[k], acc + at[k], size);
#pragma GCC unroll 1
        for (int64_t r = 0; r < rows; r++, x += step) {
            const char *later = r + ahead < rows ? x + ahead * step : x;
#pragma GCC unroll 8
            for (int k = 0; k < Count; k++) {
                if (k * size % 64 == 0) __builtin_prefetch(later + at[k]);
                multiply_pairs<T>(product[k], factors<SkipNan>(x + at[k]));
            }
        }
        for (int k = 0; k < Count; k++) memcpy(acc + at[k], &product[k], size);
    }

    /* n complex numbers, no fewer than fill a vector. Strips of vectors; the last one is no less than a vector. */
    template <bool SkipNan> static void all(const char *x, int64_t step, int64_t rows, int64_t n, char *acc) {
        constexpr int64_t size = sizeof(V), wide = strip * size;
        int64_t left = 2 * n * (int64_t)sizeof(T);
        for (; left >= wide + size || left == wide; left -= wide, x += wide, acc += wide)
            columns<SkipNan, strip>(x, step, rows, wide, acc);
        if (left > wide) { /* in two, of which the last fills a vector */
            columns<SkipNan, strip / 2>(x, step, rows, wide / 2, acc);
            left -= wide / 2, x += wide / 2, acc += wide / 2;
        }
        if (left > wide / 2)
            columns<SkipNan, strip>(x, step, rows, left, acc);
        else if (left > 2 * size)
            columns<SkipNan, strip / 2>(x, step, rows, left, acc);
        else if (left > 0)
            columns<SkipNan, 2>(x, step, rows, left, acc);
    }

    static void run(const char *x, int64_t step, int64_t rows, int64_t n, bool skip_nan, char *acc) {
        (skip_nan ? all<true> : all<false>)(x, step, rows, n, acc);
    }
};

static void fill_ordered_products(gndi_cpu_reductions *table) {
    table->ordered_products[0] = ordered_products<float>::run;
    table->ordered_products[1] = ordered_products<double>::run;
}

} // namespace gnd

#endif
