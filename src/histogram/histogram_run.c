/*
 * histogram_run.c: histograms as plans: the elements as lines of memory, memory for the results, and the
 * submission.
 */
#include "elementwise/elementwise.h"
#include "elementwise/item.h"
#include "histogram/histogram.h"

/* What a plan is made of. */
typedef struct run {
    const char *fn;
    gnd_stream *stream;
    gndi_line x, weight;
    const gnd_array *edges; /* read */
    gnd_array *wrote[2];
    gndi_histogram_plan plan;
} run;

static void drop(run *r) {
    gndi_line_drop(&r->x);
    gndi_line_drop(&r->weight);
}

/* The elements, and their weights as the sums' dtype, in the same order. */
static bool begin(run *r, const gndi_histogram_request *q, gndi_histogram_kind kind, bool in_order) {
    memset(r, 0, sizeof *r);
    r->fn = q->fn, r->stream = gndi_ew_stream(q->x, q->fn);
    if (!r->stream) return false;
    const bool ready = q->weights || in_order ? gndi_line_in_order(r->fn, q->x, (gnd_dtype)q->x->dtype, &r->x)
                                              : gndi_line_any_order(r->fn, q->x, &r->x);
    if (!ready) return false;
    r->plan.kind = (uint8_t)kind;
    r->plan.x_dtype = q->x->dtype, r->plan.points = q->x->size;
    r->plan.x = r->x.data, r->plan.x_step = r->x.step;
    if (!q->weights) return true;
    if (!gndi_line_in_order(r->fn, q->weights, q->sum_dtype, &r->weight)) return false;
    r->plan.weight = r->weight.data, r->plan.weight_step = r->weight.step;
    r->plan.weight_dtype = (uint8_t)q->sum_dtype;
    return true;
}

static gnd_status submit(run *r) {
    gnd_stream *s = gndi_work_begin(r->fn, 3, (const gnd_array *[]){r->x.array, r->weight.array, r->edges}, 2,
                                    (const gnd_array *[]){r->wrote[0], r->wrote[1]});
    return s ? gndi_work_end(s, s->device->backend->histogram(s, &r->plan, r->fn), r->fn) : gndi_ew_pending();
}

/* Room for counts, or for sums and one more. */
static gnd_array *new_counts(run *r, int64_t bins) {
    const gnd_dtype dtype = r->plan.weight ? (gnd_dtype)r->plan.weight_dtype : GND_INT64;
    const int64_t shape[1] = {bins};
    int64_t bytes;
    if (__builtin_mul_overflow(bins + 1, (int64_t)gndi_dtype_sizes[dtype], &bytes))
        return gndi_fail(GND_ERROR_MEMORY, r->fn, "%lld bins are too many for any memory", (long long)bins);
    gndi_buffer *buffer = gndi_buffer_new(r->fn, r->stream, (size_t)bytes);
    if (!buffer) return NULL;
    gnd_array *counts = gndi_array_over(r->fn, buffer, 1, shape, NULL, buffer->base, dtype);
    if (counts) r->wrote[0] = counts, r->plan.out = gndi_data(counts);
    return counts;
}

/* What the plan has to know of the bins, and room for edges that are to be made. */
static bool plan_bins(run *r, gndi_bins *bins) {
    gndi_histogram_plan *plan = &r->plan;
    plan->bins = bins->count;
    if (bins->edges) {
        plan->edges = gndi_data(bins->edges), plan->edges_dtype = bins->edges->dtype;
        r->edges = bins->edges;
        return true;
    }
    const int64_t shape[1] = {bins->count + 1};
    if (!bins->returned) bins->returned = gndi_array_new_on(r->fn, r->stream, 1, shape, bins->dtype, GNDI_ORDER_C);
    if (!bins->returned) return false;
    r->wrote[1] = bins->returned;
    plan->range = (gndi_histogram_range){.from_data = bins->from_data,
                                         .first = bins->first,
                                         .last = bins->last,
                                         .step_dtype = (uint8_t)bins->step_dtype,
                                         .dtype = (uint8_t)bins->dtype,
                                         .edges = gndi_data(bins->returned)};
    return true;
}

