/*
 * comprehension.c: what is measured of the elements of each label as a whole (scipy.ndimage.median, histogram,
 * labeled_comprehension, value_indices): the elements are sorted by their labels, or counted.
 */
#include "histogram/histogram.h"
#include "labels/measure.h"
#include "labels/values_plan.h"
#include <gnd.h>
#include <math.h>

/* ---- elements in the order of labels -------------------------------------------------------- */

/* Labels in order, sorted index and all; the elements of index[k] are number low[k] to high[k] - 1. Arrays of the
   scope in which it is made. */
typedef struct sorted_elements {
    const gnd_array *x, *order; /* in the order; and their flat positions */
    const gnd_array *low, *high;
} sorted_elements;

/* By counting, on the CPU: their positions alone, or, for middles[0] and [1], only the two in the middle of each
   group. */
static sorted_elements count_elements(gndi_temporaries *s, const gndi_measured *m, gnd_array **middles) {
    const gnd_array *index = gndi_flat(s->fn, m->index), *x = gndi_flat(s->fn, m->x);
    sorted_elements e = {NULL, NULL, NULL, NULL};
    if (!index || !x) return e;
    gnd_array *low = gnd_empty_like(index, GND_INT64), *high = gnd_empty_like(index, GND_INT64);
    gnd_array *made[2] = {middles ? gnd_empty_like(index, (gnd_dtype)x->dtype) : gnd_empty_like(x, GND_INT64), NULL};
    if (middles) made[1] = gnd_empty_like(index, (gnd_dtype)x->dtype);
    if (!low || !high || !made[0] || (middles && !made[1])) return e;
    gnd_stream *stream = gndi_work_begin(s->fn, 3, (const gnd_array *[]){m->labels, m->index, x}, 4,
                                         (const gnd_array *[]){low, high, made[0], made[1]});
    if (!stream) return e;
    gndi_label_sums_plan p = {.x = gndi_data(x), .x_dtype = x->dtype, .n = x->size, .groups = m->groups};
    p.labels = gndi_data(m->labels), p.label_dtype = m->labels->dtype;
    p.index = (const int64_t *)(const void *)gndi_data(m->index);
    p.low = (int64_t *)(void *)gndi_data(low), p.high = (int64_t *)(void *)gndi_data(high);
    if (middles)
        p.below = gndi_data(made[0]), p.above = gndi_data(made[1]);
    else
        p.order = (int64_t *)(void *)gndi_data(made[0]);
    if (gndi_work_end(stream, stream->device->backend->label_sums(stream, &p, s->fn), s->fn) != GND_OK) return e;
    e.low = low, e.high = high;
    if (middles)
        middles[0] = made[0], middles[1] = made[1];
    else
        e.order = made[0];
    return e;
}

/* Elements of equal labels in C order, or sorted themselves. */
static sorted_elements sort_elements(gndi_temporaries *s, const gndi_measured *m, bool themselves) {
    if (gndi_is_on_cpu(m->x) && !themselves) {
        sorted_elements e = count_elements(s, m, NULL);
        if (e.order) e.x = gnd_take(gndi_flat(s->fn, m->x), e.order, GND_ALL, GND_RAISE);
        return e;
    }
    const gnd_array *index = gndi_flat(s->fn, m->index), *sorted = gnd_sort(index, GND_ALL, GND_ASCENDING);
    const gnd_array *groups = gndi_measured_groups(s, m, sorted), *x = gndi_flat(s->fn, m->x);
    const gnd_array *at = gnd_searchsorted(sorted, index, GND_LEFT, GND_NONE);
    sorted_elements e = {NULL, NULL, NULL, NULL};
    e.order = themselves ? gnd_lexsort(GND_ARGS(x, groups), GND_ALL) : gnd_argsort(groups, GND_ALL, GND_ASCENDING);
    e.x = gnd_take(x, e.order, GND_ALL, GND_RAISE);
    const gnd_array *in_order = gnd_take(groups, e.order, GND_ALL, GND_RAISE);
    e.low = gnd_searchsorted(in_order, at, GND_LEFT, GND_NONE);
    e.high = gnd_searchsorted(in_order, at, GND_RIGHT, GND_NONE);
    return e;
}

