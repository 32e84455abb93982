/*
 * moves.hpp: what brings operands into and out of dense tiles: casts between any two dtypes,
 * strided gather and scatter, masked scatter, repetition, transposition. Internal linkage
 * throughout, as in dense_loops.hpp.
 */
#ifndef GNDI_MOVES_HPP
#define GNDI_MOVES_HPP

#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/scalar/scalar_cast.h"
#if defined(__SSE2__)
#    include <immintrin.h>
#endif

namespace {

using namespace gnd;

/* ---- moves by size -------------------------------------------------------------------------- */

struct sixteen {
    uint64_t a, b;
};

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
template <class T> struct vector_of {
    typedef T type __attribute__((vector_size(vector_bytes), aligned(1), may_alias));
};

/* Every other element, a shuffle of two vectors at a time. Operands gathered in turns are too much
   for the hardware's prefetching: with `Ahead` what the next tile needs is fetched into the second-level cache
   (into the first, or from further away, was slower than not at all). One operand alone is faster without. */
template <bool Ahead, class T> void gather_even(const T *x, T *y, int64_t n) {
    typedef choose_t<sizeof(T) == 16, uint64_t, T> word;
    typedef typename vector_of<word>::type vector;
    constexpr int64_t width = vector_bytes / sizeof(T), words = sizeof(T) / sizeof(word);
    vector even;
    for (int64_t k = 0; k < width * words; k++) even[k] = (word)(2 * (k / words) * words + k % words);
    int64_t i = 0;
    for (; i + width < n; i += width) { /* the last element read is x[2 * (i + width) - 1] */
        if constexpr (Ahead) {
            __builtin_prefetch((const char *)(x + 2 * i) + 2048, 0, 2);
            if constexpr (vector_bytes == 64) __builtin_prefetch((const char *)(x + 2 * i) + 2112, 0, 2);
        }
        vector a = *(const vector *)(x + 2 * i), b = *(const vector *)(x + 2 * i + width);
        *(vector *)(y + i) = __builtin_shuffle(a, b, even);
    }
    for (; i < n; i++) y[i] = x[2 * i];
}

/* From the last to the first, of 16 bytes each: compilers move those one by one. */
inline void gather_reversed(const sixteen *x, sixteen *y, int64_t n) {
    typedef typename vector_of<uint64_t>::type vector;
    constexpr int64_t width = vector_bytes / 16;
    vector back;
    for (int64_t k = 0; k < 2 * width; k++) back[k] = (uint64_t)(2 * (width - 1 - k / 2) + k % 2);
    int64_t i = 0;
    for (; i + width <= n; i += width)
        *(vector *)(y + i) = __builtin_shuffle(*(const vector *)(x - i - width + 1), back);
    for (; i < n; i++) y[i] = x[-i];
}

/* ---- casts ---------------------------------------------------------------------------------- */

template <class From, class To> void cast_loop(const char *from, char *to, int64_t n) {
    if constexpr (is_same<From, To> && !is_bool<From>) {
        memcpy(to, from, (size_t)n * sizeof(From));
    } else if constexpr (is_bool<From>) { /* read as any byte; only two values come out */
        constexpr int size = sizeof(To), parts = size == 16 ? 2 : 1;
        typedef choose_t<size == 1, uint8_t, choose_t<size == 2, uint16_t, choose_t<size == 4, uint32_t, uint64_t>>>
            Word;
        const uint8_t *x = (const uint8_t *)from;
        const To truth = cast<To>((uint8_t)1);
        Word *y = (Word *)to, one;
        memcpy(&one, &truth, sizeof one);
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) {
            y[parts * i] = x[i] ? one : 0;
            if constexpr (parts == 2) y[2 * i + 1] = 0;
        }
    } else if constexpr (is_complex<From> && !is_complex<To> && !is_bool<To>) {
        /* Real parts, brought together first. */
        typedef real_t<From> R;
        typedef bits_t<R> Bits;
        constexpr int64_t block = 512;
        if constexpr (is_same<R, To>) return gather_even<false>((const Bits *)from, (Bits *)to, n);
        alignas(64) R real[block];
        for (int64_t i = 0; i < n; i += block) {
            const int64_t some = n - i < block ? n - i : block;
            gather_even<false>((const Bits *)(from + i * (int64_t)sizeof(From)), (Bits *)real, some);
            cast_loop<R, To>((const char *)real, to + i * (int64_t)sizeof(To), some);
        }
    } else {
        const From *x = (const From *)from;
        typedef choose_t<is_bool<To>, uint8_t, To> Memory;
        Memory *y = (Memory *)to;
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) y[i] = cast<To>(x[i]);
    }
}