static gndi_histogram_kind kind_of(const gndi_bins *bins) {
    return bins->edges ? GNDI_HISTOGRAM_EDGES : GNDI_HISTOGRAM_EVEN;
}

/* Released on failure. */
static gnd_array *finish(run *r, bool ready, gnd_array *counts) {
    const bool done = ready && submit(r) == GND_OK;
    drop(r);
    if (done) return counts;
    if (counts) gnd_release(counts);
    return NULL;
}

gnd_array *gndi_histogram_count(const gndi_histogram_request *q, gndi_bins *bins) {
    run r;
    gnd_array *counts = NULL;
    const bool ready = begin(&r, q, kind_of(bins), false) && (counts = new_counts(&r, bins->count)) != NULL;
    if (ready && bins->count == 0) { /* fewer than two edges */
        drop(&r);
        return counts;
    }
    return finish(&r, ready && plan_bins(&r, bins), counts);
}

gnd_status gndi_histogram_edges(const gndi_histogram_request *q, gndi_bins *bins) {
    run r;
    if (bins->edges) return GND_OK;
    gnd_status status =
        begin(&r, q, GNDI_HISTOGRAM_EVEN, false) && plan_bins(&r, bins) ? submit(&r) : gndi_ew_pending();
    drop(&r);
    return status;
}

gnd_status gndi_histogram_numbers(const gndi_histogram_request *q, gndi_bins *bins, gnd_array *numbers, bool folds) {
    run r;
    gnd_status status = GND_OK;
    if (begin(&r, q, kind_of(bins), true) && plan_bins(&r, bins)) {
        r.wrote[0] = numbers;
        r.plan.numbers = gndi_data(numbers), r.plan.number_dtype = numbers->dtype, r.plan.folds = folds;
        status = submit(&r);
    } else {
        status = gndi_ew_pending();
    }
    drop(&r);
    return status;
}

gnd_array *gndi_histogram_integers(const gndi_histogram_request *q, int64_t length, bool quiet) {
    run r;
    gnd_array *counts = NULL;
    const bool ready = begin(&r, q, GNDI_HISTOGRAM_INTEGERS, false) && (counts = new_counts(&r, length)) != NULL;
    if (ready && length == 0) {
        drop(&r);
        return counts;
    }
    r.plan.bins = length, r.plan.origin = q->origin, r.plan.quiet = quiet;
    return finish(&r, ready, counts);
}

static gnd_array *new_integers(const run *r, int64_t count) {
    return gndi_array_new_on(r->fn, r->stream, 1, &count, GND_INT64, GNDI_ORDER_C);
}

gnd_status gndi_histogram_min_max(const gndi_histogram_request *q, int64_t extent[2], gnd_array **few) {
    run r;
    bool counted = false;
    gnd_array *out = NULL;
    gnd_status status = GND_OK;
    if (few) *few = NULL;
    if (begin(&r, q, GNDI_HISTOGRAM_EXTENT, false)) out = new_integers(&r, 2);
    if (out && few) *few = r.wrote[1] = new_integers(&r, GNDI_HISTOGRAM_FEW);
    if (out && few && *few) {
        r.plan.few = (int64_t *)(void *)gndi_data(*few), r.plan.counted = &counted;
        r.plan.bins = GNDI_HISTOGRAM_FEW;
    }
    if (out && (!few || *few)) {
        r.wrote[0] = out, r.plan.out = gndi_data(out);
        status = submit(&r);
    } else {
        status = gndi_ew_pending();
    }
    if (!status) status = gndi_read(r.fn, out, extent);
    drop(&r);
    if (out) gnd_release(out);
    if (few && *few && (status || !counted)) {
        gnd_release(*few);
        *few = NULL;
    }
    return status;
}
