/*
 * measure.c: sums, means and centres of mass over labels (scipy.ndimage.sum_labels, mean, center_of_mass). One hook
 * sums all of them in one pass; more groups than a GPU's block has memory for are counted by gnd_bincount_fixed, which
 * sorts.
 */
#include "labels/measure.h"
#include <gnd.h>

typedef struct gndi_label_sums_plan sums_plan;

typedef gndi_measured subject; /* x is float32 or float64 */

/* ---- operands ------------------------------------------------------------------------------- */

const gnd_array *gndi_measured_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a))) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

gnd_dtype gndi_measured_summed(int dtype) {
    const bool small = dtype == GND_FLOAT32 || gndi_dtype_is_half(dtype) || dtype == GND_BOOL || dtype == GND_INT8 ||
                       dtype == GND_UINT8 || dtype == GND_INT16 || dtype == GND_UINT16;
    return small ? GND_FLOAT32 : GND_FLOAT64;
}

static bool is_integer(const gnd_array *a) {
    return gndi_dtype_is_bool(a->dtype) || gndi_dtype_is_int(a->dtype);
}

bool gndi_measured_check(const char *fn, const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                         bool real) {
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), false;
    if (labels && gndi_missing(labels)) return gndi_raise_null(fn, "labels"), false;
    if (index && gndi_missing(index)) return gndi_raise_null(fn, "index"), false;
    const gnd_array *wrong = labels && !is_integer(labels) ? labels : NULL;
    if (wrong)
        gndi_raise(GND_ERROR_DTYPE, fn, "labels are integers, not %s", gnd_dtype_name((gnd_dtype)wrong->dtype));
    else if (labels && index && !is_integer(index))
        gndi_raise(GND_ERROR_DTYPE, fn, "an index is of integers, not %s", gnd_dtype_name((gnd_dtype)index->dtype));
    else if (real && gndi_dtype_is_complex(input->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "the input must be real, and has dtype %s",
                   gnd_dtype_name((gnd_dtype)input->dtype));
    else
        return true;
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

const gnd_array *gndi_measured_labels(gndi_temporaries *s, const gnd_array *labels) {
    const bool narrow = gndi_itemsize(labels) < 4 || labels->dtype == GND_INT32;
    return gndi_measured_dense(s, labels, narrow ? GND_INT32 : GND_INT64);
}

gndi_measured gndi_measured_of(gndi_temporaries *s, const gnd_array *input, const gnd_array *labels,
                               const gnd_array *index, gnd_dtype dtype) {
    subject m = {.x = input, .labels = labels, .groups = 1};
    broadcast(s, &m.x, &m.labels);
    if (s->failed) return m;
    m.x = gndi_measured_dense(s, m.x, dtype);
    if (!labels) return m;
    m.labels = gndi_measured_labels(s, m.labels);
    if (!index) return m;
    m.index = gndi_measured_dense(s, index, GND_INT64);
    m.groups = index->size;
    return m;
}

static subject take_up(gndi_temporaries *s, const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    return gndi_measured_of(s, input, labels, index, gndi_measured_summed(input->dtype));
}

/* ---- sums in one pass ----------------------------------------------------------------------- */

enum { PART_ELEMENTS = 1 << 18, MOST_PARTS = 64 };

/* Into how many parts the elements are cut: on a GPU a block each. */
static int64_t parts_of(const gndi_device *d, const sums_plan *p, int64_t columns) {
    if (d->id.kind != GND_CPU) return gndi_min(gndi_ceil_div(p->n, 8192), 4 * (int64_t)d->processors);
    const int64_t by_size = gndi_min(gndi_ceil_div(p->n, PART_ELEMENTS), MOST_PARTS);
    return gndi_max(1, gndi_min(by_size, p->n / (p->groups * columns)));
}

static void run(gndi_temporaries *s, const subject *m, sums_plan *p, const gnd_array *out, const gnd_array *centres) {
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
    p->centres = centres ? (const double *)(const void *)gndi_data(centres) : NULL;
    p->out = (double *)(void *)gndi_data(out), p->part = (double *)(void *)gndi_data(part);
    if (gndi_order_read(stream, m->x->buffer, s->fn) ||
        (m->labels && gndi_order_read(stream, m->labels->buffer, s->fn)) ||
        (m->index && gndi_order_read(stream, m->index->buffer, s->fn)) ||
        (centres && gndi_order_read(stream, centres->buffer, s->fn)) || gndi_order_write(stream, out->buffer, s->fn) ||
        gndi_order_write(stream, part->buffer, s->fn) || stream->device->backend->label_sums(stream, p, s->fn))
        return;
    gndi_submitted(stream);
    s->failed = gndi_finish(stream, s->fn) != GND_OK;
}

/* ---- sums by sorting ------------------------------------------------------------------------ */

const gnd_array *gndi_measured_groups(gndi_temporaries *s, const gndi_measured *m, const gnd_array *sorted) {
    const gnd_array *labels = gnd_astype(gndi_flat(s->fn, m->labels), GND_INT64);
    const gnd_array *at = gnd_searchsorted(sorted, labels, GND_LEFT, GND_NONE);
    const gnd_array *found = gnd_equal(gnd_take(sorted, at, GND_ALL, GND_CLIP), labels);
    return gnd_where(found, at, (int64_t)m->groups);
}

/* Fills out[:, column] with the sums of values by groups; `at` says where each of the index is among the sorted. */
static bool add_column(gnd_array *out, int column, const gnd_array *groups, const gnd_array *values,
                       const gnd_array *at, int64_t count) {
    const gnd_array *sums = gnd_bincount_fixed(groups, values, count + 1);
    return gnd_copyto(gnd_slice(out, ":, %d", column), gnd_take(sums, at, GND_ALL, GND_RAISE)) == GND_OK;
}

static void run_sorted(gndi_temporaries *s, const subject *m, const sums_plan *p, gnd_array *out,
                       const gnd_array *centres) {
    if (s->failed) return;
    s->failed = true;
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        const gnd_array *index = gndi_flat(s->fn, m->index), *sorted = gnd_sort(index, GND_ALL, GND_ASCENDING);
        const gnd_array *at = gnd_searchsorted(sorted, index, GND_LEFT, GND_NONE),
                        *groups = gndi_measured_groups(s, m, sorted);
        const gnd_array *x = gnd_astype(gndi_flat(s->fn, m->x), GND_FLOAT64);
        if (centres) {
            const gnd_array *in_order =
                gnd_take(centres, gnd_argsort(index, GND_ALL, GND_ASCENDING), GND_ALL, GND_RAISE);
            x = gnd_square(gnd_subtract(x, gnd_take(in_order, groups, GND_ALL, GND_CLIP)));
        }
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

/* The sums of each group, and of `counts` and moments along `axes` axes from `axis` on: groups x columns. centres: the
   sums are of the squares of distances from these, a float64 for each group. */
static gnd_array *sums(gndi_temporaries *s, const subject *m, bool counts, int axis, int axes,
                       const gnd_array *centres) {
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
    else if (!gndi_is_on_cpu(out) && m->groups * columns > GNDI_LABEL_SUMS_MOST)
        run_sorted(s, m, &p, out, centres);
    else
        run(s, m, &p, out, centres);
    return out;
}

/* Columns of the table, groups x count. */
static gnd_array *columns_of(gndi_temporaries *s, const gnd_array *table, int64_t first, int64_t count) {
    return s->failed ? NULL : gndi_step_part(s, table, 1, first, count, 1);
}

gnd_array *gndi_measured_result(gndi_temporaries *s, const gnd_array *x, const gnd_array *index, int64_t last,
                                gnd_dtype dtype) {
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
    return gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, ndim, shape, dtype));
}
static gnd_array *new_result(gndi_temporaries *s, const gnd_array *x, const gnd_array *index, int64_t last) {
    return gndi_measured_result(s, x, index, last, GND_FLOAT64);
}

