/*
 * vector_singles.hpp: functions of float32 on whole vectors of AVX-512, for all arguments: libmvec's go number by
 * number where the argument is large, or negative in a logarithm. They err by at most 2.1 units in the last place.
 *
 * Sources: S. L. Moshier, Cephes Mathematical Library 2.8 (2000), for the polynomials of exp, sin and cos; logarithms
 * by a table of 16 as in vector_math.hpp.
 */
#ifndef GNDI_VECTOR_SINGLES_HPP
#define GNDI_VECTOR_SINGLES_HPP

#include "elementwise/cpu/vector_math.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#    define GNDI_WITH_SINGLES

namespace {
namespace singles {

#    define INLINE static inline __attribute__((always_inline, unused))

typedef __m512 vec;
typedef __mmask16 mask;

INLINE vec all(float x) {
    return _mm512_set1_ps(x);
}
INLINE vec fma(vec a, vec b, vec c) {
    return _mm512_fmadd_ps(a, b, c);
}
INLINE vec fnma(vec a, vec b, vec c) { /* c - a b */
    return _mm512_fnmadd_ps(a, b, c);
}
INLINE vec rint(vec x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE vec trunc(vec x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
INLINE vec choose(mask m, vec a, vec b) { /* m ? a : b */
    return _mm512_mask_blend_ps(m, b, a);
}
/* As v::bounded in vector_math.hpp. */
INLINE vec bounded(vec x, float low, float high, mask &none) {
    none = _mm512_cmp_ps_mask(x, all(low), _CMP_LT_OQ);
    return _mm512_mask_blend_ps(none, _mm512_min_ps(all(high), x), all(0));
}
/* table[the last five bits of index] */
INLINE vec look_up(const float *table, __m512i index) {
    return _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
}
template <int N> INLINE vec polynomial(const float (&c)[N], vec x) {
    vec sum = all(c[N - 1]);
    for (int i = N - 2; i >= 0; i--) sum = fma(sum, x, all(c[i]));
    return sum;
}

/* ---- exponentials --------------------------------------------------------------------------- */

static const float exp_q[] = {5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f,
                              8.3334519073e-3f, 1.3981999507e-3f, 1.9875691500e-4f};

/* e^r 2^k, |r| <= ln(2) / 2 */
INLINE vec grown(vec r, vec k) {
    return _mm512_scalef_ps(all(1) + fma(r * r, polynomial(exp_q, r), r), k);
}
struct exp {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        mask none;
        x = bounded(x, -103.98f, 90, none);
        const vec k = rint(x * all(0x1.715476p+0f));
        return choose(none, all(0), grown(fnma(k, all(-0x1.05c610p-29f), fnma(k, all(0x1.62e430p-1f), x)), k));
    }
};
struct exp2 {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        mask none;
        x = bounded(x, -150.5f, 130, none);
        const vec k = rint(x), f = x - k;
        return choose(none, all(0), grown(f * all(0x1.62e430p-1f), k));
    }
};

static const float sinh_q[] = {1.6666667e-1f, 8.3333333e-3f, 1.9841270e-4f, 2.7557319e-6f};

/* Below 1 by a series; else half of e^x, less half of e^-x. */
struct sinh {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = _mm512_min_ps(all(90), _mm512_abs_ps(x)), k = rint(a * all(0x1.715476p+0f)), z = a * a;
        const vec r = fnma(k, all(-0x1.05c610p-29f), fnma(k, all(0x1.62e430p-1f), a));
        const vec half = grown(r, k - all(1)), large = half - all(0.25f) / half;
        const vec small = fma(a * z, polynomial(sinh_q, z), a);
        const vec value = choose(_mm512_cmp_ps_mask(a, all(1), _CMP_LT_OQ), small, large);
        const vec is_signed = _mm512_or_ps(value, _mm512_and_ps(x, all(-0.0f)));
        return choose(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x, is_signed);
    }
};

/* x >= 0 with the sign of y. */
INLINE vec with_sign(vec x, vec y) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y),
                                                         _mm512_set1_epi32((int)0x80000000u), 0xf8)); /* x | y & sign */
}
static const float half_sinh_q[] = {0.1666663f, 0.00835768f}, half_cosh_q[] = {0.49999738f, 0.041837193f};

