/*
 * measure.c: sums, means and centres of mass over labels (scipy.ndimage.sum_labels, mean, center_of_mass). One hook
 * sums all of them in one pass; more groups than a GPU's block has memory for are counted by gnd_bincount_fixed, which
 * sorts.
 */
#include "array/view.h"
#include "elementwise/temporaries.h"
#include "labels/labels_plan.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"
#include <gnd.h>

typedef struct gndi_label_sums_plan sums_plan;

/* What is measured: the input and its labels, dense and of one shape. Without labels everything is one group, without
   an index what is labelled above 0. */
typedef struct subject {
    const gnd_array *x, *labels, *index; /* float32 or float64; int32 or int64 or NULL; int64 or NULL */
    int64_t groups;
} subject;

/* ---- operands ------------------------------------------------------------------------------- */

/* Dense, of a dtype. */
static const gnd_array *dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a))) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

/* The dtype in which all elements are exact, if there is one. */
static gnd_dtype summed_dtype(int dtype) {
    const bool small = dtype == GND_FLOAT32 || gndi_dtype_is_half(dtype) || dtype == GND_BOOL || dtype == GND_INT8 ||
                       dtype == GND_UINT8 || dtype == GND_INT16 || dtype == GND_UINT16;
    return small ? GND_FLOAT32 : GND_FLOAT64;
}

static bool is_integer(const gnd_array *a) {
    return gndi_dtype_is_bool(a->dtype) || gndi_dtype_is_int(a->dtype);
}

/* Checks the arguments. The shape of the result is the index's, or none. */
static bool check(const char *fn, const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), false;
    if (labels && gndi_missing(labels)) return gndi_raise_null(fn, "labels"), false;
    if (index && gndi_missing(index)) return gndi_raise_null(fn, "index"), false;
    if (labels && !is_integer(labels))
        return gndi_raise(GND_ERROR_DTYPE, fn, "labels are integers, not %s", gnd_dtype_name((gnd_dtype)labels->dtype)),
               false;
    if (labels && index && !is_integer(index))
        return gndi_raise(GND_ERROR_DTYPE, fn, "an index is of integers, not %s",
                          gnd_dtype_name((gnd_dtype)index->dtype)),
               false;
    return true;
}

static bool check_real(const char *fn, const gnd_array *input) {
    if (!gndi_dtype_is_complex(input->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "the input must be real, and has dtype %s",
               gnd_dtype_name((gnd_dtype)input->dtype));
    return false;
}

/* Input and labels, broadcast together. */
static void broadcast(gndi_temporaries *s, const gnd_array **input, const gnd_array **labels) {
    gnd_array *pair[2] = {NULL, NULL};
    if (s->failed || !*labels) return;
    if (gnd_broadcast_arrays(2, (const gnd_array *const[]){*input, *labels}, pair)) {
        s->failed = true;
        return;
    }
    *input = gndi_temporaries_keep(s, pair[0]), *labels = gndi_temporaries_keep(s, pair[1]);
}

static subject take_up(gndi_temporaries *s, const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    subject m = {.x = input, .labels = labels, .groups = 1};
    broadcast(s, &m.x, &m.labels);
    if (s->failed) return m;
    m.x = dense(s, m.x, summed_dtype(m.x->dtype));
    if (!labels) return m;
    const bool narrow = gndi_itemsize(labels) < 4 || labels->dtype == GND_INT32;
    m.labels = dense(s, m.labels, narrow ? GND_INT32 : GND_INT64);
    if (!index) return m;
    m.index = dense(s, index, GND_INT64);
    m.groups = index->size;
    return m;
}

/* ---- sums in one pass ----------------------------------------------------------------------- */

enum { PART_ELEMENTS = 1 << 18, MOST_PARTS = 64 };

/* Into how many parts the elements are cut: on a GPU a block each. */
static int64_t parts_of(const gndi_device *d, const sums_plan *p, int64_t columns) {
    if (d->id.kind != GND_CPU) return gndi_min(gndi_ceil_div(p->n, 8192), 4 * (int64_t)d->processors);
    const int64_t by_size = gndi_min(gndi_ceil_div(p->n, PART_ELEMENTS), MOST_PARTS);
    return gndi_max(1, gndi_min(by_size, p->n / (p->groups * columns)));
}

static void run(gndi_temporaries *s, const subject *m, sums_plan *p, const gnd_array *out) {
    gnd_stream *stream = s->failed ? NULL : gndi_ew_stream(out, s->fn);
    const int64_t columns = 1 + p->counts + p->axes;
    s->failed |= !stream;
    if (s->failed) return;
    p->parts = parts_of(stream->device, p, columns);
    const int64_t size = p->parts * p->groups * columns;
    const gnd_array *part =
        gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, 1, &size, GND_FLOAT64, GNDI_ORDER_C));
    if (s->failed) return;
    s->failed = true;
    p->x = gndi_data(m->x), p->x_dtype = m->x->dtype;
    p->labels = m->labels ? gndi_data(m->labels) : NULL, p->label_dtype = m->labels ? m->labels->dtype : GND_INT32;
    p->index = m->index ? (const int64_t *)(const void *)gndi_data(m->index) : NULL;
    p->out = (double *)(void *)gndi_data(out), p->part = (double *)(void *)gndi_data(part);
    if (gndi_order_read(stream, m->x->buffer, s->fn) ||
        (m->labels && gndi_order_read(stream, m->labels->buffer, s->fn)) ||
        (m->index && gndi_order_read(stream, m->index->buffer, s->fn)) ||
        gndi_order_write(stream, out->buffer, s->fn) || gndi_order_write(stream, part->buffer, s->fn) ||
        stream->device->backend->label_sums(stream, p, s->fn))
        return;
    gndi_submitted(stream);
    s->failed = gndi_finish(stream, s->fn) != GND_OK;
}