/* The quotients of columns of the table, groups x any number, by a column, groups x 1, become those of the result from
   `axis` on; the result has `columns` for each group. */
static void put(gndi_temporaries *s, gnd_array *result, int64_t columns, int axis, gnd_array *above, gnd_array *below) {
    if (s->failed || result->size == 0) return;
    const int64_t shape[2] = {above->shape[0], columns};
    gnd_array *flat = gndi_temporaries_keep(s, gndi_reshaped(s->fn, result, 2, shape));
    if (!s->failed) flat = gndi_step_part(s, flat, 1, axis, above->shape[1], 1);
    if (!s->failed) gndi_step_into(s, GNDI_OP_divide, flat, gnd_arg_array(above), gnd_arg_array(below), NULL);
}

/* ---- the functions -------------------------------------------------------------------------- */

gnd_array *gnd_sum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_sum_labels"};
    if (!gndi_measured_check(s.fn, input, labels, index, labels && index)) return NULL;
    GNDI_PARTS_OF(s.fn);
    if (!labels) return gnd_sum(input, GND_ALL);
    if (!index) {
        broadcast(&s, &input, &labels);
        const gnd_array *where = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_greater(labels, 0));
        gnd_array *sum = s.failed ? NULL : gnd_sum(input, (gnd_axes){.where = where});
        return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, sum));
    }
    const subject m = take_up(&s, input, labels, index);
    gnd_array *table = sums(&s, &m, false, 0, 0, NULL); /* of one column, which is the result */
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    table = gndi_sole_view(gndi_reshaped(s.fn, table, index->ndim, index->shape));
    return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, table));
}

