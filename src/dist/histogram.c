/*
 * histogram.c: counts of blocks, by value and by bin, and their sums.
 */
#include "dist/align.h"
#include <math.h>
#undef gnd_dist_histogram
#undef gnd_histogram_bin_edges

/* ---- what both share --------------------------------------------------------------------------------------------- */

static bool same_shape(const gnd_dist *x, const gnd_dist *weights, const char *fn) {
    bool same = weights->shape.ndim == x->shape.ndim;
    for (int i = 0; same && i < x->shape.ndim; i++) same = weights->shape.dim[i] == x->shape.dim[i];
    if (!same) gndi_dist_raise(GND_ERROR_SHAPE, fn, "the weights have another shape than x");
    return same;
}

/* In which sums of weights go from rank to rank. */
static gnd_dtype wide_of(gnd_dtype t) {
    switch (gnd_dtype_kind(t)) {
    case 'b':
    case 'i': return GND_INT64;
    case 'u': return GND_UINT64;
    case 'c': return GND_COMPLEX128;
    default: return GND_FLOAT64;
    }
}

/* The sum of every block's counts, n numbers, in the innermost scope: NULL on an error of all ranks. Of copies one
   counts. */
static gnd_dist *sum_of_blocks(const gnd_dist *x, gnd_array *counts, int64_t n, gnd_dtype dtype,
                               const gnd_dist *failed, const char *fn) {
    gnd_mesh *mesh = x->mesh;
    gnd_shape shape = {.ndim = 3, .dim = {1, 1, n}};
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    for (int k = 0; k < 2; k++)
        if (x->axis[k] >= 0) shape.dim[k] = mesh->grid[k], layout.axis[k] = k;
    gnd_dist *rows = gndi_dist_new(mesh, fn, shape, dtype, layout);
    if (!rows) return NULL;
    if (failed)
        gndi_dist_failed_like(rows, failed);
    else
        gndi_dist_done(rows, fn, counts ? gnd_reshape(counts, GND_SHAPE(1, 1, n)) : NULL);
    gnd_dist *total = gnd_dist_sum(rows, GND_AXES(0, 1), GND_COPIES);
    gnd_dist_release(rows);
    return total;
}

/* An array that all ranks have, made of `total`'s: `local` is this rank's. */
static gnd_dist *made_of(const gnd_dist *total, gnd_array *local, gnd_dtype dtype, const char *fn) {
    gnd_dist *y = gndi_dist_new(total->mesh, fn, total->shape, dtype, gndi_layout_of(total));
    if (!y) return NULL;
    return total->local ? gndi_dist_done(y, fn, local) : gndi_dist_failed_like(y, total);
}

static const gnd_array *cast(const gnd_array *a, gnd_dtype dtype) {
    return a && gnd_dtype_of(a) != dtype ? gnd_astype(a, dtype) : a;
}

/* One element that all ranks know. */
typedef struct element {
    gnd_array *array;
    double value;
    int64_t whole; /* of integers */
} element;

/* That of x; false on an error of all. */
static bool element_of(const gnd_dist *x, element *out, const char *fn) {
    *out = (element){NULL, 0, 0};
    if (!x) return false;
    out->array = gnd_dist_gather(x, -1);
    if (out->array) {
        out->value = gnd_item_double(out->array);
        if (gnd_dtype_kind(x->dtype) == 'i') out->whole = gnd_item_int(out->array);
    } else {
        gndi_dist_status(fn); /* of this rank alone, unless all have agreed on it */
    }
    return gndi_mesh_agree_on(x->mesh, fn, gnd_error()) == GND_OK;
}

/* ---- by value ---------------------------------------------------------------------------------------------------- */

