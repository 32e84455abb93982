/*
 * histogram_cpu.c: the CPU backend's histograms: elements are split into parts with counts of their own, which
 * are added in order. The number of parts depends only on the sizes, so sums of weights are the same with any
 * number of threads. The loops are in histogram_loops.cpp.
 */
#include "histogram/cpu/histogram_loops.h"
#include "kernels/cpu/indices.h"
#include "runtime/hooks.h"

enum {
    MOST_PARTS = 64,
    PART_ELEMENTS = 65536, /* least work for a part, */
    PART_BINS = 4,         /* and so many elements for each bin */
    SAMPLE = 1024,         /* elements that tell how large the others may be */
    SAMPLE_SPREAD = 4,     /* so many times */
};

typedef struct histogram {
    gndi_cpu_histogram_job job[MOST_PARTS];
    int64_t parts, points;
} histogram;

static int64_t part_begin(const histogram *h, int64_t part) {
    return h->points / h->parts * part + (part < h->points % h->parts ? part : h->points % h->parts);
}

static void measure_parts(void *context, int64_t begin, int64_t end) {
    histogram *h = context;
    for (int64_t k = begin; k < end; k++) gndi_cpu_histogram_extent(&h->job[k], part_begin(h, k), part_begin(h, k + 1));
}
static void add_parts(void *context, int64_t begin, int64_t end) {
    histogram *h = context;
    for (int64_t k = begin; k < end; k++) gndi_cpu_histogram_add(&h->job[k], part_begin(h, k), part_begin(h, k + 1));
}

static void cut(histogram *h, const gndi_histogram_plan *plan) {
    const bool counts = plan->kind != GNDI_HISTOGRAM_EXTENT && plan->out;
    int64_t each = PART_ELEMENTS;
    if (counts && plan->bins > each / PART_BINS) each = plan->bins * PART_BINS;
    h->points = plan->points;
    h->parts = plan->points / each;
    if (h->parts < 1) h->parts = 1;
    if (h->parts > MOST_PARTS) h->parts = MOST_PARTS;
    for (int64_t k = 0; k < h->parts; k++) h->job[k] = (gndi_cpu_histogram_job){.plan = plan};
}

/* ---- the range ------------------------------------------------------------------------------- */

