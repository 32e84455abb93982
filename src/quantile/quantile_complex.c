/*
 * quantile_complex.c: medians of complex numbers: rows are copied and sorted in the order that numbers
 * are compared in (real, then imaginary part, NaN last), and the one or two in the middle picked.
 */
#include "array/view.h"
#include "index/index_plan.h"
#include "sort/sort_plan.h"
#include "elementwise/temporaries.h"
#include "quantile/quantile.h"
#include <math.h>

/* x as a dense matrix of its own: a row for each output, the outputs in C order. */
static gnd_array *copy_rows(gndi_temporaries *s, const gndi_quantile_request *r, int64_t rows) {
    const gnd_array *x = r->x;
    const int64_t shape[2] = {rows, r->length};
    int order[GND_MAX_DIMS], n = 0;
    for (int gone = 0; gone < 2; gone++)
        for (int i = 0; i < x->ndim; i++)
            if ((r->reduced >> i & 1) == (uint64_t)gone) order[n++] = i;
    gnd_stream *stream = gndi_stream_on(x->buffer->device, s->fn);
    gnd_array *transposed = gndi_temporaries_keep(s, gndi_permuted(s->fn, x, order));
    gnd_array *matrix = gndi_temporaries_keep(
        s, stream ? gndi_array_new_on(s->fn, stream, 2, shape, (gnd_dtype)x->dtype, GNDI_ORDER_C) : NULL);
    if (s->failed) return NULL;
    gnd_array *to = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, matrix, n, transposed->shape, NULL, gndi_data(matrix), (gnd_dtype)x->dtype));
    if (to) s->failed = gndi_copy_into(s->fn, to, transposed) != GND_OK;
    return matrix;
}

static void sort_rows(gndi_temporaries *s, const gnd_array *matrix) {
    if (s->failed || matrix->shape[1] < 2) return;
    gndi_sort_plan plan = {.dtype = matrix->dtype,
                           .length = matrix->shape[1],
                           .keep = matrix->shape[1],
                           .rows = matrix->shape[0],
                           .ndim = matrix->shape[0] > 1,
                           .shape = {matrix->shape[0]}};
    plan.in.data = gndi_data(matrix), plan.in.step = gndi_itemsize(matrix);
    plan.in.stride[0] = matrix->strides[0];
    plan.out = plan.in;
    gnd_stream *stream = gndi_work_begin(s->fn, 0, NULL, 1, &matrix);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->sort(stream, &plan, s->fn), s->fn);
}

/* From each row the element at its own position. */
static gnd_array *pick(gndi_temporaries *s, const gnd_array *matrix, const gnd_array *positions) {
    if (s->failed) return NULL;
    gnd_stream *stream = gndi_stream_on(matrix->buffer->device, s->fn);
    gnd_array *picked = gndi_temporaries_keep(
        s, stream ? gndi_array_new_on(s->fn, stream, 1, matrix->shape, (gnd_dtype)matrix->dtype, GNDI_ORDER_C) : NULL);
    if (!picked) return NULL;
    gndi_index_plan plan = {.mode = GNDI_INDEX_RAISE,
                            .itemsize = (uint8_t)gndi_itemsize(matrix),
                            .ndim = picked->size > 1,
                            .points = picked->size,
                            .shape = {picked->size},
                            .array = {.data = gndi_data(matrix), .stride = {matrix->strides[0]}},
                            .value = {.data = gndi_data(picked), .stride = {picked->strides[0]}},
                            .indices = 1};
    plan.index[0].data = gndi_data(positions), plan.index[0].stride[0] = positions->strides[0];
    plan.index[0].size = matrix->shape[1], plan.index[0].step = matrix->strides[1];
    plan.index[0].dtype = positions->dtype, plan.index[0].axis = 1;
    stream = gndi_work_begin(s->fn, 2, (const gnd_array *[]){matrix, positions}, 1, (const gnd_array *[]){picked});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->index(stream, &plan, s->fn), s->fn);
    return picked;
}

static gnd_array *is_nan(gndi_temporaries *s, const gnd_array *x) {
    return gndi_step(s, GNDI_OP_isnan, gnd_arg_array(x), gnd_arg_none());
}

