/*
 * fuse_slots.cuh: values of a fused program in words. Element j of a loop of storage type S is slot j of
 * sizeof(S) bytes; a narrower value (a bool beside floats) is in its low bytes, and the others are 0.
 * Everything is done by shifts, so that words stay in registers.
 */
#ifndef GNDI_FUSE_SLOTS_CUH
#define GNDI_FUSE_SLOTS_CUH

#include "elementwise/cuda/elementwise_operator.cuh"
#include "fuse/cuda/fuse_params.h"
#include "reduce/reduce_ops.h"

namespace gnd {

template <class T> constexpr int size_of = (int)sizeof(T);
template <> constexpr int size_of<absent> = 0;

/* The low 64 bits of slot j. */
template <int Size, int P> GNDI_FN uint64_t slot_bits(const uint32_t (&w)[P], int j) {
    if constexpr (Size == 1)
        return (uint8_t)(w[j / 4] >> (j % 4 * 8));
    else if constexpr (Size == 2)
        return (uint16_t)(w[j / 2] >> (j % 2 * 16));
    else if constexpr (Size == 4)
        return w[j];
    else
        return w[j * (Size / 4)] | (uint64_t)w[j * (Size / 4) + 1] << 32;
}

/* Slot j of slots of S's size as a T, which is no larger. */
template <class S, class T, int P> GNDI_FN T value_in(const uint32_t (&w)[P], int j) {
    static_assert(size_of<T> <= size_of<S>, "a slot holds it");
    T x = T();
    if constexpr (size_of<T> == 16) {
        memcpy(&x, w + j * 4, sizeof x);
    } else if constexpr (is_bool<T>) {
        x = (uint8_t)slot_bits<size_of<S>>(w, j) != 0;
    } else if constexpr (size_of<T> == 8) {
        const uint64_t bits = slot_bits<size_of<S>>(w, j);
        memcpy(&x, &bits, sizeof x);
    } else if constexpr (size_of<T> == 4) {
        const uint32_t bits = (uint32_t)slot_bits<size_of<S>>(w, j);
        memcpy(&x, &bits, sizeof x);
    } else {
        typedef choose_t<size_of<T> == 1, uint8_t, uint16_t> bits_type;
        const bits_type bits = (bits_type)slot_bits<size_of<S>>(w, j);
        memcpy(&x, &bits, sizeof x);
    }
    return x;
}

/* A value's bits, the rest 0. */
template <class T> GNDI_FN uint64_t bits_of(T x) {
    if constexpr (size_of<T> == 8) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof x);
        return bits;
    } else if constexpr (size_of<T> == 4) {
        uint32_t bits;
        memcpy(&bits, &x, sizeof x);
        return bits;
    } else if constexpr (size_of<T> == 2) {
        uint16_t bits;
        memcpy(&bits, &x, sizeof x);
        return bits;
    } else {
        return (uint8_t)x;
    }
}

/* Writes a T to slot j. Slots are written in order: those behind j are undefined afterwards. */
template <class S, class T, int P> GNDI_FN void set_value(uint32_t (&w)[P], int j, T x) {
    static_assert(size_of<T> <= size_of<S>, "a slot holds it");
    if constexpr (size_of<T> == 16) {
        memcpy(w + j * 4, &x, sizeof x);
    } else {
        const uint64_t bits = bits_of(x);
        if constexpr (size_of<S> >= 8) {
            constexpr int words = size_of<S> / 4;
            w[j * words] = (uint32_t)bits, w[j * words + 1] = (uint32_t)(bits >> 32);
            if constexpr (words == 4) w[j * 4 + 2] = w[j * 4 + 3] = 0;
        } else {
            constexpr int each = 4 / size_of<S>;
            const uint32_t position = (uint32_t)bits << (j % each * 8 * size_of<S>);
            w[j / each] = j % each ? w[j / each] | position : position;
        }
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Operator Op in loop L on slots of S: whether its operands fit slots, and how many elements are done at once. */
template <int Op, class L, class S> struct slot_operator {
    typedef operation<Op, L> O;
    static constexpr bool fits = O::widest <= size_of<S>;
    /* Light operators have few instructions, and are unrolled over all of a thread's elements in the kernel itself;
       others are functions of a chunk, so that there is one copy of their code. */
    static constexpr bool light = O::nin == 3 ||
                                  (O::cheap && !(Op == GNDI_OP_divide && (is_complex<L> || size_of<L> > 4))) ||
                                  (GNDI_TUNE_FUSE_EXP && is_same<L, float> && Op == GNDI_OP_exp);

    /* a becomes the first or second result. */
    template <bool Second, int P>
    GNDI_FN void apply(const double *params, uint32_t (&a)[P], const uint32_t (&b)[P], const uint32_t (&c)[P]) {
        constexpr int count = P * 4 / size_of<S>;
        uint32_t out[P];
#pragma unroll
        for (int j = 0; j < count; j++) {
            typename O::template out<0> first = {};
            typename O::template out<1> second = {};
            O::apply(operand<typename O::template in<0>>(a, j), operand<typename O::template in<1>>(b, j),
                     operand<typename O::template in<2>>(c, j), params, first, second);
            if constexpr (Second)
                set_value<S>(out, j, second);
            else
                set_value<S>(out, j, first);
        }
#pragma unroll
        for (int i = 0; i < P; i++) a[i] = out[i];
    }

  private:
    template <class T, int P> GNDI_FN T operand(const uint32_t (&w)[P], int j) {
        if constexpr (is_same<T, absent>)
            return T();
        else
            return value_in<S, T>(w, j);
    }
};

/* Whether Op has loop L, its operands fit slots of S, and its code is in the kernel, or in heavy_chunk. */
template <int Op, class L, class S> constexpr bool runs() {
    if constexpr (has_loop(Op, dtype_of<L>))
        return slot_operator<Op, L, S>::fits;
    else
        return false;
}
template <int Op, class L, class S> constexpr bool runs_light() {
    if constexpr (runs<Op, L, S>())
        return slot_operator<Op, L, S>::light;
    else
        return false;
}
template <int Op, class S> constexpr bool runs_heavy() {
    return runs<Op, S, S>() && !runs_light<Op, S, S>();
}
template <int Op, class S> constexpr bool has_second() {
    return runs<Op, S, S>() && op_traits<Op>::nout == 2;
}
/* Which operators have a bool loop beside that of numbers. */
template <int Op, class S> constexpr bool runs_beside() {
    constexpr const char *family = table_rows[Op].family;
    return !is_bool<S> && runs_light<Op, bool, S>() &&
           (same_text(family, "logical") || same_text(family, "bitwise") || same_text(family, "compare"));
}

} // namespace gnd

#endif