/* sinh and cosh to some 21 bits, for float16: without a division, by the odd and the even part of e^r. */
template <bool Cosine> struct half_hyperbolic {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = _mm512_min_ps(all(20), _mm512_abs_ps(x)), k = rint(a * all(0x1.715476p+0f));
        const vec r = fnma(k, all(0x1.62e430p-1f), a), z = r * r;
        const vec odd = fma(r * z, polynomial(half_sinh_q, z), r), even = fma(z, polynomial(half_cosh_q, z), all(1));
        const vec up = _mm512_scalef_ps(all(0.5f), k), down = _mm512_scalef_ps(all(0.5f), -k);
        if (Cosine) return fma(odd, up - down, even * (up + down));
        return with_sign(fma(even, up - down, odd * (up + down)), x);
    }
};

/* The cube root to some 21 bits, for float16: x y^2, where y, 1 over the root, comes of its exponent and two steps of
   y (1 - h)^(-1/3), h = 1 - |x| y^3. */
struct half_cbrt {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = _mm512_abs_ps(x), third = all(1 / 3.0f);
        const vec bits = _mm512_cvtepi32_ps(_mm512_castps_si512(a));
        vec y = _mm512_castsi512_ps(_mm512_cvtps_epi32(fnma(bits, third, all((float)0x54a2fa8c))));
        vec h = fnma(a * y, y * y, all(1));
        y = fma(y * h, fma(h, all(2 / 9.0f), third), y);
        h = fnma(a * y, y * y, all(1));
        y = fma(y * h, third, y);
        const mask finite = _mm512_cmp_ps_mask(a, all(__builtin_inff()), _CMP_LT_OQ);
        return choose(finite, with_sign(a * y * y, x), x);
    }
};

/* tanh in each quarter of an octave from 1/16 to 10: a middle m, chosen so that tanh(m) needs no second part, and
   tanh(m + h) by powers of h; below, of the number itself. By the last three bits of the exponent and the first two of
   the mantissa. */
