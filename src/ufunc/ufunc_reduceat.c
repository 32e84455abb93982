/*
 * ufunc_reduceat.c: gnd_reduceat: checks, the result's layout, the plan's axes, the submission.
 */
#include "core/axes.h"
#include "ufunc/segment_plan.h"
#include "elementwise/elementwise.h"
#include "kernels/ops/fold_loop.h"
#include "elementwise/truths.h"

static const char fn[] = "gnd_reduceat";

/* A reduceat that was checked. */
typedef struct request {
    gndi_op op;
    gnd_dtype loop;
    const gnd_array *x, *indices;
    const gnd_axes *axes;
    int axis;
    int64_t shape[GND_MAX_DIMS]; /* of the result */
} request;

/* ---- checks --------------------------------------------------------------------------------- */

static gnd_status check_axes(request *r) {
    const gnd_axes *axes = r->axes;
    if (r->x->ndim == 0) return gndi_raise(GND_ERROR_INVALID, fn, "x is 0-d; there is no axis to cut in segments");
    if (axes->count < 0 || axes->count > 1)
        return gndi_raise(GND_ERROR_INVALID, fn, "works along one axis, not %d", axes->count < 0 ? 0 : axes->count);
    if (axes->keepdims || axes->where || axes->initial)
        return gndi_raise(GND_ERROR_INVALID, fn, "takes no %s",
                          axes->keepdims ? "keepdims"
                          : axes->where  ? "where"
                                         : "initial");
    r->axis = 0;
    if (axes->count == 1 && !gndi_normalize_axis(fn, axes->axis[0], r->x->ndim, &r->axis)) return gndi_ew_pending();
    return GND_OK;
}

static gnd_status check_indices(const request *r) {
    const gnd_array *indices = r->indices;
    if (indices->ndim != 1)
        return gndi_raise(GND_ERROR_SHAPE, fn, "indices must be a 1-d array; they have shape %s",
                          gndi_text_shape(indices->ndim, indices->shape));
    if (indices->dtype != GND_BOOL && (!gndi_dtype_is_int(indices->dtype) || indices->dtype == GND_UINT64))
        return gndi_raise(GND_ERROR_DTYPE, fn, "indices must be integers that int64 holds, not %s",
                          gnd_dtype_name((gnd_dtype)indices->dtype));
    const gnd_status status = gndi_check_together(fn, r->x, "x", indices, "the array of indices");
    if (status) return status;
    if (r->x->shape[r->axis] == 0 && indices->shape[0] > 0)
        return gndi_raise(GND_ERROR_INDEX, fn,
                          "x has shape %s: on axis %d, which has size 0, there is nothing to index",
                          gndi_text_shape(r->x->ndim, r->x->shape), r->axis);
    return GND_OK;
}

static gnd_status check(request *r, const char *name) {
    r->op = gndi_ufunc_find(fn, name);
    if (r->op == GNDI_OP_COUNT) return gndi_ew_pending();
    if (gndi_missing(r->x)) return gndi_raise_null(fn, "x");
    if (gndi_missing(r->indices)) return gndi_raise_null(fn, "indices");
    gnd_status status = check_axes(r);
    if (!status) status = check_indices(r);
    if (status) return status;
    memcpy(r->shape, r->x->shape, (size_t)r->x->ndim * sizeof *r->shape);
    r->shape[r->axis] = r->indices->shape[0];
    const gnd_array *out = r->axes->out;
    if (out && !gndi_check_out(fn, r->x, out, r->x->ndim, r->shape)) return gndi_ew_pending();
    return gndi_ufunc_fold_loop(fn, r->op, (gnd_dtype)r->x->dtype, r->axes->dtype,
                                out ? (gnd_dtype)out->dtype : GND_DTYPE_NONE, &r->loop);
}

/* ---- plan ----------------------------------------------------------------------------------- */

