/*
 * histogram_dd.c: histograms of several dimensions. Each dimension in turn adds its bin to the number of
 * every point; then the numbers are counted.
 */
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include "histogram/histogram.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_histogram2d
#undef gnd_histogramdd

/* A histogram that is being put together. */
typedef struct request {
    const char *fn;
    int ndim;
    gnd_array *column[GND_MAX_DIMS]; /* the points' coordinates, 1-d; references */
    gnd_arg bins[GND_MAX_DIMS];
    const gnd_histogram_options *options;
    gndi_bins read[GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS], total;
} request;

static bool read_bins(request *r) {
    r->total = 1;
    for (int i = 0; i < r->ndim; i++) {
        const double *range = r->options->range ? r->options->range + 2 * i : NULL;
        if (!gndi_bins_read(r->fn, r->column[i], r->bins[i], range, true, &r->read[i])) return false;
        r->shape[i] = r->read[i].count;
        if (!__builtin_mul_overflow(r->total, r->shape[i], &r->total) && r->total < INT64_MAX / 16) continue;
        gndi_raise(GND_ERROR_MEMORY, r->fn, "bins of shape %s are too many for any memory",
                   gndi_text_shape(i + 1, r->shape));
        return false;
    }
    return true;
}

static bool check_options(const request *r) {
    if (!r->options->rule) return true;
    gndi_raise(GND_ERROR_INVALID, r->fn, "takes no rule; give numbers of bins, or edges");
    return false;
}

/* The number of each point among all bins, -1 outside. */
static gnd_array *number_points(request *r) {
    const gnd_array *first = r->column[0];
    gnd_stream *s = gndi_ew_stream(first, r->fn);
    const gnd_dtype dtype = r->total < INT32_MAX ? GND_INT32 : GND_INT64;
    gnd_array *numbers = s ? gndi_array_new_on(r->fn, s, 1, first->shape, dtype, GNDI_ORDER_C) : NULL;
    for (int i = 0; i < r->ndim && numbers; i++) {
        const gndi_histogram_request q = {.fn = r->fn, .x = r->column[i]};
        if (gndi_histogram_numbers(&q, &r->read[i], numbers, i > 0) == GND_OK) continue;
        gnd_release(numbers);
        numbers = NULL;
    }
    return numbers;
}

/* Counts, or sums of weights, as float64 and in the bins' shape. */
static gnd_array *count(request *r) {
    gndi_histogram_request q = {.fn = r->fn};
    gnd_array *numbers = r->total > 0 ? number_points(r) : gndi_array_alias(r->fn, r->column[0]);
    gnd_array *counts = NULL, *wide = NULL, *result = NULL;
    q.x = numbers;
    if (numbers && r->total == 0) { /* without bins; but edges are made all the same */
        bool made = true;
        for (int i = 0; i < r->ndim && made; i++) {
            const gndi_histogram_request e = {.fn = r->fn, .x = r->column[i]};
            made = gndi_histogram_edges(&e, &r->read[i]) == GND_OK;
        }
        gnd_stream *s = made ? gndi_ew_stream(numbers, r->fn) : NULL;
        if (s) result = gndi_array_new_on(r->fn, s, r->ndim, r->shape, GND_FLOAT64, GNDI_ORDER_C);
        gnd_release(numbers);
        return result;
    }
    if (numbers && gndi_histogram_weights(&q, r->options->weights)) {
        q.sum_dtype = GND_FLOAT64;
        counts = gndi_histogram_integers(&q, r->total, true);
    }
    if (counts)
        wide = counts->dtype == GND_FLOAT64 ? gndi_array_alias(r->fn, counts)
                                            : gndi_copy_as(r->fn, counts, GND_FLOAT64, 'C');
    if (wide) result = gndi_array_view(r->fn, wide, r->ndim, r->shape, NULL, gndi_data(wide), GND_FLOAT64);
    gnd_release(wide);
    gnd_release(counts);
    gnd_release(numbers);
    return result;
}

static bool check_weights(const request *r) {
    const gnd_array *w = r->options->weights;
    if (gndi_optional_missing(r->fn, w, "weights")) return false;
    if (!w || !gndi_dtype_is_complex(w->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn, "weights have dtype %s; they must be real", gnd_dtype_name((gnd_dtype)w->dtype));
    return false;
}

static gnd_array *histogram(request *r, gnd_array **edges) {
    gnd_array *result = NULL, *returned[GND_MAX_DIMS];
    if (check_options(r) && check_weights(r) && read_bins(r)) result = count(r);
    for (int i = 0; i < r->ndim; i++) returned[i] = r->read[i].returned;
    if (result && r->options->density) result = gndi_histogram_density(r->fn, result, r->ndim, returned);
    for (int i = 0; i < r->ndim && result && edges; i++) edges[i] = r->read[i].returned, r->read[i].returned = NULL;
    for (int i = 0; i < r->ndim; i++) gndi_bins_drop(&r->read[i]);
    return result;
}

/* ---- public functions ------------------------------------------------------------------------ */

static const gnd_histogram_options defaults;

static bool check_axis(const char *fn, const gnd_array *x, const char *name) {
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    if (x->ndim == 1) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s has shape %s; it must have one dimension", name,
               gndi_text_shape(x->ndim, x->shape));
    return false;
}

