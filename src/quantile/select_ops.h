/*
 * select_ops.h: what the order statistics compute, for the CUDA kernels and the CPU loops alike:
 * keys (unsigned integers in the elements' order), the position of a quantile among n sorted elements,
 * and the value between two neighbours.
 *
 * Every formula is NumPy's (numpy/lib/_function_base_impl.py), with its rounding: NumPy computes
 * positions in q's dtype, and interpolates in the result's. Here all is computed in double and rounded
 * to those dtypes after each step, which gives the same bits.
 */
#ifndef GNDI_SELECT_OPS_H
#define GNDI_SELECT_OPS_H

#include "kernels/scalar/scalar_cast.h"
#include "kernels/scalar/scalar_math.h"
#include "quantile/select_plan.h"
#include <gnd/statistics.h>

namespace gnd {

/* ---- keys ----------------------------------------------------------------------------------- */

/* How the bits of an element (in K, which may be wider) become its key: xor with one of two masks,
   by the highest bit. All NaN have one key, the largest. */
template <class K> struct key_rule { K top, negative, positive, infinity, nan; };

/* The bits of an element of `Bytes` bytes. */
template <int Bytes> struct storage_bits;
template <> struct storage_bits<1> { typedef uint8_t type; };
template <> struct storage_bits<2> { typedef uint16_t type; };
template <> struct storage_bits<4> { typedef uint32_t type; };
template <> struct storage_bits<8> { typedef uint64_t type; };
template <int Bytes> using storage_bits_t = typename storage_bits<Bytes>::type;

/* What a key of an element of `Bytes` bytes is computed in. */
template <int Bytes> using key_t = choose_t<Bytes == 8, uint64_t, uint32_t>;

template <int Bytes> GNDI_FN key_rule<key_t<Bytes>> key_rule_of(int dtype) {
    typedef key_t<Bytes> K;
    const K all = (K) ~(uint64_t)0 >> (sizeof(K) - Bytes) * 8, top = (K)1 << (Bytes * 8 - 1);
    key_rule<K> r;
    r.top = top, r.nan = all, r.infinity = all;
    r.negative = r.positive = 0;
    if (dtype == GND_INT8 || dtype == GND_INT16 || dtype == GND_INT32 || dtype == GND_INT64)
        r.negative = r.positive = top;
    if (dtype >= GND_FLOAT16) {
        r.negative = all, r.positive = top;
        r.infinity = dtype == GND_FLOAT16    ? (K)0x7c00u
                     : dtype == GND_BFLOAT16 ? (K)0x7f80u
                     : dtype == GND_FLOAT32  ? (K)0x7f800000u
                                             : (K)0x7ff0000000000000ull;
    }
    return r;
}
template <class K> GNDI_FN K key_of(const key_rule<K> &r, K bits) {
    const K key = bits ^ (bits & r.top ? r.negative : r.positive);
    return (bits & ~r.top) > r.infinity ? r.nan : key;
}
template <class K> GNDI_FN K bits_of_key(const key_rule<K> &r, K key) {
    return key ^ (key & r.top ? r.positive : r.negative);
}
/* Whether there are NaN at all; then `nan` is the key of nothing else. */
template <class K> GNDI_FN bool rule_has_nan(const key_rule<K> &r) {
    return r.infinity != r.nan;
}
/* The largest key that is no NaN's. */
template <class K> GNDI_FN K largest_key(const key_rule<K> &r) {
    return rule_has_nan(r) ? r.infinity ^ r.top : r.nan;
}

/* ---- numbers by dtype ----------------------------------------------------------------------- */

/* x rounded to a floating dtype. */
GNDI_FN double round_to(int dtype, double x) {
    if (dtype == GND_FLOAT16) return (double)to_float(to_float16(x));
    if (dtype == GND_FLOAT32) return (double)(float)x;
    return x;
}
/* Element i of a dense array of real numbers. */
GNDI_FN double load_number(const char *data, int dtype, int64_t i) {
    switch (dtype) {
    case GND_BOOL: return (double)(reinterpret_cast<const uint8_t *>(data)[i] != 0);
    case GND_INT8: return (double)reinterpret_cast<const int8_t *>(data)[i];
    case GND_UINT8: return (double)reinterpret_cast<const uint8_t *>(data)[i];
    case GND_INT16: return (double)reinterpret_cast<const int16_t *>(data)[i];
    case GND_UINT16: return (double)reinterpret_cast<const uint16_t *>(data)[i];
    case GND_INT32: return (double)reinterpret_cast<const int32_t *>(data)[i];
    case GND_UINT32: return (double)reinterpret_cast<const uint32_t *>(data)[i];
    case GND_INT64: return (double)reinterpret_cast<const int64_t *>(data)[i];
    case GND_UINT64: return (double)reinterpret_cast<const uint64_t *>(data)[i];
    case GND_FLOAT16: return (double)to_float(reinterpret_cast<const float16 *>(data)[i]);
    case GND_BFLOAT16: return (double)to_float(reinterpret_cast<const bfloat16 *>(data)[i]);
    case GND_FLOAT32: return (double)reinterpret_cast<const float *>(data)[i];
    default: return reinterpret_cast<const double *>(data)[i];
    }
}
/* The number that an element's bits stand for; 64-bit integers are rounded. */
GNDI_FN double number_of_bits(int dtype, uint64_t bits) {
    switch (dtype) {
    case GND_INT8: return (double)(int8_t)bits;
    case GND_INT16: return (double)(int16_t)bits;
    case GND_INT32: return (double)(int32_t)bits;
    case GND_INT64: return (double)(int64_t)bits;
    case GND_FLOAT16: return (double)to_float(float16{(uint16_t)bits});
    case GND_BFLOAT16: return (double)to_float(bfloat16{(uint16_t)bits});
    case GND_FLOAT32: return (double)from_bits((uint32_t)bits);
    case GND_FLOAT64: return from_bits(bits);
    default: return (double)bits;
    }
}
GNDI_FN void store_number(char *out, int dtype, int64_t i, double x) {
    switch (dtype) {
    case GND_FLOAT16: reinterpret_cast<float16 *>(out)[i] = to_float16(x); break;
    case GND_BFLOAT16: reinterpret_cast<bfloat16 *>(out)[i] = to_bfloat16(x); break;
    case GND_FLOAT32: reinterpret_cast<float *>(out)[i] = (float)x; break;
    default: reinterpret_cast<double *>(out)[i] = x; break;
    }
}

/* ---- positions --------------------------------------------------------------------------------- */

/* Quantile i in [0, 1]; what lies outside, and NaN, becomes 0 and sets `fault`. */
GNDI_FN double quantile_at(const gndi_select_plan &p, int64_t i, bool *fault) {
    double q = p.q ? load_number(p.q, p.q_dtype, i) : p.number;
    if (p.percent) q = round_to(p.index_dtype, q / 100);
    if (q >= 0 && q <= 1) return q;
    *fault = true;
    return 0;
}

/* Between which of n sorted elements a quantile lies (both the same: just there), and how far. */
struct select_position {
    int64_t previous, next;
    double weight;
};

GNDI_FN int64_t clamp_rank(double rank, int64_t n) {
    if (!(rank > 0)) return 0;
    return rank >= (double)(n - 1) ? n - 1 : (int64_t)rank;
}

/* NumPy's virtual index n q + (alpha + q (1 - alpha - beta)) - 1. */
GNDI_FN double virtual_index(int t, double n, double q, double alpha, double beta) {
    const double slope = round_to(t, m::mul(q, round_to(t, 1 - alpha - beta)));
    const double inner = round_to(t, m::add(round_to(t, alpha), slope));
    return round_to(t, m::add(round_to(t, m::add(round_to(t, m::mul(n, q)), inner)), -1.0));
}

/* The one element of a discrete method; false if the method has none. */
GNDI_FN bool position_discrete(int method, int t, int64_t n, double q, int64_t *rank) {
    const double last = round_to(t, m::mul(round_to(t, (double)(n - 1)), q));
    const double from_one = round_to(t, m::add(round_to(t, m::mul(round_to(t, (double)n), q)), -1.0));
    double at;
    switch (method) {
    case GND_QUANTILE_LOWER: at = m::floor(last); break;
    case GND_QUANTILE_HIGHER: at = m::ceil(last); break;
    case GND_QUANTILE_NEAREST: at = m::rint(last); break;
    case GND_QUANTILE_INVERTED_CDF: at = m::ceil(from_one); break;
    case GND_QUANTILE_CLOSEST_OBSERVATION: {
        const double index = round_to(t, m::add(from_one, -0.5)), floor = m::floor(index);
        const bool odd = floor != 2 * m::floor(floor / 2);
        at = index == floor && odd ? floor : round_to(t, m::add(floor, 1.0));
        break;
    }
    default: return false;
    }
    *rank = clamp_rank(at, n);
    return true;
}

GNDI_FN double position_virtual(int method, int t, int64_t count, double q) {
    const double n = round_to(t, (double)count);
    switch (method) {
    case GND_QUANTILE_AVERAGED_INVERTED_CDF: return round_to(t, m::add(round_to(t, m::mul(n, q)), -1.0));
    case GND_QUANTILE_INTERPOLATED_INVERTED_CDF: return virtual_index(t, n, q, 0, 1);
    case GND_QUANTILE_HAZEN: return virtual_index(t, n, q, 0.5, 0.5);
    case GND_QUANTILE_WEIBULL: return virtual_index(t, n, q, 0, 0);
    case GND_QUANTILE_MEDIAN_UNBIASED: return virtual_index(t, n, q, 1 / 3.0, 1 / 3.0);
    case GND_QUANTILE_NORMAL_UNBIASED: return virtual_index(t, n, q, 3 / 8.0, 3 / 8.0);
    default: break;
    }
    const double last = round_to(t, m::mul(round_to(t, (double)(count - 1)), q));
    if (method != GND_QUANTILE_MIDPOINT) return last;
    return round_to(t, m::mul(0.5, round_to(t, m::add(m::floor(last), m::ceil(last)))));
}

/* n is at least 1. */
GNDI_FN select_position position_of(int method, int t, int64_t n, double q) {
    select_position position;
    position.weight = 0.5;
    if (method == GNDI_SELECT_MEDIAN) {
        position.previous = (n - 1) / 2, position.next = n / 2;
        return position;
    }
    if (position_discrete(method, t, n, q, &position.previous)) {
        position.next = position.previous;
        return position;
    }
    const double index = position_virtual(method, t, n, q), floor = m::floor(index);
    double gamma;
    if (index >= round_to(t, (double)(n - 1))) {
        position.previous = position.next = n - 1;
        gamma = m::add(index, 1.0); /* NumPy's index is -1 here */
    } else if (index < 0) {
        position.previous = position.next = 0;
        gamma = index;
    } else {
        position.previous = clamp_rank(floor, n);
        position.next = clamp_rank(round_to(t, m::add(floor, 1.0)), n);
        gamma = m::add(index, -floor);
    }
    if (method == GND_QUANTILE_AVERAGED_INVERTED_CDF) gamma = gamma == 0 ? 0.5 : 1.0;
    if (method == GND_QUANTILE_MIDPOINT) gamma = index == floor ? 0.0 : 0.5;
    position.weight = round_to(t, gamma);
    return position;
}

/* ---- values --------------------------------------------------------------------------------- */

/* b - a, elements by their bits, a not above b: exact for integers, rounded for floats. */
GNDI_FN double difference(int dtype, uint64_t a, uint64_t b) {
    if (dtype < GND_FLOAT16) {
        const bool is_signed = dtype == GND_INT8 || dtype == GND_INT16 || dtype == GND_INT32;
        if (is_signed) return number_of_bits(dtype, b) - number_of_bits(dtype, a);
        return (double)(b - a); /* of int64 too, modulo 2^64 */
    }
    const int t = dtype == GND_BFLOAT16 ? (int)GND_FLOAT32 : dtype;
    return round_to(t, m::add(number_of_bits(dtype, b), -number_of_bits(dtype, a)));
}

/* NumPy's _lerp. */
GNDI_FN double interpolate(const gndi_select_plan &p, uint64_t a, uint64_t b, double weight) {
    const int r = p.step_dtype, t = p.index_dtype;
    const double diff = round_to(r, difference(p.dtype, a, b));
    if (weight >= 0.5) {
        const double rest = round_to(r, p.weak ? 1 - weight : round_to(t, 1 - weight));
        const double down = round_to(r, m::mul(diff, rest));
        return round_to(r, m::add(round_to(r, number_of_bits(p.dtype, b)), -down));
    }
    const double up = round_to(r, m::mul(diff, round_to(r, weight)));
    return round_to(r, m::add(round_to(r, number_of_bits(p.dtype, a)), up));
}

/* The mean of two elements, as numpy.mean computes it: float16 and bfloat16 in float32. */
GNDI_FN double middle(const gndi_select_plan &p, uint64_t a, uint64_t b) {
    const int t = p.dtype == GND_FLOAT64 || p.dtype < GND_FLOAT16 ? GND_FLOAT64 : GND_FLOAT32;
    const double sum = round_to(t, m::add(number_of_bits(p.dtype, a), number_of_bits(p.dtype, b)));
    return round_to(t, m::mul(sum, 0.5));
}

GNDI_FN void store_nan(const gndi_select_plan &p, int64_t at) {
    const double nan = limits<double>::nan();
    store_number(p.out, p.out_dtype, at, nan);
}

/* An element, cast at most from one integer dtype to another. */
GNDI_FN void store_element(const gndi_select_plan &p, int64_t at, uint64_t bits) {
    uint64_t wide = bits;
    if (p.dtype == GND_INT8) wide = (uint64_t)(int64_t)(int8_t)bits;
    if (p.dtype == GND_INT16) wide = (uint64_t)(int64_t)(int16_t)bits;
    if (p.dtype == GND_INT32) wide = (uint64_t)(int64_t)(int32_t)bits;
    switch (p.out_dtype) {
    case GND_BOOL:
    case GND_INT8:
    case GND_UINT8: reinterpret_cast<uint8_t *>(p.out)[at] = (uint8_t)wide; break;
    case GND_INT16:
    case GND_UINT16:
    case GND_FLOAT16:
    case GND_BFLOAT16: reinterpret_cast<uint16_t *>(p.out)[at] = (uint16_t)wide; break;
    case GND_INT32:
    case GND_UINT32:
    case GND_FLOAT32: reinterpret_cast<uint32_t *>(p.out)[at] = (uint32_t)wide; break;
    default: reinterpret_cast<uint64_t *>(p.out)[at] = wide; break;
    }
}

/* The result from the elements at `position`, by their bits, to out[at]. */
GNDI_FN void store_result(const gndi_select_plan &p, int64_t at, const select_position &position, uint64_t a,
                          uint64_t b) {
    if (p.method == GNDI_SELECT_MEDIAN)
        store_number(p.out, p.out_dtype, at,
                     position.previous == position.next ? number_of_bits(p.dtype, a) : middle(p, a, b));
    else if (p.step_dtype == GND_DTYPE_NONE)
        store_element(p, at, a);
    else
        store_number(p.out, p.out_dtype, at, interpolate(p, a, b, position.weight));
}

} // namespace gnd

#endif
