/*
 * vector_loops.hpp: loops that take the place of dense_loops.hpp's, put into the table. Included by vector_loops.cpp.in
 * once for each instruction set, and called when the other loops are in the table.
 */
#ifndef GNDI_VECTOR_LOOPS_HPP
#define GNDI_VECTOR_LOOPS_HPP

/* Two vectors at a time are computed side by side: their instructions are mixed before registers are given out, which
   g++ does not do by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#    pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
#include "elementwise/cpu/vector_elements.hpp"
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#    define GNDI_WITH_VECTORS
#    include "elementwise/cpu/vector_complex.hpp"
#    include "elementwise/cpu/vector_faddeeva.hpp"
#    include "elementwise/cpu/vector_math.hpp"
#    include "elementwise/cpu/vector_singles.hpp"
#    include "elementwise/cpu/vector_special.hpp"
#    include "elementwise/cpu/vector_functions.hpp"
#    include "elementwise/cpu/vector_halves.hpp"
#endif
#include "elementwise/cpu/vector_division.hpp" /* after vector_doubles.hpp, which silences a warning of <immintrin.h> */
#include "elementwise/cpu/vector_divisors.hpp"
#include "elementwise/cpu/vector_powers.hpp"

namespace {

using namespace gnd;

template <int Dtype> void fill_integers(op_rows table) {
    if constexpr (Dtype <= GND_UINT64) {
        typedef storage_of<Dtype> T;
        table[GNDI_OP_power][Dtype] = power_integers<T>;
        table[GNDI_OP_bitwise_count][Dtype] = count_bits<T>;
        table[GNDI_OP_reciprocal][Dtype] = reciprocal_integers<T>;
        table[GNDI_OP_clip][Dtype] = clip_often<T>;
        if (table[GNDI_OP_round][Dtype]) table[GNDI_OP_round][Dtype] = round_integers<T>;
#ifdef __AVX2__
        table[GNDI_OP_gcd][Dtype] = divisors_loop<false, T>();
        table[GNDI_OP_lcm][Dtype] = divisors_loop<true, T>();
#endif
        if constexpr (sizeof(T) < 8) table[GNDI_OP_floor_divide][Dtype] = floor_divide_often<T>;
        if constexpr (sizeof(T) == 1) table[GNDI_OP_multiply][Dtype] = multiply_bytes<T>;
        fill_integers<Dtype + 1>(table);
    }
}

void fill(op_rows table) {
    memcpy(plain, table, sizeof plain);
    fill_integers<GND_INT8>(table);
    fill_floats<float>(table, GND_FLOAT32, GND_COMPLEX64);
    fill_floats<double>(table, GND_FLOAT64, GND_COMPLEX128);
#ifdef __AVX512DQ__ /* which converts 64-bit integers */
    table[GNDI_OP_floor_divide][GND_INT64] = divide_long<FLOOR, int64_t>;
    table[GNDI_OP_remainder][GND_INT64] = divide_long<REMAINDER, int64_t>;
    table[GNDI_OP_fmod][GND_INT64] = divide_long<FMOD, int64_t>;
    table[GNDI_OP_divmod][GND_INT64] = divide_long<DIVMOD, int64_t>;
    table[GNDI_OP_floor_divide][GND_UINT64] = divide_long<FLOOR, uint64_t>;
    table[GNDI_OP_remainder][GND_UINT64] = divide_long<REMAINDER, uint64_t>;
    table[GNDI_OP_fmod][GND_UINT64] = divide_long<FMOD, uint64_t>;
    table[GNDI_OP_divmod][GND_UINT64] = divide_long<DIVMOD, uint64_t>;
#endif
    table[GNDI_OP_power][GND_FLOAT32] = power_real<float>;
    table[GNDI_OP_power][GND_FLOAT64] = table[GNDI_OP_float_power][GND_FLOAT64] = power_real<double>;
    table[GNDI_OP_power][GND_COMPLEX64] = power_complex<float>;
    table[GNDI_OP_power][GND_COMPLEX128] = table[GNDI_OP_float_power][GND_COMPLEX128] = power_complex<double>;
#ifdef GNDI_WITH_VECTORS
    fill_vectors(table);
    fill_complex<float>(table, GND_COMPLEX64), fill_complex<double>(table, GND_COMPLEX128);
    table[GNDI_OP_log1p][GND_COMPLEX128] = v::complex_unary<v::complex_log1p, double>; /* float32's loop is faster */
#    define OP(family, name, signature, loops, identity, flags)                                                        \
        by_float32_if<op_##name, is_by_float32<op_##name>(#signature, op_traits<op_##name>::checked)>(table);
#    include "kernels/ops/ops.def"
#    undef OP
#endif
#ifdef GNDI_WITH_SINGLES
    fill_frexp(table);
    fill_singles<singles::exp, singles::half_exp>(table, GNDI_OP_exp);
    fill_singles<singles::exp2, singles::half_exp2>(table, GNDI_OP_exp2);
    fill_singles<singles::log_of<v::natural>, singles::half_log<v::natural>>(table, GNDI_OP_log);
    fill_singles<singles::log_of<v::binary>, singles::half_log<v::binary>>(table, GNDI_OP_log2);
    fill_singles<singles::log_of<v::decimal>, singles::half_log<v::decimal>>(table, GNDI_OP_log10);
    fill_singles<singles::sinh, singles::half_hyperbolic<false>>(table, GNDI_OP_sinh);
    fill_singles<singles::tanh>(table, GNDI_OP_tanh);
    fill_singles<singles::log1p>(table, GNDI_OP_log1p);
    fill_singles<singles::arccosh>(table, GNDI_OP_arccosh);
    fill_singles<singles::circular<0>>(table, GNDI_OP_sin);
    fill_singles<singles::circular<1>>(table, GNDI_OP_cos);
    table[GNDI_OP_cbrt][GND_FLOAT16] = singles::unary<singles::half_cbrt, uint16_t>;
    table[GNDI_OP_expm1][GND_FLOAT16] = singles::unary<singles::half_expm1, uint16_t>;
    table[GNDI_OP_tan][GND_FLOAT16] = singles::unary<singles::half_tan, uint16_t>;
    table[GNDI_OP_arctan][GND_FLOAT16] = singles::unary<singles::half_arctan, uint16_t>;
    table[GNDI_OP_cosh][GND_FLOAT16] = singles::unary<singles::half_hyperbolic<true>, uint16_t>;
    table[GNDI_OP_arcsin][GND_FLOAT16] = singles::unary<singles::half_arc<false>, uint16_t>;
    table[GNDI_OP_arccos][GND_FLOAT16] = singles::unary<singles::half_arc<true>, uint16_t>;
#endif
}

} // namespace

#endif