// clang-format off
static const float tanh_t[7][32] = {
    {0x1.20093ep+1f, 0x1.6016ecp+1f, 0x1.a01c78p+1f, 0x1.e01726p+1f, 0x1.2004d2p+2f, 0x1.6005f2p+2f, 0x1.ap+2f,
     0x1.e01f3ep+2f, 0x1.3p+3f, 0, 0, 0, 0x1.200c32p-4f, 0x1.601868p-4f, 0x1.a010f6p-4f, 0x1.e00434p-4f,
     0x1.2010ep-3f, 0x1.6006ap-3f, 0x1.a01ad6p-3f, 0x1.e01738p-3f, 0x1.201c7cp-2f, 0x1.600068p-2f, 0x1.a0178ep-2f,
     0x1.e0167ep-2f, 0x1.2018bp-1f, 0x1.600e3p-1f, 0x1.a01cfcp-1f, 0x1.e01612p-1f, 0x1.20155cp+0f, 0x1.60064p+0f,
     0x1.a01248p+0f, 0x1.e00076p+0f},
    {0x1.f4c172p-1f, 0x1.fbd686p-1f, 0x1.fe7728p-1f, 0x1.ff6f4cp-1f, 0x1.ffdfacp-1f, 0x1.fffbap-1f, 0x1.ffff68p-1f,
     0x1.ffffecp-1f, 0x1p+0f, 0, 0, 0, 0x1.1f92ep-4f, 0x1.5f3b0cp-4f, 0x1.9ea42p-4f, 0x1.ddd4b8p-4f, 0x1.1e2e5cp-3f,
     0x1.5c9976p-3f, 0x1.9a78dep-3f, 0x1.d77c5ap-3f, 0x1.18bdf2p-2f, 0x1.52c322p-2f, 0x1.8a9bfp-2f, 0x1.bfc09cp-2f,
     0x1.051ab4p-1f, 0x1.316104p-1f, 0x1.5798eep-1f, 0x1.77e266p-1f, 0x1.9e6b72p-1f, 0x1.c27b78p-1f, 0x1.d9cc3cp-1f,
     0x1.e878b4p-1f},
    {0x1.63de44p-5f, 0x1.09495ap-6f, 0x1.88415p-8f, 0x1.213f1ep-9f, 0x1.02984ep-11f, 0x1.17ff5cp-14f,
     0x1.2f6078p-17f, 0x1.4736b6p-20f, 0x1.92ced2p-26f, 0, 0, 0x1p+0f, 0x1.fd79eap-1f, 0x1.fc3c3ap-1f,
     0x1.fac0d2p-1f, 0x1.f9083cp-1f, 0x1.f600a4p-1f, 0x1.f12a74p-1f, 0x1.eb6ec4p-1f, 0x1.e4dd2ap-1f, 0x1.d983fep-1f,
     0x1.c7f704p-1f, 0x1.b3f774p-1f, 0x1.9e1bbap-1f, 0x1.7ad846p-1f, 0x1.49dbd8p-1f, 0x1.196a6cp-1f, 0x1.d816fp-2f,
     0x1.61204ep-2f, 0x1.ce9366p-3f, 0x1.26374ep-3f, 0x1.6fce64p-4f},
    {-0x1.5c0a2ep-5f, -0x1.071c42p-6f, -0x1.870b5ep-8f, -0x1.20e654p-9f, -0x1.021e34p-11f, -0x1.178998p-14f,
     -0x1.2ee32p-17f, -0x1.46af0ep-20f, -0x1.f490d2p-27f, 0, 0, 0, -0x1.1e27fep-4f, -0x1.5ca5e6p-4f, -0x1.9a645ap-4f,
     -0x1.d753fep-4f, -0x1.1897dp-3f, -0x1.527fdep-3f, -0x1.89fbb6p-3f, -0x1.be7f36p-3f, -0x1.03a3d8p-2f,
     -0x1.2dafd6p-2f, -0x1.500232p-2f, -0x1.6a24fcp-2f, -0x1.8265eep-2f, -0x1.897be6p-2f, -0x1.79b5b6p-2f,
     -0x1.5a9598p-2f, -0x1.1dd3e4p-2f, -0x1.96ffe2p-3f, -0x1.1043cp-3f, -0x1.5ee784p-4f},
    {0x1.bb9332p-6f, 0x1.591cb2p-7f, 0x1.032436p-8f, 0x1.805d1ap-10f, 0x1.584b2ap-12f, 0x1.750576p-15f,
     0x1.9437d6p-18f, 0x1.b3e4fap-21f, 0x1.35bfeep-25f, 0, 0, -0x1.55554ep-2f, -0x1.4ea0dp-2f, -0x1.4b5972p-2f,
     -0x1.47730cp-2f, -0x1.42f12ap-2f, -0x1.3b105p-2f, -0x1.2ea296p-2f, -0x1.2023bcp-2f, -0x1.0fd8ccp-2f,
     -0x1.e8fccp-3f, -0x1.9857f6p-3f, -0x1.4251eep-3f, -0x1.d6e2ecp-4f, -0x1.bc191ap-5f, 0x1.d91d76p-7f,
     0x1.0776f2p-4f, 0x1.84534p-4f, 0x1.c69256p-4f, 0x1.97cf3cp-4f, 0x1.33c182p-4f, 0x1.a85abp-5f},
    {-0x1.95d2f4p-7f, -0x1.512558p-8f, -0x1.0304bap-9f, -0x1.835d6p-11f, -0x1.69a538p-13f, -0x1.8844bep-16f,
     -0x1.a91eb4p-19f, -0x1.ca8e42p-22f, 0x1.23b35cp-26f, 0, 0, 0, 0x1.7ab37cp-5f, 0x1.cbb69ep-5f, 0x1.0d601cp-4f,
     0x1.33c9f4p-4f, 0x1.6b17fep-4f, 0x1.afa238p-4f, 0x1.ed9062p-4f, 0x1.11f316p-3f, 0x1.32f098p-3f, 0x1.4fff98p-3f,
     0x1.5c043ap-3f, 0x1.5835c2p-3f, 0x1.39c558p-3f, 0x1.e91804p-4f, 0x1.46fabp-4f, 0x1.62dd1p-5f, 0x1.de34cap-9f,
     -0x1.59b286p-6f, -0x1.9b8de4p-6f, -0x1.559602p-6f},
    {0x1.04bcap-8f, 0x1.f586fap-10f, 0x1.93732ep-11f, 0x1.326e7ep-12f, 0x1.1cd2c4p-14f, 0x1.358c28p-17f,
     0x1.4f5058p-20f, 0x1.6b1048p-23f, 0x1.f272c6p-27f, 0, 0, 0x1.10a2b2p-3f, 0x1.05b81cp-3f, 0x1.00386cp-3f,
     0x1.f36a56p-4f, 0x1.e473eap-4f, 0x1.ca8fa4p-4f, 0x1.a261b2p-4f, 0x1.74a65ep-4f, 0x1.428bfap-4f, 0x1.e3cc8ep-5f,
     0x1.05c1eep-5f, 0x1.8439f6p-8f, -0x1.193bb2p-6f, -0x1.6469cep-5f, -0x1.f8946ap-5f, -0x1.00c184p-4f,
     -0x1.b2b782p-5f, -0x1.0660b2p-5f, -0x1.37255ep-7f, 0x1.70aabap-10f, 0x1.2dd5ecp-8f},
};
// clang-format on
struct tanh {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = _mm512_min_ps(all(9.5f), _mm512_abs_ps(x)), near = _mm512_max_ps(a, all(0x1.fp-5f));
        const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(near), 21);
        const vec h = a - look_up(tanh_t[0], index);
        vec sum = look_up(tanh_t[6], index);
        for (int i = 5; i >= 1; i--) sum = fma(sum, h, look_up(tanh_t[i], index));
        return with_sign(sum, x);
    }
};

