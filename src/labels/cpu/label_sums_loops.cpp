/*
 * label_sums_loops.cpp: sums over labels on the CPU: a table of sums for each part of the elements.
 */
#include "labels/cpu/labels_loops.h"
#include "labels/labels_ops.h"
#include <string.h>

namespace gnd {
namespace labels {

static groups groups_of(const sums_t &p, const int32_t *table) {
    return {p.index, p.groups, p.index ? p.index[0] : 1, table, table ? table_bits(p.groups) : 0};
}

static int columns_of(const sums_t &p) {
    return 1 + p.counts + p.axes;
}

/* ---- groups of an index --------------------------------------------------------------------- */

/* Elements begin .. end - 1. Neighbours often have the same label, whose group is kept. */
template <class X, class L>
static void add_elements(const sums_t &p, const groups &g, double *sums, int64_t begin, int64_t end) {
    const X *x = static_cast<const X *>(p.x);
    const L *labels = static_cast<const L *>(p.labels);
    const int columns = columns_of(p);
    int64_t last = 0, group = group_of(g, 0), index[GNDI_LABEL_AXES] = {0}, left[GNDI_LABEL_AXES] = {0};
    for (int k = 0; k < p.axes; k++) {
        index[k] = begin / p.inner[k] % p.extent[k];
        left[k] = p.inner[k] - begin % p.inner[k];
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t label = labels[i];
        if (label != last) last = label, group = group_of(g, label);
        if (group >= 0) {
            double *row = sums + group * columns;
            double value = (double)x[i];
            if (p.centres) value -= p.centres[group], value *= value;
            *row++ += value;
            if (p.counts) *row++ += 1;
            for (int k = 0; k < p.axes; k++) row[k] += value * (double)index[k];
        }
        for (int k = 0; k < p.axes; k++) {
            if (--left[k] > 0) continue;
            left[k] = p.inner[k];
            if (++index[k] == p.extent[k]) index[k] = 0;
        }
    }
}

/* ---- a single group ------------------------------------------------------------------------- */

/* Sums of elements, how many there are, and moments about the first one's index. */
struct stretch {
    double sum, count, moment;
};

constexpr int64_t BLOCK = 256, LANES = 8;

/* What is summed of a block: its elements or the squares of their distances from `centre`, and 0 where labels are not
   above 0. How many are. */
template <bool Labelled, bool Squared, class X, class L>
static int take_block(const X *x, const L *labels, double centre, int n, double *values) {
    for (int i = 0; i < n; i++) values[i] = (double)x[i];
    if (Squared)
        for (int i = 0; i < n; i++) values[i] = (values[i] - centre) * (values[i] - centre);
    if (!Labelled) return n;
    int32_t counted[BLOCK], count = 0;
    uint64_t bits[BLOCK];
    for (int i = 0; i < n; i++) counted[i] = labels[i] > 0 ? -1 : 0;
    for (int i = 0; i < n; i++) count -= counted[i];
    memcpy(bits, values, sizeof *values * (size_t)n);
    for (int i = 0; i < n; i++) bits[i] &= (uint64_t)(int64_t)counted[i];
    memcpy(values, bits, sizeof *values * (size_t)n);
    return count;
}

/* Of n elements; `Moment`: moments are wanted. Partial sums make chains short. */
template <bool Labelled, bool Squared, bool Moment, class X, class L>
static stretch sum_stretch(const X *x, const L *labels, double centre, int64_t n) {
    double sum[LANES] = {0}, moment[LANES] = {0}, values[BLOCK];
    stretch all = {0, 0, 0};
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int count = (int)(n - first < BLOCK ? n - first : BLOCK), whole = count / LANES * LANES;
        all.count +=
            take_block<Labelled, Squared>(x + first, Labelled ? labels + first : nullptr, centre, count, values);
        for (int i = 0; i < whole; i += LANES)
            for (int k = 0; k < LANES; k++) {
                sum[k] += values[i + k];
                if (Moment) moment[k] += values[i + k] * (double)((int)first + i + k);
            }
        for (int i = whole; i < count; i++) {
            sum[0] += values[i];
            if (Moment) moment[0] += values[i] * (double)(first + i);
        }
    }
    for (int k = 0; k < LANES; k++) all.sum += sum[k], all.moment += moment[k];
    return all;
}

/* Elements begin .. end - 1, in stretches with one index along each axis but, if it is measured, the last one. */
template <bool Labelled, class X, class L>
static void add_group(const sums_t &p, double *sums, int64_t begin, int64_t end) {
    const X *x = static_cast<const X *>(p.x);
    const L *labels = static_cast<const L *>(p.labels);
    const int last = p.axes - 1;
    const bool moment = last >= 0 && p.inner[last] == 1;
    const int64_t length = last < 0 ? p.n : moment ? p.extent[last] : p.inner[last];
    for (int64_t i = begin, stop; i < end; i = stop) {
        stop = (i / length + 1) * length < end ? (i / length + 1) * length : end;
        const L *own = Labelled ? labels + i : nullptr;
        const stretch s = moment      ? sum_stretch<Labelled, false, true>(x + i, own, 0, stop - i)
                          : p.centres ? sum_stretch<Labelled, true, false>(x + i, own, p.centres[0], stop - i)
                                      : sum_stretch<Labelled, false, false>(x + i, own, 0, stop - i);
        double *row = sums;
        *row++ += s.sum;
        if (p.counts) *row++ += s.count;
        for (int k = 0; k < p.axes; k++) row[k] += s.sum * (double)(i / p.inner[k] % p.extent[k]);
        if (moment) row[last] += s.moment;
    }
}

template <class X>
static void add_elements(const sums_t &p, const groups &g, double *sums, int64_t begin, int64_t end) {
    if (!p.labels) return add_group<false, X, int32_t>(p, sums, begin, end);
    if (!p.index && p.label_dtype == GND_INT64) return add_group<true, X, int64_t>(p, sums, begin, end);
    if (!p.index) return add_group<true, X, int32_t>(p, sums, begin, end);
    if (p.label_dtype == GND_INT64)
        add_elements<X, int64_t>(p, g, sums, begin, end);
    else
        add_elements<X, int32_t>(p, g, sums, begin, end);
}

} // namespace labels
} // namespace gnd