/* A new result whose other axes lie in memory as x's do (NumPy's K order). */
static gnd_array *new_result(const request *r, gnd_stream *s) {
    gndi_ew_space space;
    int64_t strides[GND_MAX_DIMS], size;
    const int64_t itemsize = gndi_dtype_sizes[r->loop];
    space.ndim = r->x->ndim, space.count = 1;
    memcpy(space.shape, r->shape, (size_t)space.ndim * sizeof *space.shape);
    memcpy(space.stride[0], r->x->strides, (size_t)space.ndim * sizeof *space.shape);
    if (!gndi_shape_size(space.ndim, r->shape, &size) || size == 0 || size > INT64_MAX / itemsize)
        return gndi_array_new_on(fn, s, space.ndim, r->shape, r->loop, GNDI_ORDER_C);
    gndi_ew_k_strides(&space, itemsize, strides);
    gndi_buffer *b = gndi_buffer_new(fn, s, (size_t)(size * itemsize));
    if (!b) return NULL;
    return gndi_array_over(fn, b, space.ndim, r->shape, strides, b->base, r->loop);
}

/* The axes but the one that is cut: sorted by x's stride, the fastest last, and merged. */
static void plan_axes(const request *r, const gnd_array *out, gndi_segment_plan *plan) {
    int64_t *const stride[] = {plan->in.stride, plan->out.stride};
    gndi_walk w = {.operands = 2, .leaders = 1, .shape = plan->shape, .stride = stride};
    gndi_walk_arrays(&w, (const gnd_array *[]){r->x, out}, r->axis);
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
    plan->columns = gndi_walk_size(&w);
}

static gnd_status submit(const request *r, gnd_array *out) {
    const gnd_array *x = r->x, *indices = r->indices;
    gndi_segment_plan plan;
    if (out->size == 0) return GND_OK;
    plan.op = r->op, plan.loop = r->loop, plan.axis = r->axis;
    plan.segments = indices->shape[0], plan.length = x->shape[r->axis];
    plan.index.data = gndi_data(indices), plan.index.dtype = indices->dtype;
    plan.index.step = indices->strides[0];
    plan.in.data = gndi_data(x), plan.in.dtype = x->dtype, plan.in.step = x->strides[r->axis];
    plan.out.data = gndi_data(out), plan.out.dtype = out->dtype, plan.out.step = out->strides[r->axis];
    plan_axes(r, out, &plan);
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){x, indices}, 1, (const gnd_array *[]){out});
    return s ? gndi_work_end(s, s->device->backend->reduce_segments(s, &plan, fn), fn) : gndi_ew_pending();
}

/* To a new array or to axes->out, of any dtype and wherever it lies. */
static gnd_array *run(const request *r, gnd_stream *s) {
    gnd_array *out = r->axes->out;
    const bool into =
        out && out->dtype == r->loop && !gndi_may_overlap(out, r->x) && !gndi_may_overlap(out, r->indices);
    /* What is returned for `out` is made before anything is written: it is the last to fail. */
    gnd_array *result = out ? gndi_array_alias(fn, out) : NULL;
    if (out && !result) return NULL;
    gnd_array *direct = into ? out : new_result(r, s);
    gnd_status status = direct ? submit(r, direct) : GND_ERROR_MEMORY;
    if (!status && out && !into) status = gndi_copy_into(fn, out, direct);
    if (!status && !out) return direct;
    if (!into) gnd_release(direct);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}

gnd_array *gnd_reduceat(const char *name, const gnd_array *x, const gnd_array *indices, gnd_axes axes) {
    request r = {.x = x, .indices = indices, .axes = &axes};
    if (check(&r, name)) return NULL;
    gnd_stream *s = gndi_stream_on(x->buffer->device, fn);
    gnd_array *made, *result = NULL;
    if (s && (r.x = gndi_truths(fn, x, &made))) {
        result = run(&r, s);
        gnd_release(made);
    }
    return result;
}