/* The elements with labels above 0, or all of them, in C order; the same of any array of the input's shape. */
static gnd_array *chosen(const char *fn, const gndi_measured *m, const gnd_array *x) {
    return m->labels ? gnd_extract(gnd_greater(m->labels, 0), x) : gndi_flat(fn, x);
}

static gnd_array *like_index(const gnd_array *flat, const gnd_array *index) {
    gnd_shape shape = {.ndim = index->ndim};
    memcpy(shape.dim, index->shape, (size_t)index->ndim * sizeof *shape.dim);
    return gnd_reshape(flat, shape);
}

/* ---- medians -------------------------------------------------------------------------------- */

static gnd_array *between(const gnd_array *index, const sorted_elements *e, const gnd_array *below,
                          const gnd_array *above, gnd_dtype dtype) {
    const gnd_array *middle = gnd_divide(gnd_add(gnd_astype(below, dtype), gnd_astype(above, dtype)), 2.0);
    return like_index(gnd_where(gnd_greater(e->high, e->low), middle, NAN), index);
}

/* Of a dtype. On the CPU x is float32 or float64, whose order is that of the input. */
static gnd_array *medians(gndi_temporaries *s, const gndi_measured *m, const gnd_array *index, gnd_dtype dtype) {
    if (m->x->size == 0 || m->groups == 0) return like_index(gnd_full_like(m->index, NAN, dtype), index);
    if (gndi_is_on_cpu(m->x)) {
        gnd_array *middles[2] = {NULL, NULL};
        const sorted_elements e = count_elements(s, m, middles);
        return e.high ? between(index, &e, middles[0], middles[1], dtype) : NULL;
    }
    const sorted_elements e = sort_elements(s, m, true);
    const gnd_array *last = gnd_subtract(e.high, 1);
    const gnd_array *half = gnd_floor_divide(gnd_subtract(last, e.low), 2);
    const gnd_array *below = gnd_take(e.x, gnd_add(e.low, half), GND_ALL, GND_CLIP);
    const gnd_array *above = gnd_take(e.x, gnd_subtract(last, half), GND_ALL, GND_CLIP);
    return between(index, &e, below, above, dtype);
}

gnd_array *gnd_median_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_median_labels"};
    if (!gndi_measured_check(s.fn, input, labels, index, true)) return NULL;
    GNDI_PARTS_OF(s.fn);
    const gnd_dtype own = (gnd_dtype)input->dtype, dtype = gndi_dtype_is_float(own) ? own : GND_FLOAT64;
    const bool counts = labels && index && gndi_is_on_cpu(input);
    const gndi_measured m = gndi_measured_of(&s, input, labels, index, counts ? gndi_measured_summed(own) : own);
    gnd_array *result = NULL;
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    GND_SCOPE {
        gnd_array *made = m.index ? medians(&s, &m, index, dtype) : gnd_median(chosen(s.fn, &m, m.x), GND_ALL);
        result = made ? gnd_keep(made) : NULL;
    }
    return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, result));
}

/* ---- histograms ----------------------------------------------------------------------------- */

/* Which bin each element is in; below 0, or `bins` and more: none. */
static const gnd_array *bins_of(const char *fn, const gnd_array *x, double min, double max, int64_t bins) {
    const gnd_array *made = gnd_linspace(min, max, bins + 1, true, GND_FLOAT64);
    const gnd_array *edges = gnd_to_device(made, gnd_device_of(x)), *flat = gnd_astype(gndi_flat(fn, x), GND_FLOAT64);
    const gnd_array *bin = gnd_subtract(gnd_searchsorted(edges, flat, GND_RIGHT, GND_NONE), 1);
    return gnd_where(gnd_equal(flat, max), bins - 1, bin);
}