/* A NaN stands last, and is then the median. */
static gnd_array *middle(gndi_temporaries *s, const gnd_array *sorted) {
    const int64_t n = sorted->shape[1];
    const gnd_array *low = gndi_step_at(s, sorted, 1, (n - 1) / 2);
    const gnd_array *high = gndi_step_at(s, sorted, 1, n / 2);
    const gnd_array *last = gndi_step_at(s, sorted, 1, n - 1);
    if (n % 2 == 0) low = gndi_step(s, GNDI_OP_add, gnd_arg_array(low), gnd_arg_array(high));
    gnd_array *median = gndi_step(s, GNDI_OP_divide, gnd_arg_array(low), gnd_arg_real(n % 2 ? 1 : 2));
    const gnd_array *nan = is_nan(s, last);
    if (!s->failed) gndi_step_into(s, GNDI_OP_copy, median, gnd_arg_array(last), gnd_arg_none(), nan);
    return median;
}

/* The middle of those before the first NaN, whose number each row has for itself. Rows of nothing but
   NaN give their first one. */
static gnd_array *middle_before_nan(gndi_temporaries *s, const gnd_array *sorted) {
    gnd_array *nan = is_nan(s, sorted);
    if (nan) gndi_step_into(s, GNDI_OP_logical_not, nan, gnd_arg_array(nan), gnd_arg_none(), NULL);
    gnd_array *count = gndi_temporaries_keep(s, nan ? gnd_count_nonzero(nan, GND_AXES(1)) : NULL);
    gnd_array *before = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(count), gnd_arg_int(1));
    before = gndi_step(s, GNDI_OP_maximum, gnd_arg_array(before), gnd_arg_int(0));
    const gnd_array *first = gndi_step(s, GNDI_OP_floor_divide, gnd_arg_array(before), gnd_arg_int(2));
    const gnd_array *second = gndi_step(s, GNDI_OP_floor_divide, gnd_arg_array(count), gnd_arg_int(2));
    gnd_array *low = pick(s, sorted, first), *high = pick(s, sorted, second);
    const gnd_array *one = gndi_step(s, GNDI_OP_equal, gnd_arg_array(first), gnd_arg_array(second));
    gnd_array *parts = gndi_step(s, GNDI_OP_subtract, gnd_arg_int(2), gnd_arg_array(one));
    if (s->failed) return NULL;
    gndi_step_into(s, GNDI_OP_copy, high, gnd_arg_int(0), gnd_arg_none(), one);
    gndi_step_into(s, GNDI_OP_add, low, gnd_arg_array(low), gnd_arg_array(high), NULL);
    gndi_step_into(s, GNDI_OP_divide, low, gnd_arg_array(low), gnd_arg_array(parts), NULL);
    return low;
}

gnd_array *gndi_median_complex(const gndi_quantile_request *r) {
    gndi_temporaries s = {.fn = r->fn};
    gnd_array *out = r->axes->out, *result = NULL;
    gnd_array *alias = out ? gndi_temporaries_keep(&s, gndi_array_alias(r->fn, out)) : NULL;
    if (r->outputs == 0 || r->length == 0) {
        gnd_stream *stream = gndi_stream_on(r->x->buffer->device, r->fn);
        result = gndi_temporaries_keep(
            &s, stream ? gndi_array_new_on(r->fn, stream, r->ndim, r->shape, r->natural, GNDI_ORDER_C) : NULL);
        if (result && r->outputs) s.failed |= gnd_fill(result, (double)NAN) != GND_OK;
    } else {
        gnd_array *sorted = copy_rows(&s, r, r->outputs);
        sort_rows(&s, sorted);
        gnd_array *median = s.failed ? NULL : r->skip_nan ? middle_before_nan(&s, sorted) : middle(&s, sorted);
        if (!s.failed)
            result = gndi_temporaries_keep(
                &s, gndi_array_view(r->fn, median, r->ndim, r->shape, NULL, gndi_data(median), r->natural));
    }
    if (out && !s.failed) s.failed = gndi_copy_into(r->fn, out, result) != GND_OK;
    return gndi_temporaries_end(&s, out ? alias : result);
}
