/*
 * reduce_run.c: runs a checked reduction: allocates the result, submits the plan, and casts the result if
 * the caller wants another dtype.
 */
#include "elementwise/elementwise.h"
#include "elementwise/record.h"
#include "reduce/reduce.h"
#include "elementwise/truths.h"
#include <math.h>

enum { COPY_ELEMENTS = 4096 };

static gnd_array *new_result(const gndi_reduce_request *r, gnd_stream *s, gnd_dtype dtype) {
    int64_t strides[GND_MAX_DIMS], bytes;
    const int64_t itemsize = gndi_dtype_sizes[dtype];
    if (!gndi_reduce_k_strides(r, itemsize, strides))
        return gndi_array_new_on(r->fn, s, r->ndim, r->shape, dtype, GNDI_ORDER_C);
    /* A permutation of a C layout; x holds at least as many elements, but sum may widen them. */
    if (!gndi_shape_size(r->ndim, r->shape, &bytes) || __builtin_mul_overflow(bytes, itemsize, &bytes))
        return gndi_fail(GND_ERROR_MEMORY, r->fn, "a result of shape %s is too large",
                         gndi_text_shape(r->ndim, r->shape));
    gndi_buffer *buffer = gndi_buffer_new(r->fn, s, (size_t)bytes);
    if (!buffer) return NULL;
    return gndi_array_over(r->fn, buffer, r->ndim, r->shape, strides, buffer->base, dtype);
}

/* `a`, which has the result's shape, seen under x's axes. */
static void space_of_result(const gndi_reduce_request *r, const gnd_array *a, gndi_reduce_space *space) {
    space->data = gndi_data(a), space->dtype = (gnd_dtype)a->dtype;
    for (int i = 0, k = 0; i < r->x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        space->stride[i] = is_reduced ? 0 : a->strides[k];
        k += !is_reduced || r->axes->keepdims;
    }
}

/* What the kernels do, but for the axes; those must be known for a mean. */
static void plan_reducer(const gndi_reduce_request *r, const gnd_array *initial, gndi_reduce_plan *plan) {
    plan->reducer = r->reducer, plan->map = r->map, plan->finish = r->finish;
    plan->op = r->op, plan->loop = r->loop;
    plan->divisor = 1, plan->ddof = r->ddof, plan->power = r->power;
    /* Where the number of elements is known beforehand, a mean is a sum. */
    const bool known = !r->axes->where && r->map != GNDI_MAP_SKIP_NAN;
    if (r->reducer == GNDI_REDUCE_MEAN && known) plan->reducer = GNDI_REDUCE_SUM, plan->finish = GNDI_FINISH_DIVIDE;
    plan->start_data = initial ? gndi_data(initial) : NULL;
    plan->has_start = gndi_reduce_identity(r, &plan->start) || initial;
    if (plan->reducer == GNDI_REDUCE_SUM) plan->has_start = true;
}

/* Reduces into `out`, which has the natural dtype and meets no input. */
static gnd_status submit(const gndi_reduce_request *r, gnd_stream *s, const gnd_array *initial, gnd_array *out) {
    const gnd_array *x = r->x, *where = r->axes->where;
    gndi_reduce_plan plan;
    gndi_reduce_space result, mask;
    if (out->size == 0) return GND_OK;
    space_of_result(r, out, &result);
    if (where) {
        mask.data = gndi_data(where), mask.dtype = GND_BOOL;
        gndi_broadcast_strides(where, x->ndim, x->shape, mask.stride);
    }
    plan_reducer(r, initial, &plan);
    gndi_reduce_plan_axes(&plan, r, &result, where ? &mask : NULL);
    if (plan.finish == GNDI_FINISH_DIVIDE) plan.divisor = plan.length ? (double)plan.length : (double)NAN;

    gnd_status status = gndi_order_read(s, x->buffer, r->fn);
    if (!status && r->second) status = gndi_order_read(s, r->second->buffer, r->fn);
    if (!status && where) status = gndi_order_read(s, where->buffer, r->fn);
    if (!status && initial) status = gndi_order_read(s, initial->buffer, r->fn);
    if (!status) status = gndi_order_write(s, out->buffer, r->fn);
    if (!status) status = s->device->backend->reduce(s, &plan, r->fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, r->fn);
}

/* Whether each output is just one element, to be cast: elementwise kernels copy faster. */
static bool is_copy(const gndi_reduce_request *r, const gnd_array *initial, const gnd_array *out) {
    return out->size == r->x->size && out->size >= COPY_ELEMENTS && !r->axes->where && !initial &&
           r->loop == r->natural && r->reducer <= GNDI_REDUCE_MAXIMUM && r->map == GNDI_MAP_NONE;
}

