/*
 * one_step.hpp: a step of an operator that waits for the step before, as in scans and ordered
 * reductions. The latency of a step decides. The bodies of scalar_ops.h are made for
 * vectors, which divide integers as floating numbers and have no branches; here the CPU divides
 * integers itself, and what is settled at once is not computed. Results are the same.
 */
#ifndef GNDI_CPU_ONE_STEP_HPP
#define GNDI_CPU_ONE_STEP_HPP

#include "elementwise/cpu/dense_loops.hpp"

namespace {

/* floor_divide, remainder and fmod of integers: by 0 they give 0, and the lowest integer divided by
   -1 gives itself. */
template <int Op, class T> GNDI_FN T divided(T a, T b) {
    if (b == 0) return 0;
    if constexpr (is_signed_int<T>)
        if (b == -1) return Op == op_floor_divide ? ops::negative(a) : (T)0;
    const T quotient = (T)(a / b), rest = (T)(a % b);
    const bool below = is_signed_int<T> && (rest != 0) & ((rest ^ b) < 0);
    if constexpr (Op == op_floor_divide)
        return (T)(quotient - below);
    else if constexpr (Op == op_remainder)
        return (T)(rest + (below ? b : 0));
    else
        return rest;
}

/* a to the power b; 0 and 1 are their own powers. */
template <class T> GNDI_FN T raised(T a, T b) {
    if (a == 1 || (a == 0 && b > 0)) return a;
    return ops::power(a, b);
}

/* The same of real numbers: 1 stays 1, 0 and infinity do by positive powers, and NaN by all but 0. Running powers come
   to 1 or beside it: there 1 + b (a - 1) is short of the power by at most 36 (a - 1)^2. */
template <class T> GNDI_FN T raised_real(T a, T b) {
    if (a == 1) return a;
    const T beyond = a - 1;
    if (__builtin_fabs(beyond) <= 4 * limits<T>::epsilon() && __builtin_fabs(b) <= 8 && !ops::is_simple_exponent(b))
        return 1 + b * beyond;
    if (a == limits<T>::infinity() && b > 0) return a;
    if ((a == 0 && !__builtin_signbit(a) && b > 0) || (a != a && b != 0)) return a;
    return ops::power(a, b);
}

/* nextafter on the bits of a 16-bit number. Magnitudes beyond infinity are NaN. */
template <class T> GNDI_FN T next_in_bits(T x, T y) {
    const int infinity = is_same<T, float16> ? 0x7c00 : 0x7f80;
    const int a = x.bits & 0x7fff, b = y.bits & 0x7fff;
    if (a > infinity || b > infinity) return from_compute<T>(limits<float>::nan());
    const int from = x.bits & 0x8000 ? -a : a, to = y.bits & 0x8000 ? -b : b;
    if (from == to) return y;
    if (a == 0) return T{(uint16_t)((y.bits & 0x8000) | 1)};
    return T{(uint16_t)(((from < to) == (from > 0)) ? x.bits + 1 : x.bits - 1)};
}

/* Shifts by any number of bits, in 64 of them: of a shorter integer none are left then. What depends on b alone does
   not wait for a. */
template <int Op, class T> GNDI_FN T shifted(T a, T b) {
    const uint64_t by = (bits_t<T>)b, most = by < 63 ? by : 63;
    if constexpr (Op == op_right_shift && is_signed_int<T>) {
        return (T)((int64_t)a >> most);
    } else {
        const uint64_t kept = sizeof(T) < 8 || by < 64 ? ~UINT64_C(0) : 0, from = (uint64_t)a & kept;
        return (T)(Op == op_left_shift ? from << most : from >> most);
    }
}

/* A number of float32 rounded to float16, as float32. */
GNDI_FN float on_half_grid(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude == 0 || magnitude == 0x7f800000u) return x;
    if (magnitude < 0x38800000u || magnitude >= 0x477fe000u) /* not a normal number of float16 */
        return to_compute(from_compute<float16>(x));
    bits = (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The same for results that mostly are about as large as the one before: what a step waits for is a sum with 2^13
   times their power of two, whose last bit is that of float16, and a difference. */
struct half_grid {
    uint32_t power = 1; /* sign and exponent that `shift` is for; 1: none */
    float shift = 0;

    GNDI_FN_MEMBER float rounded(float x) {
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        const uint32_t magnitude = bits & 0x7fffffffu, its_power = bits & 0xff800000u;
        if (__builtin_expect(its_power != power || magnitude >= 0x477fe000u, 0)) {
            if (magnitude >= 0x38800000u && magnitude < 0x477fe000u) {
                const uint32_t shift_bits = its_power + (13u << 23);
                memcpy(&shift, &shift_bits, sizeof shift);
                power = its_power;
            }
            return on_half_grid(x);
        }
        return x + shift - shift;
    }
};

/* op(a, b) of two elements as they are stored. */
template <int Op, class F, class S> GNDI_FN S one_step(S a, S b) {
    constexpr bool largest = Op == op_maximum || Op == op_fmax;
    constexpr bool smallest = Op == op_minimum || Op == op_fmin;
    constexpr bool divides = Op == op_floor_divide || Op == op_remainder || Op == op_fmod;
    if constexpr (is_int<S> && divides)
        return divided<Op>(a, b);
    else if constexpr (is_int<S> && Op == op_power)
        return raised(a, b);
    else if constexpr ((is_same<S, float> || is_same<S, double>)&&(Op == op_power || Op == op_float_power))
        return raised_real(a, b);
    else if constexpr (is_int<S> && (Op == op_left_shift || Op == op_right_shift))
        return shifted<Op>(a, b);
    else if constexpr (is_int<S> && Op == op_gcd) /* running ones soon are 1 */
        return a == 1 ? a : ops::gcd(a, b);
    else if constexpr (is_int<S> && Op == op_lcm) /* a running lcm is the larger one: divided first */
        return ops::lcm(b, a);
    else if constexpr (is_half<S> && Op == op_nextafter)
        return next_in_bits(a, b);
    else if constexpr (is_bool<S> && (largest || smallest)) /* selections become branches */
        return largest ? a | b : a & b;
    else
        return result_of<F, S>(F::apply(operand_of<F, S>(a), operand_of<F, S>(b)));
}

/* Whether a running result of float16 is best kept as float32. */
template <class F, class S> constexpr bool runs_on_grid =
    is_same<S, float16> && !F::on_bits && !is_same<F, functor<op_nextafter, S>>;

/* That running result after n more elements, `each` of which is told of. Elements are widened in vectors before their
   steps. */
template <class F, class Each>
GNDI_FN float run_on_grid(float running, const char *x, int64_t step_bytes, int64_t n, const Each &each) {
    constexpr int64_t most = 64;
    float wide[most];
    half_grid grid;
    for (; n > 0; n -= most, x += most * step_bytes) {
        const int64_t some = n < most ? n : most;
        for (int64_t i = 0; i < some; i++) wide[i] = to_compute(*(const float16 *)(x + i * step_bytes));
        for (int64_t i = 0; i < some; i++) {
            const float next = F::apply(running, wide[i]);
            each(running = is_same<F, functor<op_subtract, float16>> ? grid.rounded(next) : on_half_grid(next));
        }
    }
    return running;
}

} // namespace

#endif