/* On the CPU, of min < max: counts of x in bins, or, of `numbers` that say which group an element is in (-1: none) and
   that are overwritten, in bins of groups. Edges are float64, as SciPy's. */
static gnd_array *counts_at_once(const char *fn, const gnd_array *x, double min, double max, int64_t bins,
                                 gnd_array *numbers, int64_t groups) {
    gnd_array *elements = gndi_histogram_elements(fn, x), *counts = NULL;
    gndi_histogram_request q = {.fn = fn, .x = elements};
    gndi_bins b;
    if (elements && gndi_bins_even(fn, elements, bins, (double[]){min, max}, true, &b)) {
        if (!numbers) {
            counts = gndi_histogram_count(&q, &b);
        } else if (gndi_histogram_numbers(&q, &b, numbers, true) == GND_OK) {
            q.x = numbers;
            counts = gndi_histogram_integers(&q, groups * bins, true);
        }
        gndi_bins_drop(&b);
    }
    gnd_release(elements);
    return counts;
}

static gnd_array *histograms(gndi_temporaries *s, const gndi_measured *m, const gnd_array *index, double min,
                             double max, int64_t bins) {
    gnd_shape shape = {.ndim = index ? index->ndim + 1 : 1};
    if (index) memcpy(shape.dim, index->shape, (size_t)index->ndim * sizeof *shape.dim);
    shape.dim[shape.ndim - 1] = bins;
    if (m->groups == 0 || m->x->size == 0) return gnd_to_device(gnd_zeros(shape, GND_INT64), gnd_device_of(m->x));
    const bool at_once = min < max && gndi_is_on_cpu(m->x);
    if (!m->labels && at_once) return counts_at_once(s->fn, m->x, min, max, bins, NULL, 1);
    const gnd_array *sorted = NULL, *group = NULL, *counts = NULL;
    if (m->index) {
        sorted = gnd_sort(gndi_flat(s->fn, m->index), GND_ALL, GND_ASCENDING);
        group = gndi_measured_groups(s, m, sorted);
    } else {
        group = m->labels ? gnd_astype(gnd_less_equal(gndi_flat(s->fn, m->labels), 0), GND_INT64)
                          : gnd_zeros_like(gndi_flat(s->fn, m->x), GND_INT64);
    }
    if (at_once) {
        gnd_array *numbers = gnd_where(gnd_less(group, m->groups), group, -1);
        if (numbers) counts = counts_at_once(s->fn, gndi_flat(s->fn, m->x), min, max, bins, numbers, m->groups);
    } else {
        const gnd_array *bin = bins_of(s->fn, m->x, min, max, bins);
        const gnd_array *is_in = gnd_logical_and(gnd_greater_equal(bin, 0), gnd_less(bin, bins));
        const gnd_array *counted = gnd_logical_and(is_in, gnd_less(group, m->groups));
        const gnd_array *code = gnd_where(counted, gnd_add(gnd_multiply(group, bins), bin), m->groups * bins);
        const gnd_array *all = gnd_bincount_fixed(code, GND_NONE, m->groups * bins + 1);
        counts = gnd_slice(all, ":%lld", (long long)(m->groups * bins));
    }
    if (!m->index) return gnd_copy(counts);
    const gnd_array *at = gnd_searchsorted(sorted, gndi_flat(s->fn, m->index), GND_LEFT, GND_NONE);
    gnd_array *rows = gnd_take(gnd_reshape(counts, GND_SHAPE(m->groups, bins)), at, GND_AXES(0), GND_RAISE);
    return gnd_reshape(rows, shape);
}