static gnd_status copy(const gndi_reduce_request *r, gnd_array *out) {
    int64_t strides[GND_MAX_DIMS];
    const gnd_array *x = r->x;
    for (int i = 0, k = 0; i < x->ndim; i++)
        if (!(r->reduced >> i & 1) || r->axes->keepdims) strides[k++] = x->strides[i];
    gnd_array *view = gndi_array_view(r->fn, x, r->ndim, r->shape, strides, gndi_data(x), (gnd_dtype)x->dtype);
    if (!view) return GND_ERROR_MEMORY;
    /* A sum starts from 0, which makes 0.0 of -0.0; a product from 1 + 0i, which makes inf + nan i of inf. */
    const bool sum = r->reducer == GNDI_REDUCE_SUM;
    const bool product = r->reducer == GNDI_REDUCE_PRODUCT && gndi_dtype_is_complex(r->loop);
    gndi_ew_request with_start = {
        .op = sum ? GNDI_OP_add : GNDI_OP_multiply,
        .fn = r->fn,
        .args = {gnd_arg_array(view), gnd_arg_int(sum ? 0 : 1)},
        .out = {out},
        .casting = GND_UNSAFE,
        .dtype = r->natural,
    };
    const gnd_status status = sum || product ? gndi_elementwise(&with_start, NULL) : gndi_copy_into(r->fn, out, view);
    gnd_release(view);
    return status;
}

static bool meets_input(const gndi_reduce_request *r, const gnd_array *out, const gnd_array *initial) {
    return gndi_may_overlap(out, r->x) || (r->second && gndi_may_overlap(out, r->second)) ||
           (r->axes->where && gndi_may_overlap(out, r->axes->where)) || (initial && gndi_may_overlap(out, initial));
}

/* The same for any result dtype and overlap. */
static gnd_array *compute(const gndi_reduce_request *r, gnd_stream *s, const gnd_array *initial) {
    gnd_array *out = r->axes->out, *direct;
    const bool into = out && out->dtype == r->natural && !meets_input(r, out, initial);
    /* What is returned for `out` is made before anything is written: it is the last to fail. */
    gnd_array *result = out ? gndi_array_alias(r->fn, out) : NULL;
    if (out && !result) return NULL;
    direct = into ? out : new_result(r, s, r->natural);
    gnd_status status = GND_ERROR_MEMORY;
    if (direct) status = is_copy(r, initial, direct) ? copy(r, direct) : submit(r, s, initial, direct);
    if (status == GND_OK && !out) {
        if (r->result == r->natural) return direct;
        result = gndi_copy_as(r->fn, direct, r->result, 'K');
    } else if (status == GND_OK && !into) {
        status = gndi_copy_into(r->fn, out, direct);
    }
    if (direct && !into) gnd_release(direct);
    if (status == GND_OK || !result) return result;
    gnd_release(result);
    return NULL;
}

static gnd_array *run(const gndi_reduce_request *r) {
    gnd_stream *s = gndi_stream_on(r->x->buffer->device, r->fn);
    if (!s) return NULL;
    const gnd_array *initial = r->axes->initial;
    if (!initial || initial->dtype == r->loop) return compute(r, s, initial);
    gnd_array *cast = gndi_copy_as(r->fn, initial, r->loop, 'C');
    if (!cast) return NULL;
    gnd_array *result = compute(r, s, cast);
    gnd_release(cast);
    return result;
}

static bool is_loose(const gndi_reduce_request *r) {
    return gndi_is_loose(r->x) || (r->second && gndi_is_loose(r->second)) ||
           (r->axes->where && gndi_is_loose(r->axes->where));
}

/* The same of loose bool arrays, by their truths. */
static gnd_array *run_tightened(const gndi_reduce_request *r) {
    gndi_reduce_request tight = *r;
    gnd_axes axes = *r->axes;
    gnd_array *made[3] = {NULL, NULL, NULL}, *result = NULL;
    tight.axes = &axes;
    tight.x = gndi_truths(r->fn, r->x, &made[0]);
    if (tight.x) tight.second = gndi_truths(r->fn, r->second, &made[1]);
    if (tight.x && !tight.second == !r->second) axes.where = gndi_truths(r->fn, r->axes->where, &made[2]);
    if (tight.x && !tight.second == !r->second && !axes.where == !r->axes->where) result = run(&tight);
    for (int i = 0; i < 3; i++) gnd_release(made[i]);
    return result;
}

gnd_array *gndi_reduce_run(const gndi_reduce_request *r) {
    return gndi_unlikely(is_loose(r)) ? run_tightened(r) : run(r);
}

gnd_array *gndi_reduce(gndi_reduce_request *r) {
    if (gndi_unlikely(gndi_missing(r->x))) return gndi_raise_null(r->fn, "x"), NULL;
    if (!gndi_reduce_choose_axes(r) || !gndi_reduce_choose_dtypes(r) || !gndi_reduce_check(r)) return NULL;
    if (gndi_is_recorded(r->x->size, 1, &r->x)) {
        gnd_array *result = NULL;
        if (gndi_tls.recorder->reduce(gndi_tls.recorder, r, &result) != GNDI_RUN_IT) return result;
    }
    return gndi_reduce_run(r);
}