/* ---- logarithms ----------------------------------------------------------------------------- */

/* The table of vector_math.hpp: multiples of 2^-14, to which those of the unit are added exactly, and rests. */
constexpr float head_of(double x) {
    return (float)((double)(int)(x * 16384 + (x < 0 ? -0.5 : 0.5)) / 16384);
}
template <class Base> struct table {
    float hi[16], lo[16];
    float unit_hi, unit_lo, one_hi, one_lo;
    constexpr table() : hi(), lo(), unit_hi(), unit_lo(), one_hi(), one_lo() {
        for (int i = 0; i < 16; i++) {
            hi[i] = head_of(Base::hi[i]);
            lo[i] = (float)(Base::hi[i] - (double)hi[i] + Base::lo[i]);
        }
        unit_hi = head_of(Base::unit_hi);
        unit_lo = (float)(Base::unit_hi - (double)unit_hi + Base::unit_lo);
        one_hi = (float)Base::one_hi;
        one_lo = (float)(Base::one_hi - (double)one_hi + Base::one_lo);
    }
};
static const float log_q[] = {-0.5f, 0.33333333f, -0.25f, 0.2f};

/* c in 32nds near to 1 / m, of the middle of m's interval: by the first four bits behind m's point. */
constexpr int over_32(int i) {
    return i == 15 ? 16 : 32 * 32 / (32 + 2 * i + (i > 0));
}
/* Such c, and -log(c) as in `table`. */
template <class Base> struct by_mantissa : table<Base> {
    float c[16], c_hi[16], c_lo[16];
    constexpr by_mantissa() : c(), c_hi(), c_lo() {
        for (int i = 0; i < 16; i++) {
            const int over = over_32(i);
            const double whole = i == 0 ? 0 : Base::unit_hi + Base::hi[over % 16];
            c[i] = (float)over / 32;
            c_hi[i] = head_of(whole);
            c_lo[i] = i == 0 ? 0 : (float)(whole - (double)c_hi[i] + (Base::unit_lo + Base::lo[over % 16]));
        }
    }
};
static const float long_log_q[] = {-0.5f, 0.33333333f, -0.25f, 0.2f, -0.16666667f};

