/*
 * extremes_ops.h: extremes over labels, for both backends: elements as unsigned numbers that are ordered like them.
 */
#ifndef GNDI_EXTREMES_OPS_H
#define GNDI_EXTREMES_OPS_H

#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

typedef gndi_label_extremes_plan extremes_t;

/* ---- keys ----------------------------------------------------------------------------------- */

/* NaN is above all numbers, and 0 and -0 are one. */
GNDI_FN uint64_t key_of(float x) {
    union {
        float number;
        uint32_t bits;
    } of = {x + 0.0f};
    if (x != x) return 0xffffffffu;
    return of.bits >> 31 ? (uint32_t)~of.bits : of.bits | 0x80000000u;
}
GNDI_FN uint64_t key_of(double x) {
    union {
        double number;
        uint64_t bits;
    } of = {x + 0.0};
    if (x != x) return UINT64_MAX;
    return of.bits >> 63 ? ~of.bits : of.bits | UINT64_C(1) << 63;
}
GNDI_FN uint64_t key_of(int64_t x) {
    return (uint64_t)x ^ UINT64_C(1) << 63;
}
GNDI_FN uint64_t key_of(uint64_t x) {
    return x;
}

GNDI_FN void from_key(uint64_t key, float *x) {
    union {
        uint32_t bits;
        float number;
    } of = {(uint32_t)(key >> 31 & 1 ? key & 0x7fffffffu : ~key)};
    *x = of.number;
}
GNDI_FN void from_key(uint64_t key, double *x) {
    union {
        uint64_t bits;
        double number;
    } of = {key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key};
    *x = of.number;
}
GNDI_FN void from_key(uint64_t key, int64_t *x) {
    *x = (int64_t)(key ^ UINT64_C(1) << 63);
}
GNDI_FN void from_key(uint64_t key, uint64_t *x) {
    *x = key;
}

/* X void: the index along an axis. */
template <class X> struct element {
    GNDI_FN uint64_t key(const extremes_t &p, int64_t i) {
        return key_of(static_cast<const X *>(p.x)[i]);
    }
    GNDI_FN void write(const extremes_t &p, int64_t to, uint64_t key) {
        from_key(key, static_cast<X *>(p.out) + to);
    }
};
template <> struct element<void> {
    GNDI_FN uint64_t key(const extremes_t &p, int64_t i) {
        return (uint64_t)(i / p.inner % p.extent);
    }
    GNDI_FN void write(const extremes_t &p, int64_t to, uint64_t key) {
        static_cast<int64_t *>(p.out)[to] = (int64_t)key;
    }
};
template <class X> GNDI_FN uint64_t key_at(const extremes_t &p, int64_t i) {
    return element<X>::key(p, i);
}
template <class L> GNDI_FN int64_t label_at(const extremes_t &p, int64_t i) {
    const int64_t label = static_cast<const L *>(p.labels)[i];
    return p.index ? label : label > 0;
}

/* ---- results -------------------------------------------------------------------------------- */

template <class X> GNDI_FN void write_extremes(const extremes_t &p, int64_t k, bool found, uint64_t low, uint64_t high) {
    if (found) {
        element<X>::write(p, 2 * k, low);
        element<X>::write(p, 2 * k + 1, high);
        return;
    }
    const int item = p.x && p.x_dtype == GND_FLOAT32 ? 4 : 8;
    for (int b = 0; b < 2 * item; b++) static_cast<char *>(p.out)[2 * k * item + b] = 0;
    if (!p.x) static_cast<int64_t *>(p.out)[2 * k + 1] = -1;
}

} // namespace labels
} // namespace gnd

#endif
