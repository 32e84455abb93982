/*
 * moves.hpp: what brings operands into and out of dense tiles: casts between any two dtypes,
 * strided gather and scatter, masked scatter, repetition, transposition. Internal linkage
 * throughout, as in dense_loops.hpp.
 */
#ifndef GNDI_MOVES_HPP
#define GNDI_MOVES_HPP

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/scalar_cast.h"

namespace {

using namespace gnd;

/* ---- casts
 * ---------------------------------------------------------------------------------------- */

template <class From, class To> void cast_loop(const char *from, char *to, int64_t n) {
    if constexpr (is_same<From, To> && !is_bool<From>) {
        memcpy(to, from, (size_t)n * sizeof(From));
    } else if constexpr (is_bool<From>) { /* read as any byte */
        const uint8_t *x = (const uint8_t *)from;
        typedef choose_t<is_bool<To>, uint8_t, To> Memory;
        Memory *y = (Memory *)to;
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) y[i] = cast<To>(x[i] != 0);
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

/* ---- moves by size
 * -------------------------------------------------------------------------------- */

struct sixteen {
    uint64_t a, b;
};

template <class T> void gather(const char *from, int64_t stride, char *to, int64_t n) {
    T *y = (T *)to;
    if (stride == (int64_t)sizeof(T)) {
        memcpy(to, from, (size_t)n * sizeof(T));
    } else if (stride == 2 * (int64_t)sizeof(T)) { /* every other element: a shuffle of two loads */
        const T *x = (const T *)from;
        for (int64_t i = 0; i < n - 1; i++) y[i] = x[2 * i];
        if (n > 0) y[n - 1] = x[2 * (n - 1)];
    } else if (stride == -(int64_t)sizeof(T)) {
        const T *x = (const T *)from;
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

template <class T>
void scatter_masked(const char *from, char *to, int64_t stride, const uint8_t *mask, int64_t n) {
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

/* ---- transposition
 * ---------------------------------------------------------------------------------- */

/* A block of 8 rows is read a column at a time: 8 neighbours in `from` go to 8 rows of `to`. */
template <class T> void transpose(const char *from, int64_t from_row, int64_t from_column, char *to,
                                  int64_t to_row, int64_t rows, int64_t columns) {
    constexpr int64_t block = 8;
    int64_t r = 0;
    for (; from_row == (int64_t)sizeof(T) && r + block <= rows; r += block) {
        const char *x = from + r * from_row;
        char *y = to + r * to_row;
        for (int64_t c = 0; c < columns; c++) {
            T v[block];
            memcpy(v, x + c * from_column, sizeof v);
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
    kernels->gather[Size] = gather<T>;
    kernels->scatter[Size] = scatter<T>;
    kernels->scatter_masked[Size] = scatter_masked<T>;
    kernels->repeat[Size] = repeat<T>;
    kernels->transpose[Size] = transpose<T>;
}

void fill_moves(gndi_cpu_kernels *kernels) {
    fill_casts<1, 1>(kernels);
    fill_size<uint8_t, 0>(kernels);
    fill_size<uint16_t, 1>(kernels);
    fill_size<uint32_t, 2>(kernels);
    fill_size<uint64_t, 3>(kernels);
    fill_size<sixteen, 4>(kernels);
}

} // namespace

#endif
