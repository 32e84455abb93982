/*
 * histogram.c: gnd_histogram and gnd_histogram_bin_edges: what the bins are, which dtypes are computed
 * in, and the density.
 */
#include "histogram/histogram.h"
#include "elementwise/truths.h"
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_histogram
#undef gnd_histogram_bin_edges

enum { DEFAULT_BINS = 10, MOST_BINS = 1 << 30 };

/* ---- elements and weights -------------------------------------------------------------------- */

gnd_array *gndi_histogram_elements(const char *fn, const gnd_array *x) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn,
                         "x has dtype %s; bins are of real numbers (gnd_real, gnd_imag and "
                         "gnd_absolute give some)",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if (x->dtype != GND_BOOL) return gndi_array_alias(fn, x);
    return gndi_truths_as_bytes(fn, x);
}

bool gndi_histogram_weights(gndi_histogram_request *r, const gnd_array *weights) {
    if (!weights) return true;
    if (gndi_missing(weights)) return gndi_raise_null(r->fn, "weights"), false;
    if (!gndi_same_shape(weights, r->x)) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "weights have shape %s, but the elements %s; they must agree",
                   gndi_text_shape(weights->ndim, weights->shape), gndi_text_shape(r->x->ndim, r->x->shape));
        return false;
    }
    if (gndi_check_together(r->fn, r->x, "x", weights, "the array of weights")) return false;
    r->weights = weights;
    r->sum_dtype = gndi_dtype_is_complex(weights->dtype) ? GND_COMPLEX128
                   : gndi_dtype_is_float(weights->dtype) ? GND_FLOAT64
                                                         : GND_INT64;
    return true;
}

/* ---- bins ------------------------------------------------------------------------------------ */

static bool read_range(const char *fn, const double *range, gndi_bins *bins) {
    bins->from_data = !range || (isnan(range[0]) && isnan(range[1]));
    if (bins->from_data) return true;
    bins->first = range[0], bins->last = range[1];
    if (!isfinite(range[0]) || !isfinite(range[1])) {
        gndi_raise(GND_ERROR_VALUE, fn, "the range [%g, %g] is not finite", range[0], range[1]);
        return false;
    }
    if (range[0] > range[1]) {
        gndi_raise(GND_ERROR_VALUE, fn,
                   "the range [%g, %g] falls; its end must not be less than its "
                   "beginning",
                   range[0], range[1]);
        return false;
    }
    if (range[0] == range[1]) bins->first -= 0.5, bins->last += 0.5;
    return true;
}

bool gndi_bins_even(const char *fn, const gnd_array *x, int64_t count, const double *range, bool wide,
                    gndi_bins *bins) {
    memset(bins, 0, sizeof *bins);
    if (count < 1 || count > MOST_BINS) {
        gndi_raise(GND_ERROR_VALUE, fn, "bins is %lld; it must be at least 1 and at most 2^30", (long long)count);
        return false;
    }
    bins->count = count;
    if (!read_range(fn, range, bins)) return false;
    if (bins->from_data && x->size == 0) bins->from_data = false, bins->first = 0, bins->last = 1;
    const bool floating = gndi_dtype_is_float(x->dtype);
    bins->dtype = floating && (bins->from_data || !wide) ? (gnd_dtype)x->dtype : GND_FLOAT64;
    bins->step_dtype = bins->from_data ? bins->dtype : GND_FLOAT64;
    if (bins->step_dtype == GND_BFLOAT16) bins->step_dtype = GND_FLOAT32;
    return true;
}

/* Edges as they are compared: dense, in float64, int64 or uint64, which hold whatever both promote
   to. */
