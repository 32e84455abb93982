/*
 * reduce_words.cuh: small integers folded a 32-bit word at a time, several elements an instruction.
 * word_fold<R> is `on` where a reducer has such a way: `packed` starts as `none`, takes at most 64
 * words, and becomes the reducer's narrow value.
 */
#ifndef GNDI_REDUCE_WORDS_CUH
#define GNDI_REDUCE_WORDS_CUH

#include "reduce/cuda/reduce_block.cuh"

namespace gnd {

template <class R> struct word_fold { static constexpr bool on = false; };

/* A word's elements times ones, added up: one instruction. */
struct sum_of_words {
    static constexpr bool on = true;
    typedef int32_t packed;
    GNDI_FN packed none() { return 0; }
    GNDI_FN int32_t narrow(packed a) { return a; }
};
template <> struct word_fold<reduce_sum<uint8_t>> : sum_of_words {
    GNDI_FN packed fold(packed a, uint32_t w) { return (int32_t)__dp4a(w, 0x01010101u, (uint32_t)a); }
};
template <> struct word_fold<reduce_sum<int8_t>> : sum_of_words {
    GNDI_FN packed fold(packed a, uint32_t w) { return __dp4a((int32_t)w, 0x01010101, a); }
};
template <> struct word_fold<reduce_sum<uint16_t>> : sum_of_words {
    GNDI_FN packed fold(packed a, uint32_t w) { return (int32_t)__dp2a_lo(w, 0x0101u, (uint32_t)a); }
};
template <> struct word_fold<reduce_sum<int16_t>> : sum_of_words {
    GNDI_FN packed fold(packed a, uint32_t w) { return __dp2a_lo((int32_t)w, 0x0101, a); }
};

/* Each byte, or half a word, counts its own: the carry of a sum tells what is not zero. */
template <> struct word_fold<reduce_count<uint8_t>> {
    static constexpr bool on = true;
    typedef uint32_t packed;
    GNDI_FN packed none() { return 0; }
    GNDI_FN packed fold(packed a, uint32_t w) {
        return a + ((((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) >> 7 & 0x01010101u);
    }
    GNDI_FN int32_t narrow(packed a) { return (int32_t)__dp4a(a, 0x01010101u, 0u); }
};
template <uint32_t Kept> struct count_halves {
    static constexpr bool on = true;
    typedef uint32_t packed;
    GNDI_FN packed none() { return 0; }
    GNDI_FN packed fold(packed a, uint32_t w) {
        w &= Kept;
        return a + ((((w & 0x7fff7fffu) + 0x7fff7fffu) | w) >> 15 & 0x00010001u);
    }
    GNDI_FN int32_t narrow(packed a) { return (int32_t)((a & 0xffffu) + (a >> 16)); }
};
template <> struct word_fold<reduce_count<uint16_t>> : count_halves<0xffffffffu> {};
template <> struct word_fold<reduce_count<float16>> : count_halves<0x7fff7fffu> {};

/* Extremes of halves of words; bytes are spread over two words of halves. */
template <bool Largest, bool Signed> GNDI_FN uint32_t extreme_halves(uint32_t a, uint32_t b) {
    if constexpr (Signed)
        return Largest ? __vmaxs2(a, b) : __vmins2(a, b);
    else
        return Largest ? __vmaxu2(a, b) : __vminu2(a, b);
}
template <bool Largest, class S> struct extreme_of_halves {
    static constexpr bool on = true;
    typedef uint32_t packed;
    GNDI_FN packed none() {
        const uint32_t one = (uint16_t)worst<Largest, S>();
        return one | one << 16;
    }
    GNDI_FN packed fold(packed a, uint32_t w) { return extreme_halves<Largest, is_signed_int<S>>(a, w); }
    GNDI_FN S narrow(packed a) { return extreme<Largest>((S)(uint16_t)a, (S)(uint16_t)(a >> 16)); }
};
template <bool Largest> struct word_fold<reduce_extreme<Largest, int16_t>> : extreme_of_halves<Largest, int16_t> {};
template <bool Largest> struct word_fold<reduce_extreme<Largest, uint16_t>> : extreme_of_halves<Largest, uint16_t> {};

/* `Flip` makes the order of signed bytes that of unsigned ones. */
template <bool Largest, class S, uint32_t Flip> struct extreme_of_bytes {
    static constexpr bool on = true;
    struct packed {
        uint32_t even, odd;
    };
    GNDI_FN packed none() {
        const uint32_t all = Largest ? 0 : 0x00ff00ffu;
        return {all, all};
    }
    GNDI_FN packed fold(packed a, uint32_t w) {
        w ^= Flip;
        return {extreme_halves<Largest, false>(a.even, w & 0x00ff00ffu),
                extreme_halves<Largest, false>(a.odd, w >> 8 & 0x00ff00ffu)};
    }
    GNDI_FN S narrow(packed a) {
        const uint32_t both = extreme_halves<Largest, false>(a.even, a.odd);
        const uint8_t x = (uint8_t)both, y = (uint8_t)(both >> 16);
        return (S)(uint8_t)(extreme<Largest>(x, y) ^ (uint8_t)Flip);
    }
};
template <bool Largest> struct word_fold<reduce_extreme<Largest, uint8_t>> : extreme_of_bytes<Largest, uint8_t, 0> {};
template <bool Largest> struct word_fold<reduce_extreme<Largest, int8_t>>
    : extreme_of_bytes<Largest, int8_t, 0x80808080u> {};

/* All elements of some words as one narrow value. */
template <class R, int Words, int Bytes>
GNDI_FN typename R::narrow fold_words(const typename word<Bytes>::type (&w)[Words]) {
    typedef word_fold<R> fold;
    typename fold::packed a = fold::none();
#pragma unroll
    for (int u = 0; u < Words; u++) {
        uint32_t part[Bytes / 4];
        memcpy(part, &w[u], Bytes);
#pragma unroll
        for (int k = 0; k < Bytes / 4; k++) a = fold::fold(a, part[k]);
    }
    return fold::narrow(a);
}

} // namespace gnd

#endif
