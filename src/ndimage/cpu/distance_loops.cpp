/*
 * distance_loops.cpp: distances to the nearest zero on the CPU. Lines of the first axis are swept from both ends, many
 * side by side. Of a later axis, each line's elements that are nearest somewhere are kept on a stack, with where each
 * begins to be (Meijster, Roerdink, Hesselink, "A general algorithm for computing distance transforms in linear time",
 * 2000).
 */
#include "ndimage/cpu/distance_loops.h"
#include "ndimage/cpu/distance_rows.hpp"
#include <math.h>

namespace gnd {
namespace distance {

enum { GROUP = 64, FEW = 16, GROUP_BYTES = 1 << 20 };

static int64_t group_of(const plan_t &p) {
    if (p.kind == GNDI_DISTANCE_LEAST) return p.inner == 1 ? 1 : FEW;
    const int64_t fit = GROUP_BYTES / (4 * p.n), most = GROUP;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* A line's distances, with the elements of the line that are nearest, which may be overwritten. */
template <class D> static void write_line(const plan_t &p, int64_t base, const D *value, int32_t *nearest) {
    if (p.result == GNDI_DISTANCE_PARTIAL && !p.to_at) {
        D *to = static_cast<D *>(p.to) + base;
        for (int64_t x = 0; x < p.n; x++) to[x * p.inner] = value[x] < none<D>() ? value[x] : none<D>();
    } else if (p.result == GNDI_DISTANCE_ROOT && !p.indices && !p.mirrored && value[0] < none<D>()) {
        double *to = static_cast<double *>(p.distances) + base; /* where one element has a nearest, all have */
        for (int64_t x = 0; x < p.n; x++) to[x * p.inner] = ::sqrt((double)value[x]);
    } else if (p.indices && p.inner == 1 && !p.mirrored && !p.far && value[0] < none<D>()) {
        for (int64_t x = 0; x < p.n; x++) nearest[x] = (int32_t)at_of(p, base, nearest[x]);
        write_row(p, base, nearest, p.n);
        plan_t rest = p;
        rest.indices = nullptr;
        for (int64_t x = 0; x < p.n && p.distances; x++) store<D>(rest, base + x, value[x], 0);
    } else {
        for (int64_t x = 0; x < p.n; x++)
            store<D>(p, base + x * p.inner, value[x], value[x] < none<D>() ? at_of(p, base, nearest[x]) : -1);
    }
}

/* ---- the first axis ------------------------------------------------------------------------- */

/* Columns first .. first + count - 1. `before`: n x count. */
template <int metric, class D> static void nearest(const plan_t &p, int64_t first, int count, int32_t *before) {
    int32_t last[GROUP];
    const D spacing = (D)p.spacing;
    for (int c = 0; c < count; c++) last[c] = -1;
    for (int64_t row = 0; row < p.n; row++) {
        int32_t *to = before + row * count;
        for (int c = 0; c < count; c++) {
            const int64_t i = row * p.inner + first + c;
            if (!p.truths[p.mirrored ? p.n * p.inner - 1 - i : i]) last[c] = (int32_t)row;
            to[c] = last[c];
        }
    }
    for (int c = 0; c < count; c++) last[c] = -1;
    for (int64_t row = p.n - 1; row >= 0; row--) {
        const int32_t *from = before + row * count;
        for (int c = 0; c < count; c++) {
            const int32_t r = (int32_t)row, low = from[c];
            if (low == r) last[c] = r;
            const int32_t high = last[c], at = high < 0 || (low >= 0 && r - low <= high - r) ? low : high;
            const int64_t i = row * p.inner + first + c;
            const D value = at < 0 ? none<D>() : step<metric>(distance_between(r, at), spacing);
            if (p.result == GNDI_DISTANCE_PARTIAL && !p.to_at)
                static_cast<D *>(p.to)[i] = value;
            else
                store<D>(p, i, value, at < 0 ? -1 : (int64_t)at * p.inner + first + c);
        }
    }
}

/* ---- a later axis --------------------------------------------------------------------------- */

/* The last x at which element i of a line is not farther than element u behind it. */
template <int metric, class D> static double last_of(double i, double u, D at_i, D at_u, double spacing) {
    const double far_i = (double)at_i, far_u = (double)at_u;
    if (metric == GNDI_DISTANCE_EUCLIDEAN) {
        const double square = spacing * spacing;
        return floor((square * (u - i) * (u + i) + far_u - far_i) / (2 * square * (u - i)));
    }
    const double middle = floor((i + u) / 2);
    if (metric == GNDI_DISTANCE_CHESSBOARD) {
        if (far_i <= far_u) return i + far_u > middle ? i + far_u : middle;
        return u - far_i < middle ? u - far_i : middle;
    }
    if (far_u >= far_i + (u - i)) return HUGE_VAL;
    if (far_i > far_u + (u - i)) return -HUGE_VAL;
    return floor((far_u - far_i + u + i) / 2);
}

template <int metric, class D> static void least(const plan_t &p, const D *far, int64_t stride, D *value,
                                                 int32_t *nearest, int32_t *kept, int32_t *begin) {
    const D spacing = (D)p.spacing;
    int64_t count = 0;
    for (int64_t u = 0; u < p.n; u++) {
        const D at_u = far[u * stride];
        if (at_u >= none<D>()) continue;
        double from = 0;
        for (; count > 0; count--) {
            const int32_t i = kept[count - 1];
            const double last = last_of<metric, D>(i, (double)u, far[i * stride], at_u, (double)spacing);
            from = last + 1;
            if (!(last < begin[count - 1])) break;
            from = 0;
        }
        if (!(from < (double)p.n)) continue;
        kept[count] = (int32_t)u, begin[count++] = (int32_t)from;
    }
    if (count == 0)
        for (int64_t x = 0; x < p.n; x++) value[x] = none<D>(), nearest[x] = -1;
    for (int64_t k = 0; k < count; k++) {
        const int64_t end = k + 1 < count ? begin[k + 1] : p.n;
        const int32_t i = kept[k];
        const D own = far[i * stride];
        for (int64_t x = begin[k]; x < end; x++) {
            value[x] = join<metric>(own, step<metric>((uint32_t)(x > i ? x - i : i - x), spacing));
            nearest[x] = i;
        }
    }
}

template <int metric, class D> static void group(const plan_t &p, int64_t first, int count, void *work) {
    if (p.kind == GNDI_DISTANCE_NEAREST) return nearest<metric, D>(p, first, count, static_cast<int32_t *>(work));
    D *far = static_cast<D *>(work), *value = far + FEW * p.n;
    int32_t *at = reinterpret_cast<int32_t *>(value + p.n);
    const D *from = static_cast<const D *>(p.from);
    const int64_t base = line_base(p, first);
    if (count == 1) {
        least<metric, D>(p, from + base, p.inner, value, at, at + p.n, at + 2 * p.n);
        return write_line<D>(p, base, value, at);
    }
    int64_t bases[FEW];
    for (int c = 0; c < count; c++) bases[c] = line_base(p, first + c);
    for (int64_t x = 0; x < p.n; x++)
        for (int c = 0; c < count; c++) far[c * p.n + x] = from[bases[c] + x * p.inner];
    for (int c = 0; c < count; c++) {
        least<metric, D>(p, far + c * p.n, 1, value, at, at + p.n, at + 2 * p.n);
        write_line<D>(p, bases[c], value, at);
    }
}

} // namespace distance
} // namespace gnd

using namespace gnd::distance;

int64_t gndi_distance_group(const gndi_distance_plan *p) {
    return group_of(*p);
}
int64_t gndi_distance_work(const gndi_distance_plan *p) {
    if (p->kind == GNDI_DISTANCE_NEAREST) return group_of(*p) * p->n * 4;
    return p->n * ((FEW + 1) * (p->wide ? 8 : 4) + 3 * 4);
}
void gndi_distance_groups(const gndi_distance_plan *p, int64_t begin, int64_t end, void *work) {
    const int64_t lines = p->outer * p->inner, each = group_of(*p);
    for (int64_t g = begin; g < end; g++) {
        const int64_t first = g * each, left = lines - first;
        const int count = (int)(left < each ? left : each);
        if (p->wide)
            group<GNDI_DISTANCE_EUCLIDEAN, double>(*p, first, count, work);
        else if (p->metric == GNDI_DISTANCE_EUCLIDEAN)
            group<GNDI_DISTANCE_EUCLIDEAN, uint32_t>(*p, first, count, work);
        else if (p->metric == GNDI_DISTANCE_TAXICAB)
            group<GNDI_DISTANCE_TAXICAB, uint32_t>(*p, first, count, work);
        else
            group<GNDI_DISTANCE_CHESSBOARD, uint32_t>(*p, first, count, work);
    }
}