/* Numbers below the normal ones are right by the instructions' own rules. */
template <class Base> struct log_of {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        static constexpr by_mantissa<Base> t;
        const vec m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src), k = _mm512_getexp_ps(x);
        const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(m), 19);
        const vec r = _mm512_fmsub_ps(m, _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.c)), all(1));
        const vec base = fma(k, all(t.unit_hi), _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.c_hi)));
        vec low = _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.c_lo));
        if (t.unit_lo != 0) low = fma(k, all(t.unit_lo), low);
        const vec tail = r * r * polynomial(long_log_q, r);
        if (t.one_hi == 1)
            low = low + tail;
        else
            low = fma(tail, all(t.one_hi), fma(r, all(t.one_lo), low));
        const vec result = fma(r, all(t.one_hi), base + low);
        const mask unusual = _mm512_fpclass_ps_mask(x, 0xff); /* what is not normal and above 0 */
        return __builtin_expect(unusual == 0, 1) ? result : special(x, result);
    }
    static inline __attribute__((noinline)) vec special(vec x, vec result) {
        const vec infinity = all(__builtin_inff());
        const mask positive = _mm512_cmp_ps_mask(x, all(0), _CMP_GT_OQ) & _mm512_cmp_ps_mask(x, infinity, _CMP_LT_OQ);
        const vec negative = choose(_mm512_cmp_ps_mask(x, all(0), _CMP_LT_OQ), all(__builtin_nanf("")), x);
        const vec other = choose(_mm512_cmp_ps_mask(x, all(0), _CMP_EQ_OQ), -infinity, negative);
        return choose(positive, result, other);
    }
};

/* The same to some 21 bits, for float16: c is looked up by the first four bits of the mantissa, |r| <= 1/16. */
template <class Base> struct rough {
    float c[16], hi[16], unit, one;
    constexpr rough() : c(), hi(), unit((float)Base::unit_hi), one((float)Base::one_hi) {
        for (int i = 0; i < 16; i++) {
            const int over = over_32(i);
            c[i] = (float)over / 32;
            hi[i] = i == 0 ? 0 : (float)((double)unit + Base::hi[over % 16]);
        }
    }
};
template <class Base> struct half_log {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        static constexpr rough<Base> t;
        const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(x), 19);
        const vec c = _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.c));
        const vec r = _mm512_fmsub_ps(_mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src), c, all(1));
        const vec base = fma(_mm512_getexp_ps(x), all(t.unit), _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.hi)));
        const vec tail = r * r * polynomial(log_q, r);
        const vec result = t.one == 1 ? base + (tail + r) : fma(tail + r, all(t.one), base);
        const mask usual =
            _mm512_cmp_ps_mask(x, all(0x1p-24f), _CMP_GE_OQ) & _mm512_cmp_ps_mask(x, all(65504), _CMP_LE_OQ);
        return __builtin_expect(usual == 0xffff, 1) ? result : log_of<Base>::special(x, result);
    }
};