static bool is_less(int dtype, int64_t a, int64_t b) {
    return dtype == GND_UINT64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static void measure(histogram *h) {
    gndi_cpu_histogram_job *all = &h->job[0];
    const int dtype = all->plan->x_dtype;
    gndi_parallel_for(h->parts, 1, measure_parts, h);
    for (int64_t k = 1; k < h->parts; k++) {
        const gndi_cpu_histogram_job *part = &h->job[k];
        if (is_less(dtype, part->smallest, all->smallest)) all->smallest = part->smallest;
        if (is_less(dtype, all->largest, part->largest)) all->largest = part->largest;
        if (part->least < all->least || part->least != part->least) all->least = part->least;
        if (part->greatest > all->greatest || part->greatest != part->greatest) all->greatest = part->greatest;
    }
}

static void find_range(gnd_stream *s, histogram *h, const gndi_histogram_plan *plan) {
    gndi_cpu_histogram_job *first = &h->job[0];
    first->first = plan->range.first, first->last = plan->range.last;
    if (plan->range.from_data && plan->points == 0) {
        first->first = 0, first->last = 1;
    } else if (plan->range.from_data) {
        measure(h);
        first->first = first->least, first->last = first->greatest;
        if (!gndi_cpu_histogram_spread(first)) gndi_report_fault(s, GNDI_FAULT_RANGE, 0, 0, 0);
    }
    for (int64_t k = 1; k < h->parts; k++) h->job[k].first = first->first, h->job[k].last = first->last;
    if (!gndi_cpu_histogram_edges(first)) gndi_report_fault(s, GNDI_FAULT_TOO_MANY, 0, 0, plan->bins + 1);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* One part is counted where the result belongs, several in memory of their own. */
static gnd_status count(histogram *h, const gndi_histogram_plan *plan, const char *fn) {
    const size_t item = plan->weight ? gndi_dtype_sizes[plan->weight_dtype] : sizeof(int64_t);
    const size_t bytes = (size_t)plan->bins * item;
    char *workspace = NULL;
    if (plan->out && h->parts > 1) {
        workspace = gndi_calloc(fn, (size_t)(h->parts - 1) * bytes);
        if (!workspace) return GND_ERROR_MEMORY;
    }
    if (plan->out) {
        memset(plan->out, 0, bytes);
        for (int64_t k = 0; k < h->parts; k++)
            h->job[k].part = k == 0 ? plan->out : workspace + (size_t)(k - 1) * bytes;
    }
    gndi_parallel_for(h->parts, 1, add_parts, h);
    for (int64_t k = 1; k < h->parts && workspace; k++) gndi_cpu_histogram_join(plan, plan->out, h->job[k].part);
    gndi_free(workspace);
    return GND_OK;
}

/* Counts elements as they are measured, if a sample of them is small: they are read once then, which is
   half of the time. Nothing is known of them behind it if one is too large. */
static gnd_status count_few(histogram *h, const gndi_histogram_plan *plan, const char *fn) {
    gndi_cpu_histogram_job sample = {.plan = plan};
    gndi_cpu_histogram_extent(&sample, 0, plan->points < SAMPLE ? plan->points : SAMPLE);
    const uint64_t bins = (uint64_t)plan->bins, largest = (uint64_t)sample.largest;
    if ((uint64_t)sample.smallest >= bins || largest >= bins) return GND_OK;
    gndi_histogram_plan few = *plan;
    few.kind = GNDI_HISTOGRAM_INTEGERS, few.out = (char *)plan->few;
    for (few.bins = SAMPLE_SPREAD; few.bins < plan->bins; few.bins *= 2)
        if ((uint64_t)few.bins > largest * SAMPLE_SPREAD) break;
    cut(h, &few);
    for (int64_t k = 0; k < h->parts; k++) h->job[k].guesses = true;
    const gnd_status status = count(h, &few, fn);
    *plan->counted = !status;
    for (int64_t k = 0; k < h->parts; k++) *plan->counted &= !h->job[k].is_outside;
    if (status || !*plan->counted) return status;
    int64_t low = 0, high = few.bins - 1;
    while (!plan->few[low]) low++;
    while (!plan->few[high]) high--;
    memset(plan->few + few.bins, 0, (size_t)(plan->bins - few.bins) * sizeof *plan->few);
    ((int64_t *)plan->out)[0] = low, ((int64_t *)plan->out)[1] = high;
    return GND_OK;
}

static gnd_status find_extent(histogram *h, const gndi_histogram_plan *plan, const char *fn) {
    const gnd_status status = plan->few ? count_few(h, plan, fn) : GND_OK;
    if (status || (plan->few && *plan->counted)) return status;
    cut(h, plan);
    measure(h);
    ((int64_t *)plan->out)[0] = h->job[0].smallest;
    ((int64_t *)plan->out)[1] = h->job[0].largest;
    return GND_OK;
}

gnd_status gndi_cpu_histogram(gnd_stream *s, const gndi_histogram_plan *plan, const char *fn) {
    histogram *h = gndi_malloc(fn, sizeof *h);
    gnd_status status = GND_OK;
    if (!h) return GND_ERROR_MEMORY;
    if (plan->kind == GNDI_HISTOGRAM_EXTENT) {
        status = find_extent(h, plan, fn);
    } else {
        cut(h, plan);
        if (plan->kind == GNDI_HISTOGRAM_EVEN) find_range(s, h, plan);
        if (plan->kind == GNDI_HISTOGRAM_EDGES && !gndi_cpu_histogram_ordered(plan))
            gndi_report_fault(s, GNDI_FAULT_BINS, 0, 0, 0);
        if (plan->out || plan->numbers) status = count(h, plan, fn);
        for (int64_t k = 0; k < h->parts; k++)
            if (h->job[k].is_outside) gndi_report_index(s, h->job[k].outside, 0, plan->bins);
    }
    gndi_free(h);
    return status;
}