/* ---- sums by sorting ------------------------------------------------------------------------ */

/* Which group each element is of, as indices into the sorted index; those of none are one more. */
static const gnd_array *groups_of(gndi_temporaries *s, const subject *m, const gnd_array *sorted) {
    const gnd_array *labels = gnd_astype(gndi_flat(s->fn, m->labels), GND_INT64);
    const gnd_array *at = gnd_searchsorted(sorted, labels, GND_LEFT, GND_NONE);
    const gnd_array *found = gnd_equal(gnd_take(sorted, at, GND_ALL, GND_CLIP), labels);
    gnd_array *groups = gnd_where(found, at, (int64_t)m->groups);
    (void)s;
    return groups;
}

/* Fills out[:, column] with the sums of values by groups; `at` says where each of the index is among the sorted. */
static bool add_column(gnd_array *out, int column, const gnd_array *groups, const gnd_array *values,
                       const gnd_array *at, int64_t count) {
    const gnd_array *sums = gnd_bincount_fixed(groups, values, count + 1);
    return gnd_copyto(gnd_slice(out, ":, %d", column), gnd_take(sums, at, GND_ALL, GND_RAISE)) == GND_OK;
}

static void run_sorted(gndi_temporaries *s, const subject *m, const sums_plan *p, gnd_array *out) {
    if (s->failed) return;
    s->failed = true;
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        const gnd_array *index = gndi_flat(s->fn, m->index), *sorted = gnd_sort(index, GND_ALL, GND_ASCENDING);
        const gnd_array *at = gnd_searchsorted(sorted, index, GND_LEFT, GND_NONE), *groups = groups_of(s, m, sorted);
        const gnd_array *x = gnd_astype(gndi_flat(s->fn, m->x), GND_FLOAT64);
        int column = 0;
        bool good = groups && add_column(out, column++, groups, x, at, m->groups);
        if (good && p->counts)
            good = add_column(out, column++, groups, gnd_ones_like(x, GND_DTYPE_NONE), at, m->groups);
        for (int k = 0; good && k < p->axes; k++) {
            const gnd_array *steps = gnd_arange(0, m->x->size, 1, GND_INT64);
            const gnd_array *along = gnd_remainder(gnd_floor_divide(steps, p->inner[k]), p->extent[k]);
            good = add_column(out, column++, groups, gnd_multiply(x, along), at, m->groups);
        }
        s->failed = !good;
    }
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The sums of each group, and of `counts` and moments along `axes` axes from `axis` on: groups x columns. */
static gnd_array *sums(gndi_temporaries *s, const subject *m, bool counts, int axis, int axes) {
    if (s->failed) return NULL;
    sums_plan p = {.n = m->x->size, .groups = m->groups, .counts = counts, .axes = axes};
    const int64_t columns = 1 + counts + axes, shape[2] = {m->groups, columns};
    for (int k = 0; k < axes; k++) {
        p.extent[k] = m->x->shape[axis + k], p.inner[k] = 1;
        for (int inner = axis + k + 1; inner < m->x->ndim; inner++) p.inner[k] *= m->x->shape[inner];
    }
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, m->x, 2, shape, GND_FLOAT64));
    if (s->failed || m->groups == 0) return out;
    if (p.n == 0)
        s->failed = gndi_assign(s->fn, out, GND_ARG(0.0)) != GND_OK;
    else if (out->buffer->device->id.kind != GND_CPU && m->groups * columns > GNDI_LABEL_SUMS_MOST)
        run_sorted(s, m, &p, out);
    else
        run(s, m, &p, out);
    return out;
}