/* log(1 + u), u >= -1, by the table: what the sum loses is made up for. */
INLINE vec log_1p(vec u) {
    static constexpr table<v::natural> t;
    const vec s = all(1) + u, large = _mm512_max_ps(u, all(1)), small = _mm512_min_ps(u, all(1));
    const vec lost = small - (s - large), m = _mm512_getmant_ps(s, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    const vec c = _mm512_roundscale_ps(_mm512_rcp14_ps(m), 5 << 4 | _MM_FROUND_TO_NEAREST_INT);
    const vec exponent = _mm512_getexp_ps(s), k = exponent - _mm512_getexp_ps(c);
    const vec r = _mm512_fmsub_ps(m, c, all(1)) + _mm512_scalef_ps(lost * c, -exponent);
    const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(c), 19);
    const vec base = fma(k, all(t.unit_hi), _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.hi)));
    const vec low = fma(k, all(t.unit_lo), _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.lo)));
    return base + (r + (low + r * r * polynomial(log_q, r)));
}
/* Numbers too large for 1 + u, and infinity. */
struct bounded_above {
    static const bool has_odd = true;
    static inline __attribute__((always_inline)) mask odd(vec x) {
        return _mm512_cmp_ps_mask(x, all(0x1p60f), _CMP_GT_OQ);
    }
};
struct log1p : bounded_above {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec result = choose(_mm512_cmp_ps_mask(_mm512_abs_ps(x), all(0x1p-26f), _CMP_LT_OQ), x, log_1p(x));
        const mask out = _mm512_cmp_ps_mask(x, all(-1), _CMP_LE_OQ);
        return __builtin_expect(out == 0, 1) ? result : beyond(x, out, result);
    }
    static inline __attribute__((noinline)) vec beyond(vec x, mask out, vec result) {
        const mask pole = _mm512_cmp_ps_mask(x, all(-1), _CMP_EQ_OQ);
        return choose(out, choose(pole, all(-__builtin_inff()), all(__builtin_nanf(""))), result);
    }
    static float one(float x) { return ::log1pf(x); }
};
/* log(x + sqrt(x^2 - 1)) as log(1 + u). */
struct arccosh : bounded_above {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec less = x - all(1), result = log_1p(less + _mm512_sqrt_ps(fma(less, less, less + less)));
        return choose(_mm512_cmp_ps_mask(x, all(1), _CMP_LT_OQ), all(__builtin_nanf("")), result);
    }
    static float one(float x) { return ::acoshf(x); }
};

/* ---- powers --------------------------------------------------------------------------------- */

/* log2(1 + r) - r log2(e), over r^2; (2^f - 1) / f */
static const float log2_q[] = {-0.721347511f, 0.480898291f, -0.360673696f, 0.288807303f, -0.240683943f};
static const float exp2_q[] = {0.693147182f,   0.240226507f,   0.0555035695f,
                               0.00961808208f, 0.00133909786f, 0.000154532623f};

struct two {
    vec hi, lo;
};
/* a + b where |a| >= |b|, or a is 0. */
INLINE two fast_sum(vec a, vec b) {
    const vec s = a + b;
    return {s, b - (s - a)};
}
/* log2 |x| in two parts, from those of c and of 1 + r, where |x| = 2^k (1 + r) / c as in log_of. */
INLINE two exact_log2(vec x) {
    static constexpr table<v::binary> t;
    const vec m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    const vec c = _mm512_roundscale_ps(_mm512_rcp14_ps(m), 5 << 4 | _MM_FROUND_TO_NEAREST_INT);
    const vec k = _mm512_getexp_ps(x) - _mm512_getexp_ps(c), r = _mm512_fmsub_ps(m, c, all(1));
    const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(c), 19);
    const vec base = k + _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.hi)), line = r * all(t.one_hi);
    const vec lost = fma(r, all(t.one_lo), _mm512_fmsub_ps(r, all(t.one_hi), line));
    const two sum = fast_sum(base, line);
    const vec low = fma(r * r, polynomial(log2_q, r), lost + _mm512_permutexvar_ps(index, _mm512_loadu_ps(t.lo)));
    return fast_sum(sum.hi, sum.lo + low);
}
/* x^y: 2^(y log2 |x|). Exponents that are simple: see power_or. */
struct power {
    static inline __attribute__((always_inline)) vec apply(vec x, vec y, mask &odd) {
        const two l = exact_log2(x);
        const vec p = y * l.hi, low = fma(y, l.lo, _mm512_fmsub_ps(y, l.hi, p));
        const vec near = _mm512_min_ps(_mm512_max_ps(p, all(-160)), all(130)), k = rint(near);
        const vec f = _mm512_mask_add_ps(all(0), _mm512_cmp_ps_mask(p, near, _CMP_EQ_OQ), near - k, low);
        const vec result = _mm512_scalef_ps(fma(f, polynomial(exp2_q, f), all(1)), k);
        odd = (mask)(_mm512_fpclass_ps_mask(x, 0x9f) | _mm512_fpclass_ps_mask(y, 0x99)); /* NaN, infinity; 0 */
        const mask negative = _mm512_cmp_ps_mask(x, all(0), _CMP_LT_OQ);
        return __builtin_expect(negative != 0, 0) ? choose(negative, result * factor(y), result) : result;
    }
    /* 1 or -1 for whole exponents, else NaN. */
    static inline __attribute__((noinline)) vec factor(vec y) {
        const vec half = y * all(0.5f);
        const vec sign = choose(_mm512_cmp_ps_mask(trunc(half), half, _CMP_EQ_OQ), all(1), all(-1));
        return choose(_mm512_cmp_ps_mask(trunc(y), y, _CMP_EQ_OQ), sign, all(__builtin_nanf("")));
    }
    static float one(float x, float y) { return ::powf(x, y); }
};

