/*
 * scalar_ops.h: the operators of ops.def on one element. Kernels include this header and use only
 * gnd::functor, at its end; the functions themselves, gnd::ops::<name>, are in the headers named
 * below.
 */
#ifndef GNDI_SCALAR_OPS_H
#define GNDI_SCALAR_OPS_H

#include "scalar_types.h"      /* float16, bfloat16, complex, pair, traits */
#include "scalar_cast.h"       /* cast, load_as, store_as */
#include "scalar_math.h"       /* m::exp and so on, on float and double */
#include "scalar_arith.h"      /* families move, arith */
#include "scalar_integer.h"    /* integer */
#include "scalar_compare.h"    /* compare, logical */
#include "scalar_bitwise.h"    /* bitwise */
#include "scalar_rounding.h"   /* rounding, extremum */
#include "scalar_complex.h"    /* c::exp and so on, on complex numbers */
#include "scalar_elementary.h" /* power, exponential, trig, hyperbolic */
#include "scalar_floating.h"   /* floating */
#include "scalar_special.h"    /* special */
#include "scalar_weights.h"    /* weights */

namespace gnd {

/* The operators' numbers, gnd::op_add and so on: the same as gndi_op's GNDI_OP_add. */
enum op_number {
#define OP(family, name, signature, loops, identity, flags) op_##name,
#include "kernels/ops/ops.def"
#include "kernels/ops/special.def"
#undef OP
    op_count
};

/* The storage type of an operand with this signature letter in the loop of storage type S. */
template <char Letter, class S> struct letter;
template <class S> struct letter<'T', S> { typedef S type; };
template <class S> struct letter<'R', S> { typedef real_t<S> type; };
template <class S> struct letter<'B', S> { typedef bool type; };
template <class S> struct letter<'I', S> { typedef int64_t type; };
template <class S> struct letter<'U', S> { typedef uint64_t type; };
template <class S> struct letter<'N', S> { typedef int32_t type; };
template <class S> struct letter<'H', S> { typedef uint8_t type; };
template <char Letter, class S> using letter_t = typename letter<Letter, S>::type;

struct op_flag_names {
    enum { PARAMS = 1, CHECKED = 2, INTERNAL = 4, INTERNAL_CHECKED = 6, ASSOCIATIVE = 8 };
};

/* What ops.def says about an operator: its operands, whether it takes parameters or can fault. */
template <int Op> struct op_traits;
#define GNDI_OP_TRAITS(name, signature, flags)                                                                         \
    template <> struct op_traits<op_##name> : op_flag_names {                                                          \
        template <int K> static constexpr char letter = (#signature)[K];                                               \
        static constexpr int nin = letter<1> == '_' ? 1 : letter<2> == '_' ? 2 : 3;                                    \
        static constexpr int nout = (int)sizeof(#signature) - 2 - nin;                                                 \
        static constexpr bool has_params = ((flags)&PARAMS) != 0;                                                      \
        static constexpr bool checked = ((flags)&CHECKED) != 0;                                                        \
        static constexpr bool associative = ((flags)&ASSOCIATIVE) != 0;                                                \
    };
#define OP(family, name, signature, loops, identity, flags) GNDI_OP_TRAITS(name, signature, flags)
#include "kernels/ops/ops.def"
#undef OP

/*
 * functor<Op, S>: operator Op in the loop of storage type S.
 *
 *     typedef gnd::functor<gnd::op_add, gnd::float16> F;      // GNDI_OP_add does as well
 *     F::nin, F::nout, F::has_params, F::checked              // compile-time constants
 *     F::in<0>, F::out<0>                                     // storage types of the operands
 *     y = store_as<To, F::out<0>>(F::apply(load_as<F::in<0>>(a), load_as<F::in<1>>(b)));
 *
 * apply takes and returns compute types (compute_t of in<k>, out<k>), two outputs as a gnd::pair.
 * Operators with parameters take them last, a `const double *`. If F::checked, F::faults(args...)
 * says whether these arguments are an error. If F::on_bits, apply takes and returns storage types.
 */
template <int Op, class S> struct functor;

template <int Op, class S> struct functor_types {
    typedef S loop;
    static constexpr bool on_bits = false;
    static constexpr int nin = op_traits<Op>::nin, nout = op_traits<Op>::nout;
    static constexpr bool has_params = op_traits<Op>::has_params;
    static constexpr bool checked = op_traits<Op>::checked;
    template <int K> using in = letter_t<op_traits<Op>::template letter<K>, S>;
    template <int K> using out = letter_t<op_traits<Op>::template letter<nin + 1 + K>, S>;
};

#define OP(family, name, signature, loops, identity, flags)                                                            \
    template <class S> struct functor<op_##name, S> : functor_types<op_##name, S> {                                    \
        template <class... A> GNDI_FN auto apply(A... a) { return ops::name(a...); }                                   \
        template <class... A> GNDI_FN bool faults(A... a) {                                                            \
            if constexpr (op_##name == op_power)                                                                       \
                return ops::power_faults(a...);                                                                        \
            else if constexpr (op_##name == op_weighted)                                                               \
                return ops::weighted_faults(a...);                                                                     \
            else if constexpr (op_##name == op_check_weight)                                                           \
                return ops::check_weight_faults(a...);                                                                 \
            else                                                                                                       \
                return false;                                                                                          \
        }                                                                                                              \
    };
#include "kernels/ops/ops.def"
#undef OP

/* Operators that depend on the spacing of 16-bit numbers, or round to 16 bits between two steps. */
#define GNDI_ON_STORAGE(S, name, function)                                                                             \
    template <> struct functor<op_##name, S> : functor_types<op_##name, S> {                                           \
        template <class... A> GNDI_FN auto apply(A... a) { return ops::function<S>(a...); }                            \
        template <class... A> GNDI_FN bool faults(A...) { return false; }                                              \
    };
#define GNDI_ON_STORAGES(name, function)                                                                               \
    GNDI_ON_STORAGE(float16, name, function)                                                                           \
    GNDI_ON_STORAGE(bfloat16, name, function)
GNDI_ON_STORAGES(fma, fma_16)
GNDI_ON_STORAGES(nextafter, nextafter_on)
GNDI_ON_STORAGES(spacing, spacing_on)
GNDI_ON_STORAGES(round, round_to)
GNDI_ON_STORAGES(isclose, isclose_on)
GNDI_ON_STORAGES(nan_to_num, nan_to_num_on)
#undef GNDI_ON_STORAGE
#undef GNDI_ON_STORAGES

/* In 16 bits, operators that move a number or change its sign work on the bits: nothing is converted, and NaNs keep
   their bits, the sign too. */
#define GNDI_ON_BITS(S, name)                                                                                          \
    template <> struct functor<op_##name, S> : functor_types<op_##name, S> {                                           \
        static constexpr bool on_bits = true;                                                                          \
        template <class... A> GNDI_FN auto apply(A... a) { return ops::name(a...); }                                   \
        template <class... A> GNDI_FN bool faults(A...) { return false; }                                              \
    };
#define GNDI_ON_BITS_BOTH(name)                                                                                        \
    GNDI_ON_BITS(float16, name)                                                                                        \
    GNDI_ON_BITS(bfloat16, name)
GNDI_ON_BITS_BOTH(copy)
GNDI_ON_BITS_BOTH(where)
GNDI_ON_BITS_BOTH(positive)
GNDI_ON_BITS_BOTH(conjugate)
GNDI_ON_BITS_BOTH(negative)
GNDI_ON_BITS_BOTH(absolute)
GNDI_ON_BITS_BOTH(fabs)
GNDI_ON_BITS_BOTH(copysign)
GNDI_ON_BITS_BOTH(signbit)
#undef GNDI_ON_BITS
#undef GNDI_ON_BITS_BOTH

/* Converts an operand to what apply takes, and a result to its type in memory. */
template <class F, class S> GNDI_FN auto operand_of(S x) {
    if constexpr (F::on_bits)
        return x;
    else
        return to_compute(x);
}
template <class F, class S, class V> GNDI_FN S result_of(V x) {
    if constexpr (F::on_bits)
        return x;
    else
        return from_compute<S>(x);
}

} // namespace gnd

#endif
