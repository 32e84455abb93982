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

/* Elements begin .. end - 1. Neighbours often have the same label, whose group is kept. */
template <class X, class L>
static void add_elements(const sums_t &p, const groups &g, double *sums, int64_t begin, int64_t end) {
    const X *x = static_cast<const X *>(p.x);
    const L *labels = static_cast<const L *>(p.labels);
    const int columns = columns_of(p);
    int64_t last = 0, group = p.labels ? group_of(g, 0) : 0, index[GNDI_LABEL_AXES] = {0}, left[GNDI_LABEL_AXES] = {0};
    for (int k = 0; k < p.axes; k++) {
        index[k] = begin / p.inner[k] % p.extent[k];
        left[k] = p.inner[k] - begin % p.inner[k];
    }
    for (int64_t i = begin; i < end; i++) {
        if (labels) {
            const int64_t label = p.index ? (int64_t)labels[i] : labels[i] > 0;
            if (label != last) last = label, group = group_of(g, label);
        }
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

template <class X>
static void add_elements(const sums_t &p, const groups &g, double *sums, int64_t begin, int64_t end) {
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