/* As gnd_bincount refuses them, on all ranks alike. */
static bool check_values(const gnd_dist *x, const gnd_dist *weights, int64_t minlength) {
    const gnd_shape none = {.ndim = x->shape.ndim};
    const bool pending = gnd_error() != NULL;
    for (int attempt = 0;; attempt++) {
        const gnd_array *empty = gnd_empty(none, x->dtype);
        const gnd_arg with = weights ? gnd_arg_array(gnd_empty(none, weights->dtype)) : gnd_arg_none();
        if ((gnd_bincount)(empty, with, minlength)) return true;
        if (!gndi_dist_try_again(attempt, pending)) return false;
    }
}

/* One longer than the largest element; -1 on an error of all. */
static int64_t length_of(const gnd_dist *x, int64_t minlength, const char *fn) {
    element least, most;
    if (gndi_shape_count(x->shape) == 0) return minlength;
    if (gnd_dtype_kind(x->dtype) == 'i') {
        if (!element_of(gnd_dist_min(x, GND_ALL, GND_COPIES), &least, fn)) return -1;
        if (least.whole < 0)
            return gndi_dist_raise(GND_ERROR_VALUE, fn, "x has a negative element, %lld", (long long)least.whole), -1;
    }
    if (!element_of(gnd_dist_max(x, GND_ALL, GND_COPIES), &most, fn)) return -1;
    if (most.value >= 0x1p53)
        return gndi_dist_raise(GND_ERROR_MEMORY, fn, "x has the element %g: there is no memory for so many numbers",
                               most.value),
               -1;
    return most.value >= (double)minlength ? (int64_t)most.value + 1 : minlength;
}

gnd_dist *gnd_dist_bincount(const gnd_dist *x, const gnd_dist *weights, int64_t minlength) {
    static const char fn[] = "gnd_dist_bincount";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    gndi_common c = {.failed = x->local ? NULL : x};
    const gnd_dist_arg operands[2] = {gnd_dist_arg_dist(x), gnd_dist_arg_dist(weights)};
    char text[160];
    if (!check_values(x, weights, minlength) || (weights && !same_shape(x, weights, fn)) ||
        (weights && !gndi_align(&c, fn, 2, operands, x)))
        return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%lld %s", (long long)minlength, gndi_text_dist(x, text, sizeof text)))
        return NULL;
    const int64_t length = length_of(x, minlength, fn);
    if (length < 0) return NULL;
    gnd_arg with = gnd_arg_none();
    if (weights) with = gndi_aligned(&c, fn, operands[1]);
    gnd_array *counts = NULL;
    /* Of nothing NumPy counts without weights. */
    const gnd_dtype dtype = weights && gndi_shape_count(x->shape) > 0 ? GND_FLOAT64 : GND_INT64;
    if (!c.failed)
        counts = length > 0 ? (gnd_bincount_fixed)(x->local, with, length) : gnd_zeros(GND_SHAPE(0), dtype);
    counts = (gnd_array *)cast(counts, dtype);
    return gnd_dist_keep(sum_of_blocks(x, counts, length, dtype, c.failed, fn));
}

/* ---- by bin ------------------------------------------------------------------------------------------------------ */

/* The range of x's elements, and the least and the largest as an array, whose edges are those of x: in a narrow dtype
   they may be others than those of the range's doubles. False on an error of all. */
static bool find_range(const gnd_dist *x, double *range, gnd_array **pair, const char *fn) {
    range[0] = 0, range[1] = 1, *pair = NULL;
    if (gndi_shape_count(x->shape) == 0) return true;
    const gnd_dist *y = x->dtype == GND_BOOL ? gnd_dist_astype(x, GND_UINT8) : x;
    const gnd_dist *least = gnd_dist_min(y, GND_ALL, GND_COPIES), *most = gnd_dist_max(y, GND_ALL, GND_COPIES);
    element from, to;
    if (!element_of(least, &from, fn) || !element_of(most, &to, fn)) return false;
    range[0] = from.value, range[1] = to.value;
    if (!isfinite(range[0]) || !isfinite(range[1])) {
        gndi_dist_raise(GND_ERROR_VALUE, fn, "the range of the data, [%g, %g], is not finite", range[0], range[1]);
        return false;
    }
    const gnd_array *both[2] = {from.array, to.array};
    *pair = gnd_stack(2, both, 0);
    return gndi_mesh_agree_on(x->mesh, fn, *pair ? NULL : gnd_error()) == GND_OK;
}