gnd_array *gnd_histogram_labels(const gnd_array *input, double min, double max, int64_t bins, const gnd_array *labels,
                                const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_histogram_labels"};
    if (!gndi_measured_check(s.fn, input, labels, index, true)) return NULL;
    if (bins < 1) return gndi_fail(GND_ERROR_VALUE, s.fn, "%lld bins; there must be one at least", (long long)bins);
    if (!(min <= max) || !isfinite(max - min))
        return gndi_fail(GND_ERROR_VALUE, s.fn, "bins from %g to %g are not a finite range", min, max);
    if (labels && index && index->ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, s.fn, "an index of %d dimensions gives one more", index->ndim);
    GNDI_PARTS_OF(s.fn);
    const gndi_measured m = gndi_measured_of(&s, input, labels, index, (gnd_dtype)input->dtype);
    gnd_array *result = NULL;
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    GND_SCOPE {
        gnd_array *made = histograms(&s, &m, m.index ? index : NULL, min, max, bins);
        result = made ? gnd_keep(made) : NULL;
    }
    return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, result));
}

/* ---- functions of the elements -------------------------------------------------------------- */

/* A function's call: its number becomes to's element. */
static bool apply(gndi_temporaries *s, gnd_label_function *function, void *context, const gnd_array *values,
                  const gnd_array *positions, gnd_array *to) {
    const gnd_array *number = NULL;
    if (values) {
        GNDI_CALLING_BACK();
        number = function(values, positions, context);
    }
    if (number && number->size == 1) {
        const gnd_array *one = gnd_reshape(number, (gnd_shape){.ndim = 0});
        return one && gnd_copyto(to, one) == GND_OK;
    }
    if (number)
        gndi_raise(GND_ERROR_SHAPE, s->fn, "the function gave an array of shape %s, not a number",
                   gndi_text_shape(number->ndim, number->shape));
    else if (!gnd_error())
        gndi_raise(GND_ERROR_INVALID, s->fn, "the function gave no array");
    return false;
}

/* The bounds of each label's elements, on the host: low, then high. */
static int64_t *read_bounds(gndi_temporaries *s, const sorted_elements *e, int64_t groups) {
    int64_t *bounds = gndi_malloc(s->fn, (size_t)(2 * groups) * sizeof *bounds);
    const size_t bytes = (size_t)groups * sizeof *bounds;
    if (!bounds) return NULL;
    if (gnd_to_host(gnd_astype(e->low, GND_INT64), bounds, bytes) == GND_OK &&
        gnd_to_host(gnd_astype(e->high, GND_INT64), bounds + groups, bytes) == GND_OK)
        return bounds;
    gndi_free(bounds);
    return NULL;
}

static bool apply_each(gndi_temporaries *s, const gndi_measured *m, gnd_label_function *function, void *context,
                       gnd_array *flat) {
    const sorted_elements e = sort_elements(s, m, false);
    int64_t *bounds = e.high ? read_bounds(s, &e, m->groups) : NULL;
    bool good = bounds;
    for (int64_t k = 0; good && k < m->groups; k++) {
        const long long low = bounds[k], high = bounds[m->groups + k];
        if (low >= high) continue;
        GND_SCOPE {
            good = apply(s, function, context, gnd_slice(e.x, "%lld:%lld", low, high),
                         gnd_slice(e.order, "%lld:%lld", low, high), gnd_slice(flat, "%lld", (long long)k));
        }
    }
    gndi_free(bounds);
    return good;
}