/* ---- circular functions --------------------------------------------------------------------- */

static const float sin_q[] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
static const float cos_q[] = {4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f};

/* sin of x + turns pi / 2. */
template <int Turns> struct circular {
    static const bool has_odd = true;
    static inline __attribute__((always_inline)) mask odd(vec x) {
        return (mask)~_mm512_cmp_ps_mask(_mm512_abs_ps(x), all(71476), _CMP_LE_OQ);
    }
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec k = rint(x * all(0x1.45f306p-1f));
        vec r = fnma(k, all(0x1.921fb0p+0f), x);
        r = fnma(k, all(0x1.5110b4p-22f), r);
        r = fnma(k, all(0x1.846988p-48f), r);
        const vec z = r * r;
        const vec sine = fma(r * z, polynomial(sin_q, z), r);
        const vec cosine = fma(z * z, polynomial(cos_q, z), fnma(z, all(0.5f), all(1)));
        const __m512i quadrant = _mm512_add_epi32(_mm512_cvtps_epi32(k), _mm512_set1_epi32(Turns));
        const mask other = _mm512_test_epi32_mask(quadrant, _mm512_set1_epi32(1));
        const __m512i sign = _mm512_slli_epi32(_mm512_and_si512(quadrant, _mm512_set1_epi32(2)), 30);
        const vec value = _mm512_xor_ps(choose(other, cosine, sine), _mm512_castsi512_ps(sign));
        return Turns ? value : choose(_mm512_cmp_ps_mask(x, all(0), _CMP_EQ_OQ), x, value);
    }
    static float one(float x) { return Turns ? ::cosf(x) : ::sinf(x); }
};

/* ---- arcs ----------------------------------------------------------------------------------- */

/* (arcsin(x) / x - 1) / x^2 of x^2 up to 1/4 */
static const float half_arcsin_q[] = {0.16666557f, 0.07513733f, 0.04202582f, 0.0455975f};

/* arcsin and arccos to some 21 bits, for float16: beyond 1/2 by the arcsin of sqrt((1 - |x|) / 2). */
template <bool Cosine> struct half_arc {
    static const bool has_odd = false;
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = _mm512_abs_ps(x), quarter = all(0x1.921fb6p+0f);
        const mask far = _mm512_cmp_ps_mask(a, all(0.5f), _CMP_GT_OQ);
        const vec z = choose(far, fnma(all(0.5f), a, all(0.5f)), a * a), y = choose(far, _mm512_sqrt_ps(z), a);
        const vec angle = fma(y * z, polynomial(half_arcsin_q, z), y);
        if (!Cosine) return with_sign(choose(far, fnma(all(2), angle, quarter), angle), x);
        const vec turned = with_sign(angle, x);
        const vec half_turn = choose(_mm512_cmp_ps_mask(x, all(0), _CMP_LT_OQ), quarter + quarter, all(0));
        return choose(far, fma(all(2), turned, half_turn), quarter - turned);
    }
};