static bool read_edges(const char *fn, const gnd_array *x, const gnd_array *edges, gndi_bins *bins) {
    memset(bins, 0, sizeof *bins);
    if (gndi_missing(edges)) return gndi_raise_null(fn, "bins"), false;
    if (edges->ndim != 1) {
        gndi_raise(GND_ERROR_SHAPE, fn, "bins have shape %s; edges must have one dimension",
                   gndi_text_shape(edges->ndim, edges->shape));
        return false;
    }
    if (gndi_dtype_is_complex(edges->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "bins have dtype %s; edges must be real",
                   gnd_dtype_name((gnd_dtype)edges->dtype));
        return false;
    }
    if (gndi_check_together(fn, x, "x", edges, "the array of bins")) return false;
    const gnd_dtype common = gnd_promote_types((gnd_dtype)x->dtype, (gnd_dtype)edges->dtype);
    const gnd_dtype compared = gndi_dtype_is_float(common) ? GND_FLOAT64
                               : common == GND_UINT64      ? GND_UINT64
                                                           : GND_INT64;
    bins->count = edges->size > 0 ? edges->size - 1 : 0;
    bins->returned = gndi_array_alias(fn, edges);
    if (!bins->returned) return false;
    bins->edges = edges->dtype == compared && gndi_is_c_contiguous(edges) ? gndi_array_alias(fn, edges)
                                                                          : gndi_copy_as(fn, edges, compared, 'C');
    if (bins->edges) return true;
    gndi_bins_drop(bins);
    return false;
}

bool gndi_bins_read(const char *fn, const gnd_array *x, gnd_arg given, const double *range, bool wide,
                    gndi_bins *bins) {
    memset(bins, 0, sizeof *bins);
    switch (given.kind) {
    case GND_ARG_NONE: return gndi_bins_even(fn, x, DEFAULT_BINS, range, wide, bins);
    case GND_ARG_BOOL:
    case GND_ARG_INT: return gndi_bins_even(fn, x, given.i, range, wide, bins);
    case GND_ARG_UINT:
        return gndi_bins_even(fn, x, given.u > INT64_MAX ? INT64_MAX : (int64_t)given.u, range, wide, bins);
    case GND_ARG_ARRAY: return read_edges(fn, x, given.array, bins);
    default: break;
    }
    gndi_raise(GND_ERROR_INVALID, fn, "bins must be a whole number or an array of edges");
    return false;
}

void gndi_bins_drop(gndi_bins *bins) {
    if (bins->edges) gnd_release(bins->edges);
    if (bins->returned) gnd_release(bins->returned);
    bins->edges = bins->returned = NULL;
}

/* ---- density --------------------------------------------------------------------------------- */

/* edges[1:] - edges[:-1] as float64, with as many dimensions as the counts. */
static gnd_array *widths(const char *fn, const gnd_array *edges, int ndim, int axis) {
    const int64_t n = edges->size > 0 ? edges->size - 1 : 0, shape[1] = {n};
    const int64_t step = edges->strides[0];
    const gnd_dtype dtype = (gnd_dtype)edges->dtype;
    gnd_array *low = gndi_array_view(fn, edges, 1, shape, &step, gndi_data(edges), dtype);
    gnd_array *high =
        low ? gndi_array_view(fn, edges, 1, shape, &step, gndi_data(edges) + (n ? step : 0), dtype) : NULL;
    gnd_array *difference = NULL, *wide = NULL, *result = NULL;
    const gndi_op op = dtype == GND_BOOL ? GNDI_OP_not_equal : GNDI_OP_subtract;
    if (high) gndi_apply(fn, op, gnd_arg_array(high), gnd_arg_array(low), &difference);
    if (difference) wide = gndi_copy_as(fn, difference, GND_FLOAT64, 'C');
    if (wide) {
        int64_t full[GND_MAX_DIMS];
        for (int i = 0; i < ndim; i++) full[i] = i == axis ? n : 1;
        result = gndi_array_view(fn, wide, ndim, full, NULL, gndi_data(wide), GND_FLOAT64);
    }
    gnd_release(low);
    gnd_release(high);
    gnd_release(difference);
    gnd_release(wide);
    return result;
}

