/*
 * bincount.c: elements counted by their value.
 */
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include "histogram/histogram.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_bincount
#undef gnd_bincount_fixed

static bool check_x(const char *fn, const gnd_array *x) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    if (!gndi_dtype_is_int(x->dtype) && !gndi_dtype_is_bool(x->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s; it must hold integers", gnd_dtype_name((gnd_dtype)x->dtype));
        return false;
    }
    if (x->ndim == 1) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must have one dimension", gndi_text_shape(x->ndim, x->shape));
    return false;
}

/* Sums are float64, whatever the weights are. */
static bool take_weights(gndi_histogram_request *r, gnd_arg weights) {
    if (weights.kind == GND_ARG_NONE) return true;
    if (weights.kind != GND_ARG_ARRAY) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "weights must be an array, or GND_NONE");
        return false;
    }
    if (gndi_missing(weights.array)) return gndi_raise_null(r->fn, "weights"), false;
    if (!gndi_histogram_weights(r, weights.array)) return false;
    r->sum_dtype = GND_FLOAT64;
    if (!gndi_dtype_is_complex(weights.array->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn, "weights have dtype %s; they must be real",
               gnd_dtype_name((gnd_dtype)weights.array->dtype));
    return false;
}

/* How many values there are to count: those of x, but at least `minlength`. If they are counted by then, and
   are no more than that, these are the counts in `few`, else NULL. */
static bool find_length(const gndi_histogram_request *r, int64_t minlength, int64_t *length, gnd_array **few) {
    int64_t extent[2];
    *length = minlength;
    if (r->x->size == 0) return true;
    if (gndi_histogram_min_max(r, extent, r->weights ? NULL : few)) return false;
    const bool is_signed = r->x->dtype != GND_UINT64;
    if (is_signed && extent[0] < 0) {
        gndi_raise(GND_ERROR_VALUE, r->fn, "x has a negative element, %lld", (long long)extent[0]);
        return false;
    }
    if (extent[1] < 0 || extent[1] == INT64_MAX) {
        gndi_raise(GND_ERROR_MEMORY, r->fn, "x has the element %llu: no memory holds so many counts",
                   (unsigned long long)extent[1]);
        return false;
    }
    if (extent[1] + 1 > *length) *length = extent[1] + 1;
    return true;
}

/* The first elements, by themselves. */
static gnd_array *first_of(const char *fn, const gnd_array *a, int64_t length) {
    gnd_array *part = gndi_array_view(fn, a, 1, &length, NULL, gndi_data(a), (gnd_dtype)a->dtype);
    gnd_array *copy = part ? gndi_copy_as(fn, part, (gnd_dtype)a->dtype, 'C') : NULL;
    gnd_release(part);
    return copy;
}

static gnd_array *count(const char *fn, const gnd_array *x, gnd_arg weights, int64_t length, bool fixed) {
    gndi_histogram_request r = {.fn = fn};
    gnd_array *counts = NULL, *few = NULL;
    if (!check_x(fn, x)) return NULL;
    gnd_array *elements = gndi_histogram_elements(fn, x);
    r.x = elements;
    if (elements && take_weights(&r, weights) && (fixed || find_length(&r, length, &length, &few)))
        counts = few && length <= few->size ? first_of(fn, few, length) : gndi_histogram_integers(&r, length, !fixed);
    gnd_release(few);
    gnd_release(elements);
    return counts;
}

gnd_array *gnd_bincount(const gnd_array *x, gnd_arg weights, int64_t minlength) {
    static const char fn[] = "gnd_bincount";
    if (minlength < 0)
        return gndi_fail(GND_ERROR_VALUE, fn, "minlength is %lld; it must not be negative", (long long)minlength);
    return count(fn, x, weights, minlength, false);
}

gnd_array *gnd_bincount_fixed(const gnd_array *x, gnd_arg weights, int64_t length) {
    static const char fn[] = "gnd_bincount_fixed";
    if (length < 1) return gndi_fail(GND_ERROR_VALUE, fn, "length is %lld; it must be at least 1", (long long)length);
    return count(fn, x, weights, length, true);
}
