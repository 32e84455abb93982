/*
 * reduce_ops.h: what each reduction computes, for the CUDA kernels and the CPU loops alike.
 *
 * A reducer has an `element` type in memory and an accumulator `acc`. Elements are lifted to
 * `narrow`, a type that holds a few dozen of them folded together (int32 for sums of small
 * integers; for the rest it is acc), and narrow values are widened into the accumulator:
 *
 *     acc = combine(acc, widen(fold(fold(lift(x0), lift(x1)), lift(x2))))
 *
 * `none` is the narrow value that changes nothing, `identity` the accumulator. The identity of a
 * sum is -0.0, which leaves every number as it is. ANY, ALL and COUNT are one reducer, the count of
 * elements that are not zero; what is stored in the end differs.
 */
#ifndef GNDI_REDUCE_OPS_H
#define GNDI_REDUCE_OPS_H

#include "kernels/scalar_cast.h"

namespace gnd {

/* What a sum or product of S accumulates in: integers modulo 2^64, halves in float. */
template <class S> using accumulator_t = choose_t<is_int<S> || is_bool<S>, uint64_t, compute_t<S>>;
/* Up to 4096 small integers are summed in 32 bits. */
template <class S> constexpr bool sums_in_int32 = (is_int<S> || is_bool<S>)&&sizeof(S) <= 2;

/* x as the accumulator sees it: integers are sign-extended. */
template <class S> GNDI_FN accumulator_t<S> to_accumulator(S x) {
    if constexpr (is_signed_int<S>)
        return (uint64_t)(int64_t)x;
    else if constexpr (is_half<S>)
        return to_float(x);
    else
        return (accumulator_t<S>)x;
}

/* ---- one step of each ----------------------------------------------------------------- */

template <class A> GNDI_FN A plus(A a, A b) {
    if constexpr (is_complex<A>)
        return A{a.re + b.re, a.im + b.im};
    else
        return (A)(a + b);
}

/* A factor of exactly 1 is left out: the identity must not make inf * (1 + 0i) a NaN. */
template <class A> GNDI_FN A times(A a, A b) {
    if constexpr (is_complex<A>) {
        if (a.re == 1 && a.im == 0) return b;
        if (b.re == 1 && b.im == 0) return a;
        return A{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    } else {
        return (A)(a * b);
    }
}

/* The first NaN wins, complex numbers are ordered by real, then imaginary part, as in NumPy. */
template <bool Largest, class A> GNDI_FN A extreme(A a, A b) {
    if constexpr (is_complex<A>) {
        if (a.re != a.re || a.im != a.im) return a;
        if (b.re != b.re || b.im != b.im) return b;
        const bool first = Largest ? a.re > b.re || (a.re == b.re && a.im >= b.im)
                                   : a.re < b.re || (a.re == b.re && a.im <= b.im);
        return first ? a : b;
    } else if constexpr (is_float<A>) {
        return ((Largest ? a >= b : a <= b) | (a != a)) ? a : b;
    } else {
        return (Largest ? a >= b : a <= b) ? a : b;
    }
}

/* The value every other one beats. */
template <bool Largest, class A> GNDI_FN A worst() {
    if constexpr (is_complex<A>) {
        return A{worst<Largest, real_t<A>>(), worst<Largest, real_t<A>>()};
    } else if constexpr (is_float<A>) {
        return Largest ? -limits<A>::infinity() : limits<A>::infinity();
    } else {
        const A lowest = lowest_int<A>();
        return Largest ? lowest : (A)~lowest;
    }
}

/* ---- the reducers --------------------------------------------------------------------- */

template <class S> struct reduce_sum {
    typedef S element;
    typedef accumulator_t<S> acc;
    typedef choose_t<sums_in_int32<S>, int32_t, acc> narrow;
    GNDI_FN narrow lift(S x) {
        if constexpr (sums_in_int32<S>)
            return (int32_t)x;
        else
            return to_accumulator(x);
    }
    GNDI_FN narrow fold(narrow a, narrow b) { return plus(a, b); }
    GNDI_FN narrow none() {
        if constexpr (sums_in_int32<S>)
            return 0;
        else
            return identity();
    }
    GNDI_FN acc widen(narrow x) {
        if constexpr (sums_in_int32<S>)
            return (uint64_t)(int64_t)x;
        else
            return x;
    }
    GNDI_FN acc combine(acc a, acc b) { return plus(a, b); }
    GNDI_FN acc identity() {
        if constexpr (is_complex<acc>)
            return acc{-(real_t<acc>)0, -(real_t<acc>)0};
        else if constexpr (is_float<acc>)
            return -(acc)0;
        else
            return 0;
    }
};

template <class S> struct reduce_product {
    typedef S element;
    typedef accumulator_t<S> acc;
    typedef acc narrow;
    GNDI_FN acc lift(S x) { return to_accumulator(x); }
    GNDI_FN acc fold(acc a, acc b) { return times(a, b); }
    GNDI_FN acc none() { return identity(); }
    GNDI_FN acc widen(acc x) { return x; }
    GNDI_FN acc combine(acc a, acc b) { return times(a, b); }
    GNDI_FN acc identity() {
        if constexpr (is_complex<acc>)
            return acc{1, 0};
        else
            return 1;
    }
};

template <bool Largest, class S> struct reduce_extreme {
    typedef S element;
    typedef compute_t<S> acc;
    typedef acc narrow;
    GNDI_FN acc lift(S x) { return to_compute(x); }
    GNDI_FN acc fold(acc a, acc b) { return extreme<Largest>(a, b); }
    GNDI_FN acc none() { return identity(); }
    GNDI_FN acc widen(acc x) { return x; }
    GNDI_FN acc combine(acc a, acc b) { return extreme<Largest>(a, b); }
    GNDI_FN acc identity() { return worst<Largest, acc>(); }
};
template <class S> using reduce_minimum = reduce_extreme<false, S>;
template <class S> using reduce_maximum = reduce_extreme<true, S>;

/* Halves of either kind are zero alike: one of them serves both. */
template <class S> struct reduce_count {
    typedef S element;
    typedef uint64_t acc;
    typedef int32_t narrow;
    GNDI_FN int32_t lift(S x) { return is_nonzero(x); }
    GNDI_FN int32_t fold(int32_t a, int32_t b) { return a + b; }
    GNDI_FN int32_t none() { return 0; }
    GNDI_FN uint64_t widen(int32_t x) { return (uint64_t)(uint32_t)x; }
    GNDI_FN uint64_t combine(uint64_t a, uint64_t b) { return a + b; }
    GNDI_FN uint64_t identity() { return 0; }
};

} // namespace gnd

#endif