gnd_array *gndi_histogram_density(const char *fn, gnd_array *counts, int ndim, gnd_array *const *edges) {
    const gnd_axes all = {0};
    gnd_array *sum = gndi_sum_of(fn, counts, NULL, false, &all, GND_DTYPE_NONE);
    for (int i = 0; i < ndim && sum && counts; i++) {
        gnd_array *width = widths(fn, edges[i], ndim, i), *next = NULL;
        if (width) gndi_apply(fn, GNDI_OP_divide, gnd_arg_array(counts), gnd_arg_array(width), &next);
        gnd_release(width);
        gnd_release(counts);
        counts = next;
    }
    gnd_array *result = NULL;
    if (sum && counts) gndi_apply(fn, GNDI_OP_divide, gnd_arg_array(counts), gnd_arg_array(sum), &result);
    gnd_release(sum);
    gnd_release(counts);
    return result;
}

/* ---- public functions ------------------------------------------------------------------------ */

/* The bins that the arguments speak of, by a rule too. */
static bool find_bins(const gndi_histogram_request *r, gnd_arg given, const gnd_histogram_options *options,
                      gndi_bins *bins) {
    const double *range = options->range;
    int64_t count;
    memset(bins, 0, sizeof *bins);
    if (!options->rule) return gndi_bins_read(r->fn, r->x, given, range, false, bins);
    if (given.kind != GND_ARG_NONE) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "was given both bins and the rule \"%s\"", options->rule);
        return false;
    }
    if (options->weights) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "the rule \"%s\" does not take weights", options->rule);
        return false;
    }
    if (!gndi_bins_even(r->fn, r->x, 1, range, false, bins)) return false;
    if (!gndi_histogram_rule(r->fn, r->x, options->rule, range, &count)) return false;
    return gndi_bins_even(r->fn, r->x, count, range, false, bins);
}

/* Sums have the weights' dtype. */
static gnd_array *cast_sums(const gndi_histogram_request *r, gnd_array *sums) {
    if (!sums || !r->weights || sums->dtype == r->weights->dtype) return sums;
    gnd_array *cast = gndi_copy_as(r->fn, sums, (gnd_dtype)r->weights->dtype, 'C');
    gnd_release(sums);
    return cast;
}

gnd_array *gnd_histogram(const gnd_array *x, gnd_arg bins, const gnd_histogram_options *options, gnd_array **edges) {
    GNDI_PARTS_OF("gnd_histogram");
    gndi_histogram_request r = {.fn = "gnd_histogram"};
    const gnd_histogram_options defaults = {0};
    gndi_bins b = {0};
    gnd_array *counts = NULL, *elements = NULL;
    if (!options) options = &defaults;
    if (edges) *edges = NULL;
    r.x = elements = gndi_histogram_elements(r.fn, x);
    if (elements && gndi_histogram_weights(&r, options->weights) && find_bins(&r, bins, options, &b))
        counts = cast_sums(&r, gndi_histogram_count(&r, &b));
    if (counts && options->density) counts = gndi_histogram_density(r.fn, counts, 1, &b.returned);
    if (counts && edges) *edges = b.returned, b.returned = NULL;
    gndi_bins_drop(&b);
    gnd_release(elements);
    return counts;
}

gnd_array *gnd_histogram_bin_edges(const gnd_array *x, gnd_arg bins, const gnd_histogram_options *options) {
    GNDI_PARTS_OF("gnd_histogram_bin_edges");
    gndi_histogram_request r = {.fn = "gnd_histogram_bin_edges"};
    const gnd_histogram_options defaults = {0};
    gndi_bins b = {0};
    gnd_array *elements = NULL, *result = NULL;
    if (!options) options = &defaults;
    r.x = elements = gndi_histogram_elements(r.fn, x);
    if (elements && gndi_histogram_weights(&r, options->weights) && find_bins(&r, bins, options, &b)) {
        r.weights = NULL;
        if (gndi_histogram_edges(&r, &b) == GND_OK) result = b.returned, b.returned = NULL;
    }
    gndi_bins_drop(&b);
    gnd_release(elements);
    return result;
}
