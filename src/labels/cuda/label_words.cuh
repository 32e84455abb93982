// label_words.cuh: words of 32 elements, a bit each, as the kernels that find components read them.
#ifndef GNDI_LABEL_WORDS_CUH
#define GNDI_LABEL_WORDS_CUH

#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

constexpr unsigned ALL = 0xffffffffu;

/* Elements of a row. */
struct stretch {
    int64_t offset;
    int length;
};

/* A bit for each element of 16 bytes that has a significant bit. */
template <class U> static __device__ uint32_t bits_of(const uint4 &pack, U significant) {
    const uint32_t part[4] = {pack.x, pack.y, pack.z, pack.w};
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if constexpr (sizeof(U) == 1) { /* all bits of a byte are significant */
            const uint32_t set = (((part[k] & 0x7f7f7f7f) + 0x7f7f7f7f) | part[k]) & 0x80808080;
            bits |= ((set >> 7) * 0x01020408 >> 24) << 4 * k;
        } else if constexpr (sizeof(U) == 2) {
            bits |= (uint32_t)((part[k] & significant) != 0) << 2 * k;
            bits |= (uint32_t)((part[k] >> 16 & significant) != 0) << (2 * k + 1);
        } else if constexpr (sizeof(U) == 4) {
            bits |= (uint32_t)((part[k] & significant) != 0) << k;
        } else if (k % 2 == 0) {
            const uint64_t element = (uint64_t)part[k + 1] << 32 | part[k];
            bits |= (uint32_t)((element & significant) != 0) << k / 2;
        }
    }
    return bits;
}

/* The word of a stretch, which may begin anywhere: 16 bytes at a time. */
template <class U> static __device__ uint32_t read_word(const label_t &p, const stretch &own) {
    constexpr int EACH = 16 / sizeof(U);
    const U *x = static_cast<const U *>(p.x);
    const int ahead = (int)((uintptr_t)(x + own.offset) % 16 / sizeof(U));
    const int64_t first = own.offset - ahead, n = p.rows * p.width;
    uint64_t bits = 0;
#pragma unroll
    for (int k = 0; k < 32 + EACH; k += EACH) {
        if (k >= own.length + ahead) break;
        union {
            uint4 whole;
            U element[EACH];
        } pack = {};
        const int64_t at = first + k;
        if (at >= 0 && at + EACH <= n)
            pack.whole = *reinterpret_cast<const uint4 *>(x + at);
        else
            for (int e = 0; e < EACH; e++) pack.element[e] = at + e >= 0 && at + e < n ? x[at + e] : (U)0;
        bits |= (uint64_t)bits_of<U>(pack.whole, (U)p.significant) << k;
    }
    return (uint32_t)(bits >> ahead) & (uint32_t)((UINT64_C(1) << own.length) - 1);
}

} // namespace labels
} // namespace gnd

#endif
