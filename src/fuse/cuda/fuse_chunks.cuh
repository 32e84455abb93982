/*
 * fuse_chunks.cuh: functions of one chunk, which the interpreter calls because their code is long or rarely used:
 * operators that are not light, casts, sequences, random numbers. There is one copy of each, and the kernel stays
 * small.
 */
#ifndef GNDI_FUSE_CHUNKS_CUH
#define GNDI_FUSE_CHUNKS_CUH

#include "fuse/cuda/fuse_slots.cuh"
#include "random/random_engines.h"

namespace gnd {

#define GNDI_EACH_DTYPE(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

struct chunk_words {
    uint32_t w[4];
};
GNDI_FN chunk_words words_of_chunk(uint4 x) {
    return {{x.x, x.y, x.z, x.w}};
}
GNDI_FN uint4 chunk_of_words(const uint32_t (&w)[4]) {
    return uint4{w[0], w[1], w[2], w[3]};
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Rotates the words, so that a few elements at a time are at the front. */
template <int P> GNDI_FN void rotate_words(uint32_t (&w)[4]) {
    if constexpr (P < 4) {
        uint32_t front[P];
#pragma unroll
        for (int i = 0; i < P; i++) front[i] = w[i];
#pragma unroll
        for (int i = 0; i + P < 4; i++) w[i] = w[i + P];
#pragma unroll
        for (int i = 0; i < P; i++) w[4 - P + i] = front[i];
    }
}
template <class S, int Op, bool Second>
GNDI_FN void operate_heavy(uint32_t (&a)[4], uint32_t (&b)[4], const double *params) {
    typedef slot_operator<Op, S, S> O;
    constexpr int P = is_same<S, float> ? 4 : largest(1, size_of<S> / 4);
#pragma unroll 1
    for (int i = 0; i < 4 / P; i++) {
        uint32_t x[P], y[P], none[P] = {};
#pragma unroll
        for (int k = 0; k < P; k++) x[k] = a[k], y[k] = b[k];
        O::template apply<Second>(params, x, y, none);
#pragma unroll
        for (int k = 0; k < P; k++) a[k] = x[k];
        rotate_words<P>(a);
        if constexpr (O::O::nin > 1) rotate_words<P>(b);
    }
}
template <class S> GNDI_FN_HEAVY uint4 heavy_chunk(int op, uint4 a, uint4 b, const double *params) {
    chunk_words x = words_of_chunk(a), y = words_of_chunk(b);
    switch (op) {
#define OP(family, name, signature, loops, identity, flags)                                                            \
case GNDI_OP_##name:                                                                                                   \
    if constexpr (runs_heavy<GNDI_OP_##name, S>()) operate_heavy<S, GNDI_OP_##name, false>(x.w, y.w, params);          \
    break;
#include "kernels/ops/ops.def"
#undef OP
#define OP(family, name, signature, loops, identity, flags)                                                            \
case GNDI_FUSE_SECONDS + GNDI_OP_##name:                                                                               \
    if constexpr (has_second<GNDI_OP_##name, S>()) operate_heavy<S, GNDI_OP_##name, true>(x.w, y.w, params);           \
    break;
#include "kernels/ops/ops.def"
#undef OP
    }
    return chunk_of_words(x.w);
}

/* ---- casts ---------------------------------------------------------------------------------- */

/* Packed elements to slots: of dtype `code`, cast to the loop's; from 16 on, 2^(code - 16) bytes, not converted. */
template <class S, class D, bool Raw> GNDI_FN void unpack_as(uint32_t (&w)[4]) {
    if constexpr (size_of<D> <= size_of<S>) {
        uint32_t out[4];
#pragma unroll
        for (int j = 0; j < 16 / size_of<S>; j++) {
            if constexpr (Raw)
                set_value<S>(out, j, value_in<D, D>(w, j));
            else
                set_value<S>(out, j, cast<S>(value_in<D, D>(w, j)));
        }
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = out[i];
    }
}
template <class S, class D, bool Raw> GNDI_FN void pack_as(uint32_t (&w)[4]) {
    if constexpr (size_of<D> <= size_of<S>) {
        uint32_t out[4] = {};
#pragma unroll
        for (int j = 0; j < 16 / size_of<S>; j++) {
            if constexpr (Raw)
                set_value<D>(out, j, value_in<S, D>(w, j));
            else
                set_value<D>(out, j, cast<D>(value_in<S, S>(w, j)));
        }
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = out[i];
    }
}
template <class S> GNDI_FN_HEAVY uint4 convert_chunk(bool packs, int code, uint4 a) {
    chunk_words x = words_of_chunk(a);
    if (packs) {
        switch (code) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr (size_of<storage_of<number>> <= size_of<S>) pack_as<S, storage_of<number>, false>(x.w);               \
    break;
            GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
        case 16: pack_as<S, uint8_t, true>(x.w); break;
        case 17: pack_as<S, uint16_t, true>(x.w); break;
        case 18: pack_as<S, uint32_t, true>(x.w); break;
        case 19: pack_as<S, uint64_t, true>(x.w); break;
        }
    } else {
        switch (code) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr (size_of<storage_of<number>> <= size_of<S>) unpack_as<S, storage_of<number>, false>(x.w);             \
    break;
            GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
        case 16: unpack_as<S, uint8_t, true>(x.w); break;
        case 17: unpack_as<S, uint16_t, true>(x.w); break;
        case 18: unpack_as<S, uint32_t, true>(x.w); break;
        case 19: unpack_as<S, uint64_t, true>(x.w); break;
        }
    }
    return chunk_of_words(x.w);
}

/* For elements in memory that are larger than slots, one by one: shifts the words by one slot. */
template <class S> GNDI_FN void move_slots(uint32_t (&w)[4]) {
    if constexpr (size_of<S> < 4) {
        constexpr int bits = 8 * size_of<S>;
        const uint32_t front = w[0];
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = w[i] >> bits | (i < 3 ? w[i + 1] : front) << (32 - bits);
    } else {
        rotate_words<size_of<S> / 4>(w);
    }
}
template <class S, class D> GNDI_FN void load_larger(const char *from, int64_t step, int count, uint32_t (&w)[4]) {
    if constexpr ((size_of < D >> size_of<S>)) {
#pragma unroll 1
        for (int j = 0; j < 16 / size_of<S>; j++) {
            D x = D();
            if (j < count) x = *reinterpret_cast<const D *>(from + j * step);
            uint32_t slot[largest(1, size_of<S> / 4)];
            set_value<S>(slot, 0, cast<S>(x));
            if constexpr (size_of<S> < 4)
                w[0] = (w[0] & ~0u << (8 * size_of<S>)) | slot[0];
            else
                memcpy(w, slot, sizeof slot);
            move_slots<S>(w);
        }
    }
}
template <class S, class D> GNDI_FN void store_larger(char *to, int64_t step, int count, uint32_t (&w)[4]) {
    if constexpr ((size_of < D >> size_of<S>)) {
#pragma unroll 1
        for (int j = 0; j < count; j++) {
            *reinterpret_cast<D *>(to + j * step) = cast<D>(value_in<S, S>(w, 0));
            move_slots<S>(w);
        }
    }
}
template <class S> GNDI_FN_HEAVY uint4 load_larger_chunk(int dtype, const char *from, int64_t step, int count) {
    uint32_t w[4] = {};
    switch (dtype) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr ((size_of < storage_of < number >>> size_of<S>))                                                      \
        load_larger<S, storage_of<number>>(from, step, count, w);                                                      \
    break;
        GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
    }
    return chunk_of_words(w);
}
template <class S> GNDI_FN_HEAVY void store_larger_chunk(int dtype, char *to, int64_t step, int count, uint4 x) {
    chunk_words w = words_of_chunk(x);
    switch (dtype) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr ((size_of < storage_of < number >>> size_of<S>))                                                      \
        store_larger<S, storage_of<number>>(to, step, count, w.w);                                                     \
    break;
        GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
    }
}