/* Whether all elements are one group on the CPU, which reductions measure without a table. */
static bool is_whole(const gnd_array *input, const gnd_array *labels) {
    return !labels && input->size > 0 && gndi_is_on_cpu(input);
}
static const gnd_axes WHOLE = {.dtype = GND_FLOAT64};

gnd_array *gnd_mean_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_mean_labels"};
    if (!gndi_measured_check(s.fn, input, labels, index, true)) return NULL;
    GNDI_PARTS_OF(s.fn);
    if (is_whole(input, labels)) return gnd_mean(input, WHOLE);
    const subject m = take_up(&s, input, labels, index);
    gnd_array *table = sums(&s, &m, true, 0, 0, NULL), *result = new_result(&s, input, m.index ? index : NULL, -1);
    put(&s, result, 1, 0, columns_of(&s, table, 0, 1), columns_of(&s, table, 1, 1));
    return gndi_temporaries_end(&s, result);
}

/* The variance, of which `deviation` takes the root: the mean of the squares of distances from the mean. */
static gnd_array *variance(const char *fn, const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                           bool deviation) {
    gndi_temporaries s = {.fn = fn};
    if (!gndi_measured_check(fn, input, labels, index, true)) return NULL;
    GNDI_PARTS_OF(fn);
    if (is_whole(input, labels)) return deviation ? gnd_std(input, WHOLE, 0) : gnd_var(input, WHOLE, 0);
    const subject m = take_up(&s, input, labels, index);
    gnd_array *table = sums(&s, &m, true, 0, 0, NULL), *result = new_result(&s, input, m.index ? index : NULL, -1);
    gnd_array *count = columns_of(&s, table, 1, 1), *mean = columns_of(&s, table, 0, 1);
    if (!s.failed) mean = gndi_step(&s, GNDI_OP_divide, gnd_arg_array(mean), gnd_arg_array(count));
    put(&s, result, 1, 0, sums(&s, &m, false, 0, 0, mean), count);
    if (!s.failed && deviation) gndi_step_into(&s, GNDI_OP_sqrt, result, gnd_arg_array(result), GND_NONE, NULL);
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_variance_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    return variance("gnd_variance_labels", input, labels, index, false);
}
gnd_array *gnd_standard_deviation_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    return variance("gnd_standard_deviation_labels", input, labels, index, true);
}

gnd_array *gnd_center_of_mass(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gndi_temporaries s = {.fn = "gnd_center_of_mass"};
    if (!gndi_measured_check(s.fn, input, labels, index, true)) return NULL;
    GNDI_PARTS_OF(s.fn);
    const subject m = take_up(&s, input, labels, index);
    const int ndim = s.failed ? 0 : m.x->ndim;
    gnd_array *result = new_result(&s, input, m.index ? index : NULL, ndim);
    for (int axis = 0; axis < ndim && !s.failed; axis += GNDI_LABEL_AXES) {
        const int axes = (int)gndi_min(ndim - axis, GNDI_LABEL_AXES);
        gnd_array *table = sums(&s, &m, false, axis, axes, NULL);
        put(&s, result, ndim, axis, columns_of(&s, table, 1, axes), columns_of(&s, table, 0, 1));
    }
    return gndi_temporaries_end(&s, result);
}
