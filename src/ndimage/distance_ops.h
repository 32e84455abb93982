/*
 * distance_ops.h: distances of one element, for both backends: metrics, and what is written.
 */
#ifndef GNDI_DISTANCE_OPS_H
#define GNDI_DISTANCE_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "ndimage/distance_plan.h"

namespace gnd {
namespace distance {

typedef gndi_distance_plan plan_t;

/* ---- metrics -------------------------------------------------------------------------------- */

/* More than any distance, to which a step may still be added. */
template <class D> GNDI_FN D none() {
    return sizeof(D) == 4 ? (D)0x80000000u : (D)HUGE_VAL;
}

/* What `away` elements along an axis are. */
template <int metric> GNDI_FN uint32_t step(uint32_t away, uint32_t) {
    return metric == GNDI_DISTANCE_EUCLIDEAN ? away * away : away;
}
template <int metric> GNDI_FN double step(uint32_t away, double spacing) {
    const double length = (double)away * spacing;
    return length * length;
}
template <int metric, class D> GNDI_FN D join(D far, D along) {
    if (metric == GNDI_DISTANCE_CHESSBOARD) return far > along ? far : along;
    return far + along;
}
GNDI_FN uint32_t distance_between(int64_t a, int64_t b) {
    return (uint32_t)(a > b ? a - b : b - a);
}

/* ---- results -------------------------------------------------------------------------------- */

/* The flat index of what is nearest to an element of a line, from that of the line's element `nearest`. */
GNDI_FN int64_t nearest_at(const plan_t &p, int64_t offset) {
    if (!p.from_at) return offset;
    return p.far ? static_cast<const int64_t *>(p.from_at)[offset] : static_cast<const int32_t *>(p.from_at)[offset];
}

/* The square of the distance to a zero at -1, 0, 0, ... */
GNDI_FN double beside_all(const plan_t &p, int64_t i) {
    double sum = 0;
    for (int a = p.ndim - 1; a >= 0; i /= p.shape[a], a--) {
        const double length = (double)(i % p.shape[a] + (a == 0)) * p.spacings[a];
        sum += length * length;
    }
    return sum;
}

GNDI_FN void write_indices(const plan_t &p, int64_t i, int64_t at, int64_t size) {
    const int64_t to = p.mirrored ? size - 1 - i : i;
    if (at < 0 && p.none == GNDI_DISTANCE_NONE_OWN) at = i;
    if (at < 0 && p.none == GNDI_DISTANCE_NONE_ORIGIN) at = size - 1; /* mirrored */
    for (int a = p.ndim - 1; a >= 0; a--) {
        const int64_t plane = p.mirrored ? p.ndim - 1 - a : a;
        const int64_t index = at < 0 ? -(a == 0) : at % p.shape[a];
        p.indices[plane * size + to] = (int32_t)(p.mirrored ? p.shape[a] - 1 - index : index);
        if (at >= 0) at /= p.shape[a];
    }
}

GNDI_FN double root_of(const plan_t &p, int64_t i, double square, bool is_none) {
    if (is_none) square = p.none == GNDI_DISTANCE_NONE_ORIGIN ? 1.7976931348623157e308 : beside_all(p, i);
    return m::sqrt(square);
}

/* What is rarely wanted. On a GPU a called function reads the plan by its address, several times slower. */
template <class D> GNDI_FN_HEAVY void store_rest(const plan_t &p, int64_t i, D distance, int64_t at) {
    const bool is_none = distance >= none<D>();
    if (p.result == GNDI_DISTANCE_PARTIAL) {
        static_cast<D *>(p.to)[i] = is_none ? none<D>() : distance;
        if (p.to_at && p.far) static_cast<int64_t *>(p.to_at)[i] = is_none ? -1 : at;
        if (p.to_at && !p.far) static_cast<int32_t *>(p.to_at)[i] = is_none ? -1 : (int32_t)at;
        return;
    }
    const int64_t size = p.outer * p.n * p.inner, to = p.mirrored ? size - 1 - i : i;
    if (p.indices) write_indices(p, i, is_none ? -1 : at, size);
    if (!p.distances) return;
    if (p.result == GNDI_DISTANCE_ROOT)
        static_cast<double *>(p.distances)[to] = root_of(p, i, (double)distance, is_none);
    else if (p.result == GNDI_DISTANCE_SIGNED)
        static_cast<int32_t *>(p.distances)[to] = is_none ? -1 : (int32_t)distance;
    else
        static_cast<uint32_t *>(p.distances)[to] = is_none ? 0xffffffffu : (uint32_t)distance;
}

/* Writes the distance of element i, and where the nearest is: `at`, a flat index. */
template <class D> GNDI_FN void store(const plan_t &p, int64_t i, D distance, int64_t at) {
    const bool alone = !p.to_at && !p.indices;
    if (alone && p.result == GNDI_DISTANCE_PARTIAL)
        static_cast<D *>(p.to)[i] = distance < none<D>() ? distance : none<D>();
    else if (alone && p.result == GNDI_DISTANCE_ROOT && !p.mirrored && distance < none<D>())
        static_cast<double *>(p.distances)[i] = m::sqrt((double)distance);
    else if (alone && p.result == GNDI_DISTANCE_SIGNED && !p.mirrored && p.distances)
        static_cast<int32_t *>(p.distances)[i] = distance < none<D>() ? (int32_t)distance : -1;
    else
        store_rest<D>(p, i, distance, at);
}

/* Where element x of a line that begins at `base` has its nearest, the line's element j. */
GNDI_FN int64_t at_of(const plan_t &p, int64_t base, int64_t j) {
    return p.indices || p.to_at ? nearest_at(p, base + j * p.inner) : 0;
}
GNDI_FN int64_t line_base(const plan_t &p, int64_t line) {
    return p.inner == 1 ? line * p.n : line / p.inner * p.n * p.inner + line % p.inner;
}

/* ---- a chamfer with a structure ------------------------------------------------------------- */

/* Element i of a pass from the first element to the last, or `back`: one more than the least of its neighbours that the
   structure's first half has, which in the pass back are those on the other side. */
GNDI_FN void chamfer(const plan_t &p, int64_t i, bool back) {
    int32_t *distance = static_cast<int32_t *>(p.to);
    int32_t least = distance[i];
    if (least == 0) return;
    int64_t from = i;
    int half = 1;
    for (int a = 0; a < p.ndim; a++) half *= 3;
    for (int e = 0; e < half / 2; e++) {
        if (!p.structure[e]) continue;
        int64_t rest = i, stride = 1, to = i;
        bool inside = true;
        int digits = e;
        for (int a = p.ndim - 1; a >= 0; digits /= 3, rest /= p.shape[a], stride *= p.shape[a], a--) {
            const int64_t move = back ? 1 - digits % 3 : digits % 3 - 1, index = rest % p.shape[a] + move;
            inside &= index >= 0 && index < p.shape[a];
            to += move * stride;
        }
        if (!inside || distance[to] < 0 || (least >= 0 && distance[to] + 1 >= least)) continue;
        least = distance[to] + 1, from = to;
    }
    distance[i] = least;
    if (!p.to_at) return;
    if (p.far)
        static_cast<int64_t *>(p.to_at)[i] = static_cast<const int64_t *>(p.to_at)[from];
    else
        static_cast<int32_t *>(p.to_at)[i] = static_cast<const int32_t *>(p.to_at)[from];
}

/* An element before the passes, and behind them. */
GNDI_FN void open_chamfer(const plan_t &p, int64_t i) {
    static_cast<int32_t *>(p.to)[i] = p.truths[i] ? -1 : 0;
    if (p.to_at && p.far) static_cast<int64_t *>(p.to_at)[i] = i;
    if (p.to_at && !p.far) static_cast<int32_t *>(p.to_at)[i] = (int32_t)i;
}
GNDI_FN void close_chamfer(const plan_t &p, int64_t i) {
    const int64_t at = p.far ? static_cast<const int64_t *>(p.to_at)[i] : static_cast<const int32_t *>(p.to_at)[i];
    write_indices(p, i, at, p.outer * p.n * p.inner);
}

} // namespace distance
} // namespace gnd

#endif
