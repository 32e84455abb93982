/*
 * histogram_loops.cpp: histograms on the CPU, in blocks of elements: first the bins of a block, in
 * loops that the compiler makes vectors of where the dtype allows it; then what becomes of them. Bytes
 * have their bins looked up. Counts go to four tables in turn, so that runs of one bin do not wait for
 * each other.
 */
#include "kernels/cpu/histogram_loops.h"
#include "kernels/histogram_ops.h"

namespace gnd {

typedef gndi_cpu_histogram_job job_t;
typedef gndi_histogram_plan plan_t;

enum { BLOCK = 1024 };

template <class X> GNDI_FN X element(const plan_t &p, int64_t i) {
    return *reinterpret_cast<const X *>(p.x + i * p.x_step);
}

/* What elements of storage type X are compared with even edges in. */
template <class X> using even_t = choose_t<is_float<X> && sizeof(X) <= 4, float, double>;

template <class C, class X> GNDI_FN C number_of(X x) {
    return (C)to_compute(x);
}

/* ---- the bins of a block -------------------------------------------------------------------- */

/* Bins are N: int32 or int64. An element that is in none gets -1. */
template <class N, class X> static void integer_bins(job_t &job, int64_t begin, int count, N *bin) {
    const plan_t &p = *job.plan;
    const uint64_t origin = (uint64_t)p.origin, bins = (uint64_t)p.bins;
    bool outside = false;
    for (int k = 0; k < count; k++) {
        const uint64_t place = (uint64_t)element<X>(p, begin + k) - origin;
        const bool in = place < bins;
        bin[k] = in ? (N)place : (N)-1;
        outside |= !in;
    }
    if (!outside || p.quiet) return;
    for (int k = 0; k < count && !job.is_outside; k++)
        if (bin[k] < 0) job.is_outside = true, job.outside = (int64_t)element<X>(p, begin + k);
}

template <class N, class X> static void even_bins_of(const plan_t &p, const even_bins<even_t<X>> &b,
                                                     int64_t begin, int count, N *bin) {
    typedef even_t<X> C;
    C x[BLOCK];
    int unsure = 0;
    for (int k = 0; k < count; k++) x[k] = number_of<C>(element<X>(p, begin + k));
    for (int k = 0; k < count; k++) {
        const bool inside = (x[k] >= b.low) & (x[k] <= b.high);
        const C place = place_of(b, x[k], inside);
        const int i = (int)place;
        const C past = place - (C)i;
        const bool known = inside & (past > b.sure) & (past < b.most) & (i < b.bins);
        bin[k] = (N)(known ? i : -1 - i);
        unsure += !known;
    }
    if (unsure == 0) return;
    for (int k = 0; k < count; k++)
        if (bin[k] < 0) bin[k] = (N)settle(b, x[k], (int)(-1 - bin[k]));
}

template <class C> GNDI_FN C between_number(const char *at, int dtype) {
    if constexpr (is_same<C, double>)
        return real_number(at, dtype);
    else if (is_same<C, uint64_t> && dtype == GND_UINT64)
        return (C) * reinterpret_cast<const uint64_t *>(at);
    else
        return (C)whole_number(at, dtype);
}
template <class N, class C>
static void bins_between(const plan_t &p, int64_t begin, int count, N *bin) {
    const C *edges = reinterpret_cast<const C *>(p.edges);
    for (int k = 0; k < count; k++)
        bin[k] = (N)bin_between(edges, p.bins,
                                between_number<C>(p.x + (begin + k) * p.x_step, p.x_dtype));
}

/* ---- what becomes of them ------------------------------------------------------------------- */

template <class N>
static void store_numbers(const plan_t &p, int64_t begin, int count, const N *bin) {
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

template <class N, class W>
static void add_weights(const plan_t &p, char *part, int64_t begin, int count, const N *bin) {
    W *sums = reinterpret_cast<W *>(part);
    for (int k = 0; k < count; k++) {
        const W w = *reinterpret_cast<const W *>(p.weight + (begin + k) * p.weight_step);
        W &sum = sums[bin[k] < 0 ? p.bins : (int64_t)bin[k]];
        if constexpr (is_complex<W>)
            sum.re += w.re, sum.im += w.im;
        else if constexpr (is_same<W, double>)
            sum += w;
        else
            sum = (W)((uint64_t)sum + (uint64_t)w);
    }
}

/* Counts, the elements that are in no bin behind all others. */
struct tables {
    int64_t *counts; /* one table */
    uint32_t *four;  /* or four, interleaved nowhere: [table][bins + 1]; NULL */
};

template <class N>
static void count_block(const plan_t &p, const tables &t, int count, const N *bin) {
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
    for (; k < count; k++) t.counts[bin[k] < 0 ? none : (int64_t)bin[k]]++;
}

template <class N> static void use_block(const plan_t &p, const tables &t, char *part,
                                         int64_t begin, int count, const N *bin) {
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

/* The four tables in use, and emptied before they could overflow. */
static void empty_tables(const plan_t &p, tables &t) {
    if (!t.four) return;
    const int64_t width = p.bins + 1;
    for (int64_t b = 0; b < width; b++)
        for (int k = 0; k < 4; k++) {
            t.counts[b] += t.four[k * width + b];
            t.four[k * width + b] = 0;
        }
}

/* Calls find(begin, count, bins) and uses the bins, block by block. */
template <class N, class Find>
static void all_blocks(job_t &job, int64_t begin, int64_t end, Find find) {
    const plan_t &p = *job.plan;
    uint32_t room[4 * (GNDI_CPU_NARROW + 1)];
    N bin[BLOCK];
    tables t = {reinterpret_cast<int64_t *>(job.part), nullptr};
    if (job.part && !p.weight && p.bins <= GNDI_CPU_NARROW && end - begin >= p.bins) {
        t.four = room;
        memset(room, 0, sizeof *room * 4 * (size_t)(p.bins + 1));
    }
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
template <class X, class Find>
static void all_bytes(job_t &job, int64_t begin, int64_t end, Find find) {
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

template <class X> static void add_even(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    const even_bins<even_t<X>> b = make_bins<even_t<X>>(p.range, p.bins, job.first, job.last);
    if constexpr (sizeof(X) == 1)
        all_bytes<X>(job, begin, end, [&](const plan_t &q, int64_t i, int count, int32_t *bin) {
            even_bins_of<int32_t, X>(q, b, i, count, bin);
        });
    else
        all_blocks<int32_t>(job, begin, end, [&](int64_t i, int count, int32_t *bin) {
            even_bins_of<int32_t, X>(p, b, i, count, bin);
        });
}

template <class N, class C> static void add_between(job_t &job, int64_t begin, int64_t end) {
    const plan_t &p = *job.plan;
    if ((p.x_dtype == GND_INT8 || p.x_dtype == GND_UINT8) && is_same<N, int32_t>)
        all_bytes<uint8_t>(job, begin, end,
                           [&](const plan_t &q, int64_t i, int count, int32_t *bin) {
                               bins_between<int32_t, C>(q, i, count, bin);
                           });
    else
        all_blocks<N>(job, begin, end,
                      [&](int64_t i, int count, N *bin) { bins_between<N, C>(p, i, count, bin); });
}

template <class N, class X> static void add_integers(job_t &job, int64_t begin, int64_t end) {
    all_blocks<N>(job, begin, end,
                  [&](int64_t i, int count, N *bin) { integer_bins<N, X>(job, i, count, bin); });
}

/* ---- the extent ------------------------------------------------------------------------------ */

template <class X> static void extent_of(job_t &job, int64_t begin, int64_t end) {
    typedef compute_t<X> T;
    const plan_t &p = *job.plan;
    T low[8], high[8]; /* eight at once: no chain of comparisons */
    for (int k = 0; k < 8; k++) low[k] = high[k] = to_compute(element<X>(p, begin));
    bool nan = false;
    int64_t i = begin;
    for (; i + 8 <= end; i += 8)
        for (int k = 0; k < 8; k++) {
            const T x = to_compute(element<X>(p, i + k));
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
            nan |= x != x;
        }
    for (; i < end; i++) {
        const T x = to_compute(element<X>(p, i));
        low[0] = x < low[0] ? x : low[0];
        high[0] = x > high[0] ? x : high[0];
        nan |= x != x;
    }
    for (int k = 1; k < 8; k++) {
        low[0] = low[k] < low[0] ? low[k] : low[0];
        high[0] = high[k] > high[0] ? high[k] : high[0];
    }
    if constexpr (is_int<X>) job.smallest = (int64_t)low[0], job.largest = (int64_t)high[0];
    job.least = nan ? limits<double>::nan() : (double)low[0];
    job.greatest = nan ? limits<double>::nan() : (double)high[0];
}

/* Calls `then` with a value of the storage type of a real dtype other than bool. */
template <class Then> static void with_real(int dtype, Then then) {
    switch (dtype) {
    case GND_INT8: return then(int8_t());
    case GND_UINT8: return then(uint8_t());
    case GND_INT16: return then(int16_t());
    case GND_UINT16: return then(uint16_t());
    case GND_INT32: return then(int32_t());
    case GND_UINT32: return then(uint32_t());
    case GND_INT64: return then(int64_t());
    case GND_UINT64: return then(uint64_t());
    case GND_FLOAT16: return then(float16());
    case GND_BFLOAT16: return then(bfloat16());
    case GND_FLOAT32: return then(float());
    default: return then(double());
    }
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
        narrow ? add_between<int32_t, double>(job, begin, end)
               : add_between<int64_t, double>(job, begin, end);
    } else if (p.edges_dtype == GND_INT64) {
        narrow ? add_between<int32_t, int64_t>(job, begin, end)
               : add_between<int64_t, int64_t>(job, begin, end);
    } else {
        narrow ? add_between<int32_t, uint64_t>(job, begin, end)
               : add_between<int64_t, uint64_t>(job, begin, end);
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
    gnd::with_real(job->plan->x_dtype,
                   [=](auto x) { gnd::extent_of<decltype(x)>(*job, begin, end); });
}

extern "C" bool gndi_cpu_histogram_spread(gndi_cpu_histogram_job *job) {
    return gnd::spread_range(job->plan->range.step_dtype, &job->first, &job->last);
}

extern "C" bool gndi_cpu_histogram_edges(const gndi_cpu_histogram_job *job) {
    const gndi_histogram_range &range = job->plan->range;
    const gnd::even_bins<double> b =
        gnd::make_bins<double>(range, job->plan->bins, job->first, job->last);
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

extern "C" void gndi_cpu_histogram_join(const gndi_histogram_plan *plan, char *to,
                                        const char *from) {
    const int dtype = plan->weight ? (int)plan->weight_dtype : (int)GND_INT64;
    if (dtype == GND_INT64)
        gnd::join<uint64_t>(*plan, to, from);
    else if (dtype == GND_FLOAT64)
        gnd::join<double>(*plan, to, from);
    else
        gnd::join<gnd::complex<double>>(*plan, to, from);
}