/* gnd_histogram of no elements: what is wrong on all ranks alike, the edges, and the number of bins. */
static int64_t probe(const gnd_dist *x, gnd_arg bins, const double *range, const gnd_dist *weights, gnd_array **edges) {
    const bool pending = gnd_error() != NULL;
    for (int attempt = 0;; attempt++) {
        const gnd_array *empty = gnd_empty(GND_SHAPE(0), x->dtype);
        const gnd_array *none = weights ? gnd_empty(GND_SHAPE(0), weights->dtype) : NULL;
        const gnd_histogram_options options = {.range = range, .weights = none};
        const gnd_array *counts = empty && (none || !weights) ? (gnd_histogram)(empty, bins, &options, edges) : NULL;
        if (counts) return gnd_size(counts);
        if (!gndi_dist_try_again(attempt, pending)) return -1;
    }
}

static gnd_array *density_of(const gnd_array *total, const gnd_array *edges) {
    if (!total || !edges) return NULL;
    const gnd_array *widths = gnd_astype(gnd_subtract(gnd_slice(edges, "1:"), gnd_slice(edges, ":-1")), GND_FLOAT64);
    return gnd_divide(gnd_divide(total, widths), gnd_sum(total, GND_ALL));
}

gnd_dist *gnd_dist_histogram(const gnd_dist *x, gnd_arg bins, const gnd_dist_histogram_options *options,
                             gnd_array **edges) {
    static const char fn[] = "gnd_dist_histogram";
    if (edges) *edges = NULL;
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    const gnd_dist *weights = options ? options->weights : NULL;
    const double *range = options ? options->range : NULL;
    const bool density = options && options->density;
    const gnd_dist_arg operands[2] = {gnd_dist_arg_dist(x), gnd_dist_arg_dist(weights)};
    gndi_common c = {.failed = x->local ? NULL : x};
    char text[160];
    double found[2];
    gnd_array *own, *pair = NULL;
    if (probe(x, bins, range, weights, &own) < 0 || (weights && !same_shape(x, weights, fn)) ||
        (weights && !gndi_align(&c, fn, 2, operands, x)))
        return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s", gndi_text_dist(x, text, sizeof text))) return NULL;
    if (bins.kind != GND_ARG_ARRAY && (!range || (isnan(range[0]) && isnan(range[1])))) {
        if (!find_range(x, found, &pair, fn)) return NULL;
        range = found;
    }
    const int64_t n = probe(x, bins, range, weights, &own);
    if (n < 0) return NULL;
    gnd_array *exact = pair ? (gnd_histogram_bin_edges)(pair, bins, NULL) : NULL;
    if (exact && !gnd_array_equal(exact, own, false)) own = exact, bins = gnd_arg_array(exact);
    const gnd_dtype wide = weights ? wide_of(weights->dtype) : GND_INT64;
    gnd_histogram_options here = {.range = range};
    if (weights) here.weights = cast(gndi_aligned(&c, fn, operands[1]).array, wide);
    gnd_array *counts = NULL;
    if (!c.failed && (here.weights || !weights) && (exact || !pair)) counts = (gnd_histogram)(x->local, bins, &here, NULL);
    gnd_dist *total = sum_of_blocks(x, counts, n, wide, c.failed, fn);
    if (!total) return NULL;
    const gnd_dtype dtype = density ? (wide == GND_COMPLEX128 ? wide : GND_FLOAT64) : weights ? weights->dtype : wide;
    gnd_array *result = density ? density_of(total->local, own) : total->local ? gnd_astype(total->local, dtype) : NULL;
    if (edges && total->local) *edges = gnd_keep(own);
    return made_of(total, result, dtype, fn);
}
