/*
 * lines_loops.cpp: separable filters on the CPU, a block of output rows at a time: down the columns, all columns of a
 * row side by side, then along the rows, on a line with its borders. Sums run in double. Extremes are made of those
 * of 2, 4, 8, ... neighbours, in as many passes as the width has bits.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include <algorithm>
#include <cstring>

namespace gnd {
namespace lines {

typedef gndi_lines_plan plan_t;

constexpr int64_t BLOCK = 32;

template <class T> struct space {
    double *sums;     /* of each column */
    T *line, *filled; /* a line with borders; one of the constant */
    T *rows;          /* those that extremes are made in */
    T *between;       /* rows between the axes */
    const T **row;    /* those of x */
};

static int64_t width_of(const plan_t &p) {
    return p.columns + (p.axis[1].size > 0 ? p.axis[1].size : 1);
}
static int64_t height_of(const plan_t &p) {
    return gndi_lines_block(&p) + (p.axis[0].size > 0 ? p.axis[0].size - 1 : 0);
}

template <class T> static space<T> divide(const plan_t &p, void *memory) {
    const int64_t wide = width_of(p), high = height_of(p);
    space<T> s;
    s.sums = static_cast<double *>(memory);
    s.row = reinterpret_cast<const T **>(s.sums + wide);
    s.line = reinterpret_cast<T *>(s.row + high);
    s.filled = s.line + wide;
    s.between = s.filled + wide;
    s.rows = s.between + p.columns;
    return s;
}

template <int kind, class T> static inline T better(T a, T b) {
    return kind == GNDI_LINES_MAXIMUM ? (b > a ? b : a) : (b < a ? b : a);
}
static inline const double *taps_of(const gndi_lines_axis &a) {
    return a.taps ? a.taps : a.few;
}

/* ---- down the columns ----------------------------------------------------------------------- */