static bool check_pair(const char *fn, const gnd_array *x, const gnd_array *y) {
    if (!check_axis(fn, x, "x") || !check_axis(fn, y, "y")) return false;
    if (x->size != y->size) {
        gndi_raise(GND_ERROR_SHAPE, fn, "x has %lld elements and y %lld; they must be as many", (long long)x->size,
                   (long long)y->size);
        return false;
    }
    return !gndi_check_together(fn, x, "x", y, "y");
}

/* One coordinate in the dtype that all have in common. */
static gnd_array *coordinate(const char *fn, const gnd_array *x, gnd_dtype dtype) {
    gnd_array *cast = x->dtype == dtype ? gndi_array_alias(fn, x) : gndi_copy_as(fn, x, dtype, 'C');
    gnd_array *elements = cast ? gndi_histogram_elements(fn, cast) : NULL;
    gnd_release(cast);
    return elements;
}

gnd_array *gnd_histogram2d(const gnd_array *x, const gnd_array *y, gnd_arg xbins, gnd_arg ybins,
                           const gnd_histogram_options *options, gnd_array **xedges, gnd_array **yedges) {
    request r = {.fn = "gnd_histogram2d", .ndim = 2};
    gnd_array *edges[2] = {NULL, NULL}, *result = NULL;
    if (xedges) *xedges = NULL;
    if (yedges) *yedges = NULL;
    r.options = options ? options : &defaults;
    r.bins[0] = xbins, r.bins[1] = ybins;
    if (!check_pair(r.fn, x, y)) return NULL;
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)x->dtype, (gnd_dtype)y->dtype);
    r.column[0] = coordinate(r.fn, x, dtype);
    if (r.column[0]) r.column[1] = coordinate(r.fn, y, dtype);
    if (r.column[1]) result = histogram(&r, edges);
    if (xedges)
        *xedges = edges[0];
    else
        gnd_release(edges[0]);
    if (yedges)
        *yedges = edges[1];
    else
        gnd_release(edges[1]);
    gnd_release(r.column[0]);
    gnd_release(r.column[1]);
    return result;
}

static bool check_sample(const char *fn, const gnd_array *sample, int count, const gnd_arg *bins) {
    if (gndi_missing(sample)) return gndi_raise_null(fn, "sample"), false;
    const int64_t dims = sample->ndim == 2 ? sample->shape[1] : 1;
    if (sample->ndim < 1 || sample->ndim > 2 || dims < 1 || dims > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "sample has shape %s; it must be (points) or (points, dimensions), at least one "
                   "dimension and at most %d",
                   gndi_text_shape(sample->ndim, sample->shape), GND_MAX_DIMS);
        return false;
    }
    if (bins && (count == 1 || count == dims)) return true;
    gndi_raise(GND_ERROR_SHAPE, fn,
               "the sample has %lld dimensions, but bins were given for %d; one for each is wanted, "
               "or one for all",
               (long long)dims, bins ? count : 0);
    return false;
}

gnd_array *gnd_histogramdd(const gnd_array *sample, int count, const gnd_arg *bins,
                           const gnd_histogram_options *options, gnd_array **edges) {
    request r = {.fn = "gnd_histogramdd"};
    if (!check_sample(r.fn, sample, count, bins)) return NULL;
    r.ndim = sample->ndim == 2 ? (int)sample->shape[1] : 1;
    r.options = options ? options : &defaults;
    for (int i = 0; i < r.ndim && edges; i++) edges[i] = NULL;
    gnd_array *elements = gndi_histogram_elements(r.fn, sample), *result = NULL;
    bool ready = elements != NULL;
    for (int i = 0; i < r.ndim && ready; i++) {
        const int64_t step = elements->ndim == 2 ? elements->strides[1] : 0;
        char *data = elements->size > 0 ? gndi_data(elements) + i * step : gndi_data(elements);
        r.bins[i] = bins[count == 1 ? 0 : i];
        r.column[i] =
            gndi_array_view(r.fn, elements, 1, elements->shape, elements->strides, data, (gnd_dtype)elements->dtype);
        ready = r.column[i] != NULL;
    }
    if (ready) result = histogram(&r, edges);
    for (int i = 0; i < r.ndim; i++) gnd_release(r.column[i]);
    gnd_release(elements);
    return result;
}