using namespace gnd::labels;

int gndi_label_table_bits(int64_t groups) {
    return table_bits(groups);
}

bool gndi_label_consecutive(const gndi_label_sums_plan *p) {
    for (int64_t k = 0; p->index && k < p->groups; k++)
        if ((uint64_t)p->index[k] != (uint64_t)p->index[0] + (uint64_t)k) return false;
    return true;
}

void gndi_label_hash(const gndi_label_sums_plan *p, int32_t *table) {
    const int bits = table_bits(p->groups);
    const uint32_t mask = (1u << bits) - 1;
    memset(table, 0xff, sizeof *table << bits);
    for (int64_t k = 0; k < p->groups; k++) {
        uint32_t h = hash_label(p->index[k], bits);
        while (table[h] >= 0 && p->index[table[h]] != p->index[k]) h = (h + 1) & mask;
        if (table[h] < 0) table[h] = (int32_t)k;
    }
}

void gndi_label_sums_parts(const gndi_label_sums_plan *p, const int32_t *table, int64_t begin, int64_t end) {
    const groups g = groups_of(*p, table);
    const int64_t size = p->groups * columns_of(*p), each = (p->n + p->parts - 1) / p->parts;
    for (int64_t part = begin; part < end; part++) {
        double *sums = p->part + part * size;
        const int64_t first = part * each < p->n ? part * each : p->n;
        const int64_t last = first + each < p->n ? first + each : p->n;
        memset(sums, 0, (size_t)size * sizeof *sums);
        if (p->x_dtype == GND_FLOAT64)
            add_elements<double>(*p, g, sums, first, last);
        else
            add_elements<float>(*p, g, sums, first, last);
    }
}

void gndi_label_sums_groups(const gndi_label_sums_plan *p, const int32_t *table, int64_t begin, int64_t end) {
    const groups g = groups_of(*p, table);
    const int64_t columns = columns_of(*p), size = p->groups * columns;
    for (int64_t k = begin; k < end; k++) {
        const int64_t from = table ? group_of(g, p->index[k]) : k;
        for (int64_t c = 0; c < columns; c++) {
            double sum = 0;
            for (int64_t part = 0; part < p->parts; part++) sum += p->part[part * size + from * columns + c];
            p->out[k * columns + c] = sum;
        }
    }
}