gnd_array *gnd_labeled_comprehension(const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                                     gnd_label_function *function, void *context, gnd_dtype dtype, double missing) {
    gndi_temporaries s = {.fn = "gnd_labeled_comprehension"};
    if (!gndi_measured_check(s.fn, input, labels, index, false)) return NULL;
    if (!function) return gndi_raise_null(s.fn, "function"), NULL;
    if (!gndi_dtype_valid(dtype)) return gndi_fail(GND_ERROR_DTYPE, s.fn, "there is no dtype number %d", (int)dtype);
    if (!labels && index) return gndi_fail(GND_ERROR_INVALID, s.fn, "there is an index, but no labels");
    const gndi_measured m = gndi_measured_of(&s, input, labels, index, (gnd_dtype)input->dtype);
    gnd_array *result = gndi_measured_result(&s, input, m.index ? index : NULL, -1, dtype);
    GNDI_PARTS_OF(s.fn);
    if (!s.failed) s.failed = gndi_assign(s.fn, result, GND_ARG(missing)) != GND_OK;
    if (!s.failed && (!m.index || (m.groups > 0 && m.x->size > 0))) {
        s.failed = true;
        GND_SCOPE {
            const gnd_array *places = gnd_to_device(gnd_arange(0, m.x->size, 1, GND_INT64), gnd_device_of(input));
            if (m.index)
                s.failed = !apply_each(&s, &m, function, context, gnd_ravel(result));
            else if (places)
                s.failed = !apply(&s, function, context, chosen(s.fn, &m, m.x),
                                  m.labels ? chosen(s.fn, &m, gnd_reshape(places, gnd_shape_of(m.x))) : places, result);
        }
    }
    return gndi_temporaries_end(&s, result);
}

/* ---- values --------------------------------------------------------------------------------- */

/* made[2]: flat positions as indices along each axis, a row for each. */
static bool set_indices(const gnd_array *a, const gnd_array *at, gnd_array *made[3]) {
    made[2] = gnd_empty_like(gnd_broadcast_to(at, GND_SHAPE(a->ndim, at->shape[0])), GND_INT64);
    for (int axis = a->ndim - 1; made[2] && axis > 0; axis--) {
        if (gnd_remainder_into(gnd_slice(made[2], "%d", axis), at, a->shape[axis]) != GND_OK) return false;
        at = gnd_floor_divide(at, a->shape[axis]);
    }
    return made[2] && (a->ndim == 0 || gnd_copyto(gnd_slice(made[2], "0"), at) == GND_OK);
}
/* The same in rows that are dense, with as few divisions as there must be, for the CPU. */
static bool set_dense_indices(const gnd_array *a, const gnd_array *at, gnd_array *made[3]) {
    made[2] = gnd_to_device(gnd_empty(GND_SHAPE(a->ndim, at->shape[0]), GND_INT64), gnd_device_of(a));
    for (int axis = a->ndim - 1; made[2] && axis > 0; axis--) {
        const gnd_array *above = gnd_floor_divide(at, a->shape[axis]);
        if (gnd_subtract_into(gnd_slice(made[2], "%d", axis), at, gnd_multiply(above, a->shape[axis])) != GND_OK)
            return false;
        at = above;
    }
    return made[2] && gnd_copyto(gnd_slice(made[2], "0"), at) == GND_OK;
}

/* Values, where each one's elements begin, and their indices along each axis: columns of a matrix. */
static bool find_values(const gnd_array *a, const int64_t *ignored, gnd_array *made[3]) {
    const gnd_array *flat = gnd_ravel(a), *kept = NULL;
    if (ignored) {
        kept = gnd_flatnonzero(gnd_not_equal(flat, *ignored));
        flat = gnd_take(flat, kept, GND_ALL, GND_RAISE);
    }
    gnd_array *counts = NULL;
    const gnd_array *order = gnd_argsort(flat, GND_ALL, GND_ASCENDING);
    made[0] = gnd_unique(flat, GND_ALL, &(gnd_unique_options){.counts = &counts});
    const gnd_array *ends = gnd_astype(gnd_cumsum(counts, GND_ALL), GND_INT64);
    const gnd_array *zero = gnd_to_device(gnd_zeros(GND_SHAPE(1), GND_INT64), gnd_device_of(a));
    made[1] = gnd_append(zero, ends, 0);
    const gnd_array *at = kept ? gnd_take(kept, order, GND_ALL, GND_RAISE) : order;
    return at && made[0] && made[1] && set_indices(a, at, made);
}

