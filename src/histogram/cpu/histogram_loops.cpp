/*
 * histogram_loops.cpp: histograms on the CPU, in blocks of elements: first the bins of a block, in
 * loops that the compiler makes vectors of where the dtype allows it; then what becomes of them. Bytes
 * have their bins looked up, and integers of a narrow range are counted by value first. Counts go to four
 * tables in turn, so that runs of one bin do not wait for each other.
 */
#include "histogram/cpu/histogram_loops.h"
#include "kernels/cpu/with_storage.hpp"
#include "histogram/histogram_ops.h"

namespace gnd {

typedef gndi_cpu_histogram_job job_t;
typedef gndi_histogram_plan plan_t;

enum {
    BLOCK = 1024,
    VALUE_POINTS = 8, /* integers are counted by value where there are so many for each value */
};

template <class X> GNDI_FN X element(const plan_t &p, int64_t i) {
    return *reinterpret_cast<const X *>(p.x + i * p.x_step);
}

/* Elements begin .. begin + count - 1, of a block at most: where they are, if they are dense, else copied
   to `copy`. */
template <class X> GNDI_FN const X *block_of(const plan_t &p, int64_t begin, int count, X *copy) {
    if (p.x_step == (int64_t)sizeof(X)) return reinterpret_cast<const X *>(p.x) + begin;
    for (int k = 0; k < count; k++) copy[k] = element<X>(p, begin + k);
    return copy;
}

/* What elements of storage type X are compared with even edges in. */
template <class X> using even_t = choose_t<is_float<X> && sizeof(X) <= 4, float, double>;

/* ---- the bins of a block -------------------------------------------------------------------- */

/* Bins are N: int32 or int64. An element that is in none gets -1. */
template <class N, class X> static void integer_bins(job_t &job, int64_t begin, int count, N *bin) {
    const plan_t &p = *job.plan;
    const uint64_t origin = (uint64_t)p.origin, bins = (uint64_t)p.bins;
    X copy[BLOCK];
    const X *x = block_of(p, begin, count, copy);
    bool outside = false;
    for (int k = 0; k < count; k++) {
        const uint64_t position = (uint64_t)x[k] - origin;
        const bool in = position < bins;
        bin[k] = in ? (N)position : (N)-1;
        outside |= !in;
    }
    if (!outside || p.quiet) return;
    for (int k = 0; k < count && !job.is_outside; k++)
        if (bin[k] < 0) job.is_outside = true, job.outside = (int64_t)x[k];
}

/* Even bins, and their edges as they were stored, if that is how they are compared. */
template <class C> struct bins_and_edges {
    even_bins<C> even;
    const C *edges; /* NULL: by the formula */
};

/* The bin of x, whose position is closer to edge k than is sure. */
template <class C> static int beside(const bins_and_edges<C> &b, C x, int k) {
    const even_bins<C> &even = b.even;
    if (!(x >= even.low && x <= even.high)) return -1;
    if (even.limit < 0 || !b.edges) return settle(even, x, k);
    if (k <= 0 || k >= even.bins) return k <= 0 ? 0 : even.bins - 1;
    return x >= b.edges[k] ? k : k - 1;
}

template <class N, class X>
static void even_bins_of(const plan_t &p, const bins_and_edges<even_t<X>> &b, int64_t begin, int count, N *bin) {
    typedef even_t<X> C;
    const even_bins<C> &even = b.even;
    X copy[BLOCK];
    const X *x = block_of(p, begin, count, copy);
    int unsure = 0;
    for (int k = 0; k < count; k++) {
        const C at = (C)to_compute(x[k]);
        const bool inside = (at >= even.low) & (at <= even.high);
        const C position = position_of(even, at, inside);
        const int i = (int)position;
        const C past = position - (C)i;
        const bool known = inside & (past > even.sure) & (past < even.most) & (i < even.bins);
        bin[k] = (N)(known ? i : -1 - (i + (past > (C)0.5))); /* else by the nearest edge */
        unsure += !known;
    }
    if (unsure == 0) return;
    for (int k = 0; k < count; k++)
        if (bin[k] < 0) bin[k] = (N)beside(b, (C)to_compute(x[k]), (int)(-1 - bin[k]));
}

template <class C> GNDI_FN C between_number(const char *at, int dtype) {
    if constexpr (is_same<C, double>)
        return real_number(at, dtype);
    else if (is_same<C, uint64_t> && dtype == GND_UINT64)
        return (C) * reinterpret_cast<const uint64_t *>(at);
    else
        return (C)whole_number(at, dtype);
}
template <class N, class C> static void bins_between(const plan_t &p, int64_t begin, int count, N *bin) {
    const C *edges = reinterpret_cast<const C *>(p.edges);
    for (int k = 0; k < count; k++)
        bin[k] = (N)bin_between(edges, p.bins, between_number<C>(p.x + (begin + k) * p.x_step, p.x_dtype));
}

/* ---- what becomes of them ------------------------------------------------------------------- */

template <class N> static void store_numbers(const plan_t &p, int64_t begin, int count, const N *bin) {
    for (int k = 0; k < count; k++) {
        int64_t number = bin[k];
        if (p.number_dtype == GND_INT32) {
            int32_t *at = reinterpret_cast<int32_t *>(p.numbers) + begin + k;
            if (p.folds && number >= 0) number = *at < 0 ? -1 : *at * p.bins + number;
            *at = (int32_t)number;
        } else {
            int64_t *at = reinterpret_cast<int64_t *>(p.numbers) + begin + k;
            if (p.folds && number >= 0) number = *at < 0 ? -1 : *at * p.bins + number;
            *at = number;
        }
    }
}

template <class W> GNDI_FN void add_to(W &sum, W w) {
    if constexpr (is_complex<W>)
        sum.re += w.re, sum.im += w.im;
    else if constexpr (is_same<W, double>)
        sum += w;
    else
        sum = (W)((uint64_t)sum + (uint64_t)w);
}

template <class N, class W>
static void add_weights(const plan_t &p, char *part, int64_t begin, int count, const N *bin) {
    W *sums = reinterpret_cast<W *>(part);
    const char *weight = p.weight + begin * p.weight_step;
    for (int k = 0; k < count; k++, weight += p.weight_step)
        if (bin[k] >= 0) add_to(sums[bin[k]], *reinterpret_cast<const W *>(weight));
}

/* One table, or first four, which have a position for what is in no bin behind the others. */
struct tables {
    int64_t *counts;
    uint32_t *four; /* [table][bins + 1]; NULL: none */
};

template <class N> static void count_block(const plan_t &p, const tables &t, int count, const N *bin) {
    const int64_t none = p.bins, width = p.bins + 1;
    int k = 0;
    if (t.four) {
        uint32_t *a = t.four, *b = a + width, *c = b + width, *d = c + width;
        for (; k + 4 <= count; k += 4) {
            a[bin[k] < 0 ? none : (int64_t)bin[k]]++;
            b[bin[k + 1] < 0 ? none : (int64_t)bin[k + 1]]++;
            c[bin[k + 2] < 0 ? none : (int64_t)bin[k + 2]]++;
            d[bin[k + 3] < 0 ? none : (int64_t)bin[k + 3]]++;
        }
    }
    for (; k < count; k++)
        if (bin[k] >= 0) t.counts[bin[k]]++;
}

template <class N>
static void use_block(const plan_t &p, const tables &t, char *part, int64_t begin, int count, const N *bin) {
    if (p.numbers) store_numbers(p, begin, count, bin);
    if (!part) return;
    if (!p.weight)
        count_block(p, t, count, bin);
    else if (p.weight_dtype == GND_INT64)
        add_weights<N, int64_t>(p, part, begin, count, bin);
    else if (p.weight_dtype == GND_FLOAT64)
        add_weights<N, double>(p, part, begin, count, bin);
    else
        add_weights<N, complex<double>>(p, part, begin, count, bin);
}

/* ---- all blocks ------------------------------------------------------------------------------ */

static void open_tables(const job_t &job, int64_t points, uint32_t *workspace, tables &t) {
    const plan_t &p = *job.plan;
    t.counts = reinterpret_cast<int64_t *>(job.part), t.four = nullptr;
    if (!job.part || p.weight || p.bins > GNDI_CPU_NARROW || points < p.bins) return;
    t.four = workspace;
    memset(workspace, 0, sizeof *workspace * 4 * (size_t)(p.bins + 1));
}
/* Empties four tables into the one: in the end, and before they could overflow. */
static void empty_tables(const plan_t &p, tables &t) {
    const int64_t width = p.bins + 1;
    if (!t.four) return;
    const uint32_t *a = t.four, *b = a + width, *c = b + width, *d = c + width;
    for (int64_t k = 0; k < p.bins; k++) t.counts[k] += (int64_t)a[k] + (int64_t)b[k] + (int64_t)c[k] + (int64_t)d[k];
    memset(t.four, 0, sizeof *t.four * 4 * (size_t)width);
}

/* Calls find(begin, count, bins) and uses the bins, block by block. */
template <class N, class Find> static void all_blocks(job_t &job, int64_t begin, int64_t end, Find find) {
    const plan_t &p = *job.plan;
    uint32_t workspace[4 * (GNDI_CPU_NARROW + 1)];
    N bin[BLOCK];
    tables t;
    open_tables(job, end - begin, workspace, t);
    int64_t since = 0;
    for (int64_t i = begin; i < end; i += BLOCK) {
        const int count = end - i < BLOCK ? (int)(end - i) : (int)BLOCK;
        find(i, count, bin);
        use_block(p, t, job.part, i, count, bin);
        since += count;
        if (since >= (int64_t)1 << 32) empty_tables(p, t), since = 0;
    }
    empty_tables(p, t);
}

/* Bytes: 256 elements stand for all that there can be. */
template <class X, class Find> static void all_bytes(job_t &job, int64_t begin, int64_t end, Find find) {
    int32_t bin_of_byte[256];
    uint8_t every[256];
    for (int i = 0; i < 256; i++) every[i] = (uint8_t)i;
    plan_t table = *job.plan;
    table.x = reinterpret_cast<const char *>(every), table.x_step = 1;
    find(table, 0, 256, bin_of_byte);
    const plan_t &p = *job.plan;
    all_blocks<int32_t>(job, begin, end, [&](int64_t i, int count, int32_t *bin) {
        for (int k = 0; k < count; k++) bin[k] = bin_of_byte[element<uint8_t>(p, i + k)];
    });
}

template <class N, class C> static void add_between(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    if ((p.x_dtype == GND_INT8 || p.x_dtype == GND_UINT8) && is_same<N, int32_t>)
        all_bytes<uint8_t>(job, begin, end, [&](const plan_t &q, int64_t i, int count, int32_t *bin) {
            bins_between<int32_t, C>(q, i, count, bin);
        });
    else
        all_blocks<N>(job, begin, end, [&](int64_t i, int count, N *bin) { bins_between<N, C>(p, i, count, bin); });
}

/* Notes an integer that is in no bin. */
template <class X> static void note_outside(job_t &job, const X *x, int count) {
    const plan_t &p = *job.plan;
    for (int k = 0; k < count && !p.quiet && !job.is_outside; k++)
        if ((uint64_t)x[k] - (uint64_t)p.origin >= (uint64_t)p.bins) job.is_outside = true, job.outside = (int64_t)x[k];
}

/* Integers are their bins: they are counted where they stand. */
template <class X> static void count_integers(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    const uint64_t origin = (uint64_t)p.origin, bins = (uint64_t)p.bins;
    uint32_t workspace[4 * (GNDI_CPU_NARROW + 1)];
    X copy[BLOCK];
    tables t;
    open_tables(job, end - begin, workspace, t);
    uint32_t *a = workspace, *b = a + bins + 1, *c = b + bins + 1, *d = c + bins + 1;
    int64_t since = 0;
    for (int64_t i = begin; i < end; i += BLOCK) {
        const int count = end - i < BLOCK ? (int)(end - i) : (int)BLOCK;
        const X *x = block_of(p, i, count, copy);
        uint64_t most = 0;
        int k = 0;
        for (; t.four && k + 4 <= count; k += 4) {
            const uint64_t q = (uint64_t)x[k] - origin, r = (uint64_t)x[k + 1] - origin;
            const uint64_t u = (uint64_t)x[k + 2] - origin, v = (uint64_t)x[k + 3] - origin;
            a[q < bins ? q : bins]++, b[r < bins ? r : bins]++;
            c[u < bins ? u : bins]++, d[v < bins ? v : bins]++;
            most |= (uint64_t)(q >= bins) | (r >= bins) | (u >= bins) | (v >= bins);
        }
        for (; k < count; k++) {
            const uint64_t position = (uint64_t)x[k] - origin;
            if (position < bins)
                t.counts[position]++;
            else
                most = 1;
        }
        if (most) note_outside(job, x, count);
        since += count;
        if (since >= (int64_t)1 << 32) empty_tables(p, t), since = 0;
    }
    empty_tables(p, t);
}

/* Bins are a power of two, from 0 on. What is in none is counted in some bin, and noted behind a block. */
template <class X> static void count_guessed(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    const uint64_t inside = (uint64_t)p.bins - 1;
    uint32_t workspace[4 * (GNDI_CPU_NARROW + 1)];
    X copy[BLOCK];
    tables t = {reinterpret_cast<int64_t *>(job.part), workspace};
    uint32_t *a = workspace, *b = a + p.bins + 1, *c = b + p.bins + 1, *d = c + p.bins + 1;
    memset(workspace, 0, sizeof *workspace * 4 * (size_t)(p.bins + 1));
    int64_t since = 0;
    for (int64_t i = begin; i < end && !job.is_outside; i += BLOCK) {
        const int count = end - i < BLOCK ? (int)(end - i) : (int)BLOCK;
        const X *x = block_of(p, i, count, copy);
        uint64_t bits = 0;
        int k = 0;
        for (; k + 4 <= count; k += 4) {
            const uint64_t q = (uint64_t)x[k], r = (uint64_t)x[k + 1];
            const uint64_t u = (uint64_t)x[k + 2], v = (uint64_t)x[k + 3];
            a[q & inside]++, b[r & inside]++, c[u & inside]++, d[v & inside]++;
            bits |= (q | r) | (u | v);
        }
        for (; k < count; k++) a[(uint64_t)x[k] & inside]++, bits |= (uint64_t)x[k];
        job.is_outside = bits > inside;
        since += count;
        if (since >= (int64_t)1 << 32) empty_tables(p, t), since = 0;
    }
    empty_tables(p, t);
}

/* And so are their weights summed. */
template <class X> static void sum_integers(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    const uint64_t origin = (uint64_t)p.origin, bins = (uint64_t)p.bins;
    double *sums = reinterpret_cast<double *>(job.part);
    const char *weight = p.weight + begin * p.weight_step;
    X copy[BLOCK];
    for (int64_t i = begin; i < end; i += BLOCK) {
        const int count = end - i < BLOCK ? (int)(end - i) : (int)BLOCK;
        const X *x = block_of(p, i, count, copy);
        bool outside = false;
        for (int k = 0; k < count; k++, weight += p.weight_step) {
            const uint64_t position = (uint64_t)x[k] - origin;
            if (position < bins)
                sums[position] += *reinterpret_cast<const double *>(weight);
            else
                outside = true;
        }
        if (outside) note_outside(job, x, count);
    }
}

template <class N, class X> static void add_integers(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    if (job.guesses)
        count_guessed<X>(job, begin, end);
    else if (job.part && !p.numbers && !p.weight)
        count_integers<X>(job, begin, end);
    else if (job.part && !p.numbers && p.weight_dtype == GND_FLOAT64)
        sum_integers<X>(job, begin, end);
    else
        all_blocks<N>(job, begin, end, [&](int64_t i, int count, N *bin) { integer_bins<N, X>(job, i, count, bin); });
}

/* ---- even bins ------------------------------------------------------------------------------- */

/* Integers of a narrow range, of which only counts are wanted: each value is counted, then its count goes where its
   bin is. False: they are not. */
template <class X>
static bool count_values(job_t &job, int64_t begin, int64_t end, const bins_and_edges<even_t<X>> &b) {
    const plan_t &p = *job.plan;
    const double least = is_same<X, uint64_t> ? 0 : -0x1p53; /* positions are modulo 2^64 */
    const double low = ceil(b.even.low > least ? b.even.low : least), high = floor(b.even.high), span = high - low + 1;
    if (!job.part || p.numbers || p.weight || !(high <= 0x1p53)) return false;
    if (!(span >= 1 && span <= GNDI_CPU_NARROW && span * VALUE_POINTS <= (double)(end - begin))) return false;
    int64_t counts[GNDI_CPU_NARROW] = {0}, value[BLOCK], *bins = reinterpret_cast<int64_t *>(job.part);
    plan_t by_value = p, table = p;
    by_value.origin = (int64_t)low, by_value.bins = (int64_t)span, by_value.quiet = true;
    job_t values = job;
    values.plan = &by_value, values.part = reinterpret_cast<char *>(counts);
    count_integers<X>(values, begin, end);
    table.x = reinterpret_cast<const char *>(value), table.x_step = sizeof *value;
    for (int64_t i = 0; i < by_value.bins; i += BLOCK) {
        const int count = by_value.bins - i < BLOCK ? (int)(by_value.bins - i) : (int)BLOCK;
        int32_t bin[BLOCK];
        for (int k = 0; k < count; k++) value[k] = by_value.origin + i + k;
        even_bins_of<int32_t, int64_t>(table, b, 0, count, bin);
        for (int k = 0; k < count; k++)
            if (bin[k] >= 0) bins[bin[k]] += counts[i + k];
    }
    return true;
}

template <class X> static void add_even(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    typedef even_t<X> C;
    const bool same = p.range.dtype == (sizeof(C) == 4 ? GND_FLOAT32 : GND_FLOAT64);
    const bins_and_edges<C> b = {make_bins<C>(p.range, p.bins, job.first, job.last),
                                 same ? reinterpret_cast<const C *>(p.range.edges) : nullptr};
    if constexpr (is_int<X>)
        if (count_values<X>(job, begin, end, b)) return;
    if constexpr (sizeof(X) == 1)
        all_bytes<X>(job, begin, end, [&](const plan_t &q, int64_t i, int count, int32_t *bin) {
            even_bins_of<int32_t, X>(q, b, i, count, bin);
        });
    else
        all_blocks<int32_t>(job, begin, end,
                            [&](int64_t i, int count, int32_t *bin) { even_bins_of<int32_t, X>(p, b, i, count, bin); });
}

/* ---- the extent ------------------------------------------------------------------------------ */

template <class X> static void extent_of(job_t &job, int64_t begin, int64_t end) {
    typedef compute_t<X> T;
    enum { SIDE = sizeof(X) == 8 ? 4 : 8 }; /* so many at once: no chain of comparisons */
    const plan_t &p = *job.plan;
    const T some = to_compute(element<X>(p, begin));
    T low[SIDE], high[SIDE];
    X copy[BLOCK];
    bool nan = false;
    for (int k = 0; k < SIDE; k++) low[k] = high[k] = some;
    for (int64_t i = begin; i < end; i += BLOCK) {
        const int count = end - i < BLOCK ? (int)(end - i) : (int)BLOCK;
        const X *x = block_of(p, i, count, copy);
        int at = 0;
        for (; at + SIDE <= count; at += SIDE)
            for (int k = 0; k < SIDE; k++) {
                const T value = to_compute(x[at + k]);
                low[k] = value < low[k] ? value : low[k];
                high[k] = value > high[k] ? value : high[k];
                nan |= value != value;
            }
        for (; at < count; at++) {
            const T value = to_compute(x[at]);
            low[0] = value < low[0] ? value : low[0];
            high[0] = value > high[0] ? value : high[0];
            nan |= value != value;
        }
    }
    for (int k = 1; k < SIDE; k++) {
        low[0] = low[k] < low[0] ? low[k] : low[0];
        high[0] = high[k] > high[0] ? high[k] : high[0];
    }
    if constexpr (is_int<X>) job.smallest = (int64_t)low[0], job.largest = (int64_t)high[0];
    job.least = nan ? limits<double>::nan() : (double)low[0];
    job.greatest = nan ? limits<double>::nan() : (double)high[0];
}

static void add_elements(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    const bool narrow = p.bins < INT32_MAX;
    if (p.kind == GNDI_HISTOGRAM_EVEN) {
        with_real(p.x_dtype, [&](auto x) { add_even<decltype(x)>(job, begin, end); });
    } else if (p.kind == GNDI_HISTOGRAM_INTEGERS) {
        with_real(p.x_dtype, [&](auto x) {
            if constexpr (is_int<decltype(x)>) {
                if (narrow)
                    add_integers<int32_t, decltype(x)>(job, begin, end);
                else
                    add_integers<int64_t, decltype(x)>(job, begin, end);
            }
        });
    } else if (p.edges_dtype == GND_FLOAT64) {
        narrow ? add_between<int32_t, double>(job, begin, end) : add_between<int64_t, double>(job, begin, end);
    } else if (p.edges_dtype == GND_INT64) {
        narrow ? add_between<int32_t, int64_t>(job, begin, end) : add_between<int64_t, int64_t>(job, begin, end);
    } else {
        narrow ? add_between<int32_t, uint64_t>(job, begin, end) : add_between<int64_t, uint64_t>(job, begin, end);
    }
}

template <class C> static bool in_order(const plan_t &p) {
    const C *edges = reinterpret_cast<const C *>(p.edges);
    bool broken = false;
    for (int64_t i = 0; i < p.bins; i++) broken |= edges[i] > edges[i + 1];
    return !broken;
}

template <class W> static void join(const plan_t &p, char *to, const char *from) {
    W *sums = reinterpret_cast<W *>(to);
    const W *more = reinterpret_cast<const W *>(from);
    for (int64_t b = 0; b < p.bins; b++) {
        if constexpr (is_complex<W>)
            sums[b].re += more[b].re, sums[b].im += more[b].im;
        else
            sums[b] = (W)(sums[b] + more[b]);
    }
}

} // namespace gnd

