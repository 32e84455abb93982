/*
 * samples_loops.cpp: samples on the CPU.
 */
#include "samples/cpu/samples_loops.h"
#include "samples/samples_ops.h"
#include <string.h>

namespace gnd {
namespace samples {

/* Numbers begin .. end - 1, whose bytes may be anywhere. */
template <bool Swapped, class S, class U, class V> static void convert(const samples_t &p, int64_t begin, int64_t end) {
    uint8_t *bytes = static_cast<uint8_t *>(p.bytes);
    V *numbers = static_cast<V *>(p.numbers);
    const U flip = flip_of<U>(p);
    const double scale = p.scale;
    if (p.packs) {
        for (int64_t i = begin; i < end; i++) {
            const U u = pack<S, U, V>(numbers[i], Swapped, flip, scale);
            memcpy(bytes + i * (int64_t)sizeof u, &u, sizeof u);
        }
    } else {
        for (int64_t i = begin; i < end; i++) {
            U u;
            memcpy(&u, bytes + i * (int64_t)sizeof u, sizeof u);
            numbers[i] = unpack<S, U, V>(u, Swapped, flip, (V)scale);
        }
    }
}
template <class S, class U, class V> static void convert(const samples_t &p, int64_t begin, int64_t end) {
    if (p.swapped)
        convert<true, S, U, V>(p, begin, end);
    else
        convert<false, S, U, V>(p, begin, end);
}

template <class V> static void convert_pairs(const samples_t &p, int64_t begin, int64_t end) {
    uint8_t *bytes = static_cast<uint8_t *>(p.bytes);
    V *numbers = static_cast<V *>(p.numbers);
    for (int64_t i = begin; i < end; i++) {
        if (p.packs)
            pack_pair<V>(numbers + 2 * i, p.swapped, p.scale, bytes + 3 * i);
        else
            unpack_pair<V>(bytes + 3 * i, p.swapped, (V)p.scale, numbers + 2 * i);
    }
}

template <class V> static void convert_kind(const samples_t &p, int64_t begin, int64_t end) {
    const int64_t first = 2 * begin, last = 2 * end < p.count ? 2 * end : p.count;
    switch (p.kind) {
    case GNDI_SAMPLE_I8: return convert<int8_t, uint8_t, V>(p, first, last);
    case GNDI_SAMPLE_U8: return convert<uint8_t, uint8_t, V>(p, first, last);
    case GNDI_SAMPLE_I12: return convert_pairs<V>(p, begin, end);
    case GNDI_SAMPLE_I16: return convert<int16_t, uint16_t, V>(p, first, last);
    case GNDI_SAMPLE_U16: return convert<uint16_t, uint16_t, V>(p, first, last);
    case GNDI_SAMPLE_I32: return convert<int32_t, uint32_t, V>(p, first, last);
    case GNDI_SAMPLE_U32: return convert<uint32_t, uint32_t, V>(p, first, last);
    case GNDI_SAMPLE_F32: return convert<float, uint32_t, V>(p, first, last);
    default: return convert<double, uint64_t, V>(p, first, last);
    }
}

} // namespace samples
} // namespace gnd

void gndi_samples_pairs(const gndi_samples_plan *p, int64_t begin, int64_t end) {
    if (p->wide)
        gnd::samples::convert_kind<double>(*p, begin, end);
    else
        gnd::samples::convert_kind<float>(*p, begin, end);
}
