/*
 * quantile_run.c: carries out a checked order statistic. Where x already lies in rows (its reduced
 * axes dense, its kept axes one step apart) it is read in place; else one copy brings it there. The
 * kept axes keep their order in memory, so that the copy is cheap and the result is laid out as x.
 */
#include "core/axes.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "quantile/quantile.h"
#include "elementwise/truths.h"
#include <math.h>
#include <stdlib.h>

/* Axes of x, the slowest first; axes of size 1 do not matter. */
typedef struct axes_of_x {
    int kept[GND_MAX_DIMS], reduced[GND_MAX_DIMS];
    int kept_count, reduced_count;
} axes_of_x;

/* Where the rows are. */
typedef struct rows {
    const char *data;
    int64_t row_step, step;
    gnd_array *copy; /* to be released; NULL if x is read in place */
} rows;

static void insert(const gnd_array *x, int *list, int *count, int axis) {
    int i = (*count)++;
    for (; i > 0 && llabs(x->strides[list[i - 1]]) < llabs(x->strides[axis]); i--) list[i] = list[i - 1];
    list[i] = axis;
}

static void sort_axes(const gndi_quantile_request *r, axes_of_x *a) {
    a->kept_count = a->reduced_count = 0;
    for (int i = 0; i < r->x->ndim; i++) {
        if (r->x->shape[i] == 1) continue;
        if (r->reduced >> i & 1)
            insert(r->x, a->reduced, &a->reduced_count, i);
        else
            insert(r->x, a->kept, &a->kept_count, i);
    }
}

static bool in_place(const gndi_quantile_request *r, const axes_of_x *a, rows *where) {
    const gnd_array *x = r->x;
    int64_t offset = 0;
    where->step = gndi_itemsize(x), where->row_step = r->length * gndi_itemsize(x);
    if (!gndi_axes_step(x, a->kept, a->kept_count, &where->row_step, NULL)) return false;
    if (!gndi_axes_step(x, a->reduced, a->reduced_count, &where->step, &offset)) return false; /* in any direction */
    where->data = gndi_data(x) + offset;
    return r->length <= GNDI_SELECT_SCATTERED || where->step == gndi_itemsize(x);
}