template <int From, int To> void fill_casts(gndi_cpu_kernels *kernels) {
    kernels->cast[From][To] = cast_loop<storage_of<From>, storage_of<To>>;
    if constexpr (To + 1 < GND_DTYPE_COUNT)
        fill_casts<From, To + 1>(kernels);
    else if constexpr (From + 1 < GND_DTYPE_COUNT)
        fill_casts<From + 1, 1>(kernels);
}

/* ---- strided and dense --------------------------------------------------------------------- */

template <class T, bool Ahead> void gather(const char *from, int64_t stride, char *to, int64_t n) {
    T *y = (T *)to;
    const T *x = (const T *)from;
    if (stride == (int64_t)sizeof(T)) {
        memcpy(to, from, (size_t)n * sizeof(T));
    } else if (stride == 2 * (int64_t)sizeof(T)) {
        if constexpr (sizeof(T) >= 4)
            gather_even<Ahead>(x, y, n);
        else
            for (int64_t i = 0; i < n; i++) y[i] = x[2 * i];
    } else if (stride == -(int64_t)sizeof(T)) {
        if constexpr (sizeof(T) == 16)
            gather_reversed(x, y, n);
        else
            for (int64_t i = 0; i < n; i++) y[i] = x[-i];
    } else {
        for (int64_t i = 0; i < n; i++) y[i] = *(const T *)(from + i * stride);
    }
}

template <class T> void scatter(const char *from, char *to, int64_t stride, int64_t n) {
    const T *x = (const T *)from;
    if (stride == (int64_t)sizeof(T)) {
        memcpy(to, from, (size_t)n * sizeof(T));
    } else {
        for (int64_t i = 0; i < n; i++) *(T *)(to + i * stride) = x[i];
    }
}

template <class T> void scatter_masked(const char *from, char *to, int64_t stride, const uint8_t *mask, int64_t n) {
    const T *x = (const T *)from;
    if (stride == (int64_t)sizeof(T)) {
        T *y = (T *)to;
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) y[i] = x[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) *(T *)(to + i * stride) = x[i];
    }
}

template <class T> void repeat(const char *value, char *to, int64_t n) {
    T v, *y = (T *)to;
    memcpy(&v, value, sizeof v);
    for (int64_t i = 0; i < n; i++) y[i] = v;
}

/* ---- past the caches ------------------------------------------------------------------------ */

