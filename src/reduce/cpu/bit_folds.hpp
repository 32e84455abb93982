/*
 * bit_folds.hpp: reducers (reduce_ops.h) of unsigned integers modulo their own size, and their loops in vectors.
 */
#ifndef GNDI_CPU_BIT_FOLDS_HPP
#define GNDI_CPU_BIT_FOLDS_HPP

#include "reduce/cpu/bit_folds.h"
#include "reduce/cpu/reduce_loops.hpp"

namespace gnd {

template <int Fold, class S> struct reduce_bits {
    typedef S element;
    typedef S acc;
    typedef S narrow;
    template <class A> GNDI_FN A of(const A &a, const A &b) {
        if constexpr (Fold == GNDI_CPU_ADD)
            return (A)(a + b);
        else
            return (A)(Fold == GNDI_CPU_AND ? a & b : Fold == GNDI_CPU_OR ? a | b : a ^ b);
    }
    GNDI_FN S lift(S x) { return x; }
    GNDI_FN S widen(S x) { return x; }
    GNDI_FN S identity() { return Fold == GNDI_CPU_AND ? (S) ~(S)0 : (S)0; }
    GNDI_FN S none() { return identity(); }
    GNDI_FN S fold(S a, S b) { return of(a, b); }
    GNDI_FN S combine(S a, S b) { return of(a, b); }
};

template <int Fold, class S> struct vector_fold<reduce_bits<Fold, S>> {
    static constexpr bool on = true, exact = true;
    template <class V> GNDI_FN void fold(V &a, const V &b) { a = reduce_bits<Fold, S>::of(a, b); }
};

template <int Fold> static void fill_bits(gndi_cpu_reduction *by_size) {
    fill<reduce_bits<Fold, uint8_t>>(&by_size[0]);
    fill<reduce_bits<Fold, uint16_t>>(&by_size[1]);
    fill<reduce_bits<Fold, uint32_t>>(&by_size[2]);
    fill<reduce_bits<Fold, uint64_t>>(&by_size[3]);
}

} // namespace gnd

#endif