/* The same by counting, on the CPU, if the values are near each other; *done: whether they are. */
static bool count_values(gndi_temporaries *s, const gnd_array *a, const int64_t *ignored, gnd_array *made[3],
                         bool *done) {
    int64_t low = 0, high = 0;
    *done = gndi_is_on_cpu(a) && a->dtype != GND_UINT64 && a->size > 0 && a->ndim > 0;
    if (!*done) return true;
    if (gnd_item(gnd_astype(gnd_min(a, GND_ALL), GND_INT64), &low) != GND_OK ||
        gnd_item(gnd_astype(gnd_max(a, GND_ALL), GND_INT64), &high) != GND_OK)
        return false;
    *done = (uint64_t)high - (uint64_t)low < 2 * (uint64_t)a->size + 1024;
    if (!*done) return true;
    const gnd_device device = gnd_device_of(a);
    const gnd_dtype dtype = gndi_itemsize(a) < 4 || a->dtype == GND_INT32 ? GND_INT32 : GND_INT64;
    gndi_measured m = {.x = a, .groups = high - low + 1};
    m.labels = (gnd_dtype)a->dtype == dtype ? gnd_ravel(a) : gnd_astype(gnd_ravel(a), dtype);
    m.index = gnd_to_device(gnd_arange(low, high + 1, 1, GND_INT64), device);
    const sorted_elements e =
        m.labels && m.index ? count_elements(s, &m, NULL) : (sorted_elements){NULL, NULL, NULL, NULL};
    if (!e.order) return false;
    gnd_array *counts = gnd_subtract(e.high, e.low);
    const gnd_array *order = e.order;
    if (ignored && *ignored >= low && *ignored <= high) {
        const long long k = *ignored - low;
        int64_t begin = 0, end = 0;
        if (gnd_item(gnd_slice(e.low, "%lld", k), &begin) != GND_OK ||
            gnd_item(gnd_slice(e.high, "%lld", k), &end) != GND_OK ||
            gndi_assign(s->fn, gnd_slice(counts, "%lld", k), GND_ARG(0)) != GND_OK)
            return false;
        order = gnd_append(gnd_slice(order, ":%lld", (long long)begin), gnd_slice(order, "%lld:", (long long)end), 0);
    }
    const gnd_array *present = gnd_flatnonzero(counts),
                    *zero = gnd_to_device(gnd_zeros(GND_SHAPE(1), GND_INT64), device);
    made[0] = gnd_astype(gnd_take(m.index, present, GND_ALL, GND_RAISE), (gnd_dtype)a->dtype);
    made[1] = gnd_append(zero, gnd_cumsum(gnd_take(counts, present, GND_ALL, GND_RAISE), GND_ALL), 0);
    return order && made[0] && made[1] && set_dense_indices(a, order, made);
}

gnd_status gnd_value_indices(gnd_array **values, gnd_array **starts, gnd_array **indices, const gnd_array *a,
                             const int64_t *ignored) {
    gndi_temporaries s = {.fn = "gnd_value_indices"};
    gnd_array **const given[3] = {values, starts, indices};
    gnd_array *made[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 3; k++)
        if (given[k]) *given[k] = NULL;
    if (gndi_missing(a)) return gndi_raise_null(s.fn, "a");
    if (!gndi_dtype_is_int(a->dtype))
        return gndi_raise(GND_ERROR_DTYPE, s.fn, "values are integers, not %s", gnd_dtype_name((gnd_dtype)a->dtype));
    GNDI_PARTS_OF(s.fn);
    GND_SCOPE {
        bool done = false;
        const bool places =
            !gndi_is_on_cpu(a) && a->buffer->device->backend->values && a->ndim > 0 && gndi_is_c_contiguous(a);
        s.failed = places ? !gndi_place_values(a, ignored, made)
                          : !count_values(&s, a, ignored, made, &done) || (!done && !find_values(a, ignored, made));
        for (int k = 0; k < 3 && !s.failed; k++)
            if (given[k]) *given[k] = gnd_keep(made[k]);
    }
    return gndi_temporaries_status(&s);
}