static gnd_array *column_of(gndi_temporaries *s, const gnd_array *table, int64_t column) {
    return s->failed ? NULL : gndi_step_at(s, table, 1, column);
}

/* A new array of the index's shape, and of `last` elements behind it unless that is 0. */
static gnd_array *new_result(gndi_temporaries *s, const gnd_array *x, const gnd_array *index, int64_t last) {
    int64_t shape[GND_MAX_DIMS + 1];
    int ndim = index ? index->ndim : 0;
    if (s->failed) return NULL;
    if (index) memcpy(shape, index->shape, (size_t)ndim * sizeof *shape);
    if (last >= 0) shape[ndim++] = last;
    if (ndim > GND_MAX_DIMS) {
        s->failed = true;
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "an index of %d dimensions gives more than %d", ndim - 1,
                         GND_MAX_DIMS);
    }
    return gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, ndim, shape, GND_FLOAT64));
}

/* result[..., axis] (axis -1: result) = numerator / denominator. NULL: numerator alone. */
static void put(gndi_temporaries *s, gnd_array *result, int64_t axis, gnd_array *above, gnd_array *below) {
    if (s->failed) return;
    gnd_array *flat = gndi_temporaries_keep(
        s, gndi_reshaped(s->fn, result, axis < 0 ? 1 : 2,
                         axis < 0 ? (const int64_t[]){result->size}
                                  : (const int64_t[]){above->shape[0], result->shape[result->ndim - 1]}));
    if (axis >= 0) flat = gndi_step_at(s, flat, 1, axis);
    if (s->failed) return;
    if (below)
        gndi_step_into(s, GNDI_OP_divide, flat, gnd_arg_array(above), gnd_arg_array(below), NULL);
    else
        s->failed = gndi_copy_into(s->fn, flat, above) != GND_OK;
}

/* ---- the functions -------------------------------------------------------------------------- */

gnd_array *gnd_sum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_sum_labels"};
    if (!check(s.fn, input, labels, index)) return NULL;
    GNDI_PARTS_OF(s.fn);
    if (!labels) return gnd_sum(input, GND_ALL);
    if (!index) {
        broadcast(&s, &input, &labels);
        const gnd_array *where = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_greater(labels, 0));
        gnd_array *sum = s.failed ? NULL : gnd_sum(input, (gnd_axes){.where = where});
        return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, sum));
    }
    if (!check_real(s.fn, input)) return NULL;
    const subject m = take_up(&s, input, labels, index);
    gnd_array *result = new_result(&s, input, index, -1);
    put(&s, result, -1, column_of(&s, sums(&s, &m, false, 0, 0), 0), NULL);
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_mean_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_mean_labels"};
    if (!check(s.fn, input, labels, index) || !check_real(s.fn, input)) return NULL;
    GNDI_PARTS_OF(s.fn);
    const subject m = take_up(&s, input, labels, index);
    gnd_array *table = sums(&s, &m, true, 0, 0), *result = new_result(&s, input, m.index ? index : NULL, -1);
    put(&s, result, -1, column_of(&s, table, 0), column_of(&s, table, 1));
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_center_of_mass(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_center_of_mass"};
    if (!check(s.fn, input, labels, index) || !check_real(s.fn, input)) return NULL;
    GNDI_PARTS_OF(s.fn);
    const subject m = take_up(&s, input, labels, index);
    const int ndim = s.failed ? 0 : m.x->ndim;
    gnd_array *result = new_result(&s, input, m.index ? index : NULL, ndim);
    for (int axis = 0; axis < ndim && !s.failed; axis += GNDI_LABEL_AXES) {
        const int axes = (int)gndi_min(ndim - axis, GNDI_LABEL_AXES);
        gnd_array *table = sums(&s, &m, false, axis, axes);
        for (int k = 0; k < axes; k++) put(&s, result, axis + k, column_of(&s, table, 1 + k), column_of(&s, table, 0));
    }
    return gndi_temporaries_end(&s, result);
}