/* to[c] = the sum of taps[t] * from(t)[c], in the order of the taps; eight vectors of sums stay in registers. */
template <class T, class From> static void weigh(const gndi_lines_axis &a, int64_t n, From from, T *to) {
    typedef T V __attribute__((vector_size(16)));
    typedef T unaligned __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
    constexpr int64_t LANES = 16 / sizeof(T), MANY = 8 * LANES;
    const double *taps = taps_of(a);
    const auto at = [](const T *x, int k) { return V(*(const unaligned *)(x + k * LANES)); };
    int64_t c = 0;
    for (; c + MANY <= n; c += MANY) {
        V s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
        for (int64_t t = 0; t < a.size; t++) {
            const V w = (T)taps[t] - V{};
            const T *x = from(t) + c;
            s0 += w * at(x, 0), s1 += w * at(x, 1), s2 += w * at(x, 2), s3 += w * at(x, 3);
            s4 += w * at(x, 4), s5 += w * at(x, 5), s6 += w * at(x, 6), s7 += w * at(x, 7);
        }
        const V sums[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
        memcpy(to + c, sums, sizeof sums);
    }
    for (; c + LANES <= n; c += LANES) {
        V sum = {};
        for (int64_t t = 0; t < a.size; t++) sum += ((T)taps[t] - V{}) * at(from(t) + c, 0);
        memcpy(to + c, &sum, sizeof sum);
    }
    for (; c < n; c++) {
        T sum = 0;
        for (int64_t t = 0; t < a.size; t++) sum += (T)taps[t] * from(t)[c];
        to[c] = sum;
    }
}

template <class T> static void sum_rows(const plan_t &p, const T *const *row, int64_t r, double *sums, T *to) {
    const int64_t size = p.axis[0].size, n = p.columns;
    const double divisor = (double)size;
    if (r == 0) {
        for (int64_t j = 0; j < n; j++) sums[j] = 0;
        for (int64_t t = 0; t < size; t++)
            for (int64_t j = 0; j < n; j++) sums[j] += (double)row[t][j];
    } else {
        const T *in = row[r + size - 1], *gone = row[r - 1];
        for (int64_t j = 0; j < n; j++) sums[j] += (double)in[j] - (double)gone[j];
    }
    for (int64_t j = 0; j < n; j++) to[j] = (T)(sums[j] / divisor);
}

/* The extremes of `size` neighbours of count + size - 1 elements, `step` apart, each of n: in place, up to the last
   pass, which goes to `to`. */
template <int kind, class T>
static void extremes(T *x, int64_t count, int64_t size, int64_t step, int64_t n, T *to, int64_t to_step) {
    int64_t have = 1, left = count + size - 1;
    for (; 2 * have <= size; have *= 2) {
        left -= have;
        for (int64_t i = 0; i < left; i++) {
            T *a = x + i * step;
            const T *b = a + have * step;
            for (int64_t j = 0; j < n; j++) a[j] = better<kind>(a[j], b[j]);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const T *a = x + i * step, *b = a + (size - have) * step;
        T *out = to + i * to_step;
        for (int64_t j = 0; j < n; j++) out[j] = better<kind>(a[j], b[j]);
    }
}
/* The same of a line, whose elements are next to each other. */
template <int kind, class T> static void extremes_of_line(T *x, int64_t count, int64_t size, T *to) {
    int64_t have = 1, left = count + size - 1;
    for (; 2 * have <= size; have *= 2) {
        left -= have;
        for (int64_t i = 0; i < left; i++) x[i] = better<kind>(x[i], x[i + have]);
    }
    for (int64_t i = 0; i < count; i++) to[i] = better<kind>(x[i], x[i + size - have]);
}

/* ---- along the rows ------------------------------------------------------------------------- */

template <class T> static const T *with_borders(const plan_t &p, const T *from, T *line) {
    const gndi_lines_axis &a = p.axis[1];
    const int64_t n = p.columns, length = n + a.size - 1;
    const int64_t begin = std::min(std::max<int64_t>(-a.first, 0), length);
    const int64_t end = std::max(std::min(n - a.first, length), begin);
    const auto at = [&](int64_t k) {
        const int64_t i = gndi_border_index(k + a.first, n, (gndi_border)a.border);
        return i < 0 ? (T)p.fill : from[i];
    };
    for (int64_t k = 0; k < begin; k++) line[k] = at(k);
    if (end > begin) memcpy(line + begin, from + begin + a.first, (size_t)(end - begin) * sizeof(T));
    for (int64_t k = end; k < length; k++) line[k] = at(k);
    return line;
}

template <class T> static void sum_line(const plan_t &p, const T *line, T *to) {
    const int64_t size = p.axis[1].size;
    const double divisor = (double)size;
    double sum = 0;
    for (int64_t t = 0; t < size; t++) sum += (double)line[t];
    to[0] = (T)(sum / divisor);
    for (int64_t j = 1; j < p.columns; j++) {
        sum += (double)line[j + size - 1] - (double)line[j - 1];
        to[j] = (T)(sum / divisor);
    }
}

template <int kind, class T> static void along(const plan_t &p, const T *from, const space<T> &s, T *to) {
    with_borders(p, from, s.line);
    if constexpr (kind == GNDI_LINES_CORRELATE)
        weigh(
            p.axis[1], p.columns, [&](int64_t t) { return s.line + t; }, to);
    else if constexpr (kind == GNDI_LINES_SUM)
        sum_line(p, s.line, to);
    else
        extremes_of_line<kind>(s.line, p.columns, p.axis[1].size, to);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The rows that a block needs. Extremes are made in copies. */
template <int kind, class T>
static void find_rows(const plan_t &p, const T *x, int64_t first, int64_t count, const space<T> &s) {
    const gndi_lines_axis &a = p.axis[0];
    const int64_t needed = a.size > 0 ? count + a.size - 1 : count;
    const size_t bytes = (size_t)p.columns * sizeof(T);
    for (int64_t r = 0; r < needed; r++) {
        const int64_t i =
            a.size > 0 ? gndi_border_index(first + r + a.first, p.rows, (gndi_border)a.border) : first + r;
        s.row[r] = i < 0 ? s.filled : x + i * p.columns;
        if (kind >= GNDI_LINES_MAXIMUM && a.size > 0) memcpy(s.rows + r * p.columns, s.row[r], bytes);
    }
    if (kind >= GNDI_LINES_MAXIMUM && a.size > 0)
        extremes<kind>(s.rows, count, a.size, p.columns, p.columns, s.rows, p.columns);
}

template <int kind, class T> static void block(const plan_t &p, int64_t unit, const space<T> &s) {
    const int64_t rows = gndi_lines_block(&p), blocks = (p.rows + rows - 1) / rows;
    const int64_t outer = unit / blocks, first = unit % blocks * rows, count = std::min(rows, p.rows - first);
    const T *x = static_cast<const T *>(p.x) + outer * p.rows * p.columns;
    T *out = static_cast<T *>(p.out) + (outer * p.rows + first) * p.columns;
    find_rows<kind>(p, x, first, count, s);
    for (int64_t r = 0; r < count; r++, out += p.columns) {
        const bool last = p.axis[1].size == 0 && !p.adds;
        const T *from = s.row[r];
        T *to = last ? out : s.between;
        if (p.axis[0].size > 0) {
            if constexpr (kind == GNDI_LINES_CORRELATE)
                weigh(
                    p.axis[0], p.columns, [&](int64_t t) { return s.row[r + t]; }, to);
            else if constexpr (kind == GNDI_LINES_SUM)
                sum_rows(p, s.row, r, s.sums, to);
            else if (last)
                memcpy(to, s.rows + r * p.columns, (size_t)p.columns * sizeof(T));
            from = kind >= GNDI_LINES_MAXIMUM ? s.rows + r * p.columns : to;
        } else if (last) {
            memcpy(to, from, (size_t)p.columns * sizeof(T));
        }
        if (p.axis[1].size > 0) {
            along<kind>(p, from, s, p.adds ? s.between : out);
            from = s.between;
        }
        for (int64_t j = 0; p.adds && j < p.columns; j++) out[j] += from[j];
    }
}

template <class T> static void units(const plan_t &p, int64_t begin, int64_t end, void *memory) {
    const space<T> s = divide<T>(p, memory);
    for (int64_t j = 0; j < p.columns; j++) s.filled[j] = (T)p.fill;
    for (int64_t unit = begin; unit < end; unit++) switch (p.kind) {
        case GNDI_LINES_CORRELATE: block<GNDI_LINES_CORRELATE>(p, unit, s); break;
        case GNDI_LINES_SUM: block<GNDI_LINES_SUM>(p, unit, s); break;
        case GNDI_LINES_MAXIMUM: block<GNDI_LINES_MAXIMUM>(p, unit, s); break;
        default: block<GNDI_LINES_MINIMUM>(p, unit, s); break;
        }
}

} // namespace lines
} // namespace gnd

/* As many rows as a window has, so that they are summed twice at most. */
int64_t gndi_lines_block(const gndi_lines_plan *p) {
    return std::min(p->rows, std::max(gnd::lines::BLOCK, p->axis[0].size));
}
int64_t gndi_lines_work(const gndi_lines_plan *p) {
    const int64_t wide = gnd::lines::width_of(*p), high = gnd::lines::height_of(*p);
    return 8 * (4 * wide + high + high * p->columns + 8);
}
void gndi_lines_units(const gndi_lines_plan *p, int64_t begin, int64_t end, void *work) {
    if (p->dtype == GND_FLOAT32)
        gnd::lines::units<float>(*p, begin, end, work);
    else
        gnd::lines::units<double>(*p, begin, end, work);
}
