/*
 * vector_halves.hpp: functions of float16, which are widened to float32 in blocks. Included by vector_loops.hpp.
 */
#ifndef GNDI_VECTOR_HALVES_HPP
#define GNDI_VECTOR_HALVES_HPP

namespace {

using namespace gnd;

gndi_cpu_kernel single[GNDI_OP_COUNT];

void widen(const uint16_t *from, float *to, int64_t n) {
    int64_t i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
#endif
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    for (; i < n; i++) to[i] = _cvtsh_ss(from[i]);
}
void narrow(const float *from, uint16_t *to, int64_t n) {
    int64_t i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#endif
    for (; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
    for (; i < n; i++) to[i] = _cvtss_sh(from[i], 0);
}
template <int Op> int by_float32(char *const *operand, int64_t n, const double *params) {
    typedef op_traits<Op> row;
    constexpr int count = row::nout + row::nin, step = 4 * BLOCK; /* loops begin anew for each */
    for (int64_t i = 0; i < n; i += step) {
        const int64_t m = n - i < step ? n - i : step;
        float block[count][step];
        char *part[count];
        for (int k = 0; k < count; k++) {
            part[k] = (char *)block[k];
            if (k >= row::nout) widen((const uint16_t *)operand[k] + i, block[k], m);
        }
        single[Op](part, m, params);
        for (int k = 0; k < row::nout; k++) narrow(block[k], (uint16_t *)operand[k] + i, m);
    }
    return 0;
}
/* Whether all operands are T, and float16 computes what float32 does. */
template <int Op> constexpr bool is_by_float32(const char *signature, bool is_checked) {
    for (const char *c = signature; *c; c++)
        if (*c != 'T' && *c != '_') return false;
    typedef functor<Op, float16> F;
    return !F::on_bits && !op_traits<Op>::has_params && (!is_checked || Op == op_power) && Op != op_fma &&
           Op != op_nextafter && Op != op_spacing && Op != op_round && Op != op_nan_to_num;
}
template <int Op, bool Yes> void by_float32_if(op_rows table) {
    if constexpr (Yes) {
        single[Op] = table[Op][GND_FLOAT32];
        if (single[Op] && table[Op][GND_FLOAT16]) table[Op][GND_FLOAT16] = by_float32<Op>;
    }
}
#ifdef GNDI_WITH_SINGLES
/* A function of vector_singles.hpp, and what float16 takes for it. */
template <class F, class Half = F> void fill_singles(op_rows table, gndi_op op) {
    table[op][GND_FLOAT32] = singles::unary<F, float>;
    table[op][GND_FLOAT16] = singles::unary<Half, uint16_t>;
}
#endif

} // namespace

#endif