/* ---- for the driver --------------------------------------------------------------------------- */

extern "C" void gndi_cpu_histogram_extent(gndi_cpu_histogram_job *job, int64_t begin, int64_t end) {
    gnd::with_real(job->plan->x_dtype, [=](auto x) { gnd::extent_of<decltype(x)>(*job, begin, end); });
}

extern "C" bool gndi_cpu_histogram_spread(gndi_cpu_histogram_job *job) {
    return gnd::spread_range(job->plan->range.step_dtype, &job->first, &job->last);
}

extern "C" bool gndi_cpu_histogram_edges(const gndi_cpu_histogram_job *job) {
    const gndi_histogram_range &range = job->plan->range;
    const gnd::even_bins<double> b = gnd::make_bins<double>(range, job->plan->bins, job->first, job->last);
    bool apart = true;
    double before = 0;
    for (int64_t i = 0; i <= b.bins; i++) {
        const double edge = gnd::edge_of(b, i);
        apart &= i == 0 || !(before >= edge);
        if (range.edges) gnd::store_real(range.edges, range.dtype, i, edge);
        before = edge;
    }
    return apart;
}

extern "C" bool gndi_cpu_histogram_ordered(const gndi_histogram_plan *plan) {
    return plan->edges_dtype == GND_FLOAT64 ? gnd::in_order<double>(*plan)
           : plan->edges_dtype == GND_INT64 ? gnd::in_order<int64_t>(*plan)
                                            : gnd::in_order<uint64_t>(*plan);
}

extern "C" void gndi_cpu_histogram_add(gndi_cpu_histogram_job *job, int64_t begin, int64_t end) {
    gnd::add_elements(*job, begin, end);
}

extern "C" void gndi_cpu_histogram_join(const gndi_histogram_plan *plan, char *to, const char *from) {
    const int dtype = plan->weight ? (int)plan->weight_dtype : (int)GND_INT64;
    if (dtype == GND_INT64)
        gnd::join<uint64_t>(*plan, to, from);
    else if (dtype == GND_FLOAT64)
        gnd::join<double>(*plan, to, from);
    else
        gnd::join<gnd::complex<double>>(*plan, to, from);
}
