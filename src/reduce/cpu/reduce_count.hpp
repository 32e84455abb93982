/*
 * reduce_count.hpp: how many elements are not zero, counted in vectors of integers of the elements'
 * size: a comparison gives -1 where it holds.
 */
#ifndef GNDI_CPU_REDUCE_COUNT_HPP
#define GNDI_CPU_REDUCE_COUNT_HPP

#include "reduce/cpu/reduce_vectors.hpp"

namespace gnd {

template <class S> struct vector_count {
    typedef bits_t<choose_t<sizeof(S) == 16, double, S>> U;
    static constexpr int each = sizeof(S) == 16 ? 2 : 1, lanes = GNDI_VECTOR_BYTES / (int)sizeof(U),
                         columns = 16384 / (int)sizeof(U), most = 127; /* vectors that bytes can count */
    typedef typename vector_type<U, lanes>::type V;
    typedef typename vector_type<lane_int<U>, lanes>::type I;

    /* -1 where an element is not zero (in both lanes of a wide one). */
    GNDI_FN V at(const char *x) {
        V bits;
        memcpy(&bits, x, sizeof bits);
        if constexpr (is_float<S> || sizeof(S) == 16)
            bits = bits << 1; /* -0.0 is zero */
        else if constexpr (is_complex<S>)
            bits = bits & (U)0x7fffffff7fffffffull;
        /* Bytes without a detour by masks. */
        if constexpr (sizeof(U) == 1) return V{} - (bits < (U)1 ? bits : V{} + (U)1);
        I found = bits != 0;
        if constexpr (sizeof(S) == 16) {
            found = found | __builtin_shuffle(found, other_lanes<lane_int<U>, lanes>());
        }
        return (V)found;
    }

    /* The sum of all lanes of -v. */
    GNDI_FN uint64_t total(V v) {
        typedef typename vector_type<uint16_t, GNDI_VECTOR_BYTES / 2>::type Twos;
        typedef typename vector_type<uint32_t, GNDI_VECTOR_BYTES / 4>::type Fours;
        typedef typename vector_type<uint64_t, GNDI_VECTOR_BYTES / 8>::type Eights;
        v = V{} - v;
        Eights wide = (Eights)v;
        if constexpr (sizeof(U) == 1) wide = (Eights)(((Twos)wide & (uint16_t)0xff) + ((Twos)wide >> 8));
        if constexpr (sizeof(U) <= 2) wide = (Eights)(((Fours)wide & 0xffffu) + ((Fours)wide >> 16));
        if constexpr (sizeof(U) <= 4) wide = (wide & 0xffffffffull) + (wide >> 32);
        uint64_t sum = 0;
        for (int k = 0; k < GNDI_VECTOR_BYTES / 8; k += each) sum += wide[k];
        return sum;
    }

    /* The last `some` lanes before `end`, fewer than a vector has. */
    GNDI_FN V last(const char *end, int some) {
        const auto numbers = lane_numbers<lane_int<U>, lanes>([](int k) { return k; });
        return numbers >= (I){} + (lane_int<U>)(lanes - some) ? at(end - GNDI_VECTOR_BYTES) : V{};
    }

    static uint64_t run(const S *x, int64_t n) {
        const char *from = (const char *)x;
        int64_t vectors = n * each / lanes;
        const int rest = (int)(n * each % lanes);
        uint64_t count = 0;
        if (vectors == 0) {
            for (int64_t i = 0; i < n; i++) count += is_nonzero(x[i]);
            return count;
        }
        for (; vectors > 0; vectors -= 4 * most) {
            const int64_t some = vectors < 4 * most ? vectors : 4 * most;
            V a = {}, b = {}, c = {}, d = {};
            int64_t i = 0;
            for (; i + 4 <= some; i += 4, from += 4 * GNDI_VECTOR_BYTES) {
                a += at(from), b += at(from + GNDI_VECTOR_BYTES);
                c += at(from + 2 * GNDI_VECTOR_BYTES), d += at(from + 3 * GNDI_VECTOR_BYTES);
            }
            for (; i < some; i++, from += GNDI_VECTOR_BYTES) a += at(from);
            if (some == vectors && rest) b += last((const char *)(x + n), rest);
            if (sizeof(U) == 1 && some > 250)
                count += total(a) + total(b) + total(c) + total(d);
            else
                count += total(a + b + (c + d));
        }
        return count;
    }

    /* At most `most` rows of at most `columns` elements. */
    static void some_rows(const char *x, int64_t step, int64_t rows, int64_t n, uint64_t *acc) {
        U part[columns * each];
        const int64_t total = n * each, whole = total / lanes * lanes;
        for (int64_t j = 0; j < whole; j++) part[j] = 0;
        for (int64_t r = 0; r < rows;) {
            const int64_t some = rows - r >= 4 ? 4 : 1;
            const char *row = x + r * step;
            for (int64_t j = 0; j < whole; j += lanes) {
                const char *from = row + j * (int64_t)sizeof(U);
                V sum;
                memcpy(&sum, part + j, sizeof sum);
                sum += at(from);
                if (some == 4) {
                    for (int k = 4; k < 8; k++) __builtin_prefetch(from + k * step, 0, 2);
                    sum += at(from + step) + at(from + 2 * step) + at(from + 3 * step);
                }
                memcpy(part + j, &sum, sizeof sum);
            }
            r += some;
        }
        for (int64_t j = 0; j < whole / each; j++) acc[j] += (U)(0 - part[j * each]);
        for (int64_t j = whole / each; j < n; j++)
            for (int64_t r = 0; r < rows; r++) acc[j] += is_nonzero(((const S *)(x + r * step))[j]);
    }
    static void rows(const char *x, int64_t step, int64_t rows, int64_t n, uint64_t *acc) {
        for (int64_t r = 0; r < rows; r += most)
            for (int64_t j = 0; j < n; j += columns)
                some_rows(x + r * step + j * (int64_t)sizeof(S), step, rows - r < most ? rows - r : most,
                          n - j < columns ? n - j : columns, acc + j);
    }
};

/* Whether n bytes, whole groups of four vectors, are all zero, or (nowhere) none of them is. */
static bool bytes_are(const char *x, int64_t n, bool nowhere) {
    typedef typename vector_type<uint8_t, GNDI_VECTOR_BYTES>::type V;
    constexpr int64_t width = GNDI_VECTOR_BYTES;
    const auto at = [](const char *from) {
        V v;
        memcpy(&v, from, sizeof v);
        return v;
    };
    const auto least = [](const V &a, const V &b) { return a < b ? a : b; };
    const char *end = x + n;
    if (nowhere) {
        V a = at(x), b = a, c = a, d = a;
        for (; x < end; x += 4 * width) {
            a = least(a, at(x)), b = least(b, at(x + width));
            c = least(c, at(x + 2 * width)), d = least(d, at(x + 3 * width));
        }
        return lanes_like<uint8_t>(least(least(a, b), least(c, d)), V{}, false) == 0;
    }
    V a = {}, b = {}, c = {}, d = {};
    for (; x < end; x += 4 * width) {
        a |= at(x), b |= at(x + width);
        c |= at(x + 2 * width), d |= at(x + 3 * width);
    }
    typedef typename vector_type<uint64_t, GNDI_VECTOR_BYTES / 8>::type Words;
    const Words found = (Words)(a | b | (c | d));
    uint64_t any = 0;
    for (int k = 0; k < GNDI_VECTOR_BYTES / 8; k++) any |= found[k];
    return any == 0;
}

} // namespace gnd

#endif