/* ---- sequences, random numbers -------------------------------------------------------------- */

template <class S> GNDI_FN S range_at(const uint64_t *number, uint64_t i) {
    if constexpr (is_bool<S>) {
        return number[0] + i * number[1] != 0;
    } else if constexpr (is_int<S>) {
        return (S)(number[0] + i * number[1]);
    } else {
        double part[4];
        memcpy(part, number, sizeof part);
        const double n = (double)(int64_t)i;
        const double re = m::add(part[0], m::mul(n, part[2]));
        if constexpr (is_complex<S>)
            return S{(real_t<S>)re, (real_t<S>)m::add(part[1], m::mul(n, part[3]))};
        else
            return cast<S>(re);
    }
}
template <class S> GNDI_FN_HEAVY uint4 range_chunk(const uint64_t *number, uint64_t i, uint64_t step) {
    uint32_t w[4];
#pragma unroll
    for (int j = 0; j < 16 / size_of<S>; j++) set_value<S>(w, j, range_at<S>(number, i + j * step));
    return chunk_of_words(w);
}

/* The words of one element. */
struct word_pair {
    uint32_t word[2];
    GNDI_INLINE uint32_t next() {
        const uint32_t w = word[0];
        word[0] = word[1];
        return w;
    }
};
/* number: the key, the position of number 0 in words, the stream. */
template <class S> GNDI_FN_HEAVY uint4 uniform_chunk(const uint64_t *number, uint64_t i, uint64_t step) {
    uint32_t w[4] = {};
    if constexpr (is_same<S, float> || is_same<S, double>) {
        constexpr int own = size_of<S> / 4; /* words of a number */
        uint64_t at = number[1] + i * own, block = at >> 2;
        philox_block words = philox(number[0], block, 0, (uint32_t)number[2]);
#pragma unroll
        for (int j = 0; j < 16 / size_of<S>; j++, at += step * own) {
            if (at >> 2 != block) words = philox(number[0], block = at >> 2, 0, (uint32_t)number[2]);
            const bool high = at & 2;
            word_pair pair = {{high ? words.word[2] : words.word[0], high ? words.word[3] : words.word[1]}};
            if (own == 1 && (at & 1)) pair.word[0] = pair.word[1];
            set_value<S>(w, j, unit<S>(pair));
        }
    }
    return chunk_of_words(w);
}

} // namespace gnd

#endif