/* A dense copy: kept axes, then reduced ones. */
static gnd_status copy_rows(const gndi_quantile_request *r, const axes_of_x *a, gnd_stream *s, rows *where) {
    const gnd_array *x = r->x;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int n = 0;
    for (int i = 0; i < a->kept_count; i++, n++) shape[n] = x->shape[a->kept[i]], strides[n] = x->strides[a->kept[i]];
    for (int i = 0; i < a->reduced_count; i++, n++)
        shape[n] = x->shape[a->reduced[i]], strides[n] = x->strides[a->reduced[i]];
    const gnd_dtype dtype = (gnd_dtype)x->dtype;
    gnd_array *view = gndi_array_view(r->fn, x, n, shape, strides, gndi_data(x), dtype);
    gnd_array *copy = view ? gndi_array_new_on(r->fn, s, n, shape, dtype, GNDI_ORDER_C) : NULL;
    gnd_status status = copy ? gndi_copy_into(r->fn, copy, view) : GND_ERROR_MEMORY;
    if (view) gnd_release(view);
    if (status && copy) gnd_release(copy);
    if (status) return status;
    where->copy = copy, where->data = gndi_data(copy);
    where->step = gndi_itemsize(x), where->row_step = r->length * gndi_itemsize(x);
    return GND_OK;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* Strides of a dense result as the backends write it: q's axes, then the kept ones in the order of
   x's memory. */
static void result_strides(const gndi_quantile_request *r, const axes_of_x *a, int64_t *strides) {
    int64_t step = gndi_dtype_sizes[r->natural];
    int position[GND_MAX_DIMS];
    for (int i = 0, at = r->q_ndim; i < r->x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        position[i] = at;
        at += !is_reduced || r->axes->keepdims;
    }
    for (int i = 0; i < r->ndim; i++) strides[i] = step;
    for (int i = a->kept_count - 1; i >= 0; i--) {
        strides[position[a->kept[i]]] = step;
        (void)__builtin_mul_overflow(step, r->x->shape[a->kept[i]], &step); /* as gndi_c_strides */
    }
    for (int i = r->q_ndim - 1; i >= 0; i--) {
        strides[i] = step;
        (void)__builtin_mul_overflow(step, r->shape[i], &step);
    }
}

static gnd_array *new_result(const gndi_quantile_request *r, const int64_t *strides, gnd_stream *s) {
    int64_t bytes;
    if (__builtin_mul_overflow(r->outputs, gndi_dtype_sizes[r->natural], &bytes))
        return gndi_fail(GND_ERROR_MEMORY, r->fn, "a result of shape %s is too large",
                         gndi_text_shape(r->ndim, r->shape));
    gndi_buffer *buffer = gndi_buffer_new(r->fn, s, (size_t)bytes);
    if (!buffer) return NULL;
    return gndi_array_over(r->fn, buffer, r->ndim, r->shape, strides, buffer->base, r->natural);
}

/* Whether the backends can write straight into `out`. */
static bool writes_directly(const gndi_quantile_request *r, const int64_t *strides) {
    const gnd_array *out = r->axes->out;
    if (!out || out->dtype != r->natural || gndi_may_overlap(out, r->x)) return false;
    if (r->q && gndi_may_overlap(out, r->q)) return false;
    for (int i = 0; i < r->ndim; i++)
        if (r->shape[i] != 1 && out->strides[i] != strides[i]) return false;
    return true;
}

/* ---- submission ------------------------------------------------------------------------------ */

static gnd_status submit(const gndi_quantile_request *r, const rows *where, const gnd_array *q, gnd_array *out) {
    const int64_t quantiles = q ? q->size : 1;
    const gnd_array *x = where->copy ? where->copy : r->x;
    gndi_select_plan plan = {
        .data = where->data,
        .rows = out->size / quantiles,
        .length = r->length,
        .row_step = where->row_step,
        .step = where->step,
        .dtype = r->x->dtype,
        .method = r->method,
        .skip_nan = r->skip_nan && gndi_dtype_is_float(r->x->dtype),
        .q = q ? gndi_data(q) : NULL,
        .number = r->number,
        .quantiles = quantiles,
        .q_dtype = q ? q->dtype : 0,
        .percent = r->percent,
        .index_dtype = r->index_dtype,
        .step_dtype = r->step_dtype,
        .weak = r->weak,
        .out_dtype = (uint8_t)r->natural,
        .out = gndi_data(out),
    };
    gnd_stream *s = gndi_work_begin(r->fn, 2, (const gnd_array *[]){x, q}, 1, (const gnd_array *[]){out});
    return s ? gndi_work_end(s, s->device->backend->select(s, &plan, r->fn), r->fn) : gndi_ew_pending();
}

/* Into `out`, which has the natural dtype and is dense. */
static gnd_status compute(const gndi_quantile_request *r, const axes_of_x *a, gnd_array *out, gnd_stream *s) {
    if (out->size == 0) return GND_OK;
    if (r->length == 0) return gnd_fill(out, (double)NAN);
    rows where = {.copy = NULL};
    gnd_array *q = NULL;
    gnd_status status = GND_OK;
    if (r->q) {
        q = gndi_is_c_contiguous(r->q) ? gndi_array_alias(r->fn, r->q)
                                       : gndi_copy_as(r->fn, r->q, (gnd_dtype)r->q->dtype, 'C');
        if (!q) return GND_ERROR_MEMORY;
    }
    if (!in_place(r, a, &where)) status = copy_rows(r, a, s, &where);
    if (!status) status = submit(r, &where, q, out);
    if (where.copy) gnd_release(where.copy);
    if (q) gnd_release(q);
    return status;
}

static gnd_array *run(const gndi_quantile_request *r) {
    gnd_stream *s = gndi_stream_on(r->x->buffer->device, r->fn);
    if (!s) return NULL;
    axes_of_x a;
    int64_t strides[GND_MAX_DIMS];
    sort_axes(r, &a);
    result_strides(r, &a, strides);
    gnd_array *out = r->axes->out;
    const bool into = writes_directly(r, strides);
    /* What is returned for `out` is made before anything is written: it is the last to fail. */
    gnd_array *result = out ? gndi_array_alias(r->fn, out) : NULL;
    if (out && !result) return NULL;
    gnd_array *direct = into ? out : new_result(r, strides, s);
    gnd_status status = direct ? compute(r, &a, direct, s) : GND_ERROR_MEMORY;
    if (!status && !out) return direct;
    if (!status && !into) status = gndi_copy_into(r->fn, out, direct);
    if (direct && !into) gnd_release(direct);
    if (!status || !result) return result;
    gnd_release(result);
    return NULL;
}

gnd_array *gndi_quantile_run(const gndi_quantile_request *r) {
    if (gndi_likely(!gndi_is_loose(r->x))) return run(r);
    gndi_quantile_request tight = *r;
    gnd_array *truths = gndi_truths_of(r->fn, r->x);
    tight.x = truths;
    gnd_array *result = truths ? run(&tight) : NULL;
    gnd_release(truths);
    return result;
}