/* ---- loops ---------------------------------------------------------------------------------- */

template <class F> __attribute__((noinline)) vec mended(vec x, vec result, unsigned odd) {
    float from[16], to[16];
    _mm512_storeu_ps(from, x), _mm512_storeu_ps(to, result);
    for (; odd; odd &= odd - 1) to[__builtin_ctz(odd)] = F::one(from[__builtin_ctz(odd)]);
    return _mm512_loadu_ps(to);
}
template <class F> INLINE vec value(vec x) {
    const vec result = F::apply(x);
    if constexpr (F::has_odd) {
        const unsigned odd = F::odd(x);
        if (__builtin_expect(odd != 0, 0)) return mended<F>(x, result, odd);
    }
    return result;
}
/* Numbers of float32 or float16, all or those of a mask. */
INLINE vec load(const float *p) {
    return _mm512_loadu_ps(p);
}
INLINE vec load(const uint16_t *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
INLINE vec load(const float *p, mask m) {
    return _mm512_mask_loadu_ps(all(1), m, p);
}
INLINE vec load(const uint16_t *p, mask m) {
    return _mm512_cvtph_ps(_mm256_mask_loadu_epi16(_mm256_set1_epi16(0x3c00), m, p)); /* others are 1 */
}
INLINE void store(float *p, vec x) {
    _mm512_storeu_ps(p, x);
}
INLINE void store(uint16_t *p, vec x) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, 0));
}
INLINE void store(float *p, mask m, vec x) {
    _mm512_mask_storeu_ps(p, m, x);
}
INLINE void store(uint16_t *p, mask m, vec x) {
    _mm256_mask_storeu_epi16(p, m, _mm512_cvtps_ph(x, 0));
}
template <class F, class T> int unary(char *const *operand, int64_t n, const double *) {
    T *out = (T *)operand[0];
    const T *x = (const T *)operand[1];
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) { /* side by side, as in vector_loops.hpp */
        const vec first = value<F>(load(x + i)), second = value<F>(load(x + i + 16));
        store(out + i, first), store(out + i + 16, second);
    }
    for (; i + 16 <= n; i += 16) store(out + i, value<F>(load(x + i)));
    const mask rest = (mask)((1u << (n - i)) - 1);
    if (rest) store(out + i, rest, value<F>(load(x + i, rest)));
    return 0;
}

template <class F> __attribute__((noinline)) vec mended(vec x, vec y, vec result, unsigned odd) {
    float a[16], b[16], to[16];
    _mm512_storeu_ps(a, x), _mm512_storeu_ps(b, y), _mm512_storeu_ps(to, result);
    for (; odd; odd &= odd - 1) {
        const int j = __builtin_ctz(odd);
        to[j] = F::one(a[j], b[j]);
    }
    return _mm512_loadu_ps(to);
}
template <class F> INLINE vec value(vec x, vec y) {
    mask odd;
    const vec result = F::apply(x, y, odd);
    return __builtin_expect(odd != 0, 0) ? mended<F>(x, y, result, odd) : result;
}
template <class F> int binary(char *const *operand, int64_t n, const double *) {
    float *out = (float *)operand[0];
    const float *x = (const float *)operand[1], *y = (const float *)operand[2];
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) _mm512_storeu_ps(out + i, value<F>(_mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
    const mask rest = (mask)((1u << (n - i)) - 1);
    if (rest)
        _mm512_mask_storeu_ps(
            out + i, rest,
            value<F>(_mm512_mask_loadu_ps(all(1), rest, x + i), _mm512_mask_loadu_ps(all(1), rest, y + i)));
    return 0;
}

#    undef INLINE

} // namespace singles
} // namespace

#endif
#endif
