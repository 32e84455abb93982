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
} // namespace

/* Functions to some 19 bits, for float16 alone. */
namespace {
namespace singles {

#    define APPLY static inline __attribute__((always_inline)) vec apply
/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2; (arctan(y) / y - 1) / y^2 of y^2 <= 1; (tan(r) / r - 1) / r^2 of r^2,
   |r| <= pi / 4 */
static const float half_exp_q[] = {0.4999975f, 0.1666663f, 0.04183393f, 0.008357246f};
static const float half_arctan_q[] = {-0.33332902f, 0.1996855f, -0.13896126f, 0.092292994f, -0.04486639f, 0.01057867f};
static const float half_tan_q[] = {0.3333346f, 0.13323197f, 0.05524766f, 0.016397463f, 0.017738089f};

/* 1 / x to some 27 bits, 0 < |x| < 2^126 */
static inline __attribute__((always_inline)) vec inverse(vec x) {
    const vec near = _mm512_rcp14_ps(x);
    return fma(near, fnma(x, near, all(1)), near);
}
/* 2^k e^r, |r| <= log(2) / 2 */
static inline __attribute__((always_inline)) vec half_scaled_exp(vec r, vec k) {
    return _mm512_scalef_ps(all(1) + fma(r * r, polynomial(half_exp_q, r), r), k);
}
struct half_exp {
    static const bool has_odd = false;
    APPLY(vec x) {
        const vec a = _mm512_min_ps(all(40), _mm512_max_ps(all(-40), x)), k = rint(a * all(0x1.715476p+0f));
        return half_scaled_exp(fnma(k, all(0x1.62e430p-1f), a), k);
    }
};
struct half_exp2 {
    static const bool has_odd = false;
    APPLY(vec x) {
        const vec a = _mm512_min_ps(all(40), _mm512_max_ps(all(-40), x)), k = rint(a);
        return half_scaled_exp((a - k) * all(0x1.62e430p-1f), k);
    }
};
/* 2^k p + (2^k - 1), where p is e^r - 1. */
struct half_expm1 {
    static const bool has_odd = false;
    APPLY(vec x) {
        const vec a = _mm512_min_ps(all(20), _mm512_max_ps(all(-20), x)), k = rint(a * all(0x1.715476p+0f));
        const vec r = fnma(k, all(0x1.62e430p-1f), a), power = _mm512_scalef_ps(all(1), k);
        const vec value = fma(power, fma(r * r, polynomial(half_exp_q, r), r), power - all(1));
        return choose(_mm512_cmp_ps_mask(x, all(0), _CMP_EQ_OQ), x, value);
    }
};
struct half_arctan {
    static const bool has_odd = false;
    APPLY(vec x) {
        const vec a = _mm512_min_ps(all(0x1p20f), _mm512_abs_ps(x));
        const mask far = _mm512_cmp_ps_mask(a, all(1), _CMP_GT_OQ);
        const vec y = _mm512_mask_blend_ps(far, a, inverse(a)), z = y * y;
        const vec angle = fma(y * z, polynomial(half_arctan_q, z), y);
        return with_sign(choose(far, all(0x1.921fb6p+0f) - angle, angle), x);
    }
};
/* pi / 2 is in two parts. x has 11 bits and the first part 24, so the first difference is exact. */
struct half_tan {
    static const bool has_odd = false;
    APPLY(vec x) {
        const vec k = rint(x * all(0x1.45f306p-1f));
        const vec r = fnma(k, all(-0x1.777a5cp-25f), fnma(k, all(0x1.921fb6p+0f), x)), z = r * r;
        const vec t = fma(r * z, polynomial(half_tan_q, z), r);
        const mask odd = _mm512_test_epi32_mask(_mm512_cvtps_epi32(k), _mm512_set1_epi32(1));
        return choose(_mm512_cmp_ps_mask(x, all(0), _CMP_EQ_OQ), x, choose(odd, -inverse(t), t));
    }
};
#    undef APPLY

} // namespace singles

/* A function of vector_singles.hpp, and what float16 takes for it. */
template <class F, class Half = F> void fill_singles(op_rows table, gndi_op op) {
    table[op][GND_FLOAT32] = singles::unary<F, float>;
    table[op][GND_FLOAT16] = singles::unary<Half, uint16_t>;
}
#endif

} // namespace

#endif