#if defined(__AVX512F__)
typedef __m512i wide;
GNDI_FN wide load_wide(const char *p) {
    return _mm512_loadu_si512(p);
}
GNDI_FN void store_past(char *p, wide v) {
    _mm512_stream_si512((__m512i *)p, v);
}
#elif defined(__AVX__)
typedef __m256i wide;
GNDI_FN wide load_wide(const char *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
GNDI_FN void store_past(char *p, wide v) {
    _mm256_stream_si256((__m256i *)p, v);
}
#elif defined(__SSE2__)
typedef __m128i wide;
GNDI_FN wide load_wide(const char *p) {
    return _mm_loadu_si128((const __m128i *)p);
}
GNDI_FN void store_past(char *p, wide v) {
    _mm_stream_si128((__m128i *)p, v);
}
#endif

/* A dense copy whose destination does not go into the caches: for results that are too large to be
   found there again, which saves reading their lines first. */
void stream(const char *from, char *to, int64_t bytes) {
#if defined(__SSE2__)
    constexpr int64_t line = 64, step = sizeof(wide);
    int64_t head = (int64_t)(-(uintptr_t)to & (line - 1));
    if (head > bytes) head = bytes;
    memcpy(to, from, (size_t)head);
    int64_t i = head;
    for (; i + line <= bytes; i += line)
        for (int64_t k = 0; k < line; k += step) store_past(to + i + k, load_wide(from + i + k));
    memcpy(to + i, from + i, (size_t)(bytes - i));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}
void stream_end() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* ---- transposition -------------------------------------------------------------------------- */

/* One cache line's worth of rows. Squares of a line a side go through a buffer, so that each line of
   `to` is written whole and past the caches, while the lines of the next square are fetched. (1e8
   floats on one thread: 74 ms instead of 180 on a Xeon, 53 instead of 91 on an EPYC.) */
template <class T>
void transpose_lines(const char *from, int64_t from_column, char *to, int64_t to_row, int64_t columns) {
    constexpr int64_t side = 64 / (int64_t)sizeof(T);
    alignas(64) T square[side][side];
    int64_t c = 0;
    for (; c + side <= columns; c += side) {
        for (int64_t i = 0; i < side; i++) {
            T line[side];
            memcpy(line, from + (c + i) * from_column, sizeof line);
            if (c + side + i < columns) __builtin_prefetch(from + (c + side + i) * from_column);
            for (int64_t k = 0; k < side; k++) square[k][i] = line[k];
        }
        for (int64_t k = 0; k < side; k++)
            stream((const char *)square[k], to + k * to_row + c * (int64_t)sizeof(T), 64);
    }
    for (; c < columns; c++)
        for (int64_t k = 0; k < side; k++) ((T *)(to + k * to_row))[c] = ((const T *)(from + c * from_column))[k];
}

/* Squares of 16 bytes a side, in vectors: `Side` rows are read and written. */
template <class T> GNDI_FN void transpose_square(const char *from, int64_t from_column, char *to, int64_t to_row) {
    constexpr int side = 16 / sizeof(T);
    typedef T vector __attribute__((vector_size(16), aligned(1), may_alias));
    typedef T whole __attribute__((vector_size(16)));
    whole line[side], next[side], low, high;
    for (int k = 0; k < side; k++) {
        line[k] = *(const vector *)(from + k * from_column);
        low[k] = (T)(k / 2 + k % 2 * side);
        high[k] = (T)(low[k] + side / 2);
    }
    for (int done = 1; done < side; done *= 2) {
        for (int k = 0; k < side / 2; k++) {
            next[2 * k] = __builtin_shuffle(line[k], line[k + side / 2], low);
            next[2 * k + 1] = __builtin_shuffle(line[k], line[k + side / 2], high);
        }
        for (int k = 0; k < side; k++) line[k] = next[k];
    }
    for (int k = 0; k < side; k++) *(vector *)(to + k * to_row) = line[k];
}

/* A block of rows is read a column at a time: neighbours in `from` go to the rows of `to`. The lines behind them, which
   the next rows are in, are fetched into the second-level cache meanwhile. */
template <class T> void transpose(const char *from, int64_t from_row, int64_t from_column, char *to, int64_t to_row,
                                  int64_t rows, int64_t columns, bool streams) {
    constexpr int64_t square = sizeof(T) < 16 ? 16 / sizeof(T) : 1, block = square < 8 ? 8 : square;
    constexpr int64_t side = 64 / (int64_t)sizeof(T), size = sizeof(T);
    int64_t r = 0;
    streams = streams && from_row == size && (uintptr_t)to % 64 == 0 && to_row % 64 == 0;
    for (; streams && r + side <= rows; r += side)
        transpose_lines<T>(from + r * from_row, from_column, to + r * to_row, to_row, columns);
    for (; from_row == size && r + block <= rows; r += block) {
        const char *x = from + r * from_row;
        char *y = to + r * to_row;
        const bool last = r + block >= rows;
        int64_t c = 0;
        if constexpr (sizeof(T) < 16)
            for (; c + square <= columns; c += square) {
                const char *at = x + c * from_column;
                for (int64_t k = 0; last && k < square; k++)
                    __builtin_prefetch(at + k * from_column + block * size, 0, 2);
                for (int64_t k = 0; k < block; k += square)
                    transpose_square<T>(at + k * size, from_column, y + k * to_row + c * size, to_row);
            }
        for (; c < columns; c++) {
            T v[block];
            memcpy(v, x + c * from_column, sizeof v);
            for (size_t k = 0; last && k < sizeof v; k += 64)
                __builtin_prefetch(x + c * from_column + sizeof v + k, 0, 2);
            for (int64_t k = 0; k < block; k++) ((T *)(y + k * to_row))[c] = v[k];
        }
    }
    for (; r < rows; r++) {
        const char *x = from + r * from_row;
        T *y = (T *)(to + r * to_row);
        for (int64_t c = 0; c < columns; c++) y[c] = *(const T *)(x + c * from_column);
    }
}

template <class T, int Size> void fill_size(gndi_cpu_kernels *kernels) {
    kernels->gather[Size] = gather<T, true>;
    kernels->gather_near[Size] = gather<T, false>;
    kernels->scatter[Size] = scatter<T>;
    kernels->scatter_masked[Size] = scatter_masked<T>;
    kernels->repeat[Size] = repeat<T>;
    kernels->transpose[Size] = transpose<T>;
}

void fill_moves(gndi_cpu_kernels *kernels) {
    kernels->stream = stream;
    kernels->stream_end = stream_end;
    fill_casts<1, 1>(kernels);
    fill_size<uint8_t, 0>(kernels);
    fill_size<uint16_t, 1>(kernels);
    fill_size<uint32_t, 2>(kernels);
    fill_size<uint64_t, 3>(kernels);
    fill_size<sixteen, 4>(kernels);
}

} // namespace

#endif
