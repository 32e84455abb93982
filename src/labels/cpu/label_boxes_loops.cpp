/*
 * label_boxes_loops.cpp: the boxes around labels 1, 2, ... on the CPU, all axes in one pass. A row is taken by runs of
 * equal elements, words at a time. A box seldom grows, so its bounds are compared before they are written.
 */
#include "labels/cpu/labels_loops.h"
#include "labels/labels_ops.h"
#include <string.h>

namespace gnd {
namespace labels {

typedef gndi_label_extremes_plan boxes_t;

/* The first element from x on that differs from the one before x. */
template <class T> static int64_t run_end(const T *row, int64_t x, int64_t n) {
    typedef choose_t<sizeof(T) == 1, uint8_t,
                     choose_t<sizeof(T) == 2, uint16_t, choose_t<sizeof(T) == 4, uint32_t, uint64_t>>>
        U;
    constexpr int64_t WORD = 8 / (int64_t)sizeof(T);
    const T same = row[x - 1];
    const uint64_t pattern = (U)same * (~UINT64_C(0) / (U)~U(0)); /* in each element of a word */
    for (uint64_t word; x + WORD <= n; x += WORD) {
        memcpy(&word, row + x, 8);
        if (word != pattern) break;
    }
    while (x < n && row[x] == same) x++;
    return x;
}

static inline void extend(int64_t *bounds, int64_t first, int64_t end) {
    if (first < bounds[0]) bounds[0] = first;
    if (end > bounds[1]) bounds[1] = end;
}

/* A row, of this index along each of the other axes; `Axes`: how many there are, or 0 for any number. */
template <class T, int Axes> static void add_row(const boxes_t &p, const T *x, const int64_t *index, int64_t *found) {
    const int outer = Axes ? Axes - 1 : p.axes - 1;
    const int64_t n = p.shape[outer];
    const uint64_t groups = (uint64_t)p.groups;
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const uint64_t label = (uint64_t)(int64_t)x[begin] - 1;
        end = begin + 1;
        if (end < n && x[end] == x[begin]) end = run_end(x, end + 1, n);
        if (label >= groups) continue;
        int64_t *bounds = found + (int64_t)label * 2 * (outer + 1);
        extend(bounds + 2 * outer, begin, end);
        for (int a = 0; a < outer; a++) extend(bounds + 2 * a, index[a], index[a] + 1);
    }
}

/* Rows begin .. end - 1. */
template <class T> static void add_rows(const boxes_t &p, int64_t *found, int64_t begin, int64_t end) {
    const int outer = p.axes - 1;
    const int64_t n = p.shape[outer];
    int64_t index[GND_MAX_DIMS], rest = begin;
    for (int64_t k = 0; k < p.groups * p.axes; k++) found[2 * k] = INT64_MAX, found[2 * k + 1] = 0;
    for (int a = outer - 1; a >= 0; rest /= p.shape[a], a--) index[a] = rest % p.shape[a];
    for (int64_t row = begin; row < end; row++) {
        const T *x = static_cast<const T *>(p.labels) + row * n;
        if (outer == 1)
            add_row<T, 2>(p, x, index, found);
        else if (outer == 2)
            add_row<T, 3>(p, x, index, found);
        else
            add_row<T, 0>(p, x, index, found);
        for (int a = outer - 1; a >= 0 && ++index[a] == p.shape[a]; a--) index[a] = 0;
    }
}

} // namespace labels
} // namespace gnd

using namespace gnd::labels;

void gndi_label_boxes_part(const gndi_label_extremes_plan *p, int64_t *found, int64_t begin, int64_t end) {
    switch (p->label_dtype) {
    case GND_INT8: return add_rows<int8_t>(*p, found, begin, end);
    case GND_BOOL:
    case GND_UINT8: return add_rows<uint8_t>(*p, found, begin, end);
    case GND_INT16: return add_rows<int16_t>(*p, found, begin, end);
    case GND_UINT16: return add_rows<uint16_t>(*p, found, begin, end);
    case GND_INT32: return add_rows<int32_t>(*p, found, begin, end);
    case GND_UINT32: return add_rows<uint32_t>(*p, found, begin, end);
    default: return add_rows<int64_t>(*p, found, begin, end);
    }
}

void gndi_label_boxes_join(const gndi_label_extremes_plan *p, const int64_t *found, int64_t parts) {
    int64_t *out = static_cast<int64_t *>(p->out);
    const int64_t size = p->groups * p->axes * 2;
    for (int64_t k = 0; k < size; k += 2) {
        int64_t bounds[2] = {INT64_MAX, 0};
        for (int64_t part = 0; part < parts; part++) extend(bounds, found[part * size + k], found[part * size + k + 1]);
        out[k] = bounds[1] > 0 ? bounds[0] : 0, out[k + 1] = bounds[1];
    }
}
