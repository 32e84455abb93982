/*
 * sort_rows.cpp: rows in order on the CPU: elements become keys, unsigned integers in the elements'
 * order, with their places, and those are sorted.
 */
#include "kernels/cpu/sort_loops.h"
#include "kernels/scalar_types.h"
#include <algorithm>
#include <stdlib.h>

namespace {

typedef unsigned __int128 wide;

template <class U> U float_key(U bits, U infinity) {
    const U top = (U)1 << (sizeof(U) * 8 - 1);
    if ((U)(bits & ~top) > infinity) return (U) ~(U)0;
    if (bits == top) bits = 0;
    return bits & top ? (U)~bits : (U)(bits | top);
}
template <class U> wide complex_key(U re, U im, U infinity) {
    const U nan = (U) ~(U)0, end = float_key(infinity, infinity);
    const U a = float_key(re, infinity), b = float_key(im, infinity);
    U high = a, low = b;
    if (b == nan) high = (U)(end + 1), low = a;
    if (a == nan) high = (U)(end + 2), low = b;
    if (a == nan && b == nan) high = nan;
    return (wide)high << 64 | low;
}
const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
size_t element_size(int dtype) {
    return sizes[dtype];
}
wide key_of(const char *p, int dtype) {
    uint64_t bits[2] = {0, 0};
    memcpy(bits, p, element_size(dtype));
    switch (dtype) {
    case GND_INT8: return (uint8_t)(bits[0] ^ 0x80);
    case GND_INT16: return (uint16_t)(bits[0] ^ 0x8000);
    case GND_INT32: return (uint32_t)(bits[0] ^ 0x80000000u);
    case GND_INT64: return bits[0] ^ 0x8000000000000000u;
    case GND_FLOAT16: return float_key<uint16_t>((uint16_t)bits[0], 0x7c00);
    case GND_BFLOAT16: return float_key<uint16_t>((uint16_t)bits[0], 0x7f80);
    case GND_FLOAT32: return float_key<uint32_t>((uint32_t)bits[0], 0x7f800000);
    case GND_FLOAT64: return float_key<uint64_t>(bits[0], 0x7ff0000000000000);
    case GND_COMPLEX64:
        return complex_key<uint32_t>((uint32_t)bits[0], (uint32_t)(bits[0] >> 32), 0x7f800000);
    case GND_COMPLEX128: return complex_key<uint64_t>(bits[0], bits[1], 0x7ff0000000000000);
    default: return bits[0];
    }
}

struct element {
    wide key;
    int64_t place;
    uint64_t bits[2];
};

int64_t offset_of(int64_t row, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int i = ndim - 1; i >= 0; i--) offset += row % shape[i] * stride[i], row /= shape[i];
    return offset;
}

} // namespace

extern "C" void gndi_cpu_sort_rows(const gndi_sort_plan *p, char *room) {
    const size_t size = element_size(p->dtype);
    element *list = (element *)room;
    for (int64_t row = 0; row < p->rows; row++) {
        const char *in = p->in.data + offset_of(row, p->ndim, p->shape, p->in.stride);
        const char *start = p->start.data;
        if (start) start += offset_of(row, p->ndim, p->shape, p->start.stride);
        for (int64_t i = 0; i < p->length; i++) {
            element &e = list[i];
            e.place = i;
            if (start) memcpy(&e.place, start + i * p->start.step, sizeof e.place);
            const char *x = in + e.place * p->in.step;
            e.key = key_of(x, p->dtype);
            if (p->descending) e.key = ~e.key;
            memcpy(e.bits, x, size);
        }
        std::stable_sort(list, list + p->length,
                         [](const element &a, const element &b) { return a.key < b.key; });
        const int64_t at = offset_of(row, p->ndim, p->shape, p->out.stride);
        const int64_t at_places = offset_of(row, p->ndim, p->shape, p->places.stride);
        for (int64_t i = 0; i < p->keep; i++) {
            if (p->out.data) memcpy(p->out.data + at + i * p->out.step, list[i].bits, size);
            if (p->places.data)
                memcpy(p->places.data + at_places + i * p->places.step, &list[i].place, 8);
        }
    }
}
